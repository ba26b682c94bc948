/* The step in lanes: separating axes and patches of boxes against the facets and features of their
 * polytopes, the solver against the conditions it solves and closed forms. Whole steps are in
 * test_wide_steps.c. */
#include "tests/runner.h"
#include "tests/geometry_cases.h"
#include "tests/test_wide.h"
#include "peg/collide/separation.h"
#include "peg/contact/patch_box.h"
#include "peg/contact/patch_facet.h"
#include "peg/lcp/wide_pgs.h"
#include "peg/peg.h"

#include <check.h>
#include <stdlib.h>

static peg_arena arena;

static void set_up(void)
{
    memset(&arena, 0, sizeof arena);
}

static void tear_down(void)
{
    peg_arena_free(&arena);
}

/* --- boxes --- */

enum { PAIRS = 4000, LOT = 50 };

typedef struct sample {
    peg_polytope *shape;
    peg_view view;
    peg_box box;
} sample;

static void place(sample *s, const double *x, const double *R)
{
    peg_view_set(&s->view, x, R);
    peg_copy3(s->shape->half, s->box.half);
    peg_copy3(x, s->box.x);
    memcpy(s->box.R, R, sizeof s->box.R);
}

static void make(sample *s, cases_random *r)
{
    double sides[3];
    for (int k = 0; k < 3; k++) sides[k] = cases_uniform(r, .2, 1.5);
    ck_assert_int_eq(peg_polytope_box(sides, &s->shape), PEG_OK);
    ck_assert(peg_view_allocate(&arena, s->shape, &s->view));
}

/* Random, parallel, and turned a little about an axis of the other: the edges are nearly parallel.
 */
static void make_pair(cases_random *r, sample *a, sample *b)
{
    peg_vec3 at, n;
    peg_mat3 R, S;
    int kind = cases_below(r, 3);
    make(a, r);
    make(b, r);
    cases_rotation(r, R);
    place(a, (double[]){0, 0, 0}, R);
    cases_rotation(r, S);
    if (kind) memcpy(S, R, sizeof S);
    if (kind == 2) {
        double angle = cases_magnitude(r, -12, -1), c = cos(angle), d = sin(angle);
        int k = cases_below(r, 3), l = (k + 1) % 3;
        for (int i = 0; i < 3; i++) {
            S[3 * i + k] = c * R[3 * i + k] + d * R[3 * i + l];
            S[3 * i + l] = c * R[3 * i + l] - d * R[3 * i + k];
        }
    }
    cases_direction(r, n);
    double far = cases_uniform(r, 0, 1.1) * (a->shape->radius + b->shape->radius);
    for (int k = 0; k < 3; k++) at[k] = far * n[k];
    place(b, at, S);
}

static void free_pair(sample *a, sample *b)
{
    peg_polytope_free(a->shape);
    peg_polytope_free(b->shape);
}

START_TEST(lanes_find_the_separation_of_all_facets)
{
    cases_random r = {.state = 71};
    static sample a[LOT], b[LOT];
    const peg_box *of_a[LOT], *of_b[LOT];
    double bias[LOT];
    peg_box_axis axis[LOT];
    for (int round = 0; round < PAIRS / LOT; round++) {
        peg_arena_reset(&arena);
        int n = 1 + cases_below(&r, LOT);
        for (int i = 0; i < n; i++) {
            make_pair(&r, &a[i], &b[i]);
            of_a[i] = &a[i].box, of_b[i] = &b[i].box;
            bias[i] = i % 2 ? 1e-3 : 0;
        }
        peg_box_separations(of_a, of_b, bias, n, axis);
        for (int i = 0; i < n; i++) {
            double d[3], s = peg_separation(&a[i].view, &b[i].view, INFINITY, NULL, NULL).s;
            ck_assert_double_eq_tol(axis[i].s, s, 1e-9);
            peg_box_axis_direction(of_a[i], of_b[i], &axis[i], d);
            ck_assert_double_eq_tol(peg_norm(d), 1, 1e-9);
            double along = peg_separation_along(&a[i].view, &b[i].view, d);
            ck_assert_double_ge(along, s - bias[i] - 1e-9);
            peg_box box;
            peg_box_of_view(&a[i].view, &box);
            for (int k = 0; k < 9; k++) ck_assert_double_eq_tol(box.R[k], of_a[i]->R[k], 1e-12);
            for (int k = 0; k < 3; k++) {
                ck_assert_double_eq_tol(box.x[k], of_a[i]->x[k], 1e-12);
                ck_assert_double_eq(box.half[k], of_a[i]->half[k]);
            }
            free_pair(&a[i], &b[i]);
        }
    }
}
END_TEST

