/* One step: ODE's world is read, the contacts are solved, ODE steps. */
#include "ode_glue/step/step.h"
#include "ode_glue/pairs/filter.h"
#include "ode_glue/step/scene.h"
#include "ode_glue/write/apply.h"
#include "ode_glue/write/feedback.h"

static void report_joints(peg_glue *glue)
{
    const peg_joint_notes *notes = &glue->notes;
    if (notes->unsupported)
        peg_say(&glue->report, PEG_CAUSE_JOINTS, PEG_OK,
                "a joint of a type that is not known here: contacts do not know of it, bodies that "
                "it holds may overlap");
    if (notes->inferred)
        peg_say(&glue->report, PEG_CAUSE_JOINT_POSE, PEG_OK,
                "a joint was first seen at a step and is taken to be satisfied there: call "
                "pegJointCapture where it is set");
    if (notes->untold)
        peg_say(&glue->report, PEG_CAUSE_JOINT_UNTOLD, PEG_OK,
                "a plane-2d joint or a linear motor with settings that ODE does not tell: call "
                "pegJointPlane2DParam, pegJointSetLMotorAxis where they are set");
    if (notes->joints && peg_context_settings(glue->core)->contact != PEG_CONTACT_PEG)
        peg_say(&glue->report, PEG_CAUSE_JOINT_MODEL, PEG_OK,
                "the papers' contact models know no joints: bodies with joints may overlap");
}

static void report_step(peg_glue *glue, const pegStats *stats)
{
    if (dWorldGetContactSurfaceLayer(glue->world) != 0)
        peg_say(&glue->report, PEG_CAUSE_LAYER, PEG_OK,
                "the contact surface layer has no meaning for exact contacts: bodies keep the gap "
                "of settings.margin");
    if (!isinf(dWorldGetContactMaxCorrectingVel(glue->world)))
        peg_say(&glue->report, PEG_CAUSE_CORRECTING_SPEED, PEG_OK,
                "the largest correcting velocity has no meaning for exact contacts: overlap at the "
                "start opens at settings.max_depenetration_speed");
    report_joints(glue);
    if (stats->joints_relaxed)
        peg_say(&glue->report, PEG_CAUSE_JOINTS_YIELD, PEG_OK,
                "joints contradict each other or contacts: they yielded, so that a step could be "
                "made");
    if (stats->recovered)
        peg_say(&glue->report, PEG_CAUSE_OVERLAP, PEG_OK,
                "bodies overlap at the start of a step: they are moved apart at a capped speed");
    if (stats->infeasible_islands)
        peg_say(&glue->report, PEG_CAUSE_SQUEEZED, PEG_OK,
                "moving bodies leave no room for others: the step ended with the least overlap");
    if (stats->unconverged)
        peg_say(&glue->report, PEG_CAUSE_UNCONVERGED, PEG_ERROR_SOLVER,
                "a step was accepted without a certificate: bodies may overlap after it");
}

static pegStatus step(peg_glue *glue, double h, int quick, pegStats *stats)
{
    if (!(h > 0) || !isfinite(h)) return PEG_ERROR_STEP_SIZE;
    if (glue->pair_lost) return PEG_ERROR_MEMORY;
    if (glue->spaces == 0 && glue->added.n == 0)
        peg_say(&glue->report, PEG_CAUSE_NO_SPACE, PEG_OK,
                "no space was added and no pair added: this step has no contacts; call "
                "pegWorldAddSpace, or pegNearCallback or pegWorldAddPair before each step");
    pegStatus status = peg_glue_collect(glue, h);
    if (status == PEG_OK) status = peg_step(glue->core, &glue->scene, stats);
    if (status == PEG_OK && glue->pair_lost) status = PEG_ERROR_MEMORY;
    if (status == PEG_OK) status = peg_glue_apply(glue, quick, stats);
    if (status == PEG_OK) peg_glue_fill_feedback(glue);
    if (status == PEG_OK) report_step(glue, stats);
    return status;
}

pegStatus peg_glue_step(peg_glue *glue, double h, int quick, pegStats *stats)
{
    if (glue->stepping) return PEG_ERROR_ARGUMENT;
    glue->stepping = 1;
    *stats = (pegStats){0};
    pegStatus status = step(glue, h, quick, stats);
    stats->steps = 1;
    glue->stepping = 0;
    peg_auto_disable_end(&glue->sleep, status == PEG_OK);
    if (status != PEG_OK) glue->scene.np = 0; /* no contacts to tell of */
    peg_map_clear(&glue->added);
    glue->pair_lost = 0;
    return status == PEG_OK ? PEG_OK : peg_fail(&glue->report, status);
}
