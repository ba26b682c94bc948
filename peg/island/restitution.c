/* Velocities after the step. They differ from those of the pose update where penetration recovery
 * moved bodies, whose recovery speed is removed, and where contacts bounce: Newton's restitution as
 * a projection after the step, which moves no pose and so creates no overlap. */
#include "peg/island/restitution.h"

#include "peg/contact/jacobian.h"
#include "peg/contact/kinematics.h"
#include "peg/contact/mode.h"
#include "peg/contact/row_set.h"
#include "peg/island/energy.h"
#include "peg/island/joint_row.h"
#include "peg/island/joints.h"
#include "peg/island/lcp_rows.h"
#include "peg/island/row_cache.h"
#include "peg/island/solve.h"

/* --- speeds of what was squeezed --- */

/* Passes in which too fast bodies keep a share of their impulses; after them none. */
enum { SHARED_PASSES = 16 };

/* The speed that a point of a row's other body has without contact, m/s. */
static double partner_speed(const peg_island *I, const peg_row *row, int body)
{
    const peg_pair *p = &I->pair[row->pair];
    int a = I->piece[p->a].rigid, b = I->piece[p->b].rigid, other = a == body ? b : a;
    const double *v = other < I->nd ? I->rigid[other].target : I->v[other];
    double at[3];
    peg_point_velocity(&I->rigid[other], I->rigid[other].x, v, row->point, at);
    return peg_norm(at);
}

/* The speed of a body that has all of the energy by moving along, m/s. */
static double whole_speed(const peg_rigid *r, const double v[6])
{
    return sqrt(peg_energy_product(r, v, v) / r->state.mass);
}

/* Speed limit of a body at recovering contacts, m/s: the larger speed of the two bodies without
 * them, plus the recovery speed. It holds for bodies, too, that have lost impulses because of
 * others: what is left of them need not balance. Without that a body of 0.1 kg that friction held
 * between two others leaves them at 1765 m/s. */
static double opening_limit(const peg_island *I, const peg_row_set *rows, const double *factor,
                            int body)
{
    double fastest = whole_speed(&I->rigid[body], I->rigid[body].target), opening = 0;
    int is_limited = 0;
    for (int i = 0; i < rows->m; i++) {
        const peg_pair *p = &I->pair[rows->row[i].pair];
        if (I->piece[p->a].rigid != body && I->piece[p->b].rigid != body) continue;
        fastest = fmax(fastest, partner_speed(I, &rows->row[i], body));
        if (peg_pair_recovers(p)) opening = fmax(opening, peg_pair_opening(I, p) / I->h);
        is_limited |= factor[i] < 1 || peg_pair_recovers(p);
    }
    return is_limited ? fastest + opening : INFINITY;
}

/* Share of its impulses that leaves a body within its limit. */
static double allowed_share(const peg_island *I, const peg_row_set *rows, const double *factor,
                            const peg_vec6 *v, int body)
{
    const peg_rigid *r = &I->rigid[body];
    double change[6], free_speed = whole_speed(r, r->target), speed = whole_speed(r, v[body]);
    if (speed <= free_speed) return 1;
    double limit = opening_limit(I, rows, factor, body);
    if (speed <= limit * (1 + PEG_ROUNDING)) return 1;
    for (int k = 0; k < 6; k++) change[k] = v[body][k] - r->target[k];
    return (limit - free_speed) / whole_speed(r, change);
}

/* Scales the impulses of rows by the smaller share of their two bodies. */
static void scale_impulses(const peg_island *I, const peg_row_set *rows, const double *share,
                           double *factor, peg_vec6 *v)
{
    for (int i = 0; i < rows->m; i++) {
        const peg_row *row = &rows->row[i];
        int a = I->piece[I->pair[row->pair].a].rigid, b = I->piece[I->pair[row->pair].b].rigid;
        double kept = fmin(a < I->nd ? share[a] : 1, b < I->nd ? share[b] : 1);
        double taken = (kept - 1) * factor[i] * row->lambda;
        factor[i] *= kept;
        if (a < I->nd) peg_add_impulse(&I->mass[a], row->Ga, taken, v[a]);
        if (b < I->nd) peg_add_impulse(&I->mass[b], row->Gb, taken, v[b]);
    }
}

/* A light body between deeply overlapping ones recovers only at a large velocity. It keeps a share
 * of the impulses of its contacts, and so do its neighbours, and bodies that become too fast by
 * that. Bodies with joints keep all. */
