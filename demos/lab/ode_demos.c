/* All of ODE's demo scenes with several contact models: DIR/demos.json (a summary for each run),
 * DIR/table.txt and a picture of the end states of each scene. */
#include "demos/lab/lab.h"
#include "demos/world/progress.h"
#include "demos/world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void write_head(FILE *file)
{
    fprintf(file, "%-22s %-10s %8s %9s %9s %11s %9s %8s\n", "scene", "contact", "depth max",
            "overlap", "uncon-", "limited", "energy", "time per");
    fprintf(file, "%-22s %-10s %8s %9s %9s %11s %9s %8s\n", "", "", "mm", "% body", "verged",
            "islands", "gain, J", "step, ms");
}

/* Time: the mean, since it is the moments of action that cost. Energy: of the worst step; motors,
 * moving surfaces and changing forces put in some, too. */
static void write_row(FILE *file, const lab_result *r)
{
    const lab_world *w = r->w;
    double mean = lab_mean_volume(w), overlap = lab_quantile(r->volume, r->steps, 1);
    pegStats s;
    lab_totals(w, &s);
    fprintf(file, "%-22s %-10s %8.3g %9.3g %9ld %11ld %9.2g %8.3g%s\n", w->scene->name,
            lab_contact_name(w->options.contact), 1e3 * r->depth_max,
            mean > 0 ? 100 * overlap / mean : 0, s.unconverged, s.limited_islands,
            fmax(0, w->energy.gain_max), r->steps > 0 ? 1e3 * w->seconds / (double)r->steps : 0,
            r->failed ? "  FAILED" : "");
    fflush(file);
}

/* One scene; adds its summaries to the list. 0, or 1 if a run failed or something could not be
 * written. */
static int run_scene(const lab_scene *scene, const lab_ode_demos_options *o, json_t *list,
                     FILE *table)
{
    lab_result results[LAB_CONTACT_COUNT] = {0};
    char name[64];
    int bad = 0;
    for (int i = 0; i < o->models; i++) {
        lab_options options = {.contact = o->model[i], .time = o->time, .seed = o->seed};
        bad |= lab_run(scene, &options, NULL, !o->quiet, &results[i]);
        if (results[i].failed)
            fprintf(stderr, "peg-lab: %s, %s: %s\n", scene->name, lab_contact_name(o->model[i]),
                    results[i].error);
        if (!results[i].w) continue;
        json_array_append_new(list, lab_summary(&results[i]));
        write_row(table, &results[i]);
        if (!o->quiet) write_row(stdout, &results[i]);
    }
    snprintf(name, sizeof name, "%s.png", scene->name);
    char *path = lab_path(o->dir, name);
    if (!path || lab_picture(path, results, o->models)) {
        fprintf(stderr, "peg-lab: %s/%s could not be written\n", o->dir, name);
        bad = 1;
    }
    free(path);
    for (int i = 0; i < o->models; i++) lab_result_free(&results[i]);
    return bad;
}

static int is_chosen(const lab_scene *scene, const lab_ode_demos_options *o)
{
    return !strncmp(scene->name, "demo-", 5) && (!o->scene || !strcmp(scene->name, o->scene));
}

static int run_all(const lab_ode_demos_options *o, json_t *list, FILE *table)
{
    int bad = 0, ran = 0, total = 0;
    for (int i = 0; i < lab_scene_count(); i++) total += is_chosen(lab_scene_at(i), o);
    lab_progress bar = {.title = "ode-demos", .unit = "scenes", .total = total, .silent = o->quiet};
    if (total) lab_progress_begin(&bar);
    write_head(table);
    if (!o->quiet) write_head(stdout);
    for (int i = 0; i < lab_scene_count(); i++) {
        const lab_scene *scene = lab_scene_at(i);
        if (!is_chosen(scene, o)) continue;
        bad |= run_scene(scene, o, list, table);
        lab_progress_set(&bar, ++ran);
    }
    lab_progress_end(&bar);
    if (ran) return bad;
    fprintf(stderr, "peg-lab: no demo scene '%s': peg-lab list shows them\n", o->scene);
    return 2;
}

int lab_ode_demos(const lab_ode_demos_options *o)
{
    char *table_path = lab_path(o->dir, "table.txt"), *json_path = lab_path(o->dir, "demos.json");
    FILE *table = NULL;
    if (table_path && !lab_make_folder(o->dir)) table = fopen(table_path, "w");
    json_t *list = json_array();
    int status = 2;
    if (table && json_path && list)
        status = run_all(o, list, table);
    else
        fprintf(stderr, "peg-lab: cannot write to '%s': choose another folder with --out\n",
                o->dir);
    if (table && fclose(table) != 0 && status == 0) status = 1;
    if (status < 2 && lab_json_write(list, json_path)) {
        fprintf(stderr, "peg-lab: %s could not be written\n", json_path);
        status = 1;
    }
    json_decref(list);
    free(table_path);
    free(json_path);
    return status;
}
