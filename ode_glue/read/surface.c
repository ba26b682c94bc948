#include "ode_glue/read/surface.h"

#include <math.h>

/* Limits below look like coefficients: few programs mean so small a force, in N. */
static const double COEFFICIENT = 2;

static double value(const dSurfaceParameters *s, int bit, double x)
{
    return s->mode & bit ? x : 0;
}

/* What is out of range is refused, but ODE's own joints may have it: none. */
static double coefficient(double x)
{
    return x > 0 ? x : 0;
}

/* m/s: as of bodies. */
static const double LARGEST = 1e60;

pegStatus peg_surface_check(const dSurfaceParameters *s)
{
    int rolls = s->mode & dContactRolling, by_axis = s->mode & dContactAxisDep;
    const double limit[] = {s->mu, value(s, dContactMu2, s->mu2), rolls ? s->rho : 0,
                            rolls && by_axis ? s->rho2 : 0, rolls && by_axis ? s->rhoN : 0};
    const double share[] = {value(s, dContactBounce, s->bounce), value(s, dContactSlip1, s->slip1),
                            value(s, dContactSlip2, s->slip2)};
    double others = value(s, dContactBounce, s->bounce_vel) +
                    value(s, dContactSoftERP, s->soft_erp) + value(s, dContactSoftCFM, s->soft_cfm);
    const double motion[] = {value(s, dContactMotion1, s->motion1),
                             value(s, dContactMotion2, s->motion2),
                             value(s, dContactMotionN, s->motionN)};
    double erp = value(s, dContactSoftERP, s->soft_erp);
    int is_out = erp < 0 || erp > 1 || value(s, dContactSoftCFM, s->soft_cfm) < 0;
    for (int i = 0; i < 5; i++) {
        if (isnan(limit[i])) return PEG_ERROR_NOT_FINITE;
        is_out |= limit[i] < 0;
    }
    for (int i = 0; i < 3; i++) {
        others += share[i];
        is_out |= share[i] < 0;
        if (!(fabs(motion[i]) < LARGEST)) return PEG_ERROR_NOT_FINITE;
    }
    if (!isfinite(others)) return PEG_ERROR_NOT_FINITE;
    return is_out ? PEG_ERROR_SURFACE : PEG_OK;
}

int peg_surface_equal(const dSurfaceParameters *a, const dSurfaceParameters *b)
{
    const struct {
        int bits;
        dReal x, y;
    } number[] = {{0, a->mu, b->mu}, /* whatever the mode */
                  {dContactMu2, a->mu2, b->mu2},
                  {dContactRolling, a->rho, b->rho},
                  {dContactRolling, a->rho2, b->rho2},
                  {dContactRolling, a->rhoN, b->rhoN},
                  {dContactBounce, a->bounce, b->bounce},
                  {dContactBounce, a->bounce_vel, b->bounce_vel},
                  {dContactSoftERP, a->soft_erp, b->soft_erp},
                  {dContactSoftCFM, a->soft_cfm, b->soft_cfm},
                  {dContactMotion1, a->motion1, b->motion1},
                  {dContactMotion2, a->motion2, b->motion2},
                  {dContactMotionN, a->motionN, b->motionN},
                  {dContactSlip1, a->slip1, b->slip1},
                  {dContactSlip2, a->slip2, b->slip2}};
    if (a->mode != b->mode) return 0;
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if ((i == 0 || a->mode & number[i].bits) && !(number[i].x == number[i].y)) return 0;
    return 1;
}

static void read_friction(const dSurfaceParameters *s, peg_surface *out)
{
    out->mu = coefficient(s->mu);
    out->mu2 = s->mode & dContactMu2 ? coefficient(s->mu2) : out->mu;
    out->slip = value(s, dContactSlip1, s->slip1);
    out->slip2 = value(s, dContactSlip2, s->slip2);
    if (!(s->mode & dContactRolling)) return;
    int by_axis = s->mode & dContactAxisDep;
    out->rho = coefficient(s->rho);
    out->rho2 = by_axis ? coefficient(s->rho2) : out->rho;
    out->rhoN = by_axis ? coefficient(s->rhoN) : out->rho;
}

/* Of the three limits of a surface, those that are proportional to the normal force (bits 1, 2, 4)
 * and those that matter: an infinite one is the same either way. */
