/* Overlaps of the start of two meshes, one of which is closed. A pair of triangles that pass
 * through each other has a least direction of its own, and those of neighbours contradict each
 * other. What can open is the overlap as a whole: its contour, the closed line along which the
 * surfaces cross, has an area vector, which is the gradient of the overlap's volume by a
 * translation of one mesh. That, or a face near it, is the direction n of the contour; its depth
 * is the most by which one mesh reaches above the other along n, as far as the triangles that
 * cross tell. Where this is too little the rest follows in the next steps. Corners of the contour
 * are contact points along n, with that gap.
 *
 * An open mesh, a sheet, has no volume, but the same contours where these are closed; the closed
 * mesh leaves it to the side where most of it is.
 *
 * A triangle that crosses the other mesh, or lies inside of it or beyond the sheet, is buried: it
 * is no obstacle on the way out. Its other pairs are not checked, and have rows only where closed
 * meshes are touched from outside. */
#include "peg/step/mesh_overlaps.h"

#include "peg/base/arena.h"
#include "peg/collide/triangle_crossing.h"
#include "peg/shape/mesh_orientation.h"

/* Ends of segments this close are one, L. */
static const double SAME_END = 1e-6;

/* Area of a contour, as a share of its squared length, below which it has no direction. */
static const double NO_AREA = 1e-9;

/* Triangles of a mesh that are looked at to tell whether it is inside of the other one. */
enum { SAMPLES = 32 };

/* A pair of triangles that cross. */
typedef struct crossing {
    int pair;
    int contour; /* the first crossing of it, once all are joined */
    int goes_on; /* bit k: another one begins at end k */
    peg_vec3 end[2];
} crossing;

/* Two meshes: crossings from first to last - 1. */
typedef struct couple {
    peg_assembly *a;
    int mesh[2]; /* parts */
    crossing *first, *last;
    int sheet;             /* which of them is open, 0 or 1; -1: none */
    unsigned char *buried; /* by piece: 0 not known, 1 no, 2 yes */
    unsigned char *beyond; /* beside a sheet, by triangle of the other mesh: it crosses the sheet,
                              or is on the far side of it */
} couple;

static const peg_candidate *candidate_of(const peg_assembly *a, int pair)
{
    return &a->stage->candidate[a->candidate_of[pair]];
}

static const peg_view *view_of(const peg_assembly *a, int part)
{
    return &a->stage->placed[part].view;
}

/* Whether a world point is inside of a closed mesh. */
static int contains(const peg_stage *s, int mesh, const double *point)
{
    const peg_placed *m = &s->placed[mesh];
    double local[3];
    peg_sub(point, m->x, local);
    peg_rotate_back(m->R, local, local);
    return peg_mesh_contains(s->part[mesh].triangle_mesh, local);
}

/* The centre of one of its triangles, in its frame. Returns twice its area. */
static double sample(const peg_triangle_mesh *m, int i, double centre[3])
{
    const int *v = m->triangle[(long)i * (m->nt - 1) / (SAMPLES - 1)];
    double u[3], w[3], across[3];
    peg_sub(m->vertex[v[1]], m->vertex[v[0]], u);
    peg_sub(m->vertex[v[2]], m->vertex[v[0]], w);
    peg_cross(u, w, across);
    for (int k = 0; k < 3; k++) centre[k] = m->vertex[v[0]][k] + (u[k] + w[k]) / 3;
    return peg_norm(across);
}

/* --- crossings --- */

/* Of an open mesh: to the side that its normals look to. */
static void outward(const peg_view *T, double n[3])
{
    int sense = T->shape->mesh->sense < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++) n[k] = sense * T->normal[0][k];
}

static int is_closed(const peg_view *view)
{
    return view->shape->mesh->sense != 0;
}

/* Triangles that only touch: whether the sheet, of which T is, goes on from there into the closed
 * mesh, which S of it crosses. */
static int leads_in(const peg_view *T, const peg_view *S, double touch)
{
    double out[3], inner = 0, least = 0, most = 0;
    outward(S, out);
    for (int k = 0; k < 3; k++) {
        double d[3];
        peg_sub(T->vertex[k], S->vertex[0], d);
        inner = peg_min(inner, peg_dot(out, d));
        if (peg_dot(out, d) > touch) return 0;
        double height = peg_dot(T->normal[0], S->vertex[k]) - T->offset[0];
        least = peg_min(least, height), most = peg_max(most, height);
    }
    return inner < -touch && least < -touch && most > touch;
}

