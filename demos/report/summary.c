/* Summaries: one JSON object per run, and a table of several. */
#include "demos/report/output.h"
#include "demos/world/world.h"

#include <math.h>

json_t *lab_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static int dynamic_bodies(const lab_world *w)
{
    int n = 0;
    for (int i = 0; i < w->bodies; i++) n += w->body[i]->kind == LAB_DYNAMIC;
    return n;
}

static json_t *spread(const double *values, long n, double unit)
{
    return json_pack("{s:o, s:o, s:o}", "median", lab_number(lab_quantile(values, n, .5) / unit),
                     "p99", lab_number(lab_quantile(values, n, .99) / unit), "max",
                     lab_number(lab_quantile(values, n, 1) / unit));
}

static json_t *mean_max(double sum, double count, double max)
{
    return json_pack("{s:o, s:o}", "mean", lab_number(count > 0 ? sum / count : 0), "max",
                     lab_number(max));
}

static json_t *energy_json(const lab_world *w)
{
    lab_energy e = lab_world_energy(w);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "initial", lab_number(e.initial),
                     "final", lab_number(e.now), "gain_max_per_step", lab_number(e.gain_max),
                     "work_gravity", lab_number(e.work_gravity), "gain_max_relative",
                     lab_number(e.gain_max_relative), "work_kinematic",
                     lab_number(e.work_kinematic), "gain_max_of_total",
                     lab_number(e.gain_max_of_total));
}

static json_t *solver_json(const lab_world *w, const pegStats *s)
{
    json_t *fallback = json_pack(
        "{s:I, s:I, s:I, s:I, s:I}", "clearance", (json_int_t)s->fallback_clearance, "elastic",
        (json_int_t)s->fallback_elastic, "halved", (json_int_t)s->fallback_halved, "plane",
        (json_int_t)s->fallback_plane, "scaled", (json_int_t)s->fallback_scaled);
    json_t *rows = mean_max((double)s->rows, (double)s->solves, (double)s->rows_max);
    json_t *outer =
        mean_max((double)s->outer_iterations, (double)s->islands, (double)s->outer_iterations_max);
    return json_pack(
        "{s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, "
        "s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I}",
        "steps", (json_int_t)w->steps, "unconverged", (json_int_t)s->unconverged, "fallback",
        fallback, "first_contact", (json_int_t)s->first_contact, "locks", (json_int_t)s->locks,
        "secant", (json_int_t)s->secant, "switches", (json_int_t)s->switches, "traps",
        (json_int_t)s->traps, "tilts", (json_int_t)s->tilts, "squeezed",
        (json_int_t)s->infeasible_islands, "recovered", (json_int_t)s->recovered, "solves",
        (json_int_t)s->solves, "lemke_solves", (json_int_t)s->lemke_solves, "rows", rows, "outer",
        outer, "friction_lagged", (json_int_t)s->friction_unconverged, "friction_residual_max",
        lab_number(s->friction_residual_max), "residual_max", lab_number(s->residual_max),
        "cone_violation_max", lab_number(s->cone_violation_max), "gap_min",
        lab_number(s->min_separation), "violation_max", lab_number(s->max_penetration), "memory",
        (json_int_t)s->memory, "limited_islands", (json_int_t)s->limited_islands, "limited_bodies",
        (json_int_t)s->limited_bodies, "frozen", (json_int_t)s->frozen_islands, "budget_ended",
        (json_int_t)s->budget_ended, "mesh_nodes", (json_int_t)s->mesh_nodes);
}

