/* Writes a world, as it stands, as a scene file of Rigid IPC. */
#include "demos/scenes/scene_file.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "demos/oracle/shape.h"
#include "demos/world/world.h"
#include "peg/base/math.h"

enum { ROUND_SIDES = 32 }; /* of what round parts become */
#define PLANE_HALF 50.     /* m, of the sheet that a plane becomes */
#define DEGREES    (180 / acos(-1))

/* What the format cannot say. */
typedef struct losses {
    int round, radii, planes, absent, inertias;
} losses;

static json_t *triple(const double x[3])
{
    return json_pack("[f, f, f]", x[0], x[1], x[2]);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

typedef struct writer {
    json_t *vertices, *faces;
    double scale; /* of the world */
    int count;    /* vertices */
} writer;

static void put_vertex(writer *out, const double x[3])
{
    const double scaled[3] = {x[0] / out->scale, x[1] / out->scale, x[2] / out->scale};
    json_array_append_new(out->vertices, triple(scaled));
    out->count++;
}

static void put_polygons(writer *out, const lab_shape *s)
{
    int first = out->count;
    for (int i = 0; i < s->nv; i++) put_vertex(out, s->vertex[i]);
    for (int f = 0; f < s->nf; f++) /* the format knows triangles only */
        for (int c = s->start[f] + 1; c + 1 < s->start[f + 1]; c++)
            json_array_append_new(out->faces,
                                  json_pack("[i, i, i]", first + s->index[s->start[f]],
                                            first + s->index[c], first + s->index[c + 1]));
}

/* A ring of vertices about an axis. */
static void put_ring(writer *out, const double centre[3], const double u[3], const double v[3],
                     double radius)
{
    for (int i = 0; i < ROUND_SIDES; i++) {
        double angle = 2 * acos(-1) * i / ROUND_SIDES, x[3];
        peg_copy3(centre, x);
        peg_add_scaled(x, radius * cos(angle), u, x);
        peg_add_scaled(x, radius * sin(angle), v, x);
        put_vertex(out, x);
    }
}

static void put_band(writer *out, int low, int high)
{
    for (int i = 0; i < ROUND_SIDES; i++) {
        int j = (i + 1) % ROUND_SIDES;
        json_array_append_new(out->faces, json_pack("[i, i, i]", low + i, low + j, high + j));
        json_array_append_new(out->faces, json_pack("[i, i, i]", low + i, high + j, high + i));
    }
}

static void put_cap(writer *out, int ring, int apex, int upper)
{
    for (int i = 0; i < ROUND_SIDES; i++) {
        int j = (i + 1) % ROUND_SIDES;
        json_array_append_new(out->faces, json_pack("[i, i, i]", upper ? ring + i : ring + j,
                                                    upper ? ring + j : ring + i, apex));
    }
}

/* A sphere, capsule or cylinder, inscribed: rings along its axis. */
static void put_round(writer *out, const lab_shape *s)
{
    const double *from = s->vertex[0], *to = s->vertex[s->nv - 1];
    double axis[3], u[3], v[3], apex[3];
    int is_cylinder = s->kind == LAB_SHAPE_CYLINDER, first = out->count, rings = 0;
    int quarter = is_cylinder ? 0 : ROUND_SIDES / 4 - 1;
    peg_sub(to, from, axis);
    if (peg_normalise(axis) == 0) axis[2] = 1;
    const double helper[3] = {fabs(axis[0]) < .5, fabs(axis[0]) >= .5, 0};
    peg_cross(axis, helper, u);
    peg_normalise(u);
    peg_cross(axis, u, v);
    for (int side = 0; side < 2; side++)
        for (int k = 0; k <= quarter; k++) {
            double angle = (side ? k : k - quarter) * acos(-1) / 2 / (quarter + 1), x[3];
            if (s->nv == 1 && side && k == 0) continue; /* the equator is one ring */
            peg_copy3(side ? to : from, x);
            peg_add_scaled(x, s->round * sin(angle), axis, x);
            put_ring(out, x, u, v, s->round * cos(angle));
            if (rings++) put_band(out, out->count - 2 * ROUND_SIDES, out->count - ROUND_SIDES);
        }
    peg_copy3(from, apex);
    peg_add_scaled(apex, is_cylinder ? 0 : -s->round, axis, apex);
    put_vertex(out, apex);
    put_cap(out, first, out->count - 1, 0);
    peg_copy3(to, apex);
    peg_add_scaled(apex, is_cylinder ? 0 : s->round, axis, apex);
    put_vertex(out, apex);
    put_cap(out, out->count - 2 - ROUND_SIDES, out->count - 1, 1);
}

/* A sheet, which the reader makes a slab. */
static void put_plane(writer *out, const lab_world *w, const lab_shape *s)
{
    double n[3], u[3], v[3];
    peg_rotate_back(w->turn, s->normal[0], n);
    const double helper[3] = {fabs(n[0]) < .5, fabs(n[0]) >= .5, 0};
    peg_cross(n, helper, u);
    peg_normalise(u);
    peg_cross(n, u, v);
    for (int i = 0; i < 4; i++) {
        double x[3] = {0, 0, 0};
        peg_add_scaled(x, s->offset[0], n, x);
        peg_add_scaled(x, (i == 0 || i == 3 ? -1 : 1) * PLANE_HALF * out->scale, u, x);
        peg_add_scaled(x, (i < 2 ? -1 : 1) * PLANE_HALF * out->scale, v, x);
        put_vertex(out, x);
    }
    json_array_append_new(out->faces, json_pack("[i, i, i]", 0, 1, 2));
    json_array_append_new(out->faces, json_pack("[i, i, i]", 0, 2, 3));
}

static void put_parts(writer *out, const lab_body *b, losses *lost)
{
    for (int i = 0; i < b->parts; i++) {
        const lab_shape *s = b->part[i].shape;
        if (b->is_plane) {
            put_plane(out, b->world, s);
            lost->planes++;
        } else if (s->nf > 0) {
            put_polygons(out, s);
            lost->radii += s->round > 0;
        } else {
            put_round(out, s);
            lost->round++;
        }
    }
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Angles of R = Rz Ry Rx, degrees. */
static void angles_of(const double q[4], double out[3])
{
    double R[9];
    peg_quat_to_mat(q, R);
    double sine = fmax(-1, fmin(1, -R[6]));
    out[1] = DEGREES * asin(sine);
    if (fabs(sine) < 1 - 1e-12) {
        out[0] = DEGREES * atan2(R[7], R[8]);
        out[2] = DEGREES * atan2(R[3], R[0]);
    } else {
        out[0] = DEGREES * atan2(-R[5], R[4]);
        out[2] = 0;
    }
}

static json_t *locks(const lab_body *b)
{
    json_t *list = json_array();
    for (int k = 0; k < 6; k++) {
        int in_plane = k < 2 || k == 5;
        int fixed = b->locked[k] || (b->world->is_planar && !in_plane);
        json_array_append_new(list, json_boolean(fixed));
    }
    return list;
}

static double density_of(const lab_body *b)
{
    return b->volume > 0 && b->kind == LAB_DYNAMIC ? b->mass / b->volume : 1000;
}

static void put_motion(json_t *body, const lab_body *b)
{
    double v[3], omega[3], force[3], torque[3], s = b->world->scale;
    lab_motion(b, v, omega);
    for (int k = 0; k < 3; k++) omega[k] *= DEGREES;
    peg_rotate_back(b->world->turn, b->force, force);
    peg_rotate_back(b->world->turn, b->torque, torque);
    for (int k = 0; k < 3; k++) force[k] /= pow(s, 4), torque[k] /= pow(s, 5);
    json_object_set_new(body, "linear_velocity", triple(v));
    json_object_set_new(body, "angular_velocity", triple(omega));
    json_object_set_new(body, "force", triple(force));
    json_object_set_new(body, "torque", triple(torque));
    json_object_set_new(body, "is_dof_fixed", locks(b));
}

static json_t *body_json(const lab_body *b, losses *lost)
{
    static const char *const types[] = {"static", "kinematic", "dynamic"};
    writer out = {json_array(), json_array(), b->world->scale, 0};
    double x[3] = {0, 0, 0}, q[4], angle[3] = {0, 0, 0};
    put_parts(&out, b, lost);
    if (!b->is_plane) {
        lab_pose(b, x, q);
        angles_of(q, angle);
    }
    json_t *body =
        json_pack("{s:s, s:o, s:o, s:[], s:o, s:o, s:f, s:s}", "#name", b->name, "vertices",
                  out.vertices, "faces", out.faces, "edges", "position", triple(x), "rotation",
                  triple(angle), "density", density_of(b), "type", types[b->kind]);
    if (b->kind != LAB_STATIC) put_motion(body, b);
    if (b->group > 0) json_object_set_new(body, "group_id", json_integer(b->group));
    lost->inertias += b->mass_given;
    return body;
}

static void tell(const lab_world *w, const losses *lost, void (*note)(const char *text))
{
    const struct {
        int count;
        const char *what;
    } list[] = {{lost->absent, "bodies that have not entered are left out"},
                {w->joints, "joints are left out"},
                {w->pair_surface != NULL, "rule for the surfaces of pairs is left out"},
                {lost->round, "round parts are written as polyhedra of 32 sides"},
                {lost->radii, "radii about hulls and meshes are left out"},
                {lost->planes, "planes are written as sheets of 100 m"},
                {lost->inertias,
                 "bodies have a mass that does not follow from their shape: only the "
                 "mass is kept"}};
    for (size_t i = 0; note && i < sizeof list / sizeof *list; i++) {
        char text[LAB_TEXT];
        if (!list[i].count) continue;
        snprintf(text, sizeof text, "%d %s", list[i].count, list[i].what);
        note(text);
    }
}

int lab_file_write(const lab_world *w, const char *path, void (*note)(const char *text))
{
    json_t *bodies = json_array();
    losses lost = {0};
    double gravity[3];
    peg_rotate_back(w->turn, w->gravity, gravity);
    for (int k = 0; k < 3; k++) gravity[k] /= w->scale;
    for (int i = 0; i < w->bodies; i++) {
        if (w->body[i]->present)
            json_array_append_new(bodies, body_json(w->body[i], &lost));
        else
            lost.absent++;
    }
    double left = (double)(w->planned - w->steps) * w->h;
    json_t *file =
        json_pack("{s:s, s:s, s:f, s:f, s:{s:o, s:f, s:f, s:o}}", "scene_type",
                  "distance_barrier_rb_problem", "#source", w->scene->name, "timestep", w->h,
                  "max_time", fmax(w->h, left), "rigid_body_problem", "gravity", triple(gravity),
                  "coefficient_friction", w->mu, "coefficient_restitution",
                  w->surface.bounce > 0 ? w->surface.bounce : -1., "rigid_bodies", bodies);
    FILE *out = file ? fopen(path, "w") : NULL;
    int bad = !out || json_dumpf(file, out, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) != 0;
    if (out && fclose(out) != 0) bad = 1;
    json_decref(file);
    if (!bad) tell(w, &lost, note);
    return bad;
}