/* The same of two closed meshes: whether they overlap beside what the triangles a and b have in
 * common. */
static int overlap_beside(const peg_stage *s, int a, int b, const peg_vec3 end[2], double touch)
{
    double na[3], nb[3], at[3], within = 2 * touch;
    outward(&s->placed[a].view, na);
    outward(&s->placed[b].view, nb);
    for (int k = 0; k < 3; k++) at[k] = .5 * (end[0][k] + end[1][k]) - within * (na[k] + nb[k]);
    return contains(s, s->scene_part[a], at) && contains(s, s->scene_part[b], at);
}

/* Two triangles of meshes that have sides, one of which is closed. */
static int may_open(const peg_view *A, const peg_view *B)
{
    return peg_is_triangle(A->shape) && peg_is_triangle(B->shape) &&
           A->shape->mesh->is_of_one_turn && B->shape->mesh->is_of_one_turn &&
           (is_closed(A) || is_closed(B));
}

int peg_find_crossing(const peg_stage *s, int a, int b, peg_vec3 end[2])
{
    const peg_view *A = &s->placed[a].view, *B = &s->placed[b].view;
    if (!may_open(A, B)) return 0;
    double touch = PEG_TOUCH * peg_pair_size(A->shape, B->shape);
    peg_crossing_kind kind = peg_triangles_cross(A, B, touch, end);
    if (kind != PEG_CROSSING_TOUCH) return kind == PEG_CROSSING_THROUGH;
    if (is_closed(A) && is_closed(B)) return overlap_beside(s, a, b, (const peg_vec3 *)end, touch);
    return is_closed(A) ? leads_in(B, A, touch) : leads_in(A, B, touch);
}

/* Returns how many there are, or -1 without memory. */
static int find_crossings(const peg_assembly *a, crossing **out)
{
    int count = 0;
    crossing x;
    *out = NULL;
    for (int p = 0; p < a->island.npair; p++) {
        const peg_candidate *c = candidate_of(a, p);
        if (a->island.pair[p].surface->soft || !peg_find_crossing(a->stage, c->a, c->b, x.end))
            continue;
        x.pair = p;
        if (!*out) *out = PEG_NEW(a->island.arena, crossing, a->island.npair - p);
        if (!*out) return -1;
        (*out)[count++] = x;
    }
    return count;
}

/* --- contours --- */

static int root_of(crossing *all, int i)
{
    while (all[i].contour != i) i = all[i].contour = all[all[i].contour].contour;
    return i;
}

static void unite(crossing *all, int i, int j)
{
    int of_i = root_of(all, i), of_j = root_of(all, j);
    all[of_i > of_j ? of_i : of_j].contour = of_i < of_j ? of_i : of_j;
}

static void join_ends(crossing *all, int i, int j, double near)
{
    for (int k = 0; k < 4; k++) {
        double d[3];
        peg_sub(all[i].end[k & 1], all[j].end[k >> 1], d);
        if (peg_dot(d, d) > near * near) continue;
        all[i].goes_on |= 1 << (k & 1);
        all[j].goes_on |= 1 << (k >> 1);
        unite(all, i, j);
    }
}

/* Where triangles touch, what belongs to a contour is left to rounding: what is not closed is one
 * contour. Returns whether all are closed. */
static int join(const couple *c)
{
    crossing *all = c->first;
    int n = (int)(c->last - c->first), open = -1;
    double near = SAME_END * c->a->island.pair[c->first->pair].L;
    for (int i = 0; i < n; i++) all[i].contour = i, all[i].goes_on = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) join_ends(all, i, j, near);
    for (int i = 0; i < n; i++) {
        if (all[i].goes_on == 3) continue;
        if (open >= 0) unite(all, i, open);
        open = i;
    }
    for (int i = 0; i < n; i++) all[i].contour = root_of(all, i);
    return open < 0;
}

/* How much more of the surface of a mesh is on the side of a plane that n looks to, m^2. */
static double surplus(const couple *c, int side, const double n[3], const double origin[3])
{
    const peg_placed *m = &c->a->stage->placed[c->mesh[side]];
    const peg_triangle_mesh *mesh = c->a->stage->part[c->mesh[side]].triangle_mesh;
    double local[3], from[3], sum = 0;
    peg_rotate_back(m->R, n, local);
    peg_sub(origin, m->x, from);
    double level = peg_dot(n, from);
    for (int i = 0; i < SAMPLES; i++) {
        double centre[3], area = sample(mesh, i, centre);
        sum += peg_dot(local, centre) > level ? area : -area;
    }
    return sum;
}

