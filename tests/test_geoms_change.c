/* What changes, heightfields, and classes of the program. */
#include "tests/geom_cases.h"
#include "tests/test_geoms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* transforms */

/* --- what changes --- */

START_TEST(changed_parameters_are_seen)
{
    scene s = new_scene(0.5);
    dCreatePlane(s.space, 0, 0, 1, 0);
    dGeomID ball = dCreateSphere(s.space, 0.5);
    dBodyID body = add_body(&s, ball);
    dBodySetPosition(body, 0, 0, 0.51);
    for (int i = 0; i < 30; i++) make_step(&s, 0.01);
    dGeomSphereSetRadius(ball, 0.3);
    for (int i = 0; i < 40; i++) make_step(&s, 0.01);
    ck_assert_double_eq_tol(dBodyGetPosition(body)[2], 0.3, 1e-4);
    dGeomDestroy(ball);
    for (int i = 0; i < 40; i++) make_step(&s, 0.01);
    ck_assert_double_lt(dBodyGetPosition(body)[2], 0);
    free_scene(&s);
}
END_TEST

/* A mesh that is lowered under a body is noticed: at once if it is told or small. */
START_TEST(changed_meshes_are_seen)
{
    int told = _i;
    scene s = new_scene(0.5);
    double moved[8][3];
    memcpy(moved, points, sizeof moved);
    dGeomID grid = told ? add_grid(&s, 10, flat) : add_mesh(&s, moved[0], 8, cube[0], 12);
    if (!told) dGeomSetPosition(grid, 0, 0, -0.5);
    dBodyID body = add_body(&s, dCreateSphere(s.space, 0.5));
    dBodySetPosition(body, 0, 0, 0.51);
    for (int i = 0; i < 30; i++) make_step(&s, 0.01);
    ck_assert_double_eq_tol(dBodyGetPosition(body)[2], 0.5, 1e-4);
    for (int i = 0; i < 8 && !told; i++) moved[i][2] -= 0.2;
    for (int i = 0; i < (SIDE + 1) * (SIDE + 1) && told; i++) grid_vertex[i][2] -= 0.2;
    dGeomTriMeshDataUpdate(s.mesh[0]);
    if (told) ck_assert_int_eq(pegTriMeshUpdate(s.peg, grid), PEG_OK);
    make_step(&s, 0.01);
    ck_assert_double_lt(dBodyGetLinearVel(body)[2], -0.09);
    for (int i = 0; i < 40; i++) make_step(&s, 0.01);
    ck_assert_double_eq_tol(dBodyGetPosition(body)[2], 0.3, 1e-4);
    ck_assert_int_eq(pegTriMeshUpdate(s.peg, dBodyGetFirstGeom(body)), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegTriMeshUpdate(s.peg, NULL), PEG_ERROR_ARGUMENT);
    free_scene(&s);
}
END_TEST

static int refuse(dGeomID mesh, dGeomID other, int triangle)
{
    (void)mesh, (void)other, (void)triangle;
    return 0;
}

START_TEST(callbacks_of_meshes_are_not_asked)
{
    scene s = new_scene(0.5);
    messages m = {0};
    pegWorldSetMessageCallback(s.peg, &m, keep_message);
    dGeomTriMeshSetCallback(add_grid(&s, 10, flat), refuse);
    dBodyID body = add_body(&s, dCreateSphere(s.space, 0.5));
    dBodySetPosition(body, 0, 0, 0.5001);
    for (int i = 0; i < 3; i++) make_step(&s, 0.01);
    ck_assert_double_ge(dBodyGetPosition(body)[2], 0.5);
    ck_assert_int_eq(m.n, 1);
    ck_assert_int_eq(m.status[0], PEG_OK);
    free_scene(&s);
}
END_TEST

START_TEST(changed_fields_are_seen)
{
    double samples[(SIDE + 1) * (SIDE + 1)];
    pegHeightfield f = sampled(10, flat, samples);
    scene s = new_scene(0.5);
    messages m = {0};
    pegWorldSetMessageCallback(s.peg, &m, keep_message);
    place_field(&s, &f, 0);
    dBodyID body = add_body(&s, dCreateSphere(s.space, 0.5));
    dBodySetPosition(body, 0, 0, 0.51);
    for (int i = 0; i < 30; i++) make_step(&s, 0.01);
    f.offset = -0.2;
    dGeomHeightfieldDataBuildDouble(s.field[0], samples, 0, 10, 10, SIDE + 1, SIDE + 1, 1, -0.2, 1,
                                    0);
    ck_assert_int_eq(pegRegisterHeightfield(s.field[0], &f), PEG_OK);
    pegContact c; /* of the ground as it was */
    ck_assert_int_ge(pegWorldGetContactCount(s.peg), 1);
    ck_assert_int_eq(pegWorldGetContact(s.peg, 0, &c), PEG_OK);
    for (int i = 0; i < 40; i++) make_step(&s, 0.01);
    ck_assert_double_eq_tol(dBodyGetPosition(body)[2], 0.3, 1e-4);
    ck_assert_int_eq(m.n, 0);

    f.offset = 0.1; /* not what ODE has */
    ck_assert_int_eq(pegRegisterHeightfield(s.field[0], &f), PEG_OK);
    for (int i = 0; i < 40; i++) make_step(&s, 0.01);
    ck_assert_double_eq_tol(dBodyGetPosition(body)[2], 0.3, 0.02);
    ck_assert_int_eq(m.status[0], PEG_ERROR_CONVEX_NOT_REGISTERED);
    free_scene(&s);
}
END_TEST

