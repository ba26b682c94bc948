/* The lab's scenes: the builder's promises, scenes from files. */
#include <check.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demos/lab/lab.h"
#include "demos/oracle/overlap.h"
#include "demos/report/recorder.h"
#include "demos/world/world.h"
#include "peg/base/math.h"
#include "tests/lab_program.h"
#include "tests/runner.h"

/* ---- the builder ----------------------------------------------------------------------------- */

static lab_world *open_scene(const lab_scene *scene, lab_contact contact, const lab_setting *set,
                             int sets, void *data)
{
    lab_options options = {
        .contact = contact, .seed = 1, .steps = 40, .set = set, .sets = sets, .data = data};
    char text[LAB_TEXT];
    int user;
    lab_world *w = lab_open(scene, &options, text, &user);
    ck_assert_msg(w != NULL, "%s", text);
    return w;
}

/* An L of two boxes in one body, a hull whose centre of mass is off, under sideways gravity. */
static void build_shapes(lab_world *w)
{
    static const double ramp[6][3] = {{0, 0, 0}, {2, 0, 0}, {0, 0, 1},
                                      {0, 1, 0}, {2, 1, 0}, {0, 1, 1}};
    double q[4];
    lab_gravity(w, 1, 0, -9);
    lab_axis_angle(1, 1, 0, 40, q);
    lab_body *bent = lab_add(w, "bent", LAB_DYNAMIC, (double[3]){0, 0, 5}, q);
    lab_box(bent, (double[3]){2, 1, 1}, (double[3]){1, .5, .5}, NULL);
    lab_box(bent, (double[3]){1, 1, 1}, (double[3]){.5, .5, 1.5}, NULL);
    lab_velocity(bent, (double[3]){1, 2, 3}, (double[3]){.5, 0, 1});
    lab_body *wedge = lab_add(w, "wedge", LAB_DYNAMIC, (double[3]){0, 5, 5}, NULL);
    lab_hull(wedge, ramp, 6, (double[3]){1, 0, 0}, NULL);
    lab_mass(wedge, 3);
    lab_add_box(w, "block", LAB_KINEMATIC, 1, 1, 1, -5, 0, 0, NULL);
    lab_plane(w, "ground", (double[3]){0, 0, 1}, -8);
}

START_TEST(computes_mass_properties)
{
    static const lab_scene scene = {"shapes", "", .01, 1, build_shapes, NULL};
    lab_world *w = open_scene(&scene, LAB_ODE, NULL, 0, NULL);
    const lab_body *bent = lab_body_find(w, "bent"), *wedge = lab_body_find(w, "wedge");
    ck_assert_double_eq_tol(bent->mass, 3000, 1e-10);
    ck_assert_double_eq_tol(bent->com[0], 2.5 / 3, 1e-15);
    ck_assert_double_eq_tol(bent->com[2], 2.5 / 3, 1e-15);
    double x[3];
    lab_point(bent, (double[3]){0, 0, 0}, x);
    ck_assert_double_eq_tol(x[0], 0, 1e-14);
    ck_assert_double_eq_tol(x[2], 5, 1e-14);
    /* about the y axis through the centre of mass */
    double own = 2000 * 5 / 12. + 1000 * 2 / 12.;
    double steiner = 2000 * (pow(1 - 2.5 / 3, 2) + pow(.5 - 2.5 / 3, 2)) +
                     1000 * (pow(.5 - 2.5 / 3, 2) + pow(1.5 - 2.5 / 3, 2));
    ck_assert_double_eq_tol(bent->inertia[4], own + steiner, 1e-9);
    ck_assert_double_eq_tol(wedge->mass, 3, 1e-15);
    ck_assert_double_eq_tol(wedge->now.x[0], 1 + 2. / 3, 1e-14);
    ck_assert_double_eq_tol(wedge->now.x[2], 5 + 1. / 3, 1e-14);
    /* m (width^2 / 12 + height^2 / 18) about the long axis of a wedge */
    ck_assert_double_eq_tol(wedge->inertia[0], 3 * (1 / 12. + 1 / 18.), 1e-14);
    lab_close(w);
}
END_TEST

