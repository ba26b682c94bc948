/* Motion of the island's bodies along the integrator's own curve. */
#include "peg/contact/kinematics.h"

#include "peg/contact/pose.h"
#include "peg/shape/polytope.h"

void peg_rigid_prepare(peg_rigid *r, double h)
{
    peg_body *b = &r->state;
    peg_copy3(b->x, r->x0);
    peg_quat_to_mat(b->q, r->R0);
    memcpy(r->unforced, b->v, sizeof r->unforced);
    r->placed = 0;
    if (b->kind == PEG_DYNAMIC && b->gyroscopic)
        peg_gyroscopic_velocity(b, h, b->v + 3, r->unforced + 3);
    if (b->kind != PEG_DYNAMIC) return;
    double gained[6];
    for (int k = 0; k < 6; k++) gained[k] = b->v_free[k] - b->v[k];
    r->start_square = peg_energy_product(r, b->v, b->v);
    r->free_square = peg_energy_product(r, b->v_free, b->v_free);
    r->gained_square = peg_energy_product(r, gained, gained);
}

int peg_is_moving_obstacle(const peg_body *body)
{
    static const double rest[6] = {0};
    return body->kind == PEG_KINEMATIC && memcmp(body->v, rest, sizeof rest) != 0;
}

int peg_has_moving_obstacle(const peg_island *I)
{
    for (int i = I->nd; i < I->nr; i++)
        if (peg_is_moving_obstacle(&I->rigid[i].state)) return 1;
    return 0;
}

int peg_pair_bore(const peg_pair *p)
{
    int bore = 0;
    for (int i = 0; i < p->cached_contacts; i++) bore |= p->cached[i].lambda > 0;
    return bore;
}

const double *peg_free_velocity(const peg_island *I, int rigid)
{
    const peg_rigid *r = &I->rigid[rigid];
    return I->forms & PEG_FORM_MIDPOINT ? r->middle : r->target;
}

void peg_rigid_pose(const peg_rigid *r, const double v[6], double h, double x[3], double R[9])
{
    double q[4];
    if (r->state.kind == PEG_STATIC) {
        peg_copy3(r->x0, x);
        memcpy(R, r->R0, sizeof(peg_mat3));
        return;
    }
    peg_body_pose(&r->state, v, h, x, q);
    peg_quat_to_mat(q, R);
}

void peg_carried_velocity(const peg_rigid *r, const double v[6], double out[6])
{
    double turn[6] = {0};
    memcpy(out, v, 6 * sizeof *out);
    if (memcmp(v + 3, r->at + 3, 3 * sizeof *v) == 0) return;
    peg_copy3(v + 3, turn + 3);
    double start = 0.5 * peg_energy_product(r, turn, turn), end = peg_end_energy(r, turn);
    if (!(end > 0)) return;
    for (int k = 3; k < 6; k++) out[k] *= sqrt(start / end);
}

void peg_piece_place(const peg_piece *piece, const double x[3], const double R[9], peg_view *view)
{
    double at[3], turned[9];
    peg_rotate(R, piece->part->offset, at);
    peg_add_scaled(at, 1, x, at);
    peg_mat_mul(R, piece->part->rotation, turned);
    peg_view_set(view, at, turned);
}

