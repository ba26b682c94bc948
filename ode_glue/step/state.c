/* Objects are saved under numbers: bodies in the order of ODE's list, joints in the order of the
 * bodies that they hold, geoms by their addresses, or in another process in the order in which they
 * were first seen. */
#include "ode_glue/step/state.h"
#include "ode_glue/read/world_bodies.h"
#include "ode_glue/step/scene.h"

#include <stdlib.h>

typedef struct body_state {
    double x[3], q[4], R[12], v[6], force[6];
    double mass; /* to see that it is the same body */
    int enabled;
} body_state;

typedef struct joint_state {
    int type, body[2], enabled;
} joint_state;

typedef struct geom_state {
    dGeomID geom;
    unsigned long id;
    int body, class; /* to see that it is the same geom */
    double size[4];
} geom_state;

/* The objects of a world as they are now. */
typedef struct inventory {
    peg_map body, joint; /* (id, null) */
    geom_state *geom;    /* of the shapes that are kept and of geoms that are there, by id */
    int geoms;
    int unknown; /* shapes whose geom may be there no more */
} inventory;

/* --- the objects --- */

static int add_joints(inventory *v, dBodyID id)
{
    for (int i = 0; i < dBodyGetNumJoints(id); i++)
        if (peg_map_add(&v->joint, dBodyGetJoint(id, i), NULL) < 0) return 0;
    return 1;
}

