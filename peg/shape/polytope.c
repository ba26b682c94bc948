/* Memory and derived figures of polytopes; views of them at a pose. */
#include "peg/shape/polytope.h"

#include "peg/base/lanes.h"

#include "peg/base/arena.h"
#include "peg/shape/polygon_mesh.h"

peg_polytope *peg_polytope_new(int nv, int nf, int ne, int corners)
{
    size_t bytes = sizeof(peg_polytope) + sizeof(peg_vec3) * (size_t)(nv + nf) +
                   (sizeof(double) + sizeof(uint64_t)) * (size_t)nf +
                   sizeof(peg_edge) * (size_t)ne +
                   sizeof(int) * (size_t)(nf + 1 + corners + nv + 1 + 2 * ne);
    peg_polytope *p = peg_alloc_zero(1, bytes);
    if (!p) return NULL;
    p->nv = nv, p->nf = nf, p->ne = ne;
    p->vertex = (peg_vec3 *)(p + 1);
    p->normal = p->vertex + nv;
    p->offset = (double *)(p->normal + nf);
    p->edge = (peg_edge *)(p->offset + 2 * nf); /* between them room for face_edges */
    p->face_start = (int *)(p->edge + ne);
    p->face_vertex = p->face_start + nf + 1;
    p->next_start = p->face_vertex + corners;
    p->next = p->next_start + nv + 1;
    return p;
}

void peg_polytope_free(peg_polytope *p)
{
    peg_free(p);
}

/* Lists the neighbours of every vertex, by counting; on the way next_start[v] is where the next one
 * of v goes. */
static void list_neighbours(peg_polytope *p)
{
    for (int e = 0; e < p->ne; e++)
        for (int k = 0; k < 2; k++) p->next_start[p->edge[e].v[k]]++;
    for (int v = 0, sum = 0; v <= p->nv; v++) {
        int count = v < p->nv ? p->next_start[v] : 0;
        p->next_start[v] = sum;
        sum += count;
    }
    for (int e = 0; e < p->ne; e++)
        for (int k = 0; k < 2; k++) p->next[p->next_start[p->edge[e].v[k]]++] = p->edge[e].v[1 - k];
    for (int v = p->nv; v > 0; v--) p->next_start[v] = p->next_start[v - 1];
    p->next_start[0] = 0;
}

/* Below, rounding of a direction could make an edge sharper than `blunt`. */
static const double ROUNDING = 1e-6;

void peg_polytope_mark_edges(peg_polytope *p)
{
    p->blunt = 1;
    for (int e = 0; e < p->ne; e++) {
        peg_vec3 sum;
        peg_add_scaled(p->normal[p->edge[e].f[0]], 1, p->normal[p->edge[e].f[1]], sum);
        p->blunt = fmin(p->blunt, 0.5 * peg_norm(sum));
    }
    p->blunt = fmax(p->blunt - ROUNDING, 0);
    if (p->ne > 64) return;
    p->face_edges = (uint64_t *)(p->offset + p->nf);
    for (int e = 0; e < p->ne; e++)
        for (int k = 0; k < 2; k++) p->face_edges[p->edge[e].f[k]] |= (uint64_t)1 << e;
}

void peg_polytope_close_face(peg_polytope *p, int f)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int v = 0; v < p->nv; v++) {
        double s = peg_dot(p->normal[f], p->vertex[v]);
        lo = fmin(lo, s);
        hi = fmax(hi, s);
    }
    p->offset[f] = hi;
    p->width = fmin(p->width, hi - lo);
}

void peg_polytope_set_extent(peg_polytope *p)
{
    for (int k = 0; k < 3; k++) {
        double most = 0;
        for (int v = 0; v < p->nv; v++) most = peg_max(most, fabs(p->vertex[v][k] - p->centre[k]));
        p->extent[k] = most + (k < 2 ? p->rim : 0);
    }
}

void peg_polytope_finish(peg_polytope *p, const peg_polygon_mesh *m)
{
    for (int h = 0, e = 0; h < m->start[m->nf]; h++)
        if (h < m->twin[h])
            p->edge[e++] = (peg_edge){{p->face_vertex[h], p->face_vertex[m->twin[h]]},
                                      {m->face[h], m->face[m->twin[h]]}};
    p->width = INFINITY;
    for (int f = 0; f < p->nf; f++) peg_polytope_close_face(p, f);
    for (int v = 0; v < p->nv; v++) peg_add_scaled(p->centre, 1, p->vertex[v], p->centre);
    for (int k = 0; k < 3; k++) p->centre[k] /= p->nv;
    for (int v = 0; v < p->nv; v++) {
        peg_vec3 d;
        peg_sub(p->vertex[v], p->centre, d);
        p->radius = fmax(p->radius, peg_norm(d));
    }
    p->size = p->radius;
    peg_polytope_set_extent(p);
    p->inner = INFINITY;
    for (int f = 0; f < p->nf; f++) {
        int sides = p->face_start[f + 1] - p->face_start[f];
        if (sides > p->sides) p->sides = sides;
        p->inner = fmin(p->inner, p->offset[f] - peg_dot(p->normal[f], p->centre));
    }
    p->inner = fmax(p->inner, 0);
    if (p->inner > 0) p->give = p->radius / p->inner;
    list_neighbours(p);
    peg_polytope_mark_edges(p);
    double centre[3], inertia[9];
    peg_polytope_mass(p, &p->volume, centre, inertia);
}

/* --- views --- */

int peg_view_numbers(const peg_polytope *shape)
{
    return 3 * shape->nv + 4 * shape->nf;
}