/* Mean per step. */
static json_t *phase_json(const lab_world *w, const pegStats *s)
{
    double ms = w->steps > 0 ? 1e3 / (double)w->steps : 0;
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "pairs", lab_number(ms * s->time_pairs), "rows",
                     lab_number(ms * s->time_rows), "solve", lab_number(ms * s->time_solve),
                     "check", lab_number(ms * s->time_check), "ode", lab_number(ms * s->time_ode));
}

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *moving_json(const lab_result *r)
{
    const peg_moving *m = &r->moving;
    json_t *list = json_array();
    for (int i = 0; i < m->listed; i++) {
        const peg_moving_body *b = &m->body[i];
        const char *on = b->on >= 0 ? r->w->body[b->on]->name : NULL;
        json_array_append_new(
            list, json_pack("{s:s, s:i, s:o, s:[f,f,f], s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
                            r->w->body[b->number]->name, "number", b->number, "class",
                            text_or_null(peg_moving_class(b->geom_class)), "position", b->at[0],
                            b->at[1], b->at[2], "linear", lab_number(b->linear), "angular",
                            lab_number(b->angular), "kinetic", lab_number(b->kinetic),
                            "kinetic_before", lab_number(b->kinetic_before), "energy_change",
                            lab_number(b->change), "on_class",
                            text_or_null(peg_moving_class(b->on_class)), "on", text_or_null(on)));
    }
    return json_pack("{s:i, s:i, s:o, s:o}", "bodies", m->bodies, "moving", m->moving, "seconds",
                     lab_number(m->since), "most_kinetic", list);
}

json_t *lab_summary(const lab_result *r)
{
    const lab_world *w = r->w;
    pegStats s;
    lab_totals(w, &s);
    double mean = lab_mean_volume(w);
    json_t *json = json_pack(
        "{s:s, s:s, s:o, s:I, s:i, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "scene", w->scene->name,
        "contact", lab_contact_name(w->options.contact), "h", lab_number(w->h), "steps",
        (json_int_t)w->steps, "bodies", dynamic_bodies(w), "seed", (json_int_t)w->options.seed,
        "wall_s", lab_number(r->wall), "overlap_volume", spread(r->volume, r->steps, 1),
        "depth_max", lab_number(r->depth_max), "energy", energy_json(w), "solver",
        solver_json(w, &s), "phase_ms", phase_json(w, &s));
    if (!json) return NULL;
    json_object_set_new(json, "mean_volume", lab_number(mean));
    json_object_set_new(json, "overlap_relative", spread(r->volume, r->steps, mean > 0 ? mean : 1));
    json_object_set_new(json, "step_ms", spread(r->seconds, r->steps, 1e-3));
    json_object_set_new(json, "escaped", json_integer(lab_escaped(w)));
    json_object_set_new(json, "mu", lab_number(w->mu));
    json_object_set_new(json, "ode_messages", json_integer(w->ode_messages));
    if (r->moving.bodies) json_object_set_new(json, "moving", moving_json(r));
    if (r->failed) json_object_set_new(json, "failed", json_string(r->error));
    return json;
}

int lab_json_write(const json_t *json, const char *path)
{
    FILE *file = json ? fopen(path, "w") : NULL;
    if (!file) return 1;
    int bad = json_dumpf(json, file, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) != 0;
    bad |= fputc('\n', file) == EOF;
    return fclose(file) != 0 || bad;
}

void lab_table(FILE *file, const lab_result *results, int n)
{
    const lab_world *w = results[0].w;
    fprintf(file, "%s, %d bodies, h = %g s, %ld steps, seed %llu\n", w->scene->name,
            dynamic_bodies(w), w->h, w->planned, (unsigned long long)w->options.seed);
    fprintf(file, "%-10s %14s %14s %13s %8s %15s %9s\n", "contact", "overlap median", "overlap max",
            "depth max", "escaped", "energy gain", "time per");
    fprintf(file, "%-10s %14s %14s %13s %8s %15s %9s\n", "", "% of a body", "% of a body", "mm",
            "bodies", "max per step, J", "step, ms");
    for (int i = 0; i < n; i++) {
        const lab_result *r = &results[i];
        if (!r->w) continue;
        double mean = lab_mean_volume(r->w), percent = mean > 0 ? 100 / mean : 0;
        fprintf(file, "%-10s %14.3g %14.3g %13.3g %8d %15.3g %9.3g%s\n",
                lab_contact_name(r->w->options.contact),
                percent * lab_quantile(r->volume, r->steps, .5),
                percent * lab_quantile(r->volume, r->steps, 1), 1e3 * r->depth_max,
                lab_escaped(r->w), fmax(0, lab_world_energy(r->w).gain_max),
                1e3 * lab_quantile(r->seconds, r->steps, .5), r->failed ? "  FAILED" : "");
    }
}
