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
#include "peg/base/types.h"

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
 * the added spaces; harmless for others, which it leaves to the sweep. ODE sees a pair only while
 * its boxes overlap, which resting parts do not quite do: outside of the added spaces contacts come
 * and go, and friction lets bodies creep. */
PEG_API void pegNearCallback(void *peg, dGeomID o1, dGeomID o2);

/* A program that filters keeps its own callback: with this set, pegWorldStep calls it for every
 * swept pair of the added spaces (never with spaces as arguments), and only pairs it hands over
 * with pegCollide can touch. Null: every pair may touch that the category and collide bits allow
 * and that no joint connects (dAreConnectedExcluding contact joints). */
PEG_API void pegWorldSetNearCallback(pegWorldID peg, void *data, dNearCallback *callback);

/* Hands a pair over for the coming step: from a near callback, or at any time before pegWorldStep,
 * which uses all such pairs up, also when it fails. The geoms must live until then.
 * o1, o2 may be spaces: then the pairs between them that ODE reports. surface: as of a contact
 * joint between them (see below); null: the one that the pair was handed over with before, or the
 * world's default surface. The last surface of a step counts. Errors: ARGUMENT, NOT_FINITE (the
 * surface), MEMORY (the step fails, too), SHAPE_UNKNOWN (a convex that was not registered; the pair
 * is kept, so register it before the step, which fails else). A ray's pairs count as done: OK. */
PEG_API pegStatus pegCollide(pegWorldID peg, dGeomID o1, dGeomID o2,
                             const dSurfaceParameters *surface);

/* The same with all that a contact joint had: the geoms contact->geom.g1 and g2 (no spaces), the
 * surface, and fdir1 with dContactFDir1. Position, normal and depth are not looked at: a contact is
 * the whole touch of two geoms, so once per pair is enough.
 * feedback (may be null) is what dJointSetFeedback was for: set to 0 at once, and by the step to
 * the forces (N) of all contacts of the pair on the bodies and their torques (N m) about the
 * bodies' centres of mass; it must live until then. f1, t1 act on the body of g1, or on that of g2
 * if g1 has none, as in ODE; f2, t2 are 0 without a second body. Torques of rolling and spinning
 * friction are left out. Of several structures for one pair the last one is filled. */
PEG_API pegStatus pegCollideContact(pegWorldID peg, const dContact *contact,
                                    dJointFeedback *feedback);

/* Surface of all pairs that are handed over without one (pegNearCallback) or that the added spaces
 * give without a callback. Null: frictionless, the default. Errors: ARGUMENT, NOT_FINITE. */
PEG_API pegStatus pegWorldSetDefaultSurface(pegWorldID peg, const dSurfaceParameters *surface);

/* What dSurfaceParameters mean for an exact contact. Forces and limits hold for each point where
 * features touch (pegWorldGetContact), as they hold for each contact joint in ODE: a box that lies
 * flat has four.
 *
 *   mu, mu2        Approx1: coefficients of friction, else limits in N; infinite: no sliding. With
 *                  one coefficient and no fdir1 the friction cone has settings.friction_directions
 *                  sides and turns with the sliding, else it is ODE's pyramid.
 *   Approx1_1, _2  Set apart from each other or from _N they count as set together: one message.
 *   FDir1          First axis of friction, made orthogonal to the normal. Without it mu2, slip2,
 *                  rho2 and the motions have no defined axes: one message. (In ODE the axes are
 *                  then those of dPlaneSpace.)
 *   motion1, 2, N  As in ODE: wanted velocities of g1's body relative to g2 along fdir1, along
 *                  normal x fdir1 and along the normal; of g2's body relative to g1, with the
 *                  normal turned round, if g1 has no body.
 *   slip1, slip2   As in ODE: m/s per N.
 *   rho, rho2,     As in ODE, about fdir1, normal x fdir1 and the normal: with Approx1 lengths in m
 *   rhoN           (times the normal force), else torques in N m.
 *   bounce,        Restitution after the step: the pose keeps free of overlap. No gain of energy:
 *   bounce_vel     bounce above 1 counts as 1, one message.
 *   soft_erp,      Either makes the contact compliant: a spring and damper as in ODE, which
 *   soft_cfm       overlaps. The other is then the world's ERP or CFM. Without them the contact is
 *                  rigid whatever ERP and CFM the world has.
 *   Contact surface layer (dWorldSetContactSurfaceLayer): no meaning, one message; bodies keep the
 *                  gap of settings.margin. Largest correcting velocity
 *                  (dWorldSetContactMaxCorrectingVel): no meaning, one message; an overlap at the
 *                  start opens at settings.recovery_speed.
 *
 * What contact joints did besides: bodies that touch an awake body, or a kinematic one that moves,
 * are woken; bodies that contacts push are put to sleep by ODE's rules and settings of
 * auto-disabling; dAreConnected and dAreConnectedExcluding tell of real joints, since contacts are
 * none. */

