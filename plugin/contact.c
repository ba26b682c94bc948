/* Telling of contacts. */
#include "plugin/contact.h"
#include "ode_glue/read/feature.h"
#include "ode_glue/write/contacts.h"

int pegWorldGetContactCount(pegWorldID peg)
{
    const peg_contact *contact;
    return peg && peg->glue->scene.np ? peg_contacts(peg->glue->core, &contact) : 0;
}

_Static_assert((int)PEG_VERTEX_FACE == PEG_FEATURES_VF && (int)PEG_FACE_VERTEX == PEG_FEATURES_FV &&
                   (int)PEG_EDGE_EDGE == PEG_FEATURES_EE &&
                   (int)PEG_VERTEX_VERTEX == PEG_FEATURES_VV &&
                   (int)PEG_VERTEX_EDGE == PEG_FEATURES_VE &&
                   (int)PEG_EDGE_VERTEX == PEG_FEATURES_EV &&
                   (int)PEG_FEATURES_UNKNOWN == PEG_FEATURES_EXTERNAL,
               "the program's names of features are the core's");

void peg_name_features(const peg_glue *glue, const peg_contact *contact, pegContact *out)
{
    const peg_part *a = &glue->scene.part[contact->part_a], *b = &glue->scene.part[contact->part_b];
    peg_feature_kind kind = (peg_feature_kind)contact->kind;
    int reversed = kind == PEG_FEATURES_FV; /* i is a vertex of B, j a face of A */
    out->features = (pegFeatures)kind;
    out->feature1 = out->feature2 = -1;
    if (kind == PEG_FEATURES_EXTERNAL) return;
    int i = peg_feature_number(reversed ? b : a, peg_feature_of(kind, 0), contact->i);
    int j = peg_feature_number(reversed ? a : b, peg_feature_of(kind, 1), contact->j);
    out->feature1 = reversed ? j : i;
    out->feature2 = reversed ? i : j;
}

/* Velocity of the body at the point after the step, as ODE has it if nothing else acts. */
static void velocity_at(const peg_glue *glue, int part, const double point[3], double out[3])
{
    const peg_scene *scene = &glue->scene;
    int body = scene->part[part].body;
    double x[3], arm[3], turn[3];
    for (int k = 0; k < 3; k++) out[k] = 0;
    if (body < 0) return;
    const peg_body *b = &scene->body[body];
    const double *v = b->kind == PEG_DYNAMIC ? b->v_end : b->v;
    peg_add_scaled(b->x, scene->h, b->kind == PEG_DYNAMIC ? b->v_pose : b->v, x);
    peg_sub(point, x, arm);
    peg_cross(v + 3, arm, turn);
    for (int k = 0; k < 3; k++) out[k] = v[k] + turn[k];
}

/* Where the surfaces are: a vertex is the contact's point, of others that is the middle. */
static void place(const peg_contact *c, pegContact *out)
{
    double of_a = c->kind == PEG_FEATURES_VF ? 0 : c->kind == PEG_FEATURES_FV ? 1 : .5;
    peg_add_scaled(c->point, of_a * c->gap, c->normal, out->pos1);
    peg_add_scaled(c->point, (of_a - 1) * c->gap, c->normal, out->pos2);
}

/* As it was in the step: neither this nor the shapes look at objects that may be gone since. */
static dBodyID body_of(const peg_glue *glue, int part)
{
    int body = glue->scene.part[part].body;
    return body >= 0 ? glue->link[body].id : NULL;
}

static void tell(const peg_glue *glue, const peg_contact *c, pegContact *out)
{
    const peg_part *part = glue->scene.part;
    const peg_shape *a = part[c->part_a].user, *b = part[c->part_b].user;
    double va[3], vb[3];
    *out = (pegContact){.g1 = a->named, .g2 = b->named};
    out->gap = c->gap;
    peg_copy3(c->point, out->pos);
    peg_copy3(c->normal, out->normal); /* from B to A, so into g1's body as ODE has it */
    out->impulse = c->impulse;
    peg_copy3(c->friction, out->friction);
    peg_name_features(glue, c, out);
    out->body1 = body_of(glue, c->part_a);
    out->body2 = body_of(glue, c->part_b);
    place(c, out);
    velocity_at(glue, c->part_a, c->point, va);
    velocity_at(glue, c->part_b, c->point, vb);
    peg_sub(va, vb, out->velocity);
    out->h = glue->scene.h;
}

