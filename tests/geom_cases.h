/* Scenes of every class of geoms, made through the public interface. */
#ifndef GEOM_CASES_H
#define GEOM_CASES_H

#include "plugin/ode-peg.h"
#include "tests/geometry_cases.h"

static const double G = 9.81;

typedef struct scene {
    dWorldID world;
    dSpaceID space;
    pegWorldID peg;
    dTriMeshDataID mesh[4];
    int meshes;
    dHeightfieldDataID field[4];
    int fields;
} scene;

/* Friction mu between all, gravity along -z. */
scene new_scene(double mu);
void free_scene(scene *s);
void make_step(scene *s, double h); /* which must succeed */

/* Messages that came. */
typedef struct messages {
    int n;
    pegStatus status[8];
    char text[8][320];
} messages;
void keep_message(void *data, pegStatus status, const char *text);

/* A body of 2 kg, with the geom (or null). */
dBodyID add_body(scene *s, dGeomID geom);
/* The same, turned at random. */
dBodyID add_turned_body(scene *s, cases_random *r, dGeomID geom);

/* Cube of side 1, in ODE's arrays and as triangles. */
extern const dReal planes[24], points[24];
extern const unsigned polygons[30], cube[12][3];
dGeomID add_mesh(scene *s, const double *vertex, int nv, const unsigned *index, int nt);

/* Height of the ground at a place. */
typedef double ground(double x, double y);
double flat(double x, double y);
double bowl(double x, double y);
double waves(double x, double y);

/* A square of SIDE * SIDE cells about the origin, as the last one that was filled or added. */
enum { SIDE = 16 };
extern double grid_vertex[(SIDE + 1) * (SIDE + 1)][3];
extern unsigned grid_triangle[2 * SIDE * SIDE][3];
void fill_grid(double width, ground *height);
dGeomID add_grid(scene *s, double width, ground *height);

/* The same as samples, which become those of the field; turned so that z is up: y of the field is
 * z, its z is -y. */
pegHeightfield sampled(double width, ground *height, double *samples);
dGeomID add_field(scene *s, const pegHeightfield *f);
/* copies: ODE takes a copy of the samples, which it keeps when others are set. */
dGeomID place_field(scene *s, const pegHeightfield *f, int copies);

/* Turns a field so that z is up. */
void turn_up(dGeomID field);

/* A transform about a geom that lies z above its origin. */
dGeomID held(scene *s, dGeomID inner, double z);

/* Every static one has its top at (0, 0, 0). */
enum { PLANE, BOX, SPHERE, CAPSULE, CYLINDER, CONVEX, MESH, FIELD, TRANSFORM, ROUNDED, STATICS };
dGeomID add_static(scene *s, int kind);
/* Every moving one has its centre 0.5 above its lowest points. */
enum { M_SPHERE, M_BOX, M_CAPSULE, M_CYLINDER, M_CONVEX, M_TRANSFORM, M_MESH, M_ROUNDED, MOVERS };
dBodyID add_mover(scene *s, int kind);

/* A ball of radius 0.5 of a class of its own that knows planes and spheres. */
dGeomID add_own_ball(scene *s);

#endif
