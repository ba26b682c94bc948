#include "tests/fuzz/solid.h"

#include <stdlib.h>
#include <string.h>

static solid *make(solid_kind kind, int n, const vec *point, double radius)
{
    solid *s = calloc(1, sizeof *s);
    if (!s) abort();
    s->kind = kind;
    s->n = n;
    s->radius = radius;
    if (n) {
        s->local = malloc((size_t)n * sizeof *s->local);
        s->point = malloc((size_t)n * sizeof *s->point);
        if (!s->local || !s->point) abort();
        memcpy(s->local, point, (size_t)n * sizeof *point);
        for (int i = 0; i < n; i++) s->size = fmax(s->size, vec_norm(point[i]) + radius);
    }
    return s;
}

solid *solid_sphere(double radius)
{
    return make(SOLID_HULL, 1, (vec[]){{0, 0, 0}}, radius);
}

solid *solid_capsule(double radius, double length)
{
    return make(SOLID_HULL, 2, (vec[]){{0, 0, -length / 2}, {0, 0, length / 2}}, radius);
}

solid *solid_cylinder(double radius, double length)
{
    solid *s = make(SOLID_CYLINDER, 0, NULL, radius);
    s->half = length / 2;
    s->size = hypot(radius, s->half);
    return s;
}

solid *solid_plane(void)
{
    return make(SOLID_PLANE, 0, NULL, 0);
}

solid *solid_polyhedron(int n, const vec *point, int faces, const unsigned *polygon)
{
    solid *s = make(SOLID_HULL, n, point, 0);
    size_t corners = 0;
    const unsigned *face = polygon;
    for (int i = 0; i < faces; i++, face += *face + 1) corners += *face;
    s->normal = malloc((size_t)faces * sizeof *s->normal);
    s->edge = malloc(corners * sizeof *s->edge);
    if (!s->normal || !s->edge) abort();
    face = polygon;
    for (int i = 0; i < faces; i++, face += *face + 1) {
        vec area = vec_of(0, 0, 0), first = point[face[1]];
        for (unsigned k = 0; k < face[0]; k++) {
            unsigned from = face[1 + k], to = face[1 + (k + 1) % face[0]];
            area = vec_add(area, vec_cross(vec_sub(point[from], first), vec_sub(point[to], first)));
            if (from > to) continue; /* each edge once */
            s->edge[s->edges][0] = (int)from;
            s->edge[s->edges++][1] = (int)to;
        }
        s->normal[s->normals++] = vec_unit(area);
    }
    return s;
}

solid *solid_box(vec sides)
{
    static const unsigned polygon[] = {4, 0, 4, 6, 2, 4, 1, 3, 7, 5, 4, 0, 1, 5, 4,
                                       4, 2, 6, 7, 3, 4, 0, 2, 3, 1, 4, 4, 5, 7, 6};
    vec point[8];
    for (int i = 0; i < 8; i++)
        point[i] = vec_of((i & 1 ? .5 : -.5) * sides.x, (i & 2 ? .5 : -.5) * sides.y,
                          (i & 4 ? .5 : -.5) * sides.z);
    return solid_polyhedron(8, point, 6, polygon);
}

solid *solid_shell(int n, const vec *point, int triangles, const int (*triangle)[3], int closed)
{
    solid *s = make(SOLID_SHELL, n, point, 0);
    s->triangles = triangles;
    s->triangle = malloc((size_t)triangles * sizeof *s->triangle);
    if (!s->triangle) abort();
    memcpy(s->triangle, triangle, (size_t)triangles * sizeof *s->triangle);
    s->closed = closed;
    return s;
}

void solid_free(solid *s)
{
    if (!s) return;
    free(s->local), free(s->point), free(s->normal), free(s->edge), free(s->triangle);
    free(s->owned[0]), free(s->owned[1]);
    free(s);
}

static void take_in(solid *s, vec p, double radius)
{
    s->low = vec_of(fmin(s->low.x, p.x - radius), fmin(s->low.y, p.y - radius),
                    fmin(s->low.z, p.z - radius));
    s->high = vec_of(fmax(s->high.x, p.x + radius), fmax(s->high.y, p.y + radius),
                     fmax(s->high.z, p.z + radius));
}

static void place_plane(solid *s)
{
    dVector4 p;
    dGeomPlaneGetParams(s->geom, p);
    double l = vec_norm(vec_of(p[0], p[1], p[2]));
    s->axis = vec_of(p[0] / l, p[1] / l, p[2] / l);
    s->level = p[3] / l;
}

void solid_place(solid *s)
{
    if (s->kind == SOLID_PLANE) {
        place_plane(s);
        return;
    }
    const dReal *x = dGeomGetPosition(s->geom);
    memcpy(s->R, dGeomGetRotation(s->geom), sizeof s->R);
    s->centre = vec_of(x[0], x[1], x[2]);
    s->axis = vec_turn(s->R, 4, vec_of(0, 0, 1));
    s->low = vec_of(INFINITY, INFINITY, INFINITY);
    s->high = vec_mul(-1, s->low);
    for (int i = 0; i < s->n; i++) {
        s->point[i] = vec_add(vec_turn(s->R, 4, s->local[i]), s->centre);
        take_in(s, s->point[i], s->radius);
    }
    if (s->kind == SOLID_CYLINDER) {
        take_in(s, vec_add(s->centre, vec_mul(s->half, s->axis)), s->radius);
        take_in(s, vec_sub(s->centre, vec_mul(s->half, s->axis)), s->radius);
    }
}
