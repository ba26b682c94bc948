/* box-of-polygons [W Fig. 20-22] and box-of-polyhedra [W Fig. 23-24]: overlap over the step size.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demos/scenes/body_sets.h"
#include "demos/experiments/experiment.h"

/* Rounding of an area or volume of order 1: what counts as 0. */
#define NO_OVERLAP 1e-15

static int is_planar(const experiment_study *s)
{
    return s->kind->planar;
}

/* ---- plan and run ---------------------------------------------------------------------------- */

/* How near features must be to make constraints, of the size of the smaller body: what the share of
 * steps with a trap depends on. Runs with other than the first are the sets from REACH_SETS on. */
static const double reaches[] = {0, .05, .1, .2};
enum { REACHES = 4, REACH_SETS = 100 };

/* Initial conditions: the papers' ten, and those of the quick version. */
enum { SETS = 10, SETS_QUICK = 3 };

static const double reach_h[] = {.001, .01};

/* Sets of the authors' whose files are at hand: they come first. */
static int sets_of_authors(const experiment_study *s)
{
    return is_planar(s) ? body_sets_polygons() : body_sets_hulls();
}

static void plan(experiment_study *s)
{
    static const double quick_2d[] = {.001, .004, .01, .016}, quick_3d[] = {.004, .01, .016};
    int quick = s->options->quick, theirs = sets_of_authors(s), sets = quick ? SETS_QUICK : SETS;
    if (s->options->models == 0) s->model[s->models++] = LAB_ST_PUBLISHED;
    s->hs = !quick ? 16 : is_planar(s) ? 4 : 3;
    for (int k = 0; k < s->hs; k++)
        s->h[k] = !quick ? .001 * (k + 1) : is_planar(s) ? quick_2d[k] : quick_3d[k];
    if (theirs > sets) theirs = sets;
    snprintf(s->bodies, sizeof s->bodies, "%d sets of the authors', %d by their recipe", theirs,
             sets - theirs);
    s->source = s->bodies;
    experiment_plan_all(s, 1, sets);
    int paper = experiment_model(s, "paper");
    for (int i = 1; i < REACHES && is_planar(s) && paper >= 0; i++)
        for (int k = 0; k < 2; k++)
            experiment_add(s, (lab_contact)paper, reach_h[k], REACH_SETS * i + 1);
}

static int run(const experiment_study *s, const experiment_job *job, FILE *csv, char why[LAB_TEXT])
{
    int number = job->set % REACH_SETS;
    lab_setting set[2] = {{"set", number <= sets_of_authors(s) ? number : 0},
                          {"reach", reaches[job->set / REACH_SETS]}};
    lab_options options = {.contact = job->contact,
                           .h = job->h,
                           .seed = s->options->seed + (uint64_t)number - 1,
                           .set = set,
                           .sets = is_planar(s) ? 2 : 1};
    return experiment_steps(lab_scene_find(s->kind->scene), &options, csv, why);
}

/* ---- report ---------------------------------------------------------------------------------- */

/* Share of the steps with a trap, in %. */
static double trap_share(const experiment_study *s, int contact, double h)
{
    return 100 * experiment_measure(s, contact, h, COL_TRAP).mean;
}

static void check_shares(experiment_study *s, lab_report *r, int contact)
{
    static const double at[2] = {.001, .01}, theirs[2] = {40, 77};
    for (int i = 0; i < 2; i++) {
        char check[160], wanted[80];
        const char *name = contact < 0 ? "paper" : lab_contact_name((lab_contact)contact);
        snprintf(check, sizeof check, "share of steps with a trap, %s, h = %g, %%", name, at[i]);
        snprintf(wanted, sizeof wanted, "%g +- 15 (the authors' data)", theirs[i]);
        double share = contact < 0 ? NAN : trap_share(s, contact, at[i]);
        report_check(r, check, share, wanted, fabs(share - theirs[i]) <= 15);
    }
}

