#include "ode_glue/convex.h"
#include "ode_glue/map.h"
#include "peg/memory.h"

#include <pthread.h>

typedef struct entry {
    peg_polytope *shape; /* null: forgotten; its place waits for a geom at the same address */
    unsigned long version;
} entry;

static struct {
    pthread_mutex_t lock;
    peg_map geom;
    entry *of; /* room entries, at least geom.room */
    int room, shapes;
    unsigned long version;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The geom's entry, made if it is new; null when memory is exhausted. */
static entry *entry_of(dGeomID geom)
{
    int i = peg_map_add(&registry.geom, geom, NULL);
    if (i < 0) return NULL;
    if (registry.room < registry.geom.room) {
        entry *of = peg_realloc(registry.of, (size_t)registry.geom.room * sizeof *of);
        if (!of) return NULL;
        for (int k = registry.room; k < registry.geom.room; k++) of[k] = (entry){0};
        registry.of = of;
        registry.room = registry.geom.room;
    }
    return &registry.of[i];
}

/* Removes the shape; the last one takes the registry's memory with it. */
static void drop(entry *e)
{
    if (e->shape) registry.shapes--;
    peg_polytope_free(e->shape);
    *e = (entry){0};
}

static void free_if_empty(void)
{
    if (registry.shapes > 0) return;
    peg_map_free(&registry.geom);
    peg_free(registry.of);
    registry.of = NULL;
    registry.room = 0;
}

pegStatus peg_convex_set(dGeomID geom, peg_polytope *shape)
{
    pthread_mutex_lock(&registry.lock);
    entry *e = entry_of(geom);
    if (e) {
        drop(e);
        *e = (entry){shape, ++registry.version};
        registry.shapes++;
    } else {
        free_if_empty();
    }
    pthread_mutex_unlock(&registry.lock);
    return e ? PEG_OK : PEG_ERROR_MEMORY;
}

const peg_polytope *peg_convex_find(dGeomID geom, unsigned long *version)
{
    pthread_mutex_lock(&registry.lock);
    int i = peg_map_find(&registry.geom, geom, NULL);
    entry e = i >= 0 && i < registry.room ? registry.of[i] : (entry){0};
    pthread_mutex_unlock(&registry.lock);
    *version = e.version;
    return e.shape;
}

void peg_convex_forget(dGeomID geom)
{
    pthread_mutex_lock(&registry.lock);
    int i = peg_map_find(&registry.geom, geom, NULL);
    if (i >= 0 && i < registry.room) drop(&registry.of[i]);
    free_if_empty();
    pthread_mutex_unlock(&registry.lock);
}
