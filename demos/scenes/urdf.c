/* Reads URDF: links with collision geometry and inertia, joints with limits. Links that a fixed
 * joint holds are parts of their parents; the root link is fixed to the world. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "demos/scenes/robot.h"
#include "demos/world/scene.h"
#include "peg/base/math.h"

enum { LINKS_MAX = 1024 };

typedef struct link {
    const xmlNode *node, *joint; /* joint: to the parent; null: none */
    const char *name;
    int parent, done, body; /* parent: a link, -1: none; body: of the robot */
    robot_pose at;          /* world */
} link;

typedef struct tree {
    robot *robot;
    link link[LINKS_MAX];
    int links;
} tree;

static const xmlNode *child(const xmlNode *node, const char *name)
{
    for (const xmlNode *c = node ? node->children : NULL; c; c = c->next)
        if (c->type == XML_ELEMENT_NODE && !strcmp((const char *)c->name, name)) return c;
    return NULL;
}

static const char *attribute(const xmlNode *node, const char *name)
{
    for (const xmlAttr *a = node ? node->properties : NULL; a; a = a->next)
        if (!strcmp((const char *)a->name, name) && a->children)
            return (const char *)a->children->content;
    return NULL;
}

static double number(const xmlNode *node, const char *name, double fallback)
{
    robot_numbers(attribute(node, name), &fallback, 1);
    return fallback;
}

/* <origin xyz rpy>: R = Rz(yaw) Ry(pitch) Rx(roll). */
static robot_pose origin(const xmlNode *node)
{
    robot_pose p = {.x = {0, 0, 0}};
    double rpy[3] = {0, 0, 0}, x[4], y[4], z[4], yx[4], degrees = 180 / acos(-1);
    const xmlNode *o = child(node, "origin");
    robot_numbers(attribute(o, "xyz"), p.x, 3);
    robot_numbers(attribute(o, "rpy"), rpy, 3);
    lab_axis_angle(1, 0, 0, degrees * rpy[0], x);
    lab_axis_angle(0, 1, 0, degrees * rpy[1], y);
    lab_axis_angle(0, 0, 1, degrees * rpy[2], z);
    peg_quat_mul(y, x, yx);
    peg_quat_mul(z, yx, p.q);
    return p;
}

/* ---- links ----------------------------------------------------------------------------------- */

static void read_geometry(robot *r, robot_geom *g, const xmlNode *collision)
{
    const xmlNode *geometry = child(collision, "geometry"), *n;
    double scale[3] = {1, 1, 1};
    if ((n = child(geometry, "box"))) {
        g->shape = ROBOT_BOX;
        robot_numbers(attribute(n, "size"), g->size, 3);
    } else if ((n = child(geometry, "sphere"))) {
        g->shape = ROBOT_SPHERE;
        g->size[0] = number(n, "radius", 0);
    } else if ((n = child(geometry, "cylinder")) || (n = child(geometry, "capsule"))) {
        g->shape = n->name[1] == 'a' ? ROBOT_CAPSULE : ROBOT_CYLINDER;
        g->size[0] = number(n, "radius", 0);
        g->size[1] = number(n, "length", 0);
    } else if ((n = child(geometry, "mesh"))) {
        const char *file = attribute(n, "filename");
        robot_numbers(attribute(n, "scale"), scale, 3);
        if (file && !strncmp(file, "package://", 10)) { /* the package's name is a folder */
            const char *slash = strchr(file + 10, '/');
            file = slash ? slash + 1 : file + 10;
        }
        robot_read_mesh(r, g, file ? file : "", scale);
    } else {
        robot_fail(
            r, "a collision has no geometry that is known: box, sphere, cylinder, capsule, mesh");
    }
}

/* Adds mass and inertia of a link at `at` in the frame of its body; parallel axes [Steiner]. */
static void add_inertia(robot_body *b, const xmlNode *inertial, const robot_pose *at)
{
    static const char *const names[9] = {"ixx", "ixy", "ixz", "ixy", "iyy",
                                         "iyz", "ixz", "iyz", "izz"};
    const xmlNode *inertia = child(inertial, "inertia");
    double mass = number(child(inertial, "mass"), "value", 0), J[9], R[9], part[9], com[3];
    robot_pose local = origin(inertial), frame = robot_compose(at, &local);
    if (!(mass > 0)) return;
    for (int k = 0; k < 9; k++) J[k] = number(inertia, names[k], 0);
    peg_quat_to_mat(frame.q, R);
    for (int i = 0; i < 9; i++) {
        part[i] = 0;
        for (int k = 0; k < 9; k++) part[i] += R[i / 3 * 3 + k / 3] * J[k] * R[i % 3 * 3 + k % 3];
    }
    double all = b->mass + mass;
    for (int k = 0; k < 3; k++) com[k] = (b->mass * b->com[k] + mass * frame.x[k]) / all;
    for (int side = 0; side < 2; side++) {
        double m = side ? mass : b->mass, d[3];
        peg_sub(side ? frame.x : b->com, com, d);
        for (int i = 0; i < 9; i++)
            b->inertia[i] +=
                (side ? part[i] : 0) + m * ((i % 4 ? 0 : peg_dot(d, d)) - d[i / 3] * d[i % 3]);
    }
    b->mass = all;
    peg_copy3(com, b->com);
}

