/* The papers' models: the logic of U, I and X by truth tables, traps, closed forms for each. */
#include "peg/paper/paper.h"
#include "tests/planar_scene.h"
#include "tests/test_models.h"

#define EXACT  1e-12
#define SOLVED 1e-8

static const pegContactModel MODELS[] = {PEG_CONTACT_ST, PEG_CONTACT_PAPER, PEG_CONTACT_LNC,
                                         PEG_CONTACT_AP};
enum { MODEL_COUNT = 4 };

/* --- logic --- */

/* Constraints over contacts between immovable bodies: the gaps are given, and the LCP has a
 * solution exactly where the constraints hold. */
typedef struct given_gaps {
    peg_arena arena;
    pegSettings settings;
    pegStats stats;
    peg_rigid rigid;
    peg_piece piece;
    peg_pair pair;
    peg_island island;
    peg_constraints c;
} given_gaps;

static void gaps_begin(given_gaps *g, const double *psi, int n)
{
    memset(g, 0, sizeof *g);
    peg_settings_default(&g->settings);
    g->island = (peg_island){.h = 1, .settings = &g->settings, .arena = &g->arena};
    g->island.stats = &g->stats;
    g->island.rigid = &g->rigid;
    g->island.piece = &g->piece;
    g->island.pair = &g->pair;
    g->island.nr = g->island.npiece = g->island.npair = 1;
    g->c.island = &g->island;
    for (int i = 0; i < n; i++) {
        peg_potential *p = peg_add_potential(&g->c);
        memset(p, 0, sizeof *p);
        p->row.gap0 = p->row.bias = psi[i];
    }
}

static int gaps_hold(given_gaps *g)
{
    int holds = peg_constraints_solve(&g->c) == PEG_SOLVED;
    ck_assert(!g->island.failed);
    peg_arena_free(&g->arena);
    return holds;
}

/* All combinations of a negative and a positive gap, all different. */
static void combination(int k, int n, double *psi)
{
    for (int i = 0; i < n; i++, k /= 2) psi[i] = (k % 2 ? 2 : -1) * (1 + .1 * i);
}

static double largest(const double *psi, int n)
{
    double most = -INFINITY;
    for (int i = 0; i < n; i++) most = fmax(most, psi[i]);
    return most;
}

START_TEST(unilateral_holds_where_the_gap_does)
{
    static const int all[] = {0};
    for (int k = 0; k < 2; k++) {
        given_gaps g;
        double psi[1];
        combination(k, 1, psi);
        gaps_begin(&g, psi, 1);
        peg_add_constraint(&g.c, PEG_UNILATERAL, all, 1, 1);
        ck_assert_int_eq(gaps_hold(&g), psi[0] >= 0);
    }
}
END_TEST

/* [W 19-24]: max psi >= 0, with one primary (_i = 1) or several. */
START_TEST(inter_contact_holds_where_one_gap_does)
{
    static const int all[] = {0, 1, 2, 3};
    for (int k = 0; k < 16; k++) {
        given_gaps g;
        double psi[4];
        combination(k, 4, psi);
        gaps_begin(&g, psi, 4);
        peg_add_constraint(&g.c, PEG_INTER_CONTACT, all, 4, _i);
        ck_assert_int_eq(gaps_hold(&g), largest(psi, 4) >= 0);
    }
}
END_TEST

START_TEST(cross_contact_holds_where_one_gap_does)
{
    static const int all[] = {0, 1, 2};
    for (int k = 0; k < 8; k++) {
        given_gaps g;
        double psi[3];
        combination(k, 3, psi);
        gaps_begin(&g, psi, 3);
        peg_add_constraint(&g.c, PEG_CROSS_CONTACT, all, 3, 1);
        ck_assert_int_eq(gaps_hold(&g), largest(psi, 3) >= 0);
    }
}
END_TEST

/* [W 47] as it stands: c alone, 0 <= c + psi_1 - psi_2 _|_ c >= 0, can be met for any gaps. That is
 * why [W 21] is restored. */
