/* ode-peg: exact contacts for the Open Dynamics Engine.
 *
 *     pegWorldID peg = pegWorldCreate(world, NULL);     once, after dWorldCreate
 *     pegWorldAddSpace(peg, space);
 *     pegWorldSetDefaultSurface(peg, &surface);         friction; frictionless without it
 *     ...
 *     dSpaceCollide(space, peg, &pegNearCallback);      instead of the program's own callback
 *     pegWorldStep(peg, h);                             instead of dWorldStep(world, h)
 *
 * Units and frames are ODE's. Functions that can fail return a pegStatus; none prints, exits or
 * aborts. Null pointers are tolerated: PEG_ERROR_ARGUMENT, or nothing happens, and getters return
 * null, 0 or defaults. Ids of destroyed objects are not. A world and its spaces belong to one
 * thread at a time. */
#ifndef ODE_PEG_H
#define ODE_PEG_H

#include <ode/ode.h>
#include "peg/base/types.h"

#if defined(dSINGLE)
#error "ode-peg needs ODE in double precision (dDOUBLE): this one has dReal = float"
#endif

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

/* Version of the loaded library, as PEG_VERSION_STRING. */
PEG_API const char *pegVersion(void);
/* One sentence: what the status means and what to do. Never null; the text lives for ever. */
PEG_API const char *pegStatusMessage(pegStatus status);

PEG_API void pegSettingsDefault(pegSettings *settings);

/* Attaches a peg world to an ODE world, which can have one at a time. settings may be null
 * (defaults). pegWorldCreate returns null on an error; pegWorldCreateStatus tells which: ARGUMENT,
 * SETTINGS, WORLD, MEMORY. The ODE world must outlive every step; pegWorldDestroy may come after
 * dWorldDestroy, but before another ODE world takes the address. During a step of the peg world it
 * does nothing. */
PEG_API pegWorldID pegWorldCreate(dWorldID world, const pegSettings *settings);
PEG_API pegStatus pegWorldCreateStatus(dWorldID world, const pegSettings *settings,
                                       pegWorldID *out);
PEG_API void pegWorldDestroy(pegWorldID peg);
PEG_API dWorldID pegWorldGetWorld(pegWorldID peg);
PEG_API pegStatus pegWorldSetSettings(pegWorldID peg, const pegSettings *settings);
PEG_API void pegWorldGetSettings(pegWorldID peg, pegSettings *settings);

/* Adds a space, with the geoms and spaces nested in it now or later, to the swept broad phase: it
 * finds pairs that could touch during the coming step although their AABBs do not overlap yet,
 * across added spaces as well. As in ODE, a pair passes by the category and collide bits of its
 * geoms and of the spaces that hold them; disabled geoms and spaces take no part.
 * Remove a space before it is destroyed, or destroy the peg world first.
 * Errors: ARGUMENT (null; during a step; removal of a space that was not added), MEMORY. */
PEG_API pegStatus pegWorldAddSpace(pegWorldID peg, dSpaceID space);
PEG_API pegStatus pegWorldRemoveSpace(pegWorldID peg, dSpaceID space);

/* Near callback for dSpaceCollide and dSpaceCollide2, with data = the pegWorldID: adds every pair
 * that no joint connects, nested spaces included. Only geoms outside the added spaces need it;
 * pairs inside are left to the broad phase. ODE reports a pair only while its AABBs overlap, which
 * those of resting geoms do not quite: outside the added spaces contacts come and go, and bodies
 * creep despite friction. */
PEG_API void pegNearCallback(void *peg, dGeomID o1, dGeomID o2);

/* For programs that filter pairs. With a callback, pegWorldStep calls it for every candidate pair
 * of the added spaces (speculative pairs, whose swept AABBs overlap, included; never for spaces),
 * and only pairs that it adds with pegWorldAddPair can touch. Without (null): every pair that the
 * category and collide bits allow and that no joint but contact joints connects.
 * The bodies have been read by then: the callback may look at the world and add pairs. If it
 * changes a pose, velocity, force or torque the step fails with CALLBACK; it must not destroy
 * bodies, geoms, joints or spaces. */
PEG_API void pegWorldSetNearCallback(pegWorldID peg, void *data, dNearCallback *callback);