static void check_peg(experiment_study *s, lab_report *r)
{
    int peg = experiment_model(s, "peg");
    double largest = peg < 0 ? NAN : 0, rough = largest, early = largest;
    for (int k = 0; k < s->hs && peg >= 0; k++) {
        largest = fmax(largest, experiment_measure(s, peg, s->h[k], COL_OVERLAP).max);
        rough += experiment_measure(s, peg, s->h[k], COL_UNCONVERGED).sum;
    }
    for (int i = 0; i < s->jobs && peg >= 0; i++)
        if ((int)s->job[i].contact == peg) early += s->table[i].failed || s->table[i].ended;
    report_check(r, "largest overlap of peg over all steps of all runs", largest,
                 "0 (at most 1e-15)", largest <= NO_OVERLAP);
    report_check(r, "runs of peg that ended early", early, "0", early == 0);
    report_check(r, "steps of peg whose velocities hold only roughly", rough, "0", rough == 0);
}

/* Against the authors' data: quantiles of all steps, which do not grow with the number of sets as a
 * maximum does, and the maximum. */
static void check_overlap(experiment_study *s, lab_report *r)
{
    int paper = experiment_model(s, "paper");
    experiment_spread d = experiment_measure(s, paper, .016, COL_OVERLAP);
    double worst = paper < 0 ? NAN : 0;
    for (int k = 0; k < s->hs && paper >= 0; k++)
        worst = fmax(worst, experiment_measure(s, paper, s->h[k], COL_OVERLAP).max);
    if (is_planar(s)) {
        report_check(r, "largest overlap of paper, h = .016, m^2", paper < 0 ? NAN : d.max,
                     "at most 4.8e-4 (the authors' data)", d.max <= 4.8e-4);
        report_check(r, "99 % quantile of the overlap of paper, h = .016, m^2",
                     paper < 0 ? NAN : d.p99, "at most 1.2e-4 (the authors' data)",
                     d.p99 <= 1.2e-4);
        report_check(r, "median overlap of paper, h = .016, m^2", paper < 0 ? NAN : d.median,
                     "at most 1e-7 (the authors' data: 9.5e-8)", d.median <= 1e-7);
        return;
    }
    report_check(r, "largest overlap of paper at any h, m^3", worst,
                 "at most 7.1e-4 (the authors' data)", worst <= 7.1e-4);
    report_check(r, "99 % quantile of the overlap of paper, h = .016, m^3", paper < 0 ? NAN : d.p99,
                 "at most 2.3e-5 (the authors' data)", d.p99 <= 2.3e-5);
    report_check(r, "median overlap of paper, h = .016, m^3", paper < 0 ? NAN : d.median,
                 "at most 8e-14 (the authors' data)", d.median <= 8e-14);
}

/* First step of st without a certified answer, of all steps if there is none. The authors' runs of
 * the standard model ended there; afterwards its bodies lie in each other and its problems grow
 * without bound. */
static long first_failure(const experiment_table *t)
{
    long k = 0;
    while (k < t->rows && t->value[k * t->columns + COL_UNCONVERGED] == 0) k++;
    return k;
}

/* Overlaps of paper and of a standard model at the same steps of the same sets: as far as both get.
 */
typedef struct duel {
    experiment_spread of[2]; /* paper, the other */
} duel;

/* median and max of n values. */
static experiment_spread spread_of(double *v, long n)
{
    experiment_spread m = {.n = n, .median = NAN, .p99 = NAN, .max = NAN};
    if (n == 0) return m;
    m.median = lab_quantile(v, n, .5), m.p99 = lab_quantile(v, n, .99);
    m.max = lab_quantile(v, n, 1);
    return m;
}

static duel duel_at(const experiment_study *s, int paper, int other, double h)
{
    const int contact[2] = {paper, other};
    duel d;
    for (int i = 0; i < 2; i++) {
        long n = 0, room;
        double *v = experiment_column(s, contact[i], h, -1, COL_OVERLAP, &room);
        for (int set = s->first_set; v && set <= s->last_set; set++) {
            const experiment_table *t = experiment_find(s, contact[i], h, set);
            const experiment_table *ends = experiment_find(s, other, h, set);
            long end = t && ends ? first_failure(ends) : 0;
            for (long k = 0; k < end && k < t->rows; k++)
                v[n++] = t->value[k * t->columns + COL_OVERLAP];
        }
        d.of[i] = spread_of(v, v ? n : 0);
        free(v);
    }
    return d;
}