START_TEST(cross_contact_without_its_inequality_is_vacuous)
{
    for (int k = 0; k < 4; k++) {
        peg_arena arena = {0};
        double psi[2], A[1] = {1}, q[1], c[1];
        peg_pivoting pivoting = {.most_products = INFINITY};
        combination(k, 2, psi);
        q[0] = psi[0] - psi[1];
        ck_assert_int_eq(peg_lemke(&arena, 1, A, q, c, &pivoting), PEG_SOLVED);
        peg_arena_free(&arena);
    }
}
END_TEST

/* [W 33] over C_1..C_4: (psi_1 or psi_2)(psi_3 or psi_4)(psi_1 or psi_4)(psi_2 or psi_3), which is
 * (psi_1 and psi_3) or (psi_2 and psi_4). */
START_TEST(vertex_vertex_is_the_conjunction_of_the_paper)
{
    for (int k = 0; k < 16; k++) {
        given_gaps g;
        double psi[4];
        combination(k, 4, psi);
        gaps_begin(&g, psi, 4);
        peg_add_constraint(&g.c, PEG_INTER_CONTACT, (int[]){0, 1}, 2, 1);
        peg_add_constraint(&g.c, PEG_INTER_CONTACT, (int[]){2, 3}, 2, 1);
        peg_add_constraint(&g.c, PEG_CROSS_CONTACT, (int[]){0, 3}, 2, 1);
        peg_add_constraint(&g.c, PEG_CROSS_CONTACT, (int[]){1, 2}, 2, 1);
        int expected = (psi[0] >= 0 && psi[2] >= 0) || (psi[1] >= 0 && psi[3] >= 0);
        ck_assert_int_eq(gaps_hold(&g), expected);
    }
}
END_TEST

/* --- geometry --- */

static void use_settings(double reach, int primaries)
{
    P.settings.reach = reach;
    P.settings.paper_primaries = primaries;
    ck_assert_int_eq(peg_context_set_settings(P.context, &P.settings), PEG_OK);
}

static const double TOOTH[3][2] = {{0, 0}, {2, 1}, {2, 0}};

/* A particle slides up the slope of a tooth and comes near its top, where the vertical side begins.
 * [W Fig. 2, F Fig. 1-2]: its half-space catches it in the standard model; with I it passes. */
START_TEST(standard_model_is_a_trap)
{
    for (int m = 0; m < MODEL_COUNT; m++)
        for (int primaries = 0; primaries < 2; primaries++) {
            planar_begin(MODELS[m], .01);
            use_settings(.2, primaries);
            planar_add_ground(TOOTH, 3);
            peg_body *b = planar_add_particle(5, 1.8, .901, 1, .55);
            planar_step();
            int caught = fabs(b->v[0] - 1) > 1e-3;
            ck_assert_int_eq(caught, MODELS[m] == PEG_CONTACT_ST || MODELS[m] == PEG_CONTACT_AP);
            ck_assert_int_eq(P.stats.traps, !caught);
            ck_assert_int_eq(P.stats.unconverged, 0);
            planar_end();
        }
}
END_TEST

/* A particle that falls beside the vertical side of the tooth is deep behind its slope: a
 * half-space that throws it back unless psi_minimum lets it go. */
START_TEST(psi_minimum_lets_deep_half_spaces_go)
{
    for (int limited = 0; limited < 2; limited++) {
        planar_begin(PEG_CONTACT_ST, .01);
        P.settings.paper_psi_minimum = limited ? .05 : INFINITY;
        use_settings(.2, 1);
        planar_add_ground(TOOTH, 3);
        peg_body *b = planar_add_particle(5, 2.02, .85, 0, -1);
        planar_step();
        ck_assert_int_eq(b->v[1] > 1, !limited);
        planar_end();
    }
}
END_TEST

