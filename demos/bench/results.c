/* The bench's records as CSV, one file a machine, and what has changed since the one that is kept.
 */
#include "demos/bench/bench.h"
#include "demos/world/files.h"
#include "demos/world/world.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A ratio that has grown by more than this counts as slower: it moves by so much between runs. */
static const double NOISE = 1.25;

enum { LINE = 512 };

json_t *bench_mu(double mu)
{
    return isinf(mu) ? json_string("inf") : lab_number(mu);
}

double bench_mu_of(const json_t *record)
{
    const json_t *mu = json_object_get(record, "mu");
    return json_is_string(mu) ? INFINITY : json_number_value(mu);
}

/* The processor, as a name of a file: letters, digits and dashes. */
static void machine_name(char name[LINE])
{
    char line[LINE], *value = NULL;
    size_t n = 0;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !value && fgets(line, sizeof line, file))
        if (!strncmp(line, "model name", 10)) value = strchr(line, ':');
    for (const char *c = value ? value + 1 : "unknown"; *c && n < LINE - 1; c++) {
        if (isalnum((unsigned char)*c))
            name[n++] = (char)tolower((unsigned char)*c);
        else if (n && name[n - 1] != '-')
            name[n++] = '-';
    }
    while (n && name[n - 1] == '-') n--;
    name[n] = 0;
    if (file) fclose(file);
}

static const char *text_of(const json_t *r, const char *key)
{
    return json_string_value(json_object_get(r, key));
}

static double number_of(const json_t *r, const char *key)
{
    const json_t *value = json_object_get(r, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void case_name(const json_t *r, char name[LINE])
{
    snprintf(name, LINE, "%s,%.0f,%g,%s,%s", text_of(r, "scene"), number_of(r, "n"), bench_mu_of(r),
             text_of(r, "phase"), text_of(r, "model"));
}

int bench_write_csv(const char *path, const json_t *report)
{
    char name[LINE];
    size_t i;
    json_t *r;
    FILE *file = fopen(path, "w");
    if (!file) return 1;
    machine_name(name);
    fprintf(file, "# machine %s\n", name);
    fprintf(file, "scene,n,mu,phase,model,cpu_ms,cpu_ratio_quick,rows,depth_m,steps,complete\n");
    json_array_foreach(json_object_get(report, "records"), i, r)
    {
        case_name(r, name);
        fprintf(file, "%s,%.6g,%.4g,%.0f,%.3g,%.0f,%d\n", name, number_of(r, "cpu_ms"),
                number_of(r, "cpu_ratio_quick"), number_of(r, "rows"), number_of(r, "depth_max"),
                number_of(r, "steps"), json_is_true(json_object_get(r, "complete")));
    }
    return fclose(file) != 0;
}

/* The ratio to QuickStep that a file has for a case; NAN: none. */
static double kept_ratio(FILE *file, const char *name)
{
    char line[LINE];
    size_t length = strlen(name);
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, name, length) != 0 || line[length] != ',') continue;
        const char *ratio = strchr(line + length + 1, ',');
        return ratio ? strtod(ratio + 1, NULL) : NAN;
    }
    return NAN;
}

json_t *bench_changes(const char *folder, const json_t *report)
{
    json_t *list = json_array(), *r;
    char name[LINE + 8];
    size_t i;
    machine_name(name);
    strcat(name, ".csv");
    char *path = lab_path(folder, name);
    FILE *file = path ? fopen(path, "r") : NULL;
    json_array_foreach(json_object_get(report, "records"), i, r)
    {
        if (!file || !json_is_true(json_object_get(r, "complete"))) continue;
        case_name(r, name);
        double then = kept_ratio(file, name), now = number_of(r, "cpu_ratio_quick");
        if (isnan(then) || isnan(now) || !strcmp(text_of(r, "model"), "ode-quick")) continue;
        json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:b}", "case", name, "then",
                                              lab_number(then), "now", lab_number(now), "slower",
                                              now > NOISE * then));
    }
    if (file) fclose(file);
    free(path);
    return list;
}
