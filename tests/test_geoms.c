/* Every class of geoms, alone and in pairs, through the public interface. */
#include "peg/memory.h"
#include "plugin/ode-peg.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* transforms */

static const double G = 9.81;

typedef struct scene {
    dWorldID world;
    dSpaceID space;
    pegWorldID peg;
    dTriMeshDataID mesh[4];
    int meshes;
    dHeightfieldDataID field[4];
    int fields;
} scene;

static scene new_scene(double mu)
{
    dSurfaceParameters surface = {.mode = dContactApprox1, .mu = mu};
    scene s = {dWorldCreate(), dSimpleSpaceCreate(NULL), NULL, {0}, 0, {0}, 0};
    dWorldSetGravity(s.world, 0, 0, -G);
    ck_assert_int_eq(pegWorldCreateStatus(s.world, NULL, &s.peg), PEG_OK);
    ck_assert_int_eq(pegWorldAddSpace(s.peg, s.space), PEG_OK);
    ck_assert_int_eq(pegWorldSetDefaultSurface(s.peg, &surface), PEG_OK);
    return s;
}

static void free_scene(scene *s)
{
    dSpaceDestroy(s->space);
    dWorldDestroy(s->world);
    pegWorldDestroy(s->peg);
    for (int i = 0; i < s->meshes; i++) dGeomTriMeshDataDestroy(s->mesh[i]);
    for (int i = 0; i < s->fields; i++) {
        pegForgetHeightfield(s->field[i]);
        dGeomHeightfieldDataDestroy(s->field[i]);
    }
}

/* Messages that came. */
typedef struct messages {
    int n;
    pegStatus status[8];
    char text[8][200];
} messages;

static void keep_message(void *data, pegStatus status, const char *text)
{
    messages *m = data;
    ck_assert_int_lt(m->n, 8);
    m->status[m->n] = status;
    strncpy(m->text[m->n++], text, sizeof m->text[0] - 1);
}

static dBodyID add_body(scene *s, dGeomID geom)
{
    dMass mass;
    dBodyID body = dBodyCreate(s->world);
    dMassSetSphereTotal(&mass, 2, 0.5);
    dBodySetMass(body, &mass);
    if (geom) dGeomSetBody(geom, body);
    return body;
}

/* --- shapes; every static one has its top at (0, 0, 0), every moving one its centre 0.5 above its
 * lowest points --- */

/* Cube of side 1, in ODE's arrays and as triangles. */
static const dReal planes[] = {1, 0,  0, 0.5, -1, 0, 0, 0.5, 0, 1, 0,  0.5,
                               0, -1, 0, 0.5, 0,  0, 1, 0.5, 0, 0, -1, 0.5};
static const dReal points[] = {-0.5, -0.5, -0.5, 0.5, -0.5, -0.5, 0.5, 0.5, -0.5, -0.5, 0.5, -0.5,
                               -0.5, -0.5, 0.5,  0.5, -0.5, 0.5,  0.5, 0.5, 0.5,  -0.5, 0.5, 0.5};
static const unsigned polygons[] = {4, 1, 2, 6, 5, 4, 0, 4, 7, 3, 4, 2, 3, 7, 6,
                                    4, 0, 1, 5, 4, 4, 4, 5, 6, 7, 4, 0, 3, 2, 1};