static void check_duel(const experiment_study *s, lab_report *r, int paper, const char *name)
{
    static const char *const heads[] = {"h, s", "steps",   "paper, median",
                                        "99 %", "largest", "standard model, median",
                                        "99 %", "largest"};
    int other = experiment_model(s, name);
    if (paper < 0 || other < 0) return;
    double tail = 0, largest = 0;
    char check[120];
    report_text(r, "Overlap of paper and %s at the same steps, as far as %s gets:", name, name);
    report_table(r, heads, 8);
    for (int k = 0; k < s->hs; k++) {
        duel d = duel_at(s, paper, other, s->h[k]);
        tail += !(d.of[0].p99 <= d.of[1].p99), largest += !(d.of[0].max <= d.of[1].max);
        report_cell(r, "%g", s->h[k]);
        report_cell(r, "%ld", d.of[0].n);
        for (int i = 0; i < 2; i++) {
            report_cell(r, "%.2g", d.of[i].median);
            report_cell(r, "%.2g", d.of[i].p99);
            report_cell(r, "%.2g", d.of[i].max);
        }
        report_row_end(r);
    }
    report_table_end(r);
    snprintf(check, sizeof check, "step sizes at which paper's 99 %% quantile is above that of %s",
             name);
    report_check(r, check, tail, "0", tail == 0);
    snprintf(check, sizeof check, "step sizes at which paper's largest overlap is above that of %s",
             name);
    report_check(r, check, largest, "0", largest == 0);
}

/* How many runs of the published standard model get to the end, and when the others stop. */
static void check_ends(const experiment_study *s, lab_report *r)
{
    static const char *const heads[] = {"h, s", "runs", "ended early", "median end, s"};
    int contact = experiment_model(s, "st-published");
    if (contact < 0) return;
    double all = 0, ended = 0;
    report_text(r,
                "Runs of st-published: half-spaces of every feature in reach, none let go, and no "
                "step without an answer, as published:");
    report_table(r, heads, 4);
    for (int k = 0; k < s->hs; k++) {
        double end[SETS], runs = 0, early = 0;
        int n = 0;
        for (int set = s->first_set; set <= s->last_set; set++) {
            const experiment_table *t = experiment_find(s, contact, s->h[k], set);
            if (!t) continue;
            runs++, early += t->ended;
            if (n < SETS) end[n++] = s->h[k] * (double)t->rows;
        }
        report_cell(r, "%g", s->h[k]);
        report_cell(r, "%g", runs);
        report_cell(r, "%g", early);
        report_cell(r, "%.2f", n ? lab_quantile(end, n, .5) : NAN);
        report_row_end(r);
        all += runs, ended += early;
    }
    report_table_end(r);
    report_check(r, "share of the runs of st-published that end before 5 s, %", 100 * ended / all,
                 "above 0: \"frequently crashed\" [W 6]", ended > 0);
}

static void check_against_standard(const experiment_study *s, lab_report *r)
{
    int paper = experiment_model(s, "paper");
    check_duel(s, r, paper, "st");
    check_duel(s, r, paper, "st-published");
    check_ends(s, r);
}

typedef struct cost_ratio {
    double size, rows, time;
} cost_ratio;

/* Of paper over st at one step size, over the steps that st gets through: mean problem sizes, and
 * median times (a mean would count what else the machine does). */
