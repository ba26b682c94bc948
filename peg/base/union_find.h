/* Disjoint sets of the numbers 0 .. n - 1: root[i] leads to the least of i's set, and is i at
 * first.
 */
#ifndef PEG_UNION_FIND_H
#define PEG_UNION_FIND_H

/* The least number of the set. */
int peg_root(int *root, int i);
void peg_unite(int *root, int i, int j);

#endif
