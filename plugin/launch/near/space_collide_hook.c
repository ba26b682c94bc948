/* dSpaceCollide and dSpaceCollide2: the pairs of boxes that overlap, as ODE reports them, and those
 * that could in the coming step.
 *
 * A pair must be met before its parts overlap, and only while the program is collecting pairs may
 * its callback be called: what it is given as data need not live longer. */
#include "plugin/launch/near/space_collide_hook.h"
#include "plugin/launch/base/log.h"
#include "plugin/launch/base/options.h"
#include "plugin/launch/near/search.h"
#include "plugin/launch/trace/world_trace.h"

/* ---- searches -------------------------------------------------------------------------------- */

/* So many searches are kept for what they are of, each by the thread that asked for it; others
 * begin anew every time. */
enum { KEPT_MOST = 64 };

static struct {
    pthread_mutex_t lock;
    peg_search *kept;   /* in the order in which they were asked for first */
    peg_search *spare;  /* of nothing: a search takes one, and one of its callbacks another */
    int n;              /* kept ones */
    atomic_ulong drops; /* of kept ones so far */
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The kept search that this thread asked for last; valid until one is dropped. */
static PEG_THREAD struct {
    peg_search *search;
    unsigned long drops;
} recent;

static int is_kept_for(const peg_search *s, dGeomID a, dGeomID b)
{
    return s->a == a && s->b == b && s->thread == &recent;
}

/* One that was dropped, or a new one, or null. */
static peg_search *claim(dGeomID a, dGeomID b)
{
    peg_search **at = &registry.kept;
    while (*at && ((*at)->a || atomic_load(&(*at)->busy))) at = &(*at)->next;
    if (!*at && registry.n < KEPT_MOST && (*at = peg_alloc_zero(1, sizeof **at))) registry.n++;
    peg_search *s = *at;
    if (s) s->a = a, s->b = b, s->thread = &recent;
    return s;
}

/* The kept one of the pair, or null. Programs search in the same order in every step. */
static peg_search *find(peg_search *last, dGeomID a, dGeomID b)
{
    peg_search *begin = last && last->next ? last->next : registry.kept, *s = begin;
    while (s && !is_kept_for(s, a, b)) {
        s = s->next ? s->next : registry.kept;
        if (s == begin) return NULL;
    }
    return s;
}

static int is_recent(dGeomID a, dGeomID b)
{
    unsigned long drops = atomic_load_explicit(&registry.drops, memory_order_acquire);
    return recent.search && recent.drops == drops && is_kept_for(recent.search, a, b);
}

/* The search that is kept for the pair; null: none is, nor can be. */
static peg_search *kept_for(dGeomID a, dGeomID b)
{
    peg_search *s = recent.search;
    pthread_mutex_lock(&registry.lock);
    s = find(s, a, b);
    if (!s) s = claim(a, b);
    recent.search = s;
    recent.drops = atomic_load(&registry.drops);
    pthread_mutex_unlock(&registry.lock);
    return s;
}

static peg_search *take_spare(dGeomID a, dGeomID b)
{
    pthread_mutex_lock(&registry.lock);
    peg_search *s = registry.spare;
    if (s) registry.spare = s->next;
    pthread_mutex_unlock(&registry.lock);
    if (!s) s = peg_alloc_zero(1, sizeof *s);
    if (s) s->a = a, s->b = b;
    return s;
}

static void give_back(peg_search *s)
{
    pthread_mutex_lock(&registry.lock);
    s->next = registry.spare;
    registry.spare = s;
    pthread_mutex_unlock(&registry.lock);
}

static void search(dGeomID a, dGeomID b, void *data, dNearCallback *near)
{
    int known = is_recent(a, b);
    if (!known && !b && dSpaceGetNumGeoms((dSpaceID)a) < 2) return;
    peg_search *s = known ? recent.search : kept_for(a, b);
    if (s && !atomic_load_explicit(&s->busy, memory_order_relaxed)) {
        atomic_store_explicit(&s->busy, 1, memory_order_relaxed);
        s->lasting = 1;
        peg_search_run(s, data, near);
        atomic_store_explicit(&s->busy, 0, memory_order_release);
    } else if ((s = take_spare(a, b))) {
        peg_search_run(s, data, near);
        give_back(s);
    } else {
        peg_log("out of memory: pairs are lost");
    }
}

void peg_searches_drop(dGeomID geom)
{
    pthread_mutex_lock(&registry.lock);
    for (peg_search *s = registry.kept; s; s = s->next) {
        if (s->a != geom && s->b != geom) continue;
        s->a = s->b = NULL;
        s->valid = 0;
        s->pairs = 0;
        atomic_fetch_add(&registry.drops, 1);
    }
    pthread_mutex_unlock(&registry.lock);
}

/* ---- stand-ins ------------------------------------------------------------------------------- */

void peg_space_collide(dSpaceID space, void *data, dNearCallback *near)
{
    if (peg_inside) {
        peg_ode->dSpaceCollide(space, data, near);
        return;
    }
    if (peg_launch_options.trace) peg_trace_space(space);
    search((dGeomID)space, NULL, data, near);
}

static int is_ray(dGeomID geom)
{
    return dGeomGetClass(geom) == dRayClass;
}

/* Rays have no exact contacts: nobody has to hear of them before they touch. */
void peg_space_collide2(dGeomID a, dGeomID b, void *data, dNearCallback *near)
{
    if (peg_inside || is_ray(a) || is_ray(b))
        peg_ode->dSpaceCollide2(a, b, data, near);
    else if (a == b && dGeomIsSpace(a))
        peg_space_collide((dSpaceID)a, data, near);
    else
        search(a, b, data, near);
}
