/* The incident face is the face of the other box whose normal is most opposite to the reference
 * face's; it is clipped by the sides of the latter. */
#include "peg/contact/patch_box.h"

#include "peg/base/tolerance.h"
#include "peg/contact/face_clip.h"

/* Sides of a face. */
enum { SIDES = 4 };

/* A face axis: the reference box and the other one. */
typedef struct faces {
    const peg_box *box, *other;
    int flipped;   /* the reference box is B */
    int axis;      /* of the reference box */
    double sign;   /* of that axis: outwards */
    double out[3]; /* outward normal */
    double frame[2][3];
    /* the clipped face */
    int face;
    double face_sign;
} faces;

static void column(const double *R, int k, double *out)
{
    out[0] = R[k], out[1] = R[3 + k], out[2] = R[6 + k];
}

static void set_faces(const peg_box *a, const peg_box *b, const peg_box_axis *axis, faces *f)
{
    f->flipped = axis->axis >= 3;
    f->box = f->flipped ? b : a;
    f->other = f->flipped ? a : b;
    f->axis = axis->axis % 3;
    f->sign = f->flipped ? axis->sign : -axis->sign;
    column(f->box->R, f->axis, f->out);
    for (int k = 0; k < 3; k++) f->out[k] *= f->sign;
    column(f->box->R, (f->axis + 1) % 3, f->frame[0]);
    column(f->box->R, (f->axis + 2) % 3, f->frame[1]);
    double most = -1;
    for (int k = 0; k < 3; k++) {
        double n[3];
        column(f->other->R, k, n);
        double along = peg_dot(n, f->out);
        if (fabs(along) <= most) continue;
        most = fabs(along);
        f->face = k, f->face_sign = along > 0 ? -1 : 1;
    }
}

/* Corner bit k set: + half of side k. */
static int vertex_of(int axis, double sign, int first, int second)
{
    return (sign > 0) << axis | first << (axis + 1) % 3 | second << (axis + 2) % 3;
}

static int edge_between(int v, int w)
{
    return v < w ? 8 * v + w : 8 * w + v;
}

/* Corners of a face in their order: the half sides of its two axes positive or not. */
static const int ROUND[SIDES][2] = {{1, 1}, {0, 1}, {0, 0}, {1, 0}};

static int corner_vertex(int axis, double sign, int k)
{
    return vertex_of(axis, sign, ROUND[k % SIDES][0], ROUND[k % SIDES][1]);
}

static void vertex_at(const peg_box *box, int v, double *out)
{
    double local[3];
    for (int k = 0; k < 3; k++) local[k] = v >> k & 1 ? box->half[k] : -box->half[k];
    peg_rotate(box->R, local, out);
    peg_add_scaled(out, 1, box->x, out);
}

static void add(peg_patch *out, const double *point, double gap, peg_feature_kind kind, int i,
                int j)
{
    peg_patch_contact *c = &out->contact[out->count++];
    peg_copy3(point, c->point);
    c->gap = gap, c->kind = kind, c->i = i, c->j = j;
}

/* Of the reference face: +u, -u, +v, -v. */
static void set_sides(const faces *f, double room, peg_clip *clip)
{
    clip->sides = SIDES;
    for (int side = 0; side < SIDES; side++) {
        int along = side / 2, positive = side % 2 == 0;
        peg_clip_side *s = &clip->side[side];
        s->outward[along] = positive ? 1 : -1, s->outward[!along] = 0;
        s->limit = f->box->half[(f->axis + 1 + along) % 3] + room;
        for (int end = 0; end < 2; end++)
            s->v[end] = along ? vertex_of(f->axis, f->sign, end, positive)
                              : vertex_of(f->axis, f->sign, positive, end);
    }
}

/* A box's face, on the side that the sign tells. */
static int face_of(int axis, double sign)
{
    return 2 * axis + (sign > 0);
}

static void name_corner(const faces *f, const peg_clip *clip, const peg_clip_corner *corner,
                        peg_patch_contact *c)
{
    peg_clip_features name = peg_clip_features_at(clip, corner);
    c->kind = f->flipped ? PEG_FEATURES_VF : PEG_FEATURES_FV;
    c->i = name.i[0], c->j = face_of(f->axis, f->sign);
    if (name.feature == PEG_CLIP_REFERENCE_VERTEX) {
        c->kind = f->flipped ? PEG_FEATURES_FV : PEG_FEATURES_VF;
        c->j = face_of(f->face, f->face_sign);
    } else if (name.feature == PEG_CLIP_EDGE_EDGE) {
        int other = edge_between(name.i[0], name.i[1]), own = edge_between(name.j[0], name.j[1]);
        c->kind = PEG_FEATURES_EE;
        c->i = f->flipped ? other : own, c->j = f->flipped ? own : other;
    }
}

/* The other box's face, in the frame of the reference face's centre. */
static void set_corners(const faces *f, peg_clip *clip)
{
    clip->corners = clip->count = SIDES;
    for (int k = 0; k < SIDES; k++) {
        double x[3];
        peg_clip_corner *c = &clip->polygon[k];
        clip->vertex[k] = corner_vertex(f->face, f->face_sign, k);
        vertex_at(f->other, clip->vertex[k], x);
        peg_sub(x, f->box->x, x);
        c->at[0] = peg_dot(x, f->frame[0]);
        c->at[1] = peg_dot(x, f->frame[1]);
        c->at[2] = peg_dot(x, f->out) - f->box->half[f->axis];
        c->from = k ? k - 1 : SIDES - 1, c->to = k;
    }
}