/* Joints need no call: contacts, friction and joints are solved as one problem, with the rows that
 * ODE's own step has. These are rebuilt from what ODE's getters tell. What they do not tell is how
 * the joint's bodies lay to each other when it was set; if nothing is said, the pose in which a
 * step first sees the joint is taken for it (one message). pegJointCapture says it: to be called
 * right after the joint was attached and its anchors and axes were set, with the bodies as they
 * were then. Ball, double ball, universal, plane-2d joints and linear motors have no need of it.
 * Two types keep settings that no getter tells; until told, a linear motor's axes are taken as
 * global ones and a plane-2d joint as without motors (one message):
 * pegJointLMotorAxis: axis and rel as of dJointSetLMotorAxis (rel 0: global, 1, 2: the first,
 * second body's). pegJointPlane2DParam: parameter (dParamVel, dParamFMax, dParamCFM) and value as
 * of dJointSetPlane2DXParam (axis 0), YParam (1), AngleParam (2). Both do not call ODE. A joint
 * that is destroyed needs no call; what was said of one that no step has met is forgotten at the
 * next step. Errors: ARGUMENT (null, another type of joint, axis out of range), NOT_FINITE, MEMORY.
 */
PEG_API pegStatus pegJointCapture(pegWorldID peg, dJointID joint);
PEG_API pegStatus pegJointLMotorAxis(pegWorldID peg, dJointID joint, int axis, int rel);
PEG_API pegStatus pegJointPlane2DParam(pegWorldID peg, dJointID joint, int axis, int parameter,
                                       dReal value);

/* Steps the world by h with exact contacts. Bodies that touch nothing move exactly as with ODE's
 * own step. pegWorldQuickStep makes it with dWorldQuickStep, which iterates over joints: where
 * there are any, they are solved exactly nevertheless, as the contacts depend on them, and left out
 * of ODE's step (dJointDisable, dJointEnable); if one of their bodies may auto-disable, dWorldStep
 * is used. Where joints contradict each other, or contacts, the joints yield for the step. Geoms
 * without a body, of disabled kinematic bodies and of bodies of another world stand still. On an
 * error ODE's world has not been stepped and is as it was: ARGUMENT (null, or called from inside a
 * step), STEP_SIZE, NOT_FINITE, MASS, SHAPE_EMPTY (a box too thin to have a volume), SHAPE_UNKNOWN
 * (a convex in an added space, or handed over), MEMORY. */
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

/* Samples of a heightfield, as they are given to dGeomHeightfieldDataBuild*: ODE has no getter for
 * them. Sample (i, j) is samples[i + j * width_samples], or callback(user_data, i, j). */
typedef enum pegSampleType {
    PEG_SAMPLES_CALLBACK = 0,
    PEG_SAMPLES_BYTE, /* unsigned char */
    PEG_SAMPLES_SHORT,
    PEG_SAMPLES_SINGLE,
    PEG_SAMPLES_DOUBLE
} pegSampleType;

typedef struct pegHeightfield {
    pegSampleType type;
    const void *samples;             /* null for a callback */
    dHeightfieldGetHeight *callback; /* null for arrays */
    void *user_data;
    dReal width, depth; /* m, along x and z of the geom */
    int width_samples, depth_samples;
    dReal scale, offset; /* height = scale * sample + offset, along y */
    int wrap;            /* repeats itself without end */
} pegHeightfield;

/* Makes the samples known that the data were, or will be, built from: all are read at once and
 * copied, so a field that changes must be registered anew. The surface is ODE's own: cells cut from
 * (i + 1, j) to (i, j + 1), without walls at the border. It is a shell, solid on either side: ODE's
 * thickness has no meaning, a body below stays below. Of a field that wraps the cells about the
 * bodies are kept. A heightfield has ODE's contacts (one message) if it was not registered; if
 * ODE's rays do not meet it where the samples say (50 of them when a step first sees it or sees it
 * registered anew, two at each step: a change is noticed sooner or later); or if it wraps, and
 * bodies near each other need more than 2^18 cells of it. Threads and data of destroyed
 * heightfields: as for convex geoms. Errors: ARGUMENT (null, a size of 0, fewer than two samples a
 * side), NOT_FINITE, SHAPE_EMPTY, MEMORY. */
