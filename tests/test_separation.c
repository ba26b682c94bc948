/* Exact separation against brute force, on random pairs and on pairs near every degeneracy. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/geometry_cases.h"
#include "tests/geometry_oracle.h"
#include "peg/base/arena.h"
#include "peg/collide/separation.h"
#include "peg/shape/triangle_mesh.h"
#include "tests/test_geometry.h"

enum { SHAPES = 96, PAIRS = 100000, EXTRA = 16 /* every EXTRA-th pair: the checks that repeat */ };

/* Rounding of coordinates, relative to the sum of the radii and the distance of the centres. */
static const double ROUNDING = 1e-11;

typedef struct kept {
    int count;
    double least, largest;
} kept;

static void keep_facet(void *context, const peg_facet *facet)
{
    kept *k = context;
    k->least = fmin(k->least, facet->s);
    k->largest = fmax(k->largest, facet->s);
    k->count++;
}

typedef struct pose {
    double x[3], R[9];
} pose;

/* Puts B beside A: at random, face on face, edge along edge or vertex on vertex, with an offset
 * from 0 to the size. */
static void place(cases_random *r, const peg_view *A, const peg_polytope *b, pose *at)
{
    peg_vec3 on_a, on_b, n, m;
    double far = A->shape->radius + b->radius;
    double offset = cases_below(r, 3) ? cases_magnitude(r, -12, 0) * far : 0;
    int kind = cases_below(r, 4);
    cases_rotation(r, at->R);
    int va = cases_below(r, A->shape->nv), vb = cases_below(r, b->nv);
    peg_copy3(A->vertex[va], on_a);
    peg_copy3(b->vertex[vb], on_b);
    cases_direction(r, n);
    if (kind == 0) {
        peg_copy3(A->centre, on_a);
        peg_copy3(b->centre, on_b);
        offset = cases_uniform(r, 0, 1.2) * far;
    } else if (kind == 1) {
        int fa = cases_below(r, A->shape->nf), fb = cases_below(r, b->nf);
        peg_copy3(A->normal[fa], n);
        for (int k = 0; k < 3; k++) m[k] = -n[k];
        cases_rotation_between(r, b->normal[fb], m, at->R);
        peg_copy3(A->vertex[A->shape->face_vertex[A->shape->face_start[fa]]], on_a);
        peg_copy3(b->vertex[b->face_vertex[b->face_start[fb]]], on_b);
        if (cases_below(r, 2)) offset = -offset;
    } else if (kind == 2) {
        const peg_edge *ea = A->shape->edge + cases_below(r, A->shape->ne);
        const peg_edge *eb = b->edge + cases_below(r, b->ne);
        peg_vec3 u, w, turn;
        peg_sub(A->vertex[ea->v[1]], A->vertex[ea->v[0]], u);
        peg_sub(b->vertex[eb->v[1]], b->vertex[eb->v[0]], w);
        peg_normalise(u);
        peg_normalise(w);
        cases_direction(r, turn);
        peg_add_scaled(u, cases_below(r, 3) ? cases_magnitude(r, -13, -1) : 0, turn, u);
        peg_normalise(u);
        cases_rotation_between(r, w, u, at->R);
        peg_copy3(A->vertex[ea->v[0]], on_a);
        peg_copy3(b->vertex[eb->v[1]], on_b);
    }
    peg_rotate(at->R, on_b, on_b);
    peg_sub(on_a, on_b, at->x);
    peg_add_scaled(at->x, offset, n, at->x);
}

/* The facet is what it says: a true s_n, the same when its features are asked for again. */
static void check_facet(const peg_view *A, const peg_view *B, const oracle_shape *a,
                        const oracle_shape *b, const peg_facet *facet, double tolerance)
{
    ck_assert_double_eq_tol(peg_norm(facet->n), 1, 1e-12);
    ck_assert_double_le(fabs(facet->s - oracle_along(a, b, facet->n)), tolerance);
    ck_assert_double_le(fabs(facet->s - peg_separation_along(A, B, facet->n)), tolerance);
    peg_facet again = peg_facet_at(A, B, facet);
    ck_assert_double_le(fabs(again.s - facet->s), tolerance);
    ck_assert_double_gt(peg_dot(again.n, facet->n), 1 - 1e-12);
}