/* --- heightfields --- */

static dReal call_back(void *data, int x, int z)
{
    return ((const unsigned char *)data)[z * 4 + x];
}

/* Every type of samples gives the same ground, which is ODE's: its rays meet it where a ball of
 * ours comes to rest. */
START_TEST(fields_are_where_ode_has_them)
{
    static const unsigned char byte[12] = {9, 3, 7, 1, 5, 2, 8, 6, 4, 9, 1, 7};
    short word[12];
    float single[12];
    double real[12];
    for (int i = 0; i < 12; i++) word[i] = byte[i], single[i] = byte[i], real[i] = byte[i];
    pegHeightfield f = {.type = (pegSampleType)_i,
                        .width = 6,
                        .depth = 4,
                        .width_samples = 4,
                        .depth_samples = 3,
                        .scale = 0.1,
                        .offset = 0.5};
    scene s = new_scene(0);
    dHeightfieldDataID data = s.field[s.fields++] = dGeomHeightfieldDataCreate();
    if (_i == PEG_SAMPLES_CALLBACK) {
        f.callback = call_back;
        f.user_data = (void *)(size_t)byte;
        dGeomHeightfieldDataBuildCallback(data, f.user_data, call_back, 6, 4, 4, 3, 0.1, 0.5, 1, 0);
    } else if (_i == PEG_SAMPLES_BYTE) {
        f.samples = byte;
        dGeomHeightfieldDataBuildByte(data, byte, 0, 6, 4, 4, 3, 0.1, 0.5, 1, 0);
    } else if (_i == PEG_SAMPLES_SHORT) {
        f.samples = word;
        dGeomHeightfieldDataBuildShort(data, word, 0, 6, 4, 4, 3, 0.1, 0.5, 1, 0);
    } else if (_i == PEG_SAMPLES_SINGLE) {
        f.samples = single;
        dGeomHeightfieldDataBuildSingle(data, single, 0, 6, 4, 4, 3, 0.1, 0.5, 1, 0);
    } else {
        f.samples = real;
        dGeomHeightfieldDataBuildDouble(data, real, 0, 6, 4, 4, 3, 0.1, 0.5, 1, 0);
    }
    ck_assert_int_eq(pegRegisterHeightfield(data, &f), PEG_OK);
    dGeomID field = dCreateHeightfield(s.space, data, 0); /* y is up */
    dWorldSetGravity(s.world, 0, -G, 0);
    for (int k = 0; k < 40; k++) {
        double x = -2.9 + 5.8 * (k % 8) / 7, z = -1.9 + 3.8 * (k / 8) / 4;
        dGeomID ray = dCreateRay(NULL, 100), grain = dCreateSphere(s.space, 1e-3);
        dContactGeom c;
        dGeomRaySet(ray, x, 50, z, 0, -1, 0);
        ck_assert_int_eq(dCollide(ray, field, 1, &c, sizeof c), 1);
        dBodyID body = add_body(&s, grain);
        dBodySetPosition(body, x, c.pos[1] + 1.5e-3, z);
        dBodySetLinearVel(body, 0, -0.2, 0);
        make_step(&s, 0.01); /* would fall by 2e-3 and more: is stopped, and slides off by less */
        ck_assert_double_eq_tol(dBodyGetPosition(body)[1], c.pos[1] + 1e-3, 1e-3);
        dBodyDestroy(body);
        dGeomDestroy(grain);
        dGeomDestroy(ray);
    }
    free_scene(&s);
}
END_TEST

