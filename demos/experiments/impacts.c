/* impacts: exact collisions by the signed separation [J 7-10], and the bounce of its potential
 * [J 11-13].
 *
 * Bodies fly freely without gravity; the time of contact is found by bisection on the sign of g, to
 * 1e-12 s. There the velocities jump by
 *
 *     p+ = p- + Lambda grad g,  Lambda = -2 (grad g . M^-1 p-) / (grad g . M^-1 grad g)
 *
 * which keeps the energy [J 8a] and lies in the normal cone [J 8b]. Where several points touch at
 * once the subdifferential is the cone of their rows: v+ = 2 P v- - v-, P the projection in the
 * energy norm on the velocities that no row forbids, which is the same for a single row. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "demos/experiments/experiment.h"
#include "demos/experiments/gap_pairs.h"
#include "demos/world/world.h"
#include "peg/lcp/problem.h"
#include "peg/paper/signed_separation.h"

enum { BODIES = 5, ROWS = 64, SCENES = 6, SEEDS = 8, BOUNCES = 100, BOUNCE_STEPS = 6 };

/* Length of a flight between two looks at g, s; what the time of contact is known to, s. */
static const double FLIGHT = 1e-3, TIME = 1e-12;

/* Features this near to each other touch at the time of contact, in sizes. */
static const double TOUCHES = 1e-8;

static const char *const scene_names[SCENES] = {
    "point on a plane", "cubes, face on face", "cubes, edges and corners",
    "two hulls",        "three hulls",         "five hulls"};

/* ---- bodies ---------------------------------------------------------------------------------- */

typedef struct flyer {
    peg_polytope *shape; /* about the centre of mass */
    peg_view view;
    double mass, inertia[9], inverse[9]; /* body frame, diagonal or not */
    double x[3], q[4], v[3], L[3];       /* L: angular momentum, constant in flight */
} flyer;

typedef struct flight {
    flyer body[BODIES];
    int bodies, plane; /* plane: the last body is an immovable half-space */
    double t;
    peg_arena arena;
    uint64_t random;
} flight;

static double uniform(flight *f, double low, double high)
{
    return low + (high - low) * lab_random_next(&f->random);
}

static void turn_back(const double *R, const double *M, const double *a, double *out)
{
    double local[3];
    peg_rotate_back(R, a, local);
    peg_rotate(M, local, local);
    peg_rotate(R, local, out);
}

static void spin_of(const flyer *b, const double *q, double w[3])
{
    double R[9];
    peg_quat_to_mat(q, R);
    turn_back(R, b->inverse, b->L, w);
}

static void place(flyer *b)
{
    double R[9];
    peg_quat_to_mat(b->q, R);
    peg_view_set(&b->view, b->x, R);
}

static void derivative(const flyer *b, const double *q, double out[4])
{
    double w[3], turn[4];
    spin_of(b, q, w);
    turn[0] = 0;
    peg_copy3(w, turn + 1);
    peg_quat_mul(turn, q, out);
    for (int k = 0; k < 4; k++) out[k] *= .5;
}

