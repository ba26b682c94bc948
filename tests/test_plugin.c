/* The public interface, used as a program uses it. */
#include "tests/runner.h"
#include "peg/base/arena.h"
#include "plugin/ode-peg.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double G = 9.81;

typedef struct scene {
    dWorldID world;
    dSpaceID space;
    pegWorldID peg;
} scene;

static scene new_scene(void)
{
    scene s = {dWorldCreate(), dSimpleSpaceCreate(NULL), NULL};
    dWorldSetGravity(s.world, 0, 0, -G);
    ck_assert_int_eq(pegWorldCreateStatus(s.world, NULL, &s.peg), PEG_OK);
    ck_assert_int_eq(pegWorldAddSpace(s.peg, s.space), PEG_OK);
    return s;
}

static void free_scene(scene *s)
{
    dSpaceDestroy(s->space);
    dWorldDestroy(s->world);
    pegWorldDestroy(s->peg); /* valid after the world's end */
}

static dBodyID add_body(dWorldID world, double x, double y, double z)
{
    dMass mass;
    dMassSetBoxTotal(&mass, 2, 1, 1, 1);
    dBodyID body = dBodyCreate(world);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, x, y, z);
    return body;
}

static dBodyID add_cube(scene *s, double x, double y, double z)
{
    dBodyID body = add_body(s->world, x, y, z);
    dGeomSetBody(dCreateBox(s->space, 1, 1, 1), body);
    return body;
}

/* Cube of side 1, in ODE's arrays. */
static const dReal planes[] = {1, 0,  0, 0.5, -1, 0, 0, 0.5, 0, 1, 0,  0.5,
                               0, -1, 0, 0.5, 0,  0, 1, 0.5, 0, 0, -1, 0.5};
static const dReal points[] = {-0.5, -0.5, -0.5, 0.5, -0.5, -0.5, 0.5, 0.5, -0.5, -0.5, 0.5, -0.5,
                               -0.5, -0.5, 0.5,  0.5, -0.5, 0.5,  0.5, 0.5, 0.5,  -0.5, 0.5, 0.5};
static const unsigned polygons[] = {4, 1, 2, 6, 5, 4, 0, 4, 7, 3, 4, 2, 3, 7, 6,
                                    4, 0, 1, 5, 4, 4, 4, 5, 6, 7, 4, 0, 3, 2, 1};
#define CUBE planes, 6, points, 8, polygons

/* Messages that came, in their order. */
typedef struct messages {
    int n;
    pegStatus status[32];
    char text[32][320];
} messages;

static void keep_message(void *data, pegStatus status, const char *text)
{
    messages *l = data;
    ck_assert_int_lt(l->n, 32);
    l->status[l->n] = status;
    snprintf(l->text[l->n++], sizeof l->text[0], "%s", text);
}

static int told(const messages *l, const char *part)
{
    int n = 0;
    for (int i = 0; i < l->n; i++) n += strstr(l->text[i], part) != NULL;
    return n;
}

START_TEST(says_what_it_is)
{
    ck_assert_str_eq(pegVersion(), PEG_VERSION_STRING);
    ck_assert_str_eq(pegVersion(), PROJECT_VERSION);
    for (int i = -1; i <= PEG_STATUS_COUNT; i++)
        ck_assert_ptr_nonnull(pegStatusMessage((pegStatus)i));
}
END_TEST

START_TEST(two_lines_make_a_box_rest)
{
    scene s = new_scene();
    dCreatePlane(s.space, 0, 0, 1, 0);
    dBodyID cube = add_cube(&s, 0.1, 0.2, 1.5);
    dMatrix3 R;
    dRFromAxisAndAngle(R, 1, 2, 0.5, 0.9);
    dBodySetRotation(cube, R);
    double low = INFINITY;
    for (int i = 0; i < 300; i++) {
        dSpaceCollide(s.space, s.peg, &pegNearCallback);
        pegStatus status = _i ? pegWorldQuickStep(s.peg, 0.01) : pegWorldStep(s.peg, 0.01);
        ck_assert_int_eq(status, PEG_OK);
        for (int k = 0; k < 8; k++) {
            dVector3 p;
            dBodyGetRelPointPos(cube, points[3 * k], points[3 * k + 1], points[3 * k + 2], p);
            low = fmin(low, p[2]);
        }
    }
    ck_assert_double_ge(low, 0);
    ck_assert_double_eq_tol(dBodyGetPosition(cube)[2], 0.5, 1e-3);
    ck_assert_double_lt(fabs(dBodyGetLinearVel(cube)[2]), 1e-6);

    double sum = 0; /* at rest the ground carries the weight */
    pegContact contact;
    for (int i = 0; i < pegWorldGetContactCount(s.peg); i++) {
        ck_assert_int_eq(pegWorldGetContact(s.peg, i, &contact), PEG_OK);
        double up = dGeomGetBody(contact.g1) == cube ? 1 : -1;
        ck_assert_double_eq_tol(contact.normal[2], up, 1e-9);
        ck_assert(contact.impulse > 0 && contact.gap >= 0);
        sum += contact.impulse;
    }
    ck_assert_double_eq_tol(sum, 2 * G * 0.01, 1e-6);
    ck_assert_int_eq(pegWorldGetContact(s.peg, -1, &contact), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegWorldGetContact(s.peg, 99, &contact), PEG_ERROR_ARGUMENT);
    free_scene(&s);
}
END_TEST

