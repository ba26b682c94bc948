/* Every method solves every problem in turn, round by round, so that what else the machine does
 * falls on all alike; its time is the median of the rounds. Two kinds of method:
 *  - those of the plain LCP w = A z + q get A and q (row by row or by columns, as each likes it);
 *  - those of the island get the problem as the module captures it, and scale and assemble it.
 * Every answer is judged by the same dense A and q: |min(w, z)|, relative to the problem's unit. */
#include "demos/bench/solvers.h"
#include "demos/bench/problems.h"
#include "demos/report/output.h"
#include "demos/world/files.h"
#include "demos/bench/siconos.h"
#include "demos/world/world.h"

#include <stdlib.h>

enum { ROUNDS = 9, OURS = 4, METHODS = 8, TEXT = 64 };
/* Relative residual of a certified answer (PEG_RESIDUAL_TOLERANCE). */
static const double CERTIFIED = 1e-10;

typedef struct run {
    double seconds[ROUNDS], residual;
    int applies;
} run;

/* What one problem needs: the problem, room for answers, and the others' own copies of it. */
typedef struct bench {
    const bench_problem *p;
    peg_arena *arena;
    double *z, (*v)[6], *lambda;
    lab_siconos *other[METHODS];
} bench;

static const char *const ours[OURS] = {"lemke", "island lemke", "island projected",
                                       "island newton"};

static int method_count(void)
{
    return OURS + lab_siconos_count();
}

static const char *method_name(int method)
{
    return method < OURS ? ours[method] : lab_siconos_name(method - OURS);
}

/* ---- one problem ----------------------------------------------------------------------------- */

/* z of the plain LCP from the impulses: sigma is what the row slides. */
static void variables_of(bench *b)
{
    const peg_lcp *lcp = &b->p->lcp;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < lcp->n; i++) {
            const peg_lcp_variable *v = &lcp->variable[i];
            const peg_scaled_row *row = &b->p->scaled.row[v->row];
            double u = v->sign * b->lambda[row->index] * row->root_scale, s = row->beta;
            if (v->sign) b->z[i] = row->bounded ? fmax(0, u) : u;
            if (v->sign || !pass) continue;
            for (int j = 0; j < lcp->n; j++) /* the row of A of this row's own u+ */
                if (lcp->variable[j].row == v->row && lcp->variable[j].sign == 1)
                    for (int k = 0; k < lcp->n; k++)
                        if (lcp->variable[k].sign)
                            s += lcp->A[(size_t)j * (size_t)lcp->n + (size_t)k] * b->z[k];
            b->z[i] = fabs(s);
        }
}

static double residual(const bench *b)
{
    const peg_lcp *lcp = &b->p->lcp;
    double worst = 0;
    for (int i = 0; i < lcp->n; i++) {
        double w = lcp->q[i];
        for (int j = 0; j < lcp->n; j++)
            w += lcp->A[(size_t)i * (size_t)lcp->n + (size_t)j] * b->z[j];
        double r = fabs(fmin(w, b->z[i]));
        if (isnan(w) || isnan(b->z[i])) return INFINITY;
        worst = fmax(worst, r);
    }
    return worst / b->p->scaled.unit;
}

static int solve_island(bench *b, int method)
{
    const peg_problem *problem = &b->p->problem;
    peg_solution solution = {.v = b->v, .lambda = b->lambda};
    peg_solve_options options = {.tolerance = CERTIFIED};
    memset(b->lambda, 0, (size_t)problem->m * sizeof *b->lambda);
    if (method == 1) return peg_solve_lemke(b->arena, problem, &options, &solution) != PEG_SOLVED;
    if (method == 2)
        return peg_solve_active_set(b->arena, problem, &options, &solution) != PEG_SOLVED;
    peg_outcome outcome = peg_solve_newton(b->arena, problem, &options, &solution);
    return outcome != PEG_SOLVED && outcome != PEG_LAGGED;
}

static int solve(bench *b, int method)
{
    const peg_lcp *lcp = &b->p->lcp;
    peg_pivoting pivoting = {.most_products = INFINITY};
    if (method >= OURS) return lab_siconos_solve(b->other[method - OURS], b->z);
    if (method > 0) return solve_island(b, method);
    return peg_lemke(b->arena, lcp->n, lcp->A, lcp->q, b->z, &pivoting) != PEG_SOLVED;
}

