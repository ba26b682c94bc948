/* Rows of an island of two bodies: the identities of midpoint rows against gaps and normals that
 * are computed here from nothing but vertices and quaternions, the moment of their impulses, rows
 * on the way, and the cone that friction rows span. */
#include "tests/runner.h"
#include "tests/geometry_cases.h"
#include "peg/contact/contact_row.h"
#include "peg/contact/island.h"
#include "peg/island/outer_loop.h"
#include "peg/island/island_step.h"
#include "peg/contact/kinematics.h"
#include "peg/contact/patch.h"
#include "peg/contact/friction.h"
#include "peg/contact/patch_polytope.h"
#include "peg/contact/first_contact.h"
#include "peg/island/energy.h"
#include "peg/island/solve.h"
#include "peg/contact/pose.h"
#include "peg/base/settings.h"

#include <check.h>
#include <stdlib.h>

static const double H = 0.02, PI = 3.14159265358979323846;

/* Identities that hold to rounding, relative to the terms of the sum. */
static const double EXACT = 1e-12;
/* Central differences with steps of 1e-5 L: truncation and rounding, in L. */
static const double DIFFERENCE = 1e-5, DIFFERENCE_ERROR = 2e-8;

/* --- an island of two bodies with a part each --- */

typedef struct two_bodies {
    peg_island I;
    peg_arena arena;
    pegSettings settings;
    pegStats stats;
    peg_rigid rigid[2];
    peg_part part[2];
    peg_piece piece[2];
    peg_pair pair;
    peg_surface surface;
    peg_mass_block mass[2];
    double v[2][6], v_last[2][6], v_motion[2][6], v_end[2][6], v_pose[2][6];
    unsigned char dirty[2];
} two_bodies;

static two_bodies T;

static void set_up_body(int i, peg_body_kind kind, const peg_polytope *shape)
{
    peg_rigid *r = &T.rigid[i];
    peg_body *b = &r->state;
    *r = (peg_rigid){.body = i, .size = 2 * shape->radius};
    *b = (peg_body){.kind = kind, .q = {1, 0, 0, 0}, .mass = 1, .max_angular_speed = INFINITY};
    for (int k = 0; k < 9; k += 4) b->inertia[k] = r->inv_inertia[k] = 1;
    T.mass[i].inv_mass = 1;
    memcpy(T.mass[i].inv_inertia, r->inv_inertia, sizeof r->inv_inertia);
    T.part[i] = (peg_part){.shape = shape, .body = i, .id = (unsigned long)i + 1};
    for (int k = 0; k < 9; k += 4) T.part[i].rotation[k] = 1;
    T.piece[i] = (peg_piece){.part = &T.part[i], .rigid = i, .arm = 2 * shape->radius};
    T.piece[i].start = cases_view(shape);
    T.piece[i].free_ = cases_view(shape);
    T.piece[i].now = cases_view(shape);
    T.I.scratch.view[i] = cases_view(shape);
}

/* Dynamic bodies come first. */
static void set_up(peg_body_kind second, const peg_polytope *a, const peg_polytope *b)
{
    memset(&T, 0, sizeof T);
    peg_settings_default(&T.settings);
    set_up_body(0, PEG_DYNAMIC, a);
    set_up_body(1, second, b);
    peg_island *I = &T.I;
    I->h = H;
    I->common.iterate = peg_outer_loop;
    I->settings = &T.settings;
    I->stats = &T.stats;
    I->arena = &T.arena;
    I->rigid = T.rigid, I->nr = 2, I->nd = second == PEG_DYNAMIC ? 2 : 1;
    I->piece = T.piece, I->npiece = 2;
    I->pair = &T.pair, I->npair = 1;
    T.pair.surface = &T.surface;
    I->mass = T.mass;
    I->dirty = T.dirty;
    I->v = T.v, I->before.v = T.v_last, I->v_motion = T.v_motion;
    I->result.v_end = T.v_end, I->result.v_pose = T.v_pose;
    ck_assert(peg_patch_room(I, 256));
    peg_pair *p = &T.pair;
    p->a = 0, p->b = 1;
    p->L = fmin(a->radius, b->radius);
    p->width = fmin(a->width, b->width);
    p->margin = T.settings.margin * p->L;
    p->reach = 0.05 * p->L;
}

/* Views at the start, and at the iterate T.v. */
static void place(void)
{
    for (int i = 0; i < 2; i++) {
        peg_rigid_prepare(&T.rigid[i], H);
        peg_piece_place(&T.piece[i], T.rigid[i].x0, T.rigid[i].R0, &T.piece[i].start);
        peg_piece_place(&T.piece[i], T.rigid[i].x0, T.rigid[i].R0, &T.piece[i].now);
        memcpy(T.rigid[i].x, T.rigid[i].x0, sizeof T.rigid[i].x);
        memcpy(T.rigid[i].R, T.rigid[i].R0, sizeof T.rigid[i].R);
    }
    peg_island_move(&T.I);
    T.pair.s0 = peg_separation(&T.piece[0].start, &T.piece[1].start, INFINITY, NULL, NULL).s;
    T.pair.facet = peg_separation(&T.piece[0].now, &T.piece[1].now, INFINITY, NULL, NULL);
}

static void tear_down(void)
{
    for (int i = 0; i < 2; i++) {
        cases_view_free(&T.piece[i].start);
        cases_view_free(&T.piece[i].free_);
        cases_view_free(&T.piece[i].now);
        cases_view_free(&T.I.scratch.view[i]);
    }
    peg_arena_free(&T.arena);
}

static peg_polytope *box(double a, double b, double c)
{
    peg_polytope *shape;
    ck_assert_int_eq(peg_polytope_box((double[]){a, b, c}, &shape), PEG_OK);
    return shape;
}

/* --- gaps from vertices and quaternions alone --- */

static void turn(const double *q, const double *p, double *out)
{
    double t[3], c[3];
    peg_cross(q + 1, p, t);
    peg_cross(q + 1, t, c);
    for (int k = 0; k < 3; k++) out[k] = p[k] + 2 * (q[0] * t[k] + c[k]);
}

