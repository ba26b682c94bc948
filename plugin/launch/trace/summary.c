/* What was measured of a world, as one JSON object. */
#include "plugin/launch/base/json_write.h"
#include "plugin/launch/base/options.h"
#include "plugin/launch/trace/report.h"
#include "plugin/launch/world/bodies.h"

typedef struct field {
    const char *name;
    double value;
} field;

static void put_fields(FILE *file, const field *f, int n)
{
    for (int i = 0; i < n; i++) {
        fprintf(file, "%s\"%s\": ", i ? ", " : "", f[i].name);
        peg_json_put_number(file, f[i].value);
    }
}

static void put_object(FILE *file, const char *before, const char *name, const field *f, int n)
{
    fprintf(file, "%s\"%s\": {", before, name);
    put_fields(file, f, n);
    fputc('}', file);
}

/* A counter under its own name. */
#define COUNT(of, counter)                                                                         \
    {                                                                                              \
#counter, (double)(of)->counter                                                            \
    }

#define PUT_FIELDS(file, fields) put_fields(file, fields, sizeof(fields) / sizeof *(fields))
#define PUT_OBJECT(file, before, name, fields)                                                     \
    put_object(file, before, name, fields, sizeof(fields) / sizeof *(fields))

static double share(double sum, long count)
{
    return count ? sum / (double)count : 0;
}

static void put_solver(FILE *file, const peg_world_entry *entry, const pegStats *s)
{
    const field fallback[] = {{"clearance", (double)s->fallback_clearance},
                              {"elastic", (double)s->fallback_elastic},
                              {"halved", (double)s->fallback_halved},
                              {"plane", (double)s->fallback_plane},
                              {"scaled", (double)s->fallback_scaled}};
    const field rows[] = {{"mean", share((double)s->rows, s->solves)},
                          {"max", (double)s->rows_max}};
    const field outer[] = {{"mean", share((double)s->outer_iterations, s->islands)},
                           {"max", (double)s->outer_iterations_max}};
    const field others[] = {COUNT(entry, steps),
                            COUNT(s, unconverged),
                            COUNT(s, budget_ended),
                            COUNT(s, limited_islands),
                            COUNT(s, limited_bodies),
                            {"frozen", (double)s->frozen_islands},
                            COUNT(s, first_contact),
                            COUNT(s, locks),
                            COUNT(s, secant),
                            COUNT(s, switches),
                            {"residual_max", s->residual_max},
                            {"gap_min", s->min_separation}};
    fputs("  \"solver\": {", file);
    PUT_FIELDS(file, others);
    PUT_OBJECT(file, ",\n    ", "fallback", fallback);
    PUT_OBJECT(file, ",\n    ", "rows", rows);
    PUT_OBJECT(file, ", ", "outer", outer);
    fputs("},\n  ", file);
}

static void put_text(FILE *file, const char *before, const char *name, const char *text)
{
    fprintf(file, "%s\"%s\": ", before, name);
    if (text)
        peg_json_put_string(file, text);
    else
        fputs("null", file);
}

static void put_moving(FILE *file, const peg_moving *m)
{
    const field all[] = {COUNT(m, bodies), COUNT(m, moving), {"seconds", m->since}};
    fputs(",\n  \"moving\": {", file);
    PUT_FIELDS(file, all);
    fputs(", \"most_kinetic\": [", file);
    for (int i = 0; i < m->listed; i++) {
        const peg_moving_body *b = &m->body[i];
        const field of[] = {{"number", b->number},
                            {"linear", b->linear},
                            {"angular", b->angular},
                            {"kinetic", b->kinetic},
                            {"kinetic_before", b->kinetic_before},
                            {"energy_change", b->change},
                            {"on", b->on >= 0 ? b->on : NAN}};
        fprintf(file, "%s\n    {", i ? "," : "");
        PUT_FIELDS(file, of);
        put_text(file, ", ", "class", peg_moving_class(b->geom_class));
        put_text(file, ", ", "on_class", peg_moving_class(b->on_class));
        fputs(", \"position\": ", file);
        peg_json_put_numbers(file, b->at, 3);
        fputc('}', file);
    }
    fputs("]}", file);
}

void peg_put_summary(FILE *file, const peg_world_entry *entry, const pegStats *s, double wall)
{
    double ms = 1e3 * share(1, entry->steps), unknown = NAN;
    const field run[] = {{"h", entry->h},
                         COUNT(entry, steps),
                         {"bodies", peg_bodies_dynamic(entry)},
                         {"seed", unknown},
                         {"wall_s", wall},
                         {"depth_max", peg_takes_over() ? s->max_penetration : entry->depth}};
    /* not measured: the shapes would have to be clipped against each other */
    const field volume[] = {{"median", unknown}, {"p99", unknown}, {"max", unknown}};
    const field energy[] = {{"initial", entry->energy[0]},
                            {"final", entry->energy[1]},
                            {"gain_max_per_step", entry->gain}};
    const field phase[] = {{"pairs", ms * s->time_pairs},
                           {"rows", ms * s->time_rows},
                           {"solve", ms * s->time_solve},
                           {"check", ms * s->time_check},
                           {"ode", ms * s->time_ode}};
    const field launcher[] = {
        {"world", entry->number},     {"exact_steps", (double)(entry->steps - entry->stock_steps)},
        COUNT(entry, stock_steps),    COUNT(entry, failed_steps),
        COUNT(entry, stock_contacts), COUNT(s, soft_contacts)};
    fputs("{\n  \"scene\": ", file);
    peg_json_put_string(file, peg_launch_options.scene);
    fprintf(file, ", \"contact\": \"%s\", ", peg_launch_options.name);
    PUT_FIELDS(file, run);
    PUT_OBJECT(file, ",\n  ", "overlap_volume", volume);
    PUT_OBJECT(file, ", ", "energy", energy);
    fputs(",\n", file);
    put_solver(file, entry, s);
    PUT_OBJECT(file, "", "phase_ms", phase);
    PUT_OBJECT(file, ",\n  ", "launcher", launcher);
    put_moving(file, &entry->moving);
    fputs("\n}\n", file);
}