/* Adds a pair for the coming step: from a near callback, or at any time before pegWorldStep. Each
 * step consumes all added pairs, also if it fails; the geoms must exist until then. No contact is
 * computed here: nothing is returned but the status.
 * o1, o2 may be spaces: the pairs between them that ODE reports. surface: as of a contact joint
 * between the geoms (see below); null: that of an earlier call for this pair and step, or the
 * world's default. The last surface of a step wins. Errors: ARGUMENT, NOT_FINITE (surface), SURFACE
 * (a negative mu, mu2, rho, slip, bounce or soft_cfm, a soft_erp outside of 0 to 1), MEMORY (the
 * step will fail, too), CONVEX_NOT_REGISTERED (the pair is kept: register the geom before the step,
 * which fails otherwise). Pairs of rays are ignored: OK. */
PEG_API pegStatus pegWorldAddPair(pegWorldID peg, dGeomID o1, dGeomID o2,
                                  const dSurfaceParameters *surface);

/* The same with what a contact joint holds: the geoms contact->geom.g1 and g2 (no spaces), the
 * surface, and fdir1 with dContactFDir1. Position, normal and depth are ignored: a pair has one
 * contact manifold, found by the step, so one call per pair suffices.
 * feedback (may be null) replaces dJointSetFeedback: set to 0 at once, and by the step to the sums
 * over the pair's contact points of the forces (N) on the bodies and the torques (N m) about their
 * centres of mass; it must exist until then. f1, t1 act on the body of g1, or on that of g2 if g1
 * has none, as in ODE; f2, t2 are 0 without a second body. Torques of rolling and spinning friction
 * are not included. Of several structures for one pair the last is filled. */
PEG_API pegStatus pegWorldAddPairContact(pegWorldID peg, const dContact *contact,
                                         dJointFeedback *feedback);

/* Surface of pairs that are added without one (pegNearCallback) or that the broad phase finds
 * without a callback. Null: frictionless, which is also the default (one message when contacts
 * meet it). Errors: ARGUMENT, NOT_FINITE, SURFACE. */
PEG_API pegStatus pegWorldSetDefaultSurface(pegWorldID peg, const dSurfaceParameters *surface);

/* Meaning of dSurfaceParameters for an exact contact. Forces and limits hold for each contact point
 * (pegWorldGetContact), as in ODE for each contact joint: a box on a plane has four.
 *
 *   mu, mu2        With Approx1: friction coefficients; without: limits in N (one message for small
 *                  ones, which look like coefficients). Infinite: no sliding.
 *                  With one coefficient and no fdir1 the friction cone has
 *                  settings.friction_directions sides and is aligned with the sliding velocity;
 *                  otherwise it is ODE's pyramid.
 *   Approx1_1, _2  If set apart from each other or from _N they are taken as set together (one
 *                  message).
 *   FDir1          First friction direction, made orthogonal to the normal. Without it mu2, slip2,
 *                  rho2 and the motions have no defined axes (one message; in ODE the axes are then
 *                  those of dPlaneSpace).
 *   motion1, 2, N  As in ODE: target velocities of g1's body relative to g2 along fdir1, normal x
 *                  fdir1 and the normal; of g2's body relative to g1, with the reversed normal, if
 *                  g1 has no body.
 *   slip1, slip2   As in ODE: m/s per N.
 *   rho, rho2,     As in ODE, about fdir1, normal x fdir1 and the normal: with Approx1 lengths in m
 *   rhoN           (times the normal force), else torques in N m.
 *   bounce,        Restitution, applied after the step: the poses stay free of overlap. bounce
 *   bounce_vel     above 1 is clamped to 1 (one message): contacts never add energy.
 *   soft_erp,      Either makes the contact compliant, a spring and damper as in ODE, which
 *   soft_cfm       overlaps, if settings.soft_contacts allows it: by default only if the step can
 *                  resolve the spring. The other is then the world's ERP or CFM. Without them the
 *                  contact is rigid whatever ERP and CFM the world has (one message of each kind).
 *   Contact surface layer (dWorldSetContactSurfaceLayer): ignored (one message); geoms keep the
 *                  separation settings.margin. Maximum correcting velocity
 *                  (dWorldSetContactMaxCorrectingVel): ignored (one message); penetration recovery
 *                  is capped by settings.max_depenetration_speed.
 *
 * What contact joints did besides: bodies that touch an awake body, or a moving kinematic one, are
 * woken; bodies in contact are put to sleep by ODE's auto-disable rules and settings; dAreConnected
 * and dAreConnectedExcluding see real joints only, since contacts are not joints. */

