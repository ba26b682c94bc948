/* Rows of an island of two bodies: the identities of midpoint rows against gaps and normals that
 * are computed here from nothing but vertices and quaternions, the moment of their impulses, rows
 * on the way, and the cone that friction rows span. */
#include "tests/runner.h"
#include "tests/geometry_cases.h"
#include "tests/two_bodies.h"
#include "peg/contact/contact_row.h"
#include "peg/contact/jacobian.h"
#include "peg/contact/island.h"
#include "peg/island/outer_loop.h"
#include "peg/island/island_step.h"
#include "peg/contact/kinematics.h"
#include "peg/contact/loaded_contact.h"
#include "peg/contact/patch.h"
#include "peg/contact/friction.h"
#include "peg/contact/patch_polytope.h"
#include "peg/contact/first_contact.h"
#include "peg/island/energy.h"
#include "peg/island/solve.h"
#include "peg/contact/pose.h"
#include "peg/base/settings.h"
#include "peg/shape/triangle_mesh.h"

#include <check.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

/* Identities that hold to rounding, relative to the terms of the sum. */
static const double EXACT = 1e-12;
/* Central differences with steps of 1e-5 L: truncation and rounding, in L. */
static const double DIFFERENCE = 1e-5, DIFFERENCE_ERROR = 2e-8;

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
        peg_body_pose(&T.rigid[i].state, part_of_v, TWO_BODIES_STEP, x[i], q[i]);
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
    return sum + T.pair.L / TWO_BODIES_STEP;
}

/* --- two boxes that are near at the iterate of a random motion --- */

static void random_motion(cases_random *r, double v[6])
{
    double n[3];
    cases_direction(r, n);
    double turn_of_step = cases_uniform(r, 0, 3) / TWO_BODIES_STEP;
    for (int k = 0; k < 3; k++) {
        v[k] = cases_uniform(r, -1, 1) / TWO_BODIES_STEP;
        v[3 + k] = turn_of_step * n[k];
    }
}

static void random_case(cases_random *r, peg_body_kind second, int finite_rotation)
{
    double R[9];
    two_bodies_begin(second, two_bodies_box(1, cases_uniform(r, 0.3, 1), cases_uniform(r, 0.3, 1)),
                     two_bodies_box(1, cases_uniform(r, 0.3, 2), cases_uniform(r, 0.3, 2)));
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
    two_bodies_place();
    double shift = cases_uniform(r, 0, 0.02) * T.pair.L - T.pair.facet.s;
    peg_add_scaled(T.rigid[0].state.x, shift, T.pair.facet.n, T.rigid[0].state.x);
    two_bodies_place();
}

static void end_case(void)
{
    peg_polytope *shape[2];
    for (int i = 0; i < 2; i++) memcpy(&shape[i], &T.part[i].shape, sizeof shape[i]);
    two_bodies_end();
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
        peg_polytope *b = run % 2 ? dilated(&r, run / 2 % 3) : two_bodies_box(1, 2, 3);
        two_bodies_begin(PEG_STATIC, a, b);
        T.pair.reach = .4 * T.pair.L;
        double *x = T.rigid[0].state.x, gap = cases_uniform(&r, 0, 1) * T.pair.reach;
        cases_direction(&r, x);
        for (int k = 0; k < 3; k++) x[k] *= .7 * (a->radius + b->radius);
        for (int i = 0; i < 2; i++) turn_at_random(&r, T.rigid[i].state.q);
        two_bodies_place();
        peg_add_scaled(x, gap - T.pair.facet.s, T.pair.facet.n, x);
        two_bodies_place();
        gap = T.pair.facet.s; /* of what overlapped it may be more */
        peg_patch_rows(&T.I, 0, two_bodies_pose(), &T.I.rows);
        double least = INFINITY;
        int nearest = 0, within = gap < T.pair.reach;
        for (int i = 0; i < T.I.rows.m; i++) {
            const peg_row *row = &T.I.rows.row[i];
            if (row->gap < least) least = row->gap, nearest = (int)row->kind;
        }
        ck_assert_msg(!within || fabs(least - gap) < 1e-12, "%d: %g for %g", run, least, gap);
        seen[nearest] += within;
        two_bodies_end();
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
        peg_body_pose(&T.rigid[b].state, v[b], TWO_BODIES_STEP, x, q);
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
    ck_assert_double_le(fabs(row->gap - row->gap0 - TWO_BODIES_STEP * length * speed(row, v)),
                        TWO_BODIES_STEP * unit);
    ck_assert_double_le(fabs(length * row->bias - (row->gap0 - row->target) / TWO_BODIES_STEP),
                        unit);
}

