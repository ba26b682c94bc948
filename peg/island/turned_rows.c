/* Steps in which contacts turn, by the midpoint rule.
 *
 * The velocities v that lead to the poses are those of mid-step: half of what the applied forces
 * and the gyroscopic torque do in the step is added to v_0, and rows are taken half-way between the
 * poses. The other half follows behind the poses. A motion t along the contacts at q_0 is not along
 * the rows of mid-step, G t + b != 0; at the end of the step the contacts have turned by as much
 * again,
 *
 *     G v+ = G v - (G t + b)
 *
 * on the rows that turn: those of contacts that are loaded and were so in the last step, along the
 * normal, and along the tangents where v+ sticks. Where nothing slides v+ = 2 v - v_0, and
 *
 *     1/2 |v+|^2 - 1/2 |v_0|^2 = (v+ - v_0) . v = h f . v
 *
 * is the work of the applied forces: what rolls keeps its energy, but for errors of third order in
 * each step. With v_f in place of v contact removes the part of t across the rows, 1/2 |N t|^2, and
 * ODE's update 1/2 |h f|^2 along them: a coin that rolls in circles falls flat within 3 s at h =
 * 0.01 s.
 *
 * Impacts do not turn: t is the projection of v_0 onto the contacts at q_0, and contacts that began
 * in the step keep their speed. The impulses of the whole step stay in their cones, so that v+
 * comes from a mixed LCP about the velocity without them, with the masses of the end, where its
 * energy is taken. Where contact would add energy they turn by a share. */
#include "peg/island/turned_rows.h"

#include "peg/contact/kinematics.h"
#include "peg/contact/patch.h"
#include "peg/contact/pose.h"
#include "peg/contact/row_set.h"
#include "peg/island/energy.h"
#include "peg/island/lcp_rows.h"
#include "peg/island/solve.h"

typedef struct turn {
    peg_row_set begun;    /* rows of the pairs at q_0 */
    unsigned char *turns; /* of a normal row in `begun`: its contact turns */
    int *match; /* of a normal row of the last iterate: the row of its contact in `begun` if that
                   turns, else -1 */
    peg_lcp_row *row;
    double *lambda;         /* of the rows of the last iterate: impulses up to mid-step */
    peg_vec6 *along, *held; /* nd: t, and t with sticking friction */
    peg_vec6 *target;       /* nd: after the step without the impulses */
    peg_mass_block *mass;   /* nd: of the end poses */
    peg_solution solution;
} turn;

/* --- rows --- */

/* Of the normal rows of a pair in a set, linked by `next` from `row` on, the one of the same
 * features whose point is nearest; -1: none. A line on a cap has two contacts. */
static int nearest_row(const peg_row_set *set, const int *next, int row, const peg_row *like)
{
    int best = -1;
    double nearest = INFINITY;
    for (; row >= 0; row = next[row]) {
        double apart[3];
        if (!peg_row_same(&set->row[row], like)) continue;
        peg_sub(set->row[row].local, like->local, apart);
        double square = peg_dot(apart, apart);
        if (square < nearest) nearest = square, best = row;
    }
    return best;
}

/* Links the normal rows of every pair. */
static int link_rows(const peg_island *I, const peg_row_set *set, int **first, int **next)
{
    *first = PEG_NEW(I->arena, int, I->npair);
    *next = PEG_NEW(I->arena, int, set->m);
    if (!*first || !*next) return 0;
    for (int p = 0; p < I->npair; p++) (*first)[p] = -1;
    for (int i = 0; i < set->m; i = peg_next_normal(set, i)) {
        (*next)[i] = (*first)[set->row[i].pair];
        (*first)[set->row[i].pair] = i;
    }
    return 1;
}

/* Gives the rows of the last iterate the accumulated impulses, and limits those of the whole step;
 * loaded rows that are not among them are appended. */
