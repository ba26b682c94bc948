/* JSON written piece by piece. */
#include "demos/report/json_put.h"

#include <math.h>

void json_put_number(FILE *file, double x, int digits)
{
    if (isfinite(x))
        fprintf(file, "%.*g", digits, x);
    else
        fputs("null", file);
}

void json_put_numbers(FILE *file, const double *x, int n, int digits)
{
    for (int i = 0; i < n; i++) {
        fputc(i ? ',' : '[', file);
        json_put_number(file, x[i], digits);
    }
    if (n == 0) fputc('[', file);
    fputc(']', file);
}

void json_put_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)(text ? text : ""); *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if (*c < ' ' || *c == '<')
            fprintf(file, "\\u%04x", *c);
        else
            fputc(*c, file);
    }
    fputc('"', file);
}
