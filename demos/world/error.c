/* The first error of a world: it ends the build or the step. */
#include "demos/world/world.h"

#include <stdarg.h>
#include <stdio.h>

void lab_fail(lab_world *w, const char *format, ...)
{
    if (w->failed) return;
    w->failed = 1;
    va_list list;
    va_start(list, format);
    vsnprintf(w->error, sizeof w->error, format, list);
    va_end(list);
}

const char *lab_error(const lab_world *w)
{
    return w->error;
}
