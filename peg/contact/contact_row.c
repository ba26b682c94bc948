/* The rows of a contact between the start and the poses `now` of the velocities u.
 *
 *     G v + (g_0 - target) / h >= 0
 *
 * with the midpoint normal f_m = (f_0 + f_k)/2 and point p_m = (p_0 + p_k)/2, both in space,
 * G v = f_m . [v_A + w_A x (p_m - x_Am) - v_B - w_B x (p_m - x_Bm)], all of it over |f_m|. For a
 * vertex against a face g_k = g_0 + h G u holds exactly, so that the row is right at u, and v = 0
 * satisfies it: contact adds no energy (island/energy.c). The impulse acts on both bodies at p_m
 * along f_m, so that it has no net moment. Where the identity does not hold by itself (rims, edges,
 * finite rotations, capped turns) it lacks rho = (g_k - g_0)/h - G u, and f_m is corrected along
 * the relative velocity V at p_m by rho V / |V|^2. What rolls has no V there: then both f_m is
 * corrected, by rho V / S, and p_m along l = f_m x w, w the relative angular velocity, by rho L^2 l
 * / S, S = |V|^2 + L^2 |l|^2. Against a face f_m is known and only p_m is corrected, by rho l /
 * |l|^2: level ground gives rims no horizontal momentum.
 *
 * The derivative of the gap at u instead, c -> (c + c x s) / (1 + |s|^2) in the angular part with
 * c = r x n, s = h w / 2, converges in fewer iterations where bodies turn by radians in a step, but
 * its impulses turn and shrink the moment by |s|: a top of 100 rad/s loses half of its energy in
 * 400 steps of 0.01 s. */
#include "peg/contact/contact_row.h"

#include "peg/collide/closest_features.h"
#include "peg/contact/friction.h"
#include "peg/contact/jacobian.h"
#include "peg/contact/mode.h"
#include "peg/contact/row_set.h"

/* PEG_THIN of islands with joints, whose solves and steps of ODE leave 1e-10 m of a cube of 1 m: a
 * stack of jointed cubes that starts flush. */
static const double THIN_JOINTED = 1e-3;

/* Gaps below this share of how far the bodies could get grow, too: solves are exact to a tenth of
 * that. */
static const double SLIDING = 10 * PEG_RESIDUAL_TOLERANCE;

/* The larger gaps of coarse islands grow again below PEG_RESERVE of them where contact loses more
 * energy than that takes, and in any case up to this share of the usual margin. */
static const double LAST = 0.5;

static double row_target(const peg_island *I, const peg_pair *pair, double gap0, double *gap_growth)
{
    double margin = (peg_is_coarse(I) ? PEG_COARSE_GAP : 1) * pair->margin,
           touch = PEG_TOUCH * pair->L;
    *gap_growth = 0;
    if (pair->surface->soft) { /* overlap is a spring, whose work is no gain */
        *gap_growth = pair->surface->erp * fmax(0, -gap0);
        return gap0 < 0 ? gap0 + *gap_growth : 0;
    }
    if (pair->s0 < -touch) {
        double opened = fmax(gap0, pair->s0) + peg_pair_opening(I, pair);
        return opened < -touch ? opened : margin;
    }
    if (gap0 < -touch) return margin;
    /* between walls without clearance the overlap of rounding is shared, not handed on */
    if (I->forms & PEG_FORM_CLEARANCE)
        return fabs(gap0) < PEG_ROUNDED * pair->L ? 0.5 * gap0 : fmin(margin, gap0);
    if (gap0 > margin) return gap0 <= (1 + PEG_CLOSED) * margin ? gap0 : margin;
    /* flush features may overlap by rounding */
    double gap = fmax(gap0, 0);
    double thin =
        fmax((I->joints.n ? THIN_JOINTED : PEG_THIN) * margin, SLIDING * pair->whole_reach);
    if (peg_is_coarse(I))
        thin = I->forms & PEG_FORM_GAP_GROWTH ? PEG_RESERVE * margin : LAST * pair->margin;
    double growth = gap0 < 0 ? 1 : PEG_GAP_GROWTH;
    double target = gap + growth * fmax(0, thin - gap);
    target = fmin(margin, target);
    *gap_growth = fmax(0, target - gap0);
    return target;
}

static void fold(const peg_island *I, const peg_pair_pose *at, const peg_jacobian *la,
                 const peg_jacobian *lb, peg_row *row)
{
    double prescribed = peg_fold_jacobian(I, at->a.rigid, la, row->Ga) +
                        peg_fold_jacobian(I, at->b.rigid, lb, row->Gb);
    row->bias += prescribed;
    row->prescribed = prescribed;
}

