/* Which triangles of two meshes can touch each other first: a vertex of one and a face of the
 * other, or two edges, where neither mesh goes on nearer. Shells have no inside to shrink towards,
 * but what they touch first they touch on the way: the pairs that are left are kept apart all along
 * it (see peg/contact/first_contact.c). There the direction of a contact is that of the features,
 * which turn by `turn` at most; that of two edges by as much over the sine between them. */
#include <string.h>

#include "peg/base/tolerance.h"
#include "peg/collide/mesh_cull.h"

/* Edges whose direction may turn by more than this count as touching in any direction. */
static const double VAGUE = .3;

/* One of two meshes, in whose frame are the corners of its triangle, too. */
typedef struct side {
    const peg_triangle_mesh *mesh;
    int triangle;
    const double *corner[3]; /* in the frame of the cover */
    const peg_vec3 *along, *out;
    const double *square;
    const double *frame; /* from the mesh's own, or null: the same */
    double height[3];    /* of the corners over the other's plane, m */
    double beyond[3][3]; /* how far outside of the other's sides the corners are, times their
                            lengths */
} side;

/* The sides of a triangle of normal n, and what lies across them. */
static void set_sides(const double *const corner[3], const double n[3], peg_vec3 *along,
                      peg_vec3 *out, double *square)
{
    for (int k = 0; k < 3; k++) {
        peg_sub(corner[(k + 1) % 3], corner[k], along[k]);
        peg_cross(along[k], n, out[k]);
        square[k] = peg_dot(along[k], along[k]);
    }
}

void peg_mesh_cull_begin_triangle(const peg_triangle_mesh *mesh, const peg_triangle_mesh *of,
                                  int triangle, const double R[9], const peg_vec3 corner[3],
                                  double way, double turn, double from_start,
                                  peg_cull_triangle *shell, peg_mesh_cull *out)
{
    shell->shape = (peg_polytope){.kind = PEG_SHAPE_TRIANGLE,
                                  .nv = 3,
                                  .nf = 2,
                                  .size = of->radius,
                                  .mesh = of,
                                  .triangle = triangle};
    memcpy(shell->corner, corner, sizeof shell->corner);
    peg_rotate(R, of->normal[triangle], shell->normal[0]);
    for (int k = 0; k < 3; k++) shell->normal[1][k] = -shell->normal[0][k];
    shell->offset[0] = peg_dot(shell->normal[0], corner[0]);
    shell->offset[1] = -shell->offset[0];
    shell->frame = R;
    set_sides((const double *const[3]){corner[0], corner[1], corner[2]}, shell->normal[0],
              shell->along, shell->out, shell->square);
    *out = (peg_mesh_cull){.mesh = mesh,
                           .part = {.shape = &shell->shape,
                                    .vertex = shell->corner,
                                    .normal = shell->normal,
                                    .offset = shell->offset},
                           .way = way,
                           .turn = turn,
                           .reach = way + peg_mesh_cull_room(of->radius, mesh),
                           .from_start = from_start,
                           .deep = way,
                           .over = shell->over,
                           .shell = shell};
    for (int k = 0; k < 3; k++)
        out->part.centre[k] = (corner[0][k] + corner[1][k] + corner[2][k]) / 3;
}

/* Where the corners are, seen from the other triangle. Returns how far one of its sides keeps them
 * away at least, 0 if none does. */
static double see_from(side *s, const side *from, const double *n)
{
    double off = peg_dot(n, from->corner[0]), most = 0;
    for (int k = 0; k < 3; k++) s->height[k] = peg_dot(n, s->corner[k]) - off;
    for (int k = 0; k < 3; k++) {
        double at = peg_dot(from->out[k], from->corner[k]);
        double *beyond = s->beyond[k];
        for (int i = 0; i < 3; i++) beyond[i] = peg_dot(from->out[k], s->corner[i]) - at;
        double least = peg_min(peg_min(beyond[0], beyond[1]), beyond[2]);
        if (least > 0 && least * least > most * most * from->square[k])
            most = least / sqrt(from->square[k]);
    }
    return most;
}

/* Whether corner i is over the other triangle, or less than `by` beyond its sides. */
static int is_over(const side *s, const side *over, int i, double by)
{
    for (int k = 0; k < 3; k++) {
        double beyond = s->beyond[k][i];
        if (beyond > 0 && beyond * beyond > by * by * over->square[k]) return 0;
    }
    return 1;
}

/* From which sides of a mesh something may be touched: along n, against it. */
enum { ALONG = 1, AGAINST = 2, BOTH = ALONG | AGAINST };

/* Those from which a neighbour in a direction d does not get in the way. */
static int free_sides(const double *d, const double *n, double slope)
{
    double rise = peg_dot(n, d), most = (slope + PEG_TOUCH) * (slope + PEG_TOUCH) * peg_dot(d, d);
    return rise * rise <= most ? BOTH : rise < 0 ? ALONG : AGAINST;
}

static void into_mesh(const side *s, const double n[3], double out[3])
{
    if (s->frame)
        peg_rotate_back(s->frame, n, out);
    else
        peg_copy3(n, out);
}

/* From which sides a mesh may be touched at its vertex, or edge. All triangles there are kept: each
 * of them can be the one that keeps apart what meets it. */
static int sides_of_vertex(const side *s, int v, const double n[3], double slope)
{
    const peg_triangle_mesh *m = s->mesh;
    double local[3];
    int sides = BOTH;
    into_mesh(s, n, local);
    for (int k = m->next_start[v]; k < m->next_start[v + 1] && sides; k++) {
        peg_vec3 d;
        peg_sub(m->vertex[m->next[k]], m->vertex[v], d);
        sides &= free_sides(d, local, slope);
    }
    return sides;
}

