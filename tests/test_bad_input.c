/* Numbers that are none, and finite ones beyond all sense, put into random worlds (tests/fuzz): a
 * step says so and changes nothing, or leaves every body somewhere. A crash, an abort of ODE's or a
 * hang ends the test's process and so fails. */
#include "tests/fuzz/world.h"
#include "tests/runner.h"

#include <check.h>
#include <string.h>

enum { ROUNDS = 12, FAST = 1, STATE = 13 }; /* rounds: of all spoils, each in a world of its own */

typedef struct spoil {
    const char *what;
    pegStatus status; /* PEG_OK: that, too, if all bodies are finite after it */
} spoil;

static const spoil spoils[] = {
    {"position NaN", PEG_ERROR_NOT_FINITE},
    {"velocity infinite", PEG_ERROR_NOT_FINITE},
    {"angular velocity NaN", PEG_ERROR_NOT_FINITE},
    {"force NaN", PEG_ERROR_NOT_FINITE},
    {"torque infinite", PEG_ERROR_NOT_FINITE},
    {"rotation NaN", PEG_ERROR_NOT_FINITE},
    {"linear damping NaN", PEG_ERROR_NOT_FINITE},
    {"angular damping infinite", PEG_ERROR_NOT_FINITE},
    {"gravity NaN", PEG_ERROR_NOT_FINITE},
    {"gravity infinite", PEG_ERROR_NOT_FINITE},
    {"velocity 1e308", PEG_OK},
    {"velocity 1e160", PEG_OK},
    {"velocity 1e20", PEG_OK},
    {"angular velocity 1e200", PEG_OK},
    {"angular velocity 1e4", PEG_OK},
    {"force 1e308", PEG_OK},
    {"torque 1e300", PEG_OK},
    {"position 1e200", PEG_OK},
    {"position 1e18", PEG_OK},
    {"gravity 1e300", PEG_OK},
    {"rotation matrix NaN", PEG_ERROR_NOT_FINITE},
    {"mass 1e-300", PEG_OK},
};
enum { SPOILS = sizeof spoils / sizeof *spoils };

static const double steps[] = {0, -.01, NAN, INFINITY, 1e308, 1e-320, 1e-310};
enum { STEPS = sizeof steps / sizeof *steps };

static void set_gravity(const fuzz_world *w, double g)
{
    dWorldSetGravity(w->ode, 0, 0, g);
}

static void spoil_body(const fuzz_world *w, dBodyID body, int how)
{
    dQuaternion none = {NAN, 0, 0, 0};
    dMass light;
    switch (how) {
    case 0:
        dBodySetPosition(body, NAN, 0, 0);
        break;
    case 1:
        dBodySetLinearVel(body, 0, INFINITY, 0);
        break;
    case 2:
        dBodySetAngularVel(body, 0, 0, NAN);
        break;
    case 3:
        dBodyAddForce(body, NAN, 0, 0);
        break;
    case 4:
        dBodyAddTorque(body, 0, -INFINITY, 0);
        break;
    case 5: /* ODE's own setter would not let it pass */
        memcpy((void *)(size_t)dBodyGetQuaternion(body), none, sizeof none);
        break;
    case 6:
        dBodySetLinearDamping(body, NAN);
        break;
    case 7:
        dBodySetAngularDamping(body, INFINITY);
        break;
    case 8:
    case 9:
        set_gravity(w, how == 8 ? NAN : -INFINITY);
        break;
    case 10:
    case 11:
    case 12:
        dBodySetLinearVel(body, how == 10 ? 1e308 : how == 11 ? 1e160 : 1e20, 1, 0);
        break;
    case 13:
    case 14:
        dBodySetAngularVel(body, 1, how == 13 ? 1e200 : 1e4, 0);
        break;
    case 15:
        dBodyAddForce(body, 1e308, 1e308, 0);
        break;
    case 16:
        dBodyAddTorque(body, 1e300, 0, 0);
        break;
    case 17:
    case 18:
        dBodySetPosition(body, how == 17 ? 1e200 : 1e18, 0, 0);
        break;
    case 19:
        set_gravity(w, 1e300);
        break;
    case 20:
        memcpy((void *)(size_t)(dBodyGetRotation(body) + 5), none, sizeof *none);
        break;
    default:
        dMassSetSphereTotal(&light, 1e-300, 1);
        dBodySetMass(body, &light);
        dBodyAddForce(body, 1e10, 0, 0);
    }
}

