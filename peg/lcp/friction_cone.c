/* Projection onto a friction cone. With t = u_0 the friction rows are clamped to their bounds, and
 * half of the derivative of the squared distance is
 *
 *     weight_0 (t - z_0) - sum weight_f mu_f max(0, |z_f| - limit_f - mu_f t),
 *
 * which grows, piecewise linearly and ever less steeply: Newton's method from max(0, z_0) climbs to
 * its zero in at most n steps. */
#include "peg/lcp/friction_cone.h"

#include "peg/lcp/scaled.h"

static double normal_impulse(int n, const double *mu, const double *limit, const double *weight,
                             const double *z)
{
    double t = peg_max(0, z[0]);
    for (int step = 0; step < n; step++) {
        double value = weight[0] * (t - z[0]), slope = weight[0];
        for (int f = 1; f < n; f++) {
            double excess = fabs(z[f]) - limit[f] - mu[f] * t;
            if (!(excess > 0)) continue;
            double by = weight[f] * mu[f];
            value -= by * excess;
            slope += by * mu[f];
        }
        if (value >= 0) break;
        t -= value / slope;
    }
    return t;
}

void peg_cone_project(int n, const double *mu, const double *limit, const double *weight,
                      const double *z, double *p, unsigned char *state)
{
    double t = normal_impulse(n, mu, limit, weight, z);
    p[0] = t;
    state[0] = t > 0 ? PEG_ROW_LINEAR : PEG_ROW_FIXED;
    for (int f = 1; f < n; f++) {
        double bound = limit[f] + mu[f] * t;
        p[f] = peg_clamp(z[f], -bound, bound);
        if (z[f] > -bound && z[f] < bound)
            state[f] = PEG_ROW_LINEAR;
        else if (t > 0)
            state[f] = z[f] > 0 ? PEG_ROW_UP : PEG_ROW_DOWN;
        else
            state[f] = PEG_ROW_FIXED;
    }
}
