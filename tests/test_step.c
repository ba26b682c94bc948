/* Whole steps of small scenes: closed forms for every kind of row and body, and what must hold
 * without a reference (momentum, energy, callbacks, order, bits). */
#include "tests/runner.h"
#include "tests/step_scene.h"
#include "tests/test_step.h"

#include <check.h>
#include <stdlib.h>

/* --- one row, closed form --- */

/* Two cubes, the upper one falling at speed u with its lowest feature over the lower one:
 * _i / 2 = 0 vertex on face, 1 face on vertex, 2 edge on edge; _i % 2: with an offset. */
static const double gap = 1e-3, u = 2, ma = 1, mb = 3;

static void two_cubes(int features, double offset, double h)
{
    static const double down[3] = {0, 0, -1}, up[3] = {0, 0, 1};
    scene_begin(h);
    int tip_a = features != 1, tip_b = features != 0;
    double corner[3] = {-1, -1, features == 2 ? 0 : -1};
    double height = 0.5 * (tip_a ? peg_norm(corner) : 1) + 0.5 * (tip_b ? peg_norm(corner) : 1);
    peg_body *a = scene_add_cube(PEG_DYNAMIC, ma, 0, 0, height + gap);
    peg_body *b = scene_add_cube(PEG_DYNAMIC, mb, offset, 0.3 * offset, 0);
    if (tip_a) scene_turn_to(a, corner, down);
    if (tip_b) scene_turn_to(b, corner, up);
    if (tip_a) scene_spin_about_z(a, 0.2);
    if (tip_b) scene_spin_about_z(b, features == 2 ? 0.8 : 0.3);
    scene_set_velocity(a, 0, 0, -u);
}

/* v changes of the hand formula lambda = -(g/h + G v) / (G M^-1 G^T), normal z, lever c = r x n. */
static double hand_impulse(double g, const double *p)
{
    double effective = 0;
    for (int i = 0; i < 2; i++) {
        double r[3], c[3];
        peg_sub(p, S.body[i].x, r);
        peg_cross(r, (double[]){0, 0, 1}, c);
        effective += 1 / S.body[i].mass + peg_dot(c, c) / S.body[i].inertia[0]; /* cubes */
    }
    return -(g / S.s.h - u) / effective;
}

static void check_momentum(double angular_tolerance)
{
    double P[3] = {0}, L[3] = {0}, unit = 0;
    for (int i = 0; i < S.s.nb; i++) {
        const peg_body *b = &S.body[i];
        double change[6], middle[3], spin[3], lever[3];
        for (int k = 0; k < 6; k++) change[k] = b->v_pose[k] - b->v_free[k];
        for (int k = 0; k < 3; k++) middle[k] = b->x[k] + 0.5 * S.s.h * b->v_pose[k];
        scene_spin_momentum(b, change + 3, spin);
        peg_cross(middle, change, lever);
        peg_add_scaled(P, b->mass, change, P);
        peg_add_scaled(L, b->mass, lever, L);
        peg_add_scaled(L, 1, spin, L);
        unit += b->mass * peg_norm(change);
    }
    ck_assert_double_gt(unit, 0);
    ck_assert_double_le(peg_norm(P), EXACT * unit);
    ck_assert_msg(peg_norm(L) <= angular_tolerance * unit, "%g", peg_norm(L) / unit);
}

