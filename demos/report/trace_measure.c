/* What traces hold, measured without the contact module: overlap of shapes at the recorded poses
 * (demos/oracle), energy, momentum, islands, and the facets that contacts touch. */
#include "demos/oracle/overlap.h"
#include "demos/world/progress.h"
#include "demos/report/trace.h"
#include "demos/world/planar_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "peg/base/math.h"

/* ---- overlap --------------------------------------------------------------------------------- */

typedef struct placed_part {
    int body;
    const lab_shape *shape; /* body frame */
    lab_shape *placed;
    lab_tree *tree; /* of a mesh; may be null */
    double low[3], high[3];
    int present;
} placed_part;

typedef struct measurer {
    const lab_trace *trace;
    placed_part *part;
    int *order; /* parts by their least x */
    int parts;
    trace_state *last;        /* poses that the parts are placed at */
    unsigned char *connected; /* bit i * bodies + j; null: none */
} measurer;

static void measurer_free(measurer *m)
{
    for (int i = 0; m->part && i < m->parts; i++) {
        lab_shape_free(m->part[i].placed);
        if (m->part[i].tree) lab_tree_free(m->part[i].tree);
    }
    free(m->part);
    free(m->order);
    free(m->last);
    free(m->connected);
}

static void connect(measurer *m, int i, int j)
{
    size_t bit = (size_t)i * (size_t)m->trace->bodies + (size_t)j;
    m->connected[bit / 8] |= (unsigned char)(1 << bit % 8);
}

static int are_connected(const measurer *m, int i, int j)
{
    size_t bit = (size_t)i * (size_t)m->trace->bodies + (size_t)j;
    return m->connected && m->connected[bit / 8] >> bit % 8 & 1;
}

static int measurer_begin(measurer *m, const lab_trace *t)
{
    size_t bodies = (size_t)t->bodies, parts = 0;
    *m = (measurer){.trace = t};
    for (int i = 0; i < t->bodies; i++) parts += (size_t)t->body[i].parts;
    m->part = calloc(parts + 1, sizeof *m->part);
    m->order = malloc((parts + 1) * sizeof *m->order);
    m->last = malloc((bodies + 1) * sizeof *m->last);
    if (t->pairs > 0) m->connected = calloc(bodies * bodies / 8 + 1, 1);
    if (!m->part || !m->order || !m->last || (t->pairs && !m->connected)) return 0;
    for (int i = 0; i < t->pairs; i++) {
        connect(m, t->connected[i][0], t->connected[i][1]);
        connect(m, t->connected[i][1], t->connected[i][0]);
    }
    for (int i = 0; i < t->bodies; i++) {
        m->last[i].pose[0] = NAN;
        for (int k = 0; k < t->body[i].parts; k++) {
            placed_part *p = &m->part[m->parts];
            m->parts++;
            *p = (placed_part){.body = i, .shape = t->body[i].part[k]};
            p->placed = lab_shape_copy(p->shape);
            if (!p->placed) return 0;
            for (int d = 0; d < 3; d++) p->low[d] = -INFINITY, p->high[d] = INFINITY;
        }
    }
    for (int i = 0; i < m->parts; i++) m->order[i] = i;
    return 1;
}

static void place_part(measurer *m, placed_part *p, const double pose[7])
{
    double R[9];
    if (m->trace->body[p->body].is_plane) return;
    peg_quat_to_mat(pose + 3, R);
    lab_shape_move(p->shape, pose, R, p->placed);
    lab_shape_bounds(p->placed, p->low, p->high);
    if (p->placed->kind != LAB_SHAPE_MESH) return;
    if (p->tree)
        lab_tree_fit(p->tree, p->placed);
    else
        p->tree = lab_tree_new(p->placed);
}

/* Puts the parts where the frame has them, and in the order of their boxes. */
static void place_all(measurer *m, const trace_frame *f)
{
    for (int i = 0; i < m->parts; i++) {
        placed_part *p = &m->part[i];
        p->present = trace_present(f, p->body);
        if (p->present &&
            memcmp(m->last[p->body].pose, f->state[p->body].pose, sizeof f->state->pose) != 0)
            place_part(m, p, f->state[p->body].pose);
    }
    memcpy(m->last, f->state, (size_t)m->trace->bodies * sizeof *m->last);
    for (int i = 1; i < m->parts; i++) { /* nearly in order already */
        int at = m->order[i], k = i;
        for (; k > 0 && m->part[m->order[k - 1]].low[0] > m->part[at].low[0]; k--)
            m->order[k] = m->order[k - 1];
        m->order[k] = at;
    }
}

