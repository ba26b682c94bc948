/* Correction of joint errors (Baumgarte stabilization) that jams with contacts: rows of joints ask
 * for erp / h times the error as a speed, whatever impulse that takes; against contacts that leave
 * no room it is large, and so is its work. */
#include "peg/island/joint_correction.h"

#include "peg/base/arena.h"
#include "peg/island/energy.h"
#include "peg/lcp/problem.h"

/* Corrections of joint errors and contacts jam where both hold, relative to the energy of the
 * island: JAMMED: work of corrections that contact does not take up, beyond what they do without
 * contact; WEDGED: energy that their impulses would give to the rows by themselves. A ball between
 * a door and the floor adds up to 823 J in a step without them (a_wedged_ball_adds_no_energy);
 * without WEDGED dolls of `ragdolls` (mu 0.5, h .05) that have bent a joint by 0.2 rad do not bend
 * back. SPRING: compliance, relative to a row's scale, from which on it is a spring. */
static const double JAMMED = 1e-3, WEDGED = 10, SPRING = 1e-3;

/* What corrections of joint errors do, J. */
typedef struct effort {
    double work;  /* of their impulses by the speeds at which they correct */
    double alone; /* energy of rows by themselves with those impulses */
} effort;

/* Of all rows that correct an error; those that yield are springs. */
static effort effort_of_corrections(const peg_island *I, const double *lambda, const peg_vec6 *v)
{
    const peg_problem problem = {.nb = I->nd, .mass = I->mass, .row = I->joints.row};
    effort sum = {0};
    for (int k = 0; k < I->joints.n; k++) {
        const peg_lcp_row *row = &I->joints.row[k];
        double scale = peg_row_scale(&problem, k), correction = I->joints.correction[k];
        if (correction == 0 || row->c > SPRING * scale || !isfinite(lambda[k])) continue;
        sum.work += lambda[k] * (peg_lcp_speed(row, v) + row->b + correction);
        sum.alone += 0.5 * lambda[k] * lambda[k] * scale;
    }
    return sum;
}

int peg_joints_keep_errors(peg_island *I)
{
    double most = JAMMED * I->energy_unit;
    effort now = effort_of_corrections(I, I->joints.lambda, (const peg_vec6 *)I->v);
    if (!(now.work > most && now.alone > WEDGED * I->energy_unit)) return 0;
    peg_vec6 *free = PEG_NEW(I->arena, peg_vec6, I->nd);
    if (!free) {
        I->failed = 1;
        return 0;
    }
    for (int i = 0; i < I->nd; i++) memcpy(free[i], I->rigid[i].state.v_free, sizeof free[i]);
    effort usual = effort_of_corrections(I, I->joints.alone, (const peg_vec6 *)free);
    if (!(peg_energy_gained(I) + now.work - fmax(0, usual.work) > most)) return 0;
    for (int k = 0; k < I->joints.n; k++) {
        I->joints.row[k].b += I->joints.correction[k];
        I->joints.correction[k] = 0;
    }
    I->joints.relaxation = 0;
    I->stats->joints_relaxed++;
    return 1;
}
