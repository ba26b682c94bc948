/* The configurations of the plane [W 5.1]: vertex-edge [W 32] and vertex-vertex [W 33].
 *
 * A vertex with one edge in reach is a U-constraint, one with several an I-constraint over them.
 * Two vertices v_a, v_b in reach of each other have the contacts
 *
 *     C_1 = (v_a, e_b1), C_2 = (v_a, e_b2), C_3 = (v_b, e_a1), C_4 = (v_b, e_a2)
 *
 * with the edges that leave (1) and reach (2) them, so that e_a1 faces e_b1 and e_a2 faces e_b2,
 * and X({C_1},{C_4}), X({C_2},{C_3}) [W 33]. With both I-constraints that says (psi_1 and psi_3) or
 * (psi_2 and psi_4): not quite separation, see the design notes. */
#include "peg/paper/paper.h"

static void vertex_pair(peg_constraints *c, int va, int vb)
{
    peg_side a = peg_side_of(c, PEG_FEATURES_VF), b = peg_side_of(c, PEG_FEATURES_FV);
    int na = a.vertices->shape->nv, nb = b.vertices->shape->nv;
    int c1 = peg_vertex_face_contact(c, &a, va, vb);
    int c2 = peg_vertex_face_contact(c, &a, va, (vb + nb - 1) % nb);
    int c3 = peg_vertex_face_contact(c, &b, vb, va);
    int c4 = peg_vertex_face_contact(c, &b, vb, (va + na - 1) % na);
    if (c->island->failed) return;
    /* without I-constraints on both sides nothing could open the gap */
    if (!peg_is_applicable(c, c1) && !peg_is_applicable(c, c2)) return;
    if (!peg_is_applicable(c, c3) && !peg_is_applicable(c, c4)) return;
    peg_add_alternatives(c, PEG_CROSS_CONTACT, (int[]){c1, c4}, 2);
    peg_add_alternatives(c, PEG_CROSS_CONTACT, (int[]){c2, c3}, 2);
}

void peg_plane_constraints(peg_constraints *c, int cross)
{
    peg_vertex_constraints(c);
    peg_side side = peg_side_of(c, PEG_FEATURES_VF);
    const peg_view *A = side.vertices, *B = side.faces;
    if (!cross || A->shape->nf < 3 || B->shape->nf < 3) return;
    for (int va = 0; va < A->shape->nv; va++)
        for (int vb = 0; vb < B->shape->nv && !c->island->failed; vb++) {
            double d[3];
            peg_sub(A->vertex[va], B->vertex[vb], d);
            if (peg_norm(d) <= c->island->pair[c->pair].reach) vertex_pair(c, va, vb);
        }
}
