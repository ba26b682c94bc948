/* Meshes and heightfields with a radius: throws at each other against the distances of all their
 * triangles, closed forms, and radii that end. */
#include "tests/runner.h"
#include "tests/geom_cases.h"

#include <math.h>
#include <string.h>

#include "peg/base/math.h"
#include "tests/geometry_cases.h"

/* --- distances of triangles --- */

typedef double corners[3][3];

/* How far a segment is from the inside of a triangle: of its ends over it; 0 where it passes. */
static double over_triangle(const double *p, const double *q, const double (*v)[3])
{
    double a[3], b[3], n[3], d[2], least = INFINITY;
    const double *end[2] = {p, q};
    peg_sub(v[1], v[0], a), peg_sub(v[2], v[0], b);
    peg_cross(a, b, n);
    if (!(peg_normalise(n) > 0)) return least;
    for (int i = 0; i < 2; i++) {
        peg_sub(end[i], v[0], a);
        d[i] = peg_dot(n, a);
    }
    for (int i = 0; i < 3; i++) { /* the ends, and where it passes through the plane */
        double x[3], share = i < 2 ? i : d[0] / (d[0] - d[1]);
        if (i == 2 && !(d[0] * d[1] < 0)) continue;
        for (int k = 0; k < 3; k++) x[k] = p[k] + share * (q[k] - p[k]);
        int inside = 1;
        for (int k = 0; k < 3; k++) {
            double e[3], out[3], f[3];
            peg_sub(v[(k + 1) % 3], v[k], e);
            peg_cross(e, n, out);
            peg_sub(x, v[k], f);
            inside &= peg_dot(out, f) <= 0;
        }
        if (inside) least = fmin(least, i < 2 ? fabs(d[i]) : 0);
    }
    return least;
}

static double two_triangles(const double (*a)[3], const double (*b)[3])
{
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        int next = (i + 1) % 3;
        least = fmin(least, over_triangle(a[i], a[next], b));
        least = fmin(least, over_triangle(b[i], b[next], a));
        for (int j = 0; j < 3; j++)
            least = fmin(least, cases_segment_distance(a[i], a[next], b[j], b[(j + 1) % 3]));
    }
    return least;
}

/* --- bodies of triangles --- */

enum { MOST = 64 };

typedef struct solid {
    int nt;
    corners of[MOST], at[MOST]; /* in the body's frame, and in the world; points are thrice there */
    double round;
    dGeomID geom;
} solid;

enum { CUBE, PLATE, TILE, SHARP, BOX_, BALL, ROD, KINDS };

static void place(solid *s)
{
    const dReal *x = dGeomGetPosition(s->geom), *R = dGeomGetRotation(s->geom);
    for (int t = 0; t < s->nt; t++)
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) s->at[t][c][k] = x[k] + peg_dot(R + 4 * k, s->of[t][c]);
}

static double gap_of(solid *a, solid *b)
{
    double least = INFINITY;
    place(a), place(b);
    for (int t = 0; t < a->nt; t++)
        for (int u = 0; u < b->nt; u++)
            least = fmin(least,
                         two_triangles((const double(*)[3])a->at[t], (const double(*)[3])b->at[u]));
    return least - a->round - b->round;
}

/* ODE keeps pointers to what a mesh is of. */
static struct {
    double vertex[9][3];
    unsigned index[36];
} kept[4];

/* The vertices that the geom got, as ODE keeps them: single precision. */
static dGeomID mesh_of(scene *s, solid *a, double (*v)[3], int nv, const unsigned *index, int nt)
{
    int slot = s->meshes;
    for (int i = 0; i < nv; i++)
        for (int k = 0; k < 3; k++) v[i][k] = kept[slot].vertex[i][k] = (float)v[i][k];
    memcpy(kept[slot].index, index, 3 * (size_t)nt * sizeof *index);
    a->nt = nt;
    for (int t = 0; t < nt; t++)
        for (int c = 0; c < 3; c++) peg_copy3(v[index[3 * t + c]], a->of[t][c]);
    return add_mesh(s, kept[slot].vertex[0], nv, kept[slot].index, nt);
}