static int sides_of_edge(const side *s, int e, const double n[3], double slope)
{
    const peg_triangle_mesh *m = s->mesh;
    const double *origin = m->vertex[m->edge[e][0]];
    double local[3];
    peg_vec3 along;
    int start = m->across_start[e], end = m->across_start[e + 1], sides = BOTH;
    into_mesh(s, n, local);
    peg_sub(m->vertex[m->edge[e][1]], origin, along);
    double ee = peg_dot(along, along);
    for (int k = start; k < end && sides; k++) {
        peg_vec3 d;
        peg_sub(m->vertex[m->across[k]], origin, d);
        peg_add_scaled(d, -peg_dot(d, along) / ee, along, d);
        sides &= free_sides(d, local, slope);
    }
    return sides;
}

/* A vertex of one triangle over the face of the other, whose normal is n. */
static int vertex_meets(const peg_mesh_cull *c, const side *of, const side *over, const double n[3])
{
    const peg_triangle_mesh *m = of->mesh;
    for (int k = 0; k < 3; k++) {
        int v = m->triangle[of->triangle][k];
        double height = of->height[k];
        int met = (height >= -c->way ? AGAINST : 0) | (height <= c->way ? ALONG : 0);
        if (fabs(height) > c->reach || m->vertex_is_even[v] || !is_over(of, over, k, c->reach))
            continue;
        if (met & sides_of_vertex(of, v, n, c->turn)) return 1;
    }
    return 0;
}

/* Edge i of A and edge j of B, both edges of their meshes. */
static int edges_meet(const peg_mesh_cull *c, const side *A, const side *B, int i, int j)
{
    const double *u = A->along[i], *w = B->along[j];
    double n[3], d[3], x[3], uu = A->square[i], ww = B->square[j], reach = c->reach * c->reach;
    peg_sub(A->corner[i], B->corner[j], d);
    peg_cross(u, w, n);
    double nn = peg_dot(n, n), sine = nn / (uu * ww); /* squared */
    if (!(sine > PEG_TOUCH * PEG_TOUCH) || !(c->turn * c->turn < VAGUE * VAGUE * sine))
        return peg_norm(d) <= sqrt(uu) + sqrt(ww) + c->reach;
    double gap = peg_dot(n, d);
    if (gap * gap > reach * nn) return 0;
    /* where the lines are nearest; ends farther from there are farther from the other line */
    peg_cross(w, d, x);
    double s = peg_dot(x, n) / nn, beyond_s = peg_max(-s, s - 1);
    if (beyond_s > 0 && beyond_s * beyond_s * nn > reach * ww) return 0;
    peg_cross(u, d, x);
    double t = peg_dot(x, n) / nn, beyond_t = peg_max(-t, t - 1);
    if (beyond_t > 0 && beyond_t * beyond_t * nn > reach * uu) return 0;
    gap /= peg_normalise(n);
    int e = A->mesh->side[A->triangle][i], f = B->mesh->side[B->triangle][j];
    double slope = c->turn / sqrt(sine);
    int sides = sides_of_edge(A, e, n, slope);
    sides &= (gap >= -c->way ? AGAINST : 0) | (gap <= c->way ? ALONG : 0);
    if (!sides) return 0;
    int others = sides_of_edge(B, f, n, slope);
    return (sides & AGAINST && others & ALONG) || (sides & ALONG && others & AGAINST);
}

/* Whether an edge touches nothing, or is nowhere near to the other's plane. */
static int is_out(const peg_mesh_cull *c, const side *s, int k)
{
    double a = s->height[k], b = s->height[(k + 1) % 3];
    return peg_min(a, b) > c->reach || peg_max(a, b) < -c->reach ||
           s->mesh->edge_is_even[s->mesh->side[s->triangle][k]];
}

static int any_edges_meet(const peg_mesh_cull *c, const side *A, const side *B)
{
    int out[3];
    for (int j = 0; j < 3; j++) out[j] = is_out(c, B, j);
    for (int i = 0; i < 3; i++) {
        if (is_out(c, A, i)) continue;
        for (int j = 0; j < 3; j++)
            if (!out[j] && edges_meet(c, A, B, i, j)) return 1;
    }
    return 0;
}

peg_triangle_need peg_cull_triangle_needs(const peg_mesh_cull *c, int triangle, double touch)
{
    const peg_cull_triangle *shell = c->shell;
    const peg_triangle_mesh *m = c->mesh;
    const int *v = m->triangle[triangle];
    const double *n = m->normal[triangle];
    peg_vec3 along[3], out[3];
    double square[3];
    side A = {.mesh = shell->shape.mesh,
              .triangle = shell->shape.triangle,
              .corner = {shell->corner[0], shell->corner[1], shell->corner[2]},
              .along = (const peg_vec3 *)shell->along,
              .out = (const peg_vec3 *)shell->out,
              .square = shell->square,
              .frame = shell->frame};
    side B = {.mesh = m,
              .triangle = triangle,
              .corner = {m->vertex[v[0]], m->vertex[v[1]], m->vertex[v[2]]},
              .along = (const peg_vec3 *)along,
              .out = (const peg_vec3 *)out,
              .square = square};
    double apart = see_from(&B, &A, shell->normal[0]);
    if (apart > c->reach) return PEG_TRIANGLE_APART;
    set_sides(B.corner, n, along, out, square);
    apart = peg_max(apart, see_from(&A, &B, n));
    if (apart > c->reach) return PEG_TRIANGLE_APART;
    if (vertex_meets(c, &A, &B, n) || vertex_meets(c, &B, &A, shell->normal[0]) ||
        any_edges_meet(c, &A, &B))
        return PEG_TRIANGLE_NEEDED;
    return apart > touch ? PEG_TRIANGLE_APART : PEG_TRIANGLE_NEAR;
}
