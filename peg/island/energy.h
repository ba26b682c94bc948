/* Energy that contact adds to an island in a step. */
#ifndef PEG_ENERGY_H
#define PEG_ENERGY_H

#include "peg/contact/island.h"

/* The most of its energy that an island returns while something else can be tried: the impulses are
 * to tell what has changed the velocities, to half of that (contacts_account_for_momentum), and
 * what moves among bodies at rest is not to pay for them. With 1e-2 a ball on a heap loses a fifth
 * of its speed in a second (a_ball_rolls_on). */
#define PEG_TAKEN_BACK 1e-5

/* Kinetic energy at the end, with the velocities v_end after the step, plus what the applied forces
 * took out, minus the kinetic energy at the start: what contact added, J. Exact for ODE's update,
 * any orientation. */
double peg_island_gain_with(const peg_island *island, const peg_vec6 *v_end);
/* Work of applied forces and of the last impulses of joints along velocities, J; the least that the
 * velocities of the poses may have, so that contact gains nothing with v_motion after the step. */
double peg_work_along(const peg_island *island, const peg_vec6 *v);
double peg_least_work(const peg_island *island);
/* What of it is no error, J: rounding, the work of gaps that grow, of springs, of moving obstacles
 * and of surfaces that move; while overlaps open, what lifts the poses, too. */
double peg_energy_granted(const peg_island *island);
/* The work of moving obstacles, of surfaces that move and of springs, and rounding, J. */
double peg_granted_to_contacts(const peg_island *island);
/* The work of gaps that grow, J. */
double peg_work_of_growth(const peg_island *island);
/* Whether contact adds no more with the velocities v_end after the step than rounding and the work
 * of springs, moving obstacles and surfaces: gaps that grow need none. */
int peg_gains_nothing(const peg_island *island, const peg_vec6 *v_end);
/* The work of moving obstacles and of surfaces that move by the impulses of the account, J. */
double peg_driven_work(const peg_island *island);
/* What contact added beyond that, J; > 0: an error. */
double peg_energy_gained(const peg_island *island);
/* The velocities after the step: those of the iterate or, where restorations only move the poses,
 * those of the last solve about v_f. */
peg_vec6 *peg_velocities_after(const peg_island *island);
/* Shortens the motion, relative to the common velocity, until it is no longer than what is nearest
 * to v_f along it: bodies first lose as much for their mass, up to the residual of an answer, and
 * then all in proportion, as do floating islands from the beginning. An inexact solve has gained
 * nothing then. joints_hold: relative to the velocities nearest to that that joints allow; what
 * corrects their errors stays. Returns by how much, sqrt(J). */
double peg_shorten_motion(peg_island *island, int joints_hold);
/* Takes what was gained from the velocities after the step in the same way, relative to the common
 * one or what joints allow next to it, if it is at most this share of their energy and they are not
 * those of the poses. Returns whether it did. */
int peg_return_energy(peg_island *island, double share);
/* Changes v_end towards `changed` by the largest share, 1 at most, at which contact adds no more
 * energy than is `granted`, J: simultaneous bounces can add up to more than there was. The whole
 * change may add `driven` besides, J. Returns the share. The kinetic energy is quadratic in it. */
double peg_change_within_energy(const peg_island *island, const peg_vec6 *changed, double granted,
                                double driven);
double peg_island_objective(const peg_island *island);
/* The largest speed that moving obstacles and surfaces ask of a row, along normals times
 * of_normals, m/s. */
double peg_driven_speed(const peg_island *island, double of_normals);
/* Whether an answer about the target velocities is none. v = 0 satisfies all rows that are not
 * driven, at most at this speed, m/s, so that an answer is no farther from v_f than v = 0 is.
 * Friction whose bounds follow the normal impulses can make an iteration diverge, above mu = 1, in
 * wedges and among thin plates. */
int peg_has_diverged(const peg_island *island, const peg_vec6 *v, const peg_vec6 *target,
                     double driven);
/* Whether an answer about the target velocities (null: v_f) takes a body much farther from its own
 * than all bodies move, or moved before they met, and obstacles and surfaces drive it. Where moving
 * obstacles squeeze bodies, and friction jams, impulses without bound are an answer, too: a paddle
 * of 1.2 m/s threw boxes at 10 to 8000 m/s. Joints make levers of any length: islands with some
 * throw nothing. */
int peg_throws_bodies(const peg_island *island, const peg_vec6 *v, const peg_vec6 *target);

#endif