static int gather(peg_island *I)
{
    int *first, *next;
    if (!link_rows(I, &I->rows, &first, &next)) return 0;
    for (int i = 0; i < I->rows.m; i++) I->rows.row[i].lambda = 0;
    for (int i = 0, end; i < I->impulse.m; i = end) {
        const peg_row *row = &I->impulse.row[i];
        int to = nearest_row(&I->rows, next, first[row->pair], row);
        end = peg_next_normal(&I->impulse, i);
        if (to < 0) peg_rows_append(I, &I->rows, &I->impulse, i, end);
        int room = to < 0 ? 0 : peg_next_normal(&I->rows, to) - to;
        for (int k = 0; k < end - i && k < room; k++)
            I->rows.row[to + k].lambda += I->impulse.row[i + k].lambda;
    }
    for (int i = 0; i < I->rows.m; i++) I->rows.row[i].limit *= 2;
    return !I->failed;
}

/* Speed of v along a row, m/s. */
static double speed(const peg_island *I, const peg_row *row, const peg_vec6 *v)
{
    const peg_pair *p = &I->pair[row->pair];
    int a = I->piece[p->a].rigid, b = I->piece[p->b].rigid;
    double sum = row->prescribed;
    for (int k = 0; k < 6; k++) {
        if (a < I->nd) sum += row->Ga[k] * v[a][k];
        if (b < I->nd) sum += row->Gb[k] * v[b][k];
    }
    return sum;
}

static int bore_before(const peg_pair *p, const peg_row *row)
{
    for (int k = 0; k < p->cached_contacts; k++) {
        const peg_cached_contact *old = &p->cached[k];
        if (old->lambda > 0 && old->kind == (int)row->kind && old->i == row->i && old->j == row->j)
            return 1;
    }
    return 0;
}

static peg_placement placement_at_start(const peg_island *I, int piece)
{
    static const double rest[6] = {0};
    const peg_piece *p = &I->piece[piece];
    const peg_rigid *r = &I->rigid[p->rigid];
    return (peg_placement){&p->start, &p->start, r->x0, r->R0, rest, p->rigid};
}

/* The rows of the first iterate, which is q_0 but for moving obstacles, if there are any still. */
static const peg_row_set *rows_at_start(const peg_island *I)
{
    static const peg_row_set none = {0};
    int iteration = I->progress.iteration;
    return iteration == 0 ? &I->rows : iteration == 1 ? &I->before.rows : &none;
}

static int is_driven(const peg_island *I, int piece)
{
    return I->rigid[I->piece[piece].rigid].state.kind == PEG_KINEMATIC;
}

/* Rows at q_0 of all pairs that have rows. */
static void make_begun_rows(peg_island *I, turn *t)
{
    enum { UNKNOWN = -1, MADE = -2 };
    const peg_row_set *start = rows_at_start(I);
    int *begin = PEG_NEW(I->arena, int, I->npair);
    if (!begin) {
        I->failed = 1;
        return;
    }
    for (int i = 0; i < I->npair; i++) begin[i] = UNKNOWN;
    for (int i = start->patches - 1; i >= 0; i--) begin[start->row[i].pair] = i;
    for (int i = 0; i < I->rows.m; i++) {
        int pair = I->rows.row[i].pair, from = begin[pair], to = from;
        const peg_pair *p = &I->pair[pair];
        begin[pair] = MADE;
        if (from == MADE) continue;
        if (from >= 0 && !is_driven(I, p->a) && !is_driven(I, p->b)) {
            while (to < start->patches && start->row[to].pair == pair) to++;
            peg_rows_append(I, &t->begun, start, from, to);
            continue;
        }
        peg_pair_pose at = {placement_at_start(I, p->a), placement_at_start(I, p->b)};
        peg_patch_rows(I, pair, &at, &t->begun);
    }
}

