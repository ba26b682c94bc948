/* gap-functions: the signed separation and the ratio metric on random pairs, and what each gap
 * function costs over the number of vertices [J; A slide 12]. */
#include <ccd/ccd.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "demos/experiments/experiment.h"
#include "demos/experiments/gap_gradients.h"
#include "demos/world/world.h"
#include "peg/paper/ratio_metric.h"
#include "peg/paper/signed_separation.h"

enum { CHUNKS = 10, PAIRS = 10000, PAIRS_QUICK = 500, COSTS = 100, SIZES = 7 };

/* Pairs of a chunk whose gradients are compared, and directions of each. */
enum { GRADIENTS = 200, MOVED = 1000, MOVED_QUICK = 50, DIRECTIONS = 12 };

/* ---- pairs ----------------------------------------------------------------------------------- */

static int run_pairs(const experiment_study *s, int chunk, FILE *csv)
{
    peg_arena arena = {0};
    long n = s->options->quick ? PAIRS_QUICK : PAIRS;
    fputs("facets,witness,ratio,units,basic,basics,failures,wrong_sign,theorem,overlaps,shallow,"
          "exact_one,exact_all,open,programs,pivots\n",
          csv);
    for (long i = 0; i < n; i++) {
        gap_pair pair;
        gap_findings f;
        if (!gap_pair_make(s->options->seed, chunk * n + i, &pair)) return 1;
        gap_measure(&arena, &pair, &f);
        fprintf(csv, "%.3g,%.3g,%.3g,%.3g,%.3g,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d\n", f.facets,
                f.witness, f.ratio, f.units, f.basic, f.basics, f.failures, f.wrong_sign, f.theorem,
                f.overlaps, f.shallow, f.exact_one, f.exact_all, f.interval_open, f.programs,
                f.pivots);
        gap_pair_free(&pair);
    }
    peg_arena_free(&arena);
    return 0;
}

/* ---- gradients ------------------------------------------------------------------------------- */

enum { OF_SEPARATION, OF_UNITS, OF_KINKS = OF_UNITS + 3, GRADIENT_KINDS = OF_KINKS + GAP_KINKS };
static const struct {
    const char *what;
    double wanted;
} gradients[GRADIENT_KINDS] = {
    {"signed separation, subgradient", 1e-6},
    {"component function, corner of A and face", 1e-6},
    {"component function, corner of B and face", 1e-6},
    {"component function, two edges", 1e-6},
    {"kink: flush faces, one-sided derivative", 1e-6},
    {"kink: edge on face", 1e-6},
    {"kink: parallel edges, over 8001 normals", 2e-4},
};

static int run_gradients(const experiment_study *s, int chunk, FILE *csv)
{
    peg_arena arena = {0};
    gap_differences sum[GRADIENT_KINDS] = {{0}};
    uint64_t random = s->options->seed * 1000 + (uint64_t)chunk;
    long n = s->options->quick ? MOVED_QUICK : MOVED;
    int made = 1;
    for (long i = 0; i < n && made; i++) {
        gap_pair pair;
        made = gap_pair_make(s->options->seed + 1, chunk * n + i, &pair) &&
               gap_check_subgradient(&arena, &pair, &random, DIRECTIONS, &sum[OF_SEPARATION]) &&
               gap_check_units(&pair, &random, &sum[OF_UNITS]);
        for (int kink = 0; kink < GAP_KINKS && made && i % 10 == 0; kink++)
            made = gap_check_kink(&arena, (gap_kink)kink, &random, &sum[OF_KINKS + kink]);
        gap_pair_free(&pair);
    }
    peg_arena_free(&arena);
    fputs("kind,worst,compared\n", csv);
    for (int k = 0; k < GRADIENT_KINDS; k++)
        fprintf(csv, "%d,%.6g,%ld\n", k, sum[k].worst, sum[k].compared);
    return !made;
}

/* ---- costs ----------------------------------------------------------------------------------- */

enum { BY_FACETS, BY_ALL_FACETS, BY_SSH, BY_SSH_WARM, BY_RATIO, BY_MPR, BY_GJK, METHODS };
static const char *const method_names[METHODS] = {
    "facets (exact, as peg asks)", "all facets",   "signed separation",
    "signed separation, warm",     "ratio metric", "MPR (libccd)",
    "GJK and EPA (libccd)"};

static void support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *out)
{
    const peg_view *view = object;
    const double d[3] = {direction->v[0], direction->v[1], direction->v[2]};
    int best = 0;
    for (int i = 1; i < view->shape->nv; i++)
        if (peg_dot(d, view->vertex[i]) > peg_dot(d, view->vertex[best])) best = i;
    for (int k = 0; k < 3; k++) out->v[k] = view->vertex[best][k];
}

