/* Orientation of a closed mesh of one piece: its normals point out of the solid, or into it. At an
 * edge the outward pseudonormal is the sum of the two triangles' normals, at a vertex that of all
 * its triangles' normals weighted by their angles there: it gives the side of a point whose nearest
 * point of the mesh is there (Baerentzen and Aanaes 2005). */
#include "peg/shape/mesh_orientation.h"

#include "peg/shape/aabb_tree.h"

/* --- of one piece, closed --- */

/* Whether a chain of edges leads from each triangle to each other one. */
static int is_of_one_piece(const peg_triangle_mesh *m, int *stack, unsigned char *met)
{
    int count = 0, found = 1;
    memset(met, 0, (size_t)m->nt);
    met[0] = 1;
    stack[count++] = 0;
    while (count > 0) {
        int t = stack[--count];
        for (int k = 0; k < 3; k++)
            for (int i = m->across_start[m->side[t][k]]; i < m->across_start[m->side[t][k] + 1];
                 i++) {
                int other = m->beside[i];
                if (met[other]) continue;
                met[other] = 1;
                found++;
                stack[count++] = other;
            }
    }
    return found == m->nt;
}

/* How many triangles edge e has. */
static int triangles_at(const peg_triangle_mesh *m, int e)
{
    return m->across_start[e + 1] - m->across_start[e];
}

/* Whether no edge has more than two triangles, and two run along it both ways. */
static int is_of_one_turn(const peg_triangle_mesh *m, signed char *runs)
{
    memset(runs, 0, (size_t)m->ne);
    for (int e = 0; e < m->ne; e++)
        if (triangles_at(m, e) > 2) return 0;
    for (int t = 0; t < m->nt; t++)
        for (int k = 0; k < 3; k++) {
            int e = m->side[t][k];
            runs[e] = (signed char)(runs[e] + (m->triangle[t][k] == m->edge[e][0] ? 1 : -1));
        }
    for (int e = 0; e < m->ne; e++)
        if (runs[e] && triangles_at(m, e) == 2) return 0;
    return 1;
}

static int has_border(const peg_triangle_mesh *m)
{
    int borders = 0;
    for (int e = 0; e < m->ne; e++) borders += triangles_at(m, e) == 1;
    return borders > 0;
}

/* 1 if the normals look out, -1 if they look in. */
static int sense_of(const peg_triangle_mesh *m)
{
    double volume = 0;
    for (int t = 0; t < m->nt; t++) {
        const int *v = m->triangle[t];
        peg_vec3 from[3], area;
        for (int k = 0; k < 3; k++) peg_sub(m->vertex[v[k]], m->centre, from[k]);
        peg_cross(from[1], from[2], area);
        volume += peg_dot(from[0], area);
    }
    return volume < 0 ? -1 : 1;
}

/* --- out --- */

static double angle_at(const peg_triangle_mesh *m, int t, int corner)
{
    const int *v = m->triangle[t];
    peg_vec3 to[2], across;
    for (int k = 0; k < 2; k++)
        peg_sub(m->vertex[v[(corner + 1 + k) % 3]], m->vertex[v[corner]], to[k]);
    peg_cross(to[0], to[1], across);
    return atan2(peg_norm(across), peg_dot(to[0], to[1]));
}

static void find_out(peg_triangle_mesh *m)
{
    memset(m->edge_out, 0, (size_t)m->ne * sizeof *m->edge_out);
    memset(m->vertex_out, 0, (size_t)m->nv * sizeof *m->vertex_out);
    for (int t = 0; t < m->nt; t++)
        for (int k = 0; k < 3; k++) {
            double *edge = m->edge_out[m->side[t][k]], *vertex = m->vertex_out[m->triangle[t][k]];
            peg_add_scaled(edge, m->sense, m->normal[t], edge);
            peg_add_scaled(vertex, m->sense * angle_at(m, t, k), m->normal[t], vertex);
        }
    for (int e = 0; e < m->ne; e++) peg_normalise(m->edge_out[e]);
    for (int v = 0; v < m->nv; v++) peg_normalise(m->vertex_out[v]);
}

int peg_mesh_orientation_find(peg_triangle_mesh *m)
{
    peg_arena *arena = &m->arena;
    int *stack = PEG_NEW(arena, int, m->nt);
    unsigned char *met = PEG_NEW(arena, unsigned char, m->nt);
    signed char *runs = PEG_NEW(arena, signed char, m->ne);
    if (arena->failed) return 0;
    m->is_whole = is_of_one_piece(m, stack, met);
    m->is_of_one_turn = is_of_one_turn(m, runs);
    if (!m->is_whole || !m->is_of_one_turn || has_border(m)) return 1;
    m->edge_out = PEG_NEW(arena, peg_vec3, m->ne);
    m->vertex_out = PEG_NEW(arena, peg_vec3, m->nv);
    if (arena->failed) return 0;
    m->sense = sense_of(m);
    find_out(m);
    return 1;
}

/* --- a point --- */

/* A ray along x. */
typedef struct ray {
    const peg_triangle_mesh *mesh;
    const double *from;
    int winding;
} ray;

/* How often a triangle, seen along the ray, goes round it: -1, 0 or 1. Two triangles of an edge see
 * it on the same side, to the bit. */
static int turns_about(const ray *r, const int *v)
{
    int turns = 0;
    for (int k = 0; k < 3; k++) {
        int i = v[k], j = v[(k + 1) % 3], sense = 1;
        if (i > j) {
            int swap = i;
            i = j, j = swap, sense = -1;
        }
        const double *a = r->mesh->vertex[i], *b = r->mesh->vertex[j];
        if ((a[2] > r->from[2]) == (b[2] > r->from[2])) continue;
        double y = a[1] + (r->from[2] - a[2]) / (b[2] - a[2]) * (b[1] - a[1]);
        if (y > r->from[1]) turns += b[2] > a[2] ? sense : -sense;
    }
    return turns;
}

static void cross(void *context, int t)
{
    ray *r = context;
    const double *a = r->mesh->vertex[r->mesh->triangle[t][0]], *n = r->mesh->normal[t];
    int turns = turns_about(r, r->mesh->triangle[t]);
    if (turns == 0 || n[0] == 0) return;
    double x = a[0] - (n[1] * (r->from[1] - a[1]) + n[2] * (r->from[2] - a[2])) / n[0];
    if (x > r->from[0]) r->winding += turns;
}

int peg_mesh_contains(const peg_triangle_mesh *m, const double point[3])
{
    ray r = {m, point, 0};
    peg_aabb box;
    for (int k = 0; k < 3; k++) box.lo[k] = box.hi[k] = point[k];
    box.hi[0] = INFINITY;
    peg_aabb_tree_overlap(m, &box, cross, &r);
    return r.winding != 0;
}

/* Vertices of the other mesh that are looked at: one may touch the mesh. */
enum { LOOKED_AT = 3 };

int peg_mesh_is_outside(const peg_triangle_mesh *mesh, const peg_triangle_mesh *other,
                        const double x[3], const double R[9])
{
    if (!mesh->sense || !other->is_whole) return 0;
    for (int i = 0; i < LOOKED_AT; i++) {
        double at[3];
        peg_rotate(R, other->vertex[i * (other->nv - 1) / (LOOKED_AT - 1)], at);
        peg_add_scaled(at, 1, x, at);
        if (peg_mesh_contains(mesh, at)) return 0;
    }
    return 1;
}
