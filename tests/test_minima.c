/* Pairs of triangles of two meshes with a radius, against all local minima of the distance between
 * their points [M]: found among all pairs of features by the directions in which each mesh goes on,
 * at random poses that the meshes may get to. */
#include <check.h>

#include "peg/base/tolerance.h"
#include "peg/collide/mesh_cull.h"
#include "peg/collide/mesh_mesh.h"
#include "tests/geometry_cases.h"
#include "tests/test_geometry.h"

enum {
    SIDE = 6,
    POINTS = SIDE * SIDE,
    TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1),
    EDGES = 3 * TRIANGLES
};

/* A mesh as it is given: nothing of the library's is used. */
typedef struct soup {
    double point[POINTS][3], at[POINTS][3]; /* at: as it lies */
    int triangle[TRIANGLES][3], edge[EDGES][2], edges;
    peg_triangle_mesh *mesh;
} soup;

static int has(const int *t, int v)
{
    return t[0] == v || t[1] == v || t[2] == v;
}

static void list_edges(soup *s)
{
    char known[POINTS][POINTS] = {{0}};
    s->edges = 0;
    for (int t = 0; t < TRIANGLES; t++)
        for (int k = 0; k < 3; k++) {
            int a = s->triangle[t][k], b = s->triangle[t][(k + 1) % 3];
            if (known[a][b]) continue;
            known[a][b] = known[b][a] = 1;
            s->edge[s->edges][0] = a, s->edge[s->edges++][1] = b;
        }
}

/* Cells of 1 m x 1 m, bent, rough or flat. */
static void make_soup(cases_random *r, double rough, soup *s)
{
    double bend[2] = {cases_uniform(r, -.15, .15), cases_uniform(r, -.15, .15)};
    int n = 0;
    for (int i = 0; i < POINTS; i++) {
        double *p = s->point[i];
        p[0] = i % SIDE - .5 * (SIDE - 1), p[1] = i / SIDE - .5 * (SIDE - 1);
        p[2] = bend[0] * p[0] * p[0] + bend[1] * p[1] * p[1] + rough * cases_uniform(r, -1, 1);
        if (rough == 0) p[2] = 0;
        if (i % SIDE == SIDE - 1 || i / SIDE == SIDE - 1) continue;
        int corner[4] = {i, i + 1, i + 1 + SIDE, i + SIDE}, turn = cases_below(r, 2);
        for (int k = 0; k < 2; k++, n++) {
            s->triangle[n][0] = corner[turn];
            s->triangle[n][1] = corner[(turn + 1 + k) % 4];
            s->triangle[n][2] = corner[(turn + 2 + k) % 4];
        }
    }
    list_edges(s);
    ck_assert_int_eq(peg_triangle_mesh_create((const double(*)[3])s->point, POINTS,
                                              (const int(*)[3])s->triangle, n, 0, &s->mesh),
                     PEG_OK);
}

/* --- minima --- */

/* A feature: one to three vertices. */
typedef struct feature {
    int n, v[3];
} feature;

static int is_of(const soup *s, int t, const feature *f)
{
    for (int k = 0; k < f->n; k++)
        if (!has(s->triangle[t], f->v[k])) return 0;
    return 1;
}

/* Whether some direction in which the mesh goes on from a point of the feature leads along n. */
static int goes_on(const soup *s, const feature *f, const double *n)
{
    for (int t = 0; t < TRIANGLES; t++) {
        if (!is_of(s, t, f)) continue;
        for (int k = 0; k < 3; k++) {
            double d[3], square = 0;
            peg_sub(s->at[s->triangle[t][k]], s->at[f->v[0]], d);
            for (int i = 0; i < 3; i++) square += d[i] * d[i];
            if (peg_dot(n, d) > 1e-9 * sqrt(square)) return 1;
        }
    }
    return 0;
}

typedef struct hunt {
    const soup *A, *B;
    unsigned char (*needed)[TRIANGLES];
    double most; /* m */
    int found, missed;
} hunt;

/* Nearest points of two features. */
static void take(hunt *h, const feature *f, const feature *g, const double *p, const double *q)
{
    double n[3], back[3];
    peg_sub(q, p, n);
    double apart = peg_normalise(n);
    if (!(apart > 1e-6 && apart < h->most)) return;
    for (int k = 0; k < 3; k++) back[k] = -n[k];
    if (goes_on(h->A, f, n) || goes_on(h->B, g, back)) return;
    int covered = 0;
    for (int t = 0; t < TRIANGLES; t++)
        for (int u = 0; u < TRIANGLES; u++)
            covered |= h->needed[t][u] && is_of(h->A, t, f) && is_of(h->B, u, g);
    h->found++;
    h->missed += !covered;
}