static void world_point(int side, const double x[3], const double q[4], int vertex, double *out)
{
    const peg_part *part = &T.part[side];
    double p[3];
    for (int k = 0; k < 3; k++)
        p[k] = part->offset[k] + peg_dot(part->rotation + 3 * k, part->shape->vertex[vertex]);
    turn(q, p, out);
    for (int k = 0; k < 3; k++) out[k] += x[k];
}

/* Gap and normal of the row's features where both bodies move with t v from the start; the normal
 * agrees with `up`. */
static double gap_and_normal(const peg_row *row, const double (*v)[6], double t, const double *up,
                             double n[3])
{
    double x[2][3], q[2][4], p[4][3], a[3], b[3], w[3];
    for (int i = 0; i < 2; i++) {
        double part_of_v[6];
        for (int k = 0; k < 6; k++) part_of_v[k] = t * v[i][k];
        peg_body_pose(&T.rigid[i].state, part_of_v, H, x[i], q[i]);
    }
    const peg_polytope *A = T.part[0].shape, *B = T.part[1].shape;
    if (row->kind == PEG_FEATURES_EE) {
        for (int k = 0; k < 2; k++) {
            world_point(0, x[0], q[0], A->edge[row->i].v[k], p[k]);
            world_point(1, x[1], q[1], B->edge[row->j].v[k], p[2 + k]);
        }
        peg_sub(p[1], p[0], a);
        peg_sub(p[3], p[2], b);
        peg_sub(p[0], p[2], w);
    } else {
        int upper = row->kind == PEG_FEATURES_VF ? 0 : 1, lower = 1 - upper;
        const peg_polytope *P = T.part[lower].shape;
        const int *corner = P->face_vertex + P->face_start[row->j];
        world_point(upper, x[upper], q[upper], row->i, p[3]);
        for (int k = 0; k < 3; k++) world_point(lower, x[lower], q[lower], corner[k], p[k]);
        peg_sub(p[1], p[0], a);
        peg_sub(p[2], p[0], b);
        peg_sub(p[3], p[0], w);
        if (upper) /* the normal points into A */
            for (int k = 0; k < 3; k++) w[k] = -w[k];
    }
    peg_cross(a, b, n);
    double l = (peg_dot(n, up) < 0 ? -1 : 1) * peg_norm(n);
    for (int k = 0; k < 3; k++) n[k] /= l;
    return peg_dot(n, w);
}

/* The pair in the iterate T.v. */
static const peg_pair_pose *pose(void)
{
    static peg_pair_pose at;
    at = peg_pair_pose_now(&T.I, &T.pair);
    return &at;
}

static double gap_at(const peg_row *row, const double (*v)[6], double t, const double *up)
{
    double n[3];
    return gap_and_normal(row, v, t, up, n);
}

/* Length of the sum of half the normals at the start and at t v: of a vertex over a face. */
static double mid_length(const peg_row *row, const double (*v)[6], double t)
{
    static const double rest[2][6] = {{0}};
    double n0[3], n[3], sum[3], back[3], start;
    gap_and_normal(row, v, t, row->normal, n);
    /* the normal of a face turns by any angle: its side is told by the gap */
    start = gap_and_normal(row, rest, 0, row->normal, n0);
    for (int k = 0; k < 3; k++) back[k] = -n0[k];
    if (fabs(start - row->gap0) > fabs(start + row->gap0)) peg_copy3(back, n0);
    for (int k = 0; k < 3; k++) sum[k] = .5 * (n0[k] + n[k]);
    return peg_norm(sum);
}

static double speed(const peg_row *row, const double (*v)[6])
{
    double sum = 0;
    for (int k = 0; k < 6; k++) sum += row->Ga[k] * v[0][k] + row->Gb[k] * v[1][k];
    return sum;
}

/* Size of the terms of a row's sum at v, m/s. */
static double magnitude(const peg_row *row, const double (*v)[6])
{
    double sum = fabs(row->bias);
    for (int k = 0; k < 6; k++)
        sum += fabs(row->Ga[k] * v[0][k]) + fabs(row->Gb[k] * v[1][k]) +
               (peg_norm(v[1]) + T.pair.L * peg_norm(v[1] + 3)) / 6;
    return sum + T.pair.L / H;
}

/* --- two boxes that are near at the iterate of a random motion --- */

static void random_motion(cases_random *r, double v[6])
{
    double n[3];
    cases_direction(r, n);
    double turn_of_step = cases_uniform(r, 0, 3) / H;
    for (int k = 0; k < 3; k++) {
        v[k] = cases_uniform(r, -1, 1) / H;
        v[3 + k] = turn_of_step * n[k];
    }
}

static void random_case(cases_random *r, peg_body_kind second, int finite_rotation)
{
    double R[9];
    set_up(second, box(1, cases_uniform(r, 0.3, 1), cases_uniform(r, 0.3, 1)),
           box(1, cases_uniform(r, 0.3, 2), cases_uniform(r, 0.3, 2)));
    for (int i = 0; i < 2; i++) {
        peg_body *b = &T.rigid[i].state;
        cases_rotation(r, R);
        memcpy(T.part[i].rotation, R, sizeof R);
        for (int k = 0; k < 3; k++) T.part[i].offset[k] = cases_uniform(r, -0.5, 0.5);
        for (int k = 0; k < 4; k++) b->q[k] = cases_uniform(r, -1, 1);
        double l = sqrt(peg_dot(b->q, b->q) + b->q[3] * b->q[3]);
        for (int k = 0; k < 4; k++) b->q[k] /= l;
        b->finite_rotation = finite_rotation;
        cases_direction(r, b->finite_axis);
        random_motion(r, T.v[i]);
    }
    memcpy(T.rigid[1].state.v, T.v[1], sizeof T.v[1]); /* a kinematic body's velocity is given */
    for (int k = 0; k < 3; k++) T.rigid[0].state.x[k] = cases_uniform(r, -2, 2);
    place();
    double shift = cases_uniform(r, 0, 0.02) * T.pair.L - T.pair.facet.s;
    peg_add_scaled(T.rigid[0].state.x, shift, T.pair.facet.n, T.rigid[0].state.x);
    place();
}

