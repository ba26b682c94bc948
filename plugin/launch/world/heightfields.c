/* Heightfields, seen when they are built. */
#include "plugin/launch/world/heightfields.h"
#include "plugin/launch/base/log.h"
#include "plugin/launch/base/real_ode.h"
#include "plugin/launch/world/geom_counts.h"
#include "plugin/world.h"

#include <pthread.h>

static void register_field(dHeightfieldDataID data, const pegHeightfield *field)
{
    pegStatus status = pegRegisterHeightfield(data, field);
    peg_shapes_changed();
    if (status == PEG_OK) return;
    peg_log("a heightfield has ODE's contacts: %s", pegStatusMessage(status));
    peg_unsupported("a heightfield of these samples");
}

#define BUILD(name, kind, sample)                                                                  \
    static void name##_seen(dHeightfieldDataID data, const sample *heights, int copy, dReal width, \
                            dReal depth, int columns, int rows, dReal scale, dReal offset,         \
                            dReal thickness, int wrap)                                             \
    {                                                                                              \
        pegHeightfield field = {kind,    heights, NULL,  NULL,   width, depth,                     \
                                columns, rows,    scale, offset, wrap};                            \
        peg_ode->name(data, heights, copy, width, depth, columns, rows, scale, offset, thickness,  \
                      wrap);                                                                       \
        register_field(data, &field);                                                              \
    }
BUILD(dGeomHeightfieldDataBuildByte, PEG_SAMPLES_BYTE, unsigned char)
BUILD(dGeomHeightfieldDataBuildShort, PEG_SAMPLES_SHORT, short)
BUILD(dGeomHeightfieldDataBuildSingle, PEG_SAMPLES_SINGLE, float)
BUILD(dGeomHeightfieldDataBuildDouble, PEG_SAMPLES_DOUBLE, double)

/* Fields with a callback, which may not be ready to be called when the field is built. */
static struct {
    pthread_mutex_t lock;
    peg_map data;
    pegHeightfield *of; /* room entries; callback null: was registered */
    int room;
    int waiting;
} later = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void dGeomHeightfieldDataBuildCallback_seen(dHeightfieldDataID data, void *user_data,
                                                   dHeightfieldGetHeight *callback, dReal width,
                                                   dReal depth, int columns, int rows, dReal scale,
                                                   dReal offset, dReal thickness, int wrap)
{
    peg_ode->dGeomHeightfieldDataBuildCallback(data, user_data, callback, width, depth, columns,
                                               rows, scale, offset, thickness, wrap);
    pthread_mutex_lock(&later.lock);
    int i = peg_map_add(&later.data, data, NULL);
    if (i >= later.room && i >= 0) {
        int room = later.room ? 2 * later.room : 16;
        pegHeightfield *of = peg_realloc(later.of, (size_t)room * sizeof *of);
        if (of) {
            later.of = of;
            later.room = room;
        }
    }
    if (i >= 0 && i < later.room) {
        later.of[i] = (pegHeightfield){PEG_SAMPLES_CALLBACK,
                                       NULL,
                                       callback,
                                       user_data,
                                       width,
                                       depth,
                                       columns,
                                       rows,
                                       scale,
                                       offset,
                                       wrap};
        later.waiting++;
    }
    pthread_mutex_unlock(&later.lock);
}

static void dGeomHeightfieldDataDestroy_seen(dHeightfieldDataID data)
{
    pthread_mutex_lock(&later.lock);
    int i = peg_map_find(&later.data, data, NULL);
    if (i >= 0 && i < later.room && later.of[i].callback) {
        later.of[i].callback = NULL;
        later.waiting--;
    }
    pthread_mutex_unlock(&later.lock);
    pegUnregisterHeightfield(data);
    peg_shapes_changed();
    peg_ode->dGeomHeightfieldDataDestroy(data);
}

/* Called with every geom that is collided: must cost next to nothing. */
void peg_geom_prepare(dGeomID geom)
{
    if (dGeomGetClass(geom) != dHeightfieldClass) return;
    dHeightfieldDataID data = dGeomHeightfieldGetHeightfieldData(geom);
    pegHeightfield field = {.callback = NULL};
    pthread_mutex_lock(&later.lock);
    int i = later.waiting ? peg_map_find(&later.data, data, NULL) : -1;
    if (i >= 0 && i < later.room && later.of[i].callback) {
        field = later.of[i];
        later.of[i].callback = NULL;
        later.waiting--;
    }
    pthread_mutex_unlock(&later.lock);
    if (field.callback) register_field(data, &field);
}

void peg_take_heightfields_over(peg_calls *calls)
{
#define TAKE(name) calls->name = name##_seen;
    TAKE(dGeomHeightfieldDataBuildCallback)
    TAKE(dGeomHeightfieldDataBuildByte)
    TAKE(dGeomHeightfieldDataBuildShort)
    TAKE(dGeomHeightfieldDataBuildSingle)
    TAKE(dGeomHeightfieldDataBuildDouble)
    TAKE(dGeomHeightfieldDataDestroy)
}
