/* The incident face is the face of the other box whose normal is most opposite to the reference
 * face's. Corners of the patch are those of either face that lie within the other one, and where
 * their sides cross, as Liang and Barsky 1984 clip them: four corners, or sides, side by side. */
#include "peg/contact/patch_box.h"

#include "peg/base/lanes.h"
#include "peg/base/tolerance.h"
#include "peg/contact/face_clip.h"

/* Sides of a face: a vector has one of each. */
enum { SIDES = PEG_DOUBLE_LANES };

/* A face axis: the reference box and the other one. */
typedef struct faces {
    const peg_box *box, *other;
    int flipped;   /* the reference box is B */
    int axis;      /* of the reference box */
    double sign;   /* of that axis: outwards */
    double out[3]; /* outward normal */
    double frame[2][3];
    /* the incident face */
    int face;
    double face_sign;
    double column[3][3], along[3]; /* axes of its box, and their share along `out` */
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
        column(f->other->R, k, f->column[k]);
        f->along[k] = peg_dot(f->column[k], f->out);
        if (fabs(f->along[k]) <= most) continue;
        most = fabs(f->along[k]);
        f->face = k, f->face_sign = f->along[k] > 0 ? -1 : 1;
    }
}

static int edge_between(int v, int w)
{
    return v < w ? 8 * v + w : 8 * w + v;
}

/* Vertices (bit k set: + half of side k) of the faces -x +x -y +y -z +z in their order: the half
 * sides of the next two axes are positive, or negative and positive, negative, positive and
 * negative. */
static const unsigned char CORNER[6][SIDES] = {{6, 4, 0, 2}, {7, 5, 1, 3}, {5, 1, 0, 4},
                                               {7, 3, 2, 6}, {3, 2, 0, 1}, {7, 6, 4, 5}};

/* Corners of the side +u, -u, +v, -v of a face, u and v the next two axes. */
static const unsigned char ENDS[SIDES][2] = {{3, 0}, {1, 2}, {0, 1}, {2, 3}};

/* A box's face, on the side that the sign tells. */
static int face_of(int axis, double sign)
{
    return 2 * axis + (sign > 0);
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
    c->gap = gap, c->is_of_edges = 0, c->kind = kind, c->i = i, c->j = j;
}

/* Corners of a patch: incident corners, where incident sides enter the reference face and leave it,
 * and reference corners. */
typedef enum corner_kind { INCIDENT, ENTERS, LEAVES, REFERENCE, KINDS } corner_kind;

/* By kind and corner or side: along the frame of the reference face's centre and `out`, then in the
 * world, m. */
typedef struct corners {
    peg_doubles at[KINDS][3], gap[KINDS];
    peg_double_mask is[KINDS];
    peg_double_mask side[KINDS]; /* of the reference face: that a side enters, or leaves, by */
    int which;                   /* mask: KINDS corner or side + kind, which goes round the face */
} corners;

/* The incident face: its centre and half sides in the frame. */
typedef struct incident {
    double centre[3], half[2][3];
} incident;

static void set_incident(const faces *f, incident *out)
{
    double x[3];
    peg_sub(f->other->x, f->box->x, x);
    peg_add_scaled(x, f->face_sign * f->other->half[f->face], f->column[f->face], x);
    out->centre[0] = peg_dot(x, f->frame[0]);
    out->centre[1] = peg_dot(x, f->frame[1]);
    out->centre[2] = peg_dot(x, f->out) - f->box->half[f->axis];
    for (int j = 0; j < 2; j++) {
        int k = (f->face + 1 + j) % 3;
        double half = f->other->half[k];
        out->half[j][0] = half * peg_dot(f->column[k], f->frame[0]);
        out->half[j][1] = half * peg_dot(f->column[k], f->frame[1]);
        out->half[j][2] = half * f->along[k];
    }
}

/* Signs of a face's half sides at its corners, in their order. */
static const peg_doubles FIRST = {1, -1, -1, 1}, SECOND = {1, 1, -1, -1};

/* Incident corners within the limits of the reference face, and crossings of its sides. */
PEG_HOT void clip_sides(const incident *of, const double limit[2], corners *c)
{
    peg_doubles along[3], enter = peg_doubles_of(0), leave = peg_doubles_of(1);
    peg_double_mask inside = {-1, -1, -1, -1}, beside = {0}, enters = {0}, leaves = {0};
    for (int i = 0; i < 3; i++) {
        c->at[INCIDENT][i] = of->centre[i] + FIRST * of->half[0][i] + SECOND * of->half[1][i];
        along[i] = PEG_NEXT4(c->at[INCIDENT][i]) - c->at[INCIDENT][i];
    }
    c->side[ENTERS] = c->side[LEAVES] = enters;
    for (int side = 0; side < SIDES; side++) {
        peg_doubles at = c->at[INCIDENT][side / 2];
        peg_doubles from = limit[side / 2] - (side % 2 ? -at : at), to = PEG_NEXT4(from);
        peg_double_mask is_out = from < 0, ends_out = to < 0, crosses = is_out ^ ends_out;
        peg_doubles t = from / peg_doubles_if(crosses, from - to, peg_doubles_of(1));
        peg_double_mask in = crosses & is_out & (t >= enter),
                        out = crosses & ends_out & (t <= leave);
        enter = peg_doubles_if(in, t, enter), leave = peg_doubles_if(out, t, leave);
        c->side[ENTERS] = (c->side[ENTERS] & ~in) | (in & side);
        c->side[LEAVES] = (c->side[LEAVES] & ~out) | (out & side);
        enters |= in, leaves |= out, inside &= ~is_out, beside |= is_out & ends_out;
    }
    beside |= enter > leave;
    c->is[INCIDENT] = inside;
    c->is[ENTERS] = enters & ~beside, c->is[LEAVES] = leaves & ~beside;
    for (int i = 0; i < 3; i++) {
        c->at[ENTERS][i] = c->at[INCIDENT][i] + enter * along[i];
        c->at[LEAVES][i] = c->at[INCIDENT][i] + leave * along[i];
    }
}

