/* Panels: states of several runs side by side, from the same camera, with captions and the scale of
 * depths. What pictures and films are made of. */
#ifndef LAB_PANELS_H
#define LAB_PANELS_H

#include <cairo/cairo.h>

#include "demos/report/draw.h"

#define PANELS_MOST 16

typedef struct lab_panels {
    int n, size; /* pixels of a panel, each way */
    lab_stage stage[PANELS_MOST];
    lab_eye eye;
    lab_canvas canvas;
    double red; /* m: the depth of full red; 0: there is no overlap */
    cairo_surface_t *image;
} lab_panels;

/* For n traces that are measured. The camera shows the view that the scene asks for, or else all
 * frames of the moving bodies. 0, or 1 without memory; to be freed in either case. */
int lab_panels_open(lab_panels *p, lab_trace *const *traces, int n, int size);
/* Draws one frame of each trace into the image. */
void lab_panels_draw(lab_panels *p, const trace_frame *const *frames);
void lab_panels_free(lab_panels *p);

#endif
