/* From ODE's spaces and bodies to the scene of a step. */
#include "ode_glue/read/unconstrained_velocity.h"
#include "ode_glue/read/world_bodies.h"
#include "ode_glue/read/geom.h"
#include "ode_glue/step/scene.h"
#include "ode_glue/pairs/external_contacts.h"
#include "ode_glue/pairs/filter.h"
#include "ode_glue/pairs/heightfield_tiling.h"

#include <limits.h>
#include <stdlib.h>

static pegStatus collect_space(peg_glue *glue, dSpaceID space);

static pegStatus add_shape(peg_glue *glue, dGeomID geom, int swept)
{
    pegStatus status = peg_shapes_add(&glue->shapes, geom, swept);
    if (status != PEG_OK) glue->report.culprit.geom = geom;
    return status;
}

static pegStatus collect_item(peg_glue *glue, dGeomID geom)
{
    if (!dGeomIsEnabled(geom)) return PEG_OK;
    return dGeomIsSpace(geom) ? collect_space(glue, (dSpaceID)geom) : add_shape(glue, geom, 1);
}

typedef struct probe {
    peg_glue *glue;
    dGeomID geom;
    pegStatus status;
} probe;

static void meet_probe(void *data, dGeomID a, dGeomID b)
{
    probe *p = data;
    if (p->status == PEG_OK) p->status = collect_item(p->glue, a == p->geom ? b : a);
}

/* dSpaceGetGeom aborts for quad-tree spaces. A sphere that fills the world meets all of their geoms
 * that can meet anything. */
static pegStatus collect_by_probe(peg_glue *glue, dSpaceID space)
{
    probe p = {glue, dCreateSphere(NULL, dInfinity), PEG_OK};
    dSpaceCollide2(p.geom, (dGeomID)space, &p, meet_probe);
    dGeomDestroy(p.geom);
    return p.status;
}

static pegStatus collect_space(peg_glue *glue, dSpaceID space)
{
    if (dSpaceGetClass(space) == dQuadTreeSpaceClass) return collect_by_probe(glue, space);
    pegStatus status = PEG_OK;
    int n = dSpaceGetNumGeoms(space);
    for (int i = 0; i < n && status == PEG_OK; i++)
        status = collect_item(glue, dSpaceGetGeom(space, i));
    return status;
}

static pegStatus collect_of_bodies(peg_glue *glue, const peg_map *also)
{
    pegStatus status = PEG_OK;
    for (dBodyID id = peg_world_first_body(glue->world); id; id = peg_world_next_body(id))
        for (dGeomID g = dBodyGetFirstGeom(id); g && status == PEG_OK; g = dBodyGetNextGeom(g))
            if (dGeomIsEnabled(g) && peg_map_find(also, g, NULL) >= 0)
                status = add_shape(glue, g, 0);
    return status;
}

pegStatus peg_glue_meet_geoms(peg_glue *glue, const peg_map *also)
{
    pegStatus status = PEG_OK;
    peg_shapes_begin(&glue->shapes);
    for (int i = 0; i < glue->spaces && status == PEG_OK; i++)
        status = collect_item(glue, (dGeomID)glue->space[i]);
    if (status == PEG_OK && also) status = collect_of_bodies(glue, also);
    if (status == PEG_OK) status = peg_glue_name_transforms(glue);
    for (int i = 0; i < 2 * glue->added.n && status == PEG_OK; i++) {
        dGeomID geom = glue->added.key[i / 2][i % 2];
        if (dGeomIsEnabled(geom)) status = add_shape(glue, geom, 0);
    }
    return status;
}

static void report_ignored(peg_glue *glue, const peg_shape *s)
{
    if (s->status == PEG_ERROR_SHAPE_EMPTY)
        peg_say(&glue->report, PEG_CAUSE_ZERO_SIZE, PEG_SEVERITY_WARNING, s->status,
                &(peg_subject){.geom = s->geom},
                "a geom with a side or radius of 0, or a mesh without triangles, has no contacts: "
                "its pairs are ignored");
}

/* The papers' models are of polytopes, one of them of spheres and capsules, too. */
static void report_left_out(peg_glue *glue, const peg_shape *s)
{
    const pegSettings *settings = peg_context_settings(glue->core);
    int knows_round = peg_model_knows_round(settings);
    if (settings->contact == PEG_CONTACT_PEG || s->status != PEG_OK) return;
    if (s->shape && (!peg_is_dilated(s->shape) || (peg_is_round(s->shape) && knows_round))) return;
    peg_say_class(&glue->report, s->is.class, PEG_ERROR_GEOM_CLASS, &(peg_subject){.geom = s->geom},
                  knows_round ? "the contact model lp supports polytopes, spheres and capsules: "
                                "cylinders and meshes have no contacts"
                              : "the papers' contact models but lp support polytopes only: round "
                                "geoms and meshes have no contacts");
}

