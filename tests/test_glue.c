/* The glue against ODE itself: free velocities and poses, the hand-over, what takes part. */
#include "tests/runner.h"
#include "ode_glue/read/convex.h"
#include "ode_glue/read/unconstrained_velocity.h"
#include "ode_glue/pairs/filter.h"
#include "ode_glue/step/scene.h"
#include "ode_glue/step/step.h"
#include "ode_glue/write/apply.h"

#include <check.h>
#include <stdlib.h>

static double random_in(double low, double high)
{
    return low + (high - low) * rand() / RAND_MAX;
}

static dWorldID new_world(void)
{
    dWorldID world = dWorldCreate();
    dWorldSetGravity(world, 0.3, -1.1, -9.81);
    return world;
}

/* A body in a random state; bits of `modes` switch its integration modes. */
static dBodyID random_body(dWorldID world, unsigned modes)
{
    dBodyID id = dBodyCreate(world);
    dMass mass;
    dMatrix3 R;
    dMassSetBoxTotal(&mass, random_in(0.1, 10), random_in(0.1, 3), random_in(0.1, 3), 1);
    dRFromEulerAngles(R, random_in(-3, 3), random_in(-3, 3), random_in(-3, 3));
    dMassRotate(&mass, R);
    dBodySetMass(id, &mass);
    dQuaternion q = {random_in(-1, 1), random_in(-1, 1), random_in(-1, 1), random_in(-1, 1)};
    dBodySetQuaternion(id, q);
    dBodySetPosition(id, random_in(-5, 5), random_in(-5, 5), random_in(-5, 5));
    dBodySetLinearVel(id, random_in(-9, 9), random_in(-9, 9), random_in(-9, 9));
    dBodySetAngularVel(id, random_in(-9, 9), random_in(-9, 9), random_in(-9, 9));
    dBodyAddForce(id, random_in(-9, 9), random_in(-9, 9), random_in(-9, 9));
    dBodyAddTorque(id, random_in(-9, 9), random_in(-9, 9), random_in(-9, 9));
    dBodySetGravityMode(id, !(modes & 1));
    dBodySetGyroscopicMode(id, !(modes & 2));
    if (modes & 4) dBodySetMaxAngularSpeed(id, 5);
    if (modes & 8) dBodySetDamping(id, 0.1, 0.2);
    if (modes & 16) dBodySetFiniteRotationMode(id, 1);
    if (modes & 32) dBodySetFiniteRotationAxis(id, 1, random_in(-1, 1), 2);
    if (modes & 64) dBodySetKinematic(id);
    return id;
}
enum { ALL_MODES = 128 };

static void step_ode(dWorldID world, double h, int quick)
{
    ck_assert(quick ? dWorldQuickStep(world, h) : dWorldStep(world, h));
}

static double distance(const double *a, const double *b, int n)
{
    double d = 0;
    for (int i = 0; i < n; i++) d = fmax(d, fabs(a[i] - b[i]));
    return d;
}

/* Largest differences of pose and velocity between the body and the expectation. */
static void compare(dBodyID id, const peg_body *b, const double v[6], double h, double worst[2])
{
    double x[3], q[4];
    peg_body_pose(b, b->v_pose, h, x, q);
    double pose =
        fmax(distance(x, dBodyGetPosition(id), 3), distance(q, dBodyGetQuaternion(id), 4));
    double velocity =
        fmax(distance(v, dBodyGetLinearVel(id), 3), distance(v + 3, dBodyGetAngularVel(id), 3));
    worst[0] = fmax(worst[0], pose);
    worst[1] = fmax(worst[1], velocity);
}

START_TEST(free_velocity_equals_ode)
{
    double worst[2] = {0};
    for (int i = 0; i < 16 * ALL_MODES; i++) {
        double h = random_in(1e-3, 0.1), v[6];
        dWorldID world = new_world();
        dBodyID id = random_body(world, (unsigned)i);
        peg_body b;
        ck_assert_int_eq(peg_read_body(world, id, h, &b), PEG_OK);
        memcpy(b.v_pose, b.v_free, sizeof v);
        memcpy(b.v_end, b.v_free, sizeof v);
        peg_end_velocity(id, &b, v);
        step_ode(world, h, _i);
        compare(id, &b, v, h, worst);
        dWorldDestroy(world);
    }
    /* values up to 20 m, m/s and rad/s */
    ck_assert_msg(worst[0] < 1e-14, "pose differs by %g", worst[0]);
    ck_assert_msg(worst[1] < 2e-13, "velocity differs by %g", worst[1]);
}
END_TEST

