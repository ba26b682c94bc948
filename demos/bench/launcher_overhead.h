/* What peg-run costs a program whose bodies never touch. */
#ifndef LAUNCHER_OVERHEAD_H
#define LAUNCHER_OVERHEAD_H

/* Runs each case of launcher_overhead.c in turn as it is and under peg-run, some times (quick:
 * fewer), and prints a table of CPU times. With a name, runs that case here and prints its time for
 * a step in microseconds. Returns an exit status. */
int lab_overhead(const char *name, int quick);

#endif
