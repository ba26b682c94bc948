/* A scene file of Rigid IPC, as it was read. */
#ifndef LAB_IPC_FILE_H
#define LAB_IPC_FILE_H

#include "demos/scenes/mesh.h"
#include "demos/scenes/scene_file.h"

typedef struct file_pose {
    double x[3], q[4];
} file_pose;

typedef struct file_body {
    char name[48];
    lab_kind kind;
    lab_mesh mesh; /* scaled */
    lab_mesh_kind shape;
    double normal[3]; /* of a sheet */
    double extent;    /* of the mesh, before it is split */
    int locked[6];    /* degrees of freedom */
    file_pose at;     /* of the mesh's origin */
    double density, v[3], omega[3], force[3], torque[3];
    long group;                   /* -1: none */
    file_pose *poses;             /* of a kinematic body, one per time step of the file */
    int pose_count, shares_poses; /* shares: another body owns them */
    double kinematic_time;
} file_body;

typedef struct ipc_file {
    lab_file base;
    double timestep, gravity[3], friction, restitution;
    file_body *body;
    int bodies, room;
} ipc_file;

/* The scene's functions; options.data is the file. */
void ipc_build(lab_world *w);
void ipc_before_step(lab_world *w, double t);

#endif
