/* Velocities of the wide attempt about v_f, with friction: of small islands the mixed LCP of the
 * contacts at q_0 to its certificate, of others by PGS in lanes. */
#include "peg/contact/kinematics.h"
#include "peg/island/energy.h"
#include "peg/island/lcp_rows.h"
#include "peg/island/solve.h"
#include "peg/island/wide_state.h"

/* Iterations for the velocities at most: with 40 of them 135 of 200 steps of a falling pile of 1000
 * boxes are unconverged, with these 31. */
enum { MOST_ITERATIONS = 400 };
/* Active islands of 5 to 29 bodies end at this share of the changes that end larger ones, others at
 * the square of it: those come to rest. With FINE for both two of four piles of 20 hulls rest after
 * 430 and 448 steps instead of 254 and 248; with the square for both a pour of 30 boxes takes 1.65
 * times the instructions. */
static const double FINE = 0.1;

/* Solves for the velocities of a small island at most: of 239 islands in a falling pile of 100
 * boxes 179 take one, 60 take two. */
enum { PASSES = 4 };
/* Angle of a turn in the step, rad, above which rows are taken half-way: those at q_0 lose the
 * share angle^2 / 4 of its energy. With 0.05 a buggy on wheels of 32 sides comes 1.048 m in 1 s
 * instead of 1.086, without 1.008. */
static const double TURN = 0.02;

/* --- contacts --- */

static void choose_reaches(void *data, int begin, int end)
{
    peg_wide *w = data;
    for (int i = begin; i < end; i++) {
        const peg_wide_pair *p = &w->pair[i];
        double reach = p->s0 > p->reach ? -INFINITY : p->reach;
        if (w->search[i] == PEG_WIDE_VIEWS) reach += fmax(p->s0, 0);
        w->visit[i] = (peg_wide_visit){.pair = i, .corners = w->held[i], .reach = reach};
    }
}

/* The gap that a contact at q_0 keeps, m. */
static double kept_gap(const peg_wide *w, int k)
{
    const peg_wide_pair *p = &w->pair[w->feature[k].pair];
    double gap = w->feature[k].gap, margin = w->gap * p->margin;
    if (p->is_soft) return 0;
    return gap <= (1 + PEG_CLOSED) * margin ? gap : margin;
}

/* room: of the gap that may close in the step, m. */
static void set_bias(peg_wide *w, int k, double room)
{
    memcpy(w->contact[k].bias, w->feature[k].prescribed, sizeof w->contact[k].bias);
    w->contact[k].bias[0] += room / w->I->h;
}

static void set_start_bias(peg_wide *w, int k)
{
    double gap = w->feature[k].gap, pushed = peg_wide_pushed(w, k);
    set_bias(w, k, pushed > 0 ? -pushed : gap - kept_gap(w, k));
}

static void finish_start(peg_wide *w, const peg_wide_visit *v)
{
    peg_wide_warm_start(w, v);
    for (int k = v->first; k < v->first + v->count; k++) {
        if (w->is_driven) peg_wide_prescribe(w, k);
        set_start_bias(w, k);
    }
}

static int gather_contacts(peg_wide *w)
{
    w->visits = w->I->npair;
    if (!peg_wide_reserve_visits(w, w->visits)) return 0;
    peg_pool_loop(w->I->pool, choose_reaches, w, w->visits);
    return peg_wide_find_contacts(w, PEG_WIDE_START, finish_start);
}

/* --- small islands --- */

static int is_spring(const peg_wide *w, int k)
{
    return w->pair[w->feature[k].pair].is_soft;
}

/* Speed of v along the normal of a contact at q_0, m/s. */
static double normal_speed(const peg_wide *w, int k, const peg_vec6 *v)
{
    const peg_wide_contact *c = &w->contact[k];
    const peg_wide_pair *p = &w->pair[w->feature[k].pair];
    const double *va = v[w->piece[p->a].rigid], *vb = v[w->piece[p->b].rigid];
    double at_a[3], at_b[3];
    peg_cross(va + 3, c->arm_a, at_a);
    peg_cross(vb + 3, c->arm_b, at_b);
    return peg_dot(c->normal, va) + peg_dot(c->normal, at_a) - peg_dot(c->normal, vb) -
           peg_dot(c->normal, at_b);
}

