/* Captured problems for the bench of the solvers: taken from scenes while they run, so that no data
 * file is needed. */
#ifndef LAB_PROBLEMS_H
#define LAB_PROBLEMS_H

#include "peg/lcp/lemke.h"

typedef struct bench_problem {
    const char *scene;
    long step;
    int frictional;
    int size; /* class: 20, 40, 80.. variables */
    peg_problem problem;
    peg_scaled scaled;
    peg_lcp lcp;
} bench_problem;

enum { BENCH_SIZES = 5, BENCH_SMALLEST = 20, BENCH_EACH = 12, BENCH_PROBLEMS = 120 };

typedef struct bench_problems {
    peg_arena arena;
    int count;
    bench_problem problem[BENCH_PROBLEMS];
    int failed; /* out of memory */
} bench_problems;

/* Up to BENCH_EACH problems of each size, without friction and with it. 0, or 1 and a line on
 * stderr. */
int bench_collect(bench_problems *set);
void bench_problems_free(bench_problems *set);

#endif
