/* What the program is given to draw: contacts, their forces and facets, islands, sleep. */
#include "tests/geom_cases.h"
#include "tests/runner.h"

#include <math.h>
#include <string.h>

static const double H = .01, NORMAL_LENGTH = .25, FORCE_SCALE = .01, MASS = 2;
enum { ROOM = 256, CORNERS = 32 };

typedef struct shown {
    int points, normals, forces, edges, polygons, bodies, corners;
    double force[3];
    double point[ROOM][3], normal[ROOM][3];
    dVector3 edge[ROOM][2], corner[ROOM][CORNERS];
    int facet_of[ROOM], edge_of[ROOM], corners_of[ROOM]; /* contact; corners of the polygon */
    dBodyID body[ROOM];
    int island[ROOM], asleep[ROOM];
} shown;

static void on_point(void *data, pegDrawKind kind, const dReal *at, unsigned colour)
{
    shown *s = data;
    ck_assert_int_eq(kind, PEG_DRAW_POINT);
    ck_assert_uint_le(colour, 0xffffff);
    memcpy(s->point[s->points++], at, sizeof s->point[0]);
}

static void on_segment(void *data, pegDrawKind kind, const dReal *from, const dReal *to,
                       unsigned colour)
{
    shown *s = data;
    ck_assert_uint_le(colour, 0xffffff);
    if (kind == PEG_DRAW_FACET) {
        memcpy(s->edge[s->edges][0], from, 3 * sizeof *from);
        memcpy(s->edge[s->edges][1], to, 3 * sizeof *to);
        s->edge_of[s->edges++] = s->points;
        return;
    }
    for (int k = 0; k < 3; k++) {
        double part = to[k] - from[k];
        if (kind == PEG_DRAW_NORMAL) s->normal[s->normals][k] = part / NORMAL_LENGTH;
        if (kind == PEG_DRAW_FORCE) s->force[k] += part / FORCE_SCALE;
    }
    s->normals += kind == PEG_DRAW_NORMAL;
    s->forces += kind == PEG_DRAW_FORCE;
    ck_assert(kind == PEG_DRAW_NORMAL || kind == PEG_DRAW_FORCE);
}

static void on_polygon(void *data, pegDrawKind kind, const dVector3 *corner, int corners,
                       unsigned colour)
{
    shown *s = data;
    ck_assert_int_eq(kind, PEG_DRAW_FACET);
    ck_assert_int_ge(corners, 3);
    ck_assert_int_le(corners, CORNERS);
    ck_assert_uint_le(colour, 0xffffff);
    memcpy(s->corner[s->polygons], corner, (size_t)corners * sizeof *corner);
    s->corners_of[s->polygons] = corners;
    s->facet_of[s->polygons++] = s->points;
}

static void on_body(void *data, dBodyID body, int island, int asleep, unsigned colour)
{
    shown *s = data;
    ck_assert_uint_le(colour, 0xffffff);
    s->body[s->bodies] = body;
    s->island[s->bodies] = island;
    s->asleep[s->bodies++] = asleep;
}

static pegDebugDraw all_of(shown *s)
{
    memset(s, 0, sizeof *s);
    return (pegDebugDraw){s,        PEG_DRAW_ALL, NORMAL_LENGTH, FORCE_SCALE,
                          on_point, on_segment,   on_polygon,    on_body};
}

static void show(pegWorldID peg, shown *s)
{
    pegDebugDraw draw = all_of(s);
    ck_assert_int_eq(pegWorldDebugDraw(peg, &draw), PEG_OK);
}

static int number_of(const shown *s, dBodyID body)
{
    for (int i = 0; i < s->bodies; i++)
        if (s->body[i] == body) return i;
    ck_abort_msg("the body was not drawn");
    return -1;
}

/* ---- contacts -------------------------------------------------------------------------------- */

static void check_polygon(pegWorldID peg, const shown *s, int i, double shift)
{
    pegContact c;
    ck_assert_int_eq(pegWorldGetContact(peg, s->facet_of[i], &c), PEG_OK);
    ck_assert(c.features == PEG_VERTEX_FACE || c.features == PEG_FACE_VERTEX);
    int n = s->corners_of[i];
    double turn = 0;
    for (int k = 0; k < n; k++) {
        const dReal *a = s->corner[i][k], *b = s->corner[i][(k + 1) % n];
        dVector3 along = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, cross;
        dVector3 from = {c.pos[0] - a[0], c.pos[1] - a[1], c.pos[2] - a[2]};
        /* the facet lies across the normal, as far from the point as the gap says */
        ck_assert_double_eq_tol(dCalcVectorDot3(from, c.normal), 0, fabs(c.gap) + shift);
        /* and the point above it: on one side of all edges */
        dCalcVectorCross3(cross, along, from);
        double side = dCalcVectorDot3(cross, c.normal);
        if (fabs(side) > 1e-3 * dCalcVectorLength3(along)) {
            ck_assert(turn * side >= 0);
            turn = side;
        }
    }
}

