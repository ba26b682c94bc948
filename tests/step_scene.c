#include "tests/step_scene.h"

#include "peg/collide/separation.h"

#include <check.h>

scene S;

/* --- building --- */

static int may_touch(void *context, const peg_part *a, const peg_part *b)
{
    scene *s = context;
    s->asked[a->id][b->id]++;
    s->asked[b->id][a->id]++;
    return !((a->id == s->refused_a && b->id == s->refused_b) ||
             (a->id == s->refused_b && b->id == s->refused_a));
}

static void surface(void *context, const peg_part *a, const peg_part *b, peg_surface *out)
{
    scene *s = context;
    s->told[a->id][b->id]++;
    *out = s->surface;
}

void scene_use_context(const pegSettings *settings)
{
    peg_context_destroy(S.context);
    ck_assert_int_eq(peg_context_create(settings, &S.context), PEG_OK);
}

void scene_begin(double h)
{
    memset(&S, 0, sizeof S);
    S.s = (peg_scene){.body = S.body, .part = S.part, .h = h, .filter_context = &S};
    S.s.may_touch = may_touch;
    S.s.surface = surface;
    scene_use_context(NULL);
}

void scene_end(void)
{
    peg_context_destroy(S.context);
    for (int i = 0; i < S.shapes; i++) peg_polytope_free(S.shape[i]);
    memset(&S, 0, sizeof S);
}

void scene_use_model(pegContactModel model)
{
    pegSettings settings;
    peg_settings_default(&settings);
    settings.contact = model;
    scene_use_context(&settings);
}

peg_polytope *scene_box(double a, double b, double c)
{
    peg_polytope **shape = &S.shape[S.shapes++];
    ck_assert_int_eq(peg_polytope_box((double[]){a, b, c}, shape), PEG_OK);
    return *shape;
}

void scene_add_part(int body, const peg_polytope *shape, double x, double y, double z)
{
    peg_part *p = &S.part[S.s.np++];
    *p = (peg_part){.shape = shape, .body = body, .offset = {x, y, z}};
    p->id = (unsigned long)S.s.np;
    for (int k = 0; k < 9; k += 4) p->rotation[k] = 1;
}

peg_body *scene_add_body(peg_body_kind kind, double mass, const double sides[3])
{
    peg_body *b = &S.body[S.s.nb++];
    *b = (peg_body){.kind = kind, .q = {1, 0, 0, 0}, .mass = mass, .max_angular_speed = INFINITY};
    for (int k = 0; k < 3; k++) {
        double a = sides[(k + 1) % 3], c = sides[(k + 2) % 3];
        b->inertia[4 * k] = mass / 12 * (a * a + c * c);
    }
    return b;
}

peg_body *scene_add_cube(peg_body_kind kind, double mass, double x, double y, double z)
{
    peg_body *b = scene_add_body(kind, mass, (double[]){1, 1, 1});
    b->x[0] = x, b->x[1] = y, b->x[2] = z;
    scene_add_part(S.s.nb - 1, scene_box(1, 1, 1), 0, 0, 0);
    return b;
}

void scene_add_ground(void)
{
    peg_polytope **shape = &S.shape[S.shapes++];
    ck_assert_int_eq(peg_polytope_half_space((double[]){0, 0, 1}, 0, shape), PEG_OK);
    scene_add_part(-1, *shape, 0, 0, 0);
}

void scene_turn_to(peg_body *b, const double *from, const double *to)
{
    double f[3], t[3], axis[3];
    peg_copy3(from, f);
    peg_copy3(to, t);
    peg_normalise(f);
    peg_normalise(t);
    peg_cross(f, t, axis);
    double q[4] = {1 + peg_dot(f, t), axis[0], axis[1], axis[2]};
    double l = sqrt(q[0] * q[0] + peg_dot(axis, axis));
    for (int k = 0; k < 4; k++) b->q[k] = q[k] / l;
}

void scene_spin_about_z(peg_body *b, double angle)
{
    double turn[4] = {cos(angle / 2), 0, 0, sin(angle / 2)}, q[4];
    peg_quat_mul(turn, b->q, q);
    memcpy(b->q, q, sizeof q);
}

void scene_set_velocity(peg_body *b, double vx, double vy, double vz)
{
    b->v[0] = vx, b->v[1] = vy, b->v[2] = vz;
    memcpy(b->v_free, b->v, sizeof b->v);
}

/* --- stepping --- */

void scene_step(void)
{
    ck_assert_int_eq(peg_step(S.context, &S.s, &S.stats), PEG_OK);
}

/* Exact separation of two parts whose bodies are at x, q. */
static double separation_at(const int part[2], double (*x)[3], double (*q)[4])
{
    peg_view view[2];
    for (int i = 0; i < 2; i++) {
        const peg_part *p = &S.part[part[i]];
        double R[9], turned[9], at[3];
        peg_quat_to_mat(q[i], R);
        peg_rotate(R, p->offset, at);
        peg_add_scaled(at, 1, x[i], at);
        peg_mat_mul(R, p->rotation, turned);
        view[i] = cases_view(p->shape);
        peg_view_set(&view[i], at, turned);
    }
    double s = peg_separation(&view[0], &view[1], INFINITY, NULL, NULL).s;
    for (int i = 0; i < 2; i++) cases_view_free(&view[i]);
    return s;
}

