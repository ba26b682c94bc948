/* Scenes of the lab: how one is described, and how it is run with a contact model.
 *
 * A scene is a build function that declares bodies and their convex parts in the scene's own
 * coordinates (m, s, kg; any frame). Everything that all scenes share is applied here, in one
 * place: `scale` (lengths, speeds and gravity times the factor: the same motion in units of the
 * size), `turn` (the whole scene, gravity and velocities with it, by that many degrees about (1, 2,
 * 3)), mass properties, the frame of the centre of mass, the ODE objects and the contact model.
 * States are handed back in the scene's own coordinates, so that a step function or a test is
 * written once for every scale and turn.
 *
 * Builder calls need no error checks: the first error is kept (lab_fail) and ends the build with
 * its message; calls with a null body do nothing. */
#ifndef LAB_SCENE_H
#define LAB_SCENE_H

#include <stddef.h>
#include <stdint.h>
#include <ode/ode.h>

#include "plugin/ode-peg.h"
#include "peg/lcp/problem.h"

typedef struct lab_world lab_world;
typedef struct lab_body lab_body;
typedef struct lab_joint lab_joint;

typedef enum lab_kind {
    LAB_STATIC,    /* geoms without body */
    LAB_KINEMATIC, /* moves with its velocity, whatever it meets */
    LAB_DYNAMIC
} lab_kind;

typedef struct lab_scene {
    const char *name;  /* as on the command line */
    const char *about; /* one line for `list` */
    double h, time;    /* defaults, s */
    void (*build)(lab_world *w);
    void (*before_step)(lab_world *w, double t); /* may be null; t at the start of the step */
} lab_scene;

/* Entries of a group's array: any scene; one with steps of 0.01 s that build_<builder> makes; one
 * that drive_<builder> drives besides; the end. */
#define LAB_SCENE_OF(name, about, h, time, build, before_step)                                     \
    {                                                                                              \
        name, about, h, time, build, before_step                                                   \
    }