void peg_island_move(peg_island *I)
{
    for (int i = 0; i < I->nr; i++) {
        peg_rigid *r = &I->rigid[i];
        r->moved = !r->placed || memcmp(r->at, I->v[i], sizeof r->at) != 0;
        /* how far the body gets from the last iterate: rotations by Cayley's map, and finite ones,
         * differ by no more than the vectors do; those made of one about an axis and one across it
         * by both at right angles, where the second is half as large */
        double turn[3];
        int moves = r->moved && r->placed;
        for (int k = 0; k < 3; k++) {
            r->shift[k] = moves ? I->h * (I->v[i][k] - r->at[k]) : 0;
            turn[k] = moves ? I->h * (I->v[i][3 + k] - r->at[3 + k]) : 0;
        }
        r->turn = peg_norm(turn) * (r->state.finite_rotation == 2 ? sqrt(1.25) : 1);
        if (!r->moved) continue;
        peg_rigid_pose(r, I->v[i], I->h, r->x, r->R);
        memcpy(r->at, I->v[i], sizeof r->at);
        r->placed = 1;
    }
    for (int i = 0; i < I->npiece; i++) {
        const peg_rigid *r = &I->rigid[I->piece[i].rigid];
        if (r->state.kind != PEG_STATIC && r->moved)
            peg_piece_place(&I->piece[i], r->x, r->R, &I->piece[i].now);
    }
}

void peg_invert(const double A[9], double out[9])
{
    double c[9];
    peg_cross(A + 3, A + 6, c);
    peg_cross(A + 6, A, c + 3);
    peg_cross(A, A + 3, c + 6);
    double det = peg_dot(A, c);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[3 * i + j] = c[3 * j + i] / det;
}

static void set_masses(void *data, int begin, int end)
{
    peg_island *I = data;
    for (int i = begin; i < end; i++) {
        peg_rigid *r = &I->rigid[i];
        I->mass[i].inv_mass = 1 / r->state.mass;
        peg_invert(r->state.inertia, r->inv_inertia);
    }
}

/* Ratio of masses from which on answers of PGS are none for the lightest body of an island: what
 * counts as converged, a share of 1e-2 of the energy that applied forces make, is a speed of a
 * third of theirs. Towers of 6 and 10 cubes, the heaviest 1e5 or 1e6 times the lightest, then fall
 * in 16 of 64 runs with mu of .5 and more (cases/scenes masses and massalt). */
static const double UNEVEN = 1e3;

void peg_island_set_masses(peg_island *I)
{
    double least = INFINITY, most = 0;
    peg_pool_loop(I->pool, set_masses, I, I->nd);
    for (int i = 0; i < I->nd; i++) {
        least = fmin(least, I->rigid[i].state.mass);
        most = fmax(most, I->rigid[i].state.mass);
    }
    I->is_uneven = most > UNEVEN * least;
}

/* In the world frame, from those in the body frame. */
static void place_mass(void *data, int begin, int end)
{
    peg_island *I = data;
    for (int i = begin; i < end; i++) {
        const peg_rigid *r = &I->rigid[i];
        double RJ[9], Rt[9];
        for (int k = 0; k < 9; k++) Rt[k] = r->R0[3 * (k % 3) + k / 3];
        peg_mat_mul(r->R0, r->inv_inertia, RJ);
        peg_mat_mul(RJ, Rt, I->mass[i].inv_inertia);
    }
}

void peg_island_place_mass(peg_island *I)
{
    peg_pool_loop(I->pool, place_mass, I, I->nd);
}

static peg_placement placement_now(const peg_island *I, int piece)
{
    const peg_piece *p = &I->piece[piece];
    const peg_rigid *r = &I->rigid[p->rigid];
    return (peg_placement){&p->start, &p->now, r->x, r->R, I->v[p->rigid], p->rigid};
}

peg_pair_pose peg_pair_pose_now(const peg_island *I, const peg_pair *pair)
{
    return (peg_pair_pose){placement_now(I, pair->a), placement_now(I, pair->b)};
}

double peg_turning_speed(const peg_body *body, const double R[9], double arm,
                         const double extent[3], const double w[3])
{
    double turn = peg_norm(w), local[3], square = 0;
    if (!(turn > 0) || !(arm > 0)) return 0;
    if (body->finite_rotation == 2) return turn * arm;
    peg_rotate_back(R, w, local);
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double most = fabs(local[i]) * extent[j] + fabs(local[j]) * extent[i];
        square += most * most;
    }
    return fmin(turn * arm, sqrt(square));
}

