/* Rows of the contacts in lanes, in y: as in gauss_seidel.c v - v_f of the centres, and F^-1 (v -
 * v_f) of what turns. */
#include "peg/lcp/wide_groups.h"

/* What the rows of a group need of the bodies on one side. */
typedef struct side {
    peg_floats inverse_mass, angular[6], target[6];
} side;

PEG_HOT void load_side(const peg_wide_pgs *s, const int *body, side *out)
{
    const peg_wide_problem *p = s->problem;
    for (int l = 0; l < PEG_LANES; l++) {
        int moves = body[l] < p->nb, i = moves ? body[l] : 0;
        const peg_mass_root *root = &p->root[i];
        out->inverse_mass[l] = moves ? (float)(root->linear * root->linear) : 0;
        for (int k = 0; k < 6; k++) {
            out->angular[k][l] = moves ? (float)root->angular[k] : 0;
            out->target[k][l] = moves ? (float)s->base[i][k] : 0;
        }
    }
}

/* A row along a direction, with its moments about the bodies' centres, or without a direction about
 * an axis. */
typedef struct eight_directions {
    peg_floats d[3], about_a[3], about_b[3], bias, compliance, lambda;
} eight_directions;

typedef struct eight_contacts {
    eight_directions along[PEG_WIDE_ROWS];
    peg_floats arm_a[3], arm_b[3], mu[2], limit[2];
} eight_contacts;

PEG_HOT void load_contacts(const peg_wide_problem *p, const peg_wide_group *g, int k,
                           eight_contacts *out)
{
    memset(out, 0, sizeof *out);
    for (int l = 0; l < PEG_LANES; l++) {
        int contact = peg_wide_contact_of(p, g, l, k);
        if (contact < 0) continue;
        const peg_wide_contact *c = &p->contact[contact];
        for (int j = 0; j < 3; j++) {
            eight_directions *along = &out->along[j];
            out->along[0].d[j][l] = (float)c->normal[j];
            out->along[1].d[j][l] = (float)c->tangent[j];
            out->arm_a[j][l] = (float)c->arm_a[j];
            out->arm_b[j][l] = (float)c->arm_b[j];
            along->bias[l] = (float)c->bias[j];
            along->compliance[l] = (float)c->compliance[j];
            along->lambda[l] = (float)c->lambda[j];
        }
        for (int j = 0; j < 2; j++) {
            out->mu[j][l] = (float)c->mu[j];
            out->limit[j][l] = peg_wide_limit(c->limit[j]);
        }
    }
}

/* The further row r of the contacts k. */
PEG_HOT void load_further(const peg_wide_problem *p, const peg_wide_group *g, int k, int r,
                          eight_directions *along, peg_wide_further_rows *out)
{
    memset(along, 0, sizeof *along);
    out->mu = out->limit = peg_floats_of(0);
    for (int l = 0; l < PEG_LANES; l++) {
        int contact = peg_wide_contact_of(p, g, l, k);
        if (contact < 0) continue;
        const peg_wide_contact *c = &p->contact[contact];
        const peg_wide_further *f = &p->further[contact * p->furthers + r];
        double about_a[3], about_b[3];
        peg_cross(c->arm_a, f->axis, about_a);
        peg_cross(c->arm_b, f->axis, about_b);
        for (int j = 0; j < 3; j++) {
            along->d[j][l] = f->turns ? 0 : (float)f->axis[j];
            along->about_a[j][l] = (float)(f->turns ? f->axis[j] : about_a[j]);
            along->about_b[j][l] = (float)(f->turns ? f->axis[j] : about_b[j]);
        }
        along->bias[l] = (float)f->bias;
        along->compliance[l] = (float)f->compliance;
        along->lambda[l] = (float)f->lambda;
        out->mu[l] = (float)f->mu;
        out->limit[l] = peg_wide_limit(f->limit);
    }
}

