/* Scenes from files: what each kind of body becomes, and that it moves as the file says. */
#include <check.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demos/scenes/scene_file.h"
#include "demos/world/world.h"
#include "peg/base/math.h"
#include "tests/runner.h"

static const char *folder; /* for what the tests write */
static lab_file *file;
static char notes[4096];

static void keep(const char *text)
{
    size_t used = strlen(notes);
    snprintf(notes + used, sizeof notes - used, "%s\n", text);
}

static lab_world *open_path(const char *path, const char *meshes, lab_contact contact)
{
    char text[LAB_TEXT] = "";
    int user;
    file = lab_file_read(path, meshes, keep, text);
    ck_assert_msg(file != NULL, "%s", text);
    lab_options options = {.contact = contact, .data = file};
    lab_world *w = lab_open(lab_file_scene(file), &options, text, &user);
    ck_assert_msg(w != NULL, "%s", text);
    return w;
}

/* A scene at h = .01 with these bodies. */
static lab_world *open_bodies(const char *gravity, const char *bodies, lab_contact contact)
{
    char path[256], meshes[1024];
    notes[0] = 0;
    snprintf(path, sizeof path, "%s/scene.json", folder);
    snprintf(meshes, sizeof meshes, "%s/meshes", getenv("LAB_DATA"));
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    fprintf(out,
            "{\"timestep\": 0.01, \"max_time\": 1, \"rigid_body_problem\": {\"gravity\": %s, "
            "\"coefficient_friction\": 0.5, \"rigid_bodies\": [%s]}}",
            gravity, bodies);
    ck_assert_int_eq(fclose(out), 0);
    return open_path(path, meshes, contact);
}

static void close_scene(lab_world *w)
{
    lab_close(w);
    lab_file_free(file);
}

/* Steps; no exact contact may overlap. */
static void run(lab_world *w, int steps)
{
    for (int i = 0; i < steps; i++) {
        double volume, depth;
        ck_assert_msg(lab_step(w) == 0, "%s", lab_error(w));
        lab_overlap(w, 1, &volume, &depth);
        ck_assert_double_eq(depth, 0);
    }
}

/* A turntable that a torque spins, with a cube off its centre: all but the spin is fixed. */
START_TEST(holds_fixed_degrees_of_freedom)
{
    lab_world *w = open_bodies(
        "[0, -9.81, 0]",
        "{\"mesh\": \"doubled.obj\", \"position\": [-2, -0.5, -2], \"scale\": [4, 0.5, 4],"
        " \"torque\": [50, 4000, 50], \"is_dof_fixed\": [true, true, true, true, false, true]},"
        "{\"mesh\": \"doubled.obj\", \"position\": [1, 0.01, 0], \"scale\": 0.5}",
        LAB_PEG);
    const lab_body *table = lab_body_at(w, 0);
    double start[3], x[3], v[3], omega[3], q[4];
    lab_pose(table, start, NULL);
    run(w, 60);
    lab_pose(table, x, q);
    lab_motion(table, v, omega);
    for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(x[k], start[k], 1e-12);
    ck_assert_double_eq_tol(omega[0], 0, 1e-12);
    ck_assert_double_eq_tol(omega[2], 0, 1e-12);
    ck_assert_double_gt(omega[1], .05);
    ck_assert_double_eq_tol(q[1], 0, 1e-12);
    ck_assert_double_eq_tol(q[3], 0, 1e-12);
    lab_motion(lab_body_at(w, 1), v, NULL);
    ck_assert_double_lt(v[2], -.01); /* friction carries the cube along */
    close_scene(w);
}
END_TEST