/* 3 x 3 points, bent. */
static dGeomID sheet_of(scene *s, cases_random *r, solid *a, double size)
{
    double v[9][3], bend = cases_uniform(r, -.4, .4);
    unsigned index[24], n = 0;
    for (int i = 0; i < 9; i++) {
        v[i][0] = size * (i % 3 - 1), v[i][1] = size * (i / 3 - 1);
        v[i][2] = size * (bend * (i % 3 != 1) + cases_uniform(r, -.1, .1));
        if (i % 3 == 2 || i / 3 == 2) continue;
        unsigned c = (unsigned)i, of[6] = {c, c + 1, c + 4, c, c + 4, c + 3};
        memcpy(index + n, of, sizeof of);
        n += 6;
    }
    return mesh_of(s, a, v, 9, index, 8);
}

static dGeomID cube_of(scene *s, solid *a, const double size[3])
{
    double v[8][3];
    for (int i = 0; i < 24; i++) v[i / 3][i % 3] = points[i] * size[i % 3];
    return mesh_of(s, a, v, 8, cube[0], 12);
}

static solid some_solid(scene *s, cases_random *r, int kind)
{
    static const unsigned one[3] = {0, 1, 2};
    solid a = {.round = kind <= TILE ? cases_magnitude(r, -2.5, -.5) : 0};
    double size[3], v[3][3];
    for (int k = 0; k < 3; k++) size[k] = cases_uniform(r, .3, 1);
    if (kind == CUBE || kind == SHARP || kind == BOX_) a.geom = cube_of(s, &a, size);
    if (kind == BOX_) {
        dGeomDestroy(a.geom);
        a.geom = dCreateBox(s->space, (float)size[0], (float)size[1], (float)size[2]);
    }
    if (kind == PLATE) a.geom = sheet_of(s, r, &a, .5 * size[0]);
    for (int i = 0; i < 9; i++) v[i / 3][i % 3] = cases_uniform(r, -.6, .6);
    if (kind == TILE) a.geom = mesh_of(s, &a, v, 3, one, 1);
    if (kind >= BALL) {
        a.nt = 1, a.round = .5 * size[0];
        double half = kind == ROD ? .5 * size[1] : 0;
        memset(a.of[0], 0, sizeof a.of[0]);
        a.of[0][0][2] = -half, a.of[0][1][2] = a.of[0][2][2] = half;
        a.geom = kind == BALL ? dCreateSphere(s->space, a.round)
                              : dCreateCapsule(s->space, a.round, 2 * half);
    }
    if (kind <= TILE) ck_assert_int_eq(pegGeomSetRadius(a.geom, a.round), PEG_OK);
    return a;
}

/* Thrown at each other, with friction and turning: they meet, and never overlap. */
START_TEST(thrown_meshes_never_overlap)
{
    enum { DROPS = 60, STEPS = 25 };
    cases_random r = {300 + (uint64_t)_i};
    int met = 0;
    for (int drop = 0; drop < DROPS; drop++) {
        scene s = new_scene(drop % 2 ? .5 : 0);
        solid a = some_solid(&s, &r, _i / KINDS), b = some_solid(&s, &r, _i % KINDS);
        dBodyID first = add_turned_body(&s, &r, a.geom), second = add_turned_body(&s, &r, b.geom);
        double d[3], away = 2 + a.round + b.round, speed = cases_uniform(&r, 5, 40);
        cases_direction(&r, d);
        dBodySetPosition(first, away * d[0], away * d[1], away * d[2]);
        dBodySetLinearVel(first, -speed * d[0], -speed * d[1], -speed * d[2]);
        dBodySetAngularVel(second, cases_uniform(&r, -5, 5), cases_uniform(&r, -5, 5), 1);
        int touched = 0;
        for (int step = 0; step < STEPS; step++) {
            make_step(&s, .01);
            touched |= pegWorldGetContactCount(s.peg) > 0;
            double gap = gap_of(&a, &b);
            ck_assert_msg(gap >= -1e-9, "kinds %d, drop %d, step %d: %g", _i, drop, step, gap);
        }
        met += touched;
        free_scene(&s);
    }
    ck_assert_int_gt(met, DROPS / 4);
}
END_TEST

/* --- closed forms --- */

/* Ground under an incline: a sheet or a heightfield with a radius. */
static double add_ground(scene *s, int field, double round)
{
    static double samples[(SIDE + 1) * (SIDE + 1)];
    pegHeightfield of = sampled(60, flat, samples);
    dGeomID geom = field ? add_field(s, &of) : add_grid(s, 60, flat);
    ck_assert_int_eq(pegGeomSetRadius(geom, round), PEG_OK);
    return round;
}

/* Down a slope: a mesh of a thousandth of its radius rolls as a ball does, one of a thin prism as a
 * cylinder, a plate slides; all on ground with a radius. */
