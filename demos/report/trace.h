/* Traces in memory: the bodies of a scene and where they were after each step. docs/trace.md
 * describes the files. A trace comes from a file, whoever wrote it (trace_read.c), or from a
 * running scene (recorder.c); pages, films, pictures and checks are made of it. */
#ifndef LAB_TRACE_H
#define LAB_TRACE_H

#include <stdio.h>

#include "demos/world/scene.h"
#include "demos/oracle/shape.h"

typedef struct trace_contact {
    int a, b;               /* bodies */
    double x[3], normal[3]; /* world; unit, points into a */
    double gap, impulse, friction[3];
    int features;   /* pegFeatures */
    int part, face; /* the separating facet, of a (FACE_VERTEX) or b; -1: none */
} trace_contact;

/* A body's pose and velocity: x, y, z, qw, qx, qy, qz; v, omega. pose[0] is NaN if it is not in the
 * scene. */
typedef struct trace_state {
    double pose[7], vel[6];
} trace_state;

typedef enum trace_figure {
    TRACE_ISLANDS,
    TRACE_ROWS,
    TRACE_ITERATIONS,
    TRACE_UNCONVERGED,
    TRACE_RESIDUAL,
    TRACE_MS, /* wall clock of the step; only of scenes that run */
    TRACE_FIGURES
} trace_figure;

typedef struct trace_frame {
    long step;
    double t;
    trace_state *state;    /* one per body, as all arrays below */
    int *island;           /* -1: none; null: not recorded */
    unsigned char *asleep; /* null: not recorded */
    trace_contact *contact;
    int contacts;                 /* -1: not recorded */
    double figure[TRACE_FIGURES]; /* NaN: not recorded */
    double volume, depth;         /* summed overlap, deepest penetration; NaN: not measured */
    float *depth_of;              /* of each body's deepest; null: not measured */
    char *stats;                  /* the JSON object as it stands in a file; null: {} */
} trace_frame;

typedef struct trace_body {
    char *name;
    lab_kind kind;
    int is_plane;                    /* its part is in world coordinates */
    double mass, inertia[9], volume; /* inertia about the centre of mass, body frame */
    int has_inertia;
    lab_shape **part;
    int parts, others; /* others: parts of an unknown type, not shown */
} trace_body;

typedef struct lab_trace {
    char *scene, *contact, *label; /* label: as pages and pictures call it */
    double h, scale, gravity[3], mu;
    int has_gravity, is_planar;
    trace_body *body;
    int bodies;
    int (*connected)[2]; /* pairs not subject to contact */
    int pairs;
    trace_frame *frame;
    long frames, frame_room;
    int has_view;
    double view[2][3]; /* what pictures show, world */
    int has_camera;
    double camera[3];             /* direction to the eye, world, unit */
    int has_bounds;               /* of unturned scenes: */
    double bounds[2][3];          /* bodies beyond have escaped, world */
    double run_depth, run_volume; /* maxima of a run of which not all frames are here; else 0 */
} lab_trace;

lab_trace *trace_new(int bodies); /* null: no memory */
void trace_free(lab_trace *trace);
void trace_frame_free(trace_frame *frame);
/* A frame at the end, with arrays for states; null: no memory. */
trace_frame *trace_add_frame(lab_trace *trace);
void trace_drop_frame(lab_trace *trace); /* the last one */
static inline int trace_present(const trace_frame *f, int body)
{
    return f->state[body].pose[0] == f->state[body].pose[0];
}
double trace_mean_volume(const lab_trace *trace); /* of the dynamic bodies, m^3 */
/* A label of the contact model for people, as "stock ODE". */
const char *trace_contact_label(const char *contact);

/* ---- files ----------------------------------------------------------------------------------- */

/* A stream of a file whose name says how it is packed: .gz, .zst, or not at all. */
FILE *trace_open_write(const char *path);
/* Packed or not is seen from what it holds. */
FILE *trace_open_read(const char *path);
int trace_is_packed(const char *path); /* by its name */

/* Reads a trace of version 1 or 2. On error null, and text says in one line what is wrong. */
lab_trace *trace_read(const char *path, char text[LAB_TEXT]);

typedef struct trace_writer {
    FILE *file;
    int version;       /* 1 or 2 */
    double quantum;    /* version 2: positions are multiples of it, m; 0: not rounded */
    trace_state *last; /* version 2: what was written, one per body */
} trace_writer;

/* 0, or 1 if it could not be written. */
int trace_write_head(trace_writer *w, const lab_trace *trace);
int trace_write_frame(trace_writer *w, const lab_trace *trace, const trace_frame *frame);
void trace_writer_end(trace_writer *w); /* does not close the file */

/* One part of a body, as in the header. */
void trace_put_part(FILE *file, const lab_shape *shape, int digits);

/* ---- measures -------------------------------------------------------------------------------- */

/* Overlap of all frames that were not measured yet, without the contact module. progress: on
 * stderr. 0, or 1 without memory. */
int trace_measure(lab_trace *trace, int progress);
double trace_body_energy(const lab_trace *trace, const trace_frame *frame, int body);
double trace_energy(const lab_trace *trace, const trace_frame *frame); /* J; NaN: unknown */
/* What the step from the frame before added, body by body, since differences of totals would drown
 * it. */
double trace_energy_gain(const lab_trace *trace, const trace_frame *frame);
/* Linear momentum of the dynamic bodies, and angular momentum about the origin. */
void trace_momentum(const lab_trace *trace, const trace_frame *frame, double linear[3],
                    double angular[3]);
/* Numbers of islands by contacts and joints. 0, or 1 without memory. */
int trace_find_islands(const lab_trace *trace, trace_frame *frame);
/* Finds the separating facet of a contact among the faces of its bodies. */
void trace_find_facet(const lab_trace *trace, const trace_frame *frame, trace_contact *contact);

/* Islands and facets that a file does not name. 0, or 1 without memory. */
int trace_complete(lab_trace *trace);

#endif
