/* A program that changes its geoms between two calls of dCollide, of which the launcher may keep
 * what it found: prints how many answers were those of before the change. */
#include <ode/ode.h>

#include <math.h>
#include <stdio.h>

enum { MOST = 8 };

static dWorldID world;
static dBodyID body;
static dGeomID ground, box;
static dContactGeom contact[MOST];
static int wrong;

static void complain_unless(int right, const char *what)
{
    if (right) return;
    wrong++;
    printf("%s\n", what);
}

static int ask(void)
{
    return dCollide(box, ground, MOST, contact, sizeof *contact);
}

/* The contacts' distance from the z axis: the same for all corners. */
static double arm_of(int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, hypot(contact[i].pos[0], contact[i].pos[1]));
    return most;
}

/* A fresh box a little above the plane, which was asked for twice. */
static void begin(void)
{
    if (body) dGeomDestroy(box);
    if (body) dBodyDestroy(body);
    body = dBodyCreate(world);
    box = dCreateBox(0, 1, 1, 1);
    dGeomSetBody(box, body);
    dBodySetPosition(body, 0, 0, .501);
    ask();
    complain_unless(ask() == 4 && fabs(arm_of(4) - sqrt(.5)) < .05, "a box has four corners");
}

static void change_sizes(void)
{
    begin();
    dGeomBoxSetLengths(box, 2, 2, 1);
    complain_unless(ask() == 4 && fabs(arm_of(4) - sqrt(2)) < .1, "the box is larger");
    begin();
    dGeomPlaneSetParams(ground, 0, 0, 1, -1);
    complain_unless(ask() == 0, "the plane is lower");
    dGeomPlaneSetParams(ground, 0, 0, 1, 0);
}

static void change_poses(void)
{
    begin();
    dBodySetPosition(body, 0, 0, 2);
    complain_unless(ask() == 0, "the body is higher");
    begin();
    dBodySetPosition(body, 3, 0, .501);
    complain_unless(ask() == 4 && fabs(arm_of(4) - hypot(3.5, .5)) < .05, "the body is elsewhere");
    begin();
    dGeomSetOffsetPosition(box, 3, 0, 0);
    complain_unless(ask() == 4 && fabs(arm_of(4) - hypot(3.5, .5)) < .05, "the geom is elsewhere");
    begin();
    const dReal quarter = sqrt(.5), tilted[4] = {cos(.05), sin(.05), 0, 0};
    const dReal turned[4] = {cos(.5 * .7), 0, 0, sin(.5 * .7)};
    dBodySetQuaternion(body, tilted);
    complain_unless(ask() >= 2 && contact[0].pos[1] * contact[1].pos[1] > 0 &&
                        fabs(contact[0].pos[1]) > quarter / 2,
                    "the box stands on an edge");
    begin();
    dBodySetQuaternion(body, turned);
    ask();
    complain_unless(fabs(contact[0].pos[0]) < .4 || fabs(contact[0].pos[1]) < .4,
                    "the box was turned");
}

static void change_motion(void)
{
    begin();
    dBodySetPosition(body, 0, 0, .7);
    complain_unless(ask() == 0, "the box is too high");
    dBodySetLinearVel(body, 0, 0, -100);
    complain_unless(ask() > 0 && contact[0].depth > .5, "the box falls fast");
    begin();
    double before = contact[0].depth;
    dBodySetLinearVel(body, 0, 0, -1);
    ask();
    complain_unless(contact[0].depth > before + .005, "the box falls");
    begin();
    before = contact[0].depth;
    dWorldSetGravity(world, 0, 0, -98.1);
    ask();
    complain_unless(contact[0].depth > 5 * before, "it weighs ten times as much");
    ask();
    dBodySetGravityMode(body, 0);
    ask();
    complain_unless(contact[0].depth <= before, "it has no weight");
    dWorldSetGravity(world, 0, 0, -9.81);
    begin();
    dBodySetKinematic(body);
    complain_unless(ask() == 0, "nothing can move");
}

static void change_limit(void)
{
    begin();
    complain_unless(dCollide(box, ground, 1, contact, sizeof *contact) == 1, "one is asked for");
    complain_unless(ask() == 4, "all are asked for");
    complain_unless(dCollide(ground, box, MOST, contact, sizeof *contact) == 4 &&
                        contact[0].g1 == ground && contact[0].normal[2] < 0,
                    "the order is another one");
}

int main(void)
{
    dInitODE2(0);
    world = dWorldCreate();
    dWorldSetGravity(world, 0, 0, -9.81);
    ground = dCreatePlane(0, 0, 0, 1, 0);
    change_sizes();
    change_poses();
    change_motion();
    change_limit();
    printf("%d\n", wrong);
    dWorldDestroy(world);
    dCloseODE();
    return wrong != 0;
}
