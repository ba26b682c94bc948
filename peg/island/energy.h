/* Energy that contact adds to an island in a step. */
#ifndef PEG_ENERGY_H
#define PEG_ENERGY_H

#include "peg/contact/island.h"

/* Kinetic energy at the end plus what the applied forces took out, minus the kinetic energy at the
 * start: what contact added, J. Exact for ODE's update, any orientation. */
double peg_island_gain(const peg_island *island);
/* The same with other velocities after the step than those that moved the poses. */
double peg_island_gain_with(const peg_island *island, const peg_vec6 *v_end);
double peg_island_objective(const peg_island *island);

#endif