static void edge_ends(const peg_view *view, int ends, peg_vec3 out[2])
{
    peg_copy3(view->vertex[ends / view->shape->nv], out[0]);
    peg_copy3(view->vertex[ends % view->shape->nv], out[1]);
}

static double distance_to_line(const double *x, peg_vec3 ends[2])
{
    double d[3], e[3], c[3];
    peg_sub(ends[1], ends[0], d);
    peg_sub(x, ends[0], e);
    peg_cross(d, e, c);
    return peg_norm(c) / peg_norm(d);
}

/* The features that a contact names are where it says that they are. */
static void check_features(const peg_view *A, const peg_view *B, const peg_patch_contact *c,
                           double room)
{
    double off = .5 * fabs(c->gap) + room, d[3];
    if (c->kind == PEG_FEATURES_EE) {
        peg_vec3 ends[2];
        edge_ends(A, c->i, ends);
        ck_assert_double_le(distance_to_line(c->point, ends), off);
        edge_ends(B, c->j, ends);
        ck_assert_double_le(distance_to_line(c->point, ends), off);
        return;
    }
    const peg_view *upper = c->kind == PEG_FEATURES_VF ? A : B;
    const peg_view *lower = c->kind == PEG_FEATURES_VF ? B : A;
    peg_sub(upper->vertex[c->i], c->point, d);
    ck_assert_double_le(peg_norm(d), off);
    ck_assert_double_le(fabs(peg_dot(lower->normal[c->j], c->point) - lower->offset[c->j]), off);
}

START_TEST(patches_name_their_features)
{
    cases_random r = {.state = 5};
    int contacts[3] = {0};
    for (int i = 0; i < PAIRS; i++) {
        sample a, b;
        const peg_box *of_a = &a.box, *of_b = &b.box;
        double bias = 0;
        peg_box_axis axis;
        peg_patch patch;
        peg_arena_reset(&arena);
        make_pair(&r, &a, &b);
        peg_box_separations(&of_a, &of_b, &bias, 1, &axis);
        peg_box_patch_find(of_a, of_b, &axis, .05, &patch);
        for (int k = 0; k < patch.count && axis.s > -.05 && axis.s < .05; k++) {
            const peg_patch_contact *c = &patch.contact[k];
            /* within the widened face; edges of boxes that overlap may pass beside each other */
            if (axis.axis < 6 || c->gap > 0) check_features(&a.view, &b.view, c, .06);
            ck_assert_double_ge(c->gap, axis.s - 1e-9);
            contacts[c->kind]++;
        }
        free_pair(&a, &b);
    }
    for (int k = 0; k < 3; k++) ck_assert_int_gt(contacts[k], 20);
}
END_TEST

static void move(peg_view *view, const double by[3])
{
    peg_add_scaled(view->centre, 1, by, view->centre);
    for (int v = 0; v < view->shape->nv; v++)
        peg_add_scaled(view->vertex[v], 1, by, view->vertex[v]);
    for (int f = 0; f < view->shape->nf; f++) view->offset[f] += peg_dot(view->normal[f], by);
}

/* A hull, at a random pose. */
static void make_hull(cases_random *r, const double x[3], sample *s)
{
    double point[14][3], R[9];
    s->shape = NULL;
    while (!s->shape)
        peg_polytope_from_points((const double(*)[3])point, cases_shape(r, point), &s->shape);
    ck_assert(peg_view_allocate(&arena, s->shape, &s->view));
    cases_rotation(r, R);
    peg_view_set(&s->view, x, R);
}

/* Two hulls that nearly touch, one of them a half-space in every fourth pair. */
static void make_hulls(cases_random *r, int i, sample *a, sample *b)
{
    double n[3], x[3] = {0};
    make_hull(r, x, a);
    if (i % 4 == 0) {
        cases_direction(r, n);
        double up = peg_dot(n, a->view.vertex[peg_support_vertex(&a->view, n, -1, 0)]);
        ck_assert_int_eq(peg_polytope_half_space(n, up - cases_uniform(r, -.01, .04), &b->shape),
                         PEG_OK);
        ck_assert(peg_view_allocate(&arena, b->shape, &b->view));
        peg_view_set(&b->view, x, (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1});
        return;
    }
    make_hull(r, x, b);
    cases_direction(r, n);
    for (int k = 0; k < 3; k++) x[k] = 9 * n[k];
    move(&b->view, x);
    peg_facet facet = peg_separation(&a->view, &b->view, INFINITY, NULL, NULL);
    for (int k = 0; k < 3; k++) x[k] = (facet.s - cases_uniform(r, -.01, .04)) * facet.n[k];
    move(&b->view, x);
}

