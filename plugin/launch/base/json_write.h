/* JSON, value by value. */
#ifndef PEG_LAUNCH_JSON_WRITE_H
#define PEG_LAUNCH_JSON_WRITE_H

#include <stdio.h>

/* 17 digits; null for what JSON cannot say. */
void peg_json_put_number(FILE *file, double x);
void peg_json_put_numbers(FILE *file, const double *x, int n);
void peg_json_put_string(FILE *file, const char *text);

#endif