static int by_id(const void *a, const void *b)
{
    const geom_state *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* there: geoms that were met. */
static int list_geoms(const peg_glue *glue, const peg_map *there, inventory *v)
{
    const struct peg_generation *kept = &glue->shapes.kept;
    v->geom = peg_alloc_zero((size_t)kept->geom.n + 1, sizeof *v->geom);
    if (!v->geom) return 0;
    for (int i = 0; i < kept->geom.n; i++) {
        const peg_shape *s = &kept->of[i];
        if (peg_map_find(there, s->geom, NULL) < 0) {
            v->unknown++;
            continue;
        }
        dBodyID id = dGeomGetBody(s->geom);
        geom_state *g = &v->geom[v->geoms++];
        *g = (geom_state){.geom = s->geom, .id = s->id, .class = s->is.class, .body = -1};
        if (id) g->body = peg_map_find(&v->body, id, NULL);
        memcpy(g->size, s->is.size, sizeof s->is.size);
    }
    qsort(v->geom, (size_t)v->geoms, sizeof *v->geom, by_id);
    return 1;
}

static int list_bodies(const peg_glue *glue, inventory *v)
{
    dBodyID id = peg_world_first_body(glue->world);
    for (; id; id = peg_world_next_body(id))
        if (peg_map_add(&v->body, id, NULL) < 0 || !add_joints(v, id)) return 0;
    return 1;
}

static void inventory_free(inventory *v)
{
    peg_map_free(&v->body);
    peg_map_free(&v->joint);
    peg_free(v->geom);
}

static body_state read_body(dBodyID id)
{
    body_state b = {.enabled = dBodyIsEnabled(id)};
    dMass mass;
    dBodyGetMass(id, &mass);
    b.mass = mass.mass;
    memcpy(b.x, dBodyGetPosition(id), sizeof b.x);
    memcpy(b.q, dBodyGetQuaternion(id), sizeof b.q);
    memcpy(b.R, dBodyGetRotation(id), sizeof b.R);
    peg_copy3(dBodyGetLinearVel(id), b.v);
    peg_copy3(dBodyGetAngularVel(id), b.v + 3);
    peg_copy3(dBodyGetForce(id), b.force);
    peg_copy3(dBodyGetTorque(id), b.force + 3);
    return b;
}

/* dBodySetQuaternion would scale the quaternion, and change its last bits; the pointers that ODE
 * returns are those of its own numbers. */
static void write_body(dBodyID id, const body_state *b)
{
    memcpy((dReal *)(uintptr_t)dBodyGetQuaternion(id), b->q, sizeof b->q);
    memcpy((dReal *)(uintptr_t)dBodyGetRotation(id), b->R, sizeof b->R);
    dBodySetPosition(id, b->x[0], b->x[1], b->x[2]); /* and its geoms have moved */
    dBodySetLinearVel(id, b->v[0], b->v[1], b->v[2]);
    dBodySetAngularVel(id, b->v[3], b->v[4], b->v[5]);
    dBodySetForce(id, b->force[0], b->force[1], b->force[2]);
    dBodySetTorque(id, b->force[3], b->force[4], b->force[5]);
    if (b->enabled && !dBodyIsEnabled(id)) dBodyEnable(id);
    if (!b->enabled && dBodyIsEnabled(id)) dBodyDisable(id);
}

static joint_state read_joint(const inventory *v, dJointID joint)
{
    joint_state j = {.type = (int)dJointGetType(joint), .enabled = dJointIsEnabled(joint)};
    for (int k = 0; k < 2; k++) {
        dBodyID id = dJointGetBody(joint, k);
        j.body[k] = id ? peg_map_find(&v->body, id, NULL) : -1;
    }
    return j;
}

/* --- saving --- */

/* What of the world ODE does not tell, or the peg world does not save; 0: nothing. */
static int is_incomplete(peg_glue *glue, const inventory *v)
{
    peg_subject *culprit = &glue->report.culprit;
    *culprit = (peg_subject){0};
    for (int i = 0; i < v->body.n && !culprit->body; i++) {
        dBodyID id = v->body.key[i][0];
        if (dBodyGetAutoDisableFlag(id) && dBodyGetNumJoints(id)) culprit->body = id;
    }
    for (int i = 0; i < v->joint.n && !culprit->joint; i++)
        if (dJointGetType(v->joint.key[i][0]) == dJointTypeTransmission)
            culprit->joint = v->joint.key[i][0];
    for (int i = 0; i < v->geoms && !culprit->geom; i++) {
        const struct peg_generation *kept = &glue->shapes.kept;
        const peg_shape *s = &kept->of[peg_map_find(&kept->geom, v->geom[i].geom, NULL)];
        if (s->endless) culprit->geom = s->geom;
    }
    return culprit->body || culprit->joint || culprit->geom || v->unknown;
}

static void write_objects(const peg_glue *glue, const inventory *v, peg_writer *w)
{
    peg_write(w, &v->body.n, sizeof v->body.n);
    for (int i = 0; i < v->body.n; i++) {
        body_state b = read_body(v->body.key[i][0]);
        peg_write(w, &b, sizeof b);
    }
    peg_write(w, &v->joint.n, sizeof v->joint.n);
    for (int i = 0; i < v->joint.n; i++) {
        joint_state j = read_joint(v, v->joint.key[i][0]);
        peg_write(w, &j, sizeof j);
    }
    peg_write(w, &glue->shapes.last_id, sizeof glue->shapes.last_id);
    peg_write(w, &v->geoms, sizeof v->geoms);
    peg_write(w, v->geom, (size_t)v->geoms * sizeof *v->geom);
}

/* Which geoms are there is found out by a collection that is abandoned. */
pegStatus peg_glue_save(peg_glue *glue, peg_writer *w)
{
    inventory v = {0};
    peg_shapes *shapes = &glue->shapes;
    unsigned long last_id = shapes->last_id;
    if (!peg_world_bodies_find()) return PEG_ERROR_STATE;
    glue->report.culprit = (peg_subject){0};
    pegStatus status = peg_glue_meet_geoms(glue, &shapes->kept.geom);
    if (status == PEG_OK && !(list_bodies(glue, &v) && list_geoms(glue, &shapes->coming.geom, &v)))
        status = PEG_ERROR_MEMORY;
    if (status == PEG_OK) {
        unsigned long seed = dRandGetSeed();
        write_objects(glue, &v, w);
        peg_write(w, &seed, sizeof seed);
        for (int i = 0; i < v.body.n; i++) peg_auto_disable_save(&glue->sleep, v.body.key[i][0], w);
        for (int i = 0; i < v.joint.n; i++)
            peg_joint_set_save(&glue->joints, v.joint.key[i][0], &v.body, w);
        peg_context_save(glue->core, w);
        if (is_incomplete(glue, &v)) status = PEG_STATE_INCOMPLETE;
    }
    peg_shapes_end(shapes, 0);
    shapes->last_id = last_id;
    inventory_free(&v);
    return status;
}

/* --- restoring --- */

/* What was read, before any of it is used. */
typedef struct saved {
    body_state *body;
    joint_state *joint;
    geom_state *geom;
    int bodies, joints, geoms;
    unsigned long last_id, seed;
    peg_auto_disable sleep;
    peg_joint_set joint_set;
    int *shape; /* of each geom: number in shapes.kept */
    peg_glue *glue;
    int no_memory;
} saved;

static void saved_free(saved *s)
{
    peg_free(s->body);
    peg_free(s->joint);
    peg_free(s->geom);
    peg_free(s->shape);
    peg_auto_disable_free(&s->sleep);
    peg_joint_set_free(&s->joint_set);
}

static void *read_list(saved *s, peg_reader *r, int *n, size_t size)
{
    peg_read(r, n, sizeof *n);
    if (*n < 0) r->failed = 1;
    return peg_read_array(r, r->failed ? 0 : (size_t)*n, size, &s->no_memory);
}

static int same_objects(const saved *s, const inventory *v, peg_subject *culprit)
{
    if (s->bodies != v->body.n || s->joints != v->joint.n) return 0;
    for (int i = 0; i < s->bodies; i++) {
        body_state b = read_body(v->body.key[i][0]);
        if (b.mass != s->body[i].mass) return culprit->body = v->body.key[i][0], 0;
    }
    for (int i = 0; i < s->joints; i++) {
        joint_state j = read_joint(v, v->joint.key[i][0]), *was = &s->joint[i];
        if (j.type != was->type || memcmp(j.body, was->body, sizeof j.body) != 0)
            return culprit->joint = v->joint.key[i][0], 0;
    }
    return 1;
}

static int same_geom(const geom_state *was, const peg_shape *is, const inventory *v)
{
    dBodyID id = dGeomGetBody(is->geom);
    int body = id ? peg_map_find(&v->body, id, NULL) : -1;
    return was->class == is->is.class && was->body == body &&
           memcmp(was->size, is->is.size, sizeof was->size) == 0;
}

/* Finds the shapes of the saved geoms: all by address, or all by order. */
static int match_geoms(saved *s, const peg_glue *glue, const inventory *v, peg_subject *culprit)
{
    const struct peg_generation *kept = &glue->shapes.kept;
    int known = 1, same = 1;
    for (int i = 0; i < s->geoms; i++) {
        s->shape[i] = peg_map_find(&kept->geom, s->geom[i].geom, NULL);
        known &= s->shape[i] >= 0;
    }
    if (!known && s->geoms != v->geoms) return 0;
    for (int i = 0; i < s->geoms && same; i++) {
        if (!known) s->shape[i] = peg_map_find(&kept->geom, v->geom[i].geom, NULL);
        same = same_geom(&s->geom[i], &kept->of[s->shape[i]], v);
        if (!same) culprit->geom = kept->of[s->shape[i]].geom;
    }
    return same;
}

static int find_part(void *data, peg_part *part)
{
    const saved *s = data;
    geom_state key = {.id = part->id};
    const geom_state *g = bsearch(&key, s->geom, (size_t)s->geoms, sizeof *g, by_id);
    if (!g) return 0;
    peg_shape *shape = &s->glue->shapes.kept.of[s->shape[g - s->geom]];
    part->shape = shape->shape;
    part->triangle_mesh = shape->triangle_mesh;
    part->round = shape->triangle_mesh ? shape->is.round : 0;
    part->user = shape;
    return shape->status == PEG_OK;
}

/* All that can fail. */
static pegStatus prepare(peg_glue *glue, saved *s, inventory *v, peg_reader *r)
{
    peg_subject *culprit = &glue->report.culprit;
    s->glue = glue;
    if (!list_bodies(glue, v)) return PEG_ERROR_MEMORY;
    s->body = read_list(s, r, &s->bodies, sizeof *s->body);
    s->joint = read_list(s, r, &s->joints, sizeof *s->joint);
    peg_read(r, &s->last_id, sizeof s->last_id);
    s->geom = read_list(s, r, &s->geoms, sizeof *s->geom);
    peg_read(r, &s->seed, sizeof s->seed);
    if (!(s->body && s->joint && s->geom && !r->failed))
        return s->no_memory ? PEG_ERROR_MEMORY : PEG_ERROR_STATE;
    if (!same_objects(s, v, culprit)) return PEG_ERROR_STATE;
    for (int i = 0; i < s->bodies; i++)
        if (!peg_auto_disable_restore(&s->sleep, v->body.key[i][0], r))
            return r->failed ? PEG_ERROR_STATE : PEG_ERROR_MEMORY;
    for (int i = 0; i < s->joints; i++)
        if (!peg_joint_set_restore(&s->joint_set, v->joint.key[i][0], &v->body, r))
            return r->failed ? PEG_ERROR_STATE : PEG_ERROR_MEMORY;
    peg_map saved_geom = {0};
    pegStatus status = PEG_OK;
    for (int i = 0; i < s->geoms && status == PEG_OK; i++)
        if (peg_map_add(&saved_geom, s->geom[i].geom, NULL) < 0) status = PEG_ERROR_MEMORY;
    if (status == PEG_OK) {
        status = peg_glue_meet_geoms(glue, &saved_geom);
        peg_shapes_end(&glue->shapes, status == PEG_OK);
        /* no contacts to tell of: shapes of the last step may be gone */
        glue->told_now = 0;
        glue->scene.np = 0;
    }
    peg_map_free(&saved_geom);
    if (status != PEG_OK) return status;
    s->shape = peg_alloc_zero((size_t)s->geoms + 1, sizeof *s->shape);
    if (!s->shape || !list_geoms(glue, &glue->shapes.kept.geom, v)) return PEG_ERROR_MEMORY;
    if (!match_geoms(s, glue, v, culprit)) return PEG_ERROR_STATE;
    return peg_context_restore(glue->core, r, find_part, s);
}

static void take(peg_glue *glue, saved *s, const inventory *v)
{
    for (int i = 0; i < s->bodies; i++) write_body(v->body.key[i][0], &s->body[i]);
    for (int i = 0; i < s->joints; i++) {
        dJointID joint = v->joint.key[i][0];
        if (s->joint[i].enabled && !dJointIsEnabled(joint)) dJointEnable(joint);
        if (!s->joint[i].enabled && dJointIsEnabled(joint)) dJointDisable(joint);
    }
    dRandSetSeed(s->seed);
    /* geoms that the saved run had not seen get their numbers behind those that it had */
    struct peg_generation *kept = &glue->shapes.kept;
    unsigned long last = s->last_id;
    for (int i = 0; i < v->geoms; i++)
        kept->of[peg_map_find(&kept->geom, v->geom[i].geom, NULL)].id = 0;
    for (int i = 0; i < s->geoms; i++) kept->of[s->shape[i]].id = s->geom[i].id;
    for (int i = 0; i < v->geoms; i++) {
        peg_shape *shape = &kept->of[peg_map_find(&kept->geom, v->geom[i].geom, NULL)];
        if (!shape->id) shape->id = ++last;
    }
    glue->shapes.last_id = last;
    peg_auto_disable sleep = glue->sleep;
    glue->sleep = s->sleep, s->sleep = sleep;
    peg_joint_set joints = glue->joints;
    glue->joints = s->joint_set, s->joint_set = joints;
}

pegStatus peg_glue_restore(peg_glue *glue, peg_reader *r)
{
    inventory v = {0};
    saved s = {0};
    if (!peg_world_bodies_find()) return PEG_ERROR_STATE;
    glue->report.culprit = (peg_subject){0};
    pegStatus status = prepare(glue, &s, &v, r);
    if (status == PEG_OK) take(glue, &s, &v);
    saved_free(&s);
    inventory_free(&v);
    return status;
}