static void end_case(void)
{
    peg_polytope *shape[2];
    for (int i = 0; i < 2; i++) memcpy(&shape[i], &T.part[i].shape, sizeof shape[i]);
    tear_down();
    for (int i = 0; i < 2; i++) peg_polytope_free(shape[i]);
}

/* --- rows of dilated pairs --- */

static peg_polytope *dilated(cases_random *r, int kind)
{
    peg_polytope *shape = NULL;
    double radius = cases_uniform(r, .2, 1), length = cases_uniform(r, .3, 2);
    if (kind == 0)
        ck_assert_int_eq(peg_polytope_sphere(radius, &shape), PEG_OK);
    else if (kind == 1)
        ck_assert_int_eq(peg_polytope_capsule(radius, length, &shape), PEG_OK);
    else
        ck_assert_int_eq(peg_polytope_cylinder(radius, length, &shape), PEG_OK);
    return shape;
}

static void turn_at_random(cases_random *r, double q[4])
{
    double axis[3], angle = cases_uniform(r, 0, PI);
    cases_direction(r, axis);
    q[0] = cos(angle);
    for (int k = 0; k < 3; k++) q[k + 1] = sin(angle) * axis[k];
}

/* Of parts anywhere within reach of each other, those features make a row, at their distance, that
 * are nearest to each other. _i: what is dilated; the other part is a box or dilated, too. */
START_TEST(what_is_nearest_makes_a_row)
{
    cases_random r = {700 + (unsigned long long)_i};
    int seen[PEG_FEATURES_EXTERNAL] = {0};
    for (int run = 0; run < 600; run++) {
        peg_polytope *a = dilated(&r, _i);
        peg_polytope *b = run % 2 ? dilated(&r, run / 2 % 3) : box(1, 2, 3);
        set_up(PEG_STATIC, a, b);
        T.pair.reach = .4 * T.pair.L;
        double *x = T.rigid[0].state.x, gap = cases_uniform(&r, 0, 1) * T.pair.reach;
        cases_direction(&r, x);
        for (int k = 0; k < 3; k++) x[k] *= .7 * (a->radius + b->radius);
        for (int i = 0; i < 2; i++) turn_at_random(&r, T.rigid[i].state.q);
        place();
        peg_add_scaled(x, gap - T.pair.facet.s, T.pair.facet.n, x);
        place();
        gap = T.pair.facet.s; /* of what overlapped it may be more */
        peg_patch_rows(&T.I, 0, pose(), &T.I.rows);
        double least = INFINITY;
        int nearest = 0, within = gap < T.pair.reach;
        for (int i = 0; i < T.I.rows.m; i++) {
            const peg_row *row = &T.I.rows.row[i];
            if (row->gap < least) least = row->gap, nearest = (int)row->kind;
        }
        ck_assert_msg(!within || fabs(least - gap) < 1e-12, "%d: %g for %g", run, least, gap);
        seen[nearest] += within;
        tear_down();
        peg_polytope_free(a);
        peg_polytope_free(b);
    }
    int faces = seen[PEG_FEATURES_VF] + seen[PEG_FEATURES_FV],
        edges = seen[PEG_FEATURES_VE] + seen[PEG_FEATURES_EV];
    ck_assert_int_gt(faces, 100);
    ck_assert_int_gt(seen[PEG_FEATURES_VV], 30);
    ck_assert_int_gt(edges, 80);
    if (_i > 0) ck_assert_int_gt(seen[PEG_FEATURES_EE], 40);
}
END_TEST

/* --- midpoint rows --- */

static int is_vertex_face(const peg_row *row)
{
    return row->kind != PEG_FEATURES_EE;
}

/* The gap that a row asks for: up to the margin what the features had at the start. */
static void check_target(const peg_row *row)
{
    double margin = T.pair.margin, touch = PEG_TOUCH * T.pair.L;
    ck_assert_double_le(row->target, margin);
    if (T.pair.s0 < -touch && row->gap0 < -touch) {
        ck_assert_double_ge(row->target, row->gap0); /* it opens */
        return;
    }
    ck_assert_double_ge(row->target, fmin(margin, row->gap0));
    ck_assert_double_le(fmax(0, row->target - fmax(0, row->gap0)),
                        row->gap0 < 0 ? margin : PEG_GAP_GROWTH * margin);
}

/* The moment about a point of the impulses of a row on both bodies, relative to its terms: they act
 * half-way between the start and the iterate. */
static double net_moment(const peg_row *row, const double (*v)[6], const double *about)
{
    double moment[3] = {0}, unit = 1;
    for (int b = 0; b < 2; b++) {
        const double *G = b ? row->Gb : row->Ga;
        double x[3], q[4], arm[3], turned[3];
        peg_body_pose(&T.rigid[b].state, v[b], H, x, q);
        for (int k = 0; k < 3; k++) arm[k] = .5 * (T.rigid[b].state.x[k] + x[k]) - about[k];
        peg_cross(arm, G, turned);
        peg_add_scaled(moment, 1, turned, moment);
        peg_add_scaled(moment, 1, G + 3, moment);
        unit += peg_norm(arm) + peg_norm(G + 3);
    }
    return peg_norm(moment) / unit;
}

/* Rows whose midpoint normal would have to turn far are derivatives of the gap instead. */
static int is_midpoint(const peg_row *row, const double (*v)[6])
{
    return net_moment(row, v, (const double[3]){0, 0, 0}) <= EXACT;
}

/* A vertex and a face: length (h G u) = gap - gap0 and length (h bias) = gap0 - target. */
static void check_vertex_face(const peg_row *row, const double (*v)[6], double unit)
{
    static const double rest[2][6] = {{0}};
    double length = mid_length(row, v, 1), start = gap_at(row, rest, 0, row->normal);
    ck_assert_double_le(fabs(fabs(start) - fabs(row->gap0)), 10 * EXACT);
    ck_assert_double_le(fabs(row->gap - row->gap0 - H * length * speed(row, v)), H * unit);
    ck_assert_double_le(fabs(length * row->bias - (row->gap0 - row->target) / H), unit);
}

