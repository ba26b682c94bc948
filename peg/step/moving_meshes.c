/* Pairs of triangles of two meshes that move far in a step. Whatever they might do, most of their
 * triangles could meet; in a motion that is known few do. So the pairs are those that are near at
 * the start and those that meet first in the motion without contact; islands are solved with them,
 * and again with those that meet first in the motion that was found, until none do. */
#include "peg/step/moving_meshes.h"

#include "peg/base/arena.h"
#include "peg/collide/mesh_motion.h"
#include "peg/step/broad_phase_mesh.h"
#include "peg/step/parts.h"

/* Motion beyond which meshes move far, and how near is near enough to have met, in radii of the
 * smaller one; and how far they may get after their first meeting while others count, too. */
static const double FAR = .25, NEAR = .01, AFTER = .1;

static double size_of(const peg_stage *s, int a, int b)
{
    return peg_min(s->part[a].triangle_mesh->radius, s->part[b].triangle_mesh->radius);
}

int peg_is_sought_along_motion(peg_stage *s, peg_candidate *c)
{
    if (!s->part[c->a].triangle_mesh || !s->part[c->b].triangle_mesh) return 0;
    if (c->along) return 1;
    if (!(peg_predicted_way(s, c->a, c->b) > FAR * size_of(s, c->a, c->b))) return 0;
    c->along = PEG_NEW(&s->context->kept, peg_vec6, 2);
    s->failed |= !c->along;
    for (int k = 0; k < 12 && c->along; k++) c->along[k / 6][k % 6] = NAN;
    return 1;
}

/* Two meshes; a has the smaller id. */
typedef struct couple {
    const peg_pair_search *f;
    int a, b;
} couple;

static void place(void *context, double t, double R[9], double at[3])
{
    const couple *c = context;
    const peg_stage *s = c->f->stage;
    double xa[3], xb[3], Ra[9], Rb[9];
    peg_pose_on_way(s, c->a, t, xa, Ra);
    peg_pose_on_way(s, c->b, t, xb, Rb);
    peg_sub(xa, xb, at);
    peg_rotate_back(Rb, at, at);
    peg_mat_mul_back(Rb, Ra, R);
}

/* Islands have the pairs that are near; deferred ones are each checked against all of the motion.
 * One that is passed at the start must not hide what meets later. */
static int is_known(void *context, int t, int u)
{
    const couple *c = context;
    const peg_stage *s = c->f->stage;
    int i = peg_known_triangle(s, c->a, t), j = peg_known_triangle(s, c->b, u);
    if (i < 0 || j < 0) return 0;
    const peg_candidate *known = peg_find_candidate(s, c->f->known, i, j);
    return known && (known->near || known->is_deferred);
}

static void add(const couple *c, const peg_meeting *m)
{
    peg_stage *s = c->f->stage;
    int i = peg_triangle_part(s, c->a, m->a), j = peg_triangle_part(s, c->b, m->b);
    if (i < 0 || j < 0) return;
    peg_candidate *known = peg_find_candidate(s, c->f->known, i, j);
    peg_candidate *pair = known ? known : peg_new_candidate(c->f, i, j);
    if (!pair) return;
    if (!known) peg_recall_pair(s, pair);
    pair->near = 1;
}

/* The motion of two meshes that was found; 0 if nothing new met in it the last time. */
static int set_motion(couple *c, peg_vec6 *along, peg_mesh_motion *motion)
{
    const peg_stage *s = c->f->stage;
    double v[2][6], slide[3], way = 0, size = size_of(s, c->a, c->b);
    *motion = (peg_mesh_motion){.mesh = {s->part[c->a].triangle_mesh, s->part[c->b].triangle_mesh},
                                .place = place,
                                .is_known = is_known,
                                .context = c,
                                .near = NEAR * size,
                                .round = s->part[c->a].round + s->part[c->b].round};
    for (int side = 0; side < 2; side++) {
        int part = side ? c->b : c->a;
        const peg_placed *p = &s->placed[part];
        peg_found_velocity(s, part, v[side]);
        motion->spin[side] = s->scene->h * peg_norm(v[side] + 3);
        if (p->body < 0) continue;
        peg_sub(s->scene->body[p->body].x, p->x, motion->pivot[side]);
        peg_rotate_back(p->R, motion->pivot[side], motion->pivot[side]);
        way += motion->spin[side] * p->arm;
    }
    if (memcmp(v, along, sizeof v) == 0) return 0;
    memcpy(along, v, sizeof v);
    peg_sub(v[0], v[1], slide);
    motion->slide = s->scene->h * peg_norm(slide);
    way += motion->slide;
    motion->window = way > 0 ? AFTER * size / way : 1;
    return 1;
}

static void find_meetings(const peg_pair_search *f, const peg_candidate *pair)
{
    peg_stage *s = f->stage;
    couple c = {f, pair->a, pair->b};
    peg_arena *arena = &s->context->arena;
    peg_arena_mark mark = peg_arena_here(arena);
    peg_mesh_motion motion;
    peg_meeting *meeting;
    peg_vec6 *along = pair->along; /* pairs are moved when some are added */
    int at_start = isnan(along[0][0]);
    if (!set_motion(&c, along, &motion)) return;
    int count = peg_mesh_motion_meetings(&motion, arena, at_start, &meeting);
    for (int i = 0; i < count && !s->failed; i++) add(&c, &meeting[i]);
    if (count) along[0][0] = INFINITY; /* others may meet later in the same motion */
    s->failed |= count < 0;
    peg_arena_back(arena, mark);
}

void peg_find_meetings(const peg_pair_search *f)
{
    peg_stage *s = f->stage;
    for (int i = 0; i < f->known && !s->failed; i++)
        if (s->candidate[i].along && !s->candidate[i].excluded) find_meetings(f, &s->candidate[i]);
}
