/* Streams that pack and unpack: zlib and libzstd behind stdio. */
#define _GNU_SOURCE /* fopencookie */
#include "demos/report/trace.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

static int ends_with(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n > m && !strcmp(path + n - m, end);
}

int trace_is_packed(const char *path)
{
    return ends_with(path, ".gz") || ends_with(path, ".zst");
}

/* ---- zlib ------------------------------------------------------------------------------------ */

static ssize_t gz_write(void *cookie, const char *data, size_t n)
{
    return n == 0 || gzwrite(cookie, data, (unsigned)n) == (int)n ? (ssize_t)n : 0;
}

static ssize_t gz_read(void *cookie, char *data, size_t n)
{
    return gzread(cookie, data, (unsigned)n);
}

static int gz_close(void *cookie)
{
    int status = gzclose(cookie);
    return status == Z_OK ? 0 : EOF;
}

static FILE *open_gz(const char *path, const char *mode)
{
    gzFile file = gzopen(path, mode);
    cookie_io_functions_t calls = {.close = gz_close};
    if (!file) return NULL;
    if (*mode == 'w')
        calls.write = gz_write;
    else
        calls.read = gz_read;
    FILE *stream = fopencookie(file, *mode == 'w' ? "w" : "r", calls);
    if (!stream) gzclose(file);
    return stream;
}

/* ---- zstd ------------------------------------------------------------------------------------ */

typedef struct zst {
    FILE *file;
    ZSTD_CCtx *pack;
    ZSTD_DCtx *unpack;
    char *buffer;
    size_t size;
    ZSTD_inBuffer in; /* of unpacking */
    size_t left;      /* 0 at the end of a packed frame */
} zst;

static int zst_free(zst *z)
{
    int status = z->file ? fclose(z->file) : EOF;
    ZSTD_freeCCtx(z->pack);
    ZSTD_freeDCtx(z->unpack);
    free(z->buffer);
    free(z);
    return status;
}

/* Packs n bytes, or ends the stream; 0 if that fails. */
static int zst_pack(zst *z, const char *data, size_t n, ZSTD_EndDirective what)
{
    ZSTD_inBuffer in = {data, n, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {z->buffer, z->size, 0};
        left = ZSTD_compressStream2(z->pack, &out, &in, what);
        if (ZSTD_isError(left) || fwrite(z->buffer, 1, out.pos, z->file) != out.pos) return 0;
    } while (what == ZSTD_e_end ? left > 0 : in.pos < in.size);
    return 1;
}

static ssize_t zst_write(void *cookie, const char *data, size_t n)
{
    return zst_pack(cookie, data, n, ZSTD_e_continue) ? (ssize_t)n : 0;
}

static ssize_t zst_read(void *cookie, char *data, size_t n)
{
    zst *z = cookie;
    ZSTD_outBuffer out = {data, n, 0};
    while (out.pos == 0) {
        if (z->in.pos == z->in.size) {
            z->in = (ZSTD_inBuffer){z->buffer, fread(z->buffer, 1, z->size, z->file), 0};
            if (z->in.size == 0) return ferror(z->file) || z->left ? -1 : 0;
        }
        z->left = ZSTD_decompressStream(z->unpack, &out, &z->in);
        if (ZSTD_isError(z->left)) return -1;
    }
    return (ssize_t)out.pos;
}

static int zst_close(void *cookie)
{
    zst *z = cookie;
    int bad = z->pack && !zst_pack(z, NULL, 0, ZSTD_e_end);
    return zst_free(z) != 0 || bad ? EOF : 0;
}

static FILE *open_zst(const char *path, const char *mode)
{
    zst *z = calloc(1, sizeof *z);
    int writes = *mode == 'w';
    cookie_io_functions_t calls = {.close = zst_close};
    if (!z) return NULL;
    z->file = fopen(path, writes ? "wb" : "rb");
    z->size = writes ? ZSTD_CStreamOutSize() : ZSTD_DStreamInSize();
    z->buffer = malloc(z->size);
    if (writes) {
        z->pack = ZSTD_createCCtx();
        if (z->pack) ZSTD_CCtx_setParameter(z->pack, ZSTD_c_compressionLevel, 9);
        calls.write = zst_write;
    } else {
        z->unpack = ZSTD_createDCtx();
        calls.read = zst_read;
    }
    FILE *stream = NULL;
    if (z->file && z->buffer && (z->pack || z->unpack))
        stream = fopencookie(z, writes ? "w" : "r", calls);
    if (!stream) zst_free(z);
    return stream;
}

/* ---- both ------------------------------------------------------------------------------------ */

FILE *trace_open_write(const char *path)
{
    if (ends_with(path, ".gz")) return open_gz(path, "wb6");
    if (ends_with(path, ".zst")) return open_zst(path, "w");
    return fopen(path, "w");
}

FILE *trace_open_read(const char *path)
{
    static const unsigned char gz[2] = {0x1f, 0x8b}, zstd[4] = {0x28, 0xb5, 0x2f, 0xfd};
    unsigned char head[4] = {0};
    FILE *file = fopen(path, "r");
    if (!file) return NULL;
    size_t n = fread(head, 1, sizeof head, file);
    if (n == 4 && !memcmp(head, zstd, 4)) {
        fclose(file);
        return open_zst(path, "r");
    }
    if (n >= 2 && !memcmp(head, gz, 2)) {
        fclose(file);
        return open_gz(path, "rb");
    }
    rewind(file);
    return file;
}
