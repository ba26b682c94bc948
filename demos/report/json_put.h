/* JSON written piece by piece, without a tree in memory. */
#ifndef LAB_JSON_PUT_H
#define LAB_JSON_PUT_H

#include <stdio.h>

/* null for what JSON cannot say. */
void json_put_number(FILE *file, double x, int digits);
void json_put_numbers(FILE *file, const double *x, int n, int digits);
/* With what HTML could take for a tag escaped, too. */
void json_put_string(FILE *file, const char *text);

#endif
