/* Scenes from files in the JSON format of Rigid IPC. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "demos/scenes/ipc_mesh.h"
#include "demos/scenes/scene_file.h"
#include "demos/world/world.h"
#include "peg/base/math.h"

/* Thickness of the slab behind a flat sheet, in parts of the sheet's extent. */
#define SLAB   .1
#define DEGREE (acos(-1) / 180)

typedef struct pose {
    double x[3], q[4];
} pose;

typedef struct file_body {
    char name[48];
    lab_kind kind;
    lab_mesh mesh; /* scaled */
    lab_mesh_kind shape;
    double normal[3]; /* of a sheet */
    pose at;          /* of the mesh's origin */
    double density, v[3], omega[3], force[3], torque[3];
    long group;  /* -1: none */
    pose *poses; /* of a kinematic body, one per time step of the file */
    int pose_count;
    double kinematic_time;
} file_body;

struct lab_file {
    lab_scene scene;
    char name[96];
    double timestep, gravity[3], friction, restitution;
    file_body *body;
    int bodies;
};

/* What is being read, for messages. */
typedef struct reader {
    lab_file *file;
    const char *path, *mesh_dir;
    int body; /* counted from 0; -1: none */
    int failed;
    char *text;
    void (*note)(const char *text);
} reader;

static void fail(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void fail(reader *r, const char *format, ...)
{
    if (r->failed) return;
    r->failed = 1;
    int used = snprintf(r->text, LAB_TEXT, "%.200s: ", r->path);
    if (r->body >= 0)
        used += snprintf(r->text + used, LAB_TEXT - (size_t)used, "rigid_bodies[%d]: ", r->body);
    va_list list;
    va_start(list, format);
    vsnprintf(r->text + used, LAB_TEXT - (size_t)used, format, list);
    va_end(list);
    for (char *c = r->text; *c; c++) /* one line, whatever the file holds */
        if ((unsigned char)*c < ' ') *c = '?';
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static double number(reader *r, const json_t *object, const char *key, double fallback)
{
    const json_t *value = json_object_get(object, key);
    if (!value || json_is_null(value)) return fallback;
    if (!json_is_number(value)) fail(r, "\"%s\" must be a number", key);
    return json_number_value(value);
}

static int flag(reader *r, const json_t *object, const char *key, int fallback)
{
    const json_t *value = json_object_get(object, key);
    if (!value || json_is_null(value)) return fallback;
    if (!json_is_boolean(value)) fail(r, "\"%s\" must be true or false", key);
    return json_is_true(value);
}

static void triple(reader *r, const json_t *value, const char *key, double out[3])
{
    if (json_is_array(value) && json_array_size(value) == 2)
        fail(r, "\"%s\" has two numbers: only 3D scenes can be represented", key);
    if (!json_is_array(value) || json_array_size(value) != 3)
        fail(r, "\"%s\" must be a list of three numbers", key);
    for (size_t k = 0; k < 3 && !r->failed; k++) {
        const json_t *item = json_array_get(value, k);
        if (!json_is_number(item)) fail(r, "\"%s\" must be a list of three numbers", key);
        out[k] = json_number_value(item);
    }
}

/* Leaves out as it is if the key is not there. */
static void vector(reader *r, const json_t *object, const char *key, double out[3])
{
    const json_t *value = json_object_get(object, key);
    if (value && !json_is_null(value)) triple(r, value, key, out);
}

/* R = Rz Ry Rx */
static void rotation(reader *r, const json_t *object, double q[4])
{
    double angle[3] = {0, 0, 0}, x[4], y[4], z[4], yx[4];
    vector(r, object, "rotation", angle);
    lab_axis_angle(1, 0, 0, angle[0], x);
    lab_axis_angle(0, 1, 0, angle[1], y);
    lab_axis_angle(0, 0, 1, angle[2], z);
    peg_quat_mul(y, x, yx);
    peg_quat_mul(z, yx, q);
}

/* Whether a list or object says anything. */
static int has_content(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return value && !json_is_null(value) && !json_is_false(value) &&
           !((json_is_array(value) && json_array_size(value) == 0) ||
             (json_is_object(value) && json_object_size(value) == 0));
}

static void refuse(reader *r, const json_t *object, const char *const *keys)
{
    for (; *keys; keys++)
        if (has_content(object, *keys)) fail(r, "\"%s\" cannot be represented", *keys);
}

/* ---- meshes ---------------------------------------------------------------------------------- */

static void read_obj(reader *r, file_body *b, const char *name)
{
    char path[1024], why[LAB_TEXT] = "";
    const char *dot = strrchr(name, '.');
    if (!dot || strcmp(dot, ".obj") != 0) fail(r, "mesh '%.100s' is no .obj file", name);
    const char *base = strrchr(name, '/');
    snprintf(b->name, sizeof b->name, "%.40s", base ? base + 1 : name);
    if (strrchr(b->name, '.')) *strrchr(b->name, '.') = 0;
    int length = name[0] == '/' ? snprintf(path, sizeof path, "%s", name)
                                : snprintf(path, sizeof path, "%s/%s", r->mesh_dir, name);
    if (length >= (int)sizeof path) fail(r, "the path of mesh '%.40s..' is too long", name);
    if (!r->failed && lab_mesh_read_obj(&b->mesh, path, why))
        fail(r, "mesh '%.200s': %s (--mesh-dir says where meshes are)", path, why);
}

static void read_inline(reader *r, file_body *b, const json_t *json)
{
    const json_t *vertices = json_object_get(json, "vertices");
    const json_t *faces = json_object_get(json, "faces");
    char why[LAB_TEXT] = "";
    size_t i;
    const json_t *item;
    snprintf(b->name, sizeof b->name, "body");
    if (!json_is_array(vertices) || json_array_size(vertices) == 0)
        fail(r, "it has neither \"mesh\" nor \"vertices\"");
    json_array_foreach(vertices, i, item)
    {
        double x[3] = {0, 0, 0};
        triple(r, item, "vertices", x);
        if (!r->failed && lab_mesh_vertex(&b->mesh, x, why)) fail(r, "%s", why);
        if (r->failed) return;
    }
    if (!json_is_array(faces) || json_array_size(faces) == 0)
        fail(r, "it has no \"faces\": only closed convex meshes can be represented");
    json_array_foreach(faces, i, item)
    {
        long index[64];
        size_t n = json_array_size(item);
        if (!json_is_array(item) || n > 64) fail(r, "\"faces\" must be lists of vertex indices");
        for (size_t k = 0; k < n && !r->failed; k++) {
            const json_t *at = json_array_get(item, k);
            if (!json_is_integer(at)) fail(r, "\"faces\" must be lists of vertex indices");
            index[k] = (long)json_integer_value(at);
        }
        if (!r->failed && lab_mesh_polygon(&b->mesh, index, (int)n, why)) fail(r, "%s", why);
        if (r->failed) return;
    }
}

/* `dimensions` (of the bounding box) overrides `scale`. */
static void scale_mesh(reader *r, lab_mesh *m, const json_t *json)
{
    double scale[3] = {1, 1, 1}, want[3] = {0, 0, 0};
    const json_t *value = json_object_get(json, "scale");
    if (json_is_number(value))
        scale[0] = scale[1] = scale[2] = json_number_value(value);
    else
        vector(r, json, "scale", scale);
    if (json_object_get(json, "dimensions")) {
        vector(r, json, "dimensions", want);
        for (int k = 0; k < 3; k++) {
            double low = INFINITY, high = -INFINITY;
            for (int i = 0; i < m->nv; i++)
                low = fmin(low, m->vertex[i][k]), high = fmax(high, m->vertex[i][k]);
            scale[k] = high > low ? want[k] / (high - low) : 1;
        }
    }
    for (int k = 0; k < 3; k++)
        if (scale[k] == 0 || !isfinite(scale[k])) fail(r, "its scale must not be 0");
    for (int i = 0; i < m->nv; i++)
        for (int k = 0; k < 3; k++) m->vertex[i][k] *= scale[k];
}

static void read_mesh(reader *r, file_body *b, const json_t *json)
{
    char why[LAB_TEXT] = "";
    const json_t *mesh = json_object_get(json, "mesh");
    if (json_is_string(mesh) && *json_string_value(mesh))
        read_obj(r, b, json_string_value(mesh));
    else if (mesh && !json_is_null(mesh) && !json_is_string(mesh))
        fail(r, "\"mesh\" must be the name of a file");
    else
        read_inline(r, b, json);
    if (!r->failed) scale_mesh(r, &b->mesh, json);
    if (!r->failed && lab_mesh_check(&b->mesh, &b->shape, b->normal, why))
        fail(r, "mesh '%s': %s", b->name, why);
    if (!r->failed && b->shape == LAB_MESH_SHEET && b->kind != LAB_STATIC)
        fail(r, "mesh '%s' is an open sheet: only static bodies can have one", b->name);
    if (!r->failed && b->shape == LAB_MESH_SHELL && b->kind != LAB_STATIC)
        fail(r, "the surface of mesh '%s' is open: only static bodies can have one", b->name);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Fixed degrees of freedom: none or all; -1 for a mix. */
static int fixed_dofs(reader *r, const json_t *json)
{
    const json_t *value = json_object_get(json, "is_dof_fixed");
    if (!value || json_is_boolean(value)) return json_is_true(value);
    size_t n = json_array_size(value), count = 0;
    for (size_t k = 0; k < n; k++) {
        if (!json_is_boolean(json_array_get(value, k))) n = 0;
        count += json_is_true(json_array_get(value, k));
    }
    if (n != 6) fail(r, "\"is_dof_fixed\" must be true, false or a list of six of them");
    return count == 6 ? 1 : count == 0 ? 0 : -1;
}

static void read_kind(reader *r, file_body *b, const json_t *json)
{
    const json_t *type = json_object_get(json, "type");
    const char *name = type ? json_string_value(type) : "dynamic";
    int fixed = fixed_dofs(r, json);
    if (!name || (strcmp(name, "static") && strcmp(name, "kinematic") && strcmp(name, "dynamic"))) {
        fail(r, "type '%.40s' is unknown: static, kinematic and dynamic are", name ? name : "?");
        return;
    }
    b->kind = name[0] == 's' ? LAB_STATIC : name[0] == 'k' ? LAB_KINEMATIC : LAB_DYNAMIC;
    if (b->kind != LAB_DYNAMIC) return;
    if (fixed == 1) b->kind = LAB_STATIC;
    if (fixed < 0) fail(r, "\"is_dof_fixed\" fixes some degrees of freedom: not available yet");
}

static void read_poses(reader *r, file_body *b, const json_t *json)
{
    const json_t *list = json_object_get(json, "kinematic_poses"), *item;
    size_t i, n = json_array_size(list);
    if (list && !json_is_array(list)) fail(r, "\"kinematic_poses\" must be a list");
    if (r->failed || n == 0 || b->kind != LAB_KINEMATIC) return;
    b->poses = calloc(n, sizeof *b->poses);
    if (!b->poses) fail(r, "out of memory");
    if (!b->poses) return;
    b->pose_count = (int)n;
    json_array_foreach(list, i, item)
    {
        if (!json_is_object(item)) fail(r, "\"kinematic_poses\" must be a list of poses");
        vector(r, item, "position", b->poses[i].x);
        rotation(r, item, b->poses[i].q);
    }
}

static void read_body(reader *r, file_body *b, const json_t *json)
{
    static const char *const refused[] = {"split_components", "springs", "joints", "constraints",
                                          NULL};
    if (!json_is_object(json)) {
        fail(r, "a body must be an object");
        return;
    }
    refuse(r, json, refused);
    read_kind(r, b, json);
    vector(r, json, "position", b->at.x);
    rotation(r, json, b->at.q);
    b->density = number(r, json, "density", 1000);
    if (!(b->density > 0)) fail(r, "\"density\" must be positive");
    vector(r, json, "linear_velocity", b->v);
    vector(r, json, "angular_velocity", b->omega);
    for (int k = 0; k < 3; k++) b->omega[k] *= DEGREE;
    vector(r, json, "force", b->force);
    vector(r, json, "torque", b->torque);
    double group = number(r, json, "group_id", -1);
    if (!(fabs(group) < 1e9)) fail(r, "\"group_id\" must be a whole number");
    b->group = r->failed ? -1 : (long)group;
    double end = number(r, json, "kinematic_max_time", -1);
    b->kinematic_time = end < 0 ? INFINITY : end;
    if (!r->failed) read_mesh(r, b, json);
    if (!r->failed) read_poses(r, b, json);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Turns a sheet into a slab on the side where fewer of the bodies are, else behind its normal. */
static void thicken(reader *r, file_body *b)
{
    double R[9], n[3], extent = 0, d[3];
    long ahead = 0;
    char why[LAB_TEXT], remark[LAB_TEXT];
    peg_quat_to_mat(b->at.q, R);
    peg_rotate(R, b->normal, n);
    for (int i = 0; i < r->file->bodies; i++) {
        const file_body *o = &r->file->body[i];
        if (o->kind == LAB_STATIC) continue;
        double corner[3];
        peg_rotate(R, b->mesh.vertex[0], corner);
        peg_add_scaled(corner, 1, b->at.x, corner);
        peg_sub(o->at.x, corner, d);
        ahead += (peg_dot(n, d) > 0) - (peg_dot(n, d) < 0);
    }
    for (int i = 0; i < b->mesh.nv; i++) {
        peg_sub(b->mesh.vertex[i], b->mesh.vertex[0], d);
        extent = fmax(extent, fmax(fabs(d[0]), fmax(fabs(d[1]), fabs(d[2]))));
    }
    double thickness = SLAB * extent;
    for (int i = 0, n0 = b->mesh.nv; i < n0 && !r->failed; i++) {
        peg_add_scaled(b->mesh.vertex[i], ahead < 0 ? thickness : -thickness, b->normal, d);
        if (lab_mesh_vertex(&b->mesh, d, why)) fail(r, "%s", why);
    }
    snprintf(remark, sizeof remark, "'%s' is an open sheet: read as a slab %g m thick, behind it",
             b->name, thickness);
    if (r->note) r->note(remark);
}

/* As the format has it: all fixed and kinematic bodies are one group, and so is a body that shares
 * a group with any of them. */
static void set_groups(lab_file *f)
{
    int used = 0;
    for (int i = 0; i < f->bodies; i++)
        used |= f->body[i].kind == LAB_DYNAMIC && f->body[i].group >= 0;
    for (int i = 0; i < f->bodies; i++) {
        file_body *b = &f->body[i];
        for (int k = 0; k < f->bodies && b->kind == LAB_DYNAMIC && b->group >= 0; k++)
            if (f->body[k].kind != LAB_DYNAMIC && f->body[k].group == b->group) b->group = -2;
    }
    for (int i = 0; i < f->bodies; i++) {
        file_body *b = &f->body[i];
        int with_fixed = b->group == -2 || b->kind != LAB_DYNAMIC;
        b->group = !used ? 0 : with_fixed ? 1 : b->group < 0 ? 0 : b->group + 2;
    }
}

static void read_bodies(reader *r, const json_t *list)
{
    size_t i;
    const json_t *item;
    lab_file *f = r->file;
    if (!json_is_array(list) || json_array_size(list) == 0) {
        fail(r, "\"rigid_bodies\" must be a list of bodies");
        return;
    }
    f->body = calloc(json_array_size(list), sizeof *f->body);
    if (!f->body) fail(r, "out of memory");
    json_array_foreach(list, i, item)
    {
        if (r->failed) return;
        r->body = (int)i;
        if (!flag(r, item, "enabled", 1)) continue;
        read_body(r, &f->body[f->bodies++], item);
    }
    r->body = -1;
    if (f->bodies == 0) fail(r, "no body is enabled");
    for (int k = 0; k < f->bodies && !r->failed; k++)
        if (f->body[k].shape == LAB_MESH_SHEET) thicken(r, &f->body[k]);
    set_groups(f);
}

static void read_file(reader *r, const json_t *json)
{
    static const char *const refused[] = {"springs", "joints", "constraints", NULL};
    lab_file *f = r->file;
    const json_t *problem = json_object_get(json, "rigid_body_problem");
    if (!json_is_object(problem)) {
        fail(r, "it has no \"rigid_body_problem\": only scenes of Rigid IPC can be read");
        return;
    }
    refuse(r, json, refused);
    refuse(r, problem, refused);
    f->timestep = number(r, json, "timestep", .01);
    double time = number(r, json, "max_time", -1), most = number(r, json, "max_iterations", -1);
    if (!(f->timestep > 0)) fail(r, "\"timestep\" must be positive");
    if (!(time > 0)) time = most > 0 ? most * f->timestep : 10;
    vector(r, problem, "gravity", f->gravity);
    f->friction = fmax(0, number(r, problem, "coefficient_friction", 0));
    f->restitution = fmin(1, fmax(0, number(r, problem, "coefficient_restitution", 0)));
    f->scene.h = f->timestep, f->scene.time = time;
    if (!r->failed) read_bodies(r, json_object_get(problem, "rigid_bodies"));
}

/* ---- as a scene ------------------------------------------------------------------------------ */

static void add_shape(lab_body *body, const file_body *b)
{
    const double(*vertex)[3] = (const double(*)[3])b->mesh.vertex;
    if (b->shape == LAB_MESH_CONVEX || b->shape == LAB_MESH_SHEET) {
        lab_hull(body, vertex, b->mesh.nv, NULL, NULL);
        return;
    }
    int(*triangle)[3] = lab_mesh_triangles(&b->mesh), nt = b->mesh.start[b->mesh.nf];
    if (triangle && body)
        lab_trimesh(body, vertex, b->mesh.nv, (const int(*)[3])triangle, nt - 2 * b->mesh.nf, NULL,
                    NULL);
    else if (body)
        lab_fail(body->world, "out of memory");
    free(triangle);
}

static void build(lab_world *w)
{
    const lab_file *f = w->options.data;
    lab_gravity(w, f->gravity[0], f->gravity[1], f->gravity[2]);
    lab_friction(w, f->friction);
    lab_restitution(w, f->restitution);
    for (int i = 0; i < f->bodies; i++) {
        const file_body *b = &f->body[i];
        lab_body *body = lab_add(w, b->name, b->kind, b->at.x, b->at.q);
        add_shape(body, b);
        lab_density(body, b->density);
        lab_group(body, (int)b->group);
        if (b->kind == LAB_STATIC) continue;
        lab_velocity(body, b->v, b->omega);
        if (b->kind == LAB_DYNAMIC) lab_force(body, b->force, b->torque);
    }
}

/* Where the poses of a kinematic body have its origin at time t: pose k is reached after k + 1 time
 * steps of the file. */
static pose pose_at(const lab_file *f, const file_body *b, double t)
{
    double steps = fmin(t / f->timestep, b->pose_count);
    int k = (int)fmin(floor(steps), b->pose_count - 1);
    const pose *from = k == 0 ? &b->at : &b->poses[k - 1], *to = &b->poses[k];
    pose out;
    double s = steps - k, square = 0, cosine = 0;
    for (int i = 0; i < 4; i++) cosine += from->q[i] * to->q[i];
    for (int i = 0; i < 3; i++) out.x[i] = (1 - s) * from->x[i] + s * to->x[i];
    for (int i = 0; i < 4; i++) {
        out.q[i] = (1 - s) * from->q[i] + s * (cosine < 0 ? -to->q[i] : to->q[i]);
        square += out.q[i] * out.q[i];
    }
    for (int i = 0; i < 4; i++) out.q[i] /= sqrt(square);
    return out;
}

/* The velocity with which ODE's update, q1 = normalise(q + h/2 (0, w) q), reaches a pose. */
static void steer(lab_body *body, const pose *to, double h)
{
    double x[3], q[4], R[9], com[3], v[3], omega[3], turn[4];
    lab_pose(body, x, q);
    double back[4] = {q[0], -q[1], -q[2], -q[3]};
    peg_quat_mul(to->q, back, turn);
    peg_quat_to_mat(to->q, R);
    for (int k = 0; k < 3; k++) com[k] = body->com[k] / body->world->scale;
    peg_rotate(R, com, com);
    for (int k = 0; k < 3; k++) {
        v[k] = (to->x[k] + com[k] - x[k]) / h;
        omega[k] = 2 * turn[k + 1] / (turn[0] * h);
    }
    lab_velocity(body, v, omega);
}

static void before_step(lab_world *w, double t)
{
    static const double rest[3] = {0, 0, 0};
    const lab_file *f = w->options.data;
    for (int i = 0; i < f->bodies; i++) {
        const file_body *b = &f->body[i];
        if (b->kind != LAB_KINEMATIC) continue;
        double slack = 1e-9 * f->timestep;
        if (t >= b->kinematic_time - slack) {
            lab_velocity(w->body[i], rest, rest);
        } else if (t < b->pose_count * f->timestep - slack) {
            pose to = pose_at(f, b, t + w->h);
            steer(w->body[i], &to, w->h);
        } else {
            lab_velocity(w->body[i], b->v, b->omega);
        }
    }
}

/* The folder `meshes` beside the file; null: out of memory. */
static char *default_meshes(const char *path)
{
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) : 1;
    size_t size = (size_t)length + sizeof "/meshes";
    char *dir = malloc(size);
    if (dir) snprintf(dir, size, "%.*s/meshes", length, slash ? path : ".");
    return dir;
}

static void set_name(lab_file *f, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(f->name, sizeof f->name, "%.90s", slash ? slash + 1 : path);
    char *dot = strrchr(f->name, '.');
    if (dot && dot != f->name) *dot = 0;
    f->scene = (lab_scene){f->name, "scene from a file", .01, 10, build, before_step};
}

lab_file *lab_file_read(const char *path, const char *mesh_dir, void (*note)(const char *text),
                        char text[LAB_TEXT])
{
    lab_file *f = calloc(1, sizeof *f);
    char *meshes = mesh_dir ? NULL : default_meshes(path);
    reader r = {f, path, mesh_dir ? mesh_dir : meshes, -1, 0, text, note};
    if (!f || !r.mesh_dir) {
        fail(&r, "out of memory");
    } else {
        json_error_t error;
        set_name(f, path);
        json_t *json = json_load_file(path, 0, &error);
        if (!json && error.line < 0)
            fail(&r, "the file cannot be opened");
        else if (!json)
            fail(&r, "line %d is no JSON: %s", error.line, error.text);
        else
            read_file(&r, json);
        json_decref(json);
    }
    free(meshes);
    if (!r.failed) return f;
    lab_file_free(f);
    return NULL;
}

void lab_file_free(lab_file *f)
{
    if (!f) return;
    for (int i = 0; i < f->bodies; i++) {
        lab_mesh_free(&f->body[i].mesh);
        free(f->body[i].poses);
    }
    free(f->body);
    free(f);
}

const lab_scene *lab_file_scene(const lab_file *f)
{
    return &f->scene;
}
