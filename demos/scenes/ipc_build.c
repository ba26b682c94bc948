/* A scene file of Rigid IPC as a scene of the lab. */
#include <math.h>

#include "demos/scenes/ipc_file.h"
#include "demos/world/world.h"
#include "peg/base/math.h"

void ipc_build(lab_world *w)
{
    const ipc_file *f = w->options.data;
    lab_gravity(w, f->gravity[0], f->gravity[1], f->gravity[2]);
    lab_friction(w, f->friction);
    lab_restitution(w, f->restitution);
    for (int i = 0; i < f->bodies; i++) {
        const file_body *b = &f->body[i];
        lab_body *body = lab_add(w, b->name, b->kind, b->at.x, b->at.q);
        if (b->shape == LAB_MESH_SHELL || b->shape == LAB_MESH_SHEET)
            lab_shell(body, LAB_MESH_SHELL_THICKNESS * b->extent);
        lab_mesh_parts(body, &b->mesh, b->shape, LAB_MESH_LOOSE_RADIUS * b->extent);
        if (b->kind == LAB_DYNAMIC) lab_density(body, b->density);
        if (b->kind == LAB_DYNAMIC) lab_lock(body, b->locked);
        lab_group(body, (int)b->group);
        if (b->kind == LAB_STATIC) continue;
        lab_velocity(body, b->v, b->omega);
        if (b->kind == LAB_DYNAMIC) lab_force(body, b->force, b->torque);
    }
}

/* Where the poses of a kinematic body have its origin at time t: pose k is reached after k + 1 time
 * steps of the file. */
static file_pose pose_at(const ipc_file *f, const file_body *b, double t)
{
    double steps = fmin(t / f->timestep, b->pose_count);
    int k = (int)fmin(floor(steps), b->pose_count - 1);
    const file_pose *from = k == 0 ? &b->at : &b->poses[k - 1], *to = &b->poses[k];
    file_pose out;
    double s = steps - k, square = 0, cosine = 0;
    for (int i = 0; i < 4; i++) cosine += from->q[i] * to->q[i];
    for (int i = 0; i < 3; i++) out.x[i] = (1 - s) * from->x[i] + s * to->x[i];
    for (int i = 0; i < 4; i++) {
        out.q[i] = (1 - s) * from->q[i] + s * (cosine < 0 ? -to->q[i] : to->q[i]);
        square += out.q[i] * out.q[i];
    }
    for (int i = 0; i < 4; i++) out.q[i] /= sqrt(square);
    return out;
}

/* The velocity with which ODE's update, q1 = normalise(q + h/2 (0, w) q), reaches a pose. */
static void steer(lab_body *body, const file_pose *to, double h)
{
    double x[3], q[4], R[9], com[3], v[3], omega[3], turn[4];
    lab_pose(body, x, q);
    double back[4] = {q[0], -q[1], -q[2], -q[3]};
    peg_quat_mul(to->q, back, turn);
    peg_quat_to_mat(to->q, R);
    for (int k = 0; k < 3; k++) com[k] = body->com[k] / body->world->scale;
    peg_rotate(R, com, com);
    for (int k = 0; k < 3; k++) {
        v[k] = (to->x[k] + com[k] - x[k]) / h;
        omega[k] = 2 * turn[k + 1] / (turn[0] * h);
    }
    lab_velocity(body, v, omega);
}

void ipc_before_step(lab_world *w, double t)
{
    static const double rest[3] = {0, 0, 0};
    const ipc_file *f = w->options.data;
    for (int i = 0; i < f->bodies; i++) {
        const file_body *b = &f->body[i];
        if (b->kind != LAB_KINEMATIC) continue;
        double slack = 1e-9 * f->timestep;
        if (t >= b->kinematic_time - slack) {
            lab_velocity(w->body[i], rest, rest);
        } else if (t < b->pose_count * f->timestep - slack) {
            file_pose to = pose_at(f, b, t + w->h);
            steer(w->body[i], &to, w->h);
        } else {
            lab_velocity(w->body[i], b->v, b->omega);
        }
    }
}