START_TEST(patches_of_hulls_name_their_features)
{
    cases_random r = {.state = 6};
    int contacts[3] = {0}, met = 0;
    for (int i = 0; i < PAIRS; i++) {
        sample a, b;
        peg_patch patch, corners;
        peg_facet none = {.kind = PEG_FEATURES_NONE};
        peg_arena_reset(&arena);
        make_hulls(&r, i, &a, &b);
        ck_assert(peg_have_facet_patches(a.shape, b.shape));
        peg_facet facet = peg_separation_of_faces_first(&a.view, &b.view, &none, 1e-3);
        peg_facet_patch_find(&a.view, &b.view, &facet, .05, &patch);
        peg_facet_corners_find(&a.view, &b.view, &facet, .05, &corners);
        int is_face = facet.kind != PEG_FEATURES_EE;
        for (int k = 0; k < patch.count && fabs(facet.s) < .05; k++) {
            const peg_patch_contact *c = &patch.contact[k];
            if (is_face || c->gap > 0) check_features(&a.view, &b.view, c, .06);
            contacts[c->kind]++;
        }
        for (int k = 0; k < corners.count; k++) {
            check_features(&a.view, &b.view, &corners.contact[k], .06);
            ck_assert(!is_face || corners.contact[k].gap <= .05);
        }
        met += patch.count > 0;
        free_pair(&a, &b);
    }
    for (int k = 0; k < 3; k++) ck_assert_int_gt(contacts[k], 100);
    ck_assert_int_gt(met, PAIRS / 2);
}
END_TEST

/* Points of two segments that are nearest, found by halving the interval of the convex distance;
 * returns it. share: where they are, 0 to 1. */
static double segments_apart(peg_vec3 a[2], peg_vec3 b[2], double share[2])
{
    double from = 0, to = 1, apart[2][3], d[3], e[3];
    peg_sub(b[1], b[0], e);
    for (int i = 0; i < 100; i++) {
        double square[2];
        for (int k = 0; k < 2; k++) {
            double t = from + (k + 1) * (to - from) / 3;
            peg_sub(a[1], a[0], d);
            for (int j = 0; j < 3; j++) apart[k][j] = a[0][j] + t * d[j] - b[0][j];
            share[1] = fmax(0, fmin(1, peg_dot(apart[k], e) / peg_dot(e, e)));
            peg_add_scaled(apart[k], -share[1], e, apart[k]);
            square[k] = peg_dot(apart[k], apart[k]);
        }
        if (square[0] < square[1])
            to -= (to - from) / 3;
        else
            from += (to - from) / 3;
    }
    share[0] = from;
    return peg_norm(apart[1]);
}

/* Whether two edges are what is nearest of two parts that are s apart: within their ends. */
static int nearest_are_edges(const sample *a, const sample *b, double s)
{
    for (int i = 0; i < a->shape->ne; i++)
        for (int j = 0; j < b->shape->ne; j++) {
            peg_vec3 of_a[2], of_b[2];
            double share[2], within = .01;
            for (int k = 0; k < 2; k++) {
                peg_copy3(a->view.vertex[a->shape->edge[i].v[k]], of_a[k]);
                peg_copy3(b->view.vertex[b->shape->edge[j].v[k]], of_b[k]);
            }
            if (segments_apart(of_a, of_b, share) > s + 1e-7) continue;
            if (fabs(share[0] - .5) < .5 - within && fabs(share[1] - .5) < .5 - within) return 1;
        }
    return 0;
}

