/* Drawing what the last step found, by functions of the program. */
#include "ode_glue/read/world_bodies.h"
#include "ode_glue/write/contacts.h"
#include "peg/collide/features.h"
#include "plugin/contact.h"

/* Corners that a cap is drawn with, of a section at most; colours of islands. */
enum { CORNERS_OF_CAP = 24, CORNERS_MAX = 256, COLOURS = 8 };

static const unsigned POINT_COLOUR = 0xffffff, NORMAL_COLOUR = 0x40c040, FORCE_COLOUR = 0xff8000,
                      FACET_COLOUR = 0xe0c020, ASLEEP_COLOUR = 0x808080, FIXED_COLOUR = 0xc0c0c0;
static const unsigned ISLAND_COLOUR[COLOURS] = {0x4477aa, 0xee6677, 0x228833, 0xccbb44,
                                                0x66ccee, 0xaa3377, 0xee9944, 0x9988dd};

typedef struct drawing {
    const pegDebugDraw *draw;
    peg_glue *glue;
    const peg_contact *contact;
    int contacts;
    int *island; /* of the bodies of the step */
} drawing;

static int wants(const drawing *d, pegDrawKind kind)
{
    return (d->draw->kinds & (unsigned)kind) != 0;
}

static void draw_segment(const drawing *d, pegDrawKind kind, const double from[3],
                         const double to[3], unsigned colour)
{
    dVector3 a = {from[0], from[1], from[2]}, b = {to[0], to[1], to[2]};
    if (d->draw->segment) d->draw->segment(d->draw->data, kind, a, b, colour);
}

/* ---- facets ---------------------------------------------------------------------------------- */

/* Pose of a part at the end of the step. */
typedef struct placed {
    const peg_part *part;
    double x[3], R[9];
} placed;

static placed place_at_end(const peg_scene *scene, int i)
{
    placed p = {.part = &scene->part[i]};
    peg_glue_part_at_end(scene, i, p.x, p.R);
    return p;
}

static void to_world(const placed *p, const double in_part[3], dVector3 out)
{
    peg_rotate(p->R, in_part, out);
    peg_add_scaled(out, 1, p->x, out);
}

static void draw_edge(const drawing *d, const placed *p, int edge)
{
    const peg_triangle_mesh *m = p->part->triangle_mesh;
    const peg_polytope *s = p->part->shape;
    if (edge < 0 || edge >= (m ? m->ne : s->ne)) return;
    const int *of = m ? m->edge[edge] : s->edge[edge].v;
    peg_vec3 *vertex = m ? m->vertex : s->vertex;
    dVector3 a, b;
    to_world(p, vertex[of[0]], a);
    to_world(p, vertex[of[1]], b);
    draw_segment(d, PEG_DRAW_FACET, a, b, FACET_COLOUR);
}

/* Corners of the triangle that has the number among those given; 0: none. */
static int triangle_corners(const placed *p, int number, dVector3 *corner)
{
    const peg_triangle_mesh *m = p->part->triangle_mesh;
    int t = 0;
    while (t < m->nt && m->source[t] != number) t++;
    for (int k = 0; k < 3 && t < m->nt; k++) to_world(p, m->vertex[m->triangle[t][k]], corner[k]);
    return t < m->nt ? 3 : 0;
}

/* A regular polygon about `centre`, in the plane across `n`, world coordinates. */
static int disc_corners(const dVector3 centre, const dVector3 n, double radius, int corners,
                        dVector3 *corner)
{
    dVector3 u, v;
    dPlaneSpace(n, u, v);
    for (int k = 0; k < corners; k++) {
        double angle = 2 * PEG_PI * (k + .5) / corners;
        peg_add_scaled(centre, radius * cos(angle), u, corner[k]);
        peg_add_scaled(corner[k], radius * sin(angle), v, corner[k]);
    }
    return corners;
}

/* Of a plane a square as large as the other part, about the contact. */
static int plane_corners(const placed *p, const placed *other, const peg_contact *c,
                         dVector3 *corner)
{
    dVector3 n, at;
    const peg_polytope *s = other->part->shape;
    double radius = s ? s->radius : other->part->triangle_mesh->radius;
    peg_rotate(p->R, p->part->shape->normal[0], n);
    double above = peg_dot(n, c->point) - p->part->shape->offset[0] - peg_dot(n, p->x);
    peg_add_scaled(c->point, -above, n, at);
    return isfinite(radius) ? disc_corners(at, n, radius, 4, corner) : 0;
}

static int face_corners(const placed *p, const placed *other, const peg_contact *c, int face,
                        dVector3 *corner)
{
    const peg_polytope *s = p->part->shape;
    dVector3 n, at;
    if (p->part->triangle_mesh) return triangle_corners(p, face, corner);
    if (peg_is_half_space(s)) return plane_corners(p, other, c, corner);
    if (face < 0 || face >= s->nf) return 0;
    if (peg_has_rim(s)) {
        peg_rotate(p->R, s->normal[face], n);
        to_world(p, s->vertex[s->face_vertex[s->face_start[face]]], at);
        return disc_corners(at, n, s->rim, CORNERS_OF_CAP, corner);
    }
    int first = s->face_start[face], corners = s->face_start[face + 1] - first;
    if (corners > CORNERS_MAX) corners = CORNERS_MAX;
    for (int k = 0; k < corners; k++) {
        peg_add_scaled(s->vertex[s->face_vertex[first + k]], s->round, s->normal[face], n);
        to_world(p, n, corner[k]);
    }
    return corners;
}

