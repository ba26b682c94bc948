/* Soft contacts by choice: settings.soft_contacts, beside stock ODE. */
#include "plugin/ode-peg.h"
#include "tests/runner.h"

#include <math.h>
#include <string.h>

static const double H = .01, G = 9.81, RADIUS = .5, MASS = 2;

/* k = erp / (cfm h): 40 000 N/m is stiff for the step (w h = 1.4), 800 N/m is not (w h = .2). */
static const dSurfaceParameters STIFF = {
    .mode = dContactSoftERP | dContactSoftCFM, .soft_erp = .4, .soft_cfm = 1e-3};
static const dSurfaceParameters SPRING = {
    .mode = dContactSoftERP | dContactSoftCFM, .soft_erp = .4, .soft_cfm = .05};

typedef struct scene {
    dWorldID world;
    dSpaceID space;
    dJointGroupID joints;
    pegWorldID peg;  /* null: stock */
    dBodyID ball[2]; /* on STIFF, on SPRING */
    dNearCallback *near;
} scene;

static scene S;

static const dSurfaceParameters *surface_of(dGeomID geom)
{
    return dGeomGetBody(geom) == S.ball[0] ? &STIFF : &SPRING;
}

static void near_callback(void *data, dGeomID a, dGeomID b)
{
    dContact contact[4];
    dGeomID ball = dGeomGetBody(a) ? a : b;
    (void)data;
    if (dGeomGetBody(a) && dGeomGetBody(b)) return;
    if (S.peg) {
        ck_assert_int_eq(pegWorldAddPair(S.peg, a, b, surface_of(ball)), PEG_OK);
        return;
    }
    int n = dCollide(a, b, 4, &contact[0].geom, sizeof *contact);
    for (int i = 0; i < n; i++) {
        contact[i].surface = *surface_of(ball);
        dJointAttach(dJointCreateContact(S.world, S.joints, &contact[i]), dGeomGetBody(a),
                     dGeomGetBody(b));
    }
}

static void start(int stock, int soft_contacts)
{
    pegSettings settings;
    pegSettingsDefault(&settings);
    ck_assert_int_eq(settings.soft_contacts, PEG_SOFT_BELOW);
    if (soft_contacts >= 0) settings.soft_contacts = (pegSoftContacts)soft_contacts;
    memset(&S, 0, sizeof S);
    S.world = dWorldCreate();
    S.space = dSimpleSpaceCreate(NULL);
    S.joints = dJointGroupCreate(0);
    S.near = near_callback;
    dCreatePlane(S.space, 0, 0, 1, 0);
    dWorldSetGravity(S.world, 0, 0, -G);
    for (int i = 0; i < 2; i++) {
        dMass mass;
        S.ball[i] = dBodyCreate(S.world);
        dMassSetSphereTotal(&mass, MASS, RADIUS);
        dBodySetMass(S.ball[i], &mass);
        dGeomSetBody(dCreateSphere(S.space, RADIUS), S.ball[i]);
        dBodySetPosition(S.ball[i], 3 * i, 0, RADIUS);
    }
    if (stock) return;
    ck_assert_int_eq(pegWorldCreateStatus(S.world, &settings, &S.peg), PEG_OK);
    ck_assert_int_eq(pegWorldAddSpace(S.peg, S.space), PEG_OK);
    pegWorldSetNearCallback(S.peg, NULL, near_callback);
}

static void finish(void)
{
    pegWorldDestroy(S.peg);
    dJointGroupDestroy(S.joints);
    dSpaceDestroy(S.space);
    dWorldDestroy(S.world);
}

static void step(void)
{
    if (S.peg) {
        ck_assert_int_eq(pegWorldStep(S.peg, H), PEG_OK);
        return;
    }
    dSpaceCollide(S.space, NULL, S.near);
    dWorldStep(S.world, H);
    dJointGroupEmpty(S.joints);
}

static double depth_of(int ball)
{
    return RADIUS - dBodyGetPosition(S.ball[ball])[2];
}

/* Both kinds of softness in one world: who overlaps, and by how much. */
START_TEST(each_choice_keeps_its_word)
{
    pegSoftContacts choice = (pegSoftContacts)_i;
    double sunk[2], spring = MASS * G / (SPRING.soft_erp / (SPRING.soft_cfm * H));
    pegStats stats;
    start(1, -1);
    for (int i = 0; i < 600; i++) step();
    for (int i = 0; i < 2; i++) sunk[i] = depth_of(i);
    ck_assert_double_eq_tol(sunk[1], spring, .01 * spring);
    finish();
    start(0, _i);
    for (int i = 0; i < 600; i++) step();
    pegWorldGetStats(S.peg, &stats);
    int soft[2] = {choice == PEG_SOFT_KEEP, choice != PEG_SOFT_RIGID};
    for (int i = 0; i < 2; i++) {
        if (soft[i])
            ck_assert_double_eq_tol(depth_of(i), sunk[i], 1e-4 * sunk[i]);
        else
            ck_assert(depth_of(i) <= 0 && depth_of(i) > -1e-4);
    }
    ck_assert_int_eq(stats.soft_contacts, soft[0] + soft[1]);
    ck_assert_double_le(stats.max_penetration, soft[1] ? 1.01 * sunk[1] : 0);
    finish();
}
END_TEST

