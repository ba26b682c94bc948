#include "demos/experiments/gap_gradients.h"

#include "demos/world/scene.h"
#include "peg/paper/ratio_metric.h"
#include "peg/paper/signed_separation.h"

/* s: of central differences; of one-sided ones. */
static const double STEP = 1e-6, ONE_SIDED = 1e-7;

/* Second differences above this share are kinks. */
static const double KINK = 1e-4;

static double uniform(uint64_t *random)
{
    return 2 * lab_random_next(random) - 1;
}

static void random_unit(uint64_t *random, double out[3])
{
    do
        for (int k = 0; k < 3; k++) out[k] = uniform(random);
    while (peg_norm(out) > 1 || peg_norm(out) < .1);
    peg_normalise(out);
}

/* The rotation by t w. */
static void turn_by(const double *w, double t, double T[9])
{
    double q[4] = {1, t * w[0] / 2, t * w[1] / 2, t * w[2] / 2};
    double l = sqrt(1 + peg_dot(q + 1, q + 1));
    for (int k = 0; k < 4; k++) q[k] /= l;
    peg_quat_to_mat(q, T);
}

/* Places a part where it is after a motion by velocity v, angular velocity v + 3. */
static void move(const gap_pair *pair, gap_pair *moved, int side, const double *v, double t)
{
    double x[3], T[9], R[9];
    turn_by(v + 3, t, T);
    peg_mat_mul(T, pair->R[side], R);
    peg_add_scaled(pair->x[side], t, v, x);
    gap_pair_place(moved, side, x, R);
}

static void add(gap_differences *sum, double error)
{
    sum->compared++;
    sum->worst = fmax(sum->worst, error);
}

/* ---- the signed separation ------------------------------------------------------------------- */

/* g of the pair after a motion of A; d: null where it follows the centres. */
static double moved_g(peg_arena *arena, const gap_pair *pair, gap_pair *moved, const double *v,
                      double t, const double *d)
{
    double between[3];
    peg_ssh ssh = {.basis = {-1}};
    move(pair, moved, 0, v, t);
    peg_sub(moved->x[0], moved->x[1], between);
    peg_lp_status status =
        peg_ssh_solve(arena, &moved->view[0], &moved->view[1], d ? d : between, &ssh);
    return status == PEG_LP_SOLVED ? ssh.g : NAN;
}

static void compare_motion(peg_arena *arena, const gap_pair *pair, gap_pair *moved,
                           const peg_ssh *ssh, const double *v, const double *d, int follows,
                           gap_differences *sum)
{
    double arm[3], c[3], t = STEP, size = peg_norm(ssh->n) * pair->size;
    peg_sub(ssh->a, pair->x[0], arm);
    peg_cross(v + 3, arm, c);
    double slope = peg_dot(ssh->n, v) + peg_dot(ssh->n, c);
    if (follows) slope -= ssh->g * peg_dot(ssh->n, v);
    double ahead = moved_g(arena, pair, moved, v, t, follows ? NULL : d);
    double back = moved_g(arena, pair, moved, v, -t, follows ? NULL : d);
    double kink = fabs(ahead + back - 2 * ssh->g) / t;
    if (!isfinite(kink) || kink > KINK * size) return;
    add(sum, fabs((ahead - back) / (2 * t) - slope) / size);
}

int gap_check_subgradient(peg_arena *arena, const gap_pair *pair, uint64_t *random, int directions,
                          gap_differences *sum)
{
    gap_pair moved;
    double d[3], v[6];
    peg_ssh ssh = {.basis = {-1}};
    peg_sub(pair->x[0], pair->x[1], d);
    if (!(peg_norm(d) > .2 * pair->size)) return 1; /* g changes by much in any motion */
    if (peg_ssh_solve(arena, &pair->view[0], &pair->view[1], d, &ssh) != PEG_LP_SOLVED) return 1;
    if (!gap_pair_copy(pair, &moved)) return 0;
    for (int i = 0; i < directions; i++) {
        random_unit(random, v);
        random_unit(random, v + 3);
        for (int k = 0; k < 3; k++) v[k] *= pair->size;
        for (int follows = 0; follows < 2; follows++)
            compare_motion(arena, pair, &moved, &ssh, v, d, follows, sum);
    }
    gap_pair_free_views(&moved);
    return 1;
}

/* ---- contact units --------------------------------------------------------------------------- */

static int make_unit(const gap_pair *pair, peg_bcu_kind kind, int i, int j, peg_bcu *out)
{
    return peg_bcu_make(&pair->view[0], &pair->view[1], pair->x[0], pair->x[1], kind, i, j, out);
}

static double moved_phi(const gap_pair *pair, gap_pair *moved, const peg_bcu *unit, const double *v,
                        double t)
{
    peg_bcu now;
    for (int side = 0; side < 2; side++) move(pair, moved, side, v + 6 * side, t);
    return make_unit(moved, unit->kind, unit->i, unit->j, &now) ? now.phi : NAN;
}

static int below(uint64_t *random, int n)
{
    return (int)(lab_random_next(random) * n);
}