START_TEST(one_row_gives_the_hand_formula)
{
    static const int kind[] = {0, 1, 2};
    int features = _i / 2, off = _i % 2;
    for (double h = 4e-3; h > 5e-4; h /= 2) {
        two_cubes(features, off ? 0.2 : 0, h);
        scene_step();
        const peg_contact *c;
        ck_assert_int_eq(peg_contacts(S.context, &c), 1);
        ck_assert_int_eq(c->kind, kind[features]);
        ck_assert(c->part_a == 0 && c->part_b == 1);
        ck_assert_double_gt(c->normal[2], 0.99);
        double L = S.shape[0]->radius, margin = 1e-5 * L;
        double p[3] = {0, 0, features == 1 ? 0.5 * sqrt(3) : 0.5};
        if (features == 1) p[0] = 0.2 * off, p[1] = 0.06 * off; /* the tip of b */
        if (features == 2) peg_copy3(c->point, p);
        double lambda = hand_impulse(gap - margin, p);
        double w = peg_norm(S.body[0].v_pose + 3) + peg_norm(S.body[1].v_pose + 3);
        /* without offset nothing turns and the formula is exact; else the row turns by h w */
        int central = !off && w < 1e-9;
        ck_assert(central == !off);
        double tolerance = off ? 2 * h * w : SOLVED;
        ck_assert_msg(fabs(c->impulse - lambda) <= tolerance * lambda, "h %g: %.15g, not %.15g", h,
                      c->impulse, lambda);
        /* what turns leaves its tangent by this, m; poses are moved apart without impulses */
        double turned = 0.5 * h * h * w * w * L, moved[3];
        ck_assert_double_le(fabs(scene_separation(0, 1) - margin),
                            off ? 0.1 * margin + turned : SOLVED * h * u);
        peg_sub(S.body[0].v_pose, S.body[0].v_end, moved);
        ck_assert_double_le(h * peg_norm(moved), off ? turned : 0);
        check_momentum(off ? 2 * h * w : EXACT);
        double before =
            scene_kinetic(&S.body[0], S.body[0].v) + scene_kinetic(&S.body[1], S.body[1].v);
        double after = scene_kinetic_after(&S.body[0]) + scene_kinetic_after(&S.body[1]);
        ck_assert_double_lt(after, before);
        for (int i = 0; i < 2; i++) ck_assert(S.body[i].moved_by_contact);
        scene_end();
    }
}
END_TEST

/* --- kinds of bodies --- */

enum { HALF_SPACE, STATIC_BODY, WORLD_PART, KINEMATIC_BODY, COMPOUND, KINDS };

/* A flat cube (or three in one body) falls on something: v_z = (margin - gap) / h relative to it,
 * the impulses add up to m (v_z - v_free_z), nothing turns; in all models. */
START_TEST(flat_fall_on_every_kind)
{
    int kind = _i % KINDS;
    double h = 0.01, m = 2.5, platform = kind == KINEMATIC_BODY ? 0.7 : 0;
    scene_begin(h);
    pegContactModel model = (pegContactModel)(_i / KINDS);
    scene_use_model(model);
    peg_body *a = scene_add_cube(PEG_DYNAMIC, m, 0, 0, 0.5 + gap);
    if (kind == COMPOUND) { /* mirror images, so that the centre of mass stays */
        scene_add_part(0, S.shape[0], 1.5, 0, 0);
        scene_add_part(0, S.shape[0], -1.5, 0, 0);
    }
    scene_set_velocity(a, 0.3, 0, -1);
    if (kind == HALF_SPACE)
        scene_add_ground();
    else if (kind == WORLD_PART)
        scene_add_part(-1, scene_box(6, 6, 1), 0, 0, -0.5);
    else {
        peg_body *b = scene_add_body(kind == KINEMATIC_BODY ? PEG_KINEMATIC : PEG_STATIC, 0,
                                     (double[]){1, 1, 1});
        b->x[2] = -0.5;
        b->v[2] = platform;
        scene_add_part(1, scene_box(6, 6, 1), 0, 0, 0);
    }
    scene_step();
    double margin = model == PEG_CONTACT_PEG ? 1e-5 * S.shape[0]->radius : 0; /* [W]: none */
    if (model == PEG_CONTACT_AP) margin = gap; /* [F 10]: no closer */
    /* Phi = gap / (gap + c), c the distance of the inner points at touch, held to 0 to first order
     */
    double c = .5 + (kind == HALF_SPACE ? S.shape[0]->radius : .5);
    if (model == PEG_CONTACT_RATIO) margin = -gap * gap / c;
    double vz = platform + (margin - gap) / h;
    ck_assert_double_le(fabs(a->v_pose[2] - vz), SOLVED);
    ck_assert_double_le(fabs(a->v_pose[0] - 0.3), EXACT);
    for (int k = 3; k < 6; k++) ck_assert_double_le(fabs(a->v_pose[k]), SOLVED);
    ck_assert_double_le(fabs(scene_total_impulse() - m * (a->v_pose[2] + 1)), EXACT * m);
    ck_assert_double_le(fabs(scene_separation(0, S.s.np - 1) - margin), SOLVED);
    scene_end();
}
END_TEST