/* The depth of an overlap does not depend on rounding; of parts that are apart only the sign does
 * not: the direction of edges parallel to 1e-10 is any direction across them. */
static void check_same(double got, double expected, double tolerance)
{
    if (expected > tolerance)
        ck_assert_double_gt(got, 0);
    else
        ck_assert_double_le(fabs(got - expected), 2 * tolerance);
}

/* The same pair seen from another frame, and with its parts exchanged. */
static void check_symmetry(cases_random *r, const peg_polytope *pa, const peg_polytope *pb,
                           const pose *ta, const pose *tb, double s, double tolerance)
{
    peg_view A = cases_view(pa), B = cases_view(pb);
    double R[9], turned[9], x[3];
    cases_rotation(r, R);
    peg_mat_mul(R, ta->R, turned);
    peg_rotate(R, ta->x, x);
    peg_view_set(&A, x, turned);
    peg_mat_mul(R, tb->R, turned);
    peg_rotate(R, tb->x, x);
    peg_view_set(&B, x, turned);
    check_same(peg_separation(&A, &B, 0, NULL, NULL).s, s, tolerance);
    check_same(peg_separation(&B, &A, 0, NULL, NULL).s, s, tolerance);
    cases_view_free(&A);
    cases_view_free(&B);
}

typedef struct pool {
    peg_polytope *shape[SHAPES];
    oracle_shape oracle[SHAPES];
    peg_view A[SHAPES], B[SHAPES];
} pool;

static pool *make_pool(cases_random *r)
{
    pool *p = malloc(sizeof *p);
    for (int i = 0; i < SHAPES; i++) {
        double points[14][3];
        int n = cases_shape(r, points);
        ck_assert_int_eq(peg_polytope_from_points((const double(*)[3])points, n, &p->shape[i]),
                         PEG_OK);
        double flat = 1e-12 * p->shape[i]->radius;
        ck_assert(oracle_hull((const double(*)[3])points, n, flat, &p->oracle[i]));
        ck_assert_int_eq(p->oracle[i].nv, p->shape[i]->nv);
        ck_assert_int_eq(p->oracle[i].nf, p->shape[i]->nf);
        ck_assert_int_eq(p->oracle[i].ne, p->shape[i]->ne);
        p->A[i] = cases_view(p->shape[i]);
        p->B[i] = cases_view(p->shape[i]);
    }
    return p;
}

static void free_pool(pool *p)
{
    for (int i = 0; i < SHAPES; i++) {
        cases_view_free(&p->A[i]);
        cases_view_free(&p->B[i]);
        peg_polytope_free(p->shape[i]);
    }
    free(p);
}

/* With a radius about each, what is inside is their distance apart, whichever features are
 * nearest. */
static void check_rounded(const peg_polytope *a, const peg_polytope *b, const pose *ta,
                          const pose *tb, double distance, double tolerance)
{
    double radius = .3 * distance;
    peg_polytope *rounded[2];
    ck_assert_int_eq(peg_polytope_rounded(a, radius, &rounded[0]), PEG_OK);
    ck_assert_int_eq(peg_polytope_rounded(b, radius, &rounded[1]), PEG_OK);
    peg_view A = cases_view(rounded[0]), B = cases_view(rounded[1]);
    peg_view_set(&A, ta->x, ta->R);
    peg_view_set(&B, tb->x, tb->R);
    double s = peg_separation(&A, &B, INFINITY, NULL, NULL).s;
    ck_assert_double_eq_tol(s, distance - 2 * radius, tolerance);
    cases_view_free(&A), cases_view_free(&B);
    peg_polytope_free(rounded[0]), peg_polytope_free(rounded[1]);
}

