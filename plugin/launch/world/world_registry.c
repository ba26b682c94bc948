/* The worlds of the program. */
#include "plugin/launch/world/world_registry.h"
#include "plugin/launch/base/log.h"
#include "plugin/launch/base/options.h"
#include "plugin/launch/world/findings.h"
#include "plugin/launch/world/geom_registry.h"

static struct {
    pthread_mutex_t lock;
    peg_world_entry *first;
    int made;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

atomic_ulong peg_world_entry_drops;
PEG_THREAD struct peg_recent_world_entry peg_recent_world_entry;

static peg_world_entry *make(dWorldID world)
{
    peg_world_entry *entry = peg_alloc_zero(1, sizeof *entry);
    if (!entry) return NULL;
    entry->world = world;
    entry->number = ++registry.made;
    entry->h = PEG_FIRST_STEP;
    peg_shapes_begin(&entry->shapes);
    pthread_mutex_init(&entry->lock, NULL);
    entry->next = registry.first;
    registry.first = entry;
    return entry;
}

peg_world_entry *peg_world_entry_find(dWorldID world)
{
    struct peg_recent_world_entry *recent = &peg_recent_world_entry;
    pthread_mutex_lock(&registry.lock);
    peg_world_entry *entry = registry.first;
    while (entry && entry->world != world) entry = entry->next;
    if (!entry) entry = make(world);
    *recent = (struct peg_recent_world_entry){entry ? world : NULL, entry,
                                              atomic_load(&peg_world_entry_drops)};
    pthread_mutex_unlock(&registry.lock);
    return entry;
}

peg_world_entry *peg_world_entry_of_body(dBodyID body)
{
    return body ? peg_world_entry_of(dBodyGetWorld(body)) : NULL;
}

static void pass_message(void *data, pegStatus status, const char *text)
{
    const peg_world_entry *entry = data;
    peg_log("world %d: %s", entry->number, text);
    if (status == PEG_ERROR_GEOM_CLASS) peg_unsupported(text);
}

/* What a program of the library's would be told to call does not concern this one: setters of
 * joints are seen, and what stays a contact joint was said before. */
static void listen(peg_world_entry *entry)
{
    entry->peg->glue->shapes.number = peg_geom_number;
    entry->peg->glue->report.said |=
        UINT64_C(1) << PEG_CAUSE_JOINT_UNTOLD | UINT64_C(1) << PEG_CAUSE_OWN_CONTACTS;
    pegWorldSetMessageCallback(entry->peg, entry, pass_message);
}

pegWorldID peg_world_entry_peg(peg_world_entry *entry)
{
    if (entry->peg) return entry->peg;
    pegStatus status =
        pegWorldCreateStatus(entry->world, &peg_launch_options.settings, &entry->peg);
    if (status == PEG_OK)
        listen(entry);
    else
        peg_unsupported(pegStatusMessage(status));
    return entry->peg;
}

void peg_world_entry_free(peg_world_entry *entry)
{
    peg_inside++;
    pegWorldDestroy(entry->peg);
    peg_inside--;
    peg_joint_set_free(&entry->joints);
    peg_findings_free(entry);
    for (int i = 0; i < PEG_COPIES; i++)
        if (entry->copy[i]) peg_ode->dGeomDestroy(entry->copy[i]);
    peg_free(entry->body);
    peg_moving_free(&entry->watch);
    peg_map_free(&entry->usual.pair);
    peg_map_free(&entry->coming.pair);
    peg_map_free(&entry->odes);
    peg_shapes_end(&entry->shapes, 1);
    peg_shapes_free(&entry->shapes);
    peg_arena_free(&entry->arena);
    peg_free(entry->usual.of);
    peg_free(entry->coming.of);
    pthread_mutex_destroy(&entry->lock);
    peg_free(entry);
}

peg_world_entry *peg_world_registry_remove(dWorldID world)
{
    pthread_mutex_lock(&registry.lock);
    peg_world_entry **at = &registry.first;
    while (*at && (*at)->world != world) at = &(*at)->next;
    peg_world_entry *entry = *at;
    if (entry) {
        *at = entry->next;
        atomic_fetch_add(&peg_world_entry_drops, 1);
    }
    pthread_mutex_unlock(&registry.lock);
    return entry;
}

void peg_world_registry_visit(void (*visit)(peg_world_entry *entry, void *context), void *context)
{
    pthread_mutex_lock(&registry.lock);
    for (peg_world_entry *entry = registry.first; entry; entry = entry->next) visit(entry, context);
    pthread_mutex_unlock(&registry.lock);
}
