/* Islands at rest beside what moves: they stay where they are, carried by the same impulses, for as
 * long as nothing about them changes, and not a step longer. Every step here is checked for the
 * balance of momentum of each body, for gaps, and for what the callbacks are asked. */
#include "tests/runner.h"
#include "peg/base/arena.h"
#include "peg/step/stage.h"
#include "tests/planar_scene.h"
#include "tests/step_scene.h"
#include "tests/test_still.h"

#include <stdlib.h>

static const double G = 9.81, H = 0.01;
/* What cubes of side 1 keep between them: the margin of the default settings. */
static const double GAP = 8.7e-6;
enum { FIRST_STEPS = 60 };

/* Accelerations besides gravity, m/s^2, and who has none. */
static double pushed[BODIES][3];
static int weightless[BODIES];

/* --- what holds after every step --- */

static void add_joint_impulses(double (*sum)[3])
{
    for (int i = 0; i < S.s.njoint_row; i++) {
        const peg_joint_row *row = &S.s.joint_row[i];
        double impulse = row->lambda + row->push;
        if (row->body_a >= 0) peg_add_scaled(sum[row->body_a], impulse, row->Ja, sum[row->body_a]);
        if (row->body_b >= 0) peg_add_scaled(sum[row->body_b], impulse, row->Jb, sum[row->body_b]);
    }
}

/* m (v - v_free) is what the contacts and joints say they did: at rest, the weight times h. */
static void check_balance(void)
{
    double sum[BODIES][3] = {{0}};
    const peg_contact *c;
    for (int n = peg_contacts(S.context, &c), i = 0; i < n; i++)
        for (int side = 0; side < 2; side++) {
            int body = S.part[side ? c[i].part_b : c[i].part_a].body;
            if (body < 0) continue;
            peg_add_scaled(sum[body], side ? -c[i].impulse : c[i].impulse, c[i].normal, sum[body]);
            peg_add_scaled(sum[body], side ? -1 : 1, c[i].friction, sum[body]);
        }
    add_joint_impulses(sum);
    for (int i = 0; i < S.s.nb; i++) {
        const peg_body *b = &S.body[i];
        double change[3], unit = b->mass * (peg_norm(b->v) + peg_norm(b->v_pose) + G * S.s.h);
        if (b->kind != PEG_DYNAMIC || (b->asleep && !b->woken)) continue;
        peg_sub(b->v_end, b->v_free, change);
        for (int k = 0; k < 3; k++)
            ck_assert_msg(fabs(b->mass * change[k] - sum[i][k]) <= 1e-8 * unit,
                          "body %d: %g N s, contacts make it %g", i, b->mass * change[k],
                          sum[i][k]);
    }
}

static int is_refused(const peg_part *a, const peg_part *b)
{
    return (a->id == S.refused_a && b->id == S.refused_b) ||
           (a->id == S.refused_b && b->id == S.refused_a);
}

static void check_gaps(void)
{
    for (int i = 0; i < S.s.np; i++)
        for (int j = 0; j < i; j++) {
            const peg_part *a = &S.part[i], *b = &S.part[j];
            if (a->body == b->body || !a->shape || !b->shape || is_refused(a, b)) continue;
            ck_assert_double_ge(scene_separation(j, i), 0);
        }
}

static void check_asked(void)
{
    for (int i = 1; i <= PARTS; i++)
        for (int j = 1; j <= PARTS; j++) {
            ck_assert_int_le(S.asked[i][j], 1);
            ck_assert_int_le(S.told[i][j], S.asked[i][j]);
        }
}

/* --- scenes --- */

static void step(void)
{
    memset(S.asked, 0, sizeof S.asked);
    memset(S.told, 0, sizeof S.told);
    scene_fall(G);
    for (int i = 0; i < S.s.nb; i++) {
        peg_body *b = &S.body[i];
        if (weightless[i]) memcpy(b->v_free, b->v, sizeof b->v);
        if (b->kind == PEG_DYNAMIC) peg_add_scaled(b->v_free, S.s.h, pushed[i], b->v_free);
    }
    scene_step();
    check_balance();
    check_gaps();
    check_asked();
    scene_advance();
    for (int i = 0; i < S.s.nb; i++)
        if (S.body[i].woken) S.body[i].asleep = 0;
}

