/* Planar scenes with the exact model: shapes, closed forms, nothing leaves the plane. */
#include "tests/planar_scene.h"
#include "tests/test_models.h"

#define EXACT 1e-12

static const double HILL[3][2] = {{0, 0}, {2, 1}, {2, 0}}; /* a tooth of [F 3.2] */

START_TEST(polygon_is_the_hull_of_its_points)
{
    /* a rectangle with a point inside, one on a side and one twice */
    const double points[7][2] = {{3, 1}, {0, 0}, {3, 0}, {0, 1}, {1, .5}, {2, 0}, {3, 1}};
    peg_polytope *p;
    double area, centre[2], inertia;
    ck_assert_int_eq(peg_polygon_create(points, 7, &p), PEG_OK);
    ck_assert_int_eq(p->nv, 4);
    ck_assert_int_eq(p->nf, 4);
    ck_assert_int_eq(p->ne, 0);
    ck_assert_double_eq_tol(p->volume, 3, EXACT);
    ck_assert_double_eq_tol(p->width, 1, EXACT);
    ck_assert_double_eq_tol(p->radius, sqrt(2.5), EXACT);
    for (int f = 0; f < 4; f++) {
        const int *end = p->face_vertex + p->face_start[f];
        for (int k = 0; k < 2; k++)
            ck_assert_double_eq_tol(peg_dot(p->normal[f], p->vertex[end[k]]), p->offset[f], EXACT);
        ck_assert(peg_dot(p->normal[f], p->centre) < p->offset[f]);
    }
    peg_polygon_mass(p, &area, centre, &inertia);
    ck_assert_double_eq_tol(centre[0], 1.5, EXACT);
    ck_assert_double_eq_tol(centre[1], .5, EXACT);
    ck_assert_double_eq_tol(inertia, 3. * (9 + 1) / 12, EXACT);
    peg_polytope_free(p);

    const double line[4][2] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}};
    ck_assert_int_eq(peg_polygon_create(line, 4, &p), PEG_ERROR_SHAPE_EMPTY);
    ck_assert_int_eq(peg_polygon_create(line, 2, &p), PEG_ERROR_SHAPE_EMPTY);
    const double bad[3][2] = {{0, 0}, {1, NAN}, {2, 0}};
    ck_assert_int_eq(peg_polygon_create(bad, 3, &p), PEG_ERROR_NOT_FINITE);
    ck_assert_ptr_null(p);
}
END_TEST

START_TEST(triangle_has_its_moment)
{
    const double points[3][2] = {{0, 0}, {2, 0}, {0, 1}};
    peg_polytope *p;
    double area, centre[2], inertia;
    ck_assert_int_eq(peg_polygon_create(points, 3, &p), PEG_OK);
    peg_polygon_mass(p, &area, centre, &inertia);
    ck_assert_double_eq_tol(area, 1, EXACT);
    ck_assert_double_eq_tol(centre[0], 2. / 3, EXACT);
    ck_assert_double_eq_tol(centre[1], 1. / 3, EXACT);
    ck_assert_double_eq_tol(inertia, (4. + 1) / 18, EXACT); /* area (a^2 + b^2) / 18 */
    peg_polytope_free(p);
}
END_TEST

START_TEST(flat_shapes_need_a_planar_scene)
{
    planar_begin(PEG_CONTACT_PEG, .01);
    planar_add_ground(HILL, 3);
    peg_body *b = planar_add_particle(1, 1, 2, 0, 0);
    ck_assert_int_eq(peg_step(P.context, &P.s, NULL), PEG_OK);
    P.s.planar = 0;
    ck_assert_int_eq(peg_step(P.context, &P.s, NULL), PEG_ERROR_ARGUMENT);
    P.s.planar = 1;
    b->v[2] = 1e-300;
    ck_assert_int_eq(peg_step(P.context, &P.s, NULL), PEG_ERROR_ARGUMENT);
    b->v[2] = 0;
    peg_polytope *cube;
    ck_assert_int_eq(peg_polytope_box((double[]){1, 1, 1}, &cube), PEG_OK);
    P.part[0].shape = cube;
    ck_assert_int_eq(peg_step(P.context, &P.s, NULL), PEG_ERROR_ARGUMENT);
    peg_polytope_free(cube);
    planar_end();
}
END_TEST

/* A particle falls on the slope of a tooth and slides up or down it without friction: the impulse
 * has no part along the slope, so that the velocity along it is that of the free motion. */