static const unsigned cube[12][3] = {{1, 2, 6}, {1, 6, 5}, {0, 4, 7}, {0, 7, 3},
                                     {2, 3, 7}, {2, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                     {4, 5, 6}, {4, 6, 7}, {0, 3, 2}, {0, 2, 1}};

static dGeomID add_mesh(scene *s, const double *vertex, int nv, const unsigned *index, int nt)
{
    dTriMeshDataID data = s->mesh[s->meshes++] = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildDouble(data, vertex, 3 * sizeof(double), nv, index, 3 * nt,
                                3 * sizeof(unsigned));
    return dCreateTriMesh(s->space, data, NULL, NULL, NULL);
}

/* Height of the ground at sample (i, j) of side + 1 a line, of a square of the given width. */
typedef double ground(double x, double y);

static double flat(double x, double y)
{
    (void)x, (void)y;
    return 0;
}

static double bowl(double x, double y)
{
    return 0.25 * (x * x + y * y);
}

enum { SIDE = 16 };
static double grid_vertex[(SIDE + 1) * (SIDE + 1)][3];
static unsigned grid_triangle[2 * SIDE * SIDE][3];

static void fill_grid(double width, ground *height)
{
    int nt = 0;
    for (int j = 0; j <= SIDE; j++)
        for (int i = 0; i <= SIDE; i++) {
            double *v = grid_vertex[j * (SIDE + 1) + i];
            v[0] = width * ((double)i / SIDE - 0.5);
            v[1] = width * ((double)j / SIDE - 0.5);
            v[2] = height(v[0], v[1]);
        }
    for (unsigned j = 0; j < SIDE; j++)
        for (unsigned i = 0; i < SIDE; i++) {
            unsigned a = j * (SIDE + 1) + i, b = a + 1, c = a + SIDE + 1, d = c + 1;
            unsigned half[2][3] = {{a, b, c}, {b, d, c}};
            memcpy(grid_triangle[nt], half, sizeof half);
            nt += 2;
        }
}

static dGeomID add_grid(scene *s, double width, ground *height)
{
    fill_grid(width, height);
    return add_mesh(s, grid_vertex[0], (SIDE + 1) * (SIDE + 1), grid_triangle[0], 2 * SIDE * SIDE);
}

/* ODE's field has y up: turned so that y becomes z, and z becomes -y. */
static void turn_up(dGeomID field)
{
    dMatrix3 R;
    dRFromAxisAndAngle(R, 1, 0, 0, M_PI / 2);
    dGeomSetRotation(field, R);
}

/* copies: ODE takes a copy of the samples, which it keeps when others are set. */
static dGeomID place_field(scene *s, const pegHeightfield *f, int copies)
{
    dHeightfieldDataID data = s->field[s->fields++] = dGeomHeightfieldDataCreate();
    dGeomHeightfieldDataBuildDouble(data, f->samples, copies, f->width, f->depth, f->width_samples,
                                    f->depth_samples, f->scale, f->offset, 1, f->wrap);
    ck_assert_int_eq(pegRegisterHeightfield(data, f), PEG_OK);
    dGeomID geom = dCreateHeightfield(s->space, data, 1);
    turn_up(geom);
    return geom;
}

static dGeomID add_field(scene *s, const pegHeightfield *f)
{
    return place_field(s, f, 1);
}

/* z at the given x, -y: turned up, the samples are those of height(x, y). */
static pegHeightfield sampled(double width, ground *height, double *samples)
{
    for (int j = 0; j <= SIDE; j++)
        for (int i = 0; i <= SIDE; i++)
            samples[j * (SIDE + 1) + i] =
                height(width * ((double)i / SIDE - 0.5), -width * ((double)j / SIDE - 0.5));
    return (pegHeightfield){.type = PEG_SAMPLES_DOUBLE,
                            .samples = samples,
                            .width = width,
                            .depth = width,
                            .width_samples = SIDE + 1,
                            .depth_samples = SIDE + 1,
                            .scale = 1};
}

static dGeomID add_flat_field(scene *s)
{
    double samples[(SIDE + 1) * (SIDE + 1)];
    pegHeightfield f = sampled(10, flat, samples);
    return add_field(s, &f);
}

static dGeomID held(scene *s, dGeomID inner, double z)
{
    dGeomID transform = dCreateGeomTransform(s->space);
    dGeomSetPosition(inner, 0, 0, z);
    dGeomTransformSetGeom(transform, inner);
    dGeomTransformSetCleanup(transform, 1);
    return transform;
}

enum { PLANE, BOX, SPHERE, CAPSULE, CYLINDER, CONVEX, MESH, FIELD, TRANSFORM, STATICS };

static dGeomID add_static(scene *s, int kind)
{
    dGeomID geom = NULL;
    dMatrix3 R;
    switch (kind) {
    case PLANE:
        return dCreatePlane(s->space, 0, 0, 1, 0);
    case BOX:
        geom = dCreateBox(s->space, 8, 8, 2);
        dGeomSetPosition(geom, 0.1, 0.2, -1);
        break;
    case SPHERE:
        geom = dCreateSphere(s->space, 4);
        dGeomSetPosition(geom, 0, 0, -4);
        break;
    case CAPSULE:
        geom = dCreateCapsule(s->space, 4, 3);
        dRFromAxisAndAngle(R, 0, 1, 0, M_PI / 2);
        dGeomSetRotation(geom, R);
        dGeomSetPosition(geom, 0, 0, -4);
        break;
    case CYLINDER:
        geom = dCreateCylinder(s->space, 4, 2);
        dGeomSetPosition(geom, 0, 0, -1);
        break;
    case CONVEX:
        geom = pegCreateConvex(s->space, planes, 6, points, 8, polygons, NULL);
        dGeomSetPosition(geom, 0.1, 0.2, -0.5);
        break;
    case MESH:
        return add_grid(s, 10, flat);
    case FIELD:
        return add_flat_field(s);
    case TRANSFORM:
        geom = held(s, dCreateBox(NULL, 8, 8, 2), 3);
        dGeomSetPosition(geom, 0.1, 0.2, -4);
        break;
    }
    return geom;
}

enum { M_SPHERE, M_BOX, M_CAPSULE, M_CYLINDER, M_CONVEX, M_TRANSFORM, M_MESH, MOVERS };

static dBodyID add_mover(scene *s, int kind)
{
    dMatrix3 R;
    dBodyID body = NULL;
    switch (kind) {
    case M_SPHERE:
        return add_body(s, dCreateSphere(s->space, 0.5));
    case M_BOX:
        return add_body(s, dCreateBox(s->space, 1, 1, 1));
    case M_CAPSULE:
        body = add_body(s, dCreateCapsule(s->space, 0.5, 1));
        dRFromAxisAndAngle(R, 0, 1, 0, M_PI / 2);
        dBodySetRotation(body, R);
        return body;
    case M_CYLINDER:
        return add_body(s, dCreateCylinder(s->space, 0.5, 1));
    case M_CONVEX:
        return add_body(s, pegCreateConvex(s->space, planes, 6, points, 8, polygons, NULL));
    case M_MESH:
        return add_body(s, add_mesh(s, points, 8, cube[0], 12));
    case M_TRANSFORM:
        return add_body(s, held(s, dCreateSphere(NULL, 0.5), 0));
    }
    return body;
}

static void step(scene *s, double h)
{
    ck_assert_int_eq(pegWorldStep(s->peg, h), PEG_OK);
}

/* Falls, never gets deeper than its place of rest, and comes to rest there. */
START_TEST(rests_on_what_it_falls_on)
{
    int mover = _i % MOVERS, kind = _i / MOVERS;
    scene s = new_scene(0.5);
    add_static(&s, kind);
    dBodyID body = add_mover(&s, mover);
    dBodySetPosition(body, 0, 0, 0.55);
    double low = INFINITY;
    for (int i = 0; i < 60; i++) {
        step(&s, 0.01);
        low = fmin(low, dBodyGetPosition(body)[2]);
    }
    ck_assert_msg(low >= 0.5 - 1e-9, "mover %d, static %d: down to %.12g", mover, kind, low);
    ck_assert_msg(fabs(dBodyGetPosition(body)[2] - 0.5) < 1e-4, "mover %d, static %d: at %.12g",
                  mover, kind, dBodyGetPosition(body)[2]);
    const dReal *v = dBodyGetLinearVel(body);
    ck_assert_msg(fabs(v[2]) < 1e-6, "mover %d, static %d: %g m/s", mover, kind, v[2]);

    double carried = 0; /* by what it lies on, whichever geom is named first */
    for (int i = 0; i < pegWorldGetContactCount(s.peg); i++) {
        pegContact c;
        ck_assert_int_eq(pegWorldGetContact(s.peg, i, &c), PEG_OK);
        ck_assert_double_gt(fabs(c.normal[2]), 0.999);
        carried += c.impulse;
    }
    ck_assert_double_eq_tol(carried, 2 * G * 0.01, 1e-4);
    free_scene(&s);
}
END_TEST

START_TEST(movers_stack)
{
    int low = _i % MOVERS, high = _i / MOVERS;
    scene s = new_scene(0.5);
    dCreatePlane(s.space, 0, 0, 1, 0);
    dBodyID a = add_mover(&s, low), b = add_mover(&s, high);
    dBodySetPosition(a, 0, 0, 0.5001);
    dBodySetPosition(b, 0, 0, 1.51);
    for (int i = 0; i < 30; i++) {
        step(&s, 0.01);
        double gap = dBodyGetPosition(b)[2] - dBodyGetPosition(a)[2] - 1;
        ck_assert_msg(gap >= -1e-9, "%d on %d: gap %g", high, low, gap);
    }
    ck_assert_msg(fabs(dBodyGetPosition(b)[2] - 1.5) < 1e-3, "%d on %d: at %.12g", high, low,
                  dBodyGetPosition(b)[2]);
    free_scene(&s);
}
END_TEST

/* A ball that rolls without sliding: 5/7 g sin; without friction: g sin. */
START_TEST(ball_on_an_incline)
{
    double angle = 0.3, h = 0.01, share = _i & 1 ? 1 : 5. / 7;
    scene s = new_scene(_i & 1 ? 0 : 1);
    dMatrix3 R;
    dRFromAxisAndAngle(R, 0, 1, 0, angle);
    if (_i & 2) {
        dGeomSetRotation(add_grid(&s, 40, flat), R);
    } else {
        dCreatePlane(s.space, sin(angle), 0, cos(angle), 0);
    }
    dBodyID ball = add_body(&s, dCreateSphere(s.space, 0.5));
    dBodySetPosition(ball, 0.50001 * sin(angle), 0.01, 0.50001 * cos(angle));
    for (int i = 0; i < 100; i++) step(&s, h);
    double speed = share * G * sin(angle);
    ck_assert_double_eq_tol(dBodyGetLinearVel(ball)[0], speed * cos(angle), 1e-4 * speed);
    ck_assert_double_eq_tol(dBodyGetLinearVel(ball)[2], -speed * sin(angle), 1e-4 * speed);
    ck_assert_double_eq_tol(dBodyGetAngularVel(ball)[1], _i & 1 ? 0 : speed / 0.5, 1e-3 * speed);
    ck_assert_double_eq_tol(dBodyGetLinearVel(ball)[1], 0, 1e-6);
    free_scene(&s);
}
END_TEST

/* --- a ball in a bowl --- */

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double distance_to_segment(const double *p, const double *a, const double *b)
{
    double d[3], e[3], t = 0, sum = 0;
    for (int k = 0; k < 3; k++) d[k] = b[k] - a[k], e[k] = p[k] - a[k];
    t = fmin(1, fmax(0, dot(d, e) / dot(d, d)));
    for (int k = 0; k < 3; k++) sum += (e[k] - t * d[k]) * (e[k] - t * d[k]);
    return sqrt(sum);
}

/* Distance to a triangle: to its plane if the foot lies inside, else to the nearest side. */
static double distance_to_triangle(const double *p, const double *const v[3])
{
    double a[3], b[3], e[3], n[3], best = INFINITY;
    for (int k = 0; k < 3; k++) {
        a[k] = v[1][k] - v[0][k];
        b[k] = v[2][k] - v[0][k];
        e[k] = p[k] - v[0][k];
    }
    for (int k = 0; k < 3; k++)
        n[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    double aa = dot(a, a), bb = dot(b, b), ab = dot(a, b), det = aa * bb - ab * ab;
    double s = (dot(e, a) * bb - dot(e, b) * ab) / det, t = (dot(e, b) * aa - dot(e, a) * ab) / det;
    if (s >= 0 && t >= 0 && s + t <= 1) return fabs(dot(e, n)) / sqrt(dot(n, n));
    for (int k = 0; k < 3; k++) best = fmin(best, distance_to_segment(p, v[k], v[(k + 1) % 3]));
    return best;
}

static double distance_to_grid(const double *p)
{
    double best = INFINITY;
    for (int t = 0; t < 2 * SIDE * SIDE; t++) {
        const double *v[3];
        for (int k = 0; k < 3; k++) v[k] = grid_vertex[grid_triangle[t][k]];
        best = fmin(best, distance_to_triangle(p, v));
    }
    return best;
}

/* As a mesh (also on a body that stands still) and as a heightfield, whose cells are cut alike. */
START_TEST(ball_in_a_bowl)
{
    double samples[(SIDE + 1) * (SIDE + 1)];
    scene s = new_scene(0.5);
    if (_i < 2) {
        dGeomID grid = add_grid(&s, 4, bowl);
        if (_i == 1) {
            dBodyID holder = add_body(&s, grid);
            dBodySetKinematic(holder);
            dGeomSetOffsetPosition(grid, 1, 2, 3);
            dBodySetPosition(holder, -1, -2, -3);
        }
    } else {
        pegHeightfield f = sampled(4, bowl, samples);
        add_field(&s, &f);
        fill_grid(4, bowl);
        for (unsigned t = 0; t < 2 * SIDE * SIDE; t += 2) { /* cut the other way, y turned round */
            unsigned a = grid_triangle[t][0], b = a + 1, c = a + SIDE + 1, d = c + 1;
            unsigned half[2][3] = {{a, b, d}, {a, d, c}};
            memcpy(grid_triangle[t], half, sizeof half);
        }
    }
    dBodyID ball = add_body(&s, dCreateSphere(s.space, 0.3));
    dBodySetPosition(ball, 0.9, -0.4, 0.8);
    dBodySetLinearDamping(ball, 0.01);
    dBodySetAngularDamping(ball, 0.01);
    for (int i = 0; i < 800; i++) {
        step(&s, 0.01);
        double gap = distance_to_grid(dBodyGetPosition(ball)) - 0.3;
        ck_assert_msg(gap > -1e-8, "case %d, step %d: %g", _i, i, gap);
        if (i % 10 == 9) ck_assert_double_lt(gap, 0.3);
    }
    const dReal *x = dBodyGetPosition(ball);
    ck_assert_double_lt(fabs(distance_to_grid(x) - 0.3), 1e-4);
    ck_assert_double_lt(hypot(x[0], x[1]), 0.26); /* in one of the cells about the lowest point */
    free_scene(&s);
}
END_TEST

/* --- where geoms may lie --- */

/* A dumb-bell out of two balls at +-0.7 x, made in four ways. */
static dBodyID add_dumbbell(scene *s, int way)
{
    dBodyID body = add_body(s, NULL);
    dSpaceID space = way == 2 ? dHashSpaceCreate(s->space) : s->space;
    for (int side = -1; side <= 1; side += 2) {
        dGeomID ball;
        if (way == 1 || way == 3) {
            dGeomID inner = dCreateSphere(NULL, 0.4);
            dGeomSetPosition(inner, 0.7 * side, 0, 0);
            if (way == 3) {
                dGeomID middle = dCreateGeomTransform(NULL);
                dGeomTransformSetGeom(middle, inner);
                dGeomTransformSetCleanup(middle, 1);
                dGeomSetPosition(inner, 0.5 * side, 0, 0);
                dGeomSetPosition(middle, 0.2 * side, 0, 0);
                inner = middle;
            }
            ball = dCreateGeomTransform(space);
            dGeomTransformSetGeom(ball, inner);
            dGeomTransformSetCleanup(ball, 1);
            dGeomSetBody(ball, body);
        } else {
            ball = dCreateSphere(space, 0.4);
            dGeomSetBody(ball, body);
            dGeomSetOffsetPosition(ball, 0.7 * side, 0, 0);
        }
    }
    return body;
}

START_TEST(same_motion_however_geoms_are_held)
{
    double x[4][7];
    for (int way = 0; way < 4; way++) {
        scene s = new_scene(0.4);
        dCreatePlane(s.space, 0.1, 0, 1, 0);
        dGeomSetPosition(dCreateSphere(s.space, 0.5), 0, 0, 0.4);
        dBodyID body = add_dumbbell(&s, way);
        dMatrix3 R;
        dRFromAxisAndAngle(R, 1, 2, 0.3, 0.6);
        dBodySetRotation(body, R);
        dBodySetPosition(body, 0.1, 0.2, 2);
        for (int i = 0; i < 50; i++) step(&s, 0.01);
        memcpy(x[way], dBodyGetPosition(body), 3 * sizeof(double));
        memcpy(x[way] + 3, dBodyGetQuaternion(body), 4 * sizeof(double));
        for (int k = 0; k < 7; k++) ck_assert_double_eq_tol(x[way][k], x[0][k], 1e-6);
        free_scene(&s);
    }
}
END_TEST

/* Contacts name what ODE would name: the geom inside, or with the info mode the transform. */
START_TEST(transforms_are_named_as_ode_names_them)
{
    scene s = new_scene(0.4);
    dGeomID plane = dCreatePlane(s.space, 0, 0, 1, 0), inner = dCreateSphere(NULL, 0.5);
    dGeomID transform = held(&s, inner, 0.25);
    dBodyID body = add_body(&s, transform);
    dGeomTransformSetInfo(transform, _i);
    dBodySetPosition(body, 0, 0, 0.2);
    dContactGeom theirs;
    ck_assert_int_eq(dCollide(transform, plane, 1, &theirs, sizeof theirs), 1);
    dBodySetPosition(body, 0, 0, 0.2500001);
    step(&s, 0.01);
    step(&s, 0.01);
    pegContact c;
    ck_assert_int_eq(pegWorldGetContact(s.peg, 0, &c), PEG_OK);
    ck_assert(c.g1 == theirs.g1 || c.g2 == theirs.g1);
    ck_assert_ptr_eq(theirs.g1, _i ? transform : inner);

    /* ODE's contact leads back to the pair, with its surface */
    dContact contact = {.geom = {.g1 = theirs.g1, .g2 = plane}};
    contact.surface.mode = dContactBounce;
    contact.surface.bounce = 1;
    dBodySetPosition(body, 0, 0, 0.2600);
    dBodySetLinearVel(body, 0, 0, -5);
    ck_assert_int_eq(pegCollideContact(s.peg, &contact, NULL), PEG_OK);
    step(&s, 0.01);
    ck_assert_double_gt(dBodyGetLinearVel(body)[2], 4.8);
    free_scene(&s);
}
END_TEST

/* --- what changes --- */

START_TEST(changed_parameters_are_seen)
{
    scene s = new_scene(0.5);
    dCreatePlane(s.space, 0, 0, 1, 0);
    dGeomID ball = dCreateSphere(s.space, 0.5);
    dBodyID body = add_body(&s, ball);
    dBodySetPosition(body, 0, 0, 0.51);
    for (int i = 0; i < 30; i++) step(&s, 0.01);
    dGeomSphereSetRadius(ball, 0.3);
    for (int i = 0; i < 40; i++) step(&s, 0.01);
    ck_assert_double_eq_tol(dBodyGetPosition(body)[2], 0.3, 1e-4);
    dGeomDestroy(ball);
    for (int i = 0; i < 40; i++) step(&s, 0.01);
    ck_assert_double_lt(dBodyGetPosition(body)[2], 0);
    free_scene(&s);
}
END_TEST

/* A mesh that is lowered under a body is noticed: at once if it is told or small. */
START_TEST(changed_meshes_are_seen)
{
    int told = _i;
    scene s = new_scene(0.5);
    double moved[8][3];
    memcpy(moved, points, sizeof moved);
    dGeomID grid = told ? add_grid(&s, 10, flat) : add_mesh(&s, moved[0], 8, cube[0], 12);
    if (!told) dGeomSetPosition(grid, 0, 0, -0.5);
    dBodyID body = add_body(&s, dCreateSphere(s.space, 0.5));
    dBodySetPosition(body, 0, 0, 0.51);
    for (int i = 0; i < 30; i++) step(&s, 0.01);
    ck_assert_double_eq_tol(dBodyGetPosition(body)[2], 0.5, 1e-4);
    for (int i = 0; i < 8 && !told; i++) moved[i][2] -= 0.2;
    for (int i = 0; i < (SIDE + 1) * (SIDE + 1) && told; i++) grid_vertex[i][2] -= 0.2;
    dGeomTriMeshDataUpdate(s.mesh[0]);
    if (told) ck_assert_int_eq(pegTriMeshChanged(s.peg, grid), PEG_OK);
    step(&s, 0.01);
    ck_assert_double_lt(dBodyGetLinearVel(body)[2], -0.09);
    for (int i = 0; i < 40; i++) step(&s, 0.01);
    ck_assert_double_eq_tol(dBodyGetPosition(body)[2], 0.3, 1e-4);
    ck_assert_int_eq(pegTriMeshChanged(s.peg, dBodyGetFirstGeom(body)), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegTriMeshChanged(s.peg, NULL), PEG_ERROR_ARGUMENT);
    free_scene(&s);
}
END_TEST

static int refuse(dGeomID mesh, dGeomID other, int triangle)
{
    (void)mesh, (void)other, (void)triangle;
    return 0;
}

START_TEST(callbacks_of_meshes_are_not_asked)
{
    scene s = new_scene(0.5);
    messages m = {0};
    pegWorldSetMessageCallback(s.peg, &m, keep_message);
    dGeomTriMeshSetCallback(add_grid(&s, 10, flat), refuse);
    dBodyID body = add_body(&s, dCreateSphere(s.space, 0.5));
    dBodySetPosition(body, 0, 0, 0.5001);
    for (int i = 0; i < 3; i++) step(&s, 0.01);
    ck_assert_double_ge(dBodyGetPosition(body)[2], 0.5);
    ck_assert_int_eq(m.n, 1);
    ck_assert_int_eq(m.status[0], PEG_OK);
    free_scene(&s);
}
END_TEST

START_TEST(changed_fields_are_seen)
{
    double samples[(SIDE + 1) * (SIDE + 1)];
    pegHeightfield f = sampled(10, flat, samples);
    scene s = new_scene(0.5);
    messages m = {0};
    pegWorldSetMessageCallback(s.peg, &m, keep_message);
    place_field(&s, &f, 0);
    dBodyID body = add_body(&s, dCreateSphere(s.space, 0.5));
    dBodySetPosition(body, 0, 0, 0.51);
    for (int i = 0; i < 30; i++) step(&s, 0.01);
    f.offset = -0.2;
    dGeomHeightfieldDataBuildDouble(s.field[0], samples, 0, 10, 10, SIDE + 1, SIDE + 1, 1, -0.2, 1,
                                    0);
    ck_assert_int_eq(pegRegisterHeightfield(s.field[0], &f), PEG_OK);
    pegContact c; /* of the ground as it was */
    ck_assert_int_ge(pegWorldGetContactCount(s.peg), 1);
    ck_assert_int_eq(pegWorldGetContact(s.peg, 0, &c), PEG_OK);
    for (int i = 0; i < 40; i++) step(&s, 0.01);
    ck_assert_double_eq_tol(dBodyGetPosition(body)[2], 0.3, 1e-4);
    ck_assert_int_eq(m.n, 0);

    f.offset = 0.1; /* not what ODE has */
    ck_assert_int_eq(pegRegisterHeightfield(s.field[0], &f), PEG_OK);
    for (int i = 0; i < 40; i++) step(&s, 0.01);
    ck_assert_double_eq_tol(dBodyGetPosition(body)[2], 0.3, 0.02);
    ck_assert_int_eq(m.status[0], PEG_ERROR_SHAPE_UNKNOWN);
    free_scene(&s);
}
END_TEST

/* --- heightfields --- */

/* Every type of samples gives the same ground, which is ODE's: its rays meet it where a ball of
 * ours comes to rest. */
static dReal call_back(void *data, int x, int z)
{
    return ((const unsigned char *)data)[z * 4 + x];
}

START_TEST(fields_are_where_ode_has_them)
{
    static const unsigned char byte[12] = {9, 3, 7, 1, 5, 2, 8, 6, 4, 9, 1, 7};
    short word[12];
    float single[12];
    double real[12];
    for (int i = 0; i < 12; i++) word[i] = byte[i], single[i] = byte[i], real[i] = byte[i];
    pegHeightfield f = {.type = (pegSampleType)_i,
                        .width = 6,
                        .depth = 4,
                        .width_samples = 4,
                        .depth_samples = 3,
                        .scale = 0.1,
                        .offset = 0.5};
    scene s = new_scene(0);
    dHeightfieldDataID data = s.field[s.fields++] = dGeomHeightfieldDataCreate();
    if (_i == PEG_SAMPLES_CALLBACK) {
        f.callback = call_back;
        f.user_data = (void *)(size_t)byte;
        dGeomHeightfieldDataBuildCallback(data, f.user_data, call_back, 6, 4, 4, 3, 0.1, 0.5, 1, 0);
    } else if (_i == PEG_SAMPLES_BYTE) {
        f.samples = byte;
        dGeomHeightfieldDataBuildByte(data, byte, 0, 6, 4, 4, 3, 0.1, 0.5, 1, 0);
    } else if (_i == PEG_SAMPLES_SHORT) {
        f.samples = word;
        dGeomHeightfieldDataBuildShort(data, word, 0, 6, 4, 4, 3, 0.1, 0.5, 1, 0);
    } else if (_i == PEG_SAMPLES_SINGLE) {
        f.samples = single;
        dGeomHeightfieldDataBuildSingle(data, single, 0, 6, 4, 4, 3, 0.1, 0.5, 1, 0);
    } else {
        f.samples = real;
        dGeomHeightfieldDataBuildDouble(data, real, 0, 6, 4, 4, 3, 0.1, 0.5, 1, 0);
    }
    ck_assert_int_eq(pegRegisterHeightfield(data, &f), PEG_OK);
    dGeomID field = dCreateHeightfield(s.space, data, 0); /* y is up */
    dWorldSetGravity(s.world, 0, -G, 0);
    for (int k = 0; k < 40; k++) {
        double x = -2.9 + 5.8 * (k % 8) / 7, z = -1.9 + 3.8 * (k / 8) / 4;
        dGeomID ray = dCreateRay(NULL, 100), grain = dCreateSphere(s.space, 1e-3);
        dContactGeom c;
        dGeomRaySet(ray, x, 50, z, 0, -1, 0);
        ck_assert_int_eq(dCollide(ray, field, 1, &c, sizeof c), 1);
        dBodyID body = add_body(&s, grain);
        dBodySetPosition(body, x, c.pos[1] + 1.5e-3, z);
        dBodySetLinearVel(body, 0, -0.2, 0);
        step(&s, 0.01); /* would fall by 2e-3 and more: is stopped, and slides off by less */
        ck_assert_double_eq_tol(dBodyGetPosition(body)[1], c.pos[1] + 1e-3, 1e-3);
        dBodyDestroy(body);
        dGeomDestroy(grain);
        dGeomDestroy(ray);
    }
    free_scene(&s);
}
END_TEST

static dReal never_seen(void *data, int x, int z)
{
    (void)data;
    return 0.01 * ((x + z) % 2);
}

START_TEST(unregistered_fields_have_odes_contacts)
{
    scene s = new_scene(0.5);
    messages m = {0};
    pegWorldSetMessageCallback(s.peg, &m, keep_message);
    dHeightfieldDataID data = s.field[s.fields++] = dGeomHeightfieldDataCreate();
    dGeomHeightfieldDataBuildCallback(data, NULL, never_seen, 10, 10, 11, 11, 1, 0, 1, 0);
    dGeomID field = dCreateHeightfield(s.space, data, 1);
    turn_up(field);
    dGeomID ball = dCreateSphere(s.space, 0.5);
    dBodyID body = add_body(&s, ball);
    dBodySetPosition(body, 0.3, 0.2, 0.6);
    for (int i = 0; i < 100; i++) step(&s, 0.01);
    ck_assert_int_eq(m.n, 1 + (m.n == 2)); /* and perhaps that they overlap */
    ck_assert_int_eq(m.status[0], PEG_ERROR_SHAPE_UNKNOWN);
    ck_assert_double_gt(dBodyGetPosition(body)[2], 0.45);
    ck_assert_double_lt(dBodyGetPosition(body)[2], 0.55);
    ck_assert_int_eq(pegPairTreatment(ball, field), PEG_TREATMENT_ODE);
    free_scene(&s);
}
END_TEST

/* A field that wraps is the same ground as a larger one that repeats the samples. */
static double waves(double x, double y)
{
    return 0.3 * cos(M_PI * x / 2) + 0.2 * sin(M_PI * y);
}

enum { MANY = 5 * SIDE + 1 };
static double repeated[MANY * MANY];

START_TEST(fields_wrap)
{
    double x[2][60][3];
    for (int wrap = 0; wrap < 2; wrap++) {
        double samples[(SIDE + 1) * (SIDE + 1)];
        pegHeightfield f = sampled(4, waves, samples);
        f.wrap = wrap;
        if (!wrap) {
            for (int j = 0; j < MANY; j++)
                for (int i = 0; i < MANY; i++)
                    repeated[j * MANY + i] = samples[j % SIDE * (SIDE + 1) + i % SIDE];
            f.samples = repeated;
            f.width = f.depth = 20;
            f.width_samples = f.depth_samples = MANY;
        }
        scene s = new_scene(0.5);
        add_field(&s, &f);
        dBodyID ball = add_body(&s, dCreateSphere(s.space, 0.4));
        dBodySetPosition(ball, -1, 0.4, 1.2);
        dBodySetLinearVel(ball, 6, -4, 0);
        for (int i = 0; i < 60; i++) {
            step(&s, 0.01);
            memcpy(x[wrap][i], dBodyGetPosition(ball), sizeof x[0][0]);
        }
        free_scene(&s);
    }
    ck_assert_double_gt(x[0][59][0], 2.1); /* over the seam */
    for (int i = 0; i < 60; i++)
        for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(x[1][i][k], x[0][i][k], 1e-7);
}
END_TEST

/* Bodies far apart on an endless field. */
START_TEST(far_bodies_on_a_field_that_wraps)
{
    double samples[(SIDE + 1) * (SIDE + 1)];
    pegHeightfield f = sampled(4, flat, samples);
    f.wrap = 1;
    scene s = new_scene(0.5);
    add_field(&s, &f);
    dBodyID body[3];
    for (int i = 0; i < 3; i++) {
        body[i] = add_body(&s, dCreateSphere(s.space, 0.5));
        dBodySetPosition(body[i], (i - 1) * 1000, 300 * i, 0.52);
    }
    for (int i = 0; i < 30; i++) step(&s, 0.01);
    for (int i = 0; i < 3; i++) ck_assert_double_eq_tol(dBodyGetPosition(body[i])[2], 0.5, 1e-4);
    free_scene(&s);
}
END_TEST

/* --- classes of the program --- */

/* A ball of radius 0.5 that knows planes and spheres. */
static int meet(dGeomID own, dGeomID other, int flags, dContactGeom *c, int skip)
{
    const dReal *x = dGeomGetPosition(own);
    (void)flags, (void)skip;
    *c = (dContactGeom){.g1 = own, .g2 = other, .side1 = -1, .side2 = -1};
    if (dGeomGetClass(other) == dPlaneClass) {
        c->depth = 0.5 + dGeomPlanePointDepth(other, x[0], x[1], x[2]);
        c->normal[2] = 1;
    } else {
        double sum = 0;
        const dReal *y = dGeomGetPosition(other);
        for (int k = 0; k < 3; k++) sum += (x[k] - y[k]) * (x[k] - y[k]);
        for (int k = 0; k < 3; k++) c->normal[k] = (x[k] - y[k]) / sqrt(sum);
        c->depth = 0.5 + dGeomSphereGetRadius(other) - sqrt(sum);
    }
    for (int k = 0; k < 3; k++) c->pos[k] = x[k] - 0.5 * c->normal[k];
    return c->depth >= 0;
}

static dColliderFn *collider(int class)
{
    return class == dPlaneClass || class == dSphereClass ? meet : NULL;
}

static void box_of(dGeomID geom, dReal box[6])
{
    const dReal *x = dGeomGetPosition(geom);
    for (int k = 0; k < 6; k++) box[k] = x[k / 2] + (k % 2 ? 0.5 : -0.5);
}

static dGeomID add_own_ball(scene *s)
{
    static int class = -1;
    dGeomClass own = {.collider = collider, .aabb = box_of};
    if (class < 0) class = dCreateGeomClass(&own);
    dGeomID geom = dCreateGeom(class);
    dSpaceAdd(s->space, geom);
    return geom;
}

static void hands_nothing_over(void *data, dGeomID a, dGeomID b)
{
    (void)data, (void)a, (void)b;
}

START_TEST(own_classes_have_odes_contacts)
{
    scene s = new_scene(0.5);
    messages m = {0};
    pegWorldSetMessageCallback(s.peg, &m, keep_message);
    dGeomID plane = dCreatePlane(s.space, 0, 0, 1, 0), own = add_own_ball(&s);
    dGeomID ball = dCreateSphere(s.space, 0.3);
    dBodyID lower = add_body(&s, own), upper = add_body(&s, ball);
    dBodySetPosition(lower, 0, 0, 0.52);
    dBodySetPosition(upper, 0, 0, 1.35);
    for (int i = 0; i < 100; i++) step(&s, 0.01);
    ck_assert_double_eq_tol(dBodyGetPosition(lower)[2], 0.5, 0.02);
    ck_assert_double_eq_tol(dBodyGetPosition(upper)[2], 1.3, 0.04);
    ck_assert_int_ge(m.n, 1);
    ck_assert_int_eq(m.status[0], PEG_ERROR_GEOM_CLASS);
    ck_assert_int_eq(pegPairTreatment(own, plane), PEG_TREATMENT_ODE);
    ck_assert_int_eq(pegPairTreatment(ball, own), PEG_TREATMENT_ODE);

    pegWorldSetNearCallback(s.peg, NULL, hands_nothing_over);
    for (int i = 0; i < 60; i++) step(&s, 0.01);
    ck_assert_double_lt(dBodyGetPosition(lower)[2], -0.5);
    free_scene(&s);
}
END_TEST

/* --- questions --- */

START_TEST(treatment_of_every_pair_of_classes)
{
    static const int class[] = {dSphereClass, dBoxClass,      dCapsuleClass, dCylinderClass,
                                dPlaneClass,  dConvexClass,   dTriMeshClass, dHeightfieldClass,
                                dRayClass,    dFirstUserClass};
    enum { N = sizeof class / sizeof *class };
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            pegTreatment expected = i == 8 || j == 8   ? PEG_TREATMENT_NONE
                                    : i == 9 || j == 9 ? PEG_TREATMENT_ODE
                                                       : PEG_TREATMENT_EXACT;
            ck_assert_int_eq(pegClassTreatment(class[i], class[j]), expected);
        }
    ck_assert_int_eq(pegClassTreatment(dSphereClass, dHashSpaceClass), PEG_TREATMENT_NONE);
    ck_assert_int_eq(pegClassTreatment(-1, dSphereClass), PEG_TREATMENT_NONE);
}
END_TEST

START_TEST(models_of_polytopes_tell_what_they_leave_out)
{
    scene s = new_scene(0);
    messages m = {0};
    pegSettings settings;
    pegSettingsDefault(&settings);
    settings.contact = PEG_CONTACT_ST;
    ck_assert_int_eq(pegWorldSetSettings(s.peg, &settings), PEG_OK);
    pegWorldSetMessageCallback(s.peg, &m, keep_message);
    dCreatePlane(s.space, 0, 0, 1, 0);
    dBodySetPosition(add_mover(&s, M_BOX), 0, 0, 0.6);
    for (int i = 0; i < 3; i++) step(&s, 0.01);
    ck_assert_int_eq(m.n, 0);
    dBodyID ball = add_mover(&s, M_SPHERE);
    dBodySetPosition(ball, 3, 0, 0.501);
    for (int i = 0; i < 10; i++) step(&s, 0.01);
    ck_assert_double_lt(dBodyGetPosition(ball)[2], 0.49);
    ck_assert_int_eq(m.n, 1);
    ck_assert_int_eq(m.status[0], PEG_ERROR_GEOM_CLASS);
    free_scene(&s);
}
END_TEST

START_TEST(treatment_of_geoms)
{
    scene s = new_scene(0);
    dGeomID plane = add_static(&s, PLANE), field = add_static(&s, FIELD);
    dGeomID wall = add_static(&s, TRANSFORM), ray = dCreateRay(s.space, 1);
    dGeomID ball = dCreateSphere(s.space, 1), rod = dCreateCylinder(s.space, 1, 1);
    dGeomID speck = dCreateSphere(s.space, 0), second = dCreateBox(s.space, 1, 1, 1);
    dBodyID body = add_body(&s, ball);
    dGeomSetBody(second, body);
    add_body(&s, speck);
    ck_assert_int_eq(pegPairTreatment(ball, plane), PEG_TREATMENT_EXACT);
    ck_assert_int_eq(pegPairTreatment(wall, ball), PEG_TREATMENT_EXACT);
    ck_assert_int_eq(pegPairTreatment(ball, field), PEG_TREATMENT_EXACT);
    ck_assert_int_eq(pegPairTreatment(ball, rod), PEG_TREATMENT_EXACT);
    ck_assert_int_eq(pegPairTreatment(ball, ray), PEG_TREATMENT_NONE);
    ck_assert_int_eq(pegPairTreatment(ball, second), PEG_TREATMENT_NONE);
    ck_assert_int_eq(pegPairTreatment(plane, rod), PEG_TREATMENT_NONE);
    ck_assert_int_eq(pegPairTreatment(speck, plane), PEG_TREATMENT_NONE);
    ck_assert_int_eq(pegPairTreatment(ball, (dGeomID)s.space), PEG_TREATMENT_NONE);
    ck_assert_int_eq(pegPairTreatment(ball, NULL), PEG_TREATMENT_NONE);
    free_scene(&s);
}
END_TEST

/* --- rubbish --- */

START_TEST(registering_checks_its_arguments)
{
    double samples[4] = {0};
    scene s = new_scene(0);
    pegHeightfield good = {.type = PEG_SAMPLES_DOUBLE,
                           .samples = samples,
                           .width = 1,
                           .depth = 1,
                           .width_samples = 2,
                           .depth_samples = 2,
                           .scale = 1};
    pegHeightfield f = good;
    dHeightfieldDataID data = s.field[s.fields++] = dGeomHeightfieldDataCreate();
    ck_assert_int_eq(pegRegisterHeightfield(data, &f), PEG_OK);
    ck_assert_int_eq(pegRegisterHeightfield(NULL, &f), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegRegisterHeightfield(data, NULL), PEG_ERROR_ARGUMENT);
    f.samples = NULL;
    ck_assert_int_eq(pegRegisterHeightfield(data, &f), PEG_ERROR_ARGUMENT);
    f = good;
    f.type = PEG_SAMPLES_CALLBACK;
    ck_assert_int_eq(pegRegisterHeightfield(data, &f), PEG_ERROR_ARGUMENT);
    f = good;
    f.width_samples = 1;
    ck_assert_int_eq(pegRegisterHeightfield(data, &f), PEG_ERROR_ARGUMENT);
    f = good;
    f.width_samples = f.depth_samples = 1 << 20;
    ck_assert_int_eq(pegRegisterHeightfield(data, &f), PEG_ERROR_ARGUMENT);
    f = good;
    f.depth = 0;
    ck_assert_int_eq(pegRegisterHeightfield(data, &f), PEG_ERROR_ARGUMENT);
    f = good;
    f.width = NAN;
    ck_assert_int_eq(pegRegisterHeightfield(data, &f), PEG_ERROR_ARGUMENT);
    samples[2] = NAN;
    ck_assert_int_eq(pegRegisterHeightfield(data, &good), PEG_ERROR_NOT_FINITE);
    f = good;
    f.type = (pegSampleType)17;
    ck_assert_int_eq(pegRegisterHeightfield(data, &f), PEG_ERROR_ARGUMENT);
    free_scene(&s);
}
END_TEST

/* Geoms without any extent are left out and told of once. */
START_TEST(empty_geoms_are_ignored)
{
    scene s = new_scene(0);
    messages m = {0};
    pegWorldSetMessageCallback(s.peg, &m, keep_message);
    static const double line[3][3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}};
    static const unsigned one[3] = {0, 1, 2};
    dCreatePlane(s.space, 0, 0, 1, 0);
    dGeomID geom[] = {dCreateSphere(s.space, 0),        dCreateCapsule(s.space, 0, 1),
                      dCreateCylinder(s.space, 0, 1),   dCreateCylinder(s.space, 1, 0),
                      add_mesh(&s, line[0], 3, one, 1), dCreateGeomTransform(s.space)};
    enum { N = sizeof geom / sizeof *geom };
    dBodyID body[N];
    for (int i = 0; i < N; i++) dBodySetPosition(body[i] = add_body(&s, geom[i]), 3 * i, 0, 0.1);
    for (int i = 0; i < 50; i++) step(&s, 0.01);
    for (int i = 0; i < N; i++) ck_assert_double_lt(dBodyGetPosition(body[i])[2], -1);
    ck_assert_int_eq(m.n, 1);
    ck_assert_int_eq(m.status[0], PEG_ERROR_SHAPE_EMPTY);
    free_scene(&s);
}
END_TEST