/* Of a box that leans by .05 the upper corner of its lower side is applicable within theta. */
START_TEST(theta_relaxes_applicability)
{
    const double floor[4][2] = {{-2, -1}, {2, -1}, {2, 0}, {-2, 0}};
    for (int relaxed = 0; relaxed < 2; relaxed++) {
        planar_begin(PEG_CONTACT_PAPER, .001);
        P.settings.paper_sin_theta = relaxed ? .1 : .01;
        use_settings(.2, 1);
        planar_add_ground(floor, 4);
        planar_add_box(1, .5, 2, .3, .28, .05);
        planar_step();
        ck_assert_int_eq(P.stats.rows, relaxed ? 2 : 1);
        planar_end();
    }
}
END_TEST

/* A bar that leans by .2, beyond theta, falls on its lower end, which turns it by .36 in the step:
 * its upper end needs a constraint, although its orientation at the start cannot touch. The
 * standard model, whose applicability knows the velocities alone, has none. */
START_TEST(impacts_turn_bodies_onto_their_other_end)
{
    const double floor[4][2] = {{-3, -1}, {3, -1}, {3, 0}, {-3, 0}};
    double separation[2];
    for (int m = 0; m < 2; m++) {
        planar_begin(m ? PEG_CONTACT_ST : PEG_CONTACT_PAPER, .05);
        P.gravity = 0;
        planar_add_ground(floor, 4);
        peg_body *b = planar_add_box(2, .02, 1, 0, .22, .2);
        b->v[1] = -10;
        planar_step();
        ck_assert_int_eq(P.stats.unconverged, 0);
        separation[m] = planar_separation(0, 1);
        planar_end();
    }
    ck_assert_double_gt(separation[0], -.02); /* linearisation: .2^2 / 2 of the half length */
    ck_assert_double_lt(separation[1], -.1);
}
END_TEST

/* Near the top of the tooth both sides are feasible within 45 degrees of phi, and the nearer one,
 * the vertical, takes the impulse; within tan phi = .4 only the slope is feasible. */
START_TEST(phi_relaxes_feasibility)
{
    for (int relaxed = 0; relaxed < 2; relaxed++) {
        planar_begin(PEG_CONTACT_PAPER, .01);
        P.gravity = 0;
        P.settings.paper_tan_phi = relaxed ? 1 : .4;
        use_settings(.2, 1);
        planar_add_ground(TOOTH, 3);
        peg_body *b = planar_add_particle(5, 2.005, 1.02, -2, -4);
        planar_step();
        ck_assert_int_eq(fabs(b->v[1] + 4) < 1e-9, relaxed);
        ck_assert_int_eq(fabs(b->v[0] + 2) < 1e-9, 0);
        planar_end();
    }
}
END_TEST

/* Two corners meet: the upper body falls beside the tip of the lower one. [W Fig. 6] is what I
 * alone allows; X keeps them apart up to the linearisation. */
START_TEST(corners_do_not_pass_through_each_other)
{
    const double up[3][2] = {{-.4, -1}, {.4, -1}, {0, 0}}, down[3][2] = {{-.4, 1}, {.4, 1}, {0, 0}};
    double deepest[2] = {0};
    for (int m = 0; m < 2; m++)
        for (int k = -5; k <= 5; k++) {
            planar_begin(m ? PEG_CONTACT_LNC : PEG_CONTACT_PAPER, .01);
            planar_add_ground(up, 3);
            peg_body *b = planar_add_polygon(down, 3, 1, .004 * k, .02, 0);
            b->v[1] = -4;
            for (int i = 0; i < 20; i++) {
                planar_step();
                deepest[m] = fmax(deepest[m], -planar_separation(0, 1));
            }
            planar_end();
        }
    ck_assert_double_lt(deepest[0], 5e-3);
}
END_TEST

