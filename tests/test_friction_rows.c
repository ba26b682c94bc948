/* Friction rows: the cone, its bounds, what they do. */
#include "peg/contact/friction.h"
#include "peg/contact/row_set.h"
#include "peg/island/lcp_rows.h"
#include "peg/island/solve.h"
#include "tests/geometry_cases.h"
#include "tests/two_bodies.h"

#include <check.h>
#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* Identities that hold to rounding, relative to the terms of the sum. */
static const double EXACT = 1e-12;

/* A cube at rest on a static one, with one normal row and its friction rows through the centre of
 * mass, so that nothing turns. */
static peg_polytope *cube_shape;

static void cube_begin(void)
{
    cube_shape = two_bodies_box(1, 1, 1);
}

static void cube_end(void)
{
    two_bodies_end();
    peg_polytope_free(cube_shape);
}

static void rub_cube(const peg_surface *surface, int directions, const double *slide)
{
    two_bodies_begin(PEG_STATIC, cube_shape, cube_shape);
    T.settings.friction_directions = directions;
    T.rigid[0].state.x[2] = 1;
    two_bodies_place();
    peg_copy3(slide, T.rigid[0].state.v_free);
    peg_copy3(slide, T.rigid[0].target);
    T.surface = *surface;
    peg_row *normal = peg_row_set_add(&T.I, &T.I.rows);
    ck_assert_ptr_nonnull(normal);
    memset(normal, 0, sizeof *normal);
    normal->Ga[2] = normal->normal[2] = 1;
    peg_friction_frame rub = {{0, 0, 1}, {0, 0, 1}};
    peg_friction_rows(&T.I, &T.pair, two_bodies_pose(), &rub, &T.I.rows);
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
        peg_work_allow(&T.I, 1);
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
        two_bodies_end();
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
    ck_assert_double_le(fabs(row[1].compliance - 0.01 / TWO_BODIES_STEP), EXACT);
    ck_assert_double_le(fabs(row[2].compliance - 0.02 / TWO_BODIES_STEP), EXACT);
}
END_TEST

START_TEST(limits_are_forces)
{
    peg_surface surface = {.mu = 3, .mu2 = 5, .rho = 2, .force_limit = 1, .axis = {1, 0, 0}};
    rub_cube(&surface, 8, (double[]){1, 1, 0});
    ck_assert_int_eq(T.I.rows.m, 4);
    for (int i = 1; i < 4; i++) ck_assert(T.I.rows.row[i].mu == 0);
    ck_assert_double_le(fabs(T.I.rows.row[1].limit - 3 * TWO_BODIES_STEP), EXACT);
    ck_assert_double_le(fabs(T.I.rows.row[2].limit - 5 * TWO_BODIES_STEP), EXACT);
    ck_assert_double_le(fabs(T.I.rows.row[3].limit - 2 * TWO_BODIES_STEP), EXACT);
    two_bodies_end();
    rub_cube(&(peg_surface){.mu = INFINITY, .mu2 = INFINITY}, 8, (double[]){1, 1, 0});
    ck_assert_int_eq(T.I.rows.m, 3);
    for (int i = 1; i < 3; i++) {
        ck_assert_double_eq(T.I.rows.row[i].limit, T.I.most_friction);
        ck_assert_double_eq(T.I.rows.row[i].mu, 0);
    }
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
    peg_friction_rows(&T.I, &T.pair, two_bodies_pose(), &rub, &T.I.rows);
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

TCase *friction_row_tests(void)
{
    TCase *friction = tcase_create("friction");
    tcase_add_checked_fixture(friction, cube_begin, cube_end);
    tcase_add_loop_test(friction, cone_is_a_regular_polygon, 0, 3);
    tcase_add_loop_test(friction, dissipation_is_greatest, 0, 3);
    tcase_add_test(friction, pyramid_has_two_bounds);
    tcase_add_test(friction, limits_are_forces);
    tcase_add_test(friction, rolling_rows_turn);
    tcase_add_test(friction, friction_knows_given_velocities);
    return friction;
}