/* One world, one body with a geom, a space, and the glue. */
typedef struct setup {
    dWorldID world;
    dSpaceID space;
    peg_glue *glue;
} setup;

static setup new_setup(void)
{
    pegSettings settings;
    setup s = {.world = new_world(), .space = dSimpleSpaceCreate(NULL)};
    peg_settings_default(&settings);
    ck_assert_int_eq(peg_glue_create(s.world, &settings, &s.glue), PEG_OK);
    ck_assert_int_eq(peg_glue_add_space(s.glue, s.space), PEG_OK);
    return s;
}

static void free_setup(setup *s)
{
    dSpaceDestroy(s->space);
    dWorldDestroy(s->world);
    peg_glue_destroy(s->glue);
}

static dGeomID add_box(setup *s, dBodyID body)
{
    dGeomID geom = dCreateBox(s->space, 1, 1, 1);
    if (body) dGeomSetBody(geom, body);
    return geom;
}

START_TEST(hand_over_is_exact)
{
    double worst[2] = {0};
    for (int i = 0; i < 4 * ALL_MODES; i++) {
        unsigned modes = (unsigned)i & ~64u;
        double h = random_in(1e-3, 0.1), v[6];
        setup s = new_setup();
        dBodyID id = random_body(s.world, modes);
        add_box(&s, id);
        if (i & 64) dBodyDisable(id);
        ck_assert_int_eq(peg_glue_collect(s.glue, h), PEG_OK);
        peg_body *b = &s.glue->scene.body[0];
        ck_assert_int_eq(s.glue->scene.nb, 1);
        ck_assert_int_eq(b->asleep, (i & 64) != 0);
        b->woken = b->asleep;
        for (int k = 0; k < 6; k++) b->v_pose[k] = b->v_free[k] + random_in(-5, 5);
        for (int k = 0; k < 6; k++) b->v_end[k] = b->v_pose[k] + (i & 128 ? random_in(-5, 5) : 0);
        peg_end_velocity(id, b, v);
        pegStats stats;
        ck_assert_int_eq(peg_glue_apply(s.glue, _i, &stats), PEG_OK);
        ck_assert(dBodyIsEnabled(id) && stats.time_ode > 0);
        compare(id, b, v, h, worst);
        ck_assert(dBodyGetForce(id)[0] == 0 && dBodyGetTorque(id)[2] == 0);
        free_setup(&s);
    }
    ck_assert_msg(worst[0] < 1e-13, "pose differs by %g", worst[0]);
    ck_assert_msg(worst[1] < 1e-12, "velocity differs by %g", worst[1]);
}
END_TEST

/* m / h overflows; or the square of the velocity, of which ODE makes the pose. */
START_TEST(overflowing_hand_over_changes_nothing)
{
    const double steps[] = {1e-308, 2}, more[] = {100, 1e200};
    setup s = new_setup();
    dBodyID id = random_body(s.world, 0);
    add_box(&s, id);
    dBodyDisable(id);
    double force[3], h = steps[_i];
    peg_copy3(dBodyGetForce(id), force);
    ck_assert_int_eq(peg_glue_collect(s.glue, h), PEG_OK);
    peg_body *b = &s.glue->scene.body[0];
    b->woken = 1;
    for (int k = 0; k < 6; k++) b->v_end[k] = b->v_pose[k] = b->v_free[k] + more[_i];
    pegStats stats;
    ck_assert_int_eq(peg_glue_apply(s.glue, 0, &stats), PEG_ERROR_NOT_FINITE);
    ck_assert(!dBodyIsEnabled(id));
    ck_assert(!memcmp(dBodyGetForce(id), force, sizeof force));
    ck_assert(!memcmp(dBodyGetPosition(id), b->x, sizeof b->x));
    ck_assert(!memcmp(dBodyGetAngularVel(id), b->v + 3, sizeof force));
    free_setup(&s);
}
END_TEST

