/* The papers' models in space: no traps at the edges of a cube, friction, momentum. */
#include "tests/step_scene.h"
#include "tests/test_models.h"

#include <check.h>

static const pegContactModel MODELS[] = {PEG_CONTACT_ST, PEG_CONTACT_PAPER, PEG_CONTACT_LNC,
                                         PEG_CONTACT_AP};
enum { MODEL_COUNT = 4 };

/* A small cube passes the edge of a large one, on a way that is free all along [W Fig. 2]: with
 * I-constraints it is hardly ever touched, as half-spaces the faces stop it. */
START_TEST(inter_contact_frees_the_way_past_an_edge)
{
    cases_random r = {9000};
    int trapped[PEG_CONTACT_COUNT] = {0};
    for (int run = 0; run < 400; run++) {
        int is_free = scene_random_pass(&r);
        const peg_body *b = &S.body[1];
        for (int m = 0; m < MODEL_COUNT && is_free; m++) {
            scene_use_model(MODELS[m]);
            scene_step();
            trapped[MODELS[m]] += memcmp(b->v_pose, b->v_free, sizeof b->v_free) != 0;
        }
        scene_end();
    }
    ck_assert_int_gt(trapped[PEG_CONTACT_ST], 5);
    ck_assert_int_lt(4 * trapped[PEG_CONTACT_PAPER], trapped[PEG_CONTACT_ST]);
    ck_assert_int_lt(4 * trapped[PEG_CONTACT_LNC], trapped[PEG_CONTACT_ST]);
}
END_TEST

static peg_polytope *pyramid_of_eight_sides(void)
{
    double p[9][3] = {{0, 0, -.5}};
    peg_polytope *tip;
    for (int i = 0; i < 8; i++) {
        double angle = acos(-1) / 4 * i;
        p[1 + i][0] = .7 * cos(angle), p[1 + i][1] = .7 * sin(angle), p[1 + i][2] = -.1;
    }
    ck_assert_int_eq(peg_polytope_from_points((const double(*)[3])p, 9, &tip), PEG_OK);
    S.shape[S.shapes++] = tip;
    return tip;
}

/* Tips of pyramids over the edge of a cube [W Fig. 18]: the fewer edges |e . O| leaves, the fewer
 * members the X-constraints have. */
START_TEST(edges_are_limited_by_orientation)
{
    static const double share[] = {0, .8, .99};
    long rows[3] = {0};
    for (int k = 0; k < 3; k++) {
        cases_random r = {77};
        pegSettings settings;
        peg_settings_default(&settings);
        settings.contact = PEG_CONTACT_PAPER;
        settings.reach = .2;
        settings.paper_edges = share[k];
        for (int run = 0; run < 60; run++) {
            double up[3] = {1, cases_uniform(&r, -.5, .5), 1},
                   beside = cases_uniform(&r, -.03, .03);
            scene_begin(.01);
            scene_add_cube(PEG_STATIC, 0, 0, 0, 0);
            peg_body *b = scene_add_body(PEG_DYNAMIC, 1, (double[]){.5, .5, .5});
            scene_add_part(1, pyramid_of_eight_sides(), 0, 0, 0);
            peg_normalise(up);
            scene_turn_to(b, (double[]){0, 0, 1}, up);
            for (int i = 0; i < 3; i++) b->x[i] = (i == 1 ? 0 : .51) + .5 * up[i];
            b->x[0] += beside, b->x[2] -= beside;
            scene_set_velocity(b, -.5, 0, -1);
            scene_use_context(&settings);
            scene_step();
            rows[k] += S.stats.rows;
            scene_end();
        }
    }
    ck_assert_int_gt(rows[0], rows[1]);
    ck_assert_int_gt(rows[1], rows[2]);
}
END_TEST

/* A slab on a slope about y: with mu above tan it stays, with mu below it slides down with
 * g (sin - mu cos), whatever the number of directions of the cone. */
START_TEST(slab_on_a_slope)
{
    static const int directions[] = {0, 4, 8, 16};
    double a = .4, h = .01, g = 10, down[3] = {-cos(a), 0, -sin(a)};
    for (int m = 0; m < MODEL_COUNT; m++)
        for (int slides = 0; slides < 2; slides++) {
            pegSettings settings;
            peg_settings_default(&settings);
            settings.contact = MODELS[m];
            settings.friction_directions = directions[_i];
            scene_begin(h);
            scene_use_context(&settings);
            double normal[3] = {-sin(a), 0, cos(a)};
            peg_polytope **shape = &S.shape[S.shapes++];
            ck_assert_int_eq(peg_polytope_half_space(normal, 0, shape), PEG_OK);
            scene_add_part(-1, *shape, 0, 0, 0);
            peg_body *b = scene_add_body(PEG_DYNAMIC, 2, (double[]){1, 1, .2});
            scene_add_part(0, scene_box(1, 1, .2), 0, 0, 0);
            scene_turn_to(b, (double[]){0, 0, 1}, normal);
            peg_add_scaled(b->x, .1, normal, b->x);
            S.surface.mu = S.surface.mu2 = slides ? .3 : .5;
            double rate = slides ? g * (sin(a) - .3 * cos(a)) : 0;
            for (int k = 1; k <= 20; k++) {
                scene_fall(g);
                scene_step();
                scene_advance();
                ck_assert_int_eq(S.stats.unconverged, 0);
                ck_assert_double_eq_tol(peg_dot(down, b->v), rate * k * h, 1e-7);
                ck_assert_double_eq_tol(b->v[1], 0, 1e-7);
            }
            scene_end();
        }
}
END_TEST

/* Two spinning boxes meet: linear momentum stays, and the angular one about the start. */
START_TEST(boxes_keep_their_momentum)
{
    cases_random r = {77};
    double h = .01;
    for (int run = 0; run < 40; run++) {
        scene_random_impact(&r, h);
        S.surface.mu = S.surface.mu2 = .4;
        scene_use_model(MODELS[run % MODEL_COUNT]);
        scene_step();
        double change[3] = {0}, spin[3] = {0}, size = 0;
        for (int i = 0; i < 2; i++) {
            const peg_body *b = &S.body[i];
            double d[6], L[3], moment[3];
            for (int k = 0; k < 6; k++) d[k] = b->v_pose[k] - b->v_free[k];
            peg_add_scaled(change, b->mass, d, change);
            scene_spin_momentum(b, d + 3, L);
            peg_cross(b->x, d, moment);
            peg_add_scaled(spin, b->mass, moment, spin);
            peg_add_scaled(spin, 1, L, spin);
            size += b->mass * peg_norm(d);
        }
        ck_assert_double_le(peg_norm(change), EXACT * (size + 1));
        ck_assert_double_le(peg_norm(spin), 1e-10 * (size + 1));
        scene_end();
    }
}
END_TEST

void paper_space_cases(Suite *suite)
{
    TCase *c = tcase_create("models in space");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, inter_contact_frees_the_way_past_an_edge);
    tcase_add_test(c, edges_are_limited_by_orientation);
    tcase_add_loop_test(c, slab_on_a_slope, 0, 4);
    tcase_add_test(c, boxes_keep_their_momentum);
    suite_add_tcase(suite, c);
}
