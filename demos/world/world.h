/* Inside of a lab_world: for the files of the lab, not for scenes. */
#ifndef LAB_WORLD_H
#define LAB_WORLD_H

#include "demos/world/scene.h"
#include "demos/oracle/shape.h"

#define LAB_CONTACTS_MAX 64 /* of a pair, for stock ODE */

typedef struct lab_state {
    double x[3], q[4], v[3], omega[3];
} lab_state;

typedef struct lab_part {
    int is_box, is_point;
    double sides[3];   /* of a box or (two) of a heightfield; radius and length of round parts */
    int samples[2];    /* of a heightfield, along x and y; else 0 */
    double *height;    /* row after row, from the largest y down, as ODE takes them */
    double x[3], q[4]; /* of the geom in the body's frame */
    double radius;     /* about a box, a hull, a mesh or a heightfield, m */
    lab_shape *shape;  /* in the body's frame */
    lab_shape *placed; /* in world coordinates, at the pose last given to lab_place */
    double low[3], high[3]; /* of placed */
    struct lab_tree *tree;  /* of a placed mesh; may be null */
    dGeomID geom;
    dReal *planes, *points; /* a convex geom refers to these, a trimesh to the last two */
    unsigned *polygons;
    dTriMeshDataID mesh;
    dHeightfieldDataID field;
} lab_part;

/* Once sealed, everything is in world coordinates (scaled, turned) and the frame is that of the
 * centre of mass. */
struct lab_body {
    lab_world *world;
    int number; /* in lab_world.body */
    char name[64];
    lab_kind kind;
    int is_plane;
    lab_part *part;
    int parts;
    double density, mass; /* mass 0 before sealing: from the density */
    double volume, inertia[9], com[3];
    int no_gyro;
    double shell;   /* thickness of open meshes, m; 0: none */
    int locked[6];  /* degrees of freedom */
    int mass_given; /* mass properties do not follow from the parts */
    double force[3], torque[3];
    double enter, rise;
    int group, present, tag;
    dBodyID id;
    lab_state now, before; /* before: at the start of the last step */
};

/* All in world coordinates. */
struct lab_joint {
    lab_world *world;
    lab_joint_kind kind;
    lab_body *a, *b; /* b null: the world */
    double anchor[3], axis1[3], axis2[3];
    struct lab_param {
        int parameter;
        double value; /* world units */
    } param[24];
    int params;
    dJointID id;
    dJointFeedback feedback;
    int broken, counter;
    double point[2][3], axis[2][3], turn[4]; /* as they lay: in each body's frame; b's in a's */
};

#define LAB_KEYS_MAX 48

struct lab_world {
    const lab_scene *scene;
    lab_options options;
    double h, scale, turn_q[4], turn[9], gravity[3];
    long steps, planned;
    uint64_t random;
    lab_body **body;
    int bodies, body_room;
    lab_joint **joint;
    int joints;
    char asked[LAB_KEYS_MAX][32]; /* keys that the build asked for */
    int keys;
    int has_bounds, has_groups, has_kinematic, sealed;
    dSurfaceParameters surface; /* of all contacts, world units; mu, bounce: what scenes ask for */
    double mu;
    lab_pair_surface *pair_surface;             /* may be null */
    int contacts_most;                          /* of a pair, for stock ODE */
    void (*tune)(dWorldID world, double scale); /* may be null */
    int auto_disable, directions;
    int quick_step;                                /* exact contacts: pegWorldQuickStep */
    double reach;                                  /* relative */
    int primaries;                                 /* pegSettings.paper_primaries */
    double psi_minimum, sin_theta, tan_phi, edges; /* the same of paper_.. */
    int fallback;                                  /* paper_fallback */
    double stiffness, gamma;                       /* pegSettings.lp_stiffness, ratio_gamma */
    int gradient, traps, adjacent, passes;         /* the same of ratio_.. */
    double rotation;                               /* relative_rotation of them */
    int mesh_search;                               /* the same */
    int narrow;                                    /* narrow_phase of the exact contacts */
    int threads;                                   /* pegSettings.threads */
    double low[3], high[3];                        /* bounds, scene coordinates */
    int has_view;
    double view[2][3]; /* low and high, scene coordinates */
    int has_camera;
    double camera[3]; /* direction to the eye, scene coordinates */

    dWorldID ode;
    dSpaceID space;
    dJointGroupID contacts;
    pegWorldID peg;
    int contact_error; /* pegStatus of a pair that could not be submitted */

