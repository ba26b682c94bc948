/* What the readers of files share: the name of the scene, faults. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "demos/scenes/scene_file.h"

void lab_file_name(lab_file *f, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(f->name, sizeof f->name, "%.90s", slash ? slash + 1 : path);
    char *dot = strrchr(f->name, '.');
    if (dot && dot != f->name) *dot = 0;
}

void lab_file_fail(lab_reading *in, const char *format, ...)
{
    if (in->failed) return;
    in->failed = 1;
    int used = snprintf(in->text, LAB_TEXT, "%.200s: ", in->path);
    if (in->item >= 0)
        used += snprintf(in->text + used, LAB_TEXT - (size_t)used, "%s[%d]: ", in->list, in->item);
    va_list rest;
    va_start(rest, format);
    vsnprintf(in->text + used, LAB_TEXT - (size_t)used, format, rest);
    va_end(rest);
    for (char *c = in->text; *c; c++) /* one line, whatever the file holds */
        if ((unsigned char)*c < ' ') *c = '?';
}