/* h G = d gap / d v by central differences; the bias makes the row right at the iterate. */
static void check_tangent(const peg_row *row, const double (*iterate)[6], double unit)
{
    double v[2][6], worst = 0;
    memcpy(v, iterate, sizeof v);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 6; k++) {
            double at = v[i][k], step = DIFFERENCE / H;
            v[i][k] = at + step;
            double more = gap_at(row, (const double(*)[6])v, 1, row->normal);
            v[i][k] = at - step;
            double less = gap_at(row, (const double(*)[6])v, 1, row->normal);
            v[i][k] = at;
            double G = (i ? row->Gb : row->Ga)[k];
            worst = fmax(worst, fabs((more - less) / (2 * DIFFERENCE) - G));
        }
    ck_assert_msg(worst < DIFFERENCE_ERROR, "kind %d: %g", row->kind, worst);
    ck_assert_double_le(fabs(speed(row, iterate) + row->bias - (row->gap - row->target) / H), unit);
}

/* Midpoint rows of all kinds: length (h (G u + bias)) = gap - target and length (h bias) = gap0 -
 * target, with the same length, which for edges is that of a normal corrected by a share of the
 * speed. */
static void check_midpoint(const peg_row *row, const double (*v)[6], double unit)
{
    double there = speed(row, v) + row->bias, wanted = (row->gap - row->target) / H;
    double start = (row->gap0 - row->target) / H;
    if (fabs(there) > 1e5 * unit)
        ck_assert(wanted / there > 0 && wanted / there < 1.31);
    else
        ck_assert_double_le(fabs(wanted), 1e5 * unit * 1.3);
    ck_assert_double_le(fabs(wanted * row->bias - there * start),
                        unit * (fabs(row->bias) + fabs(start) + fabs(there) + fabs(wanted)));
    if (row->gap0 >= 0)
        ck_assert_double_ge(row->bias, -row->gap_growth / H - unit); /* v = 0 is allowed */
}

/* _i: finite_rotation of both bodies. */
START_TEST(rows_are_exact_between_start_and_iterate)
{
    cases_random r = {2000 + (unsigned long long)_i};
    int seen[3] = {0}, tangent[3] = {0};
    for (int run = 0; run < 600; run++) {
        random_case(&r, PEG_DYNAMIC, _i);
        const double(*v)[6] = (const double(*)[6])T.v;
        peg_patch_rows(&T.I, 0, pose(), &T.I.rows);
        for (int i = 0; i < T.I.rows.m; i++) {
            const peg_row *row = &T.I.rows.row[i];
            double unit = EXACT * magnitude(row, v);
            int midpoint = is_midpoint(row, v);
            ck_assert_double_le(fabs(peg_norm(row->Ga) - 1), EXACT);
            ck_assert_double_le(fabs(gap_at(row, v, 1, row->normal) - row->gap), 10 * EXACT);
            check_target(row);
            if (midpoint) check_midpoint(row, v, unit);
            if (midpoint && is_vertex_face(row) && _i == 0) check_vertex_face(row, v, unit);
            if (!midpoint && _i == 0) check_tangent(row, v, unit);
            seen[row->kind]++;
            tangent[row->kind] += !midpoint;
        }
        end_case();
    }
    for (int k = 0; k < 3; k++) ck_assert_int_gt(seen[k], 30);
    ck_assert(_i || (tangent[PEG_FEATURES_VF] == 0 && tangent[PEG_FEATURES_FV] == 0));
    for (int k = 0; k < 3; k++)
        ck_assert_msg(tangent[k] < seen[k] * 3 / 4, "%d of %d rows of kind %d", tangent[k], seen[k],
                      k);
}
END_TEST

/* The impulses of midpoint rows, friction included, on both bodies: opposite, and without a moment
 * about any point. _i: finite_rotation. */
START_TEST(rows_have_no_net_moment)
{
    cases_random r = {2200 + (unsigned long long)_i};
    int rows = 0, friction = 0;
    for (int run = 0; run < 400; run++) {
        random_case(&r, PEG_DYNAMIC, _i);
        T.surface = (peg_surface){.mu = .5, .mu2 = .5, .rho = .1, .rho2 = .1, .rhoN = .1};
        const double(*v)[6] = (const double(*)[6])T.v;
        double about[3];
        for (int k = 0; k < 3; k++) about[k] = cases_uniform(&r, -3, 3);
        peg_patch_rows(&T.I, 0, pose(), &T.I.rows);
        for (int i = 0; i < T.I.rows.m; i++) {
            const peg_row *row = &T.I.rows.row[i];
            for (int k = 0; k < 3; k++) ck_assert_double_eq(row->Ga[k], -row->Gb[k]);
            int exact = row->friction || (_i == 0 && is_vertex_face(row));
            if (!exact && !is_midpoint(row, v)) continue;
            double moment = net_moment(row, v, about);
            ck_assert_msg(moment <= EXACT, "kind %d: %g", row->kind, moment);
            friction += row->friction > 0;
            rows++;
        }
        end_case();
    }
    ck_assert_int_gt(rows, 1000);
    ck_assert_int_gt(friction, 500);
}
END_TEST

/* With the moderate turns of real steps v = 0 satisfies every row whose gap at the start was >= 0,
 * and nearly all of them are midpoint rows. */
START_TEST(rest_satisfies_rows)
{
    cases_random r = {2500};
    int rows = 0, tangent = 0;
    for (int run = 0; run < 600; run++) {
        random_case(&r, PEG_DYNAMIC, 0);
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 6; k++) T.v[i][k] *= 0.1;
        place();
        double shift = cases_uniform(&r, 0, 0.02) * T.pair.L - T.pair.facet.s;
        peg_add_scaled(T.rigid[0].state.x, shift, T.pair.facet.n, T.rigid[0].state.x);
        place();
        peg_patch_rows(&T.I, 0, pose(), &T.I.rows);
        for (int i = 0; i < T.I.rows.m; i++) {
            const peg_row *row = &T.I.rows.row[i];
            tangent += !is_midpoint(row, (const double(*)[6])T.v);
            if (row->gap0 < 0) continue;
            ck_assert_msg(row->bias >= -row->gap_growth / H - EXACT * T.pair.L / H,
                          "kind %d gap %g at the start: %g", row->kind, row->gap0, row->bias);
            rows++;
        }
        end_case();
    }
    ck_assert_int_gt(rows, 200);
    ck_assert_msg(tangent <= rows / 50, "%d of %d", tangent, rows);
}
END_TEST