/* h G = d gap / d v by central differences; the bias makes the row right at the iterate. */
static void check_tangent(const peg_row *row, const double (*iterate)[6], double unit)
{
    double v[2][6], worst = 0;
    memcpy(v, iterate, sizeof v);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 6; k++) {
            double at = v[i][k], step = DIFFERENCE / TWO_BODIES_STEP;
            v[i][k] = at + step;
            double more = gap_at(row, (const double(*)[6])v, 1, row->normal);
            v[i][k] = at - step;
            double less = gap_at(row, (const double(*)[6])v, 1, row->normal);
            v[i][k] = at;
            double G = (i ? row->Gb : row->Ga)[k];
            worst = fmax(worst, fabs((more - less) / (2 * DIFFERENCE) - G));
        }
    ck_assert_msg(worst < DIFFERENCE_ERROR, "kind %d: %g", row->kind, worst);
    ck_assert_double_le(
        fabs(speed(row, iterate) + row->bias - (row->gap - row->target) / TWO_BODIES_STEP), unit);
}

/* Midpoint rows of all kinds: length (h (G u + bias)) = gap - target and length (h bias) = gap0 -
 * target, with the same length, which for edges is that of a normal corrected by a share of the
 * speed. */
static void check_midpoint(const peg_row *row, const double (*v)[6], double unit)
{
    double there = speed(row, v) + row->bias, wanted = (row->gap - row->target) / TWO_BODIES_STEP;
    double start = (row->gap0 - row->target) / TWO_BODIES_STEP;
    if (fabs(there) > 1e5 * unit)
        ck_assert(wanted / there > 0 && wanted / there < 1.31);
    else
        ck_assert_double_le(fabs(wanted), 1e5 * unit * 1.3);
    ck_assert_double_le(fabs(wanted * row->bias - there * start),
                        unit * (fabs(row->bias) + fabs(start) + fabs(there) + fabs(wanted)));
    if (row->gap0 >= 0)
        ck_assert_double_ge(row->bias,
                            -row->gap_growth / TWO_BODIES_STEP - unit); /* v = 0 is allowed */
}

