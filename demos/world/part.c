/* The builder's calls for the parts of bodies: boxes, hulls, round parts, meshes, planes. */
#include "demos/world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "peg/base/math.h"

static const double no_turn[4] = {1, 0, 0, 0};

static lab_part *new_part(lab_body *b)
{
    lab_part *more = realloc(b->part, ((size_t)b->parts + 1) * sizeof *more);
    if (!more) {
        lab_fail(b->world, "out of memory");
        return NULL;
    }
    b->part = more;
    lab_part *p = &b->part[b->parts++];
    *p = (lab_part){.q = {1, 0, 0, 0}};
    return p;
}

/* Gives the part its shape (made in its own frame), moved to where it is in the body's frame. */
static void set_shape(lab_body *b, lab_part *p, lab_shape *shape, const double x[3],
                      const double q[4])
{
    double R[9], scale = b->world->scale;
    for (int k = 0; k < 3; k++) p->x[k] = scale * (x ? x[k] : 0);
    lab_unit_quat(q ? q : no_turn, p->q);
    peg_quat_to_mat(p->q, R);
    p->shape = shape;
    p->placed = shape ? lab_shape_copy(shape) : NULL;
    if (!p->placed)
        lab_fail(b->world, "body '%s': its points have no volume or are not finite", b->name);
    else
        lab_shape_move(p->placed, p->x, R, p->shape);
}

void lab_box(lab_body *b, const double sides[3], const double x[3], const double q[4])
{
    if (!b || b->world->failed) return;
    lab_part *p = new_part(b);
    if (!p) return;
    p->is_box = 1;
    for (int k = 0; k < 3; k++) {
        p->sides[k] = b->world->scale * sides[k];
        if (!(p->sides[k] > 0 && isfinite(p->sides[k])))
            lab_fail(b->world, "body '%s': a side of its box is not a positive number", b->name);
    }
    set_shape(b, p, lab_shape_box(p->sides), x, q);
}

void lab_particle(lab_body *b)
{
    if (!b || b->world->failed) return;
    lab_part *p = new_part(b);
    if (!p) return;
    p->is_point = 1;
    set_shape(b, p, lab_shape_point(), NULL, NULL);
}

void lab_hull(lab_body *b, const double (*points)[3], int n, const double x[3], const double q[4])
{
    if (!b || b->world->failed) return;
    lab_part *p = new_part(b);
    double(*scaled)[3] = malloc(((size_t)n + 1) * sizeof *scaled);
    if (p && scaled) {
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 3; k++) scaled[i][k] = b->world->scale * points[i][k];
        set_shape(b, p, lab_shape_hull((const double(*)[3])scaled, n), x, q);
    } else {
        lab_fail(b->world, "out of memory");
    }
    free(scaled);
}

/* ---- round parts and meshes
 * ---------------------------------------------------------------------- */

/* A part of the given radius and length; null if it cannot be. */
static lab_part *round_part(lab_body *b, double radius, double length)
{
    lab_part *p = b && !b->world->failed ? new_part(b) : NULL;
    if (!p) return NULL;
    p->sides[0] = b->world->scale * radius, p->sides[1] = b->world->scale * length;
    if (!(radius > 0 && isfinite(radius) && length >= 0 && isfinite(length)))
        lab_fail(b->world, "body '%s': a radius or length is not a positive number", b->name);
    return p;
}

void lab_sphere(lab_body *b, double radius, const double x[3])
{
    lab_part *p = round_part(b, radius, 0);
    if (p) set_shape(b, p, lab_shape_sphere(p->sides[0]), x, NULL);
}

void lab_capsule(lab_body *b, double radius, double length, const double x[3], const double q[4])
{
    lab_part *p = round_part(b, radius, length);
    if (p) set_shape(b, p, lab_shape_capsule(p->sides[0], p->sides[1]), x, q);
}

void lab_cylinder(lab_body *b, double radius, double length, const double x[3], const double q[4])
{
    lab_part *p = round_part(b, radius, length);
    if (p) set_shape(b, p, lab_shape_cylinder(p->sides[0], p->sides[1]), x, q);
}

void lab_radius(lab_body *b, double radius)
{
    if (!b || b->world->failed || b->parts == 0) return;
    lab_part *p = &b->part[b->parts - 1];
    if (b->is_plane || p->shape->nf == 0 || !(radius > 0 && isfinite(radius))) {
        lab_fail(b->world, "body '%s': its last part takes no radius of %g", b->name, radius);
        return;
    }
    p->radius = b->world->scale * radius;
    p->shape->round = p->placed->round = p->radius;
}