/* ODE's rays recognise what was registered, and nothing else. */
START_TEST(fields_of_all_sizes_are_recognised)
{
    for (int round = 0; round < 60; round++) {
        int columns = 2 + rand() % 9, rows = 2 + rand() % 9, altered = round % 4 == 3;
        float samples[100];
        for (int i = 0; i < columns * rows; i++) samples[i] = (float)rand() / (float)RAND_MAX;
        double size = pow(10, rand() % 8 - 4.), rough = pow(10, rand() % 4 - 2.) * size;
        pegHeightfield f = {.type = PEG_SAMPLES_SINGLE,
                            .samples = samples,
                            .width = size * (1 + rand() % 3),
                            .depth = size * (1 + rand() % 3),
                            .width_samples = columns,
                            .depth_samples = rows,
                            .scale = rough,
                            .offset = rough * (rand() % 5 - 2),
                            .wrap = round % 2};
        scene s = new_scene(0);
        messages m = {0};
        pegWorldSetMessageCallback(s.peg, &m, keep_message);
        dHeightfieldDataID data = s.field[s.fields++] = dGeomHeightfieldDataCreate();
        dGeomHeightfieldDataBuildSingle(data, samples, 0, f.width, f.depth, columns, rows, f.scale,
                                        f.offset, 1, f.wrap);
        ck_assert_int_eq(pegRegisterHeightfield(data, &f), PEG_OK);
        turn_up(dCreateHeightfield(s.space, data, 1));
        add_body(&s, dCreateSphere(s.space, 0.1 * size));
        for (int i = 0; i < 3; i++) make_step(&s, 1e-6);
        ck_assert_msg(m.n == 0 || m.status[0] == PEG_OK, "round %d: %s", round, m.text[0]);
        m.n = 0;
        if (altered) samples[0] += 0.3F;
        for (int i = 0; i < 100; i++) make_step(&s, 1e-6);
        int noticed = 0;
        for (int i = 0; i < m.n; i++) noticed += m.status[i] == PEG_ERROR_CONVEX_NOT_REGISTERED;
        ck_assert_msg(noticed == altered, "round %d: %d", round, noticed);
        free_scene(&s);
    }
}
END_TEST

static dReal never_seen(void *data, int x, int z)
{
    (void)data;
    return 0.01 * ((x + z) % 2);
}

START_TEST(unregistered_fields_have_odes_contacts)
{
    scene s = new_scene(0.5);
    messages m = {0};
    pegWorldSetMessageCallback(s.peg, &m, keep_message);
    dHeightfieldDataID data = s.field[s.fields++] = dGeomHeightfieldDataCreate();
    dGeomHeightfieldDataBuildCallback(data, NULL, never_seen, 10, 10, 11, 11, 1, 0, 1, 0);
    dGeomID field = dCreateHeightfield(s.space, data, 1);
    turn_up(field);
    dGeomID ball = dCreateSphere(s.space, 0.5);
    dBodyID body = add_body(&s, ball);
    dBodySetPosition(body, 0.3, 0.2, 0.6);
    for (int i = 0; i < 100; i++) make_step(&s, 0.01);
    ck_assert_int_eq(m.n, 1 + (m.n == 2)); /* and perhaps that they overlap */
    ck_assert_int_eq(m.status[0], PEG_ERROR_CONVEX_NOT_REGISTERED);
    ck_assert_double_gt(dBodyGetPosition(body)[2], 0.45);
    ck_assert_double_lt(dBodyGetPosition(body)[2], 0.55);
    ck_assert_int_eq(pegPairCollisionMode(ball, field), PEG_COLLISION_ODE);
    free_scene(&s);
}
END_TEST

enum { MANY = 5 * SIDE + 1 };
static double repeated[MANY * MANY];

/* A field that wraps is the same ground as a larger one that repeats the samples. */
START_TEST(fields_wrap)
{
    double x[2][60][3];
    for (int wrap = 0; wrap < 2; wrap++) {
        double samples[(SIDE + 1) * (SIDE + 1)];
        pegHeightfield f = sampled(4, waves, samples);
        f.wrap = wrap;
        if (!wrap) {
            for (int j = 0; j < MANY; j++)
                for (int i = 0; i < MANY; i++)
                    repeated[j * MANY + i] = samples[j % SIDE * (SIDE + 1) + i % SIDE];
            f.samples = repeated;
            f.width = f.depth = 20;
            f.width_samples = f.depth_samples = MANY;
        }
        scene s = new_scene(0.5);
        add_field(&s, &f);
        dBodyID ball = add_body(&s, dCreateSphere(s.space, 0.4));
        dBodySetPosition(ball, -1, 0.4, 1.2);
        dBodySetLinearVel(ball, 6, -4, 0);
        for (int i = 0; i < 60; i++) {
            make_step(&s, 0.01);
            memcpy(x[wrap][i], dBodyGetPosition(ball), sizeof x[0][0]);
        }
        free_scene(&s);
    }
    ck_assert_double_gt(x[0][59][0], 2.1); /* over the seam */
    for (int i = 0; i < 60; i++)
        for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(x[1][i][k], x[0][i][k], 1e-7);
}
END_TEST