START_TEST(untouched_bodies_move_bit_for_bit_as_in_ode)
{
    for (unsigned modes = 0; modes < ALL_MODES; modes++) {
        setup s = new_setup();
        dWorldID plain = new_world();
        unsigned seed = 77 + modes;
        srand(seed);
        dBodyID a = random_body(s.world, modes);
        srand(seed);
        dBodyID b = random_body(plain, modes);
        add_box(&s, a);
        for (int k = 0; k < 5; k++) {
            pegStats stats;
            ck_assert_int_eq(peg_glue_collect(s.glue, 0.01), PEG_OK);
            peg_body *body = &s.glue->scene.body[0];
            memcpy(body->v_pose, body->v_free, sizeof body->v_free);
            memcpy(body->v_end, body->v_free, sizeof body->v_free);
            ck_assert_int_eq(peg_glue_apply(s.glue, _i, &stats), PEG_OK);
            step_ode(plain, 0.01, _i);
        }
        ck_assert(!memcmp(dBodyGetPosition(a), dBodyGetPosition(b), 3 * sizeof(dReal)));
        ck_assert(!memcmp(dBodyGetQuaternion(a), dBodyGetQuaternion(b), 4 * sizeof(dReal)));
        ck_assert(!memcmp(dBodyGetLinearVel(a), dBodyGetLinearVel(b), 3 * sizeof(dReal)));
        ck_assert(!memcmp(dBodyGetAngularVel(a), dBodyGetAngularVel(b), 3 * sizeof(dReal)));
        free_setup(&s);
        dWorldDestroy(plain);
    }
}
END_TEST

START_TEST(end_velocity_keeps_what_joints_did)
{
    setup s = new_setup();
    dBodyID id = random_body(s.world, 2);
    add_box(&s, id);
    dJointID joint = dJointCreateBall(s.world, 0);
    dJointAttach(joint, id, NULL);
    dJointSetBallAnchor(joint, 1, 2, 3);
    ck_assert_int_eq(peg_glue_collect(s.glue, 0.01), PEG_OK);
    ck_assert_int_gt(s.glue->link[0].has_joints, 0);
    s.glue->link[0].foreign = 1; /* as of a type without rows */
    s.glue->scene.njoint_row = 0;
    peg_body *b = &s.glue->scene.body[0];
    memcpy(b->v_pose, b->v_free, sizeof b->v_free);
    memcpy(b->v_end, b->v_free, sizeof b->v_free);
    b->v_end[0] += 0.25;
    pegStats stats;
    dBodyID twin = dBodyCreate(s.world); /* the same body and joint without the change */
    dMass mass;
    dBodyGetMass(id, &mass);
    dBodySetMass(twin, &mass);
    dBodySetGyroscopicMode(twin, 0);
    dBodySetQuaternion(twin, dBodyGetQuaternion(id));
    dBodySetPosition(twin, b->x[0], b->x[1], b->x[2]);
    dBodySetLinearVel(twin, b->v[0], b->v[1], b->v[2]);
    dBodySetAngularVel(twin, b->v[3], b->v[4], b->v[5]);
    dBodySetForce(twin, dBodyGetForce(id)[0], dBodyGetForce(id)[1], dBodyGetForce(id)[2]);
    dBodySetTorque(twin, dBodyGetTorque(id)[0], dBodyGetTorque(id)[1], dBodyGetTorque(id)[2]);
    dJointID second = dJointCreateBall(s.world, 0);
    dJointAttach(second, twin, NULL);
    dJointSetBallAnchor(second, 1, 2, 3);
    ck_assert_int_eq(peg_glue_apply(s.glue, 0, &stats), PEG_OK);
    ck_assert_double_eq_tol(dBodyGetLinearVel(id)[0], dBodyGetLinearVel(twin)[0] + 0.25, 1e-11);
    ck_assert_double_eq_tol(dBodyGetAngularVel(id)[1], dBodyGetAngularVel(twin)[1], 1e-11);
    free_setup(&s);
}
END_TEST

/* World pose of a part against what ODE says of its geom. */
static void check_pose(const peg_scene *scene, const peg_part *part)
{
    dGeomID geom = ((const peg_shape *)part->user)->geom;
    double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, rotation[9], x[3], zero[3] = {0};
    const double *origin = zero;
    if (part->body >= 0) {
        peg_quat_to_mat(scene->body[part->body].q, R);
        origin = scene->body[part->body].x;
    }
    peg_rotate(R, part->offset, x);
    peg_add_scaled(x, 1, origin, x);
    peg_mat_mul(R, part->rotation, rotation);
    ck_assert_double_lt(distance(x, dGeomGetPosition(geom), 3), 1e-14);
    for (int i = 0; i < 3; i++)
        ck_assert_double_lt(distance(rotation + 3 * i, dGeomGetRotation(geom) + 4 * i, 3), 1e-14);
}

