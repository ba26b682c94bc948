/* Contact points of the last step of a world, whatever its contact model is. */
#ifndef LAB_CONTACT_POINTS_H
#define LAB_CONTACT_POINTS_H

#include "demos/world/world.h"

typedef struct lab_contact_point {
    const lab_body *a, *b;
    double x[3], normal[3]; /* world; unit, points into a */
    double gap;             /* m: exact contacts at the end of the step, ODE's at its start */
    double impulse;         /* N s, on a along the normal */
    double friction[3];     /* N s, on a */
    pegFeatures features;
} lab_contact_point;

/* Stock ODE keeps the forces of its contact joints from now on. */
void lab_contact_points_record(lab_world *w);
/* Those that carried an impulse; valid until the next call. Returns their number, -1 without
 * memory. */
int lab_contact_points(lab_world *w, const lab_contact_point **points);
void lab_contact_points_free(lab_world *w);

/* For the step with stock ODE: forgets the last step's contacts; watches a contact joint. */
void lab_contact_joints_clear(lab_world *w);
void lab_contact_joints_add(lab_world *w, dJointID joint, const dContactGeom *geom);

#endif