/* Turned and scaled, the motion is the same in the scene's own coordinates. */
START_TEST(turns_and_scales)
{
    static const lab_scene scene = {"shapes", "", .01, 1, build_shapes, NULL};
    static const double scales[] = {1e-3, 1, 100};
    for (int c = 0; c < LAB_CONTACT_COUNT; c++)
        for (int i = 0; i < 3; i++) {
            lab_setting set[2] = {{"scale", scales[i]}, {"turn", 37.5}};
            lab_world *a = open_scene(&scene, (lab_contact)c, NULL, 0, NULL);
            lab_world *b = open_scene(&scene, (lab_contact)c, set, 2, NULL);
            for (int k = 0; k < 40; k++) {
                ck_assert_int_eq(lab_step(a), 0);
                ck_assert_int_eq(lab_step(b), 0);
            }
            for (int k = 0; k < lab_body_count(a); k++) {
                double x[3], y[3], v[3], u[3], q[4], p[4], cosine = 0;
                lab_pose(lab_body_at(a, k), x, q);
                lab_pose(lab_body_at(b, k), y, p);
                lab_motion(lab_body_at(a, k), v, NULL);
                lab_motion(lab_body_at(b, k), u, NULL);
                for (int m = 0; m < 3; m++) {
                    ck_assert_double_eq_tol(x[m], y[m], 1e-11);
                    ck_assert_double_eq_tol(v[m], u[m], 1e-11);
                }
                for (int m = 0; m < 4; m++) cosine += q[m] * p[m];
                if (!lab_body_at(a, k)->is_plane) ck_assert_double_eq_tol(fabs(cosine), 1, 1e-12);
            }
            lab_close(a);
            lab_close(b);
        }
}
END_TEST

/* Three cubes fall on a floor: two of one group pass through each other, the third lands on them.
 * One more falls past the floor, out of the bounds. */
static void build_groups(lab_world *w)
{
    double low[3] = {-5, -5, 0}, high[3] = {5, 5, 9};
    lab_plane(w, "floor", (double[3]){0, 0, 1}, 0);
    lab_group(lab_add_box(w, "cube", LAB_DYNAMIC, 1, 1, 1, 0, 0, .6, NULL), 1);
    lab_group(lab_add_box(w, "cube", LAB_DYNAMIC, 1, 1, 1, .25, 0, 1.3, NULL), 1);
    lab_add_box(w, "cube", LAB_DYNAMIC, 1, 1, 1, 0, .25, 2.5, NULL);
    lab_bounds(w, low, high);
    lab_velocity(lab_add_box(w, "late", LAB_DYNAMIC, 1, 1, 1, 3, 0, .5, NULL),
                 (double[3]){300, 0, 0}, NULL);
    lab_enter(lab_body_find(w, "late"), .105, .5);
    lab_add_box(w, "post", LAB_STATIC, 1, 1, 2, 3, 0, 1, NULL);
}

START_TEST(groups_entering_and_bounds)
{
    static const lab_scene scene = {"groups", "", .01, 1, build_groups, NULL};
    for (int c = 0; c < LAB_CONTACT_COUNT; c++) {
        if (c == LAB_ST_PUBLISHED) continue; /* the half-spaces of the post contradict each other */
        lab_world *w = open_scene(&scene, (lab_contact)c, NULL, 0, NULL);
        const lab_body *late = lab_body_find(w, "late"), *second = lab_body_find(w, "cube-2");
        double x[3], volume, depth;
        for (int i = 0; i < 120; i++) {
            ck_assert_int_eq(lab_body_present(late), i > 11);
            ck_assert_int_eq(lab_step(w), 0);
        }
        ck_assert_int_eq(lab_escaped(w), 1);
        lab_pose(second, x, NULL);
        /* as low as the first, inside of it; ap stops within the reach */
        ck_assert_double_eq_tol(x[2], .5, c == LAB_AP ? 3e-2 : 1e-2);
        lab_pose(lab_body_find(w, "cube-3"), x, NULL);
        ck_assert_double_eq_tol(x[2], 1.5, c == LAB_AP ? 6e-2 : 3e-2);
        lab_overlap(w, 1, &volume, &depth);
        ck_assert_double_le(depth, c == LAB_PEG ? 0 : .03);
        lab_recorder recorder = {.path = test_path("trace")};
        lab_observer observer = lab_recorder_observer(&recorder);
        observer.begin(&recorder, w);
        observer.end(&recorder, w);
        ck_assert_str_eq(lab_error(w), "");
        lab_recorder_free(&recorder);
        char *text = lab_read_text(test_path("trace"));
        ck_assert_ptr_nonnull(strstr(text, "\"connected\":[[1,2]]"));
        free(text);
        lab_close(w);
    }
}
END_TEST

/* A paddle turns among 12 bodies that grip; jammed between it and the walls one was thrown out of
 * the container at more than ten times the paddle's speed. */