START_TEST(meshes_roll_and_slide)
{
    static const struct {
        double size[3], radius, mu, inertia, share;
    } of[] = {{{1e-3, 1e-3, 1e-3}, .5, 1, .4, 5. / 7},
              {{1e-3, 1, 1e-3}, .5, 1, .5, 2. / 3},
              {{1, 1, .5}, .1, 0, .4, 1},
              {{1, 1, .5}, .1, .1, .4, 0}};
    int i = _i % 4;
    double angle = .3, r = of[i].radius;
    scene s = new_scene(of[i].mu);
    solid a = {0};
    dMass mass;
    double half = r + .5 * (float)of[i].size[2] + add_ground(&s, _i / 4, .2);
    dMassSetParameters(&mass, 2, 0, 0, 0, .2, 2 * of[i].inertia * r * r, .2, 0, 0, 0);
    dGeomID geom = cube_of(&s, &a, of[i].size);
    ck_assert_int_eq(pegGeomSetRadius(geom, r), PEG_OK);
    dBodyID body = add_body(&s, geom);
    if (i < 2) dBodySetMass(body, &mass);
    dBodySetPosition(body, 0, 0, half + 1e-5 * r);
    dWorldSetGravity(s.world, G * sin(angle), 0, -G * cos(angle));
    for (int step = 0; step < 100; step++) make_step(&s, .01);
    double speed = G * sin(angle) * of[i].share;
    if (i == 3) speed = G * (sin(angle) - of[i].mu * cos(angle));
    ck_assert_double_eq_tol(dBodyGetLinearVel(body)[0], speed, 2e-3 * speed);
    if (i < 2) ck_assert_double_eq_tol(dBodyGetAngularVel(body)[1] * r, speed, 4e-3 * speed);
    ck_assert_double_ge(dBodyGetPosition(body)[2], half - (i < 2 ? 1e-3 : 1e-7));
    ck_assert_double_le(dBodyGetPosition(body)[2], half + 1e-3 * r);
    free_scene(&s);
}
END_TEST

/* A ball slides without friction over the rounded edge of a plate: its centre stays on a circle of
 * both radii about the edge while it is held there, and has what it fell in speed. It leaves where
 * its weight no longer holds it: at a cosine of two thirds from upright. */
START_TEST(slides_over_an_edge)
{
    static const unsigned index[6] = {0, 1, 2, 0, 2, 3};
    static double v[4][3] = {{-4, -4, 0}, {0, -4, 0}, {0, 4, 0}, {-4, 4, 0}};
    double ball = .2, round = .3;
    double from = .05, r = ball + round, h = 2e-4;
    scene s = new_scene(0);
    dGeomID plate = add_mesh(&s, v[0], 4, index, 2);
    ck_assert_int_eq(pegGeomSetRadius(plate, round), PEG_OK);
    dBodyID body = add_body(&s, dCreateSphere(s.space, ball));
    dBodySetPosition(body, r * sin(from), 0, r * cos(from) + 1e-6);
    double cosine = 1, left = 0;
    for (int step = 0; step < 6000 && left == 0; step++) {
        make_step(&s, h);
        const dReal *x = dBodyGetPosition(body), *u = dBodyGetLinearVel(body);
        double off = hypot(x[0], x[2]), fell = r * cos(from) - x[2];
        if (step > 10 && pegWorldGetContactCount(s.peg) == 0) left = cosine;
        cosine = x[2] / off;
        if (left > 0) break;
        ck_assert_double_ge(off, r - 1e-9);
        ck_assert_double_eq_tol(peg_dot(u, u), 2 * G * fell, 5e-3 * G * r);
    }
    ck_assert_double_eq_tol(left, 2. / 3 * cos(from), 1e-2);
    free_scene(&s);
}
END_TEST

/* --- two sides, volumes with shells and beams --- */

/* A plate keeps what lies on either side of it a radius off. */
START_TEST(both_sides_of_a_sheet_are_solid)
{
    scene s = new_scene(.5);
    dGeomID sheet = add_grid(&s, 4, flat);
    ck_assert_int_eq(pegGeomSetRadius(sheet, .05), PEG_OK);
    dBodyID above = add_body(&s, dCreateBox(s.space, .4, .4, .2));
    dBodyID below = add_body(&s, dCreateSphere(s.space, .1));
    dBodySetPosition(above, 0, .03, .2), dBodySetPosition(below, 1, .03, -.2);
    dBodySetGravityMode(below, 0);
    for (int step = 0; step < 150; step++) {
        dBodyAddForce(below, 0, 0, 20);
        make_step(&s, .01);
    }
    ck_assert_double_eq_tol(dBodyGetPosition(above)[2], .15, 1e-5);
    ck_assert_double_eq_tol(dBodyGetPosition(below)[2], -.15, 1e-5);
    free_scene(&s);
}
END_TEST

