/* ode-peg: exact contacts for the Open Dynamics Engine.
 *
 *     pegWorldID peg = pegWorldCreate(world, NULL);     once, after dWorldCreate
 *     pegWorldAddSpace(peg, space);
 *     ...
 *     dSpaceCollide(space, peg, &pegNearCallback);      instead of the program's own callback
 *     pegWorldStep(peg, h);                             instead of dWorldStep(world, h)
 *
 * Units and frames are ODE's. Functions that can fail return a pegStatus; none prints, exits or
 * aborts. A world and its spaces belong to one thread at a time. */
#ifndef ODE_PEG_H
#define ODE_PEG_H

#include <ode/ode.h>
#include "peg/types.h"

#define PEG_VERSION_MAJOR  0
#define PEG_VERSION_MINOR  1
#define PEG_VERSION_PATCH  0
#define PEG_VERSION_STRING "0.1.0"

#if defined(__GNUC__)
#define PEG_API __attribute__((visibility("default")))
#else
#define PEG_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pegWorld *pegWorldID;

/* Version of the library that is loaded, as PEG_VERSION_STRING. */
PEG_API const char *pegVersion(void);
/* One sentence that says what the status means and what to do. Never null. */
PEG_API const char *pegStatusMessage(pegStatus status);

PEG_API void pegSettingsDefault(pegSettings *settings);

/* Attaches the module to a world. settings may be null (defaults). Null if the settings are out of
 * range or memory is exhausted; pegWorldCreateStatus tells which.
 * The world must outlive every step; pegWorldDestroy may come after dWorldDestroy. */
PEG_API pegWorldID pegWorldCreate(dWorldID world, const pegSettings *settings);
PEG_API pegStatus pegWorldCreateStatus(dWorldID world, const pegSettings *settings,
                                       pegWorldID *out);
PEG_API void pegWorldDestroy(pegWorldID peg);
PEG_API dWorldID pegWorldGetWorld(pegWorldID peg);
PEG_API pegStatus pegWorldSetSettings(pegWorldID peg, const pegSettings *settings);
PEG_API void pegWorldGetSettings(pegWorldID peg, pegSettings *settings);

/* Adds a space (with all that is nested in it, now or later) to the swept broad phase: pairs that
 * could touch during the coming step are found there even if their boxes do not overlap yet. Pairs
 * across two added spaces count as well. As in ODE a pair passes by its category and collide bits,
 * those of the sub-spaces on the way included; disabled geoms and spaces take no part.
 * The space must be removed before it is destroyed (pegWorldDestroy also forgets it).
 * Errors: ARGUMENT (null; removal of a space that was not added), MEMORY. */
PEG_API pegStatus pegWorldAddSpace(pegWorldID peg, dSpaceID space);
PEG_API pegStatus pegWorldRemoveSpace(pegWorldID peg, dSpaceID space);

/* Near callback for dSpaceCollide / dSpaceCollide2 with data = the pegWorldID: hands every pair
 * over that no joint connects, the inside of nested spaces included. Needed for geoms outside of
 * the added spaces; harmless for others, which it leaves to the sweep. */
PEG_API void pegNearCallback(void *peg, dGeomID o1, dGeomID o2);

/* A program that filters keeps its own callback: with this set, pegWorldStep calls it for every
 * swept pair of the added spaces (never with spaces as arguments), and only pairs it hands over
 * with pegCollide can touch. Null: every pair may touch that the category and collide bits allow
 * and that no joint connects (dAreConnectedExcluding contact joints). */
PEG_API void pegWorldSetNearCallback(pegWorldID peg, void *data, dNearCallback *callback);

