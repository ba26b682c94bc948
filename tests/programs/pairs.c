/* A program that changes its geoms at random, and sees whether its near callback is told of all
 * pairs of boxes that overlap, and of those that will overlap after the step that follows: each
 * once, and none that is too far. Argument: simple, hash, sap or quad, for the space; sub-spaces;
 * two, for dSpaceCollide2; each, for the same with one
 * geom after the other; nested, for a search within the search. Exit status 1: a pair was missing,
 * or told in vain. */
#include <math.h>
#include <ode/ode.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GEOMS = 90, ROUNDS = 1440, SPACES = 3, CHANGES = 12 };
static const double h = .01;

static struct {
    dGeomID geom; /* null: there is none now */
    int space;    /* in which of the sub-spaces; -1: none */
} g[GEOMS];
static dWorldID world;
static dSpaceID top, sub[SPACES];
static int subs, crowded, nested, met[GEOMS][GEOMS], again[GEOMS][GEOMS], wrong;

static double uniform(void)
{
    static uint64_t state = 7;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 9007199254740992.;
}

static double within(double a, double b)
{
    return a + (b - a) * uniform();
}

static int below(int n)
{
    return (int)(n * uniform());
}

static void complain(const char *what, int i, int j, int round)
{
    if (wrong++ < 5) printf("round %d: %d and %d %s\n", round, i, j, what);
}

static void near_again(void *data, dGeomID a, dGeomID b)
{
    int i = (int)(intptr_t)dGeomGetData(a), j = (int)(intptr_t)dGeomGetData(b);
    (void)data;
    again[i < j ? i : j][i < j ? j : i]++;
}

static void near(void *data, dGeomID a, dGeomID b)
{
    if (nested == 1) {
        nested = 2; /* once in a round */
        dSpaceCollide(top, NULL, near_again);
    }
    if (dGeomIsSpace(a) || dGeomIsSpace(b)) {
        dSpaceCollide2(a, b, data, near);
        return;
    }
    int i = (int)(intptr_t)dGeomGetData(a), j = (int)(intptr_t)dGeomGetData(b);
    met[i < j ? i : j][i < j ? j : i]++;
}

/* ---- changes --------------------------------------------------------------------------------- */

static void throw_body(dBodyID body)
{
    double fast = below(8) ? 1 : 30;
    dBodySetPosition(body, within(-4, 4), within(-4, 4), within(-4, 4));
    dBodySetLinearVel(body, fast * within(-1, 1), fast * within(-1, 1), fast * within(-1, 1));
    dBodySetAngularVel(body, within(-3, 3), within(-3, 3), within(-3, 3));
}

/* A geom and, if it lies off its body's middle, where. */
static void move(dGeomID geom, int kind)
{
    const dReal *q = (const dReal[4]){within(-1, 1), within(-1, 1), within(-1, 1), 1};
    if (dGeomIsOffset(geom)) {
        if (kind == 0)
            dGeomSetOffsetPosition(geom, within(-.5, .5), 0, within(-.5, .5));
        else if (kind == 1)
            dGeomSetOffsetQuaternion(geom, q);
        else
            dGeomClearOffset(geom);
    } else if (dGeomGetClass(geom) == dPlaneClass) {
        dGeomPlaneSetParams(geom, 0, 0, 1, within(-7, -5));
    } else if (kind > 0) {
        dGeomSetPosition(geom, within(-4, 4), within(-4, 4), within(-4, 4));
    } else {
        dGeomSetQuaternion(geom, q);
    }
}

static void resize(dGeomID geom)
{
    int class = dGeomGetClass(geom);
    double size = within(.05, .8);
    if (class == dBoxClass) dGeomBoxSetLengths(geom, within(.1, 2), size, within(.1, .8));
    if (class == dSphereClass) dGeomSphereSetRadius(geom, size);
    if (class == dCapsuleClass) dGeomCapsuleSetParams(geom, .5 * size, within(.1, 1));
    if (class == dCylinderClass) dGeomCylinderSetParams(geom, size, within(.1, 1));
}