/* --- velocities that are given --- */

START_TEST(given_velocity_goes_to_the_bias)
{
    cases_random r = {3000};
    for (int run = 0; run < 200; run++) {
        random_case(&r, PEG_KINEMATIC, 0);
        const double(*v)[6] = (const double(*)[6])T.v;
        peg_row_set folded = {0}, whole = {0};
        T.I.nd = 1;
        peg_patch_rows(&T.I, 0, pose(), &folded);
        T.I.nd = 2;
        peg_patch_rows(&T.I, 0, pose(), &whole);
        ck_assert_int_eq(folded.m, whole.m);
        for (int i = 0; i < whole.m; i++) {
            const peg_row *f = &folded.row[i], *w = &whole.row[i];
            double unit = EXACT * (magnitude(f, v) + magnitude(w, v)), given = 0;
            for (int k = 0; k < 6; k++) given += w->Gb[k] * v[1][k];
            ck_assert_double_le(fabs(f->bias - w->bias - given), unit);
            ck_assert_double_le(fabs(f->prescribed - given), unit);
            ck_assert(w->prescribed == 0 && !memcmp(f->Ga, w->Ga, sizeof f->Ga));
            for (int k = 0; k < 6; k++) ck_assert(f->Gb[k] == 0);
        }
        end_case();
    }
}
END_TEST

/* --- first contact on the way --- */

/* A cube flies at a plate that is thinner than its stroke, and a little past it. */
START_TEST(first_contact_of_a_flying_cube)
{
    peg_polytope *cube = box(1, 1, 1), *plate = box(4, 4, 0.1);
    double distance = 2, stroke = 6, at = distance / stroke;
    set_up(_i == 0 ? PEG_DYNAMIC : PEG_STATIC, cube, plate);
    T.rigid[0].state.x[2] = distance + 0.55;
    T.v[0][2] = -stroke / H;
    T.v[0][0] = 0.3 / H;
    place();
    ck_assert_double_gt(T.pair.facet.s, 0); /* the end pose is apart: the cube would have passed */
    const double(*v)[6] = (const double(*)[6])T.v;
    double depth = PEG_HIT_DEPTH * T.pair.width;
    peg_passage passage = peg_conservative_advancement(&T.I, &T.pair, v, depth);
    ck_assert(passage.hit);
    ck_assert(passage.apart <= at && passage.deep > at + depth / stroke);
    ck_assert_double_le(passage.deep - at, (PEG_HIT_DEPTH + PEG_STRIDE) * T.pair.width / stroke);
    ck_assert_double_le(at - passage.apart, PEG_STRIDE * T.pair.width / stroke);

    T.pair.contact_time = -1;
    peg_rigid before[2];
    memcpy(before, T.rigid, sizeof before);
    peg_first_contact(&T.I, 0, &passage, v);
    ck_assert(!memcmp(before, T.rigid, sizeof before));
    ck_assert_int_eq(T.I.first.m, 4);
    for (int i = 0; i < T.I.first.m; i++) {
        const peg_row *row = &T.I.first.row[i];
        double gap = distance - passage.apart * stroke;
        ck_assert(row->first_contact && row->kind == PEG_FEATURES_VF && row->normal[2] == 1);
        ck_assert_double_le(fabs(row->gap - gap), EXACT);
        ck_assert_double_le(fabs(row->gap0 - distance), EXACT);
        /* the end of the motion stays a margin above the plate: distance + h v_z = margin */
        double stopped[2][6] = {{0, 0, (T.pair.margin - distance) / H}};
        ck_assert_double_le(fabs(speed(row, (const double(*)[6])stopped) + row->bias),
                            EXACT * stroke / H);
    }
    /* Away from the plate nothing is met; a stroke that ends above it neither. */
    T.v[0][2] = stroke / H;
    ck_assert(!peg_conservative_advancement(&T.I, &T.pair, v, depth).hit);
    T.v[0][2] = -0.99 * distance / H;
    ck_assert(!peg_conservative_advancement(&T.I, &T.pair, v, depth).hit);
    tear_down();
    peg_polytope_free(cube);
    peg_polytope_free(plate);
}
END_TEST

/* A blade turns past a post. Rows at the pose u = t v of first contact hold the end of the motion:
 * length h (G u + bias) = gap(u) - target. Met a second time at the same moment, the row is about
 * the pose that is too deep: length h t (G v + bias) = gap(u) - target for the same share t of any
 * motion v. The post's own motion is given for the whole step. */
START_TEST(swing_through_row_is_about_the_deep_pose)
{
    peg_polytope *blade = box(4, 0.2, 0.2), *post = box(0.3, 0.3, 2);
    set_up(_i == 0 ? PEG_DYNAMIC : PEG_KINEMATIC, blade, post);
    double odd[3] = {0.1, -0.2, 1};
    peg_normalise(odd);
    for (int k = 0; k < 3; k++) T.v[0][3 + k] = 2 / H * odd[k];
    T.rigid[1].state.x[0] = 1.2, T.rigid[1].state.x[1] = 1;
    if (_i == 1) T.v[1][1] = T.rigid[1].state.v[1] = -0.2 / H;
    place();
    const double(*v)[6] = (const double(*)[6])T.v;
    peg_passage passage =
        peg_conservative_advancement(&T.I, &T.pair, v, PEG_HIT_DEPTH * T.pair.width);
    ck_assert(passage.hit);
    T.pair.contact_time = -1;
    peg_first_contact(&T.I, 0, &passage, v);
    int met = T.I.first.m;
    ck_assert_int_gt(met, 0);
    peg_first_contact(&T.I, 0, &passage, v);
    ck_assert_int_gt(T.I.first.m, met);
    for (int i = 0; i < T.I.first.m; i++) {
        const peg_row *row = &T.I.first.row[i];
        int deep = i >= met;
        double t = deep ? passage.deep : passage.apart;
        double gap = gap_at(row, v, t, row->normal), given = row->prescribed;
        ck_assert_double_le(fabs(gap - row->gap), 10 * EXACT);
        ck_assert_double_le(fabs(row->gap0 - gap_at(row, v, 0, row->normal)), 10 * EXACT);
        double value = deep ? t * (speed(row, v) + row->bias)
                            : t * (speed(row, v) + given) + row->bias - given;
        double length = row->kind == PEG_FEATURES_EE ? (gap - T.pair.margin) / (H * value)
                                                     : mid_length(row, v, t);
        ck_assert(length > 0.5 && length < 1.31);
        ck_assert_double_le(fabs(length * H * value - gap + T.pair.margin), 100 * EXACT);
    }
    tear_down();
    peg_polytope_free(blade);
    peg_polytope_free(post);
}
END_TEST

