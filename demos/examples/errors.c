/* Errors: what a call says, that ODE's world is unchanged, and how to go on. */
#include <ode/ode.h>
#include <ode-peg.h>

#include <math.h>
#include <stdio.h>

static int failures;

static void expect(const char *what, pegStatus status, pegStatus expected)
{
    printf("%-28s %s\n", what, pegStatusMessage(status));
    failures += status != expected;
}

/* The library never prints: what it has to say comes here, each cause once per world. */
static void on_message(void *data, pegStatus status, const char *text)
{
    (void)status;
    printf("message: %s\n", text);
    ++*(int *)data;
}

int main(void)
{
    static const dReal planes[] = {1, 0,  0, 0.5, -1, 0, 0, 0.5, 0, 1, 0,  0.5,
                                   0, -1, 0, 0.5, 0,  0, 1, 0.5, 0, 0, -1, 0.5};
    static const dReal points[] = {-0.5, -0.5, -0.5, 0.5,  -0.5, -0.5, 0.5, 0.5,
                                   -0.5, -0.5, 0.5,  -0.5, -0.5, -0.5, 0.5, 0.5,
                                   -0.5, 0.5,  0.5,  0.5,  0.5,  -0.5, 0.5, 0.5};
    static const unsigned polygons[] = {4, 1, 2, 6, 5, 4, 0, 4, 7, 3, 4, 2, 3, 7, 6,
                                        4, 0, 1, 5, 4, 4, 4, 5, 6, 7, 4, 0, 3, 2, 1};
    dInitODE();
    dWorldID world = dWorldCreate();
    dSpaceID space = dSimpleSpaceCreate(NULL);

    /* settings are checked when the world is made */
    pegSettings settings;
    pegWorldID peg;
    pegSettingsDefault(&settings);
    settings.margin = 1;
    expect("margin = 1:", pegWorldCreateStatus(world, &settings, &peg), PEG_ERROR_SETTINGS);
    pegSettingsDefault(&settings);
    pegStatus status = pegWorldCreateStatus(world, &settings, &peg);
    if (status != PEG_OK) return fprintf(stderr, "%s\n", pegStatusMessage(status)), 1;
    int messages = 0;
    pegWorldSetMessageCallback(peg, &messages, &on_message);
    pegWorldAddSpace(peg, space);

    /* a convex geom whose arrays were never seen: the step fails, nothing moves */
    dMass mass;
    dMassSetBoxTotal(&mass, 1, 1, 1, 1);
    dBodyID body = dBodyCreate(world);
    dBodySetMass(body, &mass);
    dBodySetLinearVel(body, 1, 0, 0);
    dGeomID geom = dCreateConvex(space, planes, 6, points, 8, polygons);
    dGeomSetBody(geom, body);
    expect("unregistered convex geom:", pegWorldStep(peg, 0.01), PEG_ERROR_CONVEX_NOT_REGISTERED);
    failures += dBodyGetPosition(body)[0] != 0;
    expect("registered:", pegRegisterConvex(geom, planes, 6, points, 8, polygons), PEG_OK);
    expect("step:", pegWorldStep(peg, 0.01), PEG_OK);

    /* bad numbers are named before they spread */
    expect("h = 0:", pegWorldStep(peg, 0), PEG_ERROR_STEP_SIZE);
    dBodySetForce(body, NAN, 0, 0);
    expect("force NaN:", pegWorldStep(peg, 0.01), PEG_ERROR_NOT_FINITE);
    dBodySetForce(body, 0, 0, 0);
    expect("force repaired:", pegWorldStep(peg, 0.01), PEG_OK);
    printf("%d unexpected results, %d messages\n", failures, messages);
    pegWorldDestroy(peg);
    dSpaceDestroy(space);
    dWorldDestroy(world);
    dCloseODE();
    return failures != 0;
}
