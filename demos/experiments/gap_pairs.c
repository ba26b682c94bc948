#include "demos/experiments/gap_pairs.h"

#include <stdlib.h>

#include "demos/world/scene.h"
#include "peg/paper/ratio_metric.h"
#include "peg/paper/signed_separation.h"

enum { POINTS = 40, CUTS = 60 };

/* ---- shapes ---------------------------------------------------------------------------------- */

static double uniform(uint64_t *state, double low, double high)
{
    return low + (high - low) * lab_random_next(state);
}

static void direction(uint64_t *state, double n[3])
{
    do
        for (int k = 0; k < 3; k++) n[k] = uniform(state, -1, 1);
    while (peg_norm(n) > 1 || peg_norm(n) < .1);
    peg_normalise(n);
}

static int corners(double (*p)[3], double x, double y, double z)
{
    for (int i = 0; i < 8; i++) {
        p[i][0] = i & 1 ? x : -x, p[i][1] = i & 2 ? y : -y, p[i][2] = i & 4 ? z : -z;
    }
    return 8;
}

static int prism(uint64_t *state, double (*p)[3])
{
    int sides = 3 + (int)uniform(state, 0, 8);
    double z = uniform(state, .1, 2);
    for (int i = 0; i < 2 * sides; i++) {
        double angle = 2 * acos(-1) * (i / 2) / sides;
        p[i][0] = cos(angle), p[i][1] = sin(angle), p[i][2] = i % 2 ? z : -z;
    }
    return 2 * sides;
}

static peg_polytope *make_shape(uint64_t *state)
{
    double p[POINTS][3], size;
    int n = 0, kind = (int)uniform(state, 0, 4);
    peg_polytope *shape;
    if (kind == 0) {
        double x = uniform(state, .2, 1), y = uniform(state, .2, 1);
        n = corners(p, x, y, uniform(state, .2, 1));
    } else if (kind == 1) {
        for (int most = 4 + (int)uniform(state, 0, POINTS - 3); n < most; n++)
            direction(state, p[n]);
    } else {
        n = kind == 2 ? prism(state, p) : corners(p, 1, 1e-3, 1e-3);
    }
    size = pow(10, uniform(state, -1, 1));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) p[i][k] *= size;
    return peg_polytope_from_points((const double(*)[3])p, n, &shape) == PEG_OK ? shape : NULL;
}

