/* The search for pairs of a step: what pairs.c, which finds them in the scene, shares with
 * mesh_pairs.c, which finds the triangles of meshes. */
#ifndef PEG_BROAD_PHASE_H
#define PEG_BROAD_PHASE_H

#include "peg/step/stage.h"

typedef struct peg_finder {
    peg_stage *stage;
    const peg_aabb *box;
    int known; /* candidates of earlier searches, sorted */
} peg_finder;

/* --- pairs.c --- */
/* Reach beyond what the motion can close, in L, for the model in force. */
double peg_reach_margin(const peg_stage *stage);
/* Size of a part, m; infinite of a half-space. */
double peg_size_of_part(const peg_stage *stage, int part);
/* A pair among the first `sorted` ones; null: none. */
peg_candidate *peg_find_candidate(const peg_stage *stage, int sorted, int a, int b);
/* Adds a pair; null if it is known or without memory. */
peg_candidate *peg_new_candidate(const peg_finder *finder, int a, int b);
/* Hands a pair what is remembered of it. */
void peg_recall_pair(const peg_stage *stage, peg_candidate *c);
/* Whether a pair of convex parts or triangles is near. */
void peg_find_nearness(const peg_stage *stage, peg_candidate *c);

/* --- mesh_pairs.c --- */
/* Whether a part has been found to do more than it was thought to. */
int peg_did_more(const peg_stage *stage, int part);
/* Adds the pairs of the triangles of two parts, one of which at least is a mesh. */
void peg_meet_meshes(const peg_finder *finder, int a, int b);

#endif
