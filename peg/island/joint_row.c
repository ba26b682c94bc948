/* The bounds of a joint's row as those of peg/lcp/problem.h:
 *   -inf..inf -> bounded without limit (w = 0); -x..x -> bounded; 0..inf -> unbounded;
 *   -inf..0 -> unbounded with the opposite sign. */
#include "peg/island/joint_row.h"

static double dot6(const double a[6], const double b[6])
{
    return peg_dot(a, b) + peg_dot(a + 3, b + 3);
}

int peg_joint_lcp_row(const peg_joint_row *row, const peg_joint_place *a, const peg_joint_place *b,
                      peg_lcp_row *out)
{
    int moves = (a->index >= 0 && dot6(row->Ja, row->Ja) > 0) ||
                (b->index >= 0 && dot6(row->Jb, row->Jb) > 0);
    if (!moves) return 0;
    int sign = row->hi == 0 && row->lo < 0 ? -1 : 1;
    *out = (peg_lcp_row){.body_a = a->index, .body_b = b->index, .c = row->c, .normal = -1};
    for (int k = 0; k < 6; k++) {
        out->Ja[k] = sign * row->Ja[k];
        out->Jb[k] = sign * row->Jb[k];
    }
    out->b = -sign * row->rhs;
    if (a->index < 0) out->b += dot6(out->Ja, a->v);
    if (b->index < 0) out->b += dot6(out->Jb, b->v);
    out->bounded = row->lo < 0 && row->hi > 0;
    out->limit = out->bounded ? row->hi : 0;
    return sign;
}