/* Whether the bodies of a contact turn on each other, as wheels of joints do: it bears, and the
 * pair bore in the step before. What meets does not turn, and points of round parts are not fixed
 * to them. */
static int turns(const peg_wide *w, int k)
{
    const peg_island *I = w->I;
    const peg_pair *p = &I->pair[w->feature[k].pair];
    const double *va = I->v[w->piece[p->a].rigid], *vb = I->v[w->piece[p->b].rigid];
    double turn[3];
    if (!I->joints.n || !(w->contact[k].lambda[0] > 0)) return 0;
    if (peg_is_dilated(I->piece[p->a].part->shape) || peg_is_dilated(I->piece[p->b].part->shape))
        return 0;
    peg_sub(va + 3, vb + 3, turn);
    return I->h * peg_norm(turn) > TURN && peg_pair_bore(p);
}

/* What is fixed to a body at q_0, half-way to the iterate. */
static void to_half_way(const peg_rigid *r, const double *fixed, double *out)
{
    double local[3], end[3];
    peg_rotate_back(r->R0, fixed, local);
    peg_rotate(r->R, local, end);
    for (int k = 0; k < 3; k++) out[k] = 0.5 * (fixed[k] + end[k]);
}

/* The row of a contact half-way (contact/jacobian.h): its point is fixed to the body with the
 * vertex, its normal to the one with the face; those of edges lie between what either body makes of
 * them. */
static void take_half_way(peg_wide *w, int k)
{
    peg_wide_contact *c = &w->contact[k];
    const peg_wide_contact *begun = &w->begun[k];
    const peg_pair *p = &w->I->pair[w->feature[k].pair];
    const peg_rigid *a = &w->I->rigid[w->piece[p->a].rigid],
                    *b = &w->I->rigid[w->piece[p->b].rigid];
    peg_feature_kind kind = w->feature[k].kind;
    double of_a[3], of_b[3], by_a[3], by_b[3], normal[3];
    double share = kind == PEG_FEATURES_VF ? 1 : kind == PEG_FEATURES_FV ? 0 : 0.5; /* of A */
    to_half_way(a, begun->arm_a, of_a);
    to_half_way(b, begun->arm_b, of_b);
    to_half_way(a, begun->normal, by_a);
    to_half_way(b, begun->normal, by_b);
    for (int i = 0; i < 3; i++) {
        double apart = 0.5 * (a->x0[i] + a->x[i] - b->x0[i] - b->x[i]);
        c->arm_a[i] = share * of_a[i] + (1 - share) * (of_b[i] - apart);
        c->arm_b[i] = c->arm_a[i] + apart;
        normal[i] = (1 - share) * by_a[i] + share * by_b[i];
    }
    if (!(peg_normalise(normal) > 0)) return;
    peg_copy3(normal, c->normal);
    peg_add_scaled(c->tangent, -peg_dot(c->tangent, normal), normal, c->tangent);
    if (!(peg_normalise(c->tangent) > 0)) peg_plane_space(c->normal, c->tangent);
}

/* Whether a contact ends above the usual gap of large islands. */
static int ends_open(const peg_wide *w, int k)
{
    double open = PEG_COARSE_GAP * w->pair[w->feature[k].pair].margin;
    return peg_wide_end_gap(w, k) - kept_gap(w, k) > open;
}

/* Whether rows are those of the iterate, up to half-way rows of its own: no contact that bears ends
 * open. */
static int is_settled(const peg_wide *w, int pass)
{
    for (int k = 0; k < w->contacts; k++) {
        const peg_wide_contact *c = &w->contact[k];
        if (!(c->lambda[0] > 0) || is_spring(w, k)) continue;
        if ((pass == 0 && turns(w, k)) || ends_open(w, k)) return 0;
    }
    return 1;
}

