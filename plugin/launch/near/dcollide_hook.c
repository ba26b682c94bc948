/* dCollide, with contacts of geoms that are about to touch.
 *
 * Exact contacts keep geoms apart, so ODE would find none. The contacts that it would find if the
 * geoms touched are those of one of them made larger by their distance: that one's copy, larger by
 * the reach of the pair, is given to ODE's own dCollide, and what it finds is put right. A pair
 * that moves by more than it is thick is tried at several places on its way. Positions are good to
 * the reach; the contact's purpose is to be made a joint of. */
#include "ode_glue/read/geom.h"
#include "plugin/launch/near/dcollide_hook.h"
#include "plugin/launch/near/geom_copy.h"
#include "plugin/launch/near/geom_distance.h"
#include "plugin/launch/near/geom_extent.h"
#include "plugin/launch/near/geom_motion.h"
#include "plugin/launch/near/heightfield_mesh.h"
#include "plugin/launch/near/recall.h"
#include "plugin/launch/near/space_collide_hook.h"
#include "plugin/launch/world/geom_registry.h"
#include "plugin/launch/world/heightfields.h"

/* Share of the smaller width that a pair may move from one try to the next. */
#define STRIDE    0.3
#define TRIES_MAX 64

/* ODE's contacts. It finds those of a mesh and a convex geom in this order alone: the other is
 * turned round. */
static int ask_ode(dGeomID a, dGeomID b, peg_output *out)
{
    int n = peg_ode->dCollide(a, b, out->flags, out->contact, out->skip);
    if (n > 0 || dGeomGetClass(a) != dTriMeshClass || dGeomGetClass(b) != dConvexClass) return n;
    n = peg_ode->dCollide(b, a, out->flags, out->contact, out->skip);
    for (int i = 0; i < n; i++) {
        dContactGeom *p = peg_contact_at(out->contact, out->skip, i), turned = *p;
        for (int k = 0; k < 3; k++) p->normal[k] = -turned.normal[k];
        p->g1 = turned.g2;
        p->g2 = turned.g1;
        p->side1 = turned.side2;
        p->side2 = turned.side1;
    }
    return n;
}

/* Contacts of the pair with one of them larger by `by`, and the first moved by `shift` relative to
 * the second. */
static int collide_copy(const peg_meeting *m, double by, const double shift[3], peg_output *out)
{
    int which = peg_copy_ease(m->geom[1]) > peg_copy_ease(m->geom[0]);
    dGeomID own = m->geom[which];
    double moved[3];
    peg_geom_copy copy;
    for (int k = 0; k < 3; k++) moved[k] = which == 0 ? shift[k] : -shift[k];
    dGeomID c = peg_geom_copy_open(m->entry, own, by, moved, &copy);
    int n = !c ? 0 : which == 0 ? ask_ode(c, m->geom[1], out) : ask_ode(m->geom[0], c, out);
    peg_geom_copy_close(&copy);
    for (int i = 0; i < n; i++) {
        dContactGeom *p = peg_contact_at(out->contact, out->skip, i);
        if (p->g1 == c) p->g1 = peg_geom_named(own);
        if (p->g2 == c) p->g2 = peg_geom_named(own);
    }
    return n;
}

/* Whether the motion of the pair leaves more of a gap along n, which points into the first, than
 * counts as contact. */
static int stays_open(const peg_meeting *m, const double n[3], double gap)
{
    double closing = -peg_dot(n, m->closing);
    return gap - PEG_NEAR_MOTION * fmax(0, closing) - m->turning > PEG_NEAR_MARGIN * m->size;
}

/* Takes the contacts that count to the front. `by`: what they were brought nearer by; t: the part
 * of the way that was gone; 0: none, and all contacts are to count that the pair's motion can
 * close. */