/* A unit of random features that is one, not too narrow and, of edges, not too near to parallel. */
static int find_unit(const gap_pair *pair, peg_bcu_kind kind, uint64_t *random, peg_bcu *out)
{
    const peg_polytope *a = pair->shape[0], *b = pair->shape[1];
    for (int attempt = 0; attempt < 20; attempt++) {
        int i = below(random, kind == PEG_BCU_EDGES      ? a->ne
                              : kind == PEG_BCU_CORNER_A ? a->nv
                                                         : b->nv);
        int j = below(random, kind == PEG_BCU_EDGES      ? b->ne
                              : kind == PEG_BCU_CORNER_A ? b->nf
                                                         : a->nf);
        if (!make_unit(pair, kind, i, j, out)) continue;
        double reach = (pair->largest + peg_norm(out->a) + peg_norm(out->b)) / out->width;
        if (fabs(out->phi) <= 10 && reach <= 100) return 1;
    }
    return 0;
}

int gap_check_units(const gap_pair *pair, uint64_t *random, gap_differences sum[3])
{
    gap_pair moved;
    if (!gap_pair_copy(pair, &moved)) return 0;
    for (int kind = 0; kind < 3; kind++) {
        peg_bcu unit;
        double J[12], K[12], v[12], slope = 0, t = STEP;
        if (!find_unit(pair, (peg_bcu_kind)kind, random, &unit)) continue;
        for (int k = 0; k < 12; k++) v[k] = uniform(random) * (k % 6 < 3 ? pair->size : 1);
        peg_bcu_gradients(&pair->view[0], &pair->view[1], pair->x[0], pair->x[1], pair->x[0],
                          pair->x[1], &unit, J, K);
        for (int k = 0; k < 12; k++) slope += (J[k] - unit.phi * K[k]) * v[k] / unit.width;
        double ahead = moved_phi(pair, &moved, &unit, v, t);
        double back = moved_phi(pair, &moved, &unit, v, -t);
        if (!isfinite(ahead + back)) continue;
        double size = 1 + (pair->largest + peg_norm(unit.a) + peg_norm(unit.b)) / unit.width;
        add(&sum[kind], fabs((ahead - back) / (2 * t) - slope) / (size * size));
    }
    gap_pair_free_views(&moved);
    return 1;
}

/* ---- kinks ----------------------------------------------------------------------------------- */

/* Boxes of side 1 that touch in the height 0: the upper one at x, both turned about the y axis. */
static int make_boxes(gap_kink kink, gap_pair *pair)
{
    double p[8][3], s = sqrt(.5), T[2][9];
    int upper = kink != GAP_FLUSH_FACES, lower = kink == GAP_PARALLEL_EDGES;
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++) p[i][k] = i >> k & 1 ? .5 : -.5;
    *pair = (gap_pair){.size = sqrt(.75), .largest = sqrt(.75)};
    for (int side = 0; side < 2; side++) {
        double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, turned[9] = {s, 0, s, 0, 1, 0, -s, 0, s};
        memcpy(T[side], (side ? lower : upper) ? turned : unit, sizeof unit);
        if (!gap_pair_set(pair, side, (const double(*)[3])p, 8, T[side])) return 0;
    }
    double x[3] = {kink == GAP_PARALLEL_EDGES ? 0 : .1, .05, 0}, z[3] = {0, 0, 0};
    x[2] = upper ? sqrt(.5) : .5;
    z[2] = -(lower ? sqrt(.5) : .5);
    gap_pair_place(pair, 0, x, T[0]);
    gap_pair_place(pair, 1, z, T[1]);
    return 1;
}

/* Of n = (tilt, 0, 1), the least over the corners. */
static double least_of(const peg_polygon_corner *corner, int count, const double *x,
                       const double *w, double tilt)
{
    double least = INFINITY;
    for (int i = 0; i < count; i++) {
        double arm[3], c[3];
        peg_sub(corner[i].a, x, arm);
        peg_cross(w, arm, c);
        least = fmin(least, tilt * c[0] + c[2]);
    }
    return least;
}

int gap_check_kink(peg_arena *arena, gap_kink kink, uint64_t *random, gap_differences *sum)
{
    static const double up[3] = {0, 0, 1};
    enum { TILTS = 4000 };
    gap_pair pair, moved;
    double v[6] = {0}, derivative = -INFINITY;
    peg_polygon_corner *corner;
    if (!make_boxes(kink, &pair) || !gap_pair_copy(&pair, &moved)) return 0;
    random_unit(random, v + 3);
    int n = peg_contact_polygon(arena, &pair.view[0], &pair.view[1], up, 1e-9, &corner);
    /* n may tilt where edges meet, as far as the faces beside them: by 45 degrees */
    int tilts = kink == GAP_PARALLEL_EDGES ? TILTS : 0;
    for (int k = -tilts; k <= tilts; k++)
        derivative =
            fmax(derivative, least_of(corner, n, pair.x[0], v + 3, tilts ? (double)k / tilts : 0));
    double before = moved_g(arena, &pair, &moved, v, 0, up);
    double after = moved_g(arena, &pair, &moved, v, ONE_SIDED, up);
    add(sum, n > 0 ? fabs((after - before) / ONE_SIDED - derivative) : INFINITY);
    gap_pair_free_views(&moved);
    gap_pair_free(&pair);
    return n >= 0;
}