/* One body of a volume, a shell and a beam, each with a radius of its own, lands on all three. */
START_TEST(volumes_shells_and_beams)
{
    scene s = new_scene(.5);
    solid volume = {0}, shell = {0};
    cases_random r = {5};
    dCreatePlane(s.space, 0, 0, 1, 0);
    dGeomID box = cube_of(&s, &volume, (double[3]){.4, .4, .4});
    dGeomID sheet = sheet_of(&s, &r, &shell, .5), beam = dCreateCapsule(s.space, .05, 1);
    ck_assert_int_eq(pegGeomSetRadius(sheet, .02), PEG_OK);
    dBodyID body = add_body(&s, box);
    dGeomSetBody(sheet, body), dGeomSetBody(beam, body);
    dGeomSetOffsetPosition(sheet, .7, 0, .1), dGeomSetOffsetPosition(beam, -.7, 0, -.1);
    dBodySetPosition(body, 0, 0, .7);
    double least = INFINITY;
    shell.geom = sheet, volume.geom = box;
    for (int step = 0; step < 200; step++) {
        make_step(&s, .01);
        place(&shell), place(&volume);
        for (int t = 0; t < shell.nt; t++)
            for (int c = 0; c < 3; c++) least = fmin(least, shell.at[t][c][2] - .02);
        for (int t = 0; t < volume.nt; t++)
            for (int c = 0; c < 3; c++) least = fmin(least, volume.at[t][c][2]);
    }
    ck_assert_double_ge(least, -1e-9);
    ck_assert_double_le(least, 1e-3);
    ck_assert_int_gt(pegWorldGetContactCount(s.peg), 0);
    free_scene(&s);
}
END_TEST

/* Rows of a box that comes down on a plate at an angle, within reach at all its lower corners. */
static long rows_at(double lean, double rotation)
{
    scene s = new_scene(0);
    pegSettings settings;
    pegStats stats;
    dMatrix3 R;
    pegWorldGetSettings(s.peg, &settings);
    settings.relative_rotation = rotation;
    ck_assert_int_eq(pegWorldSetSettings(s.peg, &settings), PEG_OK);
    ck_assert_int_eq(pegGeomSetRadius(add_grid(&s, 40, flat), .1), PEG_OK);
    dBodyID body = add_body(&s, dCreateBox(s.space, .1, .1, .1));
    dRFromAxisAndAngle(R, 0, 1, 0, lean);
    dBodySetRotation(body, R);
    dBodySetPosition(body, .3, .2, .1 + .05 * (cos(lean) + sin(lean)) + 1e-3);
    dBodySetLinearVel(body, 0, 0, -1);
    make_step(&s, .01);
    pegWorldGetStats(s.peg, &stats);
    free_scene(&s);
    return stats.rows / stats.solves;
}

/* What a relative rotation within the setting makes a minimum of distance has a row: all corners
 * of a box that lies nearly flat; what is farther off has none. */
START_TEST(minima_are_those_after_a_small_rotation)
{
    ck_assert_int_eq(rows_at(.02, .05), 4);
    ck_assert_int_eq(rows_at(.1, .05), 2);
    ck_assert_int_eq(rows_at(.1, .2), 4);
    ck_assert_int_eq(rows_at(.02, .001), 2);
    pegSettings settings;
    scene s = new_scene(0);
    pegWorldGetSettings(s.peg, &settings);
    settings.relative_rotation = 0;
    ck_assert_int_eq(pegWorldSetSettings(s.peg, &settings), PEG_ERROR_SETTINGS);
    free_scene(&s);
}
END_TEST

/* --- radii that end, errors --- */