/* The derivative of the gap at the iterate: for Newton's method on the gaps, and for features whose
 * points have moved on, as those of edges and rims that are nearly parallel. The points that touch
 * now may have been apart from those features, and below them, at the start; then v = 0 does not
 * satisfy the row. */
static void tangent_row(const peg_island *I, const peg_pair_pose *at, const peg_feature_contact *c,
                        double target, peg_row *row)
{
    peg_jacobian la = peg_tangent_jacobian(I, &at->a, c->point_a, c->normal, 1);
    peg_jacobian lb = peg_tangent_jacobian(I, &at->b, c->point_b, c->normal, -1);
    row->bias = (c->gap - target) / I->h - la.Gu - lb.Gu;
    if (!(I->forms & PEG_FORM_RECOVERY)) row->gap0 = fmin(c->gap0, c->gap - I->h * (la.Gu + lb.Gu));
    fold(I, at, &la, &lb, row);
}

/* Largest correction of the midpoint normal, or of its point in L. What is but rounding of the gap
 * says nothing of them. */
static const double MIDPOINT_TURN = 0.3;

/* Changes the row by rho: by its normal or, where that would have to turn far, by the least
 * correction of normal and point, the latter in L. Returns 0 if that is not small either. V: 0 if
 * the normal is known. */
static int correct_midpoint(const peg_pair *pair, const peg_pair_pose *at, const double V[3],
                            double rho, double n[3], double point[3])
{
    double w[3], lever[3], VV = peg_dot(V, V), ll, square;
    peg_sub(at->a.v + 3, at->b.v + 3, w);
    peg_cross(n, w, lever);
    ll = fabs(rho) > MIDPOINT_TURN * sqrt(VV) ? pair->L * pair->L * peg_dot(lever, lever) : 0;
    square = VV + ll;
    if (fabs(rho) > MIDPOINT_TURN * sqrt(square)) return 0;
    peg_add_scaled(n, rho / square, V, n);
    peg_cross(n, w, lever);
    if (ll > 0) peg_add_scaled(point, rho * ll / square / peg_dot(lever, lever), lever, point);
    return 1;
}

/* along: of its push, unit. Returns 0 if the midpoint identity cannot be had by a small correction.
 */
static int midpoint_row(const peg_island *I, const peg_pair *pair, const peg_pair_pose *at,
                        const peg_feature_contact *c, double target, peg_row *row, double along[3])
{
    double n[3], p[3], Va[3], Vb[3], V[3] = {0};
    int has_face = c->kind == PEG_FEATURES_VF || c->kind == PEG_FEATURES_FV;
    peg_copy3(c->mid_normal, n);
    peg_copy3(c->mid_point, p);
    peg_jacobian la = peg_midpoint_jacobian(I, &at->a, p, n, 1);
    peg_jacobian lb = peg_midpoint_jacobian(I, &at->b, p, n, -1);
    double rho = (c->gap - c->gap0) / I->h - la.Gu - lb.Gu;
    peg_point_velocity(&I->rigid[at->a.rigid], at->a.x, at->a.v, p, Va);
    peg_point_velocity(&I->rigid[at->b.rigid], at->b.x, at->b.v, p, Vb);
    if (!has_face) peg_sub(Va, Vb, V);
    if (fabs(rho) * I->h > PEG_ROUNDED * pair->L) {
        if (!correct_midpoint(pair, at, V, rho, n, p)) return 0;
        la = peg_midpoint_jacobian(I, &at->a, p, n, 1);
        lb = peg_midpoint_jacobian(I, &at->b, p, n, -1);
    }
    /* of unit length, so that lambda is the impulse, as the cone of friction wants it */
    double length = peg_norm(n), unit = length > 0 ? 1 / length : 1;
    for (int k = 0; k < 6; k++) la.J[k] *= unit, lb.J[k] *= unit;
    for (int k = 0; k < 3 && length > 0; k++) along[k] = unit * n[k];
    row->bias = unit * (c->gap0 - target) / I->h;
    row->gap_growth *= unit;
    fold(I, at, &la, &lb, row);
    return 1;
}

/* What the surface asks of the normal direction: ODE's cfm, which acts on forces, and a wanted
 * speed of parting while the features touch. */
static void soften(const peg_island *I, const peg_pair *pair, peg_row *row)
{
    if (pair->surface->soft) row->compliance = pair->surface->cfm / I->h;
    double speed = pair->surface->motion[2];
    if (speed == 0 || row->gap0 > 2 * pair->margin) return;
    row->bias -= speed;
    row->prescribed -= speed;
}

