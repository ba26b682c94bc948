/* Differences, byte planes, gzip, base64: undone by page/src/data.js. */
#include "demos/report/page_pack.h"

#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#define DIFFERENCES(TYPE)                                                                          \
    for (size_t i = n; i-- > stride;) ((TYPE *)values)[i] -= ((TYPE *)values)[i - stride]

static void subtract(void *values, size_t n, size_t size, size_t stride)
{
    if (size == 4)
        DIFFERENCES(uint32_t);
    else if (size == 2)
        DIFFERENCES(uint16_t);
    else
        DIFFERENCES(uint8_t);
}

static void put_base64(FILE *file, const unsigned char *data, size_t n)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        unsigned word = (unsigned)data[i] << 16;
        if (i + 1 < n) word |= (unsigned)data[i + 1] << 8;
        if (i + 2 < n) word |= data[i + 2];
        fputc(digit[word >> 18], file);
        fputc(digit[word >> 12 & 63], file);
        fputc(i + 1 < n ? digit[word >> 6 & 63] : '=', file);
        fputc(i + 2 < n ? digit[word & 63] : '=', file);
    }
}

/* To be freed; null without memory. */
static unsigned char *pack(unsigned char *bytes, size_t n, size_t *packed)
{
    z_stream z = {.next_in = bytes, .avail_in = (uInt)n};
    if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) return NULL;
    size_t room = deflateBound(&z, n);
    unsigned char *out = malloc(room + 1);
    z.next_out = out, z.avail_out = (uInt)room;
    int whole = out && deflate(&z, Z_FINISH) == Z_STREAM_END;
    *packed = z.total_out;
    deflateEnd(&z);
    if (whole) return out;
    free(out);
    return NULL;
}

int page_put_array(FILE *file, const char *type, void *values, size_t n, size_t size, size_t stride)
{
    unsigned char *sorted = malloc(n * size + 1);
    if (!sorted) return 1;
    if (stride < 1) stride = 1;
    subtract(values, n, size, stride);
    for (size_t b = 0; b < size; b++)
        for (size_t i = 0; i < n; i++)
            sorted[b * n + i] = ((const unsigned char *)values)[i * size + b];
    size_t packed;
    unsigned char *data = pack(sorted, n * size, &packed);
    free(sorted);
    if (!data) return 1;
    fprintf(file, "{\"type\":\"%s\",\"n\":%zu,\"stride\":%zu,\"data\":\"", type, n, stride);
    put_base64(file, data, packed);
    fputs("\"}", file);
    free(data);
    return 0;
}