/* Joints need no call: contacts, friction and joints are solved as one problem, with the rows of
 * ODE's own step, rebuilt from ODE's getters. What no getter tells is the relative pose of the
 * bodies when the joint was set. By default it is the pose in which a step first sees the joint
 * (one message). pegJointSetReferencePose records the present pose: call it right after the joint
 * was attached and its anchors and axes were set. Ball, double ball, universal, plane-2d joints and
 * linear motors do not need it.
 * Two joint types have settings without a getter. Until told, a linear motor's axes are taken as
 * global, and a plane-2d joint as without motors (one message):
 * pegJointSetLMotorAxis: axis and rel as of dJointSetLMotorAxis (rel 0: global, 1, 2: of the first,
 * second body). pegJointSetPlane2DParam: parameter (dParamVel, dParamFMax, dParamCFM) and value as
 * of dJointSetPlane2DXParam (axis 0), YParam (1), AngleParam (2). Neither calls ODE's function. A
 * destroyed joint needs no call; data of a joint that no step has seen are dropped at the next
 * step. Errors: ARGUMENT (null, another joint type, axis out of range), NOT_FINITE, MEMORY. */
PEG_API pegStatus pegJointSetReferencePose(pegWorldID peg, dJointID joint);
PEG_API pegStatus pegJointSetLMotorAxis(pegWorldID peg, dJointID joint, int axis, int rel);
PEG_API pegStatus pegJointSetPlane2DParam(pegWorldID peg, dJointID joint, int axis, int parameter,
                                          dReal value);

/* Steps the world by h with exact contacts. Bodies without contact move exactly as in ODE's own
 * step, those with joints as by dWorldStep but for rounding: joints are solved here and left out of
 * ODE's step (dJointDisable, dJointEnable). If one of their bodies may auto-disable, or one of them
 * is a transmission, dWorldStep finds their impulses once more. pegWorldQuickStep integrates with
 * dWorldQuickStep otherwise. Where joint constraints contradict each other or contacts, they are
 * relaxed for the step. Geoms without a body, of disabled kinematic bodies and of bodies of another
 * world are static. On an error ODE's world is unchanged: ARGUMENT (null, or called from inside a
 * step), STEP_SIZE, NOT_FINITE, MASS, SHAPE_EMPTY (a box too thin to have a volume),
 * CONVEX_NOT_REGISTERED (a convex in an added space or pair), MEMORY. STEP_SIZE: h is not in
 * 1e-20..1e10 s. NOT_FINITE: or 1e60 and more; of a body without geoms, too, since ODE would abort,
 * or if the step would make it so. MASS: not positive, or the determinant of an inertia is below
 * 1e-280 (kg m^2)^3. The message names the culprit.
 *
 * Contact joints that the program makes itself are solved by ODE's step, after the exact contacts
 * and without knowledge of them: do not make any for geoms of added spaces (one message). */
PEG_API pegStatus pegWorldStep(pegWorldID peg, dReal h);
PEG_API pegStatus pegWorldQuickStep(pegWorldID peg, dReal h);

/* ODE has no getter for the arrays of a convex geom, so they are recorded when they are set. All
 * three copy the arrays for the contact geometry (ODE itself keeps referencing the caller's) and
 * validate them: closed, convex, with volume. pegCreateConvex returns null and sets *status (may be
 * null) on error; pegSetConvex then leaves the geom unchanged. pegRegisterConvex takes a geom made
 * by dCreateConvex, and its arrays. pegUnregisterConvex drops the data of a destroyed geom; without
 * it, a new geom at the same address counts as unregistered, recognised by its bounding box. The
 * data serve all worlds of the process. Calls may come from any thread, but not for a geom of a
 * world that is being stepped. */
PEG_API dGeomID pegCreateConvex(dSpaceID space, const dReal *planes, unsigned int planecount,
                                const dReal *points, unsigned int pointcount,
                                const unsigned int *polygons, pegStatus *status);
PEG_API pegStatus pegSetConvex(dGeomID geom, const dReal *planes, unsigned int planecount,
                               const dReal *points, unsigned int pointcount,
                               const unsigned int *polygons);
PEG_API pegStatus pegRegisterConvex(dGeomID geom, const dReal *planes, unsigned int planecount,
                                    const dReal *points, unsigned int pointcount,
                                    const unsigned int *polygons);
PEG_API void pegUnregisterConvex(dGeomID geom);

