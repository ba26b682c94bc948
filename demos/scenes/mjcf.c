/* Reads a subset of MuJoCo's MJCF: bodies, geoms, joints, inertials, default classes, mesh and
 * heightfield assets, friction, gravity and the time step. Bodies without a joint are parts of
 * their parents. Two hinges of a body at one place are a universal joint, three a ball; slides and
 * hinges along the axes of the world, of a body that has the world as its parent, are free degrees
 * of freedom. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demos/scenes/robot.h"
#include "demos/world/scene.h"
#include "peg/base/math.h"

enum { CLASSES_MAX = 256, DEPTH_MAX = 200 };

typedef struct reader {
    robot *robot;
    const xmlNode *root;
    struct {
        const char *name;
        const xmlNode *node;
        int parent; /* -1: none */
    } class[CLASSES_MAX];
    int classes;
    int radians;
    char euler[4];
    char mesh_dir[512];
} reader;

static const char *own_attribute(const xmlNode *node, const char *name)
{
    for (const xmlAttr *a = node ? node->properties : NULL; a; a = a->next)
        if (!strcmp((const char *)a->name, name) && a->children)
            return (const char *)a->children->content;
    return NULL;
}

static int is(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && !strcmp((const char *)node->name, name);
}

static const xmlNode *child(const xmlNode *node, const char *name)
{
    for (const xmlNode *c = node ? node->children : NULL; c; c = c->next)
        if (is(c, name)) return c;
    return NULL;
}

/* ---- defaults -------------------------------------------------------------------------------- */

static void read_classes(reader *r, const xmlNode *node, int parent)
{
    const char *name = own_attribute(node, "class");
    if (r->classes == CLASSES_MAX) {
        robot_fail(r->robot, "it has more than %d default classes", CLASSES_MAX);
        return;
    }
    int me = r->classes++;
    r->class[me].name = name ? name : "main";
    r->class[me].node = node;
    r->class[me].parent = parent;
    for (const xmlNode *c = node->children; c; c = c->next)
        if (is(c, "default")) read_classes(r, c, me);
}

static int class_of(const reader *r, const char *name)
{
    for (int i = 0; i < r->classes && name; i++)
        if (!strcmp(r->class[i].name, name)) return i;
    if (name && strcmp(name, "main") != 0)
        robot_fail(r->robot, "there is no default class '%.60s'", name);
    return r->classes ? 0 : -1;
}

/* The element's, or that of its class (or else the body's childclass) and the classes above. */
static const char *attribute(const reader *r, const xmlNode *node, const char *childclass,
                             const char *name)
{
    const char *value = own_attribute(node, name), *own = own_attribute(node, "class");
    for (int k = class_of(r, own ? own : childclass); k >= 0 && !value; k = r->class[k].parent)
        value = own_attribute(child(r->class[k].node, (const char *)node->name), name);
    return value;
}

/* ---- poses ----------------------------------------------------------------------------------- */

static double degrees(const reader *r, double angle)
{
    return r->radians ? angle * 180 / acos(-1) : angle;
}

static void from_euler(const reader *r, const double e[3], double q[4])
{
    double all[4] = {1, 0, 0, 0};
    for (int k = 0; k < 3; k++) {
        char axis = r->euler[k];
        double turn[4], next[4];
        int lower = axis >= 'x', i = (lower ? axis - 'x' : axis - 'X') % 3;
        lab_axis_angle(i == 0, i == 1, i == 2, degrees(r, e[k]), turn);
        if (lower)
            peg_quat_mul(all, turn, next); /* about the axis as it was turned so far */
        else
            peg_quat_mul(turn, all, next);
        memcpy(all, next, sizeof all);
    }
    memcpy(q, all, sizeof all);
}

/* The turn that takes z to a direction. */
static void from_z(const double d[3], double q[4])
{
    double u[3] = {d[0], d[1], d[2]};
    peg_normalise(u);
    double turn[4] = {1 + u[2], -u[1], u[0], 0};
    if (turn[0] < 1e-12) turn[0] = 0, turn[1] = 1, turn[2] = 0;
    double l = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
    for (int k = 0; k < 4; k++) q[k] = turn[k] / l;
}