START_TEST(a_paddle_throws_nothing_out)
{
    static const lab_setting set[] = {{"bodies", 12}};
    static const uint64_t seed[] = {2, 4};
    lab_options options = {.contact = LAB_PEG,
                           .seed = seed[_i],
                           .mu_given = 1,
                           .mu = 2,
                           .steps = 200,
                           .set = set,
                           .sets = 1};
    char text[LAB_TEXT];
    int user;
    lab_world *w = lab_open(lab_scene_find("stirrer"), &options, text, &user);
    ck_assert_msg(w != NULL, "%s", text);
    for (int i = 0; i < options.steps; i++) ck_assert_int_eq(lab_step(w), 0);
    ck_assert_int_eq(lab_escaped(w), 0);
    lab_close(w);
}
END_TEST

/* Inside of a step the pose moves along ODE's update, as if the step were shorter. */
START_TEST(poses_inside_of_a_step)
{
    static const lab_scene scene = {"shapes", "", .2, 1, build_shapes, NULL};
    lab_world *w = open_scene(&scene, LAB_ODE, NULL, 0, NULL);
    ck_assert_int_eq(lab_step(w), 0);
    const lab_body *b = lab_body_find(w, "bent");
    for (double s = 0; s <= 1; s += .125) {
        double x[3], q[4], dq[4], want[4], length = 0;
        lab_between(b, s, x, q);
        double spin[4] = {0, b->now.omega[0], b->now.omega[1], b->now.omega[2]};
        peg_quat_mul(spin, b->before.q, dq);
        for (int k = 0; k < 4; k++) {
            want[k] = b->before.q[k] + s * .1 * dq[k];
            length += want[k] * want[k];
        }
        for (int k = 0; k < 4; k++) ck_assert_double_eq_tol(q[k], want[k] / sqrt(length), 1e-14);
        for (int k = 0; k < 3; k++)
            ck_assert_double_eq_tol(x[k], b->before.x[k] + s * .2 * b->now.v[k], 1e-14);
    }
    lab_close(w);
}
END_TEST

/* ---- scenes from files ----------------------------------------------------------------------- */

START_TEST(reads_a_scene)
{
    char text[LAB_TEXT] = "";
    lab_file *file = lab_file_read(lab_data_path("drop.json"), NULL, NULL, text);
    ck_assert_msg(file != NULL, "%s", text);
    ck_assert_double_eq(lab_file_scene(file)->h, .005);
    ck_assert_double_eq(lab_file_scene(file)->time, .5);
    lab_world *w = open_scene(lab_file_scene(file), LAB_PEG, NULL, 0, file);
    ck_assert_int_eq(lab_body_count(w), 4);
    const lab_body *sheet = lab_body_at(w, 0), *wedge = lab_body_at(w, 1),
                   *brick = lab_body_at(w, 2);
    lab_body *mover = lab_body_at(w, 3);
    ck_assert_int_eq(sheet->kind, LAB_STATIC);
    ck_assert_double_eq_tol(sheet->part[0].high[1], -1, 1e-15); /* the slab lies under the sheet */
    ck_assert_double_eq_tol(sheet->part[0].low[1], -1.8, 1e-14);
    ck_assert_double_eq_tol(wedge->mass, 500 * .5, 1e-10);
    ck_assert_double_eq_tol(wedge->now.omega[1], acos(0), 1e-15);
    /* the corner (2, 0, 0) of the mesh, scaled, turned by Rz Ry Rx, moved: an axis along x feels
     * only Rz Ry */
    double corner[3], cy = cos(40 * acos(-1) / 180), sy = sin(40 * acos(-1) / 180);
    double cz = cos(50 * acos(-1) / 180), sz = sin(50 * acos(-1) / 180);
    lab_point(wedge, (double[3]){1, 0, 0}, corner);
    ck_assert_double_eq_tol(corner[0], .5 + cz * cy, 1e-14);
    ck_assert_double_eq_tol(corner[1], 1 + sz * cy, 1e-14);
    ck_assert_double_eq_tol(corner[2], .25 - sy, 1e-14);
    ck_assert_double_eq_tol(brick->mass, 1000, 1e-9);
    ck_assert_double_eq_tol(brick->now.x[0], -1.5, 1e-14);
    for (int k = 1; k <= 4; k++) {
        ck_assert_int_eq(lab_step(w), 0);
        double angle = fmin(k, 3) * 10 * acos(-1) / 180, tip[3];
        lab_point(mover, (double[3]){2, 0, 0}, tip);
        ck_assert_double_eq_tol(tip[0], 3 + 2 * cos(angle), 1e-12);
        ck_assert_double_eq_tol(tip[1], .01 * fmin(k, 3), 1e-12);
        ck_assert_double_eq_tol(tip[2], -2 * sin(angle), 1e-12);
    }
    /* the force lifts a tenth of 1000 kg's accelerations */
    ck_assert_double_eq_tol(brick->now.v[1], 4 * .005 * (.1 - 9.8), 1e-13);
    lab_close(w);
    lab_file_free(file);
}
END_TEST

