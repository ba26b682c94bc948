/* Linear programs, the signed separation and the ratio metric: against GLPK, against the facets of
 * the Minkowski difference, and against closed forms. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "demos/bench/glpk_separation.h"
#include "demos/experiments/gap_gradients.h"
#include "peg/paper/ratio_metric.h"
#include "peg/paper/signed_separation.h"
#include "tests/geometry_cases.h"
#include "tests/runner.h"

static peg_arena arena;

/* --- the simplex method ---------------------------------------------------------------------- */

static double solve(int rows, int columns, int free, const double *A, const double *b,
                    const double *c, peg_lp_status wanted)
{
    peg_lp lp = {rows, columns, free, A, b, c};
    peg_lp_solution s = {.basis = {-1}};
    peg_lp_status status = peg_lp_solve(&lp, &s);
    ck_assert_msg(status == wanted, "%s", peg_lp_status_name(status));
    if (status == PEG_LP_SOLVED) ck_assert_double_le(s.error, 1e-12);
    return s.value;
}

START_TEST(small_programs)
{
    /* min -x - 2 y, x + y + s = 4, y + t = 3: x = 1, y = 3 */
    double A[] = {1, 0, 1, 1, 1, 0, 0, 1}, b[] = {4, 3}, c[] = {-1, -2, 0, 0};
    ck_assert_double_eq_tol(solve(2, 4, 0, A, b, c, PEG_LP_SOLVED), -7, 1e-14);
    /* x + y = -1 has no answer with x, y >= 0, and one with y free */
    double B[] = {1, 1}, minus[] = {-1}, d[] = {1, 2};
    solve(1, 2, 0, B, minus, d, PEG_LP_INFEASIBLE);
    double e[] = {3, 2};
    ck_assert_double_eq_tol(solve(1, 2, 1, B, minus, e, PEG_LP_SOLVED), -2, 1e-14);
    /* x - y = 0: both grow without bound */
    double C[] = {1, -1}, zero[] = {0}, f[] = {-1, 0};
    solve(1, 2, 0, C, zero, f, PEG_LP_UNBOUNDED);
    /* the second row says the same twice */
    double D[] = {1, 2, 1, 2, 1, 2}, g[] = {1, 2}, h[] = {3, 1, 2};
    ck_assert_double_eq_tol(solve(2, 3, 0, D, g, h, PEG_LP_SOLVED), 1, 1e-14);
}
END_TEST

/* Beale's program cycles with the largest coefficient and any fixed choice among ties. */
START_TEST(beale_does_not_cycle)
{
    double A[] = {.25, .5, 0, -60, -90, 0, -1. / 25, -1. / 50, 1, 9, 3,
                  0,   1,  0, 0,   0,   1, 0,        0,        0, 1};
    double b[] = {0, 0, 1}, c[] = {-.75, 150, -.02, 6, 0, 0, 0};
    ck_assert_double_eq_tol(solve(3, 7, 0, A, b, c, PEG_LP_SOLVED), -.05, 1e-13);
}
END_TEST

/* A changed answer fails its certificate. */
START_TEST(certificate_tells)
{
    double A[] = {1, 0, 1, 1, 1, 0, 0, 1}, b[] = {4, 3}, c[] = {-1, -2, 0, 0};
    peg_lp lp = {2, 4, 0, A, b, c};
    peg_lp_solution s = {.basis = {-1}};
    ck_assert_int_eq(peg_lp_solve(&lp, &s), PEG_LP_SOLVED);
    peg_lp_solution wrong = s;
    wrong.x[0] += 1e-6;
    ck_assert_double_gt(peg_lp_error(&lp, &wrong), 1e-8);
    wrong = s;
    wrong.y[1] += 1e-6;
    ck_assert_double_gt(peg_lp_error(&lp, &wrong), 1e-8);
    wrong = s;
    wrong.x[1] = NAN;
    ck_assert(isinf(peg_lp_error(&lp, &wrong)));
}
END_TEST

/* --- pairs ----------------------------------------------------------------------------------- */

START_TEST(agrees_with_glpk)
{
    if (!lab_has_glpk()) {
        fputs("agrees_with_glpk: skipped, the build has not found GLPK (libglpk-dev)\n", stderr);
        return;
    }
    for (long i = 0; i < 1500; i++) {
        gap_pair pair;
        double d[3];
        ck_assert(gap_pair_make(2, i, &pair));
        peg_sub(pair.view[0].centre, pair.view[1].centre, d);
        double D = peg_norm(d);
        if (D > 1e-5 * pair.size) {
            peg_ssh ssh = {.basis = {-1}};
            ck_assert_int_eq(peg_ssh_solve(&arena, &pair.view[0], &pair.view[1], d, &ssh),
                             PEG_LP_SOLVED);
            double g = lab_glpk_separation(&pair, d, NULL);
            ck_assert_double_le(fabs(g - ssh.g) * D, 1e-7 * pair.largest);
            ck_assert_double_le(fabs(g - ssh.g), 1e-9 * (1 + fabs(g)) + 1e-9 * pair.largest / D);
        }
        gap_pair_free(&pair);
    }
}
END_TEST

