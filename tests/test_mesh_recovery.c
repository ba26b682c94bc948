/* Closed meshes that overlap at the start, each other or a sheet: they open at the capped speed, as
 * a whole, nothing of which stays, and stay apart. */
#include "tests/runner.h"
#include "tests/geom_cases.h"
#include "tests/solid_mesh.h"

#include <math.h>

#include "peg/base/math.h"

/* m: what the measure of depth has of rounding. */
static const double NONE = 1e-9;

typedef struct two {
    scene s;
    solid mesh[2];
    dBodyID body[2];
    double speed; /* at which they open, m/s */
} two;

/* --- shapes --- */

static void make_cube(solid *s)
{
    solid_block(s, .2, .2, .2, 1);
}

static void make_fine_cube(solid *s)
{
    solid_block(s, .2, .2, .2, 5);
}

static void make_slab(solid *s)
{
    solid_block(s, .6, .6, .2, 1);
}

static void make_bar(solid *s)
{
    solid_block(s, .4, .1, .1, 2);
}

static void make_plate(solid *s)
{
    solid_block(s, .3, .3, .02, 2);
}

static void make_torus(solid *s)
{
    solid_torus(s, .2, .06, 16, 10);
}

static void make_ball(solid *s)
{
    solid_ball(s, .15, 16, 12);
}

/* The second mesh comes from `from`, beside the first one's middle by `off`. */
static const struct arrangement {
    const char *name;
    void (*make[2])(solid *);
    double turn[2][4]; /* axis and angle */
    double from[3], off[3];
} arrangements[] = {
    {"stacked", {make_cube, make_cube}, {{1}, {1}}, {0, 0, 1}, {.03, .02, 0}},
    {"flush", {make_cube, make_cube}, {{1}, {1}}, {0, 0, 1}, {0}},
    {"as bricks", {make_cube, make_cube}, {{1}, {1}}, {0, 0, 1}, {.05, 0, 0}},
    {"small on large", {make_slab, make_cube}, {{1}, {0, 0, 1, .5}}, {0, 0, 1}, {.03, .02, 0}},
    {"fine", {make_fine_cube, make_fine_cube}, {{1}, {0, 0, 1, .3}}, {0, 0, 1}, {.03, .02, 0}},
    {"fine, along a seam", {make_fine_cube, make_fine_cube}, {{1}, {1}}, {0, 0, 1}, {.05, .04, 0}},
    {"edge over edge",
     {make_bar, make_bar},
     {{1, 0, 0, PEG_PI / 4}, {0, 0, 1, 1.3}},
     {0, 0, 1},
     {.01, .02, 0}},
    {"side by side", {make_cube, make_fine_cube}, {{1}, {0, 0, 1, .1}}, {1, 0, 0}, {0, .02, .03}},
    {"on a corner", {make_slab, make_cube}, {{1}, {1, 1, .3, .8}}, {0, 0, 1}, {.03, .02, 0}},
    {"corners",
     {make_cube, make_cube},
     {{.3, 1, .2, .7}, {1, 1, .3, .8}},
     {0, .2, 1},
     {.03, .02, 0}},
    {"plates", {make_plate, make_plate}, {{1}, {0, 0, 1, .2}}, {0, 0, 1}, {.05, .02, 0}},
    {"tori", {make_torus, make_torus}, {{1}, {0, 0, 1, .1}}, {0, 0, 1}, {.05, .02, 0}},
    {"tori that cross", {make_torus, make_torus}, {{1}, {1, 0, 0, 1.57}}, {0, 0, 1}, {.05, .02, 0}},
    {"tori as links", {make_torus, make_torus}, {{1}, {1, 0, 0, 1.57}}, {1, 0, 0}, {.21, .02, 0}},
    {"torus that lies", {make_slab, make_torus}, {{1}, {1}}, {0, 0, 1}, {.05, .02, 0}},
    {"torus on a block", {make_slab, make_torus}, {{1}, {1, 0, 0, .1}}, {0, 0, 1}, {.05, .02, 0}},
    {"balls", {make_ball, make_ball}, {{1}, {1, .3, 0, 1}}, {0, 0, 1}, {.05, .02, 0}},
    {"ball on a block", {make_slab, make_ball}, {{1}, {1, .3, 0, 1}}, {0, 0, 1}, {.05, .02, 0}},
};
enum { ARRANGEMENTS = sizeof arrangements / sizeof *arrangements };

/* --- two bodies --- */

