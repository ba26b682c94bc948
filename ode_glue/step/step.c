/* One step: ODE's world is read, the contacts are solved, ODE steps. */
#include "ode_glue/step/step.h"
#include "ode_glue/pairs/filter.h"
#include "ode_glue/step/scene.h"
#include "ode_glue/write/apply.h"
#include "ode_glue/write/feedback.h"

#include <stdio.h>

/* s: what lies beyond is a mistake, and its powers leave the range of doubles. */
static const double SHORTEST = 1e-20, LONGEST = 1e10;

/* Steps in a row whose velocities hold only roughly before that is told: single ones are common
 * where many bodies meet. */
enum { ROUGH_STEPS = 10 };

static void warn(peg_glue *glue, peg_cause cause, const peg_subject *about, const char *text)
{
    peg_say(&glue->report, cause, PEG_SEVERITY_WARNING, PEG_OK, about, text);
}

static void note(peg_glue *glue, peg_cause cause, const peg_subject *about, const char *text)
{
    peg_say(&glue->report, cause, PEG_SEVERITY_NOTE, PEG_OK, about, text);
}

static void report_joints(peg_glue *glue)
{
    const peg_joint_notes *notes = &glue->notes;
    if (notes->unsupported)
        warn(glue, PEG_CAUSE_JOINTS, &(peg_subject){.joint = notes->first_unsupported},
             "contacts do not know joints of this type: bodies that it holds may overlap");
    if (notes->inferred)
        note(glue, PEG_CAUSE_JOINT_POSE, &(peg_subject){.joint = notes->first_inferred},
             "the joint is taken to be satisfied in the pose in which a step first sees it: call "
             "pegJointSetReferencePose where it is set");
    if (notes->untold)
        note(glue, PEG_CAUSE_JOINT_UNTOLD, &(peg_subject){.joint = notes->first_untold},
             "the joint may have settings without a getter in ODE: call pegJointSetPlane2DParam or "
             "pegJointSetLMotorAxis where they are set");
    if (notes->joints && !peg_model_knows_joints(peg_context_settings(glue->core)))
        warn(glue, PEG_CAUSE_JOINT_MODEL, NULL,
             "this contact model does not know joints: bodies with joints may overlap");
    if (glue->own_contact)
        warn(
            glue, PEG_CAUSE_OWN_CONTACTS, &(peg_subject){.joint = glue->own_contact},
            "the program attached a contact joint to a body with exact contacts: ODE's step solves "
            "it as well, and bodies may overlap; remove the program's dJointCreateContact, or do "
            "not add the space");
}

static int is_limited(const peg_body *body)
{
    return body->limited;
}

static int is_unconverged(const peg_body *body)
{
    return body->unconverged;
}

/* "body 0x1: what; in this step also body 0x2, body 0x3, 5 more" */
static void tell_of_bodies(peg_glue *glue, pegSeverity severity, peg_cause cause,
                           int (*is_meant)(const peg_body *), const char *what)
{
    char text[480];
    enum { NAMED = 8 };
    peg_subject first = {0};
    int n = snprintf(text, sizeof text, "%s", what), count = 0;
    for (int i = 0; i < glue->scene.nb; i++) {
        if (!is_meant(&glue->scene.body[i])) continue;
        if (count++ == 0)
            first.body = glue->link[i].id;
        else if (count <= NAMED)
            n += snprintf(text + n, sizeof text - (size_t)n, "%s body %p",
                          count == 2 ? "; in this step also" : ",", (void *)glue->link[i].id);
    }
    if (count > NAMED) snprintf(text + n, sizeof text - (size_t)n, ", %d more", count - NAMED);
    peg_say(&glue->report, cause, severity, PEG_OK, &first, text);
}

static int has_two_meshes(const peg_glue *glue)
{
    int meshes = 0;
    for (int i = 0; i < glue->scene.np && meshes < 2; i++)
        meshes += glue->scene.part[i].triangle_mesh != NULL;
    return meshes == 2;
}