START_TEST(slides_along_the_free_axis)
{
    lab_world *w =
        open_bodies("[1, -9.81, 2]",
                    "{\"mesh\": \"doubled.obj\", \"is_dof_fixed\": [false, true, true, true, true, "
                    "true]}",
                    LAB_PEG);
    double x[3], start[3];
    lab_pose(lab_body_at(w, 0), start, NULL);
    run(w, 10);
    lab_pose(lab_body_at(w, 0), x, NULL);
    ck_assert_double_eq_tol(x[0] - start[0], 1 * .01 * .01 * 55, 1e-14);
    ck_assert_double_eq_tol(x[1], start[1], 1e-14);
    ck_assert_double_eq_tol(x[2], start[2], 1e-14);
    close_scene(w);
}
END_TEST

/* A card that falls on a beam from either side: two-sided, of the mass of a shell. */
START_TEST(moves_open_sheets)
{
    static const char *const faces[] = {"[[0,1,2],[0,2,3]]", "[[0,2,1],[0,3,2]]"};
    for (int i = 0; i < 2; i++) {
        char bodies[1024];
        snprintf(bodies, sizeof bodies,
                 "{\"vertices\": [[-1,0,-1],[1,0,-1],[1,0,1],[-1,0,1]], \"faces\": %s,"
                 " \"position\": [0, 1.02, 0], \"density\": 500},"
                 "{\"mesh\": \"doubled.obj\", \"position\": [-0.5, 0, -0.5], \"type\": \"static\"}",
                 faces[i]);
        lab_world *w = open_bodies("[0, -9.81, 0]", bodies, LAB_PEG);
        const lab_body *card = lab_body_at(w, 0);
        double x[3], area = 4, thickness = .02;
        ck_assert_ptr_nonnull(strstr(notes, "shell 0.02 m thick"));
        ck_assert_double_eq_tol(card->mass, 500 * area * thickness, 1e-10);
        ck_assert_double_eq_tol(card->inertia[4], card->mass * (4. + 4.) / 12, 1e-10);
        ck_assert_double_eq_tol(card->inertia[0], card->mass * 4. / 12, 1e-10);
        run(w, 50);
        lab_pose(card, x, NULL);
        ck_assert_double_eq_tol(x[1], 1, 1e-2);
        ck_assert_double_ge(x[1], 1);
        close_scene(w);
    }
}
END_TEST

/* A ring of edges hangs on another; points hold a tetrahedron up. */
START_TEST(dilates_loose_edges_and_points)
{
    lab_world *w = open_bodies(
        "[0, -9.81, 0]",
        "{\"mesh\": \"ring.obj\", \"type\": \"static\"},"
        "{\"mesh\": \"ring.obj\", \"position\": [0, -1.8, 0], \"rotation\": [0, 90, 0]},"
        "{\"mesh\": \"points.obj\", \"type\": \"static\", \"position\": [9, 0, 0], \"scale\": 0.2},"
        "{\"mesh\": \"tetra.off\", \"position\": [9, 0.05, 0], \"scale\": 0.4}",
        LAB_PEG);
    const lab_body *ring = lab_body_at(w, 1);
    double x[3];
    ck_assert_int_eq(ring->parts, 12);
    ck_assert_int_eq(lab_body_at(w, 2)->parts, 9);
    ck_assert_double_eq_tol(ring->part[0].shape->round, 2e-3, 1e-12);
    ck_assert_ptr_nonnull(strstr(notes, "loose edges: dilated with a radius of 0.002 m"));
    ck_assert_ptr_nonnull(strstr(notes, "loose points"));
    run(w, 100);
    lab_pose(ring, x, NULL);
    ck_assert_double_gt(x[1], -2.1); /* it has not fallen through */
    lab_pose(lab_body_at(w, 3), x, NULL);
    ck_assert_double_gt(x[1], 0);
    close_scene(w);
}
END_TEST