START_TEST(separation_equals_brute_force)
{
    cases_random r = {20240607};
    pool *p = make_pool(&r);
    int overlapping = 0, apart = 0;
    for (int k = 0; k < PAIRS; k++) {
        int i = cases_below(&r, SHAPES), j = cases_below(&r, SHAPES);
        peg_view *A = &p->A[i], *B = &p->B[j];
        pose ta, tb;
        oracle_shape a, b;
        cases_rotation(&r, ta.R);
        for (int c = 0; c < 3; c++) ta.x[c] = cases_uniform(&r, -1, 1) * p->shape[i]->radius;
        peg_view_set(A, ta.x, ta.R);
        place(&r, A, p->shape[j], &tb);
        peg_view_set(B, tb.x, tb.R);
        oracle_move(&p->oracle[i], ta.x, ta.R, &a);
        oracle_move(&p->oracle[j], tb.x, tb.R, &b);

        peg_vec3 between;
        peg_sub(A->centre, B->centre, between);
        double tolerance =
            ROUNDING * (peg_norm(between) + p->shape[i]->radius + p->shape[j]->radius);
        double exact = oracle_separation(&a, &b);
        kept all = {0, INFINITY, -INFINITY};
        peg_facet best = peg_separation(A, B, -INFINITY, keep_facet, &all);
        ck_assert_double_eq(best.s, all.largest);
        check_facet(A, B, &a, &b, &best, tolerance);
        if (exact <= 0) {
            ck_assert_msg(fabs(best.s - exact) <= tolerance, "pair %d (%d, %d): %.17g is not %.17g",
                          k, i, j, best.s, exact);
            overlapping++;
        } else if (exact > tolerance) {
            double distance = oracle_distance(&a, &b);
            ck_assert_double_gt(best.s, 0);
            ck_assert_double_le(best.s, distance + tolerance);
            if (distance > 1e-3 * (p->shape[i]->radius + p->shape[j]->radius))
                check_rounded(p->shape[i], p->shape[j], &ta, &tb, distance, tolerance);
            apart++;
        }
        if (k % EXTRA) continue;
        check_symmetry(&r, p->shape[i], p->shape[j], &ta, &tb, best.s, tolerance);
        kept some = {0, INFINITY, -INFINITY};
        double keep = best.s - .5 * fabs(best.s);
        peg_separation(A, B, keep, keep_facet, &some);
        ck_assert_double_ge(some.least, keep);
        ck_assert_int_gt(some.count, 0);
        ck_assert_int_le(some.count, all.count);
    }
    ck_assert_int_gt(overlapping, PAIRS / 5);
    ck_assert_int_gt(apart, PAIRS / 5);
    free_pool(p);
}
END_TEST

static int same_facet(const peg_facet *facet, const peg_facet *other)
{
    return facet->kind == other->kind && facet->i == other->i &&
           (facet->kind != PEG_FEATURES_EE || facet->j == other->j) &&
           !memcmp(facet->n, other->n, sizeof facet->n) && facet->s == other->s;
}

/* A hull of points on a sphere, as many as it takes to start from libccd's facet. */
static peg_polytope *round_hull(cases_random *r, int n)
{
    double points[120][3];
    peg_polytope *hull;
    for (int i = 0; i < n; i++) cases_direction(r, points[i]);
    ck_assert_int_eq(peg_polytope_from_points((const double(*)[3])points, n, &hull), PEG_OK);
    return hull;
}

/* What libccd supplies is a facet of the pair with its features, found from a cold start along the
 * centres and from a warm one along the facet before, and mostly the widest; the search that starts
 * there ends with the same bits as the search of all facets. */
