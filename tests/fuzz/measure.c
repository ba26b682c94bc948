#include "tests/fuzz/measure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of the extent of the smaller of two solids: poses that were set flush count as touching to this.
 * Of coordinates: their rounding. */
static const double OVERLAP_MOST = 1e-9, ROUNDING = 8e-15;
static const double ENERGY_MOST = 1e-9, MOMENTUM_MOST = 1e-9;
/* A body that moved less, in its size, stood; it should have moved if the impulses of its contacts
 * lack more of its weight, or leave more of its momentum. */
static const double STOOD = 1e-9, UNBALANCED = .1;
static const int FROZEN_STEPS = 3;
static const size_t MEMORY_MOST = (size_t)1 << 30;
/* Beyond this the world has flown apart; it ends. */
static const double FAR = 1e7;

const char *const fuzz_failure_names[FUZZ_FAILURES] = {
    "overlap", "inside", "energy", "momentum", "status", "not finite", "frozen", "memory"};

/* The state of the bodies before a step. */
typedef struct before {
    vec x[FUZZ_BODIES], v[FUZZ_BODIES];
    double q[FUZZ_BODIES][4];
    vec pull[FUZZ_BODIES]; /* forces of the program, N */
    double energy, scale;
    vec momentum;
    double momenta;
    unsigned char overlaps[FUZZ_SOLIDS][FUZZ_SOLIDS];
    signed char inside[FUZZ_SOLIDS][FUZZ_SOLIDS]; /* -1 outside, 1 inside, 0 not asked */
    int any_overlap;
} before;

typedef struct run {
    fuzz_world *w;
    fuzz_report *report;
    before *b;
    pegStats stats;
    int step, edited, looks; /* looks: the oracle does so in this step */
    double *time;            /* of the steps in which something touched */
    long times;
    int stood[FUZZ_BODIES]; /* steps on end */
} run;

static void fail(run *r, fuzz_failure what, const char *format, ...)
{
    char *text = r->report->first[what];
    if (r->report->failures[what]++) return;
    int n = snprintf(text, sizeof r->report->first[what], "step %d: ", r->step);
    va_list list;
    va_start(list, format);
    vsnprintf(text + n, sizeof r->report->first[what] - (size_t)n, format, list);
    va_end(list);
}

static vec vec_from(const dReal *x)
{
    return vec_of(x[0], x[1], x[2]);
}