/* Faces are preferred whatever edges do, but where two edges are nearest their contact is there. */
START_TEST(nearest_edges_have_a_contact)
{
    enum { SAMPLES = 600 };
    cases_random r = {.state = 8};
    int missed = 0;
    for (int i = 0; i < SAMPLES; i++) {
        sample a, b;
        peg_patch patch;
        peg_facet none = {.kind = PEG_FEATURES_NONE};
        int is_box = i % 2;
        double bias = 10;
        peg_arena_reset(&arena);
        if (is_box)
            make_pair(&r, &a, &b);
        else
            make_hulls(&r, 1, &a, &b);
        peg_facet facet = peg_separation_of_faces_first(&a.view, &b.view, &none, bias);
        const peg_box *of_a = &a.box, *of_b = &b.box;
        peg_box_axis axis;
        if (is_box) {
            peg_box_separations(&of_a, &of_b, &bias, 1, &axis);
            peg_box_patch_find(of_a, of_b, &axis, .05, &patch);
        } else {
            peg_facet_patch_find(&a.view, &b.view, &facet, .05, &patch);
        }
        if (facet.s > 0 && nearest_are_edges(&a, &b, facet.s)) {
            missed += peg_patch_least_gap(&patch) > facet.s + 1e-6;
            if (is_box)
                peg_box_patch_add_edges(of_a, of_b, &patch);
            else
                peg_facet_patch_add_edges(&a.view, &b.view, &facet, &patch);
            const peg_patch_contact *c = &patch.contact[patch.count - 1];
            ck_assert_double_le(peg_patch_least_gap(&patch), facet.s + 1e-6);
            if (c->is_of_edges) {
                double along = peg_separation_along(&a.view, &b.view, patch.across);
                ck_assert_double_eq_tol(along, c->gap, 1e-9);
                check_features(&a.view, &b.view, c, 1e-6);
            }
        }
        free_pair(&a, &b);
    }
    ck_assert_int_gt(missed, 20);
}
END_TEST

/* A cube of side 1 above another one, moved by (.25, .125) and turned by 0 or 45 degrees about z:
 * the corners of what they share. */
START_TEST(flush_faces_share_their_corners)
{
    sample a, b;
    const peg_box *of_a = &a.box, *of_b = &b.box;
    double bias = 1e-3, gap = .01, c = sqrt(.5);
    peg_box_axis axis;
    peg_patch patch;
    ck_assert_int_eq(peg_polytope_box((double[]){1, 1, 1}, &a.shape), PEG_OK);
    ck_assert_int_eq(peg_polytope_box((double[]){1, 1, 1}, &b.shape), PEG_OK);
    ck_assert(peg_view_allocate(&arena, a.shape, &a.view));
    ck_assert(peg_view_allocate(&arena, b.shape, &b.view));
    place(&b, (double[]){0, 0, 0}, (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1});
    place(&a, (double[]){.25, .125, 1 + gap}, (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1});
    peg_box_separations(&of_a, &of_b, &bias, 1, &axis);
    ck_assert_double_eq_tol(axis.s, gap, 1e-15);
    peg_box_patch_find(of_a, of_b, &axis, 1e-3, &patch);
    ck_assert_int_eq(patch.count, 4);
    ck_assert_double_eq(patch.normal[2], 1);
    double sum[3] = {0};
    for (int k = 0; k < 4; k++) peg_add_scaled(sum, .25, patch.contact[k].point, sum);
    /* the shared rectangle is [-.25, .5] x [-.375, .5], widened by 2e-3 of the half sides */
    ck_assert_double_eq_tol(sum[0], .125, 2e-3);
    ck_assert_double_eq_tol(sum[1], .0625, 2e-3);
    ck_assert_double_eq_tol(sum[2], .5 + gap / 2, 1e-15);
    place(&a, (double[]){0, 0, 1 + gap}, (double[]){c, -c, 0, c, c, 0, 0, 0, 1});
    peg_box_separations(&of_a, &of_b, &bias, 1, &axis);
    peg_box_patch_find(of_a, of_b, &axis, 1e-3, &patch);
    ck_assert_int_eq(patch.count, 8);
    for (int k = 0; k < 8; k++) ck_assert_int_eq(patch.contact[k].kind, PEG_FEATURES_EE);
    free_pair(&a, &b);
}
END_TEST

/* --- the solver --- */

enum { MOST_BODIES = 128, MOST_PATCHES = 512 };

typedef struct world {
    peg_wide_problem p;
    peg_mass_root root[MOST_BODIES];
    peg_vec6 target[MOST_BODIES], v[MOST_BODIES];
    peg_wide_contact contact[MOST_PATCHES * PEG_WIDE_PATCH];
    peg_wide_patch patch[MOST_PATCHES];
    int contacts;
} world;

static world W;

static void world_begin(int nb)
{
    memset(&W, 0, sizeof W);
    W.p = (peg_wide_problem){.nb = nb,
                             .root = W.root,
                             .target = (const peg_vec6 *)W.target,
                             .contact = W.contact,
                             .patch = W.patch,
                             .iterations = 4000,
                             .tolerance = 1e-7};
}