/* _i: finite_rotation of both bodies. */
START_TEST(rows_are_exact_between_start_and_iterate)
{
    cases_random r = {2000 + (unsigned long long)_i};
    int seen[3] = {0}, tangent[3] = {0};
    for (int run = 0; run < 600; run++) {
        random_case(&r, PEG_DYNAMIC, _i);
        const double(*v)[6] = (const double(*)[6])T.v;
        peg_patch_rows(&T.I, 0, two_bodies_pose(), &T.I.rows);
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
/* Quaternions multiply: the pose of the new velocity is that of the old one, turned by t. Where
 * that would make half a turn in the step the velocity grows by no more than t / h. */
START_TEST(a_further_turn_multiplies_the_pose)
{
    static const double spin[] = {0, 1e-9, .3, 2, 9, 35, 4000}; /* rad/s */
    const double h = .1, axis[3] = {.6, 0, -.8}, t[3] = {.05, -.11, .07};
    peg_body body = {.q = {.5, .5, -.5, .5}, .max_angular_speed = INFINITY};
    for (int i = 0; i < 7; i++) {
        double v[6] = {0}, x[3], before[4], after[4], wanted[4];
        double e[4] = {1, .5 * t[0], .5 * t[1], .5 * t[2]}, norm = 0;
        for (int k = 0; k < 3; k++) v[3 + k] = spin[i] * axis[k];
        peg_body_pose(&body, v, h, x, before);
        peg_turn_further(h, t, v + 3);
        peg_body_pose(&body, v, h, x, after);
        peg_quat_mul(e, before, wanted);
        for (int k = 0; k < 4; k++) norm += wanted[k] * wanted[k];
        int is_half_turn = .25 * h * spin[i] * peg_dot(t, axis) > .5;
        for (int k = 0; k < 4 && !is_half_turn; k++)
            ck_assert_double_eq_tol(after[k], wanted[k] / sqrt(norm), EXACT);
        ck_assert_double_le(peg_norm(v + 3), 2 * (spin[i] + peg_norm(t) / h));
    }
    double w[3] = {4000 * t[0], 4000 * t[1], 4000 * t[2]}, speed = peg_norm(w);
    peg_turn_further(h, t, w);
    ck_assert_double_le(peg_norm(w), speed + peg_norm(t) / h + EXACT);
}
END_TEST

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
        peg_patch_rows(&T.I, 0, two_bodies_pose(), &T.I.rows);
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
        two_bodies_place();
        double shift = cases_uniform(&r, 0, 0.02) * T.pair.L - T.pair.facet.s;
        peg_add_scaled(T.rigid[0].state.x, shift, T.pair.facet.n, T.rigid[0].state.x);
        two_bodies_place();
        peg_patch_rows(&T.I, 0, two_bodies_pose(), &T.I.rows);
        for (int i = 0; i < T.I.rows.m; i++) {
            const peg_row *row = &T.I.rows.row[i];
            tangent += !is_midpoint(row, (const double(*)[6])T.v);
            if (row->gap0 < 0) continue;
            ck_assert_msg(row->bias >= -row->gap_growth / TWO_BODIES_STEP -
                                           EXACT * T.pair.L / TWO_BODIES_STEP,
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
        peg_patch_rows(&T.I, 0, two_bodies_pose(), &folded);
        T.I.nd = 2;
        peg_patch_rows(&T.I, 0, two_bodies_pose(), &whole);
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
    peg_polytope *cube = two_bodies_box(1, 1, 1), *plate = two_bodies_box(4, 4, 0.1);
    double distance = 2, stroke = 6, at = distance / stroke;
    two_bodies_begin(_i == 0 ? PEG_DYNAMIC : PEG_STATIC, cube, plate);
    T.rigid[0].state.x[2] = distance + 0.55;
    T.v[0][2] = -stroke / TWO_BODIES_STEP;
    T.v[0][0] = 0.3 / TWO_BODIES_STEP;
    two_bodies_place();
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
        double stopped[2][6] = {{0, 0, (T.pair.margin - distance) / TWO_BODIES_STEP}};
        ck_assert_double_le(fabs(speed(row, (const double(*)[6])stopped) + row->bias),
                            EXACT * stroke / TWO_BODIES_STEP);
    }
    /* Away from the plate nothing is met; a stroke that ends above it neither. */
    T.v[0][2] = stroke / TWO_BODIES_STEP;
    ck_assert(!peg_conservative_advancement(&T.I, &T.pair, v, depth).hit);
    T.v[0][2] = -0.99 * distance / TWO_BODIES_STEP;
    ck_assert(!peg_conservative_advancement(&T.I, &T.pair, v, depth).hit);
    two_bodies_end();
    peg_polytope_free(cube);
    peg_polytope_free(plate);
}
END_TEST

/* Separation of the two bodies at a share of their motion, m. */
static double separation_at(double t)
{
    peg_view *now[2] = {&T.piece[0].now, &T.piece[1].now};
    for (int i = 0; i < 2; i++) {
        double v[6], x[3], R[9];
        for (int k = 0; k < 6; k++) v[k] = t * T.v[i][k];
        peg_rigid_pose(&T.rigid[i], v, TWO_BODIES_STEP, x, R);
        peg_piece_place(&T.piece[i], x, R, now[i]);
    }
    return peg_separation(now[0], now[1], INFINITY, NULL, NULL).s;
}

/* Bodies that pass each other are nowhere nearer than the bound on their whole motion. */
START_TEST(what_passes_by_stays_clear)
{
    peg_polytope *blade = two_bodies_box(4, 0.2, 0.2), *post = two_bodies_box(0.3, 0.3, 2);
    cases_random r = {7100};
    int clear = 0, tight = 0;
    for (int n = 0; n < 300; n++) {
        two_bodies_begin(PEG_DYNAMIC, blade, post);
        for (int k = 0; k < 3; k++) T.rigid[0].state.x[k] = cases_uniform(&r, -2, 2);
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 6; k++)
                T.v[i][k] = (k < 3 ? 2 : 1) * cases_uniform(&r, -1, 1) / TWO_BODIES_STEP;
        two_bodies_place();
        peg_passage passage =
            T.pair.s0 > 0 ? peg_conservative_advancement(&T.I, &T.pair, (const double(*)[6])T.v,
                                                         PEG_HIT_DEPTH * T.pair.width)
                          : (peg_passage){.clear = -INFINITY};
        double least = INFINITY;
        for (int k = 0; k <= 64 && passage.clear > 0; k++)
            least = fmin(least, separation_at(k / 64.0));
        ck_assert_double_ge(least, passage.clear);
        clear += passage.clear > 0;
        tight += passage.clear > 0.2 * least && least < INFINITY;
        two_bodies_end();
    }
    ck_assert_int_gt(clear, 100);
    ck_assert_int_gt(tight, clear / 4);
    peg_polytope_free(blade);
    peg_polytope_free(post);
}
END_TEST

/* --- triangles on their way --- */

/* The first triangle lies on x > 0, `across` beyond the edge that it shares with the second one,
 * and 1 um above their plane. */
static int passes(double across, const double v[6], const double w[6])
{
    static const peg_vec3 corner[2][3] = {{{0, -0.5, 0}, {1, 0, 0}, {0, 0.5, 0}},
                                          {{0, -0.5, 0}, {0, 0.5, 0}, {-1, 0, 0}}};
    static const int whole[1][3] = {{0, 1, 2}};
    const peg_polytope *shape[2];
    peg_triangle_mesh *mesh[2];
    peg_arena arena = {0};
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(peg_triangle_mesh_create(corner[i], 3, whole, 1, 0, &mesh[i]), PEG_OK);
        shape[i] = peg_triangle_polytope(&arena, mesh[i], 0, 0);
        ck_assert_ptr_nonnull(shape[i]);
    }
    two_bodies_begin(PEG_DYNAMIC, shape[0], shape[1]);
    T.rigid[0].state.x[0] = across, T.rigid[0].state.x[2] = 1e-6;
    for (int k = 0; k < 6; k++) {
        T.v[0][k] = v[k] / TWO_BODIES_STEP;
        T.v[1][k] = w[k] / TWO_BODIES_STEP;
    }
    two_bodies_place();
    peg_passage passage = peg_conservative_advancement(&T.I, &T.pair, (const double(*)[6])T.v,
                                                       PEG_HIT_DEPTH * T.pair.width);
    two_bodies_end();
    peg_arena_free(&arena);
    for (int i = 0; i < 2; i++) peg_triangle_mesh_free(mesh[i]);
    return passage.hit;
}

