/* The runs of an experiment, as its plan has them. */
#ifndef LAB_RUNS_H
#define LAB_RUNS_H

#include "demos/experiments/experiment.h"

/* Runs what has not been run. 0, 1: something broke, -1: it was stopped. */
int experiment_run_all(experiment_study *s);
/* Runs one in this process, unless it has been run. A run that takes too long ends the process by
 * SIGPROF, with what it has come to in its file. */
int experiment_run_one(const experiment_study *s, const experiment_job *job, int *ended_early);
/* Reads what all have written; 0 if the memory is exhausted. */
int experiment_read_all(experiment_study *s);
void experiment_runs_free(experiment_study *s);

#endif
