/* Which triangles of two meshes can touch each other first: a vertex of one and a face of the
 * other, or two edges, where neither mesh goes on nearer. Shells have no inside to shrink towards,
 * but what they touch first they touch on the way: the pairs that are left are kept apart all along
 * it (see peg/advance.c). There the direction of a contact is that of the features, which turn by
 * `turn` at most; that of two edges by as much over the sine between them. */
#include "peg/cover.h"

#include "peg/tolerance.h"

/* Edges whose direction may turn by more than this count as touching in any direction. */
static const double VAGUE = .3;

/* One of two meshes, in whose frame are the corners of its triangle, too. */
typedef struct side {
    const peg_complex *mesh;
    int triangle;
    const double *corner[3]; /* in the frame of the cover */
    const double *frame;     /* from the mesh's own, or null: the same */
    double height[3];        /* of the corners over the other's plane, m */
} side;

static void set_heights(side *s, const side *over, const double n[3])
{
    double off = peg_dot(n, over->corner[0]);
    for (int k = 0; k < 3; k++) s->height[k] = peg_dot(n, s->corner[k]) - off;
}

static int is_lower(const double *d, const double *n, double slope)
{
    return peg_dot(n, d) <= (slope + PEG_TOUCH) * peg_norm(d);
}

static void into_mesh(const side *s, const double n[3], double sign, double out[3])
{
    peg_copy3(n, out);
    if (s->frame) peg_rotate_back(s->frame, n, out);
    for (int k = 0; k < 3; k++) out[k] *= sign;
}

/* Whether a mesh may be touched at its vertex, or edge, along sign n, out of it. All triangles
 * there are kept: each of them can be the one that keeps apart what meets it. */
static int vertex_allows(const side *s, int v, const double n[3], double sign, double slope)
{
    const peg_complex *m = s->mesh;
    double local[3];
    into_mesh(s, n, sign, local);
    for (int k = m->next_start[v]; k < m->next_start[v + 1]; k++) {
        peg_vec3 d;
        peg_sub(m->vertex[m->next[k]], m->vertex[v], d);
        if (!is_lower(d, local, slope)) return 0;
    }
    return 1;
}

static int edge_allows(const side *s, int e, const double n[3], double sign, double slope)
{
    const peg_complex *m = s->mesh;
    const double *origin = m->vertex[m->edge[e][0]];
    double local[3];
    peg_vec3 along;
    int start = m->across_start[e], end = m->across_start[e + 1];
    into_mesh(s, n, sign, local);
    peg_sub(m->vertex[m->edge[e][1]], origin, along);
    double ee = peg_dot(along, along);
    for (int k = start; k < end; k++) {
        peg_vec3 d;
        peg_sub(m->vertex[m->across[k]], origin, d);
        peg_add_scaled(d, -peg_dot(d, along) / ee, along, d);
        if (!is_lower(d, local, slope)) return 0;
    }
    return 1;
}

/* A vertex of one triangle over the face of the other, whose normal is n. */
static int vertex_meets(const peg_cover *c, const side *of, const side *over, const double n[3])
{
    const peg_complex *m = of->mesh;
    for (int k = 0; k < 3; k++) {
        int v = m->triangle[of->triangle][k];
        double height = of->height[k];
        if (fabs(height) > c->reach || m->vertex_is_even[v] ||
            !peg_is_over(over->corner, n, of->corner[k], c->reach))
            continue;
        if (height >= -c->way && vertex_allows(of, v, n, -1, c->turn)) return 1;
        if (height <= c->way && vertex_allows(of, v, n, 1, c->turn)) return 1;
    }
    return 0;
}

/* Edge i of A and edge j of B, both edges of their meshes. */
static int edges_meet(const peg_cover *c, const side *A, const side *B, int i, int j)
{
    const double *a = A->corner[i], *b = B->corner[j];
    double u[3], w[3], n[3], d[3], x[3];
    peg_sub(A->corner[(i + 1) % 3], a, u);
    peg_sub(B->corner[(j + 1) % 3], b, w);
    peg_sub(a, b, d);
    peg_cross(u, w, n);
    double lu = peg_norm(u), lw = peg_norm(w), nn = peg_dot(n, n), sine = sqrt(nn) / (lu * lw);
    double slope = c->turn / sine;
    if (!(sine > PEG_TOUCH) || !(slope < VAGUE)) return peg_norm(d) <= lu + lw + c->reach;
    /* where the lines are nearest; ends farther from there are farther from the other line */
    peg_cross(w, d, x);
    double s = peg_dot(x, n) / nn;
    peg_cross(u, d, x);
    double t = peg_dot(x, n) / nn;
    double beyond_s = peg_max(-s, s - 1) * lu * sine, beyond_t = peg_max(-t, t - 1) * lw * sine;
    if (beyond_s > c->reach || beyond_t > c->reach) return 0;
    peg_normalise(n);
    double gap = peg_dot(n, d);
    if (fabs(gap) > c->reach) return 0;
    int e = A->mesh->side[A->triangle][i], f = B->mesh->side[B->triangle][j];
    return (gap >= -c->way && edge_allows(A, e, n, -1, slope) && edge_allows(B, f, n, 1, slope)) ||
           (gap <= c->way && edge_allows(A, e, n, 1, slope) && edge_allows(B, f, n, -1, slope));
}

/* Whether an edge touches nothing, or is nowhere near to the other's plane. */
static int is_out(const peg_cover *c, const side *s, int k)
{
    double a = s->height[k], b = s->height[(k + 1) % 3];
    return peg_min(a, b) > c->reach || peg_max(a, b) < -c->reach ||
           s->mesh->edge_is_even[s->mesh->side[s->triangle][k]];
}

int peg_shell_needs(const peg_cover *c, int triangle)
{
    const peg_polytope *P = c->part.shape;
    const peg_complex *m = c->mesh;
    const int *v = m->triangle[triangle];
    side A = {P->mesh,
              P->triangle,
              {c->part.vertex[0], c->part.vertex[1], c->part.vertex[2]},
              c->frame,
              {0}};
    side B = {m, triangle, {m->vertex[v[0]], m->vertex[v[1]], m->vertex[v[2]]}, NULL, {0}};
    set_heights(&A, &B, m->normal[triangle]);
    set_heights(&B, &A, c->part.normal[0]);
    if (vertex_meets(c, &A, &B, m->normal[triangle])) return 1;
    if (vertex_meets(c, &B, &A, c->part.normal[0])) return 1;
    for (int i = 0; i < 3; i++) {
        if (is_out(c, &A, i)) continue;
        for (int j = 0; j < 3; j++)
            if (!is_out(c, &B, j) && edges_meet(c, &A, &B, i, j)) return 1;
    }
    return 0;
}