START_TEST(endless_geoms_fail_the_step)
{
    scene s = new_scene(0);
    dBodyID body = add_body(&s, dCreateBox(s.space, 1, 1, 1));
    dGeomID geom = _i == 0   ? dCreateSphere(s.space, dInfinity)
                   : _i == 1 ? dCreateCapsule(s.space, 1, dInfinity)
                             : dCreateCylinder(s.space, dInfinity, 1);
    dGeomSetPosition(geom, 0, 0, 9);
    ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_ERROR_NOT_FINITE);
    ck_assert_double_eq(dBodyGetLinearVel(body)[2], 0);
    dGeomDestroy(geom);
    step(&s, 0.01);
    free_scene(&s);
}
END_TEST

START_TEST(broken_meshes_fail_the_step)
{
    scene s = new_scene(0);
    double vertex[8][3];
    memcpy(vertex, points, sizeof vertex);
    add_mesh(&s, vertex[0], 8, cube[0], 12);
    dBodyID body = add_body(&s, dCreateSphere(s.space, 0.5));
    dBodySetPosition(body, 0, 0, 3);
    step(&s, 0.01);
    double z = dBodyGetPosition(body)[2];
    vertex[3][1] = NAN;
    ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_ERROR_NOT_FINITE);
    ck_assert_double_eq(dBodyGetPosition(body)[2], z);
    vertex[3][1] = 0.5;
    step(&s, 0.01);
    ck_assert_double_lt(dBodyGetPosition(body)[2], z);
    free_scene(&s);
}
END_TEST