double scene_separation(int a, int b)
{
    double x[2][3] = {{0}}, q[2][4] = {{1}, {1}};
    const int part[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        if (S.part[part[i]].body < 0) continue;
        const peg_body *at = &S.body[S.part[part[i]].body];
        static const double rest[6] = {0};
        const double *v = at->kind == PEG_STATIC    ? rest
                          : at->kind == PEG_DYNAMIC ? at->v_pose
                                                    : at->v;
        peg_body_pose(at, v, S.s.h, x[i], q[i]);
    }
    return separation_at(part, x, q);
}

void scene_advance(void)
{
    for (int i = 0; i < S.s.nb; i++) {
        peg_body *b = &S.body[i];
        double x[3], q[4];
        if (b->kind == PEG_STATIC) continue;
        peg_body_pose(b, b->kind == PEG_DYNAMIC ? b->v_pose : b->v, S.s.h, x, q);
        peg_copy3(x, b->x);
        memcpy(b->q, q, sizeof q);
        if (b->kind == PEG_DYNAMIC) memcpy(b->v, b->v_end, sizeof b->v);
    }
}

void scene_fall(double g)
{
    for (int i = 0; i < S.s.nb; i++) {
        peg_body *b = &S.body[i];
        memcpy(b->v_free, b->v, sizeof b->v);
        if (b->kind == PEG_DYNAMIC) b->v_free[2] -= S.s.h * g;
    }
}

void scene_spin_momentum(const peg_body *b, const double *w, double *out)
{
    double R[9];
    peg_quat_to_mat(b->q, R);
    peg_rotate_back(R, w, out);
    peg_rotate(b->inertia, out, out);
    peg_rotate(R, out, out);
}

double scene_kinetic(const peg_body *b, const double *v)
{
    double L[3];
    scene_spin_momentum(b, v + 3, L);
    return 0.5 * (b->mass * peg_dot(v, v) + peg_dot(v + 3, L));
}

double scene_kinetic_after(const peg_body *b)
{
    peg_body end = *b;
    peg_body_pose(b, b->v_pose, S.s.h, end.x, end.q);
    return scene_kinetic(&end, b->v_end);
}

double scene_total_impulse(void)
{
    const peg_contact *c;
    double sum = 0;
    for (int n = peg_contacts(S.context, &c), i = 0; i < n; i++) sum += c[i].impulse;
    return sum;
}

void scene_random_impact(cases_random *r, double h)
{
    scene_begin(h);
    for (int i = 0; i < 2; i++) {
        double sides[3], n[3], R[9];
        for (int k = 0; k < 3; k++) sides[k] = cases_uniform(r, 0.3, 1);
        peg_body *b = scene_add_body(PEG_DYNAMIC, cases_uniform(r, 0.5, 3), sides);
        scene_add_part(i, scene_box(sides[0], sides[1], sides[2]), 0, 0, 0);
        cases_direction(r, n);
        for (int k = 0; k < 4; k++) b->q[k] = cases_uniform(r, -1, 1);
        double l = sqrt(peg_dot(b->q, b->q) + b->q[3] * b->q[3]);
        for (int k = 0; k < 4; k++) b->q[k] /= l;
        cases_rotation(r, R);
        double spin = cases_uniform(r, 0, 3) * fmin(0.3 / h, 30);
        for (int k = 0; k < 3; k++) b->v[3 + k] = spin * n[k];
    }
    peg_body *a = &S.body[0];
    double n[3], side[3], speed = cases_uniform(r, 0.1, 5);
    cases_direction(r, n);
    cases_direction(r, side);
    peg_add_scaled(a->x, 3, n, a->x);
    peg_add_scaled(a->x, 0.3, side, a->x);
    double s = scene_separation(0, 1); /* v_pose is still 0: at the start */
    /* near along the line of flight: contact within the step, or nearly */
    for (int i = 0; i < 30 && s > 0.5 * h * speed; i++) {
        peg_add_scaled(a->x, -(s - 0.4 * h * speed), n, a->x);
        s = scene_separation(0, 1);
    }
    peg_add_scaled(a->v, -speed, n, a->v);
    for (int i = 0; i < 2; i++) memcpy(S.body[i].v_free, S.body[i].v, sizeof S.body[i].v);
}

int scene_random_pass(cases_random *r)
{
    double n[3], side = 0.1;
    scene_begin(0.05);
    scene_add_cube(PEG_STATIC, 0, 0, 0, 0);
    peg_body *b = scene_add_body(PEG_DYNAMIC, 1, (double[]){side, side, side});
    scene_add_part(1, scene_box(side, side, side), 0, 0, 0);
    cases_direction(r, n);
    scene_turn_to(b, (double[]){0, 0, 1}, n);
    b->x[0] = 0.5 + cases_uniform(r, -0.02, 0.1);
    b->x[2] = 0.5 + cases_uniform(r, -0.02, 0.1);
    scene_set_velocity(b, cases_uniform(r, 0, 1), 0, cases_uniform(r, -1, 0));
    memcpy(b->v_pose, b->v_free, sizeof b->v_free);
    int is_free = 1;
    double h = S.s.h;
    for (int t = 0; t <= 64; t++) {
        S.s.h = h * t / 64;
        is_free &= scene_separation(0, 1) > 1e-3;
    }
    S.s.h = h;
    return is_free;
}
