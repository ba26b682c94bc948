#include "ode_glue/read/heightfield.h"
#include "ode_glue/read/registry.h"
#include "peg/base/arena.h"

/* ODE's rays meet heightfields within 2e-7 of the height; another field is farther away than this,
 * relative to the heights and the width. */
static const double SAME_HEIGHT = 1e-5;

void peg_heightfield_use(peg_heightfield *field)
{
    field->users++;
}

void peg_heightfield_leave(peg_heightfield *field)
{
    if (!field || --field->users) return;
    peg_triangle_mesh_free(field->triangle_mesh);
    peg_free(field->height);
    peg_free(field);
}

static void release(void *thing)
{
    peg_heightfield_leave(thing);
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
    *field = (peg_heightfield){width, depth, columns, rows, wrap, 1, height, 0, NULL};
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
                                peg_triangle_mesh **out)
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
        status = peg_triangle_mesh_create((const double(*)[3])vertex, nv, (const int(*)[3])triangle,
                                          nt, 0, out);
    }
    peg_free(vertex);
    peg_free(triangle);
    return status;
}

pegStatus peg_heightfield_set(dHeightfieldDataID data, peg_heightfield *field)
{
    static const int none[2] = {0, 0};
    int all[2] = {field->columns - 1, field->rows - 1};
    for (size_t i = 0; i < (size_t)field->columns * (size_t)field->rows; i++)
        field->high = fmax(field->high, fabs(field->height[i]));
    pegStatus status = peg_heightfield_cells(field, none, all, &field->triangle_mesh);
    if (status == PEG_OK && field->wrap) {
        peg_triangle_mesh_free(field->triangle_mesh); /* built for its errors */
        field->triangle_mesh = NULL;
    }
    if (status == PEG_OK) status = peg_registry_set(data, field, release);
    if (status != PEG_OK) release(field);
    return status;
}

peg_heightfield *peg_heightfield_find(dHeightfieldDataID data, unsigned long *version)
{
    return peg_registry_find(data, release, version);
}

/* ODE's own field, as it lies without a pose, and a ray down to it. */
typedef struct probe {
    const peg_heightfield *field;
    dGeomID geom, ray;
    double range; /* m: heights and width */
} probe;

/* Inside of either half of a cell. */
static int is_met(const probe *p, int i, int j)
{
    for (int far = 0; far < 2; far++) {
        double x[3], along[3], across[3], place[3];
        dContactGeom contact;
        sample(p->field, i + far, j + far, x);
        sample(p->field, i + 1 - far, j + far, along);
        sample(p->field, i + far, j + 1 - far, across);
        for (int k = 0; k < 3; k++) place[k] = .4 * x[k] + .35 * along[k] + .25 * across[k];
        dGeomRaySet(p->ray, place[0], place[1] + p->range, place[2], 0, -1, 0);
        if (dCollide(p->ray, p->geom, 1, &contact, sizeof contact) != 1 ||
            !(fabs(contact.pos[1] - place[1]) <= SAME_HEIGHT * p->range))
            return 0;
    }
    return 1;
}

/* In some cells, spread over the field. */
static int is_met_all_over(const probe *p)
{
    enum { PROBES = 5 };
    int same = 1;
    for (int i = 0; i < PROBES * PROBES && same; i++)
        same = is_met(p, (p->field->columns - 2) * (i % PROBES) / (PROBES - 1),
                      (p->field->rows - 2) * (i / PROBES) / (PROBES - 1));
    return same;
}

static int has_sides(const probe *p)
{
    dReal box[6];
    dGeomGetAABB(p->geom, box);
    double width = box[1] - box[0], depth = box[5] - box[4];
    if (p->field->wrap) return isinf(width) && isinf(depth);
    return fabs(width - p->field->width) + fabs(depth - p->field->depth) <= SAME_HEIGHT * p->range;
}

int peg_heightfield_is_of(const peg_heightfield *field, dHeightfieldDataID data, int all,
                          unsigned long turn)
{
    unsigned long line = (unsigned long)field->columns - 1;
    unsigned long cell = turn % (line * ((unsigned long)field->rows - 1));
    probe p = {.field = field, .range = fmax(field->width, field->depth) + field->high};
    p.geom = dCreateHeightfield(NULL, data, 0);
    p.ray = dCreateRay(NULL, 2 * p.range);
    int same = is_met(&p, (int)(cell % line), (int)(cell / line));
    if (all) same = same && has_sides(&p) && is_met_all_over(&p);
    dGeomDestroy(p.geom);
    dGeomDestroy(p.ray);
    return same;
}

void peg_heightfield_forget(dHeightfieldDataID data)
{
    peg_registry_forget(data);
}
