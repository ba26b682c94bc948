/* From the island's rows to those of a mixed LCP: M v - G^T lambda = M v_f, 0 <= G v + b _|_ lambda
 * >= 0 [W 8-9]. */
#include "peg/island/lcp_rows.h"

#include "peg/contact/kinematics.h"
#include "peg/contact/row_set.h"

/* Work of an island in a step, of solves in rows factorised, of all else by the time it takes: 0.1
 * to 0.2 s; share of it that is always left; one that is much. With 3e6 bodies of worlds 1-700 are
 * limited in 69 instead of 97 steps, and the slowest step (world 221) takes 0.47 instead of 0.22 s.
 */
static const double STEP_WORK = 2e6, LEAST_LEFT = 1.0 / 16, MUCH = 0.5;

/* Whether a row of a first contact is of features that have a row besides, which is loaded: a fixed
 * limit counts once. */
static int is_twice(const peg_island *I, const peg_row *normal)
{
    for (int i = 0; i < I->rows.m && normal->first_contact; i = peg_next_normal(&I->rows, i)) {
        const peg_row *row = &I->rows.row[i];
        if (row->first_contact) break;
        if (row->pair == normal->pair && row->was_active && peg_row_same(row, normal)) return 1;
    }
    return 0;
}

double peg_row_limit(const peg_island *I, int index)
{
    const peg_row *row = &I->rows.row[index], *normal = row - row->friction;
    int acts = row->friction && row->limit > 0 && normal->was_active && !is_twice(I, normal);
    return acts ? row->limit : 0;
}

void peg_fill_jacobian(const peg_island *I, const peg_row *row, peg_lcp_row *out)
{
    const peg_pair *p = &I->pair[row->pair];
    int a = I->piece[p->a].rigid, b = I->piece[p->b].rigid;
    memset(out, 0, sizeof *out);
    out->body_a = a < I->nd ? a : -1;
    out->body_b = b < I->nd ? b : -1;
    memcpy(out->Ja, row->Ga, sizeof out->Ja);
    memcpy(out->Jb, row->Gb, sizeof out->Jb);
}

void peg_fill_row(const peg_island *I, int index, peg_lcp_row *out)
{
    const peg_row *row = &I->rows.row[index];
    peg_fill_jacobian(I, row, out);
    out->b = row->bias;
    out->c = row->compliance;
    if (!row->friction) return;
    out->bounded = 1;
    out->normal = index - row->friction;
    out->mu = row->mu;
    out->limit = peg_row_limit(I, index);
    int is_open = I->pair[row->pair].friction_slips && !(out->limit > 0);
    if (is_open && !I->joints.n && peg_has_no_limit(I, row->limit)) out->mu = PEG_STEEP;
}

void peg_yield_rows(const peg_island *I, const peg_problem *problem, peg_lcp_row *row)
{
    for (int i = 0; i < problem->m && (I->forms & (PEG_FORM_ELASTIC | PEG_FORM_SLIP)); i++) {
        unsigned form = row[i].bounded ? PEG_FORM_SLIP : PEG_FORM_ELASTIC;
        if ((I->forms & form) && (!row[i].bounded || row[i].limit >= I->most_friction))
            row[i].c += PEG_COMPLIANCE * peg_row_scale(problem, i);
    }
}

/* Whether friction with a fixed limit has held the contact open that lands in this step, or one
 * without limit any contact: it does not act before the next one. Else answers with and without it
 * take turns. */
static int slips(const peg_island *I, const peg_row *normal)
{
    const peg_pair *p = &I->pair[normal->pair];
    if (!p->friction_slips || I->joints.n) return 0;
    int has_friction = normal + 1 < I->rows.row + I->rows.m && normal[1].friction;
    if (has_friction && peg_has_no_limit(I, normal[1].limit)) return 1;
    return normal->gap0 > 2 * p->margin;
}

void peg_friction_begin(const peg_island *I, peg_row *normal, double lambda)
{
    int is_peg = I->settings->contact == PEG_CONTACT_PEG;
    normal->was_active = !is_peg || (lambda > 0 && !slips(I, normal));
}

void peg_friction_end(peg_island *I, const peg_row *normal)
{
    const peg_row *end = I->rows.row + I->rows.m;
    int has_limit = 0, has_friction = 0, is_active = normal->lambda > 0;
    for (const peg_row *row = normal + 1; row < end && row->friction; row++) {
        has_limit |= row->limit > 0;
        has_friction |= row->lambda != 0;
    }
    int opens = normal->was_active && has_friction && !is_active;
    int closes = !normal->was_active && is_active && !slips(I, normal);
    if (!has_limit || !(opens || closes)) return;
    I->pair[normal->pair].friction_pending = 1;
    I->pair[normal->pair].friction_slips |= opens;
}

void peg_count_solve(peg_island *I, int rows)
{
    I->stats->solves++;
    I->stats->rows += rows;
    if (rows > I->stats->rows_max) I->stats->rows_max = rows;
}

/* Share of the speed of bodies that forces would take longer to make as fast as they are. */
static const double SOON = 0.1;

double peg_usual_change(const peg_island *I)
{
    double forced = 0, moving = 0;
    for (int i = 0; i < I->nd; i++) {
        forced += I->rigid[i].gained_square;
        moving += I->rigid[i].free_square;
    }
    return sqrt(fmax(forced, SOON * SOON * moving));
}

void peg_note_left(peg_island *I, double left)
{
    double usual = peg_usual_change(I);
    if (usual > 0) I->result.residual = fmax(I->result.residual, left / usual);
}

void peg_work_allow(peg_island *I, double share)
{
    double left = fmax(STEP_WORK - I->progress.work, LEAST_LEFT * STEP_WORK);
    I->progress.most = I->progress.work + share * left;
}

double peg_work_left(const peg_island *I)
{
    return I->progress.most - I->progress.work;
}

int peg_work_is_spent(const peg_island *I)
{
    return peg_work_left(I) <= 0;
}

int peg_work_is_scarce(const peg_island *I)
{
    return I->progress.work >= MUCH * STEP_WORK;
}

int peg_work_is_over(const peg_island *I)
{
    return I->progress.work >= STEP_WORK;
}

peg_outcome peg_island_lcp(peg_island *I, const peg_problem *problem, peg_solution *solution)
{
    peg_solve_options options = {.solver = I->settings->solver,
                                 .tolerance = PEG_RESIDUAL_TOLERANCE};
    int is_many = I->nd >= PEG_COARSE_FROM, apart = I->forms & PEG_FORM_POSITIONS_APART;
    solution->iterations = 0; /* some failures write none */
    options.most_work = peg_work_left(I);
    if (I->mode == PEG_MODE_LIMITED || (is_many && apart)) options.rescue = PEG_RESCUE_FIXED_POINT;
    if (!(options.most_work > 0)) return PEG_ITERATION_LIMIT;
    peg_outcome outcome = peg_solve(I->arena, problem, &options, solution);
    I->failed |= outcome == PEG_OUT_OF_MEMORY;
    I->progress.work += solution->work;
    return outcome;
}
