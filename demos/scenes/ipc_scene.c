/* Scenes from files in the JSON format of Rigid IPC. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "demos/scenes/ipc_file.h"
#include "demos/world/files.h"
#include "demos/world/world.h"
#include "peg/base/math.h"

/* Thickness of the slab behind a flat static sheet, in parts of the sheet's extent. */
#define SLAB   .1
#define DEGREE (acos(-1) / 180)

/* What is being read, for messages. */
typedef struct reader {
    ipc_file *file;
    lab_reading in;
    const char *mesh_dir;
    void (*note)(const char *text);
} reader;

#define fail(r, ...) lab_file_fail(&(r)->in, __VA_ARGS__)

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
    for (size_t k = 0; k < 3 && !r->in.failed; k++) {
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

static void read_mesh_file(reader *r, file_body *b, const char *name)
{
    char path[1024], why[LAB_TEXT] = "";
    const char *base = strrchr(name, '/');
    snprintf(b->name, sizeof b->name, "%.40s", base ? base + 1 : name);
    if (strrchr(b->name, '.')) *strrchr(b->name, '.') = 0;
    int length = name[0] == '/' ? snprintf(path, sizeof path, "%s", name)
                                : snprintf(path, sizeof path, "%s/%s", r->mesh_dir, name);
    if (length >= (int)sizeof path) fail(r, "the path of mesh '%.40s..' is too long", name);
    if (!r->in.failed && lab_mesh_read(&b->mesh, path, why))
        fail(r, "mesh '%.200s': %s (--mesh-dir says where meshes are)", path, why);
}

static void read_edges(reader *r, file_body *b, const json_t *edges)
{
    char why[LAB_TEXT] = "";
    size_t i;
    const json_t *item;
    if (edges && !json_is_array(edges)) fail(r, "\"edges\" must be pairs of vertex indices");
    json_array_foreach(edges, i, item)
    {
        const json_t *from = json_array_get(item, 0), *to = json_array_get(item, 1);
        if (!json_is_integer(from) || !json_is_integer(to) || json_array_size(item) != 2)
            fail(r, "\"edges\" must be pairs of vertex indices");
        if (!r->in.failed && lab_mesh_edge(&b->mesh, (long)json_integer_value(from),
                                           (long)json_integer_value(to), why))
            fail(r, "%s", why);
        if (r->in.failed) return;
    }
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
        if (!r->in.failed && lab_mesh_vertex(&b->mesh, x, why)) fail(r, "%s", why);
        if (r->in.failed) return;
    }
    if (faces && !json_is_array(faces)) fail(r, "\"faces\" must be lists of vertex indices");
    json_array_foreach(faces, i, item)
    {
        long index[64];
        size_t n = json_array_size(item);
        if (!json_is_array(item) || n > 64) fail(r, "\"faces\" must be lists of vertex indices");
        for (size_t k = 0; k < n && !r->in.failed; k++) {
            const json_t *at = json_array_get(item, k);
            if (!json_is_integer(at)) fail(r, "\"faces\" must be lists of vertex indices");
            index[k] = (long)json_integer_value(at);
        }
        if (!r->in.failed && lab_mesh_polygon(&b->mesh, index, (int)n, why)) fail(r, "%s", why);
        if (r->in.failed) return;
    }
    read_edges(r, b, json_object_get(json, "edges"));
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
        read_mesh_file(r, b, json_string_value(mesh));
    else if (mesh && !json_is_null(mesh) && !json_is_string(mesh))
        fail(r, "\"mesh\" must be the name of a file");
    else
        read_inline(r, b, json);
    if (!r->in.failed) scale_mesh(r, &b->mesh, json);
    if (!r->in.failed && lab_mesh_check(&b->mesh, &b->shape, b->normal, why))
        fail(r, "mesh '%s': %s", b->name, why);
    b->extent = lab_mesh_extent(&b->mesh);
}

