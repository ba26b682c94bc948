#include "demos/sweep/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { CRC_SIZE = 9 }; /* eight digits and a space */

static unsigned long crc_of(const char *text, size_t n)
{
    return crc32(0, (const unsigned char *)text, (unsigned)n);
}

/* The row of a line without its end; null if it is torn or changed. */
static json_t *row_of(const char *line, size_t n)
{
    char *end;
    if (n <= CRC_SIZE || line[CRC_SIZE - 1] != ' ') return NULL;
    unsigned long crc = strtoul(line, &end, 16);
    if (end != line + CRC_SIZE - 1 || crc != crc_of(line + CRC_SIZE, n - CRC_SIZE)) return NULL;
    return json_loadb(line + CRC_SIZE, n - CRC_SIZE, 0, NULL);
}

int sweep_journal_open(sweep_journal *j, const char *path)
{
    char last = '\n';
    snprintf(j->path, sizeof j->path, "%s", path);
    j->file = open(path, O_RDWR | O_CREAT | O_APPEND, 0666);
    if (j->file < 0) return 1;
    struct stat info;
    if (fstat(j->file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
        pread(j->file, &last, 1, info.st_size - 1) == 1 && last != '\n')
        return write(j->file, "\n", 1) != 1; /* what was torn stays a line of its own */
    return 0;
}

int sweep_journal_add(const sweep_journal *j, const char *row)
{
    size_t n = strlen(row), size = n + CRC_SIZE + 1;
    char *line = malloc(size + 1);
    if (!line) return 1;
    off_t start = lseek(j->file, 0, SEEK_END);
    snprintf(line, size + 1, "%08lx %s\n", crc_of(row, n), row);
    ssize_t written = write(j->file, line, size);
    int bad = written != (ssize_t)size, reason = written >= 0 ? ENOSPC : errno;
    if (bad && start >= 0 && ftruncate(j->file, start) != 0)
        bad = 1; /* readers see that it is torn */
    free(line);
    errno = reason;
    return bad;
}

int sweep_journal_sync(const sweep_journal *j)
{
    return fdatasync(j->file) != 0 && errno != EINVAL && errno != EROFS;
}

void sweep_journal_close(sweep_journal *j)
{
    if (j->file >= 0) close(j->file);
    j->file = -1;
}

static long read_one(const char *path, void (*row)(void *data, json_t *row), void *data)
{
    FILE *f = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    long bad = 0;
    struct stat info;
    if (!f) return 0;
    if (fstat(fileno(f), &info) != 0 || !S_ISREG(info.st_mode)) {
        fclose(f);
        return 0;
    }
    while ((n = getline(&line, &room, f)) > 0) {
        int whole = line[n - 1] == '\n';
        json_t *json = whole ? row_of(line, (size_t)n - 1) : NULL;
        if (json)
            row(data, json);
        else
            bad++;
        json_decref(json);
    }
    free(line);
    fclose(f);
    return bad;
}

long sweep_journals_read(const char *dir, void (*row)(void *data, json_t *row), void *data)
{
    struct dirent **list;
    long bad = 0;
    int n = scandir(dir, &list, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char path[2048];
        const char *name = list[i]->d_name, *dot = strrchr(name, '.');
        snprintf(path, sizeof path, "%s/%s", dir, name);
        if (!strncmp(name, "journal", 7) && dot && !strcmp(dot, ".jsonl"))
            bad += read_one(path, row, data);
        free(list[i]);
    }
    if (n >= 0) free(list);
    return bad;
}