/* Matches rows with those at q_0 of contacts that turn. Returns how many do. */
static int match_rows(peg_island *I, turn *t)
{
    int *first, *next, turning = 0;
    t->match = PEG_NEW(I->arena, int, I->rows.m);
    t->turns = PEG_NEW(I->arena, unsigned char, t->begun.m);
    if (I->failed || !t->match || !t->turns || !link_rows(I, &t->begun, &first, &next)) {
        I->failed = 1;
        return 0;
    }
    memset(t->turns, 0, (size_t)t->begun.m);
    for (int i = 0; i < I->rows.m; i = peg_next_normal(&I->rows, i)) {
        const peg_row *row = &I->rows.row[i];
        const peg_pair *p = &I->pair[row->pair];
        int may_turn = row->lambda > 0 && bore_before(p, row);
        t->match[i] = may_turn ? nearest_row(&t->begun, next, first[row->pair], row) : -1;
        if (t->match[i] < 0) continue;
        t->turns[t->match[i]] = 1;
        turning++;
    }
    return turning;
}

/* --- what of v_0 runs along the contacts --- */

/* A row at q_0: an equation if its contact turns, else an inequality. */
static void fill_begun(const peg_island *I, const peg_row *row, int turns, peg_lcp_row *out)
{
    peg_fill_jacobian(I, row, out);
    out->normal = -1;
    out->b = row->prescribed;
    if (!turns) out->b += fmax(0, row->gap0) / I->h;
    out->bounded = turns;
    out->limit = turns ? INFINITY : 0;
}

/* Projects v_0 onto the contacts at q_0; held: turning contacts stick. */
static int find_motion(peg_island *I, turn *t, int held, peg_vec6 *motion)
{
    int m = 0;
    for (int k = 0; k < t->begun.m; k++) {
        const peg_row *row = &t->begun.row[k];
        int turns = t->turns[k - row->friction];
        if (row->friction && (!held || !turns || row->rolls)) continue;
        t->solution.lambda[m] = 0;
        fill_begun(I, row, turns, &t->row[m++]);
    }
    for (int i = 0; i < I->nd; i++) memcpy(t->target[i], I->rigid[i].state.v, sizeof *t->target);
    peg_problem problem = {I->nd, m, I->mass, (const peg_vec6 *)t->target, t->row};
    if (peg_island_lcp(I, &problem, &t->solution) != PEG_SOLVED) return 0;
    memcpy(motion, t->solution.v, (size_t)I->nd * sizeof *motion);
    return 1;
}

/* --- motion without contact --- */

/* The change of angular velocity by ODE's gyroscopic torque from the start to mid-step, body frame.
 */
static void gyroscopic_half(const peg_rigid *r, double h, double out[3])
{
    double w[3];
    memset(out, 0, sizeof(peg_vec3));
    if (!r->state.gyroscopic || !peg_gyroscopic_velocity(&r->state, 0.5 * h, r->state.v + 3, w))
        return;
    peg_sub(w, r->state.v + 3, w);
    peg_rotate_back(r->R0, w, out);
}

void peg_find_middle(peg_island *I)
{
    for (int i = 0; i < I->nd; i++) {
        peg_rigid *r = &I->rigid[i];
        double turned[3], gyro[3];
        for (int k = 0; k < 6; k++)
            r->middle[k] = r->state.v[k] + 0.5 * (r->target[k] - r->unforced[k]);
        gyroscopic_half(r, I->h, turned);
        peg_rotate(r->R0, turned, gyro);
        peg_add_scaled(r->middle + 3, 1, gyro, r->middle + 3);
    }
}

/* Adds to v what the applied forces and the gyroscopic torque do from mid-step to the end, which
 * are those of the body's frame: of the torque L x w of mid-step, what is left of the step's. */
static void add_second_half(const peg_rigid *r, double h, double v[6])
{
    double forced[6], turned[3], gyro[3], w[3], L[3];
    for (int k = 0; k < 6; k++) forced[k] = 0.5 * (r->target[k] - r->unforced[k]);
    peg_add_scaled(v, 1, forced, v);
    peg_rotate_back(r->R0, forced + 3, turned);
    if (r->state.gyroscopic) {
        gyroscopic_half(r, h, gyro);
        peg_sub(turned, gyro, turned);
        peg_rotate_back(r->R0, v + 3, w);
        peg_rotate(r->state.inertia, w, L);
        peg_cross(L, w, gyro);
        peg_rotate(r->inv_inertia, gyro, w);
        peg_add_scaled(turned, h, w, turned);
    }
    peg_rotate(r->R, turned, gyro);
    peg_add_scaled(v + 3, 1, gyro, v + 3);
}