/* Free flight: the centre exactly, the turn by a step of Runge and Kutta's method. */
static void fly(const flyer *from, double dt, flyer *to)
{
    static const double share[4] = {0, .5, .5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    double slope[4] = {0}, sum[4] = {0}, q[4];
    for (int stage = 0; stage < 4; stage++) {
        for (int k = 0; k < 4; k++) q[k] = from->q[k] + share[stage] * dt * slope[k];
        double size = sqrt(q[0] * q[0] + peg_dot(q + 1, q + 1));
        for (int k = 0; k < 4; k++) q[k] /= size;
        derivative(from, q, slope);
        for (int k = 0; k < 4; k++) sum[k] += weight[stage] * slope[k];
    }
    for (int k = 0; k < 4; k++) q[k] = from->q[k] + dt * sum[k];
    double size = sqrt(q[0] * q[0] + peg_dot(q + 1, q + 1));
    for (int k = 0; k < 4; k++) to->q[k] = q[k] / size;
    peg_add_scaled(from->x, dt, from->v, to->x);
    place(to);
}

/* By cofactors. */
static void invert(const double *m, double *out)
{
    for (int i = 0; i < 3; i++)
        peg_cross(m + 3 * ((i + 1) % 3), m + 3 * ((i + 2) % 3), out + 3 * i);
    double det = peg_dot(m, out);
    for (int k = 0; k < 9; k++) out[k] /= det; /* symmetric */
}

/* ---- start ----------------------------------------------------------------------------------- */

static int add_body(flight *f, peg_polytope *shape, double mass)
{
    flyer *b = &f->body[f->bodies++];
    double volume, at[3], tensor[9];
    b->shape = shape;
    if (!shape) return 0;
    b->view = (peg_view){.shape = shape,
                         .vertex = calloc((size_t)shape->nv + 1, sizeof(peg_vec3)),
                         .normal = calloc((size_t)shape->nf + 1, sizeof(peg_vec3)),
                         .offset = calloc((size_t)shape->nf + 1, sizeof(double))};
    b->q[0] = 1;
    b->mass = mass;
    if (shape->nv > 1) {
        peg_polytope_mass(shape, &volume, at, tensor);
        for (int k = 0; k < 9; k++) b->inertia[k] = tensor[k] * mass / volume;
    } else {
        b->inertia[0] = b->inertia[4] = b->inertia[8] = mass;
    }
    invert(b->inertia, b->inverse);
    place(b);
    return b->view.vertex && b->view.normal && b->view.offset;
}

/* A hull of random points, about its centre of mass. */
static peg_polytope *hull(flight *f)
{
    double p[24][3], volume, centre[3], tensor[9];
    int n = 6 + (int)uniform(f, 0, 16);
    peg_polytope *shape, *moved;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) p[i][k] = uniform(f, -.5, .5);
    if (peg_polytope_from_points((const double(*)[3])p, n, &shape) != PEG_OK) return NULL;
    peg_polytope_mass(shape, &volume, centre, tensor);
    for (int i = 0; i < n; i++) peg_sub(p[i], centre, p[i]);
    peg_polytope_free(shape);
    return peg_polytope_from_points((const double(*)[3])p, n, &moved) == PEG_OK ? moved : NULL;
}

static peg_polytope *cube(void)
{
    static const double unit[3] = {1, 1, 1};
    peg_polytope *shape;
    return peg_polytope_box(unit, &shape) == PEG_OK ? shape : NULL;
}

static void set_motion(flyer *b, const double *x, const double *v)
{
    peg_copy3(x, b->x);
    peg_copy3(v, b->v);
    place(b);
}

static int start_point(flight *f)
{
    static const double up[3] = {0, 0, 1}, none[3] = {0, 0, 0};
    peg_polytope *point, *plane;
    if (peg_polytope_point(&point) != PEG_OK || !add_body(f, point, 1)) return 0;
    set_motion(&f->body[0], (double[3]){0, 0, .5}, (double[3]){.7, -.2, -1.5});
    if (peg_polytope_half_space(up, 0, &plane) != PEG_OK || !add_body(f, plane, 1)) return 0;
    set_motion(&f->body[1], none, none);
    f->plane = 1;
    return 1;
}

/* Bodies on a ring fly to its middle, each with its own spin. */
static int start_bodies(flight *f, int scene)
{
    int n = scene == 1 || scene == 2 || scene == 3 ? 2 : scene == 4 ? 3 : 5;
    for (int i = 0; i < n; i++) {
        double angle = 2 * acos(-1) * i / n, spin[3], R[9], x[3], v[3];
        if (!add_body(f, scene < 3 ? cube() : hull(f), scene == 1 ? 1 : uniform(f, .5, 3)))
            return 0;
        flyer *b = &f->body[f->bodies - 1];
        x[0] = 1.4 * cos(angle), x[1] = 1.4 * sin(angle), x[2] = 0;
        for (int k = 0; k < 3; k++) v[k] = -x[k] + (scene == 1 ? 0 : uniform(f, -.1, .1));
        if (scene == 1) v[0] = i ? 0 : -1, v[1] = 0, x[1] = 0;
        for (int k = 0; k < 3; k++) spin[k] = scene == 1 ? 0 : uniform(f, -2, 2);
        if (scene > 1) lab_random_turn(&f->random, b->q);
        peg_quat_to_mat(b->q, R);
        turn_back(R, b->inertia, spin, b->L);
        set_motion(b, x, v);
    }
    return 1;
}

/* ---- contact --------------------------------------------------------------------------------- */