static void limit_opened(peg_island *I, const peg_row_set *rows)
{
    double *share = PEG_NEW(I->arena, double, I->nd), *factor = PEG_NEW(I->arena, double, rows->m);
    int limited = I->joints.n == 0;
    if (!share || !factor) {
        I->failed = 1;
        return;
    }
    for (int i = 0; i < rows->m; i++) factor[i] = 1;
    for (int pass = 0; limited && pass < SHARED_PASSES + I->nd; pass++) {
        limited = 0;
        for (int i = 0; i < I->nd; i++) {
            share[i] = allowed_share(I, rows, factor, (const peg_vec6 *)I->result.v_end, i);
            if (share[i] < 1 && pass >= SHARED_PASSES) share[i] = 0;
            limited |= share[i] < 1;
        }
        if (limited) scale_impulses(I, rows, share, factor, I->result.v_end);
    }
}

void peg_limit_opened(peg_island *I)
{
    if (I->forms & PEG_FORM_RECOVERY) limit_opened(I, &I->impulse);
}

/* --- starting overlap --- */

/* Solves the same rows about v_f without recovery speeds; by PGS, which never fails and adds no
 * energy, where there is no exact answer. */
static int solve_without_recovery(peg_island *I)
{
    for (int i = 0; i < I->rows.m; i++) I->rows.row[i].bias -= I->rows.row[i].recovery;
    int settled = peg_island_solve(I, PEG_ABOUT_FREE) == PEG_SOLVED;
    for (int i = 0; i < I->rows.m; i++) I->rows.row[i].bias += I->rows.row[i].recovery;
    if (settled || I->failed) return settled;
    peg_solve_mode mode = I->mode;
    I->mode = peg_pgs_mode(I);
    I->before.rows.m = 0;
    settled = peg_island_solve(I, PEG_ABOUT_FREE) == PEG_SOLVED;
    I->mode = mode;
    return settled;
}

/* Poses and their impulses are kept. */
static void end_recovery(peg_island *I)
{
    size_t size = (size_t)I->nd * sizeof *I->v;
    peg_vec6 *pose = PEG_NEW(I->arena, peg_vec6, I->nd);
    double *joints = PEG_NEW(I->arena, double, I->joints.n);
    if (!pose || !joints) {
        I->failed = 1;
        return;
    }
    I->before.has_motion = 0;
    memcpy(pose, I->v, size);
    for (int k = 0; k < I->joints.n; k++) joints[k] = I->joints.lambda[k];
    int settled = solve_without_recovery(I);
    if (settled) memcpy(I->result.v_end, I->v, size);
    memcpy(I->v, pose, size);
    for (int k = 0; k < I->joints.n; k++) I->joints.lambda[k] = joints[k];
    if (settled) limit_opened(I, &I->rows);
}

/* --- restitution --- */

static double row_speed(const peg_island *I, const peg_row *row, const peg_vec6 *v)
{
    const peg_pair *p = &I->pair[row->pair];
    int a = I->piece[p->a].rigid, b = I->piece[p->b].rigid;
    double speed = 0;
    for (int k = 0; k < 6; k++) {
        if (a < I->nd) speed += row->Ga[k] * v[a][k];
        if (b < I->nd) speed += row->Gb[k] * v[b][k];
    }
    return speed;
}

/* Change of the row's speed by its own impulse, m/s. */
static double own_change(const peg_island *I, const peg_row *row)
{
    const peg_pair *p = &I->pair[row->pair];
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        int r = I->piece[side ? p->b : p->a].rigid;
        const double *J = side ? row->Gb : row->Ga;
        double turned[3];
        if (r >= I->nd) continue;
        peg_rotate(I->mass[r].inv_inertia, J + 3, turned);
        sum += I->mass[r].inv_mass * peg_dot(J, J) + peg_dot(J + 3, turned);
    }
    return row->lambda * sum;
}

/* Speed of immovable bodies along the row, m/s: the part of the bias that is no gap. */
static double immovable_speed(const peg_island *I, const peg_row *row)
{
    const peg_pair *p = &I->pair[row->pair];
    double a[3], b[3], d[3];
    int ra = I->piece[p->a].rigid, rb = I->piece[p->b].rigid;
    static const double rest[6] = {0};
    peg_point_velocity(&I->rigid[ra], I->rigid[ra].x, ra < I->nd ? rest : I->v[ra], row->point, a);
    peg_point_velocity(&I->rigid[rb], I->rigid[rb].x, rb < I->nd ? rest : I->v[rb], row->point, b);
    peg_sub(a, b, d);
    return peg_dot(d, row->normal);
}