START_TEST(reads_other_mesh_formats)
{
#ifdef HAVE_ASSIMP
    lab_world *w =
        open_bodies("[0, 0, 0]", "{\"mesh\": \"tetra.off\"}, {\"mesh\": \"tetra.stl\"}", LAB_PEG);
    for (int i = 0; i < 2; i++) {
        const lab_body *b = lab_body_at(w, i);
        ck_assert_int_eq(b->part[0].shape->kind, LAB_SHAPE_CONVEX);
        ck_assert_int_eq(b->part[0].shape->nv, 4);
        ck_assert_double_eq_tol(b->mass, 1000. / 6, 1e-10);
    }
    close_scene(w);
#endif
}
END_TEST

START_TEST(splits_components)
{
    lab_world *w = open_bodies("[0, 0, 0]",
                               "{\"mesh\": \"pair.obj\"},"
                               "{\"mesh\": \"pair.obj\", \"split_components\": true, "
                               "\"position\": [0, 9, 0], \"linear_velocity\": [0, 1, 0]}",
                               LAB_PEG);
    ck_assert_int_eq(lab_body_count(w), 3);
    ck_assert_double_eq_tol(lab_body_at(w, 0)->mass, 1000. / 3, 1e-10);
    for (int i = 1; i < 3; i++) {
        double x[3], v[3];
        ck_assert_double_eq_tol(lab_body_at(w, i)->mass, 1000. / 6, 1e-10);
        lab_pose(lab_body_at(w, i), x, NULL);
        ck_assert_double_eq_tol(x[0], 3 * (i - 1) + .25, 1e-14);
        ck_assert_double_eq_tol(x[1], 9.25, 1e-14);
        lab_motion(lab_body_at(w, i), v, NULL);
        ck_assert_double_eq(v[1], 1);
    }
    close_scene(w);
}
END_TEST

START_TEST(welds_doubled_vertices)
{
    lab_world *w = open_bodies("[0, 0, 0]", "{\"mesh\": \"doubled.obj\"}", LAB_PEG);
    const lab_shape *s = lab_body_at(w, 0)->part[0].shape;
    ck_assert_int_eq(s->kind, LAB_SHAPE_CONVEX);
    ck_assert_int_eq(s->nv, 8);
    ck_assert_int_eq(s->nf, 6);
    ck_assert_double_eq_tol(lab_body_at(w, 0)->mass, 1000, 1e-9);
    close_scene(w);
}
END_TEST

/* A kinematic plate throws a cube up: its work is what the cube gains, with every contact model. */
START_TEST(leaves_out_the_work_of_kinematic_bodies)
{
    static const lab_contact models[] = {LAB_PEG, LAB_ODE, LAB_ODE_QUICK};
    for (int i = 0; i < 3; i++) {
        lab_world *w = open_bodies(
            "[0, 0, 0]",
            "{\"mesh\": \"doubled.obj\", \"position\": [-0.5, -1, -0.5], \"type\": \"kinematic\","
            " \"linear_velocity\": [0, 2, 0]},"
            "{\"mesh\": \"doubled.obj\", \"position\": [-0.25, 0.05, -0.25], \"scale\": 0.5}",
            models[i]);
        for (int k = 0; k < 10; k++) ck_assert_int_eq(lab_step(w), 0);
        double v[3], mass = lab_body_at(w, 1)->mass;
        lab_energy e = lab_world_energy(w);
        lab_motion(lab_body_at(w, 1), v, NULL);
        ck_assert_double_ge(v[1], 1.9);
        ck_assert_double_eq_tol(e.work_kinematic, mass * v[1] * 2, 1e-6 * e.work_kinematic);
        ck_assert_double_le(e.gain_max_of_total, 1e-9);
        close_scene(w);
    }
}
END_TEST

/* What a kinematic body has to put in while it moves or turns at a constant rate about a point p,
 * by the balance of momentum of the cubes that it alone touches: v . (change of momentum - m g t),
 * and w . (change of angular momentum about p) where gravity has no moment about w. */
