/* The name of the scene of a file. */
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

void lab_file_fault(char text[LAB_TEXT], const char *path, const char *list, int at,
                    const char *format, va_list rest)
{
    int used = snprintf(text, LAB_TEXT, "%.200s: ", path);
    if (at >= 0) used += snprintf(text + used, LAB_TEXT - (size_t)used, "%s[%d]: ", list, at);
    vsnprintf(text + used, LAB_TEXT - (size_t)used, format, rest);
    for (char *c = text; *c; c++) /* one line, whatever the file holds */
        if ((unsigned char)*c < ' ') *c = '?';
}