/* Where the program puts a body above the wall that it stood beside, or the wall below the body,
 * nothing is in the body's way any more. */
START_TEST(what_was_put_elsewhere_is_looked_at_anew)
{
    for (int wall_moves = 0; wall_moves < 2; wall_moves++) {
        scene s = new_scene();
        dWorldSetGravity(s.world, 0, 0, 0);
        dBodyID cube = add_cube(&s, 0, 0, 0);
        dGeomID wall = dCreateBox(s.space, 1, 4, 1);
        dGeomSetPosition(wall, 1.004, 0, 0);
        for (int i = 0; i < 5; i++) ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
        if (wall_moves)
            dGeomSetPosition(wall, 1.004, 0, -1.0001);
        else
            dBodySetPosition(cube, 0, 0, 1.0001);
        dBodySetLinearVel(cube, 6, 0, -0.1);
        for (int i = 0; i < 3; i++) {
            ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
            ck_assert_double_eq_tol(dBodyGetLinearVel(cube)[0], 6, 1e-2);
        }
        free_scene(&s);
    }
}
END_TEST

/* A program's own callback: lets nothing but `solid` touch anything. */
typedef struct own {
    scene *s;
    dBodyID solid;
    int calls;
    pegStatus status;
} own;

static void own_callback(void *data, dGeomID o1, dGeomID o2)
{
    own *o = data;
    dSurfaceParameters rough = {.mode = dContactBounce, .mu = 0.5, .bounce = 0.1};
    ck_assert(!dGeomIsSpace(o1) && !dGeomIsSpace(o2));
    o->calls++;
    if (dGeomGetBody(o1) == o->solid || dGeomGetBody(o2) == o->solid)
        o->status = o->calls % 2 ? pegWorldAddPair(o->s->peg, o1, o2, &rough)
                                 : pegWorldAddPair(o->s->peg, o2, o1, &rough);
}

START_TEST(own_callback_filters)
{
    scene s = new_scene();
    messages l = {0};
    dCreatePlane(s.space, 0, 0, 1, 0);
    own o = {.s = &s, .solid = add_cube(&s, 0, 0, 0.6)};
    dBodyID ghost = add_cube(&s, 3, 0, 0.6);
    pegWorldSetMessageCallback(s.peg, &l, keep_message);
    pegWorldSetNearCallback(s.peg, &o, own_callback);
    for (int i = 0; i < 100; i++) ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
    ck_assert_int_gt(o.calls, 0);
    ck_assert_int_eq(o.status, PEG_OK);
    ck_assert_double_eq_tol(dBodyGetPosition(o.solid)[2], 0.5, 1e-4);
    ck_assert_double_lt(dBodyGetPosition(ghost)[2], -3);
    ck_assert_int_eq(l.n, 1); /* a mu of 0.5 N looks like a coefficient */
    ck_assert_int_eq(told(&l, "set dContactApprox1"), 1);
    pegWorldSetNearCallback(s.peg, s.peg, pegNearCallback);
    dBodySetPosition(ghost, 3, 0, 0.6);
    dBodySetLinearVel(ghost, 0, 0, 0);
    for (int i = 0; i < 100; i++) ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
    ck_assert_double_eq_tol(dBodyGetPosition(ghost)[2], 0.5, 1e-4);
    free_scene(&s);
}
END_TEST

START_TEST(pairs_of_other_spaces_are_handed_over)
{
    scene s = new_scene();
    messages l = {0};
    pegWorldSetMessageCallback(s.peg, &l, keep_message);
    ck_assert_int_eq(pegWorldRemoveSpace(s.peg, s.space), PEG_OK);
    ck_assert_int_eq(pegWorldRemoveSpace(s.peg, s.space), PEG_ERROR_ARGUMENT);
    dSpaceID inner = dSimpleSpaceCreate(s.space);
    dCreatePlane(s.space, 0, 0, 1, 0);
    dBodyID cube = add_cube(&s, 0, 0, 0.5001);
    dBodyID upper = add_body(s.world, 0, 0, 1.5002), lonely = add_body(s.world, 5, 0, 0.5001);
    dGeomID upper_box = dCreateBox(inner, 1, 1, 1), loose = dCreateBox(NULL, 1, 1, 1);
    dGeomSetBody(upper_box, upper);
    dGeomSetBody(loose, lonely);
    for (int i = 0; i < 50; i++) {
        dSpaceCollide(s.space, s.peg, &pegNearCallback);
        ck_assert_int_eq(pegWorldAddPair(s.peg, loose, (dGeomID)s.space, NULL), PEG_OK);
        ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
    }
    ck_assert_double_eq_tol(dBodyGetPosition(cube)[2], 0.5, 2e-3);
    ck_assert_double_eq_tol(dBodyGetPosition(upper)[2], 1.5, 3e-3);
    ck_assert_double_eq_tol(dBodyGetPosition(lonely)[2], 0.5, 2e-3);
    ck_assert_int_eq(told(&l, "no contacts"), 1); /* nothing was near in the first step */
    dGeomDestroy(loose);
    free_scene(&s);
}
END_TEST

