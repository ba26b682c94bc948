/* A row of results: the numbers and texts that a case comes to. */
#ifndef LAB_SWEEP_ROW_H
#define LAB_SWEEP_ROW_H

#include <jansson.h>

#include "demos/sweep/plan.h"

/* The columns, in order; those from `seconds` on differ from run to run and machine to machine. */
typedef struct sweep_column {
    const char *name, *type; /* of SQL */
    const char *about;
} sweep_column;
extern const sweep_column sweep_columns[]; /* ends with a nameless one */

/* The column `build` of rows of this program. */
const char *sweep_build(void);

/* A number as rows have it: JSON has no infinite ones, they are "inf" and "-inf"; NaN is null. */
json_t *sweep_number(double x);

/* Whether a case cannot be run: its scene, or a key or value of it, is refused. 1: text says why.
 */
int sweep_case_is_refused(const sweep_case *c, char text[LAB_TEXT]);
/* Runs a case, judged by its check. The row as JSON, to be freed; null: out of memory. */
char *sweep_run(const sweep_plan *plan, const sweep_case *c);
/* The row of a case that ended its process, or took too long. */
char *sweep_lost(const sweep_case *c, const char *why);

#endif