static double work_by_momentum(lab_world *w, const double v[3], const double omega[3],
                               const double p[3], double t)
{
    double work = 0, gravity[3] = {0, -9.81, 0};
    for (int i = 1; i < w->bodies; i++) {
        const lab_body *b = lab_body_at(w, i);
        double arm[3], L[3], R[9], local[3], spin[3];
        peg_sub(b->now.x, p, arm);
        peg_cross(arm, b->now.v, L);
        peg_quat_to_mat(b->now.q, R);
        peg_rotate_back(R, b->now.omega, local);
        peg_rotate(b->inertia, local, spin);
        peg_rotate(R, spin, local);
        for (int k = 0; k < 3; k++) {
            work += v[k] * b->mass * (b->now.v[k] - gravity[k] * t);
            work += omega[k] * (b->mass * L[k] + local[k]);
        }
    }
    return work;
}

/* A lift that raises two cubes (m g dz, and 2 of their kinetic energy), a conveyor on which they
 * slip first, a sloping lift, turntables on which they stick and slide out, a lift that goes down.
 * Where it turns, the impulse acts somewhere on the way of a contact in the step: up to w h r
 * from its end. */
START_TEST(kinematic_bodies_put_in_what_momentum_says)
{
    static const struct {
        double v[3], spin; /* m/s, rad/s */
    } movers[] = {{{0, 2, 0}, 0}, {{1.5, 0, 0}, 0}, {{.7, .4, -.3}, 0}, {{0, 0, 0}, .5},
                  {{0, 0, 0}, 4}, {{0, 3, 0}, 2},   {{0, -1, 0}, 0}};
    const double h = .01;
    char text[1024];
    for (int i = 0; i < 7; i++) {
        const double *v = movers[i].v, omega[3] = {0, movers[i].spin, 0};
        snprintf(text, sizeof text,
                 "{\"vertices\": [[-9,-1,-9],[9,-1,-9],[9,-1,9],[-9,-1,9],[-9,0,-9],[9,0,-9],"
                 "[9,0,9],[-9,0,9]], \"faces\": [[0,1,2,3],[7,6,5,4],[0,4,5,1],[1,5,6,2],"
                 "[2,6,7,3],[3,7,4,0]], \"type\": \"kinematic\","
                 " \"linear_velocity\": [%g, %g, %g], \"angular_velocity\": [0, %.17g, 0]},"
                 "{\"mesh\": \"doubled.obj\", \"position\": [0.5, 0, 0.2], \"scale\": 0.5},"
                 "{\"mesh\": \"doubled.obj\", \"position\": [3, 0, -1], \"scale\": 0.5}",
                 v[0], v[1], v[2], movers[i].spin * 180 / acos(-1));
        lab_world *w = open_bodies("[0, -9.81, 0]", text, LAB_PEG);
        double start[3] = {0, -.5, 0};
        for (int k = 0; k < 50; k++) ck_assert_int_eq(lab_step(w), 0);
        double want = work_by_momentum(w, v, omega, start, 50 * h);
        double got = lab_world_energy(w).work_kinematic;
        ck_assert_double_ge(fabs(want), 100);
        ck_assert_double_le(fabs(got - want), (1e-12 + h * movers[i].spin) * fabs(want));
        ck_assert_double_le(lab_world_energy(w).gain_max_of_total, 1e-9);
        close_scene(w);
    }
}
END_TEST

