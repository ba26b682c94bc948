#include "peg/contact/loaded_contact.h"

#include "peg/contact/island.h"

static const peg_rigid *body_a(const peg_island *I, const peg_loaded_contact *c)
{
    return &I->rigid[I->piece[I->pair[c->pair].a].rigid];
}

static void local_point(const peg_island *I, const peg_loaded_contact *c, double *out)
{
    const peg_rigid *r = body_a(I, c);
    double arm[3];
    peg_sub(c->point, r->x0, arm);
    peg_rotate_back(r->R0, arm, out);
}

void peg_loaded_friction(const peg_loaded_contact *c, double out[3])
{
    double third[3];
    peg_cross(c->normal, c->tangent, third);
    for (int k = 0; k < 3; k++) out[k] = c->lambda[1] * c->tangent[k] + c->lambda[2] * third[k];
    for (int i = 0; i < c->furthers; i++)
        if (!c->further[i].turns)
            peg_add_scaled(out, c->further[i].lambda, c->further[i].axis, out);
}

void peg_loaded_rolling(const peg_loaded_contact *c, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (int i = 0; i < c->furthers; i++)
        if (c->further[i].turns) peg_add_scaled(out, c->further[i].lambda, c->further[i].axis, out);
}

peg_cached_contact peg_loaded_to_cache(const peg_island *I, const peg_loaded_contact *c)
{
    peg_cached_contact cached = {
        .kind = (int)c->kind, .i = c->i, .j = c->j, .lambda = c->lambda[0]};
    local_point(I, c, cached.local);
    peg_loaded_friction(c, cached.sliding);
    peg_loaded_rolling(c, cached.rolling);
    return cached;
}

void peg_loaded_row(const peg_island *I, const peg_loaded_contact *c, int j, peg_row *row)
{
    const peg_pair *p = &I->pair[c->pair];
    const peg_wide_further *further = j < 3 ? NULL : &c->further[j - 3];
    *row = (peg_row){.pair = c->pair, .friction = j, .kind = c->kind, .i = c->i, .j = c->j};
    row->lambda = row->lambda_motion = further ? further->lambda : c->lambda[j];
    row->gap0 = row->gap = row->target = c->gap;
    row->prescribed = further ? further->bias : c->prescribed[j];
    row->compliance = further ? further->compliance : c->compliance[j];
    row->gap_growth = j ? 0 : c->pushed;
    row->mu = further ? further->mu : j ? c->mu[j - 1] : 0;
    row->limit = further ? further->limit : j ? c->limit[j - 1] : 0;
    row->rolls = further && further->turns;
    peg_copy3(c->point, row->point);
    peg_copy3(further ? further->axis : j == 1 ? c->tangent : c->normal, row->normal);
    if (j == 2) peg_cross(c->normal, c->tangent, row->normal);
    local_point(I, c, row->local);
    for (int side = 0; side < 2; side++) {
        int rigid = I->piece[side ? p->b : p->a].rigid;
        double arm[3], *G = side ? row->Gb : row->Ga;
        if (rigid >= I->nd) continue;
        peg_sub(c->point, I->rigid[rigid].x0, arm);
        if (row->rolls) {
            peg_copy3(row->normal, G + 3);
        } else {
            peg_copy3(row->normal, G);
            peg_cross(arm, row->normal, G + 3);
        }
        for (int n = 0; n < 6 && side; n++) G[n] = -G[n];
    }
}

int peg_loaded_to_rows(peg_island *I)
{
    for (int k = 0; k < I->loads; k++) {
        const peg_loaded_contact *c = &I->load[k];
        int rubs = c->mu[0] > 0 || c->mu[1] > 0 || c->limit[0] > 0 || c->limit[1] > 0;
        int rows = rubs || c->furthers ? 3 + c->furthers : 1;
        peg_row *row = peg_row_set_extend(I, &I->impulse, rows);
        for (int j = 0; j < rows && row; j++) peg_loaded_row(I, c, j, &row[j]);
        if (!row) return 0;
    }
    I->loads = 0;
    return 1;
}