pegStatus pegWorldGetContact(pegWorldID peg, int index, pegContact *out)
{
    const peg_contact *contact;
    if (!peg || !out || index < 0 || index >= pegWorldGetContactCount(peg))
        return PEG_ERROR_ARGUMENT;
    peg_glue_contacts(peg->glue, &contact);
    tell(peg->glue, &contact[index], out);
    return PEG_OK;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void swap_vectors(dReal *a, dReal *b)
{
    for (int k = 0; k < 3; k++) {
        dReal swap = a[k];
        a[k] = b[k];
        b[k] = swap;
    }
}

/* The contact seen from its other side. */
static void turn(pegContact *c)
{
    static const pegFeatures other[] = {[PEG_VERTEX_FACE] = PEG_FACE_VERTEX,
                                        [PEG_FACE_VERTEX] = PEG_VERTEX_FACE,
                                        [PEG_EDGE_EDGE] = PEG_EDGE_EDGE,
                                        [PEG_VERTEX_VERTEX] = PEG_VERTEX_VERTEX,
                                        [PEG_VERTEX_EDGE] = PEG_EDGE_VERTEX,
                                        [PEG_EDGE_VERTEX] = PEG_VERTEX_EDGE,
                                        [PEG_FEATURES_UNKNOWN] = PEG_FEATURES_UNKNOWN};
    dGeomID g = c->g1;
    dBodyID body = c->body1;
    int feature = c->feature1;
    c->g1 = c->g2, c->g2 = g;
    c->body1 = c->body2, c->body2 = body;
    c->feature1 = c->feature2, c->feature2 = feature;
    c->features = other[c->features];
    swap_vectors(c->pos1, c->pos2);
    for (int k = 0; k < 3; k++) {
        c->normal[k] = -c->normal[k];
        c->friction[k] = -c->friction[k];
        c->velocity[k] = -c->velocity[k];
    }
}

/* Which of the contact's sides is asked for: 0, 1, or neither: -1. */
typedef int side_function(const peg_glue *glue, const peg_contact *c, const void *asked);

static int is_geom(const peg_shape *s, dGeomID geom)
{
    return s->geom == geom || s->is.leaf == geom || s->named == geom;
}

static int side_of_pair(const peg_glue *glue, const peg_contact *c, const void *asked)
{
    const dGeomID *geom = asked;
    const peg_shape *a = glue->scene.part[c->part_a].user, *b = glue->scene.part[c->part_b].user;
    if (is_geom(a, geom[0]) && is_geom(b, geom[1])) return 0;
    return is_geom(a, geom[1]) && is_geom(b, geom[0]) ? 1 : -1;
}

static int side_of_body(const peg_glue *glue, const peg_contact *c, const void *asked)
{
    const dBodyID *body = asked;
    return body_of(glue, c->part_a) == *body ? 0 : body_of(glue, c->part_b) == *body ? 1 : -1;
}

static void add(const peg_glue *glue, const peg_contact *c, int side, pegContactForce *sum)
{
    const peg_scene *scene = &glue->scene;
    int body = scene->part[side ? c->part_b : c->part_a].body;
    double sign = (side ? -1 : 1) / scene->h, f[3], centre[3], arm[3], turned[3];
    for (int k = 0; k < 3; k++) f[k] = sign * (c->impulse * c->normal[k] + c->friction[k]);
    sum->contacts++;
    sum->normal_force += c->impulse / scene->h;
    sum->friction_force += peg_norm(c->friction) / scene->h;
    peg_add_scaled(sum->force, 1, f, sum->force);
    if (body < 0) return;
    const peg_body *b = &scene->body[body];
    peg_add_scaled(b->x, scene->h, b->kind == PEG_DYNAMIC ? b->v_pose : b->v, centre);
    peg_sub(c->point, centre, arm);
    peg_cross(arm, f, turned);
    peg_add_scaled(sum->torque, 1, turned, sum->torque);
}

static pegStatus sum_up(pegWorldID peg, side_function *side_of, const void *asked,
                        pegContactForce *sum, pegContact *contact, int room)
{
    const peg_contact *c;
    pegContactForce unwanted;
    if (room < 0 || (room > 0 && !contact)) return PEG_ERROR_ARGUMENT;
    if (!sum) sum = &unwanted;
    *sum = (pegContactForce){0};
    int n = peg_glue_contacts(peg->glue, &c);
    for (int i = 0; i < n; i++) {
        int side = side_of(peg->glue, &c[i], asked);
        if (side < 0) continue;
        if (sum->contacts < room) {
            tell(peg->glue, &c[i], &contact[sum->contacts]);
            if (side) turn(&contact[sum->contacts]);
        }
        add(peg->glue, &c[i], side, sum);
    }
    return PEG_OK;
}

pegStatus pegWorldGetPairForce(pegWorldID peg, dGeomID g1, dGeomID g2, pegContactForce *sum,
                               pegContact *contacts, int room)
{
    const dGeomID pair[2] = {g1, g2};
    if (!peg || !g1 || !g2) return PEG_ERROR_ARGUMENT;
    return sum_up(peg, side_of_pair, pair, sum, contacts, room);
}

pegStatus pegWorldGetBodyForce(pegWorldID peg, dBodyID body, pegContactForce *sum,
                               pegContact *contacts, int room)
{
    if (!peg || !body) return PEG_ERROR_ARGUMENT;
    return sum_up(peg, side_of_body, &body, sum, contacts, room);
}