START_TEST(triangles_beside_each_other_do_not_pass)
{
    static const double rest[6] = {0}, down[6] = {0.02, 0, -0.2}, through[6] = {0, 0, -0.2};
    static const double turn[6] = {0, 0, 0, 0.3, 0, 0}, slide[6] = {0.1, 0, 0, 0.3, 0, 0};
    ck_assert(!passes(0, down, rest));
    ck_assert(passes(-0.3, down, rest));
    ck_assert(passes(-0.3, through, rest));
    ck_assert(!passes(-0.3, turn, turn));
    ck_assert(!passes(-0.3, slide, turn));
}
END_TEST

/* A blade turns past a post. Rows at the pose u = t v of first contact hold the end of the motion:
 * length h (G u + bias) = gap(u) - target. Met a second time at the same moment, the row is about
 * the pose that is too deep: length h t (G v + bias) = gap(u) - target for the same share t of any
 * motion v. The post's own motion is given for the whole step. */
START_TEST(swing_through_row_is_about_the_deep_pose)
{
    peg_polytope *blade = two_bodies_box(4, 0.2, 0.2), *post = two_bodies_box(0.3, 0.3, 2);
    two_bodies_begin(_i == 0 ? PEG_DYNAMIC : PEG_KINEMATIC, blade, post);
    double odd[3] = {0.1, -0.2, 1};
    peg_normalise(odd);
    for (int k = 0; k < 3; k++) T.v[0][3 + k] = 2 / TWO_BODIES_STEP * odd[k];
    T.rigid[1].state.x[0] = 1.2, T.rigid[1].state.x[1] = 1;
    if (_i == 1) T.v[1][1] = T.rigid[1].state.v[1] = -0.2 / TWO_BODIES_STEP;
    two_bodies_place();
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
        double length = row->kind == PEG_FEATURES_EE
                            ? (gap - T.pair.margin) / (TWO_BODIES_STEP * value)
                            : mid_length(row, v, t);
        ck_assert(length > 0.5 && length < 1.31);
        ck_assert_double_le(fabs(length * TWO_BODIES_STEP * value - gap + T.pair.margin),
                            100 * EXACT);
    }
    two_bodies_end();
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
        two_bodies_place();
        /* they would overlap at the end */
        double depth = cases_uniform(r, 0.02, 0.2) * T.pair.L + T.pair.facet.s;
        peg_add_scaled(T.rigid[0].state.x, -depth, T.pair.facet.n, T.rigid[0].state.x);
        two_bodies_place();
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
        ck_assert(!T.I.failed && T.stats.unconverged == 0 && peg_loaded_to_rows(&T.I));
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
        const double(*v)[6] = (const double(*)[6])peg_velocities_after(&T.I);
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

/* What one moving body gives and another, or the same, takes is granted as the difference: of
 * bodies that are squeezed the impulses are large, and nearly cancel. */
