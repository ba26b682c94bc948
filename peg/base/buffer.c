#include "peg/base/buffer.h"

#include <string.h>

#include "peg/base/arena.h"

void peg_write(peg_writer *w, const void *data, size_t bytes)
{
    if (w->to && bytes && w->used <= w->room && bytes <= w->room - w->used)
        memcpy(w->to + w->used, data, bytes);
    w->used += bytes;
}

void peg_read(peg_reader *r, void *data, size_t bytes)
{
    if (r->failed || bytes > r->left) {
        r->failed = 1;
        memset(data, 0, bytes);
        return;
    }
    if (bytes) memcpy(data, r->from, bytes);
    r->from += bytes, r->left -= bytes;
}

void *peg_read_array(peg_reader *r, size_t n, size_t size, int *no_memory)
{
    if (r->failed || n > r->left / size) {
        r->failed = 1;
        return NULL;
    }
    void *array = peg_alloc(n * size + 1);
    if (array)
        peg_read(r, array, n * size);
    else
        *no_memory = 1;
    return array;
}
