#include "tests/planar_scene.h"

#include "peg/collide/separation.h"
#include "peg/peg.h"
#include "peg/step/planar.h"

#include <check.h>

planar_scene P;

static void surface(void *context, const peg_part *a, const peg_part *b, peg_surface *out)
{
    const planar_scene *p = context;
    (void)a, (void)b;
    out->mu = p->mu;
}

void planar_begin(pegContactModel model, double h)
{
    memset(&P, 0, sizeof P);
    P.s = (peg_scene){.body = P.body, .part = P.part, .h = h, .planar = 1};
    P.s.surface = surface;
    P.s.filter_context = &P;
    P.gravity = 10;
    peg_settings_default(&P.settings);
    P.settings.contact = model;
    ck_assert_int_eq(peg_context_create(&P.settings, &P.context), PEG_OK);
}

void planar_end(void)
{
    peg_context_destroy(P.context);
    for (int i = 0; i < P.s.np; i++) peg_polytope_free(P.shape[i]);
    memset(&P, 0, sizeof P);
}

static peg_polytope **add_part(int body)
{
    int i = P.s.np++;
    P.part[i] = (peg_part){.body = body, .id = (unsigned long)i + 1};
    for (int k = 0; k < 9; k += 4) P.part[i].rotation[k] = 1;
    return &P.shape[i];
}

static void shape_is_made(void)
{
    P.part[P.s.np - 1].shape = P.shape[P.s.np - 1];
}

void planar_add_ground(const double (*points)[2], int n)
{
    ck_assert_int_eq(peg_polygon_create(points, n, add_part(-1)), PEG_OK);
    shape_is_made();
}

void planar_add_half_plane(double nx, double ny)
{
    ck_assert_int_eq(peg_polytope_half_space((double[]){nx, ny, 0}, 0, add_part(-1)), PEG_OK);
    shape_is_made();
}

peg_body *planar_add_polygon(const double (*points)[2], int n, double mass, double x, double y,
                             double angle)
{
    int body = P.s.nb++;
    ck_assert_int_eq(peg_polygon_create(points, n, add_part(body)), PEG_OK);
    shape_is_made();
    double area, centre[2], inertia;
    peg_polygon_mass(P.shape[P.s.np - 1], &area, centre, &inertia);
    P.body[body] = peg_planar_body(mass, inertia * mass / area, x, y, angle);
    return &P.body[body];
}

peg_body *planar_add_box(double a, double b, double mass, double x, double y, double angle)
{
    const double corner[4][2] = {
        {-a / 2, -b / 2}, {a / 2, -b / 2}, {a / 2, b / 2}, {-a / 2, b / 2}};
    return planar_add_polygon(corner, 4, mass, x, y, angle);
}

peg_body *planar_add_particle(double mass, double x, double y, double vx, double vy)
{
    int body = P.s.nb++;
    ck_assert_int_eq(peg_polytope_point(add_part(body)), PEG_OK);
    shape_is_made();
    P.body[body] = peg_planar_body(mass, 1, x, y, 0);
    P.body[body].v[0] = vx, P.body[body].v[1] = vy;
    return &P.body[body];
}

void planar_step(void)
{
    for (int i = 0; i < P.s.nb; i++) {
        peg_body *b = &P.body[i];
        memcpy(b->v_free, b->v, sizeof b->v);
        b->v_free[1] -= P.s.h * P.gravity;
    }
    ck_assert_int_eq(peg_step(P.context, &P.s, &P.stats), PEG_OK);
    peg_stats_add(&P.sum, &P.stats);
    for (int i = 0; i < P.s.nb; i++) {
        peg_body *b = &P.body[i];
        double x[3], q[4];
        peg_body_pose(b, b->v_pose, P.s.h, x, q);
        peg_copy3(x, b->x);
        memcpy(b->q, q, sizeof q);
        memcpy(b->v, b->v_end, sizeof b->v);
    }
}

double planar_separation(int a, int b)
{
    peg_vec3 vertex[2][16], normal[2][16];
    double offset[2][16];
    peg_view view[2];
    for (int i = 0; i < 2; i++) {
        const peg_part *part = &P.part[i ? b : a];
        static const double origin[3] = {0}, identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        double R[9];
        if (part->body >= 0) peg_quat_to_mat(P.body[part->body].q, R);
        view[i] = (peg_view){
            .shape = part->shape, .vertex = vertex[i], .normal = normal[i], .offset = offset[i]};
        peg_view_set(&view[i], part->body < 0 ? origin : P.body[part->body].x,
                     part->body < 0 ? identity : R);
    }
    return peg_separation(&view[0], &view[1], INFINITY, NULL, NULL).s;
}

double planar_total_impulse(void)
{
    const peg_contact *c;
    double sum = 0;
    for (int n = peg_contacts(P.context, &c), i = 0; i < n; i++) sum += c[i].impulse;
    return sum;
}