/* Cubes at rest on each other, a margin apart: every level carries what is above it. */
START_TEST(contacts_carry_the_weight)
{
    double h = 0.01, g = 9.81, margin, carried[4] = {0}, above = 0;
    scene_begin(h);
    scene_add_ground();
    for (int i = 0; i < 3; i++) scene_add_cube(PEG_DYNAMIC, i + 1, 0.1 * i, 0, 0);
    margin = 1e-5 * S.shape[1]->radius;
    for (int i = 0; i < 3; i++) S.body[i].x[2] = 0.5 + i + (i + 1) * margin;
    scene_fall(g);
    scene_step();
    const peg_contact *c;
    int n = peg_contacts(S.context, &c);
    for (int i = 0; i < n; i++) {
        ck_assert(c[i].normal[2] != 0 && c[i].impulse >= 0);
        int upper = c[i].normal[2] > 0 ? c[i].part_a : c[i].part_b;
        carried[upper] += c[i].impulse / h;
    }
    for (int i = 2; i >= 0; i--) {
        above += S.body[i].mass * g;
        ck_assert_double_le(fabs(carried[i + 1] - above), SOLVED * 6 * g);
        for (int k = 0; k < 6; k++) ck_assert_double_le(fabs(S.body[i].v_pose[k]), SOLVED);
    }
    scene_end();
}
END_TEST

/* An overlap opens at one size a second, as poses only: nothing of that speed stays. */
START_TEST(overlap_opens_without_speed)
{
    scene_begin(0.01);
    scene_add_ground();
    peg_body *a = scene_add_cube(PEG_DYNAMIC, 2, 0, 0, 0.4);
    scene_fall(9.81);
    scene_step();
    double opening = _i ? 0.3 : S.shape[1]->radius;
    if (_i) {
        pegSettings settings;
        peg_settings_default(&settings);
        settings.max_depenetration_speed = opening;
        scene_use_context(&settings);
        scene_step();
    }
    ck_assert_int_eq(S.stats.recovered, 1);
    ck_assert_double_le(fabs(a->v_pose[2] - opening), SOLVED);
    ck_assert_double_le(fabs(a->v_end[2]), SOLVED);
    scene_end();
}
END_TEST

/* Contact adds nothing to a body that falls and tumbles past the ground: what gravity and the
 * gyroscopic term do is not booked as its gain. */
START_TEST(falling_is_no_gain)
{
    double h = 0.01, sides[3] = {1, 0.5, 0.2}, unforced[3];
    scene_begin(h);
    scene_add_ground();
    peg_body *b = scene_add_body(PEG_DYNAMIC, 2, sides);
    scene_add_part(0, scene_box(1, 0.5, 0.2), 0, 0, 0);
    b->gyroscopic = 1;
    b->x[2] = 0.16;
    b->v[0] = 1, b->v[2] = -0.5, b->v[3] = 6, b->v[4] = -3, b->v[5] = 2;
    ck_assert(peg_gyroscopic_velocity(b, h, b->v + 3, unforced));
    memcpy(b->v_free, b->v, sizeof b->v);
    peg_copy3(unforced, b->v_free + 3);
    b->v_free[2] -= h * 9.81;
    scene_step();
    ck_assert_int_eq(S.stats.pairs, 1);
    ck_assert(!memcmp(b->v_pose, b->v_free, sizeof b->v_free) && !b->moved_by_contact);
    ck_assert_double_le(S.stats.energy_gain_max, EXACT * scene_kinetic(b, b->v));
    scene_end();
}
END_TEST

/* --- energy and momentum of random impacts --- */

static const double step_sizes[] = {0.001, 0.01, 0.1};

START_TEST(impacts_never_gain_energy)
{
    cases_random r = {5000 + (unsigned long long)_i};
    int impacts = 0;
    while (impacts < 500) {
        scene_random_impact(&r, step_sizes[_i]);
        scene_step();
        double before = 0, after = 0;
        for (int i = 0; i < 2; i++) {
            before += scene_kinetic(&S.body[i], S.body[i].v);
            after += scene_kinetic_after(&S.body[i]);
        }
        ck_assert_msg(after <= before * (1 + EXACT), "gain %g", after / before - 1);
        ck_assert_double_ge(scene_separation(0, 1), 0);
        ck_assert_int_eq(S.stats.unconverged, 0);
        if (S.body[0].moved_by_contact) {
            double P[3] = {0}, unit = 0;
            for (int i = 0; i < 2; i++) {
                const peg_body *b = &S.body[i];
                double change[3];
                peg_sub(b->v_end, b->v_free, change);
                peg_add_scaled(P, b->mass, change, P);
                unit += b->mass * (peg_norm(change) + peg_norm(b->v));
            }
            ck_assert_double_le(peg_norm(P), EXACT * unit);
            impacts++;
        }
        scene_end();
    }
}
END_TEST