/* What is written is read again as the same bodies, in the same motion. */
START_TEST(writes_what_it_reads)
{
    static const char *const scenes[] = {"pour-boxes", "pour-convex", "tower-20"};
    for (int s = 0; s < 3; s++) {
        char path[256], text[LAB_TEXT];
        int user;
        lab_options options = {.contact = LAB_PEG, .seed = 1};
        lab_world *a = lab_open(lab_scene_find(scenes[s]), &options, text, &user);
        ck_assert_msg(a != NULL, "%s", text);
        for (int k = 0; k < 20; k++) ck_assert_int_eq(lab_step(a), 0);
        snprintf(path, sizeof path, "%s/written.json", folder);
        ck_assert_int_eq(lab_file_write(a, path, NULL), 0);
        lab_world *b = open_path(path, NULL, LAB_PEG);
        for (int i = 0, k = 0; i < lab_body_count(a); i++) {
            const lab_body *from = lab_body_at(a, i);
            double x[3], y[3], v[3], u[3];
            if (!lab_body_present(from)) continue;
            const lab_body *to = lab_body_at(b, k++);
            lab_pose(from, x, NULL);
            lab_pose(to, y, NULL);
            lab_motion(from, v, NULL);
            lab_motion(to, u, NULL);
            for (int d = 0; d < 3; d++) {
                ck_assert_double_eq_tol(x[d], y[d], 1e-12);
                ck_assert_double_eq_tol(v[d], u[d], 1e-12);
                if (from->kind == LAB_DYNAMIC)
                    ck_assert_double_eq_tol(to->inertia[4 * d], from->inertia[4 * d],
                                            1e-9 * from->inertia[0]);
            }
            ck_assert_int_eq(to->part[0].shape->nv, from->part[0].shape->nv);
        }
        run(b, 2);
        close_scene(b);
        lab_close(a);
    }
}
END_TEST

static void build_round(lab_world *w)
{
    double q[4];
    lab_axis_angle(1, 2, 3, 50, q);
    lab_plane(w, "floor", (double[3]){0, 0, 1}, 0);
    lab_sphere(lab_add(w, "ball", LAB_DYNAMIC, (double[3]){0, 0, 1}, q), .3, NULL);
    lab_capsule(lab_add(w, "capsule", LAB_DYNAMIC, (double[3]){2, 0, 1}, q), .2, .5, NULL, NULL);
    lab_cylinder(lab_add(w, "can", LAB_DYNAMIC, (double[3]){4, 0, 1}, q), .3, .4, NULL, NULL);
}

START_TEST(writes_round_parts_as_closed_polyhedra)
{
    static const lab_scene scene = {"round", "", .01, 1, build_round, NULL};
    char path[256], text[LAB_TEXT];
    int user;
    lab_options options = {.contact = LAB_PEG, .seed = 1};
    lab_world *a = lab_open(&scene, &options, text, &user);
    ck_assert_msg(a != NULL, "%s", text);
    snprintf(path, sizeof path, "%s/round.json", folder);
    notes[0] = 0;
    ck_assert_int_eq(lab_file_write(a, path, keep), 0);
    ck_assert_ptr_nonnull(strstr(notes, "3 round parts"));
    lab_world *b = open_path(path, NULL, LAB_PEG);
    for (int i = 1; i < lab_body_count(b); i++) {
        const lab_body *from = lab_body_at(a, i), *to = lab_body_at(b, i);
        double x[3], y[3];
        lab_pose(from, x, NULL);
        lab_pose(to, y, NULL);
        for (int d = 0; d < 3; d++) ck_assert_double_eq_tol(x[d], y[d], 1e-9);
        ck_assert_double_le(to->volume, from->volume * (1 + 1e-9));
        ck_assert_double_ge(to->volume, from->volume * .97); /* inscribed, 32 sides */
        ck_assert_int_eq(to->part[0].shape->kind, LAB_SHAPE_CONVEX);
    }
    ck_assert_double_eq_tol(lab_body_at(b, 0)->part[0].high[2], 0, 1e-12); /* the plane's slab */
    close_scene(b);
    lab_close(a);
}
END_TEST

/* ---- MJCF and URDF --------------------------------------------------------------------------- */

static lab_world *open_data(const char *name)
{
    char path[1024];
    notes[0] = 0;
    snprintf(path, sizeof path, "%s/%s", getenv("LAB_DATA"), name);
    return open_path(path, strstr(name, ".urdf") ? getenv("LAB_DATA") : NULL, LAB_PEG);
}

