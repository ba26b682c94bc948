/* The reference face is the facet's. The incident face, of those of the other part that meet at its
 * lowest vertex, is the one whose normal is most opposite; it is clipped by the sides of the
 * reference face. */
#include "peg/contact/patch_facet.h"

#include "peg/base/tolerance.h"
#include "peg/collide/closest_features.h"
#include "peg/collide/separation.h"
#include "peg/contact/face_clip.h"

/* The facet of a face: the part that it is of and the other one. */
typedef struct faces {
    const peg_view *upper, *lower;
    int reference, flipped; /* the lower part's face; flipped: that part is A */
    const double *n;        /* its normal */
    const double *origin;
    double frame[2][3];
    int lowest;   /* vertex of the upper part */
    int incident; /* its face */
} faces;

static int has_faces(const peg_polytope *P)
{
    return P->kind == PEG_SHAPE_POLYTOPE && !(P->round > 0) && P->sides <= PEG_CLIP_SIDES;
}

int peg_have_facet_patches(const peg_polytope *A, const peg_polytope *B)
{
    return (has_faces(A) && (has_faces(B) || peg_is_half_space(B))) ||
           (has_faces(B) && peg_is_half_space(A));
}

static void set_faces(const peg_view *A, const peg_view *B, const peg_facet *facet, faces *f)
{
    f->flipped = facet->kind == PEG_FEATURES_FV;
    f->upper = f->flipped ? B : A, f->lower = f->flipped ? A : B;
    f->reference = facet->i;
    f->lowest = f->incident = 0;
    f->n = f->lower->normal[f->reference];
}

static double height(const faces *f, int vertex)
{
    return peg_dot(f->n, f->upper->vertex[vertex]) - f->lower->offset[f->reference];
}

static void find_lowest(faces *f)
{
    const peg_view *U = f->upper;
    double least = INFINITY, most = INFINITY;
    for (int v = 0; v < U->shape->nv; v++) {
        double h = height(f, v);
        if (h < least) least = h, f->lowest = v;
    }
    const double *x = U->vertex[f->lowest];
    for (int k = 0; k < U->shape->nf; k++) {
        double along = peg_dot(U->normal[k], f->n);
        if (along >= most) continue;
        if (peg_dot(U->normal[k], x) < U->offset[k] - PEG_TOUCH * U->shape->size) continue;
        most = along, f->incident = k;
    }
}

static int ends_of(const peg_view *view, int v, int w)
{
    return v < w ? view->shape->nv * v + w : view->shape->nv * w + v;
}

/* The side between two corners of a face: what is outside of it lies to the right. */
static void set_side(peg_clip_side *s, const double a[2], const double b[2], double room)
{
    double d[2] = {b[0] - a[0], b[1] - a[1]}, length = sqrt(d[0] * d[0] + d[1] * d[1]);
    s->outward[0] = d[1] / length, s->outward[1] = -d[0] / length;
    s->limit = s->outward[0] * a[0] + s->outward[1] * a[1] + room;
}

/* Of the reference face, from its first vertex. */
static void set_sides(faces *f, peg_clip *clip)
{
    const peg_view *D = f->lower;
    const int *v = D->shape->face_vertex + D->shape->face_start[f->reference];
    int n = D->shape->face_start[f->reference + 1] - D->shape->face_start[f->reference];
    double at[PEG_CLIP_SIDES][2];
    f->origin = D->vertex[v[0]];
    peg_sub(D->vertex[v[1]], f->origin, f->frame[0]);
    peg_normalise(f->frame[0]);
    peg_cross(f->n, f->frame[0], f->frame[1]);
    for (int k = 0; k < n; k++) {
        double x[3];
        peg_sub(D->vertex[v[k]], f->origin, x);
        for (int i = 0; i < 2; i++) at[k][i] = peg_dot(f->frame[i], x);
    }
    clip->sides = n;
    for (int k = 0; k < n; k++) {
        int next = k + 1 < n ? k + 1 : 0;
        clip->side[k].v[0] = v[k], clip->side[k].v[1] = v[next];
        set_side(&clip->side[k], at[k], at[next], PEG_CLIP_ROOM * D->shape->size);
    }
}

