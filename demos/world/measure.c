/* Where the parts are, and how much they overlap. */
#include "demos/oracle/overlap.h"
#include "demos/oracle/ratio.h"
#include "demos/world/planar_world.h"
#include "demos/world/world.h"

#include <math.h>
#include <string.h>

#include "peg/base/math.h"

static void place_all(lab_world *w, double fraction)
{
    for (int i = 0; i < w->bodies; i++) {
        lab_body *b = w->body[i];
        double x[3], q[4];
        if (!b->present || b->kind == LAB_STATIC) continue;
        lab_between(b, fraction, x, q);
        lab_place(b, fraction == 1 ? b->now.x : x, fraction == 1 ? b->now.q : q);
    }
}

static int boxes_meet(const lab_part *a, const lab_part *b)
{
    for (int k = 0; k < 3; k++)
        if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) return 0;
    return 1;
}

/* Separation of two parts, and their overlap if there is one; planar: an area. */
static double measure_parts(const lab_world *w, const lab_part *p, const lab_part *r,
                            double *volume)
{
    *volume = 0;
    if (w->is_planar) {
        planar_polygon a, b;
        lab_planar_polygon(p->placed, &a);
        lab_planar_polygon(r->placed, &b);
        *volume = planar_overlap(&a, &b);
        return planar_separation(&a, &b);
    }
    double s = lab_separation_of(p->placed, p->tree, r->placed, r->tree, 0);
    if (s < 0) *volume = lab_overlap_volume(p->placed, r->placed);
    return s;
}

/* Adds one pair of bodies. */
static void measure_pair(lab_world *w, int i, int j, double *volume, double *depth, double *of_body)
{
    const lab_body *a = w->body[i], *b = w->body[j];
    for (int k = 0; k < a->parts; k++)
        for (int m = 0; m < b->parts; m++) {
            const lab_part *p = &a->part[k], *r = &b->part[m];
            if (!boxes_meet(p, r)) continue;
            double v, s = measure_parts(w, p, r, &v);
            if (s >= 0) continue;
            if (v < 0) lab_fail(w, "out of memory");
            *volume += v;
            *depth = fmax(*depth, -s);
            if (!of_body) continue;
            of_body[i] = fmax(of_body[i], -s);
            of_body[j] = fmax(of_body[j], -s);
        }
}

void lab_measure(lab_world *w, double fraction, double *volume, double *depth, double *of_body)
{
    *volume = *depth = 0;
    if (fraction != 1) place_all(w, fraction);
    for (int i = 0; i < w->bodies; i++)
        for (int j = i + 1; j < w->bodies; j++) {
            const lab_body *a = w->body[i], *b = w->body[j];
            if (a->present && b->present && lab_can_touch(a, b))
                measure_pair(w, i, j, volume, depth, of_body);
        }
    if (fraction != 1) place_all(w, 1);
}

void lab_overlap(lab_world *w, double fraction, double *volume, double *depth)
{
    lab_measure(w, fraction, volume, depth, NULL);
    *depth /= w->scale;
    *volume /= lab_mean_volume(w);
}

/* --- ratio metric ---------------------------------------------------------------------------- */

static int boxes_near(const lab_part *a, const lab_part *b, double room)
{
    for (int k = 0; k < 3; k++)
        if (a->low[k] > b->high[k] + room || b->low[k] > a->high[k] + room) return 0;
    return 1;
}

/* Of a half-space: one radius of the other part below the foot of its centre. */
static void inner_point(const lab_body *body, const lab_part *part, const lab_part *other,
                        double x[3])
{
    double centre[3], radius;
    const lab_shape *s = part->placed;
    lab_shape_radius(s, centre);
    memcpy(x, body->kind == LAB_DYNAMIC && body->parts == 1 ? body->now.x : centre,
           sizeof(double[3]));
    if (s->nv > 0) return;
    radius = lab_shape_radius(other->placed, centre);
    double up = peg_dot(s->normal[0], centre) - s->offset[0];
    peg_add_scaled(centre, -up - radius, s->normal[0], x);
}

static double ratio_of(const lab_body *a, const lab_part *p, const lab_body *b, const lab_part *r)
{
    double xa[3], xb[3], centre[3], room = INFINITY;
    if (p->placed->nv > 0) room = lab_shape_radius(p->placed, centre);
    if (r->placed->nv > 0) room = fmin(room, lab_shape_radius(r->placed, centre));
    if (!boxes_near(p, r, .5 * room)) return INFINITY;
    inner_point(a, p, r, xa);
    inner_point(b, r, p, xb);
    return lab_ratio(p->placed, xa, r->placed, xb, INFINITY);
}

double lab_least_ratio(const lab_world *w)
{
    double least = INFINITY;
    for (int i = 0; i < w->bodies; i++)
        for (int j = i + 1; j < w->bodies; j++) {
            const lab_body *a = w->body[i], *b = w->body[j];
            if (!a->present || !b->present || !lab_can_touch(a, b)) continue;
            for (int k = 0; k < a->parts; k++)
                for (int m = 0; m < b->parts; m++)
                    least = fmin(least, ratio_of(a, &a->part[k], b, &b->part[m]));
        }
    return least;
}