#define LAB_SCENE(builder, name, time, about)                                                      \
    LAB_SCENE_OF(name, about, 0.01, time, build_##builder, NULL)
#define LAB_DRIVEN_SCENE(builder, name, time, about)                                               \
    LAB_SCENE_OF(name, about, 0.01, time, build_##builder, drive_##builder)
#define LAB_SCENES_END LAB_SCENE_OF(NULL, NULL, 0, 0, NULL, NULL)

/* All scenes. Each group is an array that ends with a nameless entry; registry.c joins them. */
extern const lab_scene lab_scenes_pour[], lab_scenes_rest[], lab_scenes_fast[],
    lab_scenes_extreme[], lab_scenes_friction[], lab_scenes_pile[], lab_scenes_planar[],
    lab_scenes_papers[], lab_scenes_anitescu_hart[], lab_scenes_joints[], lab_scenes_geoms[],
    lab_scenes_dilated[], lab_scenes_grip[], lab_scenes_demo[], lab_scenes_demo_drop[],
    lab_scenes_demo_machines[];
int lab_scene_count(void);
const lab_scene *lab_scene_at(int i);
const lab_scene *lab_scene_find(const char *name); /* null: none of that name */

/* ---- building (scene coordinates) ---------------------------------------------------------- */

/* Value of `--set key=value`, or the fallback: a number, a whole number, or 0 or 1. A value outside
 * of low to high fails the build with a message that names key, value and range (the
 * fallback is returned); a key that the build never asks for does, too. */
double lab_key_number(lab_world *w, const char *key, double fallback, double low, double high);
int lab_key_whole(lab_world *w, const char *key, int fallback, int low, int high);
int lab_key_flag(lab_world *w, const char *key, int fallback);
/* The same of a key that the build has asked for, unchecked. */
double lab_key(const lab_world *w, const char *key, double fallback);
/* Ranges of keys: speeds, m/s or rad/s; masses, kg; distances of the scene, m. */
#define LAB_SPEED_MAX  1e5
#define LAB_MASS_MIN   1e-9
#define LAB_MASS_MAX   1e9
#define LAB_LENGTH_MAX 1e3
/* Exact contacts are stepped by pegWorldQuickStep. */
void lab_quick_step(lab_world *w);
double lab_step_size(const lab_world *w);
/* Uniform in [0, 1), from --seed (splitmix64): the same on every machine. */
double lab_random(lab_world *w);
void lab_random_rotation(lab_world *w, double q[4]);
/* The same from a state of the caller's. */
double lab_random_next(uint64_t *state);
void lab_random_turn(uint64_t *state, double q[4]);
/* q of a turn by `degrees` about an axis (any length). */
void lab_axis_angle(double x, double y, double z, double degrees, double q[4]);

void lab_gravity(lab_world *w, double x, double y, double z); /* default (0, 0, -9.81) */
/* Coulomb's coefficient of all contacts (default 0), unless --mu gives one. The key `directions`
 * chooses the friction cone of the exact contacts (pegSettings.friction_directions); the key
 * `primaries` the I-constraints of the papers' (pegSettings.paper_primaries), the keys
 * `psi-minimum`, `sin-theta`, `tan-phi`, `edges` and `fallback` their other settings; the keys
 * `stiffness` (lp), `gamma`, `gradient`, `traps`, `adjacent` and `passes` (ratio) the settings of
 * these models; the key `narrow` the narrow phase (0: libccd, 1: own; pegSettings.narrow_phase),
 * the key `mesh-search` the search in trees of meshes (0: all bounds, 1: boxes, 2: none), the key
 * `rotation` the relative rotation of contacts (rad), the key
 * `threads` how many solve islands side by side (pegSettings.threads). */
void lab_friction(lab_world *w, double mu);
void lab_restitution(lab_world *w, double bounce); /* of all contacts; default 0 */
/* All of ODE's surface parameters for all contacts, in scene units, instead of the two calls above.
 * --mu makes the friction Coulomb's with that coefficient. Softness (SoftERP, SoftCFM), which lets
 * bodies overlap, is for stock ODE; the key `soft` gives it (1) to the exact contacts, too. */
void lab_surface(lab_world *w, const dSurfaceParameters *surface);
/* Asked before every contact of two bodies: may change the surface (scene units; what it finds is
 * that of all contacts, mode bits included) and give fdir1 (scene coordinates). The motions are a's
 * relative to b. Returns 0 if the pair shall not collide. */
typedef int lab_pair_surface(lab_world *w, lab_body *a, lab_body *b, dSurfaceParameters *surface,
                             double fdir1[3]);
void lab_pair_surfaces(lab_world *w, lab_pair_surface *rule);
/* The least distance at which the papers' models see features (pegSettings.reach), relative to the
 * smaller part of a pair. */
void lab_reach(lab_world *w, double reach);
/* Bodies that rest fall asleep: ODE's auto-disabling, its thresholds scaled. */
void lab_auto_disable(lab_world *w);
/* Contact points that stock ODE makes of a pair at most; default 16, the most is 64. */
void lab_contacts(lab_world *w, int most);
/* What a program sets of its ODE world (damping, ERP, ...): called when that is made; lengths in it
 * must be multiplied by the scale. */
void lab_tune(lab_world *w, void (*tune)(dWorldID world, double scale));
/* Keeps the first message; the build (or step) then ends with it. */
void lab_fail(lab_world *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A body at rest with its frame at position x and orientation q = (w, x, y, z) (null: none). The
 * frame may lie anywhere; the centre of mass is computed from the parts. Density 1000 kg/m^3. A
 * name that is taken gets a number. */
lab_body *lab_add(lab_world *w, const char *name, lab_kind kind, const double x[3],
                  const double q[4]);
/* Adds a part at x, q in the body's frame (null: none). Parts of a body should not overlap (their
 * masses add up). Boxes become box geoms (with offset where needed), hulls convex geoms, the others
 * ODE's geoms of their names. */
void lab_box(lab_body *body, const double sides[3], const double x[3], const double q[4]);
void lab_hull(lab_body *body, const double (*points)[3], int n, const double x[3],
              const double q[4]);
void lab_sphere(lab_body *body, double radius, const double x[3]);
/* Along z; length: between the centres of the caps, or the ends. */
void lab_capsule(lab_body *body, double radius, double length, const double x[3],
                 const double q[4]);
void lab_cylinder(lab_body *body, double radius, double length, const double x[3],
                  const double q[4]);
/* Triangles counter-clockwise from outside. A dynamic body needs closed ones. */
void lab_trimesh(lab_body *body, const double (*vertices)[3], int nv, const int (*triangles)[3],
                 int nt, const double x[3], const double q[4]);
/* size[0] x size[1] m about the frame's origin, samples[0] x samples[1] heights along z: rows along
 * x, in the order of y. Of a static body only. */
void lab_heightfield(lab_body *body, const double size[2], const int samples[2],
                     const double *height, const double x[3], const double q[4]);
/* A hull of 8 to 14 random points on a sphere of a random radius, m, about the body's origin. */
#define LAB_HULL_RADIUS_MAX .5
void lab_random_hull(lab_world *w, lab_body *body);
/* Makes the scene planar; to be called first. All motion is in the plane z = 0, gravity points
 * along -y, parts are polygons and particles, and only the exact models step it. */
void lab_planar_scene(lab_world *w);
/* The convex hull of n points of the plane, of depth 1 for the density. */
void lab_polygon(lab_body *body, const double (*points)[2], int n);
/* A point at the body's origin; its mass must be given. */
void lab_particle(lab_body *body);
/* The static half-space normal . x <= offset. */
lab_body *lab_plane(lab_world *w, const char *name, const double normal[3], double offset);
/* lab_add and lab_box in one. */
lab_body *lab_add_box(lab_world *w, const char *name, lab_kind kind, double lx, double ly,
                      double lz, double x, double y, double z, const double q[4]);
/* The same, dynamic and of this mass, unturned. */
lab_body *lab_add_block(lab_world *w, const char *name, const double sides[3], const double x[3],
                        double mass);

void lab_density(lab_body *body, double density);
void lab_mass(lab_body *body, double mass); /* instead of the density; the inertia follows */
/* Mass and inertia (row-major) about the body's origin, which is then the centre of mass, whatever
 * its parts are. */
void lab_mass_properties(lab_body *body, double mass, const double inertia[9]);
/* Of the centre of mass; world frame, m/s and rad/s. Also while the scene runs. */
void lab_velocity(lab_body *body, const double linear[3], const double angular[3]);
/* Whether ODE gives the body its gyroscopic torque; default 1. */
void lab_gyroscopic(lab_body *body, int mode);
/* Puts the origin of the frame that the body was built in (planes have none) to another place, as a
 * program does between two steps. Only while the scene runs; velocities stay. */
void lab_move(lab_body *body, const double x[3], const double q[4]);
/* Constant force and torque on the centre of mass (world frame, either may be null). */
void lab_force(lab_body *body, const double force[3], const double torque[3]);
/* The body enters at the first step that starts at time t or later. If others are in its place
 * (nearer than a hundredth of its size), it is moved against gravity in steps of `rise`. */
void lab_enter(lab_body *body, double t, double rise);
/* The scene runs at least so long unless the user says how long, s. */
void lab_run_until(lab_world *w, double time);
/* Gives the part that was added last a radius (pegGeomSetRadius): a box, a hull, a mesh or a
 * heightfield. Its mass stays that of what is inside. Stock ODE knows nothing of it. */
void lab_radius(lab_body *body, double radius);
/* Gives open meshes of the body the mass of a shell of that thickness, m; to be called before they
 * are added. Without it only what does not move may have one. */
void lab_shell(lab_body *body, double thickness);
/* Fixes degrees of freedom of a dynamic body: motion along and about the scene's x, y, z. */
void lab_lock(lab_body *body, const int fixed[6]);
/* Bodies of equal group (> 0) never collide with each other. */
void lab_group(lab_body *body, int group);
/* ODE's joints, for the exact contacts and for stock ODE alike. */
typedef enum lab_joint_kind {
    LAB_BALL,      /* anchor */
    LAB_HINGE,     /* anchor, axis */
    LAB_SLIDER,    /* axis */
    LAB_UNIVERSAL, /* anchor, axis of a, axis of b */
    LAB_HINGE2,    /* anchor, axis of a (steering, suspension), axis of b (wheel) */
    LAB_FIXED,
    LAB_PISTON, /* anchor, axis */
    LAB_PU,     /* anchor, axis of a, axis of b; slides along their cross product */
    LAB_PLANE2D /* keeps a in the world's plane z = 0: no turn of the scene */
} lab_joint_kind;
/* Joins a to b (null: the world) as they lie; what is not needed may be null. Bodies that a joint
 * connects never collide with each other. Both must be there from the start. */
lab_joint *lab_join(lab_world *w, lab_joint_kind kind, lab_body *a, lab_body *b,
                    const double anchor[3], const double axis1[3], const double axis2[3]);
/* A parameter as of dJointSet..Param (plane 2d: group 1: x, 2: y, 3: angle), in scene units; also
 * while the scene runs. */
void lab_joint_param(lab_joint *joint, int parameter, double value);
/* Angle of a hinge since the start, rad. */
double lab_joint_angle(const lab_joint *joint);
/* Angle of a hinge-2 joint's first axis, rad. */
double lab_joint_steering(const lab_joint *joint);
/* The larger of the forces that the joint put on its bodies in the last step, N, scene units. */
double lab_joint_force(const lab_joint *joint);
void lab_joint_break(lab_joint *joint); /* it holds nothing any more */
int lab_joint_is_broken(const lab_joint *joint);
int *lab_body_tag(lab_body *body);                  /* for the scene's use, 0 at first */
int *lab_joint_counter(lab_joint *joint);           /* for the scene's use, 0 at first */
lab_joint *lab_joint_at(const lab_world *w, int i); /* in the order of lab_join */
int lab_joint_count(const lab_world *w);
/* How far the joint's parts are from where they should be to each other, m and rad. Any pointer may
 * be null. */
void lab_joint_error(const lab_joint *joint, double *apart, double *askew);

/* The region bodies should stay in (axis-aligned box of the centres of mass): those outside are
 * counted as escaped. */
void lab_bounds(lab_world *w, const double low[3], const double high[3]);

/* Pictures show this box; else the moving bodies and some surroundings. */
void lab_view(lab_world *w, const double low[3], const double high[3]);
/* Where they show it from: the direction to the eye. Else from a little above. */
void lab_camera(lab_world *w, const double direction[3]);

/* ---- running -------------------------------------------------------------------------------- */

typedef enum lab_contact {
    LAB_PEG,
    LAB_ST,
    LAB_PAPER,
    LAB_LNC,
    LAB_AP,
    LAB_LP,
    LAB_RATIO,
    LAB_ST_PUBLISHED, /* st with every half-space in a large reach, which ends where its problem has
                         no answer */
    LAB_ODE,          /* dWorldStep with dCollide's contacts */
    LAB_ODE_QUICK,    /* dWorldQuickStep */
    LAB_CONTACT_COUNT
} lab_contact;

const char *lab_contact_name(lab_contact contact);
int lab_contact_is_exact(lab_contact contact); /* a model of the contact module, not of ODE */
const char *lab_exact_contacts(void);          /* their names, for messages */

typedef struct lab_setting {
    char key[32];
    double value;
} lab_setting;

typedef struct lab_options {
    lab_contact contact;
    double h, time; /* 0: the scene's */
    long steps;     /* 0: time / h */
    uint64_t seed;
    int mu_given; /* 0: the scene's mu */
    double mu;    /* Coulomb's */
    const lab_setting *set;
    int sets;
    void (*message)(const char *text); /* what the contact module has to say; null: silence */
    void *data;                        /* for scenes that are read from a file */
    void (*opened)(lab_world *w);      /* called before the first step; null: not */
    const struct peg_capture *capture; /* sees the problems of peg and st; null: none */
} lab_options;

#define LAB_TEXT 512

/* Null on error: text says in one line what to do, *user says whether it is the user's (1: bad
 * input) or ours (0). */
lab_world *lab_open(const lab_scene *scene, const lab_options *options, char text[LAB_TEXT],
                    int *user);
/* Whether lab_open would fail for the input (user): 1 with a message, else 0. */
int lab_is_refused(const lab_scene *scene, const lab_options *options, char text[LAB_TEXT]);
void lab_close(lab_world *w);
/* One step. 0, or 1 if the simulation failed (lab_error says how). */
int lab_step(lab_world *w);
const char *lab_error(const lab_world *w);

/* Takes over time, bodies that have entered, poses and velocities from a world of the same scene,
 * seed and keys. 0, or 1 as lab_step. */
int lab_match(lab_world *w, const lab_world *from);

double lab_time(const lab_world *w); /* after the steps made so far */
long lab_steps(const lab_world *w);  /* steps made */
long lab_steps_planned(const lab_world *w);
const lab_options *lab_world_options(const lab_world *w);
double lab_mu(const lab_world *w); /* in force */

int lab_body_count(const lab_world *w);
lab_body *lab_body_at(const lab_world *w, int i);
lab_body *lab_body_find(const lab_world *w, const char *name); /* null: none */
const char *lab_body_name(const lab_body *body);
lab_kind lab_body_kind(const lab_body *body);
int lab_body_present(const lab_body *body); /* 0 before it enters */
int lab_body_asleep(const lab_body *body);
/* Scene coordinates. x, v: of the centre of mass. Any pointer may be null. */
void lab_pose(const lab_body *body, double x[3], double q[4]);
void lab_motion(const lab_body *body, double v[3], double omega[3]);
/* Where a point given in the frame the body was built in is now. */
void lab_point(const lab_body *body, const double local[3], double world[3]);

/* Overlap of all parts of different bodies, at the end of the last step (fraction 1) or inside of
 * it, along ODE's pose update: summed volume over the mean volume of the dynamic bodies, and
 * largest depth, scene coordinates. */
void lab_overlap(lab_world *w, double fraction, double *volume, double *depth);

/* rho [A 3] of the nearest pair of bodies, in multiples of the distance of their centres, at the
 * end of the last step: < 0 overlap. Only pairs whose boxes are within half of the smaller part
 * count; infinity: none is. */
double lab_least_ratio(const lab_world *w);

/* Mechanical energy as the summary gives it, in SI units of the scaled scene. */
typedef struct lab_energy {
    double step_gain;         /* J, of the last step, without work_kinematic */
    double now, initial;      /* J; bodies that enter count in both */
    double work_gravity;      /* J, what gravity has put in so far (> 0 contributions) */
    double work_kinematic;    /* J, what kinematic bodies have put in so far, or taken out; also by
                                 the impulses on bodies that they squeeze, which nothing bounds */
    double kinetic;           /* J, with which bodies entered */
    double put_in;            /* J, of gravity and kinematic bodies, contributions > 0 */
    double gain_max;          /* J, largest gain of a step, without work_kinematic; <= 0: none */
    double gain_max_relative; /* largest of gain / (work so far); infinity if there was no work */
    double gain_max_of_total; /* gain_max / (kinetic + put_in), 0 if there is none */
} lab_energy;
lab_energy lab_world_energy(const lab_world *w);

/* The motion of a step in several shorter ones from the same state. */
typedef struct lab_finer {
    double gain;   /* J, of the energy, without the work of kinematic bodies */
    double after;  /* J, the same of as many more: impacts that the step has made early */
    double flight; /* J, what one step as long as all of them takes out of these bodies in flight:
                      the integrator is of first order, and its losses grow with the square of h */
} lab_finer;
/* From now on every step is made in so many parts besides, of exact contacts only. */
void lab_ask_finer(lab_world *w, int parts);
lab_finer lab_last_finer(const lab_world *w);
int lab_escaped(const lab_world *w);                /* bodies outside of the bounds */
void lab_totals(const lab_world *w, pegStats *sum); /* zeros for ode, ode-quick */
void lab_last(const lab_world *w, pegStats *last);  /* of the last step */

#endif