/* Friction with limits of its own acts where contacts bear, and where they stay closed that bore:
 * which of the corners of a face bear depends on it. Where it opens a contact it acts no more in
 * this step: a link of a chain that sticks as it lands would have to pull. Returns whether that
 * was so in the last solve, else it is in the next. */
static int choose_friction(peg_wide *w)
{
    int is_right = 1;
    for (int k = 0; k < w->contacts; k++) {
        const peg_wide_contact *c = &w->contact[k];
        if (!(c->limit[0] > 0) && !(c->limit[1] > 0)) continue;
        int bears = c->lambda[0] > 0, acted = w->friction[k] == PEG_WIDE_ACTS;
        if (w->friction[k] == PEG_WIDE_SLIPS || bears == acted) continue;
        if (acted && !ends_open(w, k)) continue;
        w->friction[k] = acted ? PEG_WIDE_SLIPS : PEG_WIDE_ACTS;
        is_right = 0;
    }
    return is_right;
}

/* Rows of contacts that turn half-way to the iterate. Adds to the bias of each row the part of its
 * gap at q(v) that is not linear in v, as far as v = 0 satisfies it still. */
static void correct_rows(peg_wide *w)
{
    const peg_island *I = w->I;
    for (int k = 0; k < w->contacts; k++) {
        double start = w->feature[k].gap, end = peg_wide_end_gap(w, k);
        if (turns(w, k)) {
            take_half_way(w, k);
            if (w->is_driven) peg_wide_prescribe(w, k);
        }
        double remainder = end - start - I->h * normal_speed(w, k, (const peg_vec6 *)I->v);
        if (!is_spring(w, k)) set_bias(w, k, fmax(0, start + remainder - kept_gap(w, k)));
    }
}

/* Whether a contact begins to bear in the step that the free motion closes along its normal, though
 * it leaves the pair apart: what falls past a side that it is flush with does not land on its edge
 * (PEG_RULE_FREE_MOTION). */
static int is_trapped(peg_wide *w)
{
    peg_island *I = w->I;
    int n = 0, is_apart = 0;
    unsigned char *moves = PEG_NEW(I->arena, unsigned char, I->nr);
    if (!moves) return 1;
    memset(w->checked, 0, (size_t)I->npair);
    memset(moves, 0, (size_t)I->nr);
    for (int k = 0; k < w->contacts; k++) {
        int i = w->feature[k].pair;
        const peg_wide_pair *p = &w->pair[i];
        if (w->checked[i] || !(w->contact[k].lambda[0] > 0) || p->s0 <= p->margin) continue;
        if (w->feature[k].gap + I->h * normal_speed(w, k, (const peg_vec6 *)w->free) >= 0) continue;
        moves[w->piece[p->a].rigid] = moves[w->piece[p->b].rigid] = 1;
        w->checked[i] = 1;
        w->list[n++] = i;
    }
    if (n == 0) return 0;
    memcpy(I->v_motion, I->v, (size_t)I->nd * sizeof *I->v);
    memcpy(I->v, w->free, (size_t)I->nd * sizeof *I->v);
    for (int i = 0; i < I->nd; i++)
        if (moves[i]) peg_wide_place_body(w, i);
    peg_wide_place_moved(w, moves);
    peg_wide_separate(w, PEG_WIDE_NOW, w->list, n, PEG_EDGE_BIAS);
    for (int k = 0; k < n; k++) {
        const peg_wide_pair *p = &w->pair[w->list[k]];
        is_apart |= p->s >= -PEG_TOUCH * p->L;
    }
    memcpy(I->v, I->v_motion, (size_t)I->nd * sizeof *I->v);
    return is_apart;
}

/* Takes the motion without contact, in which joints alone act, where it closes no contact. Returns
 * whether it is the answer. */
