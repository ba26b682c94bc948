/* A robot file, MJCF or URDF, as a scene of the lab. */
#include "demos/scenes/robot.h"

#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demos/world/files.h"
#include "demos/world/world.h"
#include "peg/base/math.h"

/* ---- the scene ------------------------------------------------------------------------------- */

typedef struct robot_file {
    lab_file base;
    robot robot;
} robot_file;

/* The world frame of a geom, of bodies whose frame was moved to `shift` (null: not). */
static void add_geom(lab_body *body, const robot_geom *g, const double shift[3])
{
    double x[3];
    for (int k = 0; k < 3; k++) x[k] = g->at.x[k] - (shift ? shift[k] : 0);
    switch (g->shape) {
    case ROBOT_BOX:
        lab_box(body, g->size, x, g->at.q);
        break;
    case ROBOT_SPHERE:
        lab_sphere(body, g->size[0], x);
        break;
    case ROBOT_CAPSULE:
        lab_capsule(body, g->size[0], g->size[1], x, g->at.q);
        break;
    case ROBOT_CYLINDER:
        lab_cylinder(body, g->size[0], g->size[1], x, g->at.q);
        break;
    case ROBOT_MESH: {
        robot_pose frame = {.q = {g->at.q[0], g->at.q[1], g->at.q[2], g->at.q[3]}};
        lab_mesh moved = g->mesh;
        double(*vertex)[3] = malloc(((size_t)moved.nv + 1) * sizeof *vertex);
        peg_copy3(x, frame.x);
        if (!vertex && body) lab_fail(body->world, "out of memory");
        if (!vertex) break;
        for (int i = 0; i < moved.nv; i++) robot_point(&frame, g->mesh.vertex[i], vertex[i]);
        moved.vertex = vertex;
        double extent = lab_mesh_extent(&moved);
        if (g->kind == LAB_MESH_SHELL || g->kind == LAB_MESH_SHEET)
            lab_shell(body, LAB_MESH_SHELL_THICKNESS * extent);
        lab_mesh_parts(body, &moved, g->kind, LAB_MESH_LOOSE_RADIUS * extent);
        free(vertex);
        break;
    }
    case ROBOT_HEIGHTFIELD:
        lab_heightfield(body, g->size, g->samples, g->height, x, g->at.q);
        break;
    case ROBOT_PLANE:
        break;
    }
}

static void add_planes(lab_world *w, const robot_body *b, int index)
{
    for (int i = 0; i < b->geoms; i++) {
        robot_pose at;
        double normal[3];
        if (b->geom[i].shape != ROBOT_PLANE) continue;
        at = robot_compose(&b->at, &b->geom[i].at);
        robot_vector(&at, (double[3]){0, 0, 1}, normal);
        lab_body *plane = lab_plane(w, b->name, normal, peg_dot(normal, at.x));
        if (plane) *lab_body_tag(plane) = index;
    }
}

static double volume_of(const robot_geom *g)
{
    double r = g->size[0], pi = acos(-1);
    switch (g->shape) {
    case ROBOT_BOX:
        return g->size[0] * g->size[1] * g->size[2];
    case ROBOT_SPHERE:
        return 4 * pi * r * r * r / 3;
    case ROBOT_CAPSULE:
        return pi * r * r * (g->size[1] + 4 * r / 3);
    case ROBOT_CYLINDER:
        return pi * r * r * g->size[1];
    default:
        return 0;
    }
}

/* One density for all of a body, which is all that a body of the lab has: the mean. Meshes count as
 * their body's other geoms do. */
static void set_density(lab_body *body, const robot_body *b)
{
    double mass = 0, volume = 0, given = 0;
    for (int i = 0; i < b->geoms; i++) {
        double v = volume_of(&b->geom[i]);
        volume += v, mass += b->geom[i].mass > 0 ? b->geom[i].mass : v * b->geom[i].density;
        given += b->geom[i].mass;
    }
    if (volume > 0)
        lab_density(body, mass / volume);
    else if (given > 0)
        lab_mass(body, given);
    else if (b->geoms > 0)
        lab_density(body, b->geom[0].density);
}

static lab_body *add_body(lab_world *w, const robot_body *b, int index)
{
    const double *shift = b->mass > 0 ? b->com : NULL;
    robot_pose at = b->at;
    int solid = 0;
    for (int i = 0; i < b->geoms; i++) solid += b->geom[i].shape != ROBOT_PLANE;
    add_planes(w, b, index);
    if (b->is_fixed && !solid) return NULL;
    if (shift) robot_point(&b->at, shift, at.x);
    lab_body *body = lab_add(w, b->name, b->is_fixed ? LAB_STATIC : LAB_DYNAMIC, at.x, at.q);
    if (body) *lab_body_tag(body) = index;
    for (int i = 0; i < b->geoms; i++) add_geom(body, &b->geom[i], shift);
    if (b->is_fixed) return body;
    if (shift)
        lab_mass_properties(body, b->mass, b->inertia);
    else
        set_density(body, b);
    lab_lock(body, b->locked);
    return body;
}

