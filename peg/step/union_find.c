/* Disjoint sets of bodies with path halving; the least body stands for its set. */
#include "peg/step/union_find.h"

int peg_root(peg_stage *s, int body)
{
    while (s->root[body] != body) {
        s->root[body] = s->root[s->root[body]];
        body = s->root[body];
    }
    return body;
}

void peg_unite(peg_stage *s, int a, int b)
{
    int ra = peg_root(s, a), rb = peg_root(s, b);
    s->root[ra > rb ? ra : rb] = ra < rb ? ra : rb;
}