/* A radius (m) about a box, a convex geom, a triangle mesh or a heightfield: its surface then lies
 * that far off what ODE knows, on both sides of triangles, rounded at edges and corners, in all
 * worlds; 0 takes it back. A sheet becomes a plate that thick twice, a mesh of one triangle a
 * rounded tile; points and edges are spheres and capsules. Contacts are exact. Mass and inertia are
 * the program's as ever, and ODE's own bounding box does not grow: the geom must lie in an added
 * space (pegWorldAddSpace) to be met in time.
 * The radius belongs to the geom with its class and, of a mesh or heightfield, its data: given
 * others it has none. pegCreateConvex and pegUnregisterConvex forget it. Take that of a box back
 * before the geom is destroyed: ODE does not tell, and a new box at the same address would have it.
 * Errors: ARGUMENT (null, negative), NOT_FINITE, GEOM_CLASS (another class: spheres and capsules
 * are round already, cylinders and planes take none), SHAPE_SIZE, MEMORY. A step fails with
 * PEG_ERROR_RADIUS, its message naming the geom, where a heightfield with a radius has ODE's own
 * contacts (see pegRegisterHeightfield). The papers' models know no such geoms: their steps leave
 * them out, with a message. */
PEG_API pegStatus pegGeomSetRadius(dGeomID geom, dReal radius);
PEG_API dReal pegGeomGetRadius(dGeomID geom);

/* Samples of a heightfield, as passed to dGeomHeightfieldDataBuild*; ODE has no getter for them.
 * Sample (i, j) is samples[i + j * width_samples], or callback(user_data, i, j). */
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
    int wrap;            /* repeats without end */
} pegHeightfield;

/* Records the samples that the data were, or will be, built from. All are read and copied at once:
 * register a field again after it changed. The surface is ODE's: cells split from (i + 1, j) to
 * (i, j + 1), no walls at the border, two-sided: ODE's thickness is ignored, a body below stays
 * below. A heightfield has ODE's contacts instead (one message) if it was not registered; if ODE's
 * rays do not hit it at the registered heights (50 rays when a step first sees the field or its new
 * samples, two at each further step); or if it wraps and nearby bodies need more than 2^18 cells.
 * Threads and destroyed data: as for convex geoms. Errors: ARGUMENT (null, a size of 0, fewer than
 * two samples a side), NOT_FINITE, SHAPE_EMPTY, MEMORY. */
PEG_API pegStatus pegRegisterHeightfield(dHeightfieldDataID data, const pegHeightfield *samples);
PEG_API void pegUnregisterHeightfield(dHeightfieldDataID data);

/* Triangle meshes are two-sided surfaces without interior, read back from ODE, which stores them in
 * single precision; vertices at the same place are merged. Each step compares 64 triangles, in
 * turn, with what was read and reads a changed mesh again: meshes of up to 64 triangles at once,
 * larger ones when a compared triangle differs. pegTriMeshUpdate makes the next step read it.
 * Triangle callbacks (dGeomTriMeshSetCallback and the like) are ignored (one message).
 * Errors: ARGUMENT (null, not a mesh). */
PEG_API pegStatus pegTriMeshUpdate(pegWorldID peg, dGeomID geom);

/* How contacts of a pair are computed:
 *
 *              | sphere, box, capsule, cylinder, plane, | ray  | user-defined class,
 *              | convex, mesh, registered heightfield   |      | other heightfield
 *   sphere ..  | exact                                  | none | ODE
 *   ray        | none                                   | none | none
 *   class ..   | ODE                                    | none | ODE
 *
 * A geom transform counts as the geom that it holds. The papers' models (settings.contact) support
 * boxes, planes and convex geoms only, lp spheres and capsules, too (one message). */
typedef enum pegCollisionMode {
    PEG_COLLISION_NONE = 0, /* no contacts: rays, two immovable geoms, geoms of one body, geoms
                               with a side or radius of 0, spaces */
    PEG_COLLISION_EXACT,    /* no overlap */
    PEG_COLLISION_ODE       /* contacts of dCollide at the start of the step; these overlap */
} pegCollisionMode;
PEG_API pegCollisionMode pegPairCollisionMode(dGeomID a, dGeomID b);
/* The same for two geom classes alone: heightfields count as registered, a transform has none of
 * its own. */
PEG_API pegCollisionMode pegClassCollisionMode(int class1, int class2);

