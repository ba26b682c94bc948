/* The near callback of a scene: what an ODE program does with a pair of geoms. */
#include "demos/world/contact_points.h"
#include "demos/world/world.h"

#include "peg/base/math.h"

static void near_ode(lab_world *w, const dSurfaceParameters *surface, const dReal *fdir1,
                     dGeomID o1, dGeomID o2)
{
    dContact contact[LAB_CONTACTS_MAX];
    int n = dCollide(o1, o2, w->contacts_most, &contact[0].geom, sizeof contact[0]);
    w->ode_rows += surface->mu > 0 ? 3L * n : n;
    for (int i = 0; i < n; i++) {
        contact[i].surface = *surface;
        peg_copy3(fdir1, contact[i].fdir1);
        dJointID joint = dJointCreateContact(w->ode, w->contacts, &contact[i]);
        dJointAttach(joint, dGeomGetBody(contact[i].geom.g1), dGeomGetBody(contact[i].geom.g2));
        lab_contact_joints_add(w, joint, &contact[i].geom);
    }
}

/* What an ODE program does with a pair; for the exact contacts only where bodies are grouped or
 * pairs have surfaces of their own. */
void lab_near_callback(void *data, dGeomID o1, dGeomID o2)
{
    lab_world *w = data;
    lab_body *a = dGeomGetData(o1), *b = dGeomGetData(o2);
    dContact contact = {.geom = {.g1 = o1, .g2 = o2}};
    if (!lab_can_touch(a, b) || !lab_surface_between(w, a, b, &contact)) return;
    if (!w->peg) {
        near_ode(w, &contact.surface, contact.fdir1, o1, o2);
        return;
    }
    pegStatus status = pegWorldAddPairContact(w->peg, &contact, NULL);
    if (status != PEG_OK && status != PEG_ERROR_GEOM_CLASS) w->contact_error = (int)status;
}
