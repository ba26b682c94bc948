/* The commands: many runs by a plan, and what they came to. */
#ifndef LAB_SWEEP_H
#define LAB_SWEEP_H

typedef struct sweep_options {
    const char *plan, *dir;
    const char *part; /* "i/n"; null: all */
    int jobs;         /* workers; 0: one per core, under MPI one per rank */
    int quiet;
} sweep_options;

/* Runs what has not been run. Returns an exit status: 0 all cases have finished, 1 some have not, 2
 * bad usage. */
int lab_sweep(const sweep_options *options);
/* Tables and plots of what has finished, and DIR/results.sqlite anew: DIR/table.txt, time.png,
 * overlap.png. Returns an exit status; 1 if a case with contact peg failed its check. */
int lab_sweep_report(const char *dir, int quiet);

#endif