static struct {
    int kept, rigid;
} told;

static void hear(void *data, const pegMessage *message)
{
    (void)data;
    if (strstr(message->text, "PEG_SOFT_RIGID")) {
        told.kept++;
        ck_assert_int_eq(message->severity, PEG_SEVERITY_WARNING);
        ck_assert(message->geom && message->other_geom);
    }
    if (strstr(message->text, "PEG_SOFT_KEEP")) {
        told.rigid++;
        ck_assert_int_eq(message->severity, PEG_SEVERITY_NOTE);
    }
}

START_TEST(softness_is_told_once)
{
    memset(&told, 0, sizeof told);
    start(0, _i);
    pegWorldSetMessageHandler(S.peg, NULL, hear);
    for (int i = 0; i < 5; i++) step();
    ck_assert_int_eq(told.kept, _i != PEG_SOFT_RIGID);
    ck_assert_int_eq(told.rigid, _i != PEG_SOFT_KEEP);
    finish();
}
END_TEST

/* One of the two may be the world's; what the world has alone makes nothing soft. */
START_TEST(world_fills_in)
{
    pegStats stats;
    dSurfaceParameters bare = {0}, erp = {.mode = dContactSoftERP, .soft_erp = .4};
    start(0, PEG_SOFT_KEEP);
    dWorldSetCFM(S.world, .05);
    pegWorldSetNearCallback(S.peg, NULL, NULL);
    pegWorldSetDefaultSurface(S.peg, _i ? &erp : &bare);
    for (int i = 0; i < 600; i++) step();
    pegWorldGetStats(S.peg, &stats);
    ck_assert_int_eq(stats.soft_contacts, _i ? 2 : 0);
    double spring = _i ? MASS * G / (.4 / (.05 * H)) : 0;
    ck_assert_double_eq_tol(depth_of(0), spring, _i ? .01 * spring : 1e-4);
    finish();
}
END_TEST

START_TEST(settings_are_checked)
{
    pegSettings settings;
    start(0, -1);
    pegWorldGetSettings(S.peg, &settings);
    for (int bad = -1; bad <= 3; bad += 4) {
        settings.soft_contacts = (pegSoftContacts)bad;
        ck_assert_int_eq(pegWorldSetSettings(S.peg, &settings), PEG_ERROR_SETTINGS);
    }
    finish();
}
END_TEST

/* A car of 400 kg on four tyres of 40 000 N/m each (3.2 Hz), dropped from 5 cm with a roll: with
 * PEG_SOFT_KEEP and by default it moves as with stock ODE. */
enum { TYRES = 4, DROP_STEPS = 300 };

static void drop_car(double (*z)[2])
{
    dMass mass;
    dBodyID car = S.ball[0];
    dMassSetBoxTotal(&mass, 400, 2.4, 1.4, .6);
    dBodySetMass(car, &mass);
    dGeomDestroy(dBodyGetFirstGeom(car));
    for (int i = 0; i < TYRES; i++) {
        dGeomID tyre = dCreateSphere(S.space, .3);
        dGeomSetBody(tyre, car);
        dGeomSetOffsetPosition(tyre, i & 1 ? 1 : -1, i & 2 ? .6 : -.6, -.3);
    }
    dBodySetPosition(car, 0, 0, .65);
    dBodySetAngularVel(car, .3, .1, 0);
    for (int i = 0; i < DROP_STEPS; i++) {
        step();
        z[i][0] = dBodyGetPosition(car)[2];
        z[i][1] = dBodyGetQuaternion(car)[1];
    }
}

static void tyre_callback(void *data, dGeomID a, dGeomID b)
{
    double k = 40000, c = 1000;
    const dSurfaceParameters tyre = {.mode = dContactSoftERP | dContactSoftCFM | dContactApprox1,
                                     .mu = .8,
                                     .soft_erp = H * k / (H * k + c),
                                     .soft_cfm = 1 / (H * k + c)};
    dContact contact[1];
    (void)data;
    if (dGeomGetBody(a) && dGeomGetBody(b)) return;
    if (S.peg) {
        ck_assert_int_eq(pegWorldAddPair(S.peg, a, b, &tyre), PEG_OK);
    } else if (dCollide(a, b, 1, &contact[0].geom, sizeof *contact)) {
        contact[0].surface = tyre;
        dJointAttach(dJointCreateContact(S.world, S.joints, contact), dGeomGetBody(a),
                     dGeomGetBody(b));
    }
}