static void set_mass(int i, double mass, double inertia)
{
    peg_mass_block block = {.inv_mass = 1 / mass};
    for (int k = 0; k < 9; k += 4) block.inv_inertia[k] = 1 / inertia;
    ck_assert(peg_mass_root_of(&block, &W.root[i]));
}

static void add_patch(int a, int b, int count)
{
    W.patch[W.p.patches++] = (peg_wide_patch){a, b, W.contacts, count};
    W.contacts += count;
}

static void solve(void)
{
    peg_wide_result result;
    ck_assert(peg_solve_wide_pgs(&arena, &W.p, W.v, &result));
    ck_assert_int_le(result.iterations, W.p.iterations);
}

/* Velocity of A's point relative to B's along a direction. */
static double speed(const peg_wide_patch *patch, const peg_wide_contact *c, const double *d)
{
    double sum = 0, u[3];
    if (patch->a >= 0) {
        peg_cross(W.v[patch->a] + 3, c->arm_a, u);
        sum += peg_dot(d, W.v[patch->a]) + peg_dot(d, u);
    }
    if (patch->b >= 0) {
        peg_cross(W.v[patch->b] + 3, c->arm_b, u);
        sum -= peg_dot(d, W.v[patch->b]) + peg_dot(d, u);
    }
    return sum;
}

/* 1: friction of axis j is within its bound, and at it, against the motion, where the contact
 * slides. */
static int friction_holds(const peg_wide_contact *c, int j, double slide, double tolerance)
{
    double bound = c->mu[j - 1] * c->lambda[0] + c->limit[j - 1], full = bound * (1 - 1e-3);
    return fabs(c->lambda[j]) <= bound && (slide <= tolerance || c->lambda[j] <= -full) &&
           (slide >= -tolerance || c->lambda[j] >= full);
}

/* Speed of a row with its bias and compliance, m/s. */
static double row_speed(const peg_wide_patch *patch, const peg_wide_contact *c, int j)
{
    double third[3];
    const double *direction[3] = {c->normal, c->tangent, third};
    peg_cross(c->normal, c->tangent, third);
    return speed(patch, c, direction[j]) + c->bias[j] + c->compliance[j] * c->lambda[j];
}

/* 1: 0 <= lambda, 0 <= speed to the tolerance in m/s, one of them 0; friction. */
static int contact_holds(const peg_wide_patch *patch, const peg_wide_contact *c, double tolerance)
{
    double s = row_speed(patch, c, 0);
    return c->lambda[0] >= 0 && s >= -tolerance && (c->lambda[0] == 0 || s <= tolerance) &&
           friction_holds(c, 1, row_speed(patch, c, 1), tolerance) &&
           friction_holds(c, 2, row_speed(patch, c, 2), tolerance);
}

static int violated_contacts(double tolerance)
{
    int violated = 0;
    for (int i = 0; i < W.p.patches; i++)
        for (int k = 0; k < W.patch[i].count; k++)
            violated += !contact_holds(&W.patch[i], &W.contact[W.patch[i].first + k], tolerance);
    return violated;
}

/* Adds the impulse of a contact and its moments about the bodies' centres. */
static void add_impulse(const peg_wide_patch *patch, const peg_wide_contact *c, peg_vec6 *momentum)
{
    double third[3], impulse[3], moment[3];
    peg_cross(c->normal, c->tangent, third);
    for (int j = 0; j < 3; j++)
        impulse[j] =
            c->lambda[0] * c->normal[j] + c->lambda[1] * c->tangent[j] + c->lambda[2] * third[j];
    for (int side = 0; side < 2; side++) {
        int body = side ? patch->b : patch->a;
        if (body < 0) continue;
        peg_cross(side ? c->arm_b : c->arm_a, impulse, moment);
        for (int j = 0; j < 3; j++) {
            momentum[body][j] += side ? -impulse[j] : impulse[j];
            momentum[body][3 + j] += side ? -moment[j] : moment[j];
        }
    }
}