static void report_step(peg_glue *glue, const pegStats *stats)
{
    if (dWorldGetContactSurfaceLayer(glue->world) != 0)
        note(glue, PEG_CAUSE_LAYER, NULL,
             "the contact surface layer is ignored: exact contacts keep the separation "
             "settings.margin");
    if (!isinf(dWorldGetContactMaxCorrectingVel(glue->world)))
        note(glue, PEG_CAUSE_CORRECTING_SPEED, NULL,
             "the maximum correcting velocity is ignored: penetration recovery is capped by "
             "settings.max_depenetration_speed");
    report_joints(glue);
    if (stats->joints_relaxed)
        warn(glue, PEG_CAUSE_JOINTS_RELAXED, NULL,
             "joint constraints contradict each other or contacts: they were relaxed in a step");
    if (stats->recovered)
        note(glue, PEG_CAUSE_OVERLAP, NULL,
             has_two_meshes(glue)
                 ? "bodies overlap at the start of a step: they are moved apart at a capped speed, "
                   "but meshes whose triangles cross can stay so: create them apart"
                 : "bodies overlap at the start of a step: they are moved apart at a capped speed");
    if (stats->infeasible_islands)
        warn(glue, PEG_CAUSE_SQUEEZED, NULL,
             "bodies are squeezed between kinematic ones without a feasible motion: the step ended "
             "with the least overlap");
    int exact = peg_context_settings(glue->core)->contact == PEG_CONTACT_PEG;
    if (stats->unconverged && !exact)
        peg_say(&glue->report, PEG_CAUSE_UNCONVERGED, PEG_SEVERITY_WARNING, PEG_ERROR_SOLVER, NULL,
                "a step was accepted without certified separation: bodies may overlap after it");
    glue->rough_steps = stats->unconverged && exact ? glue->rough_steps + 1 : 0;
    if (glue->rough_steps == ROUGH_STEPS)
        tell_of_bodies(glue, PEG_SEVERITY_NOTE, PEG_CAUSE_ROUGH, is_unconverged,
                       "its velocity holds only roughly in this step and others before, as in all "
                       "that pegStats.unconverged counts: a smaller h lets solves converge");
    if (stats->limited_bodies)
        tell_of_bodies(glue, PEG_SEVERITY_WARNING, PEG_CAUSE_LIMITED, is_limited,
                       "it moved less in a step than contacts and forces ask for, as all bodies "
                       "that pegStats.limited_bodies counts");
}

static int is_as_read(const peg_link *link, const peg_body *b)
{
    const dReal *v = dBodyGetLinearVel(link->id), *w = dBodyGetAngularVel(link->id);
    const dReal *f = dBodyGetForce(link->id), *t = dBodyGetTorque(link->id);
    int same = 1;
    for (int k = 0; k < 3; k++) {
        same &= dBodyGetPosition(link->id)[k] == b->x[k];
        same &= v[k] == link->v[k] && w[k] == link->v[k + 3];
        same &= f[k] == link->force[k] && t[k] == link->force[k + 3];
    }
    return same;
}

/* Whether the near callback left the bodies as they were read. */
static pegStatus check_bodies(peg_glue *glue)
{
    for (int i = 0; i < glue->scene.nb && glue->near; i++) {
        if (is_as_read(&glue->link[i], &glue->scene.body[i])) continue;
        glue->report.culprit.body = glue->link[i].id;
        return PEG_ERROR_CALLBACK;
    }
    return PEG_OK;
}

static pegStatus step(peg_glue *glue, double h, int quick, pegStats *stats)
{
    if (!(h >= SHORTEST && h <= LONGEST)) return PEG_ERROR_STEP_SIZE;
    if (glue->pair_lost) return PEG_ERROR_MEMORY;
    if (glue->spaces == 0 && glue->added.n == 0 && !glue->all_joined)
        warn(glue, PEG_CAUSE_NO_SPACE, NULL,
             "no space and no pair was added: this step has no contacts; call pegWorldAddSpace, or "
             "pegNearCallback or pegWorldAddPair before each step");
    pegStatus status = peg_glue_collect(glue, h);
    if (status == PEG_OK) status = peg_step(glue->core, &glue->scene, stats);
    stats->soft_contacts = glue->soft;
    if (status == PEG_OK) status = check_bodies(glue);
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
    glue->told_now = 0;
    glue->report.culprit = (peg_subject){0};
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
