/* dWorldStep and dWorldQuickStep: with exact contacts, or ODE's own. */
#include "plugin/launch/step/step.h"
#include "plugin/launch/base/log.h"
#include "plugin/launch/base/options.h"
#include "plugin/launch/step/contact_joints.h"
#include "plugin/launch/trace/report.h"
#include "plugin/launch/trace/trace_contacts.h"
#include "plugin/launch/world/findings.h"
#include "plugin/launch/world/joints.h"
#include "plugin/launch/world/pair_history.h"

static int stock_step(dWorldID world, dReal h, int quick)
{
    return quick ? peg_ode->dWorldQuickStep(world, h) : peg_ode->dWorldStep(world, h);
}

/* Groups of so many bodies, which joints connect, are solved by our own sparse solver; of smaller
 * ones dWorldStep takes less time (per body 1 us, ours 7 us; of 50 in a chain 11 us, of 400 1.3 ms,
 * ours 8 us). */
enum { LARGE_GROUP = 40 };

/* How a world with joints that the program steps by dWorldQuickStep is stepped: what that leaves of
 * joint errors while nothing touches, exact contacts would have to take back at once. */
typedef enum way { QUICK, WHOLE, OWN_JOINTS } way;

static way way_of(peg_world_entry *entry, int quick)
{
    if (!quick) return WHOLE;
    if (!peg_takes_over() || entry->joints.id.n == 0) return QUICK;
    if (entry->joints.id.n < LARGE_GROUP) return WHOLE;
    return peg_joint_group_size(entry) < LARGE_GROUP ? WHOLE : OWN_JOINTS;
}

/* --strict neither lets bodies overlap by compliant contacts nor goes on with less than an answer.
 */
static void refuse_inexact(const peg_world_entry *entry)
{
    pegStats stats;
    if (!peg_launch_options.strict) return;
    pegWorldGetStats(entry->peg, &stats);
    if (stats.unconverged)
        peg_unsupported("the velocities of a step hold only roughly (pegStats.unconverged)");
    if (stats.limited_bodies)
        peg_unsupported("bodies moved less in a step than contacts and forces ask for "
                        "(pegStats.limited_bodies)");
    if (stats.soft_contacts)
        peg_unsupported(
            "contacts are soft (soft_erp, soft_cfm) and let bodies overlap: see --soft");
}

/* Whether the step was made with exact contacts. Steps of the other kind shall not bear its cost.
 */
__attribute__((noinline)) static int exact_step(peg_world_entry *entry, double h, way how)
{
    if (!peg_takes_over() || !peg_world_entry_peg(entry)) return 0;
    size_t taken = entry->records ? peg_contacts_take(entry) : 0;
    if (!taken && how != OWN_JOINTS) return 0;
    peg_tell_joints(entry);
    entry->peg->glue->all_joined = how == OWN_JOINTS;
    pegStatus status =
        how == WHOLE ? pegWorldStep(entry->peg, h) : pegWorldQuickStep(entry->peg, h);
    peg_contacts_give_back(entry, status == PEG_OK);
    if (status == PEG_OK) refuse_inexact(entry);
    if (status == PEG_OK) return 1;
    entry->failed_steps++;
    if (status == PEG_ERROR_CONVEX_NOT_REGISTERED) entry->no_convex = 1;
    peg_unsupported(pegStatusMessage(status));
    return 0;
}

/* Depths and shapes of this step become those of the last. */
__attribute__((noinline)) static void turn(peg_world_entry *entry)
{
    peg_turn_depths(entry);
    peg_findings_turn(entry);
    peg_shapes_end(&entry->shapes, 1);
    peg_shapes_begin(&entry->shapes);
}

static int has_to_turn(const peg_world_entry *entry)
{
    return entry->usual.pair.n | entry->coming.pair.n | entry->shapes.kept.geom.n |
           entry->shapes.coming.geom.n | (entry->findings != NULL);
}

static void count_step(peg_world_entry *entry, double h)
{
    entry->stock_steps += !entry->exact;
    entry->steps++;
    entry->time += h;
    if (h > 0 && isfinite(h)) entry->h = h;
}

__attribute__((noinline)) static int full_step(peg_world_entry *entry, double h, int quick)
{
    const peg_options *o = &peg_launch_options;
    int done = 1, told = o->told;
    if (o->contact == PEG_LAUNCH_QUICK) quick = 1;
    way how = way_of(entry, quick);
    peg_inside++;
    if (told) peg_report_before(entry, h);
    entry->exact = (entry->records || how == OWN_JOINTS) && exact_step(entry, h, how);
    if (!entry->exact) {
        if (o->trace) peg_trace_watch_joints(entry);
        done = stock_step(entry->world, h, how == QUICK);
    }
    peg_inside--;
    if (has_to_turn(entry)) turn(entry);
    count_step(entry, h);
    if (told) peg_report_step(entry);
    if (o->trace) peg_trace_unwatch_joints(entry);
    return done;
}

/* What has nothing to do is left to ODE at once. */
static inline int step(dWorldID world, dReal h, int quick)
{
    peg_world_entry *entry = peg_inside ? NULL : peg_world_entry_of(world);
    const peg_options *o = &peg_launch_options;
    if (!entry) return stock_step(world, h, quick);
    way how = way_of(entry, quick);
    if (o->told || o->contact == PEG_LAUNCH_QUICK || entry->records || how == OWN_JOINTS ||
        has_to_turn(entry))
        return full_step(entry, h, quick);
    entry->exact = 0;
    count_step(entry, h);
    return stock_step(world, h, how == QUICK);
}

int peg_take_step(dWorldID world, dReal h)
{
    return step(world, h, 0);
}

int peg_take_quick_step(dWorldID world, dReal h)
{
    return step(world, h, 1);
}
