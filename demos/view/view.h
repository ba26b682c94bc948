/* The live window: a scene that runs while one looks at it. view.c steps the scene and tells what
 * there is to see; window.cpp has the window. */
#ifndef LAB_VIEW_H
#define LAB_VIEW_H

#include "plugin/ode-peg.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct view view;

/* ---- what there is to see -------------------------------------------------------------------- */

typedef struct view_part {
    int corners; /* three for each triangle */
    const float (*position)[3], (*normal)[3];
    int hides; /* stands between the eye and bodies that move: see view_look */
} view_part;

typedef struct view_body {
    const char *name;
    int present, moves;          /* moves: not static */
    int island, asleep;          /* as of pegDebugDraw; of stock ODE the island is -1 */
    unsigned colour;             /* 0xRRGGBB */
    double depth;                /* m: of its deepest overlap, if that is measured */
    double matrix[16];           /* OpenGL's, from the body's frame to the world */
    double speed, turning, mass; /* m/s, rad/s, kg */
} view_body;

typedef struct view_state {
    const char *scene, *contact;
    double t, h;
    long steps;
    double ms;            /* wall clock of the last step */
    double volume, depth; /* overlap: % of a body; m */
    double energy;        /* J */
    int contacts, islands, rows;
    const char *error; /* why the scene cannot go on, or null */
} view_state;

/* Where the camera begins: a box about what moves, the way up and the direction to the eye. */
typedef struct view_frame {
    double low[3], high[3], up[3], to_eye[3];
} view_frame;

int view_bodies(const view *v);
int view_parts(const view *v, int body);
view_part view_part_at(const view *v, int body, int part);
view_body view_body_at(const view *v, int body);
/* N, sum of the contacts' normal forces on a body; NaN: not known. */
double view_force(const view *v, int body);
view_state view_state_of(const view *v);
view_frame view_frame_of(const view *v);
/* Finds the parts that hide bodies from an eye in that direction. */
void view_look(view *v, const double to_eye[3]);
/* Contacts and islands of the last step: pegWorldDebugDraw, and for stock ODE the same from its
 * contact joints, which have no facets. */
void view_draw(view *v, const pegDebugDraw *draw);

/* ---- what one can do ------------------------------------------------------------------------- */

int view_step(view *v, int measure); /* 1: it failed; measure: overlap, too */
int view_models(const view *v);
const char *view_model_name(const view *v, int model);
int view_model(const view *v);
/* Goes on with another contact model from the present state. 1: it cannot, see view_note. */
int view_switch(view *v, int model);
int view_restart(view *v);
const char *view_note(const view *v);
/* 0, or 1 if it could not be written. Rows of RGBA from the bottom up. */
int view_write_picture(const char *path, const unsigned char *rgba, int width, int height);

/* The window, until it is closed; with a picture: that many steps, then the picture of the window.
 * Returns an exit status. */
int view_window(view *v, const char *picture, long steps);

#ifdef __cplusplus
}
#endif
#endif