static void begin(void)
{
    scene_begin(H);
    memset(pushed, 0, sizeof pushed);
    memset(weightless, 0, sizeof weightless);
}

/* Something that moves all the time. */
static void add_flyer(void)
{
    peg_body *b = scene_add_cube(PEG_DYNAMIC, 1, 0, 50, 50);
    weightless[S.s.nb - 1] = 1;
    b->v[0] = 1;
}

static void settle(int islands)
{
    step();
    for (int i = 0; i < FIRST_STEPS && S.stats.resting_islands != islands; i++) step();
    ck_assert_int_eq(S.stats.resting_islands, islands);
}

/* Two stacks of two cubes on the ground, 10 m apart: bodies 0, 1 and 2, 3 with the parts 1 to 4. */
static void two_stacks(void)
{
    begin();
    scene_add_ground();
    for (int i = 0; i < 4; i++)
        scene_add_cube(PEG_DYNAMIC, 1 + i, 10 * (i / 2), 0, .5 + GAP + (i % 2 ? 1 + GAP : 0));
    add_flyer();
    settle(2);
}

/* The second stack lies as it lay. */
static void check_rest(int body)
{
    static const double rest[6] = {0};
    const peg_body *b = &S.body[body];
    ck_assert(!memcmp(b->v_pose, rest, sizeof rest) && !memcmp(b->v_end, rest, sizeof rest));
    ck_assert(b->moved_by_contact || (b->asleep && !b->woken));
}

static double impulse_on(int part)
{
    const peg_contact *c;
    double sum = 0;
    for (int n = peg_contacts(S.context, &c), i = 0; i < n; i++)
        if (c[i].part_a == part || c[i].part_b == part) sum += c[i].impulse;
    return sum;
}

/* --- rest --- */

START_TEST(what_rests_is_repeated)
{
    two_stacks();
    peg_body before[4];
    memcpy(before, S.body, sizeof before);
    pegStats first = S.stats;
    for (int i = 0; i < 50; i++) {
        step();
        ck_assert_int_eq(S.stats.resting_islands, 2);
        ck_assert_int_eq(S.stats.islands, 2);
        ck_assert_int_eq(S.stats.bodies, 5);
        ck_assert_int_eq(S.stats.pairs, 4);
        ck_assert_int_eq(S.stats.steps, 1);
        ck_assert_int_eq(S.stats.solves, 0);
        ck_assert_double_eq(S.stats.min_separation, first.min_separation);
        ck_assert_double_eq_tol(impulse_on(0), (1 + 2 + 3 + 4) * G * H, 1e-8);
        for (int k = 0; k < 4; k++) {
            check_rest(k);
            ck_assert(!memcmp(before[k].x, S.body[k].x, sizeof before[k].x));
        }
        ck_assert(S.asked[1][2] && S.asked[2][3] && S.asked[1][4] && S.asked[4][5]);
    }
    scene_end();
}
END_TEST

/* _i: what changes for the upper cube of the first stack, beside something that moves or where all
 * has been at rest */
START_TEST(what_is_disturbed_moves)
{
    int change = _i % 5;
    two_stacks();
    if (_i / 5) {
        S.s.nb--, S.s.np--;
        settle(2);
        ck_assert_int_eq(S.stats.islands, 2);
        ck_assert_double_eq_tol(impulse_on(0), (1 + 2 + 3 + 4) * G * H, 1e-8);
    }
    peg_body *b = &S.body[1];
    if (change == 0) b->v[0] = .5;
    if (change == 1) pushed[1][2] = G + 3;
    if (change == 2) b->x[0] = 30, b->x[2] = 30;
    if (change == 3) S.refused_a = S.part[1].id, S.refused_b = S.part[2].id, S.body[0].x[0] = -5;
    if (change == 4) S.refused_a = S.part[1].id, S.refused_b = S.part[2].id;
    step();
    ck_assert_int_eq(S.stats.resting_islands, 1);
    ck_assert_int_eq(S.stats.islands, 2);
    if (change == 0) ck_assert_double_eq_tol(b->v[0], .5, SOLVED);
    if (change == 1) ck_assert_double_eq_tol(b->v[2], 3 * H, SOLVED);
    if (change > 1) ck_assert_double_eq_tol(b->v[2], -G * H, SOLVED);
    for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(S.body[0].v[k], 0, SOLVED);
    check_rest(2);
    check_rest(3);
    scene_end();
}
END_TEST

