/* Random joints between bodies that are neighbours in the list, or with the world. */
#include "tests/fuzz/world.h"

typedef void set_parameter(dJointID joint, int parameter, dReal value);

static void set_limits(fuzz_world *w, dJointID joint, set_parameter *set, double unit)
{
    dice *d = &w->dice;
    if (dice_chance(d, .4)) {
        set(joint, dParamLoStop, -unit * dice_between(d, 0, 2));
        set(joint, dParamHiStop, unit * dice_between(d, 0, 2));
    }
    if (w->driven && dice_chance(d, .4)) {
        set(joint, dParamVel, unit * dice_between(d, -10, 10));
        set(joint, dParamFMax, dice_scale(d, 1e-3, 1e3));
    }
}

static dJointID add_hinged(fuzz_world *w, int kind, dBodyID a, dBodyID b, vec at, vec axis)
{
    vec other = vec_unit(vec_cross(axis, dice_direction(&w->dice)));
    dJointID j;
    switch (kind) {
    case 0:
        j = dJointCreateHinge(w->ode, 0);
        dJointAttach(j, a, b);
        dJointSetHingeAnchor(j, at.x, at.y, at.z);
        dJointSetHingeAxis(j, axis.x, axis.y, axis.z);
        set_limits(w, j, dJointSetHingeParam, 1);
        return j;
    case 1:
        j = dJointCreateUniversal(w->ode, 0);
        dJointAttach(j, a, b);
        dJointSetUniversalAnchor(j, at.x, at.y, at.z);
        dJointSetUniversalAxis1(j, axis.x, axis.y, axis.z);
        dJointSetUniversalAxis2(j, other.x, other.y, other.z);
        set_limits(w, j, dJointSetUniversalParam, .5);
        return j;
    default:
        j = dJointCreatePiston(w->ode, 0);
        dJointAttach(j, a, b);
        dJointSetPistonAnchor(j, at.x, at.y, at.z);
        dJointSetPistonAxis(j, axis.x, axis.y, axis.z);
        set_limits(w, j, dJointSetPistonParam, w->size);
        return j;
    }
}

static dJointID add_joint(fuzz_world *w, dBodyID a, dBodyID b, vec at, vec axis)
{
    int kind = dice_below(&w->dice, 7);
    dJointID j;
    switch (kind) {
    case 0:
    case 1:
    case 2:
        return add_hinged(w, kind, a, b, at, axis);
    case 3:
        j = dJointCreateSlider(w->ode, 0);
        dJointAttach(j, a, b);
        dJointSetSliderAxis(j, axis.x, axis.y, axis.z);
        set_limits(w, j, dJointSetSliderParam, w->size);
        return j;
    case 4:
        j = dJointCreateFixed(w->ode, 0);
        dJointAttach(j, a, b);
        dJointSetFixed(j);
        return j;
    default:
        j = dJointCreateBall(w->ode, 0);
        dJointAttach(j, a, b);
        dJointSetBallAnchor(j, at.x, at.y, at.z);
        return j;
    }
}

void fuzz_add_joints(fuzz_world *w)
{
    dice *d = &w->dice;
    int count = 1 + dice_below(d, 8);
    for (int i = 0; i < count && w->bodies >= 2; i++) {
        int k = 1 + dice_below(d, w->bodies - 1);
        dBodyID a = w->body[k], b = dice_chance(d, .2) ? NULL : w->body[k - 1];
        const dReal *x = dBodyGetPosition(a);
        vec at = vec_of(x[0], x[1], x[2]);
        if (b && dAreConnected(a, b)) continue;
        if (b) {
            const dReal *y = dBodyGetPosition(b);
            at = vec_mul(.5, vec_add(at, vec_of(y[0], y[1], y[2])));
        }
        pegJointSetReferencePose(w->peg, add_joint(w, a, b, at, dice_direction(d)));
        w->joints++;
    }
}