/* --- whole steps of the island --- */

/* The bodies of random_case, on their way: they start apart and the iterate starts at rest. */
static void random_step(cases_random *r, int max_outer)
{
    int tries = 0;
    do {
        if (tries++) end_case();
        random_case(r, PEG_DYNAMIC, 0);
        T.settings.max_outer_iterations = max_outer;
        double share = cases_uniform(r, 0.02, 0.4);
        for (int i = 0; i < 2; i++) {
            double *v = T.rigid[i].state.v;
            for (int k = 0; k < 6; k++) v[k] = T.v[i][k] *= share;
            memcpy(T.rigid[i].state.v_free, v, sizeof T.v[i]);
            memcpy(T.rigid[i].target, v, sizeof T.v[i]);
            double inertia = cases_uniform(r, 0.1, 0.5), mass = cases_uniform(r, 0.5, 3);
            T.rigid[i].state.mass = mass;
            T.mass[i].inv_mass = 1 / mass;
            for (int k = 0; k < 9; k += 4) {
                double axis = inertia * (1 + 0.1 * k);
                T.rigid[i].state.inertia[k] = axis;
                T.rigid[i].inv_inertia[k] = 1 / axis;
            }
        }
        place();
        /* they would overlap at the end */
        double depth = cases_uniform(r, 0.02, 0.2) * T.pair.L + T.pair.facet.s;
        peg_add_scaled(T.rigid[0].state.x, -depth, T.pair.facet.n, T.rigid[0].state.x);
        place();
    } while (T.pair.s0 < 1e-3 * T.pair.L);
    T.pair.reach = 2 * peg_pair_motion(&T.I, &T.pair, (const double(*)[6])T.v) + T.pair.L;
    T.I.energy_unit = 1;
}

/* v = v_f + M^-1 sum G^T lambda over the impulses that are reported, however many solves it took.
 */
START_TEST(impulses_account_for_the_velocities)
{
    cases_random r = {3500};
    int long_ones = 0, restored = 0, limited = 0;
    for (int run = 0; run < 300; run++) {
        random_step(&r, 40);
        peg_island_step(&T.I);
        ck_assert(!T.I.failed && T.stats.unconverged == 0);
        double change[2][6] = {{0}}, unit = 0;
        for (int i = 0; i < T.I.impulse.m; i++) {
            const peg_row *row = &T.I.impulse.row[i];
            ck_assert_double_ge(row->lambda, 0);
            for (int b = 0; b < 2; b++) {
                const double *G = b ? row->Gb : row->Ga;
                double turn[3];
                peg_rotate(T.mass[b].inv_inertia, G + 3, turn);
                for (int k = 0; k < 3; k++) {
                    change[b][k] += row->lambda * T.mass[b].inv_mass * G[k];
                    change[b][3 + k] += row->lambda * turn[k];
                }
            }
            restored += i > 0 && peg_row_same(row, &T.I.impulse.row[i - 1]);
        }
        /* the position stage moves the poses without impulses */
        const double(*v)[6] =
            (const double(*)[6])(T.I.forms & PEG_FORM_POSITIONS_APART ? T.v_motion : T.v_pose);
        limited += T.stats.limited_islands > 0;
        for (int b = 0; b < 2; b++)
            unit += peg_norm(T.v_end[b]) + peg_norm(T.v_end[b] + 3) + peg_norm(change[b]) +
                    peg_norm(change[b] + 3);
        for (int b = 0; b < 2; b++)
            for (int k = 0; k < 6; k++)
                ck_assert_double_le(fabs(T.rigid[b].state.v_free[k] + change[b][k] - v[b][k]),
                                    EXACT * unit);
        long_ones += T.stats.outer_iterations > 3;
        end_case();
    }
    ck_assert_int_gt(long_ones, 20);
    ck_assert_int_gt(restored, 0);
    ck_assert_int_le(limited, 3);
}
END_TEST

/* w . I with, the inertia of the body at orientation q. */
static double spin_energy(const peg_body *b, const double *q, const double *w, const double *with)
{
    double back[4] = {q[0], -q[1], -q[2], -q[3]}, local[3], other[3], L[3];
    turn(back, w, local);
    turn(back, with, other);
    peg_rotate(b->inertia, local, L);
    return peg_dot(other, L);
}

/* Kinetic energy with the inertia at the end of the step, less that at the start, less the work of
 * what was applied: v_f beyond where the gyroscopic term leads. In every second run the velocities
 * after the step are others than those that moved the poses. */
START_TEST(gain_is_the_energy_at_the_end)
{
    cases_random r = {3700};
    for (int run = 0; run < 200; run++) {
        double expected = 0, unit = 0;
        random_step(&r, 40);
        for (int i = 0; i < 2; i++) {
            peg_body *b = &T.rigid[i].state;
            b->gyroscopic = i;
            for (int k = 0; k < 6; k++) b->v_free[k] += cases_uniform(&r, -5, 5);
            memcpy(T.rigid[i].target, b->v_free, sizeof b->v_free);
        }
        place();
        for (int i = 0; i < 2; i++) {
            const peg_body *b = &T.rigid[i].state;
            double x[3], q[4], unforced[3], applied[6], end[6], m = b->mass, *v = T.v[i];
            peg_copy3(b->v + 3, unforced);
            if (i) peg_gyroscopic_velocity(b, H, b->v + 3, unforced);
            for (int k = 0; k < 3; k++) {
                applied[k] = b->v_free[k] - b->v[k];
                applied[3 + k] = b->v_free[3 + k] - unforced[k];
                v[k] += cases_uniform(&r, -1, 1);
            }
            memcpy(end, v, sizeof end);
            for (int k = 0; k < 6 && run % 2; k++) end[k] += cases_uniform(&r, -5, 5);
            memcpy(T.v_end[i], end, sizeof end);
            peg_body_pose(b, v, H, x, q);
            double after = 0.5 * (m * peg_dot(end, end) + spin_energy(b, q, end + 3, end + 3));
            double before =
                0.5 * (m * peg_dot(b->v, b->v) + spin_energy(b, b->q, b->v + 3, b->v + 3));
            expected +=
                after - before - m * peg_dot(v, applied) - spin_energy(b, b->q, v + 3, applied + 3);
            unit += after + before;
        }
        peg_island_move(&T.I);
        double gain = peg_island_gain_with(&T.I, (const double(*)[6])T.v_end);
        ck_assert_double_le(fabs(gain - expected), EXACT * unit);
        end_case();
    }
}
END_TEST