START_TEST(weight_and_step_size_count)
{
    two_stacks();
    S.body[3].mass = 40;
    step();
    ck_assert_int_eq(S.stats.resting_islands, 1);
    ck_assert_double_eq_tol(impulse_on(0), (1 + 2 + 3 + 40) * G * H, 1e-8);
    S.s.h = H / 2;
    step();
    ck_assert_int_eq(S.stats.resting_islands, 0);
    ck_assert_double_eq_tol(impulse_on(0), (1 + 2 + 3 + 40) * G * H / 2, 1e-8);
    scene_end();
}
END_TEST

START_TEST(settings_count)
{
    two_stacks();
    pegSettings settings = *peg_context_settings(S.context);
    settings.threads = 2;
    ck_assert_int_eq(peg_context_set_settings(S.context, &settings), PEG_OK);
    step();
    ck_assert_int_eq(S.stats.resting_islands, 2); /* any number of threads comes to the same */
    settings.margin = 1e-3;
    ck_assert_int_eq(peg_context_set_settings(S.context, &settings), PEG_OK);
    step();
    ck_assert_int_eq(S.stats.resting_islands, 0);
    scene_end();
}
END_TEST

/* --- what carries --- */

/* A cube on a shelf, which is part 0, on an arm of body 0, and another one on a ledge of its own.
 */
static void on_shelf(peg_body_kind kind)
{
    begin();
    scene_add_cube(kind, 1, -3, 0, 0);
    S.part[0].offset[0] = 3;
    scene_add_cube(PEG_DYNAMIC, 2, 0, 0, 1 + GAP);
    scene_add_part(-1, S.shape[1], 10, 0, 0);
    scene_add_cube(PEG_DYNAMIC, 3, 10, 0, 1 + GAP);
    add_flyer();
    settle(2);
}

/* How the shelf is lost. */
enum loss {
    PART_MOVED,
    PART_SMALLER,
    PART_RESHAPED, /* where its old shape was stored */
    PART_OF_ANOTHER_BODY,
    PART_OF_THE_WORLD,
    PAIR_REFUSED,
    BODY_MOVED,
    BODY_TURNED,
    BODY_DYNAMIC_ELSEWHERE,
    LOSSES
};

static void lose_shelf(enum loss how)
{
    peg_body *b = &S.body[0];
    peg_part *p = &S.part[0];
    peg_polytope *lower = scene_box(1, 1, .5), shape = *S.shape[0];
    if (how == PART_MOVED) p->offset[0] = 6;
    if (how == PART_SMALLER) p->shape = lower;
    if (how == PART_RESHAPED) *S.shape[0] = *lower, *lower = shape, p->id = PARTS;
    if (how == PART_OF_ANOTHER_BODY) p->body = S.s.nb - 1;
    if (how == PART_OF_THE_WORLD) p->body = -1;
    if (how == PAIR_REFUSED) S.refused_a = p->id, S.refused_b = S.part[1].id;
    if (how == BODY_MOVED) b->x[0] = -6;
    if (how == BODY_TURNED) b->q[0] = 0, b->q[3] = 1;
    if (how == BODY_DYNAMIC_ELSEWHERE) b->kind = PEG_DYNAMIC, b->x[0] = -6;
}

START_TEST(what_carried_is_missed_at_once)
{
    on_shelf(_i % 2 ? PEG_KINEMATIC : PEG_STATIC);
    lose_shelf((enum loss)(_i / 2));
    step();
    ck_assert_int_eq(S.stats.resting_islands, 1);
    ck_assert_int_eq(S.stats.islands, 1);
    ck_assert_double_eq_tol(S.body[1].v[2], -G * H, SOLVED);
    check_rest(2);
    scene_end();
}
END_TEST