static void measure(bench *b, run *runs)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int method = 0; method < method_count(); method++) {
            run *r = &runs[method];
            r->applies = method != 2 || !b->p->frictional; /* projected: no bounded rows */
            if (!r->applies) continue;
            double start = lab_now();
            int bad = solve(b, method);
            r->seconds[round] = lab_now() - start;
            if (round) continue;
            if (!bad && method > 0 && method < OURS) variables_of(b);
            r->residual = bad ? INFINITY : residual(b);
        }
}

static int measure_problem(const bench_problem *p, peg_arena *arena, run *runs)
{
    int n = p->lcp.n, ready = 1;
    peg_arena_mark mark = peg_arena_here(arena);
    bench b = {.p = p, .arena = arena};
    b.z = PEG_NEW(arena, double, n);
    b.v = PEG_NEW(arena, double[6], p->problem.nb);
    b.lambda = PEG_NEW(arena, double, p->problem.m);
    for (int i = 0; i < lab_siconos_count(); i++) {
        b.other[i] = lab_siconos_create(i, n, p->lcp.A, p->lcp.q);
        ready &= b.other[i] != NULL;
    }
    ready &= b.z && b.v && b.lambda;
    if (ready) measure(&b, runs);
    for (int i = 0; i < lab_siconos_count(); i++) lab_siconos_free(b.other[i]);
    peg_arena_back(arena, mark);
    return ready;
}

/* ---- classes --------------------------------------------------------------------------------- */

/* A method over the problems of a size. */
typedef struct figures {
    int problems, certified;
    double microseconds, ratio; /* medians; ratio: to siconos' Lemke method, over the problems that
                                   both solve; 0: none */
    double residual;            /* largest of the answers */
} figures;

static int certified(const run *r)
{
    return r->applies && r->residual <= CERTIFIED;
}

static figures sum_up(const bench_problems *set, const run (*runs)[METHODS], int frictional,
                      int size, int method)
{
    figures f = {0};
    double time[BENCH_PROBLEMS], ratio[BENCH_PROBLEMS];
    int compared = 0;
    for (int i = 0; i < set->count; i++) {
        const run *r = &runs[i][method], *other = &runs[i][OURS];
        const bench_problem *p = &set->problem[i];
        if (p->frictional != frictional || p->size != size || !r->applies) continue;
        time[f.problems] = lab_quantile(r->seconds, ROUNDS, .5);
        if (certified(r) && certified(other))
            ratio[compared++] = time[f.problems] / lab_quantile(other->seconds, ROUNDS, .5);
        f.problems++;
        f.certified += certified(r);
        f.residual = fmax(f.residual, r->residual);
    }
    f.microseconds = 1e6 * lab_quantile(time, f.problems, .5);
    f.ratio = lab_quantile(ratio, compared, .5);
    return f;
}

static json_t *size_json(const bench_problems *set, const run (*runs)[METHODS], int frictional,
                         int size)
{
    json_t *methods = json_array();
    for (int method = 0; method < method_count(); method++) {
        figures f = sum_up(set, runs, frictional, size, method);
        if (!f.problems) continue;
        json_array_append_new(methods,
                              json_pack("{s:s, s:i, s:i, s:f, s:o, s:o}", "method",
                                        method_name(method), "problems", f.problems, "certified",
                                        f.certified, "us_median", f.microseconds, "ratio_median",
                                        f.ratio > 0 ? json_real(f.ratio) : json_null(),
                                        "residual_max", lab_number(f.residual)));
    }
    return json_pack("{s:i, s:b, s:o}", "n", size, "frictional", frictional, "methods", methods);
}

static json_t *problem_json(const bench_problem *p, const run *runs)
{
    json_t *methods = json_object();
    for (int method = 0; method < method_count(); method++)
        if (runs[method].applies)
            json_object_set_new(methods, method_name(method),
                                json_pack("{s:f, s:o}", "us",
                                          1e6 * lab_quantile(runs[method].seconds, ROUNDS, .5),
                                          "residual", lab_number(runs[method].residual)));
    return json_pack("{s:s, s:I, s:b, s:i, s:i, s:i, s:o}", "scene", p->scene, "step",
                     (json_int_t)p->step, "frictional", p->frictional, "n", p->lcp.n, "rows",
                     p->problem.m, "bodies", p->problem.nb, "methods", methods);
}

