/* The polyhedral exact geometry model as published [W]: U-, I- and X-constraints of the
 * configurations of section 5, linearised once at the start of the step [W 6], in one mixed LCP
 * [W 48-49].
 *
 * Departures from the letter, and why:
 *  - In [W 47-48] the inequality (21) of the X-constraints is dropped, and then they only define
 *    their slack c: any v satisfies them. Here (21) is restored, as [W 3.2] says, by an auxiliary
 *    variable: the impulse p_nX of [W 43]; see mcp.c.
 *  - A vertex near several vertices of the other part has one I-constraint over all faces in its
 *    reach [W 19, F 23] and not one per vertex pair, which would share faces.
 *  - A vertex inside of the other part sees the nearest faces, however deep; but contacts below
 *    psi_minimum [F 2.2] carry no impulse, neither do edges that are past each other by more than
 *    delta. [W] gives no such bound; without one the impulses psi/h throw bodies about.
 *  - Applicability is relaxed [W 4.1] by sin theta, by the turn of the bodies' velocities in the
 * step and by what an impact in the step can turn them. [W] says "possible rotation in a time step"
 *    and gives no figure. Without the last term a body that falls flat on an edge is turned onto
 *    vertices that have no constraint.
 *  - Edge pairs are U [W 35] wherever they come nearest within both edges, also near a vertex: the
 *    impulses of [W 36-38] act along face normals only. */
#include "peg/paper/models.h"
#include "peg/paper/paper.h"

static void constrain(peg_constraints *c)
{
    peg_configuration_constraints(c, 1);
}

peg_result peg_published(peg_island *I)
{
    static const peg_model model = {constrain, 1, 1};
    return peg_model_step(I, &model);
}
