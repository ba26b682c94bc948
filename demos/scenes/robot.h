/* Articulated scenes from XML files, MJCF or URDF: bodies of several parts, connected by joints. */
#ifndef LAB_ROBOT_H
#define LAB_ROBOT_H

#include <libxml/tree.h>

#include "demos/scenes/mesh.h"
#include "demos/scenes/scene_file.h"

typedef struct robot_pose {
    double x[3], q[4];
} robot_pose;

typedef enum robot_shape {
    ROBOT_BOX,      /* size: sides */
    ROBOT_SPHERE,   /* size: radius */
    ROBOT_CAPSULE,  /* radius, length between the centres of the caps */
    ROBOT_CYLINDER, /* radius, length */
    ROBOT_PLANE,    /* normal z; of the world only */
    ROBOT_MESH,
    ROBOT_HEIGHTFIELD /* size: sides; of the world only */
} robot_shape;

typedef struct robot_geom {
    robot_shape shape;
    double size[3];
    robot_pose at; /* in the body's frame */
    lab_mesh mesh;
    lab_mesh_kind kind;
    int samples[2];
    double *height;       /* of a heightfield, along x, then y */
    double density, mass; /* mass > 0: instead */
} robot_geom;

typedef struct robot_body {
    char name[48];
    robot_pose at;                   /* world, at the start */
    int is_fixed;                    /* to the world */
    double mass, com[3], inertia[9]; /* mass > 0: given; inertia about com, in the body's frame */
    double mu;
    int locked[6];
    robot_geom *geom;
    int geoms;
} robot_body;

typedef struct robot_joint {
    lab_joint_kind kind;
    int a, b;                            /* bodies; b -1: the world */
    double anchor[3], axis[3], axis2[3]; /* world, at the start */
    int limited;
    double low, high; /* m or rad */
} robot_joint;

typedef struct robot_ignored {
    char name[40];
    int count;
} robot_ignored;

typedef struct robot {
    double h, gravity[3];
    robot_body *body;
    robot_joint *joint;
    int bodies, joints;
    robot_ignored ignored[64];
    int ignoreds;
    /* reading */
    const char *path, *mesh_dir;
    int failed;
    char *text; /* what is wrong */
} robot;

/* Each fills the robot from the root element of a file; errors by robot_fail. */
void robot_read_mjcf(robot *r, const xmlNode *root);
void robot_read_urdf(robot *r, const xmlNode *root);

/* ---- for the readers ------------------------------------------------------------------------- */

void robot_fail(robot *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Counts something that is left out, to be told at the end. */
void robot_ignore(robot *r, const char *name);
/* Indices, or -1 after robot_fail. Pointers to earlier bodies and geoms end. */
int robot_add_body(robot *r, const char *name, const robot_pose *at);
robot_geom *robot_add_geom(robot *r, int body);
robot_joint *robot_add_joint(robot *r);
void robot_read_mesh(robot *r, robot_geom *g, const char *file, const double scale[3]);
/* frame o local */
robot_pose robot_compose(const robot_pose *frame, const robot_pose *local);
void robot_point(const robot_pose *frame, const double x[3], double out[3]);
void robot_vector(const robot_pose *frame, const double x[3], double out[3]);
/* Fails at the first attribute of these names, which end with null, that holds something else than
 * finite numbers, in the element or below. */
void robot_check_numbers(robot *r, const xmlNode *node, const char *const *names);
/* Fails if an axis of a joint is zero. */
void robot_check_axis(robot *r, const char *joint, const double axis[3]);
/* The text's numbers, up to n; the number of them. */
int robot_numbers(const char *text, double *out, int n);

#endif