/* The link's geometry and inertia, to its body. */
static void read_link(tree *t, const link *l)
{
    robot *r = t->robot;
    const robot_body *b = &r->body[l->body];
    robot_pose back = {.q = {b->at.q[0], -b->at.q[1], -b->at.q[2], -b->at.q[3]}}, at;
    double negative[3] = {-b->at.x[0], -b->at.x[1], -b->at.x[2]};
    robot_vector(&back, negative, back.x);
    at = robot_compose(&back, &l->at);
    for (const xmlNode *n = l->node->children; n && !r->failed; n = n->next) {
        if (n->type != XML_ELEMENT_NODE) continue;
        if (!strcmp((const char *)n->name, "collision")) {
            robot_geom *g = robot_add_geom(r, l->body);
            robot_pose local = origin(n);
            if (!g) return;
            g->at = robot_compose(&at, &local);
            read_geometry(r, g, n);
        } else if (!strcmp((const char *)n->name, "inertial")) {
            add_inertia(&r->body[l->body], n, &at);
        } else {
            robot_ignore(r, (const char *)n->name);
        }
    }
}

/* ---- joints ---------------------------------------------------------------------------------- */

static void add_joint(tree *t, const link *l, const char *type)
{
    robot *r = t->robot;
    int parent = t->link[l->parent].body;
    double axis[3] = {1, 0, 0};
    const xmlNode *limit = child(l->joint, "limit");
    robot_numbers(attribute(child(l->joint, "axis"), "xyz"), axis, 3);
    if (!strcmp(type, "floating")) return;
    int is_slide = !strcmp(type, "prismatic"), is_turn = !strcmp(type, "revolute");
    if (!is_slide && !is_turn && strcmp(type, "continuous") != 0) {
        robot_fail(r, "joint '%.60s': type '%.20s' cannot be represented",
                   attribute(l->joint, "name") ? attribute(l->joint, "name") : "?", type);
        return;
    }
    robot_joint *j = robot_add_joint(r);
    if (!j) return;
    *j = (robot_joint){.kind = is_slide ? LAB_SLIDER : LAB_HINGE, .a = l->body, .b = parent};
    peg_copy3(l->at.x, j->anchor);
    robot_check_axis(r, attribute(l->joint, "name"), axis);
    robot_vector(&l->at, axis, j->axis);
    j->limited = (is_slide || is_turn) && limit;
    j->low = number(limit, "lower", 0), j->high = number(limit, "upper", 0);
}

static void read_joint(tree *t, const xmlNode *n)
{
    const char *parent = attribute(child(n, "parent"), "link");
    const char *to = attribute(child(n, "child"), "link");
    int a = -1, b = -1;
    for (int i = 0; i < t->links && parent && to; i++) {
        if (!strcmp(t->link[i].name, parent)) a = i;
        if (!strcmp(t->link[i].name, to)) b = i;
    }
    if (a < 0 || b < 0 || a == b || t->link[b].parent >= 0) {
        robot_fail(t->robot,
                   "joint '%.60s': its parent and child must be two links, a child one joint's",
                   attribute(n, "name") ? attribute(n, "name") : "?");
        return;
    }
    t->link[b].parent = a, t->link[b].joint = n;
    for (const xmlNode *c = n->children; c; c = c->next) {
        static const char *const known[] = {"origin", "parent", "child", "axis", "limit"};
        int found = c->type != XML_ELEMENT_NODE;
        for (int i = 0; i < 5 && !found; i++) found = !strcmp((const char *)c->name, known[i]);
        if (!found) robot_ignore(t->robot, (const char *)c->name);
    }
}

/* A link whose parent is done: its place, and the body that it is or belongs to. */
static void place_link(tree *t, link *l)
{
    robot *r = t->robot;
    const char *type = attribute(l->joint, "type");
    if (l->parent < 0) {
        l->at = (robot_pose){.q = {1, 0, 0, 0}};
        l->body = robot_add_body(r, l->name, &l->at);
        if (l->body >= 0) r->body[l->body].is_fixed = 1;
    } else {
        robot_pose local = origin(l->joint);
        l->at = robot_compose(&t->link[l->parent].at, &local);
        if (!type) type = "?";
        l->body =
            !strcmp(type, "fixed") ? t->link[l->parent].body : robot_add_body(r, l->name, &l->at);
        if (strcmp(type, "fixed") != 0 && l->body >= 0) add_joint(t, l, type);
    }
    if (!r->failed) read_link(t, l);
    l->done = 1;
}

void robot_read_urdf(robot *r, const xmlNode *root)
{
    static tree t;
    static const char *const numbers[] = {"xyz",   "rpy",   "size",  "radius", "length",
                                          "scale", "lower", "upper", "ixx",    "iyy",
                                          "izz",   "ixy",   "ixz",   "iyz",    NULL};
    t = (tree){.robot = r};
    robot_check_numbers(r, root, numbers);
    for (const xmlNode *n = root->children; n && !r->failed; n = n->next) {
        const char *name = attribute(n, "name");
        if (n->type != XML_ELEMENT_NODE || strcmp((const char *)n->name, "link") != 0) continue;
        if (t.links == LINKS_MAX || !name)
            robot_fail(r, "a link has no name, or there are more than %d", LINKS_MAX);
        else
            t.link[t.links++] = (link){.node = n, .name = name, .parent = -1, .body = -1};
    }
    for (const xmlNode *n = root->children; n && !r->failed; n = n->next) {
        if (n->type != XML_ELEMENT_NODE || !strcmp((const char *)n->name, "link")) continue;
        if (!strcmp((const char *)n->name, "joint"))
            read_joint(&t, n);
        else
            robot_ignore(r, (const char *)n->name);
    }
    for (int placed = 1; placed && !r->failed;) {
        placed = 0;
        for (int i = 0; i < t.links && !r->failed; i++) {
            link *l = &t.link[i];
            if (l->done || (l->parent >= 0 && !t.link[l->parent].done)) continue;
            place_link(&t, l);
            placed = 1;
        }
    }
    for (int i = 0; i < t.links && !r->failed; i++)
        if (!t.link[i].done) robot_fail(r, "link '%.60s' is part of a loop", t.link[i].name);
    r->h = .01;
}