START_TEST(reads_mjcf)
{
    lab_world *w = open_data("arm.xml");
    const lab_body *upper = lab_body_find(w, "upper"), *lower = lab_body_find(w, "lower");
    const lab_body *crate = lab_body_find(w, "crate"), *slider = lab_body_find(w, "slider");
    double pi = acos(-1), capsule = 500 * pi * .05 * .05 * (.5 + 4 * .05 / 3), x[3], apart;
    ck_assert_ptr_nonnull(strstr(notes, "actuator (1)"));
    ck_assert_ptr_nonnull(strstr(notes, "collides with nothing (1)"));
    ck_assert_double_eq(lab_step_size(w), .005);
    ck_assert_int_eq(lab_joint_count(w), 2);
    ck_assert_int_eq(upper->parts, 1);
    ck_assert_int_eq(lower->parts, 2); /* the tool is welded to it */
    ck_assert_double_eq_tol(upper->mass, capsule, 1e-9);
    ck_assert_double_eq_tol(lower->mass, capsule + .5, 1e-9);
    ck_assert_double_eq_tol(crate->mass, 3, 1e-12);
    ck_assert_double_eq_tol(crate->inertia[8], .04, 1e-15);
    lab_pose(crate, x, NULL);
    ck_assert_double_eq_tol(x[2], .45, 1e-14); /* its centre of mass */
    run(w, 150);
    lab_point(upper, (double[3]){0, 0, 0}, x);
    ck_assert_double_eq_tol(x[2], 1.5, 2e-3); /* the shoulder holds */
    for (int i = 0; i < 2; i++) {
        lab_joint_error(lab_joint_at(w, i), &apart, NULL);
        ck_assert_double_lt(apart, 2e-3); /* a step turns the arm by 2 degrees */
    }
    lab_pose(crate, x, NULL);
    ck_assert_double_eq_tol(x[2], .05, 1e-3); /* it stands on the plane */
    lab_pose(slider, x, NULL);
    ck_assert_double_eq_tol(x[2], .3, 1e-12); /* it slides and turns, but does not fall */
    close_scene(w);
}
END_TEST

START_TEST(reads_urdf)
{
    lab_world *w = open_data("gripper.urdf");
    const lab_body *mast = lab_body_find(w, "mast"), *finger = lab_body_find(w, "finger");
    double c = (2 * .3 + 1 * .65) / 3, x[3], start[3], apart, d[3];
    ck_assert_ptr_nonnull(strstr(notes, "transmission (1)"));
    ck_assert_int_eq(lab_body_find(w, "base")->kind, LAB_STATIC);
    ck_assert_int_eq(mast->parts, 2);
    ck_assert_double_eq_tol(mast->mass, 3, 1e-12);
    ck_assert_double_eq_tol(mast->inertia[0],
                            .06 + .01 + 2 * (.3 - c) * (.3 - c) + (.65 - c) * (.65 - c), 1e-12);
    ck_assert_double_eq_tol(finger->mass, .5, 1e-12);
    lab_pose(mast, x, NULL);
    ck_assert_double_eq_tol(x[2], .07 + c, 1e-12);
    lab_pose(finger, start, NULL);
    run(w, 100);
    lab_pose(finger, x, NULL);
    lab_joint_error(lab_joint_at(w, 1), &apart, NULL);
    ck_assert_double_lt(apart, 1e-6);
    peg_sub(x, start, d); /* it slides down along its axis to the limit */
    ck_assert_double_eq_tol(peg_norm(d), .2, 1e-3);
    ck_assert_double_lt(d[2], 0);
    close_scene(w);
}
END_TEST

