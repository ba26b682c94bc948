/* Poses that overlap are moved apart: rows without friction of the violated pairs, and of those
 * around them, at the poses themselves. The velocities of the motion stay. */
#include "peg/base/thread_pool.h"
#include "peg/base/union_find.h"
#include "peg/contact/jacobian.h"
#include "peg/contact/kinematics.h"
#include "peg/island/joints.h"
#include "peg/island/wide_state.h"

/* Restorations at most. The first ones move the bodies of violated pairs, and those that these
 * could be pushed into; after every WIDER of them their neighbours, too, then those of these and so
 * on, in twice as many iterations, so many times: in piles near rest all gaps are thin, and what is
 * moved apart at one end of a row of bodies closes at the other
 * (long_steps_between_walls_move_apart_as_a_whole). With 40 restorations arches of 119 and 121
 * stones limit 595 and 847 bodies in 11 s, with these none; a pile of 1000 boxes that falls at h .1
 * limits 4161 with 10, none with 15. */
enum { RESTORATIONS = 60, WIDER = 2, DOUBLINGS = 4 };

/* Iterations of the first restorations at most. */
enum { POSITION_ITERATIONS = 12 };

/* Share of the usual gap that restorations aim at; usual gaps below which neighbours of a violated
 * pair take part. */
static const double AIM = 0.3, NEIGHBOUR = 5;
/* Share of the least gap that is aimed at, below which changes of rows end the iterations: with a
 * tenth of the margin, whatever is aimed at, arches of 119 and 121 stones, where hardly any gap is
 * left, limit 476 and 242 bodies in 11 s instead of none. */
static const double EVEN = 0.05;

static void bound_pairs(void *data, int begin, int end)
{
    const peg_wide *w = data;
    for (int i = begin; i < end; i++) {
        peg_wide_pair *p = &w->pair[i];
        p->s = p->s0 - peg_wide_motion(w, p, (const peg_vec6 *)w->I->v);
    }
}

static void check_pairs(peg_wide *w, const int *list, int n)
{
    peg_wide_separate(w, PEG_WIDE_NOW, list, n, 0.5 * PEG_EDGE_BIAS);
    for (int k = 0; k < n; k++) w->checked[list[k]] = 1;
}

static void add_violated(peg_wide *w, int n)
{
    for (int k = 0; k < n; k++)
        if (peg_wide_is_violated(w, w->list[k])) w->violated[w->violations++] = w->list[k];
}

void peg_wide_check(peg_wide *w)
{
    peg_island *I = w->I;
    int n = 0;
    peg_wide_place_all(w);
    peg_wide_find_turning(w, (const peg_vec6 *)I->v);
    peg_pool_loop(I->pool, bound_pairs, w, I->npair);
    memset(w->checked, 0, (size_t)I->npair);
    for (int i = 0; i < I->npair; i++)
        if (peg_wide_is_close(w, i)) w->list[n++] = i;
    check_pairs(w, w->list, n);
    w->violations = 0;
    add_violated(w, n);
}

static int allocate_restoration(peg_wide *w)
{
    peg_island *I = w->I;
    w->first = PEG_NEW(I->arena, int, I->nr + 1);
    w->around = PEG_NEW(I->arena, int, 2 * I->npair);
    w->push = PEG_NEW(I->arena, double, I->nd);
    w->push_before = PEG_NEW(I->arena, double, I->nd);
    w->moved = PEG_NEW(I->arena, unsigned char, I->nr);
    w->chosen = PEG_NEW(I->arena, unsigned char, I->npair);
    w->member = PEG_NEW(I->arena, int, I->nd);
    w->member_root = PEG_NEW(I->arena, peg_mass_root, I->nd);
    w->member_mass = PEG_NEW(I->arena, peg_mass_block, I->nd);
    w->joined = PEG_NEW(I->arena, int, I->nd);
    w->joined_push = PEG_NEW(I->arena, double, I->nd);
    w->joint = PEG_NEW(I->arena, peg_lcp_row, I->joints.n);
    w->joint_lambda = PEG_NEW(I->arena, double, I->joints.n);
    w->zero = PEG_NEW(I->arena, peg_vec6, I->nd);
    w->shift = PEG_NEW(I->arena, peg_vec6, I->nd);
    return !I->arena->failed;
}