/* All rests; then the ledge is put where the cube on the shelf stands. */
START_TEST(what_is_put_into_others_counts)
{
    on_shelf(PEG_STATIC);
    S.s.nb--, S.s.np--;
    settle(2);
    S.part[2].offset[0] = .99, S.part[2].offset[2] = 1 + GAP;
    scene_fall(G);
    scene_step();
    ck_assert_int_eq(S.stats.recovered, 1);
    ck_assert_double_lt(S.body[1].v_pose[0], -1e-3);
    ck_assert_double_eq_tol(S.body[2].v_pose[2], -G * H, SOLVED);
    scene_end();
}
END_TEST

/* A lift rises, stands, and sinks faster than things fall. */
START_TEST(a_lift_carries_while_it_moves)
{
    on_shelf(PEG_KINEMATIC);
    peg_body *lift = &S.body[0], *b = &S.body[1];
    for (int i = 0; i < 12; i++) {
        lift->v[2] = i < 4 ? .05 : i < 8 ? 0 : -30;
        step();
        if (i < 8)
            ck_assert_double_eq_tol(b->v[2], lift->v[2], SOLVED);
        else
            ck_assert_double_eq_tol(b->v[2], -(i - 7) * G * H, SOLVED);
        if (lift->v[2] != 0) ck_assert_int_eq(S.stats.resting_islands, 1);
        if (i == 7) settle(2);
    }
    check_rest(2);
    scene_end();
}
END_TEST

/* Without friction the shelf slides away below the cube, which stays until it has left. */
START_TEST(a_shelf_slides_away)
{
    on_shelf(PEG_KINEMATIC);
    S.body[0].v[0] = 10;
    for (int i = 0; i < 20; i++) {
        int carried = S.body[0].x[0] < -2.51;
        step();
        if (carried)
            for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(S.body[1].v[k], 0, SOLVED);
        ck_assert_int_eq(S.stats.resting_islands, 1);
    }
    ck_assert_double_lt(S.body[1].v[2], -5 * G * H);
    scene_end();
}
END_TEST

/* --- what holds against a push --- */

/* Friction is along x; that of cube 0, of 1 kg, bears up to 3 N. */
static const double MU = 3 / 9.81;
/* What a motor gives, N. */
static const double PULL = 2;
static peg_joint_row row;

/* Two cubes on the ground; the bodies 2 and 3 have no parts. Cube 0 is pushed along x with `push`;
 * a motor between it and body 2 may pull it back. */
static void pushed_cubes(double push, int motors, peg_body_kind anchor)
{
    begin();
    scene_add_ground();
    scene_add_cube(PEG_DYNAMIC, 1, 0, 0, .5 + GAP);
    scene_add_cube(PEG_DYNAMIC, 2, 0, 10, .5 + GAP);
    scene_add_body(anchor, 4, (double[]){1, 1, 1})->x[2] = 9;
    scene_add_body(PEG_STATIC, 4, (double[]){1, 1, 1})->x[2] = 9;
    weightless[2] = 1;
    add_flyer();
    pushed[0][0] = push;
    S.surface = (peg_surface){.mu = MU, .mu2 = MU, .axis = {1}};
    row = (peg_joint_row){.body_a = 0, .body_b = 2, .Ja = {1}, .Jb = {-1}, .rhs = -1};
    row.hi = PULL * H, row.lo = -row.hi;
    S.s.joint_row = &row;
    S.s.njoint_row = motors;
    settle(2);
}

static void other_surface(void *context, const peg_part *a, const peg_part *b, peg_surface *out)
{
    (void)context, (void)a, (void)b;
    out->mu = .1, out->mu2 = .1, out->axis[0] = 1;
}