/* --- the gyroscopic term --- */

static void solve3(double A[3][4], double *x)
{
    for (int c = 0; c < 3; c++) {
        int p = c;
        for (int i = c + 1; i < 3; i++)
            if (fabs(A[i][c]) > fabs(A[p][c])) p = i;
        for (int k = 0; k < 4; k++) {
            double t = A[c][k];
            A[c][k] = A[p][k], A[p][k] = t;
        }
        for (int i = 0; i < 3; i++)
            for (int k = 3; k >= c && i != c; k--) A[i][k] -= A[i][c] / A[c][c] * A[c][k];
    }
    for (int i = 0; i < 3; i++) x[i] = A[i][3] / A[i][i];
}

/* In world coordinates: I w' - h L x w' = L, by elimination. */
START_TEST(gyroscopic_velocity_solves_and_never_gains)
{
    cases_random r = {6000};
    for (int run = 0; run < 1000; run++) {
        double sides[3], R[9], n[3], w[3], L[3], out[3], expected[3], A[3][4];
        for (int k = 0; k < 3; k++) sides[k] = cases_magnitude(&r, -1, 1);
        scene_begin(0.01);
        peg_body *b = scene_add_body(PEG_DYNAMIC, 2, sides);
        cases_direction(&r, n);
        scene_turn_to(b, (double[]){0, 0, 1}, n);
        cases_direction(&r, w);
        double h = cases_magnitude(&r, -4, 0), speed = cases_magnitude(&r, -2, 3);
        for (int k = 0; k < 3; k++) w[k] *= speed;
        ck_assert(peg_gyroscopic_velocity(b, h, w, out));
        scene_spin_momentum(b, w, L);
        peg_quat_to_mat(b->q, R);
        for (int k = 0; k < 3; k++) {
            double e[3] = {k == 0, k == 1, k == 2}, Ie[3], Le[3];
            scene_spin_momentum(b, e, Ie);
            peg_cross(L, e, Le);
            for (int i = 0; i < 3; i++) A[i][k] = Ie[i] - h * Le[i];
            A[k][3] = L[k];
        }
        solve3(A, expected);
        for (int k = 0; k < 3; k++) ck_assert_double_le(fabs(out[k] - expected[k]), 1e-9 * speed);
        double before[6] = {0, 0, 0, w[0], w[1], w[2]},
               after[6] = {0, 0, 0, out[0], out[1], out[2]};
        ck_assert_double_le(scene_kinetic(b, after), scene_kinetic(b, before) * (1 + EXACT));
        scene_end();
    }
}
END_TEST

/* --- surfaces --- */

/* Newton's restitution of two bodies in the centre: v_a - v_b = e u afterwards. */
START_TEST(bounce_of_two_cubes)
{
    double e = 0.6;
    scene_begin(0.01);
    peg_body *a = scene_add_cube(PEG_DYNAMIC, ma, 0, 0, 1.01),
             *b = scene_add_cube(PEG_DYNAMIC, mb, 0, 0, 0);
    S.surface.bounce = e;
    S.surface.bounce_speed = _i == 0 ? 0.1 : 2 * u;
    scene_set_velocity(a, 0, 0, -u);
    scene_step();
    double mean = -ma * u / (ma + mb), parting = _i == 0 ? e * u : a->v_pose[2] - b->v_pose[2];
    ck_assert_double_le(fabs(a->v_end[2] - b->v_end[2] - parting), SOLVED * u);
    ck_assert_double_le(fabs(ma * a->v_end[2] + mb * b->v_end[2] - (ma + mb) * mean), EXACT * u);
    ck_assert_double_ge(scene_separation(0, 1), 0);
    double margin = 1e-5 * S.shape[0]->radius;
    ck_assert_double_le(fabs(scene_separation(0, 1) - margin), SOLVED);
    scene_end();
}
END_TEST

/* Four springs of ODE's erp and cfm carry the cube: depth = cfm m g h / (4 erp). */
START_TEST(soft_contact_finds_its_depth)
{
    double h = 0.01, g = 9.81, m = 2, erp = 0.2, cfm = 1e-3;
    double depth = cfm * m * g * h / (4 * erp);
    scene_begin(h);
    scene_add_ground();
    peg_body *a = scene_add_cube(PEG_DYNAMIC, m, 0, 0, 0.5 - depth);
    S.surface.soft = 1, S.surface.erp = erp, S.surface.cfm = cfm;
    scene_fall(g);
    scene_step();
    for (int k = 0; k < 6; k++) ck_assert_double_le(fabs(a->v_pose[k]), SOLVED);
    a->x[2] = 0.5;
    for (int i = 0; i < 400; i++) {
        scene_fall(g);
        scene_step();
        scene_advance();
    }
    ck_assert_double_le(fabs(0.5 - depth - a->x[2]), 1e-6 * depth);
    scene_end();
}
END_TEST