START_TEST(agrees_with_the_facets)
{
    int shallow = 0, exact = 0, all = 0, basics = 0;
    for (long i = 0; i < 2500; i++) {
        gap_pair pair;
        gap_findings f;
        ck_assert(gap_pair_make(1, i, &pair));
        gap_measure(&arena, &pair, &f);
        ck_assert_msg(f.failures == 0, "pair %ld", i);
        ck_assert_msg(f.wrong_sign == 0, "pair %ld", i);
        ck_assert_msg(f.theorem == 0, "pair %ld", i);
        ck_assert_double_le(f.facets, 1e-10);
        ck_assert_double_le(f.witness, 1e-10);
        ck_assert_double_le(f.ratio, 1e-10);
        ck_assert_double_le(f.units, 1e-10);
        ck_assert_double_le(f.basic, 1e-10);
        basics += f.basics;
        if (f.overlaps && f.shallow) shallow++, exact += f.exact_one, all += f.exact_all;
        gap_pair_free(&pair);
    }
    ck_assert_int_gt(basics, 1000);
    ck_assert_int_gt(shallow, 300);
    ck_assert_int_ge(exact, (int)(.97 * shallow));
    ck_assert_int_eq(all, shallow);
}
END_TEST

/* g of a pair that is turned by T, scaled and shifted as a whole. */
static double framed_g(const gap_pair *pair, const double *T, double scale, double shift)
{
    peg_polytope *shape[2];
    peg_view view[2];
    double d[3];
    for (int side = 0; side < 2; side++) {
        int nv = pair->shape[side]->nv;
        double(*p)[3] = calloc((size_t)nv, sizeof *p), R[9], x[3];
        for (int v = 0; v < nv; v++)
            for (int k = 0; k < 3; k++) p[v][k] = scale * pair->shape[side]->vertex[v][k];
        ck_assert_int_eq(peg_polytope_from_points((const double(*)[3])p, nv, &shape[side]), PEG_OK);
        free(p);
        peg_mat_mul(T, pair->R[side], R);
        peg_rotate(T, pair->x[side], x);
        for (int k = 0; k < 3; k++) x[k] = scale * (x[k] + shift);
        view[side] = cases_view(shape[side]);
        peg_view_set(&view[side], x, R);
    }
    peg_sub(pair->view[0].centre, pair->view[1].centre, d);
    peg_rotate(T, d, d);
    for (int k = 0; k < 3; k++) d[k] *= scale;
    peg_ssh ssh = {.basis = {-1}};
    ck_assert_int_eq(peg_ssh_solve(&arena, &view[0], &view[1], d, &ssh), PEG_LP_SOLVED);
    for (int side = 0; side < 2; side++) {
        cases_view_free(&view[side]);
        peg_polytope_free(shape[side]);
    }
    return ssh.g;
}

/* 1e6 sizes from the origin the coordinates themselves are known to 1e-10 only. */
START_TEST(frames_do_not_matter)
{
    static const double scales[] = {1e-6, 1, 1e6, 1}, shifts[] = {0, 0, 0, 1e6};
    cases_random r = {7};
    for (long i = 0; i < 300; i++) {
        gap_pair pair;
        double d[3], T[9], unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        ck_assert(gap_pair_make(3, i, &pair));
        peg_sub(pair.view[0].centre, pair.view[1].centre, d);
        double D = peg_norm(d), g = D > .01 * pair.size ? framed_g(&pair, unit, 1, 0) : 0;
        cases_rotation(&r, T);
        for (int s = 0; s < 4 && g != 0; s++) {
            peg_ssh before = {.basis = {-1}};
            ck_assert_int_eq(peg_ssh_solve(&arena, &pair.view[0], &pair.view[1], d, &before), 0);
            /* an error of the coordinates along n counts 1 / n.d times */
            double steep = peg_norm(before.n) * D, slack = shifts[s] > 0 ? 2e-9 : 1e-12;
            double moved = framed_g(&pair, T, scales[s], shifts[s] * pair.largest);
            ck_assert_double_le(fabs(moved - g) * D, slack * steep * pair.largest * (1 + fabs(g)));
        }
        gap_pair_free(&pair);
    }
}
END_TEST

/* --- degenerate on purpose ------------------------------------------------------------------- */

