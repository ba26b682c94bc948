/* Contacts of geoms that have no shape here: ODE's own, at the start of the step. */
#include "ode_glue/read/geom.h"
#include "ode_glue/pairs/external_contacts.h"

enum { CONTACTS_MAX = 64 }; /* of a pair */

static int boxes_meet(dGeomID a, dGeomID b)
{
    dReal x[6], y[6];
    dGeomGetAABB(a, x);
    dGeomGetAABB(b, y);
    for (int k = 0; k < 6; k += 2)
        if (x[k] > y[k + 1] || y[k] > x[k + 1]) return 0;
    return 1;
}

static int moves(const peg_scene *scene, const peg_part *part)
{
    return part->body >= 0 && scene->body[part->body].kind == PEG_DYNAMIC;
}

/* ODE's normal points into the first geom, as ours does. */
static pegStatus collect_pair(peg_glue *glue, int a, int b)
{
    peg_scene *scene = &glue->scene;
    dContactGeom contact[CONTACTS_MAX];
    dGeomID x = ((const peg_shape *)scene->part[a].user)->geom;
    dGeomID y = ((const peg_shape *)scene->part[b].user)->geom;
    if (!boxes_meet(x, y)) return PEG_OK;
    int n = dCollide(x, y, CONTACTS_MAX, contact, sizeof *contact);
    size_t needed = (size_t)scene->nexternal + (size_t)n;
    peg_external *given = peg_grow(glue->given, needed, &glue->given_room, sizeof *given);
    if (!given && needed) return PEG_ERROR_MEMORY;
    glue->given = given;
    for (int i = 0; i < n; i++) {
        peg_external *g = &given[scene->nexternal];
        *g = (peg_external){.part_a = a, .part_b = b, .gap = -contact[i].depth};
        peg_copy3(contact[i].pos, g->point);
        peg_copy3(contact[i].normal, g->normal);
        double sum = g->gap + peg_dot(g->point, g->point) + peg_normalise(g->normal);
        if (!isfinite(sum)) return PEG_ERROR_NOT_FINITE;
        scene->nexternal += peg_norm(g->normal) > 0;
    }
    return PEG_OK;
}

pegStatus peg_glue_collect_given(peg_glue *glue)
{
    peg_scene *scene = &glue->scene;
    pegStatus status = PEG_OK;
    for (int a = 0; a < scene->np; a++) {
        const peg_part *p = &scene->part[a];
        if (!((const peg_shape *)p->user)->opaque) continue;
        for (int b = 0; b < scene->np && status == PEG_OK; b++) {
            const peg_part *q = &scene->part[b];
            int twice = b <= a && ((const peg_shape *)q->user)->opaque;
            if (twice || (p->body >= 0 && p->body == q->body)) continue;
            if (moves(scene, p) || moves(scene, q)) status = collect_pair(glue, a, b);
        }
    }
    scene->external = glue->given;
    return status;
}