/* --- friction rows --- */

/* A cube at rest on a static one, with one normal row and its friction rows through the centre of
 * mass, so that nothing turns. */
static peg_polytope *cube_shape;

static void cube_begin(void)
{
    cube_shape = box(1, 1, 1);
}

static void cube_end(void)
{
    tear_down();
    peg_polytope_free(cube_shape);
}

static void rub_cube(const peg_surface *surface, int directions, const double *slide)
{
    set_up(PEG_STATIC, cube_shape, cube_shape);
    T.settings.friction_directions = directions;
    T.rigid[0].state.x[2] = 1;
    place();
    peg_copy3(slide, T.rigid[0].state.v_free);
    peg_copy3(slide, T.rigid[0].target);
    T.surface = *surface;
    peg_row *normal = peg_row_set_add(&T.I, &T.I.rows);
    ck_assert_ptr_nonnull(normal);
    memset(normal, 0, sizeof *normal);
    normal->Ga[2] = normal->normal[2] = 1;
    peg_friction_frame rub = {{0, 0, 1}, {0, 0, 1}};
    peg_friction_rows(&T.I, &T.pair, pose(), &rub, &T.I.rows);
}

static const int cone_sides[] = {4, 8, 16};

/* Sum of the segments' ends that lie farthest along d. */
static void farthest(const double *d, double *sum)
{
    memset(sum, 0, 3 * sizeof *sum);
    for (int i = 1; i < T.I.rows.m; i++) {
        const peg_row *row = &T.I.rows.row[i];
        peg_add_scaled(sum, row->mu * (peg_dot(row->normal, d) > 0 ? 1 : -1), row->normal, sum);
    }
}

START_TEST(cone_is_a_regular_polygon)
{
    int sides = cone_sides[_i];
    double mu = 0.7, along[3] = {1.2, -0.5, 0}, across[3];
    rub_cube(&(peg_surface){.mu = mu, .mu2 = mu}, sides, along);
    ck_assert_int_eq(T.I.rows.m, 1 + sides / 2);
    peg_normalise(along);
    peg_cross((double[]){0, 0, 1}, along, across);
    cases_random r = {4000};
    for (int j = 0; j < 10 * sides; j++) { /* the corners, then directions in between */
        double angle = j < sides ? 2 * PI * j / sides : cases_uniform(&r, 0, 2 * PI);
        double d[3], sum[3], support = -1;
        for (int k = 0; k < 3; k++) d[k] = cos(angle) * along[k] + sin(angle) * across[k];
        farthest(d, sum);
        ck_assert_double_le(fabs(peg_norm(sum) - mu), EXACT);
        for (int k = 0; k < 3 && j < sides; k++)
            ck_assert_double_le(fabs(sum[k] - mu * d[k]), EXACT);
        for (int c = 0; c < sides; c++) support = fmax(support, cos(angle - 2 * PI * c / sides));
        ck_assert_double_le(fabs(peg_dot(sum, d) - mu * support), EXACT);
    }
}
END_TEST

/* The friction impulse of a sliding cube takes out most energy at its final speed [F 5]: a corner
 * of the cone, unless that velocity is square to a side. The surface's axis is fixed, so that the
 * sliding direction may be any. */
START_TEST(dissipation_is_greatest)
{
    int sides = cone_sides[_i];
    double mu = 0.4;
    peg_surface surface = {.mu = mu, .mu2 = mu, .axis = {1, 0, 0.3}}; /* its tangent part counts */
    for (int j = 0; j < 40; j++) {
        double angle = 0.1 + 2 * PI * j / 40, best = -1, power = 0;
        double slide[6] = {5 * cos(angle), 5 * sin(angle), -1};
        rub_cube(&surface, sides, slide);
        ck_assert_int_eq(peg_island_solve(&T.I, PEG_ABOUT_FREE), PEG_SOLVED);
        double lambda = T.I.rows.row[0].lambda, fastest = hypot(T.v[0][0], T.v[0][1]);
        double end = atan2(T.v[0][1], T.v[0][0]), impulse[3] = {0}, corner[3];
        ck_assert_double_le(fabs(lambda - 1), 1e-9);
        for (int k = 0; k < 2; k++) {
            impulse[k] = T.v[0][k] - slide[k];
            power -= impulse[k] * T.v[0][k];
        }
        for (int c = 0; c < sides; c++)
            best = fmax(best, fastest * mu * lambda * cos(end - 2 * PI * c / sides));
        ck_assert_double_le(fabs(power - best), 1e-8);
        farthest(impulse, corner);
        ck_assert_double_ge(peg_norm(impulse), mu * lambda * cos(PI / sides) - 1e-8);
        ck_assert_double_le(peg_dot(impulse, impulse), lambda * peg_dot(corner, impulse) + 1e-8);
        tear_down();
    }
    rub_cube(&surface, sides, (double[]){0, 0, 0});
}
END_TEST

