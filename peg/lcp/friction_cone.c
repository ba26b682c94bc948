/* Projection onto a friction cone. With t = u_0 the friction rows are clamped to their bounds, and
 * half of the derivative of the squared distance is
 *
 *     (t - z_0) / rho_0 - sum mu_f max(0, |z_f| - limit_f - mu_f t) / rho_f,
 *
 * which grows, piecewise linearly and ever less steeply: Newton's method from max(0, z_0) climbs to
 * its zero in at most n steps. */
#include "peg/lcp/friction_cone.h"

static double normal_impulse(const peg_scaled_row *row, int n, const double *rho, const double *z)
{
    double t = fmax(0, z[0]);
    for (int step = 0; step < n; step++) {
        double value = (t - z[0]) / rho[0], slope = 1 / rho[0];
        for (int f = 1; f < n; f++) {
            double excess = fabs(z[f]) - row[f].limit - row[f].mu * t;
            if (!(excess > 0)) continue;
            value -= row[f].mu * excess / rho[f];
            slope += row[f].mu * row[f].mu / rho[f];
        }
        if (value >= 0) break;
        t -= value / slope;
    }
    return t;
}

void peg_cone_project(const peg_scaled_row *row, int n, const double *rho, const double *z,
                      double *p, unsigned char *state)
{
    double t = normal_impulse(row, n, rho, z);
    p[0] = t;
    state[0] = t > 0 ? PEG_ROW_LINEAR : PEG_ROW_FIXED;
    for (int f = 1; f < n; f++) {
        double bound = row[f].limit + row[f].mu * t;
        p[f] = peg_clamp(z[f], -bound, bound);
        if (z[f] > -bound && z[f] < bound)
            state[f] = PEG_ROW_LINEAR;
        else if (t > 0)
            state[f] = z[f] > 0 ? PEG_ROW_UP : PEG_ROW_DOWN;
        else
            state[f] = PEG_ROW_FIXED;
    }
}

double peg_cone_follows(const peg_scaled_row *row, unsigned char state)
{
    return state == PEG_ROW_UP ? row->mu : state == PEG_ROW_DOWN ? -row->mu : 0;
}
