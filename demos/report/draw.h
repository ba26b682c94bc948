/* Drawing the bodies of a trace into a depth buffer, as an eye sees them from far away. */
#ifndef LAB_DRAW_H
#define LAB_DRAW_H

#include "demos/report/trace.h"

#define LAB_SAMPLES 2 /* per pixel and direction */

typedef struct lab_eye {
    double right[3], up[3], back[3]; /* unit; back points to the eye */
    double centre[3], zoom;          /* samples per metre */
} lab_eye;

typedef struct lab_canvas {
    int size; /* samples in each direction */
    float *depth;
    unsigned char *rgb; /* 3 per sample */
} lab_canvas;

/* The parts of all bodies where a frame has them. */
typedef struct lab_stage {
    const lab_trace *trace;
    const trace_frame *frame;
    lab_shape ***placed; /* of each body, of each part */
} lab_stage;

/* Whether the line from a point towards the eye meets a convex part. */
int lab_shape_hides(const lab_shape *shape, const double point[3], const double to_eye[3]);
double lab_clamp(double x, double low, double high);
/* 0, or 1 without memory; to be freed in either case. */
int lab_stage_open(lab_stage *stage, const lab_trace *trace);
void lab_stage_place(lab_stage *stage, const trace_frame *frame);
void lab_stage_free(lab_stage *stage);
/* A static part or triangle that hides a moving body is left out. */
void lab_draw_body(lab_canvas *c, const lab_eye *e, const lab_stage *stage, int body,
                   const double colour[3]);

#endif