/* --- features --- */

/* A ball over the middle of a triangle, beside a side, beside a corner. */
START_TEST(features_are_named)
{
    static const double centre[3][3] = {{1, 1, 0.5}, {1.5, -0.3, 0.4}, {-0.3, 0, 0.4}};
    static const pegFeatures expected[3] = {PEG_VERTEX_FACE, PEG_VERTEX_EDGE, PEG_VERTEX_VERTEX};
    static const double tip[3][3] = {{0, 0, 0}, {3, 0, 0}, {0, 3, 0}};
    static const unsigned one[2][3] = {{0, 0, 1}, {0, 1, 2}}; /* the first one has no area */
    for (int k = 0; k < 3; k++) {
        scene s = new_scene(0);
        dGeomID mesh = add_mesh(&s, tip[0], 3, one[0], 2), ball = dCreateSphere(s.space, 0.5);
        dBodyID body = add_body(&s, ball);
        dBodySetPosition(body, centre[k][0], centre[k][1], centre[k][2] + 1e-5);
        dBodySetLinearVel(body, 0, 0, -1);
        step(&s, 0.01);
        pegContact c;
        ck_assert_int_eq(pegWorldGetContactCount(s.peg), 1);
        ck_assert_int_eq(pegWorldGetContact(s.peg, 0, &c), PEG_OK);
        int first = c.g1 == ball;
        ck_assert_ptr_eq(first ? c.g2 : c.g1, mesh);
        pegFeatures mirrored = k == 0 ? PEG_FACE_VERTEX : k == 1 ? PEG_EDGE_VERTEX : expected[k];
        ck_assert_int_eq(c.features, first ? expected[k] : mirrored);
        ck_assert_int_eq(first ? c.feature1 : c.feature2, 0);
        ck_assert_int_eq(first ? c.feature2 : c.feature1, k == 0 ? 1 : 3); /* side 0, corner 0 */
        free_scene(&s);
    }
}
END_TEST