static double measure_parts(const measurer *m, const placed_part *p, const placed_part *r,
                            double *volume)
{
    planar_polygon a, b;
    *volume = 0;
    if (m->trace->is_planar && lab_planar_polygon(p->placed, &a) &&
        lab_planar_polygon(r->placed, &b)) {
        *volume = planar_overlap(&a, &b);
        return planar_separation(&a, &b);
    }
    double s = lab_separation_of(p->placed, p->tree, r->placed, r->tree, 0);
    if (s < 0) *volume = lab_overlap_volume(p->placed, r->placed);
    return s;
}

static int may_overlap(const measurer *m, const placed_part *p, const placed_part *r)
{
    const trace_body *body = m->trace->body;
    if (p->body == r->body || !p->present || !r->present) return 0;
    if (body[p->body].kind != LAB_DYNAMIC && body[r->body].kind != LAB_DYNAMIC) return 0;
    for (int k = 0; k < 3; k++)
        if (p->low[k] > r->high[k] || r->low[k] > p->high[k]) return 0;
    return !are_connected(m, p->body, r->body);
}

static int measure_frame(measurer *m, trace_frame *f)
{
    f->depth_of = calloc((size_t)m->trace->bodies + 1, sizeof *f->depth_of);
    if (!f->depth_of) return 0;
    place_all(m, f);
    f->volume = f->depth = 0;
    for (int i = 0; i < m->parts; i++)
        for (int k = i + 1; k < m->parts; k++) {
            const placed_part *p = &m->part[m->order[i]], *r = &m->part[m->order[k]];
            if (r->low[0] > p->high[0]) break;
            double volume, s;
            if (!may_overlap(m, p, r) || (s = measure_parts(m, p, r, &volume)) >= 0) continue;
            f->volume += fmax(0, volume);
            f->depth = fmax(f->depth, -s);
            f->depth_of[p->body] = fmaxf(f->depth_of[p->body], (float)-s);
            f->depth_of[r->body] = fmaxf(f->depth_of[r->body], (float)-s);
        }
    return 1;
}

int trace_measure(lab_trace *t, int progress)
{
    measurer m;
    lab_progress bar = {.title = "measuring overlap", .total = t->frames, .silent = !progress};
    int whole = measurer_begin(&m, t);
    for (long i = 0; whole && i < t->frames; i++) {
        if (!t->frame[i].depth_of) whole = measure_frame(&m, &t->frame[i]);
        lab_progress_set(&bar, i + 1);
    }
    lab_progress_end(&bar);
    measurer_free(&m);
    return !whole;
}

/* ---- energy and momentum --------------------------------------------------------------------- */

/* Angular momentum about the centre of mass, world. */
static void spin(const trace_body *b, const trace_state *s, double L[3])
{
    double R[9], local[3], own[3];
    peg_quat_to_mat(s->pose + 3, R);
    peg_rotate_back(R, s->vel + 3, local);
    peg_rotate(b->inertia, local, own);
    peg_rotate(R, own, L);
}

double trace_body_energy(const lab_trace *t, const trace_frame *f, int i)
{
    const trace_body *b = &t->body[i];
    const trace_state *s = &f->state[i];
    double L[3];
    if (b->kind != LAB_DYNAMIC || !trace_present(f, i)) return 0;
    if (!b->has_inertia || !t->has_gravity) return NAN;
    spin(b, s, L);
    return .5 * b->mass * peg_dot(s->vel, s->vel) + .5 * peg_dot(L, s->vel + 3) -
           b->mass * peg_dot(t->gravity, s->pose);
}

double trace_energy(const lab_trace *t, const trace_frame *f)
{
    double sum = 0;
    for (int i = 0; i < t->bodies; i++) sum += trace_body_energy(t, f, i);
    return t->has_gravity ? sum : NAN;
}

double trace_energy_gain(const lab_trace *t, const trace_frame *f)
{
    double sum = 0;
    for (int i = 0; i < t->bodies; i++) {
        if (!trace_present(f - 1, i) || !trace_present(f, i)) continue;
        sum += trace_body_energy(t, f, i) - trace_body_energy(t, f - 1, i);
    }
    return sum;
}

void trace_momentum(const lab_trace *t, const trace_frame *f, double linear[3], double angular[3])
{
    for (int k = 0; k < 3; k++) linear[k] = angular[k] = 0;
    for (int i = 0; i < t->bodies; i++) {
        const trace_body *b = &t->body[i];
        const trace_state *s = &f->state[i];
        double L[3], about[3];
        if (b->kind != LAB_DYNAMIC || !trace_present(f, i)) continue;
        spin(b, s, L);
        peg_cross(s->pose, s->vel, about);
        peg_add_scaled(linear, b->mass, s->vel, linear);
        peg_add_scaled(angular, b->mass, about, angular);
        peg_add_scaled(angular, 1, L, angular);
    }
}