START_TEST(tyres_move_as_in_stock_ode)
{
    static double z[2][DROP_STEPS][2];
    for (int stock = 0; stock < 2; stock++) {
        start(stock, _i);
        dBodyDestroy(S.ball[1]);
        S.near = tyre_callback;
        pegWorldSetNearCallback(S.peg, NULL, tyre_callback);
        drop_car(z[stock]);
        finish();
    }
    double low = 1, worst[2] = {0};
    for (int i = 0; i < DROP_STEPS; i++) {
        low = fmin(low, z[1][i][0]);
        for (int k = 0; k < 2; k++) worst[k] = fmax(worst[k], fabs(z[0][i][k] - z[1][i][k]));
    }
    ck_assert_double_lt(low, .58); /* the tyres give way by more than 2 cm */
    /* ODE meets the ground up to a step later than exact contacts: the way of a step at .77 m/s */
    ck_assert_double_le(worst[0], .77 * H);
    ck_assert_double_le(worst[1], 2e-3);
}
END_TEST

/* A square of 6 m of cells of `cell`, each of two triangles. */
static dGeomID add_flat_mesh(dTriMeshDataID data, double cell)
{
    enum { MOST = 60 };
    static double vertex[(MOST + 1) * (MOST + 1)][3];
    static dTriIndex triangle[2 * MOST * MOST][3];
    int n = (int)lround(6 / cell), vertices = 0, triangles = 0;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++, vertices++) {
            double x[3] = {i * cell - 3, j * cell - 3, 0};
            memcpy(vertex[vertices], x, sizeof x);
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            dTriIndex at = (dTriIndex)(i * (n + 1) + j), next = at + (dTriIndex)n + 1;
            dTriIndex both[2][3] = {{at, next, at + 1}, {next, next + 1, at + 1}};
            memcpy(triangle[triangles], both, sizeof both);
            triangles += 2;
        }
    dGeomTriMeshDataBuildDouble(data, vertex, sizeof *vertex, vertices, triangle, 3 * triangles,
                                sizeof *triangle);
    return dCreateTriMesh(S.space, data, NULL, NULL, NULL);
}

static void sink(void *data, dGeomID a, dGeomID b)
{
    ck_assert_int_eq(pegWorldAddPair(S.peg, a, b, data), PEG_OK);
}

/* A box sinks into triangles as into a plane: deeper than it lies from their edges, too. */
START_TEST(a_box_sinks_into_a_mesh)
{
    static const double cells[] = {.1, .25, .6, 3};
    const double edge = .4, depth = .04, k = MASS * G / (4 * depth), c = .4 * sqrt(k * MASS);
    dSurfaceParameters surface = {.mode = dContactApprox1 | dContactSoftERP | dContactSoftCFM,
                                  .mu = .5,
                                  .soft_erp = H * k / (H * k + c),
                                  .soft_cfm = 1 / (H * k + c)};
    for (int place = 0; place < 12; place++) {
        dTriMeshDataID data = dGeomTriMeshDataCreate();
        dMass mass;
        dMatrix3 R;
        start(0, PEG_SOFT_KEEP);
        dBodyDestroy(S.ball[0]);
        dGeomSetPosition(add_flat_mesh(data, cells[_i]), 0, 0, 5);
        pegWorldSetNearCallback(S.peg, &surface, sink);
        dMassSetBoxTotal(&mass, MASS, edge, edge, edge);
        dRFromAxisAndAngle(R, 0, 0, 1, .4 * place);
        dBodyID box = dBodyCreate(S.world);
        dBodySetMass(box, &mass);
        dGeomSetBody(dCreateBox(S.space, edge, edge, edge), box);
        dBodySetPosition(box, .037 * place, .11 - .023 * place, 5 + edge / 2);
        dBodySetRotation(box, R);
        for (int i = 0; i < 300; i++) step();
        double sunk = 5 + edge / 2 - dBodyGetPosition(box)[2];
        ck_assert_msg(fabs(sunk - depth) < .01 * depth, "place %d: %g of %g m", place, sunk, depth);
        finish();
        dGeomTriMeshDataDestroy(data);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("soft");
    TCase *tests = tcase_create("soft contacts");
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    test_at_end(dCloseODE);
    tcase_add_loop_test(tests, each_choice_keeps_its_word, PEG_SOFT_RIGID, PEG_SOFT_KEEP + 1);
    tcase_add_loop_test(tests, softness_is_told_once, PEG_SOFT_RIGID, PEG_SOFT_KEEP + 1);
    tcase_add_loop_test(tests, world_fills_in, 0, 2);
    tcase_add_test(tests, settings_are_checked);
    tcase_add_loop_test(tests, tyres_move_as_in_stock_ode, PEG_SOFT_BELOW, PEG_SOFT_KEEP + 1);
    tcase_add_loop_test(tests, a_box_sinks_into_a_mesh, 0, 4);
    suite_add_tcase(suite, tests);
    return suite;
}
