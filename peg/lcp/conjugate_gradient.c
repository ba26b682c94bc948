/* Rest of what is solved by projected Gauss-Seidel. v = 0 is an answer as soon as impulses are
 * known that carry all bodies. Where many bodies support each other its iterations come to these
 * slowly, and end far from them since no row changes much in a single one. Conjugate gradients
 * among the impulses that are not at their bounds get there faster: they minimise the energy that
 * Gauss-Seidel minimises row by row. Friction at its bound follows the normal impulse, which makes
 * no difference to what comes to rest. */
#include "peg/base/arena.h"
#include "peg/base/tolerance.h"
#include "peg/lcp/gauss_seidel_state.h"
#include "peg/lcp/scaled.h"

/* Share of the energy that the rows, each for itself, could still take from it at which they have
 * taken all: what is left is motion. */
static const double LEAST = 1e-8;

typedef struct descent {
    pgs_state *s;
    const pgs_group **group; /* those whose rows are loaded */
    int groups;
    signed char *side; /* m: the bound that an impulse is at; 0: none */
    double *residual;  /* m: - d energy / d lambda of what may change, m/s; 0: of others */
    double *scale;     /* m: second derivative, 1/kg */
    double *direction; /* m: of lambda, N s */
    double *way;       /* STRIDE (nb + 1): what the direction adds to y */
    double power;      /* sum of residual^2 / scale, J */
    int free;          /* the last step came to no bound: the same rows may change */
} descent;

int peg_pgs_rests(const pgs_state *s, double share)
{
    const peg_vec6 *gained = s->goal->gained;
    for (int i = 0; i < s->nb; i++) {
        const double *change = s->y + STRIDE * i;
        const double *y = s->target + STRIDE * i;
        double g[6], e = 0, unit = 0;
        peg_mass_root_solve(&s->root[i], gained[i], g);
        for (int k = 0; k < 6; k++) {
            double left = y[k] + change[k];
            e += left * left;
            unit += g[k] * g[k];
        }
        if (!(e <= share * share * unit)) return 0;
    }
    return 1;
}

static int allocate(peg_arena *arena, pgs_state *s, descent *d)
{
    int m = s->problem->m, blocks = STRIDE * (s->nb + 1);
    *d = (descent){.s = s,
                   .group = PEG_NEW(arena, const pgs_group *, s->actives),
                   .side = PEG_NEW(arena, signed char, m),
                   .residual = PEG_NEW(arena, double, m),
                   .scale = PEG_NEW(arena, double, m),
                   .direction = PEG_NEW(arena, double, m),
                   .way = PEG_NEW(arena, double, blocks)};
    if (!d->group || !d->side || !d->residual || !d->scale || !d->direction || !d->way) return 0;
    memset(d->direction, 0, (size_t)m * sizeof *d->direction);
    for (int n = 0; n < s->actives; n++) {
        const pgs_group *g = &s->group[s->active[n]];
        if (g->ready) d->group[d->groups++] = g;
    }
    return 1;
}

/* --- the direction --- */

/* The bound that an impulse is at: friction's is 1 or -1. */
static int side_of(const pgs_row *row, const double *at)
{
    double more = row->mu * at[-row->normal];
    if (!row->bounded) return *at == 0;
    if (*at >= (1 - PEG_ROUNDED) * (row->hi + more)) return 1;
    return *at <= (PEG_ROUNDED - 1) * (row->lo + more) ? -1 : 0;
}

/* Residuals of a group's rows at y: a normal impulse takes along the friction at its bound. */
static void look_at(descent *d, const pgs_group *g)
{
    const pgs_state *s = d->s;
    quad y[3];
    gather(s, g, y);
    for (int i = g->begin; i < g->end; i++) {
        const pgs_row *row = &g->row[i - g->begin];
        double residual = -speed_of(row, s->lambda[i], y);
        int normal = i - row->normal;
        int side = d->free ? d->side[i] : side_of(row, &s->lambda[i]);
        d->side[i] = (signed char)side;
        d->scale[i] = row->scale;
        d->residual[i] = side ? 0 : residual;
        if (!side || d->side[normal]) continue;
        d->scale[normal] += row->mu * row->mu * row->scale;
        d->residual[normal] += side * row->mu * residual;
    }
}