START_TEST(fast_box_does_not_pass_a_thin_wall)
{
    scene s = new_scene();
    dWorldSetGravity(s.world, 0, 0, 0);
    dGeomID wall = dCreateBox(s.space, 0.02, 4, 4);
    dGeomSetPosition(wall, 3, 0, 0);
    dBodyID bullet = add_body(s.world, 0, 0.1, 0.2);
    dGeomSetBody(dCreateBox(s.space, 0.1, 0.1, 0.1), bullet);
    dBodySetLinearVel(bullet, 300, 0, 0);
    for (int i = 0; i < 20; i++) {
        dSpaceCollide(s.space, s.peg, &pegNearCallback);
        ck_assert_int_eq(pegWorldStep(s.peg, 0.01 + 0.001 * _i), PEG_OK);
        ck_assert_double_le(dBodyGetPosition(bullet)[0], 3 - 0.06);
    }
    free_scene(&s);
}
END_TEST

START_TEST(bodies_apart_move_as_in_ode)
{
    scene s = new_scene();
    dWorldID plain = dWorldCreate();
    dWorldSetGravity(plain, 0, 0, -G);
    dBodyID a = add_cube(&s, 0, 0, 9), b = add_body(plain, 0, 0, 9);
    add_cube(&s, 3, 0, 9);
    dCreatePlane(s.space, 0, 0, 1, 0);
    dBodySetAngularVel(a, 1, 5, -3);
    dBodySetAngularVel(b, 1, 5, -3);
    for (int i = 0; i < 50; i++) {
        ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
        dWorldStep(plain, 0.01);
    }
    ck_assert(!memcmp(dBodyGetPosition(a), dBodyGetPosition(b), 3 * sizeof(dReal)));
    ck_assert(!memcmp(dBodyGetQuaternion(a), dBodyGetQuaternion(b), 4 * sizeof(dReal)));
    dWorldDestroy(plain);
    free_scene(&s);
}
END_TEST

/* Heights of a small pile after 100 steps. */
static void run_pile(double z[6])
{
    scene s = new_scene();
    dBodyID body[6];
    dSpaceID inner = dHashSpaceCreate(s.space);
    dCreatePlane(inner, 0, 0, 1, 0);
    for (int i = 0; i < 6; i++) body[i] = add_cube(&s, 0.3 * (i % 3), 0.1 * i, 0.6 + 1.1 * i);
    for (int i = 0; i < 100; i++) ck_assert_int_eq(pegWorldStep(s.peg, 0.02), PEG_OK);
    for (int i = 0; i < 6; i++) z[i] = dBodyGetPosition(body[i])[2];
    free_scene(&s);
}

START_TEST(same_input_gives_same_bits)
{
    double first[6], second[6];
    run_pile(first);
    void *elsewhere = malloc(100000); /* other addresses for all that comes */
    run_pile(second);
    free(elsewhere);
    ck_assert(!memcmp(first, second, sizeof first));
}
END_TEST

/* The same motion again, within the 64 steps for which memory is kept, then rest, with bodies that
 * fall asleep and pairs handed over. */
START_TEST(warmed_steps_allocate_nothing)
{
    scene s = new_scene();
    dBodyID body[8];
    dSurfaceParameters rough = {.mode = dContactApprox1, .mu = 0.5};
    pegWorldSetDefaultSurface(s.peg, &rough);
    dWorldSetAutoDisableFlag(s.world, _i);
    dWorldSetAutoDisableAverageSamplesCount(s.world, 3);
    dCreatePlane(s.space, 0, 0, 1, 0);
    for (int i = 0; i < 8; i++) body[i] = add_cube(&s, 0, 0, 0);
    for (int step = 0; step < 600; step++) {
        for (int i = 0; i < 8 && step % 60 == 0 && step < 400; i++) {
            static const dQuaternion unturned = {1};
            dBodySetPosition(body[i], 0.3 * (i % 3), 0.1 * i, 0.6 + 1.1 * i);
            dBodySetQuaternion(body[i], unturned);
            dBodySetLinearVel(body[i], 0, 0, 0);
            dBodySetAngularVel(body[i], 0, 0, 0);
            dBodyEnable(body[i]);
        }
        peg_memory_fail_at(0, 0);
        dSpaceCollide(s.space, s.peg, &pegNearCallback);
        ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
        long made = peg_memory_fail_at(0, 0);
        if ((step >= 200 && step < 400) || step >= 550)
            ck_assert_msg(made == 0, "step %d: %ld", step, made);
    }
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++) ck_assert_double_eq(dBodyGetLinearVel(body[i])[k], 0);
    free_scene(&s);
}
END_TEST

START_TEST(kinematic_lift_carries_a_body_of_two_geoms)
{
    scene s = new_scene();
    dBodyID lift = add_body(s.world, 0, 0, 0), load = add_body(s.world, 0, 0, 0.9);
    dGeomSetBody(dCreateBox(s.space, 4, 4, 1), lift);
    dBodySetKinematic(lift);
    dBodySetLinearVel(lift, 0, 0, 0.5);
    for (int i = -1; i <= 1; i += 2) { /* two legs, 0.3 below the centre of mass */
        dGeomID leg = dCreateBox(s.space, 0.2, 1, 0.6);
        dGeomSetBody(leg, load);
        dGeomSetOffsetPosition(leg, 0.5 * i, 0, 0);
    }
    for (int i = 1; i <= 200; i++) {
        ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
        double gap = dBodyGetPosition(load)[2] - dBodyGetPosition(lift)[2] - 0.8;
        ck_assert_double_ge(gap, 0);
        if (i > 100) ck_assert_double_lt(gap, 1e-4);
    }
    ck_assert_double_eq_tol(dBodyGetPosition(lift)[2], 1, 1e-12);
    ck_assert_double_eq_tol(dBodyGetLinearVel(load)[2], 0.5, 1e-6);
    free_scene(&s);
}
END_TEST

