/* The matrix of geom classes: scene `drop-pair` for every class on every other, many seeds, judged
 * by the lab's own distances. Each cell runs in a process of its own, which appends a record per
 * drop to a file, so that a drop that takes the process down is counted and the next one follows.
 */
#include "demos/world/progress.h"
#include "demos/checks/matrix_geoms.h"
#include "demos/report/output.h"
#include "demos/world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "peg/base/math.h"

/* Of the smaller body: an overlap at the end of a step counts from here on, */
static const double OVERLAP = 1e-9;
/* and one inside of a step, of the thickness of the thinner body, means that something was passed
 * through: then it gets to half of it. What turns by radians within a step may graze. */
static const double MISSED = .4;
/* Looks inside of a step: POSES, and so many more for each thickness that a body moves. */
enum { POSES = 8, POSES_MORE = 10, POSES_MOST = 200 };
static const unsigned LONGEST_DROP = 120; /* s */

typedef struct drop {
    long steps, overlapping, unconverged, limited, rows;
    double depth;  /* of the size */
    double inside; /* of the thickness */
    double gain;   /* of a step, of the energy put in */
    double ms;
    int failed; /* the scene ended with an error, or is not a number */
} drop;

typedef struct cell {
    int a, b;
    double h;
    int drops, touched, missed, failed, crashed;
    long steps, overlapping, unconverged, limited;
    double depth, inside, gain, ms;
    int worst, bad; /* seeds: of the largest depth, of the first bad drop; 0: none */
    FILE *record;
    pid_t child;
    int first; /* seed that the child started with */
    int done;
} cell;

static int mode_of(int b, int seed)
{
    return b >= GEOM_MOVING ? DROP_STATIC : seed % DROP_MODES;
}

/* ---- a drop ---------------------------------------------------------------------------------- */

double geoms_size(const lab_world *w)
{
    double size = INFINITY, centre[3];
    for (int i = 0; i < w->bodies; i++) {
        const lab_body *b = w->body[i];
        if (b->volume > 0 && strcmp(b->name, "floor") != 0)
            size = fmin(size, 2 * lab_shape_radius(b->part[0].shape, centre));
    }
    return size / w->scale;
}

/* Least side of the boxes about the moving bodies, in their own frames, m. */
static double thickness_of(const lab_world *w)
{
    double least = INFINITY, low[3], high[3];
    for (int i = 0; i < w->bodies; i++) {
        if (w->body[i]->kind != LAB_DYNAMIC) continue;
        lab_shape_bounds(w->body[i]->part[0].shape, low, high);
        for (int k = 0; k < 3; k++) least = fmin(least, high[k] - low[k]);
    }
    return least / w->scale;
}

/* How far a point of a body gets within the step at most, m. */
static double travel_of(const lab_world *w)
{
    double most = 0, centre[3];
    for (int i = 0; i < w->bodies; i++) {
        const lab_body *b = w->body[i];
        if (b->kind != LAB_DYNAMIC) continue;
        double radius = lab_shape_radius(b->part[0].shape, centre);
        most = fmax(most, peg_norm(b->now.v) + radius * peg_norm(b->now.omega));
    }
    return most * w->h / w->scale;
}

static void look(lab_world *w, double size, double thickness, drop *d)
{
    double volume, depth, least = 0;
    lab_overlap(w, 1, &volume, &depth);
    d->depth = fmax(d->depth, depth / size);
    d->overlapping += !(depth <= OVERLAP * size);
    int poses = POSES + (int)fmin(POSES_MOST, POSES_MORE * travel_of(w) / thickness);
    for (int i = 1; i < poses; i++) {
        lab_overlap(w, (double)i / poses, &volume, &depth);
        least = fmax(least, depth);
    }
    d->inside = fmax(d->inside, least / thickness);
}

static int run_drop(const cell *c, int seed, const lab_options *base, drop *d)
{
    lab_setting set[3] = {{"a", c->a}, {"b", c->b}, {"moving", mode_of(c->b, seed)}};
    lab_options options = {
        .contact = base->contact, .h = c->h, .seed = (uint64_t)seed, .set = set, .sets = 3};
    char text[LAB_TEXT];
    int user;
    *d = (drop){0};
    lab_world *w = lab_open(lab_scene_find("drop-pair"), &options, text, &user);
    if (!w) return 1;
    double size = geoms_size(w), thickness = thickness_of(w), start;
    while (!d->failed && lab_steps(w) < lab_steps_planned(w)) {
        start = lab_now();
        d->failed = lab_step(w);
        d->ms += 1e3 * (lab_now() - start);
        if (!d->failed) look(w, size, thickness, d);
        d->steps++;
    }
    pegStats total;
    lab_totals(w, &total);
    lab_energy energy = lab_world_energy(w);
    d->unconverged = total.unconverged, d->limited = total.limited_islands, d->rows = total.rows;
    d->rows += w->ode_rows;
    d->gain = energy.gain_max / (fabs(energy.initial) + energy.work_gravity);
    lab_close(w);
    return 0;
}

