/* The scene's contacts become forces on ODE's bodies, then ODE steps.
 *
 * A free body reaches v_free + h M^-1 F under an added force F, exactly, since ODE's gyroscopic
 * torque depends on the state at the start alone; so F = M (v_pose - v_free) / h (torque: with I at
 * the start pose, world frame).
 *
 * The joints' impulses, which the island's mixed LCP found, are added as forces like those of the
 * contacts, and the joints are left out of ODE's step: its factorisation takes the third power of
 * their rows, three quarters of the time of a bridge of 60 hinges. Where ODE must see them its step
 * finds them once more, as its rows are the same; of bodies whose joints had to yield they are left
 * out all the same. */
#include "ode_glue/read/unconstrained_velocity.h"
#include "ode_glue/write/apply.h"
#include "ode_glue/write/joint_step.h"
#include "peg/base/clock.h"

static int is_woken(const peg_body *b)
{
    return b->kind == PEG_DYNAMIC && b->asleep && b->woken;
}

static void set_velocity(dBodyID id, const double v[6])
{
    dBodySetLinearVel(id, v[0], v[1], v[2]);
    dBodySetAngularVel(id, v[3], v[4], v[5]);
}

static int is_pushed(const peg_glue *glue, int i)
{
    const peg_body *b = &glue->scene.body[i];
    if (b->kind != PEG_DYNAMIC || (b->asleep && !b->woken)) return 0;
    if (glue->link[i].joined && !b->held) return b->moved_by_contact;
    return memcmp(b->v_pose, b->v_free, sizeof b->v_free) != 0;
}

/* Force and torque that turn v_free into v_pose, but for what ODE's joints will do; 0 if one of
 * them overflows, or ODE's step with them would (surfaces may ask for a motion of 1e308 m/s). */
static int find_push(const peg_body *b, double h, double push[6])
{
    double dv[6], R[9], I[9];
    double sum = peg_dot(b->v_pose, b->v_pose) + peg_dot(b->v_pose + 3, b->v_pose + 3) +
                 peg_dot(b->v_end, b->v_end) + peg_dot(b->v_end + 3, b->v_end + 3);
    for (int k = 0; k < 6; k++)
        dv[k] = b->v_pose[k] - b->v_free[k] - (b->held ? 0 : b->v_joints[k]);
    for (int k = 0; k < 3; k++) push[k] = b->mass * dv[k], push[3 + k] = 0;
    if (dv[3] != 0 || dv[4] != 0 || dv[5] != 0) {
        peg_quat_to_mat(b->q, R);
        peg_world_inertia(b, R, I);
        peg_rotate(I, dv + 3, push + 3);
    }
    for (int k = 0; k < 6; k++) sum += push[k] /= h;
    return isfinite(sum);
}

/* push[0] of those that cannot be pushed is not finite. */
static void find_pushes(void *data, int begin, int end)
{
    peg_glue *glue = data;
    for (int i = begin; i < end; i++) {
        double *push = glue->link[i].push;
        if (is_pushed(glue, i) && !find_push(&glue->scene.body[i], glue->scene.h, push))
            push[0] = NAN;
    }
}

static int add_pushes(peg_glue *glue)
{
    int n = glue->scene.nb;
    peg_link *link = glue->link;
    peg_pool_loop(peg_threads_for(glue->core, n), find_pushes, glue, n);
    for (int i = 0; i < n; i++)
        if (isnan(link[i].push[0])) return 0;
    for (int i = 0; i < n; i++) {
        const peg_body *b = &glue->scene.body[i];
        const double *f = link[i].push;
        if (link[i].idle) set_velocity(link[i].id, b->v);
        if (link[i].idle && b->asleep && !b->woken) dBodyDisable(link[i].id);
        /* whom joints wake, ODE wakes, and counts on towards sleep */
        if (is_woken(b) && !link[i].idle && (!b->woken_by_joint || b->held))
            dBodyEnable(link[i].id);
        if (!is_pushed(glue, i)) continue;
        dBodyAddForce(link[i].id, f[0], f[1], f[2]);
        dBodyAddTorque(link[i].id, f[3], f[4], f[5]);
    }
    return 1;
}

/* Force and torque as the program left them. */
static void put_forces_back(const peg_link *link)
{
    const double *f = link->force;
    dBodySetForce(link->id, f[0], f[1], f[2]);
    dBodySetTorque(link->id, f[3], f[4], f[5]);
}

static void take_back(peg_glue *glue)
{
    for (int i = 0; i < glue->scene.nb; i++) {
        const peg_body *b = &glue->scene.body[i];
        const peg_link *link = &glue->link[i];
        if (is_pushed(glue, i)) put_forces_back(link);
        if (link->idle) {
            dBodyEnable(link->id);
            set_velocity(link->id, link->v);
        } else if (is_woken(b)) {
            dBodyDisable(link->id);
        }
    }
}

