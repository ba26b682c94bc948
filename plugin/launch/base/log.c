#include "plugin/launch/base/log.h"
#include "plugin/launch/base/options.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    FILE *file; /* null: standard error */
} output = {.lock = PTHREAD_MUTEX_INITIALIZER};

void peg_log(const char *format, ...)
{
    va_list list;
    pthread_mutex_lock(&output.lock);
    FILE *file = output.file ? output.file : stderr;
    fputs("peg-run: ", file);
    va_start(list, format);
    vfprintf(file, format, list);
    va_end(list);
    fputc('\n', file);
    fflush(file);
    pthread_mutex_unlock(&output.lock);
}

void peg_log_begin(void)
{
    const char *path = peg_launch_options.log;
    if (!path) return;
    output.file = fopen(path, "ae");
    if (!output.file) peg_log("cannot write '%s': messages come here", path);
}

void peg_unsupported(const char *text)
{
    if (!peg_launch_options.strict) return;
    fprintf(stderr, "peg-run: stopped, as --strict asks for: %s\n", text);
    fflush(NULL);
    _exit(2);
}
