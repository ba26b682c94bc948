/* One scene with several contact models: summaries, a table, a picture and a page in a folder. */
#include "demos/lab/lab.h"
#include "demos/report/film.h"
#include "demos/report/page.h"
#include "demos/report/recorder.h"
#include "demos/world/world.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int write_summaries(const char *path, const lab_result *results, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        if (results[i].w) json_array_append_new(list, lab_summary(&results[i]));
    int bad = lab_json_write(list, path);
    json_decref(list);
    return bad;
}

static int write_table(const char *path, const lab_result *results, int n)
{
    FILE *file = fopen(path, "w");
    if (!file) return 1;
    lab_table(file, results, n);
    return fclose(file) != 0;
}

/* Writes what there is; names the first file that could not be written. */
static int write_all(const char *dir, const lab_result *results, int n)
{
    static const char *const names[3] = {"summary.json", "table.txt", "picture.png"};
    static int (*const writers[3])(const char *, const lab_result *,
                                   int) = {write_summaries, write_table, lab_picture};
    for (int i = 0; i < 3; i++) {
        char *path = lab_path(dir, names[i]);
        int bad = !path || writers[i](path, results, n);
        free(path);
        if (!bad) continue;
        fprintf(stderr, "peg-lab: %s/%s could not be written\n", dir, names[i]);
        return 1;
    }
    return 0;
}

/* Runs the models one after the other; status as lab_compare. */
static int run_models(const lab_scene *scene, const lab_options *options, const lab_contact *models,
                      lab_result *results, lab_recorder *recorders, int n, int quiet)
{
    int status = 0;
    for (int i = 0; i < n; i++) {
        lab_options own = *options;
        own.contact = models[i];
        lab_observer observer = lab_recorder_observer(&recorders[i]);
        if (!lab_run(scene, &own, &observer, !quiet, &results[i])) continue;
        fprintf(stderr, "peg-lab: %s, %s: %s\n", scene->name, lab_contact_name(models[i]),
                results[i].error);
        if (results[i].user) return 2;
        status = 1;
    }
    return status;
}

static char *settings_text(const lab_result *r)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    const lab_options *o = lab_world_options(r->w);
    if (!file) return NULL;
    fprintf(file, "scene %s, h %g s, %ld steps, seed %llu, mu %g\n", r->w->scene->name, r->w->h,
            r->w->planned, (unsigned long long)o->seed, lab_mu(r->w));
    for (int i = 0; i < o->sets; i++) fprintf(file, "%s = %g\n", o->set[i].key, o->set[i].value);
    fclose(file);
    return text;
}

/* The page, and the film if there is to be one, of the runs that have frames. */
static int write_page(const lab_result *results, const lab_recorder *recorders, int n,
                      const lab_output *output)
{
    lab_trace *traces[LAB_CONTACT_COUNT];
    int count = 0;
    const lab_result *first = NULL;
    for (int i = 0; i < n; i++) {
        if (!results[i].w || !recorders[i].trace || recorders[i].trace->frames == 0) continue;
        traces[count++] = recorders[i].trace;
        if (!first) first = &results[i];
    }
    if (!first) return 0;
    char *path = lab_path(output->dir, "report.html"), *settings = settings_text(first);
    page_info info = {first->w->scene->name, output->command, settings};
    int bad = !path || page_write(path, traces, count, &info, output->quiet);
    if (output->video)
        bad |= film_write(output->video, traces, count, output->video_speed, output->quiet);
    free(path);
    free(settings);
    return bad;
}

static int write_results(const lab_result *results, const lab_recorder *recorders, int n,
                         const lab_output *output)
{
    int bad = write_all(output->dir, results, n) || write_page(results, recorders, n, output);
    if (output->quiet) return bad;
    lab_table(stdout, results, n);
    printf("picture: %s/picture.png\n", output->dir);
    if (!bad) printf("report: %s/report.html (opens in a browser)\n", output->dir);
    return bad;
}

int lab_compare(const lab_scene *scene, const lab_options *options, const lab_contact *models,
                int n, const lab_output *output)
{
    lab_result results[LAB_CONTACT_COUNT] = {0};
    lab_recorder recorders[LAB_CONTACT_COUNT] = {0};
    if (lab_make_folder(output->dir)) {
        fprintf(stderr, "peg-lab: cannot make the folder '%s': choose another with --out\n",
                output->dir);
        return 2;
    }
    for (int i = 0; i < n; i++) recorders[i].keep = 1, recorders[i].every = output->every;
    int status = run_models(scene, options, models, results, recorders, n, output->quiet);
    if (status < 2 && write_results(results, recorders, n, output)) status = 1;
    for (int i = 0; i < n; i++) {
        lab_recorder_free(&recorders[i]);
        lab_result_free(&results[i]);
    }
    return status;
}

int lab_demo(const lab_options *options, const lab_output *output)
{
    static const lab_contact models[] = {LAB_ODE, LAB_PEG};
    lab_setting set[LAB_SETS_MAX + 1] = {{"bodies", 20}}; /* what the user sets comes after it */
    lab_options own = *options;
    for (int i = 0; i < own.sets; i++) set[i + 1] = own.set[i];
    own.set = set, own.sets++;
    if (own.time == 0 && own.steps == 0) own.time = 7; /* the last body falls at 4.75 s */
    return lab_compare(lab_scene_find("pour-convex"), &own, models, 2, output);
}
