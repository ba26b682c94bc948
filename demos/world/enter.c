/* Bodies that enter while the scene runs: each looks for a free place above its own. */
#include "demos/oracle/overlap.h"
#include "demos/world/world.h"

#include "peg/base/math.h"

#define RISES_MAX 10000 /* of a body that looks for a free place to enter */

static int boxes_apart(const lab_part *p, const lab_part *r, double gap)
{
    for (int k = 0; k < 3; k++)
        if (p->low[k] > r->high[k] + gap || r->low[k] > p->high[k] + gap) return 1;
    return 0;
}

/* Lifts a body that is about to enter until nothing is in its way. */
static int is_free(const lab_body *b)
{
    const lab_world *w = b->world;
    for (int i = 0; i < w->bodies; i++) {
        const lab_body *o = w->body[i];
        if (!o->present || !lab_can_touch(b, o)) continue;
        for (int k = 0; k < b->parts; k++)
            for (int m = 0; m < o->parts; m++) {
                const lab_part *p = &b->part[k], *r = &o->part[m];
                double centre[3], gap = .01 * lab_shape_radius(p->placed, centre);
                if (!boxes_apart(p, r, gap) && lab_separation(p->placed, r->placed, gap) < gap)
                    return 0;
            }
    }
    return 1;
}

void lab_enter_bodies(lab_world *w)
{
    double t = (double)w->steps * w->h, g = peg_norm(w->gravity);
    for (int i = 0; i < w->bodies && !w->failed; i++) {
        lab_body *b = w->body[i];
        if (b->present || b->enter > t + 1e-9 * w->h) continue;
        lab_place(b, b->now.x, b->now.q);
        for (int tries = 0; g > 0 && b->rise > 0 && !is_free(b) && !w->failed; tries++) {
            if (tries == RISES_MAX) lab_fail(w, "body '%s' finds no place to enter", b->name);
            peg_add_scaled(b->now.x, -b->rise / g, w->gravity, b->now.x);
            lab_place(b, b->now.x, b->now.q);
        }
        if (!w->failed) lab_make_body(b);
    }
}
