#include "plugin/launch/step/contact_joints.h"
#include "ode_glue/read/geom.h"
#include "ode_glue/read/surface.h"
#include "plugin/launch/base/log.h"
#include "plugin/launch/world/findings.h"
#include "plugin/launch/world/geom_registry.h"
#include "plugin/launch/world/joints.h"
#include "plugin/launch/world/pair_history.h"

/* ---- records --------------------------------------------------------------------------------- */

static atomic_size_t recorded; /* in all worlds */

dJointID peg_create_contact(dWorldID world, dJointGroupID group, const dContact *contact)
{
    dJointID joint = peg_ode->dJointCreateContact(world, group, contact);
    peg_world_entry *entry = peg_inside || !joint ? NULL : peg_world_entry_of(world);
    if (!entry) return joint;
    pthread_mutex_lock(&entry->lock);
    void *grown =
        peg_grow(entry->record, entry->records + 1, &entry->record_room, sizeof *entry->record);
    if (grown) {
        entry->record = grown;
        peg_record *r = &entry->record[entry->records++];
        r->joint = joint;
        r->group = group;
        r->contact = *contact;
        r->taken = r->watched = 0;
        atomic_fetch_add_explicit(&recorded, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&entry->lock);
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

static void keep_records(peg_world_entry *entry, size_t kept)
{
    atomic_fetch_sub_explicit(&recorded, entry->records - kept, memory_order_relaxed);
    entry->records = kept;
}

static void drop_records(peg_world_entry *entry, void *context)
{
    const choice *rule = context;
    pthread_mutex_lock(&entry->lock);
    size_t kept = 0;
    while (kept < entry->records && !fits(&entry->record[kept], rule)) kept++;
    for (size_t i = kept; i < entry->records; i++)
        if (!fits(&entry->record[i], rule)) entry->record[kept++] = entry->record[i];
    if (kept < entry->records) keep_records(entry, kept);
    pthread_mutex_unlock(&entry->lock);
}

void peg_records_free(peg_world_entry *entry)
{
    keep_records(entry, 0);
    peg_free(entry->record);
}

/* Most programs empty a group after each step, also where nothing is recorded. */
static void drop(choice which)
{
    if (atomic_load_explicit(&recorded, memory_order_relaxed))
        peg_world_registry_visit(drop_records, &which);
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

/* ---- a step ---------------------------------------------------------------------------------- */

static int is_unseen_convex(const peg_world_entry *entry, dGeomID geom)
{
    peg_arrays arrays;
    dGeomID leaf = peg_geom_leaf(geom);
    return dGeomGetClass(leaf) == dConvexClass &&
           (entry->no_convex || !peg_geom_arrays(leaf, &arrays));
}

static int is_exact(const peg_world_entry *entry, dGeomID a, dGeomID b)
{
    return pegPairCollisionMode(a, b) != PEG_COLLISION_NONE && !is_unseen_convex(entry, a) &&
           !is_unseen_convex(entry, b) && peg_model_has(a) && peg_model_has(b);
}

/* Names the geoms of a contact as they lie in spaces. 0: it is not theirs as contacts must see it
 * here, but made up by the program, of a ray, or acts on other bodies. */
static int name_geoms(const peg_world_entry *entry, peg_record *r)
{
    dGeomID a = r->contact.geom.g1, b = r->contact.geom.g2;
    if (!a || !b) return 0;
    int known = !entry->no_convex && peg_finding_is_exact(entry, a, b);
    if (!known) {
        a = peg_geom_outer(a);
        b = peg_geom_outer(b);
        if (!a || !b || !is_exact(entry, a, b)) return 0;
    }
    dBodyID x = dGeomGetBody(a), y = dGeomGetBody(b);
    if ((x != r->body[0] || y != r->body[1]) && (x != r->body[1] || y != r->body[0])) return 0;
    r->contact.geom.g1 = a;
    r->contact.geom.g2 = b;
    return 1;
}

/* The program has the contacts of these geoms act on something else: they are ODE's from now on,
 * and not reported before geoms touch. */
static void leave(peg_world_entry *entry, const dContactGeom *c)
{
    static const char text[] =
        "a contact keeps ODE's joint: it is not of two geoms and their bodies "
        "(made up by the program, of a ray, one-sided), or one of the geoms "
        "has no exact contacts";
    dGeomID a = peg_geom_outer(c->g1), b = peg_geom_outer(c->g2);
    if (!entry->said_left) peg_log("world %d: %s", entry->number, text);
    entry->said_left = 1;
    peg_unsupported(text);
    if (a && b) peg_leave_to_ode(entry, a, b);
}

static int same_pair(const dContactGeom *a, const dContactGeom *b)
{
    return (a->g1 == b->g1 && a->g2 == b->g2) || (a->g1 == b->g2 && a->g2 == b->g1);
}

/* The feedback of all joints of a pair is gathered in the first one's record and divided later. */
static dJointFeedback *share_feedback(peg_world_entry *entry, size_t i)
{
    peg_record *r = &entry->record[i], *first = r;
    r->shares = 0;
    r->share = i;
    if (!dJointGetFeedback(r->joint)) return NULL;
    for (size_t k = 0; k < i && first == r; k++) {
        peg_record *before = &entry->record[k];
        if (before->taken && before->shares && same_pair(&before->contact.geom, &r->contact.geom))
            first = before;
    }
    first->shares++;
    r->share = (size_t)(first - entry->record);
    return &first->whole;
}

/* ODE's joints take a negative coefficient as 0. */
static void clear_negative(dSurfaceParameters *s)
{
    dReal *const of[] = {&s->mu, &s->mu2, &s->rho, &s->rho2, &s->rhoN};
    for (int i = 0; i < 5; i++)
        if (*of[i] < 0) *of[i] = 0;
}

static int is_mobile(dBodyID body)
{
    return body && !dBodyIsKinematic(body);
}

/* Hands the record over; 0 if its joint must stay one of ODE's. */
static int hand_over(peg_world_entry *entry, size_t i)
{
    peg_record *r = &entry->record[i];
    if (!name_geoms(entry, r)) {
        leave(entry, &r->contact.geom);
        return 0;
    }
    clear_negative(&r->contact.surface);
    return pegWorldAddPairContact(entry->peg, &r->contact, share_feedback(entry, i)) == PEG_OK;
}

static int is_to_take(peg_record *r)
{
    r->taken = 0;
    if (!dJointIsEnabled(r->joint)) return 0;
    for (int k = 0; k < 2; k++) r->body[k] = dJointGetBody(r->joint, k);
    return is_mobile(r->body[0]) || is_mobile(r->body[1]);
}

/* Another contact of the pair, with the same surface: nothing new. */
static int repeats(const peg_record *r, const peg_record *first, const dGeomID as_made[2])
{
    const dContact *a = &r->contact;
    return a->geom.g1 == as_made[0] && a->geom.g2 == as_made[1] && r->body[0] == first->body[0] &&
           r->body[1] == first->body[1] && !(a->surface.mode & dContactFDir1) &&
           !dJointGetFeedback(r->joint) && !dJointGetFeedback(first->joint) &&
           peg_surface_equal(&a->surface, &first->contact.surface);
}

/* Takes the record, and those after it that repeat it; how many. */
static size_t take(peg_world_entry *entry, size_t i, size_t *next)
{
    peg_record *first = &entry->record[i];
    const dGeomID as_made[2] = {first->contact.geom.g1, first->contact.geom.g2};
    *next = i + 1;
    if (!is_to_take(first)) return 0;
    if (!hand_over(entry, i)) {
        entry->stock_contacts++;
        return 0;
    }
    double depth = first->contact.geom.depth;
    first->taken = 1;
    peg_ode->dJointAttach(first->joint, NULL, NULL);
    for (; *next < entry->records; ++*next) {
        peg_record *r = &entry->record[*next];
        if (!is_to_take(r) || !repeats(r, first, as_made)) break;
        depth = fmin(depth, r->contact.geom.depth);
        r->taken = 1;
        r->shares = 0;
        r->share = (*next);
        peg_ode->dJointAttach(r->joint, NULL, NULL);
    }
    first->contact.geom.depth = depth;
    peg_keep_depth(entry, &first->contact.geom);
    return *next - i;
}

static void divide_feedback(const peg_world_entry *entry, const peg_record *r)
{
    dJointFeedback *out = dJointGetFeedback(r->joint);
    const peg_record *first = &entry->record[r->share];
    if (!out || !first->shares) return;
    for (int k = 0; k < 3; k++) {
        out->f1[k] = first->whole.f1[k] / first->shares;
        out->t1[k] = first->whole.t1[k] / first->shares;
        out->f2[k] = first->whole.f2[k] / first->shares;
        out->t2[k] = first->whole.t2[k] / first->shares;
    }
}

void peg_contacts_give_back(peg_world_entry *entry, int stepped)
{
    for (size_t i = 0; i < entry->records; i++) {
        peg_record *r = &entry->record[i];
        if (!r->taken) continue;
        r->taken = 0;
        peg_ode->dJointAttach(r->joint, r->body[0], r->body[1]);
        if (stepped) divide_feedback(entry, r);
    }
}

size_t peg_contacts_take(peg_world_entry *entry)
{
    size_t taken = 0;
    for (size_t i = 0, next; i < entry->records; i = next) taken += take(entry, i, &next);
    return taken;
}
