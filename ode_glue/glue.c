#include "ode_glue/glue.h"

#include <string.h>

pegStatus peg_glue_create(dWorldID world, const pegSettings *settings, peg_glue **out)
{
    *out = NULL;
    peg_glue *glue = peg_alloc_zero(1, sizeof *glue);
    if (!glue) return PEG_ERROR_MEMORY;
    glue->world = world;
    pegStatus status = peg_context_create(settings, &glue->core);
    if (status == PEG_OK)
        *out = glue;
    else
        peg_free(glue);
    return status;
}

void peg_glue_destroy(peg_glue *glue)
{
    if (!glue) return;
    peg_context_destroy(glue->core);
    peg_shapes_free(&glue->shapes);
    peg_map_free(&glue->handed);
    peg_free(glue->how);
    peg_sleep_free(&glue->sleep);
    peg_map_free(&glue->body_number);
    peg_arena_free(&glue->arena);
    peg_free(glue->space);
    peg_free(glue);
}

static int place_of(const peg_glue *glue, dSpaceID space)
{
    int i = 0;
    while (i < glue->spaces && glue->space[i] != space) i++;
    return i;
}

pegStatus peg_glue_add_space(peg_glue *glue, dSpaceID space)
{
    if (place_of(glue, space) < glue->spaces) return PEG_OK;
    if (glue->spaces == glue->space_room) {
        int room = glue->space_room ? 2 * glue->space_room : 4;
        dSpaceID *more = peg_realloc(glue->space, (size_t)room * sizeof(dSpaceID));
        if (!more) return PEG_ERROR_MEMORY;
        glue->space = more;
        glue->space_room = room;
    }
    glue->space[glue->spaces++] = space;
    return PEG_OK;
}

pegStatus peg_glue_remove_space(peg_glue *glue, dSpaceID space)
{
    int i = place_of(glue, space);
    if (i == glue->spaces) return PEG_ERROR_ARGUMENT;
    glue->spaces--;
    memmove(glue->space + i, glue->space + i + 1, (size_t)(glue->spaces - i) * sizeof(dSpaceID));
    return PEG_OK;
}

void peg_stats_clear(pegStats *sum)
{
    *sum = (pegStats){.gap_min = INFINITY};
}

static void raise_to(double *sum, double value)
{
    if (value > *sum) *sum = value;
}

void peg_stats_add(pegStats *sum, const pegStats *s)
{
    sum->steps += s->steps;
    sum->unconverged += s->unconverged;
    sum->bodies = s->bodies;
    sum->pairs = s->pairs;
    sum->islands += s->islands;
    sum->rows += s->rows;
    if (s->rows_max > sum->rows_max) sum->rows_max = s->rows_max;
    sum->outer += s->outer;
    if (s->outer_max > sum->outer_max) sum->outer_max = s->outer_max;
    sum->solves += s->solves;
    sum->lemke_solves += s->lemke_solves;
    sum->friction_lagged += s->friction_lagged;
    sum->first_contact += s->first_contact;
    sum->tilts += s->tilts;
    sum->switches += s->switches;
    sum->locks += s->locks;
    sum->secant += s->secant;
    sum->dropped_traps += s->dropped_traps;
    sum->recovered += s->recovered;
    sum->fallback_clearance += s->fallback_clearance;
    sum->fallback_elastic += s->fallback_elastic;
    sum->fallback_halved += s->fallback_halved;
    sum->fallback_plane += s->fallback_plane;
    sum->fallback_scaled += s->fallback_scaled;
    raise_to(&sum->cone_violation_max, s->cone_violation_max);
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
