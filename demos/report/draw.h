/* Drawing bodies into a depth buffer, as an eye sees them from far away. */
#ifndef LAB_DRAW_H
#define LAB_DRAW_H

#include "demos/world/world.h"

#define LAB_PANEL   640 /* pixels, width and height of a state */
#define LAB_SAMPLES 2   /* per pixel and direction */

typedef struct lab_eye {
    double right[3], up[3], back[3]; /* unit; back points to the eye */
    double centre[3], zoom;          /* pixels per metre */
} lab_eye;

typedef struct lab_canvas {
    int size; /* samples in each direction */
    float *depth;
    unsigned char *rgb; /* 3 per sample */
} lab_canvas;

double lab_clamp(double x, double low, double high);
/* A static part or triangle that hides a moving body is left out. */
void lab_draw_body(lab_canvas *c, const lab_eye *e, const lab_body *body, const double colour[3]);

#endif
