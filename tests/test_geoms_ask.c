/* What the interface tells and refuses, and memory. */
#include "peg/base/arena.h"
#include "tests/geom_cases.h"
#include "tests/test_geoms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* transforms */

/* --- questions --- */

START_TEST(treatment_of_every_pair_of_classes)
{
    static const int class[] = {dSphereClass, dBoxClass,      dCapsuleClass, dCylinderClass,
                                dPlaneClass,  dConvexClass,   dTriMeshClass, dHeightfieldClass,
                                dRayClass,    dFirstUserClass};
    enum { N = sizeof class / sizeof *class };
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            pegCollisionMode expected = i == 8 || j == 8   ? PEG_COLLISION_NONE
                                        : i == 9 || j == 9 ? PEG_COLLISION_ODE
                                                           : PEG_COLLISION_EXACT;
            ck_assert_int_eq(pegClassCollisionMode(class[i], class[j]), expected);
        }
    ck_assert_int_eq(pegClassCollisionMode(dSphereClass, dHashSpaceClass), PEG_COLLISION_NONE);
    ck_assert_int_eq(pegClassCollisionMode(-1, dSphereClass), PEG_COLLISION_NONE);
}
END_TEST

START_TEST(models_of_polytopes_tell_what_they_leave_out)
{
    scene s = new_scene(0);
    messages m = {0};
    pegSettings settings;
    pegSettingsDefault(&settings);
    settings.contact = PEG_CONTACT_ST;
    ck_assert_int_eq(pegWorldSetSettings(s.peg, &settings), PEG_OK);
    pegWorldSetMessageCallback(s.peg, &m, keep_message);
    dCreatePlane(s.space, 0, 0, 1, 0);
    dBodySetPosition(add_mover(&s, M_BOX), 0, 0, 0.6);
    for (int i = 0; i < 3; i++) make_step(&s, 0.01);
    ck_assert_int_eq(m.n, 0);
    dBodyID ball = add_mover(&s, M_SPHERE);
    dBodySetPosition(ball, 3, 0, 0.501);
    for (int i = 0; i < 10; i++) make_step(&s, 0.01);
    ck_assert_double_lt(dBodyGetPosition(ball)[2], 0.49);
    ck_assert_int_eq(m.n, 1);
    ck_assert_int_eq(m.status[0], PEG_ERROR_GEOM_CLASS);
    free_scene(&s);
}
END_TEST

START_TEST(treatment_of_geoms)
{
    scene s = new_scene(0);
    dGeomID plane = add_static(&s, PLANE), field = add_static(&s, FIELD);
    dGeomID wall = add_static(&s, TRANSFORM), ray = dCreateRay(s.space, 1);
    dGeomID ball = dCreateSphere(s.space, 1), rod = dCreateCylinder(s.space, 1, 1);
    dGeomID speck = dCreateSphere(s.space, 0), second = dCreateBox(s.space, 1, 1, 1);
    dBodyID body = add_body(&s, ball);
    dGeomSetBody(second, body);
    add_body(&s, speck);
    ck_assert_int_eq(pegPairCollisionMode(ball, plane), PEG_COLLISION_EXACT);
    ck_assert_int_eq(pegPairCollisionMode(wall, ball), PEG_COLLISION_EXACT);
    ck_assert_int_eq(pegPairCollisionMode(ball, field), PEG_COLLISION_EXACT);
    ck_assert_int_eq(pegPairCollisionMode(ball, rod), PEG_COLLISION_EXACT);
    ck_assert_int_eq(pegPairCollisionMode(ball, ray), PEG_COLLISION_NONE);
    ck_assert_int_eq(pegPairCollisionMode(ball, second), PEG_COLLISION_NONE);
    ck_assert_int_eq(pegPairCollisionMode(plane, rod), PEG_COLLISION_NONE);
    ck_assert_int_eq(pegPairCollisionMode(speck, plane), PEG_COLLISION_NONE);
    ck_assert_int_eq(pegPairCollisionMode(ball, (dGeomID)s.space), PEG_COLLISION_NONE);
    ck_assert_int_eq(pegPairCollisionMode(ball, NULL), PEG_COLLISION_NONE);
    free_scene(&s);
}
END_TEST