static void from_axes(const double a[6], double q[4])
{
    double x[3] = {a[0], a[1], a[2]}, y[3] = {a[3], a[4], a[5]}, z[3], R[9];
    peg_normalise(x);
    peg_add_scaled(y, -peg_dot(x, y), x, y);
    peg_normalise(y);
    peg_cross(x, y, z);
    for (int i = 0; i < 3; i++) R[3 * i] = x[i], R[3 * i + 1] = y[i], R[3 * i + 2] = z[i];
    q[0] = .5 * sqrt(fmax(0, 1 + R[0] + R[4] + R[8]));
    q[1] = copysign(.5 * sqrt(fmax(0, 1 + R[0] - R[4] - R[8])), R[7] - R[5]);
    q[2] = copysign(.5 * sqrt(fmax(0, 1 - R[0] + R[4] - R[8])), R[2] - R[6]);
    q[3] = copysign(.5 * sqrt(fmax(0, 1 - R[0] - R[4] + R[8])), R[3] - R[1]);
}

static robot_pose pose_of(const reader *r, const xmlNode *node, const char *childclass)
{
    robot_pose p = {.q = {1, 0, 0, 0}};
    double v[6];
    robot_numbers(attribute(r, node, childclass, "pos"), p.x, 3);
    if (robot_numbers(attribute(r, node, childclass, "quat"), v, 4) == 4)
        memcpy(p.q, v, sizeof p.q);
    if (robot_numbers(attribute(r, node, childclass, "euler"), v, 3) == 3) from_euler(r, v, p.q);
    if (robot_numbers(attribute(r, node, childclass, "axisangle"), v, 4) == 4)
        lab_axis_angle(v[0], v[1], v[2], degrees(r, v[3]), p.q);
    if (robot_numbers(attribute(r, node, childclass, "zaxis"), v, 3) == 3) from_z(v, p.q);
    if (robot_numbers(attribute(r, node, childclass, "xyaxes"), v, 6) == 6) from_axes(v, p.q);
    return p;
}

/* ---- geoms ----------------------------------------------------------------------------------- */

static const xmlNode *asset(const reader *r, const char *kind, const char *name)
{
    for (const xmlNode *a = r->root->children; a; a = a->next)
        for (const xmlNode *c = is(a, "asset") ? a->children : NULL; c; c = c->next) {
            const char *own = own_attribute(c, "name"), *file = own_attribute(c, "file");
            if (!is(c, kind) || !name) continue;
            if (own ? !strcmp(own, name)
                    : file && !strncmp(file, name, strlen(name)) && file[strlen(name)] == '.')
                return c;
        }
    return NULL;
}

static void read_mesh(reader *r, robot_geom *g, const char *name)
{
    const xmlNode *mesh = asset(r, "mesh", name);
    const char *file = mesh ? attribute(r, mesh, NULL, "file") : NULL;
    double scale[3] = {1, 1, 1};
    char path[800];
    if (!file) {
        robot_fail(r->robot, "there is no mesh '%.60s' with a file", name ? name : "?");
        return;
    }
    robot_numbers(attribute(r, mesh, NULL, "scale"), scale, 3);
    snprintf(path, sizeof path, "%s%s%s", file[0] == '/' ? "" : r->mesh_dir,
             file[0] == '/' || !r->mesh_dir[0] ? "" : "/", file);
    robot_read_mesh(r->robot, g, path, scale);
}

static void read_heightfield(reader *r, robot_geom *g, const char *name)
{
    const xmlNode *field = asset(r, "hfield", name);
    double size[4] = {0, 0, 0, 0}, counts[2] = {0, 0}, least = INFINITY, most = -INFINITY;
    robot_numbers(own_attribute(field, "size"), size, 4);
    robot_numbers(own_attribute(field, "ncol"), &counts[0], 1);
    robot_numbers(own_attribute(field, "nrow"), &counts[1], 1);
    const char *text = own_attribute(field, "elevation");
    if (!text || !(counts[0] >= 2 && counts[1] >= 2 && counts[0] * counts[1] <= 1e7)) {
        robot_fail(r->robot,
                   "heightfield '%.60s' has no \"elevation\" of nrow x ncol numbers: those "
                   "in files cannot be read",
                   name ? name : "?");
        return;
    }
    int n = (int)counts[0] * (int)counts[1];
    g->shape = ROBOT_HEIGHTFIELD;
    g->height = malloc((size_t)n * sizeof *g->height);
    if (!g->height) robot_fail(r->robot, "out of memory");
    if (!g->height) return;
    if (robot_numbers(text, g->height, n) != n)
        robot_fail(r->robot, "heightfield '%.60s' has too few numbers", name ? name : "?");
    for (int k = 0; k < 2; k++) g->samples[k] = (int)counts[k], g->size[k] = 2 * size[k];
    for (int i = 0; i < n; i++) least = fmin(least, g->height[i]), most = fmax(most, g->height[i]);
    for (int i = 0; i < n; i++) /* MuJoCo maps the elevations to [0, size[2]] */
        g->height[i] = most > least ? size[2] * (g->height[i] - least) / (most - least) : 0;
}

