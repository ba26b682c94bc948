#include "demos/sweep/coordinator.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demos/sweep/row.h"
#include "demos/world/files.h"
#include "demos/world/world.h"

#define SYNC_EVERY 2. /* s: what a power cut may cost */

static volatile sig_atomic_t stop_asked;

static void ask_stop(int number)
{
    (void)number;
    stop_asked = 1;
}

int sweep_is_stopped(void)
{
    return stop_asked;
}

/* ---- what has finished ----------------------------------------------------------------------- */

typedef struct table {
    const sweep_plan *plan;
    const sweep_entry *index;
    const char *version;
    json_t **rows;
} table;

static void take_row(void *data, json_t *row)
{
    table *t = data;
    const char *key = json_string_value(json_object_get(row, "case_key"));
    const char *version = json_string_value(json_object_get(row, "version"));
    if (!key || (t->version && (!version || strcmp(version, t->version) != 0))) return;
    int at = sweep_plan_find(t->plan, t->index, key);
    if (at >= 0 && !t->rows[at]) t->rows[at] = json_incref(row);
}

void sweep_read_rows(const sweep_plan *plan, const char *dir, const char *version, json_t **rows)
{
    sweep_entry *index = sweep_plan_index(plan);
    table t = {plan, index, version, rows};
    if (!index) fprintf(stderr, "peg-lab: out of memory\n");
    if (index) {
        long bad = sweep_journals_read(dir, take_row, &t);
        if (bad) fprintf(stderr, "peg-lab: %ld lines of the journals are damaged: left out\n", bad);
        sweep_store_read(dir, take_row, &t);
    }
    free(index);
}

/* ---- a sweep --------------------------------------------------------------------------------- */

static int is_mine(const sweep_coordinator *c, int index)
{
    return c->parts == 0 || index % c->parts == c->part - 1;
}

/* What is left to run. Rows of other builds of the same version are kept, and told. */
static void count_cases(sweep_coordinator *c, int quiet)
{
    int mine = 0, others = 0;
    for (int i = 0; i < c->plan->count; i++) {
        const char *build = json_string_value(json_object_get(c->rows[i], "build"));
        mine += is_mine(c, i);
        c->left += is_mine(c, i) && !c->rows[i];
        others += is_mine(c, i) && c->rows[i] && (!build || strcmp(build, sweep_build()) != 0);
    }
    if (quiet || c->left == mine) return;
    fprintf(stderr, "peg-lab: %d of %d cases have finished before", mine - c->left, mine);
    if (others) fprintf(stderr, ", %d of them with another build (column `build`)", others);
    fprintf(stderr, "\n");
}

/* Counts a row, and takes it to the result file. */
static void keep_row(sweep_coordinator *c, int index, const json_t *row)
{
    if (!row) return;
    if (!c->parts) sweep_store_add(&c->store, index, row);
    if (!is_mine(c, index)) return;
    c->finished++;
    c->unmet += json_integer_value(json_object_get(row, "failed")) != 0;
}

int sweep_begin(sweep_coordinator *c, int quiet)
{
    char name[64] = "journal.jsonl";
    c->store.bad = 1; /* not begun yet */
    c->rows = calloc((size_t)c->plan->count + 1, sizeof(json_t *));
    if (!c->rows || lab_make_folder(c->dir)) {
        fprintf(stderr, "peg-lab: cannot write to '%s': choose another folder with --out\n",
                c->dir);
        return 1;
    }
    sweep_read_rows(c->plan, c->dir, pegVersion(), c->rows);
    if (c->parts) snprintf(name, sizeof name, "journal-%d-of-%d.jsonl", c->part, c->parts);
    char *path = lab_path(c->dir, name);
    int bad = !path || sweep_journal_open(&c->journal, path);
    if (bad) fprintf(stderr, "peg-lab: cannot write '%s': %s\n", name, strerror(errno));
    free(path);
    count_cases(c, quiet);
    if (!c->parts) sweep_store_begin(&c->store, c->dir);
    for (int i = 0; i < c->plan->count; i++) keep_row(c, i, c->rows[i]);
    c->progress =
        (lab_progress){.title = c->plan->name, .unit = "cases", .total = c->left, .silent = quiet};
    struct sigaction act = {.sa_handler = ask_stop};
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    return bad;
}

int sweep_next(sweep_coordinator *c)
{
    while (c->next < c->plan->count) {
        int i = c->next++;
        if (is_mine(c, i) && !c->rows[i]) return i;
    }
    return -1;
}

void sweep_finish(void *coordinator, int index, char *row)
{
    sweep_coordinator *c = coordinator;
    if (!c->failed && sweep_journal_add(&c->journal, row)) {
        fprintf(stderr, "peg-lab: cannot write to '%s': %s. What has finished is kept\n",
                c->journal.path, strerror(errno));
        c->failed = 1;
    }
    if (lab_now() > c->synced + SYNC_EVERY && !c->failed) {
        sweep_journal_sync(&c->journal);
        c->synced = lab_now();
    }
    json_t *json = json_loads(row, 0, NULL);
    keep_row(c, index, json);
    json_decref(json);
    free(row);
    c->left--;
    lab_progress_set(&c->progress, c->progress.total - c->left);
}

int sweep_end(sweep_coordinator *c)
{
    char text[LAB_TEXT];
    int bad = c->failed || c->left > 0;
    lab_progress_end(&c->progress);
    if (stop_asked) fprintf(stderr, "peg-lab: stopped; the same command goes on from here\n");
    sweep_journal_sync(&c->journal);
    sweep_journal_close(&c->journal);
    if (c->unmet && !c->progress.silent)
        fprintf(stderr,
                "peg-lab: %d of %d cases failed: peg-lab sweep-report %s says why (column `why`)\n",
                c->unmet, c->finished, c->dir);
    if (!c->parts && sweep_store_end(&c->store, c->plan, text)) {
        fprintf(stderr, "peg-lab: the result file could not be written: %s\n", text);
        bad = 1;
    }
    for (int i = 0; i < c->plan->count; i++) json_decref(c->rows[i]);
    free(c->rows);
    c->rows = NULL;
    return bad;
}

int sweep_run_all(sweep_coordinator *c, sweep_pool *pool)
{
    int index = 0, broken = 0;
    while (!broken && !c->failed && !stop_asked) {
        int worker;
        while (index >= 0 && (worker = sweep_pool_idle(pool)) >= 0)
            if ((index = sweep_next(c)) >= 0) sweep_pool_submit(pool, worker, index);
        if (sweep_pool_running(pool) == 0) break;
        broken = sweep_pool_wait(pool, -1, sweep_finish, c) < 0;
    }
    if (broken && !stop_asked) fprintf(stderr, "peg-lab: the worker processes are broken\n");
    return broken || c->failed || stop_asked;
}
