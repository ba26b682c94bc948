/* The named scenes, each judged by its check (demos/checks/checks.h), and what must hold between
 * two runs of a scene: same input same bits, turned, with the bodies created in another order. */
#include "tests/runner.h"
#include "demos/checks/checks.h"
#include "demos/sweep/plan.h"

#include <check.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- every scene -------------------------------------------------------------------------------
 */

static sweep_plan gate; /* demos/plans/gate.json */

START_TEST(there_are_scenes)
{
    ck_assert_int_gt(gate.count, 400);
}
END_TEST

START_TEST(scene_shows_what_it_must)
{
    const sweep_case *c = &gate.cases[_i];
    char command[SWEEP_KEY_SIZE];
    check_result result;
    sweep_key(c, command);
    lab_setting set[SWEEP_SETS];
    lab_options options = sweep_case_options(c, set);
    int broken = check_scene(lab_scene_find(c->scene), &options, &result);
    ck_assert_msg(!broken && !result.failed, "peg-lab %s: %s", command, result.why);
}
END_TEST

/* The checks can fail: stock ODE overlaps and lets fast bodies through. */
START_TEST(stock_ode_fails)
{
    static const char *const names[] = {"thin-plate",        "head-on", "v-notch",
                                        "vertex-vertex-hit", "incline", "stack-staggered"};
    lab_options options = {.contact = LAB_ODE, .seed = 1};
    check_result result;
    check_scene(lab_scene_find(names[_i]), &options, &result);
    ck_assert_msg(result.failed > 0, "%s: stock ODE meets every criterion", names[_i]);
}
END_TEST

/* ulp of coordinates from 8 to 16 m */
static const double ULP = 8 * DBL_EPSILON;

/* A cube that ends at x = 8 reaches `ulps` into a wall from there to x = 16, which does not move.
 */
static void build_sunk(lab_world *w)
{
    double centre = 12 - lab_key_number(w, "ulps", 0, 0, 100) * ULP;
    lab_gravity(w, 0, 0, 0);
    lab_add_box(w, "wall", LAB_STATIC, 8, 4, 4, centre, 0, 0, NULL);
    lab_add_box(w, "cube", LAB_DYNAMIC, 1, 1, 1, 7.5, 0, 0, NULL);
}

/* The volume of overlaps is judged only where they are deeper than 2 eps X, here 2 ulp, X the
 * largest coordinate of what moves. AP leaves the cube where it is. */
START_TEST(depth_of_rounding_has_no_volume)
{
    const lab_scene scene = {"sunk", "", .01, .02, build_sunk, NULL};
    int ulps = 2 + _i;
    lab_setting set = {"ulps", ulps};
    lab_options options = {.contact = LAB_AP, .seed = 1, .set = &set, .sets = 1};
    check_result result;
    ck_assert_msg(check_scene(&scene, &options, &result) == 0, "%s", result.why);
    ck_assert_double_eq(result.depth, ulps * ULP);
    ck_assert_double_eq_tol(result.overlap, ulps * ULP, .1 * ULP); /* in cubes; allowed: 1e-15 */
    ck_assert_msg(result.failed == (ulps > 2 ? result.steps : 0),
                  "%d ulp deep: %d of %ld steps: %s", ulps, result.failed, result.steps,
                  result.why);
}
END_TEST

/* The arm stacks its boxes with both step functions, whatever the friction. */
START_TEST(arm_stacks)
{
    static const double mu[] = {.5, 1, INFINITY}, h[] = {.01, .02};
    lab_setting quick = {"quick", _i / 6};
    lab_options options = {.contact = LAB_PEG,
                           .h = h[_i % 2],
                           .seed = 1,
                           .mu_given = 1,
                           .mu = mu[_i / 2 % 3],
                           .set = &quick,
                           .sets = 1};
    check_result result;
    int broken = check_scene(lab_scene_find("arm-6"), &options, &result);
    ck_assert_msg(!broken && !result.failed, "quick %d, mu %g, h %g: %s", _i / 6, options.mu,
                  options.h, result.why);
}
END_TEST

