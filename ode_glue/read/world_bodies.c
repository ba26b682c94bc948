#include "ode_glue/read/world_bodies.h"

#include <pthread.h>
#include <string.h>

/* Words of an object that are looked at: fewer than a body or world has. */
enum { WORDS = 8 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int first = -1, next = -1; /* words; -1: not found */

static void *word_of(const void *object, int i)
{
    void *word;
    memcpy(&word, (const char *)object + (size_t)i * sizeof word, sizeof word);
    return word;
}

/* With bodies a, b, c of the world, created in this order. */
static void compare(dWorldID world, const dBodyID of[3])
{
    for (int i = 0; i < WORDS; i++) {
        if (first < 0 && word_of(world, i) == of[2]) first = i;
        if (next < 0 && word_of(of[2], i) == of[1] && word_of(of[1], i) == of[0] &&
            !word_of(of[0], i))
            next = i;
    }
    if (first < 0 || next < 0) first = next = -1;
}

static void find(void)
{
    dWorldID world = dWorldCreate();
    dBodyID of[3] = {NULL};
    int there = world != NULL;
    for (int i = 0; i < 3 && there; i++) there = (of[i] = dBodyCreate(world)) != NULL;
    if (there) compare(world, of);
    if (world) dWorldDestroy(world);
}

int peg_world_bodies_find(void)
{
    pthread_once(&once, find);
    return first >= 0;
}

dBodyID peg_world_first_body(dWorldID world)
{
    return first < 0 ? NULL : word_of(world, first);
}

dBodyID peg_world_next_body(dBodyID body)
{
    return word_of(body, next);
}
