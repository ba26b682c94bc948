/* What PGS in lanes gives back: impulses within their bounds exactly, velocities from them in
 * double precision. */
#include "peg/lcp/wide_groups.h"

static void take_impulses(void *data, int begin, int end)
{
    const peg_wide_pgs *s = data;
    const peg_wide_problem *p = s->problem;
    int friction = !p->frictionless;
    for (int i = begin; i < end; i++) {
        const peg_wide_group *g = &s->group[i];
        for (int l = 0; l < PEG_LANES && g->patch[l] >= 0; l++)
            for (int k = 0; k < p->patch[g->patch[l]].count; k++) {
                peg_wide_contact *c = &p->contact[p->patch[g->patch[l]].first + k];
                const peg_wide_row *row = g->rows[k].row;
                c->lambda[0] = row[0].lambda[l];
                for (int j = 0; j < PEG_WIDE_ROWS - 1; j++) {
                    double limit = g->rows[k].limit[j][l] > 0 ? c->limit[j] : 0;
                    double bound = c->mu[j] * c->lambda[0] + limit;
                    c->lambda[j + 1] =
                        friction ? peg_clamp(row[j + 1].lambda[l], -bound, bound) : 0;
                }
                for (int j = 0; j < p->furthers; j++) {
                    peg_wide_further *f = &p->further[(c - p->contact) * p->furthers + j];
                    const peg_wide_further_rows *rows = &g->further[k * p->furthers + j];
                    double bound = f->mu * c->lambda[0] + (rows->limit[l] > 0 ? f->limit : 0);
                    f->lambda = peg_clamp(rows->row.lambda[l], -bound, bound);
                }
            }
    }
}

/* about: a moment about the contact, N m s; null: none. */
static void push_body(const peg_mass_root *root, const double *impulse, const double *about,
                      const double *arm, double sign, double *v)
{
    const double *f = root->angular;
    double moment[3], y[3];
    peg_cross(arm, impulse, moment);
    if (about) peg_add_scaled(moment, 1, about, moment);
    y[0] = f[0] * moment[0] + f[1] * moment[1] + f[3] * moment[2];
    y[1] = f[2] * moment[1] + f[4] * moment[2];
    y[2] = f[5] * moment[2];
    for (int k = 0; k < 3; k++) v[k] += sign * root->linear * root->linear * impulse[k];
    v[3] += sign * (f[0] * y[0]);
    v[4] += sign * (f[1] * y[0] + f[2] * y[1]);
    v[5] += sign * (f[3] * y[0] + f[4] * y[1] + f[5] * y[2]);
}

static void find_velocities(const peg_wide_problem *p, peg_vec6 *v)
{
    memcpy(v, p->target, (size_t)p->nb * sizeof *v);
    for (int i = 0; i < p->patches; i++) {
        const peg_wide_patch *patch = &p->patch[i];
        for (int k = 0; k < patch->count; k++) {
            const peg_wide_contact *c = &p->contact[patch->first + k];
            double impulse[3], about[3] = {0}, third[3];
            if (!peg_wide_acts(c)) continue;
            peg_cross(c->normal, c->tangent, third);
            for (int j = 0; j < 3; j++)
                impulse[j] = c->lambda[0] * c->normal[j] + c->lambda[1] * c->tangent[j] +
                             c->lambda[2] * third[j];
            for (int j = 0; j < p->furthers; j++) {
                const peg_wide_further *f = &p->further[(patch->first + k) * p->furthers + j];
                double *sum = f->turns ? about : impulse;
                peg_add_scaled(sum, f->lambda, f->axis, sum);
            }
            const double *moment = p->furthers ? about : NULL;
            if (patch->a >= 0)
                push_body(&p->root[patch->a], impulse, moment, c->arm_a, 1, v[patch->a]);
            if (patch->b >= 0)
                push_body(&p->root[patch->b], impulse, moment, c->arm_b, -1, v[patch->b]);
        }
    }
}

/* The visits of threads that share them, and of the one that has most. */
static void count_visits(const peg_wide_pgs *s, peg_wide_result *result)
{
    if (s->threads == 1) return;
    result->meetings = 1 + (long)(s->phases + 1) * (result->iterations + 1);
    for (int k = 0; k < s->phases; k++) {
        int of[PEG_THREADS_MAX] = {0}, threads = s->phase[k].threads, most = 0;
        for (int i = s->phase[k].begin; i < s->phase[k + 1].begin; i++) {
            int *own = &of[(i - s->phase[k].begin) % threads];
            *own += s->group[i].contacts;
            most = *own > most ? *own : most;
            result->visits += (long)s->group[i].contacts * result->iterations;
        }
        result->most += (long)most * result->iterations;
    }
}

void peg_wide_take_solution(peg_wide_pgs *s, peg_vec6 *v)
{
    count_visits(s, s->result);
    peg_pool_loop(s->problem->pool, take_impulses, s, s->groups);
    if (s->joined) peg_joined_take_impulses(s->joined);
    find_velocities(s->problem, v);
}