/* Of a box that lies on a floor two corners are applicable and in reach: two U and nothing else. */
START_TEST(box_on_a_floor_has_two_contacts)
{
    const double floor[4][2] = {{-2, -1}, {2, -1}, {2, 0}, {-2, 0}};
    for (int m = 0; m < MODEL_COUNT; m++) {
        planar_begin(MODELS[m], .01);
        planar_add_ground(floor, 4);
        peg_body *b = planar_add_box(1, .5, 2, .3, .25, 0);
        for (int k = 0; k < 20; k++) {
            planar_step();
            ck_assert_int_eq(P.stats.rows, 2);
            ck_assert_double_eq_tol(planar_total_impulse(), 2 * P.gravity * P.s.h, SOLVED);
        }
        ck_assert_double_eq_tol(b->x[1], .25, SOLVED);
        planar_end();
    }
}
END_TEST

/* --- closed forms --- */

/* A particle falls on a slope. In the step of the impact the linearised gap closes to 0 (Anitescu
 * and Potra: its closing speed becomes 0), the velocity along the slope is not touched. Then it
 * slides with g sin. */
START_TEST(particle_hits_and_slides)
{
    double a = .5, n[2] = {-sin(a), cos(a)}, t[2] = {cos(a), sin(a)};
    for (int m = 0; m < MODEL_COUNT; m++) {
        planar_begin(MODELS[m], .01);
        planar_add_half_plane(n[0], n[1]);
        double gap = .004;
        peg_body *b = planar_add_particle(3, gap * n[0], gap * n[1], 1, -2);
        double along = t[0] * 1 - t[1] * 2;
        for (int k = 1; k <= 20; k++) {
            planar_step();
            double vn = n[0] * b->v[0] + n[1] * b->v[1], vt = t[0] * b->v[0] + t[1] * b->v[1];
            double closing = k == 1 && MODELS[m] != PEG_CONTACT_AP ? -gap / P.s.h : 0;
            ck_assert_double_eq_tol(vn, closing, SOLVED);
            ck_assert_double_eq_tol(vt, along - k * P.s.h * P.gravity * t[1], SOLVED);
        }
        planar_end();
    }
}
END_TEST

/* On an incline with mu above tan a box stays, with mu below it slides with g (sin - mu cos). */
START_TEST(box_on_an_incline)
{
    double a = .4, h = .01, t[2] = {cos(a), sin(a)};
    for (int m = 0; m < MODEL_COUNT; m++)
        for (int slides = 0; slides < 2; slides++) {
            planar_begin(MODELS[m], h);
            P.mu = slides ? .3 : .5;
            planar_add_half_plane(-sin(a), cos(a));
            peg_body *b = planar_add_box(1, .4, 2, -.2 * sin(a), .2 * cos(a), a);
            double rate = slides ? P.gravity * (sin(a) - P.mu * cos(a)) : 0;
            for (int k = 1; k <= 30; k++) {
                planar_step();
                ck_assert_double_eq_tol(t[0] * b->v[0] + t[1] * b->v[1], -rate * k * h, 1e-7);
                ck_assert_double_eq_tol(b->v[5], 0, 1e-7);
            }
            planar_end();
        }
}
END_TEST

/* Two boxes meet with friction in free flight: momentum and angular momentum stay. */
START_TEST(two_bodies_keep_their_momentum)
{
    for (int m = 0; m < MODEL_COUNT; m++) {
        planar_begin(MODELS[m], .01);
        P.gravity = 0;
        P.mu = .4;
        peg_body *a = planar_add_box(1, .6, 2, 0, 0, .2),
                 *b = planar_add_box(.5, .5, 1, .81, .1, .7);
        a->v[0] = 1, a->v[1] = .2, b->v[0] = -2, b->v[5] = 3;
        double p[2] = {2 * 1 - 2, .4};
        double spin = 0, after = 0;
        for (int k = 0; k < 2; k++) {
            const peg_body *x = &P.body[k];
            spin += x->mass * (x->x[0] * x->v[1] - x->x[1] * x->v[0]) + x->inertia[8] * x->v[5];
        }
        double at[2][2] = {{a->x[0], a->x[1]}, {b->x[0], b->x[1]}};
        planar_step();
        ck_assert(planar_total_impulse() > .1);
        for (int k = 0; k < 2; k++) {
            const peg_body *x = &P.body[k];
            ck_assert_double_eq_tol(2 * a->v[k] + b->v[k], p[k], EXACT);
            after += x->mass * (at[k][0] * x->v[1] - at[k][1] * x->v[0]) + x->inertia[8] * x->v[5];
        }
        ck_assert_double_eq_tol(after, spin, EXACT);
        planar_end();
    }
}
END_TEST

