/* The joints of a world: their references from step to step, and the rows of all in a step. */
#ifndef PEG_JOINT_SET_H
#define PEG_JOINT_SET_H

#include "ode_glue/joints/joint.h"
#include "ode_glue/base/map.h"
#include "peg/base/arena.h"
#include "peg/base/buffer.h"
#include "peg/base/types.h"

/* References by joint. One that no step meets is forgotten, as ODE gives the addresses of destroyed
 * joints to new ones. */
typedef struct peg_joint_set {
    peg_map id; /* (dJointID, null) */
    struct peg_kept_reference {
        peg_joint_reference of;
        double lambda[PEG_JOINT_ROWS]; /* of the rows of the last step */
        int met;                       /* told or captured since the last step, or part of it */
    } * kept;                          /* room entries */
    int room;
    double gamma; /* of all joints: see peg_joint_reference */
} peg_joint_set;

/* What a program may want to know of the joints of a step, in numbers of joints. */
typedef struct peg_joint_notes {
    int joints;      /* with rows */
    int unsupported; /* of a type without rows here (no contacts): left out */
    int inferred;    /* the reference was measured when the joint was first seen, not when set */
    int untold;      /* plane-2d joints and driven linear motors that nothing was told of: the
                        former are taken to have no motors, axes of the latter to be the world's */
    /* the first of each, and one with rows that are not finite; null: none */
    dJointID first_unsupported, first_inferred, first_untold, not_finite;
} peg_joint_notes;

/* The joint's reference, for peg_joint_capture and the telling functions; null: no memory. */
peg_joint_reference *peg_joint_set_at(peg_joint_set *set, dJointID joint);
void peg_joint_set_free(peg_joint_set *set);

/* Rows of the enabled joints of n bodies (which must be all bodies that these joints connect), in
 * the order of the bodies and their joints; body_a and body_b become their numbers in `number`
 * (body, null), -1 for a body that is not in it. Rows and *joint (which joint each is of) live in
 * the arena. Errors: MEMORY, NOT_FINITE. References of other joints are forgotten. */
/* row[].lambda is that of the step before. */
pegStatus peg_joint_set_rows(peg_joint_set *set, peg_arena *arena, const peg_map *number, double h,
                             peg_joint_row **row, dJointID **joint, int *n, peg_joint_notes *notes);

/* Whether the rows of a joint that is no part of a set are finite. */
int peg_joint_is_finite(dJointID joint, double h);

/* What is kept of a joint, as bytes. number: of bodies (body, null). Reading adds it to the set; 0:
 * no memory, or no such bytes. */
void peg_joint_set_save(const peg_joint_set *set, dJointID joint, const peg_map *number,
                        peg_writer *writer);
int peg_joint_set_restore(peg_joint_set *set, dJointID joint, const peg_map *number,
                          peg_reader *reader);

/* Keeps the impulses of the rows for the next step. */
void peg_joint_set_keep(peg_joint_set *set, const peg_joint_row *row, const dJointID *joint, int n);

#endif
