/* Volume, centre of mass and inertia of a polytope, exactly, as a sum of tetrahedra.
 *
 * The tetrahedra span from the centroid of the vertices, which is inside: all volumes are positive
 * and nothing cancels. For corners 0, p, q, r, volume V and s = p + q + r:
 * int x = V s / 4, int x x^T = V (p p^T + q q^T + r r^T + s s^T) / 20. */
#include "peg/shape/polytope.h"

static void add_tetrahedron(peg_vec3 c[3], double *volume, double first[3], double second[9])
{
    peg_vec3 cross, s;
    peg_cross(c[1], c[2], cross);
    double v = peg_dot(c[0], cross) / 6;
    for (int i = 0; i < 3; i++) s[i] = c[0][i] + c[1][i] + c[2][i];
    *volume += v;
    for (int i = 0; i < 3; i++) {
        first[i] += v * s[i] / 4;
        for (int j = 0; j < 3; j++)
            second[3 * i + j] +=
                v / 20 * (c[0][i] * c[0][j] + c[1][i] * c[1][j] + c[2][i] * c[2][j] + s[i] * s[j]);
    }
}

void peg_polytope_mass(const peg_polytope *p, double *volume, double centre[3], double inertia[9])
{
    double first[3] = {0}, second[9] = {0};
    *volume = 0;
    for (int f = 0; f < p->nf; f++) {
        const int *v = p->face_vertex + p->face_start[f];
        int n = p->face_start[f + 1] - p->face_start[f];
        for (int k = 1; k + 1 < n; k++) {
            peg_vec3 c[3];
            peg_sub(p->vertex[v[0]], p->centre, c[0]);
            peg_sub(p->vertex[v[k]], p->centre, c[1]);
            peg_sub(p->vertex[v[k + 1]], p->centre, c[2]);
            add_tetrahedron(c, volume, first, second);
        }
    }
    memset(inertia, 0, 9 * sizeof(double));
    if (peg_is_half_space(p)) {
        *volume = INFINITY;
        peg_copy3(p->centre, centre);
        return;
    }
    /* Moments about the centroid of the vertices, moved to the centre of mass. */
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = first[i] / *volume;
    for (int i = 0; i < 9; i++) second[i] -= *volume * d[i / 3] * d[i % 3];
    double trace = second[0] + second[4] + second[8];
    for (int i = 0; i < 9; i++) inertia[i] = (i % 4 == 0 ? trace : 0) - second[i];
    for (int i = 0; i < 3; i++) centre[i] = p->centre[i] + d[i];
}