/* The L, on its own and with a face cut in another way: 3 m^3, one mesh, moments of two boxes. */
START_TEST(reads_a_solid)
{
    static const char *const body[] = {
        "{\"mesh\": \"notched.obj\"}",
        "{\"vertices\": [[0,0,0],[2,0,0],[2,0,1],[1,0,1],[1,0,2],[0,0,2],[0,1,0],[2,1,0],[2,1,1],"
        "[1,1,1],[1,1,2],[0,1,2]], \"faces\": [[5,4,3,2,1,0],[6,7,8,9,10,11],[1,7,6,0],[2,8,7,1],"
        "[3,9,8,2],[4,10,9,3],[5,11,10,4],[0,6,11,5]]}"}; /* inside out, faces not convex */
    for (int i = 0; i < 2; i++) {
        char text[LAB_TEXT] = "", json[1024], meshes[1024];
        snprintf(json, sizeof json, "{\"rigid_body_problem\": {\"rigid_bodies\": [%s]}}", body[i]);
        lab_write_text(test_path("solid.json"), json);
        snprintf(meshes, sizeof meshes, "%s/meshes", getenv("LAB_DATA"));
        lab_file *file = lab_file_read(test_path("solid.json"), meshes, NULL, text);
        ck_assert_msg(file != NULL, "%s", text);
        lab_world *w = open_scene(lab_file_scene(file), LAB_PEG, NULL, 0, file);
        const lab_body *b = lab_body_at(w, 0);
        ck_assert_int_eq(b->part[0].shape->kind, LAB_SHAPE_MESH);
        ck_assert_double_eq_tol(b->mass, 3000, 1e-9);
        /* a box 2 x 1 x 1 about (1, .5, .5) and a cube about (.5, .5, 1.5) */
        ck_assert_double_eq_tol(b->com[0], 2.5 / 3, 1e-14);
        ck_assert_double_eq_tol(b->com[2], 2.5 / 3, 1e-14);
        double across = 2000 * (5. / 12) + 1000 * (2. / 12) + 2000. / 3 * 1.25;
        ck_assert_double_eq_tol(b->inertia[4], across, 1e-9);
        lab_close(w);
        lab_file_free(file);
    }
}
END_TEST

/* A scene whose only body is given; the rest is in order. */
static int refused_body(const char *body, const char *words)
{
    char text[2048], command[512];
    snprintf(
        text, sizeof text,
        "{\"timestep\": 0.01, \"max_time\": 0.1, \"rigid_body_problem\": {\"gravity\": [0,-9,0],"
        "\"rigid_bodies\": [%s]}}",
        body);
    lab_write_text(test_path("bad.json"), text);
    snprintf(command, sizeof command, "run %s --mesh-dir %s/meshes", test_path("bad.json"),
             getenv("LAB_DATA"));
    return lab_refused(command, words);
}