START_TEST(sleepers_are_woken)
{
    scene s = new_scene();
    dCreatePlane(s.space, 0, 0, 1, 0);
    dBodyID sleeper = add_cube(&s, 0, 0, 0.50001), far = add_cube(&s, 9, 0, 0.50001);
    dBodyDisable(sleeper);
    dBodyDisable(far);
    for (int i = 0; i < 5; i++) ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
    ck_assert(!dBodyIsEnabled(sleeper) && dBodyGetPosition(sleeper)[2] == 0.50001);
    dBodyID hammer = add_cube(&s, 0.3, 0, 1.6);
    for (int i = 0; i < 60; i++) ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
    ck_assert(dBodyIsEnabled(sleeper) && !dBodyIsEnabled(far));
    ck_assert_double_gt(dBodyGetPosition(hammer)[2], 1.49);
    free_scene(&s);
}
END_TEST

START_TEST(joints_are_told_once)
{
    scene s = new_scene();
    messages l = {0};
    pegWorldSetMessageCallback(s.peg, &l, keep_message);
    dCreatePlane(s.space, 0, 0, 1, 0);
    dBodyID a = add_cube(&s, 0, 0, 3), b = add_cube(&s, 1.5, 0, 3);
    dJointID joint = dJointCreateHinge(s.world, 0);
    dJointAttach(joint, a, b);
    dJointSetHingeAnchor(joint, 0.75, 0, 3);
    dJointSetHingeAxis(joint, 0, 1, 0);
    dJointDisable(joint);
    ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
    ck_assert_int_eq(l.n, 0);
    dJointEnable(joint);
    for (int i = 0; i < 100; i++) ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
    ck_assert_int_eq(told(&l, "pegJointSetReferencePose"), 1);
    ck_assert_double_gt(dBodyGetPosition(a)[2], 0.3);
    free_scene(&s);
}
END_TEST

/* Everything that can be read of a world's bodies. */
typedef struct state {
    dReal x[4][16 + 9];
    int enabled[4];
} state;

static state state_of(const dBodyID *body, int n)
{
    state s;
    memset(&s, 0, sizeof s);
    for (int i = 0; i < n; i++) {
        dReal *x = s.x[i];
        memcpy(x, dBodyGetPosition(body[i]), 3 * sizeof *x);
        memcpy(x + 3, dBodyGetQuaternion(body[i]), 4 * sizeof *x);
        memcpy(x + 7, dBodyGetLinearVel(body[i]), 3 * sizeof *x);
        memcpy(x + 10, dBodyGetAngularVel(body[i]), 3 * sizeof *x);
        memcpy(x + 13, dBodyGetForce(body[i]), 3 * sizeof *x);
        memcpy(x + 16, dBodyGetTorque(body[i]), 3 * sizeof *x);
        s.enabled[i] = dBodyIsEnabled(body[i]);
    }
    return s;
}

/* 1: four steps end with this status, which is reported once, and change nothing. */
static int is_refused(scene *s, const dBodyID *body, int n, double h, pegStatus expected)
{
    messages l = {0};
    state before = state_of(body, n);
    int refused = 1;
    pegWorldSetMessageCallback(s->peg, &l, keep_message);
    for (int i = 0; i < 4; i++) {
        pegStatus status = i % 2 ? pegWorldQuickStep(s->peg, h) : pegWorldStep(s->peg, h);
        state after = state_of(body, n);
        refused &= status == expected && !memcmp(&before, &after, sizeof after);
    }
    pegWorldSetMessageCallback(s->peg, NULL, NULL);
    return refused && l.n == 1 && l.status[0] == expected &&
           strstr(l.text[0], pegStatusMessage(expected)) && pegWorldGetContactCount(s->peg) == 0;
}

START_TEST(bad_steps_change_nothing)
{
    static const double steps[] = {0, -0.01, NAN, INFINITY};
    scene s = new_scene();
    dCreatePlane(s.space, 0, 0, 1, 0);
    dBodyID body[2] = {add_cube(&s, 0, 0, 0.5001), add_cube(&s, 0, 0, 1.5002)};
    dBodyAddForce(body[0], 1, 2, 3);
    if (_i < 4)
        ck_assert(is_refused(&s, body, 2, steps[_i], PEG_ERROR_STEP_SIZE));
    else if (_i == 4)
        dBodySetPosition(body[1], NAN, 0, 1);
    else if (_i == 5)
        dBodySetLinearVel(body[1], 0, INFINITY, 0);
    else if (_i == 6)
        dBodySetAngularVel(body[1], 0, NAN, 0);
    else if (_i == 7)
        dBodyAddForce(body[1], 0, 0, NAN);
    else if (_i == 8)
        dBodyAddTorque(body[1], 0, INFINITY, NAN);
    else if (_i == 9)
        dWorldSetGravity(s.world, 0, 0, NAN);
    else if (_i == 10)
        dGeomSetPosition(dCreateBox(s.space, 1, 1, 1), 0, NAN, 0);
    if (_i >= 4) ck_assert(is_refused(&s, body, 2, 0.01, PEG_ERROR_NOT_FINITE));
    free_scene(&s);
}
END_TEST

