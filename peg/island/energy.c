/* Energy that contact adds in a step.
 *
 * ODE's update turns a body by the Cayley map of h w / 2, an axis that the rotation itself leaves
 * in place: the kinetic energy at the end, taken with the inertia at the end, equals the one taken
 * with the inertia at the start. With M at the start the energy that contact adds in a step is
 * therefore exact:  1/2 |v|_M^2 - 1/2 |v_0|_M^2 - v^T M (v_f - v_c),  v_c = v_0 after the
 * gyroscopic term. If v = 0 satisfies the rows and v minimises |v - v_f|_M, then |v|^2 <= v . v_f,
 * so the sum is at most -1/2 |v - v_c|^2 + 1/2 |v_c|^2 - 1/2 |v_0|^2 <= 0. Joints add the work
 * lambda . J v of their impulses, which is not contact's. Other
 * velocities than those that moved the poses count with the inertia at the end. */
#include "peg/island/energy.h"

#include "peg/contact/kinematics.h"
#include "peg/island/joints.h"

double peg_island_gain_with(const peg_island *I, const peg_vec6 *v_end)
{
    double gain = -peg_joints_work(I, (const peg_vec6 *)I->v);
    for (int i = 0; i < I->nd; i++) {
        const peg_rigid *r = &I->rigid[i];
        double applied[6];
        for (int k = 0; k < 6; k++) applied[k] = r->target[k] - r->unforced[k];
        gain += peg_end_energy(r, v_end[i]) - 0.5 * peg_energy_product(r, r->state.v, r->state.v) -
                peg_energy_product(r, I->v[i], applied);
    }
    return gain;
}

double peg_island_gain(const peg_island *I)
{
    return peg_island_gain_with(I, (const peg_vec6 *)I->v);
}

double peg_island_objective(const peg_island *I)
{
    double objective = 0;
    for (int i = 0; i < I->nd; i++) {
        double d[6];
        for (int k = 0; k < 6; k++) d[k] = I->v[i][k] - I->rigid[i].target[k];
        objective += 0.5 * peg_energy_product(&I->rigid[i], d, d);
    }
    return objective;
}