static void report_callbacks(peg_glue *glue, dGeomID mesh)
{
    if (dGeomTriMeshGetCallback(mesh) || dGeomTriMeshGetArrayCallback(mesh))
        peg_say_class(&glue->report, dTriMeshClass, PEG_OK, &(peg_subject){.geom = mesh},
                      "the callbacks of this mesh that select triangles are ignored: all triangles "
                      "collide");
}

static int by_id(const void *a, const void *b)
{
    const peg_shape *const *x = a, *const *y = b;
    return ((*x)->id > (*y)->id) - ((*x)->id < (*y)->id);
}

/* The shapes that take part, in the order in which they were first seen: ODE's spaces list moving
 * geoms in an order of their own, which must not change the order of rows. */
static peg_shape **taking_part(peg_glue *glue, int *n)
{
    struct peg_generation *g = &glue->shapes.kept;
    peg_shape **list = PEG_NEW(&glue->arena, peg_shape *, g->geom.n);
    *n = 0;
    for (int i = 0; i < g->geom.n && list; i++) {
        if (g->of[i].opaque) peg_glue_say_opaque(glue, &g->of[i]);
        report_left_out(glue, &g->of[i]);
        if (g->of[i].mesh) report_callbacks(glue, g->of[i].is.leaf);
        if (g->of[i].status == PEG_OK)
            list[(*n)++] = &g->of[i];
        else
            report_ignored(glue, &g->of[i]);
    }
    if (list) qsort(list, (size_t)*n, sizeof *list, by_id);
    return list;
}

static void count_joints(peg_glue *glue, peg_link *link)
{
    for (int i = dBodyGetNumJoints(link->id) - 1; i >= 0; i--) {
        dJointID joint = dBodyGetJoint(link->id, i);
        if (!dJointIsEnabled(joint)) continue;
        if (dJointGetType(joint) == dJointTypeContact) glue->own_contact = joint;
        link->has_joints++;
        link->foreign += !peg_joint_is_supported(dJointGetType(joint));
    }
}

/* An anchor that was set while a body was not finite stays so. */
static pegStatus check_joints(peg_glue *glue, dBodyID id, double h)
{
    for (int i = dBodyGetNumJoints(id) - 1; i >= 0; i--) {
        dJointID joint = dBodyGetJoint(id, i);
        if (!dJointIsEnabled(joint) || peg_joint_is_finite(joint, h)) continue;
        glue->report.culprit.joint = joint;
        return PEG_ERROR_NOT_FINITE;
    }
    return PEG_OK;
}

/* ODE steps the other bodies of its world, too, and aborts where they are not finite. */
static pegStatus check_others(peg_glue *glue, double h)
{
    pegStatus status = PEG_OK;
    int n = 0, own = 0;
    peg_body b;
    for (dBodyID id = peg_world_first_body(glue->world); id; id = peg_world_next_body(id)) n++;
    for (int i = 0; i < glue->body_number.n; i++)
        own += dBodyGetWorld(glue->body_number.key[i][0]) == glue->world;
    dBodyID id = n > own ? peg_world_first_body(glue->world) : NULL;
    for (; id && status == PEG_OK; id = peg_world_next_body(id)) {
        if (peg_map_find(&glue->body_number, id, NULL) >= 0) continue;
        if (dBodyIsEnabled(id) || dBodyGetNumJoints(id)) /* joints wake */
            status = peg_read_body(glue->world, id, h, &b);
        if (status != PEG_OK) glue->report.culprit.body = id;
        if (status == PEG_OK) status = check_joints(glue, id, h);
    }
    return status;
}

typedef struct reading {
    peg_glue *glue;
    pegStatus *status;
} reading;

/* Reads ODE's bodies, which nobody changes meanwhile. */
static void read_bodies(void *data, int begin, int end)
{
    const reading *r = data;
    peg_glue *glue = r->glue;
    for (int i = begin; i < end; i++) {
        dBodyID id = glue->body_number.key[i][0];
        peg_body *b = &glue->scene.body[i];
        peg_link *link = &glue->link[i];
        r->status[i] = peg_read_body(glue->world, id, glue->scene.h, b);
        *link = (peg_link){.id = id};
        memcpy(link->v, b->v, sizeof link->v);
        peg_copy3(dBodyGetForce(id), link->force);
        peg_copy3(dBodyGetTorque(id), link->force + 3);
    }
}

