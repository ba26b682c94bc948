#include "demos/lab/options.h"

#include <stdio.h>
#include <string.h>

static const char *const names[OPT_COUNT] = {[OPT_CONTACT] = "contact",
                                             [OPT_H] = "h",
                                             [OPT_TIME] = "time",
                                             [OPT_STEPS] = "steps",
                                             [OPT_SEED] = "seed",
                                             [OPT_MU] = "mu",
                                             [OPT_SET] = "set",
                                             [OPT_TRACE] = "trace",
                                             [OPT_COMPACT] = "trace-compact",
                                             [OPT_QUANTUM] = "trace-quantum",
                                             [OPT_EVERY] = "trace-every",
                                             [OPT_SUMMARY] = "summary",
                                             [OPT_PICTURE] = "picture",
                                             [OPT_VIDEO] = "video",
                                             [OPT_SPEED] = "video-speed",
                                             [OPT_GLTF] = "gltf",
                                             [OPT_MESH_DIR] = "mesh-dir",
                                             [OPT_OUT] = "out",
                                             [OPT_CAPTURE] = "capture",
                                             [OPT_ROWS] = "capture-rows",
                                             [OPT_QUICK] = "quick",
                                             [OPT_JOBS] = "jobs",
                                             [OPT_PART] = "part",
                                             [OPT_RUN] = "run",
                                             [OPT_FRESH] = "fresh",
                                             [OPT_SCENE] = "scene",
                                             [OPT_N_MAX] = "n-max",
                                             [OPT_BUDGET] = "budget",
                                             [OPT_RESULTS] = "results",
                                             [OPT_QUIET] = "quiet",
                                             [OPT_VERSION] = "version"};

/* Of a scene and of its run. */
#define OF_SCENE (OPTION(CONTACT) | OPTION(H) | OPTION(SEED) | OPTION(MU) | OPTION(SET))
#define OF_RUN   (OF_SCENE | OPTION(TIME) | OPTION(STEPS) | OPTION(MESH_DIR) | OPTION(QUIET))
/* What a command refuses with a reason of its own. */
#define OF_OTHERS (OPTION(H) | OPTION(TIME) | OPTION(STEPS) | OPTION(SET))

static const struct {
    const char *verb;
    option_set takes, tells; /* tells: refused by the command itself */
} commands[] = {
    {"list", 0, 0},
    {"run",
     OF_RUN | OPTION(TRACE) | OPTION(COMPACT) | OPTION(QUANTUM) | OPTION(EVERY) | OPTION(SUMMARY) |
         OPTION(PICTURE) | OPTION(VIDEO) | OPTION(SPEED) | OPTION(GLTF) | OPTION(CAPTURE) |
         OPTION(ROWS),
     0},
    {"compare", OF_RUN | OPTION(OUT) | OPTION(VIDEO) | OPTION(SPEED) | OPTION(EVERY), 0},
    {"view", OF_RUN | OPTION(PICTURE), 0},
    {"convert", OF_RUN | OPTION(OUT), 0},
    {"losses", OF_RUN, 0},
    {"demo",
     ((OF_RUN & ~OPTION(CONTACT) & ~OPTION(MESH_DIR)) | OPTION(OUT) | OPTION(VIDEO) |
      OPTION(SPEED) | OPTION(EVERY)),
     0},
    {"report", OPTION(OUT) | OPTION(QUIET), 0},
    {"play", OPTION(OUT) | OPTION(QUIET), 0},
    {"check", OPTION(SUMMARY) | OPTION(QUIET), 0},
    {"experiment",
     OPTION(CONTACT) | OPTION(OUT) | OPTION(QUICK) | OPTION(JOBS) | OPTION(FRESH) | OPTION(RUN) |
         OPTION(SEED) | OPTION(QUIET),
     OF_OTHERS | OPTION(MU)},
    {"sweep", OPTION(OUT) | OPTION(PART) | OPTION(JOBS) | OPTION(QUIET),
     OF_OTHERS | OPTION(MU) | OPTION(CONTACT)},
    {"sweep-report", OPTION(QUIET), 0},
    {"bench",
     OPTION(CONTACT) | OPTION(OUT) | OPTION(SCENE) | OPTION(RESULTS) | OPTION(QUICK) |
         OPTION(N_MAX) | OPTION(BUDGET) | OPTION(MU) | OPTION(SEED) | OPTION(QUIET),
     OF_OTHERS},
    {"bench-solvers", OPTION(OUT) | OPTION(QUIET), 0},
    {"ode-demos",
     OPTION(CONTACT) | OPTION(OUT) | OPTION(SCENE) | OPTION(TIME) | OPTION(SEED) | OPTION(QUIET),
     OPTION(H) | OPTION(STEPS) | OPTION(SET) | OPTION(MU)},
    {"overhead", OPTION(QUICK), 0},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* Options that only say more of another, and pairs of which one is enough. */
static const struct {
    int option;
    option_set of;
} more[] = {
    {OPT_COMPACT, OPTION(TRACE)},
    {OPT_QUANTUM, OPTION(TRACE)},
    {OPT_EVERY, OPTION(TRACE) | OPTION(GLTF) | OPTION(VIDEO)},
    {OPT_SPEED, OPTION(VIDEO)},
    {OPT_ROWS, OPTION(CAPTURE)},
};

const char *lab_option_name(int option)
{
    return names[option];
}

static int command_of(const char *verb)
{
    int i = 0;
    while (i < COMMANDS && strcmp(commands[i].verb, verb) != 0) i++;
    return i;
}

int lab_is_command(const char *verb)
{
    return command_of(verb) < COMMANDS;
}

static void list_options(option_set set, const char *last, char *text, unsigned long size)
{
    for (int i = 1; i < OPT_COUNT; i++) {
        if (!(set >> i & 1)) continue;
        set &= ~(1ull << i);
        size_t used = strlen(text);
        const char *comma = !used ? "" : set ? ", " : last;
        snprintf(text + used, size - used, "%s--%s", comma, names[i]);
    }
}

int lab_is_useless_option(const char *verb, option_set given, char *text, unsigned long size)
{
    char list[512] = "";
    int command = command_of(verb);
    option_set takes = commands[command].takes;
    option_set useless = given & ~takes & ~commands[command].tells;
    for (int i = 1; i < OPT_COUNT; i++) {
        if (!(useless >> i & 1)) continue;
        list_options(takes, " and ", list, sizeof list);
        snprintf(text, size, "%s takes no --%s%s%s", verb, names[i],
                 takes ? ": it takes " : ", nor any other option", list);
        return 1;
    }
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        if (!(given >> more[i].option & 1) || given & more[i].of) continue;
        if (!(takes & more[i].of & ~OPTION(VIDEO)) && more[i].option == OPT_EVERY) continue;
        list_options(more[i].of & takes, " or ", list, sizeof list);
        snprintf(text, size, "--%s has no effect without %s", names[more[i].option], list);
        return 1;
    }
    if (!strcmp(verb, "view") && given & (OPTION(TIME) | OPTION(STEPS)) &&
        !(given & OPTION(PICTURE))) {
        snprintf(text, size, "--%s has no effect in view without --picture",
                 given & OPTION(TIME) ? "time" : "steps");
        return 1;
    }
    if ((given & OPTION(TIME)) && (given & OPTION(STEPS))) {
        snprintf(text, size, "--time and --steps both say how long: give one of them");
        return 1;
    }
    return 0;
}