/* Messages: each is sent at most once per world and cause, an error again where its culprit is
 * another one than the last time, from inside the call that it is about.
 * Null: none (default). The text begins with the id and class of what it is about and is one
 * sentence; it and the message live until the callback returns. Callbacks must not call functions
 * of the peg world but those that get something. The handler is told more than the callback; both
 * may be set. */
typedef struct pegMessage {
    pegSeverity severity;
    pegStatus status; /* PEG_OK for what is no error and has no status of its own */
    const char *text;
    /* what it is about; null where it does not apply */
    dBodyID body;
    dGeomID geom, other_geom; /* of a pair: both */
    dJointID joint;
} pegMessage;
typedef void pegMessageFunction(void *data, pegStatus status, const char *text);
typedef void pegMessageHandler(void *data, const pegMessage *message);
PEG_API void pegWorldSetMessageCallback(pegWorldID peg, void *data, pegMessageFunction *callback);
PEG_API void pegWorldSetMessageHandler(pegWorldID peg, void *data, pegMessageHandler *handler);

/* Statistics of the last successful step, and summed since creation or the last reset: copies of
 * what the step counted, so that a call costs next to nothing. min_separation is infinite until
 * there was a pair. */
PEG_API void pegWorldGetStats(pegWorldID peg, pegStats *last);
PEG_API void pegWorldGetTotals(pegWorldID peg, pegStats *sum);
PEG_API void pegWorldResetTotals(pegWorldID peg);

/* State: what a run needs to go on with the same bits, as an opaque buffer that can be kept in a
 * file. It holds poses (to the last bit), velocities, forces and the enabled flags of all bodies of
 * the ODE world, which joints are enabled, the seed of dRand, and what the peg world keeps from
 * step to step. It does not hold what the program sets: shapes, masses, settings, motors, static
 * geoms, statistics and pairs added for the coming step.
 *
 * Save between steps. *size is the room of the buffer, in bytes, and becomes what the state takes;
 * a null buffer asks for that: OK, or an error. STATE_INCOMPLETE: saved, but for what ODE does not
 * tell (one message names the body, joint or geom): the counters of auto-disabling of bodies with
 * joints, and the phase of transmissions; contacts of endless heightfields, and of geoms without a
 * body outside the added spaces, start anew.
 *
 * Restore to the same world, or, in any process with the same build of the library and of ODE, to
 * one that was made by the same calls in the same order. Bodies, joints and geoms must be those of
 * the saved world. The contacts of the last step are then unknown until the next one, which begins
 * all contact events anew. STATE_INCOMPLETE: restored, from an incomplete state.
 *
 * Errors, which leave the ODE world as it was: ARGUMENT (null, too small a buffer, during a step),
 * STATE (a buffer that is damaged or of another version or world), MEMORY, and those of a step for
 * geoms. The contacts of the last step can be unknown then, too. */
PEG_API pegStatus pegWorldSaveState(pegWorldID peg, void *buffer, size_t *size);
PEG_API pegStatus pegWorldRestoreState(pegWorldID peg, const void *buffer, size_t size);

/* Features in contact, of g1 and g2. A sphere is a vertex, a capsule an edge between two vertices,
 * both with a radius. A cylinder has one edge (its round side) and, as vertices and faces, its rims
 * and caps: 0 at -z, 1 at z. */
typedef enum pegFeatures {
    PEG_VERTEX_FACE = 0, /* a vertex of g1, a face of g2 */
    PEG_FACE_VERTEX,
    PEG_EDGE_EDGE,
    PEG_VERTEX_VERTEX,
    PEG_VERTEX_EDGE,
    PEG_EDGE_VERTEX,
    PEG_FEATURES_UNKNOWN /* one of ODE's own contacts */
} pegFeatures;

/* Contact points with an impulse in the last step; none after a failed step. Ids of geoms and
 * bodies that were destroyed since then are invalid. g1 is the geom that was seen first.
 *
 * Where bodies rest on more points than they need, impulses of single points are not unique. In an
 * island at rest (all velocities 0) of up to 32 bodies they are the ones of least norm: the four
 * corners of a cube on the floor carry a quarter each. Sums on bodies are as solved. Where least
 * norm would leave the friction cones, and with rolling friction, the impulses stay as solved. */