static void place(two *t)
{
    for (int i = 0; i < 2; i++)
        solid_place(&t->mesh[i], dBodyGetPosition(t->body[i]), dBodyGetRotation(t->body[i]));
}

static double depth(two *t)
{
    place(t);
    return solid_depth(&t->mesh[0], &t->mesh[1]);
}

static double depth_at(two *t, const struct arrangement *a, double way)
{
    double n[3], x[3];
    peg_copy3(a->from, n);
    peg_normalise(n);
    peg_add_scaled(a->off, way, n, x);
    dBodySetPosition(t->body[1], x[0], x[1], x[2]);
    return depth(t);
}

static dBodyID add_solid(scene *s, const solid *mesh)
{
    return add_body(s, add_mesh(s, mesh->vertex[0], mesh->nv, mesh->triangle[0], mesh->nt));
}

/* The second one is `deep` behind where they touch. */
static void arrange(two *t, const struct arrangement *a, double deep, double mu, int gravity)
{
    static const double step = .01;
    t->s = new_scene(mu);
    if (!gravity) dWorldSetGravity(t->s.world, 0, 0, 0);
    for (int i = 0; i < 2; i++) {
        const double *turn = a->turn[i];
        dMatrix3 R;
        a->make[i](&t->mesh[i]);
        t->body[i] = add_solid(&t->s, &t->mesh[i]);
        dRFromAxisAndAngle(R, turn[0], turn[1], turn[2], turn[3]);
        dBodySetRotation(t->body[i], R);
    }
    if (gravity) dBodySetKinematic(t->body[0]);
    t->speed = fmin(t->mesh[0].radius, t->mesh[1].radius);
    double in = t->mesh[0].radius + t->mesh[1].radius + .3, out;
    while (depth_at(t, a, in) == 0) in -= step;
    out = in + step;
    while (out - in > NONE) {
        double middle = .5 * (in + out);
        if (depth_at(t, a, middle) > NONE)
            in = middle;
        else
            out = middle;
    }
    double first = depth_at(t, a, in - deep);
    ck_assert_msg(first > .1 * deep, "%s: %g m deep, %g m wanted", a->name, first, deep);
}

/* Speeds and ways of a step: what opens, and what gravity makes. */
static void check_step(const two *t, const char *name, int step, double h, double fall,
                       const double before[2][3])
{
    for (int i = 0; i < 2; i++) {
        const dReal *v = dBodyGetLinearVel(t->body[i]), *w = dBodyGetAngularVel(t->body[i]);
        double moved[3], fast = fmax(peg_norm(v), t->mesh[i].radius * peg_norm(w));
        peg_sub(dBodyGetPosition(t->body[i]), before[i], moved);
        ck_assert_msg(fast <= t->speed + fall * (step + 1) * h, "%s, step %d: %g m/s", name, step,
                      fast);
        ck_assert_msg(peg_norm(moved) <= h * (t->speed + fall * (step + 1) * h),
                      "%s, step %d: %g m", name, step, peg_norm(moved));
    }
}

static const double depths[] = {.008, .003, .001}, sizes[] = {.002, .01, .05};
enum { CASES = 3 * 2 * 2 * ARRANGEMENTS }; /* step size, friction, gravity */

START_TEST(two_meshes_open)
{
    static two t;
    enum { AFTER = 20 };
    const struct arrangement *a = &arrangements[_i / 12];
    double h = sizes[_i % 3], mu = .5 * (_i / 3 % 2), deep = depths[(_i + _i / 12) % 3];
    int gravity = _i / 6 % 2;
    arrange(&t, a, deep, mu, gravity);
    int most = 4 + (int)(2 * deep / (t.speed * h)), apart = -1;
    for (int step = 0; apart < 0 || step < apart + AFTER; step++) {
        pegStats stats;
        double before[2][3];
        for (int i = 0; i < 2; i++) peg_copy3(dBodyGetPosition(t.body[i]), before[i]);
        make_step(&t.s, h);
        pegWorldGetStats(t.s.peg, &stats);
        double now = depth(&t);
        if (now <= NONE && apart < 0) apart = step;
        ck_assert_msg(step < most || apart >= 0, "%s (%d): %g m deep", a->name, _i, now);
        ck_assert_msg(now <= (apart < 0 ? deep : NONE), "%s (%d), step %d: %g m deep", a->name, _i,
                      step, now);
        ck_assert_msg(apart >= 0 || stats.limited_islands == 0, "%s (%d), step %d: limited",
                      a->name, _i, step);
        check_step(&t, a->name, step, h, gravity ? G : 0, (const double(*)[3])before);
    }
    free_scene(&t.s);
}
END_TEST

