#include "demos/bench/problems.h"
#include "demos/world/scene.h"

#include <stdio.h>
#include <stdlib.h>

/* What a problem's size may differ from that of its class, and steps between two problems of a
 * class; most that one scene gives to a class. */
static const double NEAR = .1;
enum { APART = 15, SCENE_EACH = 4 };

static const struct {
    const char *scene, *key;
    double value, mu, time; /* s */
} sources[] = {
    {"pour-convex", "bodies", 100, 0, 8},  {"pour-boxes", "bodies", 70, 0, 8},
    {"stack-flush", "bodies", 5, 0, .5},   {"stack-flush", "bodies", 10, 0, .5},
    {"stack-flush", "bodies", 20, 0, .5},  {"stack-flush", "bodies", 40, 0, .5},
    {"stack-flush", "bodies", 80, 0, .5},  {"pour-convex", "bodies", 30, .5, 6},
    {"pour-boxes", "bodies", 30, .5, 6},   {"stack-flush", "bodies", 2, .5, .5},
    {"stack-flush", "bodies", 4, .5, .5},  {"stack-flush", "bodies", 8, .5, .5},
    {"stack-flush", "bodies", 16, .5, .5}, {"pyramid-10", "rows", 4, .5, .5},
};

typedef struct collector {
    bench_problems *set;
    const char *scene;
    lab_world *world;
    int taken[2][BENCH_SIZES];
    long last[2][BENCH_SIZES]; /* step of the last one */
} collector;

static int class_of(int n)
{
    for (int i = 0, size = BENCH_SMALLEST; i < BENCH_SIZES; i++, size *= 2)
        if (abs(n - size) <= NEAR * size) return i;
    return -1;
}

static int copy(peg_arena *arena, const peg_problem *from, peg_problem *out)
{
    size_t nb = (size_t)from->nb, m = (size_t)from->m;
    peg_mass_block *mass = PEG_NEW(arena, peg_mass_block, nb);
    double(*target)[6] = PEG_NEW(arena, double[6], nb);
    peg_lcp_row *row = PEG_NEW(arena, peg_lcp_row, m);
    if (!mass || !target || !row) return 0;
    memcpy(mass, from->mass, nb * sizeof *mass);
    memcpy(target, from->target, nb * sizeof *target);
    memcpy(row, from->row, m * sizeof *row);
    *out = (peg_problem){from->nb, from->m, mass, (const double(*)[6])target, row};
    return 1;
}

static int of_class(const bench_problems *set, int frictional, int size)
{
    int count = 0;
    for (int i = 0; i < set->count; i++)
        count += set->problem[i].frictional == frictional && set->problem[i].size == size;
    return count;
}

/* Takes the problem if its class has room; false: leave no trace of it. */
static int take(collector *c, bench_problem *p)
{
    peg_arena *arena = &c->set->arena;
    if (!copy(arena, &p->problem, &p->problem)) return 0;
    if (peg_scale(arena, &p->problem, &p->scaled) != PEG_SOLVED) return 0;
    p->frictional = peg_scaled_has_bounds(&p->scaled);
    if (!peg_lcp_of(arena, &p->scaled, &p->lcp)) return 0;
    int class = class_of(p->lcp.n), f = p->frictional;
    if (class < 0 || c->taken[f][class] == SCENE_EACH) return 0;
    p->size = BENCH_SMALLEST << class;
    if (of_class(c->set, f, p->size) == BENCH_EACH) return 0;
    if (c->taken[f][class] && p->step < c->last[f][class] + APART) return 0;
    c->taken[f][class]++;
    c->last[f][class] = p->step;
    return 1;
}

static void see(void *data, const peg_problem *problem)
{
    collector *c = data;
    bench_problems *set = c->set;
    if (set->count == BENCH_PROBLEMS) return;
    if (problem->m > 2 * BENCH_SMALLEST << (BENCH_SIZES - 1)) return;
    bench_problem *p = &set->problem[set->count];
    peg_arena_mark mark = peg_arena_here(&set->arena);
    *p = (bench_problem){.scene = c->scene, .step = lab_steps(c->world), .problem = *problem};
    if (take(c, p))
        set->count++;
    else
        peg_arena_back(&set->arena, mark);
    set->failed |= set->arena.failed;
}

static int run(bench_problems *set, int source)
{
    collector c = {.set = set, .scene = sources[source].scene};
    lab_setting key = {.value = sources[source].value};
    snprintf(key.key, sizeof key.key, "%s", sources[source].key);
    peg_capture capture = {see, &c};
    lab_options options = {.contact = LAB_PEG,
                           .seed = 1,
                           .time = sources[source].time,
                           .mu_given = 1,
                           .mu = sources[source].mu,
                           .set = &key,
                           .sets = 1,
                           .capture = &capture};
    char text[LAB_TEXT];
    int user;
    c.world = lab_open(lab_scene_find(c.scene), &options, text, &user);
    if (!c.world) {
        fprintf(stderr, "peg-lab: %s: %s\n", c.scene, text);
        return 1;
    }
    int bad = 0;
    while (!bad && !set->failed && lab_steps(c.world) < lab_steps_planned(c.world))
        bad = lab_step(c.world);
    if (bad) fprintf(stderr, "peg-lab: %s: %s\n", c.scene, lab_error(c.world));
    lab_close(c.world);
    return bad;
}

int bench_collect(bench_problems *set)
{
    *set = (bench_problems){0};
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        if (run(set, (int)i)) return 1;
    if (set->failed) fprintf(stderr, "peg-lab: out of memory\n");
    return set->failed;
}

void bench_problems_free(bench_problems *set)
{
    peg_arena_free(&set->arena);
}
