/* Fixed degrees of freedom: motors of unlimited force at velocity zero, linear along and angular
 * about the axes of the scene. */
#include "demos/world/world.h"

#include <math.h>

#include "peg/base/math.h"

/* Axis k of the scene in world coordinates. */
static void axis_of(const lab_world *w, int k, double axis[3])
{
    for (int i = 0; i < 3; i++) axis[i] = w->turn[3 * i + k];
}

static void lock_translations(lab_body *b, int n)
{
    lab_world *w = b->world;
    dJointID motor = dJointCreateLMotor(w->ode, NULL);
    dJointAttach(motor, b->id, NULL);
    dJointSetLMotorNumAxes(motor, n);
    for (int k = 0, i = 0; k < 3; k++) {
        double axis[3];
        if (!b->locked[k]) continue;
        axis_of(w, k, axis);
        dJointSetLMotorAxis(motor, i, 0, axis[0], axis[1], axis[2]);
        if (w->peg) pegJointSetLMotorAxis(w->peg, motor, i, 0);
        dJointSetLMotorParam(motor, dParamVel + dParamGroup * i, 0);
        dJointSetLMotorParam(motor, dParamFMax + dParamGroup * i, dInfinity);
        dJointSetLMotorParam(motor, dParamCFM + dParamGroup * i, 0);
        i++;
    }
}

static void lock_rotations(lab_body *b, int n)
{
    lab_world *w = b->world;
    dJointID motor = dJointCreateAMotor(w->ode, NULL);
    dJointAttach(motor, b->id, NULL);
    dJointSetAMotorMode(motor, dAMotorUser);
    dJointSetAMotorNumAxes(motor, n);
    for (int k = 0, i = 0; k < 3; k++) {
        double axis[3];
        if (!b->locked[3 + k]) continue;
        axis_of(w, k, axis);
        dJointSetAMotorAxis(motor, i, 0, axis[0], axis[1], axis[2]);
        dJointSetAMotorParam(motor, dParamVel + dParamGroup * i, 0);
        dJointSetAMotorParam(motor, dParamFMax + dParamGroup * i, dInfinity);
        dJointSetAMotorParam(motor, dParamCFM + dParamGroup * i, 0);
        i++;
    }
}

void lab_make_locks(lab_body *b)
{
    int along = b->locked[0] + b->locked[1] + b->locked[2];
    int about = b->locked[3] + b->locked[4] + b->locked[5];
    if (b->kind != LAB_DYNAMIC) return;
    if (along) lock_translations(b, along);
    if (about) lock_rotations(b, about);
}
