/* Contact joints of the program's, and the steps that use them. */
#include "ode_glue/read/geom.h"
#include "plugin/launch/world/launch.h"

#include <stdatomic.h>

/* ---- records --------------------------------------------------------------------------------- */

static atomic_size_t recorded; /* in all wards */

dJointID peg_create_contact(dWorldID world, dJointGroupID group, const dContact *contact)
{
    dJointID joint = peg_ode->dJointCreateContact(world, group, contact);
    peg_ward *ward = peg_inside || !joint ? NULL : peg_ward_of(world);
    if (!ward) return joint;
    pthread_mutex_lock(&ward->lock);
    void *grown =
        peg_grow(ward->record, ward->records + 1, &ward->record_room, sizeof *ward->record);
    if (grown) {
        ward->record = grown;
        peg_record *r = &ward->record[ward->records++];
        r->joint = joint;
        r->group = group;
        r->contact = *contact;
        r->taken = 0;
        atomic_fetch_add_explicit(&recorded, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&ward->lock);
    return joint;
}

typedef struct choice {
    dJointID joint; /* one of them is set */
    dJointGroupID group;
} choice;

static int fits(const peg_record *r, const choice *rule)
{
    return rule->joint ? r->joint == rule->joint : r->group == rule->group;
}

static void keep_records(peg_ward *ward, size_t kept)
{
    atomic_fetch_sub_explicit(&recorded, ward->records - kept, memory_order_relaxed);
    ward->records = kept;
}

static void drop_records(peg_ward *ward, void *context)
{
    const choice *rule = context;
    pthread_mutex_lock(&ward->lock);
    size_t kept = 0;
    while (kept < ward->records && !fits(&ward->record[kept], rule)) kept++;
    for (size_t i = kept; i < ward->records; i++)
        if (!fits(&ward->record[i], rule)) ward->record[kept++] = ward->record[i];
    if (kept < ward->records) keep_records(ward, kept);
    pthread_mutex_unlock(&ward->lock);
}

void peg_records_free(peg_ward *ward)
{
    keep_records(ward, 0);
    peg_free(ward->record);
}

/* Most programs empty a group after each step, also where nothing is recorded. */
static void drop(choice which)
{
    if (atomic_load_explicit(&recorded, memory_order_relaxed))
        peg_wards_visit(drop_records, &which);
}

void peg_destroy_joint(dJointID joint)
{
    if (joint && dJointGetType(joint) == dJointTypeContact)
        drop((choice){.joint = joint});
    else if (joint)
        peg_forget_joint(joint);
    peg_ode->dJointDestroy(joint);
}

void peg_empty_group(dJointGroupID group)
{
    if (group) drop((choice){.group = group});
    peg_ode->dJointGroupEmpty(group);
}

void peg_destroy_group(dJointGroupID group)
{
    if (group) drop((choice){.group = group});
    peg_ode->dJointGroupDestroy(group);
}

/* ---- depths ---------------------------------------------------------------------------------- */

static void sort(dGeomID pair[2], dGeomID a, dGeomID b)
{
    int swap = (uintptr_t)a > (uintptr_t)b;
    pair[0] = swap ? b : a;
    pair[1] = swap ? a : b;
}

double peg_usual_depth(const peg_ward *ward, dGeomID a, dGeomID b)
{
    dGeomID pair[2];
    sort(pair, a, b);
    int i = peg_map_find(&ward->usual.pair, pair[0], pair[1]);
    return i >= 0 ? ward->usual.of[i] : 0;
}

/* Without memory nothing is kept. */
static void keep_depth(peg_ward *ward, const dContactGeom *c)
{
    peg_depths *to = &ward->coming;
    dGeomID pair[2];
    sort(pair, c->g1, c->g2);
    double before = peg_usual_depth(ward, c->g1, c->g2);
    double depth = before > 0 ? fmin(before, c->depth) : c->depth;
    int known = to->pair.n;
    if (known == to->room) {
        int room = to->room ? 2 * to->room : 64;
        double *of = peg_realloc(to->of, (size_t)room * sizeof *of);
        if (!of) return;
        to->of = of;
        to->room = room;
    }
    int i = peg_map_add(&to->pair, pair[0], pair[1]);
    if (i >= 0) to->of[i] = i < known ? fmin(to->of[i], depth) : depth;
}

static void turn_depths(peg_ward *ward)
{
    peg_depths swap = ward->usual;
    ward->usual = ward->coming;
    ward->coming = swap;
    peg_map_clear(&ward->coming.pair);
}

/* ---- a step ---------------------------------------------------------------------------------- */

static int is_unseen_convex(const peg_ward *ward, dGeomID geom)
{
    peg_arrays arrays;
    dGeomID leaf = peg_geom_leaf(geom);
    return dGeomGetClass(leaf) == dConvexClass &&
           (ward->no_convex || !peg_geom_arrays(leaf, &arrays));
}

/* Names the geoms of a contact as they lie in spaces. 0: it is not theirs as contacts must see it
 * here, but made up by the program, of a ray, or acts on other bodies. */
static int name_geoms(const peg_ward *ward, peg_record *r)
{
    dGeomID a = peg_geom_outer(r->contact.geom.g1), b = peg_geom_outer(r->contact.geom.g2);
    if (!a || !b || pegPairCollisionMode(a, b) == PEG_COLLISION_NONE) return 0;
    dBodyID x = dGeomGetBody(a), y = dGeomGetBody(b);
    if ((x != r->body[0] || y != r->body[1]) && (x != r->body[1] || y != r->body[0])) return 0;
    if (is_unseen_convex(ward, a) || is_unseen_convex(ward, b)) return 0;
    if (!peg_model_has(a) || !peg_model_has(b)) return 0;
    r->contact.geom.g1 = a;
    r->contact.geom.g2 = b;
    return 1;
}

/* The program has the contacts of these geoms act on something else: they are ODE's from now on,
 * and not reported before geoms touch. */
static void leave_to_ode(peg_ward *ward, const dContactGeom *c)
{
    static const char text[] =
        "a contact keeps ODE's joint: it is not of two geoms and their bodies "
        "(made up by the program, of a ray, one-sided), or one of the geoms "
        "has no exact contacts";
    dGeomID a = peg_geom_outer(c->g1), b = peg_geom_outer(c->g2), pair[2];
    if (!ward->said_left) peg_log("world %d: %s", ward->number, text);
    ward->said_left = 1;
    peg_unsupported(text);
    if (!a || !b) return;
    sort(pair, a, b);
    peg_map_add(&ward->odes, pair[0], pair[1]);
}

int peg_is_left_to_ode(const peg_ward *ward, dGeomID a, dGeomID b)
{
    dGeomID pair[2];
    if (ward->odes.n == 0) return 0;
    sort(pair, a, b);
    return peg_map_find(&ward->odes, pair[0], pair[1]) >= 0;
}

static int same_pair(const dContactGeom *a, const dContactGeom *b)
{
    return (a->g1 == b->g1 && a->g2 == b->g2) || (a->g1 == b->g2 && a->g2 == b->g1);
}

/* The feedback of all joints of a pair is gathered in the first one's record and divided later. */
static dJointFeedback *share_feedback(peg_ward *ward, size_t i)
{
    peg_record *r = &ward->record[i], *first = r;
    r->shares = 0;
    r->share = i;
    if (!dJointGetFeedback(r->joint)) return NULL;
    for (size_t k = 0; k < i && first == r; k++) {
        peg_record *before = &ward->record[k];
        if (before->taken && before->shares && same_pair(&before->contact.geom, &r->contact.geom))
            first = before;
    }
    first->shares++;
    r->share = (size_t)(first - ward->record);
    return &first->whole;
}

static int is_mobile(dBodyID body)
{
    return body && !dBodyIsKinematic(body);
}

/* Hands the record over and detaches its joint; 0 if it must stay a joint of ODE's. */
static int take(peg_ward *ward, size_t i)
{
    peg_record *r = &ward->record[i];
    r->taken = 0;
    if (!dJointIsEnabled(r->joint)) return 0;
    for (int k = 0; k < 2; k++) r->body[k] = dJointGetBody(r->joint, k);
    if (!is_mobile(r->body[0]) && !is_mobile(r->body[1])) return 0;
    if (!name_geoms(ward, r)) {
        leave_to_ode(ward, &r->contact.geom);
        return 0;
    }
    pegStatus status = pegWorldAddPairContact(ward->peg, &r->contact, share_feedback(ward, i));
    if (status != PEG_OK) return 0;
    r->taken = 1;
    keep_depth(ward, &r->contact.geom);
    peg_ode->dJointAttach(r->joint, NULL, NULL);
    return 1;
}

static void divide_feedback(const peg_ward *ward, const peg_record *r)
{
    dJointFeedback *out = dJointGetFeedback(r->joint);
    const peg_record *first = &ward->record[r->share];
    if (!out || !first->shares) return;
    for (int k = 0; k < 3; k++) {
        out->f1[k] = first->whole.f1[k] / first->shares;
        out->t1[k] = first->whole.t1[k] / first->shares;
        out->f2[k] = first->whole.f2[k] / first->shares;
        out->t2[k] = first->whole.t2[k] / first->shares;
    }
}

/* The joints are again as the program left them. */
static void give_back(peg_ward *ward, int stepped)
{
    for (size_t i = 0; i < ward->records; i++) {
        peg_record *r = &ward->record[i];
        if (!r->taken) continue;
        r->taken = 0;
        peg_ode->dJointAttach(r->joint, r->body[0], r->body[1]);
        if (stepped) divide_feedback(ward, r);
    }
}

static int stock_step(dWorldID world, dReal h, int quick)
{
    return quick ? peg_ode->dWorldQuickStep(world, h) : peg_ode->dWorldStep(world, h);
}

/* Whether the step was made with exact contacts. Steps of the other kind shall not bear its cost.
 */
__attribute__((noinline)) static int exact_step(peg_ward *ward, double h, int quick)
{
    size_t taken = 0;
    if (!peg_takes_over() || !peg_ward_peg(ward)) return 0;
    for (size_t i = 0; i < ward->records; i++) taken += (size_t)take(ward, i);
    ward->stock_contacts += (long)(ward->records - taken);
    if (!taken) return 0;
    peg_tell_joints(ward);
    pegStatus status = quick ? pegWorldQuickStep(ward->peg, h) : pegWorldStep(ward->peg, h);
    give_back(ward, status == PEG_OK);
    if (status == PEG_OK) return 1;
    ward->failed_steps++;
    if (status == PEG_ERROR_CONVEX_NOT_REGISTERED) ward->no_convex = 1;
    peg_unsupported(pegStatusMessage(status));
    return 0;
}

/* Depths and shapes of this step become those of the last. */
__attribute__((noinline)) static void turn(peg_ward *ward)
{
    turn_depths(ward);
    peg_shapes_end(&ward->shapes, 1);
    peg_shapes_begin(&ward->shapes);
}

static int has_to_turn(const peg_ward *ward)
{
    return ward->usual.pair.n | ward->coming.pair.n | ward->shapes.kept.geom.n |
           ward->shapes.coming.geom.n;
}

static void count_step(peg_ward *ward, double h)
{
    ward->stock_steps += !ward->exact;
    ward->steps++;
    ward->time += h;
    if (h > 0 && isfinite(h)) ward->h = h;
}

__attribute__((noinline)) static int full_step(peg_ward *ward, double h, int quick)
{
    const peg_options *o = &peg_launch_options;
    int done = 1, told = o->told;
    if (o->contact == PEG_LAUNCH_QUICK) quick = 1;
    peg_inside++;
    if (told) peg_report_before(ward, h);
    ward->exact = ward->records && exact_step(ward, h, quick);
    if (!ward->exact) done = stock_step(ward->world, h, quick);
    peg_inside--;
    if (has_to_turn(ward)) turn(ward);
    count_step(ward, h);
    if (told) peg_report_step(ward);
    return done;
}

/* What has nothing to do is left to ODE at once. */
static inline int step(dWorldID world, dReal h, int quick)
{
    peg_ward *ward = peg_inside ? NULL : peg_ward_of(world);
    const peg_options *o = &peg_launch_options;
    if (!ward) return stock_step(world, h, quick);
    if (o->told || o->contact == PEG_LAUNCH_QUICK || ward->records || has_to_turn(ward))
        return full_step(ward, h, quick);
    ward->exact = 0;
    count_step(ward, h);
    return stock_step(world, h, quick);
}

int peg_take_step(dWorldID world, dReal h)
{
    return step(world, h, 0);
}

int peg_take_quick_step(dWorldID world, dReal h)
{
    return step(world, h, 1);
}
