/* Which triangles of two meshes can touch each other first: a vertex of one and a face of the
 * other, or two edges, where neither mesh goes on nearer. Shells have no inside to shrink towards,
 * but what they touch first they touch on the way: the pairs that are left are kept apart all along
 * it (see peg/contact/first_contact.c). There the direction of a contact is that of the features,
 * which turn by `turn` at most; that of two edges by as much over the sine between them. Meshes
 * with a radius also touch where two vertices, or a vertex and an edge, are nearest: between points
 * that each get no farther than `way` the direction turns by twice that over their distance. */
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
                                  double round, double way, double turn, double from_start,
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
    shell->round = shell->shape.round = round;
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

/* How far features that may touch are apart at most, and how far beyond its ends one of them may
 * lie then, m. */
static double far_of(const peg_mesh_cull *c)
{
    return c->reach + c->shell->round;
}

static double beside_of(const peg_mesh_cull *c)
{
    return c->reach + c->turn * c->shell->round;
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
        if (fabs(height) > far_of(c) || m->vertex_is_even[v] || !is_over(of, over, k, beside_of(c)))
            continue;
        if (met & sides_of_vertex(of, v, n, c->turn)) return 1;
    }
    return 0;
}

/* Edge i of A and edge j of B, both edges of their meshes. */
static int edges_meet(const peg_mesh_cull *c, const side *A, const side *B, int i, int j)
{
    const double *u = A->along[i], *w = B->along[j];
    double n[3], d[3], x[3], uu = A->square[i], ww = B->square[j], far = far_of(c);
    double beside = beside_of(c) * beside_of(c);
    peg_sub(A->corner[i], B->corner[j], d);
    peg_cross(u, w, n);
    double nn = peg_dot(n, n), sine = nn / (uu * ww); /* squared */
    if (!(sine > PEG_TOUCH * PEG_TOUCH) || !(c->turn * c->turn < VAGUE * VAGUE * sine))
        return peg_norm(d) <= sqrt(uu) + sqrt(ww) + far;
    double gap = peg_dot(n, d);
    if (gap * gap > far * far * nn) return 0;
    /* where the lines are nearest; ends farther from there are farther from the other line */
    peg_cross(w, d, x);
    double s = peg_dot(x, n) / nn, beyond_s = peg_max(-s, s - 1);
    if (beyond_s > 0 && beyond_s * beyond_s * nn > beside * ww) return 0;
    peg_cross(u, d, x);
    double t = peg_dot(x, n) / nn, beyond_t = peg_max(-t, t - 1);
    if (beyond_t > 0 && beyond_t * beyond_t * nn > beside * uu) return 0;
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
    return peg_min(a, b) > far_of(c) || peg_max(a, b) < -far_of(c) ||
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

/* --- of meshes with a radius --- */

/* Whether vertex or edge k of a triangle can be touched from a side. */
static int is_free(const side *s, int is_edge, int k, const double n[3], int from, double slope)
{
    const peg_triangle_mesh *m = s->mesh;
    int i = is_edge ? m->side[s->triangle][k] : m->triangle[s->triangle][k];
    if (is_edge ? m->edge_is_even[i] : m->vertex_is_even[i]) return 0;
    int sides = is_edge ? sides_of_edge(s, i, n, slope) : sides_of_vertex(s, i, n, slope);
    return sides & from;
}

/* Two features that are nearest to each other along d, from that of B to that of A. */
static int nearest_meet(const peg_mesh_cull *c, const side *A, const side *B, int edge_a, int i,
                        int edge_b, int j, double d[3])
{
    double apart = peg_normalise(d);
    if (apart > far_of(c)) return 0;
    double slope = c->turn + 2 * c->way / apart;
    if (!(slope < VAGUE)) return 1;
    return is_free(A, edge_a, i, d, AGAINST, slope) && is_free(B, edge_b, j, d, ALONG, slope);
}

/* A vertex of A and an edge of B, or the other way round; `sign` is -1 then. */
static int vertex_and_edge_meet(const peg_mesh_cull *c, const side *V, const side *E, int i, int j,
                                double sign)
{
    double d[3], room = beside_of(c);
    peg_sub(V->corner[i], E->corner[j], d);
    double square = E->square[j], t = peg_dot(d, E->along[j]) / square;
    double beyond = peg_max(-t, t - 1);
    if (beyond > 0 && beyond * beyond * square > room * room) return 0;
    peg_add_scaled(d, -t, E->along[j], d);
    for (int k = 0; k < 3; k++) d[k] *= sign;
    return sign > 0 ? nearest_meet(c, V, E, 0, i, 1, j, d) : nearest_meet(c, E, V, 1, j, 0, i, d);
}

static int any_nearest_meet(const peg_mesh_cull *c, const side *A, const side *B)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double d[3];
            peg_sub(A->corner[i], B->corner[j], d);
            if (nearest_meet(c, A, B, 0, i, 0, j, d) || vertex_and_edge_meet(c, A, B, i, j, 1) ||
                vertex_and_edge_meet(c, B, A, i, j, -1))
                return 1;
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
    if (apart > far_of(c)) return PEG_TRIANGLE_APART;
    set_sides(B.corner, n, along, out, square);
    apart = peg_max(apart, see_from(&A, &B, n));
    if (apart > far_of(c)) return PEG_TRIANGLE_APART;
    if (vertex_meets(c, &A, &B, n) || vertex_meets(c, &B, &A, shell->normal[0]) ||
        any_edges_meet(c, &A, &B) || (shell->round > 0 && any_nearest_meet(c, &A, &B)))
        return PEG_TRIANGLE_NEEDED;
    return apart > shell->round + touch ? PEG_TRIANGLE_APART : PEG_TRIANGLE_NEAR;
}
