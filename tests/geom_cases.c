#include "tests/geom_cases.h"

#include <check.h>
#include <math.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* transforms */

scene new_scene(double mu)
{
    dSurfaceParameters surface = {.mode = dContactApprox1, .mu = mu};
    scene s = {dWorldCreate(), dSimpleSpaceCreate(NULL), NULL, {0}, 0, {0}, 0};
    dWorldSetGravity(s.world, 0, 0, -G);
    ck_assert_int_eq(pegWorldCreateStatus(s.world, NULL, &s.peg), PEG_OK);
    ck_assert_int_eq(pegWorldAddSpace(s.peg, s.space), PEG_OK);
    ck_assert_int_eq(pegWorldSetDefaultSurface(s.peg, &surface), PEG_OK);
    return s;
}

void free_scene(scene *s)
{
    for (int i = 0; i < dSpaceGetNumGeoms(s->space); i++) {
        dGeomID geom = dSpaceGetGeom(s->space, i);
        if (pegGeomGetRadius(geom) > 0) pegGeomSetRadius(geom, 0);
    }
    dSpaceDestroy(s->space);
    dWorldDestroy(s->world);
    pegWorldDestroy(s->peg);
    for (int i = 0; i < s->meshes; i++) dGeomTriMeshDataDestroy(s->mesh[i]);
    for (int i = 0; i < s->fields; i++) {
        pegUnregisterHeightfield(s->field[i]);
        dGeomHeightfieldDataDestroy(s->field[i]);
    }
}

void keep_message(void *data, pegStatus status, const char *text)
{
    messages *m = data;
    ck_assert_int_lt(m->n, 8);
    m->status[m->n] = status;
    strncpy(m->text[m->n++], text, sizeof m->text[0] - 1);
}

dBodyID add_body(scene *s, dGeomID geom)
{
    dMass mass;
    dBodyID body = dBodyCreate(s->world);
    dMassSetSphereTotal(&mass, 2, 0.5);
    dBodySetMass(body, &mass);
    if (geom) dGeomSetBody(geom, body);
    return body;
}

dBodyID add_turned_body(scene *s, cases_random *r, dGeomID geom)
{
    double R[9];
    dMatrix3 turn = {0};
    dBodyID body = add_body(s, geom);
    cases_rotation(r, R);
    for (int k = 0; k < 9; k++) turn[4 * (k / 3) + k % 3] = R[k];
    dBodySetRotation(body, turn);
    return body;
}

/* --- shapes --- */

const dReal planes[] = {1, 0,  0, 0.5, -1, 0, 0, 0.5, 0, 1, 0,  0.5,
                        0, -1, 0, 0.5, 0,  0, 1, 0.5, 0, 0, -1, 0.5};
const dReal points[] = {-0.5, -0.5, -0.5, 0.5, -0.5, -0.5, 0.5, 0.5, -0.5, -0.5, 0.5, -0.5,
                        -0.5, -0.5, 0.5,  0.5, -0.5, 0.5,  0.5, 0.5, 0.5,  -0.5, 0.5, 0.5};
const unsigned polygons[] = {4, 1, 2, 6, 5, 4, 0, 4, 7, 3, 4, 2, 3, 7, 6,
                             4, 0, 1, 5, 4, 4, 4, 5, 6, 7, 4, 0, 3, 2, 1};
const unsigned cube[12][3] = {{1, 2, 6}, {1, 6, 5}, {0, 4, 7}, {0, 7, 3}, {2, 3, 7}, {2, 7, 6},
                              {0, 1, 5}, {0, 5, 4}, {4, 5, 6}, {4, 6, 7}, {0, 3, 2}, {0, 2, 1}};

dGeomID add_mesh(scene *s, const double *vertex, int nv, const unsigned *index, int nt)
{
    dTriMeshDataID data = s->mesh[s->meshes++] = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildDouble(data, vertex, 3 * sizeof(double), nv, index, 3 * nt,
                                3 * sizeof(unsigned));
    return dCreateTriMesh(s->space, data, NULL, NULL, NULL);
}

double flat(double x, double y)
{
    (void)x, (void)y;
    return 0;
}

double bowl(double x, double y)
{
    return 0.25 * (x * x + y * y);
}

double grid_vertex[(SIDE + 1) * (SIDE + 1)][3];
unsigned grid_triangle[2 * SIDE * SIDE][3];

void fill_grid(double width, ground *height)
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

dGeomID add_grid(scene *s, double width, ground *height)
{
    fill_grid(width, height);
    return add_mesh(s, grid_vertex[0], (SIDE + 1) * (SIDE + 1), grid_triangle[0], 2 * SIDE * SIDE);
}

/* ODE's field has y up: turned so that y becomes z, and z becomes -y. */
void turn_up(dGeomID field)
{
    dMatrix3 R;
    dRFromAxisAndAngle(R, 1, 0, 0, M_PI / 2);
    dGeomSetRotation(field, R);
}

/* copies: ODE takes a copy of the samples, which it keeps when others are set. */
dGeomID place_field(scene *s, const pegHeightfield *f, int copies)
{
    dHeightfieldDataID data = s->field[s->fields++] = dGeomHeightfieldDataCreate();
    dGeomHeightfieldDataBuildDouble(data, f->samples, copies, f->width, f->depth, f->width_samples,
                                    f->depth_samples, f->scale, f->offset, 1, f->wrap);
    ck_assert_int_eq(pegRegisterHeightfield(data, f), PEG_OK);
    dGeomID geom = dCreateHeightfield(s->space, data, 1);
    turn_up(geom);
    return geom;
}

dGeomID add_field(scene *s, const pegHeightfield *f)
{
    return place_field(s, f, 1);
}

/* z at the given x, -y: turned up, the samples are those of height(x, y). */
pegHeightfield sampled(double width, ground *height, double *samples)
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

dGeomID held(scene *s, dGeomID inner, double z)
{
    dGeomID transform = dCreateGeomTransform(s->space);
    dGeomSetPosition(inner, 0, 0, z);
    dGeomTransformSetGeom(transform, inner);
    dGeomTransformSetCleanup(transform, 1);
    return transform;
}

static dGeomID rounded_box(scene *s, double x, double y, double z, double radius)
{
    dGeomID geom = dCreateBox(s->space, x, y, z);
    ck_assert_int_eq(pegGeomSetRadius(geom, radius), PEG_OK);
    return geom;
}

dGeomID add_static(scene *s, int kind)
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
    case ROUNDED:
        geom = rounded_box(s, 8, 8, 2, .5);
        dGeomSetPosition(geom, 0.1, 0.2, -1.5);
        break;
    }
    return geom;
}

dBodyID add_mover(scene *s, int kind)
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
    case M_ROUNDED:
        return add_body(s, rounded_box(s, .6, .6, .6, .2));
    }
    return body;
}

void make_step(scene *s, double h)
{
    ck_assert_int_eq(pegWorldStep(s->peg, h), PEG_OK);
}

double waves(double x, double y)
{
    return 0.3 * cos(M_PI * x / 2) + 0.2 * sin(M_PI * y);
}

/* The collider of the ball of the program's own. */
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

dGeomID add_own_ball(scene *s)
{
    static int class = -1;
    dGeomClass own = {.collider = collider, .aabb = box_of};
    if (class < 0) class = dCreateGeomClass(&own);
    dGeomID geom = dCreateGeom(class);
    dSpaceAdd(s->space, geom);
    return geom;
}