static void place_box(const double sides[3], const double x[3], const double turn[3],
                      peg_polytope **shape, peg_view *view)
{
    double q[4] = {1, turn[0] / 2, turn[1] / 2, turn[2] / 2}, R[9];
    double l = sqrt(1 + peg_dot(q + 1, q + 1));
    for (int k = 0; k < 4; k++) q[k] /= l;
    peg_quat_to_mat(q, R);
    ck_assert_int_eq(peg_polytope_box(sides, shape), PEG_OK);
    *view = cases_view(*shape);
    peg_view_set(view, x, R);
}

/* Faces that are flush to within rounding, edges that are parallel to within rounding, corners upon
 * corners: a certified answer each, and both programs agree. */
START_TEST(degenerate_pairs)
{
    static const double unit[3] = {1, 1, 1}, none[3] = {0, 0, 0};
    cases_random r = {11};
    for (int i = 0; i < 4000; i++) {
        double e = cases_magnitude(&r, -16, -2), turn[3], x[3];
        for (int k = 0; k < 3; k++) turn[k] = i % 3 ? e * cases_uniform(&r, -1, 1) : 0;
        x[0] = i % 4 == 0 ? 1 : cases_uniform(&r, -1, 1);
        x[1] = i % 4 < 2 ? 0 : cases_uniform(&r, -1, 1);
        x[2] = 1 + e * cases_uniform(&r, -1, 1);
        peg_polytope *a, *b;
        peg_view A, B;
        place_box(unit, x, turn, &a, &A);
        place_box(unit, none, none, &b, &B);
        peg_ssh ssh = {.basis = {-1}};
        peg_ratio ratio = {.basis = {-1}};
        peg_lp_status s = peg_ssh_solve(&arena, &A, &B, x, &ssh);
        peg_lp_status t = peg_ratio_metric(&arena, &A, &B, A.centre, B.centre, &ratio);
        ck_assert_msg(s == PEG_LP_SOLVED && t == PEG_LP_SOLVED, "%d: %s, %s", i,
                      peg_lp_status_name(s), peg_lp_status_name(t));
        ck_assert_double_le(fabs(ssh.g - ratio.rho), 1e-10);
        cases_view_free(&A);
        cases_view_free(&B);
        peg_polytope_free(a);
        peg_polytope_free(b);
    }
}
END_TEST

/* Prisms of 200 sides, flush end on end: hundreds of columns tie. */
START_TEST(many_ties)
{
    double p[400][3], zero[3] = {0, 0, 0}, up[3] = {.1, .05, 1};
    static const double I[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int i = 0; i < 400; i++) {
        double angle = 2 * acos(-1) * (i / 2) / 200;
        p[i][0] = cos(angle), p[i][1] = sin(angle), p[i][2] = i % 2 ? .5 : -.5;
    }
    peg_polytope *shape;
    ck_assert_int_eq(peg_polytope_from_points((const double(*)[3])p, 400, &shape), PEG_OK);
    peg_view A = cases_view(shape), B = cases_view(shape);
    peg_view_set(&A, up, I);
    peg_view_set(&B, zero, I);
    peg_ssh ssh = {.basis = {-1}};
    ck_assert_int_eq(peg_ssh_solve(&arena, &A, &B, up, &ssh), PEG_LP_SOLVED);
    ck_assert_double_eq_tol(ssh.g, 0, 1e-12);
    peg_vec3 a, b;
    ck_assert(peg_ssh_subgradient(&arena, &A, &B, up, &ssh, a, b));
    /* the point of least norm: by symmetry half-way between the axes */
    ck_assert_double_eq_tol(a[0], .05, 1e-3);
    ck_assert_double_eq_tol(a[1], .025, 1e-3);
    ck_assert_double_eq_tol(a[2], .5, 1e-9);
    cases_view_free(&A);
    cases_view_free(&B);
    peg_polytope_free(shape);
}
END_TEST

/* --- subgradients ---------------------------------------------------------------------------- */

START_TEST(subgradient_by_differences)
{
    gap_differences sum = {0};
    uint64_t random = 5;
    for (long i = 0; i < 1500; i++) {
        gap_pair pair;
        ck_assert(gap_pair_make(4, i, &pair));
        ck_assert(gap_check_subgradient(&arena, &pair, &random, 1, &sum));
        gap_pair_free(&pair);
    }
    ck_assert_double_le(sum.worst, 1e-6);
    ck_assert_int_gt(sum.compared, 2000);
}
END_TEST

START_TEST(derivative_at_kinks)
{
    uint64_t random = 8;
    for (int kink = 0; kink < GAP_KINKS; kink++) {
        gap_differences sum = {0};
        for (int i = 0; i < 200; i++)
            ck_assert(gap_check_kink(&arena, (gap_kink)kink, &random, &sum));
        ck_assert_double_le(sum.worst, kink == GAP_PARALLEL_EDGES ? 2e-4 : 1e-6);
    }
}
END_TEST

