/* Separating axes of four pairs of boxes side by side. With C_ij = a_i . b_j all of them are found
 * from C and from the distance of the centres in the frames of both: along a_i x b_j the distance
 * is t_k C_lj - t_l C_kj, (i, l, k) cyclic, over |a_i x b_j| = sqrt(C_kj^2 + C_lj^2), which is
 * known to the last bits however parallel the edges are. */
#include "peg/collide/box_box.h"

#include "peg/base/lanes.h"

/* Square of the sine up to which edges are parallel. */
static const double PARALLEL = 1e-12;

typedef struct four_boxes {
    peg_doubles x[3], R[9], half[3];
} four_boxes;

typedef struct four_axes {
    peg_doubles s, best, axis, along;
} four_axes;

PEG_HOT void load_boxes(const peg_box *const *from, int n, four_boxes *out)
{
    for (int l = 0; l < PEG_DOUBLE_LANES; l++) {
        const peg_box *box = from[l < n ? l : n - 1];
        for (int k = 0; k < 3; k++) out->x[k][l] = box->x[k], out->half[k][l] = box->half[k];
        for (int k = 0; k < 9; k++) out->R[k][l] = box->R[k];
    }
}

/* s: of the axis; value: s less what is asked of its kind; along: positive if it points to A. */
PEG_HOT void consider(four_axes *e, int axis, peg_doubles s, peg_doubles value, peg_doubles along)
{
    peg_double_mask farther = value > e->best;
    e->s = peg_doubles_if(s > e->s, s, e->s);
    e->best = peg_doubles_if(farther, value, e->best);
    e->axis = peg_doubles_if(farther, peg_doubles_of(axis), e->axis);
    e->along = peg_doubles_if(farther, along, e->along);
}

PEG_HOT void faces(const four_boxes *a, const four_boxes *b, const peg_doubles t[3],
                   const peg_doubles u[3], peg_doubles abs[3][3], four_axes *e)
{
    for (int i = 0; i < 3; i++) {
        peg_doubles reach =
            a->half[i] + (b->half[0] * abs[i][0] + b->half[1] * abs[i][1] + b->half[2] * abs[i][2]);
        peg_doubles s = peg_doubles_abs(t[i]) - reach;
        consider(e, i, s, s, t[i]);
    }
    for (int i = 0; i < 3; i++) {
        peg_doubles reach =
            b->half[i] + (a->half[0] * abs[0][i] + a->half[1] * abs[1][i] + a->half[2] * abs[2][i]);
        peg_doubles s = peg_doubles_abs(u[i]) - reach;
        consider(e, 3 + i, s, s, u[i]);
    }
}

PEG_HOT void edges(const four_boxes *a, const four_boxes *b, const peg_doubles t[3],
                   peg_doubles C[3][3], peg_doubles abs[3][3], peg_doubles bias, four_axes *e)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            peg_doubles along = t[i2] * C[i1][j] - t[i1] * C[i2][j];
            peg_doubles reach = (a->half[i1] * abs[i2][j] + a->half[i2] * abs[i1][j]) +
                                (b->half[j1] * abs[i][j2] + b->half[j2] * abs[i][j1]);
            peg_doubles square = C[i1][j] * C[i1][j] + C[i2][j] * C[i2][j], length, s;
            peg_double_mask crossed = square > PARALLEL;
            square = peg_doubles_if(crossed, square, peg_doubles_of(1));
            for (int l = 0; l < PEG_DOUBLE_LANES; l++) length[l] = sqrt(square[l]);
            s = (peg_doubles_abs(along) - reach) / length;
            s = peg_doubles_if(crossed, s, peg_doubles_of(-INFINITY));
            consider(e, 6 + 3 * i + j, s, s - bias, along);
        }
}

PEG_WIDE static void four(const peg_box *const *from_a, const peg_box *const *from_b,
                          const double *edge_bias, int n, peg_box_axis *out)
{
    four_boxes a, b;
    peg_doubles t[3], u[3], C[3][3], abs[3][3], d[3], bias;
    load_boxes(from_a, n, &a);
    load_boxes(from_b, n, &b);
    for (int l = 0; l < PEG_DOUBLE_LANES; l++) bias[l] = edge_bias[l < n ? l : n - 1];
    for (int k = 0; k < 3; k++) d[k] = a.x[k] - b.x[k];
    for (int i = 0; i < 3; i++) {
        t[i] = a.R[i] * d[0] + a.R[3 + i] * d[1] + a.R[6 + i] * d[2];
        u[i] = b.R[i] * d[0] + b.R[3 + i] * d[1] + b.R[6 + i] * d[2];
        for (int j = 0; j < 3; j++) {
            C[i][j] = a.R[i] * b.R[j] + a.R[3 + i] * b.R[3 + j] + a.R[6 + i] * b.R[6 + j];
            abs[i][j] = peg_doubles_abs(C[i][j]);
        }
    }
    four_axes e = {.s = peg_doubles_of(-INFINITY), .best = peg_doubles_of(-INFINITY)};
    faces(&a, &b, t, u, abs, &e);
    edges(&a, &b, t, C, abs, bias, &e);
    for (int l = 0; l < n; l++)
        out[l] = (peg_box_axis){e.s[l], e.along[l] < 0 ? -1 : 1, (int)e.axis[l]};
}

void peg_box_separations(const peg_box *const *a, const peg_box *const *b, const double *edge_bias,
                         int n, peg_box_axis *out)
{
    for (int k = 0; k < n; k += PEG_DOUBLE_LANES)
        four(a + k, b + k, edge_bias + k, n - k < PEG_DOUBLE_LANES ? n - k : PEG_DOUBLE_LANES,
             out + k);
}

double peg_box_above_plane(const peg_box *box, const double normal[3], double offset)
{
    double s = peg_dot(normal, box->x) - offset, n[3];
    peg_rotate_back(box->R, normal, n);
    for (int k = 0; k < 3; k++) s -= box->half[k] * fabs(n[k]);
    return s;
}

double peg_box_separation_along(const peg_box *a, const peg_box *b, const double n[3])
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    return peg_box_above_plane(a, n, 0) + peg_box_above_plane(b, back, 0);
}

static void column(const double *R, int k, double *out)
{
    out[0] = R[k], out[1] = R[3 + k], out[2] = R[6 + k];
}

void peg_box_axis_direction(const peg_box *a, const peg_box *b, const peg_box_axis *axis,
                            double n[3])
{
    int k = axis->axis;
    if (k < 6) {
        column(k < 3 ? a->R : b->R, k % 3, n);
    } else {
        double da[3], db[3];
        column(a->R, (k - 6) / 3, da);
        column(b->R, (k - 6) % 3, db);
        peg_cross(da, db, n);
        peg_normalise(n);
    }
    for (int i = 0; i < 3; i++) n[i] *= axis->sign;
}

void peg_box_of_view(const peg_view *view, peg_box *box)
{
    peg_copy3(view->centre, box->x);
    peg_copy3(view->shape->half, box->half);
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++) box->R[3 * j + k] = view->normal[2 * k + 1][j];
}
