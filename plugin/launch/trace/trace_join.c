/* Makes one trace of its parts. */
#define _GNU_SOURCE /* getline */
#include "plugin/launch/trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Room for the name of a part: a path and a suffix. */
enum { NAME = 4200 };

static const char *const part_of[PEG_TRACE_FILES] = {PEG_TRACE_PARTS};

int peg_trace_name(char *name, size_t size, const char *file, int number)
{
    int n = number == 1 ? snprintf(name, size, "%s", file)
                        : snprintf(name, size, "%s.%d", file, number);
    return n > 0 && (size_t)n < size;
}

static void part_name(char name[NAME], const char *trace, int part)
{
    snprintf(name, NAME, "%s%s", trace, part_of[part]);
}

/* Copies the lines of a part, without their ends, separated by commas; returns their number, or -1.
 */
static long copy_list(FILE *from, FILE *to)
{
    char *line = NULL;
    size_t room = 0;
    long count = 0;
    for (ssize_t n; (n = getline(&line, &room, from)) > 0 && line[n - 1] == '\n'; count++)
        fprintf(to, "%s%.*s", count ? "," : "", (int)n - 1, line);
    free(line);
    return ferror(from) || ferror(to) ? -1 : count;
}

static void pad(FILE *to, long known, long bodies)
{
    for (long i = known; i < bodies; i++) fputs(i ? ",null" : "null", to);
}

/* One line of .steps, with null for the bodies that came later; 0 if it is not whole. */
static int copy_step(const char *line, FILE *to, long bodies)
{
    char *text;
    long known = strtol(line, &text, 10);
    const char *vel = strstr(text, PEG_TRACE_VEL), *stats = strstr(text, PEG_TRACE_STATS);
    if (*text != ' ' || !vel || !stats || stats < vel) return 0;
    fprintf(to, "%.*s", (int)(vel - text - 1), text + 1);
    pad(to, known, bodies);
    fprintf(to, "%.*s", (int)(stats - vel), vel);
    pad(to, known, bodies);
    fputs(stats, to);
    return 1;
}

static int copy_steps(FILE *from, FILE *to, long bodies)
{
    char *line = NULL;
    size_t room = 0;
    int whole = 1;
    for (ssize_t n; whole && (n = getline(&line, &room, from)) > 0;)
        whole = line[n - 1] == '\n' && copy_step(line, to, bodies);
    free(line); /* a last line that is not whole: the program was killed while writing it */
    return !ferror(from) && !ferror(to);
}

static int copy_all(FILE *const part[PEG_TRACE_FILES], FILE *to)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n = getline(&line, &room, part[PEG_TRACE_HEAD]);
    if (n > 0) fprintf(to, "%.*s,\"connected\":[", (int)n - 1, line);
    free(line);
    if (n <= 0 || copy_list(part[PEG_TRACE_JOINED], to) < 0) return 0;
    fputs("],\"bodies\":[", to);
    long bodies = copy_list(part[PEG_TRACE_BODIES], to);
    fputs("]}\n", to);
    return bodies >= 0 && copy_steps(part[PEG_TRACE_STEPS], to, bodies);
}

static int join(const char *trace)
{
    FILE *part[PEG_TRACE_FILES] = {NULL}, *to = fopen(trace, "w");
    char name[NAME];
    int good = to != NULL;
    for (int i = 0; i < PEG_TRACE_FILES; i++) {
        part_name(name, trace, i);
        part[i] = fopen(name, "r");
        good &= part[i] != NULL;
    }
    good = good && copy_all(part, to);
    for (int i = 0; i < PEG_TRACE_FILES; i++)
        if (part[i]) fclose(part[i]);
    if (to && fclose(to) != 0) good = 0;
    return good;
}

/* Whether there were parts. */
static int remove_parts(const char *trace)
{
    char name[NAME];
    int found = 0;
    for (int i = 0; i < PEG_TRACE_FILES; i++) {
        part_name(name, trace, i);
        found |= unlink(name) == 0;
    }
    return found;
}

void peg_trace_clear(const char *file)
{
    char trace[NAME - 16];
    for (int i = 1; peg_trace_name(trace, sizeof trace, file, i) && remove_parts(trace);) i++;
}

int peg_trace_join(const char *file)
{
    char trace[NAME - 16], name[NAME];
    int good = 1;
    for (int i = 1; peg_trace_name(trace, sizeof trace, file, i); i++) {
        part_name(name, trace, PEG_TRACE_HEAD);
        if (access(name, R_OK) != 0) break;
        good &= join(trace);
        remove_parts(trace);
    }
    return good;
}