static void tell_mesh(reader *r, const file_body *b)
{
    char remark[LAB_TEXT];
    int is_open = b->shape == LAB_MESH_SHELL || b->shape == LAB_MESH_SHEET;
    if (r->in.failed || !r->note) return;
    if (is_open && b->kind == LAB_DYNAMIC) {
        snprintf(remark, sizeof remark,
                 "'%s' is an open surface: two-sided, with the mass of a shell %g m thick", b->name,
                 LAB_MESH_SHELL_THICKNESS * b->extent);
        r->note(remark);
    }
    if (b->shape == LAB_MESH_LOOSE || b->mesh.ne > 0) {
        snprintf(remark, sizeof remark, "'%s' has loose %s: dilated with a radius of %g m", b->name,
                 b->mesh.ne > 0 ? "edges" : "points", LAB_MESH_LOOSE_RADIUS * b->extent);
        r->note(remark);
    }
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Fixed degrees of freedom, along and about x, y, z; returns how many. */
static int fixed_dofs(reader *r, const json_t *json, int fixed[6])
{
    const json_t *value = json_object_get(json, "is_dof_fixed");
    size_t n = json_array_size(value);
    int count = 0;
    for (int k = 0; k < 6; k++) {
        const json_t *item = n == 6 ? json_array_get(value, (size_t)k) : value;
        fixed[k] = json_is_true(item);
        count += fixed[k];
        if (n == 6 && !json_is_boolean(item)) n = 0;
    }
    if (value && !json_is_boolean(value) && n != 6)
        fail(r, "\"is_dof_fixed\" must be true, false or a list of six of them");
    return count;
}

static void read_kind(reader *r, file_body *b, const json_t *json)
{
    const json_t *type = json_object_get(json, "type");
    const char *name = type ? json_string_value(type) : "dynamic";
    int fixed = fixed_dofs(r, json, b->locked);
    if (!name || (strcmp(name, "static") && strcmp(name, "kinematic") && strcmp(name, "dynamic"))) {
        fail(r, "type '%.40s' is unknown: static, kinematic and dynamic are", name ? name : "?");
        return;
    }
    b->kind = name[0] == 's' ? LAB_STATIC : name[0] == 'k' ? LAB_KINEMATIC : LAB_DYNAMIC;
    if (b->kind != LAB_DYNAMIC) return;
    if (fixed == 6) b->kind = LAB_STATIC;
}

static void read_poses(reader *r, file_body *b, const json_t *json)
{
    const json_t *list = json_object_get(json, "kinematic_poses"), *item;
    size_t i, n = json_array_size(list);
    if (list && !json_is_array(list)) fail(r, "\"kinematic_poses\" must be a list");
    if (r->in.failed || n == 0 || b->kind != LAB_KINEMATIC) return;
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
    static const char *const refused[] = {"springs", "joints", "constraints", NULL};
    if (!json_is_object(json)) {
        fail(r, "a body must be an object");
        return;
    }
    refuse(r, json, refused);
    read_kind(r, b, json);
    vector(r, json, "position", b->at.x);
    rotation(r, json, b->at.q);
    b->density = number(r, json, "density", 1000);
    if (b->kind == LAB_DYNAMIC && !(b->density > 0))
        fail(r,
             "its \"density\" is %g: a dynamic body needs a positive one, or is to be static or "
             "kinematic",
             b->density);
    vector(r, json, "linear_velocity", b->v);
    vector(r, json, "angular_velocity", b->omega);
    for (int k = 0; k < 3; k++) b->omega[k] *= DEGREE;
    vector(r, json, "force", b->force);
    vector(r, json, "torque", b->torque);
    double group = number(r, json, "group_id", -1);
    if (!(fabs(group) < 1e9)) fail(r, "\"group_id\" must be a whole number");
    b->group = r->in.failed ? -1 : (long)group;
    double end = number(r, json, "kinematic_max_time", -1);
    b->kinematic_time = end < 0 ? INFINITY : end;
    if (!r->in.failed) read_mesh(r, b, json);
    if (!r->in.failed) read_poses(r, b, json);
}

static file_body *new_body(reader *r)
{
    ipc_file *f = r->file;
    if (f->bodies == f->room) {
        int room = 2 * f->room + 16;
        file_body *more = realloc(f->body, (size_t)room * sizeof *more);
        if (!more) {
            fail(r, "out of memory");
            return NULL;
        }
        f->body = more, f->room = room;
    }
    f->body[f->bodies] = (file_body){0};
    return &f->body[f->bodies++];
}

/* Makes a body of each connected component of the last body's mesh. */
static void split_body(reader *r)
{
    char why[LAB_TEXT] = "";
    lab_mesh *part;
    int n, index = r->file->bodies - 1;
    file_body whole = r->file->body[index];
    if (lab_mesh_split(&whole.mesh, &part, &n, why)) fail(r, "%s", why);
    for (int i = 0; i < n; i++) {
        file_body *b = r->in.failed ? NULL : i == 0 ? &r->file->body[index] : new_body(r);
        if (!b) {
            lab_mesh_free(&part[i]);
            continue;
        }
        *b = whole;
        b->mesh = part[i];
        b->shares_poses = i > 0;
        if (lab_mesh_check(&b->mesh, &b->shape, b->normal, why)) fail(r, "%s", why);
    }
    if (n > 0) lab_mesh_free(&whole.mesh);
    free(part);
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
    for (int i = 0, n0 = b->mesh.nv; i < n0 && !r->in.failed; i++) {
        peg_add_scaled(b->mesh.vertex[i], ahead < 0 ? thickness : -thickness, b->normal, d);
        if (lab_mesh_vertex(&b->mesh, d, why)) fail(r, "%s", why);
    }
    b->shape = LAB_MESH_CONVEX;
    snprintf(remark, sizeof remark, "'%s' is an open sheet: read as a slab %g m thick, behind it",
             b->name, thickness);
    if (r->note) r->note(remark);
}

/* As the format has it: all fixed and kinematic bodies are one group, and so is a body that shares
 * a group with any of them. */
static void set_groups(ipc_file *f)
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
    ipc_file *f = r->file;
    if (!json_is_array(list) || json_array_size(list) == 0) {
        fail(r, "\"rigid_bodies\" must be a list of bodies");
        return;
    }
    json_array_foreach(list, i, item)
    {
        if (r->in.failed) return;
        r->in.item = (int)i;
        if (!flag(r, item, "enabled", 1)) continue;
        file_body *b = new_body(r);
        if (!b) return;
        read_body(r, b, item);
        if (!r->in.failed) tell_mesh(r, b);
        if (!r->in.failed && flag(r, item, "split_components", 0)) split_body(r);
    }
    r->in.item = -1;
    if (f->bodies == 0) fail(r, "no body is enabled");
    for (int k = 0; k < f->bodies && !r->in.failed; k++)
        if (f->body[k].shape == LAB_MESH_SHEET && f->body[k].kind == LAB_STATIC)
            thicken(r, &f->body[k]);
    set_groups(f);
}

