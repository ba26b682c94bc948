/* Which triangles of two meshes meet first while both move. An interval of time is looked at in its
 * middle: what is farther apart there than it can move in half of it does not meet in it. The rest
 * is looked at in both halves, the earlier first, until what is left moves by less than counts as
 * near. Nodes of the trees stand for their triangles as long as they are small beside the motion.
 */
#include "peg/collide/mesh_motion.h"

#include <stdlib.h>

#include "peg/collide/triangle_distance.h"

/* Halvings of the motion: bodies that turn by hundreds of radians in a step are not told apart any
 * better than in a thousandth of it. */
enum { HALVINGS = 10 };

/* A node of each tree, or ~ a triangle. */
typedef struct item {
    int of[2];
} item;

/* Both meshes in the middle of an interval. */
typedef struct moment {
    double R[9], at[3], extent[9]; /* extent: what R turns lengths into, at most */
    double t, half;                /* half of the interval, as a share of the motion */
    int last;                      /* it is not halved any more */
} moment;

typedef struct search {
    const peg_mesh_motion *motion;
    peg_arena *arena;
    item *item;
    int items, capacity;
    peg_meeting *meeting;
    int meetings, room;
    int at_start; /* of these, in order: near before anything moves */
    double until;
    int failed;
} search;

/* --- memory --- */

static void *widen(search *s, void *array, int count, int *capacity, size_t size)
{
    if (count < *capacity) return array;
    int more = *capacity ? 2 * *capacity : 256;
    void *grown = peg_arena_alloc(s->arena, (size_t)more * size);
    if (!grown) {
        s->failed = 1;
        return NULL;
    }
    if (count) memcpy(grown, array, (size_t)count * size);
    *capacity = more;
    return grown;
}

static void keep(search *s, item it)
{
    item *array = widen(s, s->item, s->items, &s->capacity, sizeof *array);
    if (!array) return;
    s->item = array;
    s->item[s->items++] = it;
}

static void meet(search *s, item it, double time)
{
    peg_meeting *array = widen(s, s->meeting, s->meetings, &s->room, sizeof *array);
    if (!array) return;
    s->meeting = array;
    s->meeting[s->meetings++] = (peg_meeting){~it.of[0], ~it.of[1], time};
    if (time >= 0) s->until = peg_min(s->until, time + s->motion->window);
}

/* --- bounds --- */

static void box_of(const peg_triangle_mesh *m, int node, peg_aabb *box)
{
    if (node >= 0) {
        *box = m->node[node].box;
        return;
    }
    const int *t = m->triangle[~node];
    const double *u = m->vertex[t[0]], *v = m->vertex[t[1]], *w = m->vertex[t[2]];
    for (int k = 0; k < 3; k++) {
        box->lo[k] = peg_min(u[k], peg_min(v[k], w[k]));
        box->hi[k] = peg_max(u[k], peg_max(v[k], w[k]));
    }
}

/* The largest distance of a box from a point. */
static double farthest(const peg_aabb *box, const double *from)
{
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = peg_max(from[k] - box->lo[k], box->hi[k] - from[k]);
    return peg_norm(d);
}

static double extent(const peg_aabb *box)
{
    double d[3];
    peg_sub(box->hi, box->lo, d);
    return peg_norm(d);
}

/* How much nearer what is in two boxes can get in half of an interval. */
static double closing(const search *s, const moment *m, const peg_aabb box[2])
{
    const peg_mesh_motion *motion = s->motion;
    double way = motion->slide;
    for (int i = 0; i < 2; i++)
        if (motion->spin[i] > 0) way += motion->spin[i] * farthest(&box[i], motion->pivot[i]);
    return m->half * way;
}

/* Whether two boxes, the first one turned by R and moved, are farther apart than reach, by the
 * distance along the axes of one of them. */
static int boxes_are_apart(const moment *m, const peg_aabb box[2], double reach)
{
    double centre[3], half[3], apart[3], other[3], square = 0, most = reach * reach;
    for (int k = 0; k < 3; k++) {
        centre[k] = .5 * (box[0].lo[k] + box[0].hi[k]);
        half[k] = .5 * (box[0].hi[k] - box[0].lo[k]);
        other[k] = .5 * (box[1].hi[k] - box[1].lo[k]);
    }
    peg_rotate(m->R, centre, apart);
    for (int k = 0; k < 3; k++) {
        apart[k] += m->at[k] - .5 * (box[1].lo[k] + box[1].hi[k]);
        double d = fabs(apart[k]) - other[k] - peg_dot(m->extent + 3 * k, half);
        if (d > 0) square += d * d;
    }
    if (square > most) return 1;
    square = 0;
    peg_rotate_back(m->R, apart, apart);
    for (int k = 0; k < 3; k++) {
        const double *r = m->extent + k;
        double d = fabs(apart[k]) - half[k] - r[0] * other[0] - r[3] * other[1] - r[6] * other[2];
        if (d > 0) square += d * d;
    }
    return square > most;
}

