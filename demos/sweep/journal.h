/* The journal of a sweep: one line per finished case, only ever appended to, so that whatever ends
 * a sweep costs no more than the line that was being written. A line is the CRC-32 of the rest, a
 * space, and the row as JSON; lines that are torn or changed are no lines. */
#ifndef LAB_SWEEP_JOURNAL_H
#define LAB_SWEEP_JOURNAL_H

#include <jansson.h>

typedef struct sweep_journal {
    int file;
    char path[1024];
} sweep_journal;

/* Opens for appending, after the last whole line. 0, or 1 (errno says why). */
int sweep_journal_open(sweep_journal *j, const char *path);
/* Appends a row as JSON; 0, or 1 (errno says why): then nothing of it is there. */
int sweep_journal_add(const sweep_journal *j, const char *row);
/* The same to the disk. */
int sweep_journal_sync(const sweep_journal *j);
void sweep_journal_close(sweep_journal *j);

/* Calls back for every whole row of all journals in a folder; the row is the callback's to use
 * until it returns. Returns how many lines were none. */
long sweep_journals_read(const char *dir, void (*row)(void *data, json_t *row), void *data);

#endif