/* The pairs of each body. */
static void list_pairs(peg_wide *w)
{
    const peg_island *I = w->I;
    memset(w->first, 0, (size_t)(I->nr + 1) * sizeof *w->first);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < I->npair; i++)
            w->first[w->piece[side ? w->pair[i].b : w->pair[i].a].rigid]++;
    for (int i = 0, sum = 0; i <= I->nr; i++) {
        sum += i < I->nr ? w->first[i] : 0;
        w->first[i] = sum;
    }
    for (int side = 0; side < 2; side++)
        for (int i = I->npair - 1; i >= 0; i--)
            w->around[--w->first[w->piece[side ? w->pair[i].b : w->pair[i].a].rigid]] = i;
}

static void join_bodies(peg_wide *w)
{
    const peg_island *I = w->I;
    for (int i = 0; i < I->nd; i++) w->joined[i] = i;
    for (int k = 0; k < I->joints.n; k++) {
        const peg_lcp_row *row = &I->joints.row[k];
        if (row->body_a >= 0 && row->body_b >= 0) peg_unite(w->joined, row->body_a, row->body_b);
    }
    for (int i = 0; i < I->nd; i++) w->joined[i] = peg_root(w->joined, i);
}

static int begin_restoration(peg_wide *w)
{
    peg_island *I = w->I;
    if (!w->first) {
        if (!allocate_restoration(w)) return 0;
        list_pairs(w);
        join_bodies(w);
    }
    memset(w->zero, 0, (size_t)I->nd * sizeof *w->zero);
    memset(w->number, -1, (size_t)I->nr * sizeof *w->number);
    w->members = 0;
    return 1;
}

static void push(const peg_wide *w, int piece, double far)
{
    int i = w->piece[piece].rigid;
    if (i < w->I->nd) w->push[i] = peg_max(w->push[i], far);
}

static void push_both(const peg_wide *w, const peg_wide_pair *p, double far)
{
    push(w, p->a, far);
    push(w, p->b, far);
}

/* How far the body of a piece is pushed, of what all are. */
static double push_of(const peg_wide *w, const double *all, int piece)
{
    int i = w->piece[piece].rigid;
    return i < w->I->nd ? all[i] : -1;
}

/* Gap below which a pair takes part: its bodies are pushed as far as the violations around them are
 * deep. */
static double near_gap(const peg_wide *w, const double *all, const peg_wide_pair *p)
{
    double far = peg_max(push_of(w, all, p->a), push_of(w, all, p->b));
    return peg_max(NEIGHBOUR * w->gap * p->margin, far);
}

/* What joints connect is pushed with each other. */
static void push_joined(peg_wide *w)
{
    const peg_island *I = w->I;
    if (!I->joints.n) return;
    for (int i = 0; i < I->nd; i++) w->joined_push[i] = -1;
    for (int i = 0; i < I->nd; i++) {
        double *all = &w->joined_push[w->joined[i]];
        *all = peg_max(*all, w->push[i]);
    }
    for (int i = 0; i < I->nd; i++) w->push[i] = w->joined_push[w->joined[i]];
}

/* Whether all bodies are members of a restoration: of few that joints connect. */
static int moves_all(const peg_wide *w)
{
    return w->is_small && w->I->joints.n;
}

/* Bodies of violated pairs, and of those around them, are pushed. */
static void find_pushed(peg_wide *w, int round)
{
    peg_island *I = w->I;
    int rings = moves_all(w) ? 0 : round / WIDER;
    for (int i = 0; i < I->nd; i++) w->push[i] = moves_all(w) ? 0 : -1;
    for (int k = 0; k < w->violations; k++) {
        const peg_wide_pair *p = &w->pair[w->violated[k]];
        push_both(w, p, peg_wide_floor(p) - p->s);
    }
    if (!moves_all(w)) push_joined(w);
    for (int ring = 0; ring < rings; ring++) {
        memcpy(w->push_before, w->push, (size_t)I->nd * sizeof *w->push);
        for (int i = 0; i < I->nd; i++)
            for (int k = w->first[i]; k < w->first[i + 1] && w->push_before[i] >= 0; k++) {
                const peg_wide_pair *p = &w->pair[w->around[k]];
                if (p->s < near_gap(w, w->push_before, p)) push_both(w, p, w->push_before[i]);
            }
        push_joined(w);
        if (memcmp(w->push_before, w->push, (size_t)I->nd * sizeof *w->push) == 0) return;
    }
}

