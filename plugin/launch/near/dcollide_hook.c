/* dCollide, with contacts of geoms that are about to touch.
 *
 * Exact contacts keep geoms apart, so ODE would find none. The contacts that it would find if the
 * geoms touched are those of one of them made larger by their distance: that one's copy, larger by
 * the reach of the pair, is given to ODE's own dCollide, and what it finds is put right. A pair
 * that moves by more than it is thick is tried at several places on its way. Positions are good to
 * the reach; the contact's purpose is to be made a joint of. */
#include "ode_glue/read/geom.h"
#include "plugin/launch/near/dcollide_hook.h"
#include "plugin/launch/near/geom_distance.h"
#include "plugin/launch/near/heightfield_mesh.h"
#include "plugin/launch/near/geom_motion.h"
#include "plugin/launch/near/space_collide_hook.h"
#include "plugin/launch/world/geom_registry.h"
#include "plugin/launch/world/heightfields.h"
#include "plugin/launch/world/pair_history.h"

/* Share of the smaller width that a pair may move from one try to the next. */
#define STRIDE    0.3
#define TRIES_MAX 64
/* Least depth that is reported, relative to the size: the gap that exact contacts keep. Programs
 * skip depths of 0. */
#define LEAST_DEPTH 1e-5

/* Two geoms, as far as they matter here. */
typedef struct meeting {
    dGeomID geom[2];
    peg_world_entry *entry;
    double size, width; /* m, of the smaller one */
    double reach;       /* m: up to which they count */
    double turning;     /* m: part of it that comes from turning */
    double closing[3];  /* m: way of the first relative to the second in the coming step */
    double falling[3];  /* m: what gravity alone adds to the way of one of them */
    double usual;       /* m: depth at which the program made contact joints of the pair */
} meeting;

/* What dCollide was asked for. */
typedef struct output {
    dContactGeom *contact;
    int flags, skip;
    int n; /* found so far, where there are several pairs */
} output;

/* ---- copies ---------------------------------------------------------------------------------- */

/* The one to enlarge: where a larger one is its shape with all distances from it, first. A mesh (1)
 * can only be moved. */
static int ease_of(dGeomID geom)
{
    switch (dGeomGetClass(peg_geom_leaf(geom))) {
    case dSphereClass:
        return 7;
    case dCapsuleClass:
        return 6;
    case dBoxClass:
        return 5;
    case dCylinderClass:
        return 4;
    case dConvexClass:
        return 3;
    case dPlaneClass:
        return 2;
    case dTriMeshClass:
        return 1;
    default:
        return 0;
    }
}

/* A convex geom's arrays, scaled about its middle so that every face moves out by at least `by`. */
typedef struct larger {
    dReal *planes, *points;
    double middle[3], factor;
} larger;

static int enlarge_arrays(const peg_arrays *a, double by, larger *out)
{
    double least = INFINITY;
    out->planes = peg_alloc(a->planecount * 4 * sizeof(dReal));
    out->points = peg_alloc(a->pointcount * 3 * sizeof(dReal));
    if (!out->planes || !out->points) return 0;
    for (int k = 0; k < 3; k++) {
        out->middle[k] = 0;
        for (unsigned i = 0; i < a->pointcount; i++)
            out->middle[k] += a->points[3 * i + k] / a->pointcount;
    }
    for (unsigned i = 0; i < a->planecount; i++)
        least = fmin(least, a->planes[4 * i + 3] - peg_dot(a->planes + 4 * i, out->middle));
    out->factor = least > 0 ? 1 + by / least : 1;
    for (unsigned i = 0; i < a->planecount; i++) {
        double d = peg_dot(a->planes + 4 * i, out->middle);
        for (int k = 0; k < 3; k++) out->planes[4 * i + k] = a->planes[4 * i + k];
        out->planes[4 * i + 3] = d + out->factor * (a->planes[4 * i + 3] - d);
    }
    for (unsigned i = 0; i < a->pointcount; i++)
        for (int k = 0; k < 3; k++)
            out->points[3 * i + k] =
                out->middle[k] + out->factor * (a->points[3 * i + k] - out->middle[k]);
    return 1;
}