/* Out of B, into A. Seen against it the contour runs the way round that nb x na has; that of a hole
 * in the overlap runs the other way, and only the normals tell. A closed mesh leaves a sheet to
 * the side where most of it is. */
static void find_direction(const couple *c, int contour, double n[3])
{
    double centre[3] = {0}, area[3] = {0}, between[3] = {0}, length = 0;
    for (const crossing *x = c->first; x < c->last; x++) {
        double d[3];
        if (x->contour != contour) continue;
        peg_sub(x->end[1], x->end[0], d);
        double weight = peg_norm(d);
        for (int k = 0; k < 3; k++) centre[k] += .5 * weight * (x->end[0][k] + x->end[1][k]);
        length += weight;
    }
    for (int k = 0; k < 3; k++) centre[k] /= length;
    for (const crossing *x = c->first; x < c->last; x++) {
        double na[3], nb[3], way[3], d[3], from[3], swept[3];
        if (x->contour != contour) continue;
        const peg_candidate *of = candidate_of(c->a, x->pair);
        outward(view_of(c->a, of->a), na);
        outward(view_of(c->a, of->b), nb);
        peg_sub(x->end[1], x->end[0], d);
        peg_sub(x->end[0], centre, from);
        peg_cross(nb, na, way);
        peg_cross(from, d, swept);
        double sign = peg_dot(way, d) < 0 ? -1 : 1, weight = peg_norm(d);
        for (int k = 0; k < 3; k++) {
            area[k] += .5 * sign * swept[k];
            between[k] += weight * (nb[k] - na[k]);
        }
    }
    double sense = peg_dot(area, between) < 0 ? -1 : 1;
    if (c->sheet == 0) sense = surplus(c, 1, area, centre) > 0 ? -1 : 1;
    if (c->sheet == 1) sense = surplus(c, 0, area, centre) < 0 ? -1 : 1;
    int has_area = peg_norm(area) > NO_AREA * length * length;
    for (int k = 0; k < 3; k++) n[k] = has_area ? sense * area[k] : c->sheet < 0 ? between[k] : 0;
    peg_normalise(n);
}

static double find_depth(const couple *c, int contour, const double n[3])
{
    double depth = 0;
    for (const crossing *x = c->first; x < c->last; x++) {
        const peg_candidate *of = candidate_of(c->a, x->pair);
        if (x->contour != contour) continue;
        depth = peg_max(depth,
                        peg_triangle_reaches_above(view_of(c->a, of->a), view_of(c->a, of->b), n));
    }
    return depth;
}

/* Cosine of the angle to a contour's area vector up to which faces are taken for its direction. */
static const double NEAR_AREA = 0.98;

/* Along a face near n, of those that cross, where that is less deep: the contour of a block that
 * juts out beyond the one below it is at another height there, and not level. Returns the depth. */
static double take_face(const couple *c, int contour, double n[3])
{
    double depth = find_depth(c, contour, n), area[3], last[3] = {0};
    peg_copy3(n, area);
    for (const crossing *x = c->first; x < c->last; x++)
        for (int side = 0; side < 2 && x->contour == contour; side++) {
            const peg_candidate *of = candidate_of(c->a, x->pair);
            double face[3];
            outward(view_of(c->a, side ? of->b : of->a), face);
            int is_turned = c->sheet == side ? peg_dot(face, area) < 0 : !side;
            for (int k = 0; k < 3 && is_turned; k++) face[k] = -face[k];
            if (peg_dot(face, area) < NEAR_AREA || peg_dot(face, last) > 1 - PEG_TOUCH) continue;
            peg_copy3(face, last);
            double along = find_depth(c, contour, face);
            if (!(along < depth)) continue;
            depth = along;
            peg_copy3(face, n);
        }
    return depth;
}

/* Contacts of a contour, at most. */
enum { MOST_CONTACTS = 8 };

