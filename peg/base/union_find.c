/* Disjoint sets with path halving. */
#include "peg/base/union_find.h"

int peg_root(int *root, int i)
{
    while (root[i] != i) {
        root[i] = root[root[i]];
        i = root[i];
    }
    return i;
}

void peg_unite(int *root, int i, int j)
{
    int a = peg_root(root, i), b = peg_root(root, j);
    root[a > b ? a : b] = a < b ? a : b;
}