    lab_energy energy;
    int finer_parts; /* before each step the same motion is made in so many; 0: it is not */
    lab_finer finer;
    double seconds, seconds_pairs, seconds_ode; /* of stepping, summed; the last two for ode only */
    double cpu_seconds;                         /* the same of processor time */
    double last_seconds, last_cpu; /* of the last step: wall clock, and of all threads */
    int is_planar;
    struct lab_planar *planar;           /* instead of ode, space and peg */
    long ode_rows;                       /* of the contacts of stock ODE, summed over the steps */
    long ode_messages;                   /* complaints of ODE's own solver */
    struct lab_contact_log *contact_log; /* see contact_points.h; null: not recorded */
    int failed;
    int unsolved; /* .. because the contact model has no answer (PEG_ERROR_SOLVER) */
    char error[LAB_TEXT];
};

void lab_unit_quat(const double q[4], double out[4]);
/* Scene to world coordinates, for vectors that scale with the given power of the length. */
void lab_to_world(const lab_world *w, const double a[3], double factor, double out[3]);
/* Keys of --set that the build never asked for are the user's mistake. */
void lab_check_keys(lab_world *w);
/* Turns what was declared into world coordinates; then makes the ODE world. Errors by lab_fail. */
void lab_seal(lab_world *w);
void lab_make(lab_world *w);
/* Creates body and geoms at the body's pose. */
void lab_make_body(lab_body *body);
/* Creates the geom of a part at the body's pose; frees what the part owns. */
void lab_make_geom(lab_body *body, lab_part *part);
void lab_free_part(lab_part *part);
/* Gives ODE the body's pose. */
void lab_put(lab_body *body);
/* Tells the moving trimeshes where they were when pairs were last looked for. */
void lab_keep_transforms(lab_world *w);
/* The surface of contacts between geoms of a and b, in world units, fdir1 in dContact's sense. 0 if
 * they pass through each other. */
int lab_surface_between(lab_world *w, lab_body *a, lab_body *b, dContact *contact);
/* What the scene's program does with a pair of geoms; for the exact contacts only where bodies are
 * grouped or pairs have surfaces of their own. data: the lab_world. */
void lab_near_callback(void *data, dGeomID o1, dGeomID o2);
/* Makes the bodies whose time has come. */
void lab_enter_bodies(lab_world *w);
/* Mechanical energy of a dynamic body, J; 0 of others. */
double lab_body_energy(const lab_body *body);
/* Counts a body that enters. */
void lab_enter_energy(lab_body *body);
/* What the last step did to the energy. */
void lab_account_energy(lab_world *w);
/* The energy that it added but for `moved`, and what kinematic bodies put in by it, J. */
double lab_step_gain(const lab_world *w, double moved);
double lab_kinematic_work(lab_world *w);
/* Makes so many steps of h / parts by `advance`, exact contacts only, and restores the state. */
lab_finer lab_look_finer(lab_world *w, int parts, int (*advance)(lab_world *));
/* Counts what ODE has to say instead of printing it; those of this thread since the last call. */
void lab_count_ode_messages(void);
long lab_take_ode_messages(void);
/* Moves the parts' placed shapes to a pose. */
void lab_place(lab_body *body, const double x[3], const double q[4]);
/* Makes the motors that hold the locked degrees of freedom. */
void lab_make_locks(lab_body *body);
/* Creates a joint, as its bodies lie. */
void lab_make_joint(lab_joint *joint);
int lab_are_joined(const lab_body *a, const lab_body *b);
/* Whether pairs of these bodies are subject to contact. */
int lab_can_touch(const lab_body *a, const lab_body *b);
/* Reads the pose and velocity that ODE has. */
void lab_read(lab_body *body);
/* Pose at a fraction of the last step. */
void lab_between(const lab_body *body, double fraction, double x[3], double q[4]);
/* Summed overlap volume (m^3) and largest depth (m), world coordinates; of_body (may be null, one
 * entry per body, 0 at first) receives the depth of each. */
void lab_measure(lab_world *w, double fraction, double *volume, double *depth, double *of_body);
/* Settings of the contact module for this world. */
void lab_settings(const lab_world *w, pegSettings *settings);
/* name=value,.. of what differs from pegSettingsDefault, but for the contact model; of ODE's own
 * contacts nothing. */
void lab_settings_text(const lab_world *w, char *text, size_t size);
double lab_mean_volume(const lab_world *w); /* of the dynamic bodies, m^3 */
double lab_now(void);                       /* s, monotonic */
double lab_cpu_now(void);                   /* s, processor time of all threads */

#endif