static int put_right(const peg_meeting *m, double by, double t, peg_output *out, int n)
{
    int kept = 0;
    out->rest = fmax(0, 1 - t);
    for (int i = 0; i < n; i++) {
        dContactGeom *p = peg_contact_at(out->contact, out->skip, i);
        double gap = by - p->depth;
        if (t == 0 && stays_open(m, p->normal, gap)) continue;
        p->depth = -gap;
        memmove(peg_contact_at(out->contact, out->skip, kept++), p, sizeof *p);
    }
    return kept;
}

/* Two meshes: moved towards each other from all sides. */
static int collide_meshes(const peg_meeting *m, peg_output *out)
{
    for (int i = 0; i < 6; i++) {
        double shift[3] = {0};
        shift[(i + 2) % 3] = i < 3 ? -m->reach : m->reach;
        int n = collide_copy(m, 0, shift, out);
        if (n) return put_right(m, m->reach, 0, out, n);
    }
    return 0;
}

static int collide_near(const peg_meeting *m, peg_output *out)
{
    static const double none[3] = {0, 0, 0};
    double motion = m->reach - PEG_NEAR_MARGIN * m->size, stride = STRIDE * m->width;
    int tries = motion > stride && stride > 0 ? (int)fmin(TRIES_MAX, ceil(motion / stride)) : 0;
    if (peg_copy_ease(m->geom[0]) <= 1 && peg_copy_ease(m->geom[1]) <= 1)
        return collide_meshes(m, out);
    if (!tries) return put_right(m, m->reach, 0, out, collide_copy(m, m->reach, none, out));
    double by = PEG_NEAR_MARGIN * m->size + m->turning + .5 * motion / tries;
    for (int i = 0; i <= tries; i++) {
        double t = PEG_NEAR_MOTION * i / tries, shift[3];
        for (int k = 0; k < 3; k++) shift[k] = t * m->closing[k];
        int n = collide_copy(m, by, shift, out);
        if (n) return put_right(m, by, fmax(t, 1e-9), out, n);
    }
    return 0;
}

/* With the part of a heightfield that lies by the other geom in the place of the field. */
static int collide_field(const peg_meeting *m, peg_output *out)
{
    peg_field_mesh mesh;
    int n = 0;
    for (int which = 0; which < 2 && n == 0; which++) {
        peg_meeting with = *m;
        dReal box[6];
        dGeomGetAABB(m->geom[1 - which], box);
        for (int k = 0; k < 6; k++) box[k] += k % 2 ? m->reach : -m->reach;
        if (!peg_field_mesh_make(m->geom[which], box, &mesh)) continue;
        with.geom[which] = mesh.geom;
        n = collide_near(&with, out);
        for (int i = 0; i < n; i++) {
            dContactGeom *p = peg_contact_at(out->contact, out->skip, i);
            *(which == 0 ? &p->g1 : &p->g2) = peg_geom_named(m->geom[which]);
        }
        peg_field_mesh_free(&mesh);
    }
    return n;
}

/* ---- dCollide -------------------------------------------------------------------------------- */

static int is_seen(dGeomID geom)
{
    peg_arrays arrays;
    dGeomID leaf = peg_geom_leaf(geom);
    return dGeomGetClass(leaf) != dConvexClass || peg_geom_arrays(leaf, &arrays);
}

static int is_kept_apart(dGeomID a, dGeomID b)
{
    return pegPairCollisionMode(a, b) == PEG_COLLISION_EXACT && is_seen(a) && is_seen(b) &&
           peg_model_has(a) && peg_model_has(b);
}

/* What is kept of the pair; null: nothing. */
static peg_finding *finding_of(peg_world_entry *entry, dGeomID a, dGeomID b)
{
    if (!entry || !peg_can_recall(a) || !peg_can_recall(b)) return NULL;
    peg_finding *f = peg_finding_of(entry, a, b);
    if (f && !f->is_of) f->is_of = is_kept_apart(a, b) ? 1 : -1;
    return f;
}