static void face_patch(const faces *f, double reach, peg_patch *out)
{
    peg_clip clip;
    const double *h = f->box->half;
    double least = INFINITY;
    set_sides(f, PEG_CLIP_ROOM * (h[(f->axis + 1) % 3] + h[(f->axis + 2) % 3]), &clip);
    set_corners(f, &clip);
    peg_clip_face(&clip);
    const peg_clip_corner *c = clip.polygon;
    for (int k = 0; k < clip.count; k++) least = peg_min(least, c[k].at[2]);
    for (int k = 0; k < clip.count; k++) {
        double point[3];
        if (c[k].at[2] > least + reach) continue;
        peg_add_scaled(f->box->x, c[k].at[0], f->frame[0], point);
        peg_add_scaled(point, c[k].at[1], f->frame[1], point);
        peg_add_scaled(point, f->box->half[f->axis] + 0.5 * c[k].at[2], f->out, point);
        add(out, point, c[k].at[2], PEG_FEATURES_NONE, 0, 0);
        name_corner(f, &clip, &c[k], &out->contact[out->count - 1]);
    }
}

/* The edge's middle, and its vertices, on the side of the box that looks along n. */
static int edge_on(const peg_box *box, int axis, const double *n, double *middle)
{
    int v = 0;
    peg_copy3(box->x, middle);
    for (int k = 0; k < 3; k++) {
        double d[3];
        if (k == axis) continue;
        column(box->R, k, d);
        int positive = peg_dot(d, n) > 0;
        v |= positive << k;
        peg_add_scaled(middle, positive ? box->half[k] : -box->half[k], d, middle);
    }
    return edge_between(v, v | 1 << axis);
}

static double within(double x, double most)
{
    return peg_max(-most, peg_min(most, x));
}

static void edge_patch(const peg_box *a, const peg_box *b, const peg_box_axis *axis, peg_patch *out)
{
    int i = (axis->axis - 6) / 3, j = (axis->axis - 6) % 3;
    double da[3], db[3], n[3], back[3], pa[3], pb[3], r[3], point[3];
    column(a->R, i, da);
    column(b->R, j, db);
    peg_box_axis_direction(a, b, axis, n);
    for (int k = 0; k < 3; k++) back[k] = -n[k];
    peg_copy3(n, out->normal);
    int ea = edge_on(a, i, back, pa), eb = edge_on(b, j, n, pb);
    peg_sub(pb, pa, r);
    double c = peg_dot(da, db), ra = peg_dot(r, da), rb = peg_dot(r, db);
    /* of the lines, and then within the edges */
    double ta = within((ra - c * rb) / (1 - c * c), a->half[i]);
    double tb = within(c * ta - rb, b->half[j]);
    ta = within(ra + c * tb, a->half[i]);
    double gap = -peg_dot(r, n), between[3];
    for (int k = 0; k < 3; k++) {
        point[k] = 0.5 * (pa[k] + ta * da[k] + pb[k] + tb * db[k]);
        between[k] = pa[k] + ta * da[k] - pb[k] - tb * db[k] - gap * n[k];
    }
    /* edges that pass each other do not cross */
    if (gap > 0 && peg_norm(between) > PEG_INSIDE * (a->half[i] + b->half[j])) return;
    add(out, point, gap, PEG_FEATURES_EE, ea, eb);
}

static void take_normal(const faces *f, peg_patch *out)
{
    for (int k = 0; k < 3; k++) out->normal[k] = f->flipped ? f->out[k] : -f->out[k];
}

void peg_box_patch_find(const peg_box *a, const peg_box *b, const peg_box_axis *axis, double reach,
                        peg_patch *out)
{
    out->count = 0;
    if (axis->axis >= 6) {
        edge_patch(a, b, axis, out);
        return;
    }
    faces f;
    set_faces(a, b, axis, &f);
    take_normal(&f, out);
    face_patch(&f, reach, out);
}

void peg_box_corners_find(const peg_box *a, const peg_box *b, const peg_box_axis *axis,
                          double reach, peg_patch *out)
{
    faces f;
    out->count = 0;
    if (axis->axis >= 6) {
        edge_patch(a, b, axis, out);
        return;
    }
    set_faces(a, b, axis, &f);
    take_normal(&f, out);
    for (int v = 0; v < 8; v++) {
        double x[3], d[3];
        vertex_at(f.other, v, x);
        peg_sub(x, f.box->x, d);
        double gap = peg_dot(d, f.out) - f.box->half[f.axis];
        if (gap > reach) continue;
        peg_add_scaled(x, -0.5 * gap, f.out, x);
        add(out, x, gap, f.flipped ? PEG_FEATURES_VF : PEG_FEATURES_FV, v, face_of(f.axis, f.sign));
    }
}

void peg_box_plane_find(const peg_box *box, const double normal[3], double offset, int flipped,
                        double reach, peg_patch *out)
{
    enum { MOST = 4 }; /* corners of a face */
    double least = peg_box_above_plane(box, normal, offset);
    out->count = 0;
    for (int k = 0; k < 3; k++) out->normal[k] = flipped ? -normal[k] : normal[k];
    for (int v = 0; v < 8; v++) {
        double x[3];
        vertex_at(box, v, x);
        double gap = peg_dot(normal, x) - offset;
        if (gap > least + reach) continue;
        peg_add_scaled(x, -0.5 * gap, normal, x);
        add(out, x, gap, flipped ? PEG_FEATURES_FV : PEG_FEATURES_VF, v, 0);
    }
    while (out->count > MOST) {
        int highest = 0;
        for (int k = 1; k < out->count; k++)
            if (out->contact[k].gap > out->contact[highest].gap) highest = k;
        out->contact[highest] = out->contact[--out->count];
    }
}