/* Without I and X the island's own solvers take the same problem, and find the same velocities. */
START_TEST(projected_solver_agrees_with_lemke)
{
    for (int slides = 0; slides < 2; slides++) {
        double v[2][6];
        for (int k = 0; k < 2; k++) {
            planar_begin(PEG_CONTACT_ST, .01);
            P.mu = slides ? .3 : 0;
            P.settings.solver = k ? PEG_SOLVER_PROJECTED : PEG_SOLVER_LEMKE;
            use_settings(0, 1);
            planar_add_half_plane(0, 1);
            peg_body *b = planar_add_box(1, .4, 2, 0, .33, .3);
            b->v[0] = 1, b->v[1] = -2;
            for (int i = 0; i < 10; i++) planar_step();
            ck_assert_int_eq(P.sum.unconverged, 0);
            ck_assert_int_eq(P.sum.lemke_solves > 0, k == 0);
            memcpy(v[k], b->v, sizeof v[k]);
            planar_end();
        }
        for (int i = 0; i < 6; i++) ck_assert_double_eq_tol(v[0][i], v[1][i], 1e-7);
    }
}
END_TEST

/* --- failures --- */

/* Two walls close on a block: no velocity satisfies the half-spaces. The step counts as
 * unconverged, and the run goes on with the least violation. */
START_TEST(squeezed_block_goes_on)
{
    const double wall[4][2] = {{-.5, -1}, {.5, -1}, {.5, 1}, {-.5, 1}};
    for (int m = 0; m < MODEL_COUNT; m++) {
        planar_begin(MODELS[m], .01);
        planar_add_box(1, 1, 1, 0, 0, 0);
        for (int side = -1; side <= 1; side += 2) {
            peg_body *b = planar_add_polygon(wall, 4, 1, side, 0, 0);
            b->kind = PEG_KINEMATIC;
            b->v[0] = -side;
        }
        for (int k = 0; k < 3; k++) {
            planar_step();
            ck_assert_int_eq(P.stats.unconverged, 1);
            ck_assert(P.stats.fallback_elastic > 0);
            ck_assert_double_eq_tol(P.body[0].v[0], 0, 1e-6);
        }
        planar_end();
    }
}
END_TEST

/* The same as published: no answer, no step. */
START_TEST(squeezed_block_ends_without_fallback)
{
    const double wall[4][2] = {{-.5, -1}, {.5, -1}, {.5, 1}, {-.5, 1}};
    for (int m = 0; m < MODEL_COUNT; m++) {
        planar_begin(MODELS[m], .01);
        P.settings.paper_fallback = 0;
        use_settings(0, 1);
        planar_add_box(1, 1, 1, 0, 0, 0);
        for (int side = -1; side <= 1; side += 2) {
            peg_body *b = planar_add_polygon(wall, 4, 1, side, 0, 0);
            b->kind = PEG_KINEMATIC;
            b->v[0] = -side;
        }
        peg_body before = P.body[0];
        ck_assert_int_eq(peg_step(P.context, &P.s, NULL), PEG_ERROR_SOLVER);
        ck_assert_int_eq(memcmp(&before, &P.body[0], sizeof before), 0);
        P.body[1].v[0] = P.body[2].v[0] = 0; /* and one with an answer goes on */
        ck_assert_int_eq(peg_step(P.context, &P.s, NULL), PEG_OK);
        planar_end();
    }
}
END_TEST