/* s of a pair by the signed separation; its unit direction to n, its points to a and b. */
static double signed_separation(flight *f, int i, int j, double n[3], double a[3], double b[3])
{
    const peg_view *A = &f->body[i].view, *B = &f->body[j].view;
    double xa[3], xb[3], d[3];
    peg_ssh ssh = {.basis = {-1}};
    peg_inner_point(A, B, xa);
    peg_inner_point(B, A, xb);
    peg_sub(xa, xb, d);
    if (peg_ssh_solve(&f->arena, A, B, d, &ssh) != PEG_LP_SOLVED) return INFINITY;
    peg_copy3(ssh.n, n);
    peg_normalise(n);
    peg_copy3(ssh.a, a);
    peg_copy3(ssh.b, b);
    return ssh.s;
}

/* A body flies on its own: what may meet within the flight has to be near. */
static int overlaps(flight *f)
{
    double n[3], a[3], b[3];
    for (int i = 0; i < f->bodies; i++)
        for (int j = i + 1; j < f->bodies; j++)
            if (signed_separation(f, i, j, n, a, b) < 0) return 1;
    return 0;
}

static void fly_all(flight *f, const flyer *from, double dt)
{
    int moving = f->bodies - f->plane;
    for (int i = 0; i < moving; i++) fly(&from[i], dt, &f->body[i]);
}

/* To the next time of contact, at most FLIGHT on. Returns whether there is one: the bodies are then
 * as near as TIME lets them be. */
static int advance(flight *f)
{
    flyer from[BODIES];
    memcpy(from, f->body, sizeof from);
    double low = 0, high = FLIGHT;
    fly_all(f, from, FLIGHT);
    if (!overlaps(f)) {
        f->t += FLIGHT;
        return 0;
    }
    while (high - low > TIME) {
        double middle = .5 * (low + high);
        fly_all(f, from, middle);
        if (overlaps(f))
            high = middle;
        else
            low = middle;
    }
    fly_all(f, from, low);
    f->t += low;
    return 1;
}

typedef struct jump {
    peg_lcp_row row[ROWS];
    int rows;
    peg_mass_block mass[BODIES];
    peg_vec6 v[BODIES], target[BODIES];
    double lambda[ROWS];
} jump;

static void add_row(const flight *f, jump *s, int i, int j, const double *n, const double *a,
                    const double *b)
{
    if (s->rows == ROWS) return;
    peg_lcp_row *row = &s->row[s->rows++];
    const double *point[2] = {a, b};
    *row = (peg_lcp_row){.body_a = i, .body_b = f->plane && j == f->bodies - 1 ? -1 : j};
    for (int side = 0; side < 2; side++) {
        double arm[3], *J = side ? row->Jb : row->Ja, sign = side ? -1 : 1;
        peg_sub(point[side], f->body[side ? j : i].x, arm);
        peg_cross(arm, n, J + 3);
        for (int k = 0; k < 3; k++) J[k] = sign * n[k], J[3 + k] *= sign;
    }
}

/* The rows of a pair that touches: the corners of its polygon. */
static void add_rows(flight *f, jump *s, int i, int j)
{
    double n[3], a[3], b[3];
    peg_polygon_corner *corner;
    const peg_view *A = &f->body[i].view, *B = &f->body[j].view;
    double size = peg_pair_size(A->shape, B->shape);
    if (!(signed_separation(f, i, j, n, a, b) <= TOUCHES * size)) return;
    int count = peg_contact_polygon(&f->arena, A, B, n, TOUCHES * size, &corner);
    for (int k = 0; k < count; k++) add_row(f, s, i, j, n, corner[k].a, corner[k].b);
    if (count <= 0) add_row(f, s, i, j, n, a, b);
}

static void read_motion(const flight *f, jump *s)
{
    for (int i = 0; i < f->bodies - f->plane; i++) {
        const flyer *b = &f->body[i];
        double R[9], turned[9];
        peg_quat_to_mat(b->q, R);
        s->mass[i].inv_mass = 1 / b->mass;
        peg_mat_mul(R, b->inverse, turned);
        for (int k = 0; k < 9; k++) {
            const double *column = R + 3 * (k % 3);
            s->mass[i].inv_inertia[k] = peg_dot(turned + 3 * (k / 3), column);
        }
        peg_copy3(b->v, s->target[i]);
        spin_of(b, b->q, s->target[i] + 3);
    }
}