double peg_piece_turning(const peg_island *I, const peg_piece *piece, const double v[6])
{
    const peg_rigid *r = &I->rigid[piece->rigid];
    return peg_turning_speed(&r->state, r->R0, piece->arm, piece->extent, v + 3);
}

double peg_pair_motion(const peg_island *I, const peg_pair *pair, const peg_vec6 *v)
{
    const peg_piece *a = &I->piece[pair->a], *b = &I->piece[pair->b];
    const double *va = v[a->rigid], *vb = v[b->rigid];
    double d[3];
    peg_sub(va, vb, d);
    return I->h * (peg_norm(d) + peg_piece_turning(I, a, va) + peg_piece_turning(I, b, vb));
}

/* a^T M b with the body turned by R. */
static double product_at(const peg_rigid *r, const double *R, const double *a, const double *b)
{
    double wa[3], wb[3], Iw[3];
    peg_rotate_back(R, a + 3, wa);
    if (b != a) peg_rotate_back(R, b + 3, wb);
    peg_rotate(r->state.inertia, b != a ? wb : wa, Iw);
    return r->state.mass * peg_dot(a, b) + peg_dot(wa, Iw);
}

double peg_energy_product(const peg_rigid *r, const double *a, const double *b)
{
    return product_at(r, r->R0, a, b);
}

double peg_end_product(const peg_rigid *r, const double *a, const double *b)
{
    return product_at(r, r->R, a, b);
}

double peg_end_energy(const peg_rigid *r, const double *v)
{
    return 0.5 * peg_end_product(r, v, v);
}

typedef struct terms {
    const peg_island *I;
    peg_body_term *term;
    const peg_vec6 *v;
    double *of; /* nd */
} terms;

static void find_terms(void *data, int begin, int end)
{
    const terms *t = data;
    for (int i = begin; i < end; i++) t->of[i] = t->term(t->I, t->v, i);
}

double peg_sum_over_bodies(const peg_island *I, double sum, peg_body_term *term, const peg_vec6 *v)
{
    double *of = NULL;
    peg_arena_mark mark;
    if (I->pool) {
        mark = peg_arena_here(I->arena);
        of = PEG_NEW(I->arena, double, I->nd);
    }
    if (of) peg_pool_loop(I->pool, find_terms, &(terms){I, term, v, of}, I->nd);
    for (int i = 0; i < I->nd; i++) sum += of ? of[i] : term(I, v, i);
    if (I->pool) peg_arena_back(I->arena, mark);
    return sum;
}

int peg_is_floating(const peg_island *I)
{
    for (int k = 0; k < I->joints.n; k++)
        if (I->joints.row[k].body_a < 0 || I->joints.row[k].body_b < 0) return 0;
    return I->nr == I->nd;
}

void peg_common_velocity(const peg_island *I, const peg_vec6 *v, double common[3])
{
    double mass = 0;
    int floats = peg_is_floating(I);
    common[0] = common[1] = common[2] = 0;
    for (int i = 0; i < I->nd && floats; i++) {
        mass += I->rigid[i].state.mass;
        peg_add_scaled(common, I->rigid[i].state.mass, v[i], common);
    }
    for (int k = 0; k < 3 && mass > 0; k++) common[k] /= mass;
}

int peg_is_faster(const peg_island *I, double share)
{
    double motion = 0, gain = 0;
    for (int i = 0; i < I->nd; i++) {
        motion += I->rigid[i].start_square;
        gain += I->rigid[i].gained_square;
    }
    return motion > share * share * gain;
}

int peg_is_slow_body(const peg_rigid *r, const double *v, double share)
{
    return peg_energy_product(r, v, v) <= share * share * r->gained_square;
}

int peg_is_slow(const peg_island *I, const peg_vec6 *v, double share)
{
    for (int i = 0; i < I->nd; i++)
        if (!peg_is_slow_body(&I->rigid[i], v[i], share)) return 0;
    return 1;
}