static dGeomID copy_convex(dGeomID geom, double by, larger *held)
{
    peg_arrays a;
    if (!peg_geom_arrays(geom, &a) || !enlarge_arrays(&a, by, held)) return NULL;
    return peg_ode->dCreateConvex(NULL, held->planes, a.planecount, held->points, a.pointcount,
                                  a.polygons);
}

/* A copy of a leaf without a body, larger by `by`. */
static dGeomID copy(dGeomID geom, double by, larger *held)
{
    dVector4 p;
    dReal radius, length;
    switch (dGeomGetClass(geom)) {
    case dSphereClass:
        return dCreateSphere(NULL, dGeomSphereGetRadius(geom) + by);
    case dCapsuleClass:
        dGeomCapsuleGetParams(geom, &radius, &length);
        return dCreateCapsule(NULL, radius + by, length);
    case dBoxClass:
        dGeomBoxGetLengths(geom, p);
        return dCreateBox(NULL, p[0] + 2 * by, p[1] + 2 * by, p[2] + 2 * by);
    case dCylinderClass:
        dGeomCylinderGetParams(geom, &radius, &length);
        return dCreateCylinder(NULL, radius + by, length + 2 * by);
    case dPlaneClass:
        dGeomPlaneGetParams(geom, p);
        return dCreatePlane(NULL, p[0], p[1], p[2], p[3] + by);
    case dTriMeshClass:
        return dCreateTriMesh(NULL, dGeomTriMeshGetTriMeshDataID(geom), NULL, NULL, NULL);
    case dConvexClass:
        return copy_convex(geom, by, held);
    default:
        return NULL;
    }
}

/* ---- where and how --------------------------------------------------------------------------- */

/* Adds the geom's way in the coming step, without contact. */
static void add_way(meeting *m, dGeomID geom, double sign)
{
    dBodyID body = dGeomGetBody(geom);
    double h = m->entry->h;
    dVector3 g = {0};
    if (!body || !dBodyIsEnabled(body)) return;
    if (!dBodyIsKinematic(body) && dBodyGetGravityMode(body)) dWorldGetGravity(m->entry->world, g);
    const dReal *v = dBodyGetLinearVel(body);
    for (int k = 0; k < 3; k++) {
        m->closing[k] += sign * h * (v[k] + h * g[k]);
        if (g[k] != 0) m->falling[k] = h * h * g[k];
    }
}

/* Infinite for what is flat: the other one's width counts. */
static double least_width(const dReal box[6])
{
    double width = fmin(box[1] - box[0], fmin(box[3] - box[2], box[5] - box[4]));
    return width > 0 ? width : INFINITY;
}

/* Boxes around a pair of which one may move; 0 if they are too far from each other. */
static int measure(dGeomID a, dGeomID b, meeting *m)
{
    dBodyID body = dGeomGetBody(a) ? dGeomGetBody(a) : dGeomGetBody(b);
    dReal box[2][6];
    *m = (meeting){{a, b}, .entry = peg_world_entry_of_body(body)};
    if (!m->entry || peg_is_left_to_ode(m->entry, a, b)) return 0;
    dGeomGetAABB(a, box[0]);
    dGeomGetAABB(b, box[1]);
    m->size = fmin(peg_box_size(box[0]), peg_box_size(box[1]));
    m->width = fmin(least_width(box[0]), least_width(box[1]));
    double motion = peg_geom_motion(a, box[0]) + peg_geom_motion(b, box[1]);
    m->reach = PEG_NEAR_MARGIN * m->size + motion;
    add_way(m, a, 1);
    add_way(m, b, -1);
    m->usual = peg_usual_depth(m->entry, a, b);
    m->turning = fmax(0, motion - PEG_NEAR_MOTION * peg_norm(m->closing));
    for (int k = 0; k < 3; k++)
        if (box[0][2 * k] - box[1][2 * k + 1] > m->reach ||
            box[1][2 * k] - box[0][2 * k + 1] > m->reach)
            return 0;
    return isfinite(m->reach);
}