/* The triangles of a field that wraps are told by their cells. */
START_TEST(triangles_of_fields_are_named)
{
    double samples[(SIDE + 1) * (SIDE + 1)];
    pegHeightfield f = sampled(SIDE, flat, samples); /* cells of side 1 */
    f.wrap = _i;
    scene s = new_scene(0);
    dWorldSetGravity(s.world, 0, -G, 0);
    dGeomSetRotation(add_field(&s, &f), (dMatrix3){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});
    for (int half = 0; half < 2; half++) {
        double part = half ? 0.7 : 0.3;
        dGeomID ball = dCreateSphere(s.space, 0.2);
        dBodyID body = add_body(&s, ball);
        dBodySetPosition(body, -SIDE / 2 + 5 + part + _i * 3 * SIDE, 0.20001,
                         -SIDE / 2 + 7 + part - _i * 2 * SIDE);
        dBodySetLinearVel(body, 0, -1, 0);
        step(&s, 0.01);
        pegContact c;
        ck_assert_int_eq(pegWorldGetContactCount(s.peg), 1);
        ck_assert_int_eq(pegWorldGetContact(s.peg, 0, &c), PEG_OK);
        ck_assert_int_eq(c.g1 == ball ? c.feature2 : c.feature1, 2 * (7 * SIDE + 5) + half);
        dBodyDestroy(body);
        dGeomDestroy(ball);
    }
    free_scene(&s);
}
END_TEST