/* From the middle of the features' nearest points (of a vertex and a face: the vertex) to the
 * surface, along the normal. */
static double to_surface(const peg_pair_pose *at, peg_feature_kind kind)
{
    if (kind == PEG_FEATURES_EXTERNAL) return 0;
    double a = peg_radius_of_a(at->a.now, kind), b = peg_radius_of_b(at->b.now, kind);
    return kind == PEG_FEATURES_VF ? -a : kind == PEG_FEATURES_FV ? b : .5 * (b - a);
}

/* Vertices of flush faces lie on edges, and on each other: the same point with the same normal,
 * seen as several feature pairs. One row says it all. */
static const double SAME_POINT = 1e-5;   /* L */
static const double SAME_NORMAL = 1e-10; /* 1 - cosine; with half of it world 209 froze */
static const double SAME_GAP = 1e-2;     /* share of the gap that the second row may ask for more */

static int is_repeated(const peg_island *I, const peg_pair *pair, const peg_pair_pose *at,
                       const peg_feature_contact *c, const peg_row_set *out)
{
    double point[3];
    peg_add_scaled(c->point_a, to_surface(at, c->kind), c->normal, point);
    for (int i = out->m - 1; i >= 0; i--) {
        const peg_row *row = &out->row[i];
        double apart[3];
        if (row->friction) continue; /* of the pair of the row before */
        if (I->pair[row->pair].group != pair->group) break;
        if (peg_dot(row->normal, c->normal) < 1 - SAME_NORMAL) continue;
        peg_sub(row->point, point, apart);
        if (peg_norm(apart) > SAME_POINT * pair->L) continue;
        double less = fmax(SAME_GAP * fmin(row->gap, pair->margin), PEG_ROUNDING * pair->L);
        if (c->gap >= row->gap - less && c->gap0 >= row->gap0 - less) return 1;
    }
    return 0;
}

void peg_contact_rows(peg_island *I, int p, const peg_pair_pose *at, const peg_feature_contact *c,
                      peg_row_set *out)
{
    const peg_pair *pair = &I->pair[p];
    int separated = pair->s0 >= -PEG_TOUCH * pair->L;
    if (separated && (I->forms & PEG_FORM_CLEARANCE) && c->gap0 < -PEG_TOUCH * pair->L) return;
    if (is_repeated(I, pair, at, c, out)) return;
    peg_row *row = peg_row_set_add(I, out);
    if (!row) return;
    memset(row, 0, sizeof *row);
    row->pair = p;
    row->kind = c->kind, row->i = c->i, row->j = c->j;
    row->gap0 = c->gap0, row->gap = c->gap;
    double arm[3], shift = to_surface(at, c->kind);
    peg_add_scaled(c->point_a, shift, c->normal, row->point);
    peg_copy3(c->normal, row->normal);
    peg_sub(row->point, at->a.x, arm);
    peg_rotate_back(at->a.R, arm, row->local);
    if (out->features_only) return;
    double target = row_target(I, pair, c->gap0, &row->gap_growth);
    row->target = target;
    peg_friction_frame frame;
    peg_copy3(c->normal, frame.normal);
    int moves_poses = (I->forms & PEG_FORM_RECOVERY) || I->progress.restores;
    if (moves_poses || !midpoint_row(I, pair, at, c, target, row, frame.normal))
        tangent_row(I, at, c, target, row);
    soften(I, pair, row);
    if ((I->forms & (PEG_FORM_RECOVERY | PEG_FORM_POSITIONS_APART)) && !pair->surface->soft) {
        /* that the gaps of coarse islands grow would gain energy: in an arch all stones lift the
         * crown; beside joints thin gaps are worse (world 21 of fuzz/worlds freezes) */
        int waits = (I->forms & PEG_FORM_RECOVERY) || (peg_is_coarse(I) && !I->joints.n);
        double growth = waits ? 0 : row->gap_growth / I->h;
        row->recovery = fmin(0, row->bias - row->prescribed + growth);
    }
    if (!peg_has_friction(pair->surface)) return;
    peg_add_scaled(c->mid_point, shift, frame.normal, frame.mid_point);
    peg_friction_rows(I, pair, at, &frame, out);
}

void peg_touching_rows(peg_island *I, int p, const peg_pair_pose *at, const peg_feature_contact *c,
                       peg_row_set *out)
{
    if (peg_may_touch(I, &I->pair[p], at, c)) peg_contact_rows(I, p, at, c, out);
}