/* --- rubbish --- */

START_TEST(registering_checks_its_arguments)
{
    double samples[4] = {0};
    scene s = new_scene(0);
    pegHeightfield good = {.type = PEG_SAMPLES_DOUBLE,
                           .samples = samples,
                           .width = 1,
                           .depth = 1,
                           .width_samples = 2,
                           .depth_samples = 2,
                           .scale = 1};
    pegHeightfield f = good;
    dHeightfieldDataID data = s.field[s.fields++] = dGeomHeightfieldDataCreate();
    ck_assert_int_eq(pegRegisterHeightfield(data, &f), PEG_OK);
    ck_assert_int_eq(pegRegisterHeightfield(NULL, &f), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegRegisterHeightfield(data, NULL), PEG_ERROR_ARGUMENT);
    f.samples = NULL;
    ck_assert_int_eq(pegRegisterHeightfield(data, &f), PEG_ERROR_ARGUMENT);
    f = good;
    f.type = PEG_SAMPLES_CALLBACK;
    ck_assert_int_eq(pegRegisterHeightfield(data, &f), PEG_ERROR_ARGUMENT);
    f = good;
    f.width_samples = 1;
    ck_assert_int_eq(pegRegisterHeightfield(data, &f), PEG_ERROR_ARGUMENT);
    f = good;
    f.width_samples = f.depth_samples = 1 << 20;
    ck_assert_int_eq(pegRegisterHeightfield(data, &f), PEG_ERROR_ARGUMENT);
    f = good;
    f.depth = 0;
    ck_assert_int_eq(pegRegisterHeightfield(data, &f), PEG_ERROR_ARGUMENT);
    f = good;
    f.width = NAN;
    ck_assert_int_eq(pegRegisterHeightfield(data, &f), PEG_ERROR_ARGUMENT);
    samples[2] = NAN;
    ck_assert_int_eq(pegRegisterHeightfield(data, &good), PEG_ERROR_NOT_FINITE);
    f = good;
    f.type = (pegSampleType)17;
    ck_assert_int_eq(pegRegisterHeightfield(data, &f), PEG_ERROR_ARGUMENT);
    free_scene(&s);
}
END_TEST

/* Geoms without any extent are left out and told of once. */
START_TEST(empty_geoms_are_ignored)
{
    scene s = new_scene(0);
    messages m = {0};
    pegWorldSetMessageCallback(s.peg, &m, keep_message);
    static const double line[3][3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}};
    static const unsigned one[3] = {0, 1, 2};
    dCreatePlane(s.space, 0, 0, 1, 0);
    dGeomID geom[] = {dCreateSphere(s.space, 0),        dCreateCapsule(s.space, 0, 1),
                      dCreateCylinder(s.space, 0, 1),   dCreateCylinder(s.space, 1, 0),
                      add_mesh(&s, line[0], 3, one, 1), dCreateGeomTransform(s.space)};
    enum { N = sizeof geom / sizeof *geom };
    dBodyID body[N];
    for (int i = 0; i < N; i++) dBodySetPosition(body[i] = add_body(&s, geom[i]), 3 * i, 0, 0.1);
    for (int i = 0; i < 50; i++) make_step(&s, 0.01);
    for (int i = 0; i < N; i++) ck_assert_double_lt(dBodyGetPosition(body[i])[2], -1);
    ck_assert_int_eq(m.n, 1);
    ck_assert_int_eq(m.status[0], PEG_ERROR_SHAPE_EMPTY);
    free_scene(&s);
}
END_TEST

START_TEST(endless_geoms_fail_the_step)
{
    scene s = new_scene(0);
    dBodyID body = add_body(&s, dCreateBox(s.space, 1, 1, 1));
    dGeomID geom = _i == 0   ? dCreateSphere(s.space, dInfinity)
                   : _i == 1 ? dCreateCapsule(s.space, 1, dInfinity)
                             : dCreateCylinder(s.space, dInfinity, 1);
    dGeomSetPosition(geom, 0, 0, 9);
    ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_ERROR_NOT_FINITE);
    ck_assert_double_eq(dBodyGetLinearVel(body)[2], 0);
    dGeomDestroy(geom);
    make_step(&s, 0.01);
    free_scene(&s);
}
END_TEST

