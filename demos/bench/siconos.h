/* Other implementations to compare with: LCP solvers of siconos numerics (INRIA), where the build
 * found them. */
#ifndef LAB_SICONOS_H
#define LAB_SICONOS_H

/* Number of solvers; 0: built without siconos. The first is its lexicographic Lemke method. */
int lab_siconos_count(void);
const char *lab_siconos_name(int solver);

typedef struct lab_siconos lab_siconos;

/* w = A z + q >= 0, z >= 0, w.z = 0; A row-major n x n, copied. Null: no memory. */
lab_siconos *lab_siconos_create(int solver, int n, const double *A, const double *q);
/* 0, or siconos' own number of what went wrong. z: n. */
int lab_siconos_solve(lab_siconos *siconos, double *z);
void lab_siconos_free(lab_siconos *siconos);

#endif
