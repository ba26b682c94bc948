/* A corner between two sides of one face is a vertex of that face; between sides of both, two edges
 * cross. */
#include "peg/contact/face_clip.h"

#include <string.h>

static int clip_by(const peg_clip_corner *in, int n, const peg_clip_side *by, int side,
                   peg_clip_corner *out)
{
    int m = 0;
    double before = 0;
    for (int k = 0; k <= n; k++) {
        const peg_clip_corner *b = &in[k < n ? k : 0];
        double beyond = by->outward[0] * b->at[0] + by->outward[1] * b->at[1] - by->limit;
        if (k > 0 && (before <= 0) != (beyond <= 0)) {
            const peg_clip_corner *a = &in[k - 1];
            double t = before / (before - beyond);
            for (int j = 0; j < 3; j++) out[m].at[j] = a->at[j] + t * (b->at[j] - a->at[j]);
            int leaves = before <= 0;
            out[m].from = leaves ? a->to : PEG_CLIP_SIDES + side;
            out[m++].to = leaves ? PEG_CLIP_SIDES + side : a->to;
        }
        if (k < n && beyond <= 0) out[m++] = *b;
        before = beyond;
    }
    return m;
}

void peg_clip_face(peg_clip *clip)
{
    peg_clip_corner other[PEG_CLIP_CORNERS], *from = clip->polygon, *to = other;
    for (int s = 0; s < clip->sides && clip->count; s++) {
        clip->count = clip_by(from, clip->count, &clip->side[s], s, to);
        peg_clip_corner *swap = from;
        from = to, to = swap;
    }
    if (from != clip->polygon) memcpy(clip->polygon, from, (size_t)clip->count * sizeof *from);
}

/* The vertex that two sides of the reference face share. */
static int shared(const peg_clip_side *s, const peg_clip_side *t)
{
    return s->v[0] == t->v[0] || s->v[0] == t->v[1] ? s->v[0] : s->v[1];
}

peg_clip_features peg_clip_features_at(const peg_clip *clip, const peg_clip_corner *corner)
{
    int from = corner->from, to = corner->to;
    peg_clip_features name = {.feature = PEG_CLIP_INCIDENT_VERTEX};
    if (from < PEG_CLIP_SIDES && to < PEG_CLIP_SIDES) {
        name.i[0] = clip->vertex[to];
    } else if (from >= PEG_CLIP_SIDES && to >= PEG_CLIP_SIDES) {
        name.feature = PEG_CLIP_REFERENCE_VERTEX;
        name.i[0] = shared(&clip->side[from - PEG_CLIP_SIDES], &clip->side[to - PEG_CLIP_SIDES]);
    } else {
        int k = from < PEG_CLIP_SIDES ? from : to;
        const int *v = clip->side[(from < PEG_CLIP_SIDES ? to : from) - PEG_CLIP_SIDES].v;
        name.feature = PEG_CLIP_EDGE_EDGE;
        name.i[0] = clip->vertex[k], name.i[1] = clip->vertex[k + 1 < clip->corners ? k + 1 : 0];
        name.j[0] = v[0], name.j[1] = v[1];
    }
    return name;
}