static int take_free_motion(peg_wide *w)
{
    peg_island *I = w->I;
    const peg_vec6 *v = (const peg_vec6 *)w->free;
    for (int k = 0; k < I->joints.n; k++)
        if (isnan(I->joints.alone[k])) return 0;
    for (int k = 0; k < w->contacts; k++) {
        double gap = w->feature[k].gap - kept_gap(w, k);
        if (is_spring(w, k) && gap < 0) return 0;
        if (!(gap + I->h * normal_speed(w, k, v) >= 0)) return 0;
    }
    for (int k = 0; k < w->contacts; k++)
        memset(w->contact[k].lambda, 0, sizeof w->contact[k].lambda);
    for (int k = 0; k < I->joints.n; k++) I->joints.lambda[k] = I->joints.alone[k];
    memcpy(I->v, w->free, (size_t)I->nd * sizeof *I->v);
    return 1;
}

/* Contacts open by second order as bodies turn, and would then bear load at a distance: Newton's
 * iteration on the gaps, with the Jacobian of q_0 or of half-way, closes them. Returns whether that
 * settles. */
static int find_exactly(peg_wide *w, const peg_vec6 *target)
{
    const peg_wide_problem problem = {.nb = w->I->nd, .target = target};
    if (take_free_motion(w)) return 1;
    w->begun = PEG_NEW(w->I->arena, peg_wide_contact, w->contacts);
    w->friction = PEG_NEW(w->I->arena, unsigned char, w->contacts);
    if (!w->begun || !w->friction) return 0;
    for (int k = 0; k < w->contacts; k++) {
        w->begun[k] = w->contact[k];
        w->friction[k] = w->contact[k].lambda[0] > 0 ? PEG_WIDE_ACTS : PEG_WIDE_IDLE;
    }
    for (int pass = 0; pass < PASSES; pass++) {
        if (!peg_wide_solve_exact(w, &problem, w->I->mass, w->I->v)) return 0;
        peg_count_solve(w->I, 3 * w->contacts + w->I->joints.n);
        peg_wide_place_all(w);
        if (choose_friction(w) && is_settled(w, pass)) return 1;
        correct_rows(w);
    }
    return 0;
}

/* --- large ones --- */

/* What applied forces make of a body's speed in the step, m/s: where masses are very unequal no row
 * of few bodies may still change by 1e-2 of it. */
static double usual_speed(const peg_island *I)
{
    double mass = 0;
    for (int i = 0; i < I->nd; i++) mass += I->rigid[i].state.mass;
    return peg_usual_change(I) / sqrt(mass);
}

/* The largest speed at which rows are driven, m/s. */
static double driven_speed(const peg_wide *w)
{
    double driven = 0;
    for (int k = 0; k < w->contacts && w->is_driven; k++) {
        const double *prescribed = w->feature[k].prescribed;
        driven = fmax(driven, peg_wide_pushed(w, k) / w->I->h - prescribed[0]);
        for (int j = 1; j < 3; j++) driven = fmax(driven, fabs(prescribed[j]));
    }
    return driven;
}

/* Where obstacles jam bodies no impulses end the iterations: taken as they are, they throw a body
 * of `stirrer` (seed 1) out of the container at 15 m/s. With joints other attempts find no better
 * ones: chains of 10 under a paddle froze in 4 of 300 steps. */
static int is_jammed(const peg_wide *w)
{
    const peg_island *I = w->I;
    return w->is_driven && !I->joints.n && I->result.residual > PEG_UNCONVERGED;
}