/* Closing speed at impact, m/s: that at q_0, `closing`, changed by applied forces up to the gap of
 * the end poses. With restitution 1 a ball has its whole energy after the impact. */
static double meeting_speed(const peg_island *I, const peg_row *row, double closing)
{
    const peg_pair *p = &I->pair[row->pair];
    double gained = 0, way = fmax(0, row->gap0 - row->target);
    for (int side = 0; side < 2; side++) {
        int r = I->piece[side ? p->b : p->a].rigid;
        const double *J = side ? row->Gb : row->Ga;
        for (int k = 0; k < 6 && r < I->nd; k++)
            gained -= J[k] * (I->rigid[r].target[k] - I->rigid[r].state.v[k]);
    }
    return closing > 0 ? sqrt(fmax(0, closing * closing + 2 * gained * way / I->h)) : closing;
}

/* Rows of the impulses of this step with the speeds after the bounce as targets. Returns how many
 * bounce. */
static int bounce_rows(peg_island *I)
{
    int bouncing = 0;
    peg_vec6 *before = PEG_NEW(I->arena, peg_vec6, I->nd);
    if (!before) {
        I->failed = 1;
        return 0;
    }
    for (int i = 0; i < I->nd; i++) memcpy(before[i], I->rigid[i].state.v, sizeof before[i]);
    I->rows.m = I->before.rows.m = I->rows.patches = 0;
    for (int i = 0; i < I->impulse.m; i = peg_next_normal(&I->impulse, i)) {
        int at = I->rows.m;
        peg_contact_append(I, &I->rows, &I->impulse, i);
        if (I->failed) return 0;
        for (int k = at; k < I->rows.m; k++) {
            I->rows.row[k].compliance = 0;
            I->rows.row[k].bias = I->rows.row[k].prescribed; /* wide attempts do not say */
        }
        peg_row *row = &I->rows.row[at];
        const peg_surface *surface = I->pair[row->pair].surface;
        double immovable = immovable_speed(I, row);
        double closing =
            meeting_speed(I, row, -(row_speed(I, row, (const peg_vec6 *)before) + immovable));
        double wanted = fmin(0, row_speed(I, row, (const peg_vec6 *)I->result.v_end) + immovable);
        /* corners of a flush face meet one by one only in rounding, beside which a contact takes
         * speed to bounce: they do so in the next step */
        int meets = own_change(I, row) > PEG_REST * closing;
        if (surface->bounce > 0 && closing > surface->bounce_speed && meets) {
            wanted = surface->bounce * closing;
            bouncing++;
        }
        row->bias = immovable - wanted;
    }
    return bouncing;
}

/* About the iterate, in the mode of the attempt, but of few bodies exactly. */
static int solve_as_attempted(peg_island *I)
{
    peg_solve_mode mode = I->mode;
    if (I->nd < PEG_ITERATIVE_FROM) I->mode = PEG_MODE_EXACT;
    int solved = peg_island_solve(I, PEG_ABOUT_ITERATE) == PEG_SOLVED;
    I->mode = mode;
    return solved;
}

/* The same as a solve for velocities, whatever attempt has found them: with friction, and by PGS to
 * its fine tolerance. */
static int solve_for_velocities(peg_island *I)
{
    peg_solve_mode mode = I->mode;
    unsigned forms = I->forms;
    I->forms &= ~(unsigned)(PEG_FORM_POSITIONS_APART | PEG_FORM_RECOVERY);
    I->mode = I->nd < PEG_COARSE_FROM ? PEG_MODE_EXACT : PEG_MODE_PGS;
    int solved = peg_island_solve(I, PEG_ABOUT_ITERATE) == PEG_SOLVED;
    if (!solved && !I->failed && I->mode == PEG_MODE_EXACT) {
        I->mode = PEG_MODE_PGS;
        solved = peg_island_solve(I, PEG_ABOUT_ITERATE) == PEG_SOLVED;
    }
    I->mode = mode;
    I->forms = forms;
    return solved;
}

