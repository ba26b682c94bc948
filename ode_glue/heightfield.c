#include "ode_glue/heightfield.h"
#include "ode_glue/registry.h"
#include "peg/memory.h"

static void release(void *thing)
{
    peg_heightfield *field = thing;
    peg_complex_free(field->complex);
    peg_free(field->height);
    peg_free(field);
}

pegStatus peg_heightfield_create(double width, double depth, int columns, int rows, int wrap,
                                 peg_heightfield **out)
{
    peg_heightfield *field = peg_alloc_zero(1, sizeof *field);
    double *height = peg_alloc_zero((size_t)columns * (size_t)rows, sizeof *height);
    *out = NULL;
    if (!field || !height) {
        peg_free(field);
        peg_free(height);
        return PEG_ERROR_MEMORY;
    }
    *field = (peg_heightfield){width, depth, columns, rows, wrap, height, NULL};
    *out = field;
    return PEG_OK;
}

/* i modulo n, 0 <= result < n. */
static int wrapped(int i, int n)
{
    return (i % n + n) % n;
}

static void sample(const peg_heightfield *field, int i, int j, double out[3])
{
    int nx = field->columns - 1, nz = field->rows - 1;
    out[0] = field->width * ((double)i / nx - .5);
    out[2] = field->depth * ((double)j / nz - .5);
    if (field->wrap) {
        i = wrapped(i, nx);
        j = wrapped(j, nz);
    }
    out[1] = field->height[(size_t)j * (size_t)field->columns + (size_t)i];
}

pegStatus peg_heightfield_cells(const peg_heightfield *field, const int from[2], const int to[2],
                                peg_complex **out)
{
    int nx = to[0] - from[0], nz = to[1] - from[1], line = nx + 1, nv = 0, nt = 0;
    size_t cells = (size_t)nx * (size_t)nz;
    double(*vertex)[3] = peg_alloc((size_t)line * (size_t)(nz + 1) * sizeof *vertex);
    int(*triangle)[3] = peg_alloc(2 * cells * sizeof *triangle);
    pegStatus status = PEG_ERROR_MEMORY;
    *out = NULL;
    if (vertex && triangle) {
        for (int j = from[1]; j <= to[1]; j++)
            for (int i = from[0]; i <= to[0]; i++) sample(field, i, j, vertex[nv++]);
        for (int j = 0; j < nz; j++)
            for (int i = 0; i < nx; i++) {
                int a = j * line + i, b = a + 1, c = a + line, d = c + 1;
                int half[2][3] = {{a, c, b}, {b, c, d}};
                memcpy(triangle[nt], half, sizeof half);
                nt += 2;
            }
        status = peg_complex_create((const double(*)[3])vertex, nv, (const int(*)[3])triangle, nt,
                                    0, out);
    }
    peg_free(vertex);
    peg_free(triangle);
    return status;
}

pegStatus peg_heightfield_set(dHeightfieldDataID data, peg_heightfield *field)
{
    static const int none[2] = {0, 0};
    int all[2] = {field->columns - 1, field->rows - 1};
    pegStatus status = peg_heightfield_cells(field, none, all, &field->complex);
    if (status == PEG_OK && field->wrap) {
        peg_complex_free(field->complex); /* built for its errors */
        field->complex = NULL;
    }
    if (status == PEG_OK) status = peg_registry_set(data, field, release);
    if (status != PEG_OK) release(field);
    return status;
}

const peg_heightfield *peg_heightfield_find(dHeightfieldDataID data, unsigned long *version)
{
    return peg_registry_find(data, release, version);
}

void peg_heightfield_forget(dHeightfieldDataID data)
{
    peg_registry_forget(data);
}