/* ---- cells ----------------------------------------------------------------------------------- */

static int start_cell(cell *c, int drops, const lab_options *base)
{
    fflush(NULL);
    c->child = fork();
    if (c->child) return c->child < 0;
    for (int seed = c->first; seed <= drops; seed++) {
        drop d;
        alarm(LONGEST_DROP);
        if (run_drop(c, seed, base, &d)) d.failed = 1;
        if (fwrite(&d, sizeof d, 1, c->record) != 1 || fflush(c->record)) _exit(1);
    }
    _exit(0);
}

static void add_drop(cell *c, const drop *d)
{
    c->drops++;
    c->touched += d->rows > 0;
    c->missed += d->inside > MISSED;
    c->failed += d->failed;
    if ((d->failed || d->inside > MISSED || d->unconverged) && !c->bad) c->bad = c->drops;
    if (d->depth > c->depth) c->worst = c->drops;
    c->steps += d->steps, c->overlapping += d->overlapping;
    c->unconverged += d->unconverged, c->limited += d->limited;
    c->depth = fmax(c->depth, d->depth), c->inside = fmax(c->inside, d->inside);
    c->gain = fmax(c->gain, d->gain), c->ms += d->ms;
}

/* Takes over what the child has recorded. If it ended early, the drop it was at counts as crashed,
 * and the cell has to be started again behind it. */