/* Edges lie across the normal, unless the contact is at an end of one. */
static void check_edge(pegWorldID peg, const shown *s, int i)
{
    pegContact c;
    ck_assert_int_eq(pegWorldGetContact(peg, s->edge_of[i], &c), PEG_OK);
    const dReal *a = s->edge[i][0], *b = s->edge[i][1];
    dVector3 along = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    dVector3 from = {c.pos[0] - a[0], c.pos[1] - a[1], c.pos[2] - a[2]};
    double length = dCalcVectorLength3(along), at = dCalcVectorDot3(from, along) / length;
    ck_assert_double_gt(length, 0);
    if (at > .01 * length && at < .99 * length)
        ck_assert_double_eq_tol(dCalcVectorDot3(along, c.normal) / length, 0, 1e-3);
}

/* How far points of a body get in a step. */
static double motion_of(dBodyID body)
{
    return H * (dCalcVectorLength3(dBodyGetLinearVel(body)) +
                dCalcVectorLength3(dBodyGetAngularVel(body)));
}

/* Every class on every class. */
START_TEST(facets_lie_where_geoms_touch)
{
    static shown s;
    scene world = new_scene(.5);
    pegContact c;
    add_static(&world, _i / MOVERS);
    dBodyID body = add_mover(&world, _i % MOVERS);
    dBodySetPosition(body, .01, .02, .52);
    for (int k = 0; k < 14; k++) make_step(&world, H);
    double motion = motion_of(body);
    make_step(&world, H);
    show(world.peg, &s);
    int contacts = pegWorldGetContactCount(world.peg), facets = 0;
    ck_assert_int_gt(contacts, 0);
    ck_assert_int_eq(s.points, contacts);
    ck_assert_int_eq(s.normals, contacts);
    ck_assert_int_eq(s.forces, contacts);
    for (int i = 0; i < contacts; i++) {
        pegWorldGetContact(world.peg, i, &c);
        facets += c.features == PEG_VERTEX_FACE || c.features == PEG_FACE_VERTEX;
        for (int k = 0; k < 3; k++) {
            ck_assert_double_eq(s.point[i][k], c.pos[k]);
            ck_assert_double_eq_tol(s.normal[i][k], c.normal[k], 1e-12);
        }
    }
    ck_assert_int_eq(s.polygons, facets);
    /* points and normals of what moves are those of the middle of the step */
    motion = fmax(motion, motion_of(body));
    pegStats
        stats; /* contacts of a limited island are those of its last iteration, not of its end */
    pegWorldGetStats(world.peg, &stats);
    if (stats.limited_islands) motion = INFINITY;
    for (int i = 0; i < s.polygons; i++) check_polygon(world.peg, &s, i, 1e-6 + 2 * motion);
    for (int i = 0; i < s.edges && !stats.limited_islands; i++) check_edge(world.peg, &s, i);
    free_scene(&world);
}
END_TEST

START_TEST(forces_add_up_to_the_weight)
{
    static shown s;
    scene world = new_scene(.5);
    add_static(&world, PLANE);
    dBodyID body = add_mover(&world, M_BOX);
    pegContact c;
    dBodySetPosition(body, 0, 0, .5);
    for (int k = 0; k < 60; k++) make_step(&world, H);
    show(world.peg, &s);
    pegWorldGetContact(world.peg, 0, &c);
    ck_assert_double_eq_tol(s.force[2], (c.body1 ? 1 : -1) * MASS * G, 1e-6);
    ck_assert_double_eq_tol(s.force[0], 0, 1e-6);
    ck_assert_int_eq(s.polygons, 4); /* squares of the plane */
    free_scene(&world);
}
END_TEST

/* ---- islands and sleep ----------------------------------------------------------------------- */