static double mu_of(const robot *r, lab_body *body)
{
    return r->body[*lab_body_tag(body)].mu;
}

/* As MuJoCo has it: the larger coefficient counts. */
static int pair_surface(lab_world *w, lab_body *a, lab_body *b, dSurfaceParameters *surface,
                        double fdir1[3])
{
    const robot_file *l = w->options.data;
    double mu = fmax(mu_of(&l->robot, a), mu_of(&l->robot, b));
    (void)fdir1;
    if (mu >= 0 && !w->options.mu_given) {
        surface->mode = dContactApprox1;
        surface->mu = mu;
    }
    return 1;
}

static void build(lab_world *w)
{
    const robot_file *l = w->options.data;
    const robot *r = &l->robot;
    lab_body **made = calloc((size_t)r->bodies + 1, sizeof *made);
    if (!made) {
        lab_fail(w, "out of memory");
        return;
    }
    lab_gravity(w, r->gravity[0], r->gravity[1], r->gravity[2]);
    lab_friction(w, 1);
    lab_pair_surfaces(w, pair_surface);
    for (int i = 0; i < r->bodies; i++) made[i] = add_body(w, &r->body[i], i);
    for (int i = 0; i < r->joints; i++) {
        const robot_joint *j = &r->joint[i];
        lab_body *b = j->b >= 0 && !r->body[j->b].is_fixed ? made[j->b] : NULL;
        lab_joint *joint = lab_join(w, j->kind, made[j->a], b, j->anchor, j->axis, j->axis2);
        if (!j->limited) continue;
        lab_joint_param(joint, dParamLoStop, j->low);
        lab_joint_param(joint, dParamHiStop, j->high);
    }
    free(made);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void tell_ignored(const robot *r, void (*note)(const char *text))
{
    char text[LAB_TEXT] = "left out:";
    for (int i = 0; i < r->ignoreds; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s %s (%d)", i ? "," : "", r->ignored[i].name,
                 r->ignored[i].count);
    }
    if (note && r->ignoreds) note(text);
}

/* Says why libxml2 has made nothing of the file. */
static void fail_as_xml(robot *r)
{
    const xmlError *error = xmlGetLastError();
    if (error && error->domain == XML_FROM_IO)
        robot_fail(r, "the file cannot be opened");
    else if (error && error->message)
        robot_fail(r, "line %d is no XML: %.*s", error->line, (int)strcspn(error->message, "\n"),
                   error->message);
    else
        robot_fail(r, "it is no XML");
}

static void read_root(robot *r, const xmlNode *root)
{
    if (!root)
        fail_as_xml(r);
    else if (!strcmp((const char *)root->name, "mujoco"))
        robot_read_mjcf(r, root);
    else if (!strcmp((const char *)root->name, "robot"))
        robot_read_urdf(r, root);
    else
        robot_fail(r, "its root element is neither 'mujoco' nor 'robot'");
    int moving = 0;
    for (int i = 0; i < r->bodies; i++) moving += !r->body[i].is_fixed;
    if (!r->failed && moving == 0) robot_fail(r, "nothing in it can move");
}

static void free_robot(lab_file *file)
{
    robot *r = &((robot_file *)file)->robot;
    for (int i = 0; i < r->bodies; i++) {
        for (int k = 0; k < r->body[i].geoms; k++) {
            lab_mesh_free(&r->body[i].geom[k].mesh);
            free(r->body[i].geom[k].height);
        }
        free(r->body[i].geom);
    }
    free(r->body);
    free(r->joint);
    free(file);
}

lab_file *lab_robot_read(const char *path, const char *mesh_dir, void (*note)(const char *text),
                         char text[LAB_TEXT])
{
    robot_file *f = calloc(1, sizeof *f);
    char here[1024];
    const char *slash = strrchr(path, '/');
    if (!f) {
        snprintf(text, LAB_TEXT, "out of memory");
        return NULL;
    }
    snprintf(here, sizeof here, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    f->base.free = free_robot;
    lab_file_name(&f->base, path);
    f->robot = (robot){.h = .002,
                       .gravity = {0, 0, -9.81},
                       .path = path,
                       .mesh_dir = mesh_dir ? mesh_dir : here,
                       .text = text};
    const char *fault = lab_file_fault(path);
    if (fault) robot_fail(&f->robot, "%s", fault);
    xmlResetLastError();
    xmlDoc *doc =
        fault ? NULL
              : xmlReadFile(path, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    if (!fault) read_root(&f->robot, doc ? xmlDocGetRootElement(doc) : NULL);
    xmlFreeDoc(doc);
    f->base.scene = (lab_scene){f->base.name, "scene from a file", f->robot.h, 5, build, NULL};
    f->robot.path = f->robot.mesh_dir = NULL;
    if (!f->robot.failed) {
        tell_ignored(&f->robot, note);
        return &f->base;
    }
    free_robot(&f->base);
    return NULL;
}