static void finish_cell(cell *c, int drops)
{
    drop d;
    fseek(c->record, (long)sizeof d * (c->drops - c->crashed), SEEK_SET);
    while (c->drops < drops && fread(&d, sizeof d, 1, c->record) == 1) add_drop(c, &d);
    if (c->drops < drops) {
        c->drops++, c->crashed++;
        if (!c->bad) c->bad = c->drops;
    }
    clearerr(c->record);
    fseek(c->record, 0, SEEK_END);
    c->first = c->drops + 1;
    c->done = c->drops >= drops;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void command_of(const cell *c, const char *contact, int seed, char *text, size_t size)
{
    snprintf(text, size,
             "run drop-pair --contact %s --h %g --seed %d --set a=%d --set b=%d --set "
             "moving=%d",
             contact, c->h, seed, c->a, c->b, mode_of(c->b, seed));
}

static int is_clean(const cell *c)
{
    return !(c->overlapping || c->unconverged || c->missed || c->failed || c->crashed);
}

static void write_text(const cell *cells, int n, lab_contact model, FILE *f)
{
    const char *contact = lab_contact_name(model);
    int is_exact = lab_contact_is_exact(model);
    fprintf(f, "%-9s on %-12s %5s %6s %7s %9s %8s %8s %6s %6s %6s %6s %8s %7s\n", contact, "", "h",
            "drops", "touched", "deepest", "steps>0", "inside", "missed", "unconv", "limited",
            "failed", "gain", "ms/step");
    for (int i = 0; i < n; i++) {
        const cell *c = &cells[i];
        if (!c->done) continue;
        fprintf(f, "%-9s on %-12s %5g %6d %7d %9.1e %8ld %8.1e %6d %6ld %6ld %6d %8.1e %7.3f\n",
                geom_names[c->a], geom_names[c->b], c->h, c->drops, c->touched, c->depth,
                c->overlapping, c->inside, c->missed, c->unconverged, c->limited,
                c->failed + c->crashed, c->gain, c->ms / fmax(1, (double)c->steps));
    }
    fprintf(f, "\n");
    for (int i = 0; i < n; i++) {
        const cell *c = &cells[i];
        char text[160];
        if (!c->done || is_clean(c) || !is_exact) continue;
        command_of(c, contact, c->bad ? c->bad : c->worst ? c->worst : 1, text, sizeof text);
        fprintf(f, "peg-lab %s%s\n", text, c->crashed ? " (crash)" : c->failed ? " (failed)" : "");
    }
    fprintf(
        f,
        "\ndeepest: overlap at the end of a step, of the smaller body's size; steps>0: with one "
        "above %g; inside: largest inside of the steps, of the thinner body's "
        "thickness; missed: drops with one above %g; limited: islands with limited bodies; gain: "
        "of energy "
        "in a step, of what was put in\n",
        OVERLAP, MISSED);
}

static json_t *cell_json(const cell *c, const char *contact)
{
    char worst[160];
    command_of(c, contact, c->bad ? c->bad : c->worst ? c->worst : 1, worst, sizeof worst);
    return json_pack(
        "{s:s, s:s, s:o, s:i, s:i, s:I, s:o, s:I, s:o, s:i, s:I, s:I, s:i, s:i, s:o, s:o, s:s}",
        "a", geom_names[c->a], "b", geom_names[c->b], "h", lab_number(c->h), "drops", c->drops,
        "touched", c->touched, "steps", (json_int_t)c->steps, "depth_max", lab_number(c->depth),
        "overlapping_steps", (json_int_t)c->overlapping, "inside_max", lab_number(c->inside),
        "missed", c->missed, "unconverged", (json_int_t)c->unconverged, "limited",
        (json_int_t)c->limited, "failed", c->failed, "crashed", c->crashed, "gain_max",
        lab_number(c->gain), "step_ms", lab_number(c->ms / fmax(1, (double)c->steps)), "worst",
        worst);
}

static int write_tables(const cell *cells, int n, const matrix_geoms_options *o)
{
    const char *contact = lab_contact_name(o->contact), *dir = o->dir;
    char path[1024];
    json_t *list = json_array(), *all = json_pack("{s:s, s:O}", "contact", contact, "cells", list);
    for (int i = 0; i < n; i++)
        if (cells[i].done) json_array_append_new(list, cell_json(&cells[i], contact));
    snprintf(path, sizeof path, "%s/matrix-geoms-%s.json", dir, contact);
    int broken = lab_json_write(all, path);
    json_decref(list);
    json_decref(all);
    snprintf(path, sizeof path, "%s/matrix-geoms-%s.txt", dir, contact);
    FILE *f = fopen(path, "w");
    if (!f) return 1;
    write_text(cells, n, o->contact, f);
    return fclose(f) != 0 || broken;
}

static int run_cells(cell *cells, int n, const matrix_geoms_options *o, const lab_options *base)
{
    int running = 0, next = 0, done = 0;
    lab_progress bar = {.title = "matrix-geoms", .unit = "cells", .total = n, .silent = o->quiet};
    lab_progress_begin(&bar);
    while (done < n) {
        while (running < o->jobs && next < n) {
            cells[next].record = tmpfile();
            if (!cells[next].record || start_cell(&cells[next++], o->drops, base)) return 1;
            running++;
        }
        pid_t child = wait(NULL);
        for (int i = 0; i < next; i++) {
            cell *c = &cells[i];
            if (c->child != child || c->done) continue;
            finish_cell(c, o->drops);
            if (!c->done && start_cell(c, o->drops, base)) return 1;
            if (!c->done) continue;
            fclose(c->record);
            running--, done++;
            if (write_tables(cells, n, o)) return 1; /* so that a long run can be watched */
            lab_progress_set(&bar, done);
        }
    }
    lab_progress_end(&bar);
    return 0;
}

int lab_matrix_geoms(const matrix_geoms_options *o)
{
    static const double step_sizes[] = {.01, .05};
    cell cells[2 * GEOM_MOVING * GEOM_COUNT] = {0};
    lab_options base = {.contact = o->contact};
    int n = 0, unclean = 0;
    for (int a = 0; a < GEOM_MOVING; a++)
        for (int b = 0; b < GEOM_COUNT; b++)
            for (int k = 0; k < 2; k++) {
                if (o->h > 0 && k > 0) continue;
                if ((o->a >= 0 && o->a != a) || (o->b >= 0 && o->b != b)) continue;
                cells[n++] =
                    (cell){.a = a, .b = b, .h = o->h > 0 ? o->h : step_sizes[k], .first = 1};
            }
    mkdir(o->dir, 0777);
    if (run_cells(cells, n, o, &base)) {
        fprintf(stderr, "peg-lab: matrix-geoms could not run, or not write to '%s'\n", o->dir);
        return 1;
    }
    for (int i = 0; i < n; i++) unclean += !is_clean(&cells[i]);
    if (!o->quiet) write_text(cells, n, o->contact, stdout);
    return lab_contact_is_exact(o->contact) && unclean > 0;
}