/* Flush boxes, offset by (.1, .05): the overlap of the faces, and its middle. */
START_TEST(polygon_of_flush_boxes)
{
    static const double unit[3] = {1, 1, 1}, none[3] = {0, 0, 0};
    double x[3] = {.1, .05, 1 - 1e-4}, n[3] = {0, 0, 1};
    peg_polytope *a, *b;
    peg_view A, B;
    place_box(unit, x, none, &a, &A);
    place_box(unit, none, none, &b, &B);
    peg_polygon_corner *corner;
    ck_assert_int_eq(peg_contact_polygon(&arena, &A, &B, n, .01, &corner), 4);
    double low[2] = {9, 9}, high[2] = {-9, -9};
    for (int i = 0; i < 4; i++) {
        ck_assert_double_eq_tol(corner[i].gap, -1e-4, 1e-15);
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], corner[i].a[k]);
            high[k] = fmax(high[k], corner[i].a[k]);
        }
    }
    ck_assert_double_eq_tol(low[0], -.4, 1e-14);
    ck_assert_double_eq_tol(high[0], .5, 1e-14);
    ck_assert_double_eq_tol(low[1], -.45, 1e-14);
    ck_assert_double_eq_tol(high[1], .5, 1e-14);
    peg_ssh ssh = {.basis = {-1}};
    peg_vec3 p, q;
    ck_assert_int_eq(peg_ssh_solve(&arena, &A, &B, n, &ssh), PEG_LP_SOLVED);
    ck_assert(peg_ssh_subgradient(&arena, &A, &B, n, &ssh, p, q));
    ck_assert_double_eq_tol(p[0], .05, 1e-9);
    ck_assert_double_eq_tol(p[1], .025, 1e-9);
    cases_view_free(&A);
    cases_view_free(&B);
    peg_polytope_free(a);
    peg_polytope_free(b);
}
END_TEST

/* --- basic contact units --------------------------------------------------------------------- */

START_TEST(gradient_of_units_by_differences)
{
    gap_differences sum[3] = {{0}};
    uint64_t random = 9;
    for (long i = 0; i < 1500; i++) {
        gap_pair pair;
        ck_assert(gap_pair_make(6, i, &pair));
        ck_assert(gap_check_units(&pair, &random, sum));
        gap_pair_free(&pair);
    }
    for (int kind = 0; kind < 3; kind++) {
        ck_assert_double_le(sum[kind].worst, 1e-6);
        ck_assert_int_gt(sum[kind].compared, 500);
    }
}
END_TEST

/* Flush boxes: edges in parallel make no unit, the corners beside them cover it, all with one Phi.
 */
START_TEST(parallel_edges_make_no_unit)
{
    static const double unit[3] = {1, 1, 1}, none[3] = {0, 0, 0};
    double x[3] = {.1, .05, 1.01};
    peg_polytope *a, *b;
    peg_view A, B;
    place_box(unit, x, none, &a, &A);
    place_box(unit, none, none, &b, &B);
    peg_bcu u;
    int parallel = 0, flush = 0;
    for (int i = 0; i < a->ne; i++)
        for (int j = 0; j < b->ne; j++)
            parallel += !peg_bcu_make(&A, &B, x, none, PEG_BCU_EDGES, i, j, &u);
    ck_assert_int_ge(parallel, 12 * 4);
    for (int kind = 0; kind < 2; kind++)
        for (int v = 0; v < 8; v++)
            for (int f = 0; f < 6; f++) {
                if (!peg_bcu_make(&A, &B, x, none, (peg_bcu_kind)kind, v, f, &u)) continue;
                ck_assert(isfinite(u.phi));
                flush += fabs(u.phi - .01 / 1.01) < 1e-12;
            }
    ck_assert_int_eq(flush, 8);
    cases_view_free(&A);
    cases_view_free(&B);
    peg_polytope_free(a);
    peg_polytope_free(b);
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("gap functions");
    TCase *programs = tcase_create("programs");
    tcase_add_test(programs, small_programs);
    tcase_add_test(programs, beale_does_not_cycle);
    tcase_add_test(programs, certificate_tells);
    tcase_add_test(programs, degenerate_pairs);
    tcase_add_test(programs, many_ties);
    suite_add_tcase(s, programs);
    TCase *pairs = tcase_create("pairs");
    tcase_set_timeout(pairs, 60);
    tcase_add_test(pairs, agrees_with_glpk);
    tcase_add_test(pairs, agrees_with_the_facets);
    tcase_add_test(pairs, frames_do_not_matter);
    tcase_add_test(pairs, subgradient_by_differences);
    tcase_add_test(pairs, derivative_at_kinks);
    tcase_add_test(pairs, polygon_of_flush_boxes);
    tcase_add_test(pairs, gradient_of_units_by_differences);
    tcase_add_test(pairs, parallel_edges_make_no_unit);
    suite_add_tcase(s, pairs);
    return s;
}