/* --- more of them --- */

/* Three cubes on each other, flush or jutting out, the lowest in the slab, rise and stay where they
 * stand, with friction and without. */
START_TEST(stacks_rise)
{
    static solid shape[4];
    dBodyID body[4];
    double out = .03 * (_i / 2);
    scene s = new_scene(.5 * (_i % 2));
    for (int i = 0; i < 4; i++) {
        if (i)
            make_cube(&shape[i]);
        else
            make_slab(&shape[i]);
        body[i] = add_solid(&s, &shape[i]);
        dBodySetPosition(body[i], i % 2 * out, 0, i * (.2 - .008));
    }
    dBodySetKinematic(body[0]);
    for (int step = 0; step < 100; step++) make_step(&s, .01);
    for (int i = 1; i < 4; i++) {
        const dReal *x = dBodyGetPosition(body[i]);
        ck_assert_double_eq_tol(x[2], .2 * i, 1e-4);
        ck_assert_double_eq_tol(hypot(x[0] - i % 2 * out, x[1]), 0, 1e-4);
    }
    free_scene(&s);
}
END_TEST

/* Four at random places, far in each other: all open in the void, and their momentum stays. */
START_TEST(heaps_come_apart)
{
    enum { BODIES = 4 };
    static void (*const make[BODIES])(solid *) = {make_cube, make_bar, make_torus, make_ball};
    static solid shape[BODIES];
    cases_random r = {(unsigned long)_i + 1};
    dBodyID body[BODIES];
    scene s = new_scene(.5);
    double sum[3] = {0}, h = .01, deepest = 0;
    dWorldSetGravity(s.world, 0, 0, 0);
    for (int i = 0; i < BODIES; i++) {
        double n[3];
        make[i](&shape[i]);
        dGeomID geom =
            add_mesh(&s, shape[i].vertex[0], shape[i].nv, shape[i].triangle[0], shape[i].nt);
        body[i] = add_turned_body(&s, &r, geom);
        cases_direction(&r, n);
        dBodySetPosition(body[i], .2 * n[0], .2 * n[1], .2 * n[2]);
    }
    for (int step = 0; step < 150; step++) make_step(&s, h);
    for (int i = 0; i < BODIES; i++) {
        solid_place(&shape[i], dBodyGetPosition(body[i]), dBodyGetRotation(body[i]));
        for (int k = 0; k < 3; k++) sum[k] += dBodyGetLinearVel(body[i])[k];
        for (int j = 0; j < i; j++) deepest = fmax(deepest, solid_depth(&shape[i], &shape[j]));
    }
    ck_assert_double_le(deepest, NONE);
    ck_assert_double_le(peg_norm(sum), 1e-9);
    free_scene(&s);
}
END_TEST

static void move_up(solid *s, dBodyID body, double height)
{
    dBodySetPosition(body, .1, -.1, height); /* a cube's sides are over edges of the sheet */
    solid_place(s, dBodyGetPosition(body), dBodyGetRotation(body));
}

/* 8 mm in a sheet, flat or of hills, from above or from below: a mesh leaves it to the side where
 * most of it is. */
START_TEST(meshes_leave_sheets)
{
    enum { STEPS = 30 };
    static void (*const make[])(solid *) = {make_cube, make_torus, make_ball};
    static solid sheet, shape;
    static const double deep = .008, width = 1.6;
    double height = .04 * (_i / 3 % 2), side = _i / 6 % 2 ? -1 : 1;
    int cells = _i / 12 % 2 ? 4 : 16, turned = _i / 24;
    scene s = new_scene(.5);
    dWorldSetGravity(s.world, 0, 0, 0);
    solid_sheet(&sheet, width, height, cells);
    make[_i % 3](&shape);
    dBodyID below = add_solid(&s, &sheet), body = add_solid(&s, &shape);
    dBodySetKinematic(below);
    solid_place(&sheet, dBodyGetPosition(below), dBodyGetRotation(below));
    if (turned) {
        dMatrix3 R;
        dRFromAxisAndAngle(R, 1, .3, .2, .7);
        dBodySetRotation(body, R);
    }
    double in = 0, out = .5;
    while (out - in > NONE) {
        double middle = .5 * (in + out);
        move_up(&shape, body, side * middle);
        if (solid_crosses(&shape, &sheet))
            in = middle;
        else
            out = middle;
    }
    move_up(&shape, body, side * (in - deep));
    ck_assert(solid_crosses(&shape, &sheet));
    for (int step = 0; step < STEPS; step++) {
        pegStats stats;
        make_step(&s, .01);
        pegWorldGetStats(s.peg, &stats);
        ck_assert_int_eq(stats.limited_islands, 0);
    }
    solid_place(&shape, dBodyGetPosition(body), dBodyGetRotation(body));
    double risen = side * dBodyGetPosition(body)[2] - (in - deep);
    ck_assert(!solid_crosses(&shape, &sheet));
    ck_assert_double_le(risen, 1.1 * deep);
    ck_assert_double_ge(risen, 0);
    free_scene(&s);
}
END_TEST

