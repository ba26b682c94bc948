/* Motion of the bodies of an island: poses, views, energy. */
#ifndef PEG_KINEMATICS_H
#define PEG_KINEMATICS_H

#include "peg/contact/island.h"

void peg_rigid_prepare(peg_rigid *r, double h);
void peg_rigid_pose(const peg_rigid *r, const double v[6], double h, double x[3], double R[9]);
/* The velocity v after the step of a body that stands at its iterate instead of where v moves it:
 * its angular velocity keeps its direction, as the impulses account for it, and its energy. */
void peg_carried_velocity(const peg_rigid *r, const double v[6], double out[6]);
void peg_piece_place(const peg_piece *piece, const double x[3], const double R[9], peg_view *view);
void peg_island_move(peg_island *island); /* poses and views `now` of the iterate */
/* A pair in the island's iterate. */
peg_pair_pose peg_pair_pose_now(const peg_island *island, const peg_pair *pair);
/* Upper bound of the speed of a part's points while its body, at the rotation R, turns by w, m/s:
 * of the ball of radius `arm` about the centre of mass, and of the box of this extent along the
 * body's axes. Rotated about w points keep their distance from that axis. */
double peg_turning_speed(const peg_body *body, const double R[9], double arm,
                         const double extent[3], const double w[3]);
/* The same of a piece, v: the velocities of its body. */
double peg_piece_turning(const peg_island *island, const peg_piece *piece, const double v[6]);
/* Upper bound of the relative motion of a pair's points over the step, m. */
double peg_pair_motion(const peg_island *island, const peg_pair *pair, const peg_vec6 *v);

/* Whether a contact of the pair bore in the last step. */
int peg_pair_bore(const peg_pair *pair);

/* A kinematic body that is not at rest. */
int peg_is_moving_obstacle(const peg_body *body);
int peg_has_moving_obstacle(const peg_island *island);

/* The velocity of a dynamic body without contact that solves are about: v_f, or at mid-step. */
const double *peg_free_velocity(const peg_island *island, int rigid);

/* Whether the island is isolated: no obstacle, no joint to one. */
int peg_is_floating(const peg_island *island);
/* Mean velocity of an isolated island, whose momentum is conserved; else 0. */
void peg_common_velocity(const peg_island *island, const peg_vec6 *v, double common[3]);
/* Whether the kinetic energy exceeds that of `share` times the velocity that applied forces produce
 * in a step. */
int peg_is_faster(const peg_island *island, double share);
/* Whether no body exceeds in v `share` times the speed that applied forces produce in a step. */
int peg_is_slow(const peg_island *island, const peg_vec6 *v, double share);
int peg_is_slow_body(const peg_rigid *r, const double *v, double share);
double peg_energy_product(const peg_rigid *r, const double *a, const double *b); /* a^T M b */
/* a^T M b, and the kinetic energy, with the inertia at the iterate. */
double peg_end_product(const peg_rigid *r, const double *a, const double *b);
double peg_end_energy(const peg_rigid *r, const double *v);
/* sum, and to it a term of every dynamic body, in their order. */
typedef double peg_body_term(const peg_island *island, const peg_vec6 *v, int body);
double peg_sum_over_bodies(const peg_island *island, double sum, peg_body_term *term,
                           const peg_vec6 *v);

/* Inverse of a symmetric positive definite matrix, by cofactors. */
void peg_invert(const double A[9], double out[9]);
/* Inverse masses and inertias, the latter in the body frame; those of the start pose in the world
 * frame. */
void peg_island_set_masses(peg_island *island);
void peg_island_place_mass(peg_island *island);

#endif
