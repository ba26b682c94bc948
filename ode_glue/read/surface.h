/* Surface parameters: from ODE's meaning to the core's.
 *
 * ODE sees a contact from its first body F: the one of g1, or that of g2 if g1 has none (it then
 * turns the joint round). n points into F, t1 = fdir1, t2 = n x t1, and the motions are wanted
 * velocities of F relative to the other body along t1, t2 and n. The core sees it from A. */
#ifndef PEG_SURFACE_H
#define PEG_SURFACE_H

#include "ode_glue/base/messages.h"
#include "peg/peg.h"
#include <ode/ode.h>

/* How a pair was added. */
typedef struct peg_pair_entry {
    dGeomID first;              /* ODE's g1 */
    int has_surface;            /* else the world's default */
    dSurfaceParameters surface; /* fields that its mode does not mention are undefined */
    double fdir1[3];            /* 0: none given */
    dJointFeedback *feedback;   /* null: not wanted */
} peg_pair_entry;

/* Looks at the fields that the mode mentions. Errors: NOT_FINITE (not a number, or infinite and not
 * mu or rho, or a motion of 1e60 m/s and more), SURFACE (a negative mu, mu2, rho, slip or bounce).
 */
pegStatus peg_surface_check(const dSurfaceParameters *surface);

/* Whether the numbers that their modes mention are the same. */
int peg_surface_equal(const dSurfaceParameters *a, const dSurfaceParameters *b);

/* Says once each what the surface asks for and cannot get. about: the pair, or null. */
void peg_surface_warn(peg_report *report, const dSurfaceParameters *surface, const double fdir1[3],
                      const peg_subject *about);

/* The core's surface of A and B out of ODE's. reversed: A is not ODE's first body. ERP and CFM of
 * the world fill in when the mode mentions only one of soft_erp and soft_cfm. */
void peg_surface_convert(const dSurfaceParameters *surface, const double fdir1[3], double world_erp,
                         double world_cfm, int reversed, peg_surface *out);

/* ODE's first body's geom of a pair that was added as (first, other). */
dGeomID peg_first_geom(dGeomID first, dGeomID other);

#endif