START_TEST(islands_are_what_touches)
{
    static shown s;
    scene world = new_scene(.5);
    dBodyID body[6];
    add_static(&world, PLANE);
    for (int i = 0; i < 6; i++) {
        body[i] = add_mover(&world, M_BOX);
        dBodySetPosition(body[i], 3. * (i / 2), 0, .5 + i % 2);
    }
    dBodySetPosition(body[4], 9, 0, .5); /* a box alone, and one beside it, kinematic */
    dBodySetPosition(body[5], 10.001, 0, .5);
    dBodySetKinematic(body[5]);
    dJointID joint = dJointCreateBall(world.world, NULL); /* the second stack and the box */
    dJointAttach(joint, body[3], body[4]);
    dJointSetBallAnchor(joint, 6, 0, 1);
    for (int k = 0; k < 5; k++) make_step(&world, H);
    show(world.peg, &s);
    int island[6];
    ck_assert_int_eq(s.bodies, 6);
    for (int i = 0; i < 6; i++) island[i] = s.island[number_of(&s, body[i])];
    ck_assert_int_ge(island[0], 0);
    ck_assert_int_eq(island[0], island[1]);
    ck_assert_int_ge(island[2], 0);
    ck_assert_int_ne(island[2], island[0]);
    ck_assert_int_eq(island[2], island[3]);
    ck_assert_int_eq(island[4], island[3]);
    ck_assert_int_eq(island[5], -1);
    dBodyDisable(body[0]);
    dBodyID late = add_mover(&world, M_SPHERE);
    show(world.peg, &s);
    ck_assert_int_eq(s.asleep[number_of(&s, body[0])], 1);
    ck_assert_int_eq(s.asleep[number_of(&s, body[1])], 0);
    ck_assert_int_eq(s.island[number_of(&s, late)], -1);
    free_scene(&world);
}
END_TEST

/* ---- use ------------------------------------------------------------------------------------- */

START_TEST(only_what_is_asked_for)
{
    static shown s;
    scene world = new_scene(.5);
    add_static(&world, PLANE);
    dBodySetPosition(add_mover(&world, M_BOX), 0, 0, .5);
    show(world.peg, &s); /* before the first step */
    ck_assert_int_eq(s.points + s.normals + s.forces + s.polygons, 0);
    ck_assert_int_eq(s.bodies, 1);
    for (int k = 0; k < 5; k++) make_step(&world, H);
    pegDebugDraw draw = all_of(&s);
    draw.kinds = PEG_DRAW_POINT | PEG_DRAW_FORCE;
    ck_assert_int_eq(pegWorldDebugDraw(world.peg, &draw), PEG_OK);
    ck_assert_int_eq(s.points, 4);
    ck_assert_int_eq(s.forces, 4);
    ck_assert_int_eq(s.normals + s.polygons + s.bodies, 0);
    draw.kinds = 0;
    memset(&s, 0, sizeof s);
    ck_assert_int_eq(pegWorldDebugDraw(world.peg, &draw), PEG_OK);
    ck_assert_int_eq(s.points + s.forces, 0);
    draw = (pegDebugDraw){.kinds = PEG_DRAW_ALL}; /* no functions */
    ck_assert_int_eq(pegWorldDebugDraw(world.peg, &draw), PEG_OK);
    draw.force_scale = NAN;
    ck_assert_int_eq(pegWorldDebugDraw(world.peg, &draw), PEG_ERROR_NOT_FINITE);
    draw = (pegDebugDraw){.normal_length = INFINITY};
    ck_assert_int_eq(pegWorldDebugDraw(world.peg, &draw), PEG_ERROR_NOT_FINITE);
    ck_assert_int_eq(pegWorldDebugDraw(world.peg, NULL), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegWorldDebugDraw(NULL, &draw), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegWorldStep(world.peg, NAN), PEG_ERROR_STEP_SIZE);
    show(world.peg, &s); /* after a failed step */
    ck_assert_int_eq(s.points, pegWorldGetContactCount(world.peg));
    free_scene(&world);
}
END_TEST

/* Objects that are gone since the step. */
START_TEST(destroyed_objects_are_left_out)
{
    static shown s;
    scene world = new_scene(.5);
    add_static(&world, MESH);
    dBodyID gone = add_mover(&world, M_CONVEX), stays = add_mover(&world, M_BOX);
    dBodySetPosition(gone, 0, 0, .5);
    dBodySetPosition(stays, 0, 0, 1.5);
    for (int k = 0; k < 5; k++) make_step(&world, H);
    dGeomDestroy(dBodyGetFirstGeom(gone));
    dBodyDestroy(gone);
    show(world.peg, &s);
    ck_assert_int_eq(s.bodies, 1);
    ck_assert_ptr_eq(s.body[0], stays);
    ck_assert_int_gt(s.points, 0);
    free_scene(&world);
}
END_TEST

Suite *test_suite(void)
{
    dInitODE2(0);
    test_at_end(dCloseODE);
    Suite *suite = suite_create("debug draw");
    TCase *tests = tcase_create("debug draw");
    tcase_add_loop_test(tests, facets_lie_where_geoms_touch, 0, STATICS * MOVERS);
    tcase_add_test(tests, forces_add_up_to_the_weight);
    tcase_add_test(tests, islands_are_what_touches);
    tcase_add_test(tests, only_what_is_asked_for);
    tcase_add_test(tests, destroyed_objects_are_left_out);
    suite_add_tcase(suite, tests);
    return suite;
}
