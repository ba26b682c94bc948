/* The transmission joint: gears with parallel or intersecting axes, or a chain over two wheels.
 *
 * Each wheel touches the other (or the chain) at a point c; its phase is the angle by which it has
 * turned relative to the direction from its anchor to c. The row keeps the paths r phase of both
 * wheels equal. ODE measures the zero of the phases in its first step after a setting.
 *
 * A chain pulls on the branch that the sign of the difference of the paths tells. In the first step
 * after a setting that difference is 0 but for rounding, so that ODE takes either branch; from the
 * second step on the rows are ODE's. */
#include "ode_glue/joints/joint_build.h"

typedef struct gears {
    int mode;
    double anchor[2][3], axis[2][3];
    double contact[2][3], tangent[2][3];
} gears;

static void mesh_parallel(dJointID j, gears *g)
{
    double ratio = dJointGetTransmissionRatio(j), d[3];
    peg_sub(g->anchor[1], g->anchor[0], d);
    for (int i = 0; i < 2; i++) peg_add_scaled(g->anchor[0], ratio / (1 + ratio), d, g->contact[i]);
    peg_normalise(d);
    for (int i = 0; i < 2; i++) peg_cross(d, g->axis[i], g->tangent[i]);
}

/* The wheels' planes meet in the line O + s l. */
static void mesh_intersecting(gears *g)
{
    double l[3], O[3], d[3];
    peg_cross(g->axis[0], g->axis[1], l);
    double cosine = peg_dot(g->axis[0], g->axis[1]), sine2 = 1 - cosine * cosine;
    double far0 = peg_dot(g->axis[0], g->anchor[0]), far1 = peg_dot(g->axis[1], g->anchor[1]);
    for (int k = 0; k < 3; k++)
        O[k] = ((far0 - far1 * cosine) * g->axis[0][k] + (far1 - far0 * cosine) * g->axis[1][k]) /
               sine2;
    for (int i = 0; i < 2; i++) {
        peg_sub(g->anchor[i], O, d);
        peg_add_scaled(O, peg_dot(d, l), l, g->contact[i]);
        peg_copy3(l, g->tangent[i]);
    }
}

static void mesh_chain(dJointID j, gears *g)
{
    double radius[2] = {dJointGetTransmissionRadius1(j), dJointGetTransmissionRadius2(j)};
    double d[3], z[3];
    peg_sub(g->anchor[0], g->anchor[1], d);
    double cosine = (radius[1] - radius[0]) / peg_normalise(d);
    cosine = fmin(fmax(cosine, -1), 1);
    double sine = sqrt(1 - cosine * cosine);
    for (int i = 0; i < 2; i++) {
        /* ODE multiplies by the matrix of rows d, axis, z, where that of columns would be meant. */
        double u[3] = {radius[i] * cosine, 0, radius[i] * sine};
        peg_cross(d, g->axis[i], z);
        double r[3] = {peg_dot(d, u), peg_dot(g->axis[i], u), peg_dot(z, u)};
        peg_add_scaled(g->anchor[i], 1, r, g->contact[i]);
        peg_cross(r, g->axis[i], g->tangent[i]);
        peg_normalise(g->tangent[i]);
    }
}

/* The angle between -pi and pi, made the one nearest to what the last phase leads to expect. */
static double unwrap(double angle, double expected)
{
    const double turn = 2 * M_PI;
    if (expected > M_PI / 2) {
        if (angle < 0) angle += turn;
        angle += floor(expected / turn) * turn;
    } else if (expected < -M_PI / 2) {
        if (angle > 0) angle -= turn;
        angle += ceil(expected / turn) * turn;
    }
    if (expected - angle > M_PI) return angle + turn;
    if (expected - angle < -M_PI) return angle - turn;
    return angle;
}

