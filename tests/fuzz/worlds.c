/* Random worlds against an independent oracle: `worlds FROM:COUNT`, one world a seed, each in a
 * process of its own. A line for each world that fails, with what and when; at the end the sums.
 * The status is 1 if a world failed. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "tests/fuzz/measure.h"

#include <inttypes.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct totals {
    long worlds, failed, steps, touching, slow, crashed;
    long worlds_with[FUZZ_FAILURES], failures[FUZZ_FAILURES];
    long unconverged, limited, limited_recovering, infeasible, recovering;
    double processor_time, worst_step, gain, momentum;
    uint64_t worst_seed;
    size_t memory;
} totals;

static struct {
    fuzz_options world;
    int hashes, all;
    double slow;
    int limit;
} command = {.slow = .3, .limit = 30};

static void run_child(uint64_t seed, fuzz_report *report)
{
    struct rlimit limit = {(rlim_t)command.limit, (rlim_t)command.limit};
    setrlimit(RLIMIT_CPU, &limit);
    dInitODE2(0);
    fuzz_run(seed, &command.world, report);
    dCloseODE();
    fflush(stdout);
    _exit(0);
}

static void show(uint64_t seed, const fuzz_report *r, int signal)
{
    for (int k = 0; k < FUZZ_FAILURES; k++)
        if (r->failures[k])
            printf("%" PRIu64 " %s x%ld, %s\n", seed, fuzz_failure_names[k], r->failures[k],
                   r->first[k]);
    if (signal)
        printf("%" PRIu64 " %s (signal %d)\n", seed,
               signal == SIGXCPU || signal == SIGKILL ? "took too long" : "crashed", signal);
    if (r->worst_step > command.slow)
        printf("%" PRIu64 " slow: step %d took %.2f s\n", seed, r->worst_at, r->worst_step);
    if (command.all)
        printf("%" PRIu64
               " steps %ld touching %ld limited %ld unconverged %ld worst %.4f s gain %.2g\n",
               seed, r->steps, r->touching, r->limited, r->unconverged, r->worst_step, r->gain);
    if (command.hashes) printf("%" PRIu64 " hash %016" PRIx64 "\n", seed, r->hash);
    fflush(stdout);
}

static void add(totals *t, uint64_t seed, const fuzz_report *r, int signal)
{
    t->worlds++;
    t->failed += signal || fuzz_failed(r);
    t->crashed += signal != 0;
    t->slow += r->worst_step > command.slow;
    t->steps += r->steps, t->touching += r->touching;
    t->unconverged += r->unconverged, t->limited += r->limited;
    t->limited_recovering += r->limited_recovering;
    t->infeasible += r->infeasible, t->recovering += r->recovering;
    t->processor_time += r->processor_time;
    if (r->worst_step > t->worst_step) t->worst_step = r->worst_step, t->worst_seed = seed;
    t->gain = fmax(t->gain, r->gain), t->momentum = fmax(t->momentum, r->momentum);
    if (r->memory > t->memory) t->memory = r->memory;
    for (int k = 0; k < FUZZ_FAILURES; k++) {
        t->failures[k] += r->failures[k];
        t->worlds_with[k] += r->failures[k] > 0;
    }
}

static void show_totals(const totals *t)
{
    printf("worlds %ld, failed %ld, crashed %ld, slow %ld; steps %ld, touching %ld, limited %ld "
           "(%ld of them recovering), unconverged %ld, infeasible %ld, recovering %ld\n",
           t->worlds, t->failed, t->crashed, t->slow, t->steps, t->touching, t->limited,
           t->limited_recovering, t->unconverged, t->infeasible, t->recovering);
    printf("processor time %.1f s, worst step %.3f s (seed %" PRIu64 "), memory %.1f MB, largest "
           "gain %.2g, change of momentum %.2g\n",
           t->processor_time, t->worst_step, t->worst_seed, (double)t->memory / 1048576, t->gain,
           t->momentum);
    for (int k = 0; k < FUZZ_FAILURES; k++)
        if (t->failures[k])
            printf("%s: %ld in %ld worlds\n", fuzz_failure_names[k], t->failures[k],
                   t->worlds_with[k]);
}

static void run_worlds(uint64_t from, long count)
{
    totals t = {0};
    fuzz_report *report =
        mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (report == MAP_FAILED) exit(EXIT_FAILURE);
    for (uint64_t seed = from; seed < from + (uint64_t)count; seed++) {
        int status = 0;
        memset(report, 0, sizeof *report);
        pid_t child = fork();
        if (child < 0) exit(EXIT_FAILURE);
        if (!child) run_child(seed, report);
        waitpid(child, &status, 0);
        int signal = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) ? SIGABRT : 0;
        show(seed, report, signal);
        add(&t, seed, report, signal);
    }
    show_totals(&t);
    munmap(report, sizeof *report);
    exit(t.failed ? EXIT_FAILURE : EXIT_SUCCESS);
}

int main(int argc, const char **argv)
{
    const struct poptOption options[] = {
        {"no-meshes", 0, POPT_ARG_NONE, &command.world.no_meshes, 0,
         "neither meshes nor heightfields (a seed is another world then)", NULL},
        {"surfaces", 0, POPT_ARG_NONE, &command.world.surfaces, 0,
         "belts, slip and rolling friction as well (the same)", NULL},
        {"steps", 0, POPT_ARG_INT, &command.world.steps, 0, "of each world [30 to 80]", "N"},
        {"threads", 0, POPT_ARG_INT, &command.world.threads, 0, "that solve islands [1]", "N"},
        {"slow", 0, POPT_ARG_DOUBLE, &command.slow, 0,
         "name steps of more processor time than this [0.3]", "S"},
        {"limit", 0, POPT_ARG_INT, &command.limit, 0, "processor time of a world [30]", "S"},
        {"hashes", 0, POPT_ARG_NONE, &command.hashes, 0, "print a hash of each world", NULL},
        {"all", 0, POPT_ARG_NONE, &command.all, 0, "a line for each world", NULL},
        POPT_AUTOHELP POPT_TABLEEND};
    poptContext context = poptGetContext("worlds", argc, argv, options, 0);
    poptSetOtherOptionHelp(context, "FROM:COUNT");
    int code = poptGetNextOpt(context);
    const char *range = poptGetArg(context);
    uint64_t from;
    long count;
    char rest;
    if (code < -1 || !range || poptPeekArg(context) ||
        sscanf(range, "%" SCNu64 ":%ld%c", &from, &count, &rest) != 2 || count < 1) {
        if (code < -1)
            fprintf(stderr, "worlds: %s: %s\n", poptBadOption(context, POPT_BADOPTION_NOALIAS),
                    poptStrerror(code));
        else
            fprintf(stderr, "worlds: wants FROM:COUNT, such as 1:300\n");
        poptFreeContext(context);
        return 2;
    }
    poptFreeContext(context);
    if (command.world.steps < 0 || command.world.threads < 0 || command.world.threads > 64 ||
        !(command.slow > 0) || command.limit < 1) {
        fprintf(stderr, "worlds: --steps, --slow and --limit must be positive, --threads must lie "
                        "between 1 and 64\n");
        return 2;
    }
    run_worlds(from, count);
}