/* The points are scaled in place. */
static void set_mesh(lab_body *b, lab_part *p, double (*point)[3], int nv, const int (*triangle)[3],
                     int nt, const double x[3], const double q[4])
{
    for (int i = 0; i < nv; i++)
        for (int k = 0; k < 3; k++) point[i][k] *= b->world->scale;
    set_shape(b, p, lab_shape_mesh((const double(*)[3])point, nv, triangle, nt), x, q);
    if (b->kind == LAB_DYNAMIC && p->shape && !p->shape->closed && b->shell == 0)
        lab_fail(b->world, "body '%s': the mesh of a moving body must be closed", b->name);
}

void lab_trimesh(lab_body *b, const double (*vertices)[3], int nv, const int (*triangles)[3],
                 int nt, const double x[3], const double q[4])
{
    if (!b || b->world->failed) return;
    lab_part *p = new_part(b);
    double(*point)[3] = malloc(((size_t)nv + 1) * sizeof *point);
    if (p && point) {
        memcpy(point, vertices, (size_t)nv * sizeof *point);
        set_mesh(b, p, point, nv, triangles, nt, x, q);
    } else {
        lab_fail(b->world, "out of memory");
    }
    free(point);
}

/* The surface of a heightfield, split as ODE does: each cell along the diagonal from the corner of
 * largest x and y to that of smallest. */
static void set_field(lab_body *b, lab_part *p, const double size[2], double (*point)[3],
                      int (*triangle)[3], const double x[3], const double q[4])
{
    int nx = p->samples[0], ny = p->samples[1], nt = 0;
    for (int i = 0; i < nx * ny; i++) {
        point[i][0] = size[0] * (i % nx / (nx - 1.) - .5);
        point[i][1] = size[1] * (.5 - i / nx / (ny - 1.));
        point[i][2] = p->height[i];
        p->height[i] *= b->world->scale;
        if (i % nx == nx - 1 || i / nx == ny - 1) continue;
        int right = i + 1, down = i + nx, both = i + nx + 1;
        memcpy(triangle[nt++], (int[3]){i, down, right}, sizeof *triangle);
        memcpy(triangle[nt++], (int[3]){down, both, right}, sizeof *triangle);
    }
    for (int k = 0; k < 2; k++) p->sides[k] = b->world->scale * size[k];
    set_mesh(b, p, point, nx * ny, (const int(*)[3])triangle, nt, x, q);
}

void lab_heightfield(lab_body *b, const double size[2], const int samples[2], const double *height,
                     const double x[3], const double q[4])
{
    if (!b || b->world->failed) return;
    int nx = samples[0], ny = samples[1];
    if (b->kind != LAB_STATIC || nx < 2 || ny < 2 || !(size[0] > 0 && size[1] > 0)) {
        lab_fail(b->world, "body '%s': a heightfield is static and has 2 x 2 samples or more",
                 b->name);
        return;
    }
    lab_part *p = new_part(b);
    size_t n = (size_t)nx * (size_t)ny;
    double(*point)[3] = malloc(n * sizeof *point);
    int(*triangle)[3] = malloc(2 * n * sizeof *triangle);
    if (p) p->samples[0] = nx, p->samples[1] = ny, p->height = malloc(n * sizeof *p->height);
    if (p && p->height && point && triangle) {
        for (int j = 0; j < ny; j++) /* ODE's rows run against y */
            memcpy(p->height + (size_t)(ny - 1 - j) * (size_t)nx, height + (size_t)j * (size_t)nx,
                   (size_t)nx * sizeof *height);
        set_field(b, p, size, point, triangle, x, q);
    } else {
        lab_fail(b->world, "out of memory");
    }
    free(point);
    free(triangle);
}

lab_body *lab_plane(lab_world *w, const char *name, const double normal[3], double offset)
{
    lab_body *b = lab_add(w, name, LAB_STATIC, NULL, NULL);
    lab_part *p = b ? new_part(b) : NULL;
    if (!p) return b;
    double n[3];
    peg_rotate(w->turn, normal, n);
    b->is_plane = 1;
    p->shape = lab_shape_half_space(n, w->scale * offset);
    p->placed = p->shape ? lab_shape_copy(p->shape) : NULL;
    if (!p->placed) lab_fail(w, "plane '%s': its normal has no length", name);
    return b;
}

lab_body *lab_add_box(lab_world *w, const char *name, lab_kind kind, double lx, double ly,
                      double lz, double x, double y, double z, const double q[4])
{
    lab_body *b = lab_add(w, name, kind, (double[3]){x, y, z}, q);
    lab_box(b, (double[3]){lx, ly, lz}, NULL, NULL);
    return b;
}

lab_body *lab_add_block(lab_world *w, const char *name, const double sides[3], const double x[3],
                        double mass)
{
    lab_body *b = lab_add(w, name, LAB_DYNAMIC, x, NULL);
    lab_box(b, sides, NULL, NULL);
    lab_mass(b, mass);
    return b;
}