static int find_by_pgs(peg_wide *w, const peg_vec6 *target)
{
    peg_island *I = w->I;
    int is_coarse = w->is_coarse, is_active = I->forms & PEG_FORM_ACTIVE;
    int least = is_active ? PEG_COARSE_ITERATIONS : PEG_SLOW_ITERATIONS;
    double share = is_coarse ? 1 : is_active ? FINE : FINE * FINE;
    double enough = share * PEG_UNCONVERGED * peg_usual_change(I);
    double tolerance = share * PEG_COARSE * w->speed;
    int is_uneven = !is_coarse && I->is_uneven;
    if (is_uneven) enough = 0, tolerance = PEG_UNCONVERGED * usual_speed(I);
    peg_wide_problem problem = {.nb = I->nd,
                                .root = w->root,
                                .target = target,
                                .contact = w->contact,
                                .further = w->further,
                                .furthers = w->furthers,
                                .patch = w->patch,
                                .patches = w->patches,
                                .joint = I->joints.row,
                                .joint_lambda = I->joints.lambda,
                                .joints = I->joints.n,
                                .iterations = MOST_ITERATIONS,
                                .least = least,
                                .enough = enough * enough,
                                .tolerance = tolerance,
                                .pool = I->pool};
    peg_wide_result result;
    if (!peg_solve_wide_pgs(I->arena, &problem, I->v, &result)) return 0;
    peg_wide_count(w, &result);
    if (peg_has_diverged(I, (const peg_vec6 *)I->v, target, driven_speed(w))) return 0;
    if (is_coarse && !I->joints.n && !w->is_driven &&
        peg_is_slow(I, (const peg_vec6 *)I->v, PEG_COARSE_REST))
        memset(I->v, 0, (size_t)I->nd * sizeof *I->v);
    peg_count_solve(I, 3 * w->contacts);
    peg_note_left(I, result.left);
    if (is_uneven && result.change > problem.tolerance) return 0;
    if (is_jammed(w)) return 0;
    if (result.change > problem.tolerance) I->result.notes |= PEG_NOTE_BUDGET;
    I->stats->pgs_solves++;
    I->stats->pgs_iterations += result.iterations;
    I->stats->pgs_residual_max = fmax(I->stats->pgs_residual_max, result.change / w->speed);
    return 1;
}

/* Active islands of 5 to 29 bodies with joints go on by PGS, as others of as many bodies do, where
 * exact solves do not settle: without it chains of 10 to 18 links at h 0.02 take 3.1 times the
 * instructions, as problems of all rows in reach follow. Gaps are those of large islands then. */
static int leave_exact(peg_wide *w)
{
    const peg_island *I = w->I;
    int suits = I->nd >= PEG_ITERATIVE_FROM && I->forms & PEG_FORM_ACTIVE && !I->is_uneven;
    if (!suits || I->arena->failed) return 0;
    w->is_small = 0;
    w->gap = PEG_COARSE_GAP;
    for (int k = 0; k < w->contacts; k++) {
        w->contact[k] = w->begun[k];
        set_start_bias(w, k);
    }
    return 1;
}

/* Of 5 to 29 bodies with very unequal masses, where PGS has not found an answer. Gaps are those of
 * small islands then. */
static void enter_exact(peg_wide *w)
{
    w->is_small = 1;
    w->gap = 1;
    for (int k = 0; k < w->contacts; k++) set_start_bias(w, k);
    peg_note_exact(w->I);
}

/* What PGS leaves unconverged is no answer here: exact attempts follow, as for the contacts of a
 * single body, which may turn. */
static int find_of_few(peg_wide *w, const peg_vec6 *target)
{
    if (w->I->nd == 1) return take_free_motion(w);
    if (find_exactly(w, target)) return !is_trapped(w);
    return leave_exact(w) && find_by_pgs(w, target) && w->I->result.residual <= PEG_UNCONVERGED;
}

int peg_wide_find_velocities(peg_wide *w)
{
    peg_island *I = w->I;
    peg_vec6 *target = PEG_NEW(I->arena, peg_vec6, I->nd);
    for (int i = 0; i < I->nr; i++) w->number[i] = i < I->nd ? i : -1;
    if (!target || !gather_contacts(w)) return 0;
    for (int i = 0; i < I->nd; i++) memcpy(target[i], I->rigid[i].target, sizeof *target);
    peg_note_exact(I);
    int found = !w->is_small && find_by_pgs(w, (const peg_vec6 *)target);
    if (!w->is_small && !found && !w->is_coarse && I->is_uneven) enter_exact(w);
    if (!found && !(w->is_small && find_of_few(w, (const peg_vec6 *)target))) return 0;
    memcpy(I->v_motion, I->v, (size_t)I->nd * sizeof *I->v);
    return 1;
}