static void make(int i)
{
    int kind = below(12);
    g[i].space = subs == 0 ? -1 : crowded && below(6) ? 0 : below(subs);
    dSpaceID space = subs ? sub[g[i].space] : top;
    g[i].geom = kind == 0  ? dCreatePlane(space, 0, 0, 1, -6)
                : kind < 4 ? dCreateSphere(space, within(.05, .4))
                : kind < 5 ? dCreateCapsule(space, within(.05, .3), within(.1, .8))
                : kind < 6 ? dCreateCylinder(space, within(.05, .3), within(.1, .8))
                           : dCreateBox(space, within(.1, .8), within(.1, .8), within(.1, .8));
    dGeomSetData(g[i].geom, (void *)(intptr_t)i);
    if (kind == 0) return;
    dGeomSetPosition(g[i].geom, within(-4, 4), within(-4, 4), within(-4, 4));
    int other = below(GEOMS); /* some share a body */
    dBodyID body = kind == 1 && g[other].geom ? dGeomGetBody(g[other].geom) : NULL;
    if (kind < 10 && !body) {
        dMass mass;
        body = dBodyCreate(world);
        dMassSetSphereTotal(&mass, 1, .3);
        dBodySetMass(body, &mass);
        throw_body(body);
    }
    dGeomSetBody(g[i].geom, body);
    if (kind == 1 && body) dGeomSetOffsetPosition(g[i].geom, .3, 0, within(-.5, .5));
}

static void destroy_body(dBodyID body)
{
    if (body && !dBodyGetFirstGeom(body)) dBodyDestroy(body);
}

/* ODE 0.16 trips over geoms with offsets that lose their body. */
static int has_offset(dBodyID body)
{
    for (dGeomID geom = dBodyGetFirstGeom(body); geom; geom = dBodyGetNextGeom(geom))
        if (dGeomIsOffset(geom)) return 1;
    return 0;
}

static void change(int i, int what)
{
    dGeomID geom = g[i].geom;
    dBodyID body = geom ? dGeomGetBody(geom) : NULL;
    if (!geom) {
        make(i);
    } else if (what == 0) {
        dGeomDestroy(geom);
        g[i].geom = NULL;
        destroy_body(body);
    } else if (what == 1 && body) {
        throw_body(body);
    } else if (what == 2) {
        resize(geom);
    } else if (what == 3) {
        if (dGeomIsEnabled(geom))
            dGeomDisable(geom);
        else
            dGeomEnable(geom);
    } else if (what == 4 && body && !dGeomIsOffset(geom)) {
        dGeomID other = g[below(GEOMS)].geom;
        dGeomSetBody(geom, other && below(4) ? dGeomGetBody(other) : NULL);
        destroy_body(body);
    } else if (what == 5 && subs) {
        dSpaceRemove(sub[g[i].space], geom);
        g[i].space = below(subs);
        dSpaceAdd(sub[g[i].space], geom);
    } else if (what == 6 && body && !has_offset(body)) {
        dBodyDestroy(body); /* its geoms stay where they are */
    } else if (what == 7 && body) {
        dBodyAddForce(body, within(-300, 300), 0, within(-300, 300));
    } else if (what == 8) {
        dGeomSetCategoryBits(geom, 1ul << below(2));
        dGeomSetCollideBits(geom, 1ul << below(2));
    } else if (what >= 9 && (!body || dGeomIsOffset(geom))) {
        move(geom, what - 9);
    }
}

/* ---- what has to be told --------------------------------------------------------------------- */

static int can_meet(int i, int j)
{
    dGeomID a = g[i].geom, b = g[j].geom;
    if (!a || !b || !dGeomIsEnabled(a) || !dGeomIsEnabled(b)) return 0;
    if (dGeomGetBody(a) && dGeomGetBody(a) == dGeomGetBody(b)) return 0;
    if (subs && g[i].space == g[j].space) return 0;
    return (dGeomGetCategoryBits(a) & dGeomGetCollideBits(b)) ||
           (dGeomGetCategoryBits(b) & dGeomGetCollideBits(a));
}