/* The ends of its segments that are farthest out, across n. */
static int find_corners(const couple *c, int contour, const double n[3], const double **corner)
{
    double t[2][3];
    int count = 0;
    peg_orthogonal(n, t[0]);
    peg_cross(n, t[0], t[1]);
    for (int k = 0; k < MOST_CONTACTS; k++) {
        static const int way[MOST_CONTACTS][2] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                                  {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
        const double *farthest = NULL;
        double out[3], most = -INFINITY;
        for (int i = 0; i < 3; i++) out[i] = way[k][0] * t[0][i] + way[k][1] * t[1][i];
        for (const crossing *x = c->first; x < c->last; x++)
            for (int end = 0; end < 2 && x->contour == contour; end++) {
                double far = peg_dot(out, x->end[end]);
                if (far > most) most = far, farthest = x->end[end];
            }
        if (count == 0 || (farthest != corner[0] && farthest != corner[count - 1]))
            corner[count++] = farthest;
    }
    return count;
}

/* The corners of a contour become contacts of its first pair, with one gap for all; the others
 * repeat one of them. Of no depth at all it opens by a margin a step. */
static int open_along(const couple *c, int contour, const double n[3], double depth)
{
    peg_island *I = &c->a->island;
    const double *corner[MOST_CONTACTS];
    int count = find_corners(c, contour, n, corner);
    for (const crossing *x = c->first; x < c->last; x++) {
        if (x->contour != contour) continue;
        const peg_candidate *of = candidate_of(c->a, x->pair);
        peg_pair *pair = &I->pair[x->pair];
        peg_external *contact = PEG_NEW(I->arena, peg_external, count);
        if (!contact) return 0;
        double radii = view_of(c->a, of->a)->shape->round + view_of(c->a, of->b)->shape->round;
        for (int k = 0; k < count; k++) {
            contact[k] = (peg_external){
                .part_a = of->a, .part_b = of->b, .gap = -peg_max(depth, pair->margin) - radii};
            peg_copy3(corner[k], contact[k].point);
            peg_copy3(n, contact[k].normal);
        }
        pair->external = contact, pair->nexternal = count;
        pair->width = INFINITY;
        count = 1;
    }
    return 1;
}

static int open_contours(const couple *c)
{
    int n = (int)(c->last - c->first);
    for (int i = 0; i < n; i++) {
        double along[3];
        if (c->first[i].contour != i) continue;
        find_direction(c, i, along);
        if (!(peg_norm(along) > 0)) continue;
        double depth = take_face(c, i, along);
        if (!open_along(c, i, along, depth)) return 0;
    }
    return 1;
}

/* --- what is buried --- */

/* Whether most of the surface of one mesh is inside of the other one, if that is closed. */
static int is_inside(const couple *c, int side)
{
    const peg_placed *m = &c->a->stage->placed[c->mesh[side]];
    double all = 0, inside = 0;
    if (c->sheet == !side) return 0;
    for (int i = 0; i < SAMPLES; i++) {
        double at[3], area = sample(c->a->stage->part[c->mesh[side]].triangle_mesh, i, at);
        peg_rotate(m->R, at, at);
        peg_add_scaled(at, 1, m->x, at);
        all += area;
        inside += contains(c->a->stage, c->mesh[!side], at) ? area : 0;
    }
    return 2 * inside > all;
}

/* Whether an edge from v to w passes through triangle u at one of two points. */
static int pierces(const double *v, const double *w, const peg_view *u, const peg_vec3 end[2],
                   double near)
{
    double from = peg_dot(u->normal[0], v) - u->offset[0],
           to = peg_dot(u->normal[0], w) - u->offset[0], x[3];
    if ((from < 0) == (to < 0)) return 0;
    peg_sub(w, v, x);
    peg_add_scaled(v, from / (from - to), x, x);
    for (int k = 0; k < 2; k++) {
        double d[3];
        peg_sub(x, end[k], d);
        if (peg_norm(d) <= near) return 1;
    }
    return 0;
}

/* What of the closed mesh is beyond the sheet: from the far ends of edges that pass through it as
 * far as no triangle crosses it. */
static int find_beyond(couple *c)
{
    peg_island *I = &c->a->island;
    int side = !c->sheet, count = 0;
    const peg_triangle_mesh *m = c->a->stage->part[c->mesh[side]].triangle_mesh;
    double near = SAME_END * I->pair[c->first->pair].L;
    int *stack = PEG_NEW(I->arena, int, m->nv);
    unsigned char *met = PEG_NEW(I->arena, unsigned char, m->nv);
    c->beyond = PEG_NEW(I->arena, unsigned char, m->nt);
    if (!stack || !met || !c->beyond) return 0;
    memset(met, 0, (size_t)m->nv);
    memset(c->beyond, 0, (size_t)m->nt);
    for (const crossing *x = c->first; x < c->last; x++) {
        const peg_candidate *of = candidate_of(c->a, x->pair);
        const peg_view *T = view_of(c->a, side ? of->b : of->a);
        const peg_view *u = view_of(c->a, side ? of->a : of->b);
        const peg_pair *pair = &I->pair[x->pair];
        c->beyond[T->shape->triangle] = 1;
        if (!pair->nexternal) continue;
        double up = peg_dot(u->normal[0], pair->external->normal) * (side ? -1 : 1);
        for (int k = 0; k < 6; k++) { /* from corner v to w */
            int v = k % 3, w = (v + 1 + k / 3) % 3, at = m->triangle[T->shape->triangle][v];
            double height = peg_dot(u->normal[0], T->vertex[v]) - u->offset[0];
            if (met[at] || !(up * height < 0) ||
                !pierces(T->vertex[v], T->vertex[w], u, (const peg_vec3 *)x->end, near))
                continue;
            met[at] = 1;
            stack[count++] = at;
        }
    }
    while (count > 0) {
        int v = stack[--count];
        for (int i = m->fan_start[v]; i < m->fan_start[v + 1]; i++) {
            if (c->beyond[m->fan[i]]) continue;
            c->beyond[m->fan[i]] = 1;
            for (int k = 0; k < 3; k++) {
                int next = m->triangle[m->fan[i]][k];
                if (met[next]) continue;
                met[next] = 1;
                stack[count++] = next;
            }
        }
    }
    return 1;
}

static int is_buried(const couple *c, int side, int piece, int part)
{
    const peg_view *T = view_of(c->a, part);
    if (!c->buried[piece]) {
        int is_in = c->sheet == !side ? c->beyond[T->shape->triangle]
                                      : contains(c->a->stage, c->mesh[!side], T->centre);
        c->buried[piece] = is_in ? 2 : 1;
    }
    return c->buried[piece] == 2;
}

static void bury(const couple *c)
{
    peg_island *I = &c->a->island;
    for (const crossing *x = c->first; x < c->last; x++) {
        const peg_pair *p = &I->pair[x->pair];
        c->buried[p->a] = c->buried[p->b] = 2;
    }
    for (int i = 0; i < I->npair; i++) {
        const peg_candidate *of = candidate_of(c->a, i);
        const int *mesh = c->a->stage->scene_part;
        peg_pair *p = &I->pair[i];
        if (mesh[of->a] != c->mesh[0] || mesh[of->b] != c->mesh[1]) continue;
        p->from_out[0] = c->sheet != 0, p->from_out[1] = c->sheet != 1;
        if (p->nexternal || (!is_buried(c, 0, p->a, of->a) && !is_buried(c, 1, p->b, of->b)))
            continue;
        p->buried = 1;
        p->width = INFINITY;
    }
}

static int open_couple(couple *c)
{
    peg_island *I = &c->a->island;
    c->sheet = -1;
    for (int side = 0; side < 2; side++)
        if (!c->a->stage->part[c->mesh[side]].triangle_mesh->sense) c->sheet = side;
    if (is_inside(c, 0) || is_inside(c, 1)) return 1;
    if (!join(c) && c->sheet >= 0) return 1;
    c->buried = PEG_NEW(I->arena, unsigned char, I->npiece);
    if (!c->buried) return 0;
    memset(c->buried, 0, (size_t)I->npiece);
    if (!open_contours(c) || (c->sheet >= 0 && !find_beyond(c))) return 0;
    bury(c);
    return 1;
}

/* Takes all crossings of the meshes of the first one together. */
static void gather(couple *c, crossing *end)
{
    const int *mesh = c->a->stage->scene_part;
    const peg_candidate *of = candidate_of(c->a, c->first->pair);
    c->mesh[0] = mesh[of->a], c->mesh[1] = mesh[of->b];
    c->last = c->first;
    for (crossing *x = c->first; x < end; x++) {
        of = candidate_of(c->a, x->pair);
        if (mesh[of->a] != c->mesh[0] || mesh[of->b] != c->mesh[1]) continue;
        crossing swap = *x;
        *x = *c->last;
        *c->last++ = swap;
    }
}

int peg_find_mesh_overlaps(peg_assembly *a)
{
    couple c = {.a = a};
    if (a->island.settings->contact != PEG_CONTACT_PEG) return 1;
    int count = find_crossings(a, &c.first);
    if (count < 0) return 0;
    for (crossing *end = c.first + count; c.first < end; c.first = c.last) {
        gather(&c, end);
        if (!open_couple(&c)) return 0;
    }
    return 1;
}