static void kinds_of_limits(const dSurfaceParameters *s, int *proportional, int *matter)
{
    static const int approx[] = {dContactApprox1_1, dContactApprox1_2, dContactApprox1_N};
    peg_surface f = {0};
    read_friction(s, &f);
    const double limit[3][2] = {{f.mu, f.rho}, {f.mu2, f.rho2}, {f.rhoN, 0}};
    *proportional = *matter = 0;
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 2; j++)
            if (limit[k][j] > 0 && !isinf(limit[k][j])) *matter |= 1 << k;
        if (s->mode & approx[k]) *proportional |= 1 << k;
    }
}

static int is_zero(const double v[3])
{
    return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

/* Whether the friction differs between its two axes. */
static int depends_on_axis(const peg_surface *f)
{
    return f->mu != f->mu2 || f->slip != f->slip2 || f->rho != f->rho2;
}

void peg_surface_warn(peg_report *report, const dSurfaceParameters *s, const double fdir1[3],
                      const peg_subject *about)
{
    int proportional, matter, motion = s->mode & (dContactMotion1 | dContactMotion2);
    peg_surface f = {0};
    read_friction(s, &f);
    kinds_of_limits(s, &proportional, &matter);
    if ((depends_on_axis(&f) || (motion && f.mu + f.mu2 > 0)) &&
        (is_zero(fdir1) || !(s->mode & dContactFDir1)))
        peg_say(report, PEG_CAUSE_AXIS, PEG_SEVERITY_WARNING, PEG_OK, about,
                "mu2, slip2, rho2 and motions need a direction: without dContactFDir1 in "
                "pegWorldAddPairContact their axes are arbitrary");
    if (matter & proportional && matter & ~proportional)
        peg_say(report, PEG_CAUSE_APPROX, PEG_SEVERITY_WARNING, PEG_OK, about,
                "dContactApprox1_1, _2 and _N are set apart: all limits of the surface are taken "
                "as multiples of the normal force");
    if (matter && !(matter & proportional) && f.mu > 0 && f.mu < COEFFICIENT)
        peg_say(report, PEG_CAUSE_FORCE_LIMIT, PEG_SEVERITY_WARNING, PEG_OK, about,
                "mu is a force limit in N, as in ODE without dContactApprox1: if a friction "
                "coefficient is meant, set dContactApprox1 in the surface's mode");
    if (s->mode & dContactBounce && s->bounce > 1)
        peg_say(report, PEG_CAUSE_BOUNCE, PEG_SEVERITY_NOTE, PEG_OK, about,
                "bounce is above 1 and clamped to 1: contacts add no energy");
}

static void read_bounce(const dSurfaceParameters *s, peg_surface *out)
{
    if (!(s->mode & dContactBounce) || s->bounce_vel < 0) return;
    out->bounce = fmin(1, coefficient(s->bounce));
    out->bounce_speed = s->bounce_vel;
}

void peg_surface_convert(const dSurfaceParameters *s, const double fdir1[3], double world_erp,
                         double world_cfm, int reversed, peg_surface *out)
{
    int proportional, matter;
    *out = (peg_surface){0};
    read_friction(s, out);
    read_bounce(s, out);
    kinds_of_limits(s, &proportional, &matter);
    out->force_limit = matter && !(matter & proportional);
    if (s->mode & dContactFDir1)
        for (int k = 0; k < 3; k++) out->axis[k] = fdir1[k];
    out->pyramid = (s->mode & (dContactMu2 | dContactFDir1)) != 0 || out->slip != out->slip2;
    /* From the other side n and t2 are negated, t1 is not; so is the relative velocity. */
    out->motion[0] = (reversed ? -1 : 1) * value(s, dContactMotion1, s->motion1);
    out->motion[1] = value(s, dContactMotion2, s->motion2);
    out->motion[2] = value(s, dContactMotionN, s->motionN);
    out->soft = (s->mode & (dContactSoftERP | dContactSoftCFM)) != 0;
    if (!out->soft) return;
    out->erp = s->mode & dContactSoftERP ? fmin(1, coefficient(s->soft_erp)) : world_erp;
    out->cfm = s->mode & dContactSoftCFM ? coefficient(s->soft_cfm) : world_cfm;
}

dGeomID peg_first_geom(dGeomID first, dGeomID other)
{
    return dGeomGetBody(first) || !dGeomGetBody(other) ? first : other;
}