static dContactGeom *contact_at(dContactGeom *contact, int skip, int i)
{
    return (dContactGeom *)((char *)contact + (size_t)i * (size_t)skip);
}

/* ODE's contacts. It finds those of a mesh and a convex geom in this order alone: the other is
 * turned round. */
static int ask_ode(dGeomID a, dGeomID b, const output *out)
{
    int n = peg_ode->dCollide(a, b, out->flags, out->contact, out->skip);
    if (n > 0 || dGeomGetClass(a) != dTriMeshClass || dGeomGetClass(b) != dConvexClass) return n;
    n = peg_ode->dCollide(b, a, out->flags, out->contact, out->skip);
    for (int i = 0; i < n; i++) {
        dContactGeom *p = contact_at(out->contact, out->skip, i), turned = *p;
        for (int k = 0; k < 3; k++) p->normal[k] = -turned.normal[k];
        p->g1 = turned.g2;
        p->g2 = turned.g1;
        p->side1 = turned.side2;
        p->side2 = turned.side1;
    }
    return n;
}

/* Places the copy of the geom where that lies, but for the shift. */
static void place(dGeomID c, dGeomID geom, const double shift[3])
{
    double x[3], R[9];
    dMatrix3 rotation = {0};
    if (dGeomGetClass(c) == dPlaneClass) return;
    peg_geom_pose(geom, x, R);
    for (int i = 0; i < 9; i++) rotation[4 * (i / 3) + i % 3] = R[i];
    peg_ode->dGeomSetPosition(c, x[0] + shift[0], x[1] + shift[1], x[2] + shift[2]);
    peg_ode->dGeomSetRotation(c, rotation);
}

/* Contacts of the pair with one of them larger by `by`, and the first moved by `shift` relative to
 * the second. */
static int collide_copy(const meeting *m, double by, const double shift[3], const output *out)
{
    int which = ease_of(m->geom[1]) > ease_of(m->geom[0]);
    dGeomID own = m->geom[which];
    double moved[3];
    larger held = {0};
    dGeomID c = copy(peg_geom_leaf(own), by, &held);
    int n = 0;
    if (c) {
        for (int k = 0; k < 3; k++) moved[k] = which == 0 ? shift[k] : -shift[k];
        place(c, own, moved);
        n = which == 0 ? ask_ode(c, m->geom[1], out) : ask_ode(m->geom[0], c, out);
        peg_ode->dGeomDestroy(c);
    }
    peg_free(held.planes);
    peg_free(held.points);
    for (int i = 0; i < n; i++) {
        dContactGeom *p = contact_at(out->contact, out->skip, i);
        if (p->g1 == c) p->g1 = peg_geom_named(own);
        if (p->g2 == c) p->g2 = peg_geom_named(own);
    }
    return n;
}

/* The depth that a contact will have at the end of the step if one of the bodies is not held, or
 * the depth at which the program is used to take it, if that is more: a program that leaves shallow
 * contacts out would otherwise drop the bodies again that it just held. */
static double expected_depth(const meeting *m, const dContactGeom *c, double gap, double rest)
{
    double closing = -peg_dot(c->normal, m->closing),
           falling = fabs(peg_dot(c->normal, m->falling));
    return fmax(fmax(LEAST_DEPTH * m->size, m->usual), rest * fmax(closing, falling) - gap);
}

/* Takes the contacts that count to the front, with the depth that they are to have. `by`: what they
 * were brought nearer by; t: the part of the way that was gone; 0: none, and all contacts are to
 * count that the pair's motion can close. */