START_TEST(particle_slides_on_a_slope)
{
    double h = _i ? .01 : .001, s = 1 / sqrt(5), along[2] = {2 * s, s}, t = 0;
    planar_begin(PEG_CONTACT_PEG, h);
    planar_add_ground(HILL, 3);
    peg_body *b = planar_add_particle(5, 1, .6, 1, 0);
    double v0 = along[0] * b->v[0];
    while (t < .35 && b->x[0] < 1.99) {
        planar_step();
        t += h;
        double v = along[0] * b->v[0] + along[1] * b->v[1];
        ck_assert_double_eq_tol(v, v0 - P.gravity * along[1] * t, 1e-11);
        ck_assert(planar_separation(0, 1) >= 0);
    }
    ck_assert_double_eq_tol(-along[1] * b->v[0] + along[0] * b->v[1], 0, 1e-9);
    ck_assert_double_lt(planar_separation(0, 1), 1e-4); /* the margin of what is slid on */
    ck_assert_int_eq(P.sum.unconverged, 0);
    planar_end();
}
END_TEST

/* Beyond the top of the tooth there is nothing to hold it down or up: ballistic, to rounding. */
START_TEST(particle_leaves_the_tooth)
{
    planar_begin(PEG_CONTACT_PEG, .01);
    peg_body *b = planar_add_particle(5, 1.5, .8, 6, 1.8); /* here the particle is part A */
    planar_add_ground(HILL, 3);
    while (b->x[0] < 2.001) planar_step();
    double vx = b->v[0], vy = b->v[1];
    for (int k = 1; k <= 20; k++) {
        planar_step();
        ck_assert_double_eq(b->v[0], vx);
        ck_assert_double_eq_tol(b->v[1], vy - k * P.s.h * P.gravity, EXACT);
    }
    planar_end();
}
END_TEST

/* A box flush on the floor: one row per corner, which share its weight; it does not move. */
START_TEST(box_rests_on_its_side)
{
    const double floor[4][2] = {{-2, -1}, {2, -1}, {2, 0}, {-2, 0}};
    planar_begin(PEG_CONTACT_PEG, .01);
    planar_add_ground(floor, 4);
    peg_body *b = planar_add_box(1, .5, 2, .3, .25, 0);
    for (int k = 0; k < 50; k++) {
        planar_step();
        ck_assert_double_eq_tol(planar_total_impulse(), 2 * P.gravity * P.s.h, 1e-7);
        ck_assert_int_le(P.stats.rows_max, 2);
    }
    ck_assert_double_eq_tol(b->x[0], .3, 1e-9);
    ck_assert_double_eq_tol(b->x[1], .25, 1e-6);
    ck_assert_double_eq_tol(b->q[3], 0, 1e-9);
    planar_end();
}
END_TEST

/* A pile with friction, thrown together at a large step: z, w_x and w_y stay 0 to the bit, and
 * nothing overlaps. */
START_TEST(nothing_leaves_the_plane)
{
    const double floor[4][2] = {{-2, -1}, {2, -1}, {2, 0}, {-2, 0}};
    planar_begin(PEG_CONTACT_PEG, _i ? .05 : .01);
    planar_add_ground(floor, 4);
    P.mu = .4;
    for (int k = 0; k < 6; k++) {
        peg_body *b = planar_add_box(.3, .2 + .02 * k, 1, .1 * (k % 3), .3 + .35 * k, .4 * k);
        b->v[0] = .3 * (2 - k), b->v[5] = k - 3;
    }
    for (int k = 0; k < 100; k++) {
        planar_step();
        for (int i = 0; i < P.s.nb; i++) {
            const peg_body *b = &P.body[i];
            ck_assert(b->x[2] == 0 && b->q[1] == 0 && b->q[2] == 0);
            ck_assert(b->v[2] == 0 && b->v[3] == 0 && b->v[4] == 0);
        }
        for (int i = 0; i < P.s.np; i++)
            for (int j = i + 1; j < P.s.np; j++) ck_assert(planar_separation(i, j) > -1e-15);
    }
    planar_end();
}
END_TEST

void planar_cases(Suite *suite)
{
    TCase *c = tcase_create("planar");
    tcase_add_test(c, polygon_is_the_hull_of_its_points);
    tcase_add_test(c, triangle_has_its_moment);
    tcase_add_test(c, flat_shapes_need_a_planar_scene);
    tcase_add_loop_test(c, particle_slides_on_a_slope, 0, 2);
    tcase_add_test(c, particle_leaves_the_tooth);
    tcase_add_test(c, box_rests_on_its_side);
    tcase_add_loop_test(c, nothing_leaves_the_plane, 0, 2);
    suite_add_tcase(suite, c);
}