static void set_corners(const faces *f, peg_clip *clip)
{
    const peg_view *U = f->upper;
    const int *v = U->shape->face_vertex + U->shape->face_start[f->incident];
    clip->corners = clip->count =
        U->shape->face_start[f->incident + 1] - U->shape->face_start[f->incident];
    for (int k = 0; k < clip->count; k++) {
        peg_clip_corner *c = &clip->polygon[k];
        double x[3];
        clip->vertex[k] = v[k];
        peg_sub(U->vertex[v[k]], f->origin, x);
        for (int i = 0; i < 2; i++) c->at[i] = peg_dot(f->frame[i], x);
        c->at[2] = height(f, v[k]);
        c->from = k ? k - 1 : clip->count - 1, c->to = k;
    }
}

/* Twice the area that a polygon loses with a corner. */
static double area_at(const peg_clip *clip, int k)
{
    int n = clip->count;
    const double *a = clip->polygon[(k + n - 1) % n].at, *b = clip->polygon[k].at,
                 *c = clip->polygon[(k + 1) % n].at;
    return fabs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
}

/* Corners of a long polygon that matter least; the lowest stays. */
static void drop_corners(peg_clip *clip, double lowest)
{
    while (clip->count > PEG_PATCH_MOST) {
        int least = -1;
        for (int k = 0; k < clip->count; k++)
            if (clip->polygon[k].at[2] > lowest &&
                (least < 0 || area_at(clip, k) < area_at(clip, least)))
                least = k;
        if (least < 0) least = clip->count - 1; /* all are */
        clip->count--;
        memmove(&clip->polygon[least], &clip->polygon[least + 1],
                (size_t)(clip->count - least) * sizeof *clip->polygon);
    }
}

static void name_corner(const faces *f, const peg_clip *clip, const peg_clip_corner *corner,
                        peg_patch_contact *c)
{
    peg_clip_features name = peg_clip_features_at(clip, corner);
    c->kind = f->flipped ? PEG_FEATURES_FV : PEG_FEATURES_VF;
    c->i = name.i[0], c->j = f->reference;
    if (name.feature == PEG_CLIP_REFERENCE_VERTEX) {
        c->kind = f->flipped ? PEG_FEATURES_VF : PEG_FEATURES_FV;
        c->j = f->incident;
    } else if (name.feature == PEG_CLIP_EDGE_EDGE) {
        int upper = ends_of(f->upper, name.i[0], name.i[1]);
        int lower = ends_of(f->lower, name.j[0], name.j[1]);
        c->kind = PEG_FEATURES_EE;
        c->i = f->flipped ? lower : upper, c->j = f->flipped ? upper : lower;
    }
}

static void face_patch(faces *f, double reach, peg_patch *out)
{
    peg_clip clip;
    double least = INFINITY;
    set_sides(f, &clip);
    set_corners(f, &clip);
    peg_clip_face(&clip);
    const peg_clip_corner *c = clip.polygon;
    for (int k = 0; k < clip.count; k++) least = peg_min(least, c[k].at[2]);
    drop_corners(&clip, least);
    for (int k = 0; k < clip.count; k++) {
        peg_patch_contact *to = &out->contact[out->count];
        if (c[k].at[2] > least + reach) continue;
        name_corner(f, &clip, &c[k], to);
        peg_add_scaled(f->origin, c[k].at[0], f->frame[0], to->point);
        peg_add_scaled(to->point, c[k].at[1], f->frame[1], to->point);
        peg_add_scaled(to->point, 0.5 * c[k].at[2], f->n, to->point);
        to->gap = c[k].at[2], to->is_of_edges = 0;
        out->count++;
    }
}

/* The lowest vertices, no higher than `most`. */
static void corners_below(const faces *f, double most, peg_patch *out)
{
    for (int v = 0; v < f->upper->shape->nv; v++) {
        double gap = height(f, v);
        int k = out->count;
        if (gap > most) continue;
        if (k == PEG_PATCH_MOST) {
            k = 0;
            for (int i = 1; i < PEG_PATCH_MOST; i++)
                if (out->contact[i].gap > out->contact[k].gap) k = i;
            if (gap >= out->contact[k].gap) continue;
        } else {
            out->count++;
        }
        peg_patch_contact *to = &out->contact[k];
        *to = (peg_patch_contact){.kind = f->flipped ? PEG_FEATURES_FV : PEG_FEATURES_VF,
                                  .i = v,
                                  .j = f->reference,
                                  .gap = gap};
        peg_add_scaled(f->upper->vertex[v], -0.5 * gap, f->n, to->point);
    }
}