static void read_file(reader *r, const json_t *json)
{
    static const char *const refused[] = {"springs", "joints", "constraints", NULL};
    ipc_file *f = r->file;
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
    f->base.scene.h = f->timestep, f->base.scene.time = time;
    if (!r->in.failed) read_bodies(r, json_object_get(problem, "rigid_bodies"));
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

static void free_file(lab_file *file)
{
    ipc_file *f = (ipc_file *)file;
    for (int i = 0; i < f->bodies; i++) {
        lab_mesh_free(&f->body[i].mesh);
        if (!f->body[i].shares_poses) free(f->body[i].poses);
    }
    free(f->body);
    free(f);
}

lab_file *lab_ipc_read(const char *path, const char *mesh_dir, void (*note)(const char *text),
                       char text[LAB_TEXT])
{
    ipc_file *f = calloc(1, sizeof *f);
    char *meshes = mesh_dir ? NULL : default_meshes(path);
    reader r = {f, {path, "rigid_bodies", -1, 0, text}, mesh_dir ? mesh_dir : meshes, note};
    if (!f || !r.mesh_dir) {
        fail(&r, "out of memory");
    } else {
        json_error_t error;
        f->base.free = free_file;
        lab_file_name(&f->base, path);
        f->base.scene =
            (lab_scene){f->base.name, "scene from a file", .01, 10, ipc_build, ipc_before_step};
        json_t *json = json_load_file(path, 0, &error);
        const char *fault = lab_file_fault(path);
        if (!json && fault)
            fail(&r, "%s", fault);
        else if (!json)
            fail(&r, "line %d is no JSON: %s", error.line, error.text);
        else
            read_file(&r, json);
        json_decref(json);
    }
    free(meshes);
    if (!r.in.failed) return &f->base;
    if (f) free_file(&f->base);
    return NULL;
}