static int triangles_are_apart(const search *s, const moment *m, item it, double reach)
{
    peg_vec3 corner[2][3];
    for (int i = 0; i < 2; i++) {
        const peg_triangle_mesh *mesh = s->motion->mesh[i];
        for (int k = 0; k < 3; k++)
            peg_copy3(mesh->vertex[mesh->triangle[~it.of[i]][k]], corner[i][k]);
    }
    for (int k = 0; k < 3; k++) {
        peg_rotate(m->R, corner[0][k], corner[0][k]);
        peg_add_scaled(corner[0][k], 1, m->at, corner[0][k]);
    }
    return peg_triangles_are_apart((const peg_vec3 *)corner[0], (const peg_vec3 *)corner[1], reach);
}

/* --- search --- */

static int in_order(const void *left, const void *right)
{
    const peg_meeting *x = left, *y = right;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    if (x->b != y->b) return x->b < y->b ? -1 : 1;
    return (x->time > y->time) - (x->time < y->time);
}

static int is_known(const search *s, item it)
{
    peg_meeting key = {~it.of[0], ~it.of[1], -1};
    if (s->at_start && bsearch(&key, s->meeting, (size_t)s->at_start, sizeof key, in_order))
        return 1;
    return s->motion->is_known(s->motion->context, key.a, key.b);
}

static void look_at_triangles(search *s, const moment *m, item it, double way)
{
    double near = s->motion->near;
    if (triangles_are_apart(s, m, it, way + near + s->motion->round)) return;
    if (m->last || way <= near)
        meet(s, it, m->t - m->half);
    else if (!triangles_are_apart(s, m, it, near + s->motion->round))
        meet(s, it, m->t);
    else
        keep(s, it);
}

static void look_at(search *s, const moment *m, item it)
{
    const peg_mesh_motion *motion = s->motion;
    peg_aabb box[2];
    for (int i = 0; i < 2; i++) box_of(motion->mesh[i], it.of[i], &box[i]);
    double way = closing(s, m, box);
    if (boxes_are_apart(m, box, way + motion->near + motion->round)) return;
    if (it.of[0] < 0 && it.of[1] < 0) {
        look_at_triangles(s, m, it, way);
        return;
    }
    double size[2] = {it.of[0] < 0 ? -1 : extent(&box[0]), it.of[1] < 0 ? -1 : extent(&box[1])};
    int larger = size[1] > size[0];
    if (!m->last && way > size[larger]) {
        keep(s, it);
        return;
    }
    const peg_aabb_node *node = &motion->mesh[larger]->node[it.of[larger]];
    item part[2] = {it, it};
    for (int t = node->first; t < node->first + node->count && !s->failed; t++) {
        part[0].of[larger] = ~t;
        if (part[0].of[!larger] >= 0 || !is_known(s, part[0])) look_at(s, m, part[0]);
    }
    if (node->count || s->failed) return;
    part[0].of[larger]++;
    part[1].of[larger] = node->first;
    look_at(s, m, part[0]);
    look_at(s, m, part[1]);
}

static void place(const search *s, moment *m)
{
    s->motion->place(s->motion->context, m->t, m->R, m->at);
    for (int k = 0; k < 9; k++) m->extent[k] = fabs(m->R[k]);
}

/* What may meet between two shares of the motion, of some items. */
static void look_between(search *s, double from, double to, int first, int count, int halvings)
{
    moment m = {.t = .5 * (from + to), .half = .5 * (to - from), .last = halvings == 0};
    int mine = s->items;
    if (from > s->until) return;
    place(s, &m);
    for (int i = first; i < first + count && !s->failed; i++) look_at(s, &m, s->item[i]);
    int left = s->items - mine;
    if (left) {
        look_between(s, from, m.t, mine, left, halvings - 1);
        look_between(s, m.t, to, mine, left, halvings - 1);
    }
    s->items = mine;
}

int peg_mesh_motion_meetings(const peg_mesh_motion *motion, peg_arena *arena, int from_start,
                             peg_meeting **out)
{
    search s = {.motion = motion, .arena = arena, .until = 1};
    keep(&s, (item){{0, 0}});
    if (from_start && !s.failed) {
        moment start = {.last = 1};
        place(&s, &start);
        look_at(&s, &start, s.item[0]);
        for (int i = 0; i < s.meetings; i++) s.meeting[i].time = -1;
        if (s.meetings) qsort(s.meeting, (size_t)s.meetings, sizeof *s.meeting, in_order);
        s.at_start = s.meetings;
        s.until = 1;
    }
    if (!s.failed) look_between(&s, 0, 1, 0, 1, HALVINGS);
    *out = s.meeting;
    if (s.failed) return -1;
    if (s.meetings == 0) return 0;
    /* each pair once, and only those that count */
    int count = 0;
    qsort(s.meeting, (size_t)s.meetings, sizeof *s.meeting, in_order);
    for (int i = 0; i < s.meetings; i++) {
        const peg_meeting *m = &s.meeting[i], *last = count ? &s.meeting[count - 1] : NULL;
        if (m->time > s.until || (last && last->a == m->a && last->b == m->b)) continue;
        s.meeting[count++] = *m;
    }
    return count;
}