static void edge_patch(const peg_view *A, const peg_view *B, const peg_facet *facet, peg_patch *out)
{
    const int *a = A->shape->edge[facet->i].v, *b = B->shape->edge[facet->j].v;
    double da[3], db[3], on_a[3], on_b[3], between[3];
    peg_patch_contact *c = out->contact;
    peg_edge_vector(A, &A->shape->edge[facet->i], da);
    peg_edge_vector(B, &B->shape->edge[facet->j], db);
    peg_near_points_of_edges(A, B, facet->i, facet->j, on_a, on_b);
    peg_sub(A->vertex[a[0]], B->vertex[b[0]], between);
    c->gap = peg_dot(between, facet->n);
    for (int k = 0; k < 3; k++) {
        c->point[k] = 0.5 * (on_a[k] + on_b[k]);
        between[k] = on_a[k] - on_b[k] - c->gap * facet->n[k];
    }
    /* edges that pass each other do not cross */
    if (c->gap > 0 && peg_norm(between) > PEG_INSIDE * (peg_norm(da) + peg_norm(db))) return;
    c->kind = PEG_FEATURES_EE, c->is_of_edges = 0;
    c->i = ends_of(A, a[0], a[1]), c->j = ends_of(B, b[0], b[1]);
    out->count = 1;
}

/* Of edges that are no longer the lowest of A and the highest of B: what is, under their names. */
static void support_patch(const peg_view *A, const peg_view *B, const peg_facet *facet,
                          peg_patch *out)
{
    const int *on_a = A->shape->edge[facet->i].v, *on_b = B->shape->edge[facet->j].v;
    const double *a = A->vertex[peg_support_vertex(A, facet->n, -1, 0)],
                 *b = B->vertex[peg_support_vertex(B, facet->n, 1, 0)];
    peg_patch_contact *c = out->contact;
    c->kind = PEG_FEATURES_EE, c->is_of_edges = 0;
    c->i = ends_of(A, on_a[0], on_a[1]), c->j = ends_of(B, on_b[0], on_b[1]);
    c->gap = facet->s;
    for (int k = 0; k < 3; k++) c->point[k] = 0.5 * (a[k] + b[k]);
    out->count = 1;
}

static int has_gap(const peg_patch *patch, double gap)
{
    return patch->count > 0 && patch->contact[0].gap <= gap;
}

static void find(const peg_view *A, const peg_view *B, const peg_facet *facet, double reach,
                 int corners, peg_patch *out)
{
    faces f;
    out->count = 0;
    peg_copy3(facet->n, out->normal);
    if (facet->kind == PEG_FEATURES_EE) {
        edge_patch(A, B, facet, out);
        if (corners && facet->s < 0 && !has_gap(out, facet->s + PEG_TOUCH * A->shape->size))
            support_patch(A, B, facet, out);
        return;
    }
    set_faces(A, B, facet, &f);
    for (int k = 0; k < 3; k++) out->normal[k] = f.flipped ? -f.n[k] : f.n[k];
    if (corners) {
        corners_below(&f, reach, out);
        return;
    }
    find_lowest(&f);
    if (peg_is_half_space(f.lower->shape))
        corners_below(&f, height(&f, f.lowest) + reach, out);
    else
        face_patch(&f, reach, out);
}

void peg_facet_patch_find(const peg_view *A, const peg_view *B, const peg_facet *facet,
                          double reach, peg_patch *out)
{
    find(A, B, facet, reach, 0, out);
}

void peg_facet_patch_add_edges(const peg_view *A, const peg_view *B, const peg_facet *face,
                               peg_patch *patch)
{
    peg_facet widest = peg_separation_from(A, B, face);
    peg_patch edges = {.count = 0};
    if (widest.kind == PEG_FEATURES_EE) {
        edge_patch(A, B, &widest, &edges);
        peg_copy3(widest.n, edges.normal);
    }
    peg_patch_add_edges(patch, &edges);
}

void peg_facet_corners_find(const peg_view *A, const peg_view *B, const peg_facet *facet,
                            double reach, peg_patch *out)
{
    find(A, B, facet, reach, 1, out);
}
