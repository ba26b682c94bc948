/* What the readers of MJCF and URDF share. */
#include "demos/scenes/robot.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demos/world/world.h"
#include "peg/base/math.h"

/* ---- for the readers ------------------------------------------------------------------------- */

void robot_fail(robot *r, const char *format, ...)
{
    if (r->failed) return;
    r->failed = 1;
    int used = snprintf(r->text, LAB_TEXT, "%.200s: ", r->path);
    va_list list;
    va_start(list, format);
    vsnprintf(r->text + used, LAB_TEXT - (size_t)used, format, list);
    va_end(list);
    for (char *c = r->text; *c; c++)
        if ((unsigned char)*c < ' ') *c = '?';
}

void robot_ignore(robot *r, const char *name)
{
    for (int i = 0; i < r->ignoreds; i++)
        if (!strcmp(r->ignored[i].name, name)) {
            r->ignored[i].count++;
            return;
        }
    if (r->ignoreds == 64) return;
    snprintf(r->ignored[r->ignoreds].name, sizeof r->ignored->name, "%s", name);
    r->ignored[r->ignoreds++].count = 1;
}

static void *grow(robot *r, void *list, int count, size_t size)
{
    void *more = realloc(list, ((size_t)count + 1) * size);
    if (!more) robot_fail(r, "out of memory");
    if (more) memset((char *)more + (size_t)count * size, 0, size);
    return more;
}

int robot_add_body(robot *r, const char *name, const robot_pose *at)
{
    robot_body *more = r->failed ? NULL : grow(r, r->body, r->bodies, sizeof *more);
    if (!more) return -1;
    r->body = more;
    robot_body *b = &more[r->bodies];
    snprintf(b->name, sizeof b->name, "%s", name && *name ? name : "body");
    b->at = *at;
    b->mu = -1;
    return r->bodies++;
}

robot_geom *robot_add_geom(robot *r, int body)
{
    if (r->failed || body < 0) return NULL;
    robot_body *b = &r->body[body];
    robot_geom *more = grow(r, b->geom, b->geoms, sizeof *more);
    if (!more) return NULL;
    b->geom = more;
    more[b->geoms].at.q[0] = 1;
    more[b->geoms].density = 1000;
    return &more[b->geoms++];
}

robot_joint *robot_add_joint(robot *r)
{
    robot_joint *more = r->failed ? NULL : grow(r, r->joint, r->joints, sizeof *more);
    if (!more) return NULL;
    r->joint = more;
    return &more[r->joints++];
}

void robot_read_mesh(robot *r, robot_geom *g, const char *file, const double scale[3])
{
    char path[1024], why[LAB_TEXT] = "";
    double normal[3];
    if (r->failed) return;
    int length = file[0] == '/' ? snprintf(path, sizeof path, "%s", file)
                                : snprintf(path, sizeof path, "%s/%s", r->mesh_dir, file);
    g->shape = ROBOT_MESH;
    if (length >= (int)sizeof path || lab_mesh_read(&g->mesh, path, why)) {
        robot_fail(r, "mesh '%.200s': %s (--mesh-dir says where meshes are)", path, why);
        return;
    }
    for (int i = 0; i < g->mesh.nv; i++)
        for (int k = 0; k < 3; k++) g->mesh.vertex[i][k] *= scale[k];
    if (lab_mesh_check(&g->mesh, &g->kind, normal, why))
        robot_fail(r, "mesh '%.200s': %s", path, why);
}

robot_pose robot_compose(const robot_pose *frame, const robot_pose *local)
{
    robot_pose out;
    peg_quat_mul(frame->q, local->q, out.q);
    lab_unit_quat(out.q, out.q);
    robot_point(frame, local->x, out.x);
    return out;
}

void robot_point(const robot_pose *frame, const double x[3], double out[3])
{
    robot_vector(frame, x, out);
    peg_add_scaled(out, 1, frame->x, out);
}

void robot_vector(const robot_pose *frame, const double x[3], double out[3])
{
    double R[9], v[3];
    peg_quat_to_mat(frame->q, R);
    peg_rotate(R, x, v);
    peg_copy3(v, out);
}

int robot_numbers(const char *text, double *out, int n)
{
    int count = 0;
    while (text && count < n) {
        char *end;
        double x = strtod(text, &end);
        if (end == text) break;
        out[count++] = x;
        text = end;
    }
    return count;
}

static int are_numbers(const char *text)
{
    for (;;) {
        char *end;
        text += strspn(text, " \t\r\n");
        if (!*text) return 1;
        double x = strtod(text, &end);
        if (end == text || !isfinite(x) || (*end && !strchr(" \t\r\n", *end))) return 0;
        text = end;
    }
}

void robot_check_numbers(robot *r, const xmlNode *node, const char *const *names)
{
    if (node->type != XML_ELEMENT_NODE) return;
    for (const xmlAttr *a = node->properties; a && !r->failed; a = a->next) {
        const char *text = a->children ? (const char *)a->children->content : NULL;
        int known = 0;
        for (int i = 0; names[i] && !known; i++) known = !strcmp((const char *)a->name, names[i]);
        if (known && text && !are_numbers(text))
            robot_fail(r, "line %ld: %.40s '%.40s' are no finite numbers", xmlGetLineNo(node),
                       (const char *)a->name, text);
    }
    for (const xmlNode *c = node->children; c && !r->failed; c = c->next)
        robot_check_numbers(r, c, names);
}

void robot_check_axis(robot *r, const char *joint, const double axis[3])
{
    if (!(peg_norm(axis) > 0))
        robot_fail(r, "joint '%.60s': its axis is zero", joint ? joint : "?");
}
