/* Pictures of end states, side by side. */
#include "demos/report/output.h"
#include "demos/report/panels.h"
#include "demos/report/recorder.h"
#include "demos/world/world.h"

#include <math.h>
#include <stdlib.h>

/* The end state of a run, measured, as a trace of one frame; null without memory. */
static lab_trace *end_state(const lab_result *r)
{
    lab_world *w = r->w;
    lab_trace *t = lab_trace_of(w);
    double *deep = calloc((size_t)w->bodies + 1, sizeof *deep);
    if (!t || !deep || lab_trace_add(t, w)) {
        trace_free(t);
        free(deep);
        return NULL;
    }
    trace_frame *f = t->frame;
    lab_measure(w, 1, &f->volume, &f->depth, deep);
    f->depth_of = calloc((size_t)w->bodies + 1, sizeof *f->depth_of);
    for (int i = 0; f->depth_of && i < w->bodies; i++) f->depth_of[i] = (float)deep[i];
    t->run_depth = r->depth_max;
    t->run_volume = lab_quantile(r->volume, r->steps, 1);
    free(deep);
    return t;
}

int lab_picture(const char *path, const lab_result *results, int n)
{
    lab_trace *traces[PANELS_MOST];
    const trace_frame *frames[PANELS_MOST];
    int shown = 0, bad = 0;
    for (int i = 0; i < n && shown < PANELS_MOST; i++) {
        if (!results[i].w) continue;
        traces[shown] = end_state(&results[i]);
        if (traces[shown])
            frames[shown] = traces[shown]->frame, shown++;
        else
            bad = 1;
    }
    lab_panels panels = {0};
    bad |= shown == 0;
    if (!bad) bad = lab_panels_open(&panels, traces, shown, 640);
    if (!bad) lab_panels_draw(&panels, frames);
    if (!bad) bad = cairo_surface_write_to_png(panels.image, path) != CAIRO_STATUS_SUCCESS;
    lab_panels_free(&panels);
    for (int i = 0; i < shown; i++) trace_free(traces[i]);
    return bad;
}