/* 1: exact contacts keep the pair apart, and this is its meeting; 0: what ODE finds counts. */
static int meet(peg_world_entry *entry, dGeomID a, dGeomID b, const peg_finding *f, peg_meeting *m)
{
    int apart = f ? f->is_of > 0 : entry && is_kept_apart(a, b);
    return apart && peg_meeting_measure(entry, a, b, m);
}

static void note_seen(dGeomID a, dGeomID b, const peg_output *out, int n)
{
    for (int i = 0; i < n; i++) {
        const dContactGeom *p = peg_contact_at(out->contact, out->skip, i);
        const dContactGeom *last = i ? peg_contact_at(out->contact, out->skip, i - 1) : NULL;
        if (!last || last->g1 != p->g1) peg_geom_seen(p->g1, a);
        if (!last || last->g2 != p->g2) peg_geom_seen(p->g2, b);
    }
}

/* Contacts across gaps, with depths < 0. The direction: what told the geoms apart, or 0. */
static int find_across(const peg_meeting *m, double direction[3], peg_output *out)
{
    int n = collide_near(m, out);
    if (n == 0) n = collide_field(m, out);
    if (n > 0)
        peg_copy3(out->contact->normal, direction);
    else if (peg_geom_distance(m->entry, m->geom[0], m->geom[1], m->reach, direction, out->contact))
        n = put_right(m, 0, 0, out, 1);
    return n;
}

static int find(const peg_meeting *m, peg_finding *f, peg_output *out)
{
    double none[3] = {0}, *direction = f ? f->direction : none;
    double apart = peg_geom_apart(m->geom[0], m->geom[1], m->reach, direction);
    int n = 0;
    if (apart > m->reach || (apart > 0 && stays_open(m, direction, apart))) return 0;
    if (f && peg_finding_recall(f, m, out, &n)) return n;
    if (apart <= 0) n = ask_ode(m->geom[0], m->geom[1], out);
    if (n > 0) {
        for (int i = 0; i < n; i++)
            peg_meeting_deepen(m, peg_contact_at(out->contact, out->skip, i));
    } else {
        n = find_across(m, direction, out);
        if (f) peg_finding_keep(f, m, out, n);
        for (int i = 0; i < n; i++)
            peg_meeting_expect(m, 0, out->rest, peg_contact_at(out->contact, out->skip, i));
    }
    note_seen(m->geom[0], m->geom[1], out, n);
    return n;
}

static int collide_leaves(dGeomID a, dGeomID b, peg_output *out)
{
    const dGeomID pair[2] = {a, b};
    dBodyID body = dGeomGetBody(a) ? dGeomGetBody(a) : dGeomGetBody(b);
    peg_world_entry *entry = peg_world_entry_of_body(body);
    peg_finding *f = finding_of(entry, a, b);
    peg_meeting m;
    int n;
    if (f && peg_finding_answer(f, entry, pair, out, &n)) return n;
    if (!meet(entry, a, b, f, &m)) {
        n = ask_ode(a, b, out);
        note_seen(a, b, out, n);
        return n;
    }
    n = find(&m, f, out);
    if (f) peg_finding_keep_answer(f, entry, pair, out, n);
    return n;
}

static void gather(void *data, dGeomID a, dGeomID b)
{
    peg_output *g = data;
    int room = (g->flags & 0xffff) - g->n;
    if (room <= 0) return;
    g->n += peg_collide(a, b, (g->flags & ~0xffff) | room,
                        peg_contact_at(g->contact, g->skip, g->n), g->skip);
}

int peg_collide(dGeomID a, dGeomID b, int flags, dContactGeom *contact, int skip)
{
    if (peg_inside || !a || !b) return peg_ode->dCollide(a, b, flags, contact, skip);
    peg_output out = {contact, flags, skip, 0, 0};
    if (dGeomIsSpace(a) || dGeomIsSpace(b)) {
        peg_space_collide2(a, b, &out, gather);
        return out.n;
    }
    peg_geom_prepare(a);
    peg_geom_prepare(b);
    peg_inside++;
    int n = collide_leaves(a, b, &out);
    peg_inside--;
    return n;
}
