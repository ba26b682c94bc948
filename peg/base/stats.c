#include "peg/peg.h"

static void raise_to(double *sum, double value)
{
    if (value > *sum) *sum = value;
}

void peg_stats_add(pegStats *sum, const pegStats *s)
{
    sum->steps += s->steps;
    sum->unconverged += s->unconverged;
    sum->bodies += s->bodies;
    sum->pairs += s->pairs;
    sum->islands += s->islands;
    sum->repeated += s->repeated;
    sum->rows += s->rows;
    if (s->rows_max > sum->rows_max) sum->rows_max = s->rows_max;
    sum->outer += s->outer;
    if (s->outer_max > sum->outer_max) sum->outer_max = s->outer_max;
    sum->solves += s->solves;
    sum->lemke_solves += s->lemke_solves;
    sum->swept += s->swept;
    sum->sweeps += s->sweeps;
    sum->friction_lagged += s->friction_lagged;
    sum->joints_yielded += s->joints_yielded;
    sum->joints_lagged += s->joints_lagged;
    sum->joints_failed += s->joints_failed;
    sum->first_contact += s->first_contact;
    sum->tilts += s->tilts;
    sum->switches += s->switches;
    sum->locks += s->locks;
    sum->secant += s->secant;
    sum->dropped_traps += s->dropped_traps;
    sum->recovered += s->recovered;
    sum->squeezed += s->squeezed;
    sum->traps += s->traps;
    sum->fallback_clearance += s->fallback_clearance;
    sum->fallback_elastic += s->fallback_elastic;
    sum->fallback_halved += s->fallback_halved;
    sum->fallback_plane += s->fallback_plane;
    sum->fallback_scaled += s->fallback_scaled;
    if (s->memory > sum->memory) sum->memory = s->memory;
    raise_to(&sum->cone_violation_max, s->cone_violation_max);
    raise_to(&sum->friction_residual_max, s->friction_residual_max);
    raise_to(&sum->swept_residual_max, s->swept_residual_max);
    raise_to(&sum->residual_max, s->residual_max);
    if (s->pairs > 0 && s->gap_min < sum->gap_min) sum->gap_min = s->gap_min;
    raise_to(&sum->violation_max, s->violation_max);
    raise_to(&sum->energy_gain_max, s->energy_gain_max);
    sum->time_pairs += s->time_pairs;
    sum->time_rows += s->time_rows;
    sum->time_solve += s->time_solve;
    sum->time_check += s->time_check;
    sum->time_ode += s->time_ode;
}