static double clock_of_process(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Kinetic and potential energy of the dynamic bodies; *scale: without signs. */
static double energy(const fuzz_world *w, double *scale)
{
    double sum = 0;
    *scale = 0;
    for (int i = 0; i < w->bodies; i++) {
        if (!fuzz_is_dynamic(w->body[i])) continue;
        dMass m;
        dBodyGetMass(w->body[i], &m);
        vec v = vec_from(dBodyGetLinearVel(w->body[i]));
        vec spin = vec_turn_back(dBodyGetRotation(w->body[i]), 4,
                                 vec_from(dBodyGetAngularVel(w->body[i])));
        double kinetic = .5 * m.mass * vec_dot(v, v) + .5 * vec_dot(spin, vec_turn(m.I, 4, spin));
        double height = -m.mass * vec_dot(w->gravity, vec_from(dBodyGetPosition(w->body[i])));
        sum += kinetic + height;
        *scale += kinetic + fabs(height);
    }
    return sum;
}

static vec momentum(const fuzz_world *w, double *sum_of_sizes)
{
    vec sum = vec_of(0, 0, 0);
    *sum_of_sizes = 0;
    for (int i = 0; i < w->bodies; i++) {
        if (!fuzz_is_dynamic(w->body[i])) continue;
        dMass m;
        dBodyGetMass(w->body[i], &m);
        vec p = vec_mul(m.mass, vec_from(dBodyGetLinearVel(w->body[i])));
        sum = vec_add(sum, p);
        *sum_of_sizes += vec_norm(p);
    }
    return sum;
}

static double tolerance(const solid *a, const solid *b)
{
    double size = INFINITY, far = 0;
    for (int side = 0; side < 2; side++) {
        const solid *s = side ? b : a;
        if (s->kind == SOLID_PLANE)
            far += fabs(s->level);
        else
            size = fmin(size, s->size), far += vec_norm(s->centre) + s->size;
    }
    return OVERLAP_MOST * 2 * size + ROUNDING * far;
}

static vec point_of(const solid *s)
{
    return s->kind == SOLID_CYLINDER ? s->centre : s->point[0];
}

/* -1, 1: a point of s is outside, inside of the shell; 0: the question makes no sense. */
static int side_of(const solid *shell, const solid *s)
{
    if (shell->kind != SOLID_SHELL || !shell->closed || s->kind == SOLID_PLANE) return 0;
    vec p = point_of(s);
    if (p.x < shell->low.x || p.y < shell->low.y || p.z < shell->low.z || p.x > shell->high.x ||
        p.y > shell->high.y || p.z > shell->high.z)
        return -1;
    return solid_winding(shell, p) > .5 ? 1 : -1;
}

typedef void pair_check(run *r, int i, int k);

static void for_pairs(run *r, pair_check *check)
{
    const fuzz_world *w = r->w;
    for (int i = 0; i < w->solids; i++)
        if (w->solid[i]) solid_place(w->solid[i]);
    for (int i = 0; i < w->solids; i++)
        for (int k = i + 1; k < w->solids; k++)
            if (w->solid[i] && w->solid[k] && fuzz_counts(w->solid[i], w->solid[k])) check(r, i, k);
}

static void look_before(run *r, int i, int k)
{
    const solid *a = r->w->solid[i], *b = r->w->solid[k];
    double most = tolerance(a, b);
    r->b->overlaps[i][k] = solid_separation(a, b, -most) < -most;
    r->b->any_overlap |= r->b->overlaps[i][k];
    r->b->inside[i][k] = (signed char)side_of(a, b);
    r->b->inside[k][i] = (signed char)side_of(b, a);
}

/* A second opinion, for the message: the depth that ODE finds. */
static double depth_of_ode(const solid *a, const solid *b)
{
    dContactGeom contact[16];
    double depth = 0;
    int n = dCollide(a->geom, b->geom, 16, contact, sizeof *contact);
    for (int i = 0; i < n; i++) depth = fmax(depth, contact[i].depth);
    return depth;
}

static void look_after(run *r, int i, int k)
{
    const solid *a = r->w->solid[i], *b = r->w->solid[k];
    double most = tolerance(a, b), gap = solid_separation(a, b, -most);
    if (r->b->overlaps[i][k] || r->stats.infeasible_islands) return;
    if (gap < -most) {
        double size = a->kind == SOLID_PLANE   ? b->size
                      : b->kind == SOLID_PLANE ? a->size
                                               : fmin(a->size, b->size);
        r->report->depth = fmax(r->report->depth, -gap / size);
        fail(r, FUZZ_OVERLAP, "%d (class %d) and %d (class %d) by %.3g of %.3g m (ODE: %.3g)%s%s",
             i, dGeomGetClass(a->geom), k, dGeomGetClass(b->geom), -gap, size, depth_of_ode(a, b),
             r->b->any_overlap ? ", others overlapped before" : "", r->edited ? ", edited" : "");
        return;
    }
    if (r->b->inside[i][k] && side_of(a, b) != r->b->inside[i][k])
        fail(r, FUZZ_INSIDE, "%d through the shell %d", k, i);
    if (r->b->inside[k][i] && side_of(b, a) != r->b->inside[k][i])
        fail(r, FUZZ_INSIDE, "%d through the shell %d", i, k);
}

static void remember(run *r)
{
    const fuzz_world *w = r->w;
    before *b = r->b;
    for (int i = 0; i < w->bodies; i++) {
        if (!w->body[i]) continue;
        b->x[i] = vec_from(dBodyGetPosition(w->body[i]));
        b->v[i] = vec_from(dBodyGetLinearVel(w->body[i]));
        b->pull[i] = vec_from(dBodyGetForce(w->body[i]));
        memcpy(b->q[i], dBodyGetQuaternion(w->body[i]), sizeof b->q[i]);
    }
    b->energy = energy(w, &b->scale);
    b->momentum = momentum(w, &b->momenta);
    if (!r->looks) return;
    b->any_overlap = 0;
    for_pairs(r, look_before);
}

/* ---- checks of a step ---- */

static void check_energy(run *r)
{
    const fuzz_world *w = r->w;
    if (w->driven || w->joined || r->edited || !w->round || r->b->any_overlap || r->stats.recovered)
        return;
    double scale, gain = energy(w, &scale) - r->b->energy;
    double share = gain / (r->b->scale + 1e-5 * scale + 1e-300);
    r->report->gain = fmax(r->report->gain, share);
    if (share > ENERGY_MOST)
        fail(r, FUZZ_ENERGY, "%.3g J more, %.3g of all%s", gain, share,
             r->stats.limited_bodies ? ", limited" : "");
}

static void check_momentum(run *r)
{
    const fuzz_world *w = r->w;
    if (w->fixed || w->driven || r->edited || w->joined) return;
    double sizes, mass = 0;
    vec p = momentum(w, &sizes), expected = r->b->momentum;
    for (int i = 0; i < w->bodies; i++) {
        dMass m;
        if (!fuzz_is_dynamic(w->body[i])) continue;
        dBodyGetMass(w->body[i], &m);
        mass += m.mass;
    }
    expected = vec_add(expected, vec_mul(mass * w->h, w->gravity));
    double share = vec_norm(vec_sub(p, expected)) / (sizes + r->b->momenta + 1e-300);
    r->report->momentum = fmax(r->report->momentum, share);
    if (share > MOMENTUM_MOST) fail(r, FUZZ_MOMENTUM, "%.3g of all", share);
}

/* N s: what the contacts gave to each body, as the library tells. */
static void sum_impulses(const fuzz_world *w, vec impulse[FUZZ_BODIES])
{
    memset(impulse, 0, FUZZ_BODIES * sizeof *impulse);
    int n = pegWorldGetContactCount(w->peg);
    for (int i = 0; i < n; i++) {
        pegContact c;
        if (pegWorldGetContact(w->peg, i, &c)) continue;
        vec j = vec_add(vec_mul(c.impulse, vec_from(c.normal)), vec_from(c.friction));
        dBodyID a = dGeomGetBody(c.g1), b = dGeomGetBody(c.g2);
        for (int k = 0; k < w->bodies; k++) {
            if (a && w->body[k] == a) impulse[k] = vec_add(impulse[k], j);
            if (b && w->body[k] == b) impulse[k] = vec_sub(impulse[k], j);
        }
    }
}

static double size_of(const fuzz_world *w, dBodyID body)
{
    double size = 0;
    for (int i = 0; i < w->solids; i++)
        if (w->solid[i] && dGeomGetBody(w->solid[i]->geom) == body)
            size = fmax(size, w->solid[i]->size);
    return size;
}

static int moved(const run *r, int i, double size)
{
    dBodyID body = r->w->body[i];
    const dReal *q = dBodyGetQuaternion(body);
    vec way = vec_sub(vec_from(dBodyGetPosition(body)), r->b->x[i]);
    double turn = 0;
    for (int k = 0; k < 4; k++) turn = fmax(turn, fabs(q[k] - r->b->q[i][k]));
    return vec_norm(way) > STOOD * size || turn > STOOD;
}

/* A body that stands needs contacts that carry it: without joints, its momentum, its weight and the
 * forces on it are answered by impulses. */
static void check_frozen(run *r)
{
    const fuzz_world *w = r->w;
    vec impulse[FUZZ_BODIES];
    int summed = 0;
    for (int i = 0; i < w->bodies; i++) {
        dBodyID body = w->body[i];
        double size = body ? size_of(w, body) : 0;
        int excused = !size || !fuzz_is_dynamic(body) || !dBodyIsEnabled(body) ||
                      dBodyGetNumJoints(body) || r->edited || r->stats.infeasible_islands ||
                      r->b->any_overlap || moved(r, i, size);
        if (excused) {
            r->stood[i] = 0;
            continue;
        }
        if (!summed++) sum_impulses(w, impulse);
        dMass m;
        dBodyGetMass(body, &m);
        vec push = vec_add(vec_mul(m.mass * w->h, w->gravity), vec_mul(w->h, r->b->pull[i]));
        vec change = vec_mul(m.mass, vec_sub(vec_from(dBodyGetLinearVel(body)), r->b->v[i]));
        double all = vec_norm(push) + m.mass * vec_norm(r->b->v[i]);
        double left = vec_norm(vec_sub(vec_sub(change, push), impulse[i]));
        int should = all * w->h > 1e-6 * m.mass * size && left > UNBALANCED * all;
        r->stood[i] = should ? r->stood[i] + 1 : 0;
        if (r->stood[i] > FROZEN_STEPS)
            fail(r, FUZZ_FROZEN, "body %d for %d steps; its contacts lack %.0f %% of its push", i,
                 r->stood[i], 100 * left / all);
    }
}

/* Whether all are somewhere, and near enough to go on. */
static int check_finite(run *r)
{
    for (int i = 0; i < r->w->bodies; i++) {
        dBodyID body = r->w->body[i];
        if (!body) continue;
        vec x = vec_from(dBodyGetPosition(body)), v = vec_from(dBodyGetLinearVel(body));
        vec spin = vec_from(dBodyGetAngularVel(body));
        double all = vec_norm(x) + vec_norm(v) + vec_norm(spin);
        if (!isfinite(all)) {
            fail(r, FUZZ_NOT_FINITE, "body %d", i);
            return 0;
        }
        if (vec_norm(x) > FAR * r->w->size) return 0;
    }
    return 1;
}

static void hash_state(run *r)
{
    for (int i = 0; i < r->w->bodies; i++) {
        dBodyID body = r->w->body[i];
        if (!body) continue;
        const dReal *part[] = {dBodyGetPosition(body), dBodyGetQuaternion(body),
                               dBodyGetLinearVel(body), dBodyGetAngularVel(body)};
        for (int k = 0; k < 4; k++)
            for (int j = 0; j < (k == 1 ? 4 : 3); j++) {
                uint64_t bits;
                memcpy(&bits, &part[k][j], sizeof bits);
                r->report->hash = (r->report->hash ^ bits) * 1099511628211u;
                r->report->hash ^= r->report->hash >> 29;
            }
    }
}

/* Whether the world can go on. */
static int make_step(run *r)
{
    fuzz_world *w = r->w;
    fuzz_report *report = r->report;
    double start = clock_of_process();
    pegStatus status = (w->quick ? pegWorldQuickStep : pegWorldStep)(w->peg, w->h);
    double time = clock_of_process() - start;
    report->steps++;
    report->processor_time += time;
    if (time > report->worst_step) report->worst_step = time, report->worst_at = r->step;
    if (status) {
        fail(r, FUZZ_STATUS, "%s", pegStatusMessage(status));
        return 0;
    }
    pegWorldGetStats(w->peg, &r->stats);
    if (pegWorldGetContactCount(w->peg) > 0) {
        report->touching++;
        r->time[r->times++] = time;
    }
    if (r->stats.outer_iterations > report->most_iterations)
        report->most_iterations = r->stats.outer_iterations;
    report->unconverged += r->stats.unconverged > 0;
    report->limited += r->stats.limited_bodies > 0;
    report->limited_recovering += r->stats.limited_bodies > 0 && r->stats.recovered > 0;
    report->infeasible += r->stats.infeasible_islands > 0;
    report->recovering += r->stats.recovered > 0;
    if (r->stats.memory > report->memory) report->memory = r->stats.memory;
    if (r->stats.memory > MEMORY_MOST) fail(r, FUZZ_MEMORY, "%zu MB", r->stats.memory >> 20);
    return check_finite(r);
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void run_steps(run *r, const fuzz_plan *plan)
{
    fuzz_report *report = r->report;
    for (r->step = 0; r->step < plan->steps; r->step++) {
        r->edited = plan->change && plan->change(r->w, r->step);
        r->looks = r->step % plan->every == 0;
        remember(r);
        if (!make_step(r)) return;
        if (r->looks) for_pairs(r, look_after);
        check_energy(r);
        check_momentum(r);
        check_frozen(r);
        hash_state(r);
        if (r->step == plan->steps / 2) report->memory_halfway = report->memory;
    }
}

void fuzz_run_plan(fuzz_world *w, const fuzz_plan *plan, fuzz_report *report)
{
    run r = {.w = w, .report = report};
    r.b = calloc(1, sizeof *r.b);
    r.time = malloc((size_t)plan->steps * sizeof *r.time);
    if (!r.b || !r.time) abort();
    *report = (fuzz_report){0};
    run_steps(&r, plan);
    qsort(r.time, (size_t)r.times, sizeof *r.time, by_value);
    if (r.times) report->median_step = r.time[r.times / 2];
    free(r.b), free(r.time);
}

static int edit(fuzz_world *w, int step)
{
    (void)step;
    return fuzz_edit(w);
}

void fuzz_run(uint64_t seed, const fuzz_options *options, fuzz_report *report)
{
    pegStatus status;
    fuzz_world *w = fuzz_create(seed, options, &status);
    if (w) {
        fuzz_run_plan(w, &(fuzz_plan){w->steps, 1, edit}, report);
    } else {
        *report = (fuzz_report){.failures[FUZZ_STATUS] = 1};
        snprintf(report->first[FUZZ_STATUS], sizeof report->first[0], "creation: %s",
                 pegStatusMessage(status));
    }
    fuzz_destroy(w);
}

long fuzz_failed(const fuzz_report *report)
{
    long sum = 0;
    for (int i = 0; i < FUZZ_FAILURES; i++) sum += report->failures[i];
    return sum;
}