/* Pairs of pushed bodies that are violated, or nearly so: their number, listed. */
static int choose_pairs(peg_wide *w)
{
    peg_island *I = w->I;
    int n = 0, unchecked = 0;
    memset(w->chosen, 0, (size_t)I->npair);
    for (int i = 0; i < I->nd; i++)
        for (int k = w->first[i]; k < w->first[i + 1] && w->push[i] >= 0; k++) {
            int index = w->around[k];
            const peg_wide_pair *p = &w->pair[index];
            if (w->chosen[index] || p->is_soft || !(p->s < near_gap(w, w->push, p))) continue;
            w->chosen[index] = 1;
            w->list[n++] = index;
            if (!w->checked[index]) w->unchecked[unchecked++] = index;
        }
    check_pairs(w, w->unchecked, unchecked); /* they had but a bound, and no axis */
    return n;
}

/* Adds m far^2 to all moments of inertia J: (J + m far^2)^-1 = J^-1 (1 + m far^2 J^-1)^-1. */
static void add_inertia(peg_mass_block *mass, double far)
{
    peg_mat3 sum, inverse, product;
    double more = far * far / mass->inv_mass;
    for (int k = 0; k < 9; k++) sum[k] = more * mass->inv_inertia[k] + (k % 4 == 0);
    peg_invert(sum, inverse);
    peg_mat_mul(mass->inv_inertia, inverse, product);
    memcpy(mass->inv_inertia, product, sizeof product);
}

/* A body that is pushed farther than its size is moved rather than turned: linear rows turn a part
 * of 2 mm that lies 5 mm deep by 4 rad in a restoration, which leaves 0.84 of the depth (world
 * 1661). */
static void set_member_mass(peg_wide *w, int member, int i)
{
    peg_mass_block *mass = &w->member_mass[member];
    peg_mass_root *root = &w->member_root[member];
    *mass = w->I->mass[i];
    *root = w->root[i];
    if (!(w->push[i] > 0)) return;
    add_inertia(mass, w->push[i]);
    if (!peg_mass_root_of(mass, root)) *root = w->root[i];
}

static void add_member(peg_wide *w, int i)
{
    if (i >= w->I->nd || w->number[i] >= 0) return;
    set_member_mass(w, w->members, i);
    w->member[w->members] = i;
    w->number[i] = w->members++;
}

/* The bodies of the chosen pairs, and what joints connect with them; of few all, in the order of
 * the island. */
static void number_members(peg_wide *w)
{
    const peg_island *I = w->I;
    for (int k = 0; k < w->members; k++) w->number[w->member[k]] = -1;
    w->members = 0;
    for (int i = 0; i < I->nd && moves_all(w); i++) add_member(w, i);
    for (int k = 0; k < 2 * w->visits; k++) {
        const peg_wide_pair *p = &w->pair[w->list[k / 2]];
        add_member(w, w->piece[k % 2 ? p->b : p->a].rigid);
    }
    if (!I->joints.n || moves_all(w)) return;
    for (int i = 0; i < I->nd; i++) w->joined_push[i] = -1;
    for (int k = 0; k < w->members; k++) w->joined_push[w->joined[w->member[k]]] = 0;
    for (int i = 0; i < I->nd; i++)
        if (w->joined_push[w->joined[i]] == 0) add_member(w, i);
}

/* The rows of the members' joints, which keep what they hold. Returns how many. */
static int gather_joints(peg_wide *w)
{
    const peg_island *I = w->I;
    int n = 0, all = peg_joints_keep(I, (const peg_vec6 *)I->v, w->joint);
    for (int k = 0; k < all; k++) {
        peg_lcp_row row = w->joint[k];
        if (row.body_a >= 0) row.body_a = w->number[row.body_a];
        if (row.body_b >= 0) row.body_b = w->number[row.body_b];
        if (row.body_a < 0 && row.body_b < 0) continue;
        w->joint_lambda[n] = 0;
        w->joint[n++] = row;
    }
    return n;
}

/* The gap that restorations aim at, of a pair with this margin and s0. */
static double aim_of(const peg_wide *w, double margin, double s0)
{
    double usual = (w->is_small ? 1 : AIM) * w->gap * margin, least = 2 * PEG_FLOOR * margin;
    switch (w->reserve) {
    case PEG_RESERVE_WHOLE:
        return usual;
    case PEG_RESERVE_KEPT:
        return fmin(usual, fmax(s0, least));
    default:
        return least;
    }
}