/* The statistics of a whole run; the world is left open. */
static pegStats run_to_end(const char *scene, const lab_options *options, lab_world **world)
{
    char text[LAB_TEXT];
    int user;
    pegStats total;
    lab_world *w = *world = lab_open(lab_scene_find(scene), options, text, &user);
    ck_assert_msg(w != NULL, "%s", text);
    while (lab_steps(w) < lab_steps_planned(w)) ck_assert_msg(!lab_step(w), "%s", lab_error(w));
    lab_totals(w, &total);
    return total;
}

/* Arches land and stand exactly still, in steps of .01 s within a second, and no body is limited.
 * Of 201 stones each bears what all above it weigh, and none can be carried before its neighbours
 * are. In short steps stones hinge and slide as they land; in long ones few of the many features in
 * reach bear. */
static const struct {
    double stones, h, time;
} arch[] = {{31, .01, 1},  {61, .01, 1},   {101, .01, 1}, {201, .01, 1},
            {61, .002, 2}, {101, .002, 2}, {101, .1, 2},  {201, .1, 2}};

START_TEST(arches_stand)
{
    lab_setting bodies = {"bodies", arch[_i].stones};
    lab_options options = {.contact = LAB_PEG,
                           .h = arch[_i].h,
                           .time = arch[_i].time,
                           .seed = 1,
                           .set = &bodies,
                           .sets = 1};
    lab_world *w;
    ck_assert_int_eq(run_to_end("arch-25", &options, &w).limited_bodies, 0);
    for (int i = 0; i < lab_body_count(w); i++) {
        double v[3], omega[3];
        lab_motion(lab_body_at(w, i), v, omega);
        for (int k = 0; k < 3; k++) ck_assert_msg(v[k] == 0 && omega[k] == 0, "stone %d", i);
    }
    lab_close(w);
}
END_TEST

/* What restorations move apart at one wall closes at the other: where they moved no more than two
 * rings of neighbours of a violated pair they ended short in 34 steps, 8 of which the position
 * stage finished, the longest 80 times as long as the median. Those that it finishes now are of 15
 * to 29 bodies, while others still fall. */
START_TEST(long_steps_between_walls_move_apart_as_a_whole)
{
    lab_setting bodies = {"bodies", 60};
    lab_options options = {
        .contact = LAB_PEG, .h = .1, .seed = 1, .mu_given = 1, .set = &bodies, .sets = 1};
    lab_world *w;
    pegStats total = run_to_end("pour-boxes", &options, &w);
    ck_assert_int_eq(total.limited_bodies, 0);
    ck_assert_int_le(total.position_stages, 4);
    lab_close(w);
}
END_TEST

/* A pile whose friction has no limit comes to rest without a limited body: velocities of slow
 * islands take more iterations of PGS, which friction is to hold. */
START_TEST(sticky_pile_rests)
{
    lab_setting bodies = {"bodies", 40};
    lab_options options = {.contact = LAB_PEG,
                           .h = .02,
                           .time = 7,
                           .seed = 6,
                           .mu_given = 1,
                           .mu = INFINITY,
                           .set = &bodies,
                           .sets = 1};
    lab_world *w;
    ck_assert_int_eq(run_to_end("pile-convex", &options, &w).limited_bodies, 0);
    lab_close(w);
}
END_TEST

/* ---- two runs of one scene ----------------------------------------------------------------------
 */

static lab_world *open_scene(const lab_scene *scene, double h, const char *key, double value)
{
    lab_setting set = {.value = value};
    lab_options options = {.h = h, .seed = 1, .set = &set, .sets = key != NULL};
    char text[LAB_TEXT];
    int user;
    if (key) strcpy(set.key, key);
    lab_world *w = lab_open(scene, &options, text, &user);
    ck_assert_msg(w != NULL, "%s: %s", scene->name, text);
    return w;
}

static void run_for(lab_world *w, double time)
{
    while (lab_time(w) < time) ck_assert_msg(!lab_step(w), "%s", lab_error(w));
}

static void state(const lab_body *body, double s[13])
{
    lab_pose(body, s, s + 3);
    lab_motion(body, s + 7, s + 10);
}

