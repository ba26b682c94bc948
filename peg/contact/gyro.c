/* ODE's implicit gyroscopic term (Lacoursiere): in the body frame, with L = I w,
 *     (I + h [L]x^T) w' = L,   that is   I w' - h L x w' = L.
 * w'^T I w' = w'^T L gives |w'|_I <= |w|_I: the term never adds energy. */
#include "peg/contact/pose.h"

int peg_gyroscopic_velocity(const peg_body *body, double h, const double w[3], double w_out[3])
{
    double R[9], wb[3], L[3], A[9], c[9], out[3];
    peg_copy3(w, w_out);
    if (w[0] == 0 && w[1] == 0 && w[2] == 0) return 1;
    peg_quat_to_mat(body->q, R);
    peg_rotate_back(R, w, wb);
    peg_rotate(body->inertia, wb, L);
    memcpy(A, body->inertia, sizeof A);
    A[1] += h * L[2], A[2] -= h * L[1];
    A[3] -= h * L[2], A[5] += h * L[0];
    A[6] += h * L[1], A[7] -= h * L[0];
    /* Cramer's rule by the rows' cross products */
    peg_cross(A + 3, A + 6, c);
    peg_cross(A + 6, A, c + 3);
    peg_cross(A, A + 3, c + 6);
    double det = peg_dot(A, c);
    if (!(fabs(det) > 0)) return 0;
    for (int k = 0; k < 3; k++) out[k] = (c[k] * L[0] + c[3 + k] * L[1] + c[6 + k] * L[2]) / det;
    peg_rotate(R, out, w_out);
    return 1;
}