/* ---- islands and facets ---------------------------------------------------------------------- */

static int root_of(int *parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static void unite(const lab_trace *t, const trace_frame *f, int *parent, int a, int b)
{
    if (t->body[a].kind != LAB_DYNAMIC || t->body[b].kind != LAB_DYNAMIC) return;
    if (!trace_present(f, a) || !trace_present(f, b)) return;
    int ra = root_of(parent, a), rb = root_of(parent, b);
    parent[ra > rb ? ra : rb] = ra > rb ? rb : ra;
}

int trace_find_islands(const lab_trace *t, trace_frame *f)
{
    int *parent = malloc(((size_t)t->bodies + 1) * sizeof *parent), islands = 0;
    free(f->island);
    f->island = malloc(((size_t)t->bodies + 1) * sizeof *f->island);
    if (!parent || !f->island) {
        free(parent);
        return 1;
    }
    for (int i = 0; i < t->bodies; i++) parent[i] = i;
    for (int i = 0; i < t->pairs; i++) unite(t, f, parent, t->connected[i][0], t->connected[i][1]);
    for (int i = 0; i < f->contacts; i++) unite(t, f, parent, f->contact[i].a, f->contact[i].b);
    for (int i = 0; i < t->bodies; i++) {
        int root = root_of(parent, i), there = trace_present(f, i);
        if (t->body[i].kind != LAB_DYNAMIC || !there)
            f->island[i] = -1;
        else
            f->island[i] = root == i ? islands++ : f->island[root];
    }
    free(parent);
    return 0;
}

/* How far a point lies outside of the edges of a face, m; 0 inside. */
static double outside(const lab_shape *s, int face, const double x[3])
{
    double most = 0;
    for (int c = s->start[face]; c < s->start[face + 1]; c++) {
        const double *from = s->vertex[s->index[c]];
        const double *to = s->vertex[s->index[c + 1 < s->start[face + 1] ? c + 1 : s->start[face]]];
        double edge[3], d[3], out[3];
        peg_sub(to, from, edge);
        peg_sub(x, from, d);
        peg_cross(edge, s->normal[face], out);
        most = fmax(most, peg_dot(out, d) / fmax(peg_norm(edge), 1e-300));
    }
    return most;
}

/* The face nearest to a point of those that face along n (of a mesh also against it). */
static void nearest_face(const lab_shape *s, const double x[3], const double n[3], double *best,
                         int *face)
{
    double centre[3], size = lab_shape_radius(s, centre);
    for (int i = 0; i < s->nf; i++) {
        double turned = 1 - peg_dot(n, s->normal[i]);
        if (s->kind == LAB_SHAPE_MESH) turned = fmin(turned, 2 - turned);
        double away = fabs(peg_dot(s->normal[i], x) - s->offset[i]) / size + turned;
        if (turned > 1e-3 || away >= *best) continue;
        away += outside(s, i, x) / size;
        if (away < *best) *best = away, *face = i;
    }
}

void trace_find_facet(const lab_trace *t, const trace_frame *f, trace_contact *c)
{
    int owner = c->features == PEG_VERTEX_FACE ? c->b : c->features == PEG_FACE_VERTEX ? c->a : -1;
    double R[9], x[3], n[3], best = INFINITY;
    c->part = c->face = -1;
    if (owner < 0 || !trace_present(f, owner) || t->body[owner].is_plane) return;
    peg_quat_to_mat(f->state[owner].pose + 3, R);
    peg_sub(c->x, f->state[owner].pose, x);
    peg_rotate_back(R, x, x);
    peg_rotate_back(R, c->normal, n);
    for (int k = 0; k < 3 && owner == c->a; k++) n[k] = -n[k]; /* out of its owner */
    for (int p = 0; p < t->body[owner].parts; p++) {
        double before = best;
        nearest_face(t->body[owner].part[p], x, n, &best, &c->face);
        if (best < before) c->part = p;
    }
}

int trace_complete(lab_trace *t)
{
    for (long k = 0; k < t->frames; k++) {
        trace_frame *f = &t->frame[k];
        for (int i = 0; i < f->contacts; i++)
            if (f->contact[i].face < 0) trace_find_facet(t, f, &f->contact[i]);
        if (!f->island && f->contacts >= 0 && trace_find_islands(t, f)) return 1;
    }
    return 0;
}