static void centre(const void *object, ccd_vec3_t *out)
{
    const peg_view *view = object;
    for (int k = 0; k < 3; k++) out->v[k] = view->centre[k];
}

static void ignore(void *unused, const peg_facet *facet)
{
    (void)unused, (void)facet;
}

/* Depth (positive for overlap) by one method, and the pivots it took. */
static double evaluate(int method, peg_arena *arena, const gap_pair *pair, peg_ssh *warm,
                       int *pivots)
{
    const peg_view *A = &pair->view[0], *B = &pair->view[1];
    ccd_real_t depth = 0;
    ccd_vec3_t dir, pos;
    ccd_t ccd;
    double d[3];
    peg_ssh ssh = {.basis = {-1}};
    peg_ratio ratio = {.basis = {-1}};
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = support;
    ccd.center1 = ccd.center2 = centre;
    ccd.max_iterations = 500;
    ccd.mpr_tolerance = ccd.epa_tolerance = 1e-6;
    peg_sub(A->centre, B->centre, d);
    *pivots = 0;
    switch (method) {
    case BY_FACETS:
        return -peg_separation(A, B, INFINITY, NULL, NULL).s;
    case BY_ALL_FACETS:
        return -peg_separation(A, B, -INFINITY, ignore, NULL).s;
    case BY_SSH:
        peg_ssh_solve(arena, A, B, d, &ssh);
        *pivots = ssh.pivots;
        *warm = ssh;
        return -ssh.s;
    case BY_SSH_WARM:
        warm->pivots = 0;
        peg_ssh_solve(arena, A, B, d, warm);
        *pivots = warm->pivots;
        return -warm->s;
    case BY_RATIO:
        peg_ratio_metric(arena, A, B, A->centre, B->centre, &ratio);
        *pivots = ratio.pivots;
        return -ratio.rho * peg_norm(d);
    case BY_MPR:
        return ccdMPRPenetration(A, B, &ccd, &depth, &dir, &pos) == 0 ? depth : 0;
    default:
        return ccdGJKPenetration(A, B, &ccd, &depth, &dir, &pos) == 0 ? depth : 0;
    }
}

static double time_of(int method, peg_arena *arena, const gap_pair *pair, peg_ssh *warm)
{
    int pivots;
    double best = INFINITY;
    for (int round = 0; round < 5; round++) {
        double then = lab_now(), took = 0;
        long count = 0;
        for (; took < 2e-3; took = lab_now() - then)
            for (int k = 0; k < 4; k++, count++) evaluate(method, arena, pair, warm, &pivots);
        best = fmin(best, took / (double)count);
    }
    return 1e6 * best;
}

static int run_costs(const experiment_study *s, int index, FILE *csv)
{
    peg_arena arena = {0};
    int n = 8 << index;
    fputs("vertices,faces,method,depth,pivots,us\n", csv);
    for (int i = 0; i < 3; i++) {
        gap_pair pair;
        peg_ssh warm = {.basis = {-1}};
        if (!gap_pair_balls(s->options->seed + (uint64_t)i, n, &pair)) return 1;
        for (int method = 0; method < METHODS; method++) {
            int pivots;
            double depth = evaluate(method, &arena, &pair, &warm, &pivots);
            fprintf(csv, "%d,%d,%d,%.9g,%d,%.4g\n", n, pair.shape[0]->nf + pair.shape[1]->nf,
                    method, depth, pivots, time_of(method, &arena, &pair, &warm));
        }
        gap_pair_free(&pair);
    }
    peg_arena_free(&arena);
    return 0;
}

/* ---- plan ------------------------------------------------------------------------------------ */

static void plan(experiment_study *s)
{
    s->models = 1, s->model[0] = LAB_LP;
    s->hs = 1, s->h[0] = 1;
    s->source = "random boxes, hulls, prisms and needles";
    for (int i = 0; i < CHUNKS; i++) experiment_add(s, LAB_LP, 1, i);
    for (int i = 0; i < SIZES; i++) experiment_add(s, LAB_LP, 1, COSTS + i);
    for (int i = 0; i < CHUNKS; i++) experiment_add(s, LAB_LP, 1, GRADIENTS + i);
}

static int run(const experiment_study *s, const experiment_job *job, FILE *csv, char why[LAB_TEXT])
{
    int failed = job->set < COSTS       ? run_pairs(s, job->set, csv)
                 : job->set < GRADIENTS ? run_costs(s, job->set - COSTS, csv)
                                        : run_gradients(s, job->set - GRADIENTS, csv);
    if (failed) snprintf(why, LAB_TEXT, "out of memory");
    return failed;
}

/* ---- report ---------------------------------------------------------------------------------- */