static pegStatus add_body(peg_glue *glue, int i, double h)
{
    peg_link *link = &glue->link[i];
    count_joints(glue, link);
    glue->scene.nb++;
    if (glue->scene.body[i].kind != PEG_DYNAMIC) return PEG_OK;
    pegStatus status = peg_auto_disable_add(&glue->sleep, link->id, h, &link->idle);
    if (link->idle) peg_stop_body(glue->world, link->id, h, &glue->scene.body[i]);
    return status;
}

static pegStatus add_bodies(peg_glue *glue, double h)
{
    int n = glue->body_number.n;
    pegStatus *status = PEG_NEW(&glue->arena, pegStatus, n), first = PEG_OK;
    glue->scene.body = PEG_NEW(&glue->arena, peg_body, n);
    glue->link = PEG_NEW(&glue->arena, peg_link, n);
    if (!status || !glue->scene.body || !glue->link) return PEG_ERROR_MEMORY;
    reading r = {glue, status};
    peg_pool_loop(peg_threads_for(glue->core, n), read_bodies, &r, n);
    for (int i = 0; i < n && first == PEG_OK; i++) {
        first = status[i];
        if (first != PEG_OK) glue->report.culprit.body = glue->link[i].id;
        if (first == PEG_OK) first = add_body(glue, i, h);
    }
    return first;
}

/* Bodies with a joint that is no contact. 0: no memory. */
static int number_joined(peg_glue *glue)
{
    dBodyID id = peg_world_first_body(glue->world);
    for (; id; id = peg_world_next_body(id)) {
        int joints = dBodyGetNumJoints(id), k = 0;
        while (k < joints && dJointGetType(dBodyGetJoint(id, k)) == dJointTypeContact) k++;
        if (k < joints && peg_map_add(&glue->body_number, id, NULL) < 0) return 0;
    }
    return 1;
}

/* Those that hang on numbered ones by joints. 0: no memory. */
static int number_neighbours(peg_map *number)
{
    for (int i = 0; i < number->n; i++) {
        dBodyID id = number->key[i][0];
        for (int k = 0; k < dBodyGetNumJoints(id); k++) {
            dBodyID of[2];
            dJointID joint = dBodyGetJoint(id, k);
            peg_joint_bodies(joint, of);
            for (int side = 0; side < 2 && dJointIsEnabled(joint); side++)
                if (of[side] && peg_map_add(number, of[side], NULL) < 0) return 0;
        }
    }
    return 1;
}

typedef struct body_order {
    dBodyID id;
    unsigned long first; /* number of its first geom */
} body_order;

