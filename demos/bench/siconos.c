#include "demos/bench/siconos.h"

#ifdef HAVE_SICONOS
#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <lcp_cst.h>
#include <stdlib.h>
#include <string.h>

/* Bound on the pivots: many times those of any problem here that ends. */
enum { PIVOTS = 5000 };

typedef void solver(LinearComplementarityProblem *, double *, double *, int *, SolverOptions *);

static const struct {
    const char *name;
    int id;
    solver *solve;
} solvers[] = {
    {"siconos lexicolemke", SICONOS_LCP_LEMKE, lcp_lexicolemke},
};

struct lab_siconos {
    int solver;
    LinearComplementarityProblem problem;
    SolverOptions *options;
    double *data, *w; /* A by columns, q; room */
};

int lab_siconos_count(void)
{
    return sizeof solvers / sizeof solvers[0];
}

const char *lab_siconos_name(int i)
{
    return solvers[i].name;
}

lab_siconos *lab_siconos_create(int i, int n, const double *A, const double *q)
{
    size_t size = (size_t)n;
    lab_siconos *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->solver = i;
    s->data = malloc(size * (size + 1) * sizeof *s->data);
    s->w = calloc(size, sizeof *s->w);
    s->problem.M = NM_new();
    s->options = solver_options_create(solvers[i].id);
    if (!s->data || !s->w || !s->problem.M || !s->options) {
        lab_siconos_free(s);
        return NULL;
    }
    for (size_t row = 0; row < size; row++)
        for (size_t column = 0; column < size; column++)
            s->data[column * size + row] = A[row * size + column];
    s->problem.size = n;
    s->problem.q = s->data + size * size;
    memcpy(s->problem.q, q, size * sizeof *q);
    NM_fill(s->problem.M, NM_DENSE, n, n, s->data);
    s->options->iparam[SICONOS_IPARAM_MAX_ITER] = PIVOTS;
    return s;
}

int lab_siconos_solve(lab_siconos *s, double *z)
{
    int info = 0;
    memset(z, 0, (size_t)s->problem.size * sizeof *z);
    solvers[s->solver].solve(&s->problem, z, s->w, &info, s->options);
    return info;
}

void lab_siconos_free(lab_siconos *s)
{
    if (!s) return;
    if (s->options) solver_options_delete(s->options);
    free(s->options);
    free(s->problem.M); /* its data are ours */
    free(s->data);
    free(s->w);
    free(s);
}
#else
int lab_siconos_count(void)
{
    return 0;
}

const char *lab_siconos_name(int solver)
{
    (void)solver;
    return "";
}

lab_siconos *lab_siconos_create(int solver, int n, const double *A, const double *q)
{
    (void)solver, (void)n, (void)A, (void)q;
    return 0;
}

int lab_siconos_solve(lab_siconos *siconos, double *z)
{
    (void)siconos, (void)z;
    return 1;
}

void lab_siconos_free(lab_siconos *siconos)
{
    (void)siconos;
}
#endif