/* Round geoms and boxes between two points. */
static void set_from_to(robot_geom *g, const double ft[6])
{
    double d[3];
    peg_sub(ft + 3, ft, d);
    from_z(d, g->at.q);
    for (int k = 0; k < 3; k++) g->at.x[k] = .5 * (ft[k] + ft[k + 3]);
    if (g->shape == ROBOT_BOX)
        g->size[2] = peg_norm(d), g->size[1] = g->size[0];
    else
        g->size[1] = peg_norm(d);
}

static void set_shape(reader *r, robot_geom *g, const xmlNode *n, const char *childclass, int fixed)
{
    const char *type = attribute(r, n, childclass, "type");
    double size[3] = {0, 0, 0};
    robot_numbers(attribute(r, n, childclass, "size"), size, 3);
    if (!type) type = attribute(r, n, childclass, "mesh") ? "mesh" : "sphere";
    for (int k = 0; k < 3; k++) g->size[k] = 2 * size[k];
    if (!strcmp(type, "box")) {
        g->shape = ROBOT_BOX;
    } else if (!strcmp(type, "sphere") || !strcmp(type, "capsule") || !strcmp(type, "cylinder")) {
        g->shape = type[0] == 's' ? ROBOT_SPHERE : type[1] == 'a' ? ROBOT_CAPSULE : ROBOT_CYLINDER;
        g->size[0] = size[0];
    } else if (!strcmp(type, "plane") && fixed) {
        g->shape = ROBOT_PLANE;
    } else if (!strcmp(type, "mesh")) {
        read_mesh(r, g, attribute(r, n, childclass, "mesh"));
    } else if (!strcmp(type, "hfield") && fixed) {
        read_heightfield(r, g, attribute(r, n, childclass, "hfield"));
    } else {
        robot_fail(r->robot, "a geom of type '%.20s' cannot be represented%s", type,
                   strcmp(type, "plane") != 0 && strcmp(type, "hfield") != 0 ? ""
                                                                             : " on a moving body");
    }
}

static double number(const reader *r, const xmlNode *n, const char *childclass, const char *name,
                     double fallback)
{
    robot_numbers(attribute(r, n, childclass, name), &fallback, 1);
    return fallback;
}

static void read_geom(reader *r, const xmlNode *n, const char *childclass, int body,
                      const robot_pose *frame)
{
    double ft[6], mu = number(r, n, childclass, "friction", 1);
    if (number(r, n, childclass, "contype", 1) == 0 &&
        number(r, n, childclass, "conaffinity", 1) == 0) {
        robot_ignore(r->robot, "geom that collides with nothing");
        return;
    }
    robot_geom *g = robot_add_geom(r->robot, body);
    if (!g) return;
    robot_body *b = &r->robot->body[body];
    g->at = pose_of(r, n, childclass);
    set_shape(r, g, n, childclass, b->is_fixed);
    if (robot_numbers(attribute(r, n, childclass, "fromto"), ft, 6) == 6) set_from_to(g, ft);
    g->at = robot_compose(frame, &g->at);
    g->density = number(r, n, childclass, "density", 1000);
    g->mass = number(r, n, childclass, "mass", 0);
    b->mu = fmax(b->mu, mu);
}

static void read_inertial(reader *r, const xmlNode *n, int body)
{
    robot_body *b = &r->robot->body[body];
    robot_pose at = pose_of(r, n, NULL);
    double J[6] = {0, 0, 0, 0, 0, 0}, R[9], local[9];
    robot_numbers(own_attribute(n, "diaginertia"), J, 3);
    robot_numbers(own_attribute(n, "fullinertia"), J, 6);
    const double full[9] = {J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]};
    peg_quat_to_mat(at.q, R);
    for (int i = 0; i < 9; i++) {
        local[i] = 0;
        for (int k = 0; k < 9; k++)
            local[i] += R[i / 3 * 3 + k / 3] * full[k] * R[i % 3 * 3 + k % 3];
    }
    robot_numbers(own_attribute(n, "mass"), &b->mass, 1);
    peg_copy3(at.x, b->com);
    memcpy(b->inertia, local, sizeof local);
}