/* Signed path that wheel i has turned; phase: that of the last step. */
static double path(const peg_joint_build *build, const gears *g, int i, double phase)
{
    const peg_side *side = i ? &build->b : &build->a;
    double *zero = build->reference->wheel[i], r[3], x[3], y[3];
    double expected = phase + build->h * peg_dot(side->v + 3, g->axis[i]);
    peg_sub(g->contact[i], g->anchor[i], r);
    if (peg_dot(zero, zero) == 0) { /* not measured: this is what was expected */
        double angle = build->reference->inferred ? expected * (phase != 0) : 0;
        peg_cross(g->axis[i], r, y);
        for (int k = 0; k < 3; k++) x[k] = cos(angle) * r[k] - sin(angle) * y[k];
        peg_rotate_back(side->R, x, zero);
        peg_normalise(zero);
    }
    peg_rotate(side->R, zero, x);
    peg_cross(g->axis[i], x, y);
    double angle = atan2(peg_dot(y, r), peg_dot(x, r));
    return peg_norm(r) * unwrap(angle, expected);
}

/* Takes the other branch of the chain, as ODE does: mirrored about the origin's plane along the
 * base line. */
static void mirror(gears *g)
{
    double d[3], n[3];
    peg_sub(g->anchor[0], g->anchor[1], d);
    for (int i = 0; i < 2; i++) {
        peg_cross(g->axis[i], d, n);
        double square = peg_dot(n, n), l = 2 * peg_dot(g->tangent[i], n) / square;
        peg_add_scaled(g->contact[i], -2 * peg_dot(g->contact[i], n) / square, n, g->contact[i]);
        for (int k = 0; k < 3; k++) g->tangent[i][k] = l * n[k] - g->tangent[i][k];
    }
}

static void add_row(peg_joint_build *build, const gears *g, double delta, double backlash)
{
    static const double none[3];
    double arm[2][3];
    peg_sub(g->contact[0], build->a.x, arm[0]);
    peg_sub(g->contact[1], build->b.x, arm[1]);
    double error = delta > 0 ? delta - backlash : delta + backlash;
    peg_joint_row *row =
        peg_row_point(build, g->tangent[0], arm[0], none, -peg_gain(build) * error);
    for (int k = 0; k < 3; k++) row->Jb[k] = -g->tangent[1][k];
    peg_cross(g->tangent[1], arm[1], row->Jb + 3);
    if (backlash > 0 && delta > 0) row->hi = 0;
    if (backlash > 0 && delta <= 0) row->lo = 0;
}

void peg_joint_transmission(peg_joint_build *build)
{
    dJointID j = build->joint;
    gears g;
    const double *zero = build->reference->wheel[0];
    dVector3 v[4];
    dJointGetTransmissionAnchor1(j, v[0]);
    dJointGetTransmissionAnchor2(j, v[1]);
    dJointGetTransmissionAxis1(j, v[2]);
    dJointGetTransmissionAxis2(j, v[3]);
    for (int i = 0; i < 2; i++) {
        peg_copy3(v[i], g.anchor[i]);
        peg_copy3(v[2 + i], g.axis[i]);
    }
    g.mode = dJointGetTransmissionMode(j);
    double phase[2] = {dJointGetTransmissionAngle1(j), dJointGetTransmissionAngle2(j)};
    int set = peg_dot(zero, zero) == 0 &&
              (!build->reference->inferred || (phase[0] == 0 && phase[1] == 0));
    if (set) { /* ODE will measure in its coming step */
        phase[0] = phase[1] = 0;
        if (peg_dot(g.axis[0], g.axis[1]) < 0)
            for (int k = 0; k < 3; k++) g.axis[0][k] = -g.axis[0][k];
    }
    if (g.mode == dTransmissionParallelAxes) mesh_parallel(j, &g);
    if (g.mode == dTransmissionIntersectingAxes) mesh_intersecting(&g);
    if (g.mode == dTransmissionChainDrive) mesh_chain(j, &g);
    double path_a = path(build, &g, 0, phase[0]), path_b = path(build, &g, 1, phase[1]);
    double delta = g.mode == dTransmissionChainDrive ? path_a - path_b : path_a + path_b;
    if (g.mode == dTransmissionChainDrive && delta < 0) mirror(&g);

    double backlash = dJointGetTransmissionBacklash(j);
    build->erp = dJointGetTransmissionParam(j, dParamERP);
    build->cfm = dJointGetTransmissionParam(j, dParamCFM);
    if (backlash == 0 || fabs(delta) > backlash) add_row(build, &g, delta, backlash);
}
