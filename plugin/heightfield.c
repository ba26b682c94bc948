/* Heightfields, seen when they are made; meshes that change. */
#include "ode_glue/read/heightfield.h"
#include "ode_glue/read/geom.h"
#include "plugin/world.h"

#include <limits.h>

static int is_complete(const pegHeightfield *f)
{
    int sized = f->width > 0 && f->depth > 0 && f->width_samples > 1 && f->depth_samples > 1 &&
                f->width_samples <= INT_MAX / 2 / f->depth_samples;
    int typed = f->type >= PEG_SAMPLES_CALLBACK && f->type <= PEG_SAMPLES_DOUBLE;
    return sized && typed &&
           (f->type == PEG_SAMPLES_CALLBACK ? f->callback != NULL : f->samples != NULL);
}

/* As ODE scales it. */
static double height_of(const pegHeightfield *f, int x, int z)
{
    size_t i = (size_t)z * (size_t)f->width_samples + (size_t)x;
    double sample = 0;
    switch (f->type) {
    case PEG_SAMPLES_CALLBACK:
        sample = f->callback(f->user_data, x, z);
        break;
    case PEG_SAMPLES_BYTE:
        sample = ((const unsigned char *)f->samples)[i];
        break;
    case PEG_SAMPLES_SHORT:
        sample = ((const short *)f->samples)[i];
        break;
    case PEG_SAMPLES_SINGLE:
        sample = (double)((const float *)f->samples)[i];
        break;
    case PEG_SAMPLES_DOUBLE:
        sample = ((const double *)f->samples)[i];
        break;
    }
    return sample * f->scale + f->offset;
}

pegStatus pegRegisterHeightfield(dHeightfieldDataID data, const pegHeightfield *f)
{
    peg_heightfield *field;
    if (!data || !f || !is_complete(f)) return PEG_ERROR_ARGUMENT;
    pegStatus status = peg_heightfield_create(f->width, f->depth, f->width_samples,
                                              f->depth_samples, f->wrap != 0, &field);
    if (status != PEG_OK) return status;
    double *height = field->height;
    for (int z = 0; z < f->depth_samples; z++)
        for (int x = 0; x < f->width_samples; x++) *height++ = height_of(f, x, z);
    return peg_heightfield_set(data, field);
}

void pegUnregisterHeightfield(dHeightfieldDataID data)
{
    if (data) peg_heightfield_forget(data);
}

pegStatus pegTriMeshUpdate(pegWorldID peg, dGeomID geom)
{
    dGeomID leaf = geom ? peg_geom_leaf(geom) : NULL;
    if (!peg || !leaf || dGeomGetClass(leaf) != dTriMeshClass) return PEG_ERROR_ARGUMENT;
    peg_shapes_doubt(&peg->glue->shapes, leaf);
    return PEG_OK;
}
