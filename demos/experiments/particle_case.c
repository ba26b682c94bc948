/* The cases of the particle: start, terrain and exact path. */
#include "demos/experiments/particle.h"

#include <string.h>

static const particle_case cases[] = {
    {"hills", {0, 2}, {0, 0}, 12, 5, 0, 3, .01, 21},
    {"sawtooth", {0, .75}, {2, 1.8}, 0, 5, 0, 1.5, .01, STARTS},
    {"sawtooth-friction", {0, .75}, {6, 1.8}, 0, 5, .5, 1.5, .01, STARTS},
};

const particle_case *particle_case_of(const experiment_study *s)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!strcmp(cases[i].scene, s->kind->scene)) return &cases[i];
    return &cases[0];
}

void particle_terrain(const particle_case *c, planar_chain *out)
{
    if (c->push > 0)
        planar_hills(2, out);
    else
        planar_sawtooth(3, out);
}

int particle_path(const particle_case *c, const double x[2], const double v[2], planar_path *out)
{
    planar_chain terrain;
    particle_terrain(c, &terrain);
    return planar_path_solve(&terrain, x, v, (double[2]){c->push / c->mass, -9.81}, c->mu,
                             c->end + 1, out);
}