static void save(const fuzz_world *w, double state[FUZZ_BODIES][STATE])
{
    memset(state, 0, FUZZ_BODIES * sizeof *state);
    for (int i = 0; i < w->bodies; i++) {
        if (!w->body[i]) continue;
        memcpy(state[i], dBodyGetPosition(w->body[i]), 3 * sizeof(double));
        memcpy(state[i] + 3, dBodyGetQuaternion(w->body[i]), 4 * sizeof(double));
        memcpy(state[i] + 7, dBodyGetLinearVel(w->body[i]), 3 * sizeof(double));
        memcpy(state[i] + 10, dBodyGetAngularVel(w->body[i]), 3 * sizeof(double));
    }
}

static pegStatus step(const fuzz_world *w, double h)
{
    return w->quick ? pegWorldQuickStep(w->peg, h) : pegWorldStep(w->peg, h);
}

static fuzz_world *open_world(int seed)
{
    pegStatus status;
    dInitODE2(0);
    fuzz_world *w = fuzz_create((uint64_t)seed, NULL, &status);
    ck_assert_int_eq(status, PEG_OK);
    return w;
}

static void close_world(fuzz_world *w)
{
    fuzz_destroy(w);
    dCloseODE();
}

static dBodyID some_body(fuzz_world *w)
{
    for (int i = 0; i < 100; i++) {
        dBodyID body = w->bodies ? w->body[dice_below(&w->dice, w->bodies)] : NULL;
        if (body) return body;
    }
    return NULL;
}

START_TEST(absurd_numbers_do_no_harm)
{
    const spoil *s = &spoils[_i % SPOILS];
    static double before[FUZZ_BODIES][STATE], after[FUZZ_BODIES][STATE];
    fuzz_world *w = open_world(1 + _i);
    dBodyID body = some_body(w);
    if (body) {
        ck_assert_int_eq(step(w, w->h), PEG_OK);
        spoil_body(w, body, _i % SPOILS);
        save(w, before);
        pegStatus status = step(w, w->h);
        save(w, after);
        if (status)
            ck_assert_msg(!memcmp(before, after, sizeof before), "%s: %s, but bodies have changed",
                          s->what, pegStatusMessage(status));
        else
            for (int i = 0; i < w->bodies; i++)
                for (int k = 0; k < STATE; k++)
                    ck_assert_msg(isfinite(after[i][k]), "%s: body %d is not finite", s->what, i);
        if (s->status)
            ck_assert_msg(status == s->status, "%s: %s", s->what, pegStatusMessage(status));
    }
    close_world(w);
}
END_TEST

START_TEST(absurd_steps_are_refused)
{
    static double before[FUZZ_BODIES][STATE], after[FUZZ_BODIES][STATE];
    fuzz_world *w = open_world(1 + _i);
    for (int k = 0; k < STEPS; k++) {
        save(w, before);
        ck_assert_msg(step(w, steps[k]) == PEG_ERROR_STEP_SIZE, "h = %g", steps[k]);
        save(w, after);
        ck_assert(!memcmp(before, after, sizeof before));
    }
    close_world(w);
}
END_TEST

/* --- near callbacks that do more than they may --- */

static struct {
    pegWorldID peg;
    dSpaceID space;
    dBodyID body;
    int what, calls;
} C;