static int write_json(const char *dir, const bench_problems *set, const run (*runs)[METHODS])
{
    json_t *sizes = json_array(), *problems = json_array();
    for (int k = 0; k < 2 * BENCH_SIZES; k++)
        json_array_append_new(
            sizes, size_json(set, runs, k / BENCH_SIZES, BENCH_SMALLEST << k % BENCH_SIZES));
    for (int i = 0; i < set->count; i++)
        json_array_append_new(problems, problem_json(&set->problem[i], runs[i]));
    json_t *all =
        json_pack("{s:b, s:i, s:f, s:o, s:o}", "siconos", lab_siconos_count() > 0, "rounds", ROUNDS,
                  "certified", CERTIFIED, "sizes", sizes, "problems", problems);
    char *path = lab_path(dir, "solvers.json");
    int bad = !path || lab_json_write(all, path);
    free(path);
    json_decref(all);
    return bad;
}

static void write_table(FILE *file, const bench_problems *set, const run (*runs)[METHODS])
{
    fprintf(file, "%-12s %4s  %-20s %8s %9s %10s %7s %9s\n", "friction", "n", "method", "problems",
            "certified", "us", "ratio", "residual");
    for (int k = 0; k < 2 * BENCH_SIZES; k++)
        for (int method = 0; method < method_count(); method++) {
            int frictional = k / BENCH_SIZES, size = BENCH_SMALLEST << k % BENCH_SIZES;
            figures f = sum_up(set, runs, frictional, size, method);
            char ratio[TEXT] = "-";
            if (!f.problems) continue;
            if (f.ratio > 0) snprintf(ratio, sizeof ratio, "%.3g", f.ratio);
            fprintf(file, "%-12s %4d  %-20s %8d %9d %10.1f %7s %9.1e\n", frictional ? "yes" : "no",
                    size, method_name(method), f.problems, f.certified, f.microseconds, ratio,
                    f.residual);
        }
    fputs("ratio: to siconos' lexicographic Lemke method, median over what both certify\n", file);
}

static int write_text(const char *dir, const bench_problems *set, const run (*runs)[METHODS])
{
    char *path = lab_path(dir, "solvers.txt");
    FILE *file = path ? fopen(path, "w") : NULL;
    free(path);
    if (!file) return 1;
    write_table(file, set, runs);
    return fclose(file) != 0;
}

/* ---- the bench ------------------------------------------------------------------------------- */

static int complain(const char *what, int status)
{
    fprintf(stderr, "peg-lab: %s\n", what);
    return status;
}

static int bench_all(bench_problems *set, run (*runs)[METHODS], const char *dir, int quiet)
{
    int uncertified = 0;
    if (bench_collect(set)) return 1;
    for (int i = 0; i < set->count; i++) {
        if (!measure_problem(&set->problem[i], &set->arena, runs[i]))
            return complain("out of memory", 1);
        uncertified += !certified(&runs[i][0]);
    }
    const run(*all)[METHODS] = (const run(*)[METHODS])runs;
    if (write_json(dir, set, all) || write_text(dir, set, all))
        return complain("the bench could not be written: choose another folder with --out", 2);
    if (!quiet) write_table(stdout, set, all);
    return uncertified ? complain("Lemke's method left answers without certificate", 1) : 0;
}

int lab_bench_solvers(const char *dir, int quiet)
{
    if (lab_make_folder(dir)) {
        fprintf(stderr, "peg-lab: cannot make the folder '%s': choose another with --out\n", dir);
        return 2;
    }
    bench_problems *set = calloc(1, sizeof *set);
    run(*runs)[METHODS] = calloc(BENCH_PROBLEMS, sizeof *runs);
    int status = set && runs ? bench_all(set, runs, dir, quiet) : complain("out of memory", 1);
    if (set) bench_problems_free(set);
    free(set);
    free(runs);
    return status;
}
