/* Steps whose outer loop never converges: the linker puts a loop that gives up in its place, so
 * that every island with a pair ends in the position stage. */
#include "tests/test_position_stage.h"
#include "tests/runner.h"
#include "tests/step_scene.h"
#include "peg/island/solve.h"
#include "peg/base/tolerance.h"
#include "peg/island/outer_loop.h"
#include "peg/step/stage.h"

static int attempts;

peg_result __wrap_peg_outer_loop(peg_island *island);
peg_result __wrap_peg_outer_loop(peg_island *island)
{
    attempts += island->nd > 0;
    return PEG_NOT_CONVERGED;
}

static const double G = 9.81;
/* Thin gaps grow by 1e-11 L a step at most, less and less: what that adds to a speed, m/s, and to
 * the energy of some bodies, of their weights. */
static const double GROWTH = 1e-8, GROWTH_WORK = 1e-10;

/* --- what every step keeps --- */

static double lowest_separation(void)
{
    double s = INFINITY;
    for (int a = 0; a < S.s.np; a++)
        for (int b = 0; b < a; b++) s = fmin(s, scene_separation(a, b));
    return s;
}

static double energy(int after)
{
    double sum = 0;
    for (int i = 0; i < S.s.nb; i++) {
        const peg_body *b = &S.body[i];
        if (b->kind != PEG_DYNAMIC) continue;
        sum += after ? scene_kinetic_after(b) : scene_kinetic(b, b->v);
    }
    return sum;
}

/* A step that leaves everything apart and gains no more than gravity g gives along its way. */
static void step_apart(double g)
{
    double before = energy(0), fallen = 0;
    scene_fall(g);
    scene_step();
    for (int i = 0; i < S.s.nb; i++)
        if (S.body[i].kind == PEG_DYNAMIC)
            fallen -= S.body[i].mass * g * S.s.h * S.body[i].v_pose[2];
    ck_assert_int_eq(S.stats.unconverged, 0);
    ck_assert_int_eq(S.stats.infeasible_islands, 0);
    ck_assert_double_ge(lowest_separation(), 0);
    double unit = before + fabs(fallen) + G * S.s.nb;
    ck_assert_msg(energy(1) <= before + fallen + GROWTH_WORK * unit, "gain %g",
                  energy(1) - before - fallen);
}

/* Momentum of the dynamic bodies with the velocities before the step, after it, or those of the
 * poses. */
typedef enum moment { BEFORE, AFTER, OF_POSES } moment;

static double momentum(moment when, double P[3])
{
    double unit = 0;
    memset(P, 0, 3 * sizeof *P);
    for (int i = 0; i < S.s.nb; i++) {
        const peg_body *b = &S.body[i];
        const double *v = when == BEFORE ? b->v : when == AFTER ? b->v_end : b->v_pose;
        peg_add_scaled(P, b->mass, v, P);
        unit += b->mass * peg_norm(v);
    }
    return unit;
}

/* --- scenes --- */

/* Bodies that lie flush on each other fall as if they did not. */
START_TEST(flush_bodies_fall_freely)
{
    scene_begin(.01);
    for (int i = 0; i < 4; i++) scene_add_cube(PEG_DYNAMIC, 1 + i, 0, 0, i);
    attempts = 0;
    for (int n = 1; n <= 100; n++) {
        step_apart(G);
        ck_assert_int_eq(S.stats.limited_bodies, 0);
        scene_advance();
        for (int i = 0; i < 4; i++) {
            const peg_body *b = &S.body[i];
            ck_assert_double_eq_tol(b->v[2], -G * S.s.h * n, GROWTH);
            ck_assert_double_eq_tol(b->x[2], i - G * S.s.h * S.s.h * n * (n + 1) / 2,
                                    GROWTH * n * S.s.h);
            for (int k = 3; k < 6; k++) ck_assert_double_le(fabs(b->v[k]), GROWTH);
        }
    }
    ck_assert_int_ge(attempts, 100);
    scene_end();
}
END_TEST

/* A flush row flies at a wall, straight or along it: it stops at the wall, and goes on along it.
 * _i: sideways. */