static int by_first_geom(const void *a, const void *b)
{
    const body_order *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static unsigned long first_geom(const peg_glue *glue, dBodyID body)
{
    unsigned long first = ULONG_MAX;
    for (dGeomID g = dBodyGetFirstGeom(body); g; g = dBodyGetNextGeom(g)) {
        dGeomID leaf = peg_geom_leaf(g);
        if (!leaf || !dGeomIsEnabled(g) || !peg_class_has_contacts(dGeomGetClass(leaf))) continue;
        unsigned long number = glue->shapes.number(g, 0);
        if (number < first) first = number;
    }
    return first;
}

/* Bodies of one geom each, as they were met, have the order of their geoms. */
static int is_ordered(const peg_map *number, int met)
{
    for (int i = 0; i < met; i++)
        if (dBodyGetNextGeom(dBodyGetFirstGeom(number->key[i][0]))) return 0;
    return met == number->n;
}

/* In the order of their geoms, as if all of these took part; those without follow. met: those that
 * were met by a geom come first, in the order of these. 0: no memory. */
static int order_bodies(peg_glue *glue, int met)
{
    peg_map *number = &glue->body_number;
    int n = number->n;
    if (is_ordered(number, met)) return 1;
    body_order *of = PEG_NEW(&glue->arena, body_order, n);
    if (!of) return 0;
    for (int i = 0; i < n; i++)
        of[i] = (body_order){number->key[i][0], first_geom(glue, number->key[i][0])};
    qsort(of, (size_t)n, sizeof *of, by_first_geom);
    peg_map_clear(number); /* which has room for as many */
    for (int i = 0; i < n && of[i].first < ULONG_MAX; i++) peg_map_add(number, of[i].id, NULL);
    if (!number_neighbours(number)) return 0;
    for (int i = 0; i < n; i++) peg_map_add(number, of[i].id, NULL); /* no neighbours of these */
    return 1;
}

/* The bodies of the shapes, then those that hang on them by joints. 0: no memory. */
static int number_bodies(peg_glue *glue, peg_shape *const *shape, int n)
{
    peg_map *number = &glue->body_number;
    for (int i = 0; i < n; i++) {
        dBodyID id = dGeomGetBody(shape[i]->geom);
        if (id && peg_map_add(number, id, NULL) < 0) return 0;
    }
    int met = number->n;
    if (glue->all_joined && !number_joined(glue)) return 0;
    if (!number_neighbours(number)) return 0;
    return !glue->shapes.number || order_bodies(glue, met);
}

static pegStatus collect_joints(peg_glue *glue, double h)
{
    peg_scene *scene = &glue->scene;
    const pegSettings *settings = peg_context_settings(glue->core);
    /* [A 11]: gamma theta + h nu.v = 0, as gaps are stabilised */
    glue->joints.gamma = settings->contact == PEG_CONTACT_RATIO ? settings->ratio_gamma : 0;
    pegStatus status =
        peg_joint_set_rows(&glue->joints, &glue->arena, &glue->body_number, h, &scene->joint_row,
                           &glue->joint, &scene->njoint_row, &glue->notes);
    glue->report.culprit.joint = glue->notes.not_finite;
    for (int i = 0; i < scene->njoint_row && status == PEG_OK; i++) {
        const peg_joint_row *row = &scene->joint_row[i];
        if (row->body_a >= 0) glue->link[row->body_a].joined = 1;
        if (row->body_b >= 0) glue->link[row->body_b].joined = 1;
    }
    return status;
}

static void add_part(peg_glue *glue, peg_part *part, const peg_triangle_mesh *triangle_mesh,
                     unsigned long id, peg_shape *s)
{
    dBodyID body = dGeomGetBody(s->geom);
    peg_part *p = &part[glue->scene.np++];
    *p = (peg_part){.shape = s->shape, .triangle_mesh = triangle_mesh, .id = id, .user = s};
    p->opaque = !p->shape && !p->triangle_mesh;
    p->round = p->triangle_mesh ? s->is.round : 0;
    p->body = body ? peg_map_find(&glue->body_number, body, NULL) : -1;
    if (body)
        peg_geom_offset(s->geom, p->offset, p->rotation);
    else
        peg_geom_pose(s->geom, p->offset, p->rotation);
}

/* A part for each shape, but an endless field has one for each of its windows. */
static pegStatus add_parts(peg_glue *glue, peg_shape *const *shape, int n)
{
    int windows = 0;
    pegStatus status = peg_glue_open_windows(glue, shape, n);
    if (status != PEG_OK) return status;
    for (int i = 0; i < n; i++) windows += shape[i]->windows.n;
    peg_part *part = PEG_NEW(&glue->arena, peg_part, n + windows);
    if (!part) return PEG_ERROR_MEMORY;
    for (int i = 0; i < n; i++) {
        peg_shape *s = shape[i];
        for (int k = 0; k < s->windows.n; k++)
            add_part(glue, part, s->windows.of[k].triangle_mesh, s->windows.of[k].id, s);
        if (!s->endless || s->opaque) add_part(glue, part, s->triangle_mesh, s->id, s);
    }
    glue->scene.part = part;
    return PEG_OK;
}

pegStatus peg_glue_collect(peg_glue *glue, double h)
{
    peg_scene *scene = &glue->scene;
    *scene = (peg_scene){.h = h,
                         .may_touch = peg_glue_may_touch,
                         .surface = peg_glue_surface,
                         .filter_context = glue};
    peg_auto_disable_begin(&glue->sleep);
    peg_arena_reset(&glue->arena);
    peg_map_clear(&glue->body_number);
    memset(glue->converted, 0, sizeof glue->converted);
    glue->own_contact = NULL;
    glue->soft = 0;

    pegStatus status = peg_glue_meet_geoms(glue, NULL);
    peg_shapes_end(&glue->shapes, status == PEG_OK);
    if (status != PEG_OK) return status;
    int n;
    peg_shape **shape = taking_part(glue, &n);
    if (!shape || !number_bodies(glue, shape, n)) return PEG_ERROR_MEMORY;
    status = add_bodies(glue, h);
    if (status == PEG_OK) status = check_others(glue, h);
    if (status == PEG_OK) status = add_parts(glue, shape, n);
    if (status == PEG_OK) status = peg_glue_collect_given(glue);
    if (status == PEG_OK) status = collect_joints(glue, h);
    return status;
}