/* ---- joints ---------------------------------------------------------------------------------- */

typedef struct axes {
    int n, hinges, slides, balls, free;
    const xmlNode *node[8];
    double anchor[3], axis[8][3]; /* world */
    int apart;                    /* anchors differ */
} axes;

static void gather_joints(const reader *r, const xmlNode *body, const char *childclass,
                          const robot_pose *at, axes *a)
{
    *a = (axes){0};
    for (const xmlNode *n = body->children; n; n = n->next) {
        if (is(n, "freejoint")) a->free++;
        if (!is(n, "joint") || a->n == 8) continue;
        const char *type = attribute(r, n, childclass, "type");
        double axis[3] = {0, 0, 1}, pos[3] = {0, 0, 0}, anchor[3];
        a->free += type && !strcmp(type, "free");
        a->balls += type && !strcmp(type, "ball");
        a->slides += type && !strcmp(type, "slide");
        a->hinges += !type || !strcmp(type, "hinge");
        robot_numbers(attribute(r, n, childclass, "axis"), axis, 3);
        robot_numbers(attribute(r, n, childclass, "pos"), pos, 3);
        robot_point(at, pos, anchor);
        robot_check_axis(r->robot, attribute(r, n, childclass, "name"), axis);
        robot_vector(at, axis, a->axis[a->n]);
        peg_normalise(a->axis[a->n]);
        for (int k = 0; k < 3; k++) a->apart |= a->n > 0 && fabs(anchor[k] - a->anchor[k]) > 1e-9;
        peg_copy3(anchor, a->anchor);
        a->node[a->n++] = n;
    }
}

/* Slides and hinges along the world's axes: all other degrees of freedom are fixed. */
static int lock_others(robot_body *b, const reader *r, const axes *a, const char *childclass)
{
    int fixed[6] = {1, 1, 1, 1, 1, 1};
    for (int i = 0; i < a->n; i++) {
        const char *type = attribute(r, a->node[i], childclass, "type");
        int turn = type && !strcmp(type, "slide") ? 0 : 3, k = 0;
        while (k < 3 && fabs(fabs(a->axis[i][k]) - 1) > 1e-9) k++;
        if (k == 3) return 0;
        fixed[turn + k] = 0;
    }
    memcpy(b->locked, fixed, sizeof fixed);
    return 1;
}

static void set_limits(const reader *r, robot_joint *j, const xmlNode *n, const char *childclass)
{
    const char *limited = attribute(r, n, childclass, "limited");
    double range[2];
    if ((limited && !strcmp(limited, "false")) ||
        robot_numbers(attribute(r, n, childclass, "range"), range, 2) != 2)
        return;
    double unit = j->kind == LAB_SLIDER || r->radians ? 1 : acos(-1) / 180;
    j->limited = 1, j->low = unit * range[0], j->high = unit * range[1];
}

