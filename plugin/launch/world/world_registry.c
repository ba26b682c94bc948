/* The worlds of the program. */
#include "plugin/launch/world/launch.h"

static struct {
    pthread_mutex_t lock;
    peg_ward *first;
    int made;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

atomic_ulong peg_ward_drops;
PEG_THREAD struct peg_recent_ward peg_recent_ward;

static peg_ward *make(dWorldID world)
{
    peg_ward *ward = peg_alloc_zero(1, sizeof *ward);
    if (!ward) return NULL;
    ward->world = world;
    ward->number = ++registry.made;
    ward->h = PEG_FIRST_STEP;
    peg_shapes_begin(&ward->shapes);
    pthread_mutex_init(&ward->lock, NULL);
    ward->next = registry.first;
    registry.first = ward;
    return ward;
}

peg_ward *peg_ward_find(dWorldID world)
{
    struct peg_recent_ward *recent = &peg_recent_ward;
    pthread_mutex_lock(&registry.lock);
    peg_ward *ward = registry.first;
    while (ward && ward->world != world) ward = ward->next;
    if (!ward) ward = make(world);
    *recent = (struct peg_recent_ward){ward ? world : NULL, ward, atomic_load(&peg_ward_drops)};
    pthread_mutex_unlock(&registry.lock);
    return ward;
}

peg_ward *peg_ward_of_body(dBodyID body)
{
    return body ? peg_ward_of(dBodyGetWorld(body)) : NULL;
}

static void pass_message(void *data, pegStatus status, const char *text)
{
    const peg_ward *ward = data;
    peg_log("world %d: %s", ward->number, text);
    if (status == PEG_ERROR_GEOM_CLASS) peg_unsupported(text);
}

pegWorldID peg_ward_peg(peg_ward *ward)
{
    if (ward->peg) return ward->peg;
    pegStatus status = pegWorldCreateStatus(ward->world, &peg_launch_options.settings, &ward->peg);
    if (status == PEG_OK)
        pegWorldSetMessageCallback(ward->peg, ward, pass_message);
    else
        peg_unsupported(pegStatusMessage(status));
    return ward->peg;
}

static void release(peg_ward *ward)
{
    peg_inside++;
    pegWorldDestroy(ward->peg);
    peg_inside--;
    peg_joint_set_free(&ward->joints);
    peg_trace_end(ward->trace);
    peg_free(ward->body);
    peg_records_free(ward);
    peg_map_free(&ward->usual.pair);
    peg_map_free(&ward->coming.pair);
    peg_map_free(&ward->odes);
    peg_shapes_end(&ward->shapes, 1);
    peg_shapes_free(&ward->shapes);
    peg_arena_free(&ward->arena);
    peg_free(ward->usual.of);
    peg_free(ward->coming.of);
    pthread_mutex_destroy(&ward->lock);
    peg_free(ward);
}

void peg_ward_drop(dWorldID world)
{
    pthread_mutex_lock(&registry.lock);
    peg_ward **at = &registry.first;
    while (*at && (*at)->world != world) at = &(*at)->next;
    peg_ward *ward = *at;
    if (ward) {
        *at = ward->next;
        atomic_fetch_add(&peg_ward_drops, 1);
    }
    pthread_mutex_unlock(&registry.lock);
    if (ward) release(ward);
}

void peg_wards_visit(void (*visit)(peg_ward *ward, void *context), void *context)
{
    pthread_mutex_lock(&registry.lock);
    for (peg_ward *ward = registry.first; ward; ward = ward->next) visit(ward, context);
    pthread_mutex_unlock(&registry.lock);
}
