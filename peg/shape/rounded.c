/* Convex polytopes with a radius. */
#include "peg/shape/polygon_mesh.h"
#include "peg/shape/polytope.h"

static peg_polytope *copy(const peg_polytope *p)
{
    int corners = p->face_start[p->nf];
    peg_polytope *c = peg_polytope_new(p->nv, p->nf, p->ne, corners);
    if (!c) return NULL;
    memcpy(c->vertex, p->vertex, (size_t)p->nv * sizeof *p->vertex);
    memcpy(c->normal, p->normal, (size_t)p->nf * sizeof *p->normal);
    memcpy(c->offset, p->offset, (size_t)p->nf * sizeof *p->offset);
    memcpy(c->face_start, p->face_start, (size_t)(p->nf + 1) * sizeof *p->face_start);
    memcpy(c->face_vertex, p->face_vertex, (size_t)corners * sizeof *p->face_vertex);
    memcpy(c->edge, p->edge, (size_t)p->ne * sizeof *p->edge);
    memcpy(c->next_start, p->next_start, (size_t)(p->nv + 1) * sizeof *p->next_start);
    memcpy(c->next, p->next, 2 * (size_t)p->ne * sizeof *p->next);
    peg_polytope_mark_edges(c);
    peg_copy3(p->centre, c->centre);
    peg_copy3(p->extent, c->extent);
    c->radius = p->radius, c->inner = p->inner, c->give = p->give, c->width = p->width;
    c->volume = p->volume;
    return c;
}

static double face_area(const peg_polytope *p, int f)
{
    peg_vec3 sum = {0};
    const double *a = p->vertex[p->face_vertex[p->face_start[f]]];
    for (int k = p->face_start[f] + 1; k + 1 < p->face_start[f + 1]; k++) {
        peg_vec3 b, c, x;
        peg_sub(p->vertex[p->face_vertex[k]], a, b);
        peg_sub(p->vertex[p->face_vertex[k + 1]], a, c);
        peg_cross(b, c, x);
        peg_add_scaled(sum, .5, x, sum);
    }
    return peg_norm(sum);
}

/* What the radius adds: a layer on the faces, a sector along every edge, in all one ball. */
static double layer(const peg_polytope *p, double radius)
{
    double area = 0, sectors = 0;
    for (int f = 0; f < p->nf; f++) area += face_area(p, f);
    for (int e = 0; e < p->ne; e++) {
        peg_vec3 along;
        peg_sub(p->vertex[p->edge[e].v[1]], p->vertex[p->edge[e].v[0]], along);
        double cosine = peg_dot(p->normal[p->edge[e].f[0]], p->normal[p->edge[e].f[1]]);
        sectors += .5 * acos(peg_min(peg_max(cosine, -1), 1)) * peg_norm(along);
    }
    return radius * (area + radius * (sectors + 4. / 3 * PEG_PI * radius));
}

pegStatus peg_polytope_rounded(const peg_polytope *core, double radius, peg_polytope **out)
{
    *out = NULL;
    if (core->kind != PEG_SHAPE_POLYTOPE) return PEG_ERROR_ARGUMENT;
    if (!isfinite(radius)) return PEG_ERROR_NOT_FINITE;
    if (!(radius > 0)) return PEG_ERROR_SHAPE_EMPTY;
    pegStatus status = peg_size_check(core->radius + radius);
    if (status != PEG_OK) return status;
    peg_polytope *p = copy(core);
    if (!p) return PEG_ERROR_MEMORY;
    p->kind = PEG_SHAPE_ROUNDED;
    p->round = radius;
    p->inner += radius, p->radius += radius, p->width += 2 * radius;
    p->size = p->radius;
    p->volume += layer(core, radius);
    *out = p;
    return PEG_OK;
}