/* Bodies far apart on an endless field. */
START_TEST(far_bodies_on_a_field_that_wraps)
{
    double samples[(SIDE + 1) * (SIDE + 1)];
    pegHeightfield f = sampled(4, flat, samples);
    f.wrap = 1;
    scene s = new_scene(0.5);
    add_field(&s, &f);
    dBodyID body[3];
    for (int i = 0; i < 3; i++) {
        body[i] = add_body(&s, dCreateSphere(s.space, 0.5));
        dBodySetPosition(body[i], (i - 1) * 1000, 300 * i, 0.52);
    }
    for (int i = 0; i < 30; i++) make_step(&s, 0.01);
    for (int i = 0; i < 3; i++) ck_assert_double_eq_tol(dBodyGetPosition(body[i])[2], 0.5, 1e-4);
    free_scene(&s);
}
END_TEST

/* Too large for the cells that can be kept. */
START_TEST(giants_on_a_field_that_wraps_have_odes_contacts)
{
    double samples[(SIDE + 1) * (SIDE + 1)];
    pegHeightfield f = sampled(4, flat, samples);
    f.wrap = 1;
    scene s = new_scene(0.5);
    messages m = {0};
    pegWorldSetMessageCallback(s.peg, &m, keep_message);
    add_field(&s, &f);
    dGeomID giant = dCreateBox(s.space, 200, 200, 0.2);
    dBodyID body = add_body(&s, giant);
    dBodySetPosition(body, 0, 0, 0.11);
    for (int i = 0; i < 3; i++) make_step(&s, 0.01);
    ck_assert_int_ge(m.n, 1);
    ck_assert_int_eq(m.status[0], PEG_ERROR_GEOM_CLASS);
    dGeomBoxSetLengths(giant, 1, 1, 0.2); /* exact again */
    dBodySetPosition(body, 0, 0, 0.11);
    dBodySetLinearVel(body, 0, 0, 0);
    for (int i = 0; i < 30; i++) {
        make_step(&s, 0.01);
        ck_assert_double_ge(dBodyGetPosition(body)[2], 0.1);
    }
    free_scene(&s);
}
END_TEST

/* --- classes of the program --- */
static void hands_nothing_over(void *data, dGeomID a, dGeomID b)
{
    (void)data, (void)a, (void)b;
}

START_TEST(own_classes_have_odes_contacts)
{
    scene s = new_scene(0.5);
    messages m = {0};
    pegWorldSetMessageCallback(s.peg, &m, keep_message);
    dGeomID plane = dCreatePlane(s.space, 0, 0, 1, 0), own = add_own_ball(&s);
    dGeomID ball = dCreateSphere(s.space, 0.3);
    dBodyID lower = add_body(&s, own), upper = add_body(&s, ball);
    dBodySetPosition(lower, 0, 0, 0.52);
    dBodySetPosition(upper, 0, 0, 1.35);
    for (int i = 0; i < 100; i++) make_step(&s, 0.01);
    ck_assert_double_eq_tol(dBodyGetPosition(lower)[2], 0.5, 0.02);
    ck_assert_double_eq_tol(dBodyGetPosition(upper)[2], 1.3, 0.04);
    ck_assert_int_ge(m.n, 1);
    ck_assert_int_eq(m.status[0], PEG_ERROR_GEOM_CLASS);
    ck_assert_int_eq(pegPairCollisionMode(own, plane), PEG_COLLISION_ODE);
    ck_assert_int_eq(pegPairCollisionMode(ball, own), PEG_COLLISION_ODE);

    pegWorldSetNearCallback(s.peg, NULL, hands_nothing_over);
    for (int i = 0; i < 60; i++) make_step(&s, 0.01);
    ck_assert_double_lt(dBodyGetPosition(lower)[2], -0.5);
    free_scene(&s);
}
END_TEST

TCase *geom_change_tests(void)
{
    TCase *tests = tcase_create("change");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, changed_parameters_are_seen);
    tcase_add_loop_test(tests, changed_meshes_are_seen, 0, 2);
    tcase_add_test(tests, callbacks_of_meshes_are_not_asked);
    tcase_add_test(tests, changed_fields_are_seen);
    tcase_add_loop_test(tests, fields_are_where_ode_has_them, 0, 5);
    tcase_add_test(tests, fields_of_all_sizes_are_recognised);
    tcase_add_test(tests, unregistered_fields_have_odes_contacts);
    tcase_add_test(tests, fields_wrap);
    tcase_add_test(tests, far_bodies_on_a_field_that_wraps);
    tcase_add_test(tests, giants_on_a_field_that_wraps_have_odes_contacts);
    tcase_add_test(tests, own_classes_have_odes_contacts);
    return tests;
}
