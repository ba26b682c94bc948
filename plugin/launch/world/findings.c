#include "plugin/launch/world/findings.h"
#include "plugin/launch/world/geom_counts.h"

/* They are dropped when so many times as many are kept as one step asks for. */
enum { KEPT_STEPS = 4, KEPT_LEAST = 256 };

struct peg_findings {
    peg_map pair;
    peg_finding *of; /* room entries */
    int room;
    long asked; /* in this step */
};

static unsigned flags_of(dGeomID geom)
{
    dBodyID body = dGeomGetBody(geom);
    return body ? 1 | (unsigned)(dBodyIsKinematic(body) != 0) << 1 : 0;
}

/* Keeps the memory alone. */
static void clear(peg_finding *f)
{
    *f = (peg_finding){
        .contact = f->contact, .room = f->room, .answer = f->answer, .answer_room = f->answer_room};
}

/* Clears what does not hold any more. */
static void look_at(peg_finding *f, dGeomID a, dGeomID b)
{
    unsigned long sizes = peg_geom_sizes(), shapes = peg_shape_changes(),
                  geoms = peg_geom_changes();
    unsigned flags[2] = {flags_of(a), flags_of(b)};
    if (f->sizes == sizes && f->shapes == shapes && f->geoms == geoms && f->flags[0] == flags[0] &&
        f->flags[1] == flags[1])
        return;
    clear(f);
    f->sizes = sizes;
    f->shapes = shapes;
    f->geoms = geoms;
    f->flags[0] = flags[0];
    f->flags[1] = flags[1];
}

peg_finding *peg_finding_of(peg_world_entry *entry, dGeomID a, dGeomID b)
{
    if (!entry->findings) entry->findings = peg_alloc_zero(1, sizeof *entry->findings);
    struct peg_findings *f = entry->findings;
    if (!f) return NULL;
    f->asked++;
    int before = f->pair.n, i = peg_map_add(&f->pair, a, b);
    peg_finding *of = i < 0 ? NULL : peg_map_grow_beside(&f->pair, f->of, &f->room, sizeof *of);
    if (!of) return NULL;
    f->of = of;
    if (i == before) clear(&of[i]);
    look_at(&of[i], a, b);
    return &of[i];
}

int peg_finding_is_exact(const peg_world_entry *entry, dGeomID a, dGeomID b)
{
    struct peg_findings *f = entry->findings;
    int i = f ? peg_map_find(&f->pair, a, b) : -1;
    if (i < 0) return 0;
    look_at(&f->of[i], a, b);
    return f->of[i].is_of > 0;
}

void peg_findings_turn(peg_world_entry *entry)
{
    struct peg_findings *f = entry->findings;
    if (!f) return;
    if (f->pair.n > KEPT_LEAST && f->pair.n > KEPT_STEPS * f->asked) peg_map_clear(&f->pair);
    f->asked = 0;
}

void peg_findings_free(peg_world_entry *entry)
{
    struct peg_findings *f = entry->findings;
    if (!f) return;
    for (int i = 0; i < f->room; i++) {
        peg_free(f->of[i].contact);
        peg_free(f->of[i].answer);
    }
    peg_free(f->of);
    peg_map_free(&f->pair);
    peg_free(f);
}