/* v+ = 2 P v- - v-; returns the number of rows that were approaching. */
static int reflect(flight *f, jump *s)
{
    int moving = f->bodies - f->plane, closing = 0;
    peg_problem problem = {moving, s->rows, s->mass, (const peg_vec6 *)s->target, s->row};
    peg_solution solution = {.v = s->v, .lambda = s->lambda};
    peg_solve_options options = {.solver = PEG_SOLVER_AUTO, .tolerance = 1e-12};
    memset(s->lambda, 0, sizeof s->lambda);
    if (s->rows == 0 || peg_solve(&f->arena, &problem, &options, &solution) != PEG_SOLVED) return 0;
    for (int i = 0; i < moving; i++) {
        flyer *b = &f->body[i];
        double change[3], R[9], turned[3];
        for (int k = 0; k < 3; k++) {
            b->v[k] += 2 * (s->v[i][k] - s->target[i][k]);
            change[k] = 2 * (s->v[i][3 + k] - s->target[i][3 + k]);
        }
        peg_quat_to_mat(b->q, R);
        turn_back(R, b->inertia, change, turned);
        peg_add_scaled(b->L, 1, turned, b->L);
    }
    for (int i = 0; i < s->rows; i++) closing += s->lambda[i] > 0;
    return closing;
}

/* ---- a run ----------------------------------------------------------------------------------- */

typedef struct account {
    double energy, p[3], L[3], size; /* size: sum of |p| */
} account;

static account account_of(const flight *f)
{
    account a = {0};
    for (int i = 0; i < f->bodies - f->plane; i++) {
        const flyer *b = &f->body[i];
        double w[3], p[3], c[3];
        spin_of(b, b->q, w);
        for (int k = 0; k < 3; k++) p[k] = b->mass * b->v[k];
        peg_cross(b->x, p, c);
        a.energy += .5 * peg_dot(p, b->v) + .5 * peg_dot(w, b->L);
        a.size += peg_norm(p);
        for (int k = 0; k < 3; k++) a.p[k] += p[k], a.L[k] += c[k] + b->L[k];
    }
    return a;
}

/* All rows of the pairs that touch, again and again while some approach. Returns the jumps. */
static int jump_all(flight *f, int *rows)
{
    int jumps = 0;
    jump *s = malloc(sizeof *s);
    *rows = 0;
    for (; s && jumps < 20; jumps++) {
        s->rows = 0;
        for (int i = 0; i < f->bodies; i++)
            for (int j = i + 1; j < f->bodies; j++) add_rows(f, s, i, j);
        read_motion(f, s);
        if (s->rows > *rows) *rows = s->rows;
        if (reflect(f, s) == 0) break;
    }
    free(s);
    return jumps;
}

static double distance(const double *a, const double *b)
{
    double d[3];
    peg_sub(a, b, d);
    return peg_norm(d);
}

static int run_flight(const experiment_study *s, int scene, int seed, FILE *csv)
{
    flight *f = calloc(1, sizeof *f);
    fputs("t,jumps,rows,energy,momentum,angular,vx,vy,vz\n", csv);
    if (!f) return 1;
    f->random = s->options->seed * 1000 + (uint64_t)(scene * SEEDS + seed);
    int bad = scene == 0 ? !start_point(f) : !start_bodies(f, scene);
    for (int contacts = 0; !bad && f->t < 3 && contacts < 60;) {
        if (!advance(f)) continue;
        account before = account_of(f);
        int rows, jumps = jump_all(f, &rows);
        account after = account_of(f);
        double momentum = f->plane ? 0 : distance(before.p, after.p) / before.size;
        double angular = f->plane ? 0 : distance(before.L, after.L) / before.size;
        fprintf(csv, "%.15g,%d,%d,%.3g,%.3g,%.3g", f->t, jumps, rows,
                fabs(after.energy - before.energy) / before.energy, momentum, angular);
        for (int k = 0; k < 3; k++) fprintf(csv, ",%.17g", f->body[0].v[k]);
        fputc('\n', csv);
        contacts++;
        flyer from[BODIES];
        memcpy(from, f->body, sizeof from);
        fly_all(f, from, 1e-9); /* off each other */
        f->t += 1e-9;
    }
    for (int i = 0; i < f->bodies; i++) {
        free(f->body[i].view.vertex);
        free(f->body[i].view.normal);
        free(f->body[i].view.offset);
        if (f->body[i].shape) peg_polytope_free(f->body[i].shape);
    }
    peg_arena_free(&f->arena);
    free(f);
    return bad;
}

/* ---- the potential --------------------------------------------------------------------------- */

/* A tumbling cube of 1 kg flies at a plane and bounces, on one corner; rolls: from one corner to
 * others, where the signed separation has a kink. Without gravity: free flight is ODE's, which is
 * of first order in it. The seed changes the height, and with it when in a step the bodies meet. */