START_TEST(libccd_supplies_nearby_features)
{
    enum { ROUNDS = 300, TURNS = 2 };
    cases_random r = {1812};
    int supplied[TURNS] = {0}, widest[TURNS] = {0}, edges = 0, faces = 0;
    for (int k = 0; k < ROUNDS; k++) {
        int points = _i == 0 ? 8 : cases_below(&r, 60) + 60;
        peg_polytope *a = round_hull(&r, points), *b = round_hull(&r, points);
        peg_view A = cases_view(a), B = cases_view(b);
        double R[9], x[3], none[3] = {0}, toward[3];
        cases_direction(&r, x);
        for (int c = 0; c < 3; c++) x[c] *= a->radius + b->radius;
        peg_sub(none, x, toward);
        cases_rotation(&r, R);
        peg_view_set(&A, none, R);
        peg_view_set(&B, x, R);
        double gap = peg_separation(&A, &B, INFINITY, NULL, NULL).s - cases_uniform(&r, -.05, .05);
        peg_add_scaled(x, gap / peg_norm(x), toward, x);
        for (int turn = 0; turn < TURNS; turn++) {
            peg_vec3 z = {0, 0, 1}, near_z = {.02 * turn, 0, 1};
            peg_normalise(near_z);
            cases_rotation_between(&r, z, near_z, R);
            peg_view_set(&B, x, R);
            peg_facet all = peg_separation(&A, &B, INFINITY, NULL, NULL);
            peg_facet near = peg_nearby_facet(&A, &B, toward);
            supplied[turn] += near.kind != PEG_FEATURES_NONE;
            ck_assert_double_le(near.s, all.s + ROUNDING * (a->radius + b->radius));
            widest[turn] += near.s >= all.s - ROUNDING * (a->radius + b->radius);
            if (near.kind != PEG_FEATURES_NONE)
                ck_assert_double_eq(near.s, peg_facet_at(&A, &B, &near).s);
            edges += near.kind == PEG_FEATURES_EE;
            faces += near.kind == PEG_FEATURES_VF || near.kind == PEG_FEATURES_FV;
            peg_facet by_libccd = peg_widest_facet(&A, &B, PEG_NARROW_PHASE_LIBCCD, toward);
            peg_facet by_own = peg_widest_facet(&A, &B, PEG_NARROW_PHASE_OWN, toward);
            peg_facet from = peg_separation_from(&A, &B, &near);
            ck_assert(same_facet(&by_libccd, &all));
            ck_assert(same_facet(&by_own, &all));
            ck_assert(same_facet(&from, &all));
            peg_copy3(all.n, toward);
        }
        cases_view_free(&A), cases_view_free(&B);
        peg_polytope_free(a), peg_polytope_free(b);
    }
    for (int turn = 0; turn < TURNS; turn++) {
        ck_assert_int_ge(supplied[turn], 19 * ROUNDS / 20);
        ck_assert_int_ge(widest[turn], 3 * ROUNDS / 4);
    }
    ck_assert_int_gt(edges, ROUNDS / 10);
    ck_assert_int_gt(faces, ROUNDS / 10);
}
END_TEST