/* Largest difference of place, orientation and (times a second) velocity of moving bodies of one
 * name. */
static double difference(const lab_world *a, const lab_world *b)
{
    double most = 0;
    for (int i = 0; i < lab_body_count(a); i++) {
        const lab_body *body = lab_body_at(a, i);
        double s[13], t[13];
        if (lab_body_kind(body) == LAB_STATIC) continue;
        state(body, s);
        state(lab_body_find(b, lab_body_name(body)), t);
        for (int k = 0; k < 13; k++)
            if (k < 3 || k > 6) most = fmax(most, fabs(s[k] - t[k]));
        most = fmax(most, check_angle(s + 3, t + 3));
    }
    return most;
}

START_TEST(same_input_same_bits)
{
    static const char *const names[] = {"pour-convex", "links", "blades", "v-notch", "arch-25"};
    const lab_scene *scene = lab_scene_find(names[_i]);
    lab_world *a = open_scene(scene, 0.01, NULL, 0), *b = open_scene(scene, 0.01, NULL, 0);
    run_for(a, 0.4);
    run_for(b, 0.4);
    for (int i = 0; i < lab_body_count(a); i++) {
        double s[13], t[13];
        state(lab_body_at(a, i), s);
        state(lab_body_at(b, i), t);
        ck_assert_msg(!memcmp(s, t, sizeof s), "%s: body %d differs in some bit", names[_i], i);
    }
    lab_close(a);
    lab_close(b);
}
END_TEST

/* Scenes without a tie and, for this long, without chaos; islands that are solved exactly. */
START_TEST(frame_does_not_matter)
{
    static const struct {
        const char *name;
        double time;
    } cases[] = {{"vertex-vertex-hit", 0.6},
                 {"crossed-edges-offset", 0.8},
                 {"v-notch", 0.7},
                 {"thin-plate", 0.1},
                 {"vertex-vertex-miss", 0.6},
                 {"slender-rod", 0.5},
                 {"slide-turning", 0.8},
                 {"incline", 0.5}};
    const lab_scene *scene = lab_scene_find(cases[_i].name);
    lab_world *a = open_scene(scene, 0.01, NULL, 0), *b = open_scene(scene, 0.01, "turn", 37);
    run_for(a, cases[_i].time);
    run_for(b, cases[_i].time);
    double d = difference(a, b);
    ck_assert_msg(d <= 1e-6, "%s: turned by 37 degrees it differs by %.3g", cases[_i].name, d);
    lab_close(a);
    lab_close(b);
}
END_TEST

/* ---- bodies in another order --------------------------------------------------------------------
 */

/* Five tilted boxes of different sizes fall on the floor and on each other; `order` permutes their
 * creation. */
static void build_permuted(lab_world *w)
{
    static const int orders[3][6] = {{0, 1, 2, 3, 4, 5}, {5, 4, 3, 2, 1, 0}, {2, 5, 0, 4, 1, 3}};
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    const int *order = orders[lab_key_whole(w, "order", 0, 0, 2)];
    for (int k = 0; k < 6; k++) {
        int i = order[k];
        double q[4];
        if (i == 5) {
            lab_add_box(w, "floor", LAB_STATIC, 10, 10, 1, 0, 0, -0.5, NULL);
            continue;
        }
        lab_axis_angle(1, 0.3 * i, -0.4, 20 + 11 * i, q);
        lab_add_box(w, names[i], LAB_DYNAMIC, 0.5 + 0.1 * i, 0.6, 0.4, 0.3 * i, 0.1 * i * i,
                    0.7 + 0.75 * i, q);
    }
}

START_TEST(order_does_not_matter)
{
    const lab_scene scene = {"permuted", "", 0.01, 1, build_permuted, NULL};
    lab_world *a = open_scene(&scene, 0.01, NULL, 0);
    lab_world *b = open_scene(&scene, 0.01, "order", _i + 1);
    run_for(a, 0.5);
    run_for(b, 0.5);
    double d = difference(a, b);
    pegStats sum;
    lab_totals(a, &sum);
    ck_assert_msg(sum.rows > 0, "nothing touched");
    ck_assert_msg(d <= 1e-9, "created in another order the bodies differ by %.3g", d);
    lab_close(a);
    lab_close(b);
}
END_TEST

