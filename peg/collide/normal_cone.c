/* Normal cones of features, tested neighbour by neighbour. */
#include "peg/collide/normal_cone.h"

#include "peg/base/tolerance.h"
#include "peg/shape/triangle_mesh.h"

static int is_higher(const double *d, const double n[3], const peg_slope_tolerance *tolerance)
{
    double rise = peg_dot(n, d);
    if (!(rise > 0)) return 0;
    double far = peg_norm(d), along = tolerance->axis ? fabs(peg_dot(tolerance->axis, d)) : far;
    return rise > PEG_TOUCH * far + tolerance->slope * along;
}

/* A direction and a slope tolerance in the frame of the mesh. */
typedef struct local_direction {
    peg_vec3 n, axis;
    peg_slope_tolerance tolerance;
} local_direction;

static void into_mesh(const peg_view *view, const double n[3], const peg_slope_tolerance *tolerance,
                      local_direction *out)
{
    peg_rotate_back(view->turn, n, out->n);
    out->tolerance = *tolerance;
    if (!tolerance->axis) return;
    peg_rotate_back(view->turn, tolerance->axis, out->axis);
    out->tolerance.axis = out->axis;
}

/* Whether another corner of the triangle itself is higher than corner v. */
static int is_below_corner(const peg_view *view, int v, const double n[3],
                           const peg_slope_tolerance *tolerance)
{
    for (int k = 1; k < 3; k++) {
        peg_vec3 d;
        peg_sub(view->vertex[(v + k) % 3], view->vertex[v], d);
        if (is_higher(d, n, tolerance)) return 1;
    }
    return 0;
}

/* Whether a direction looks into a mesh where `out` looks out of it. */
static int looks_in(const double out[3], const local_direction *l)
{
    return peg_dot(out, l->n) < -l->tolerance.slope;
}

static int mesh_vertex(const peg_view *view, int v, const double n[3],
                       const peg_slope_tolerance *tolerance)
{
    const peg_triangle_mesh *m = view->shape->mesh;
    int at = m->triangle[view->shape->triangle][v];
    local_direction l;
    if (m->vertex_is_flat[at] || is_below_corner(view, v, n, tolerance)) return 0;
    into_mesh(view, n, tolerance, &l);
    if (tolerance->from_out && looks_in(m->vertex_out[at], &l)) return 0;
    for (int k = m->next_start[at]; k < m->next_start[at + 1]; k++) {
        peg_vec3 d;
        peg_sub(m->vertex[m->next[k]], m->vertex[at], d);
        if (is_higher(d, l.n, &l.tolerance)) return 0;
    }
    return 1;
}

int peg_vertex_can_touch(const peg_view *view, int v, const double n[3],
                         const peg_slope_tolerance *tolerance)
{
    const peg_polytope *P = view->shape;
    if (peg_is_triangle(P)) return mesh_vertex(view, v, n, tolerance);
    for (int k = P->next_start[v]; k < P->next_start[v + 1]; k++) {
        peg_vec3 d;
        peg_sub(view->vertex[P->next[k]], view->vertex[v], d);
        if (is_higher(d, n, tolerance)) return 0;
    }
    return 1;
}

/* Whether the triangle itself, beside its edge e, is higher than this. */
static int is_below_side(const peg_view *view, int e, const double n[3],
                         const peg_slope_tolerance *tolerance)
{
    const int *end = view->shape->edge[e].v;
    peg_vec3 along, d;
    peg_sub(view->vertex[end[1]], view->vertex[end[0]], along);
    peg_sub(view->vertex[3 - end[0] - end[1]], view->vertex[end[0]], d);
    peg_add_scaled(d, -peg_dot(d, along) / peg_dot(along, along), along, d);
    return is_higher(d, n, tolerance);
}

static int mesh_edge(const peg_view *view, int e, const double n[3],
                     const peg_slope_tolerance *tolerance)
{
    const peg_triangle_mesh *m = view->shape->mesh;
    int side = m->side[view->shape->triangle][e];
    local_direction l;
    if (m->edge_is_flat[side] || is_below_side(view, e, n, tolerance)) return 0;
    into_mesh(view, n, tolerance, &l);
    if (tolerance->from_out && looks_in(m->edge_out[side], &l)) return 0;
    const double *origin = m->vertex[m->edge[side][0]];
    peg_vec3 along;
    peg_sub(m->vertex[m->edge[side][1]], origin, along);
    peg_normalise(along);
    for (int k = m->across_start[side]; k < m->across_start[side + 1]; k++) {
        peg_vec3 d;
        peg_sub(m->vertex[m->across[k]], origin, d);
        peg_add_scaled(d, -peg_dot(d, along), along, d);
        if (is_higher(d, l.n, &l.tolerance)) return 0;
    }
    return 1;
}

int peg_edge_can_touch(const peg_view *view, int e, const double n[3],
                       const peg_slope_tolerance *tolerance)
{
    const peg_edge *edge = &view->shape->edge[e];
    if (peg_is_triangle(view->shape)) return mesh_edge(view, e, n, tolerance);
    if (edge->f[0] < 0) return 1;
    peg_vec3 along, inward;
    peg_sub(view->vertex[edge->v[1]], view->vertex[edge->v[0]], along);
    peg_normalise(along);
    peg_cross(view->normal[edge->f[0]], along, inward);
    if (is_higher(inward, n, tolerance)) return 0;
    peg_cross(along, view->normal[edge->f[1]], inward);
    return !is_higher(inward, n, tolerance);
}

int peg_face_can_touch(const peg_view *view, int face, const peg_slope_tolerance *tolerance)
{
    return !tolerance->from_out || view->shape->mesh->sense == (face ? -1 : 1);
}

int peg_is_flat_feature(const peg_view *view, int is_edge, int i)
{
    const peg_triangle_mesh *m = view->shape->mesh;
    if (!m) return 0;
    int t = view->shape->triangle;
    return is_edge ? m->edge_is_flat[m->side[t][i]] : m->vertex_is_flat[m->triangle[t][i]];
}

int peg_support_can_touch(const peg_view *view, const double n[3],
                          const peg_slope_tolerance *tolerance)
{
    int best = 0;
    if (!peg_is_triangle(view->shape)) return 1;
    double along = peg_dot(view->normal[0], n);
    if (fabs(along) > 1 - PEG_TOUCH) return peg_face_can_touch(view, along > 0 ? 0 : 1, tolerance);
    for (int v = 1; v < 3; v++)
        if (peg_dot(n, view->vertex[v]) > peg_dot(n, view->vertex[best])) best = v;
    return peg_vertex_can_touch(view, best, n, tolerance);
}
