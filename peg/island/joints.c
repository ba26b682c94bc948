/* Joints in the island's mixed LCP: their rows follow those of the contacts, are constant over the
 * step, as in ODE, and hold for the joint's whole impulse, about whatever velocity a solve is made:
 * a solve about v_k takes their last impulses off first.
 *
 * How they are solved: joint_solve.c. */
#include "peg/island/joints.h"

#include "peg/base/arena.h"
#include "peg/island/joint_row.h"
#include "peg/island/lcp_rows.h"

int peg_joints_allocate(peg_island *I, int n)
{
    I->joints.source = PEG_NEW(I->arena, peg_joint_source, n);
    I->joints.row = PEG_NEW(I->arena, peg_lcp_row, n);
    I->joints.lambda = PEG_NEW(I->arena, double, n);
    I->joints.correction = PEG_NEW(I->arena, double, n);
    I->joints.alone = PEG_NEW(I->arena, double, n);
    return I->joints.source && I->joints.row && I->joints.lambda && I->joints.correction &&
           I->joints.alone;
}

void peg_joints_add(peg_island *I, const peg_joint_row *row, int index, double alone,
                    const peg_joint_place place[2])
{
    peg_joint_source *joint = &I->joints.source[I->joints.n];
    joint->row = index;
    joint->sign = peg_joint_lcp_row(row, &place[0], &place[1], &I->joints.row[I->joints.n]);
    if (joint->sign == 0) return;
    I->joints.row[I->joints.n].normal = -1;
    I->joints.correction[I->joints.n] = joint->sign * row->correction;
    I->joints.alone[I->joints.n] = joint->sign * alone;
    I->joints.lambda[I->joints.n++] = joint->sign * row->lambda;
    for (int side = 0; side < 2; side++) {
        int i = place[side].index;
        if (i >= 0 && row->push != 0)
            peg_add_impulse(&I->mass[i], side ? row->Jb : row->Ja, row->push, I->rigid[i].target);
    }
}

/* --- without contact ------------------------------------------------------------------------- */

void peg_joints_solve_alone(peg_island *I)
{
    peg_arena_mark mark = peg_arena_here(I->arena);
    peg_solution solution = {.v = PEG_NEW(I->arena, peg_vec6, I->nd),
                             .lambda = PEG_NEW(I->arena, double, I->joints.n)};
    peg_vec6 *target = PEG_NEW(I->arena, peg_vec6, I->nd);
    peg_lcp_row *row = PEG_NEW(I->arena, peg_lcp_row, I->joints.n);
    if (!solution.v || !solution.lambda || !target || !row) {
        I->failed = 1;
        return;
    }
    peg_problem problem = {I->nd, I->joints.n, I->mass, (const peg_vec6 *)target, row};
    for (int i = 0; i < I->nd; i++) memcpy(target[i], I->rigid[i].target, sizeof target[i]);
    peg_work_allow(I, 1);
    peg_outcome outcome = peg_joints_solve(I, &problem, row, &solution);
    int solved = peg_is_answer(outcome);
    int is_exact = outcome == PEG_SOLVED && I->joints.relaxation == 0;
    for (int i = 0; i < I->nd; i++)
        memcpy(I->rigid[i].state.v_free, solved ? solution.v[i] : target[i], sizeof target[i]);
    for (int k = 0; k < I->joints.n && solved; k++) I->joints.lambda[k] = solution.lambda[k];
    for (int k = 0; k < I->joints.n; k++) I->joints.alone[k] = is_exact ? solution.lambda[k] : NAN;
    I->stats->joints_unconverged += outcome == PEG_LAGGED;
    if (!solved) I->stats->joints_failed++;
    if (outcome == PEG_OUT_OF_MEMORY) I->failed = 1;
    peg_arena_back(I->arena, mark);
}

void peg_joints_find_nearest(peg_island *I, peg_vec6 *v)
{
    peg_solution solution = {.v = PEG_NEW(I->arena, peg_vec6, I->nd),
                             .lambda = PEG_NEW(I->arena, double, I->joints.n)};
    peg_lcp_row *row = PEG_NEW(I->arena, peg_lcp_row, I->joints.n);
    peg_problem problem = {.nb = I->nd, .mass = I->mass, .target = (const peg_vec6 *)v, .row = row};
    if (!solution.v || !solution.lambda || !row) {
        I->failed = 1;
        return;
    }
    for (int k = 0; k < I->joints.n; k++) {
        if (!peg_is_equation(&I->joints.row[k])) continue;
        solution.lambda[problem.m] = 0;
        row[problem.m++] = I->joints.row[k];
    }
    if (problem.m > 0 && peg_island_lcp(I, &problem, &solution) == PEG_SOLVED)
        memcpy(v, solution.v, (size_t)I->nd * sizeof *v);
}

/* --- what the impulses do ------------------------------------------------------------------- */

void peg_joints_subtract(const peg_island *I, peg_vec6 *v)
{
    for (int k = 0; k < I->joints.n; k++) {
        const peg_lcp_row *row = &I->joints.row[k];
        int a = row->body_a, b = row->body_b;
        if (a >= 0) peg_add_impulse(&I->mass[a], row->Ja, -I->joints.lambda[k], v[a]);
        if (b >= 0) peg_add_impulse(&I->mass[b], row->Jb, -I->joints.lambda[k], v[b]);
    }
}

double peg_joints_work(const peg_island *I, const peg_vec6 *v)
{
    double work = 0;
    for (int k = 0; k < I->joints.n; k++)
        work += I->joints.lambda[k] * peg_lcp_speed(&I->joints.row[k], v);
    return work;
}

/* --- bounce --------------------------------------------------------------------------------- */

/* Bilateral rows keep their speed, stops that push do not get faster into it; motors have had their
 * impulse. */
int peg_joints_hold(peg_island *I, const peg_vec6 *v, peg_lcp_row **rows, double **lambda)
{
    *rows = I->joints.row;
    *lambda = I->joints.lambda;
    peg_lcp_row *held = PEG_NEW(I->arena, peg_lcp_row, I->joints.n);
    double *none = PEG_NEW(I->arena, double, I->joints.n);
    if (!held || !none) return 0;
    for (int k = 0; k < I->joints.n; k++) {
        held[k] = I->joints.row[k];
        held[k].b = -peg_lcp_speed(&held[k], v);
        if (held[k].bounded && isfinite(held[k].limit)) held[k].limit = 0;
        none[k] = 0;
    }
    I->joints.row = held;
    I->joints.lambda = none;
    return 1;
}

int peg_joints_keep(const peg_island *I, const peg_vec6 *v, peg_lcp_row *row)
{
    int n = 0;
    for (int k = 0; k < I->joints.n; k++) {
        const peg_lcp_row *joint = &I->joints.row[k];
        if (joint->bounded && isfinite(joint->limit)) continue;
        row[n] = *joint;
        row[n].b = joint->bounded ? 0 : I->h * peg_max(peg_lcp_speed(joint, v) + joint->b, 0);
        n++;
    }
    return n;
}

void peg_joints_release(peg_island *I, peg_lcp_row *rows, double *lambda)
{
    I->joints.row = rows;
    I->joints.lambda = lambda;
}