static cost_ratio cost_of(const experiment_study *s, int paper, int st, double h)
{
    const int contact[2] = {paper, st};
    double size[2] = {0, 0}, rows[2] = {0, 0}, median[2] = {NAN, NAN};
    for (int i = 0; i < 2; i++) {
        long n = 0, room;
        double *ms = experiment_column(s, contact[i], h, -1, COL_SOLVE, &room);
        for (int set = s->first_set; ms && set <= s->last_set; set++) {
            const experiment_table *t = experiment_find(s, contact[i], h, set);
            const experiment_table *theirs = experiment_find(s, st, h, set);
            long end = t && theirs ? first_failure(theirs) : 0;
            for (long k = 0; k < end && k < t->rows; k++) {
                const double *row = t->value + k * t->columns;
                size[i] += row[COL_SIZE], rows[i] += row[COL_ROWS];
                ms[n++] = row[COL_SOLVE];
            }
        }
        if (ms && n > 0)
            median[i] = lab_quantile(ms, n, .5);
        else
            size[i] = rows[i] = NAN;
        free(ms);
    }
    return (cost_ratio){size[0] / size[1], rows[0] / rows[1], median[0] / median[1]};
}

static void check_ratio(lab_report *r, const char *check, const double *ratio, int n)
{
    double known[EXPERIMENT_H_MAX], median = NAN;
    int count = 0;
    for (int k = 0; k < n; k++)
        if (!isnan(ratio[k])) known[count++] = ratio[k];
    if (count > 0) median = lab_quantile(known, count, .5);
    report_check(r, check, median, "1.5 to 2.7 (the authors')", median >= 1.5 && median <= 2.7);
}

/* Where the rows of paper come from: lnc has the same constraints without the X, which are four to
 * six rows each. */
static void tell_costs(const experiment_study *s, lab_report *r)
{
    report_text(r, "Ratios over st, over the steps that st gets through: like the authors' runs of "
                   "the standard model, those of st fail early where its bodies get trapped. [F] "
                   "counts the velocities in; what [W]'s data count is not known. lnc has the "
                   "constraints of paper without X.");
    if (is_planar(s))
        report_text(r, "In the plane an I has two rows and an X two, and most rows are those of "
                       "U, which both models have; the velocities, three a body, are the same in "
                       "both. Without them the ratio is the authors'.");
    else
        report_text(r,
                    "In space X are more than half of the rows: one for each pair of faces at two "
                    "near vertices [W 38], with all their edge pairs. The authors' program makes "
                    "none in space; the rows of lnc over those of st are what its data can be "
                    "compared with.");
    report_text(
        r, "The authors solved both with PATH, whose times of .66 ms and more hold what a call "
           "costs whatever the size; here Lemke's method solves both.");
}

static void check_cost(experiment_study *s, lab_report *r)
{
    int paper = experiment_model(s, "paper"), st = experiment_model(s, "st");
    int lnc = experiment_model(s, "lnc");
    double size[EXPERIMENT_H_MAX], rows[EXPERIMENT_H_MAX], time[EXPERIMENT_H_MAX];
    double without[EXPERIMENT_H_MAX];
    static const char *const heads[] = {"h, s", "velocities and rows, paper / st",
                                        "rows, paper / st", "rows, lnc / st",
                                        "solver time, paper / st"};
    tell_costs(s, r);
    report_table(r, heads, 5);
    for (int k = 0; k < s->hs; k++) {
        cost_ratio c = cost_of(s, paper, st, s->h[k]);
        size[k] = c.size, rows[k] = c.rows, time[k] = c.time;
        without[k] = cost_of(s, lnc, st, s->h[k]).rows;
        report_cell(r, "%g", s->h[k]);
        report_cell(r, "%.2f", size[k]);
        report_cell(r, "%.2f", rows[k]);
        report_cell(r, "%.2f", without[k]);
        report_cell(r, "%.2f", time[k]);
        report_row_end(r);
    }
    report_table_end(r);
    check_ratio(r, "problem size of paper over st, velocities and rows (until st fails; median)",
                size, s->hs);
    check_ratio(r, "problem size of paper over st, rows (until st fails; median)", rows, s->hs);
    check_ratio(r, "problem size of lnc (paper without X) over st, rows (until st fails; median)",
                without, s->hs);
    check_ratio(r, "solver time of paper over st (medians until st fails; median)", time, s->hs);
}