/* Directions of a group's rows; returns twice the energy of their compliances. */
static double turn(descent *d, const pgs_group *g, double keep)
{
    double soft = 0, *wa = d->way + STRIDE * g->a, *wb = d->way + STRIDE * g->b;
    for (int i = g->begin; i < g->end; i++) {
        const pgs_row *row = &g->row[i - g->begin];
        double *p = &d->direction[i];
        *p = d->side[i] ? d->side[i] * row->mu * p[-row->normal]
                        : d->residual[i] / d->scale[i] + keep * *p;
        soft += row->soft * *p * *p;
        for (int k = 0; k < 6; k++) {
            wa[k] += *p * row->n.d[k];
            wb[k] += *p * row->n.d[6 + k];
        }
    }
    return soft;
}

/* --- the step --- */

/* How far an impulse may follow its direction. */
static double room_of(const descent *d, const pgs_row *row, int i)
{
    const double *lambda = &d->s->lambda[i], *p = &d->direction[i];
    if (!row->bounded) return *p < 0 ? -*lambda / *p : INFINITY;
    if (d->side[i]) return INFINITY;
    double more = row->mu * lambda[-row->normal], wider = row->mu * p[-row->normal];
    double up = *p > wider ? (row->hi + more - *lambda) / (*p - wider) : INFINITY;
    double down = -*p > wider ? (row->lo + more + *lambda) / (-*p - wider) : INFINITY;
    return peg_min(up, down);
}

static void follow(const descent *d, const pgs_group *g, double by)
{
    for (int i = g->begin; i < g->end; i++) {
        const pgs_row *row = &g->row[i - g->begin];
        double *lambda = &d->s->lambda[i], after = *lambda + by * d->direction[i];
        int is_gone = !row->bounded && after <= PEG_ROUNDED * *lambda;
        *lambda = clamped(row, lambda, is_gone ? 0 : after);
    }
}

/* One step, conjugate to those before on the same rows. Returns 0 where the energy is as low as it
 * gets with these. */
static int descend(descent *d)
{
    double energy = 0, before = d->power;
    d->power = 0;
    for (int n = 0; n < d->groups; n++) {
        const pgs_group *g = d->group[n];
        look_at(d, g);
        for (int i = g->begin; i < g->end; i++)
            d->power += d->residual[i] * d->residual[i] / d->scale[i];
    }
    /* twice the energy of v, J */
    double sum = 0;
    for (int i = 0; i < d->s->nb; i++)
        for (int k = STRIDE * i; k < STRIDE * i + 6; k++)
            sum += (d->s->target[k] + d->s->y[k]) * (d->s->target[k] + d->s->y[k]);
    if (!(d->power > LEAST * sum)) return 0;
    memset(d->way, 0, (size_t)(STRIDE * (d->s->nb + 1)) * sizeof *d->way);
    for (int n = 0; n < d->groups; n++)
        energy += turn(d, d->group[n], d->free ? d->power / before : 0);
    for (int i = 0; i < STRIDE * d->s->nb; i++) energy += d->way[i] * d->way[i];
    /* the step along the direction to the lowest energy or the first bound */
    double whole = d->power / energy, by = whole;
    for (int n = 0; n < d->groups; n++)
        for (int i = d->group[n]->begin; i < d->group[n]->end; i++)
            by = peg_min(by, room_of(d, &d->group[n]->row[i - d->group[n]->begin], i));
    for (int n = 0; n < d->groups; n++) follow(d, d->group[n], by);
    for (int i = 0; i < STRIDE * d->s->nb; i++) d->s->y[i] += by * d->way[i];
    d->free = by == whole;
    return 1;
}

int peg_pgs_descend(peg_arena *arena, pgs_state *s, int steps)
{
    descent d;
    peg_arena_mark mark = peg_arena_here(arena);
    int enough = allocate(arena, s, &d);
    for (int k = 0; enough && k < steps; k++)
        if (!descend(&d) || peg_pgs_rests(s, s->goal->rest)) break;
    peg_arena_back(arena, mark);
    return enough;
}
