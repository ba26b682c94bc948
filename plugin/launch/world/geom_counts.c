#include "plugin/launch/world/geom_counts.h"
#include "plugin/launch/base/real_ode.h"

#include <stdatomic.h>

static struct {
    atomic_ulong shapes, geoms, moves, sizes;
} changes;

void peg_shapes_changed(void)
{
    atomic_fetch_add(&changes.shapes, 1);
}

unsigned long peg_shape_changes(void)
{
    return atomic_load(&changes.shapes);
}

void peg_geoms_changed(void)
{
    atomic_fetch_add(&changes.geoms, 1);
}

unsigned long peg_geom_changes(void)
{
    return atomic_load(&changes.geoms);
}

unsigned long peg_geom_moves(void)
{
    return atomic_load(&changes.moves);
}

unsigned long peg_geom_sizes(void)
{
    return atomic_load_explicit(&changes.sizes, memory_order_relaxed);
}

#define MOVER(name, parameters, arguments)                                                         \
    static void name##_seen parameters                                                             \
    {                                                                                              \
        atomic_fetch_add_explicit(&changes.moves, 1, memory_order_relaxed);                        \
        peg_ode->name arguments;                                                                   \
    }
PEG_GEOM_MOVERS(MOVER)

#define SIZER(name, parameters, arguments)                                                         \
    static void name##_seen parameters                                                             \
    {                                                                                              \
        atomic_fetch_add_explicit(&changes.moves, 1, memory_order_relaxed);                        \
        atomic_fetch_add_explicit(&changes.sizes, 1, memory_order_relaxed);                        \
        peg_ode->name arguments;                                                                   \
    }
PEG_GEOM_SIZERS(SIZER)

void peg_take_movers_over(peg_calls *calls)
{
#define TAKE(name, parameters, arguments) calls->name = name##_seen;
    PEG_GEOM_MOVERS(TAKE)
    PEG_GEOM_SIZERS(TAKE)
}

void peg_geom_set_body(dGeomID geom, dBodyID body)
{
    peg_geoms_changed();
    peg_ode->dGeomSetBody(geom, body);
}

void peg_space_remove(dSpaceID space, dGeomID geom)
{
    peg_geoms_changed();
    peg_ode->dSpaceRemove(space, geom);
}