START_TEST(broken_meshes_fail_the_step)
{
    scene s = new_scene(0);
    double vertex[8][3];
    memcpy(vertex, points, sizeof vertex);
    add_mesh(&s, vertex[0], 8, cube[0], 12);
    dBodyID body = add_body(&s, dCreateSphere(s.space, 0.5));
    dBodySetPosition(body, 0, 0, 3);
    make_step(&s, 0.01);
    double z = dBodyGetPosition(body)[2];
    vertex[3][1] = NAN;
    ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_ERROR_NOT_FINITE);
    ck_assert_double_eq(dBodyGetPosition(body)[2], z);
    vertex[3][1] = 0.5;
    make_step(&s, 0.01);
    ck_assert_double_lt(dBodyGetPosition(body)[2], z);
    free_scene(&s);
}
END_TEST

/* --- features --- */

/* A ball over the middle of a triangle, beside a side, beside a corner. */
START_TEST(features_are_named)
{
    static const double centre[3][3] = {{1, 1, 0.5}, {1.5, -0.3, 0.4}, {-0.3, 0, 0.4}};
    static const pegFeatures expected[3] = {PEG_VERTEX_FACE, PEG_VERTEX_EDGE, PEG_VERTEX_VERTEX};
    static const double tip[3][3] = {{0, 0, 0}, {3, 0, 0}, {0, 3, 0}};
    static const unsigned one[2][3] = {{0, 0, 1}, {0, 1, 2}}; /* the first one has no area */
    for (int k = 0; k < 3; k++) {
        scene s = new_scene(0);
        dGeomID mesh = add_mesh(&s, tip[0], 3, one[0], 2), ball = dCreateSphere(s.space, 0.5);
        dBodyID body = add_body(&s, ball);
        dBodySetPosition(body, centre[k][0], centre[k][1], centre[k][2] + 1e-5);
        dBodySetLinearVel(body, 0, 0, -1);
        make_step(&s, 0.01);
        pegContact c;
        ck_assert_int_eq(pegWorldGetContactCount(s.peg), 1);
        ck_assert_int_eq(pegWorldGetContact(s.peg, 0, &c), PEG_OK);
        int first = c.g1 == ball;
        ck_assert_ptr_eq(first ? c.g2 : c.g1, mesh);
        pegFeatures mirrored = k == 0 ? PEG_FACE_VERTEX : k == 1 ? PEG_EDGE_VERTEX : expected[k];
        ck_assert_int_eq(c.features, first ? expected[k] : mirrored);
        ck_assert_int_eq(first ? c.feature1 : c.feature2, 0);
        ck_assert_int_eq(first ? c.feature2 : c.feature1, k == 0 ? 1 : 3); /* side 0, corner 0 */
        free_scene(&s);
    }
}
END_TEST

/* The triangles of a field that wraps are told by their cells. */
START_TEST(triangles_of_fields_are_named)
{
    double samples[(SIDE + 1) * (SIDE + 1)];
    pegHeightfield f = sampled(SIDE, flat, samples); /* cells of side 1 */
    f.wrap = _i;
    scene s = new_scene(0);
    dWorldSetGravity(s.world, 0, -G, 0);
    dGeomSetRotation(add_field(&s, &f), (dMatrix3){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});
    for (int half = 0; half < 2; half++) {
        double part = half ? 0.7 : 0.3;
        dGeomID ball = dCreateSphere(s.space, 0.2);
        dBodyID body = add_body(&s, ball);
        dBodySetPosition(body, -SIDE / 2 + 5 + part + _i * 3 * SIDE, 0.20001,
                         -SIDE / 2 + 7 + part - _i * 2 * SIDE);
        dBodySetLinearVel(body, 0, -1, 0);
        make_step(&s, 0.01);
        pegContact c;
        ck_assert_int_eq(pegWorldGetContactCount(s.peg), 1);
        ck_assert_int_eq(pegWorldGetContact(s.peg, 0, &c), PEG_OK);
        ck_assert_int_eq(c.g1 == ball ? c.feature2 : c.feature1, 2 * (7 * SIDE + 5) + half);
        dBodyDestroy(body);
        dGeomDestroy(ball);
    }
    free_scene(&s);
}
END_TEST