/* Largest difference, relative to 1 + |momentum|, of what a body gained and its impulses. */
static double momentum_error(void)
{
    static peg_vec6 momentum[MOST_BODIES];
    double worst = 0;
    memset(momentum, 0, sizeof momentum);
    for (int i = 0; i < W.p.patches; i++)
        for (int k = 0; k < W.patch[i].count; k++)
            add_impulse(&W.patch[i], &W.contact[W.patch[i].first + k], momentum);
    for (int i = 0; i < W.p.nb; i++) {
        double mass = 1 / (W.root[i].linear * W.root[i].linear);
        double inertia = 1 / (W.root[i].angular[0] * W.root[i].angular[0]);
        for (int j = 0; j < 6; j++) {
            double gained = (W.v[i][j] - W.target[i][j]) * (j < 3 ? mass : inertia);
            double error = fabs(gained - momentum[i][j]) / (1 + fabs(momentum[i][j]));
            if (!(error <= worst)) worst = error;
        }
    }
    return worst;
}

/* Of bodies 0 .. nb - 1. */
static void add_random_patches(cases_random *r, int nb, int patches, int has_friction)
{
    world_begin(nb);
    for (int i = 0; i < nb; i++) {
        set_mass(i, cases_uniform(r, .5, 2), cases_uniform(r, .2, 1));
        for (int k = 0; k < 6; k++) W.target[i][k] = cases_uniform(r, -1, 1);
    }
    for (int i = 0; i < patches; i++) {
        int a = cases_below(r, nb), b = cases_below(r, nb + 1) - 1;
        if (a == b) b = -1;
        if (cases_below(r, 2) && b >= 0) a = -1; /* what does not move on either side */
        int count = 1 + cases_below(r, PEG_WIDE_PATCH);
        for (int k = 0; k < count; k++) {
            peg_wide_contact *c = &W.contact[W.contacts + k];
            cases_direction(r, c->normal);
            peg_orthogonal(c->normal, c->tangent);
            for (int j = 0; j < 3; j++) {
                c->arm_a[j] = cases_uniform(r, -.5, .5);
                c->arm_b[j] = cases_uniform(r, -.5, .5);
            }
            /* v = 0 satisfies it */
            c->bias[0] = cases_below(r, 2) ? 0 : cases_uniform(r, 0, .5);
            if (has_friction) c->mu[0] = c->mu[1] = cases_uniform(r, 0, .3);
        }
        add_patch(a, b, count);
    }
    W.p.frictionless = !has_friction;
}

/* Contacts of springs on what moves, with slip. */
static void drive(cases_random *r)
{
    for (int i = 0; i < W.contacts; i++)
        for (int j = 0; j < 3; j++) {
            W.contact[i].bias[j] += cases_uniform(r, -.5, .5);
            W.contact[i].compliance[j] = cases_uniform(r, .1, 1);
        }
}

/* _i: every other one with friction, every third one of these driven. */
START_TEST(random_patches_meet_their_conditions)
{
    cases_random r = {.state = 11 + (uint64_t)_i};
    int nb = 2 + cases_below(&r, 14), patches = 1 + cases_below(&r, 2 * nb);
    add_random_patches(&r, nb, patches, _i % 2);
    if (_i % 6 == 1) drive(&r);
    solve();
    ck_assert_int_eq(violated_contacts(2e-4), 0);
    ck_assert_double_le(momentum_error(), 1e-9);
}
END_TEST

static void set_corner(peg_wide_contact *c, int k, double height, double mu)
{
    double x = k % 2 ? .5 : -.5, y = k / 2 ? .5 : -.5;
    *c = (peg_wide_contact){.normal = {0, 0, 1}, .tangent = {1, 0, 0}, .mu = {mu, mu}};
    c->arm_a[0] = x, c->arm_a[1] = y, c->arm_a[2] = -height;
    c->arm_b[0] = x, c->arm_b[1] = y, c->arm_b[2] = height;
}

/* A cube on the ground, pushed along x: it sticks up to mu m g h, and slides with what is left. */
/* Bodies on the ground and on each other, which are pushed: normals are within .4 rad of up. */
static void add_heap(cases_random *r, int nb, double mu)
{
    add_random_patches(r, nb, 3 * nb, 1);
    for (int i = 0; i < W.p.patches; i++) {
        peg_wide_patch *patch = &W.patch[i];
        if (patch->a < 0 || (patch->b > patch->a)) {
            int a = patch->a;
            patch->a = patch->b, patch->b = a;
        }
        for (int k = patch->first; k < patch->first + patch->count; k++) {
            peg_wide_contact *c = &W.contact[k];
            for (int j = 0; j < 3; j++) c->normal[j] = .4 * c->normal[j] + (j == 2);
            peg_normalise(c->normal);
            peg_orthogonal(c->normal, c->tangent);
            c->mu[0] = c->mu[1] = mu;
        }
    }
}