/* After ODE's step: the velocities that differ from those that led to the pose. */
static void set_end_velocities(peg_glue *glue)
{
    for (int i = 0; i < glue->scene.nb; i++) {
        const peg_body *b = &glue->scene.body[i];
        dBodyID id = glue->link[i].id;
        double v[6];
        if (b->kind != PEG_DYNAMIC || (b->asleep && !b->woken)) continue;
        if (!dBodyIsEnabled(id)) { /* ODE put a body with joints to sleep instead of stepping it */
            if (is_pushed(glue, i)) put_forces_back(&glue->link[i]);
            continue;
        }
        if (memcmp(b->v_end, b->v_pose, sizeof b->v_end) == 0) continue;
        peg_end_velocity(id, b, v);
        if (glue->link[i].has_joints) { /* keep what the joints did to it */
            const dReal *u = dBodyGetLinearVel(id), *w = dBodyGetAngularVel(id);
            for (int k = 0; k < 3; k++) v[k] = u[k] + b->v_end[k] - b->v_pose[k];
            for (int k = 3; k < 6; k++) v[k] = w[k - 3] + b->v_end[k] - b->v_pose[k];
        }
        set_velocity(id, v);
    }
}

/* What contact holds at rest stays where it is to the bit: ODE adds gravity and the force that
 * cancels it, and is left with their rounding. */
static void hold_still(peg_glue *glue)
{
    static const double rest[6] = {0};
    for (int i = 0; i < glue->scene.nb; i++) {
        const peg_body *b = &glue->scene.body[i];
        const peg_link *link = &glue->link[i];
        if (!(is_pushed(glue, i) || link->joined) || b->kind != PEG_DYNAMIC || link->foreign ||
            !dBodyIsEnabled(link->id) || memcmp(b->v_pose, rest, sizeof rest) != 0 ||
            memcmp(b->v_end, rest, sizeof rest) != 0)
            continue;
        const double *q = b->q;
        set_velocity(link->id, rest);
        if (memcmp(dBodyGetPosition(link->id), b->x, sizeof b->x) != 0)
            dBodySetPosition(link->id, b->x[0], b->x[1], b->x[2]);
        if (memcmp(dBodyGetQuaternion(link->id), q, sizeof b->q) != 0)
            dBodySetQuaternion(link->id, q);
    }
}

/* ODE puts bodies with joints to sleep as a whole, and counts the turns of gears: for these its
 * step must see the joints. */
static int needs_joints(const peg_glue *glue)
{
    for (int i = 0; i < glue->scene.nb; i++)
        if (glue->link[i].joined && dBodyGetAutoDisableFlag(glue->link[i].id)) return 1;
    for (int i = 0; i < glue->scene.njoint_row; i++)
        if (dJointGetType(glue->joint[i]) == dJointTypeTransmission) return 1;
    return 0;
}

pegStatus peg_glue_apply(peg_glue *glue, int quick, pegStats *stats)
{
    /* A body that is due for auto-disabling sleeps on what supports it. Without any candidate pair
     * it falls. */
    for (int i = 0; i < glue->scene.nb; i++) {
        peg_body *b = &glue->scene.body[i];
        if (!glue->link[i].idle || b->woken || glue->link[i].met) continue;
        b->asleep = 0;
        memcpy(b->v_pose, b->v_free, sizeof b->v_free);
        memcpy(b->v_end, b->v_free, sizeof b->v_free);
    }
    int keeps_joints = needs_joints(glue);
    if (keeps_joints) quick = 0;
    peg_glue_leave_joints_out(glue, !keeps_joints);
    if (!add_pushes(glue)) {
        peg_glue_put_joints_back(glue, 0);
        return PEG_ERROR_NOT_FINITE;
    }
    double start = peg_seconds();
    int done = quick ? dWorldQuickStep(glue->world, glue->scene.h)
                     : dWorldStep(glue->world, glue->scene.h);
    stats->time_ode = peg_seconds() - start;
    peg_glue_put_joints_back(glue, done);
    if (!done) {
        take_back(glue);
        return PEG_ERROR_MEMORY;
    }
    peg_glue_set_right(glue);
    set_end_velocities(glue);
    hold_still(glue);
    peg_glue_keep_impulses(glue);
    /* what the next step must know to put bodies to sleep */
    for (int i = 0; i < glue->scene.nb; i++) {
        const peg_body *b = &glue->scene.body[i];
        if (b->kind == PEG_DYNAMIC)
            peg_auto_disable_note(&glue->sleep, glue->link[i].id, b->moved_by_contact);
    }
    return PEG_OK;
}