START_TEST(bad_masses_change_nothing)
{
    scene s = new_scene();
    dBodyID body[1] = {add_cube(&s, 0, 0, 3)};
    dMass mass;
    dMassSetBoxTotal(&mass, 1, 1, 1, 1);
    if (_i == 0) mass.mass = NAN;
    if (_i == 1) mass.I[5] = NAN;
    if (_i == 2) /* beside a joint ODE aborts, as 1 / det overflows */
        for (int k = 0; k < 3; k++) mass.I[5 * k] = 1e-103;
    dBodySetMass(body[0], &mass); /* ODE lets these pass; it aborts on a mass of 0 or below */
    ck_assert(is_refused(&s, body, 1, 0.01, PEG_ERROR_MASS));
    free_scene(&s);
}
END_TEST

START_TEST(bad_shapes_change_nothing)
{
    scene s = new_scene();
    dBodyID body[1] = {add_cube(&s, 0, 0, 3)};
    dGeomID thin = dCreateBox(s.space, 1, 1, 1e-13);
    ck_assert(is_refused(&s, body, 1, 0.01, PEG_ERROR_SHAPE_EMPTY));
    dGeomDestroy(thin);
    dGeomID convex = dCreateConvex(s.space, CUBE);
    ck_assert(is_refused(&s, body, 1, 0.01, PEG_ERROR_CONVEX_NOT_REGISTERED));
    ck_assert_int_eq(pegRegisterConvex(convex, CUBE), PEG_OK);
    ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);

    dReal larger[24]; /* arrays that are not the geom's are told by the bounding box */
    for (int i = 0; i < 24; i++) larger[i] = 1.5 * points[i];
    dReal shifted[24];
    for (int i = 0; i < 24; i++) shifted[i] = planes[i] * (i % 4 == 3 ? 1.5 : 1);
    ck_assert_int_eq(pegRegisterConvex(convex, shifted, 6, larger, 8, polygons), PEG_OK);
    ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_ERROR_CONVEX_NOT_REGISTERED);
    ck_assert_int_eq(pegSetConvex(convex, shifted, 6, larger, 8, polygons), PEG_OK);
    ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
    pegUnregisterConvex(convex);
    pegUnregisterConvex(convex);
    ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_ERROR_CONVEX_NOT_REGISTERED);
    free_scene(&s);
}
END_TEST

START_TEST(convex_arrays_are_checked)
{
    pegStatus status = PEG_OK;
    dReal bad[24];
    unsigned open[30];
    memcpy(bad, points, sizeof bad);
    bad[4] = NAN;
    ck_assert_ptr_null(pegCreateConvex(NULL, planes, 6, bad, 8, polygons, &status));
    ck_assert_int_eq(status, PEG_ERROR_NOT_FINITE);
    memcpy(open, polygons, sizeof open);
    open[4] = 7;
    ck_assert_ptr_null(pegCreateConvex(NULL, planes, 6, points, 8, open, &status));
    ck_assert_int_ne(status, PEG_OK);
    ck_assert_ptr_null(pegCreateConvex(NULL, NULL, 6, points, 8, polygons, &status));
    ck_assert_int_eq(status, PEG_ERROR_ARGUMENT);
    ck_assert_ptr_null(pegCreateConvex(NULL, planes, 5, points, 8, polygons, NULL));
    dGeomID box = dCreateBox(NULL, 1, 1, 1), convex = pegCreateConvex(NULL, CUBE, &status);
    ck_assert_int_eq(status, PEG_OK);
    ck_assert_int_eq(pegRegisterConvex(box, CUBE), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegSetConvex(NULL, CUBE), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegSetConvex(convex, planes, 6, bad, 8, polygons), PEG_ERROR_NOT_FINITE);
    pegUnregisterConvex(convex);
    dGeomDestroy(convex);
    dGeomDestroy(box);
}
END_TEST

START_TEST(convex_rests_on_convex)
{
    scene s = new_scene();
    dGeomID ground = pegCreateConvex(s.space, CUBE, NULL),
            cube = pegCreateConvex(s.space, CUBE, NULL);
    dBodyID body = add_body(s.world, 0.3, 0, 1.2);
    dMatrix3 R;
    dRFromAxisAndAngle(R, 0, 0, 1, 0.5);
    dBodySetRotation(body, R);
    dGeomSetBody(cube, body);
    for (int i = 0; i < 100; i++) ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
    ck_assert_double_ge(dBodyGetPosition(body)[2], 1);
    ck_assert_double_le(dBodyGetPosition(body)[2], 1.001);
    pegUnregisterConvex(ground);
    pegUnregisterConvex(cube);
    free_scene(&s);
}
END_TEST

