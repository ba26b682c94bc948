/* The surfaces of a scene's contacts, the same for the exact contacts and for stock ODE. */
#include "demos/world/world.h"

#include <math.h>

#include "peg/base/math.h"

void lab_friction(lab_world *w, double mu)
{
    if (w->options.mu_given) return;
    w->mu = w->surface.mu = mu;
    if (mu > 0)
        w->surface.mode |= dContactApprox1;
    else
        w->surface.mode &= ~dContactApprox1;
}

void lab_restitution(lab_world *w, double bounce)
{
    if (!(bounce >= 0 && bounce <= 1)) lab_fail(w, "restitution must lie between 0 and 1");
    w->surface.bounce = bounce;
    if (bounce > 0) w->surface.mode |= dContactBounce;
}

/* Lengths grow with the scale s, accelerations with s, masses with s^3. */
static void to_world_units(const lab_world *w, dSurfaceParameters *f)
{
    double s = w->scale;
    int is_limit = !(f->mode & dContactApprox1); /* a force */
    double rolling = is_limit ? pow(s, 5) : s;
    if (is_limit) f->mu *= pow(s, 4), f->mu2 *= pow(s, 4);
    f->rho *= rolling, f->rho2 *= rolling, f->rhoN *= rolling;
    f->bounce_vel *= s;
    f->soft_cfm *= pow(s, -3);
    f->motion1 *= s, f->motion2 *= s, f->motionN *= s;
    f->slip1 *= pow(s, -3), f->slip2 *= pow(s, -3);
}

void lab_surface(lab_world *w, const dSurfaceParameters *surface)
{
    double mu = w->surface.mu;
    w->surface = *surface;
    if (lab_contact_is_exact(w->options.contact) && !lab_key_flag(w, "soft", 0))
        w->surface.mode &= ~(dContactSoftERP | dContactSoftCFM);
    w->mu = surface->mu;
    if (!w->options.mu_given) return;
    w->surface.mode &= ~dContactMu2;
    w->surface.mode |= dContactApprox1;
    w->mu = w->surface.mu = mu;
}

void lab_pair_surfaces(lab_world *w, lab_pair_surface *rule)
{
    w->pair_surface = rule;
}

void lab_contacts(lab_world *w, int most)
{
    w->contacts_most = most;
    if (most < 1 || most > LAB_CONTACTS_MAX)
        lab_fail(w, "there may be 1 to %d contacts of a pair", LAB_CONTACTS_MAX);
}

int lab_surface_between(lab_world *w, lab_body *a, lab_body *b, dContact *contact)
{
    double fdir1[3] = {0, 0, 0};
    contact->surface = w->surface;
    int collide = !w->pair_surface || w->pair_surface(w, a, b, &contact->surface, fdir1);
    to_world_units(w, &contact->surface);
    peg_rotate(w->turn, fdir1, contact->fdir1);
    return collide;
}