static void meddle(void *data, dGeomID a, dGeomID b)
{
    (void)data;
    C.calls++;
    switch (C.what) {
    case 0:
        dBodyAddForce(C.body, 0, 0, -1e6);
        break;
    case 1:
        dBodyAddTorque(C.body, 1, 0, 0);
        break;
    case 2:
        dBodySetLinearVel(C.body, 0, 0, -20);
        break;
    case 3:
        dBodySetAngularVel(C.body, 0, 1, 0);
        break;
    case 4:
        dBodySetPosition(C.body, 0, 0, .3);
        break;
    default:
        ck_assert_int_eq(pegWorldAddSpace(C.peg, C.space), PEG_ERROR_ARGUMENT);
        ck_assert_int_eq(pegWorldRemoveSpace(C.peg, C.space), PEG_ERROR_ARGUMENT);
        pegWorldDestroy(C.peg);
    }
    ck_assert_int_eq(pegWorldAddPair(C.peg, a, b, NULL), PEG_OK);
}

enum { DEEDS = 6 };

static void keep_body(void *data, const pegMessage *message)
{
    if (message->severity == PEG_SEVERITY_ERROR) *(dBodyID *)data = message->body;
}

START_TEST(callbacks_may_add_pairs_only)
{
    dBodyID told = NULL;
    dMass mass;
    dInitODE2(0);
    dWorldID world = dWorldCreate();
    dWorldSetGravity(world, 0, 0, -9.81);
    C.space = dSimpleSpaceCreate(NULL);
    C.body = dBodyCreate(world);
    C.what = _i, C.calls = 0;
    dCreatePlane(C.space, 0, 0, 1, 0);
    dMassSetBox(&mass, 1000, 1, 1, 1);
    dBodySetMass(C.body, &mass);
    dGeomSetBody(dCreateBox(C.space, 1, 1, 1), C.body);
    dBodySetPosition(C.body, 0, 0, .52);
    C.peg = pegWorldCreate(world, NULL);
    ck_assert_int_eq(pegWorldAddSpace(C.peg, C.space), PEG_OK);
    pegWorldSetNearCallback(C.peg, NULL, meddle);
    pegWorldSetMessageHandler(C.peg, &told, keep_body);
    int is_refused = _i < DEEDS - 1;
    ck_assert_int_eq(pegWorldStep(C.peg, .01), is_refused ? PEG_ERROR_CALLBACK : PEG_OK);
    ck_assert_int_eq(C.calls, 1);
    ck_assert(told == (is_refused ? C.body : NULL));
    pegWorldDestroy(C.peg);
    dSpaceDestroy(C.space);
    dWorldDestroy(world);
    dCloseODE();
}
END_TEST

/* One body after the other is spoilt: the message names each, once. */
START_TEST(messages_name_every_culprit)
{
    dBodyID body[3], told = NULL;
    dMass mass;
    dInitODE2(0);
    dWorldID world = dWorldCreate();
    pegWorldID peg = pegWorldCreate(world, NULL);
    pegWorldSetMessageHandler(peg, &told, keep_body);
    dMassSetSphere(&mass, 1000, .1);
    for (int i = 0; i < 3; i++) {
        body[i] = dBodyCreate(world);
        dBodySetMass(body[i], &mass);
    }
    for (int i = 0; i < 3; i++)
        for (int again = 0; again < 2; again++) {
            told = NULL;
            dBodySetLinearVel(body[i], NAN, 0, 0);
            ck_assert_int_eq(pegWorldStep(peg, .01), PEG_ERROR_NOT_FINITE);
            ck_assert(told == (again ? NULL : body[i]));
            dBodySetLinearVel(body[i], 0, 0, 0);
        }
    pegWorldDestroy(peg);
    dWorldDestroy(world);
    dCloseODE();
}
END_TEST

static TCase *make_case(const char *name, int from, int to)
{
    TCase *tc = tcase_create(name);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, absurd_numbers_do_no_harm, from * SPOILS, to * SPOILS);
    tcase_add_loop_test(tc, absurd_steps_are_refused, from, to);
    return tc;
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("bad-input");
    TCase *many = make_case("many", FAST, ROUNDS);
    test_long(many);
    suite_add_tcase(suite, make_case("few", 0, FAST));
    TCase *callbacks = tcase_create("callbacks");
    tcase_add_loop_test(callbacks, callbacks_may_add_pairs_only, 0, DEEDS);
    tcase_add_test(callbacks, messages_name_every_culprit);
    suite_add_tcase(suite, callbacks);
    suite_add_tcase(suite, many);
    return suite;
}