START_TEST(reads_geoms)
{
    setup s = new_setup();
    dBodyID a = random_body(s.world, 0), k = random_body(s.world, 64),
            still = random_body(s.world, 64);
    dBodyDisable(still);
    dWorldID elsewhere = dWorldCreate();
    dBodyID foreign = random_body(elsewhere, 0);
    dSpaceID inner = dHashSpaceCreate(s.space), hidden = dHashSpaceCreate(s.space);
    dMatrix3 turn;
    dRFromAxisAndAngle(turn, 1, 2, 3, 0.7);
    dGeomID first = add_box(&s, a), second = dCreateBox(inner, 0.1, 0.2, 0.3);
    dGeomSetBody(second, a);
    dGeomSetOffsetPosition(second, 1, 2, 3);
    dGeomSetOffsetRotation(second, turn);
    dGeomID wall = add_box(&s, NULL);
    dGeomSetPosition(wall, 3, 4, 5);
    dGeomSetRotation(wall, turn);
    dCreatePlane(s.space, 0.6, 0, 0.8, 2);
    add_box(&s, k);
    add_box(&s, still);
    add_box(&s, foreign);
    dGeomDisable(add_box(&s, NULL));
    dCreateSphere(s.space, 1);
    dCreateRay(s.space, 1);
    dCreateBox(s.space, 1, 0, 1);
    dCreateBox(hidden, 1, 1, 1);
    dGeomDisable((dGeomID)hidden);
    dGeomID loose = dCreateBox(NULL, 2, 2, 2);
    ck_assert_int_eq(peg_glue_add_pair(s.glue, loose, first, NULL), PEG_OK);

    ck_assert_int_eq(peg_glue_collect(s.glue, 0.01), PEG_OK);
    const peg_scene *scene = &s.glue->scene;
    ck_assert_int_eq(scene->np, 9);
    ck_assert_int_eq(scene->nb, 4);
    int of_a = 0, kinds[3] = {0}, statics = 0, planes = 0;
    for (int i = 0; i < scene->np; i++) {
        const peg_part *p = &scene->part[i];
        const peg_shape *shape = p->user;
        ck_assert_ptr_eq(p->shape, shape->shape);
        ck_assert(i == 0 || p->id > scene->part[i - 1].id);
        of_a += dGeomGetBody(shape->geom) == a;
        statics += p->body < 0;
        planes += peg_is_half_space(p->shape);
        ck_assert_int_eq(shape->swept, shape->geom != loose);
        if (!peg_is_half_space(p->shape)) check_pose(scene, p);
    }
    for (int i = 0; i < scene->nb; i++) kinds[scene->body[i].kind]++;
    ck_assert_int_eq(of_a, 2);
    ck_assert_int_eq(statics, 4);
    ck_assert_int_eq(planes, 1);
    ck_assert(kinds[PEG_STATIC] == 2 && kinds[PEG_KINEMATIC] == 1 && kinds[PEG_DYNAMIC] == 1);
    dGeomDestroy(loose);
    free_setup(&s);
    dWorldDestroy(elsewhere);
}
END_TEST

START_TEST(reads_every_kind_of_space)
{
    dVector3 centre = {0}, extent = {9, 9, 9};
    setup s = new_setup();
    dSpaceID kind[4] = {dSimpleSpaceCreate(NULL), dHashSpaceCreate(NULL),
                        dSweepAndPruneSpaceCreate(NULL, dSAP_AXES_XYZ),
                        dQuadTreeSpaceCreate(NULL, centre, extent, 3)};
    dSpaceID space = kind[_i], inner = dSimpleSpaceCreate(space);
    ck_assert_int_eq(peg_glue_add_space(s.glue, space), PEG_OK);
    for (int i = 0; i < 20; i++)
        dGeomSetPosition(dCreateBox(i % 4 ? space : inner, 1, 1, 1), 3 * i - 30, 2 * i, i);
    dCreatePlane(space, 0, 1, 1, 0);
    dGeomDisable(dCreateBox(space, 1, 1, 1));
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(peg_glue_collect(s.glue, 0.01), PEG_OK);
        ck_assert_int_eq(s.glue->scene.np, 21);
        dGeomSetPosition(dSpaceGetGeom(inner, 1), i, 0, 0);
    }
    for (int i = 0; i < 4; i++) dSpaceDestroy(kind[i]);
    free_setup(&s);
}
END_TEST