START_TEST(a_radius_goes_with_the_data)
{
    scene s = new_scene(0);
    dGeomID grid = add_grid(&s, 4, flat);
    ck_assert_int_eq(pegGeomSetRadius(grid, .1), PEG_OK);
    ck_assert_double_eq(pegGeomGetRadius(grid), .1);
    add_grid(&s, 2, waves);
    dTriMeshDataID own = dGeomTriMeshGetData(grid);
    dGeomTriMeshSetData(grid, s.mesh[1]);
    ck_assert_double_eq(pegGeomGetRadius(grid), 0);
    dGeomTriMeshSetData(grid, own);
    ck_assert_double_eq(pegGeomGetRadius(grid), .1);
    ck_assert_int_eq(pegGeomSetRadius(grid, 1e200), PEG_ERROR_SHAPE_SIZE);
    ck_assert_int_eq(pegGeomSetRadius(grid, 0), PEG_OK);
    free_scene(&s);
}
END_TEST

/* A hull that is forgotten leaves no radius to the next one at its address. */
START_TEST(a_radius_goes_with_a_hull)
{
    scene s = new_scene(0);
    pegStatus status;
    dGeomID hull = pegCreateConvex(s.space, planes, 6, points, 8, polygons, &status);
    ck_assert_int_eq(pegGeomSetRadius(hull, .1), PEG_OK);
    ck_assert_int_eq(pegSetConvex(hull, planes, 6, points, 8, polygons), PEG_OK);
    ck_assert_double_eq(pegGeomGetRadius(hull), .1);
    pegUnregisterConvex(hull);
    ck_assert_double_eq(pegGeomGetRadius(hull), 0);
    free_scene(&s);
}
END_TEST

/* ODE's own contacts know no radius. */
START_TEST(an_unknown_field_takes_none)
{
    static double samples[(SIDE + 1) * (SIDE + 1)];
    scene s = new_scene(0);
    messages m = {0};
    pegHeightfield of = sampled(4, flat, samples);
    dGeomID field = add_field(&s, &of);
    dBodyID body = add_body(&s, dCreateSphere(s.space, .1));
    char id[32];
    dBodySetPosition(body, .1, .1, 1);
    ck_assert_int_eq(pegGeomSetRadius(field, .1), PEG_OK);
    make_step(&s, .01);
    pegUnregisterHeightfield(s.field[0]);
    pegWorldSetMessageCallback(s.peg, &m, keep_message);
    ck_assert_int_eq(pegWorldStep(s.peg, .01), PEG_ERROR_RADIUS);
    ck_assert_int_eq(m.n, 1);
    ck_assert_int_eq(m.status[0], PEG_ERROR_RADIUS);
    snprintf(id, sizeof id, "%p", (void *)field);
    ck_assert_msg(strstr(m.text[0], id) != NULL, "%s", m.text[0]);
    ck_assert_int_eq(pegGeomSetRadius(field, 0), PEG_OK);
    ck_assert_int_eq(pegWorldStep(s.peg, .01), PEG_OK);
    free_scene(&s);
}
END_TEST

/* A radius that grows or goes is seen by the next step. */
START_TEST(a_radius_of_the_ground_may_change)
{
    static const double radius[] = {.3, .1, 0};
    scene s = new_scene(0);
    dGeomID grid = add_grid(&s, 4, flat);
    dBodyID body = add_body(&s, dCreateSphere(s.space, .5));
    dBodySetPosition(body, 0, 0, 1);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(pegGeomSetRadius(grid, radius[i]), PEG_OK);
        for (int step = 0; step < 100; step++) make_step(&s, .01);
        ck_assert_double_eq_tol(dBodyGetPosition(body)[2], .5 + radius[i], 1e-4);
    }
    free_scene(&s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("dilated-mesh");
    TCase *tests = tcase_create("dilated-mesh"), *thrown = tcase_create("thrown");
    tcase_set_timeout(tests, 120);
    tcase_set_timeout(thrown, 120);
    test_long(thrown);
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    test_at_end(dCloseODE);
    tcase_add_loop_test(thrown, thrown_meshes_never_overlap, 0, (TILE + 1) * KINDS);
    tcase_add_loop_test(tests, meshes_roll_and_slide, 0, 8);
    tcase_add_test(tests, slides_over_an_edge);
    tcase_add_test(tests, both_sides_of_a_sheet_are_solid);
    tcase_add_test(tests, volumes_shells_and_beams);
    tcase_add_test(tests, minima_are_those_after_a_small_rotation);
    tcase_add_test(tests, a_radius_goes_with_the_data);
    tcase_add_test(tests, a_radius_goes_with_a_hull);
    tcase_add_test(tests, an_unknown_field_takes_none);
    tcase_add_test(tests, a_radius_of_the_ground_may_change);
    suite_add_tcase(suite, tests);
    suite_add_tcase(suite, thrown);
    return suite;
}