/* Share of steps with a trap over the reach, first set. */
static void tabulate_reaches(experiment_study *s, lab_report *r)
{
    static const char *const heads[] = {"reach / size", "h = .001", "h = .010"};
    int paper = experiment_model(s, "paper");
    if (paper < 0) return;
    report_text(r, "Share of steps with a trap (%%), paper, first set, over the distance up to "
                   "which features make constraints (0: what the motion of a step and .02 of the "
                   "size ask for). The authors' epsilon of the plane is not known, and the share "
                   "grows with it:");
    report_table(r, heads, 3);
    for (int i = 0; i < REACHES; i++) {
        report_cell(r, "%g", reaches[i]);
        for (int k = 0; k < 2; k++) {
            long n;
            double sum = 0;
            double *trap =
                experiment_column(s, paper, reach_h[k], REACH_SETS * i + 1, COL_TRAP, &n);
            for (long j = 0; trap && j < n; j++) sum += trap[j];
            report_cell(r, "%.1f", 100 * sum / (double)n);
            free(trap);
        }
        report_row_end(r);
    }
    report_table_end(r);
}

static void plot_shares(experiment_study *s, lab_report *r)
{
    plot p = experiment_plot_over_h("Steps with at least one trap", "% of the steps", 0);
    double share[LAB_CONTACT_COUNT][EXPERIMENT_H_MAX];
    char path[4096];
    for (int m = 0; m < s->models; m++) {
        for (int k = 0; k < s->hs; k++) share[m][k] = trap_share(s, (int)s->model[m], s->h[k]);
        p.series[p.count++] = (plot_series){.label = lab_contact_name(s->model[m]),
                                            .x = s->h,
                                            .y = share[m],
                                            .n = s->hs,
                                            .colour = experiment_colour(s->model[m]),
                                            .marks = 1};
    }
    snprintf(path, sizeof path, "%s/trap-share.png", r->dir);
    r->bad |= plot_write(&p, path);
}

/* Running sums, so that single steps can be seen: pairs in contact and steps with a trap. */
static void plot_traps(experiment_study *s, lab_report *r, int contact)
{
    double h = s->h[s->hs - 1];
    for (int k = 0; k < s->hs; k++)
        if (fabs(s->h[k] - .01) < 1e-9) h = s->h[k];
    plot p = {.title = "Near pairs and traps", .x_label = "t, s", .y_label = "number"};
    long n;
    double *t = experiment_column(s, contact, h, s->first_set, COL_T, &n);
    double *pairs = experiment_column(s, contact, h, s->first_set, COL_PAIRS, &n);
    double *trap = experiment_column(s, contact, h, s->first_set, COL_TRAPS, &n);
    if (t && pairs && trap) {
        p.series[p.count++] =
            (plot_series){.label = "near pairs", .x = t, .y = pairs, .n = (int)n, .colour = 0};
        p.series[p.count++] =
            (plot_series){.label = "traps", .x = t, .y = trap, .n = (int)n, .colour = 2};
        char path[4096];
        snprintf(path, sizeof path, "%s/traps.png", r->dir);
        r->bad |= plot_write(&p, path);
    }
    free(t);
    free(pairs);
    free(trap);
}

static void report_overlap(experiment_study *s, lab_report *r)
{
    int flat = is_planar(s);
    experiment_plot_spread(s, r, COL_OVERLAP, 1, "overlap.png",
                           flat ? "Overlap area at the end of a step" : "Overlap volume",
                           flat ? "area, m\xc2\xb2" : "volume, m\xc2\xb3", 1e-18);
    report_figure(
        r, "overlap.png",
        flat ? "[W Fig. 21] Median and quartiles of the area of overlap over h: the standard "
               "model's grow with h to 1e-3, PEG's stay near machine precision. The authors' raw "
               "data: PEG median 1.6e-12 (h = .001) to 9.5e-8 (.016), maximum 5.5e-6 to 4.8e-4; "
               "standard model median 4.9e-10 to 7.2e-4, maximum 2.4e-4 to 1.3e-2."
             : "[W Fig. 24] As in the plane: the standard model's overlap grows with h, PEG "
               "virtually eliminates it. The authors' raw data: PEG median at most 8e-14, maximum "
               "7.1e-4; standard model median 5.9e-15 to 1.3e-5, maximum 1.2e-5 to 4.5e-3.",
        "Median and quartiles (band) over all steps of all sets, and the maximum (dashed). The "
        "overlap is measured by clipping, in code that shares nothing with the contact module.");
    experiment_tabulate(s, r, COL_ESCAPED, "escaped", "bodies outside of the box, at a step");
    report_text(r,
                "A body that has left the box overlaps nothing: where a model throws bodies out, "
                "its median falls.");
    experiment_tabulate(s, r, COL_OVERLAP, "overlap", flat ? "m\xc2\xb2" : "m\xc2\xb3");
}