START_TEST(shapes_follow_their_geoms)
{
    setup s = new_setup();
    dGeomID box = add_box(&s, NULL), plane = dCreatePlane(s.space, 0, 0, 1, 0);
    ck_assert_int_eq(peg_glue_collect(s.glue, 0.01), PEG_OK);
    unsigned long id[2] = {s.glue->scene.part[0].id, s.glue->scene.part[1].id};
    ck_assert_int_eq(peg_glue_collect(s.glue, 0.01), PEG_OK);
    ck_assert(s.glue->scene.part[0].id == id[0] && s.glue->scene.part[1].id == id[1]);

    dGeomBoxSetLengths(box, 1, 2, 4);
    dGeomSetPosition(box, 1, 1, 1); /* moving alone changes nothing */
    ck_assert_int_eq(peg_glue_collect(s.glue, 0.01), PEG_OK);
    int b = ((peg_shape *)s.glue->scene.part[0].user)->geom == box ? 0 : 1;
    ck_assert_double_eq_tol(s.glue->scene.part[b].shape->volume, 8, 1e-12);
    ck_assert(s.glue->scene.part[b].id > id[0] && s.glue->scene.part[b].id > id[1]);

    dGeomPlaneSetParams(plane, 1, 0, 0, 7);
    dGeomDestroy(box);
    ck_assert_int_eq(peg_glue_collect(s.glue, 0.01), PEG_OK);
    ck_assert_int_eq(s.glue->scene.np, 1);
    ck_assert_double_eq(s.glue->scene.part[0].shape->offset[0], 7);
    ck_assert_double_eq(s.glue->scene.part[0].shape->normal[0][0], 1);
    free_setup(&s);
}
END_TEST