typedef struct pegContact {
    dGeomID g1, g2;
    dVector3 pos;      /* world */
    dVector3 normal;   /* unit, points into g1's body (ODE's convention) */
    dReal gap;         /* m, of its features at the end of the step; larger where they have turned
                          away from each other since they met */
    dReal impulse;     /* N s, on g1's body along the normal */
    dVector3 friction; /* N s, on g1's body, orthogonal to the normal */
    pegFeatures features;
    int feature1, feature2; /* indices, stable from step to step. Meshes: a face is ODE's triangle;
                               3 t + k is the edge from corner k of triangle t to the next corner,
                               and that corner, t being the first triangle that has it.
                               Heightfields: triangle 2 c is the half of cell c = z (width samples
                               - 1) + x at its smallest x and z, 2 c + 1 the other half. Unknown
                               features: -1 */
    dBodyID body1, body2;   /* null: none */
    dVector3 pos1, pos2;    /* m, world: where the surfaces of g1 and g2 are nearest */
    dVector3 velocity;      /* m/s, of g1's body relative to g2's at pos, after the step */
    dReal h;                /* s, of the step: impulse / h is the mean force, N */
} pegContact;
PEG_API int pegWorldGetContactCount(pegWorldID peg);
PEG_API pegStatus pegWorldGetContact(pegWorldID peg, int index, pegContact *contact);

/* Gap functions of two geoms where they lie, without a world. */
typedef enum pegSeparationMethod {
    PEG_SEPARATION_EXACT, /* facets of the Minkowski difference: depth of an overlap; of disjoint
                             geoms the largest separation over the facets, a lower bound of the
                             distance */
    PEG_SEPARATION_LP,    /* signed separation by linear programs (Johnson, Ortiz, Leyendecker);
                             disjoint geoms: their distance, within 1e-9 of the size or a lower
                             bound */
    PEG_SEPARATION_RATIO  /* ratio metric (Anitescu, Hart): no unit; not of round geoms */
} pegSeparationMethod;

typedef struct pegSeparationResult {
    dReal value;             /* > 0 apart, < 0 overlap, m; of the ratio metric: rho, no unit */
    dVector3 normal;         /* unit, from g2 to g1 */
    dVector3 point1, point2; /* of g1 and g2: touching, if g1 moves by -value along the normal; of
                                the ratio metric: by -value times the vector between the centres */
} pegSeparationResult;

/* Boxes, planes, registered convex geoms, spheres and capsules (of the last two not the ratio
 * metric). Errors (out is unchanged): ARGUMENT (a space), GEOM_CLASS (another class, two planes),
 * CONVEX_NOT_REGISTERED, SHAPE_EMPTY, NOT_FINITE, MEMORY. */
PEG_API pegStatus pegSeparation(dGeomID g1, dGeomID g2, pegSeparationMethod method,
                                pegSeparationResult *out);

/* Forces of all contacts of a pair of geoms, or of a body, in the last step. */
typedef struct pegContactForce {
    int contacts;         /* points */
    dVector3 force;       /* N, world, on g1's body or on the body */
    dVector3 torque;      /* N m, about its centre of mass, without rolling friction */
    dReal normal_force;   /* N, sum of the points' magnitudes */
    dReal friction_force; /* N, sum of the points' magnitudes */
} pegContactForce;
/* sum may be null. The first `room` contacts are written, seen from the geom or body asked for: it
 * is g1 or body1; contacts may be null if room is 0. Errors: ARGUMENT. */
PEG_API pegStatus pegWorldGetPairForce(pegWorldID peg, dGeomID g1, dGeomID g2, pegContactForce *sum,
                                       pegContact *contacts, int room);
PEG_API pegStatus pegWorldGetBodyForce(pegWorldID peg, dBodyID body, pegContactForce *sum,
                                       pegContact *contacts, int room);

/* Contacts that begin, persist and end, one event per pair of geoms and step. Points are matched by
 * their features. A pair whose bodies sleep has no events until one wakes, and persists then. The
 * ids of an END may be of destroyed objects. Off by default: pegWorldSetContactEvents(peg, 1). */
typedef enum pegContactEventType {
    PEG_CONTACT_BEGIN = 0,
    PEG_CONTACT_PERSIST,
    PEG_CONTACT_END
} pegContactEventType;
typedef struct pegContactEvent {
    pegContactEventType type;
    dGeomID g1, g2; /* as they lie in spaces */
    dBodyID body1, body2;
    int points;      /* contact points in this step */
    int new_points;  /* of these: with features that the step before did not have */
    int lost_points; /* of the step before, whose features are gone */
} pegContactEvent;
PEG_API pegStatus pegWorldSetContactEvents(pegWorldID peg, int enabled);
PEG_API int pegWorldGetContactEventCount(pegWorldID peg);
PEG_API pegStatus pegWorldGetContactEvent(pegWorldID peg, int index, pegContactEvent *event);