static void report_cost(experiment_study *s, lab_report *r)
{
    report_heading(r, "Problem sizes and solver times");
    experiment_plot_spread(s, r, COL_SIZE, 0, "size.png", "Largest problem of a step",
                           "rows and velocities", 0);
    report_figure(r, "size.png",
                  "[W] says little; the authors' data of the box of polyhedra: mean size 21-27 "
                  "with the standard model, 38-54 with PEG.",
                  "Velocities of the bodies that are there and rows of the largest problem of a "
                  "step, the size "
                  "of the matrix of [W 48].");
    experiment_plot_spread(s, r, COL_SOLVE, 0, "time.png", "Time in solvers per step", "ms", 1e-4);
    report_figure(r, "time.png",
                  "The authors' data (PATH): .66-.74 ms with the standard model, .96-1.53 ms with "
                  "PEG at h up to .010: 1.5-2.2 times, and 2.2-2.7 times at .011-.016.",
                  "Sum over all problems of a step; peg solves several.");
    experiment_tabulate(s, r, COL_SIZE, "size", "velocities and rows");
    experiment_tabulate(s, r, COL_SOLVE, "solver-time", "ms per step");
    experiment_tabulate(s, r, COL_STEP, "step-time", "ms");
}

static void report(experiment_study *s, lab_report *r)
{
    /* the end of the first set with the exact model */
    lab_setting set = {"set", sets_of_authors(s) > 0};
    lab_options options = {.h = .01, .seed = s->options->seed, .set = &set, .sets = 1};
    experiment_view(lab_scene_find(s->kind->scene), &options, r, "end.png",
                    "After 5 s, peg, h = .01");
    report_figure(r, "end.png",
                  is_planar(s) ? "[W Fig. 20] A snapshot: polygons heaped up in the box."
                               : "[W Fig. 23] A snapshot: polyhedra on the floor of the box.",
                  "The first set after 5 s with peg at h = .01.");
    int counts = experiment_model(s, "paper");
    if (counts < 0) counts = experiment_model(s, "peg");
    report_overlap(s, r);
    if (is_planar(s)) {
        report_heading(r, "Traps");
        plot_traps(s, r, counts >= 0 ? counts : (int)s->model[0]);
        report_figure(r, "traps.png",
                      "[W Fig. 22] Numbers of contacts and of standard-model traps at each step: "
                      "PEG was necessary in about 25 % of the time steps (the share of contacts at "
                      "h = .010 in the authors' data).",
                      "Pairs with constraints and traps (peg: switched facets), first set.");
        plot_shares(s, r);
        report_figure(r, "trap-share.png",
                      "No such figure; in the authors' data 40 % of the steps at h = .001 and 77 % "
                      "at .010 have at least one.",
                      "Share of the steps in which a switched facet or an inter-contact constraint "
                      "mattered.");
        tabulate_reaches(s, r);
    }
    report_cost(s, r);
    check_peg(s, r);
    check_overlap(s, r);
    check_against_standard(s, r);
    if (is_planar(s)) check_shares(s, r, experiment_model(s, "paper"));
    check_cost(s, r);
}

const experiment experiments_pour[] = {
    {"box-of-polygons", "Polygons poured into a box of the plane: overlap over the step size.",
     "pour-2d", 1, plan, run, report},
    {"box-of-polyhedra", "Polyhedra thrown into a box: overlap over the step size.",
     "box-of-polyhedra", 0, plan, run, report},
    {0},
};