START_TEST(refuses_what_it_cannot_represent)
{
    ck_assert(refused_body("{\"mesh\": \"missing.obj\"}", "--mesh-dir"));
    ck_assert(refused_body("{\"mesh\": \"wedge.stl\"}", "--mesh-dir"));
    ck_assert(refused_body("{\"mesh\": 3}", "name of a file"));
    ck_assert(refused_body("{}", "neither"));
    ck_assert(refused_body("3", "must be an object"));
    ck_assert(refused_body("{\"mesh\": \"wedge.obj\", \"position\": [0, 0]}", "3D"));
    ck_assert(
        refused_body("{\"mesh\": \"wedge.obj\", \"position\": [0, 0, \"x\"]}", "three numbers"));
    ck_assert(refused_body("{\"mesh\": \"wedge.obj\", \"rotation\": 3}", "three numbers"));
    ck_assert(refused_body("{\"mesh\": \"wedge.obj\", \"scale\": 0}", "scale"));
    ck_assert(refused_body("{\"mesh\": \"wedge.obj\", \"density\": 0}",
                           "a dynamic body needs a positive one"));
    ck_assert(
        refused_body("{\"mesh\": \"wedge.obj\", \"type\": \"soft\"}", "type 'soft' is unknown"));
    ck_assert(refused_body("{\"mesh\": \"wedge.obj\", \"is_dof_fixed\": [true]}", "list of six"));
    ck_assert(refused_body("{\"mesh\": \"wedge.obj\", \"springs\": [1]}", "springs"));
    ck_assert(refused_body("{\"mesh\": \"wedge.obj\", \"enabled\": false}", "no body is enabled"));
    ck_assert(refused_body("{\"vertices\": [[0,0],[1,0],[1,1]], \"edges\": [[0,1]]}", "3D"));
    ck_assert(refused_body("{\"vertices\": [[0,0,0],[1,0,0],[1,1,0]], \"faces\": 3}", "faces"));
    ck_assert(refused_body("{\"vertices\": [[0,0,0],[1,0,0]], \"edges\": [[0,2]]}", "not there"));
    ck_assert(refused_body("{\"vertices\": [[0,0,0],[1,0,0]], \"edges\": [[0]]}", "pairs"));
    ck_assert(refused_body("{\"vertices\": [[0,0,0],[1,0,0],[1,1,0]], \"faces\": [[0,1,7]]}",
                           "not there"));
    ck_assert(refused_body("\x01", "no JSON"));
    static const struct {
        const char *text, *words;
    } files[] = {{"", "is empty"},
                 {"[]", "rigid_body_problem"},
                 {"{}", "rigid_body_problem"},
                 {"{\"rigid_body_problem\": {}}", "rigid_bodies"},
                 {"{\"rigid_body_problem\": {\"springs\": [[0, 1]]}}", "springs"},
                 {"{\"timestep\": -1, \"rigid_body_problem\": {}}", "timestep"}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char command[256];
        lab_write_text(test_path("bad.json"), files[i].text);
        snprintf(command, sizeof command, "run %s", test_path("bad.json"));
        ck_assert(lab_refused(command, files[i].words));
    }
}
END_TEST

static void swallow(const char *text)
{
    ck_assert_ptr_nonnull(text);
}

/* Damages the scene file at random places: it is read or refused with a message, and what was read
 * runs or is refused. */
START_TEST(survives_rubbish)
{
    char *good = lab_read_text(lab_data_path("drop.json")), meshes[1024];
    size_t length = strlen(good);
    uint64_t state = 1;
    int read = 0;
    snprintf(meshes, sizeof meshes, "%s/meshes", getenv("LAB_DATA"));
    for (int i = 0; i < 1500; i++) {
        static const char rubbish[] = "0123456789-.e[]{},:\"tfn x\\";
        char *bad = strdup(good), text[LAB_TEXT] = "";
        for (int k = 0; k < 1 + i % 3; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            bad[(state >> 33) % length] = rubbish[(state >> 20) % (sizeof rubbish - 1)];
        }
        if (i % 10 == 9) bad[(state >> 33) % length] = 0;
        lab_write_text(test_path("rubbish.json"), bad);
        lab_file *file = lab_file_read(test_path("rubbish.json"), meshes, swallow, text);
        ck_assert(file || (strlen(text) > 0 && !strchr(text, '\n')));
        if (file && read++ < 200) {
            lab_options options = {.contact = LAB_ODE, .steps = 2, .data = file};
            int user;
            lab_world *w = lab_open(lab_file_scene(file), &options, text, &user);
            for (int k = 0; w && k < 2; k++) lab_step(w);
            ck_assert(w || strlen(text) > 0);
            lab_close(w);
        }
        lab_file_free(file);
        free(bad);
    }
    ck_assert_int_gt(read, 20);
    free(good);
}
END_TEST

TCase *lab_scene_tests(void)
{
    TCase *tests = tcase_create("scenes");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, computes_mass_properties);
    tcase_add_test(tests, turns_and_scales);
    tcase_add_test(tests, groups_entering_and_bounds);
    tcase_add_loop_test(tests, a_paddle_throws_nothing_out, 0, 2);
    tcase_add_test(tests, poses_inside_of_a_step);
    tcase_add_test(tests, reads_a_scene);
    tcase_add_test(tests, reads_a_solid);
    tcase_add_test(tests, refuses_what_it_cannot_represent);
    return tests;
}

TCase *lab_rubbish_tests(void)
{
    TCase *tests = tcase_create("rubbish");
    tcase_set_timeout(tests, 120);
    test_long(tests);
    tcase_add_test(tests, survives_rubbish);
    return tests;
}
