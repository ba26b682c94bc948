/* What a run leaves behind: a trace, a summary, a line of a table, a picture. */
#ifndef LAB_OUTPUT_H
#define LAB_OUTPUT_H

#include <jansson.h>
#include <stdio.h>

#include "demos/world/run.h"

json_t *lab_summary(const lab_result *result); /* null: out of memory */
int lab_json_write(const json_t *json, const char *path);
json_t *lab_number(double x); /* null for what JSON cannot say */

/* One table of all results, a line each. */
void lab_table(FILE *file, const lab_result *results, int n);
/* PNG of the end states side by side. 0, or 1 if it could not be written. */
int lab_picture(const char *path, const lab_result *results, int n);

#endif