/* --- velocities after the step --- */

/* The velocities after the step without the accumulated impulses, with the masses at the end. */
static void take_impulses_off(const peg_island *I, turn *t)
{
    for (int i = 0; i < I->nd; i++) {
        const peg_rigid *r = &I->rigid[i];
        double turned[9], back[9];
        for (int k = 0; k < 9; k++) back[k] = r->R[3 * (k % 3) + k / 3];
        peg_mat_mul(r->R, r->inv_inertia, turned);
        peg_mat_mul(turned, back, t->mass[i].inv_inertia);
        t->mass[i].inv_mass = I->mass[i].inv_mass;
        memcpy(t->target[i], I->v[i], sizeof t->target[i]);
        add_second_half(r, I->h, t->target[i]);
    }
    for (int i = 0; i < I->impulse.m; i++) {
        const peg_row *row = &I->impulse.row[i];
        for (int side = 0; side < 2; side++) {
            int b = I->piece[side ? I->pair[row->pair].b : I->pair[row->pair].a].rigid;
            const double *J = side ? row->Gb : row->Ga;
            double turned[3];
            if (b >= I->nd) continue;
            peg_rotate(t->mass[b].inv_inertia, J + 3, turned);
            peg_add_scaled(t->target[b], -row->lambda * t->mass[b].inv_mass, J, t->target[b]);
            peg_add_scaled(t->target[b] + 3, -row->lambda, turned, t->target[b] + 3);
        }
    }
}

/* b of a normal row that does not turn: it keeps its speed, and without load the gap may close. */
static double bias_of_others(const peg_island *I, const peg_row *row, double lambda, double now)
{
    double closing = lambda > 0 || row->first_contact ? 0 : fmax(0, row->gap) / I->h;
    return row->prescribed - fmin(now, -closing);
}

/* turning: contacts turn. */
static void fill_rows(peg_island *I, turn *t, int turning)
{
    for (int i = 0; i < I->rows.m; i++) {
        peg_row *row = &I->rows.row[i];
        int turns = turning && t->match[i - row->friction] >= 0 && !row->rolls;
        double gap = row->bias - row->prescribed, now = speed(I, row, (const peg_vec6 *)I->v);
        if (!row->friction) peg_friction_begin(I, row, t->lambda[i]);
        peg_fill_row(I, i, &t->row[i]);
        t->solution.lambda[i] = 2 * t->lambda[i];
        if (turns && row->friction)
            t->row[i].b = row->prescribed + speed(I, row, (const peg_vec6 *)t->held);
        else if (turns)
            t->row[i].b = row->prescribed - now + speed(I, row, (const peg_vec6 *)t->along) + gap;
        else if (!row->friction)
            t->row[i].b = bias_of_others(I, row, t->lambda[i], now);
    }
}

/* Solves for the velocities after the step, and takes their impulses. */
static int solve(peg_island *I, turn *t, int turning)
{
    fill_rows(I, t, turning);
    peg_problem problem = {I->nd, I->rows.m, t->mass, (const peg_vec6 *)t->target, t->row};
    if (peg_island_lcp(I, &problem, &t->solution) != PEG_SOLVED) return 0;
    for (int i = 0; i < I->rows.m; i++) I->rows.row[i].lambda = t->solution.lambda[i];
    peg_island_accumulate(I, PEG_ABOUT_FREE);
    memcpy(I->result.v_end, t->solution.v, (size_t)I->nd * sizeof *I->result.v_end);
    return !I->failed;
}

/* Between a belt and a wall friction may jam: impulses without bound are an answer then, too, whose
 * work the belt is granted to do. A cylinder that rolled there at 0.4 m/s left at 214 m/s. */
