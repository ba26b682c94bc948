/* One scene with several contact models: summaries, a table and a picture in a folder. */
#include "demos/lab/lab.h"
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
                      lab_result *results, int n, int quiet)
{
    int status = 0;
    for (int i = 0; i < n; i++) {
        lab_options own = *options;
        own.contact = models[i];
        if (!lab_run(scene, &own, NULL, !quiet, &results[i])) continue;
        fprintf(stderr, "peg-lab: %s, %s: %s\n", scene->name, lab_contact_name(models[i]),
                results[i].error);
        if (results[i].user) return 2;
        status = 1;
    }
    return status;
}

int lab_compare(const lab_scene *scene, const lab_options *options, const lab_contact *models,
                int n, const char *dir, int quiet)
{
    lab_result results[LAB_CONTACT_COUNT] = {0};
    if (lab_make_folder(dir)) {
        fprintf(stderr, "peg-lab: cannot make the folder '%s': choose another with --out\n", dir);
        return 2;
    }
    int status = run_models(scene, options, models, results, n, quiet);
    if (status < 2) {
        if (write_all(dir, results, n)) status = 1;
        if (!quiet) lab_table(stdout, results, n);
        if (!quiet) printf("picture: %s/picture.png\n", dir);
    }
    for (int i = 0; i < n; i++) lab_result_free(&results[i]);
    return status;
}

int lab_demo(const lab_options *options, const char *dir, int quiet)
{
    static const lab_contact models[] = {LAB_ODE, LAB_PEG};
    lab_setting set[LAB_SETS_MAX + 1] = {{"bodies", 20}}; /* what the user sets comes after it */
    lab_options own = *options;
    for (int i = 0; i < own.sets; i++) set[i + 1] = own.set[i];
    own.set = set, own.sets++;
    if (own.time == 0 && own.steps == 0) own.time = 7; /* the last body falls at 4.75 s */
    return lab_compare(lab_scene_find("pour-convex"), &own, models, 2, dir, quiet);
}
