/* Sums of statistics. */
#include <math.h>

#include "peg/base/settings.h"

static void raise_to(double *sum, double value)
{
    if (value > *sum) *sum = value;
}

/* What counts is the largest, of the separation the smallest. */
static void keep_extremes(pegStats *sum, const pegStats *s)
{
    if (s->rows_max > sum->rows_max) sum->rows_max = s->rows_max;
    if (s->outer_iterations_max > sum->outer_iterations_max)
        sum->outer_iterations_max = s->outer_iterations_max;
    raise_to(&sum->infeasibility_max, s->infeasibility_max);
    if (s->memory > sum->memory) sum->memory = s->memory;
    raise_to(&sum->cone_violation_max, s->cone_violation_max);
    raise_to(&sum->friction_residual_max, s->friction_residual_max);
    raise_to(&sum->pgs_residual_max, s->pgs_residual_max);
    raise_to(&sum->residual_max, s->residual_max);
    if (s->pairs > 0 && s->min_separation < sum->min_separation)
        sum->min_separation = s->min_separation;
    raise_to(&sum->max_penetration, s->max_penetration);
    raise_to(&sum->energy_gain_max, s->energy_gain_max);
}

void peg_stats_add(pegStats *sum, const pegStats *s)
{
    keep_extremes(sum, s);
    sum->steps += s->steps;
    sum->unconverged += s->unconverged;
    sum->budget_ended += s->budget_ended;
    sum->bodies += s->bodies;
    sum->pairs += s->pairs;
    sum->islands += s->islands;
    sum->resting_islands += s->resting_islands;
    sum->rows += s->rows;
    sum->outer_iterations += s->outer_iterations;
    sum->solves += s->solves;
    sum->lemke_solves += s->lemke_solves;
    sum->pgs_solves += s->pgs_solves;
    sum->pgs_iterations += s->pgs_iterations;
    sum->friction_unconverged += s->friction_unconverged;
    sum->joints_relaxed += s->joints_relaxed;
    sum->joints_unconverged += s->joints_unconverged;
    sum->joints_failed += s->joints_failed;
    sum->first_contact += s->first_contact;
    sum->tilts += s->tilts;
    sum->switches += s->switches;
    sum->locks += s->locks;
    sum->recovered += s->recovered;
    sum->infeasible_islands += s->infeasible_islands;
    sum->traps += s->traps;
    sum->linear_programs += s->linear_programs;
    sum->contact_units += s->contact_units;
    sum->contact_unit_sets_differ += s->contact_unit_sets_differ;
    sum->friction_passes += s->friction_passes;
    sum->friction_islands += s->friction_islands;
    sum->sliding_islands += s->sliding_islands;
    sum->potential_too_stiff += s->potential_too_stiff;
    sum->soft_contacts += s->soft_contacts;
    sum->fallback_clearance += s->fallback_clearance;
    sum->fallback_elastic += s->fallback_elastic;
    sum->wide_islands += s->wide_islands;
    sum->shared_meetings += s->shared_meetings;
    sum->shared_visits += s->shared_visits;
    sum->shared_visits_most += s->shared_visits_most;
    sum->mesh_nodes += s->mesh_nodes;
    sum->position_stages += s->position_stages;
    sum->limited_islands += s->limited_islands;
    sum->limited_bodies += s->limited_bodies;
    sum->frozen_islands += s->frozen_islands;
    sum->energy_returned += s->energy_returned;
    sum->fallback_halved += s->fallback_halved;
    sum->fallback_plane += s->fallback_plane;
    sum->fallback_scaled += s->fallback_scaled;
    sum->time_pairs += s->time_pairs;
    sum->time_rows += s->time_rows;
    sum->time_solve += s->time_solve;
    sum->time_check += s->time_check;
    sum->time_ode += s->time_ode;
}
