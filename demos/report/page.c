/* The report page: a template with the style, the data and the script of demos/report/page. */
#include "demos/report/json_put.h"
#include "demos/report/page.h"
#include "demos/report/page_run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "plugin/ode-peg.h"

#define BUDGET 20e6 /* bytes of arrays before they are packed, of poses and of contacts each */

/* Made of demos/report/page by embed.py. */
extern const char lab_page_html[], lab_page_style[], lab_page_script[];

static void machine(char *text, size_t size)
{
    struct utsname name;
    char line[256], model[200] = "";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !*model && fgets(line, sizeof line, file))
        if (!strncmp(line, "model name", 10)) sscanf(strchr(line, ':') + 1, " %199[^\n]", model);
    if (file) fclose(file);
    if (uname(&name) != 0) strcpy(name.sysname, "?"), strcpy(name.machine, "?");
    snprintf(text, size, "%s, %ld processors, %s %s", *model ? model : "unknown processor",
             sysconf(_SC_NPROCESSORS_ONLN), name.sysname, name.machine);
}

static int put_data(FILE *file, lab_trace *const *traces, int n, const page_info *info)
{
    char text[512];
    int bad = 0;
    fputs("{\"title\":", file);
    json_put_string(file, info->title);
    fputs(",\"command\":", file);
    json_put_string(file, info->command);
    fputs(",\"version\":", file);
    snprintf(text, sizeof text, "ode-peg %s", pegVersion());
    json_put_string(file, text);
    fputs(",\"machine\":", file);
    machine(text, sizeof text);
    json_put_string(file, text);
    fputs(",\"settings\":", file);
    json_put_string(file, info->settings);
    fputs(",\"runs\":[", file);
    for (int i = 0; i < n; i++) {
        const char *label =
            traces[i]->label ? traces[i]->label : trace_contact_label(traces[i]->contact);
        if (i) fputc(',', file);
        bad |= page_put_run(file, traces[i], label, (size_t)(BUDGET / n));
    }
    fputs("]}", file);
    return bad;
}

static void put_title(FILE *file, const char *title)
{
    for (; *title; title++) {
        if (*title == '<')
            fputs("&lt;", file);
        else if (*title == '&')
            fputs("&amp;", file);
        else
            fputc(*title, file);
    }
}

/* The template up to the next mark `<!--name-->`, which it returns the end of. */
static const char *put_until(FILE *file, const char *from, const char *mark)
{
    const char *at = strstr(from, mark);
    fwrite(from, 1, (size_t)(at - from), file);
    return at + strlen(mark);
}

static int put_page(FILE *file, lab_trace *const *traces, int n, const page_info *info)
{
    const char *at = put_until(file, lab_page_html, "<!--title-->");
    put_title(file, info->title);
    at = put_until(file, at, "<!--style-->");
    fputs(lab_page_style, file);
    at = put_until(file, at, "<!--data-->");
    int bad = put_data(file, traces, n, info);
    at = put_until(file, at, "<!--script-->");
    fputs(lab_page_script, file);
    fputs(at, file);
    return bad;
}

int page_write(const char *path, lab_trace *const *traces, int n, const page_info *info, int quiet)
{
    for (int i = 0; i < n; i++) {
        if (trace_measure(traces[i], !quiet) == 0 && trace_complete(traces[i]) == 0) continue;
        fputs("peg-lab: out of memory\n", stderr);
        return 1;
    }
    FILE *file = fopen(path, "w");
    int bad = !file || put_page(file, traces, n, info);
    if (file) bad |= ferror(file) != 0 || fclose(file) != 0;
    if (bad) fprintf(stderr, "peg-lab: '%s' could not be written\n", path);
    return bad;
}