static void build_bounce(lab_world *w)
{
    double q[4];
    int rolls = lab_key_flag(w, "rolls", 0);
    if (rolls)
        lab_axis_angle(1, 2, .5, 35, q);
    else
        lab_axis_angle(1, -1, .1, 53, q);
    lab_gravity(w, 0, 0, 0);
    lab_plane(w, "floor", (double[3]){0, 0, 1}, 0);
    lab_body *b =
        lab_add_box(w, "cube", LAB_DYNAMIC, .5, .5, .5, 0, 0, .8 + .01 * lab_random(w), q);
    lab_mass(b, 1);
    lab_velocity(b, (double[3]){.3, 0, -2.5},
                 rolls ? (double[3]){1, -2, .5} : (double[3]){.3, -.5, .7});
}

static const lab_scene bounce = {
    "bounce", "a tumbling cube bounces off its potential", .001, .4, build_bounce, NULL};

/* Relative error of the energy after the bounce; NaN: it failed. */
static double bounce_error(double h, int rolls, uint64_t seed, double *deepest, char why[LAB_TEXT])
{
    lab_setting set[] = {{"stiffness", 1e4}, {"rolls", rolls}};
    lab_options options = {.contact = LAB_LP, .h = h, .seed = seed, .set = set, .sets = 2};
    int user;
    lab_world *w = lab_open(&bounce, &options, why, &user);
    if (!w) return NAN;
    double volume, depth;
    while (w->steps < w->planned && lab_step(w) == 0) {
        lab_measure(w, 1, &volume, &depth, NULL);
        *deepest = fmax(*deepest, depth);
    }
    lab_energy e = lab_world_energy(w);
    int failed = w->failed;
    lab_close(w);
    return failed ? NAN : fabs(e.now - e.initial) / e.initial;
}

/* Root of the mean square over the seeds. */
static int run_bounce(int index, FILE *csv, char why[LAB_TEXT])
{
    double h = .002 / (1 << (index % BOUNCE_STEPS)), sum = 0, deepest = 0;
    fputs("h,energy,depth\n", csv);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        double error = bounce_error(h, index >= BOUNCE_STEPS, seed, &deepest, why);
        sum += error * error;
    }
    fprintf(csv, "%g,%.6g,%.6g\n", h, sqrt(sum / SEEDS), deepest);
    return isnan(sum);
}

/* ---- plan and report ------------------------------------------------------------------------- */

static void plan(experiment_study *s)
{
    s->models = 1, s->model[0] = LAB_LP;
    s->hs = 1, s->h[0] = 1;
    s->source = "a point, cubes and random hulls";
    for (int scene = 0; scene < SCENES; scene++)
        for (int seed = 0; seed < (scene < 2 ? 1 : s->options->quick ? 2 : SEEDS); seed++)
            experiment_add(s, LAB_LP, 1, scene * SEEDS + seed);
    for (int k = 0; k < 2 * BOUNCE_STEPS; k++) experiment_add(s, LAB_LP, 1, BOUNCES + k);
}

static int run(const experiment_study *s, const experiment_job *job, FILE *csv, char why[LAB_TEXT])
{
    if (job->set >= BOUNCES) return run_bounce(job->set - BOUNCES, csv, why);
    int failed = run_flight(s, job->set / SEEDS, job->set % SEEDS, csv);
    if (failed) snprintf(why, LAB_TEXT, "out of memory");
    return failed;
}

enum { COL_TIME, COL_JUMPS, COL_ROWS_MOST, COL_ENERGY, COL_MOMENTUM, COL_ANGULAR, COL_VX };

static double worst_of(const experiment_study *s, int scene, int column, long *collisions)
{
    double worst = 0;
    *collisions = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        const experiment_table *t = experiment_find(s, LAB_LP, 1, scene * SEEDS + seed);
        for (long k = 0; t && k < t->rows; k++, ++*collisions)
            worst = fmax(worst, t->value[k * t->columns + column]);
    }
    return worst;
}