void peg_view_use(double *numbers, const peg_polytope *shape, peg_view *view)
{
    view->shape = shape;
    view->vertex = (peg_vec3 *)numbers;
    view->normal = (peg_vec3 *)(numbers + 3 * shape->nv);
    view->offset = numbers + 3 * (shape->nv + shape->nf);
}

int peg_view_allocate(peg_arena *arena, const peg_polytope *shape, peg_view *view)
{
    double *numbers = PEG_NEW(arena, double, peg_view_numbers(shape));
    if (numbers) peg_view_use(numbers, shape, view);
    return numbers != NULL;
}

/* R a, of the columns of R; the sums of peg_rotate in its order. */
PEG_HOT peg_doubles rotate(const peg_doubles column[3], const double *a)
{
    return a[0] * column[0] + a[1] * column[1] + a[2] * column[2];
}

/* The same of four vectors. */
PEG_HOT void rotate4(const double R[9], const double (*from)[3], peg_doubles out[3])
{
    peg_doubles a[3];
    peg_doubles_take4(from, a);
    for (int k = 0; k < 3; k++)
        out[k] = R[3 * k] * a[0] + R[3 * k + 1] * a[1] + R[3 * k + 2] * a[2];
}

/* Four vertices from the v-th on. */
PEG_HOT void place_vertices(peg_view *view, int v, const double x[3], const double R[9])
{
    peg_doubles at[3];
    rotate4(R, (const double(*)[3])(view->shape->vertex + v), at);
    for (int k = 0; k < 3; k++) at[k] += x[k];
    peg_doubles_put4(at, view->vertex + v);
}

/* Four faces from the f-th on. */
PEG_HOT void place_faces(peg_view *view, int f, const double x[3], const double R[9])
{
    peg_doubles n[3], offset = peg_doubles_load(view->shape->offset + f);
    rotate4(R, (const double(*)[3])(view->shape->normal + f), n);
    peg_doubles_put4(n, view->normal + f);
    offset += n[0] * x[0] + n[1] * x[1] + n[2] * x[2];
    peg_doubles_store(offset, view->offset + f);
}

/* Of fewer than four vertices, or faces. */
PEG_HOT void place_few(peg_view *view, const double x[3], const double R[9])
{
    const peg_polytope *p = view->shape;
    peg_doubles column[3], to = {x[0], x[1], x[2]};
    for (int k = 0; k < 3; k++) column[k] = (peg_doubles){R[k], R[3 + k], R[6 + k]};
    for (int v = 0; v < p->nv && p->nv < 4; v++) {
        peg_doubles at = rotate(column, p->vertex[v]) + to;
        memcpy(view->vertex[v], &at, sizeof *view->vertex);
    }
    for (int f = 0; f < p->nf && p->nf < 4; f++) {
        peg_doubles n = rotate(column, p->normal[f]), along = n * to;
        memcpy(view->normal[f], &n, sizeof *view->normal);
        view->offset[f] = p->offset[f] + (along[0] + along[1] + along[2]);
    }
}

/* The last group of four overlaps the one before it. */
PEG_WIDE static void place(peg_view *view, const double x[3], const double R[9])
{
    int nv = view->shape->nv, nf = view->shape->nf;
    for (int v = 0; v + 4 <= nv; v += 4) place_vertices(view, v, x, R);
    if (nv > 4 && nv % 4) place_vertices(view, nv - 4, x, R);
    for (int f = 0; f + 4 <= nf; f += 4) place_faces(view, f, x, R);
    if (nf > 4 && nf % 4) place_faces(view, nf - 4, x, R);
    if (nv < 4 || nf < 4) place_few(view, x, R);
}

void peg_view_set(peg_view *view, const double x[3], const double R[9])
{
    const peg_polytope *p = view->shape;
    place(view, x, R);
    peg_rotate(R, p->centre, view->centre);
    peg_add_scaled(view->centre, 1, x, view->centre);
    if (peg_is_triangle(p) || peg_has_rim(p)) memcpy(view->turn, R, sizeof view->turn);
}

/* --- boxes --- */

/* Of four points. */
PEG_HOT void widen(const peg_vec3 *point, const double *R, peg_doubles lo[3], peg_doubles hi[3])
{
    peg_doubles at[3];
    if (R)
        rotate4(R, (const double(*)[3])point, at);
    else
        peg_doubles_take4((const double(*)[3])point, at);
    for (int k = 0; k < 3; k++) {
        lo[k] = peg_doubles_min(at[k], lo[k]);
        hi[k] = peg_doubles_max(at[k], hi[k]);
    }
}

PEG_WIDE static void box_of_many(const peg_vec3 *point, int n, const double *R, double lo[3],
                                 double hi[3])
{
    peg_doubles least[3], most[3];
    for (int k = 0; k < 3; k++) {
        least[k] = peg_doubles_of(INFINITY);
        most[k] = peg_doubles_of(-INFINITY);
    }
    for (int v = 0; v + 4 <= n; v += 4) widen(point + v, R, least, most);
    if (n % 4) widen(point + n - 4, R, least, most);
    for (int k = 0; k < 3; k++) {
        lo[k] = peg_doubles_least(least[k]);
        hi[k] = peg_doubles_most(most[k]);
    }
}

void peg_box_of_points(const peg_vec3 *point, int n, const double R[9], double lo[3], double hi[3])
{
    if (n >= 4) {
        box_of_many(point, n, R, lo, hi);
        return;
    }
    for (int v = 0; v < n; v++)
        for (int k = 0; k < 3; k++) {
            double at = R ? peg_dot(R + 3 * k, point[v]) : point[v][k];
            lo[k] = v ? peg_min(lo[k], at) : at;
            hi[k] = v ? peg_max(hi[k], at) : at;
        }
}