START_TEST(exhausted_memory_is_reported)
{
    for (int m = 0; m < MODEL_COUNT; m++) {
        pegStatus status = PEG_ERROR_MEMORY;
        for (long n = 1; status != PEG_OK; n++) {
            ck_assert_int_lt(n, 200);
            planar_begin(MODELS[m], .01);
            P.mu = .3;
            planar_add_ground(TOOTH, 3);
            planar_add_box(.4, .4, 1, .9, .7, .4);
            memcpy(P.body[0].v_free, (double[6]){0, -4}, sizeof P.body[0].v_free);
            peg_memory_fail_at(n, 1);
            status = peg_step(P.context, &P.s, NULL);
            peg_memory_fail_at(0, 0);
            if (status != PEG_OK) ck_assert_int_eq(status, PEG_ERROR_MEMORY);
            planar_end();
        }
    }
}
END_TEST

START_TEST(settings_have_ranges)
{
    pegSettings s;
    peg_settings_default(&s);
    for (int primaries = -1; primaries < 3; primaries++) {
        s.paper_primaries = primaries;
        ck_assert_int_eq(peg_settings_check(&s) == PEG_OK, primaries == 0 || primaries == 1);
    }
    s.paper_primaries = 1;
    for (int fallback = -1; fallback < 3; fallback++) {
        s.paper_fallback = fallback;
        ck_assert_int_eq(peg_settings_check(&s) == PEG_OK, fallback == 0 || fallback == 1);
    }
    s.paper_fallback = 1;
    double *field[] = {&s.paper_psi_minimum, &s.paper_sin_theta, &s.paper_tan_phi, &s.paper_edges};
    for (int i = 0; i < 4; i++) {
        double kept = *field[i];
        ck_assert_int_eq(peg_settings_check(&s), PEG_OK);
        *field[i] = -1e-3;
        ck_assert_int_eq(peg_settings_check(&s), PEG_ERROR_SETTINGS);
        *field[i] = NAN;
        ck_assert_int_eq(peg_settings_check(&s), PEG_ERROR_SETTINGS);
        *field[i] = INFINITY;
        ck_assert_int_eq(peg_settings_check(&s), i == 0 ? PEG_OK : PEG_ERROR_SETTINGS);
        *field[i] = kept;
    }
}
END_TEST

void paper_cases(Suite *suite)
{
    TCase *logic = tcase_create("logic"), *forms = tcase_create("models");
    tcase_add_test(logic, unilateral_holds_where_the_gap_does);
    tcase_add_loop_test(logic, inter_contact_holds_where_one_gap_does, 1, 5);
    tcase_add_test(logic, cross_contact_holds_where_one_gap_does);
    tcase_add_test(logic, cross_contact_without_its_inequality_is_vacuous);
    tcase_add_test(logic, vertex_vertex_is_the_conjunction_of_the_paper);
    suite_add_tcase(suite, logic);
    tcase_add_test(forms, standard_model_is_a_trap);
    tcase_add_test(forms, psi_minimum_lets_deep_half_spaces_go);
    tcase_add_test(forms, theta_relaxes_applicability);
    tcase_add_test(forms, impacts_turn_bodies_onto_their_other_end);
    tcase_add_test(forms, phi_relaxes_feasibility);
    tcase_add_test(forms, corners_do_not_pass_through_each_other);
    tcase_add_test(forms, box_on_a_floor_has_two_contacts);
    tcase_add_test(forms, particle_hits_and_slides);
    tcase_add_test(forms, box_on_an_incline);
    tcase_add_test(forms, two_bodies_keep_their_momentum);
    tcase_add_test(forms, projected_solver_agrees_with_lemke);
    tcase_add_test(forms, squeezed_block_goes_on);
    tcase_add_test(forms, squeezed_block_ends_without_fallback);
    tcase_add_test(forms, exhausted_memory_is_reported);
    tcase_add_test(forms, settings_have_ranges);
    suite_add_tcase(suite, forms);
}