/* Reference corners within the incident face. It is most opposite: the sine is not small. */
PEG_HOT void find_reference_corners(const incident *of, const double limit[2], corners *c)
{
    const double *x = of->half[0], *y = of->half[1];
    double area = 1 / (x[0] * y[1] - x[1] * y[0]);
    c->at[REFERENCE][0] = FIRST * limit[0], c->at[REFERENCE][1] = SECOND * limit[1];
    peg_doubles u = c->at[REFERENCE][0] - of->centre[0], v = c->at[REFERENCE][1] - of->centre[1];
    peg_doubles first = (u * y[1] - v * y[0]) * area, second = (v * x[0] - u * x[1]) * area;
    c->is[REFERENCE] = (peg_doubles_abs(first) <= 1) & (peg_doubles_abs(second) <= 1);
    c->at[REFERENCE][2] = of->centre[2] + first * x[2] + second * y[2];
}

/* Of those no more than `reach` above the lowest one. */
PEG_HOT void choose_corners(double reach, corners *c)
{
    peg_doubles least = peg_doubles_of(INFINITY);
    peg_double_mask first = {1, 1 << KINDS, 1 << 2 * KINDS, 1 << 3 * KINDS}, which = {0};
    for (int k = 0; k < KINDS; k++)
        least = peg_doubles_if(c->is[k] & (c->at[k][2] < least), c->at[k][2], least);
    for (int l = 1; l < SIDES; l++) least[0] = peg_min(least[0], least[l]);
    for (int k = 0; k < KINDS; k++)
        which |= c->is[k] & (c->at[k][2] <= peg_doubles_of(least[0] + reach)) & first << k;
    c->which = (int)(which[0] | which[1] | which[2] | which[3]);
}

/* Into the world; points lie halfway between the faces. */
PEG_HOT void place_corners(const faces *f, corners *c)
{
    double face = f->box->half[f->axis];
    for (int k = 0; k < KINDS; k++) {
        peg_doubles u = c->at[k][0], v = c->at[k][1], up = face + 0.5 * c->at[k][2];
        c->gap[k] = c->at[k][2];
        for (int i = 0; i < 3; i++)
            c->at[k][i] = f->box->x[i] + u * f->frame[0][i] + v * f->frame[1][i] + up * f->out[i];
    }
}

PEG_WIDE static void find_corners(const faces *f, const incident *of, double reach, corners *c)
{
    double first = f->box->half[(f->axis + 1) % 3], second = f->box->half[(f->axis + 2) % 3];
    double room = PEG_CLIP_ROOM * (first + second);
    double limit[2] = {first + room, second + room};
    clip_sides(of, limit, c);
    find_reference_corners(of, limit, c);
    choose_corners(reach, c);
    place_corners(f, c);
}

static void name_corner(const faces *f, const corners *c, corner_kind kind, int k,
                        peg_patch_contact *to)
{
    int own_face = face_of(f->axis, f->sign), other_face = face_of(f->face, f->face_sign);
    int vertex = CORNER[other_face][k];
    to->kind = f->flipped ? PEG_FEATURES_VF : PEG_FEATURES_FV;
    if (kind == INCIDENT) {
        to->i = vertex, to->j = own_face;
    } else if (kind == REFERENCE) {
        to->kind = f->flipped ? PEG_FEATURES_FV : PEG_FEATURES_VF;
        to->i = CORNER[own_face][k], to->j = other_face;
    } else {
        const unsigned char *ends = ENDS[c->side[kind][k]];
        int other = edge_between(vertex, CORNER[other_face][(k + 1) % SIDES]);
        int own = edge_between(CORNER[own_face][ends[0]], CORNER[own_face][ends[1]]);
        to->kind = PEG_FEATURES_EE;
        to->i = f->flipped ? other : own, to->j = f->flipped ? own : other;
    }
}

static void face_patch(const faces *f, double reach, peg_patch *out)
{
    incident of;
    corners c;
    set_incident(f, &of);
    find_corners(f, &of, reach, &c);
    for (int k = 0; c.which >> k && out->count < PEG_PATCH_MOST; k++) {
        int kind = k % KINDS, l = k / KINDS;
        if (!(c.which >> k & 1)) continue;
        peg_patch_contact *to = &out->contact[out->count++];
        for (int i = 0; i < 3; i++) to->point[i] = c.at[kind][i][l];
        to->gap = c.gap[kind][l], to->is_of_edges = 0;
        name_corner(f, &c, kind, l, to);
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

void peg_box_patch_add_edges(const peg_box *a, const peg_box *b, peg_patch *patch)
{
    const double no_bias = 0;
    peg_box_axis widest;
    peg_patch edges = {.count = 0};
    peg_box_separations(&a, &b, &no_bias, 1, &widest);
    if (widest.axis >= 6) edge_patch(a, b, &widest, &edges);
    peg_patch_add_edges(patch, &edges);
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
