/* Candidate pairs: from the broad phase to the islands. */
#ifndef PEG_CANDIDATE_H
#define PEG_CANDIDATE_H

#include "peg/step/stage.h"

/* Reach beyond what the motion can close, in L, for the model in force. */
double peg_reach_margin(const peg_stage *stage);
/* Size of a part, m; infinite of a half-space. */
double peg_size_of_part(const peg_stage *stage, int part);
/* Order of candidates, for qsort and bsearch. */
int peg_by_parts(const void *left, const void *right);
/* Size of a pair and distance up to which its features count, m. */
double peg_candidate_size(const peg_stage *stage, const peg_candidate *c);
double peg_candidate_reach(const peg_stage *stage, const peg_candidate *c);
/* The candidate of two parts of the scene; null: none. */
peg_candidate *peg_candidate_of(const peg_stage *stage, int a, int b);
/* A pair among the first `sorted` ones; null: none. */
peg_candidate *peg_find_candidate(const peg_stage *stage, int sorted, int a, int b);

/* A search for pairs. */
typedef struct peg_pair_search {
    peg_stage *stage;
    const peg_aabb *box;
    const peg_aabb *before;       /* null, or boxes of which all pairs are known */
    const unsigned char *exceeds; /* of the scene's parts: peg_exceeds_prediction; null: none */
    int known;                    /* candidates of earlier searches, sorted */
    int far;                      /* pairs of boxes of earlier searches that are none */
} peg_pair_search;
/* Asks whether the pair, of parts of the scene, may touch. */
void peg_ask_filter(const peg_stage *stage, peg_candidate *c);
/* Adds a pair; null if it is known or without memory. */
peg_candidate *peg_new_candidate(const peg_pair_search *finder, int a, int b);
/* Sorts what a search has added among the others; 0 without memory. */
int peg_sort_candidates(peg_stage *stage);

/* Gives a pair what the cache holds of it. */
void peg_recall_pair(const peg_stage *stage, peg_candidate *c);
/* Whether a pair of convex parts or triangles is near. */
void peg_find_nearness(const peg_stage *stage, peg_candidate *c);
/* The same for all candidates that are new, in one pass over them and the cache. */
void peg_find_new_nearness(peg_stage *stage);
/* The resting pair of the same parts, if its answers are those of this step; else null. */
const peg_candidate *peg_resting_answer(const peg_resting *last, const peg_candidate *c);

#endif
