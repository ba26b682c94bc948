/* Energy that contact adds in a step.
 *
 * ODE's update turns a body by the Cayley map of h w / 2, an axis that the rotation itself leaves
 * in place: the kinetic energy at the end, taken with the inertia at the end, equals the one taken
 * with the inertia at the start. With M at the start the energy that contact adds in a step is
 * therefore exact:  1/2 |v|_M^2 - 1/2 |v_0|_M^2 - v^T M (v_f - v_c),  v_c = v_0 after the
 * gyroscopic term. If v = 0 satisfies the rows and v minimises |v - v_f|_M, then |v|^2 <= v . v_f,
 * so the sum is at most -1/2 |v - v_c|^2 + 1/2 |v_c|^2 - 1/2 |v_0|^2 <= 0. Joints add the work
 * lambda . J v of their impulses, which is not contact's. Work that joints take up is contact's to
 * add: large impulses of both work against each other by the residual of an answer, and the island
 * gains nothing. Without that world 140415 stands still for 48 steps. Where restorations have moved
 * the poses elsewhere, the angular velocity keeps its direction, and is scaled to its energy with M
 * (peg_carried_velocity). Velocities that have changed after that count with the inertia at
 * the end. */
#include "peg/island/energy.h"

#include "peg/contact/kinematics.h"
#include "peg/contact/mode.h"
#include "peg/island/joints.h"

static double work_on(const peg_island *I, const peg_vec6 *v, int i)
{
    const peg_rigid *r = &I->rigid[i];
    double applied[6];
    for (int k = 0; k < 6; k++) applied[k] = r->target[k] - r->unforced[k];
    return peg_energy_product(r, v[i], applied);
}

double peg_work_along(const peg_island *I, const peg_vec6 *v)
{
    return peg_sum_over_bodies(I, fmax(0, peg_joints_work(I, v)), work_on, v);
}

static double end_gain_of(const peg_island *I, const peg_vec6 *v_end, int i)
{
    return peg_end_energy(&I->rigid[i], v_end[i]) - 0.5 * I->rigid[i].start_square;
}

static double gain_of(const peg_island *I, const peg_vec6 *v, int i)
{
    const peg_rigid *r = &I->rigid[i];
    return 0.5 * (peg_energy_product(r, v[i], v[i]) - r->start_square);
}

double peg_island_gain_with(const peg_island *I, const peg_vec6 *v_end)
{
    return peg_sum_over_bodies(I, -peg_work_along(I, (const peg_vec6 *)I->v), end_gain_of, v_end);
}

double peg_least_work(const peg_island *I)
{
    if (I->forms & PEG_FORM_RECOVERY) return -INFINITY;
    double work = -peg_energy_granted(I);
    return peg_sum_over_bodies(I, work, gain_of, (const peg_vec6 *)I->v_motion);
}

static double driven_by(const peg_row *row)
{
    return row->friction ? fabs(row->prescribed) : fmax(0, -row->prescribed);
}

double peg_driven_work(const peg_island *I)
{
    double work = 0;
    for (int i = 0; i < I->loads; i++) {
        const peg_loaded_contact *c = &I->load[i];
        work += c->lambda[0] * fmax(0, -c->prescribed[0]);
        for (int j = 1; j < 3; j++) work += fabs(c->lambda[j] * c->prescribed[j]);
        for (int j = 0; j < c->furthers; j++)
            work += fabs(c->further[j].lambda * c->further[j].bias);
    }
    for (int i = 0; i < I->impulse.m; i++)
        work += fabs(I->impulse.row[i].lambda) * driven_by(&I->impulse.row[i]);
    return work;
}

double peg_granted_to_contacts(const peg_island *I)
{
    double granted = 0, driven = 0;
    for (int i = 0; i < I->loads; i++) {
        const peg_loaded_contact *c = &I->load[i];
        double rounding = PEG_ROUNDING * I->pair[c->pair].L / I->h;
        granted += c->lambda[0] * c->pushed / I->h;
        for (int j = 0; j < 3; j++) {
            driven -= c->lambda[j] * c->prescribed[j];
            granted += fabs(c->lambda[j]) * rounding;
        }
        for (int j = 0; j < c->furthers; j++) {
            driven -= c->further[j].lambda * c->further[j].bias;
            granted += fabs(c->further[j].lambda) * rounding;
        }
    }
    for (int i = 0; i < I->impulse.m; i++) {
        const peg_row *row = &I->impulse.row[i];
        double rounding = PEG_ROUNDING * I->pair[row->pair].L / I->h;
        driven -= row->lambda * row->prescribed;
        granted += fabs(row->lambda) * rounding;
        if (I->pair[row->pair].surface->soft) granted += row->lambda * row->gap_growth / I->h;
    }
    return granted + fmax(0, driven);
}

