/* Long runs: bodies poured, machines, meshes, bodies that come and go. The oracle looks at every
 * pair each so many steps; energy, momentum and bodies that freeze are checked in every step. Told
 * are the worst and the median step, what memory grew by in the second half, and which bodies still
 * move at the end. The status is 1 if a check failed or memory goes on growing. */
#include "plugin/moving_bodies.h"
#include "tests/fuzz/measure.h"

#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVERY = 20 };

typedef struct scenario {
    const char *name;
    int meshes, machines, stream; /* stream: bodies come and go to the end */
    double size, h;
    int bodies, bodies_quick; /* at once */
    double settling;          /* s, after the last one came */
} scenario;

static const scenario scenarios[] = {
    {"pour", 0, 0, 0, 1, .01, 120, 25, 15},
    {"pour of dust", 0, 0, 0, .01, .002, 60, 12, 3},
    {"pour, long steps", 0, 0, 0, 1, .05, 120, 25, 30},
    {"meshes", 1, 0, 0, 1, .02, 60, 12, 20},
    {"machines", 0, 1, 0, 1, .01, 40, 12, 30},
    {"come and go", 1, 0, 1, 1, .02, 40, 15, 60},
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios, STEPS_BETWEEN = 12 };

static struct {
    const scenario *s;
    int most; /* bodies */
    peg_moving_watch watch;
} now;

/* A bowl of five planes. */
static void add_bowl(fuzz_world *w)
{
    static const vec normal[] = {{0, 0, 1}, {1, 0, .2}, {-1, 0, .2}, {0, 1, .2}, {0, -1, .2}};
    for (int i = 0; i < 5; i++) fuzz_add_plane(w, vec_unit(normal[i]), -w->spread);
    w->fixed = 1;
}

static int change(fuzz_world *w, int step)
{
    if (!peg_moving_note(&now.watch, w->ode, w->body, w->bodies, step * w->h)) abort();
    if (step % STEPS_BETWEEN) return 0;
    if (w->bodies < now.most) return fuzz_add_body(w, 1) != NULL;
    if (!now.s->stream) return 0;
    int dropped = dice_below(&w->dice, w->bodies);
    peg_moving_forget(&now.watch, w->body[dropped]);
    fuzz_drop_body(w, dropped);
    fuzz_close_ranks(w);
    return 1;
}

static fuzz_world *build(uint64_t seed, int quick)
{
    const scenario *s = now.s;
    const fuzz_options options = {.no_meshes = !s->meshes};
    fuzz_world *w = fuzz_empty(seed, &options);
    now.most = quick ? s->bodies_quick : s->bodies;
    w->size = s->size, w->h = s->h;
    w->spread = s->size * (1 + .6 * cbrt(now.most));
    w->speed = w->size * 2, w->spin = 2;
    w->gravity = vec_of(0, 0, -9.81);
    w->round = 1;
    w->surfaces = 1;
    w->surface[0].mode = dContactApprox1;
    w->surface[0].mu = .5;
    if (fuzz_open(w, NULL)) abort();
    add_bowl(w);
    if (!s->machines) return w;
    for (int i = 0; i < now.most; i++) fuzz_add_body(w, 1);
    w->joined = w->driven = 1;
    for (int i = 0; i < now.most / 4; i++) fuzz_add_joints(w);
    now.most = 0;
    return w;
}

static void print_moving(const fuzz_world *w, long steps)
{
    peg_moving moving;
    peg_moving_list(&now.watch, w->ode, w->peg, w->body, w->bodies, (double)steps * w->h, &moving);
    peg_moving_print(stdout, "    ", &moving, NULL, NULL);
    peg_moving_free(&now.watch);
}

static int grows(const fuzz_report *r)
{
    return r->memory > 2 * r->memory_halfway + ((size_t)16 << 20);
}

static int run(uint64_t seed, int quick)
{
    const scenario *s = now.s;
    fuzz_report r;
    dInitODE2(0);
    fuzz_world *w = build(seed, quick);
    double settling = quick ? fmin(s->settling, 1000 * s->h) : s->settling;
    fuzz_plan plan = {now.most * STEPS_BETWEEN + (int)(settling / s->h), EVERY, change};
    fuzz_run_plan(w, &plan, &r);
    printf("%-18s steps %6ld  bodies %3d  median %.2f ms  worst %.1f ms (step %d)  limited %ld  "
           "unconverged %ld  memory %.1f MB (%.1f halfway)\n",
           s->name, r.steps, w->bodies, 1e3 * r.median_step, 1e3 * r.worst_step, r.worst_at,
           r.limited, r.unconverged, (double)r.memory / 1048576,
           (double)r.memory_halfway / 1048576);
    print_moving(w, r.steps);
    for (int k = 0; k < FUZZ_FAILURES; k++)
        if (r.failures[k])
            printf("    %s x%ld, %s\n", fuzz_failure_names[k], r.failures[k], r.first[k]);
    if (grows(&r)) printf("    memory goes on growing\n");
    fflush(stdout);
    fuzz_destroy(w);
    dCloseODE();
    return grows(&r) || fuzz_failed(&r);
}

int main(int argc, const char **argv)
{
    int quick = 0, failed = 0;
    long seed = 1;
    char *only = NULL;
    const struct poptOption options[] = {
        {"quick", 0, POPT_ARG_NONE, &quick, 0, "fewer bodies, shorter", NULL},
        {"seed", 0, POPT_ARG_LONG, &seed, 0, "of the random numbers [1]", "N"},
        {"only", 0, POPT_ARG_STRING, &only, 0, "the scenario of this name", "NAME"},
        POPT_AUTOHELP POPT_TABLEEND};
    poptContext context = poptGetContext("soak", argc, argv, options, 0);
    int code = poptGetNextOpt(context);
    if (code < -1 || poptPeekArg(context)) {
        if (code < -1)
            fprintf(stderr, "soak: %s: %s\n", poptBadOption(context, POPT_BADOPTION_NOALIAS),
                    poptStrerror(code));
        else
            fprintf(stderr, "soak: unexpected argument '%s'\n", poptPeekArg(context));
        poptFreeContext(context);
        return 2;
    }
    poptFreeContext(context);
    int ran = 0;
    for (int i = 0; i < SCENARIOS; i++) {
        now.s = &scenarios[i];
        if (only && strcmp(only, now.s->name) != 0) continue;
        failed += run((uint64_t)seed, quick);
        ran++;
    }
    if (ran == 0) {
        fprintf(stderr, "soak: --only: no scenario '%s': there are", only);
        for (int i = 0; i < SCENARIOS; i++)
            fprintf(stderr, "%s %s", i ? "," : "", scenarios[i].name);
        fputc('\n', stderr);
    }
    free(only);
    if (ran == 0) return 2;
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