/* --- callbacks, sleep --- */

/* A heavy cube throws a light one at a third that the first sweep had no reason to look at. */
static void thrown_cube(void)
{
    scene_begin(0.01);
    peg_body *a = scene_add_cube(PEG_DYNAMIC, 1000, 0, 0, 0);
    scene_add_cube(PEG_DYNAMIC, 1, 1.001, 0, 0);
    scene_add_cube(PEG_DYNAMIC, 1, 2.05, 0, 0);
    scene_set_velocity(a, 10, 0, 0);
}

START_TEST(callbacks_come_once_and_in_order)
{
    thrown_cube();
    scene_step();
    ck_assert_double_ge(scene_separation(1, 2), 0); /* the sweep was repeated: else they overlap */
    ck_assert(S.body[2].moved_by_contact);
    const peg_contact *c;
    for (int n = peg_contacts(S.context, &c), i = 0; i < n; i++)
        ck_assert(S.part[c[i].part_a].id < S.part[c[i].part_b].id && c[i].normal[0] < 0);
    for (int i = 1; i <= S.s.np; i++)
        for (int j = 1; j <= S.s.np; j++) {
            ck_assert_msg(S.asked[i][j] <= 1, "filter %d %d: %d", i, j, S.asked[i][j]);
            ck_assert_msg(S.told[i][j] <= (i < j), "surface %d %d: %d", i, j, S.told[i][j]);
        }
    ck_assert(S.asked[1][2] && S.told[1][2] && S.told[2][3]);
    scene_end();
}
END_TEST

START_TEST(refused_pairs_do_not_touch)
{
    scene_begin(0.01);
    peg_body *a = scene_add_cube(PEG_DYNAMIC, 1, 0, 0, 1.001);
    scene_add_cube(PEG_DYNAMIC, 1, 0, 0, 0);
    scene_add_part(0, S.shape[0], 0, 0, 0); /* parts of one body are not asked about */
    scene_set_velocity(a, 0, 0, -u);
    S.refused_a = 1, S.refused_b = 2;
    scene_step();
    ck_assert(S.asked[1][3] == 0 && S.asked[1][2] == 1 && S.told[1][2] == 0 && S.told[2][3] == 1);
    S.part[2].offset[2] = 5; /* only the refused part is near now */
    scene_step();
    ck_assert(!memcmp(a->v_pose, a->v_free, sizeof a->v_free));
    ck_assert_int_eq(peg_contacts(S.context, &(const peg_contact *){0}), 0);
    scene_end();
}
END_TEST

/* _i: 0 nobody comes, 1 a body falls on the sleepers, 2 a platform moves under them */
START_TEST(sleepers_lie_until_woken)
{
    scene_begin(0.01);
    scene_add_cube(_i == 2 ? PEG_KINEMATIC : PEG_STATIC, 0, 0, 0, 0);
    scene_add_cube(PEG_DYNAMIC, 1, 0, 0, 1.0001)->asleep = 1;
    scene_add_cube(PEG_DYNAMIC, 1, 0, 0, 2.0002)->asleep = 1;
    peg_body *far = scene_add_cube(PEG_DYNAMIC, 1, 0, 0, _i == 1 ? 3.001 : 6);
    if (_i == 2) S.body[0].v[2] = 1;
    scene_fall(9.81);
    scene_set_velocity(far, 0, 0, -1);
    scene_step();
    static const double rest[6] = {0};
    for (int i = 1; i < 3; i++) {
        const peg_body *b = &S.body[i];
        ck_assert_int_eq(b->woken, _i != 0);
        if (_i) continue;
        ck_assert(!memcmp(b->v_pose, rest, sizeof rest) && !memcmp(b->v_end, rest, sizeof rest));
        ck_assert(!b->moved_by_contact);
    }
    if (_i == 2) ck_assert_double_gt(S.body[1].v_pose[2], 0.5);
    if (_i == 0) ck_assert_int_eq(peg_contacts(S.context, &(const peg_contact *){0}), 0);
    scene_end();
}
END_TEST

/* --- a pile for the invariances --- */