/* --- memory --- */

START_TEST(warmed_steps_allocate_nothing)
{
    double samples[(SIDE + 1) * (SIDE + 1)];
    pegHeightfield f = sampled(4, waves, samples);
    f.wrap = 1;
    scene s = new_scene(0.4);
    dBodyID body[MOVERS];
    add_static(&s, TRANSFORM);
    dGeomSetPosition(add_static(&s, MESH), 0, 0, 0.01);
    dGeomSetPosition(add_field(&s, &f), 0, 0, -0.6);
    add_body(&s, add_own_ball(&s));
    for (int i = 0; i < MOVERS; i++) body[i] = add_mover(&s, i);
    for (int i = 0; i < 160; i++) {
        for (int k = 0; k < MOVERS && i % 40 == 0; k++) {
            static const dQuaternion unturned = {1};
            dBodySetPosition(body[k], 0.3 * (k % 3), 0.1 * k, 0.6 + 1.1 * k);
            dBodySetQuaternion(body[k], unturned);
            dBodySetLinearVel(body[k], 0, 0, 0);
            dBodySetAngularVel(body[k], 0, 0, 0);
        }
        peg_memory_fail_at(0, 0);
        make_step(&s, 0.01);
        long made = peg_memory_fail_at(0, 0);
        ck_assert_msg(i < 80 || made == 0, "step %d: %ld", i, made);
    }
    free_scene(&s);
}
END_TEST

/* What is built without memory fails the step, and the next one succeeds. */
START_TEST(building_without_memory)
{
    scene s = new_scene(0);
    double samples[(SIDE + 1) * (SIDE + 1)];
    pegHeightfield f = sampled(4, waves, samples);
    for (int i = 0; i < STATICS; i++)
        if (i != CONVEX) add_static(&s, i);
    for (int i = 0; i < MOVERS; i++)
        if (i != M_CONVEX) dBodySetPosition(add_mover(&s, i), 3 * i, 0, 2);
    long n = 1;
    pegStatus status;
    do {
        peg_memory_fail_at(n, 1);
        status = pegWorldStep(s.peg, 0.01);
        peg_memory_fail_at(0, 0);
        ck_assert(status == PEG_OK || status == PEG_ERROR_MEMORY);
        n += 1 + n / 3;
    } while (status != PEG_OK);
    ck_assert_int_gt(n, 30);
    for (n = 1; n < 12; n++) {
        peg_memory_fail_at(n, 1);
        status = pegRegisterHeightfield(s.field[0], &f);
        peg_memory_fail_at(0, 0);
        ck_assert(status == PEG_OK || status == PEG_ERROR_MEMORY);
        make_step(&s, 0.01);
    }
    free_scene(&s);
}
END_TEST

TCase *geom_ask_tests(void)
{
    TCase *tests = tcase_create("ask");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, treatment_of_every_pair_of_classes);
    tcase_add_test(tests, models_of_polytopes_tell_what_they_leave_out);
    tcase_add_test(tests, treatment_of_geoms);
    tcase_add_test(tests, registering_checks_its_arguments);
    tcase_add_test(tests, empty_geoms_are_ignored);
    tcase_add_loop_test(tests, endless_geoms_fail_the_step, 0, 3);
    tcase_add_test(tests, broken_meshes_fail_the_step);
    tcase_add_test(tests, features_are_named);
    tcase_add_loop_test(tests, triangles_of_fields_are_named, 0, 2);
    tcase_add_test(tests, warmed_steps_allocate_nothing);
    tcase_add_test(tests, building_without_memory);
    return tests;
}
