/* Traces as files: see docs/trace.md. */
#include "demos/report/json_put.h"
#include "demos/report/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const features[] = {"vertex-face", "face-vertex", "edge-edge", "vertex-vertex",
                                       "vertex-edge", "edge-vertex", "unknown"};

/* ---- header ---------------------------------------------------------------------------------- */

static void put_body(FILE *file, const trace_body *b)
{
    fputs("{\"name\":", file);
    json_put_string(file, b->name);
    fprintf(file,
            ",\"static\":%s,\"kinematic\":%s,\"mass\":", b->kind == LAB_STATIC ? "true" : "false",
            b->kind == LAB_KINEMATIC ? "true" : "false");
    json_put_number(file, b->mass, 17);
    if (b->has_inertia) {
        fputs(",\"inertia\":", file);
        json_put_numbers(file, b->inertia, 9, 17);
    }
    fputs(",\"parts\":[", file);
    for (int i = 0; i < b->parts; i++) {
        if (i) fputc(',', file);
        trace_put_part(file, b->part[i], 17);
    }
    for (int i = 0; i < b->others; i++)
        fprintf(file, "%s{\"type\":\"other\"}", i + b->parts ? "," : "");
    fputs("]}", file);
}

static double largest_radius(const lab_trace *t)
{
    double most = 0, centre[3];
    for (int i = 0; i < t->bodies; i++)
        for (int k = 0; k < t->body[i].parts && t->body[i].kind != LAB_STATIC; k++)
            most = fmax(most, lab_shape_radius(t->body[i].part[k], centre));
    return most > 0 ? most : 1;
}

/* Units of what version 2 rounds: length, rotation, velocity, angular velocity. */
static void quanta(const trace_writer *w, const lab_trace *t, double q[4])
{
    q[0] = w->quantum;
    q[1] = fmin(w->quantum / largest_radius(t), 1e-4);
    q[2] = q[0] / t->h, q[3] = q[1] / t->h;
}