/* A start that no facet has costs a search, and no more. */
START_TEST(a_wrong_start_changes_nothing)
{
    cases_random r = {5};
    peg_polytope *a = round_hull(&r, 30), *b = round_hull(&r, 30);
    peg_view A = cases_view(a), B = cases_view(b);
    double I[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    peg_view_set(&A, (double[3]){0}, I);
    peg_view_set(&B, (double[3]){1.9, .1, .2}, I);
    peg_facet all = peg_separation(&A, &B, INFINITY, NULL, NULL);
    for (double start = -1; start < 3; start += .25) {
        peg_facet begin = {.kind = cases_below(&r, 4) - 1, .s = all.s + start};
        begin.i = cases_below(&r, 10), begin.j = cases_below(&r, 10);
        cases_direction(&r, begin.n);
        peg_facet from = peg_separation_from(&A, &B, &begin);
        ck_assert(same_facet(&from, &all));
    }
    cases_view_free(&A), cases_view_free(&B);
    peg_polytope_free(a), peg_polytope_free(b);
}
END_TEST

static int is_face(const peg_facet *facet)
{
    return facet->kind == PEG_FEATURES_VF || facet->kind == PEG_FEATURES_FV;
}

/* The best of the facets of faces. */
static void take_face(void *context, const peg_facet *facet)
{
    double *best = context;
    if (is_face(facet)) *best = fmax(*best, facet->s);
}

/* Parts that move by little or by much: the facet of before, or the widest one, which is one of a
 * face unless one of edges separates clearly farther. */
START_TEST(facets_follow_the_parts_with_faces_first)
{
    cases_random r = {12};
    int stayed = 0, faces = 0;
    for (int k = 0; k < PAIRS / 20; k++) {
        peg_polytope *a = round_hull(&r, 4 + cases_below(&r, 20)), *b = round_hull(&r, 12);
        peg_view A = cases_view(a), B = cases_view(b);
        peg_facet facet = {.kind = PEG_FEATURES_NONE};
        for (int i = 0; i < 10; i++) {
            double R[9], n[3], x[3], far = i % 3 ? .01 : 1, best = -INFINITY;
            double z[3] = {0, 0, 1}, near_z[3] = {.02 * i, 0, 1};
            double enough = cases_uniform(&r, -.1, .1), bias = cases_uniform(&r, 0, .02);
            peg_normalise(near_z);
            cases_rotation_between(&r, z, near_z, R);
            cases_direction(&r, n);
            for (int j = 0; j < 3; j++) x[j] = 1.7 * (j == 0) + far * .3 * n[j];
            peg_view_set(&A, (double[3]){0}, (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1});
            peg_view_set(&B, x, R);
            facet = peg_facet_since(&A, &B, &facet, enough, bias);
            peg_facet all = peg_separation(&A, &B, -INFINITY, take_face, &best);
            double along = peg_separation_along(&A, &B, facet.n);
            if (facet.s > enough) {
                ck_assert_double_eq_tol(along, facet.s, bias + 1e-12);
                stayed += facet.s != all.s;
                continue;
            }
            ck_assert_double_eq(facet.s, all.s);
            ck_assert_double_ge(along, all.s - bias - 1e-12);
            if (best > all.s - bias + 1e-9) ck_assert(is_face(&facet));
            faces += is_face(&facet) && best < all.s;
        }
        cases_view_free(&A), cases_view_free(&B);
        peg_polytope_free(a), peg_polytope_free(b);
    }
    ck_assert_int_gt(stayed, 50);
    ck_assert_int_gt(faces, 50);
}
END_TEST

START_TEST(far_is_never_wrong_and_seldom_missed)
{
    cases_random r = {77};
    pool *p = make_pool(&r);
    int clear = 0, seen = 0;
    for (int k = 0; k < PAIRS / 5; k++) {
        int i = cases_below(&r, SHAPES), j = cases_below(&r, SHAPES);
        peg_view *A = &p->A[i], *B = &p->B[j];
        pose ta = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}, tb;
        oracle_shape a, b;
        peg_view_set(A, ta.x, ta.R);
        place(&r, A, p->shape[j], &tb);
        peg_view_set(B, tb.x, tb.R);
        oracle_move(&p->oracle[i], ta.x, ta.R, &a);
        oracle_move(&p->oracle[j], tb.x, tb.R, &b);
        double size = p->shape[i]->radius + p->shape[j]->radius;
        double reach = cases_magnitude(&r, -6, -1) * size, n[3] = {0};
        if (cases_below(&r, 2)) cases_direction(&r, n);
        int far = peg_is_far(A, B, reach, (pegNarrowPhase)_i, n);
        double distance = oracle_separation(&a, &b) > 0 ? oracle_distance(&a, &b) : 0;
        if (far) {
            ck_assert_double_gt(distance, reach - ROUNDING * size);
            ck_assert_double_gt(oracle_along(&a, &b, n), reach - ROUNDING * size);
        }
        clear += distance > 1.01 * reach + 1e-3 * size;
        seen += far && distance > 1.01 * reach + 1e-3 * size;
    }
    ck_assert_int_gt(clear, PAIRS / 50);
    ck_assert_msg(seen > .99 * clear, "%d of %d seen", seen, clear);
    free_pool(p);
}
END_TEST

