/* Joints during ODE's step: those that it is to leave alone, their feedback, and the check that the
 * others led where the certificate said. */
#include "ode_glue/read/unconstrained_velocity.h"
#include "ode_glue/write/joint_step.h"

/* What ODE's step may differ from the certified one, relative to the body's size: a tenth of the
 * least gap of which a step is accepted. Redundant joints differ by more. */
static const double SAME_STEP = 1e-9;
/* The same where nothing is near: such bodies move as ODE moves them, unless that leads them to
 * where nobody looked for contacts. */
static const double SAME_WAY = 1e-3;
/* Rounding of a position, relative to it. */
static const double ROUNDING = 1e-14;

static peg_body *body_of(peg_glue *glue, int i)
{
    return i < 0 ? NULL : &glue->scene.body[i];
}

static int is_held(peg_glue *glue, int row)
{
    const peg_body *a = body_of(glue, glue->scene.joint_row[row].body_a);
    const peg_body *b = body_of(glue, glue->scene.joint_row[row].body_b);
    return (a && a->kind == PEG_DYNAMIC && a->held) || (b && b->kind == PEG_DYNAMIC && b->held);
}

void peg_glue_leave_joints_out(peg_glue *glue, int all)
{
    for (int i = 0; i < glue->scene.nb && all; i++)
        if (glue->link[i].joined) glue->scene.body[i].held = 1;
    for (int i = 0; i < glue->scene.njoint_row; i++)
        if (is_held(glue, i)) dJointDisable(glue->joint[i]);
}

static void add_row(const peg_joint_row *row, double h, dJointFeedback *out)
{
    double f = row->lambda / h;
    peg_add_scaled(out->f1, f, row->Ja, out->f1);
    peg_add_scaled(out->t1, f, row->Ja + 3, out->t1);
    peg_add_scaled(out->f2, f, row->Jb, out->f2);
    peg_add_scaled(out->t2, f, row->Jb + 3, out->t2);
}

void peg_glue_put_joints_back(peg_glue *glue, int stepped)
{
    for (int i = 0; i < glue->scene.njoint_row; i++) {
        dJointID joint = glue->joint[i];
        if (!is_held(glue, i)) continue;
        dJointFeedback *feedback = dJointGetFeedback(joint);
        if (feedback && stepped) {
            if (i == 0 || glue->joint[i - 1] != joint) memset(feedback, 0, sizeof *feedback);
            add_row(&glue->scene.joint_row[i], glue->scene.h, feedback);
        }
        dJointEnable(joint);
    }
}

void peg_glue_keep_impulses(peg_glue *glue)
{
    peg_joint_set_keep(&glue->joints, glue->scene.joint_row, glue->joint, glue->scene.njoint_row);
}

static int differ(const double *a, const double *b, int n, double allowed)
{
    double d = 0, size = 0;
    for (int k = 0; k < n; k++) {
        d = fmax(d, fabs(a[k] - b[k]));
        size = fmax(size, fabs(a[k]));
    }
    return d > allowed + ROUNDING * size;
}

/* ODE stopped a body of a group that goes on, or its solver failed. */
void peg_glue_set_right(peg_glue *glue)
{
    for (int i = 0; i < glue->scene.nb; i++) {
        const peg_body *b = &glue->scene.body[i];
        const peg_link *link = &glue->link[i];
        double x[3], q[4], v[6];
        if (!link->joined || link->foreign || b->kind != PEG_DYNAMIC || (b->asleep && !b->woken))
            continue;
        if (!b->held && !dBodyIsEnabled(link->id)) continue;
        double allowed = link->met || b->held ? SAME_STEP : SAME_WAY;
        double size = sqrt((b->inertia[0] + b->inertia[4] + b->inertia[8]) / b->mass);
        peg_body_pose(b, b->v_pose, glue->scene.h, x, q);
        if (dBodyIsEnabled(link->id) && !differ(x, dBodyGetPosition(link->id), 3, allowed * size) &&
            !differ(q, dBodyGetQuaternion(link->id), 4, allowed))
            continue;
        if (!dBodyIsEnabled(link->id)) {
            dBodyEnable(link->id);
            dBodySetForce(link->id, 0, 0, 0);
            dBodySetTorque(link->id, 0, 0, 0);
        }
        dBodySetPosition(link->id, x[0], x[1], x[2]);
        dBodySetQuaternion(link->id, q);
        peg_body as_moved = *b;
        memcpy(as_moved.v_end, b->v_pose, sizeof b->v_pose);
        peg_end_velocity(link->id, &as_moved, v);
        dBodySetLinearVel(link->id, v[0], v[1], v[2]);
        dBodySetAngularVel(link->id, v[3], v[4], v[5]);
        glue->set_right++;
    }
}
