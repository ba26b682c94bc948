/* Bodies and the check of planar scenes. */
#include "peg/step/planar.h"

peg_body peg_planar_body(double mass, double inertia, double x, double y, double angle)
{
    return (peg_body){.kind = PEG_DYNAMIC,
                      .x = {x, y, 0},
                      .q = {cos(angle / 2), 0, 0, sin(angle / 2)},
                      .mass = mass,
                      .inertia = {[0] = inertia, [4] = inertia, [8] = inertia},
                      .max_angular_speed = INFINITY};
}

static int moves_in_plane(const double v[6])
{
    return v[2] == 0 && v[3] == 0 && v[4] == 0;
}

static int body_in_plane(const peg_body *b)
{
    return b->x[2] == 0 && b->q[1] == 0 && b->q[2] == 0 && moves_in_plane(b->v) &&
           moves_in_plane(b->v_free) && b->inertia[2] == 0 && b->inertia[5] == 0 &&
           b->inertia[6] == 0 && b->inertia[7] == 0;
}

static int part_in_plane(const peg_part *part)
{
    const double *R = part->rotation;
    int turned = R[2] != 0 || R[5] != 0 || R[6] != 0 || R[7] != 0;
    int shape =
        peg_is_half_space(part->shape) ? part->shape->normal[0][2] == 0 : peg_is_flat(part->shape);
    return shape && part->offset[2] == 0 && !turned;
}

int peg_planar_check(const peg_scene *scene)
{
    for (int i = 0; i < scene->np; i++) {
        const peg_part *part = &scene->part[i];
        if (scene->planar ? !part->shape || !part_in_plane(part)
                          : part->shape && peg_is_flat(part->shape))
            return 0;
    }
    for (int i = 0; i < scene->nb && scene->planar; i++)
        if (!body_in_plane(&scene->body[i])) return 0;
    return 1;
}
