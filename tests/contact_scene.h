/* A world with boxes on a ground, stepped by this module or by stock ODE with the same surfaces. */
#ifndef CONTACT_SCENE_H
#define CONTACT_SCENE_H

#include "plugin/ode-peg.h"

#include <check.h>

typedef struct contact_scene {
    dWorldID world;
    dSpaceID space;
    dJointGroupID joints; /* of stock ODE */
    pegWorldID peg;       /* null: stock ODE steps */
    dContact contact;     /* surface and fdir1 of every pair */
    int swap;             /* pairs are handed over the other way round */
    dBodyID first;        /* null, or the body that always comes first */
    dJointFeedback sum;   /* over the contacts of the last step */
    dJointFeedback of_contact[16];
    int contacts;
} contact_scene;

contact_scene contact_scene_new(int stock);
void contact_scene_free(contact_scene *s);
/* Of 2 kg, at x y z. */
dBodyID contact_scene_box(contact_scene *s, double a, double b, double c, double x, double y,
                          double z);
/* The top of it is z = 0. */
dGeomID contact_scene_ground(contact_scene *s);
/* Gravity of a slope that falls towards +x. */
void contact_scene_tilt(contact_scene *s, double degrees);
void contact_scene_step(contact_scene *s, double h);
void contact_scene_run(contact_scene *s, double h, double time);

/* What else contact joints did: feedback, sleep, cost (test_contact_duties.c). */
TCase *contact_duty_tests(void);

#endif