static void points_and_edges(hunt *h, int swap)
{
    const soup *V = swap ? h->B : h->A, *E = swap ? h->A : h->B;
    for (int i = 0; i < POINTS; i++)
        for (int e = 0; e < E->edges; e++) {
            const int *end = E->edge[e];
            double d[3], r[3], q[3];
            peg_sub(E->at[end[1]], E->at[end[0]], d);
            peg_sub(V->at[i], E->at[end[0]], r);
            double t = peg_dot(r, d) / peg_dot(d, d);
            if (!(t > 0 && t < 1)) continue;
            peg_add_scaled(E->at[end[0]], t, d, q);
            feature f = {1, {i}}, g = {2, {end[0], end[1]}};
            if (swap)
                take(h, &g, &f, q, V->at[i]);
            else
                take(h, &f, &g, V->at[i], q);
        }
}

static void points_and_faces(hunt *h, int swap)
{
    const soup *V = swap ? h->B : h->A, *F = swap ? h->A : h->B;
    for (int i = 0; i < POINTS; i++)
        for (int t = 0; t < TRIANGLES; t++) {
            const int *c = F->triangle[t];
            double a[3], b[3], r[3], n[3], q[3], s[3];
            peg_sub(F->at[c[1]], F->at[c[0]], a);
            peg_sub(F->at[c[2]], F->at[c[0]], b);
            peg_sub(V->at[i], F->at[c[0]], r);
            peg_cross(a, b, n);
            double nn = peg_dot(n, n), height = peg_dot(n, r) / nn;
            peg_add_scaled(V->at[i], -height, n, q);
            peg_cross(r, b, s);
            double x = peg_dot(s, n) / nn;
            peg_cross(a, r, s);
            double y = peg_dot(s, n) / nn;
            if (!(x > 0 && y > 0 && x + y < 1)) continue;
            feature f = {1, {i}}, g = {3, {c[0], c[1], c[2]}};
            if (swap)
                take(h, &g, &f, q, V->at[i]);
            else
                take(h, &f, &g, V->at[i], q);
        }
}

static void two_edges(hunt *h)
{
    for (int e = 0; e < h->A->edges; e++)
        for (int g = 0; g < h->B->edges; g++) {
            const int *i = h->A->edge[e], *j = h->B->edge[g];
            double u[3], w[3], r[3], p[3], q[3];
            peg_sub(h->A->at[i[1]], h->A->at[i[0]], u);
            peg_sub(h->B->at[j[1]], h->B->at[j[0]], w);
            peg_sub(h->A->at[i[0]], h->B->at[j[0]], r);
            double uu = peg_dot(u, u), ww = peg_dot(w, w), uw = peg_dot(u, w);
            double ur = peg_dot(u, r), wr = peg_dot(w, r), whole = uu * ww - uw * uw;
            if (!(whole > 1e-9 * uu * ww)) continue;
            double s = (uw * wr - ww * ur) / whole, t = (uu * wr - uw * ur) / whole;
            if (!(s > 0 && s < 1 && t > 0 && t < 1)) continue;
            peg_add_scaled(h->A->at[i[0]], s, u, p);
            peg_add_scaled(h->B->at[j[0]], t, w, q);
            take(h, &(feature){2, {i[0], i[1]}}, &(feature){2, {j[0], j[1]}}, p, q);
        }
}

static void find_minima(hunt *h)
{
    for (int i = 0; i < POINTS; i++)
        for (int j = 0; j < POINTS; j++)
            take(h, &(feature){1, {i}}, &(feature){1, {j}}, h->A->at[i], h->B->at[j]);
    for (int swap = 0; swap < 2; swap++) {
        points_and_edges(h, swap);
        points_and_faces(h, swap);
    }
    two_edges(h);
}

/* --- the library's pairs --- */

typedef struct pairs {
    const peg_mesh_pair *pair;
    double round, turn;
    int first; /* the triangle that is looked at */
    unsigned char (*needed)[TRIANGLES];
} pairs;