static int has_diverged(const peg_island *I, const turn *t)
{
    return peg_has_diverged(I, (const peg_vec6 *)I->result.v_end, (const peg_vec6 *)t->target,
                            peg_driven_speed(I, 1));
}

static int gains_nothing(const peg_island *I, const turn *t)
{
    return !has_diverged(I, t) && peg_gains_nothing(I, (const peg_vec6 *)I->result.v_end);
}

/* Contacts turn by a share where they would add energy. */
static int turn_by_share(peg_island *I, turn *t)
{
    size_t size = (size_t)I->nd * sizeof *I->result.v_end;
    peg_vec6 *turned = PEG_NEW(I->arena, peg_vec6, I->nd);
    double *impulse = PEG_NEW(I->arena, double, I->rows.m);
    if (!turned || !impulse) {
        I->failed = 1;
        return 0;
    }
    memcpy(turned, I->result.v_end, size);
    memcpy(impulse, t->solution.lambda, (size_t)I->rows.m * sizeof *impulse);
    if (!solve(I, t, 0) || !gains_nothing(I, t)) return 0;
    double share = peg_change_within_energy(I, (const peg_vec6 *)turned, 0, 0);
    for (int i = 0; i < I->rows.m; i++)
        I->rows.row[i].lambda += share * (impulse[i] - I->rows.row[i].lambda);
    peg_island_accumulate(I, PEG_ABOUT_FREE);
    return 1;
}

int peg_rows_turn(const peg_island *I)
{
    double turned = 0;
    int round = 0;
    if (I->settings->contact != PEG_CONTACT_PEG || I->joints.n) return 0;
    for (int i = 0; i < I->npair; i++) {
        const peg_pair *p = &I->pair[i];
        if (p->surface->soft || p->surface->slip > 0 || p->surface->slip2 > 0) return 0;
        round |= peg_is_dilated(I->piece[p->a].part->shape) ||
                 peg_is_dilated(I->piece[p->b].part->shape);
    }
    for (int i = 0; i < I->nd; i++) {
        const peg_rigid *r = &I->rigid[i];
        double along = round && r->size > 0 ? peg_norm(r->state.v) / r->size : 0;
        double angle = I->h * (peg_norm(r->state.v + 3) + along);
        turned += 0.5 * r->start_square * angle * angle;
    }
    return turned > PEG_GAIN * I->energy_unit;
}

static int allocate(peg_island *I, turn *t)
{
    int m = I->rows.m > t->begun.m ? I->rows.m : t->begun.m;
    t->lambda = PEG_NEW(I->arena, double, I->rows.m);
    t->row = PEG_NEW(I->arena, peg_lcp_row, m);
    t->solution.lambda = PEG_NEW(I->arena, double, m);
    t->along = PEG_NEW(I->arena, peg_vec6, I->nd);
    t->held = PEG_NEW(I->arena, peg_vec6, I->nd);
    t->target = PEG_NEW(I->arena, peg_vec6, I->nd);
    t->mass = PEG_NEW(I->arena, peg_mass_block, I->nd);
    t->solution.v = PEG_NEW(I->arena, peg_vec6, I->nd);
    return t->lambda && t->row && t->solution.lambda && t->along && t->held && t->target &&
           t->mass && t->solution.v;
}

int peg_follow_turned_rows(peg_island *I)
{
    turn t = {0};
    if ((I->forms & PEG_FORM_ELASTIC) || I->impulse.m == 0) return 0;
    if (gather(I)) make_begun_rows(I, &t);
    if (I->failed || !allocate(I, &t)) {
        I->failed = 1;
        return 0;
    }
    for (int i = 0; i < I->rows.m; i++) t.lambda[i] = I->rows.row[i].lambda;
    int turns =
        match_rows(I, &t) && find_motion(I, &t, 0, t.along) && find_motion(I, &t, 1, t.held);
    if (I->failed) return 0;
    take_impulses_off(I, &t);
    if (!solve(I, &t, turns)) return 0;
    return gains_nothing(I, &t) || (turns && turn_by_share(I, &t));
}