START_TEST(rays_and_empty_geoms_are_ignored)
{
    scene s = new_scene();
    messages l = {0};
    pegWorldSetMessageCallback(s.peg, &l, keep_message);
    dGeomID plane = dCreatePlane(s.space, 0, 0, 1, 0), ray = dCreateRay(s.space, 1);
    dGeomID speck = dCreateSphere(s.space, 0);
    dBodyID body = add_body(s.world, 0, 0, 0.01);
    dGeomSetBody(speck, body);
    dCreateBox(s.space, 1, 0, 1);
    for (int i = 0; i < 5; i++) {
        dSpaceCollide(s.space, s.peg, &pegNearCallback);
        ck_assert_int_eq(pegWorldAddPair(s.peg, speck, plane, NULL), PEG_OK);
        ck_assert_int_eq(pegWorldAddPair(s.peg, plane, ray, NULL), PEG_OK);
        ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
    }
    ck_assert_double_lt(dBodyGetPosition(body)[2], 0);
    ck_assert_int_eq(l.n, 1);
    ck_assert_int_eq(told(&l, "radius of 0"), 1);
    free_scene(&s);
}
END_TEST

START_TEST(starting_overlap_is_told_and_opens)
{
    scene s = new_scene();
    messages l = {0};
    pegWorldSetMessageCallback(s.peg, &l, keep_message);
    dCreatePlane(s.space, 0, 0, 1, 0);
    dBodyID cube = add_cube(&s, 0, 0, 0.4);
    for (int i = 0; i < 100; i++) {
        ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
        ck_assert_double_lt(fabs(dBodyGetLinearVel(cube)[2]), 0.01);
    }
    ck_assert_double_ge(dBodyGetPosition(cube)[2], 0.5);
    ck_assert_double_le(dBodyGetPosition(cube)[2], 0.501);
    ck_assert_int_eq(told(&l, "overlap at the start"), 1);
    free_scene(&s);
}
END_TEST