/* ---- momentum -----------------------------------------------------------------------------------
 */

/* Three free bodies of unequal masses meet, none of them at rest. */
static void build_meeting(lab_world *w)
{
    double q[4];
    lab_gravity(w, 0, 0, 0);
    lab_friction(w, lab_key_number(w, "mu", 0, 0, 1e9));
    for (int i = 0; i < 3; i++) {
        lab_random_rotation(w, q);
        double side = 0.4 + 0.2 * i;
        lab_body *b = lab_add_box(w, "box", LAB_DYNAMIC, side, 0.5, 0.3, i - 1, 0.1 * i, 0, q);
        lab_mass(b, 1 + 9 * i);
        lab_velocity(b, (double[3]){-8 * (i - 1), 0.3 * i, 0.2}, (double[3]){i, 1, -i});
    }
}

START_TEST(momentum_is_conserved)
{
    const lab_scene scene = {"meeting", "", 0.01, 0.3, build_meeting, NULL};
    const double steps[] = {0.002, 0.01, 0.05};
    lab_world *w = open_scene(&scene, steps[_i % 3], "mu", _i < 3 ? 0 : 0.5);
    double before[3] = {0, 0, 0}, after[3] = {0, 0, 0}, scale = 0, v[3], changed = 0;
    for (int i = 0; i < 3; i++) {
        lab_motion(lab_body_at(w, i), v, NULL);
        for (int k = 0; k < 3; k++) before[k] += (1 + 9 * i) * v[k];
        scale += (1 + 9 * i) * hypot(hypot(v[0], v[1]), v[2]);
        changed += v[0];
    }
    run_for(w, 0.3);
    for (int i = 0; i < 3; i++) {
        lab_motion(lab_body_at(w, i), v, NULL);
        for (int k = 0; k < 3; k++) after[k] += (1 + 9 * i) * v[k];
        changed -= v[0];
    }
    ck_assert_msg(fabs(changed) > 0.1, "nothing met");
    for (int k = 0; k < 3; k++)
        ck_assert_msg(fabs(after[k] - before[k]) <= 1e-12 * scale,
                      "momentum %d went from %.15g to %.15g N s", k, before[k], after[k]);
    lab_close(w);
}
END_TEST

Suite *test_suite(void)
{
    char why[LAB_TEXT] = "";
    if (sweep_plan_read(&gate, getenv("GATE_PLAN"), why)) fprintf(stderr, "%s\n", why);
    Suite *suite = suite_create("scenes");
    TCase *scenes = tcase_create("scenes"), *laws = tcase_create("laws");
    TCase *arm = tcase_create("arm");
    tcase_set_timeout(scenes, 300);
    test_long(scenes);
    tcase_set_timeout(arm, 120);
    tcase_set_tags(arm, "long unsanitized"); /* sanitized, its first seconds are in the plan */
    tcase_add_loop_test(arm, arm_stacks, 0, 12);
    tcase_add_loop_test(arm, arches_stand, 0, sizeof arch / sizeof *arch);
    tcase_add_test(arm, sticky_pile_rests);
    tcase_add_test(arm, long_steps_between_walls_move_apart_as_a_whole);
    tcase_set_timeout(laws, 120);
    tcase_add_test(scenes, there_are_scenes);
    tcase_add_loop_test(scenes, scene_shows_what_it_must, 0, gate.count);
    tcase_add_loop_test(scenes, stock_ode_fails, 0, 6);
    tcase_add_loop_test(laws, depth_of_rounding_has_no_volume, 0, 2);
    tcase_add_loop_test(laws, same_input_same_bits, 0, 5);
    tcase_add_loop_test(laws, frame_does_not_matter, 0, 8);
    tcase_add_loop_test(laws, order_does_not_matter, 0, 2);
    tcase_add_loop_test(laws, momentum_is_conserved, 0, 6);
    suite_add_tcase(suite, laws);
    suite_add_tcase(suite, scenes);
    suite_add_tcase(suite, arm);
    return suite;
}