/* Hands a pair over for the coming step: from a near callback, or at any time before pegWorldStep,
 * which uses all such pairs up, also when it fails. The geoms must live until then.
 * o1, o2 may be spaces: then the pairs between them that ODE reports. surface: friction and the
 * like; null means frictionless. Contacts are frictionless in this version: a surface that asks for
 * more is reported once through the message callback and treated as frictionless. Errors: ARGUMENT,
 * GEOM_CLASS (a ray's pairs count as done: OK), MEMORY (the step fails, too), SHAPE_UNKNOWN (a
 * convex that was not registered; the pair is kept, so register it before the step, which fails
 * else). */
PEG_API pegStatus pegCollide(pegWorldID peg, dGeomID o1, dGeomID o2,
                             const dSurfaceParameters *surface);

/* Steps the world by h with exact contacts; pegWorldQuickStep hands the joints to dWorldQuickStep.
 * Bodies that touch nothing move exactly as with ODE's own step. Bodies with joints get contacts
 * that are computed as if they had none. Geoms without a body, of disabled kinematic bodies and of
 * bodies of another world stand still. On an error ODE's world has not been stepped and is as it
 * was: ARGUMENT (null, or called from inside a step), STEP_SIZE, NOT_FINITE, MASS, SHAPE_EMPTY (a
 * box too thin to have a volume), SHAPE_UNKNOWN (a convex in an added space, or handed over),
 * MEMORY. */
PEG_API pegStatus pegWorldStep(pegWorldID peg, dReal h);
PEG_API pegStatus pegWorldQuickStep(pegWorldID peg, dReal h);

/* ODE has no getter for the arrays of a convex geom, so they must be seen when they are set. Both
 * make a copy for the contact geometry (ODE itself goes on referencing the arrays) and validate it:
 * closed, convex, with volume. pegCreateConvex returns null and sets *status (may be null) on
 * error; pegSetConvex then leaves the geom as it was. pegRegisterConvex takes a geom that was made
 * with dCreateConvex and the arrays it was made from. Data of a destroyed geom: pegForgetConvex, or
 * nothing (a new geom at the same address registers anew; until it does it counts as unknown, told
 * by its bounding box). The data serve all worlds of the process; the calls may come from any
 * thread, but not for a geom of a world that is being stepped. */
PEG_API dGeomID pegCreateConvex(dSpaceID space, const dReal *planes, unsigned int planecount,
                                const dReal *points, unsigned int pointcount,
                                const unsigned int *polygons, pegStatus *status);
PEG_API pegStatus pegSetConvex(dGeomID geom, const dReal *planes, unsigned int planecount,
                               const dReal *points, unsigned int pointcount,
                               const unsigned int *polygons);
PEG_API pegStatus pegRegisterConvex(dGeomID geom, const dReal *planes, unsigned int planecount,
                                    const dReal *points, unsigned int pointcount,
                                    const unsigned int *polygons);
PEG_API void pegForgetConvex(dGeomID geom);

/* Messages: each text comes at most once per world and cause. Null: silence (default). */
typedef void pegMessageFunction(void *data, pegStatus status, const char *text);
PEG_API void pegWorldSetMessageCallback(pegWorldID peg, void *data, pegMessageFunction *callback);

/* Statistics of the last successful step, and summed since creation or the last reset. gap_min is
 * infinite before there was a pair. */
PEG_API void pegWorldGetStats(pegWorldID peg, pegStats *last);
PEG_API void pegWorldGetTotals(pegWorldID peg, pegStats *sum);
PEG_API void pegWorldResetTotals(pegWorldID peg);

/* Contacts that carried an impulse in the last step; none after a step that failed. Geoms that were
 * destroyed since then must not be looked at. */
typedef struct pegContact {
    dGeomID g1, g2;
    dVector3 pos;    /* world */
    dVector3 normal; /* unit, points into g1's body (ODE's convention) */
    dReal gap;       /* m, at the end of the step */
    dReal impulse;   /* N s, on g1's body along the normal */
} pegContact;
PEG_API int pegWorldGetContactCount(pegWorldID peg);
PEG_API pegStatus pegWorldGetContact(pegWorldID peg, int index, pegContact *contact);

#ifdef __cplusplus
}
#endif
#endif