START_TEST(meshes_that_cross_at_the_start_are_told_of)
{
    static const dReal at[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const dTriIndex corner[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    scene s = new_scene();
    messages l = {0};
    pegWorldSetMessageCallback(s.peg, &l, keep_message);
    dTriMeshDataID data = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildDouble(data, at, 3 * sizeof *at, 4, corner, 12, 3 * sizeof *corner);
    for (int i = 0; i < 2; i++)
        dGeomSetBody(dCreateTriMesh(s.space, data, NULL, NULL, NULL),
                     add_body(s.world, .2 * i, .1 * i, 3 + .1 * i));
    ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
    ck_assert_int_eq(told(&l, "meshes whose triangles cross can stay so"), 1);
    free_scene(&s);
    dGeomTriMeshDataDestroy(data);
}
END_TEST

START_TEST(arguments_and_settings_are_checked)
{
    pegSettings settings;
    pegWorldID peg;
    pegSettingsDefault(&settings);
    settings.margin = -1;
    dWorldID world = dWorldCreate();
    ck_assert_int_eq(pegWorldCreateStatus(world, &settings, &peg), PEG_ERROR_SETTINGS);
    ck_assert_ptr_null(peg);
    ck_assert_ptr_null(pegWorldCreate(world, &settings));
    ck_assert_int_eq(pegWorldCreateStatus(NULL, NULL, &peg), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegWorldCreateStatus(world, NULL, NULL), PEG_ERROR_ARGUMENT);
    peg = pegWorldCreate(world, NULL);
    ck_assert_ptr_eq(pegWorldGetWorld(peg), world);
    ck_assert_int_eq(pegWorldSetSettings(peg, &settings), PEG_ERROR_SETTINGS);
    settings.margin = 1e-4;
    ck_assert_int_eq(pegWorldSetSettings(peg, &settings), PEG_OK);
    pegWorldGetSettings(peg, &settings);
    ck_assert_double_eq(settings.margin, 1e-4);
    ck_assert_int_eq(pegWorldAddSpace(peg, NULL), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegWorldAddPair(peg, NULL, NULL, NULL), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegWorldStep(NULL, 0.01), PEG_ERROR_ARGUMENT);
    pegWorldDestroy(peg);
    pegWorldDestroy(NULL);
    dWorldDestroy(world);
}
END_TEST

static void step_inside(void *data, dGeomID o1, dGeomID o2)
{
    own *o = data;
    (void)o1, (void)o2;
    o->calls++;
    o->status = pegWorldStep(o->s->peg, 0.01);
}

START_TEST(step_inside_a_step_is_refused)
{
    scene s = new_scene();
    own o = {.s = &s};
    dCreatePlane(s.space, 0, 0, 1, 0);
    add_cube(&s, 0, 0, 0.5001);
    pegWorldSetNearCallback(s.peg, &o, step_inside);
    ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
    ck_assert_int_ge(o.calls, 1);
    ck_assert_int_eq(o.status, PEG_ERROR_ARGUMENT);
    free_scene(&s);
}
END_TEST

START_TEST(statistics_add_up)
{
    scene s = new_scene();
    pegStats last, sum, by_hand = {.min_separation = INFINITY};
    dCreatePlane(s.space, 0, 0, 1, 0);
    add_cube(&s, 0, 0, 0.6);
    add_cube(&s, 0.2, 0, 1.7);
    for (int i = 0; i < 50; i++) {
        ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
        pegWorldGetStats(s.peg, &last);
        ck_assert_int_eq(last.steps, 1);
        ck_assert_int_eq(last.bodies, 2);
        by_hand.rows += last.rows;
        by_hand.time_ode += last.time_ode;
        by_hand.rows_max = last.rows_max > by_hand.rows_max ? last.rows_max : by_hand.rows_max;
        if (last.pairs) by_hand.min_separation = fmin(by_hand.min_separation, last.min_separation);
    }
    ck_assert_int_eq(pegWorldStep(s.peg, -1), PEG_ERROR_STEP_SIZE);
    pegWorldGetTotals(s.peg, &sum);
    ck_assert_int_eq(sum.steps, 50);
    ck_assert_int_eq(sum.rows, by_hand.rows);
    ck_assert_int_eq(sum.rows_max, by_hand.rows_max);
    ck_assert_int_gt(sum.rows, sum.rows_max);
    ck_assert_double_eq(sum.min_separation, by_hand.min_separation);
    ck_assert_double_eq_tol(sum.time_ode, by_hand.time_ode, 1e-12);
    ck_assert_int_eq(sum.unconverged, 0);
    ck_assert_double_ge(sum.min_separation, 0);
    pegWorldResetTotals(s.peg);
    pegWorldGetTotals(s.peg, &sum);
    ck_assert(sum.steps == 0 && sum.rows == 0);
    free_scene(&s);
}
END_TEST

/* _i: only the n-th allocation fails, or it and all after it. */
START_TEST(creation_without_memory)
{
    dWorldID world = dWorldCreate();
    dSpaceID space = dSimpleSpaceCreate(NULL);
    long n = 0;
    for (pegStatus status = PEG_ERROR_MEMORY; status != PEG_OK;) {
        pegWorldID peg;
        peg_memory_fail_at(++n, _i);
        status = pegWorldCreateStatus(world, NULL, &peg);
        ck_assert(status == PEG_OK ? peg != NULL : status == PEG_ERROR_MEMORY && !peg);
        peg_memory_fail_at(status == PEG_OK, _i);
        if (peg) ck_assert_int_eq(pegWorldAddSpace(peg, space), PEG_ERROR_MEMORY);
        peg_memory_fail_at(0, 0);
        if (peg) ck_assert_int_eq(pegWorldStep(peg, 0.01), PEG_OK);
        pegWorldDestroy(peg);
    }
    ck_assert_int_gt(n, 2);
    for (n = 1;; n++) {
        pegStatus status;
        peg_memory_fail_at(n, _i);
        dGeomID geom = pegCreateConvex(space, CUBE, &status);
        peg_memory_fail_at(0, 0);
        ck_assert_int_eq(dSpaceGetNumGeoms(space), geom != NULL);
        if (geom) {
            pegUnregisterConvex(geom);
            break;
        }
        ck_assert_int_eq(status, PEG_ERROR_MEMORY);
    }
    ck_assert_int_gt(n, 2);
    dSpaceDestroy(space);
    dWorldDestroy(world);
}
END_TEST

static void hand_over_all(void *data, dGeomID o1, dGeomID o2)
{
    pegStatus status = pegWorldAddPair(data, o1, o2, NULL);
    ck_assert(status == PEG_OK || status == PEG_ERROR_MEMORY);
}

/* _i & 1: all allocations after the n-th fail, too; _i & 2: pairs are handed over in the step. */
START_TEST(step_without_memory)
{
    long n = 1;
    for (int refused = 1; refused; n++) {
        scene s = new_scene();
        dWorldSetAutoDisableFlag(s.world, 1);
        if (_i & 2) pegWorldSetNearCallback(s.peg, s.peg, hand_over_all);
        dCreatePlane(s.space, 0, 0, 1, 0);
        dGeomID convex = pegCreateConvex(s.space, CUBE, NULL);
        dGeomSetPosition(convex, 3, 0, 0.5);
        dBodyID body[3] = {add_cube(&s, 0, 0, 0.5001), add_cube(&s, 0, 0.1, 1.5002),
                           add_cube(&s, 1.9999, 0, 0.5001)};
        dBodyAddForce(body[2], 9, 0, 0);
        dBodyDisable(body[0]);
        state before = state_of(body, 3);
        peg_memory_fail_at(n, _i & 1);
        if (!(_i & 2)) dSpaceCollide(s.space, s.peg, hand_over_all);
        pegStatus status = pegWorldStep(s.peg, 0.01);
        refused = peg_memory_fail_at(0, 0) >= n;
        state after = state_of(body, 3);
        if (status != PEG_OK) {
            ck_assert_int_eq(status, PEG_ERROR_MEMORY);
            ck_assert(!memcmp(&before, &after, sizeof after));
        }
        for (int i = 0; i < 3; i++) ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
        ck_assert_double_ge(dBodyGetPosition(body[0])[2], 0.5);
        ck_assert_double_ge(dBodyGetPosition(body[1])[2], 1.5);
        pegUnregisterConvex(convex);
        free_scene(&s);
    }
    ck_assert_int_gt(n, 10);
}
END_TEST

START_TEST(pair_lost_for_lack_of_memory_fails_the_step)
{
    scene s = new_scene();
    pegWorldRemoveSpace(s.peg, s.space);
    dCreatePlane(s.space, 0, 0, 1, 0);
    dBodyID cube = add_cube(&s, 0, 0, 0.5);
    peg_memory_fail_at(1, 1);
    dSpaceCollide(s.space, s.peg, &pegNearCallback);
    peg_memory_fail_at(0, 0);
    ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_ERROR_MEMORY);
    ck_assert_double_eq(dBodyGetPosition(cube)[2], 0.5);
    dSpaceCollide(s.space, s.peg, &pegNearCallback);
    ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
    ck_assert_double_ge(dBodyGetPosition(cube)[2], 0.5);
    free_scene(&s);
}
END_TEST

static int lines_of(const char *command)
{
    char line[512];
    int n = 0;
    FILE *f = popen(command, "r");
    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f)) n++;
    pclose(f);
    return n;
}