int peg_gains_nothing(const peg_island *I, const peg_vec6 *v_end)
{
    return peg_island_gain_with(I, v_end) <= peg_granted_to_contacts(I);
}

double peg_work_of_growth(const peg_island *I)
{
    double work = 0;
    for (int i = 0; i < I->impulse.m; i++) {
        const peg_row *row = &I->impulse.row[i];
        if (!I->pair[row->pair].surface->soft) work += fabs(row->lambda) * row->gap_growth / I->h;
    }
    return work;
}

double peg_energy_granted(const peg_island *I)
{
    double granted = PEG_GAIN * I->energy_unit + peg_granted_to_contacts(I);
    if (I->forms & PEG_FORM_RECOVERY) {
        double lowered = peg_work_along(I, (const peg_vec6 *)I->v_motion);
        return granted + fmax(0, lowered - peg_work_along(I, (const peg_vec6 *)I->v));
    }
    if (I->forms & PEG_FORM_GAP_GROWTH) return granted;
    double grown = peg_work_of_growth(I);
    return granted + (peg_is_coarse(I) ? fmin(grown, PEG_GAIN * I->energy_unit) : grown);
}

peg_vec6 *peg_velocities_after(const peg_island *I)
{
    return peg_keeps_motion(I) ? I->v_motion : I->v;
}

double peg_energy_gained(const peg_island *I)
{
    /* overlaps open by what they need; the midpoint rule asks for the velocities after the step */
    if (I->forms & (PEG_FORM_RECOVERY | PEG_FORM_MIDPOINT)) return -INFINITY;
    double granted = peg_energy_granted(I);
    const peg_vec6 *v = (const peg_vec6 *)peg_velocities_after(I);
    return peg_sum_over_bodies(I, -peg_work_along(I, (const peg_vec6 *)I->v), gain_of, v) - granted;
}

/* What velocities are scaled about: the common velocity of all bodies; where joints are to hold, if
 * that is found, the nearest to it that they allow, so that their errors are still corrected. Null
 * without memory. */
static peg_vec6 *find_reference(peg_island *I, const peg_vec6 *v, int joints_hold)
{
    double common[3];
    peg_vec6 *reference = PEG_NEW(I->arena, peg_vec6, I->nd);
    if (!reference) {
        I->failed = 1;
        return NULL;
    }
    peg_common_velocity(I, v, common);
    for (int i = 0; i < I->nd; i++) {
        memset(reference[i], 0, sizeof *reference);
        peg_copy3(common, reference[i]);
    }
    if (I->joints.n && joints_hold) peg_joints_find_nearest(I, reference);
    return reference;
}

static void subtract(const double *a, const double *b, double *out)
{
    for (int k = 0; k < 6; k++) out[k] = a[k] - b[k];
}

/* What a body loses by itself at most, relative to what applied forces make of its speed in a step:
 * what an answer may leave. With 0 a ball that rolls on a heap stands still (a_ball_rolls_on);
 * without a limit slow bodies stop for fast ones: a slider of 1 mm/s on a wall of masses 1:100 then
 * ends 841 of 1000 steps by the budget of iterations instead of 2. */
static const double OWN_LOSS = PEG_UNCONVERGED;

/* Velocities d relative to a reference that are to lose energy: at first every body as much for its
 * mass, so that what moves does not pay for what the answer leaves of bodies at rest; what this
 * does not give all in proportion, and of a floating island all, which keeps its momentum. */
typedef struct loss {
    int n;
    double *specific;        /* by body: energy of d for its mass, J / kg */
    double own;              /* what each loses at most by itself, J / kg */
    double *square;          /* |d|_M^2, twice the energy, J */
    double *along;           /* d^T M (target - reference), J */
    double *cross;           /* d^T M reference, J */
    double squares, crosses; /* sums */
} loss;