/* --- memory --- */

START_TEST(warmed_steps_allocate_nothing)
{
    double samples[(SIDE + 1) * (SIDE + 1)];
    pegHeightfield f = sampled(4, waves, samples);
    f.wrap = 1;
    scene s = new_scene(0.4);
    dBodyID body[MOVERS];
    add_static(&s, TRANSFORM);
    dGeomSetPosition(add_static(&s, MESH), 0, 0, 0.01);
    dGeomSetPosition(add_field(&s, &f), 0, 0, -0.6);
    add_body(&s, add_own_ball(&s));
    for (int i = 0; i < MOVERS; i++) body[i] = add_mover(&s, i);
    for (int i = 0; i < 160; i++) {
        for (int k = 0; k < MOVERS && i % 40 == 0; k++) {
            static const dQuaternion unturned = {1};
            dBodySetPosition(body[k], 0.3 * (k % 3), 0.1 * k, 0.6 + 1.1 * k);
            dBodySetQuaternion(body[k], unturned);
            dBodySetLinearVel(body[k], 0, 0, 0);
            dBodySetAngularVel(body[k], 0, 0, 0);
        }
        peg_memory_fail_at(0, 0);
        step(&s, 0.01);
        long made = peg_memory_fail_at(0, 0);
        ck_assert_msg(i < 80 || made == 0, "step %d: %ld", i, made);
    }
    free_scene(&s);
}
END_TEST