static void finish_restoration(peg_wide *w, const peg_wide_visit *v)
{
    const peg_wide_pair *p = &w->pair[v->pair];
    double aim = aim_of(w, p->margin, p->s0);
    int violated = peg_wide_is_violated(w, v->pair);
    for (int k = v->first; k < v->first + v->count; k++) {
        double now = w->feature[k].gap;
        peg_wide_contact *c = &w->contact[k];
        c->bias[0] = now - (violated ? aim : peg_min(now, aim));
        peg_plane_space(c->normal, c->tangent);
        peg_normalise(c->tangent);
    }
}

/* Rows at the poses of the iterate. */
static int gather_restoration(peg_wide *w)
{
    w->visits = choose_pairs(w);
    number_members(w);
    if (!peg_wide_reserve_visits(w, w->visits)) return 0;
    for (int k = 0; k < w->visits; k++) {
        const peg_wide_pair *p = &w->pair[w->list[k]];
        int has_corners =
            peg_wide_is_violated(w, w->list[k]) || peg_wide_is_held(w, w->list[k], PEG_WIDE_NOW);
        double thin = 4 * w->gap * p->margin + PEG_ROW_REUSE * p->L;
        w->visit[k] = (peg_wide_visit){.pair = w->list[k],
                                       .corners = has_corners,
                                       .reach = peg_max(near_gap(w, w->push, p), thin)};
    }
    return peg_wide_find_contacts(w, PEG_WIDE_NOW, finish_restoration);
}

/* The pairs of the bodies that have been moved. */
static void recheck(peg_wide *w)
{
    int n = 0, kept = 0;
    memset(w->chosen, 0, (size_t)w->I->npair);
    for (int i = 0; i < w->I->nd; i++)
        for (int k = w->first[i]; k < w->first[i + 1] && w->moved[i]; k++) {
            if (!w->chosen[w->around[k]]) w->list[n++] = w->around[k];
            w->chosen[w->around[k]] = 1;
        }
    check_pairs(w, w->list, n);
    for (int k = 0; k < w->violations; k++)
        if (!w->chosen[w->violated[k]]) w->violated[kept++] = w->violated[k];
    w->violations = kept;
    add_violated(w, n);
}

static int restore(peg_wide *w, int round)
{
    peg_island *I = w->I;
    int doublings = round / WIDER < DOUBLINGS ? round / WIDER : DOUBLINGS;
    find_pushed(w, round);
    if (!gather_restoration(w)) return 0;
    peg_wide_problem problem = {
        .nb = w->members,
        .root = w->member_root,
        .target = (const peg_vec6 *)w->zero,
        .contact = w->contact,
        .patch = w->patch,
        .patches = w->patches,
        .joint = w->joint,
        .joint_lambda = w->joint_lambda,
        .joints = w->is_small ? 0 : gather_joints(w),
        .frictionless = 1,
        .iterations = POSITION_ITERATIONS << doublings,
        .tolerance = fmin(PEG_FLOOR * w->gap * w->margin, EVEN * aim_of(w, w->margin, 0)),
        .pool = w->contacts < PEG_SHARED_FROM ? NULL : I->pool};
    peg_wide_result result;
    if (w->is_small) {
        if (!peg_wide_solve_exact(w, &problem, w->member_mass, w->shift)) return 0;
    } else {
        if (!peg_solve_wide_pgs(I->arena, &problem, w->shift, &result)) return 0;
        peg_wide_count(w, &result);
    }
    memset(w->moved, 0, (size_t)I->nr);
    for (int m = 0; m < w->members; m++) {
        int i = w->member[m];
        if (memcmp(w->shift[m], w->zero[m], sizeof *w->shift) == 0) continue;
        for (int k = 0; k < 3; k++) I->v[i][k] += w->shift[m][k] / I->h;
        peg_turn_further(I->h, w->shift[m] + 3, I->v[i] + 3);
        w->moved[i] = 1;
        peg_wide_place_body(w, i);
    }
    peg_wide_place_moved(w, w->moved);
    recheck(w);
    return 1;
}

static int is_met_without_contact(const peg_wide *w)
{
    for (int k = 0; k < w->violations; k++) {
        const peg_wide_pair *p = &w->pair[w->violated[k]];
        if (p->s0 > p->reach) return 1;
    }
    return 0;
}

int peg_wide_find_positions(peg_wide *w)
{
    int round = 0;
    if (w->violations == 0) return 1;
    if (w->is_small && is_met_without_contact(w)) return 0;
    if (!begin_restoration(w)) return 0;
    while (w->violations && round < RESTORATIONS)
        if (!restore(w, round++)) return 0;
    w->I->stats->outer_iterations += round;
    return w->violations == 0;
}
