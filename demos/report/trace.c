/* The memory of traces. */
#include "demos/report/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

lab_trace *trace_new(int bodies)
{
    lab_trace *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->body = calloc((size_t)bodies + 1, sizeof *t->body);
    t->bodies = t->body ? bodies : 0;
    t->scale = 1;
    t->mu = NAN;
    if (t->body) return t;
    trace_free(t);
    return NULL;
}

void trace_frame_free(trace_frame *f)
{
    free(f->state);
    free(f->island);
    free(f->asleep);
    free(f->contact);
    free(f->depth_of);
    free(f->stats);
    *f = (trace_frame){0};
}

void trace_free(lab_trace *t)
{
    if (!t) return;
    for (int i = 0; i < t->bodies; i++) {
        for (int k = 0; k < t->body[i].parts; k++) lab_shape_free(t->body[i].part[k]);
        free(t->body[i].part);
        free(t->body[i].name);
    }
    for (long i = 0; i < t->frames; i++) trace_frame_free(&t->frame[i]);
    free(t->frame);
    free(t->body);
    free(t->connected);
    free(t->scene);
    free(t->contact);
    free(t->label);
    free(t);
}

trace_frame *trace_add_frame(lab_trace *t)
{
    if (t->frames == t->frame_room) {
        long room = 2 * t->frame_room + 64;
        trace_frame *more = realloc(t->frame, (size_t)room * sizeof *more);
        if (!more) return NULL;
        t->frame = more, t->frame_room = room;
    }
    trace_frame *f = &t->frame[t->frames];
    *f = (trace_frame){.contacts = -1, .volume = NAN, .depth = NAN};
    for (int i = 0; i < TRACE_FIGURES; i++) f->figure[i] = NAN;
    f->state = calloc((size_t)t->bodies + 1, sizeof *f->state);
    if (!f->state) return NULL;
    t->frames++;
    return f;
}

void trace_drop_frame(lab_trace *t)
{
    if (t->frames > 0) trace_frame_free(&t->frame[--t->frames]);
}

double trace_mean_volume(const lab_trace *t)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < t->bodies; i++)
        if (t->body[i].kind == LAB_DYNAMIC) sum += t->body[i].volume, n++;
    return n ? sum / n : 0;
}

const char *trace_contact_label(const char *contact)
{
    static const char *const label[][2] = {{"peg", "exact contacts"},
                                           {"st", "standard model (st)"},
                                           {"paper", "PEG as published"},
                                           {"lnc", "locally non-convex (lnc)"},
                                           {"ap", "Anitescu-Potra (ap)"},
                                           {"lp", "signed separation (lp)"},
                                           {"ratio", "ratio metric (ratio)"},
                                           {"st-published", "standard model as published"},
                                           {"ode", "stock ODE"},
                                           {"ode-quick", "stock ODE, QuickStep"}};
    for (size_t i = 0; contact && i < sizeof label / sizeof *label; i++)
        if (!strcmp(contact, label[i][0])) return label[i][1];
    return contact ? contact : "";
}