/* Of these problems momentum alone solves 33, 21 and 3. */
START_TEST(steep_friction_is_solved)
{
    enum { HEAPS = 40 };
    static const double mu[] = {1, 2, 5};
    static const int least[] = {36, 28, 15};
    int solved = 0;
    for (int i = 0; i < HEAPS; i++) {
        cases_random r = {.state = 311 + (uint64_t)i};
        peg_wide_result result;
        add_heap(&r, 4 + cases_below(&r, 30), mu[_i]);
        W.p.iterations = 400, W.p.tolerance = 1e-4;
        ck_assert(peg_solve_wide_pgs(&arena, &W.p, W.v, &result));
        ck_assert_double_le(momentum_error(), 1e-9);
        if (result.change > W.p.tolerance) continue;
        ck_assert_int_eq(violated_contacts(1e-2), 0);
        solved++;
    }
    ck_assert_int_ge(solved, least[_i]);
}
END_TEST

/* However many threads share the patches; _i: by momentum, by Anderson mixing, too. */
START_TEST(threads_find_the_same_impulses)
{
    enum { THREADS = 3 };
    static peg_wide_contact start[MOST_PATCHES * PEG_WIDE_PATCH];
    static peg_vec6 v[MOST_BODIES];
    cases_random r = {.state = 77};
    add_random_patches(&r, MOST_BODIES, MOST_PATCHES, 1);
    for (int k = 0; k < W.contacts; k += 3) W.contact[k].limit[0] = k % 2 ? .1 : INFINITY;
    for (int k = 0; k < W.contacts && _i; k++) W.contact[k].mu[0] = W.contact[k].mu[1] = 2;
    W.p.iterations = _i ? 150 : 20;
    memcpy(start, W.contact, sizeof start);
    for (int threads = 1; threads <= THREADS; threads++) {
        peg_wide_result result;
        W.p.pool = threads > 1 ? peg_pool_create(threads) : NULL;
        memcpy(W.contact, start, sizeof start);
        ck_assert(peg_solve_wide_pgs(&arena, &W.p, W.v, &result));
        if (threads == 1) memcpy(v, W.v, sizeof v);
        ck_assert(!memcmp(v, W.v, sizeof v));
        ck_assert(threads == 1 ? !result.meetings : result.meetings > result.iterations);
        peg_pool_destroy(W.p.pool);
    }
}
END_TEST

START_TEST(a_cube_sticks_and_slides)
{
    double mu = .5, fall = -.1, push = _i ? .08 : .04;
    world_begin(1);
    set_mass(0, 3, 1e9); /* does not tip */
    W.target[0][2] = fall, W.target[0][0] = push;
    for (int k = 0; k < 4; k++) set_corner(&W.contact[k], k, 0, mu);
    add_patch(0, -1, 4);
    solve();
    ck_assert_int_eq(violated_contacts(1e-5), 0);
    ck_assert_double_le(momentum_error(), 1e-9);
    ck_assert_double_eq_tol(W.v[0][2], 0, 1e-6);
    ck_assert_double_eq_tol(W.v[0][0], _i ? push + mu * fall : 0, 1e-6);
}
END_TEST

/* The same with limits of friction of their own: none, and m g h / 4 at each of four corners, which
 * holds a push of .08 m/s, and slows one of .15 m/s by .1 m/s. */
START_TEST(friction_has_limits_of_its_own)
{
    const double m = 3, fall = -.1, push = _i == 1 ? .08 : .15;
    world_begin(1);
    set_mass(0, m, 1e9); /* does not tip */
    W.target[0][2] = fall, W.target[0][0] = push;
    for (int k = 0; k < 4; k++) {
        set_corner(&W.contact[k], k, 0, 0);
        W.contact[k].limit[0] = W.contact[k].limit[1] = _i ? -m * fall / 4 : INFINITY;
    }
    add_patch(0, -1, 4);
    solve();
    ck_assert_int_eq(violated_contacts(1e-5), 0);
    ck_assert_double_le(momentum_error(), 1e-9);
    ck_assert_double_eq_tol(W.v[0][2], 0, 1e-6);
    ck_assert_double_eq_tol(W.v[0][0], _i == 2 ? push + fall : 0, 1e-6);
}
END_TEST

