/* Which pairs of bodies are subject to contact. */
#include "demos/world/world.h"

int lab_are_joined(const lab_body *a, const lab_body *b)
{
    const lab_world *w = a->world;
    for (int i = 0; i < w->joints; i++) {
        const lab_joint *j = w->joint[i];
        if (!j->broken && ((j->a == a && j->b == b) || (j->a == b && j->b == a))) return 1;
    }
    return 0;
}

int lab_can_touch(const lab_body *a, const lab_body *b)
{
    return a != b && (a->kind == LAB_DYNAMIC || b->kind == LAB_DYNAMIC) &&
           !(a->group > 0 && a->group == b->group) && !lab_are_joined(a, b);
}