START_TEST(what_flies_at_a_wall_stops_there)
{
    double along = _i ? 2 : 0;
    scene_begin(.01);
    peg_body *wall = scene_add_body(PEG_STATIC, 1, (double[]){1, 40, 40});
    scene_add_part(0, scene_box(1, 40, 40), 0, 0, 0);
    wall->x[0] = -1;
    for (int i = 0; i < 3; i++)
        scene_set_velocity(scene_add_cube(PEG_DYNAMIC, 1 + i, .12 + i, 0, 0), -5, along, 0);
    for (int n = 0; n < 200; n++) {
        step_apart(0);
        scene_advance();
    }
    for (int i = 1; i <= 3; i++) {
        const peg_body *b = &S.body[i];
        ck_assert_double_le(fabs(b->v[0]), 10 * PEG_FINE * 5);
        ck_assert_double_ge(b->x[0], i - 1);
        ck_assert_double_le(b->x[0], i - 1 + 1e-3);
        ck_assert_double_eq_tol(b->x[1], along * S.s.h * 200, PEG_FINE * 5 * 200 * S.s.h);
    }
    scene_end();
}
END_TEST

/* A stack on the ground bears, and stays where it is. */
START_TEST(stacks_stand)
{
    scene_begin(.01);
    S.surface = (peg_surface){.mu = .5, .mu2 = .5};
    scene_add_ground();
    for (int i = 0; i < 5; i++) scene_add_cube(PEG_DYNAMIC, 1, .1 * (i % 2), 0, .5 + i);
    for (int n = 0; n < 200; n++) {
        step_apart(G);
        scene_advance();
    }
    for (int i = 0; i < 5; i++) {
        ck_assert_double_eq_tol(S.body[i].x[2], .5 + i, 1e-3);
        ck_assert_double_eq_tol(S.body[i].x[0], .1 * (i % 2), 1e-3);
    }
    scene_end();
}
END_TEST

static void random_heap(cases_random *r)
{
    scene_begin(.05);
    for (int i = 0; i < BODIES; i++) {
        double n[3], spin[3];
        peg_body *b = scene_add_cube(PEG_DYNAMIC, cases_uniform(r, .5, 3), 2 * (i % 2),
                                     2 * (i / 2 % 2), 2 * (i / 4));
        cases_direction(r, n);
        scene_turn_to(b, (double[]){0, 0, 1}, n);
        cases_direction(r, spin);
        for (int k = 0; k < 3; k++) {
            b->v[k] = 30 * (1 - b->x[k]) + cases_uniform(r, -9, 9);
            b->v[3 + k] = 90 * spin[k];
        }
        memcpy(b->v_free, b->v, sizeof b->v);
    }
}

/* Bodies fly into each other in the void: the momentum stays what it was, in the velocities and in
 * the way of the centre of mass, also where positions are found by projection, and where bodies are
 * limited: by no restoration in every other run. */
START_TEST(floating_islands_keep_their_momentum)
{
    cases_random r = {600};
    long stages = 0, limited = 0, pairs = 0;
    for (int run = 0; run < 24; run++) {
        random_heap(&r);
        S.context->disabled_rules = run % 2 ? PEG_RULE_RESTORE : 0;
        for (int n = 0; n < 60; n++) {
            double P[3][3], d[3], unit = momentum(BEFORE, P[0]);
            step_apart(0);
            momentum(AFTER, P[1]);
            momentum(OF_POSES, P[2]);
            for (int m = 1; m < 3; m++) {
                peg_sub(P[m], P[0], d);
                ck_assert_msg(peg_norm(d) <= EXACT * unit, "%d: %g of %g", m, peg_norm(d), unit);
            }
            stages += S.stats.position_stages;
            limited += S.stats.limited_bodies;
            pairs += S.stats.pairs;
            scene_advance();
        }
        scene_end();
    }
    ck_assert_int_gt(pairs, 1000);
    ck_assert_int_gt(stages, 50);
    ck_assert_int_gt(limited, 0);
}
END_TEST

/* A plate comes down on a cube that stands on the ground: what cannot be had is counted, and ends
 * in numbers. */
