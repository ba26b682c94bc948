/* Runs a random world and checks each step by what the fuzzer knows itself: its own geometry, sums
 * over ODE's bodies, the impulses that the library tells of. */
#ifndef FUZZ_MEASURE_H
#define FUZZ_MEASURE_H

#include "tests/fuzz/world.h"

typedef enum fuzz_failure {
    FUZZ_OVERLAP,    /* two that were apart overlap */
    FUZZ_INSIDE,     /* one went through the closed shell of another */
    FUZZ_ENERGY,     /* there is more of it than before, though nothing drives the world */
    FUZZ_MOMENTUM,   /* a world without anything fixed gained some */
    FUZZ_STATUS,     /* a step was refused */
    FUZZ_NOT_FINITE, /* a body is nowhere */
    FUZZ_FROZEN,     /* more than three steps on end a body did not move, although it should */
    FUZZ_MEMORY,     /* more than MEMORY_MOST bytes */
    FUZZ_FAILURES
} fuzz_failure;

extern const char *const fuzz_failure_names[FUZZ_FAILURES];

typedef struct fuzz_report {
    long steps, touching;         /* touching: with contacts that bear */
    long failures[FUZZ_FAILURES]; /* steps, or pairs of a step */
    char first[FUZZ_FAILURES][200];
    double worst_step, processor_time; /* s */
    int worst_at;                      /* number of that step */
    double median_step;                /* of those in which something touched */
    size_t memory, memory_halfway;     /* bytes, the most after a step */
    /* what the library tells itself: steps */
    long unconverged, limited, infeasible, recovering;
    long most_iterations;    /* of a step, restorations among them */
    long limited_recovering; /* of the limited ones those in which overlaps of the start opened */
    double depth;            /* deepest new overlap, over the smaller size */
    double gain;     /* largest share of the energy that a step added where none may be added */
    double momentum; /* largest change by a step, over the sum of the bodies' momenta */
    uint64_t hash;   /* of all poses and velocities */
} fuzz_report;

/* How a world is run. */
typedef struct fuzz_plan {
    int steps, every;                       /* every so many steps the oracle looks at the pairs */
    int (*change)(fuzz_world *w, int step); /* before a step; whether anything was changed */
} fuzz_plan;

void fuzz_run_plan(fuzz_world *w, const fuzz_plan *plan, fuzz_report *report);
/* The world of a seed, looked at in each step. */
void fuzz_run(uint64_t seed, const fuzz_options *options, fuzz_report *report);
/* Sum of the failures. */
long fuzz_failed(const fuzz_report *report);

#endif
