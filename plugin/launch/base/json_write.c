#include "plugin/launch/base/json_write.h"

#include <math.h>

void peg_json_put_number(FILE *file, double x)
{
    if (isfinite(x))
        fprintf(file, "%.17g", x);
    else
        fputs("null", file);
}

void peg_json_put_numbers(FILE *file, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        fputc(i ? ',' : '[', file);
        peg_json_put_number(file, x[i]);
    }
    fputc(']', file);
}

void peg_json_put_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', file);
        if ((unsigned char)*text >= ' ') fputc(*text, file);
    }
    fputc('"', file);
}
