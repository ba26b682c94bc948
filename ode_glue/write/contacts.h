/* The contacts of the last step, as the program is told of them. */
#ifndef PEG_GLUE_CONTACTS_H
#define PEG_GLUE_CONTACTS_H

#include "ode_glue/world/glue.h"

/* How many contacts carried an impulse; *contact: they, until the next step, with impulses at rest
 * shared by least norm (once per step, at the first call; without memory: as solved). */
int peg_glue_contacts(peg_glue *glue, const peg_contact **contact);

/* Pose of a part in the world at the end of the last step, as that computed it. */
void peg_glue_part_at_end(const peg_scene *scene, int i, double x[3], double R[9]);

#endif