static int put_right(const meeting *m, double by, double t, const output *out, int n)
{
    int kept = 0;
    for (int i = 0; i < n; i++) {
        dContactGeom *p = contact_at(out->contact, out->skip, i);
        double closing = -peg_dot(p->normal, m->closing); /* the normal points into the first */
        double gap = by - p->depth;
        double most = PEG_NEAR_MOTION * fmax(0, closing) + m->turning;
        if (t == 0 && gap - most > PEG_NEAR_MARGIN * m->size) continue;
        p->depth = expected_depth(m, p, gap, fmax(0, 1 - t));
        memmove(contact_at(out->contact, out->skip, kept++), p, sizeof *p);
    }
    return kept;
}

/* Two meshes: moved towards each other from all sides. */
static int collide_meshes(const meeting *m, const output *out)
{
    for (int i = 0; i < 6; i++) {
        double shift[3] = {0};
        shift[(i + 2) % 3] = i < 3 ? -m->reach : m->reach;
        int n = collide_copy(m, 0, shift, out);
        if (n) return put_right(m, m->reach, 0, out, n);
    }
    return 0;
}

static int collide_near(const meeting *m, const output *out)
{
    static const double none[3] = {0, 0, 0};
    double motion = m->reach - PEG_NEAR_MARGIN * m->size, stride = STRIDE * m->width;
    int tries = motion > stride && stride > 0 ? (int)fmin(TRIES_MAX, ceil(motion / stride)) : 0;
    if (ease_of(m->geom[0]) <= 1 && ease_of(m->geom[1]) <= 1) return collide_meshes(m, out);
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
static int collide_field(const meeting *m, const output *out)
{
    peg_field_mesh mesh;
    int n = 0;
    for (int which = 0; which < 2 && n == 0; which++) {
        meeting with = *m;
        dReal box[6];
        dGeomGetAABB(m->geom[1 - which], box);
        for (int k = 0; k < 6; k++) box[k] += k % 2 ? m->reach : -m->reach;
        if (!peg_field_mesh_make(m->geom[which], box, &mesh)) continue;
        with.geom[which] = mesh.geom;
        n = collide_near(&with, out);
        for (int i = 0; i < n; i++) {
            dContactGeom *p = contact_at(out->contact, out->skip, i);
            *(which == 0 ? &p->g1 : &p->g2) = peg_geom_named(m->geom[which]);
        }
        peg_field_mesh_free(&mesh);
    }
    return n;
}

/* Contacts that ODE found: as deep as they are, but not less than before they were found. */
static void deepen(const meeting *m, const output *out, int n)
{
    for (int i = 0; i < n; i++) {
        dContactGeom *p = contact_at(out->contact, out->skip, i);
        p->depth = fmax(p->depth, fmax(LEAST_DEPTH * m->size, m->usual));
    }
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

static int collide_leaves(dGeomID a, dGeomID b, const output *out)
{
    meeting m;
    int n = ask_ode(a, b, out);
    if (is_kept_apart(a, b) && measure(a, b, &m)) {
        if (n > 0) deepen(&m, out, n);
        if (n == 0) n = collide_near(&m, out);
        if (n == 0) n = collide_field(&m, out);
        if (n == 0 && peg_geom_distance(m.entry, a, b, m.reach, out->contact))
            n = put_right(&m, 0, 0, out, 1);
    }
    for (int i = 0; i < n; i++) {
        const dContactGeom *p = contact_at(out->contact, out->skip, i);
        peg_geom_seen(p->g1, a);
        peg_geom_seen(p->g2, b);
    }
    return n;
}

static void gather(void *data, dGeomID a, dGeomID b)
{
    output *g = data;
    int room = (g->flags & 0xffff) - g->n;
    if (room <= 0) return;
    g->n += peg_collide(a, b, (g->flags & ~0xffff) | room, contact_at(g->contact, g->skip, g->n),
                        g->skip);
}

int peg_collide(dGeomID a, dGeomID b, int flags, dContactGeom *contact, int skip)
{
    if (peg_inside || !a || !b) return peg_ode->dCollide(a, b, flags, contact, skip);
    output out = {contact, flags, skip, 0};
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
