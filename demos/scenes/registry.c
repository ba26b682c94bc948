/* All scenes of the lab. */
#include "demos/world/scene.h"

#include <string.h>

static const lab_scene *const groups[] = {
    lab_scenes_pour,          lab_scenes_rest,   lab_scenes_fast,      lab_scenes_extreme,
    lab_scenes_friction,      lab_scenes_pile,   lab_scenes_planar,    lab_scenes_papers,
    lab_scenes_anitescu_hart, lab_scenes_joints, lab_scenes_geoms,     lab_scenes_dilated,
    lab_scenes_grip,          lab_scenes_demo,   lab_scenes_demo_drop, lab_scenes_demo_machines,
};
#define GROUPS ((int)(sizeof groups / sizeof groups[0]))

const lab_scene *lab_scene_at(int i)
{
    for (int g = 0; g < GROUPS; g++)
        for (const lab_scene *s = groups[g]; s->name; s++)
            if (i-- == 0) return s;
    return NULL;
}

int lab_scene_count(void)
{
    int n = 0;
    while (lab_scene_at(n)) n++;
    return n;
}

const lab_scene *lab_scene_find(const char *name)
{
    const lab_scene *s = NULL;
    for (int i = 0; (s = lab_scene_at(i)) && strcmp(s->name, name) != 0; i++) continue;
    return s;
}
