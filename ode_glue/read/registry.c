#include "ode_glue/read/registry.h"
#include "ode_glue/base/map.h"
#include "peg/base/arena.h"

#include <pthread.h>
#include <stdint.h>

typedef struct entry {
    void *thing; /* null: forgotten; its place waits for an object at the same address */
    peg_release *release;
    unsigned long version;
} entry;

static struct {
    pthread_mutex_t lock;
    peg_map object;
    entry *of; /* room entries, at least object.room */
    int room, things;
    unsigned long version;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The map's keys are never looked into. */
static void *key_of(const void *object)
{
    return (void *)(uintptr_t)object;
}

/* The object's entry, made if it is new; null when memory is exhausted. */
static entry *entry_of(const void *object)
{
    int i = peg_map_add(&registry.object, key_of(object), NULL);
    if (i < 0) return NULL;
    entry *of = peg_map_grow_beside(&registry.object, registry.of, &registry.room, sizeof *of);
    if (!of) return NULL;
    registry.of = of;
    return &of[i];
}

/* Removes the thing; the last one takes the registry's memory with it. */
static void drop(entry *e)
{
    if (e->thing) {
        registry.things--;
        e->release(e->thing);
    }
    *e = (entry){0};
}

static void free_if_empty(void)
{
    if (registry.things > 0) return;
    peg_map_free(&registry.object);
    peg_free(registry.of);
    registry.of = NULL;
    registry.room = 0;
}

pegStatus peg_registry_set(const void *object, void *thing, peg_release *release)
{
    pthread_mutex_lock(&registry.lock);
    entry *e = entry_of(object);
    if (e) {
        drop(e);
        *e = (entry){thing, release, ++registry.version};
        registry.things++;
    } else {
        free_if_empty();
    }
    pthread_mutex_unlock(&registry.lock);
    return e ? PEG_OK : PEG_ERROR_MEMORY;
}

void *peg_registry_find(const void *object, peg_release *release, unsigned long *version)
{
    pthread_mutex_lock(&registry.lock);
    int i = peg_map_find(&registry.object, key_of(object), NULL);
    entry e = i >= 0 && i < registry.room ? registry.of[i] : (entry){0};
    pthread_mutex_unlock(&registry.lock);
    if (e.release != release) e = (entry){0};
    *version = e.version;
    return e.thing;
}

void peg_registry_forget(const void *object)
{
    pthread_mutex_lock(&registry.lock);
    int i = peg_map_find(&registry.object, key_of(object), NULL);
    if (i >= 0 && i < registry.room) drop(&registry.of[i]);
    free_if_empty();
    pthread_mutex_unlock(&registry.lock);
}
