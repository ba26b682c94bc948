/* The result file of a sweep, DIR/results.sqlite: the table `results` with a row per case of the
 * plan that has finished, in the order of the plan; `columns` says what they mean; `plan` holds the
 * plan. It is made anew from the rows and put in place whole. */
#ifndef LAB_SWEEP_STORE_H
#define LAB_SWEEP_STORE_H

#include <jansson.h>

#include "demos/sweep/plan.h"

/* rows[i]: of case i of the plan; null: not finished. 0, or 1 with the reason in text. */
int sweep_store_write(const char *dir, const sweep_plan *plan, json_t *const *rows,
                      char text[LAB_TEXT]);
/* Calls back for every row of a result file that is there and whole, as far as it can be read. */
void sweep_store_read(const char *dir, void (*row)(void *data, json_t *row), void *data);

#endif