PEG_API pegStatus pegRegisterHeightfield(dHeightfieldDataID data, const pegHeightfield *samples);
PEG_API void pegForgetHeightfield(dHeightfieldDataID data);

/* Triangle meshes are read back from ODE, which keeps them in single precision; corners at the same
 * place are one vertex, and both sides of a triangle are solid. Each step compares 64 triangles,
 * other ones each time, and reads a mesh again that has changed: up to 64 triangles at once, larger
 * ones as soon as one of the compared triangles differs, or after pegTriMeshChanged at the next
 * step. Triangle callbacks (dGeomTriMeshSetCallback and the like) are not asked (one message).
 * Errors: ARGUMENT (null, no mesh). */
PEG_API pegStatus pegTriMeshChanged(pegWorldID peg, dGeomID geom);

/* How a pair is treated.
 *
 *              | sphere, box, capsule, cylinder, plane, | ray  | class of the program,
 *              | convex, mesh, registered heightfield   |      | other heightfield
 *   sphere ..  | exact                                  | none | ODE
 *   ray        | none                                   | none | none
 *   class ..   | ODE                                    | none | ODE
 *
 * A transform is treated as the geom that it holds. The papers' models (settings.contact) leave out
 * all but boxes, planes and convex geoms (one message). */
typedef enum pegTreatment {
    PEG_TREATMENT_NONE = 0, /* no contacts: rays, two immovable geoms, geoms of one body, geoms
                               with a side or radius of 0, spaces */
    PEG_TREATMENT_EXACT,    /* no overlap */
    PEG_TREATMENT_ODE       /* contacts of dCollide at the start of the step: these overlap */
} pegTreatment;
PEG_API pegTreatment pegPairTreatment(dGeomID a, dGeomID b);
/* The same for two of ODE's classes, where it depends on nothing else: heightfields are taken as
 * registered, a transform has none of its own. */
PEG_API pegTreatment pegClassTreatment(int class1, int class2);

/* Messages: each text comes at most once per world and cause. Null: silence (default). */
typedef void pegMessageFunction(void *data, pegStatus status, const char *text);
PEG_API void pegWorldSetMessageCallback(pegWorldID peg, void *data, pegMessageFunction *callback);

/* Statistics of the last successful step, and summed since creation or the last reset. gap_min is
 * infinite before there was a pair. */
PEG_API void pegWorldGetStats(pegWorldID peg, pegStats *last);
PEG_API void pegWorldGetTotals(pegWorldID peg, pegStats *sum);
PEG_API void pegWorldResetTotals(pegWorldID peg);

/* Which features touch, of g1 and of g2. A sphere is a vertex and a capsule an edge between two
 * vertices, with a radius all round. Of a cylinder the edge is the round side, vertices and faces
 * are the rims and caps, 0 at -z, 1 at z. */
typedef enum pegFeatures {
    PEG_VERTEX_FACE = 0, /* a vertex of g1, a face of g2 */
    PEG_FACE_VERTEX,
    PEG_EDGE_EDGE,
    PEG_VERTEX_VERTEX,
    PEG_VERTEX_EDGE,
    PEG_EDGE_VERTEX,
    PEG_FEATURES_UNKNOWN /* one of ODE's own contacts */
} pegFeatures;

/* Contacts that carried an impulse in the last step; none after a step that failed. Geoms that were
 * destroyed since then must not be looked at. g1 is the geom that was seen first. */
typedef struct pegContact {
    dGeomID g1, g2;
    dVector3 pos;      /* world */
    dVector3 normal;   /* unit, points into g1's body (ODE's convention) */
    dReal gap;         /* m, at the end of the step */
    dReal impulse;     /* N s, on g1's body along the normal */
    dVector3 friction; /* N s, on g1's body, orthogonal to the normal */
    pegFeatures features;
    int feature1, feature2; /* their numbers, the same from step to step. Of meshes: a face is ODE's
                               triangle; 3 t + k is the edge from corner k of triangle t to the next
                               one, and that corner, t being the first triangle that has it. Of
                               heightfields: triangle 2 c is the half of cell c = z (width samples
                               - 1) + x at its smallest x and z, 2 c + 1 the other half. Unknown
                               features: -1 */
} pegContact;
PEG_API int pegWorldGetContactCount(pegWorldID peg);
PEG_API pegStatus pegWorldGetContact(pegWorldID peg, int index, pegContact *contact);

#ifdef __cplusplus
}
#endif
#endif