START_TEST(friction_counts)
{
    pushed_cubes(2, 0, PEG_STATIC);
    step();
    check_rest(0);
    double v = 2 * H;
    if (_i == 0) S.surface.mu = S.surface.mu2 = 0;
    if (_i == 1) S.s.surface = NULL;
    if (_i == 2) S.s.surface = other_surface, v = (2 - .1 * G) * H;
    step();
    ck_assert_int_eq(S.stats.resting_islands, 0);
    ck_assert_double_eq_tol(S.body[0].v[0], v, 1e-8);
    scene_end();
}
END_TEST

enum motion { RUNS_AWAY, IS_DRIVEN, STAYS };

/* How the motor comes to do something else, and what cube 0 does then. */
static enum motion change_motor(int how)
{
    static const enum motion then[] = {RUNS_AWAY, RUNS_AWAY, RUNS_AWAY, IS_DRIVEN, IS_DRIVEN,
                                       STAYS,     STAYS,     IS_DRIVEN, RUNS_AWAY};
    if (how == 0) row.body_a = 1;              /* pulls the other one */
    if (how == 1) row.body_a = row.body_b = 3; /* none */
    if (how == 2) row.lo = 0;
    if (how == 3) row.rhs = 1;
    if (how == 4) S.body[2].v[0] = 2; /* its anchor starts */
    if (how == 5) row.body_b = -1;
    if (how == 6) S.body[2].kind = PEG_DYNAMIC; /* it may move, too */
    if (how == 7) row.body_a = 1, row.body_b = 0;
    if (how == 8) S.s.njoint_row = 0;
    return then[how];
}

START_TEST(motors_count)
{
    pushed_cubes(4, 1, PEG_KINEMATIC);
    step();
    check_rest(0);
    ck_assert_double_eq_tol(row.lambda, -PULL * H, SOLVED);
    ck_assert_double_eq_tol(S.body[0].v_joints[0], -PULL * H, SOLVED);
    enum motion motion = change_motor(_i);
    step();
    double force = motion == RUNS_AWAY ? 4 - 3 : motion == IS_DRIVEN ? 4 + PULL - 3 : 0;
    ck_assert_double_eq_tol(S.body[0].v[0], force * H, 1e-7 * H);
    ck_assert_double_eq_tol(S.body[1].v[0], 0, 1e-7 * H);
    if (_i == 6) ck_assert_double_eq_tol(S.body[2].v[0], PULL * H / 4, 1e-7 * H);
    ck_assert_int_eq(S.stats.resting_islands, _i == 0 || _i > 6 ? 0 : 1);
    scene_end();
}
END_TEST

/* Alone, the motor would hold the cube up; on the ground it presses it down. */
START_TEST(motors_press)
{
    pushed_cubes(0, 0, PEG_STATIC);
    row = (peg_joint_row){.body_a = 0, .body_b = -1, .Ja = {0, 0, 1}, .rhs = -.05};
    row.hi = PULL * H, row.lo = -row.hi;
    S.s.njoint_row = 1;
    settle(2);
    for (int i = 0; i < 5; i++) {
        step();
        ck_assert_int_eq(S.stats.resting_islands, 2);
        ck_assert_double_eq_tol(row.lambda, -PULL * H, SOLVED);
        ck_assert_double_eq_tol(S.body[0].v_joints[2], -PULL * H, SOLVED);
        ck_assert_double_eq_tol(impulse_on(1), (G + PULL) * H, SOLVED);
    }
    scene_end();
}
END_TEST

/* --- what comes --- */

static double momentum_x(void)
{
    double sum = 0;
    for (int i = 0; i < S.s.nb; i++)
        if (S.body[i].kind == PEG_DYNAMIC) sum += S.body[i].mass * S.body[i].v[0];
    return sum;
}

