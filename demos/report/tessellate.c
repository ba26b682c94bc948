/* Triangles with unit normals; those without an area are left out. */
#include "demos/report/tessellate.h"

#include <math.h>
#include <stdlib.h>

#include "peg/base/math.h"

typedef struct corner {
    double x[3], n[3];
} corner;

void soup_free(triangle_soup *s)
{
    free(s->position);
    free(s->normal);
    *s = (triangle_soup){0};
}

static int reserve(triangle_soup *s)
{
    if (s->corners + 3 <= s->room) return 1;
    int room = 2 * s->room + 96;
    void *position = realloc(s->position, (size_t)room * sizeof *s->position);
    if (position) s->position = position;
    void *normal = realloc(s->normal, (size_t)room * sizeof *s->normal);
    if (normal) s->normal = normal;
    if (!position || !normal) s->no_memory = 1;
    if (position && normal) s->room = room;
    return position && normal;
}

static void add(triangle_soup *s, const corner *a, const corner *b, const corner *c)
{
    const corner *of[3] = {a, b, c};
    double p[3], q[3], area[3];
    peg_sub(b->x, a->x, p);
    peg_sub(c->x, a->x, q);
    peg_cross(p, q, area);
    if (peg_norm(area) <= 1e-12 * (peg_dot(p, p) + peg_dot(q, q)) || !reserve(s)) return;
    for (int i = 0; i < 3; i++, s->corners++)
        for (int k = 0; k < 3; k++) {
            s->position[s->corners][k] = (float)of[i]->x[k];
            s->normal[s->corners][k] = (float)of[i]->n[k];
        }
}

static void add_faces(triangle_soup *s, const lab_shape *shape)
{
    for (int f = 0; f < shape->nf; f++) {
        corner c[3];
        for (int i = 0; i < 3; i++) peg_copy3(shape->normal[f], c[i].n);
        const int *index = &shape->index[shape->start[f]];
        int n = shape->start[f + 1] - shape->start[f];
        peg_copy3(shape->vertex[index[0]], c[0].x);
        for (int i = 1; i + 1 < n; i++) {
            peg_copy3(shape->vertex[index[i]], c[1].x);
            peg_copy3(shape->vertex[index[i + 1]], c[2].x);
            add(s, &c[0], &c[1], &c[2]);
        }
    }
}

/* Two directions across an axis. */
static void across(const double axis[3], double u[3], double v[3])
{
    double side[3] = {1, 0, 0};
    if (fabs(axis[0]) > .8) side[0] = 0, side[1] = 1;
    peg_cross(axis, side, u);
    peg_normalise(u);
    peg_cross(axis, u, v);
}

static void add_half_space(triangle_soup *s, const lab_shape *shape, const double centre[3],
                           double half)
{
    const double *n = shape->normal[0];
    double u[3], v[3], foot[3];
    corner c[4];
    across(n, u, v);
    peg_add_scaled(centre, shape->offset[0] - peg_dot(n, centre), n, foot);
    for (int i = 0; i < 4; i++) {
        peg_add_scaled(foot, i == 1 || i == 2 ? half : -half, u, c[i].x);
        peg_add_scaled(c[i].x, i > 1 ? half : -half, v, c[i].x);
        peg_copy3(n, c[i].n);
    }
    add(s, &c[0], &c[1], &c[2]);
    add(s, &c[0], &c[2], &c[3]);
}

/* A circle of a surface of revolution: radius, height along the axis, and the normal's parts. */
typedef struct ring {
    double radius, height, out, along;
} ring;

static void ring_corner(const double from[3], double axes[3][3], const ring *r, double angle,
                        corner *c)
{
    for (int k = 0; k < 3; k++) {
        double d = cos(angle) * axes[0][k] + sin(angle) * axes[1][k];
        c->x[k] = from[k] + r->height * axes[2][k] + r->radius * d;
        c->n[k] = r->out * d + r->along * axes[2][k];
    }
    peg_normalise(c->n);
}

static void add_rings(triangle_soup *s, const double from[3], double axes[3][3], const ring *r,
                      int n, int sectors)
{
    for (int i = 0; i + 1 < n; i++)
        for (int k = 0; k < sectors; k++) {
            double angle[2] = {2 * acos(-1) * k / sectors, 2 * acos(-1) * (k + 1) / sectors};
            corner c[2][2];
            for (int m = 0; m < 4; m++)
                ring_corner(from, axes, &r[i + m / 2], angle[m % 2], &c[m / 2][m % 2]);
            add(s, &c[0][0], &c[0][1], &c[1][1]);
            add(s, &c[0][0], &c[1][1], &c[1][0]);
        }
}

static void add_round(triangle_soup *s, const lab_shape *shape, int sectors)
{
    enum { CAP = 8 };
    double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, r = shape->round, length = 0;
    ring rings[2 * (CAP + 1)];
    int n = 0;
    if (shape->nv == 2) peg_sub(shape->vertex[1], shape->vertex[0], axes[2]);
    if (shape->nv == 2) length = peg_normalise(axes[2]);
    if (length == 0) axes[2][0] = axes[2][1] = 0, axes[2][2] = 1;
    across(axes[2], axes[0], axes[1]);
    if (shape->kind == LAB_SHAPE_CYLINDER) {
        const ring flat[6] = {{0, 0, 0, -1},     {r, 0, 0, -1},     {r, 0, 1, 0},
                              {r, length, 1, 0}, {r, length, 0, 1}, {0, length, 0, 1}};
        add_rings(s, shape->vertex[0], axes, flat, 6, sectors);
        return;
    }
    for (int end = 0; end < 2; end++)
        for (int i = 0; i <= CAP; i++) {
            double t = acos(-1) / 2 * (end ? (double)i / CAP : (double)i / CAP - 1);
            rings[n++] = (ring){r * cos(t), end * length + r * sin(t), cos(t), sin(t)};
        }
    add_rings(s, shape->vertex[0], axes, rings, n, sectors);
}

void soup_add_part(triangle_soup *s, const lab_shape *shape, int sectors, const double centre[3],
                   double half_side)
{
    if (shape->nv == 0)
        add_half_space(s, shape, centre, half_side);
    else if (shape->nf > 0)
        add_faces(s, shape);
    else if (shape->round > 0)
        add_round(s, shape, sectors);
}
