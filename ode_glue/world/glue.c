#include "ode_glue/world/glue.h"
#include "ode_glue/read/registry.h"
#include "ode_glue/read/world_bodies.h"

#include <string.h>

/* Marks the world in the registry as having a peg world. */
static void stay(void *glue)
{
    (void)glue;
}

pegStatus peg_glue_create(dWorldID world, const pegSettings *settings, peg_glue **out)
{
    unsigned long version;
    *out = NULL;
    if (peg_registry_find(world, stay, &version)) return PEG_ERROR_WORLD;
    peg_glue *glue = peg_alloc_zero(1, sizeof *glue);
    if (!glue) return PEG_ERROR_MEMORY;
    glue->world = world;
    peg_world_bodies_find();
    pegStatus status = peg_context_create(settings, &glue->core);
    if (status == PEG_OK) {
        status = peg_registry_set(world, glue, stay);
        if (status != PEG_OK) peg_context_destroy(glue->core);
    }
    if (status == PEG_OK)
        *out = glue;
    else
        peg_free(glue);
    return status;
}

void peg_glue_destroy(peg_glue *glue)
{
    unsigned long version;
    if (!glue) return;
    if (peg_registry_find(glue->world, stay, &version) == glue) peg_registry_forget(glue->world);
    peg_context_destroy(glue->core);
    peg_shapes_free(&glue->shapes);
    peg_joint_set_free(&glue->joints);
    peg_map_free(&glue->added);
    peg_free(glue->how);
    peg_free(glue->given);
    peg_free(glue->told);
    peg_auto_disable_free(&glue->sleep);
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
    *sum = (pegStats){.min_separation = INFINITY};
}

void peg_totals_add(pegStats *sum, const pegStats *step)
{
    sum->bodies = sum->pairs = 0; /* those of the last step */
    peg_stats_add(sum, step);
}