START_TEST(pyramid_has_two_bounds)
{
    peg_surface surface = {.mu = 0.3, .mu2 = 0.6, .pyramid = 1, .axis = {0, 2, 0}};
    surface.slip = 0.01, surface.slip2 = 0.02;
    surface.motion[0] = 0.5, surface.motion[1] = -0.25;
    rub_cube(&surface, 8, (double[]){1, 1, 0});
    ck_assert_int_eq(T.I.rows.m, 3);
    const peg_row *row = T.I.rows.row;
    ck_assert(row[1].friction == 1 && row[2].friction == 2);
    ck_assert(row[1].mu == 0.3 && row[2].mu == 0.6 && row[1].limit == 0 && row[2].limit == 0);
    ck_assert(row[1].Ga[1] == 1 && row[2].Ga[0] == -1); /* axis 2 = normal x axis 1 */
    ck_assert_double_le(fabs(row[1].bias + 0.5) + fabs(row[2].bias - 0.25), EXACT);
    ck_assert_double_le(fabs(row[1].compliance - 0.01 / H), EXACT);
    ck_assert_double_le(fabs(row[2].compliance - 0.02 / H), EXACT);
}
END_TEST

START_TEST(limits_are_forces)
{
    peg_surface surface = {.mu = 3, .mu2 = 5, .rho = 2, .force_limit = 1, .axis = {1, 0, 0}};
    rub_cube(&surface, 8, (double[]){1, 1, 0});
    ck_assert_int_eq(T.I.rows.m, 4);
    for (int i = 1; i < 4; i++) ck_assert(T.I.rows.row[i].mu == 0);
    ck_assert_double_le(fabs(T.I.rows.row[1].limit - 3 * H), EXACT);
    ck_assert_double_le(fabs(T.I.rows.row[2].limit - 5 * H), EXACT);
    ck_assert_double_le(fabs(T.I.rows.row[3].limit - 2 * H), EXACT);
    tear_down();
    rub_cube(&(peg_surface){.mu = INFINITY, .mu2 = INFINITY}, 8, (double[]){1, 1, 0});
    ck_assert_int_eq(T.I.rows.m, 3);
    for (int i = 1; i < 3; i++) ck_assert(isinf(T.I.rows.row[i].limit) && T.I.rows.row[i].mu == 0);
}
END_TEST

/* Rolling friction about both axes and spinning friction about the normal: torques only. */
START_TEST(rolling_rows_turn)
{
    peg_surface surface = {.rho = 0.1, .rho2 = 0.2, .rhoN = 0.3, .axis = {1, 0, 0}};
    static const double coefficient[] = {0.1, 0.2, 0.3};
    rub_cube(&surface, 4, (double[]){0, 0, 0});
    ck_assert_int_eq(T.I.rows.m, 4);
    for (int i = 0; i < 3; i++) {
        const peg_row *row = &T.I.rows.row[1 + i];
        ck_assert(row->mu == coefficient[i] && row->limit == 0 && row->friction == 1 + i);
        for (int k = 0; k < 3; k++) ck_assert(row->Ga[k] == 0 && row->Ga[3 + k] == (k == i));
    }
    ck_assert(!peg_has_friction(&(peg_surface){.bounce = 1, .soft = 1}));
    ck_assert(peg_has_friction(&(peg_surface){.rhoN = 1}));
}
END_TEST

/* A conveyor under the cube: its velocity is in the bias of sliding and rolling rows. */
START_TEST(friction_knows_given_velocities)
{
    peg_surface surface = {.mu = 1, .mu2 = 1, .pyramid = 1, .rhoN = 1, .axis = {1, 0, 0}};
    rub_cube(&surface, 4, (double[]){0, 0, 0});
    T.I.rows.m = 1;
    double belt[6] = {2, 3, 0, 0, 0, 4};
    T.rigid[1].state.kind = PEG_KINEMATIC;
    memcpy(T.v[1], belt, sizeof belt);
    peg_friction_frame rub = {{0, 0, 1}, {0.25, 0, 0.5}};
    peg_friction_rows(&T.I, &T.pair, pose(), &rub, &T.I.rows);
    const peg_row *row = T.I.rows.row;
    ck_assert_int_eq(T.I.rows.m, 4);
    ck_assert_double_le(fabs(row[1].bias + 2), EXACT);
    ck_assert_double_le(fabs(row[2].bias + 3 + 4 * 0.25), EXACT);
    ck_assert_double_le(fabs(row[3].bias + 4), EXACT);
    for (int i = 1; i < 4; i++) {
        ck_assert(row[i].prescribed == row[i].bias);
        for (int k = 0; k < 6; k++) ck_assert(row[i].Gb[k] == 0);
    }
}
END_TEST

static Suite *rows_suite(void)
{
    Suite *suite = suite_create("rows");
    TCase *normal = tcase_create("normal"), *way = tcase_create("first contact");
    TCase *whole = tcase_create("whole steps"), *friction = tcase_create("friction");
    tcase_set_timeout(normal, 60);
    tcase_add_loop_test(normal, rows_are_exact_between_start_and_iterate, 0, 3);
    tcase_add_loop_test(normal, rows_have_no_net_moment, 0, 3);
    tcase_add_loop_test(normal, what_is_nearest_makes_a_row, 0, 3);
    tcase_add_test(normal, rest_satisfies_rows);
    tcase_add_test(normal, given_velocity_goes_to_the_bias);
    tcase_add_loop_test(way, first_contact_of_a_flying_cube, 0, 2);
    tcase_add_loop_test(way, swing_through_row_is_about_the_deep_pose, 0, 2);
    tcase_add_test(whole, impulses_account_for_the_velocities);
    tcase_add_test(whole, gain_is_the_energy_at_the_end);
    tcase_add_checked_fixture(friction, cube_begin, cube_end);
    tcase_add_loop_test(friction, cone_is_a_regular_polygon, 0, 3);
    tcase_add_loop_test(friction, dissipation_is_greatest, 0, 3);
    tcase_add_test(friction, pyramid_has_two_bounds);
    tcase_add_test(friction, limits_are_forces);
    tcase_add_test(friction, rolling_rows_turn);
    tcase_add_test(friction, friction_knows_given_velocities);
    suite_add_tcase(suite, normal);
    suite_add_tcase(suite, way);
    suite_add_tcase(suite, whole);
    suite_add_tcase(suite, friction);
    return suite;
}

Suite *test_suite(void)
{
    return rows_suite();
}
