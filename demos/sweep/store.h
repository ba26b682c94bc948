/* The result file of a sweep, DIR/results.sqlite: the table `results` with a row per case of the
 * plan that has finished, in the order of the plan; `columns` says what they mean; `plan` holds the
 * plan. It is made anew from the rows as they come, and put in place whole. */
#ifndef LAB_SWEEP_STORE_H
#define LAB_SWEEP_STORE_H

#include <jansson.h>

#include "demos/sweep/plan.h"

typedef struct sweep_store {
    struct sqlite3 *db;
    struct sqlite3_stmt *insert;
    char *path, *part; /* the file, and what it is made in */
    int bad;
} sweep_store;

/* Begins a new result file. What fails is told at the end. */
void sweep_store_begin(sweep_store *store, const char *dir);
/* The row of case `index` of the plan, in any order. */
void sweep_store_add(sweep_store *store, int index, const json_t *row);
/* Puts the file in place. 0, or 1 with the reason in text. */
int sweep_store_end(sweep_store *store, const sweep_plan *plan, char text[LAB_TEXT]);
/* Calls back for every row of a result file that is there and whole, as far as it can be read. */
void sweep_store_read(const char *dir, void (*row)(void *data, json_t *row), void *data);

#endif