PEG_HOT void cross(const peg_floats *a, const peg_floats *b, peg_floats *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* How the turning of a body counts in a row, and what v_f adds to its speed. */
PEG_HOT void load_turn(const side *body, const peg_floats *c, const peg_floats *d, float sign,
                       peg_floats *n, peg_floats *beta)
{
    const peg_floats *f = body->angular;
    for (int k = 0; k < 3; k++)
        *beta += sign * (d[k] * body->target[k] + c[k] * body->target[3 + k]);
    n[0] = sign * (f[0] * c[0] + f[1] * c[1] + f[3] * c[2]);
    n[1] = sign * (f[2] * c[1] + f[4] * c[2]);
    n[2] = sign * (f[5] * c[2]);
}

/* Speed of row i by an impulse of 1 N s in row j. */
PEG_HOT peg_floats product(const peg_wide_group *g, const peg_wide_row *i, const peg_wide_row *j)
{
    return (g->inverse_mass[0] + g->inverse_mass[1]) * peg_floats_dot(i->d, j->d) +
           (peg_floats_dot(i->a, j->a) + peg_floats_dot(i->b, j->b));
}

PEG_HOT void load_row(const peg_wide_group *g, const side *a, const side *b,
                      const eight_directions *along, peg_wide_row *row)
{
    for (int j = 0; j < 3; j++) row->d[j] = along->d[j];
    row->beta = along->bias;
    load_turn(a, along->about_a, along->d, 1, row->a, &row->beta);
    load_turn(b, along->about_b, along->d, -1, row->b, &row->beta);
    row->scale = product(g, row, row);
    peg_float_mask moves = row->scale > peg_floats_of(0);
    row->gain = peg_floats_if(moves, 1 / (row->scale + along->compliance), peg_floats_of(0));
    row->lambda = peg_floats_if(moves, along->lambda, peg_floats_of(0));
    row->way = peg_floats_of(0);
}

PEG_WIDE static void load_rows(peg_wide_pgs *s, int worker)
{
    int furthers = s->problem->furthers;
    for (int i = worker; i < s->groups; i += s->threads) {
        peg_wide_group *g = &s->group[i];
        side a, b;
        load_side(s, g->a, &a);
        load_side(s, g->b, &b);
        g->inverse_mass[0] = a.inverse_mass, g->inverse_mass[1] = b.inverse_mass;
        for (int k = 0; k < g->contacts; k++) {
            eight_contacts c;
            peg_wide_rows *r = &g->rows[k];
            peg_wide_row *row = r->row;
            load_contacts(s->problem, g, k, &c);
            cross(c.along[0].d, c.along[1].d, c.along[2].d);
            for (int j = 0; j < PEG_WIDE_ROWS; j++) {
                cross(c.arm_a, c.along[j].d, c.along[j].about_a);
                cross(c.arm_b, c.along[j].d, c.along[j].about_b);
                load_row(g, &a, &b, &c.along[j], &row[j]);
            }
            peg_float_mask closes =
                (row->lambda > peg_floats_of(0)) | (row->beta < peg_floats_of(0));
            for (int j = 0; j < 2; j++) {
                r->mu[j] = c.mu[j];
                r->limit[j] = peg_floats_if(closes, c.limit[j], peg_floats_of(0));
            }
            r->one_zero = product(g, &row[1], &row[0]);
            r->two_zero = product(g, &row[2], &row[0]);
            r->two_one = product(g, &row[2], &row[1]);
            for (int j = 0; j < furthers; j++) {
                peg_wide_further_rows *f = &g->further[k * furthers + j];
                eight_directions along;
                load_further(s->problem, g, k, j, &along, f);
                load_row(g, &a, &b, &along, &f->row);
                f->limit = peg_floats_if(closes, f->limit, peg_floats_of(0));
            }
        }
    }
}

void peg_wide_load_rows(peg_wide_pgs *s, int worker)
{
    load_rows(s, worker);
}