/* What is built without memory fails the step, and the next one succeeds. */
START_TEST(building_without_memory)
{
    scene s = new_scene(0);
    double samples[(SIDE + 1) * (SIDE + 1)];
    pegHeightfield f = sampled(4, waves, samples);
    for (int i = 0; i < STATICS; i++)
        if (i != CONVEX) add_static(&s, i);
    for (int i = 0; i < MOVERS; i++)
        if (i != M_CONVEX) dBodySetPosition(add_mover(&s, i), 3 * i, 0, 2);
    long n = 1;
    pegStatus status;
    do {
        peg_memory_fail_at(n, 1);
        status = pegWorldStep(s.peg, 0.01);
        peg_memory_fail_at(0, 0);
        ck_assert(status == PEG_OK || status == PEG_ERROR_MEMORY);
        n += 1 + n / 3;
    } while (status != PEG_OK);
    ck_assert_int_gt(n, 30);
    for (n = 1; n < 12; n++) {
        peg_memory_fail_at(n, 1);
        status = pegRegisterHeightfield(s.field[0], &f);
        peg_memory_fail_at(0, 0);
        ck_assert(status == PEG_OK || status == PEG_ERROR_MEMORY);
        step(&s, 0.01);
    }
    free_scene(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geoms");
    TCase *rest = tcase_create("rest"), *hold = tcase_create("hold"), *ask = tcase_create("ask");
    tcase_set_timeout(rest, 120);
    tcase_set_timeout(hold, 120);
    tcase_add_loop_test(rest, rests_on_what_it_falls_on, 0, MOVERS * STATICS);
    tcase_add_loop_test(rest, movers_stack, 0, MOVERS * MOVERS);
    tcase_add_loop_test(rest, ball_on_an_incline, 0, 4);
    tcase_add_loop_test(rest, ball_in_a_bowl, 0, 3);
    tcase_add_test(hold, same_motion_however_geoms_are_held);
    tcase_add_loop_test(hold, transforms_are_named_as_ode_names_them, 0, 2);
    tcase_add_test(hold, changed_parameters_are_seen);
    tcase_add_loop_test(hold, changed_meshes_are_seen, 0, 2);
    tcase_add_test(hold, callbacks_of_meshes_are_not_asked);
    tcase_add_test(hold, changed_fields_are_seen);
    tcase_add_loop_test(hold, fields_are_where_ode_has_them, 0, 5);
    tcase_add_test(hold, unregistered_fields_have_odes_contacts);
    tcase_add_test(hold, fields_wrap);
    tcase_add_test(hold, far_bodies_on_a_field_that_wraps);
    tcase_add_test(hold, own_classes_have_odes_contacts);
    tcase_add_test(ask, treatment_of_every_pair_of_classes);
    tcase_add_test(ask, treatment_of_geoms);
    tcase_add_test(ask, models_of_polytopes_tell_what_they_leave_out);
    tcase_add_test(ask, registering_checks_its_arguments);
    tcase_add_test(ask, empty_geoms_are_ignored);
    tcase_add_loop_test(ask, endless_geoms_fail_the_step, 0, 3);
    tcase_add_test(ask, broken_meshes_fail_the_step);
    tcase_add_test(ask, features_are_named);
    tcase_add_loop_test(ask, triangles_of_fields_are_named, 0, 2);
    tcase_add_test(ask, warmed_steps_allocate_nothing);
    tcase_add_test(ask, building_without_memory);
    suite_add_tcase(suite, rest);
    suite_add_tcase(suite, hold);
    suite_add_tcase(suite, ask);

    dInitODE2(0);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    dCloseODE();
    return failed != 0;
}