int trace_write_head(trace_writer *w, const lab_trace *t)
{
    FILE *file = w->file;
    fprintf(file, "{\"format\":\"ode-peg-trace\",\"version\":%d,\"scene\":", w->version);
    json_put_string(file, t->scene);
    fputs(",\"contact\":", file);
    json_put_string(file, t->contact);
    fprintf(file, ",\"h\":%.17g", t->h);
    if (t->has_gravity) fputs(",\"gravity\":", file);
    if (t->has_gravity) json_put_numbers(file, t->gravity, 3, 17);
    fprintf(file, ",\"scale\":%.17g,\"planar\":%s", t->scale, t->is_planar ? "true" : "false");
    if (w->version == 2 && w->quantum > 0) {
        double q[4];
        quanta(w, t, q);
        fputs(",\"quanta\":", file);
        json_put_numbers(file, q, 4, 17);
    }
    fputs(",\"connected\":[", file);
    for (int i = 0; i < t->pairs; i++)
        fprintf(file, "%s[%d,%d]", i ? "," : "", t->connected[i][0], t->connected[i][1]);
    fputs("],\"bodies\":[", file);
    for (int i = 0; i < t->bodies; i++) {
        if (i) fputc(',', file);
        put_body(file, &t->body[i]);
    }
    fputs("]}\n", file);
    return ferror(file) != 0;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void put_contacts(FILE *file, const trace_frame *f)
{
    fputs(",\"contacts\":[", file);
    for (int i = 0; i < f->contacts; i++) {
        const trace_contact *c = &f->contact[i];
        fprintf(file, "%s{\"bodies\":[%d,%d],\"features\":\"%s\",\"pos\":", i ? "," : "", c->a,
                c->b, features[c->features]);
        json_put_numbers(file, c->x, 3, 9);
        fputs(",\"normal\":", file);
        json_put_numbers(file, c->normal, 3, 9);
        fputs(",\"gap\":", file);
        json_put_number(file, c->gap, 9);
        fputs(",\"impulse\":", file);
        json_put_number(file, c->impulse, 9);
        fputs(",\"friction\":", file);
        json_put_numbers(file, c->friction, 3, 9);
        if (c->face >= 0)
            fprintf(file, ",\"facet\":[%d,%d,%d]", c->features == PEG_FACE_VERTEX ? c->a : c->b,
                    c->part, c->face);
        fputc('}', file);
    }
    fputc(']', file);
}

static void put_activity(FILE *file, const lab_trace *t, const trace_frame *f)
{
    if (f->island) {
        fputs(",\"island\":[", file);
        for (int i = 0; i < t->bodies; i++)
            if (f->island[i] < 0)
                fputs(i ? ",null" : "null", file);
            else
                fprintf(file, "%s%d", i ? "," : "", f->island[i]);
        fputc(']', file);
    }
    if (!f->asleep) return;
    fputs(",\"asleep\":[", file);
    for (int i = 0, n = 0; i < t->bodies; i++)
        if (f->asleep[i]) fprintf(file, "%s%d", n++ ? "," : "", i);
    fputc(']', file);
}

static void put_states(FILE *file, const lab_trace *t, const trace_frame *f, int velocities)
{
    fprintf(file, ",\"%s\":[", velocities ? "vel" : "pose");
    for (int i = 0; i < t->bodies; i++) {
        if (i) fputc(',', file);
        if (!trace_present(f, i))
            fputs("null", file);
        else if (velocities)
            json_put_numbers(file, f->state[i].vel, 6, 17);
        else
            json_put_numbers(file, f->state[i].pose, 7, 17);
    }
    fputc(']', file);
}

/* ---- version 2 ------------------------------------------------------------------------------- */

static void put_rounded(FILE *file, const double *x, const double *unit, const int *which, int n)
{
    for (int i = 0; i < n; i++) {
        fputc(i ? ',' : '[', file);
        fprintf(file, "%.0f", nearbyint(x[i] / unit[which[i]]) + 0.0);
    }
    fputc(']', file);
}

static void round_state(const double q[4], const trace_state *from, trace_state *to)
{
    static const int of_pose[7] = {0, 0, 0, 1, 1, 1, 1}, of_vel[6] = {2, 2, 2, 3, 3, 3};
    *to = *from;
    for (int i = 0; i < 7 && q[0] > 0; i++)
        to->pose[i] = nearbyint(from->pose[i] / q[of_pose[i]]) * q[of_pose[i]];
    for (int i = 0; i < 6 && q[0] > 0; i++)
        to->vel[i] = nearbyint(from->vel[i] / q[of_vel[i]]) * q[of_vel[i]];
}

/* Whom the line must name: moved[i] is 1 if the body's state changed, 2 if it left. */
static void find_moved(trace_writer *w, const lab_trace *t, const trace_frame *f, const double q[4],
                       unsigned char *moved)
{
    for (int i = 0; i < t->bodies; i++) {
        trace_state *last = &w->last[i], now;
        int was = last->pose[0] == last->pose[0], is = trace_present(f, i);
        moved[i] = 0;
        if (is) {
            round_state(q, &f->state[i], &now);
            moved[i] = !was || memcmp(&now, last, sizeof now) != 0;
            *last = now;
        } else if (was) {
            moved[i] = 2;
            last->pose[0] = NAN;
        }
    }
}

static void put_indices(FILE *file, const char *key, const unsigned char *moved, int n, int value)
{
    fprintf(file, ",\"%s\":[", key);
    for (int i = 0, k = 0; i < n; i++)
        if (moved[i] == value) fprintf(file, "%s%d", k++ ? "," : "", i);
    fputc(']', file);
}

static void put_changes(trace_writer *w, const lab_trace *t, const trace_frame *f,
                        unsigned char *moved)
{
    static const int of_pose[7] = {0, 0, 0, 1, 1, 1, 1}, of_vel[6] = {2, 2, 2, 3, 3, 3};
    double q[4] = {0};
    FILE *file = w->file;
    if (w->quantum > 0) quanta(w, t, q);
    find_moved(w, t, f, q, moved);
    put_indices(file, "moved", moved, t->bodies, 1);
    put_indices(file, "gone", moved, t->bodies, 2);
    for (int velocities = 0; velocities < 2; velocities++) {
        fprintf(file, ",\"%s\":[", velocities ? "vel" : "pose");
        for (int i = 0, k = 0; i < t->bodies; i++) {
            if (moved[i] != 1) continue;
            if (k++) fputc(',', file);
            const double *x = velocities ? w->last[i].vel : w->last[i].pose;
            int n = velocities ? 6 : 7;
            if (q[0] > 0)
                put_rounded(file, x, q, velocities ? of_vel : of_pose, n);
            else
                json_put_numbers(file, x, n, 17);
        }
        fputc(']', file);
    }
}

static int write_changes(trace_writer *w, const lab_trace *t, const trace_frame *f)
{
    unsigned char *moved = calloc((size_t)t->bodies + 1, 1);
    if (!w->last) {
        w->last = calloc((size_t)t->bodies + 1, sizeof *w->last);
        for (int i = 0; w->last && i < t->bodies; i++) w->last[i].pose[0] = NAN;
    }
    int whole = moved && w->last;
    if (whole) put_changes(w, t, f, moved);
    free(moved);
    return whole;
}

int trace_write_frame(trace_writer *w, const lab_trace *t, const trace_frame *f)
{
    FILE *file = w->file;
    fprintf(file, "{\"step\":%ld,\"t\":%.17g", f->step, f->t);
    if (w->version == 2) {
        if (!write_changes(w, t, f)) return 1;
    } else {
        put_states(file, t, f, 0);
        put_states(file, t, f, 1);
    }
    fprintf(file, ",\"stats\":%s", f->stats ? f->stats : "{}");
    if (f->contacts >= 0) put_contacts(file, f);
    put_activity(file, t, f);
    fputs("}\n", file);
    return ferror(file) != 0;
}

void trace_writer_end(trace_writer *w)
{
    free(w->last);
    w->last = NULL;
}