static void need(void *context, int triangle, int deep)
{
    pairs *p = context;
    if (!deep) p->needed[p->first][p->pair->mesh[1]->source[triangle]] = 1;
}

static void look(void *context, const peg_near_triangle *of, int triangle)
{
    pairs *p = context;
    const peg_mesh_pair *c = p->pair;
    double near = of->by - p->round,
           way = near - peg_mesh_cull_room(c->mesh[0]->radius, c->mesh[1]);
    peg_cull_triangle shell;
    peg_mesh_cull cover;
    p->first = c->mesh[0]->source[of->triangle];
    peg_mesh_cull_begin_triangle(c->mesh[1], c->mesh[0], of->triangle, c->R,
                                 (const peg_vec3 *)of->corner, p->round, way, p->turn, near, &shell,
                                 &cover);
    peg_mesh_cull_needs(&cover, triangle, need, p);
}

static void lie(soup *s, const double R[9], const double at[3])
{
    for (int i = 0; i < POINTS; i++) {
        peg_rotate(R, s->point[i], s->at[i]);
        peg_add_scaled(s->at[i], 1, at, s->at[i]);
    }
}

/* Two sheets over each other, of all inclinations to each other. */
START_TEST(all_minima_have_a_pair)
{
    enum { ROUNDS = 16 };
    static const peg_aabb all = {{-100, -100, -100}, {100, 100, 100}};
    static const double straight[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, origin[3] = {0};
    static soup A, B;
    static unsigned char needed[TRIANGLES][TRIANGLES];
    cases_random r = {4000 + (unsigned)_i};
    int found = 0, pairs_needed = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double rough = round % 4 ? cases_magnitude(&r, -2, -.3) : 0, axis[3], turned[9], q[4];
        make_soup(&r, rough, &A);
        make_soup(&r, rough, &B);
        lie(&B, straight, origin);
        double radius = cases_magnitude(&r, -1.5, 0), way = radius * cases_magnitude(&r, -2.5, -.5);
        double turn = _i % 2 ? way / 3 : 0;
        peg_mesh_pair c = {.mesh = {A.mesh, B.mesh},
                           .arm = {100, 100},
                           .slope = turn + PEG_SLOPE_TOLERANCE,
                           .spin = {turn, 0},
                           .by = way + radius};
        c.by += peg_mesh_cull_room(A.mesh->radius, B.mesh);
        cases_rotation(&r, c.R);
        if (round % 2) cases_rotation_between(&r, (double[3]){0, 0, 1}, (double[3]){0, 0, -1}, c.R);
        for (int k = 0; k < 3; k++) c.at[k] = cases_uniform(&r, -1, 1);
        c.at[2] = radius + cases_uniform(&r, -.5, 1) * (round % 2 ? .3 : 2);
        memset(needed, 0, sizeof needed);
        pairs p = {.pair = &c, .round = radius, .turn = turn, .needed = needed};
        peg_mesh_pair_search(&c, &all, PEG_MESH_SEARCH_BOUNDS, look, &p);
        for (int t = 0; t < TRIANGLES; t++)
            for (int u = 0; u < TRIANGLES; u++) pairs_needed += needed[t][u];
        for (int pose = 0; pose < 6; pose++) {
            double R[9], at[3], d[3], angle = turn * cases_uniform(&r, 0, 1);
            cases_direction(&r, axis), cases_direction(&r, d);
            q[0] = cos(.5 * angle);
            for (int k = 0; k < 3; k++) q[k + 1] = sin(.5 * angle) * axis[k];
            peg_quat_to_mat(q, turned);
            peg_mat_mul(turned, c.R, R);
            peg_add_scaled(c.at, cases_uniform(&r, 0, .5) * way, d, at);
            lie(&A, R, at);
            hunt h = {.A = &A, .B = &B, .needed = needed, .most = radius + .5 * way};
            find_minima(&h);
            found += h.found;
            ck_assert_msg(h.missed == 0, "round %d, pose %d: %d of %d minima have no pair", round,
                          pose, h.missed, h.found);
        }
        peg_triangle_mesh_free(A.mesh), peg_triangle_mesh_free(B.mesh);
    }
    ck_assert_int_gt(found, 30);
    ck_assert_int_lt(pairs_needed, ROUNDS * TRIANGLES * TRIANGLES / 4);
}
END_TEST

TCase *minima_tests(void)
{
    TCase *t = tcase_create("minima");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, all_minima_have_a_pair, 0, 8);
    return t;
}
