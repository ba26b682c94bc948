/* The solvers of the contact problem against each other and against other implementations, on
 * problems captured from scenes. */
#ifndef LAB_SOLVERS_H
#define LAB_SOLVERS_H

/* Writes DIR/solvers.json and DIR/solvers.txt. Returns an exit status (0; 1 if an answer of Lemke's
 * method or a scene failed; 2 if DIR cannot be written), after one line on stderr. */
int lab_bench_solvers(const char *dir, int quiet);

#endif