/* What rises from the ground has no friction, whatever its limit. */
START_TEST(what_opens_has_no_friction)
{
    world_begin(1);
    set_mass(0, 3, 1e9);
    W.target[0][2] = .1, W.target[0][0] = .2;
    for (int k = 0; k < 4; k++) {
        set_corner(&W.contact[k], k, 0, 0);
        W.contact[k].limit[0] = W.contact[k].limit[1] = INFINITY;
        if (_i) W.contact[k].lambda[0] = 1; /* it bore in the step before */
    }
    add_patch(0, -1, 4);
    solve();
    ck_assert_double_eq_tol(W.v[0][2], .1, 1e-6);
    ck_assert_double_eq_tol(W.v[0][0], .2, 1e-6);
}
END_TEST

/* A slab that carries more cubes than there are colours: each bears its own weight, and the ground
 * all of them. */
START_TEST(a_slab_carries_more_than_there_are_colours)
{
    enum { CUBES = 100 };
    double fall = -.1, sum = 0;
    world_begin(CUBES + 1);
    for (int i = 0; i <= CUBES; i++) {
        set_mass(i, i ? 1 : 50, i ? .2 : 1e9);
        W.target[i][2] = fall;
    }
    for (int k = 0; k < 4; k++) set_corner(&W.contact[k], k, .5, 0);
    add_patch(0, -1, 4);
    for (int i = 1; i <= CUBES; i++) {
        for (int k = 0; k < 4; k++) set_corner(&W.contact[W.contacts + k], k, .5, .5);
        add_patch(i, 0, 4);
    }
    solve();
    ck_assert_int_eq(violated_contacts(1e-4), 0);
    ck_assert_double_le(momentum_error(), 1e-9);
    for (int k = 0; k < 4; k++) sum += W.contact[k].lambda[0];
    ck_assert_double_eq_tol(sum, -fall * (50 + CUBES), 1e-2);
}
END_TEST

static void add_tower(int cubes)
{
    world_begin(cubes);
    for (int i = 0; i < cubes; i++) {
        set_mass(i, 1, 1. / 6);
        W.target[i][2] = -.1;
        for (int k = 0; k < 4; k++) set_corner(&W.contact[W.contacts + k], k, .5, .5);
        add_patch(i, i - 1, 4);
    }
}

/* Without momentum a tower of n cubes takes of the order of n^2 iterations, one of 40 cubes 1800,
 * 1500 with over-relaxation by 1.3. They end, too, where all rows together change
 * by what is enough. */
START_TEST(a_tower_takes_few_iterations)
{
    enum { CUBES = 40, MOST = 200 };
    peg_wide_result all, some;
    add_tower(CUBES);
    W.p.tolerance = 1e-3;
    ck_assert(peg_solve_wide_pgs(&arena, &W.p, W.v, &all));
    ck_assert_int_eq(violated_contacts(1e-3), 0);
    ck_assert_int_le(all.iterations, MOST);
    add_tower(CUBES);
    W.p.tolerance = 1e-3, W.p.least = 10, W.p.enough = 1e-4;
    ck_assert(peg_solve_wide_pgs(&arena, &W.p, W.v, &some));
    ck_assert_int_ge(some.iterations, W.p.least);
    ck_assert_int_lt(some.iterations, all.iterations);
    ck_assert_double_le(some.left * some.left, W.p.enough);
    ck_assert_double_gt(some.change, W.p.tolerance);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("wide");
    TCase *boxes = tcase_create("boxes"), *solver = tcase_create("solver");
    tcase_add_checked_fixture(boxes, set_up, tear_down);
    tcase_add_checked_fixture(solver, set_up, tear_down);
    tcase_add_test(boxes, lanes_find_the_separation_of_all_facets);
    tcase_add_test(boxes, patches_name_their_features);
    tcase_add_test(boxes, patches_of_hulls_name_their_features);
    tcase_add_test(boxes, nearest_edges_have_a_contact);
    tcase_add_test(boxes, flush_faces_share_their_corners);
    tcase_add_loop_test(solver, random_patches_meet_their_conditions, 0, 60);
    tcase_add_loop_test(solver, steep_friction_is_solved, 0, 3);
    tcase_add_loop_test(solver, threads_find_the_same_impulses, 0, 2);
    tcase_add_loop_test(solver, a_cube_sticks_and_slides, 0, 2);
    tcase_add_loop_test(solver, friction_has_limits_of_its_own, 0, 3);
    tcase_add_loop_test(solver, what_opens_has_no_friction, 0, 2);
    tcase_add_test(solver, a_slab_carries_more_than_there_are_colours);
    tcase_add_test(solver, a_tower_takes_few_iterations);
    suite_add_tcase(suite, boxes);
    suite_add_tcase(suite, solver);
    wide_step_cases(suite);
    return suite;
}