START_TEST(symbols_and_header)
{
    ck_assert_int_gt(lines_of("nm -D --defined-only " LIBRARY " | grep -E ' T peg[A-Z]'"), 20);
    /* .resolver: which clang makes of functions with several targets */
    ck_assert_int_eq(
        lines_of("nm -D --defined-only " LIBRARY " | grep -vE ' T (peg[A-Z]|.*[.]resolver$)'"), 0);
    ck_assert_int_gt(lines_of("nm " PEG_LIBRARY " | grep -E ' T peg_step$'"), 0);
    ck_assert_int_eq(lines_of("nm --undefined-only " PEG_LIBRARY " | grep -E ' U d[A-Z]'"), 0);
    ck_assert_int_eq(lines_of("grep -E '#include \"' " HEADER), 0);
    ck_assert_int_gt(lines_of("grep PEG_ERROR_MEMORY " HEADER), 0);
}
END_TEST

/* A scene at rest whose surfaces change is not at rest as it was, also if the step fails that first
 * saw them. */
START_TEST(failed_step_is_not_repeated)
{
    scene s = new_scene();
    dCreatePlane(s.space, 0, 0, 1, 0);
    for (int i = 0; i < 24; i++) add_cube(&s, 2 * (i % 3), 0, 0.50001 + 1.00002 * (i / 3));
    pegStats stats = {0};
    for (int i = 0; i < 20 && !stats.resting_islands; i++) {
        ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
        pegWorldGetStats(s.peg, &stats);
    }
    ck_assert_int_gt(stats.resting_islands, 0);
    /* until the memory of the solves is given back, so that the next one needs some */
    for (int i = 0; i < 200; i++) ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
    dSurfaceParameters rough = {.mode = dContactApprox1 | dContactRolling, .mu = 0.5, .rho = 0.1};
    ck_assert_int_eq(pegWorldSetDefaultSurface(s.peg, &rough), PEG_OK);
    for (int i = 0; i < 30; i++) { /* as often as there are pairs */
        peg_memory_fail_at(1, 1);
        pegStatus status = pegWorldStep(s.peg, 0.01);
        peg_memory_fail_at(0, 0);
        ck_assert_int_eq(status, PEG_ERROR_MEMORY);
    }
    ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
    pegWorldGetStats(s.peg, &stats);
    ck_assert_int_eq(stats.resting_islands, 0);
    ck_assert_int_gt(pegWorldGetContactCount(s.peg), 0);
    free_scene(&s);
}
END_TEST

static Suite *plugin_suite(void)
{
    Suite *suite = suite_create("plugin");
    TCase *use = tcase_create("use"), *errors = tcase_create("errors");
    tcase_set_timeout(use, 60);
    tcase_set_timeout(errors, 120);
    tcase_add_test(use, says_what_it_is);
    tcase_add_loop_test(use, two_lines_make_a_box_rest, 0, 2);
    tcase_add_test(use, what_was_put_elsewhere_is_looked_at_anew);
    tcase_add_test(use, own_callback_filters);
    tcase_add_test(use, pairs_of_other_spaces_are_handed_over);
    tcase_add_loop_test(use, fast_box_does_not_pass_a_thin_wall, 0, 5);
    tcase_add_test(use, bodies_apart_move_as_in_ode);
    tcase_add_test(use, same_input_gives_same_bits);
    tcase_add_loop_test(use, warmed_steps_allocate_nothing, 0, 2);
    tcase_add_test(use, kinematic_lift_carries_a_body_of_two_geoms);
    tcase_add_test(use, sleepers_are_woken);
    tcase_add_test(use, joints_are_told_once);
    tcase_add_test(use, convex_rests_on_convex);
    tcase_add_test(use, rays_and_empty_geoms_are_ignored);
    tcase_add_test(use, starting_overlap_is_told_and_opens);
    tcase_add_test(use, meshes_that_cross_at_the_start_are_told_of);
    tcase_add_test(use, statistics_add_up);
    tcase_add_test(use, symbols_and_header);
    tcase_add_loop_test(errors, bad_steps_change_nothing, 0, 11);
    tcase_add_loop_test(errors, bad_masses_change_nothing, 0, 3);
    tcase_add_test(errors, bad_shapes_change_nothing);
    tcase_add_test(errors, convex_arrays_are_checked);
    tcase_add_test(errors, arguments_and_settings_are_checked);
    tcase_add_test(errors, step_inside_a_step_is_refused);
    tcase_add_loop_test(errors, creation_without_memory, 0, 2);
    tcase_add_loop_test(errors, step_without_memory, 0, 4);
    tcase_add_test(errors, failed_step_is_not_repeated);
    tcase_add_test(errors, pair_lost_for_lack_of_memory_fails_the_step);
    suite_add_tcase(suite, use);
    suite_add_tcase(suite, errors);
    return suite;
}

Suite *test_suite(void)
{
    dInitODE();
    test_at_end(dCloseODE);
    return plugin_suite();
}