START_TEST(squeezed_bodies_are_counted)
{
    long squeezed = 0;
    scene_begin(.01);
    scene_add_ground();
    scene_add_cube(PEG_DYNAMIC, 1, 0, 0, .5);
    peg_body *plate = scene_add_cube(PEG_KINEMATIC, 1, 0, 0, 1.55);
    plate->v[2] = -1;
    for (int n = 0; n < 10; n++) {
        scene_fall(G);
        scene_step();
        squeezed += S.stats.infeasible_islands;
        ck_assert(n >= 4 || S.stats.infeasible_islands == 0);
        for (int k = 0; k < 6; k++) ck_assert(isfinite(S.body[0].v_end[k]));
        scene_advance();
    }
    ck_assert_int_ge(squeezed, 4);
    scene_end();
}
END_TEST

/* A cube in a slot with hardly any clearance or none, that turns by 0.2 to 0.6 rad a step: there is
 * room, since the cube may turn with it. Rows of the slot after it has turned contradict each
 * other. */
START_TEST(turning_obstacles_carry_what_they_meet)
{
    const double clearance = _i % 2 ? 0 : 1e-5, spin = 20 + 5 * (double)(_i / 2), side = 1, arm = 3;
    scene_begin(.01);
    peg_body *slot = scene_add_body(PEG_KINEMATIC, 1, (double[]){1, 1, 1});
    const peg_polytope *wall = scene_box(2 * arm, side, side);
    for (int k = -1; k <= 1; k += 2) scene_add_part(0, wall, arm, k * (side + clearance), 0);
    slot->v[5] = spin;
    scene_add_cube(PEG_DYNAMIC, 1, arm, 0, 0);
    for (int n = 0; n < 5; n++) {
        scene_fall(0);
        scene_step();
        ck_assert_int_eq(S.stats.unconverged + S.stats.infeasible_islands, 0);
        for (int of_slot = 0; of_slot < 2; of_slot++)
            ck_assert_double_ge(scene_separation(of_slot, 2), -EXACT * arm);
        scene_advance();
    }
    scene_end();
}
END_TEST

/* The heap of before with a cube that joints hold to the world: it is no floating island, and the
 * cube stays where it is, limited or not. */
START_TEST(joints_to_the_world_hold)
{
    /* of the way of a step: iterative solves */
    const double fine = 1e-6, way = .3;
    cases_random r = {700};
    long limited = 0;
    for (int run = 0; run < 8; run++) {
        peg_joint_row row[6] = {0};
        double start[3];
        random_heap(&r);
        for (int k = 0; k < 6; k++) {
            row[k] = (peg_joint_row){.body_a = 0, .body_b = -1, .lo = -INFINITY, .hi = INFINITY};
            row[k].Ja[k] = 1;
            S.body[0].v[k] = 0;
        }
        peg_copy3(S.body[0].x, start);
        S.s.joint_row = row, S.s.njoint_row = 6;
        for (int n = 0; n < 60; n++) {
            double moved[3];
            scene_fall(0);
            scene_step();
            ck_assert_double_ge(lowest_separation(), 0);
            limited += S.stats.limited_bodies;
            scene_advance();
            peg_sub(S.body[0].x, start, moved);
            ck_assert_msg(peg_norm(moved) < (n + 1) * fine * way, "run %d, step %d: it moved %g m",
                          run, n, peg_norm(moved));
        }
        scene_end();
    }
    ck_assert_int_gt(limited, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("position stage");
    TCase *tc = tcase_create("steps");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, flush_bodies_fall_freely);
    tcase_add_loop_test(tc, what_flies_at_a_wall_stops_there, 0, 2);
    tcase_add_test(tc, stacks_stand);
    tcase_add_test(tc, floating_islands_keep_their_momentum);
    tcase_add_test(tc, squeezed_bodies_are_counted);
    tcase_add_test(tc, joints_to_the_world_hold);
    tcase_add_loop_test(tc, turning_obstacles_carry_what_they_meet, 0, 18);
    suite_add_tcase(suite, rigid_zones_case());
    suite_add_tcase(suite, tc);
    return suite;
}
