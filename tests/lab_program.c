#include "tests/lab_program.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/runner.h"

const char *lab_data_path(const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", getenv("LAB_DATA"), name);
    return path;
}

char *lab_read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    size_t room = 1 << 16, used = 0, n;
    char *text = malloc(room + 1);
    while ((n = fread(text + used, 1, room - used, file)) > 0) {
        used += n;
        if (used == room) text = realloc(text, (room *= 2) + 1);
        ck_assert_ptr_nonnull(text);
    }
    text[used] = 0;
    fclose(file);
    return text;
}

void lab_write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

int lab_run_program(const char *arguments)
{
    char line[2048];
    snprintf(line, sizeof line, "'%s' %s >%s/stdout 2>%s/stderr", getenv("PEG_LAB"), arguments,
             test_folder(), test_folder());
    int status = system(line);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

int lab_refused(const char *arguments, const char *words)
{
    int status = lab_run_program(arguments);
    char *said = lab_read_text(test_path("stderr"));
    char *end = strchr(said, '\n');
    int refused = status == 2 && end && !end[1] && strstr(said, words);
    if (!refused) fprintf(stderr, "%s: exit status %d: %s\n", arguments, status, said);
    free(said);
    return refused;
}
