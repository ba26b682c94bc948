/* Inside of `peg-lab bench`: cases, each measured in a process of its own, and the report. */
#ifndef LAB_BENCH_H
#define LAB_BENCH_H

#include "demos/report/output.h"

typedef enum bench_measure {
    BENCH_MOVING,
    BENCH_SETTLED,
    BENCH_ACCURACY,
    BENCH_ACCURACY_AT_REST
} bench_measure;

typedef struct bench_case {
    const char *scene;
    int n;           /* bodies */
    const char *key; /* the scene's, that n is given by; null: n is its own number of bodies */
    double mu;       /* may be infinite */
    double entering; /* s, from the first body to the last */
    bench_measure measure;
} bench_case;

/* "moving", "settled", "equal accuracy", "equal accuracy at rest". */
const char *bench_measure_name(bench_measure measure);

typedef struct bench_job {
    bench_case what;
    lab_contact model[LAB_CONTACT_COUNT];
    int models, quick, quiet;
    uint64_t seed;
    double end; /* lab_cpu_now() at which it should be done */
    FILE *out;  /* receives one JSON object per line, {"name of a list": what to append} */
} bench_job;

/* Measure the case, a phase of motion or equal accuracy; what could not be measured is said in the
 * list "skipped". */
void bench_phase(const bench_job *job);
void bench_accuracy(const bench_job *job);

/* Lets exact contacts that were put into a settled state, and know no impulses yet, come to rest
 * again. For so long at most, lab_cpu_now(). 0, or 1 if a step failed. */
int bench_come_to_rest(lab_world *w, double until);
/* The scene of the case with a contact model; null: said in "skipped". */
lab_world *bench_open(const bench_job *job, lab_contact model, double h);
/* Steps a peg world of step size h to where the bodies are in full motion (moving) or where they
 * have had time to settle. early: time, lab_cpu_now(), ran out before that. Null if the given
 * time, lab_cpu_now(), comes first: said in "skipped". */
lab_world *bench_lead(const bench_job *job, int moving, double h, double until, int *early);
void bench_emit(const bench_job *job, const char *list, json_t *value); /* takes the value over */
void bench_skip(const bench_job *job, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Cost over number of bodies as N^e, least squares from 100 bodies on: the list "exponents". */
json_t *bench_exponents(const json_t *records);
void bench_table(FILE *file, const json_t *report);
/* PNG of cost over number of bodies. 0, or 1 if it could not be written. */
int bench_plot(const char *path, const json_t *records);

/* A line for each record: case, model, processor time of a step and its ratio to QuickStep's, rows,
 * depth; the machine is said in comments. 0, or 1 if it could not be written. */
int bench_write_csv(const char *path, const json_t *report);
/* The records beside those of the CSV of this machine in a folder: list of case, ratio then and
 * now. Empty if there is none. */
json_t *bench_changes(const char *folder, const json_t *report);
/* "inf" stands for an infinite coefficient of friction. */
json_t *bench_mu(double mu);
double bench_mu_of(const json_t *record);

/* ---- the command ----------------------------------------------------------------------------- */

typedef struct lab_bench_options {
    const char *dir, *scene; /* scene null: all */
    const char *results;     /* folder of CSVs of earlier runs, by machine; null: none */
    lab_contact model[LAB_CONTACT_COUNT];
    int models, quick, quiet, n_max, mu_given;
    double mu, budget; /* budget: s of processor time */
    uint64_t seed;
} lab_bench_options;

/* What a step costs with each model, on the same states and in turns, over scenes and numbers of
 * bodies, as far as the budget goes: DIR/bench.json, table.txt and cost.png. Returns an exit
 * status. Deterministic but for times and for where time ran out. */
int lab_bench(const lab_bench_options *options);

#endif