static void pile(int bodies)
{
    cases_random r = {77};
    scene_begin(0.02);
    scene_add_ground();
    for (int i = 0; i < bodies; i++) {
        double sides[3], n[3];
        for (int k = 0; k < 3; k++) sides[k] = cases_uniform(&r, 0.4, 1);
        peg_body *b = scene_add_body(PEG_DYNAMIC, cases_uniform(&r, 0.5, 2), sides);
        cases_direction(&r, n);
        scene_turn_to(b, (double[]){0, 0, 1}, n);
        b->x[0] = 0.3 * (i % 2), b->x[1] = 0.2 * (i % 3), b->x[2] = 1 + 1.2 * i;
        b->v[2] = -3;
        scene_add_part(i, scene_box(sides[0], sides[1], sides[2]), 0, 0, 0);
    }
}

static void run_pile(int steps, peg_body *last)
{
    for (int i = 0; i < steps; i++) {
        scene_fall(9.81);
        scene_step();
        scene_advance();
    }
    memcpy(last, S.body, sizeof S.body);
}

static peg_body first_run[BODIES], second_run[BODIES];

START_TEST(same_input_same_bits)
{
    pile(6);
    run_pile(60, first_run);
    ck_assert_int_gt(peg_contacts(S.context, &(const peg_contact *){0}), 2);
    scene_end();
    pile(6);
    run_pile(60, second_run);
    ck_assert(!memcmp(first_run, second_run, sizeof first_run));
    scene_end();
}
END_TEST

/* Bodies and parts in reverse order, under the same ids; so few that they are solved exactly: PGS
 * visits contacts in the order of the bodies. */
START_TEST(order_does_not_matter)
{
    int steps = 12;
    pile(4);
    run_pile(steps, first_run);
    ck_assert_int_gt(peg_contacts(S.context, &(const peg_contact *){0}), 2);
    scene_end();
    pile(4);
    int nb = S.s.nb, np = S.s.np;
    for (int i = 0; i < nb / 2; i++) {
        peg_body t = S.body[i];
        S.body[i] = S.body[nb - 1 - i];
        S.body[nb - 1 - i] = t;
    }
    for (int i = 0; i < np; i++)
        if (S.part[i].body >= 0) S.part[i].body = nb - 1 - S.part[i].body;
    for (int i = 0; i < np / 2; i++) {
        peg_part t = S.part[i];
        S.part[i] = S.part[np - 1 - i];
        S.part[np - 1 - i] = t;
    }
    run_pile(steps, second_run);
    double worst = 0;
    for (int i = 0; i < nb; i++)
        for (int k = 0; k < 3; k++)
            worst = fmax(worst, fabs(first_run[i].x[k] - second_run[nb - 1 - i].x[k]));
    ck_assert_msg(worst < 1e-7, "%g", worst);
    scene_end();
}
END_TEST
static Suite *step_suite(void)
{
    Suite *suite = suite_create("step");
    TCase *closed = tcase_create("closed forms"), *invariant = tcase_create("invariances");
    tcase_set_timeout(closed, 60);
    tcase_set_timeout(invariant, 120);
    tcase_add_loop_test(closed, one_row_gives_the_hand_formula, 0, 6);
    tcase_add_loop_test(closed, flat_fall_on_every_kind, 0, PEG_CONTACT_COUNT * KINDS);
    tcase_add_test(closed, contacts_carry_the_weight);
    tcase_add_test(closed, gyroscopic_velocity_solves_and_never_gains);
    tcase_add_loop_test(closed, bounce_of_two_cubes, 0, 2);
    tcase_add_test(closed, soft_contact_finds_its_depth);
    tcase_add_loop_test(closed, overlap_opens_without_speed, 0, 2);
    tcase_add_test(closed, falling_is_no_gain);
    tcase_add_loop_test(invariant, impacts_never_gain_energy, 0, 3);
    tcase_add_test(invariant, callbacks_come_once_and_in_order);
    tcase_add_test(invariant, refused_pairs_do_not_touch);
    tcase_add_loop_test(invariant, sleepers_lie_until_woken, 0, 3);
    tcase_add_test(invariant, same_input_same_bits);
    tcase_add_test(invariant, order_does_not_matter);
    suite_add_tcase(suite, closed);
    suite_add_tcase(suite, invariant);
    suite_add_tcase(suite, round_case());
    step_failure_cases(suite);
    return suite;
}

Suite *test_suite(void)
{
    return step_suite();
}