/* Geoms of the same mesh share what is built of it, and the last one takes it away. */
START_TEST(meshes_are_shared)
{
    static double vertex[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const unsigned index[6] = {0, 1, 2, 0, 1, 3};
    setup s = new_setup();
    dTriMeshDataID data = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildDouble(data, vertex, sizeof vertex[0], 4, index, 6, 3 * sizeof *index);
    dGeomID geom[3];
    for (int i = 0; i < 3; i++) {
        geom[i] = dCreateTriMesh(s.space, data, NULL, NULL, NULL);
        dGeomSetPosition(geom[i], 0.1 * i, 1. / 3, i);
    }
    ck_assert_int_eq(peg_glue_collect(s.glue, 0.01), PEG_OK);
    const peg_shape *first = s.glue->scene.part[0].user, *shape[3] = {0};
    peg_trimesh *mesh = first->mesh;
    ck_assert_int_eq(mesh->users, 3);
    ck_assert_int_eq(mesh->triangle_mesh->nv, 4);
    for (int i = 0; i < 3; i++)
        ck_assert_ptr_eq(s.glue->scene.part[i].triangle_mesh, mesh->triangle_mesh);

    dGeomDestroy(geom[1]);
    ck_assert_int_eq(peg_glue_collect(s.glue, 0.01), PEG_OK);
    ck_assert_int_eq(s.glue->scene.np, 2);
    ck_assert_int_eq(mesh->users, 2);

    vertex[3][2] = 2; /* both change, to one and the same */
    ck_assert_int_eq(peg_glue_collect(s.glue, 0.01), PEG_OK);
    for (int i = 0; i < 2; i++) {
        shape[i] = s.glue->scene.part[i].user;
        ck_assert_double_eq(shape[i]->triangle_mesh->node[0].box.hi[2], 2);
    }
    ck_assert_ptr_eq(shape[0]->mesh, shape[1]->mesh);
    ck_assert_int_eq(shape[0]->mesh->users, 2);
    free_setup(&s);
    dGeomTriMeshDataDestroy(data);
}
END_TEST

/* --- windows of a field that wraps --- */

static int lie_apart(const peg_window *a, const peg_window *b)
{
    return a->to[0] < b->from[0] || b->to[0] < a->from[0] || a->to[1] < b->from[1] ||
           b->to[1] < a->from[1];
}

/* Things move about: each lies well inside of one window and meets no other. */
START_TEST(windows_hold_what_is_needed)
{
    enum { THINGS = 12 };
    peg_heightfield *field;
    peg_windows windows = {0};
    unsigned long id = 0, built = 0;
    double x[THINGS][2];
    for (int i = 0; i < THINGS; i++) x[i][0] = random_in(-40, 40), x[i][1] = random_in(-40, 40);
    ck_assert_int_eq(peg_heightfield_create(4, 3, 5, 4, 1, &field), PEG_OK); /* cells of side 1 */
    for (int step = 0; step < 300; step++) {
        peg_windows_begin(&windows);
        for (int i = 0; i < THINGS; i++) {
            double low[2], high[2];
            for (int k = 0; k < 2; k++) {
                x[i][k] += step % 10 ? random_in(-1, 1) : 0;
                low[k] = x[i][k] - 2;
                high[k] = x[i][k] + 2;
            }
            ck_assert_int_eq(peg_windows_need(&windows, field, low, high), PEG_OK);
        }
        unsigned long before = id;
        ck_assert_int_eq(peg_windows_end(&windows, field, &id), PEG_OK);
        if (step && step % 10 == 0) ck_assert_uint_eq(id, before); /* nothing has moved */
        built += id - before;
        for (int i = 0; i < windows.n; i++) {
            const peg_window *w = &windows.of[i];
            ck_assert_int_eq(w->triangle_mesh->nt,
                             2 * (w->to[0] - w->from[0]) * (w->to[1] - w->from[1]));
            for (int k = 0; k < i; k++) ck_assert(lie_apart(w, &windows.of[k]));
        }
        for (int i = 0; i < THINGS; i++) {
            int inside = 0; /* sample 0 lies at -2 and -1.5 */
            double u = x[i][0] + 2, v = x[i][1] + 1.5;
            for (int k = 0; k < windows.n; k++) {
                const peg_window *w = &windows.of[k];
                inside += w->from[0] < u - 2 && u + 2 < w->to[0] && w->from[1] < v - 2 &&
                          v + 2 < w->to[1];
            }
            ck_assert_int_eq(inside, 1);
        }
    }
    ck_assert_uint_lt(built, 300);
    double far[2] = {1e12, 0}, wide[2] = {1e12 + 1, 1}, none[2] = {0, 0}, all[2] = {3000, 3000};
    peg_windows_begin(&windows);
    ck_assert_int_eq(peg_windows_need(&windows, field, far, wide), PEG_ERROR_GEOM_CLASS);
    ck_assert_int_eq(peg_windows_need(&windows, field, none, all), PEG_OK);
    ck_assert_int_eq(peg_windows_end(&windows, field, &id), PEG_ERROR_GEOM_CLASS);
    peg_windows_free(&windows);
    peg_heightfield_leave(field);
}
END_TEST

/* Pairs of leaf geoms that ODE's spaces report, as the usual recursive callback finds them. */
typedef struct found {
    peg_map pairs;
} found;

/* dSpaceCollide2 lets disabled geoms through when it passes one space's geoms to the other space,
 * against its documentation, which the glue follows. */
static int is_enabled(dGeomID g)
{
    for (; g; g = (dGeomID)dGeomGetSpace(g))
        if (!dGeomIsEnabled(g)) return 0;
    return 1;
}

static void gather(void *data, dGeomID a, dGeomID b)
{
    found *f = data;
    if (dGeomIsSpace(a) || dGeomIsSpace(b)) {
        dSpaceCollide2(a, b, data, gather);
        return;
    }
    if (is_enabled(a) && is_enabled(b)) peg_map_add(&f->pairs, a < b ? a : b, a < b ? b : a);
}

static void gather_all(found *f, dSpaceID space)
{
    dSpaceCollide(space, f, gather);
    for (int i = 0; i < dSpaceGetNumGeoms(space); i++) {
        dGeomID g = dSpaceGetGeom(space, i);
        if (dGeomIsSpace(g) && dGeomIsEnabled(g)) gather_all(f, (dSpaceID)g);
    }
}

static void random_bits(dGeomID g)
{
    dGeomSetCategoryBits(g, (unsigned long)rand() & 3);
    dGeomSetCollideBits(g, (unsigned long)rand() & 3);
    if (rand() % 8 == 0) dGeomDisable(g);
}

START_TEST(filter_equals_ode_spaces)
{
    long passed = 0, refused = 0;
    for (int round = 0; round < 300; round++) {
        setup s = new_setup();
        dSpaceID space[8] = {s.space, dSimpleSpaceCreate(NULL)};
        ck_assert_int_eq(peg_glue_add_space(s.glue, space[1]), PEG_OK);
        for (int i = 2; i < 8; i++) {
            space[i] = dSimpleSpaceCreate(space[rand() % i]);
            random_bits((dGeomID)space[i]);
        }
        for (int i = 0; i < 16; i++) {
            dGeomID g = dCreateBox(space[rand() % 8], 1, 1, 1);
            dGeomSetBody(g, random_body(s.world, 0));
            dBodySetPosition(dGeomGetBody(g), 0, 0, 0);
            random_bits(g);
        }
        found f = {0};
        gather_all(&f, s.space);
        gather_all(&f, space[1]);
        dSpaceCollide2((dGeomID)s.space, (dGeomID)space[1], &f, gather);
        ck_assert_int_eq(peg_glue_collect(s.glue, 0.01), PEG_OK);
        const peg_part *part = s.glue->scene.part;
        int matched = 0;
        for (int i = 0; i < s.glue->scene.np; i++)
            for (int j = 0; j < i; j++) {
                dGeomID a = ((peg_shape *)part[i].user)->geom,
                        b = ((peg_shape *)part[j].user)->geom;
                int expected = peg_map_find(&f.pairs, a < b ? a : b, a < b ? b : a) >= 0;
                ck_assert_int_eq(peg_glue_may_touch(s.glue, &part[i], &part[j]), expected);
                matched += expected;
                refused += !expected;
            }
        ck_assert_int_eq(matched, f.pairs.n);
        passed += matched;
        peg_map_free(&f.pairs);
        dSpaceDestroy(space[1]);
        free_setup(&s);
    }
    ck_assert(passed > 1000 && refused > 1000);
}
END_TEST

START_TEST(joints_exclude_and_handing_over_includes)
{
    setup s = new_setup();
    dBodyID a = random_body(s.world, 0), b = random_body(s.world, 0);
    dGeomID ga = add_box(&s, a), gb = add_box(&s, b);
    dJointID joint = dJointCreateHinge(s.world, 0);
    dJointAttach(joint, a, b);
    ck_assert_int_eq(peg_glue_collect(s.glue, 0.01), PEG_OK);
    const peg_part *part = s.glue->scene.part;
    ck_assert(!peg_glue_may_touch(s.glue, &part[0], &part[1]));
    peg_glue_near(s.glue, ga, gb); /* swept anyway: not handed over */
    ck_assert_int_eq(s.glue->added.n, 0);
    ck_assert_int_eq(peg_glue_add_pair(s.glue, gb, ga, NULL), PEG_OK);
    ck_assert(peg_glue_may_touch(s.glue, &part[0], &part[1]));
    ck_assert(peg_glue_may_touch(s.glue, &part[1], &part[0]));
    free_setup(&s);
}
END_TEST

Suite *test_suite(void)
{
    dInitODE();
    test_at_end(dCloseODE);
    Suite *suite = suite_create("glue");
    TCase *motion = tcase_create("motion"), *reading = tcase_create("reading");
    tcase_set_timeout(motion, 60);
    tcase_set_timeout(reading, 60);
    tcase_add_loop_test(motion, free_velocity_equals_ode, 0, 2);
    tcase_add_loop_test(motion, hand_over_is_exact, 0, 2);
    tcase_add_loop_test(motion, overflowing_hand_over_changes_nothing, 0, 2);
    tcase_add_loop_test(motion, untouched_bodies_move_bit_for_bit_as_in_ode, 0, 2);
    tcase_add_test(motion, end_velocity_keeps_what_joints_did);
    tcase_add_test(reading, reads_geoms);
    tcase_add_loop_test(reading, reads_every_kind_of_space, 0, 4);
    tcase_add_test(reading, shapes_follow_their_geoms);
    tcase_add_test(reading, meshes_are_shared);
    tcase_add_test(reading, windows_hold_what_is_needed);
    tcase_add_test(reading, filter_equals_ode_spaces);
    tcase_add_test(reading, joints_exclude_and_handing_over_includes);
    suite_add_tcase(suite, motion);
    suite_add_tcase(suite, reading);
    return suite;
}
