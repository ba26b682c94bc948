#include "demos/lab/capture.h"
#include "demos/world/files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void see(void *data, const peg_problem *problem)
{
    lab_capture *c = data;
    if (problem->m < c->rows_min || problem->m > c->rows_max) return;
    mtx_lock(&c->lock);
    char name[32];
    snprintf(name, sizeof name, "%06ld.txt", c->written + c->lost + 1);
    char *path = lab_path(c->dir, name);
    if (path && peg_problem_write(problem, path) == PEG_OK)
        c->written++;
    else
        c->lost++;
    free(path);
    mtx_unlock(&c->lock);
}

/* A whole number, or the fallback if there is none at the text's start. */
static int number(const char **text, int fallback)
{
    char *end;
    long value = strtol(*text, &end, 10);
    if (end == *text) return fallback;
    *text = end;
    return value < 0 || value > INT_MAX ? -1 : (int)value;
}

static int parse_rows(lab_capture *c, const char *rows)
{
    c->rows_min = number(&rows, 0);
    if (*rows++ != ':') return 1;
    c->rows_max = number(&rows, INT_MAX);
    return *rows || c->rows_min < 0 || c->rows_max < c->rows_min;
}

int lab_capture_begin(lab_capture *c, const char *dir, const char *rows)
{
    *c = (lab_capture){.hook = {see, c}, .dir = dir, .rows_max = INT_MAX};
    if (rows && parse_rows(c, rows)) return 2;
    if (lab_make_folder(dir) || access(dir, W_OK | X_OK)) return 1;
    return mtx_init(&c->lock, mtx_plain) != thrd_success;
}

void lab_capture_end(lab_capture *c)
{
    mtx_destroy(&c->lock);
}