/* A heavy cube throws a light one at a stack at rest, or hits it itself. */
START_TEST(what_is_hit_takes_part)
{
    begin();
    scene_add_ground();
    peg_body *heavy = scene_add_cube(PEG_DYNAMIC, 1000, 0, 0, .5 + GAP);
    scene_add_cube(PEG_DYNAMIC, 1, _i ? 1.001 : -4, 0, .5 + GAP);
    double at = _i ? 2.05 + .01 * _i : 1.05;
    for (int k = 0; k < 2; k++) scene_add_cube(PEG_DYNAMIC, 1, at, 0, .5 + GAP + k * (1 + GAP));
    scene_add_cube(PEG_DYNAMIC, 1, 0, 10, .5 + GAP);
    add_flyer();
    settle(_i ? 3 : 4);
    heavy->v[0] = 10;
    double before = momentum_x();
    step();
    ck_assert_int_eq(S.stats.resting_islands, _i ? 1 : 2);
    ck_assert_double_gt(S.body[2].v_pose[0], .5);
    for (int i = 0; i < 10; i++) {
        ck_assert_double_eq_tol(momentum_x(), before, 1e-8 * before);
        step();
    }
    check_rest(4);
    scene_end();
}
END_TEST

/* Cubes 3 m apart on the ground, which a joint keeps at the same distance along x: one is hit, and
 * the other one goes along, still carried. */
START_TEST(partners_take_part)
{
    begin();
    scene_add_ground();
    for (int i = 0; i < 3; i++) scene_add_cube(PEG_DYNAMIC, 1, 3 * i - 3, 0, .5 + GAP);
    scene_add_cube(PEG_DYNAMIC, 1, 0, 10, .5 + GAP);
    add_flyer();
    row = (peg_joint_row){.body_a = 1, .body_b = 2, .Ja = {1}, .Jb = {-1}, .c = 1e-9};
    row.lo = -INFINITY, row.hi = INFINITY;
    S.s.joint_row = &row;
    S.s.njoint_row = 1;
    settle(3);
    S.body[0].v[0] = 250;
    for (int i = 0; i < 10; i++) {
        step();
        ck_assert_int_eq(S.stats.resting_islands, 1);
        ck_assert_double_eq_tol(momentum_x(), 251, 1e-6);
        ck_assert_double_eq_tol(S.body[1].v[0], S.body[2].v[0], 1e-5);
        ck_assert_double_gt(S.body[2].v[0], 1);
        ck_assert_double_eq_tol(S.body[2].v[2], 0, 1e-7);
    }
    check_rest(3);
    scene_end();
}
END_TEST

/* Sleepers are left alone, and woken by what hits them or by the program. */
START_TEST(sleepers_sleep_and_wake)
{
    two_stacks();
    S.body[0].asleep = S.body[1].asleep = 1;
    for (int i = 0; i < 5; i++) {
        step();
        ck_assert_int_eq(S.stats.resting_islands, 1);
        ck_assert_int_eq(S.stats.islands, 1);
        ck_assert(S.body[0].asleep && S.body[1].asleep);
        check_rest(0);
        check_rest(3);
    }
    if (_i == 0) S.body[0].asleep = 0;
    if (_i == 1) S.body[4].x[0] = 0, S.body[4].x[1] = .3, S.body[4].x[2] = 2.51;
    if (_i == 1) S.body[4].v[2] = -2;
    step();
    ck_assert(!S.body[0].asleep && !S.body[1].asleep);
    ck_assert_int_eq(S.stats.resting_islands, 1);
    scene_end();
}
END_TEST

/* --- other numbers --- */

/* One body goes and another one comes: as many as before. */
START_TEST(numbers_are_not_names)
{
    two_stacks();
    int gone = _i;
    memmove(&S.body[gone], &S.body[gone + 1], (size_t)(S.s.nb - 1 - gone) * sizeof *S.body);
    memmove(&S.part[gone + 1], &S.part[gone + 2], (size_t)(S.s.np - 2 - gone) * sizeof *S.part);
    S.s.nb--, S.s.np--;
    for (int i = gone + 1; i < S.s.np; i++) S.part[i].body--;
    memset(weightless, 0, sizeof weightless);
    weightless[3] = 1;
    scene_add_cube(PEG_DYNAMIC, 1, 20, 20, 20);
    S.part[S.s.np - 1].id = PARTS;
    step();
    ck_assert_double_eq_tol(S.body[4].v[2], -G * H, SOLVED);
    /* the lower one of a pair falls not, the upper one does */
    for (int i = 0; i < 3; i++) {
        int falls = gone % 2 == 0 && i == gone;
        ck_assert_double_eq_tol(S.body[i].v[2], falls ? -G * H : 0, SOLVED);
    }
    step();
    scene_end();
}
END_TEST