static int find_loss(peg_island *I, const peg_vec6 *v, const peg_vec6 *reference, loss *out)
{
    *out = (loss){.n = I->nd,
                  .specific = PEG_NEW(I->arena, double, I->nd),
                  .square = PEG_NEW(I->arena, double, I->nd),
                  .along = PEG_NEW(I->arena, double, I->nd),
                  .cross = PEG_NEW(I->arena, double, I->nd)};
    if (!out->specific || !out->square || !out->along || !out->cross) {
        I->failed = 1;
        return 0;
    }
    for (int i = 0; i < I->nd; i++) {
        const peg_rigid *r = &I->rigid[i];
        double d[6], f[6];
        subtract(v[i], reference[i], d);
        subtract(r->target, reference[i], f);
        out->square[i] = peg_energy_product(r, d, d);
        out->along[i] = peg_energy_product(r, d, f);
        out->cross[i] = peg_energy_product(r, d, reference[i]);
        out->specific[i] = 0.5 * out->square[i] / r->state.mass;
        out->own = fmax(out->own, 0.5 * OWN_LOSS * OWN_LOSS * r->gained_square / r->state.mass);
        out->squares += out->square[i], out->crosses += out->cross[i];
    }
    if (peg_is_floating(I)) out->own = 0;
    return 1;
}

/* Factor of the velocities of a body; s: 0 to 1, by the share of what bodies lose by themselves,
 * and on to 2, where nothing is left. */
static double factor_of(const loss *l, int i, double s)
{
    double own = fmin(s, 1) * l->own, kept = fmin(1, 2 - s);
    if (own == 0) return kept;
    return l->specific[i] > own ? kept * sqrt(1 - own / l->specific[i]) : 0;
}

/* By how much v exceeds what is nearest to the target along it, J: <= 0 where v gains nothing. */
static double excess_of_motion(const loss *l, double s, double gained)
{
    double sum = 0;
    for (int i = 0; i < l->n; i++) {
        double x = factor_of(l, i, s);
        sum += x * (x * l->square[i] - l->along[i]);
    }
    return sum - gained;
}

/* What is left to return of the energy that was gained, J. */
static double excess_of_energy(const loss *l, double s, double gained)
{
    for (int i = 0; i < l->n; i++) {
        double x = factor_of(l, i, s);
        gained -= (1 - x) * (0.5 * (1 + x) * l->square[i] + l->cross[i]);
    }
    return gained;
}

/* The least s at which there is no excess, from above. */
static double least_loss(const loss *l, double (*excess)(const loss *, double, double),
                         double gained)
{
    enum { BISECTIONS = 50 };
    double low = 0, high = 2;
    if (excess(l, 0, gained) <= 0) return 0;
    if (excess(l, 1, gained) <= 0)
        high = 1;
    else
        low = 1;
    for (int k = 0; k < BISECTIONS; k++) {
        double s = 0.5 * (low + high);
        if (excess(l, s, gained) <= 0)
            high = s;
        else
            low = s;
    }
    return high;
}

/* Returns the norm of the change, sqrt(J). */
static double lose(const loss *l, double s, const peg_vec6 *reference, peg_vec6 *v)
{
    double change = 0;
    for (int i = 0; i < l->n; i++) {
        double x = factor_of(l, i, s);
        change += (1 - x) * (1 - x) * l->square[i];
        for (int k = 0; k < 6; k++) v[i][k] = reference[i][k] + x * (v[i][k] - reference[i][k]);
    }
    return sqrt(change);
}

double peg_shorten_motion(peg_island *I, int joints_hold)
{
    double change = 0;
    peg_arena_mark mark = peg_arena_here(I->arena);
    const peg_vec6 *reference =
        (const peg_vec6 *)find_reference(I, (const peg_vec6 *)I->v_motion, joints_hold);
    loss l;
    if (reference && find_loss(I, (const peg_vec6 *)I->v_motion, reference, &l))
        change = lose(&l, least_loss(&l, excess_of_motion, 0), reference, I->v_motion);
    peg_arena_back(I->arena, mark);
    return change;
}

