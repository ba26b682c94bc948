#include "peg/step/box_pairs.h"

#include "peg/step/context.h"

int peg_is_box_pair(const peg_stage *s, int a, int b)
{
    return s->box[a].box.half[0] > 0 && s->box[b].box.half[0] > 0;
}

void peg_box_pair_add(peg_pair_search *f, int a, int b)
{
    peg_stage *s = f->stage;
    if (s->box_pairs == s->box_pair_room) {
        int room = s->box_pair_room ? 2 * s->box_pair_room : 8 * s->scene->np;
        peg_box_pair *grown = PEG_NEW(&s->context->kept, peg_box_pair, room);
        if (!grown) {
            s->failed = 1;
            return;
        }
        if (s->box_pairs) memcpy(grown, s->box_pair, (size_t)s->box_pairs * sizeof *grown);
        s->box_pair = grown;
        s->box_pair_room = room;
    }
    s->box_pair[s->box_pairs++] = (peg_box_pair){.a = a, .b = b};
}

double peg_box_pair_size(const peg_stage *s, const peg_box_pair *p)
{
    return fmin(s->box[p->a].size, s->box[p->b].size);
}

/* Axes of the pairs that a search has added; a lot of the loop. */
static void find_axes(void *data, int begin, int end)
{
    const peg_pair_search *f = data;
    const peg_stage *s = f->stage;
    const peg_box *a[PEG_LOT], *b[PEG_LOT];
    double bias[PEG_LOT];
    peg_box_axis axis[PEG_LOT];
    peg_box_pair *pair = &s->box_pair[f->far + begin];
    int n = 0;
    for (; n < end - begin; n++) {
        a[n] = &s->box[pair[n].a].box, b[n] = &s->box[pair[n].b].box;
        bias[n] = PEG_EDGE_BIAS * peg_box_pair_size(s, &pair[n]);
    }
    if (n) peg_box_separations(a, b, bias, n, axis);
    for (int k = 0; k < n; k++) pair[k].axis = axis[k];
}

/* Null if it is known or without memory. */
static peg_candidate *make_candidate(const peg_pair_search *f, const peg_box_pair *p)
{
    peg_candidate *c = peg_new_candidate(f, p->a, p->b);
    if (!c) return NULL;
    peg_ask_filter(f->stage, c);
    c->axis = p->axis;
    c->has_axis = c->is_new = 1;
    return c;
}

int peg_box_pairs_sort_out(peg_pair_search *f)
{
    peg_stage *s = f->stage;
    int met = s->box_pairs - f->far, kept = f->far;
    if (met == 0) return 1;
    peg_pool_loop(peg_threads_for(s->context, met), find_axes, f, met);
    for (int i = f->far; i < s->box_pairs; i++) {
        const peg_box_pair *p = &s->box_pair[i];
        double reach = s->box[p->a].travel + s->box[p->b].travel +
                       peg_reach_margin(s) * peg_box_pair_size(s, p);
        if (p->axis.s > reach) {
            s->box_pair[kept++] = *p;
            continue;
        }
        peg_candidate *c = make_candidate(f, p);
        if (c) c->near = !c->excluded;
    }
    s->box_pairs = kept;
    return !s->failed;
}

/* Searches that overlap may have met it twice. */
static int is_taken(const peg_stage *s, int from, const peg_box_pair *p)
{
    for (int i = from; i < s->candidates; i++)
        if (s->candidate[i].a == p->a && s->candidate[i].b == p->b) return 1;
    return 0;
}

int peg_box_pairs_take(peg_stage *s, int (*is_wanted)(const peg_stage *, const peg_box_pair *))
{
    peg_pair_search f = {.stage = s, .known = s->candidates};
    for (int i = 0; i < s->box_pairs && !s->failed; i++) {
        const peg_box_pair *p = &s->box_pair[i];
        if (is_wanted(s, p) && !is_taken(s, f.known, p)) make_candidate(&f, p);
    }
    return !s->failed && (s->candidates == f.known || peg_sort_candidates(s));
}