START_TEST(half_space_has_one_facet)
{
    peg_polytope *box, *ground, *other;
    ck_assert_int_eq(peg_polytope_box((double[3]){1, 2, 3}, &box), PEG_OK);
    ck_assert_int_eq(peg_polytope_half_space((double[3]){0, 0, 2}, 4, &ground), PEG_OK);
    ck_assert_int_eq(peg_polytope_half_space((double[3]){1, 0, 0}, 0, &other), PEG_OK);
    peg_view A = cases_view(box), B = cases_view(ground), C = cases_view(other);
    double I[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    peg_view_set(&A, (double[3]){5, 6, 4}, I);
    peg_view_set(&B, (double[3]){0, 0, 1}, I);
    peg_view_set(&C, (double[3]){0, 0, 0}, I);

    kept all = {0, INFINITY, -INFINITY};
    peg_facet above = peg_separation(&A, &B, -INFINITY, keep_facet, &all);
    ck_assert_int_eq(all.count, 1);
    ck_assert_int_eq(above.kind, PEG_FEATURES_VF);
    ck_assert_double_eq(above.s, -.5);
    ck_assert_double_eq(above.n[2], 1);
    peg_facet below = peg_separation(&B, &A, -INFINITY, NULL, NULL);
    ck_assert_int_eq(below.kind, PEG_FEATURES_FV);
    ck_assert_double_eq(below.s, -.5);
    ck_assert_double_eq(below.n[2], -1);
    ck_assert_double_eq(peg_separation_along(&A, &B, above.n), -.5);
    ck_assert_double_eq(peg_separation_along(&B, &A, below.n), -.5);
    ck_assert(isinf(peg_separation_along(&A, &B, (double[3]){1, 0, 0})));

    peg_facet none = peg_separation(&B, &C, -INFINITY, NULL, NULL);
    ck_assert_int_eq(none.kind, PEG_FEATURES_NONE);
    ck_assert(isinf(none.s) && none.s < 0);

    double n[3] = {0};
    ck_assert(!peg_is_far(&A, &B, 0, PEG_NARROW_PHASE_LIBCCD, n));
    peg_view_set(&A, (double[3]){5, 6, 5}, I);
    ck_assert(peg_is_far(&A, &B, .4, PEG_NARROW_PHASE_LIBCCD, n));
    ck_assert(!peg_is_far(&A, &B, .6, PEG_NARROW_PHASE_LIBCCD, n));
    ck_assert(!peg_is_far(&B, &C, 0, PEG_NARROW_PHASE_LIBCCD, n));
    cases_view_free(&A), cases_view_free(&B), cases_view_free(&C);
    peg_polytope_free(box), peg_polytope_free(ground), peg_polytope_free(other);
}
END_TEST

/* Two triangles in nearly one plane, 30 mm beside each other: their facets know of the few nm
 * between the planes only. */
START_TEST(triangles_in_nearly_one_plane_are_beside_each_other)
{
    static const peg_vec3 corner[2][3] = {{{0, -1, 0}, {0, 1, 0}, {-1, 0, 2e-7}},
                                          {{.03, -1, 5e-9}, {1, 0, 5e-9}, {.03, 1, 5e-9}}};
    static const int triangle[1][3] = {{0, 1, 2}};
    const double gap = .03, planes = 1e-6, I[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    peg_arena arena = {0};
    peg_triangle_mesh *mesh[2];
    peg_view at[2];
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(peg_triangle_mesh_create(corner[i], 3, triangle, 1, 0, &mesh[i]), PEG_OK);
        at[i] = cases_view(peg_triangle_polytope(&arena, mesh[i], 0, 0));
        peg_view_set(&at[i], (double[3]){0}, I);
    }
    for (int i = 0; i < 2; i++) {
        const peg_view *A = &at[i], *B = &at[1 - i];
        ck_assert_double_lt(fabs(peg_separation(A, B, INFINITY, NULL, NULL).s), planes);
        ck_assert_double_eq_tol(peg_separation_beside(A, B), gap, ROUNDING);
    }
    for (int i = 0; i < 2; i++) {
        cases_view_free(&at[i]);
        peg_triangle_mesh_free(mesh[i]);
    }
    peg_arena_free(&arena);
}
END_TEST

/* Closed forms: flush boxes, a corner above a face, crossed edges, exactly parallel edges. */
START_TEST(boxes_in_known_places)
{
    peg_polytope *box;
    ck_assert_int_eq(peg_polytope_box((double[3]){1, 1, 1}, &box), PEG_OK);
    peg_view A = cases_view(box), B = cases_view(box);
    double I[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, h = sqrt(.5);
    double about_y[9] = {h, 0, h, 0, 1, 0, -h, 0, h}, about_x[9] = {1, 0, 0, 0, h, -h, 0, h, h};

    peg_view_set(&B, (double[3]){0, 0, 0}, I);
    peg_view_set(&A, (double[3]){.3, .2, 1}, I);
    peg_facet flush = peg_separation(&A, &B, 0, NULL, NULL);
    ck_assert_int_eq(flush.kind, PEG_FEATURES_VF);
    ck_assert_double_eq(flush.s, 0);
    ck_assert_double_eq(flush.n[2], 1);

    peg_view_set(&A, (double[3]){0, 0, 2 * h + .25}, about_y);
    peg_view_set(&B, (double[3]){0, 0, 0}, about_x);
    peg_facet crossed = peg_separation(&A, &B, 0, NULL, NULL);
    ck_assert_int_eq(crossed.kind, PEG_FEATURES_EE);
    ck_assert_double_eq_tol(crossed.s, .25, 1e-15);
    ck_assert_double_eq_tol(crossed.n[2], 1, 1e-15);

    /* Edge above a parallel edge: no edge facet, a face has the largest value, .25 cos 45. */
    peg_view_set(&B, (double[3]){0, 0, 0}, about_y);
    peg_facet parallel = peg_separation(&A, &B, 0, NULL, NULL);
    ck_assert_int_ne(parallel.kind, PEG_FEATURES_EE);
    ck_assert_double_eq_tol(parallel.s, (2 * h + .25) * h - 1, 1e-15);

    /* Edges that have become parallel keep the direction they had. */
    peg_facet tracked = peg_facet_at(&A, &B, &crossed);
    peg_view_set(&B, (double[3]){0, 0, 0}, about_x);
    tracked = peg_facet_at(&A, &B, &tracked);
    ck_assert_double_eq_tol(tracked.s, .25, 1e-15);
    cases_view_free(&A), cases_view_free(&B);
    peg_polytope_free(box);
}
END_TEST

TCase *separation_tests(void)
{
    TCase *tests = tcase_create("separation");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, separation_equals_brute_force);
    tcase_add_loop_test(tests, libccd_supplies_nearby_features, 0, 2);
    tcase_add_test(tests, facets_follow_the_parts_with_faces_first);
    tcase_add_test(tests, a_wrong_start_changes_nothing);
    tcase_add_loop_test(tests, far_is_never_wrong_and_seldom_missed, 0, PEG_NARROW_PHASE_COUNT);
    tcase_add_test(tests, triangles_in_nearly_one_plane_are_beside_each_other);
    tcase_add_test(tests, half_space_has_one_facet);
    tcase_add_test(tests, boxes_in_known_places);
    return tests;
}