START_TEST(refuses_what_a_robot_cannot_be)
{
    static const char *const files[][2] = {
        {"", "is empty"},
        {"<mujoco", "line 1 is no XML"},
        {"<html/>", "root element"},
        {"<mujoco><worldbody><geom type='plane'/></worldbody></mujoco>", "nothing in it can move"},
        {"<mujoco><include file='x'/></mujoco>", "include"},
        {"<mujoco><worldbody><body><freejoint/><geom type='ellipsoid' size='1 1 1'/></body>"
         "</worldbody></mujoco>",
         "ellipsoid"},
        {"<mujoco><worldbody><body><freejoint/><geom type='mesh' mesh='m'/></body></worldbody>"
         "</mujoco>",
         "no mesh 'm'"},
        {"<mujoco><worldbody><body name='b'><joint/><joint pos='1 0 0' axis='1 1 0'/>"
         "<geom size='1'/></body></worldbody></mujoco>",
         "'b'"},
        {"<mujoco><worldbody><body pos='0 0 x'><freejoint/><geom size='1'/></body></worldbody>"
         "</mujoco>",
         "pos '0 0 x'"},
        {"<mujoco><worldbody><body><joint name='j' axis='0 0 0'/><geom size='1'/></body>"
         "</worldbody></mujoco>",
         "'j': its axis is zero"},
        {"<mujoco><worldbody><body><freejoint/><geom size='1' class='no'/></body></worldbody>"
         "</mujoco>",
         "no default class 'no'"},
        {"<robot><link name='a'/><link name='b'><collision><geometry><sphere radius='1m'/>"
         "</geometry></collision></link><joint name='j' type='floating'><parent link='a'/>"
         "<child link='b'/></joint></robot>",
         "radius '1m'"},
        {"<robot><link name='a'/><link name='b'/><joint name='j' type='continuous'>"
         "<axis xyz='0 0 0'/><parent link='a'/><child link='b'/></joint></robot>",
         "'j': its axis is zero"},
        {"<robot><link name='a'/><link name='b'/><joint type='planar'><parent link='a'/>"
         "<child link='b'/></joint></robot>",
         "planar"},
        {"<robot><link name='a'/><joint type='fixed'><parent link='a'/><child link='c'/></joint>"
         "</robot>",
         "two links"},
        {"<robot><link name='a'/><link name='b'/>"
         "<joint type='fixed'><parent link='a'/><child link='b'/></joint>"
         "<joint type='fixed'><parent link='b'/><child link='a'/></joint></robot>",
         "loop"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[256], text[LAB_TEXT] = "";
        snprintf(path, sizeof path, "%s/bad.xml", folder);
        FILE *out = fopen(path, "w");
        ck_assert_ptr_nonnull(out);
        fputs(files[i][0], out);
        ck_assert_int_eq(fclose(out), 0);
        ck_assert_ptr_null(lab_file_read(path, NULL, NULL, text));
        ck_assert_msg(strstr(text, files[i][1]) != NULL, "'%s' is not in: %s", files[i][1], text);
    }
    char text[LAB_TEXT] = "";
    ck_assert_ptr_null(lab_file_read("/nowhere/robot.urdf", NULL, NULL, text));
    ck_assert_ptr_nonnull(strstr(text, "cannot be opened"));
}
END_TEST

Suite *test_suite(void)
{
    folder = test_folder();
    Suite *suite = suite_create("scene-files");
    TCase *tests = tcase_create("scene-files");
    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, holds_fixed_degrees_of_freedom);
    tcase_add_test(tests, slides_along_the_free_axis);
    tcase_add_test(tests, moves_open_sheets);
    tcase_add_test(tests, dilates_loose_edges_and_points);
    tcase_add_test(tests, reads_other_mesh_formats);
    tcase_add_test(tests, splits_components);
    tcase_add_test(tests, welds_doubled_vertices);
    tcase_add_test(tests, leaves_out_the_work_of_kinematic_bodies);
    tcase_add_test(tests, kinematic_bodies_put_in_what_momentum_says);
    tcase_add_test(tests, writes_what_it_reads);
    tcase_add_test(tests, writes_round_parts_as_closed_polyhedra);
    tcase_add_test(tests, reads_mjcf);
    tcase_add_test(tests, reads_urdf);
    tcase_add_test(tests, refuses_what_a_robot_cannot_be);
    return suite;
}