START_TEST(what_is_squeezed_is_granted_no_more_than_is_given)
{
    cases_random r = {11};
    random_step(&r, 40);
    peg_row row[2] = {{.lambda = 1e6}, {.lambda = 1e6 - 3}};
    peg_row_set before = T.I.impulse;
    T.I.impulse = (peg_row_set){.row = row, .m = 2};
    T.I.forms = 0;
    double still = peg_energy_granted(&T.I);
    row[0].prescribed = -2, row[1].prescribed = 2;
    ck_assert_double_eq_tol(peg_energy_granted(&T.I) - still, 6, 1e-6);
    row[0].prescribed = 2, row[1].prescribed = -2;
    ck_assert_double_eq_tol(peg_energy_granted(&T.I) - still, 0, 1e-6);
    T.I.impulse = before;
    end_case();
}
END_TEST

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
        two_bodies_place();
        for (int i = 0; i < 2; i++) {
            const peg_body *b = &T.rigid[i].state;
            double x[3], q[4], unforced[3], applied[6], end[6], m = b->mass, *v = T.v[i];
            peg_copy3(b->v + 3, unforced);
            if (i) peg_gyroscopic_velocity(b, TWO_BODIES_STEP, b->v + 3, unforced);
            for (int k = 0; k < 3; k++) {
                applied[k] = b->v_free[k] - b->v[k];
                applied[3 + k] = b->v_free[3 + k] - unforced[k];
                v[k] += cases_uniform(&r, -1, 1);
            }
            memcpy(end, v, sizeof end);
            for (int k = 0; k < 6 && run % 2; k++) end[k] += cases_uniform(&r, -5, 5);
            memcpy(T.v_end[i], end, sizeof end);
            peg_body_pose(b, v, TWO_BODIES_STEP, x, q);
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

/* A body that stands elsewhere than where its velocity leads it: the velocity that goes along has
 * the energy that it has with the inertia at the start, as it has where it leads itself. */
START_TEST(carried_velocities_keep_their_energy)
{
    cases_random r = {4200};
    for (int run = 0; run < 100; run++) {
        random_step(&r, 40);
        peg_island_move(&T.I);
        for (int i = 0; i < 2; i++) {
            const peg_rigid *rigid = &T.rigid[i];
            double v[6], carried[6], same[6], unit;
            for (int k = 0; k < 6; k++) v[k] = T.v[i][k] + cases_uniform(&r, -50, 50);
            peg_carried_velocity(rigid, v, carried);
            unit = .5 * peg_energy_product(rigid, v, v);
            ck_assert_double_le(fabs(peg_end_energy(rigid, carried) - unit), EXACT * unit);
            for (int k = 0; k < 3; k++) ck_assert_double_eq(carried[k], v[k]);
            for (int k = 3, l = 4; k < 6; k++, l = k < 5 ? k + 1 : 3)
                ck_assert_double_le(fabs(carried[k] * v[l] - carried[l] * v[k]), 1e-9);
            peg_carried_velocity(rigid, T.v[i], same);
            for (int k = 0; k < 6; k++) ck_assert_double_eq(same[k], T.v[i][k]);
        }
        end_case();
    }
}
END_TEST

static Suite *rows_suite(void)
{
    Suite *suite = suite_create("rows");
    TCase *normal = tcase_create("normal"), *way = tcase_create("first contact");
    TCase *whole = tcase_create("whole steps");
    tcase_set_timeout(normal, 60);
    tcase_add_loop_test(normal, rows_are_exact_between_start_and_iterate, 0, 3);
    tcase_add_test(normal, a_further_turn_multiplies_the_pose);
    tcase_add_loop_test(normal, rows_have_no_net_moment, 0, 3);
    tcase_add_loop_test(normal, what_is_nearest_makes_a_row, 0, 3);
    tcase_add_test(normal, rest_satisfies_rows);
    tcase_add_test(normal, given_velocity_goes_to_the_bias);
    tcase_add_loop_test(way, first_contact_of_a_flying_cube, 0, 2);
    tcase_add_test(way, what_passes_by_stays_clear);
    tcase_add_test(way, triangles_beside_each_other_do_not_pass);
    tcase_add_loop_test(way, swing_through_row_is_about_the_deep_pose, 0, 2);
    tcase_add_test(whole, impulses_account_for_the_velocities);
    tcase_add_test(whole, what_is_squeezed_is_granted_no_more_than_is_given);
    tcase_add_test(whole, gain_is_the_energy_at_the_end);
    tcase_add_test(whole, carried_velocities_keep_their_energy);
    suite_add_tcase(suite, normal);
    suite_add_tcase(suite, way);
    suite_add_tcase(suite, whole);
    suite_add_tcase(suite, friction_row_tests());
    return suite;
}

Suite *test_suite(void)
{
    return rows_suite();
}
