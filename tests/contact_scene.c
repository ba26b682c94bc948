#include "tests/contact_scene.h"

#include <math.h>
#include <string.h>

static const double G = 9.81, PI = 3.14159265358979323846;

contact_scene contact_scene_new(int stock)
{
    contact_scene s = {.world = dWorldCreate(), .space = dSimpleSpaceCreate(NULL)};
    dWorldSetGravity(s.world, 0, 0, -G);
    s.joints = dJointGroupCreate(0);
    if (stock) return s;
    ck_assert_int_eq(pegWorldCreateStatus(s.world, NULL, &s.peg), PEG_OK);
    ck_assert_int_eq(pegWorldAddSpace(s.peg, s.space), PEG_OK);
    return s;
}

void contact_scene_free(contact_scene *s)
{
    dJointGroupDestroy(s->joints);
    dSpaceDestroy(s->space);
    dWorldDestroy(s->world);
    pegWorldDestroy(s->peg);
}

dBodyID contact_scene_box(contact_scene *s, double a, double b, double c, double x, double y,
                          double z)
{
    dMass mass;
    dMassSetBoxTotal(&mass, 2, a, b, c);
    dBodyID body = dBodyCreate(s->world);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, x, y, z);
    dGeomSetBody(dCreateBox(s->space, a, b, c), body);
    return body;
}

dGeomID contact_scene_ground(contact_scene *s)
{
    dGeomID ground = dCreateBox(s->space, 100, 100, 1);
    dGeomSetPosition(ground, 0, 0, -0.5);
    return ground;
}

void contact_scene_tilt(contact_scene *s, double degrees)
{
    double angle = degrees * PI / 180;
    dWorldSetGravity(s->world, G * sin(angle), 0, -G * cos(angle));
}

static void attach_joints(contact_scene *s, dGeomID o1, dGeomID o2)
{
    dContact at[8];
    int n = dCollide(o1, o2, 8, &at[0].geom, sizeof at[0]);
    for (int i = 0; i < n; i++) {
        ck_assert_int_lt(s->contacts, 16);
        at[i].surface = s->contact.surface;
        memcpy(at[i].fdir1, s->contact.fdir1, sizeof at[i].fdir1);
        dJointID joint = dJointCreateContact(s->world, s->joints, &at[i]);
        dJointAttach(joint, dGeomGetBody(at[i].geom.g1), dGeomGetBody(at[i].geom.g2));
        s->of_contact[s->contacts] = (dJointFeedback){0};
        dJointSetFeedback(joint, &s->of_contact[s->contacts++]);
    }
}

static void meet(void *data, dGeomID o1, dGeomID o2)
{
    contact_scene *s = data;
    dBodyID b1 = dGeomGetBody(o1), b2 = dGeomGetBody(o2);
    if (b1 && b2 && dAreConnectedExcluding(b1, b2, dJointTypeContact)) return;
    int swap = s->first ? b2 == s->first : s->swap;
    s->contact.geom.g1 = swap ? o2 : o1;
    s->contact.geom.g2 = swap ? o1 : o2;
    if (s->peg)
        ck_assert_int_eq(pegWorldAddPairContact(s->peg, &s->contact, &s->of_contact[s->contacts++]),
                         PEG_OK);
    else
        attach_joints(s, s->contact.geom.g1, s->contact.geom.g2);
}

void contact_scene_step(contact_scene *s, double h)
{
    s->contacts = 0;
    if (s->peg) {
        pegWorldSetNearCallback(s->peg, s, meet);
        ck_assert_int_eq(pegWorldStep(s->peg, h), PEG_OK);
    } else {
        dSpaceCollide(s->space, s, meet);
        dWorldStep(s->world, h);
        dJointGroupEmpty(s->joints);
    }
    s->sum = (dJointFeedback){0};
    for (int i = 0; i < s->contacts; i++)
        for (int k = 0; k < 3; k++) {
            s->sum.f1[k] += s->of_contact[i].f1[k];
            s->sum.t1[k] += s->of_contact[i].t1[k];
            s->sum.f2[k] += s->of_contact[i].f2[k];
            s->sum.t2[k] += s->of_contact[i].t2[k];
        }
}

void contact_scene_run(contact_scene *s, double h, double time)
{
    for (long n = lround(time / h); n > 0; n--) contact_scene_step(s, h);
}
