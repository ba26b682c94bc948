/* Rigid zones: groups of bodies that move as one body in a step (Provot 1997; Bridson, Fedkiw,
 * Anderson 2002), each by a share of its motion. */
#ifndef PEG_RIGID_ZONES_H
#define PEG_RIGID_ZONES_H

#include "peg/contact/island.h"

typedef struct peg_zones {
    int n;
    int *root;     /* n: union-find */
    int *next;     /* n: the members of a zone, in a circle */
    int *members;  /* by root */
    double *share; /* by root: of its motion, 1 to 0 */
    int *carrier;  /* by root: the moving obstacle, in the island, that the motion is relative to;
                      -1: none */
    unsigned char *held; /* by root: joints hold a member to what the zone has no part in */
} peg_zones;

/* Every dynamic body is a zone of its own, with the share 1; 0 without memory. */
int peg_zones_create(peg_arena *arena, int n, peg_zones *zones);
/* The root of the zone of a body. */
int peg_zone_of(const peg_zones *zones, int body);
/* Joins two zones: the smaller share holds, and a carrier unless one is held. Returns the root. */
int peg_zones_merge(peg_zones *zones, int a, int b);
/* Halves the share of a zone; below a least share it is 0. Returns 0 if it was 0 already. */
int peg_zone_shorten(peg_zones *zones, int root);

/* Lets a moving obstacle carry a zone that nothing carries: its share, 1 again, is then one of its
 * motion relative to the obstacle, whose motion it has with the share 0. The island's obstacles are
 * at their poses after the step. Returns 0, and does nothing, where it may not, or the zone is
 * held.
 */
int peg_zone_carry(const peg_island *island, peg_zones *zones, int root, int obstacle);

/* Velocities that move a zone as one, or a held zone, which joints would not let, by the share of
 * each member's own motion. As one: with the linear and angular momentum of u relative to
 * `common`, or to its carrier, times the share. poses: they lead to poses after the step that are
 * those of one rigid body; else they are those of one rigid body now, whatever carries it. */
void peg_zone_velocities(const peg_island *island, const peg_zones *zones, int root,
                         const peg_vec6 *u, const double common[3], double share, int poses,
                         peg_vec6 *out);

#endif