/* m, along the axis on which the boxes are farthest from each other. */
static double gap(int i, int j)
{
    dReal a[6], b[6];
    double most = -INFINITY;
    dGeomGetAABB(g[i].geom, a);
    dGeomGetAABB(g[j].geom, b);
    for (int k = 0; k < 6; k += 2) most = fmax(most, fmax(a[k] - b[k + 1], b[k] - a[k + 1]));
    return most;
}

/* m, that nobody should look beyond: the bodies go 52 m/s (30 along each axis) and are pushed to
 * 4 m/s more, twice that for what turns and collides. */
static double most_gap(int i, int j)
{
    double speed = 1;
    for (int k = 0; k < 2; k++) {
        dBodyID body = dGeomGetBody(g[k ? i : j].geom);
        const dReal *v = body ? dBodyGetLinearVel(body) : NULL;
        if (v) speed += 5 + sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return .05 + 2 * h * speed;
}

static void check(int round, int stepped)
{
    for (int i = 0; i < GEOMS; i++)
        for (int j = i + 1; j < GEOMS; j++) {
            int can = can_meet(i, j);
            if (can && gap(i, j) <= 0 && !met[i][j])
                complain(stepped ? "came too soon" : "were forgotten", i, j, round);
            if (stepped) continue;
            if (met[i][j] > 1) complain("were told twice", i, j, round);
            if (met[i][j] && (!can || (round > 0 && gap(i, j) > most_gap(i, j))))
                complain("were told in vain", i, j, round);
        }
}

static void collide(const char *style)
{
    memset(met, 0, sizeof met);
    memset(again, 0, sizeof again);
    nested = !strcmp(style, "nested");
    if (!strcmp(style, "two"))
        dSpaceCollide2((dGeomID)sub[0], (dGeomID)sub[1], NULL, near);
    else if (crowded)
        for (int i = 0; i < GEOMS; i++) {
            if (g[i].geom && g[i].space == 0 && dGeomIsEnabled(g[i].geom))
                dSpaceCollide2(g[i].geom, (dGeomID)sub[1], NULL, near);
        }
    else
        dSpaceCollide(top, NULL, near);
    if (nested == 2 && memcmp(met, again, sizeof met) != 0) complain("or others differ", 0, 0, 0);
}

static void begin(const char *style)
{
    const dVector3 middle = {0}, extent = {8, 8, 8};
    dInitODE();
    world = dWorldCreate();
    dWorldSetGravity(world, 0, 0, -9.81);
    crowded = !strcmp(style, "each");
    subs = crowded || !strcmp(style, "two") ? 2 : !strcmp(style, "sub-spaces") ? SPACES : 0;
    top = !strcmp(style, "hash")   ? dHashSpaceCreate(0)
          : !strcmp(style, "sap")  ? dSweepAndPruneSpaceCreate(0, dSAP_AXES_XYZ)
          : !strcmp(style, "quad") ? dQuadTreeSpaceCreate(0, middle, extent, 4)
                                   : dSimpleSpaceCreate(0);
    for (int i = 0; i < subs; i++) sub[i] = dSimpleSpaceCreate(top);
    for (int i = 0; i < GEOMS; i++) make(i);
}

int main(int argc, char **argv)
{
    const char *style = argc > 1 ? argv[1] : "simple";
    begin(style);
    for (int round = 0; round < ROUNDS; round++) {
        int busy = round / 20 % 3; /* nothing changes, some do in one way, many do in all ways */
        for (int k = 0; k < busy * 6; k++)
            change(below(GEOMS), busy == 1 ? round / 60 % CHANGES : below(CHANGES));
        collide(style);
        check(round, 0);
        dWorldStep(world, h);
        check(round, 1);
    }
    dSpaceDestroy(top);
    dWorldDestroy(world);
    dCloseODE();
    return wrong > 0;
}
