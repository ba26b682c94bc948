#include "peg/paper/contact_potential.h"

#include "peg/base/clock.h"
#include "peg/contact/disjunction.h"
#include "peg/contact/kinematics.h"
#include "peg/island/begin.h"
#include "peg/paper/pair_direction.h"
#include "peg/paper/unilateral_step.h"

/* Largest step in units of sqrt(m_eff / C), m_eff the mass that meets the spring, 1 / (G M^-1 G^T):
 * the method is stable up to 2, and accurate to a percent of the energy below this. */
static const double LONGEST = 0.3;

static double inverse_mass(const peg_island *I, int rigid, const double *G)
{
    double turned[3];
    if (rigid >= I->nd) return 0;
    peg_rotate(I->mass[rigid].inv_inertia, G + 3, turned);
    return I->mass[rigid].inv_mass * peg_dot(G, G) + peg_dot(G + 3, turned);
}

static void push(const peg_island *I, int rigid, const double *G, double impulse, peg_vec6 *v)
{
    double turned[3];
    if (rigid >= I->nd) return;
    peg_add_scaled(v[rigid], impulse * I->mass[rigid].inv_mass, G, v[rigid]);
    peg_rotate(I->mass[rigid].inv_inertia, G + 3, turned);
    peg_add_scaled(v[rigid] + 3, impulse, turned, v[rigid] + 3);
}

/* The Jacobian about the centre at the end of the step. */
static void turn_about_end(const peg_island *I, int rigid, const double *point, const double *n,
                           double sign, double *G)
{
    double arm[3];
    if (rigid >= I->nd) return;
    peg_sub(point, I->rigid[rigid].x, arm);
    peg_cross(arm, n, G + 3);
    for (int k = 0; k < 3; k++) G[k] = sign * n[k], G[3 + k] *= sign;
}

/* Vertices count as outermost up to this, in L. */
static const double OUTERMOST = 1e-9;

/* The middle of where two parts with a radius touch. */
static int find_middle(peg_island *I, const peg_pair *pair, const peg_view *A, const peg_view *B,
                       const peg_ssh *ssh, double a[3], double b[3])
{
    peg_polygon_corner *corner;
    int n = peg_contact_polygon(I->arena, A, B, ssh->n, OUTERMOST * pair->L, &corner);
    if (n < 0) I->failed = 1;
    if (n <= 0) peg_copy3(ssh->a, a), peg_copy3(ssh->b, b);
    for (int k = 0; k < 3 && n > 0; k++) {
        a[k] = b[k] = 0;
        for (int i = 0; i < n; i++) a[k] += corner[i].a[k] / n, b[k] += corner[i].b[k] / n;
    }
    return n >= 0;
}

/* Depth s < 0 and unit direction n of a pair, and the points of its subgradient. */
static int find_force(peg_island *I, peg_pair *pair, const peg_view *A, const peg_view *B,
                      peg_ssh *ssh, double a[3], double b[3])
{
    if (!peg_pair_direction(I, pair, A, B, ssh) || !(ssh->s < 0)) return 0;
    if (peg_cores_are_apart(A, B, ssh->s)) return find_middle(I, pair, A, B, ssh, a, b);
    peg_ssh at = *ssh;
    at.basis[0] = -1;
    return peg_ssh_solve(I->arena, A, B, ssh->n, &at) == PEG_LP_SOLVED &&
           peg_ssh_subgradient(I->arena, A, B, ssh->n, &at, a, b);
}

/* Adds h/2 of the contact force of a pair to the velocities v, and its impulse to the account. */
static void apply_force(peg_island *I, int p, int at_end, peg_vec6 *v)
{
    peg_pair *pair = &I->pair[p];
    const peg_piece *pa = &I->piece[pair->a], *pb = &I->piece[pair->b];
    const peg_view *A = at_end ? &pa->now : &pa->start, *B = at_end ? &pb->now : &pb->start;
    peg_ssh ssh;
    double a[3], b[3], C = I->settings->lp_stiffness;
    int ra = pa->rigid, rb = pb->rigid;
    if (!find_force(I, pair, A, B, &ssh, a, b)) return;
    peg_row *row = peg_add_row_of_points(I, p, a, b, ssh.n, ssh.s, &I->impulse);
    if (!row) return;
    if (at_end) {
        turn_about_end(I, ra, a, ssh.n, 1, row->Ga);
        turn_about_end(I, rb, b, ssh.n, -1, row->Gb);
    }
    row->lambda = 0.5 * I->h * C * -ssh.s;
    double w = inverse_mass(I, ra, row->Ga) + inverse_mass(I, rb, row->Gb);
    if (I->h * sqrt(C * w) > LONGEST) I->stats->potential_too_stiff++;
    push(I, ra, row->Ga, row->lambda, v);
    push(I, rb, row->Gb, row->lambda, v);
}

peg_result peg_contact_potential(peg_island *I)
{
    double then = peg_seconds();
    peg_island_begin(I);
    I->forms &= ~(unsigned)PEG_FORM_RECOVERY;
    for (int i = 0; i < I->nd; i++) {
        const peg_body *b = &I->rigid[i].state;
        for (int k = 0; k < 6; k++) {
            I->result.v_end[i][k] = b->v_free[k] - b->v[k]; /* h times the applied accelerations */
            I->v[i][k] = b->v[k] + 0.5 * I->result.v_end[i][k];
        }
    }
    for (int p = 0; p < I->npair && !I->failed; p++) apply_force(I, p, 0, I->v);
    peg_island_move(I);
    for (int i = 0; i < I->nd; i++)
        for (int k = 0; k < 6; k++)
            I->result.v_end[i][k] = I->v[i][k] + 0.5 * I->result.v_end[i][k];
    for (int p = 0; p < I->npair && !I->failed; p++) apply_force(I, p, 1, I->result.v_end);
    if (I->failed) return PEG_NOT_CONVERGED;
    I->result.notes |= PEG_NOTE_FINAL;
    for (int i = 0; i < I->npair; i++) peg_pair_shortfall(I, &I->pair[i], NULL, NULL);
    I->stats->time_check += peg_seconds() - then;
    return PEG_CONVERGED;
}