/* --- meshes, given contacts --- */

static peg_triangle_mesh *sheet(void)
{
    static const double corner[4][3] = {{-20, -20, 0}, {20, -20, 0}, {20, 20, 0}, {-20, 20, 0}};
    static const int triangle[2][3] = {{0, 1, 2}, {0, 2, 3}};
    peg_triangle_mesh *mesh;
    ck_assert_int_eq(peg_triangle_mesh_create(corner, 4, triangle, 2, 0, &mesh), PEG_OK);
    return mesh;
}

/* Cubes on a sheet: one is thrown at the other, then the sheet is lowered or taken for another. */
START_TEST(meshes_carry_and_are_missed)
{
    peg_triangle_mesh *mesh = sheet();
    begin();
    scene_add_part(-1, NULL, 0, 0, 0);
    S.part[0].triangle_mesh = mesh;
    for (int i = 0; i < 3; i++) scene_add_cube(PEG_DYNAMIC, 1, 3 * i - 3, 0, .5 + GAP);
    add_flyer();
    settle(3);
    for (int i = 0; i < 3; i++) step();
    ck_assert_int_eq(S.stats.resting_islands, 3);
    if (_i == 0) {
        S.body[0].v[0] = 220; /* from 2 m away within the step */
        step();
        ck_assert_int_eq(S.stats.resting_islands, 1);
        ck_assert_double_gt(S.body[1].v[0], 1);
        ck_assert_double_eq_tol(S.body[0].v[0] + S.body[1].v[0], 220, 1e-6);
        check_rest(2);
    } else {
        if (_i == 1) S.part[0].offset[2] = -2;
        if (_i == 2) S.part[0].id = PARTS, S.part[0].offset[2] = -2;
        if (_i == 3) S.part[0].body = S.s.nb - 1, S.part[0].offset[2] = 90;
        step();
        ck_assert_int_eq(S.stats.resting_islands, 0);
        for (int i = 0; i < 3; i++) ck_assert_double_eq_tol(S.body[i].v[2], -G * H, SOLVED);
    }
    scene_end();
    peg_triangle_mesh_free(mesh);
}
END_TEST

START_TEST(given_contacts_are_not_repeated)
{
    two_stacks();
    scene_add_part(-1, NULL, 0, 0, 0);
    S.part[S.s.np - 1].opaque = 1;
    settle(2);
    const peg_external given = {2, S.s.np - 1, {0, 0, 2 + GAP}, {0, 0, -1}, .001};
    S.s.external = &given, S.s.nexternal = 1;
    step();
    ck_assert_int_eq(S.stats.resting_islands, 0);
    pushed[1][2] = G + 100; /* up against it */
    step();
    ck_assert_double_eq_tol(S.body[1].v[2], .1, .02);
    S.s.nexternal = 0;
    memset(S.body[1].v, 0, sizeof S.body[1].v);
    step();
    ck_assert_double_eq_tol(S.body[1].v[2], 100 * H, SOLVED);
    scene_end();
}
END_TEST

/* --- planes --- */

START_TEST(planar_stacks_rest_and_slide)
{
    planar_begin(PEG_CONTACT_PEG, H);
    P.gravity = G;
    planar_add_half_plane(0, 1);
    peg_body *low = planar_add_box(1, 1, 2, 0, .5 + GAP, 0);
    peg_body *high = planar_add_box(1, 1, 1, 0, 1.5 + 2 * GAP, 0);
    planar_add_particle(1, 9, 900, 0, 0); /* falls all the time */
    for (int i = 0; i < FIRST_STEPS && !P.stats.resting_islands; i++) planar_step();
    for (int i = 0; i < 5; i++) {
        planar_step();
        ck_assert_int_eq(P.stats.resting_islands, 1);
        ck_assert_double_eq_tol(planar_total_impulse(), (1 + 3) * G * H, 1e-8);
        ck_assert_double_eq(low->v[0], 0);
    }
    high->v[0] = .3;
    planar_step();
    ck_assert_int_eq(P.stats.resting_islands, 0);
    ck_assert_double_eq_tol(high->v[0], .3, SOLVED);
    ck_assert_double_eq_tol(low->v[0], 0, SOLVED);
    planar_end();
}
END_TEST