/* Columns of pairs. */
enum {
    FACETS,
    WITNESS,
    RATIO,
    UNITS,
    BASIC,
    BASICS,
    FAILED,
    SIGN,
    THEOREM,
    OVERLAPS,
    SHALLOW,
    ONE,
    ALL,
    OPEN,
    PROGRAMS,
    PIVOTS,
    COLUMNS
};

typedef struct totals {
    double max[COLUMNS], sum[COLUMNS];
    long pairs;
    double shallow_one, shallow_all, deep, deep_one, deep_all;
} totals;

static totals add_up(const experiment_study *s)
{
    totals t = {0};
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        const experiment_table *table = experiment_find(s, LAB_LP, 1, chunk);
        for (long k = 0; table && k < table->rows; k++, t.pairs++) {
            const double *v = table->value + k * table->columns;
            for (int c = 0; c < COLUMNS; c++) t.max[c] = fmax(t.max[c], v[c]), t.sum[c] += v[c];
            if (v[OVERLAPS] == 0) continue;
            if (v[SHALLOW] > 0)
                t.shallow_one += v[ONE], t.shallow_all += v[ALL];
            else
                t.deep++, t.deep_one += v[ONE], t.deep_all += v[ALL];
        }
    }
    return t;
}

static void check_pairs(const experiment_study *s, lab_report *r)
{
    totals t = add_up(s);
    double many = s->options->quick ? CHUNKS * PAIRS_QUICK : CHUNKS * PAIRS;
    report_check(r, "random pairs", (double)t.pairs, "all", (double)t.pairs == many);
    static const struct {
        int column;
        const char *what;
    } errors[] = {
        {FACETS, "largest |g(d) - max over the facets of s / n.d|, in sizes"},
        {WITNESS, "largest |p_A - p_B - g d|, in sizes"},
        {RATIO, "largest relative difference of the two programs, rho(R1) and g(S1)"},
        {UNITS, "largest relative difference of g and the largest component function"},
        {BASIC, "largest relative difference of r_m by program [A 6] and in closed form"},
    };
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        report_check(r, errors[i].what, t.max[errors[i].column], "<= 1e-10",
                     t.max[errors[i].column] <= 1e-10);
    report_check(r, "contact units compared with their programs, of a pair",
                 t.sum[BASICS] / (double)t.pairs, ">= 0.1", t.sum[BASICS] >= .1 * (double)t.pairs);
    report_check(r, "programs without a certified answer", t.sum[FAILED], "0", t.sum[FAILED] == 0);
    report_check(r, "wrong signs [J: the sign is exact]", t.sum[SIGN], "0", t.sum[SIGN] == 0);
    report_check(r, "violations of the metric equivalence theorem [A 4-5]", t.sum[THEOREM], "0",
                 t.sum[THEOREM] == 0);
    double one = t.shallow_one / t.sum[SHALLOW], all = t.shallow_all / t.sum[SHALLOW];
    report_check(r, "shallow overlaps whose depth is exact from one start", one, ">= 0.98",
                 one >= .98);
    report_check(r, "the same from all starts", all, "1", all == 1);
    report_check(r, "deeper overlaps, from one start", t.deep_one / t.deep, ">= 0.69 (prototype)",
                 t.deep_one / t.deep >= .69);
    report_check(r, "the same from all starts", t.deep_all / t.deep, ">= 0.97 (prototype)",
                 t.deep_all / t.deep >= .97);
    report_check(r, "most programs of a search", t.max[PROGRAMS], "<= 6", t.max[PROGRAMS] <= 6);
    report_check(r, "mean programs of a search", t.sum[PROGRAMS] / t.sum[OVERLAPS], "<= 2.5",
                 t.sum[PROGRAMS] / t.sum[OVERLAPS] <= 2.5);
    report_check(r, "share of distances that 60 cuts leave open by 1e-6",
                 t.sum[OPEN] / ((double)t.pairs - t.sum[OVERLAPS]), "<= 0.05",
                 t.sum[OPEN] <= .05 * ((double)t.pairs - t.sum[OVERLAPS]));
    report_text(r,
                "%ld pairs, %.0f of them overlap (%.0f by at most 5 %% of their size); %.2f "
                "pivots a program.",
                t.pairs, t.sum[OVERLAPS], t.sum[SHALLOW], t.sum[PIVOTS] / (double)t.pairs);
}