int peg_return_energy(peg_island *I, double share)
{
    if (!peg_keeps_motion(I)) return 0;
    double gained = peg_energy_gained(I);
    peg_arena_mark mark = peg_arena_here(I->arena);
    const peg_vec6 *reference =
        (const peg_vec6 *)find_reference(I, (const peg_vec6 *)I->v_motion, 1);
    loss l;
    int returns = reference && find_loss(I, (const peg_vec6 *)I->v_motion, reference, &l) &&
                  gained <= share * (0.5 * l.squares + (I->joints.n ? l.crosses : 0));
    if (returns) {
        lose(&l, least_loss(&l, excess_of_energy, gained), reference, I->v_motion);
        I->stats->energy_returned++;
    }
    peg_arena_back(I->arena, mark);
    return returns;
}

double peg_change_within_energy(const peg_island *I, const peg_vec6 *changed, double granted,
                                double driven)
{
    double gain = peg_island_gain_with(I, (const peg_vec6 *)I->result.v_end), b = -driven, c = 0,
           share = 1;
    for (int i = 0; i < I->nd; i++) {
        double d[6];
        for (int k = 0; k < 6; k++) d[k] = changed[i][k] - I->result.v_end[i][k];
        b += peg_end_product(&I->rigid[i], d, I->result.v_end[i]);
        c += peg_end_product(&I->rigid[i], d, d);
    }
    /* gain + b s + c s^2 / 2 <= granted */
    double spare = fmax(0, granted - gain);
    if (b + 0.5 * c > spare && c > 0) share = (-b + sqrt(b * b + 2 * c * spare)) / c;
    share = fmax(0, fmin(1, share));
    for (int i = 0; i < I->nd; i++)
        for (int k = 0; k < 6; k++)
            I->result.v_end[i][k] += share * (changed[i][k] - I->result.v_end[i][k]);
    return share;
}

double peg_island_objective(const peg_island *I)
{
    double objective = 0;
    for (int i = 0; i < I->nd; i++) {
        double d[6];
        for (int k = 0; k < 6; k++) d[k] = I->v[i][k] - peg_free_velocity(I, i)[k];
        objective += 0.5 * peg_energy_product(&I->rigid[i], d, d);
    }
    return objective;
}

double peg_driven_speed(const peg_island *I, double of_normals)
{
    double driven = 0;
    for (int i = 0; i < I->rows.m; i++) {
        const peg_row *row = &I->rows.row[i];
        driven = fmax(driven, (row->friction ? 1 : of_normals) * fabs(row->prescribed));
    }
    return driven;
}

/* Twice the energy of a body that moves from its target velocity to v, J. */
static double energy_apart(const peg_rigid *r, const double *v, const double *target)
{
    double d[6];
    for (int k = 0; k < 6; k++) d[k] = v[k] - target[k];
    return peg_energy_product(r, d, d);
}

/* Speed at which bodies may leave a moving obstacle, as a multiple of its own: one that closes on
 * them as a wedge of 6 degrees, or lifts a lever of ten to one, makes them as fast; friction with a
 * surface takes a body no faster than that goes. Without a limit `stirrer` of 12 bodies with mu 2
 * (seeds 2 and 4) loses one over its walls. */
static const double WEDGE = 10;

int peg_throws_bodies(const peg_island *I, const peg_vec6 *v, const peg_vec6 *target)
{
    double gain = I->joints.n ? 0 : peg_driven_speed(I, WEDGE), most = 0;
    int throws = 0;
    if (!(gain > 0)) return 0;
    for (int i = 0; i < I->nd; i++) {
        const double *from = target ? target[i] : peg_free_velocity(I, i);
        most += fmax(peg_energy_product(&I->rigid[i], from, from), I->rigid[i].start_square);
    }
    for (int i = 0; i < I->nd; i++) {
        const double *from = target ? target[i] : peg_free_velocity(I, i);
        double granted = most + I->rigid[i].state.mass * gain * gain;
        throws |= !(energy_apart(&I->rigid[i], v[i], from) <= 2 * granted);
    }
    return throws;
}

int peg_has_diverged(const peg_island *I, const peg_vec6 *v, const peg_vec6 *target, double driven)
{
    double apart = 0, most = 0, mass = 0;
    for (int i = 0; i < I->nd; i++) {
        apart += energy_apart(&I->rigid[i], v[i], target[i]);
        most += peg_energy_product(&I->rigid[i], target[i], target[i]);
        mass += I->rigid[i].state.mass;
    }
    return !(apart <= 2 * (most + mass * driven * driven));
}