/* Faces and edges that meet in the contact. Of a pair in the order FV j is the face, of A. */
static void draw_facet(const drawing *d, const peg_contact *c)
{
    const peg_scene *scene = &d->glue->scene;
    if (c->kind == PEG_FEATURES_EXTERNAL) return;
    int reversed = c->kind == PEG_FEATURES_FV;
    placed side[2] = {place_at_end(scene, reversed ? c->part_b : c->part_a),
                      place_at_end(scene, reversed ? c->part_a : c->part_b)};
    for (int k = 0; k < 2; k++) {
        dVector3 corner[CORNERS_MAX];
        int number = k ? c->j : c->i;
        peg_feature_type feature = peg_feature_of((peg_feature_kind)c->kind, k);
        if (feature == PEG_EDGE) draw_edge(d, &side[k], number);
        if (feature != PEG_FACE || !d->draw->polygon) continue;
        int corners = face_corners(&side[k], &side[1 - k], c, number, corner);
        if (corners > 0)
            d->draw->polygon(d->draw->data, PEG_DRAW_FACET, (const dVector3 *)corner, corners,
                             FACET_COLOUR);
    }
}

static void draw_contact(const drawing *d, const peg_contact *c)
{
    const pegDebugDraw *draw = d->draw;
    dVector3 at = {c->point[0], c->point[1], c->point[2]}, end, force;
    if (wants(d, PEG_DRAW_FACET)) draw_facet(d, c);
    if (wants(d, PEG_DRAW_NORMAL)) {
        peg_add_scaled(at, draw->normal_length, c->normal, end);
        draw_segment(d, PEG_DRAW_NORMAL, at, end, NORMAL_COLOUR);
    }
    if (wants(d, PEG_DRAW_FORCE)) {
        peg_add_scaled(c->friction, c->impulse, c->normal, force);
        peg_add_scaled(at, draw->force_scale / d->glue->scene.h, force, end);
        draw_segment(d, PEG_DRAW_FORCE, at, end, FORCE_COLOUR);
    }
    if (wants(d, PEG_DRAW_POINT) && draw->point)
        draw->point(draw->data, PEG_DRAW_POINT, at, POINT_COLOUR);
}

/* ---- islands --------------------------------------------------------------------------------- */

static int root_of(int *parent, int i)
{
    for (; parent[i] != i; i = parent[i]) parent[i] = parent[parent[i]];
    return i;
}

static void unite(const drawing *d, int a, int b)
{
    const peg_body *body = d->glue->scene.body;
    if (a < 0 || b < 0 || body[a].kind != PEG_DYNAMIC || body[b].kind != PEG_DYNAMIC) return;
    a = root_of(d->island, a), b = root_of(d->island, b);
    d->island[a > b ? a : b] = a > b ? b : a;
}

/* Bodies that contacts and joints connect, numbered in the order of their first bodies. */
static void find_islands(const drawing *d)
{
    const peg_scene *scene = &d->glue->scene;
    int islands = 0;
    for (int i = 0; i < scene->nb; i++) d->island[i] = i;
    for (int i = 0; i < d->contacts; i++)
        unite(d, scene->part[d->contact[i].part_a].body, scene->part[d->contact[i].part_b].body);
    for (int i = 0; i < scene->njoint_row; i++)
        unite(d, scene->joint_row[i].body_a, scene->joint_row[i].body_b);
    /* a root comes before the others of its island */
    for (int i = 0; i < scene->nb; i++) {
        if (scene->body[i].kind != PEG_DYNAMIC)
            d->island[i] = -1;
        else
            d->island[i] = d->island[i] == i ? islands++ : d->island[d->island[i]];
    }
}

static void draw_bodies(const drawing *d)
{
    const pegDebugDraw *draw = d->draw;
    if (!peg_world_bodies_find()) return;
    for (dBodyID body = peg_world_first_body(d->glue->world), next; body; body = next) {
        next = peg_world_next_body(body);
        int i = peg_map_find(&d->glue->body_number, body, NULL), asleep = !dBodyIsEnabled(body);
        int island = i >= 0 && i < d->glue->scene.nb ? d->island[i] : -1;
        draw->body(draw->data, body, island, asleep,
                   asleep       ? ASLEEP_COLOUR
                   : island < 0 ? FIXED_COLOUR
                                : ISLAND_COLOUR[island % COLOURS]);
    }
}

pegStatus pegWorldDebugDraw(pegWorldID peg, const pegDebugDraw *draw)
{
    if (!peg || !draw || peg->glue->stepping) return PEG_ERROR_ARGUMENT;
    if (!isfinite(draw->normal_length) || !isfinite(draw->force_scale)) return PEG_ERROR_NOT_FINITE;
    drawing d = {.draw = draw, .glue = peg->glue};
    d.contacts = peg_glue_contacts(peg->glue, &d.contact);
    if (wants(&d, PEG_DRAW_BODY) && draw->body) {
        d.island = peg_alloc(sizeof *d.island * (size_t)(peg->glue->scene.nb + 1));
        if (!d.island) return PEG_ERROR_MEMORY;
        find_islands(&d);
        draw_bodies(&d);
        peg_free(d.island);
    }
    for (int i = 0; i < d.contacts; i++) draw_contact(&d, &d.contact[i]);
    return PEG_OK;
}
