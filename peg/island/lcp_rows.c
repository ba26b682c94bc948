/* From the island's rows to those of a mixed LCP: M v - G^T lambda = M v_f, 0 <= G v + b _|_ lambda
 * >= 0 [W 8-9]. */
#include "peg/island/lcp_rows.h"

double peg_row_limit(const peg_island *I, int index)
{
    const peg_row *row = &I->rows.row[index];
    return row->friction && row[-row->friction].was_active ? row->limit : 0;
}

void peg_fill_row(const peg_island *I, int index, peg_lcp_row *out)
{
    const peg_row *row = &I->rows.row[index];
    const peg_pair *p = &I->pair[row->pair];
    int a = I->piece[p->a].rigid, b = I->piece[p->b].rigid;
    memset(out, 0, sizeof *out);
    out->body_a = a < I->nd ? a : -1;
    out->body_b = b < I->nd ? b : -1;
    memcpy(out->Ja, row->Ga, sizeof out->Ja);
    memcpy(out->Jb, row->Gb, sizeof out->Jb);
    out->b = row->bias;
    out->c = row->compliance;
    if (!row->friction) return;
    out->bounded = 1;
    out->normal = index - row->friction;
    out->mu = row->mu;
    out->limit = peg_row_limit(I, index);
}

void peg_friction_begin(const peg_island *I, peg_row *normal, double lambda)
{
    normal->was_active = lambda > 0 || I->settings->contact != PEG_CONTACT_PEG;
}

void peg_friction_end(peg_island *I, const peg_row *normal)
{
    const peg_row *end = I->rows.row + I->rows.m;
    int has_limit = 0, has_friction = 0, is_active = normal->lambda > 0;
    for (const peg_row *row = normal + 1; row < end && row->friction; row++) {
        has_limit |= row->limit > 0;
        has_friction |= row->lambda != 0;
    }
    if (has_limit && (normal->was_active ? has_friction && !is_active : is_active))
        I->pair[normal->pair].friction_pending = 1;
}

void peg_count_solve(peg_island *I, int rows)
{
    I->stats->solves++;
    I->stats->rows += rows;
    if (rows > I->stats->rows_max) I->stats->rows_max = rows;
}

peg_solve_options peg_island_solve_options(const peg_island *I)
{
    return (peg_solve_options){.solver = I->settings->solver,
                               .tolerance = PEG_RESIDUAL_TOLERANCE,
                               .max_factorisations =
                                   I->mode == PEG_MODE_LIMITED ? 1 + PEG_COST_LIMIT / I->nd : 0};
}