/* Debug drawing: what the last step found, by functions of the program. World coordinates at the
 * end of the step, metres; colours are 0xRRGGBB, a suggestion. Null functions are not called; none
 * may call functions of the peg world but those that get something. */
typedef enum pegDrawKind {
    PEG_DRAW_POINT = 1,  /* point: of a contact */
    PEG_DRAW_NORMAL = 2, /* segment: from a contact point into g1's body */
    PEG_DRAW_FORCE = 4,  /* segment: from a contact point along the mean force on g1's body */
    PEG_DRAW_FACET = 8,  /* the separating facet of a contact: its face as a polygon (of a plane a
                            square as large as the other geom, of a cylinder a cap), or the edges
                            that span it as segments (of a capsule and a cylinder the axis) */
    PEG_DRAW_BODY = 16,  /* body: every body of the world */
    PEG_DRAW_ALL = 31
} pegDrawKind;
typedef struct pegDebugDraw {
    void *data;          /* passed to the functions */
    unsigned kinds;      /* which are drawn: the sum of their values */
    dReal normal_length; /* m */
    dReal force_scale;   /* m per N */
    void (*point)(void *data, pegDrawKind kind, const dReal *at, unsigned colour);
    void (*segment)(void *data, pegDrawKind kind, const dReal *from, const dReal *to,
                    unsigned colour);
    void (*polygon)(void *data, pegDrawKind kind, const dVector3 *corner, int corners,
                    unsigned colour); /* counter-clockwise or clockwise */
    /* island: bodies that contacts or joints connected in the step have the same number, 0 or more;
     * -1: a kinematic body, or one that the step did not know. asleep: disabled. */
    void (*body)(void *data, dBodyID body, int island, int asleep, unsigned colour);
} pegDebugDraw;
/* Bodies first, then the contacts one by one. After a failed step there are no contacts. Errors:
 * ARGUMENT (null, or called from inside a step), NOT_FINITE (a length), MEMORY. */
PEG_API pegStatus pegWorldDebugDraw(pegWorldID peg, const pegDebugDraw *draw);

/* Earlier names, kept until 1.0. Old fields of pegSettings and pegStats are members of unions,
 * in the part of this file above. */
typedef pegCollisionMode pegTreatment;
#define PEG_TREATMENT_NONE  PEG_COLLISION_NONE
#define PEG_TREATMENT_EXACT PEG_COLLISION_EXACT
#define PEG_TREATMENT_ODE   PEG_COLLISION_ODE

static inline pegStatus pegCollide(pegWorldID peg, dGeomID o1, dGeomID o2,
                                   const dSurfaceParameters *surface)
{
    return pegWorldAddPair(peg, o1, o2, surface);
}

static inline pegStatus pegCollideContact(pegWorldID peg, const dContact *contact,
                                          dJointFeedback *feedback)
{
    return pegWorldAddPairContact(peg, contact, feedback);
}

static inline pegStatus pegJointCapture(pegWorldID peg, dJointID joint)
{
    return pegJointSetReferencePose(peg, joint);
}

static inline pegStatus pegJointLMotorAxis(pegWorldID peg, dJointID joint, int axis, int rel)
{
    return pegJointSetLMotorAxis(peg, joint, axis, rel);
}

static inline pegStatus pegJointPlane2DParam(pegWorldID peg, dJointID joint, int axis,
                                             int parameter, dReal value)
{
    return pegJointSetPlane2DParam(peg, joint, axis, parameter, value);
}

static inline void pegForgetConvex(dGeomID geom)
{
    pegUnregisterConvex(geom);
}

static inline void pegForgetHeightfield(dHeightfieldDataID data)
{
    pegUnregisterHeightfield(data);
}

static inline pegStatus pegTriMeshChanged(pegWorldID peg, dGeomID geom)
{
    return pegTriMeshUpdate(peg, geom);
}

static inline pegTreatment pegPairTreatment(dGeomID a, dGeomID b)
{
    return pegPairCollisionMode(a, b);
}

static inline pegTreatment pegClassTreatment(int class1, int class2)
{
    return pegClassCollisionMode(class1, class2);
}

#ifdef __cplusplus
}
#endif
#endif