static void check_gradients(const experiment_study *s, lab_report *r)
{
    static const char *const heads[] = {"gradient", "compared", "largest difference"};
    double worst[GRADIENT_KINDS] = {0}, compared[GRADIENT_KINDS] = {0};
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        const experiment_table *t = experiment_find(s, LAB_LP, 1, GRADIENTS + chunk);
        for (long k = 0; t && k < t->rows && k < GRADIENT_KINDS; k++) {
            worst[k] = fmax(worst[k], t->value[k * t->columns + 1]);
            compared[k] += t->value[k * t->columns + 2];
        }
    }
    report_table(r, heads, 3);
    for (int k = 0; k < GRADIENT_KINDS; k++) {
        report_cell(r, "%s", gradients[k].what);
        report_cell(r, "%.0f", compared[k]);
        report_cell(r, "%.1e", worst[k]);
        report_row_end(r);
    }
    report_table_end(r);
    for (int k = 0; k < GRADIENT_KINDS; k++) {
        char wanted[32];
        snprintf(wanted, sizeof wanted, "<= %.0e", gradients[k].wanted);
        report_check(r, gradients[k].what, worst[k], wanted,
                     compared[k] > 0 && worst[k] <= gradients[k].wanted);
    }
}

/* Mean of a column of a method at a size. */
static double cost(const experiment_study *s, int index, int method, int column)
{
    const experiment_table *t = experiment_find(s, LAB_LP, 1, COSTS + index);
    double sum = 0;
    int n = 0;
    for (long k = 0; t && k < t->rows; k++) {
        const double *v = t->value + k * t->columns;
        if ((int)v[2] == method) sum += v[column], n++;
    }
    return n ? sum / n : NAN;
}

/* Of time over vertices. */
static double slope_of(const experiment_study *s, int method, int from)
{
    double sx = 0, sy = 0, xx = 0, xy = 0, n = 0;
    for (int i = from; i < SIZES; i++, n++) {
        double x = log(8 << i), y = log(cost(s, i, method, 5));
        sx += x, sy += y, xx += x * x, xy += x * y;
    }
    return (n * xy - sx * sy) / (n * xx - sx * sx);
}

static void report_costs(const experiment_study *s, lab_report *r)
{
    static const char *const heads[] = {"us (pivots)", "8",   "16",  "32",   "64",
                                        "128",         "256", "512", "slope"};
    double us[METHODS][SIZES], at[SIZES];
    char path[4096];
    plot p = {.title = "Cost of a gap function",
              .x_label = "vertices of each part",
              .y_label = "us",
              .log_x = 1,
              .log_y = 1};
    report_table(r, heads, 9);
    for (int m = 0; m < METHODS; m++) {
        report_cell(r, "%s", method_names[m]);
        for (int i = 0; i < SIZES; i++) {
            at[i] = 8 << i, us[m][i] = cost(s, i, m, 5);
            double pivots = cost(s, i, m, 4);
            report_cell(r, pivots > 0 ? "%.3g (%.0f)" : "%.3g", us[m][i], pivots);
        }
        report_cell(r, "%.2f", slope_of(s, m, 2));
        report_row_end(r);
        p.series[p.count++] = (plot_series){
            .label = method_names[m], .x = at, .y = us[m], .n = SIZES, .colour = 1 + m, .marks = 1};
    }
    report_table_end(r);
    snprintf(path, sizeof path, "%s/cost.png", r->dir);
    r->bad |= plot_write(&p, path);
    report_figure(r, "cost.png",
                  "[A slide 12] Depth by the linear program is O(m1 + m2), by Minkowski sums "
                  "O(m1^2 + m2^2).",
                  "Hulls of points on a sphere that overlap by 2 %; slopes from 32 vertices on.");
    double lp = slope_of(s, BY_SSH, 2), ratio = slope_of(s, BY_RATIO, 2);
    double facets = slope_of(s, BY_ALL_FACETS, 2);
    report_check(r, "slope of the time of the signed separation", lp, "<= 1.2", lp <= 1.2);
    report_check(r, "slope of the time of the ratio metric", ratio, "<= 1.2", ratio <= 1.2);
    report_check(r, "slope of the time of all facets", facets, ">= 1.7", facets >= 1.7);
    report_text(r, "Signed separation of 8 + 8 vertices: %.2g us on this machine.", us[BY_SSH][0]);
}

static void report(experiment_study *s, lab_report *r)
{
    report_text(r, "Gap functions of two convex parts: the exact separation over the facets of the "
                   "Minkowski difference, the signed separation by a linear program (Johnson, "
                   "Ortiz, Leyendecker 2012), the ratio metric by another (Anitescu, Hart 2007), "
                   "and two iterative methods.");
    check_pairs(s, r);
    report_heading(r, "Gradients against differences");
    report_text(r,
                "Relative to the sizes they are made of; central differences away from kinks, "
                "one-sided ones of boxes that touch at a kink. The subgradient in %d directions "
                "of each pair, for d fixed and for d along the centres.",
                DIRECTIONS);
    check_gradients(s, r);
    report_heading(r, "Cost");
    report_costs(s, r);
}

const experiment experiments_gap_functions[] = {
    {"gap-functions", "Signed separation and ratio metric on random pairs: values, pivots, times.",
     "none", 0, plan, run, report},
    {0},
};
