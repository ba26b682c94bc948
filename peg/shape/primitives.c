/* Polytopes from boxes, planes, round primitives and ODE's convex arrays. */
#include "peg/base/arena.h"
#include "peg/shape/polygon_mesh.h"
#include "peg/shape/polytope.h"

static const double OFF_PLANE = 1e-3;    /* how far corners may lie off their plane, in sizes */
static const double ACROSS = 1e-7;       /* cosine that counts as a right angle */
static const double THINNEST_BOX = 1e-9; /* of the longest side, as for any shape */

static int all_finite(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

pegStatus peg_polytope_box(const double sides[3], peg_polytope **out)
{
    /* Corner bit k set: + half of side k. Faces -x +x -y +y -z +z. */
    static const int faces[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                  2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    *out = NULL;
    if (!all_finite(sides, 3)) return PEG_ERROR_NOT_FINITE;
    double least = fmin(sides[0], fmin(sides[1], sides[2]));
    double most = fmax(sides[0], fmax(sides[1], sides[2]));
    pegStatus status = peg_size_check(most);
    if (status != PEG_OK) return status;
    if (!(least > THINNEST_BOX * most)) return PEG_ERROR_SHAPE_EMPTY;

    peg_arena arena = {0};
    peg_polytope *p = peg_polytope_new(8, 6, 12, 24);
    if (!p) return PEG_ERROR_MEMORY;
    for (int v = 0; v < 8; v++)
        for (int k = 0; k < 3; k++) p->vertex[v][k] = (v >> k & 1 ? .5 : -.5) * sides[k];
    for (int f = 0; f < 6; f++) p->normal[f][f / 2] = f % 2 ? 1 : -1;
    for (int f = 0; f <= 6; f++) p->face_start[f] = 4 * f;
    memcpy(p->face_vertex, faces, sizeof faces);
    peg_polygon_mesh mesh = {8,    6,   (const peg_vec3 *)p->vertex, p->face_start, p->face_vertex,
                             NULL, NULL};
    if (peg_polygon_mesh_link(&mesh, &arena)) {
        peg_polytope_finish(p, &mesh);
        memset(p->centre, 0, sizeof p->centre);
        for (int k = 0; k < 3; k++) p->half[k] = p->extent[k] = .5 * sides[k];
        p->give = sqrt(3);
        *out = p;
    } else {
        peg_polytope_free(p);
    }
    peg_arena_free(&arena);
    return *out ? PEG_OK : PEG_ERROR_MEMORY;
}

pegStatus peg_polytope_half_space(const double normal[3], double offset, peg_polytope **out)
{
    *out = NULL;
    if (!all_finite(normal, 3) || !isfinite(offset)) return PEG_ERROR_NOT_FINITE;
    double length = peg_norm(normal);
    if (!(length > 0) || !isfinite(length) || !isfinite(offset / length))
        return PEG_ERROR_SHAPE_EMPTY;

    peg_polytope *p = peg_polytope_new(0, 1, 0, 0);
    if (!p) return PEG_ERROR_MEMORY;
    peg_copy3(normal, p->normal[0]);
    peg_normalise(p->normal[0]);
    p->offset[0] = offset / length;
    peg_add_scaled(p->centre, p->offset[0], p->normal[0], p->centre);
    p->kind = PEG_SHAPE_HALF_SPACE;
    p->radius = p->size = p->width = p->volume = INFINITY;
    for (int k = 0; k < 3; k++) p->extent[k] = INFINITY;
    *out = p;
    return PEG_OK;
}

/* A vertex, or an edge along z, about the origin. */
static peg_polytope *new_core(double length, int faces)
{
    int ends = length > 0 ? 2 : 1;
    peg_polytope *p = peg_polytope_new(ends, faces, ends - 1, faces);
    if (!p) return NULL;
    for (int v = 0; v < ends; v++) p->vertex[v][2] = (v - .5 * (ends - 1)) * length;
    if (ends == 2) {
        p->edge[0] = (peg_edge){{0, 1}, {-1, -1}};
        p->next_start[1] = p->next[0] = 1;
        p->next_start[2] = 2;
    }
    return p;
}

static pegStatus check_round(double radius, double length)
{
    if (!isfinite(radius) || !isfinite(length)) return PEG_ERROR_NOT_FINITE;
    pegStatus status = peg_size_check(2 * radius + length);
    return status == PEG_OK && (!(radius > 0) || length < 0) ? PEG_ERROR_SHAPE_EMPTY : status;
}

pegStatus peg_polytope_sphere(double radius, peg_polytope **out)
{
    return peg_polytope_capsule(radius, 0, out);
}

pegStatus peg_polytope_capsule(double radius, double length, peg_polytope **out)
{
    *out = NULL;
    pegStatus status = check_round(radius, length);
    if (status != PEG_OK) return status;
    peg_polytope *p = new_core(length, 0);
    if (!p) return PEG_ERROR_MEMORY;
    p->kind = length > 0 ? PEG_SHAPE_CAPSULE : PEG_SHAPE_SPHERE;
    peg_polytope_set_extent(p);
    p->round = p->inner = radius;
    p->radius = p->size = radius + .5 * length;
    p->width = 2 * radius;
    p->volume = PEG_PI * radius * radius * (length + 4. / 3 * radius);
    *out = p;
    return PEG_OK;
}

pegStatus peg_polytope_cylinder(double radius, double length, peg_polytope **out)
{
    *out = NULL;
    pegStatus status = check_round(radius, length);
    if (status == PEG_OK && !(length > 0)) status = PEG_ERROR_SHAPE_EMPTY;
    if (status != PEG_OK) return status;
    peg_polytope *p = new_core(length, 2);
    if (!p) return PEG_ERROR_MEMORY;
    for (int f = 0; f < 2; f++) {
        p->normal[f][2] = f ? 1 : -1;
        p->offset[f] = .5 * length;
        p->face_start[f + 1] = f + 1;
        p->face_vertex[f] = f;
    }
    p->kind = PEG_SHAPE_CYLINDER;
    p->rim = radius;
    peg_polytope_set_extent(p);
    p->inner = fmin(radius, .5 * length);
    p->radius = p->size = hypot(radius, .5 * length);
    p->give = sqrt(2);
    p->width = fmin(2 * radius, length);
    p->volume = PEG_PI * radius * radius * length;
    *out = p;
    return PEG_OK;
}

/* Reads ODE's runs of (count, indices...) into a mesh. */
static pegStatus read_polygons(const unsigned *polygons, int count, int npoints,
                               peg_polygon_mesh *mesh, peg_arena *arena)
{
    int corners = 0;
    const unsigned *run = polygons;
    for (int f = 0; f < count; f++, run += *run + 1) {
        /* No polygon has more corners than there are points; more means that the array is broken.
         */
        if (*run < 3 || *run > (unsigned)npoints) return PEG_ERROR_SHAPE_INDEX;
        for (unsigned k = 1; k <= *run; k++)
            if (run[k] >= (unsigned)npoints) return PEG_ERROR_SHAPE_INDEX;
        corners += *run;
    }
    mesh->nf = count;
    mesh->start = PEG_NEW(arena, int, count + 1);
    mesh->corner = PEG_NEW(arena, int, corners);
    if (!mesh->start || !mesh->corner) return PEG_ERROR_MEMORY;
    int used = 0;
    for (int f = 0; f < count; f++) {
        mesh->start[f] = used;
        for (unsigned k = *polygons++; k > 0; k--) mesh->corner[used++] = (int)*polygons++;
    }
    mesh->start[count] = used;
    return PEG_OK;
}

/* Whether the plane contains the corners of polygon f. */
static int contains(const double plane[4], const peg_polygon_mesh *m, int f, double allowed)
{
    for (int k = m->start[f]; k < m->start[f + 1]; k++)
        if (!(fabs(peg_dot(plane, m->vertex[m->corner[k]]) - plane[3]) <= allowed)) return 0;
    return 1;
}

/* The plane contains polygon f, and its normal points to the outside of it (that of a sliver may be
 * anything across its plane). */
static int fits(const double plane[4], const peg_polygon_mesh *m, int f, double off)
{
    peg_vec3 area;
    peg_polygon_mesh_area(m, f, area);
    double length = peg_norm(plane);
    return length > 0 && peg_dot(plane, area) >= -ACROSS * length * peg_norm(area) &&
           contains(plane, m, f, off * length);
}

/* Every polygon has its plane, mostly in the same place, and every plane its polygon: ODE's demos
 * list the planes of a cube in another order, and so do the programs that were made from them. */
static int planes_agree(const double *planes, const peg_polygon_mesh *m)
{
    double off =
        OFF_PLANE * peg_points_size(m->vertex, m->nv) + peg_points_rounding(m->vertex, m->nv);
    for (int f = 0; f < m->nf; f++) {
        int has_plane = fits(planes + 4 * f, m, f, off), has_polygon = has_plane;
        for (int i = 0; i < m->nf && !(has_plane && has_polygon); i++) {
            has_plane |= fits(planes + 4 * i, m, f, off);
            has_polygon |= fits(planes + 4 * f, m, i, off);
        }
        if (!has_plane || !has_polygon) return 0;
    }
    return 1;
}

pegStatus peg_polytope_from_ode_convex(const double *planes, int nplanes, const double *points,
                                       int npoints, const unsigned *polygons, peg_polytope **out)
{
    if (!out) return PEG_ERROR_ARGUMENT;
    *out = NULL;
    if (!planes || !points || !polygons || nplanes < 0 || npoints < 0) return PEG_ERROR_ARGUMENT;
    if (!all_finite(planes, 4 * (size_t)nplanes) || !all_finite(points, 3 * (size_t)npoints))
        return PEG_ERROR_NOT_FINITE;
    if (nplanes < 4 || npoints < 4) return PEG_ERROR_SHAPE_FACES;

    peg_arena arena = {0};
    peg_polygon_mesh mesh = {.nv = npoints};
    peg_vec3 *vertex = PEG_NEW(&arena, peg_vec3, npoints);
    pegStatus status = PEG_ERROR_MEMORY;
    if (vertex) {
        memcpy(vertex, points, sizeof(peg_vec3) * (size_t)npoints);
        mesh.vertex = (const peg_vec3 *)vertex;
        status = read_polygons(polygons, nplanes, npoints, &mesh, &arena);
    }
    if (status == PEG_OK) {
        double tolerance = peg_points_tolerance(mesh.vertex, npoints);
        int outward = planes_agree(planes, &mesh);
        status = peg_size_check(peg_points_size(mesh.vertex, npoints));
        if (status == PEG_OK && !peg_polygon_mesh_weld(&mesh, tolerance, &arena))
            status = PEG_ERROR_MEMORY;
        if (status == PEG_OK) status = peg_polygon_mesh_to_polytope(&mesh, &arena, out);
        if (status == PEG_OK && !outward) {
            peg_polytope_free(*out);
            *out = NULL;
            status = PEG_ERROR_SHAPE_PLANE;
        }
    }
    peg_arena_free(&arena);
    return status;
}