static void add_joints(reader *r, const axes *a, const char *childclass, int body, int parent)
{
    robot *to = r->robot;
    int on_world = parent < 0 || to->body[parent].is_fixed, several = a->n > 1;
    int same_place = several && !a->apart && a->hinges == a->n && a->n <= 3;
    lab_joint_kind kind = a->balls ? LAB_BALL : a->slides ? LAB_SLIDER : LAB_HINGE;
    if (a->free) {
        if (!on_world)
            robot_fail(to, "body '%s': a free joint inside of another body", to->body[body].name);
        return;
    }
    if (several && on_world && lock_others(&to->body[body], r, a, childclass)) {
        robot_ignore(to, "limits of a body with several joints");
        return;
    }
    if (several && !same_place) {
        robot_fail(to, "body '%s': its %d joints cannot be represented as one", to->body[body].name,
                   a->n);
        return;
    }
    robot_joint *j = robot_add_joint(to);
    if (!j) return;
    if (same_place) kind = a->n == 2 ? LAB_UNIVERSAL : LAB_BALL;
    *j = (robot_joint){.kind = kind, .a = body, .b = parent};
    peg_copy3(a->anchor, j->anchor);
    peg_copy3(a->axis[0], j->axis);
    peg_copy3(a->axis[several], j->axis2);
    if (several)
        robot_ignore(to, "limits of a body with several joints");
    else if (kind != LAB_BALL)
        set_limits(r, j, a->node[0], childclass);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static void read_children(reader *r, const xmlNode *node, const char *childclass, int body,
                          const robot_pose *frame, const robot_pose *world, int depth);

/* A body element inside of body `parent`, whose frame is `world`; frame: the same in the frame of
 * the body that the parent belongs to. */
static void read_body(reader *r, const xmlNode *n, const char *childclass, int parent,
                      const robot_pose *frame, const robot_pose *world, int depth)
{
    robot_pose local = pose_of(r, n, NULL), at = robot_compose(world, &local);
    const char *class = own_attribute(n, "childclass"), *name = own_attribute(n, "name");
    axes a;
    if (class) childclass = class;
    if (depth == DEPTH_MAX) robot_fail(r->robot, "its bodies are nested too deeply");
    if (r->robot->failed) return;
    gather_joints(r, n, childclass, &at, &a);
    if (a.n == 0 && a.free == 0) {
        robot_pose inner = robot_compose(frame, &local);
        if (child(n, "inertial")) robot_ignore(r->robot, "inertial of a body that is welded");
        read_children(r, n, childclass, parent, &inner, &at, depth + 1);
        return;
    }
    int body = robot_add_body(r->robot, name, &at);
    if (body < 0) return;
    add_joints(r, &a, childclass, body, parent);
    robot_pose none = {.q = {1, 0, 0, 0}};
    if (child(n, "inertial")) read_inertial(r, child(n, "inertial"), body);
    read_children(r, n, childclass, body, &none, &at, depth + 1);
}

static void read_children(reader *r, const xmlNode *node, const char *childclass, int body,
                          const robot_pose *frame, const robot_pose *world, int depth)
{
    for (const xmlNode *n = node->children; n && !r->robot->failed; n = n->next) {
        if (n->type != XML_ELEMENT_NODE || is(n, "joint") || is(n, "freejoint") ||
            is(n, "inertial"))
            continue;
        if (is(n, "geom"))
            read_geom(r, n, childclass, body, frame);
        else if (is(n, "body"))
            read_body(r, n, childclass, body, frame, world, depth);
        else if (is(n, "include") || is(n, "replicate") || is(n, "frame"))
            robot_fail(r->robot,
                       "\"%s\" cannot be represented: save the model from MuJoCo, which "
                       "expands it",
                       (const char *)n->name);
        else
            robot_ignore(r->robot, (const char *)n->name);
    }
}

static void read_compiler(reader *r, const xmlNode *n)
{
    const char *angle = own_attribute(n, "angle"), *euler = own_attribute(n, "eulerseq");
    const char *dir = own_attribute(n, "meshdir");
    r->radians = angle && !strcmp(angle, "radian");
    if (euler && strlen(euler) == 3 && strspn(euler, "xyzXYZ") == 3) memcpy(r->euler, euler, 3);
    if (dir) snprintf(r->mesh_dir, sizeof r->mesh_dir, "%s", dir);
}

void robot_read_mjcf(robot *to, const xmlNode *root)
{
    static const char *const numbers[] = {
        "pos",      "quat",  "euler", "axisangle", "zaxis",       "xyaxes",      "size",
        "fromto",   "axis",  "range", "friction",  "diaginertia", "fullinertia", "gravity",
        "timestep", "scale", "mass",  "density",   "nrow",        "ncol",        NULL};
    reader r = {.robot = to, .root = root, .euler = "xyz"};
    robot_check_numbers(to, root, numbers);
    robot_pose none = {.q = {1, 0, 0, 0}};
    for (const xmlNode *n = root->children; n; n = n->next) {
        if (is(n, "compiler")) read_compiler(&r, n);
        if (is(n, "default")) read_classes(&r, n, -1);
        if (!is(n, "option")) continue;
        robot_numbers(own_attribute(n, "timestep"), &to->h, 1);
        robot_numbers(own_attribute(n, "gravity"), to->gravity, 3);
    }
    int world = robot_add_body(to, "world", &none);
    if (world < 0) return;
    to->body[world].is_fixed = 1;
    for (const xmlNode *n = root->children; n && !to->failed; n = n->next) {
        static const char *const known[] = {"compiler", "default", "option", "asset", "size"};
        int found = n->type != XML_ELEMENT_NODE;
        for (int i = 0; i < 5 && !found; i++) found = is(n, known[i]);
        if (is(n, "worldbody"))
            read_children(&r, n, NULL, world, &none, &none, 0);
        else if (is(n, "include"))
            robot_fail(to,
                       "\"include\" is not followed: save the model from MuJoCo, which expands it");
        else if (!found)
            robot_ignore(to, (const char *)n->name);
    }
    if (!(to->h > 0)) robot_fail(to, "\"timestep\" must be positive");
}
