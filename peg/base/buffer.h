/* Bytes written to a buffer and read from it in order. */
#ifndef PEG_BUFFER_H
#define PEG_BUFFER_H

#include <stddef.h>

typedef struct peg_writer {
    unsigned char *to; /* null: only counts */
    size_t room, used; /* used > room: it did not fit */
} peg_writer;

typedef struct peg_reader {
    const unsigned char *from;
    size_t left;
    int failed; /* more was asked for than there was */
} peg_reader;

void peg_write(peg_writer *writer, const void *data, size_t bytes);
/* Zeros if so much is not left. */
void peg_read(peg_reader *reader, void *data, size_t bytes);
/* An array of n elements, to be freed with peg_free; null, with `failed`, if so much is not left.
 * *no_memory is set if the memory is exhausted; n = 0 makes an array, too. */
void *peg_read_array(peg_reader *reader, size_t n, size_t size, int *no_memory);

#endif