/* Projects the velocities after the step onto I->rows, as far as contact adds no more energy in the
 * step than was granted, J, and the work of moving obstacles by what changes; poses are kept. */
static void answer_rows(peg_island *I, int (*solve)(peg_island *), double granted)
{
    size_t size = (size_t)I->nd * sizeof *I->v;
    peg_vec6 *pose = PEG_NEW(I->arena, peg_vec6, I->nd);
    peg_vec6 *answer = PEG_NEW(I->arena, peg_vec6, I->nd);
    double *lambda;
    peg_lcp_row *rows;
    if (!pose || !answer) {
        I->failed = 1;
        return;
    }
    memcpy(pose, I->v, size);
    memcpy(I->v, I->result.v_end, size);
    peg_row_set account = I->impulse;
    I->impulse = (peg_row_set){0};
    if (!peg_joints_hold(I, (const peg_vec6 *)I->result.v_end, &rows, &lambda)) I->failed = 1;
    memset(I->dirty, 1, (size_t)I->nr);
    I->before.is_restored = 0;
    int solved = !I->failed && solve(I);
    peg_joints_release(I, rows, lambda);
    const peg_vec6 *v_end = (const peg_vec6 *)I->result.v_end;
    if (solved && !peg_throws_bodies(I, (const peg_vec6 *)I->v, v_end)) {
        peg_island_accumulate(I, PEG_ABOUT_ITERATE);
        memcpy(answer, I->v, size);
        memcpy(I->v, pose, size);
        double share =
            peg_change_within_energy(I, (const peg_vec6 *)answer, granted, peg_driven_work(I));
        for (int i = 0; i < I->impulse.m; i = peg_next_normal(&I->impulse, i)) {
            int at = account.m;
            peg_contact_append(I, &account, &I->impulse, i);
            for (int k = at; k < account.m; k++) account.row[k].lambda *= share;
        }
    }
    I->impulse = account;
    memcpy(I->v, pose, size);
}

void peg_bounce(peg_island *I)
{
    int bounces = 0;
    for (int i = 0; i < I->npair; i++) bounces |= I->pair[i].surface->bounce > 0;
    if (bounces && bounce_rows(I)) answer_rows(I, solve_for_velocities, peg_granted_to_contacts(I));
}

void peg_carry_velocities(peg_island *I)
{
    if (I->forms & PEG_FORM_MIDPOINT) return; /* they are those of the end already */
    for (int i = 0; i < I->nd; i++) {
        double carried[6];
        peg_carried_velocity(&I->rigid[i], I->result.v_end[i], carried);
        memcpy(I->result.v_end[i], carried, sizeof carried);
    }
}

/* --- impacts of the position stage --- */

void peg_stop_pairs(peg_island *I, const unsigned char *stops)
{
    int any = 0;
    I->rows.m = I->before.rows.m = I->rows.patches = 0;
    for (int i = 0; i < I->impulse.m; i = peg_next_normal(&I->impulse, i))
        if (!stops[I->impulse.row[i].pair]) peg_contact_append(I, &I->rows, &I->impulse, i);
    int loaded = I->rows.m;
    for (int p = 0; p < I->npair; p++)
        if (stops[p]) any = 1, peg_make_rows(I, p);
    if (!any || I->failed) return;
    for (int k = 0; k < I->rows.m; k++) {
        peg_row *row = &I->rows.row[k];
        double own = row_speed(I, row, (const peg_vec6 *)I->result.v_end);
        double immovable = row->friction ? row->prescribed : immovable_speed(I, row);
        row->compliance = 0;
        row->recovery = 0;
        row->bias = immovable - (k < loaded ? fmin(0, own + immovable) : 0);
    }
    answer_rows(I, solve_as_attempted, 0);
}

void peg_end_velocities(peg_island *I)
{
    I->result.motion_rows = I->impulse.m;
    if (I->result.notes & PEG_NOTE_FINAL) return;
    peg_work_allow(I, 1);
    if (!(I->forms & PEG_FORM_MIDPOINT))
        memcpy(I->result.v_end, peg_velocities_after(I), (size_t)I->nd * sizeof *I->v);
    if (I->forms & PEG_FORM_RECOVERY) {
        if (!peg_is_iterative(I))
            end_recovery(I);
        else
            peg_limit_opened(I);
    }
    peg_carry_velocities(I);
    peg_bounce(I);
}
