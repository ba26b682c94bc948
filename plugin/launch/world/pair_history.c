#include "plugin/launch/world/pair_history.h"

static void sort(dGeomID pair[2], dGeomID a, dGeomID b)
{
    int swap = (uintptr_t)a > (uintptr_t)b;
    pair[0] = swap ? b : a;
    pair[1] = swap ? a : b;
}

double peg_usual_depth(const peg_world_entry *entry, dGeomID a, dGeomID b)
{
    dGeomID pair[2];
    sort(pair, a, b);
    int i = peg_map_find(&entry->usual.pair, pair[0], pair[1]);
    return i >= 0 ? entry->usual.of[i] : 0;
}

/* Without memory nothing is kept. */
void peg_keep_depth(peg_world_entry *entry, const dContactGeom *c)
{
    peg_depths *to = &entry->coming;
    dGeomID pair[2];
    sort(pair, c->g1, c->g2);
    double before = peg_usual_depth(entry, c->g1, c->g2);
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

void peg_turn_depths(peg_world_entry *entry)
{
    peg_depths swap = entry->usual;
    entry->usual = entry->coming;
    entry->coming = swap;
    peg_map_clear(&entry->coming.pair);
}

void peg_leave_to_ode(peg_world_entry *entry, dGeomID a, dGeomID b)
{
    dGeomID pair[2];
    sort(pair, a, b);
    peg_map_add(&entry->odes, pair[0], pair[1]);
}

int peg_is_left_to_ode(const peg_world_entry *entry, dGeomID a, dGeomID b)
{
    dGeomID pair[2];
    if (entry->odes.n == 0) return 0;
    sort(pair, a, b);
    return peg_map_find(&entry->odes, pair[0], pair[1]) >= 0;
}
