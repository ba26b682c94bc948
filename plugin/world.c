/* The public face of a peg world: arguments are checked here, the rest is done by ode_glue. */
#include "plugin/contact.h"

const char *pegVersion(void)
{
    return PEG_VERSION_STRING;
}

const char *pegStatusMessage(pegStatus status)
{
    return peg_status_message(status);
}

void pegSettingsDefault(pegSettings *settings)
{
    if (settings) peg_settings_default(settings);
}

pegWorldID pegWorldCreate(dWorldID world, const pegSettings *settings)
{
    pegWorldID peg;
    pegWorldCreateStatus(world, settings, &peg);
    return peg;
}

pegStatus pegWorldCreateStatus(dWorldID world, const pegSettings *settings, pegWorldID *out)
{
    pegSettings defaults;
    if (!out) return PEG_ERROR_ARGUMENT;
    *out = NULL;
    if (!world) return PEG_ERROR_ARGUMENT;
    peg_settings_default(&defaults);
    pegWorldID peg = peg_alloc_zero(1, sizeof *peg);
    if (!peg) return PEG_ERROR_MEMORY;
    pegStatus status = peg_glue_create(world, settings ? settings : &defaults, &peg->glue);
    if (status != PEG_OK) {
        peg_free(peg);
        return status;
    }
    peg_stats_clear(&peg->last);
    peg_stats_clear(&peg->total);
    *out = peg;
    return PEG_OK;
}

void pegWorldDestroy(pegWorldID peg)
{
    if (!peg || peg->glue->stepping) return;
    peg_events_free(peg->events);
    peg_glue_destroy(peg->glue);
    peg_free(peg);
}

dWorldID pegWorldGetWorld(pegWorldID peg)
{
    return peg ? peg->glue->world : NULL;
}

pegStatus pegWorldSetSettings(pegWorldID peg, const pegSettings *settings)
{
    if (!peg || !settings || peg->glue->stepping) return PEG_ERROR_ARGUMENT;
    return peg_context_set_settings(peg->glue->core, settings);
}

void pegWorldGetSettings(pegWorldID peg, pegSettings *settings)
{
    if (!settings) return;
    if (peg)
        *settings = *peg_context_settings(peg->glue->core);
    else
        peg_settings_default(settings);
}

pegStatus pegWorldAddSpace(pegWorldID peg, dSpaceID space)
{
    if (!peg || !space || peg->glue->stepping) return PEG_ERROR_ARGUMENT;
    return peg_glue_add_space(peg->glue, space);
}

pegStatus pegWorldRemoveSpace(pegWorldID peg, dSpaceID space)
{
    if (!peg || !space || peg->glue->stepping) return PEG_ERROR_ARGUMENT;
    return peg_glue_remove_space(peg->glue, space);
}

void pegWorldSetNearCallback(pegWorldID peg, void *data, dNearCallback *callback)
{
    if (!peg) return;
    peg->glue->near = callback;
    peg->glue->near_data = data;
}

pegStatus pegWorldSetDefaultSurface(pegWorldID peg, const dSurfaceParameters *surface)
{
    if (!peg || peg->glue->stepping) return PEG_ERROR_ARGUMENT;
    return peg_glue_set_surface(peg->glue, surface);
}

static void pass_message(void *data, pegSeverity severity, pegStatus status, const char *text,
                         const peg_subject *about)
{
    pegWorldID peg = data;
    pegMessage message = {severity,    status,       text,        about->body,
                          about->geom, about->other, about->joint};
    if (peg->message) peg->message(peg->message_data, status, text);
    if (peg->handler) peg->handler(peg->handler_data, &message);
}

void pegWorldSetMessageCallback(pegWorldID peg, void *data, pegMessageFunction *callback)
{
    if (!peg) return;
    peg->message = callback;
    peg->message_data = data;
    peg->glue->report.callback = peg->message || peg->handler ? pass_message : NULL;
    peg->glue->report.data = peg;
}

void pegWorldSetMessageHandler(pegWorldID peg, void *data, pegMessageHandler *handler)
{
    if (!peg) return;
    peg->handler = handler;
    peg->handler_data = data;
    peg->glue->report.callback = peg->message || peg->handler ? pass_message : NULL;
    peg->glue->report.data = peg;
}

static pegStatus world_step(pegWorldID peg, dReal h, int quick)
{
    pegStats stats;
    if (!peg) return PEG_ERROR_ARGUMENT;
    pegStatus status = peg_glue_step(peg->glue, h, quick, &stats);
    if (status == PEG_OK) {
        peg->last = stats;
        peg_totals_add(&peg->total, &stats);
        if (peg->events) peg_events_update(peg->events, peg->glue);
    }
    return status;
}

pegStatus pegWorldStep(pegWorldID peg, dReal h)
{
    return world_step(peg, h, 0);
}

pegStatus pegWorldQuickStep(pegWorldID peg, dReal h)
{
    return world_step(peg, h, 1);
}

void pegWorldGetStats(pegWorldID peg, pegStats *last)
{
    static const pegStats none = {.min_separation = INFINITY};
    if (last) *last = peg ? peg->last : none;
}

void pegWorldGetTotals(pegWorldID peg, pegStats *sum)
{
    static const pegStats none = {.min_separation = INFINITY};
    if (sum) *sum = peg ? peg->total : none;
}

void pegWorldResetTotals(pegWorldID peg)
{
    if (peg) peg_stats_clear(&peg->total);
}

/* The reference to fill, or null; *status says why. */
static peg_joint_reference *reference_of(pegWorldID peg, dJointID joint, pegStatus *status)
{
    *status = PEG_ERROR_ARGUMENT;
    if (!peg || !joint || peg->glue->stepping) return NULL;
    if (!peg_joint_is_supported(dJointGetType(joint))) return NULL;
    peg_joint_reference *reference = peg_joint_set_at(&peg->glue->joints, joint);
    *status = reference ? PEG_OK : PEG_ERROR_MEMORY;
    return reference;
}

pegStatus pegJointSetReferencePose(pegWorldID peg, dJointID joint)
{
    pegStatus status;
    peg_joint_reference *reference = reference_of(peg, joint, &status);
    if (reference) peg_joint_capture(joint, reference);
    return status;
}

pegStatus pegJointSetLMotorAxis(pegWorldID peg, dJointID joint, int axis, int rel)
{
    pegStatus status;
    if (axis < 0 || axis > 2 || rel < 0 || rel > 2) return PEG_ERROR_ARGUMENT;
    if (!joint || dJointGetType(joint) != dJointTypeLMotor) return PEG_ERROR_ARGUMENT;
    peg_joint_reference *reference = reference_of(peg, joint, &status);
    if (reference) peg_joint_tell_relative(reference, axis, rel);
    return status;
}

pegStatus pegJointSetPlane2DParam(pegWorldID peg, dJointID joint, int axis, int parameter,
                                  dReal value)
{
    pegStatus status;
    if (axis < 0 || axis > 2) return PEG_ERROR_ARGUMENT;
    if (!joint || dJointGetType(joint) != dJointTypePlane2D) return PEG_ERROR_ARGUMENT;
    if (!isfinite(value)) return PEG_ERROR_NOT_FINITE;
    peg_joint_reference *reference = reference_of(peg, joint, &status);
    if (reference) peg_joint_tell_plane(reference, axis, parameter, value);
    return status;
}