/* --- memory --- */

/* A stack at rest, a cube that falls beside it, and one that is thrown at it at last. */
static void run_out_at(long n, int for_good, peg_body *after)
{
    peg_memory_fail_at(0, 0);
    begin();
    scene_add_ground();
    for (int i = 0; i < 4; i++)
        scene_add_cube(PEG_DYNAMIC, 1 + i, 10 * (i / 2), 0, .5 + GAP + (i % 2 ? 1 + GAP : 0));
    scene_add_cube(PEG_DYNAMIC, 1, -3, 0, 2);
    add_flyer();
    peg_memory_fail_at(n, for_good);
    for (int i = 0; i < 40; i++) {
        peg_body before[BODIES];
        if (i == 30) S.body[4].v[0] = 100;
        scene_fall(G);
        memcpy(S.body[5].v_free, S.body[5].v, sizeof S.body[5].v);
        memcpy(before, S.body, sizeof before);
        pegStatus status = peg_step(S.context, &S.s, &S.stats);
        if (status != PEG_OK) {
            ck_assert_int_eq(status, PEG_ERROR_MEMORY);
            ck_assert(!memcmp(before, S.body, sizeof before));
            ck_assert_int_eq(peg_contacts(S.context, &(const peg_contact *){0}), 0);
            peg_memory_fail_at(0, 0);
            scene_step();
        }
        check_balance();
        check_gaps();
        scene_advance();
    }
    memcpy(after, S.body, sizeof S.body);
}

START_TEST(exhausted_memory_disturbs_nobody)
{
    peg_body whole[BODIES], after[BODIES];
    run_out_at(0, 0, whole);
    ck_assert_int_eq(S.stats.resting_islands, 1);
    scene_end();
    long made = peg_memory_fail_at(0, 0);
    ck_assert_int_gt(made, 10);
    for (long n = 1; n <= made; n++) {
        run_out_at(n, _i, after);
        scene_end();
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < 3; k++) {
                ck_assert_double_eq_tol(after[i].x[k], whole[i].x[k], 1e-9);
                ck_assert_double_eq_tol(after[i].v[k], whole[i].v[k], 1e-7);
            }
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("still");
    TCase *rest = tcase_create("rest");
    tcase_set_timeout(rest, 60);
    tcase_add_test(rest, what_rests_is_repeated);
    tcase_add_loop_test(rest, what_is_disturbed_moves, 0, 10);
    tcase_add_test(rest, weight_and_step_size_count);
    tcase_add_test(rest, settings_count);
    tcase_add_loop_test(rest, what_carried_is_missed_at_once, 0, 2 * LOSSES);
    tcase_add_test(rest, what_is_put_into_others_counts);
    tcase_add_test(rest, a_lift_carries_while_it_moves);
    tcase_add_test(rest, a_shelf_slides_away);
    tcase_add_loop_test(rest, friction_counts, 0, 3);
    tcase_add_loop_test(rest, motors_count, 0, 9);
    tcase_add_test(rest, motors_press);
    tcase_add_loop_test(rest, what_is_hit_takes_part, 0, 5);
    tcase_add_test(rest, partners_take_part);
    tcase_add_loop_test(rest, sleepers_sleep_and_wake, 0, 2);
    tcase_add_loop_test(rest, numbers_are_not_names, 0, 4);
    tcase_add_loop_test(rest, meshes_carry_and_are_missed, 0, 4);
    tcase_add_test(rest, given_contacts_are_not_repeated);
    tcase_add_test(rest, planar_stacks_rest_and_slide);
    tcase_add_loop_test(rest, exhausted_memory_disturbs_nobody, 0, 2);
    suite_add_tcase(suite, rest);
    suite_add_tcase(suite, still_random_case());
    suite_add_tcase(suite, still_ode_case());
    return suite;
}
