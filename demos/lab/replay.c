/* Pages of traces: report and play. */
#define _GNU_SOURCE /* asprintf */
#include "demos/lab/lab.h"
#include "demos/report/page.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A run is called by its contact model, and by its file where that does not tell runs apart. */
static int set_label(lab_trace *const *traces, const char *const *paths, int n, int i)
{
    int alone = *traces[i]->contact != 0;
    for (int k = 0; k < n; k++)
        if (k != i && !strcmp(traces[k]->contact, traces[i]->contact)) alone = 0;
    const char *label = trace_contact_label(traces[i]->contact);
    if (alone)
        traces[i]->label = strdup(label);
    else if (asprintf(&traces[i]->label, "%s%s%s%s", label, *label ? " (" : "", base_name(paths[i]),
                      *label ? ")" : "") < 0)
        traces[i]->label = NULL;
    return traces[i]->label != NULL;
}

static void describe(FILE *text, const lab_trace *t, const char *path)
{
    int dynamic = 0;
    for (int i = 0; i < t->bodies; i++) dynamic += t->body[i].kind == LAB_DYNAMIC;
    fprintf(text, "%s: scene %s, contact %s, h %g s, %d bodies, %d of them dynamic, %ld frames",
            path, *t->scene ? t->scene : "?", *t->contact ? t->contact : "?", t->h, t->bodies,
            dynamic, t->frames);
    if (t->has_gravity)
        fprintf(text, ", gravity (%g, %g, %g) m/s^2", t->gravity[0], t->gravity[1], t->gravity[2]);
    fputc('\n', text);
}

static int write_report(lab_trace *const *traces, const char *const *paths, int n, const char *out,
                        const char *command, int quiet)
{
    char *settings = NULL;
    size_t size;
    FILE *text = open_memstream(&settings, &size);
    int whole = text != NULL;
    for (int i = 0; whole && i < n; i++) {
        describe(text, traces[i], paths[i]);
        whole = set_label(traces, paths, n, i);
    }
    if (text) fclose(text);
    page_info info = {*traces[0]->scene ? traces[0]->scene : base_name(paths[0]), command,
                      settings};
    int bad = !whole || page_write(out, traces, n, &info, quiet);
    free(settings);
    return bad;
}

int lab_report_traces(const char *const *paths, int n, const char *out, const char *command,
                      int quiet)
{
    lab_trace **traces = calloc((size_t)n + 1, sizeof *traces);
    char text[LAB_TEXT] = "out of memory";
    int status = traces ? 0 : 1;
    for (int i = 0; i < n && status == 0; i++) {
        traces[i] = trace_read(paths[i], text);
        if (!traces[i]) status = 2;
    }
    if (status)
        fprintf(stderr, "peg-lab: %s\n", text);
    else if (write_report(traces, paths, n, out, command, quiet))
        status = 1;
    else if (!quiet)
        printf("report: %s\n", out);
    for (int i = 0; traces && i < n; i++) trace_free(traces[i]);
    free(traces);
    return status;
}

/* Whether there is a screen and a program that opened the file on it. */
static int open_file(const char *path)
{
    int status;
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) return 0;
    pid_t child = fork();
    if (child == 0) {
        execlp("xdg-open", "xdg-open", path, (char *)NULL);
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

int lab_play_trace(const char *path, const char *out, const char *command, int quiet)
{
    char *page = NULL;
    const char *folder = getenv("TMPDIR");
    int made = out ? asprintf(&page, "%s", out)
                   : asprintf(&page, "%s/peg-lab-%d-%s.html", folder ? folder : "/tmp",
                              (int)getuid(), base_name(path));
    if (made < 0) return 1;
    int status = lab_report_traces(&path, 1, page, command, 1);
    if (status == 0 && !open_file(page))
        printf("open this page in a browser: %s\n", page);
    else if (status == 0 && !quiet)
        printf("page: %s\n", page);
    free(page);
    return status;
}