static int make_view(peg_polytope *shape, peg_view *view)
{
    *view = (peg_view){.shape = shape,
                       .vertex = calloc((size_t)shape->nv + 1, sizeof(peg_vec3)),
                       .normal = calloc((size_t)shape->nf + 1, sizeof(peg_vec3)),
                       .offset = calloc((size_t)shape->nf + 1, sizeof(double))};
    return view->vertex && view->normal && view->offset;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

void gap_pair_place(gap_pair *pair, int part, const double x[3], const double R[9])
{
    peg_copy3(x, pair->x[part]);
    memmove(pair->R[part], R, sizeof pair->R[part]);
    peg_view_set(&pair->view[part], x, R);
}

static void put_apart(uint64_t *state, gap_pair *pair)
{
    double n[3], x[3] = {0, 0, 0};
    int kind = (int)uniform(state, 0, 3);
    double reach = pair->shape[0]->radius + pair->shape[1]->radius + pair->size;
    double far = uniform(state, 0, 1) * reach;
    direction(state, n);
    if (kind == 0 && uniform(state, 0, 1) < .1) far = 1e-6 * pair->size;
    peg_add_scaled(x, far, n, x);
    gap_pair_place(pair, 0, x, pair->R[0]);
    for (int times = 0; times < 3 && kind > 0; times++) {
        peg_facet f = peg_separation(&pair->view[0], &pair->view[1], -INFINITY, NULL, NULL);
        double wanted = pair->size * (kind == 1 ? -uniform(state, 0, .05) : uniform(state, 0, 1));
        peg_add_scaled(x, wanted - f.s, f.n, x);
        gap_pair_place(pair, 0, x, pair->R[0]);
    }
}

int gap_pair_set(gap_pair *pair, int side, const double (*points)[3], int n, const double R[9])
{
    static const double origin[3] = {0, 0, 0};
    if (peg_polytope_from_points(points, n, &pair->shape[side]) != PEG_OK) return 0;
    if (!make_view(pair->shape[side], &pair->view[side])) return 0;
    gap_pair_place(pair, side, origin, R);
    return 1;
}

int gap_pair_make(uint64_t seed, long i, gap_pair *out)
{
    uint64_t state = seed * 0x9e3779b97f4a7c15u + (uint64_t)i * 0xd1342543de82ef95u + 1;
    static const double origin[3] = {0, 0, 0};
    *out = (gap_pair){0};
    for (int side = 0; side < 2; side++) {
        double q[4], R[9];
        out->shape[side] = make_shape(&state);
        if (!out->shape[side] || !make_view(out->shape[side], &out->view[side])) {
            gap_pair_free(out);
            return 0;
        }
        lab_random_turn(&state, q);
        peg_quat_to_mat(q, R);
        gap_pair_place(out, side, origin, R);
    }
    out->size = fmin(out->shape[0]->size, out->shape[1]->size);
    out->largest = fmax(out->shape[0]->size, out->shape[1]->size);
    put_apart(&state, out);
    return 1;
}

int gap_pair_balls(uint64_t seed, int n, gap_pair *pair)
{
    double(*p)[3] = calloc((size_t)n, sizeof *p), x[3] = {0, 0, 0}, unit[4] = {1, 0, 0, 0}, R[9];
    uint64_t state = seed * 977 + (uint64_t)n;
    *pair = (gap_pair){0};
    peg_quat_to_mat(unit, R);
    int made = p != NULL;
    for (int side = 0; side < 2 && made; side++) {
        for (int i = 0; i < n; i++) {
            double z = 2 * lab_random_next(&state) - 1, a = 2 * acos(-1) * lab_random_next(&state);
            p[i][0] = sqrt(1 - z * z) * cos(a), p[i][1] = sqrt(1 - z * z) * sin(a), p[i][2] = z;
        }
        made = gap_pair_set(pair, side, (const double(*)[3])p, n, R);
    }
    free(p);
    if (!made) return 0;
    x[0] = 1.5, x[1] = .7, x[2] = .4;
    gap_pair_place(pair, 0, x, R);
    peg_facet f = peg_separation(&pair->view[0], &pair->view[1], INFINITY, NULL, NULL);
    peg_add_scaled(x, -.02 - f.s, f.n, x);
    gap_pair_place(pair, 0, x, R);
    return 1;
}

void gap_pair_free_views(gap_pair *pair)
{
    for (int side = 0; side < 2; side++) {
        free(pair->view[side].vertex);
        free(pair->view[side].normal);
        free(pair->view[side].offset);
        pair->view[side] = (peg_view){0};
    }
}

int gap_pair_copy(const gap_pair *pair, gap_pair *out)
{
    *out = *pair;
    out->view[0] = out->view[1] = (peg_view){0};
    int made = make_view(out->shape[0], &out->view[0]) && make_view(out->shape[1], &out->view[1]);
    for (int side = 0; side < 2 && made; side++)
        gap_pair_place(out, side, pair->x[side], pair->R[side]);
    if (!made) gap_pair_free_views(out);
    return made;
}

void gap_pair_free(gap_pair *pair)
{
    gap_pair_free_views(pair);
    for (int side = 0; side < 2; side++)
        if (pair->shape[side]) peg_polytope_free(pair->shape[side]);
    *pair = (gap_pair){0};
}

/* ---- findings -------------------------------------------------------------------------------- */

/* What the facets of A - B say. */
typedef struct facets {
    const peg_view *A, *B;
    double d[3], best; /* max s / n.d */
    double phi;        /* largest component function of a unit */
    double depth;      /* at coincident centres: least n.d - s */
    gap_findings *out;
} facets;

/* Program [A 6] of a unit's faces: all at its vertex, or two of each edge. */
static void check_basic(facets *f, const peg_bcu *u)
{
    int fa[64], fb[64], na = 0, nb = 0;
    double r;
    const peg_view *at = u->kind == PEG_BCU_CORNER_A ? f->A : f->B;
    if (u->kind == PEG_BCU_EDGES) {
        na = nb = 2;
        for (int k = 0; k < 2; k++)
            fa[k] = f->A->shape->edge[u->i].f[k], fb[k] = f->B->shape->edge[u->j].f[k];
    } else {
        int *list = u->kind == PEG_BCU_CORNER_A ? fa : fb, n = 0;
        for (int face = 0; face < at->shape->nf && n < 64; face++)
            for (int k = at->shape->face_start[face]; k < at->shape->face_start[face + 1]; k++)
                if (at->shape->face_vertex[k] == u->i) list[n++] = face;
        if (u->kind == PEG_BCU_CORNER_A)
            na = n, fb[nb++] = u->j;
        else
            nb = n, fa[na++] = u->j;
    }
    if (na + nb > 8) return;
    f->out->basics++;
    if (peg_ratio_of_faces(f->A, fa, na, f->B, fb, nb, f->A->centre, f->B->centre, &r) !=
        PEG_LP_SOLVED) {
        f->out->failures++;
        return;
    }
    double closed = 1 / (1 - u->phi);
    f->out->basic = fmax(f->out->basic, fabs(r - closed) / (1 + closed));
}

static void take_unit(facets *f, peg_bcu_kind kind, int i, int j)
{
    peg_bcu u;
    if (!peg_bcu_make(f->A, f->B, f->A->centre, f->B->centre, kind, i, j, &u)) return;
    f->phi = fmax(f->phi, u.phi);
    if (f->out->basics < 4) check_basic(f, &u);
}

static void take_facet(void *context, const peg_facet *facet)
{
    facets *f = context;
    double slope = peg_dot(facet->n, f->d);
    f->depth = fmin(f->depth, slope - facet->s);
    if (!(slope > 0)) return;
    f->best = fmax(f->best, facet->s / slope);
    if (facet->kind == PEG_FEATURES_EE) {
        take_unit(f, PEG_BCU_EDGES, facet->i, facet->j);
        return;
    }
    int of_b = facet->kind == PEG_FEATURES_VF;
    const peg_view *faces = of_b ? f->B : f->A, *vertices = of_b ? f->A : f->B;
    int face = facet->i, lowest = 0;
    for (int i = 1; i < vertices->shape->nv; i++)
        if (peg_dot(faces->normal[face], vertices->vertex[i]) <
            peg_dot(faces->normal[face], vertices->vertex[lowest]))
            lowest = i;
    take_unit(f, of_b ? PEG_BCU_CORNER_A : PEG_BCU_CORNER_B, lowest, face);
}

/* [A 4-5]: disjoint s/D <= rho <= s/eps; overlapping by s <= eps -s/eps <= rho <= -s/D. */
static int violates_theorem(double rho, double low, double high, double D, double eps)
{
    double slack = 1e-9 * (1 + fabs(rho));
    if (low > 0) return !(low / D <= rho + slack && rho - slack <= high / eps);
    if (!(-high <= eps)) return !(rho - slack <= high / D);
    return !(low / eps <= rho + slack && rho - slack <= high / D);
}

static void measure_depth(peg_arena *arena, const gap_pair *pair, double s, gap_findings *out)
{
    const peg_view *A = &pair->view[0], *B = &pair->view[1];
    peg_ssh one = {.basis = {-1}}, all = {.basis = {-1}};
    peg_vec3 *start = calloc((size_t)(7 + A->shape->nf + B->shape->nf), sizeof *start);
    if (!start) return;
    int n = peg_ssh_starts(A, B, start);
    peg_ssh_separation(arena, A, B, (const double(*)[3])start, 1, &one);
    peg_ssh_separation(arena, A, B, (const double(*)[3])start, n, &all);
    out->overlaps = 1;
    out->shallow = -s <= .05 * pair->size;
    out->exact_one = fabs(one.s - s) <= 1e-9 * pair->size;
    out->exact_all = fabs(all.s - s) <= 1e-9 * pair->size;
    out->failures += all.s > s + 1e-9 * pair->size;
    out->programs = one.programs;
    free(start);
}

void gap_measure(peg_arena *arena, const gap_pair *pair, gap_findings *out)
{
    const peg_view *A = &pair->view[0], *B = &pair->view[1];
    double off[3];
    *out = (gap_findings){0};
    facets f = {.A = A, .B = B, .best = -INFINITY, .phi = -INFINITY, .depth = INFINITY, .out = out};
    peg_sub(A->centre, B->centre, f.d);
    double D = peg_norm(f.d);
    if (!(D > 1e-9 * pair->size)) return;
    peg_facet widest = peg_separation(A, B, -INFINITY, take_facet, &f);
    peg_ssh ssh = {.basis = {-1}};
    peg_ratio ratio = {.basis = {-1}};
    if (peg_ssh_solve(arena, A, B, f.d, &ssh) != PEG_LP_SOLVED ||
        peg_ratio_metric(arena, A, B, A->centre, B->centre, &ratio) != PEG_LP_SOLVED) {
        out->failures++;
        return;
    }
    out->pivots = ssh.pivots;
    out->facets = fabs(ssh.g - f.best) * D / pair->largest;
    for (int k = 0; k < 3; k++) off[k] = ssh.a[k] - ssh.b[k] - ssh.g * f.d[k];
    out->witness = peg_norm(off) / pair->largest;
    out->wrong_sign = fabs(widest.s) > 1e-9 * pair->size && (widest.s > 0) != (ssh.g > 0);
    out->ratio = fabs(ratio.rho - ssh.g) / (1 + fabs(ssh.g));
    out->units = fabs(f.phi - ssh.g) / (1 + fabs(ssh.g));
    double low = widest.s, high = widest.s, n[3];
    if (widest.s < 0) {
        measure_depth(arena, pair, widest.s, out);
    } else {
        peg_ssh_distance(arena, A, B, 1e-6 * pair->size, CUTS, &low, &high, n);
        out->interval_open = !(high - low <= 1e-6 * pair->size);
    }
    out->theorem = violates_theorem(ratio.rho, low, high, D, .5 * f.depth);
}
