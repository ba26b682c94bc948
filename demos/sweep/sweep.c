#include "demos/sweep/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "demos/sweep/coordinator.h"
#include "demos/sweep/mpi.h"
#include "demos/sweep/row.h"
#include "demos/world/files.h"

static int complain(const char *text)
{
    fprintf(stderr, "peg-lab: %s\n", text);
    return 2;
}

/* "i/n" */
static int parse_part(sweep_coordinator *c, const char *text)
{
    char end;
    if (!text) return 0;
    if (sscanf(text, "%d/%d%c", &c->part, &c->parts, &end) != 2) return 1;
    return !(c->part >= 1 && c->part <= c->parts && c->parts <= 1000000);
}

static int has_text(const char *path, const char *text)
{
    size_t n = strlen(text), read = 0;
    char *there = malloc(n + 2);
    FILE *f = there ? fopen(path, "r") : NULL;
    if (f) read = fread(there, 1, n + 1, f);
    int same = f && read == n && !memcmp(there, text, n);
    if (f) fclose(f);
    free(there);
    return same;
}

/* For sweep-report, whatever the parts are: put in place whole, so that neither a full disk nor
 * parts and ranks that start together leave half a plan. */
static int keep_plan(const sweep_plan *plan, const char *dir)
{
    char name[64];
    if (lab_make_folder(dir)) return 1;
    snprintf(name, sizeof name, "plan.json.%ld", (long)getpid());
    char *path = lab_path(dir, "plan.json"), *part = lab_path(dir, name);
    int bad = !path || !part;
    if (!bad && !has_text(path, plan->text)) {
        FILE *f = fopen(part, "w");
        bad = !f || fputs(plan->text, f) < 0;
        if (f && fclose(f) != 0) bad = 1;
        bad = bad || rename(part, path) != 0;
        if (bad) unlink(part);
    }
    free(path);
    free(part);
    return bad;
}

/* Whether a plan can be run and kept in its folder. A scene that cannot be read, or does not know a
 * key or its value, would make rows of failures, which count as finished: the first case with each
 * combination of values is built. */
static int cannot_start(const sweep_plan *plan, const char *path, const char *dir,
                        char text[LAB_TEXT])
{
    char why[LAB_TEXT];
    for (int i = 0, first = 0; i < plan->count; i++) {
        const sweep_case *c = &plan->cases[i];
        if (c->scene != plan->cases[first].scene) first = i;
        if (c->combination != i - first || !sweep_case_is_refused(c, why)) continue;
        snprintf(text, LAB_TEXT, "%.120s: scene '%.60s': %.300s", path, c->scene, why);
        return 1;
    }
    if (!keep_plan(plan, dir)) return 0;
    snprintf(text, LAB_TEXT, "cannot write to '%.300s': choose another folder with --out", dir);
    return 1;
}

static int run_here(sweep_coordinator *c, sweep_pool *pool, int quiet)
{
    if (sweep_begin(c, quiet)) return 1;
    int bad = sweep_run_all(c, pool);
    return sweep_end(c) || bad;
}

/* Under MPI. A part of a part makes no sense; all ranks have read the same plan. */
static int run_ranks(sweep_coordinator *c, sweep_pool *pool, int quiet)
{
    int bad, rank = sweep_mpi_begin();
    if (rank == 0) {
        bad = sweep_begin(c, quiet);
        if (!bad) bad = sweep_mpi_coordinate(c, pool);
        if (c->rows) bad |= sweep_end(c);
    } else {
        bad = sweep_mpi_serve(pool);
    }
    sweep_mpi_end();
    return bad;
}

int lab_sweep(const sweep_options *o)
{
    char text[LAB_TEXT];
    sweep_plan plan;
    sweep_pool pool;
    int launched = sweep_mpi_is_launched(), jobs = o->jobs;
    sweep_coordinator c = {.plan = &plan, .dir = o->dir};
    if (parse_part(&c, o->part)) return complain("--part: write it as i/n, with i from 1 to n");
    if (o->part && launched)
        return complain("--part is for programs that are not started by mpirun");
    if (sweep_plan_read(&plan, o->plan, text)) return complain(text);
    if (cannot_start(&plan, o->plan, o->dir, text)) {
        sweep_plan_free(&plan);
        return complain(text);
    }
    plan.out = o->dir;
    if (jobs < 1) jobs = launched ? 1 : (int)sysconf(_SC_NPROCESSORS_ONLN);
    int bad = sweep_pool_start(&pool, &plan, jobs > 0 ? jobs : 1);
    if (bad)
        complain("the worker processes cannot be started");
    else
        bad = launched ? run_ranks(&c, &pool, o->quiet) : run_here(&c, &pool, o->quiet);
    sweep_pool_stop(&pool);
    sweep_plan_free(&plan);
    return bad;
}