static void tabulate(const experiment_study *s, lab_report *r)
{
    static const char *const heads[] = {"scene",  "collisions", "most rows",
                                        "energy", "momentum",   "angular momentum"};
    double most[3] = {0};
    long collisions, all = 0;
    report_heading(r, "Relative errors of a jump, at most");
    report_table(r, heads, 6);
    for (int scene = 0; scene < SCENES; scene++) {
        report_cell(r, "%s", scene_names[scene]);
        double rows = worst_of(s, scene, COL_ROWS_MOST, &collisions);
        all += collisions;
        report_cell(r, "%ld", collisions);
        report_cell(r, "%.0f", rows);
        for (int k = 0; k < 3; k++) {
            double worst = worst_of(s, scene, COL_ENERGY + k, &collisions);
            most[k] = fmax(most[k], worst);
            report_cell(r, "%.1e", worst);
        }
        report_row_end(r);
    }
    report_table_end(r);
    report_check(r, "collisions", (double)all, ">= 20", all >= 20);
    report_check(r, "[J 8a] energy, relative, largest error of a jump", most[0], "<= 1e-12",
                 most[0] <= 1e-12);
    report_check(r, "[J 8b] momentum", most[1], "<= 1e-12", most[1] <= 1e-12);
    report_check(r, "angular momentum", most[2], "<= 1e-12", most[2] <= 1e-12);
}

/* The point of figure 1 in closed form, and cubes that exchange their velocities. */
static void check_closed_forms(const experiment_study *s, lab_report *r)
{
    const experiment_table *point = experiment_find(s, LAB_LP, 1, 0);
    const experiment_table *cubes = experiment_find(s, LAB_LP, 1, SEEDS);
    double error = NAN, when = NAN, swap = NAN;
    if (point && point->rows == 1) {
        const double *v = point->value, wanted[3] = {.7, -.2, 1.5};
        error = distance(v + COL_VX, wanted);
        when = fabs(v[COL_TIME] - 1. / 3);
    }
    if (cubes && cubes->rows == 1) {
        const double wanted[3] = {0, 0, 0};
        swap = fmax(distance(cubes->value + COL_VX, wanted), fabs(cubes->value[COL_TIME] - 1.8));
    }
    report_check(r, "[J 9-10, figure 1] velocity of a point after the plane, m/s", error,
                 "<= 1e-12", error <= 1e-12);
    report_check(r, "its time of contact, s", when, "<= 2e-12", when <= 2e-12);
    report_check(r, "cubes face on face exchange their velocities, at the time of contact", swap,
                 "<= 4e-12", swap <= 4e-12);
}

/* Table of one kind of bounce; returns the slope of the error over h. */
static double tabulate_bounce(const experiment_study *s, lab_report *r, int rolls)
{
    static const char *const heads[] = {"h, s", "energy error", "depth, m"};
    double sx = 0, sy = 0, xx = 0, xy = 0, n = 0;
    report_table(r, heads, 3);
    for (int k = 0; k < BOUNCE_STEPS; k++) {
        const experiment_table *t =
            experiment_find(s, LAB_LP, 1, BOUNCES + rolls * BOUNCE_STEPS + k);
        if (!t || t->rows == 0) continue;
        double x = log(t->value[0]), y = log(t->value[1]);
        sx += x, sy += y, xx += x * x, xy += x * y, n++;
        report_cell(r, "%g", t->value[0]);
        report_cell(r, "%.2e", t->value[1]);
        report_cell(r, "%.3g", t->value[2]);
        report_row_end(r);
    }
    report_table_end(r);
    return (n * xy - sx * sy) / (n * xx - sx * sx);
}

static void report(experiment_study *s, lab_report *r)
{
    report_text(r, "Johnson, Ortiz, Leyendecker 2012: the jump of the momentum at the time of "
                   "contact lies in the normal cone, along the subgradient of the signed "
                   "separation, and keeps the energy.");
    tabulate(s, r);
    check_closed_forms(s, r);
    report_heading(r, "The potential C/2 g^2, C = 1e4 N/m, velocity Verlet");
    report_text(r, "A tumbling cube of 1 kg bounces on one corner. Root of the mean square of the "
                   "relative energy error over eight heights.");
    double slope = tabulate_bounce(s, r, 0);
    report_check(r, "[J 11-13] slope of the energy error of a bounce over h", slope, ">= 1.8",
                 slope >= 1.8);
    report_text(r, "The same where the cube rolls from one corner to others: the gradient of the "
                   "signed separation jumps there, and the method is of first order.");
    slope = tabulate_bounce(s, r, 1);
    report_check(r, "slope where the deepest corner changes", slope, ">= 0.8", slope >= .8);
}

const experiment experiments_impacts[] = {
    {"impacts", "Exact collisions by the signed separation, and the bounce of its potential.",
     "none", 0, plan, run, report},
    {0},
};