/* What is inside of a room, but for a corner that pokes through its wall, is not pushed out. */
START_TEST(rooms_keep_what_is_inside)
{
    static solid room, inside;
    scene s = new_scene(.5);
    solid_block(&room, 2, 2, 2, 2);
    make_cube(&inside);
    dBodyID walls = add_solid(&s, &room), body = add_solid(&s, &inside);
    dWorldSetGravity(s.world, 0, 0, 0);
    dBodySetKinematic(walls);
    dBodySetPosition(body, .3, .2, 1 - .1 + .008);
    for (int step = 0; step < 50; step++) make_step(&s, .01);
    ck_assert_double_le(dBodyGetPosition(body)[2], 1 - .1 + .009);
    free_scene(&s);
}
END_TEST

/* A thread about z with a pitch of 0.25 m, open at its ends: so many rings of 24 vertices, their
 * radius larger by `clearance`. */
static void make_thread(solid *s, double length, int rings, double clearance)
{
    enum { ROUND = 24 };
    s->nv = s->nt = 0;
    for (int i = 0; i <= rings; i++)
        for (int j = 0; j < ROUND; j++) {
            double z = length * (i - .5 * rings) / rings, angle = 2 * PEG_PI * j / ROUND;
            double turns = z / .25 - angle / (2 * PEG_PI);
            double radius = .5 + .08 * fabs(2 * (turns - floor(turns)) - 1) + clearance;
            double *v = s->vertex[s->nv++];
            v[0] = radius * cos(angle), v[1] = radius * sin(angle), v[2] = z;
        }
    for (int i = 0; i < rings; i++)
        for (int j = 0; j < ROUND; j++) {
            unsigned a = (unsigned)(i * ROUND + j), b = (unsigned)(i * ROUND + (j + 1) % ROUND);
            const unsigned square[2][3] = {{a, b, b + ROUND}, {a, b + ROUND, a + ROUND}};
            memcpy(s->triangle[s->nt], square, sizeof square);
            s->nt += 2;
        }
}

/* A nut whose facets overlap those of the bolt that it is on: what cannot open is given up early in
 * each step. */
START_TEST(stuck_nuts_take_little_work)
{
    static solid bolt, nut;
    pegStats stats;
    scene s = new_scene(0);
    make_thread(&bolt, 4, 18, 0);
    make_thread(&nut, .8, 4, .02);
    dBodyID held = add_solid(&s, &bolt);
    add_solid(&s, &nut);
    dBodySetKinematic(held);
    for (int step = 0; step < 20; step++) {
        make_step(&s, .01);
        pegWorldGetStats(s.peg, &stats);
        ck_assert_int_gt(stats.recovered, 0);
        ck_assert_int_eq(stats.frozen_islands, 0);
        ck_assert_int_le(stats.outer_iterations, 12);
    }
    free_scene(&s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("mesh-recovery");
    TCase *tc = tcase_create("two");
    dInitODE();
    test_at_end(dCloseODE);
    test_long(tc);
    tcase_add_loop_test(tc, two_meshes_open, 0, CASES);
    suite_add_tcase(suite, tc);
    tc = tcase_create("more");
    tcase_add_loop_test(tc, stacks_rise, 0, 4);
    tcase_add_loop_test(tc, heaps_come_apart, 0, 4);
    tcase_add_loop_test(tc, meshes_leave_sheets, 0, 48);
    tcase_add_test(tc, rooms_keep_what_is_inside);
    tcase_add_test(tc, stuck_nuts_take_little_work);
    suite_add_tcase(suite, tc);
    return suite;
}
