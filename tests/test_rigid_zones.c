/* Rigid zones of random bodies: what their motion keeps, which poses it leads to, and how much work
 * they can take. */
#include "tests/geometry_cases.h"
#include "tests/runner.h"
#include "tests/test_position_stage.h"
#include "peg/base/arena.h"
#include "peg/contact/kinematics.h"
#include "peg/contact/pose.h"
#include "peg/island/rigid_zones.h"

#include <check.h>
#include <math.h>
#include <string.h>

enum { BODIES = 12, VALUES = 12 }; /* VALUES: that a share can take */

/* Sums of a dozen terms and the inverse of an inertia, relative to them. */
static const double SUMMED = 1e-12;
/* Coordinates of some metres. */
static const double RIGID = 1e-14;

static peg_island I;
static peg_arena arena;
static peg_rigid rigid[BODIES];
static peg_zones zones;
static double u[BODIES][6];

static void random_turn(cases_random *r, double q[4])
{
    double l = 0;
    for (int k = 0; k < 4; k++) q[k] = cases_uniform(r, -1, 1), l += q[k] * q[k];
    for (int k = 0; k < 4; k++) q[k] /= sqrt(l);
}

/* Bodies of all sizes of inertia within a metre of the origin; u turns them by up to a radian. */
static void random_bodies(cases_random *r, double h)
{
    memset(rigid, 0, sizeof rigid);
    I = (peg_island){.h = h, .arena = &arena, .rigid = rigid, .nr = BODIES, .nd = BODIES};
    ck_assert(peg_zones_create(&arena, BODIES, &zones));
    for (int i = 0; i < BODIES; i++) {
        peg_body *b = &rigid[i].state;
        *b = (peg_body){.kind = PEG_DYNAMIC, .max_angular_speed = INFINITY};
        b->mass = cases_magnitude(r, -1, 1);
        double a = cases_uniform(r, .1, .4), c = cases_uniform(r, .1, .4);
        b->inertia[0] = b->mass * a * a, b->inertia[4] = b->mass * c * c;
        b->inertia[8] = b->mass * (a * a + c * c) * cases_uniform(r, .5, 1);
        random_turn(r, b->q);
        for (int k = 0; k < 3; k++) {
            b->x[k] = cases_uniform(r, -1, 1);
            u[i][k] = cases_uniform(r, -1, 1) / h;
            u[i][3 + k] = cases_uniform(r, -1, 1) / h;
        }
        peg_rigid_prepare(&rigid[i], h);
    }
}

/* Merges zones of random bodies until one holds `members` of them; returns its root. */
static int random_zone(cases_random *r, int members)
{
    int root = cases_below(r, BODIES);
    while (zones.members[root] < members) {
        int other = peg_zone_of(&zones, cases_below(r, BODIES));
        if (other != root) root = peg_zones_merge(&zones, root, other);
    }
    return root;
}

static int is_member(int root, int i)
{
    return peg_zone_of(&zones, i) == root;
}

/* Adds m v, and the angular momentum about the origin, of a body at the start. */
static void add_momentum(int i, const double v[6], double P[3], double L[3])
{
    const peg_body *b = &rigid[i].state;
    double back[4] = {b->q[0], -b->q[1], -b->q[2], -b->q[3]}, orbit[3], spin[3], R[9], Rb[9];
    peg_quat_to_mat(b->q, R);
    peg_quat_to_mat(back, Rb);
    peg_cross(b->x, v, orbit);
    peg_rotate(Rb, v + 3, spin);
    peg_rotate(b->inertia, spin, spin);
    peg_rotate(R, spin, spin);
    peg_add_scaled(P, b->mass, v, P);
    peg_add_scaled(L, b->mass, orbit, L);
    peg_add_scaled(L, 1, spin, L);
}

static const double none[3] = {0};

/* As one body now: the momentum and the angular momentum of u. */
START_TEST(merging_keeps_momentum_and_angular_momentum)
{
    cases_random r = {100};
    for (int run = 0; run < 300; run++) {
        double out[BODIES][6], P[2][3] = {{0}}, L[2][3] = {{0}}, d[3], unit = 0;
        random_bodies(&r, .01);
        int root = random_zone(&r, 2 + cases_below(&r, BODIES - 2));
        peg_zone_velocities(&I, &zones, root, (const double(*)[6])u, none, 1, 0, out);
        for (int i = 0; i < BODIES; i++) {
            if (!is_member(root, i)) continue;
            add_momentum(i, u[i], P[0], L[0]);
            add_momentum(i, out[i], P[1], L[1]);
            unit += rigid[i].state.mass * (peg_norm(u[i]) + peg_norm(u[i] + 3));
        }
        peg_sub(P[1], P[0], d);
        ck_assert_double_le(peg_norm(d), SUMMED * unit);
        peg_sub(L[1], L[0], d);
        ck_assert_double_le(peg_norm(d), SUMMED * unit);
        peg_arena_free(&arena);
    }
}
END_TEST

/* A share of the motion relative to `common`: of the momentum and the angular momentum about the
 * centre of the zone, that is. */
START_TEST(a_share_is_one_of_the_momentum)
{
    cases_random r = {200};
    for (int run = 0; run < 200; run++) {
        double out[BODIES][6], P[2][3] = {{0}}, L[2][3] = {{0}}, unit = 0, mass = 0;
        double common[3], centre[3] = {0}, share = cases_uniform(&r, 0, 1);
        for (int k = 0; k < 3; k++) common[k] = cases_uniform(&r, -50, 50);
        random_bodies(&r, .01);
        int root = random_zone(&r, 2 + cases_below(&r, BODIES - 2));
        peg_zone_velocities(&I, &zones, root, (const double(*)[6])u, common, share, 0, out);
        for (int i = 0; i < BODIES; i++) {
            if (!is_member(root, i)) continue;
            double m = rigid[i].state.mass;
            mass += m;
            peg_add_scaled(centre, m, rigid[i].state.x, centre);
            unit += m * (peg_norm(u[i]) + peg_norm(u[i] + 3) + peg_norm(common));
        }
        for (int k = 0; k < 3; k++) centre[k] /= mass;
        for (int i = 0; i < BODIES; i++)
            if (is_member(root, i)) {
                add_momentum(i, u[i], P[0], L[0]);
                add_momentum(i, out[i], P[1], L[1]);
            }
        for (int side = 0; side < 2; side++) { /* about the centre */
            double orbit[3];
            peg_cross(centre, P[side], orbit);
            peg_sub(L[side], orbit, L[side]);
        }
        for (int k = 0; k < 3; k++) {
            double wanted = mass * common[k] + share * (P[0][k] - mass * common[k]);
            ck_assert_double_le(fabs(P[1][k] - wanted), SUMMED * unit);
            ck_assert_double_le(fabs(L[1][k] - share * L[0][k]), SUMMED * unit);
        }
        peg_arena_free(&arena);
    }
}
END_TEST

/* A point of a body at the start and after the step. */
static void point_of(int i, const double local[3], const double v[6], double at[2][3])
{
    const peg_body *b = &rigid[i].state;
    double x[3], q[4], R[9];
    peg_quat_to_mat(b->q, R);
    peg_rotate(R, local, at[0]);
    peg_add_scaled(at[0], 1, b->x, at[0]);
    peg_body_pose(b, v, I.h, x, q);
    peg_quat_to_mat(q, R);
    peg_rotate(R, local, at[1]);
    peg_add_scaled(at[1], 1, x, at[1]);
}

/* The poses after the step are those of one rigid body: the distances of any two points are as they
 * were. _i: turns of up to a radian, and those of real steps. */
START_TEST(poses_of_a_zone_are_rigid)
{
    cases_random r = {300 + (unsigned)_i};
    double worst = 0, turned = 0;
    for (int run = 0; run < 200; run++) {
        double out[BODIES][6], local[BODIES][3], at[BODIES][2][3], share = cases_uniform(&r, 0, 1);
        random_bodies(&r, .01);
        for (int i = 0; i < BODIES && _i; i++)
            for (int k = 0; k < 6; k++) u[i][k] *= .01;
        int root = random_zone(&r, 2 + cases_below(&r, BODIES - 2));
        peg_zone_velocities(&I, &zones, root, (const double(*)[6])u, none, share, 1, out);
        for (int i = 0; i < BODIES; i++) {
            if (!is_member(root, i)) continue;
            for (int k = 0; k < 3; k++) local[i][k] = cases_uniform(&r, -.5, .5);
            point_of(i, local[i], out[i], at[i]);
            turned = fmax(turned, I.h * peg_norm(out[i] + 3));
        }
        for (int i = 0; i < BODIES; i++)
            for (int j = 0; j < i; j++) {
                double before[3], after[3];
                if (!is_member(root, i) || !is_member(root, j)) continue;
                peg_sub(at[i][0], at[j][0], before);
                peg_sub(at[i][1], at[j][1], after);
                worst = fmax(worst, fabs(peg_norm(after) - peg_norm(before)));
            }
        peg_arena_free(&arena);
    }
    ck_assert_msg(worst <= RIGID, "%g", worst);
    ck_assert_double_gt(turned, _i ? .001 : .1);
}
END_TEST

/* Against an obstacle that turns by up to a radian a zone with the share 0 moves as a part of it,
 * and one with the share 1 as if nothing carried it. */
START_TEST(carried_zones_move_with_their_obstacle)
{
    cases_random r = {350};
    double worst = 0;
    for (int run = 0; run < 200; run++) {
        double out[BODIES][6], free_[BODIES][6], local[BODIES][3], at[BODIES][2][3];
        random_bodies(&r, .01);
        int obstacle = cases_below(&r, BODIES), root = random_zone(&r, 1 + cases_below(&r, 5));
        if (is_member(root, obstacle)) continue;
        peg_rigid *o = &rigid[obstacle];
        o->state.kind = PEG_KINEMATIC;
        memcpy(o->state.v, u[obstacle], sizeof o->state.v);
        peg_rigid_pose(o, u[obstacle], I.h, o->x, o->R);
        peg_zone_shorten(&zones, root);
        ck_assert(peg_zone_carry(&I, &zones, root, obstacle) && zones.share[root] == 1);
        ck_assert(!peg_zone_carry(&I, &zones, root, obstacle));
        peg_zone_velocities(&I, &zones, root, (const double(*)[6])u, none, 0, 1, out);
        memcpy(out[obstacle], u[obstacle], sizeof out[obstacle]);
        for (int i = 0; i < BODIES; i++) {
            if (i != obstacle && !is_member(root, i)) continue;
            for (int k = 0; k < 3; k++) local[i][k] = cases_uniform(&r, -.5, .5);
            point_of(i, local[i], out[i], at[i]);
        }
        for (int i = 0; i < BODIES; i++) {
            double before[3], after[3];
            if (!is_member(root, i)) continue;
            peg_sub(at[i][0], at[obstacle][0], before);
            peg_sub(at[i][1], at[obstacle][1], after);
            worst = fmax(worst, fabs(peg_norm(after) - peg_norm(before)));
        }
        peg_zone_velocities(&I, &zones, root, (const double(*)[6])u, none, 1, 1, out);
        zones.carrier[root] = -1;
        peg_zone_velocities(&I, &zones, root, (const double(*)[6])u, none, 1, 1, free_);
        for (int i = 0; i < BODIES; i++)
            for (int k = 0; k < 6 && is_member(root, i); k++)
                ck_assert_double_eq_tol(out[i][k], free_[i][k], SUMMED / I.h);
        peg_arena_free(&arena);
    }
    ck_assert_msg(worst <= RIGID, "%g", worst);
}
END_TEST

/* --- the account of zones --- */

START_TEST(merging_joins_members_and_takes_the_smaller_share)
{
    cases_random r = {400};
    random_bodies(&r, .01);
    for (int i = 0; i < BODIES; i++)
        ck_assert(peg_zone_of(&zones, i) == i && zones.members[i] == 1 && zones.share[i] == 1);
    ck_assert(peg_zone_shorten(&zones, 3));
    ck_assert(zones.share[3] == .5 && zones.share[4] == 1);
    int a = peg_zones_merge(&zones, 3, 4);
    ck_assert(zones.members[a] == 2 && zones.share[a] == .5);
    int b = peg_zones_merge(&zones, 7, 8);
    ck_assert(peg_zone_shorten(&zones, b) && peg_zone_shorten(&zones, b));
    int c = peg_zones_merge(&zones, a, b);
    ck_assert(zones.members[c] == 4 && zones.share[c] == .25);
    static const int members[] = {3, 4, 7, 8};
    for (int i = 0; i < 4; i++) ck_assert_int_eq(peg_zone_of(&zones, members[i]), c);
    ck_assert_int_eq(peg_zone_of(&zones, 0), 0);
    int round = 0, i = c;
    do {
        ck_assert_int_eq(peg_zone_of(&zones, i), c);
        i = zones.next[i];
    } while (++round < BODIES && i != c);
    ck_assert_int_eq(round, 4);
    peg_arena_free(&arena);
}
END_TEST

/* Values below the one that a share has: what is left of shortenings. */
static int rank(double share)
{
    peg_zones one = {.n = 1, .share = &share};
    int n = 0;
    while (peg_zone_shorten(&one, 0)) n++;
    ck_assert_double_eq(share, 0);
    return n;
}

static int work_left(void)
{
    int sum = 0;
    for (int i = 0; i < BODIES; i++)
        if (zones.root[i] == i) sum += 1 + rank(zones.share[i]);
    return sum;
}

/* Whatever is merged or shortened, the work that is left falls with each: after no more than VALUES
 * changes a body there is one zone at its start, or none that could change. */
START_TEST(changes_come_to_an_end)
{
    cases_random r = {500};
    ck_assert_int_eq(rank(1), VALUES - 1);
    for (int run = 0; run < 50; run++) {
        random_bodies(&r, .01);
        int left = work_left(), changes = 0;
        ck_assert_int_eq(left, VALUES * BODIES);
        double merges = cases_uniform(&r, 0, 1);
        for (int tries = 0; tries < 400; tries++) {
            int a = peg_zone_of(&zones, cases_below(&r, BODIES));
            int b = peg_zone_of(&zones, cases_below(&r, BODIES)), changed;
            if (cases_uniform(&r, 0, 1) < merges) {
                changed = a != b;
                if (changed) peg_zones_merge(&zones, a, b);
            } else {
                changed = zones.share[a] > 0;
                ck_assert_int_eq(peg_zone_shorten(&zones, a), changed);
            }
            int now = work_left();
            if (changed)
                ck_assert_int_lt(now, left);
            else
                ck_assert_int_eq(now, left);
            left = now;
            changes += changed;
        }
        ck_assert_int_lt(changes, VALUES * BODIES);
        ck_assert_int_gt(changes, 0);
        peg_arena_free(&arena);
    }
}
END_TEST

TCase *rigid_zones_case(void)
{
    TCase *tc = tcase_create("rigid zones");
    tcase_add_test(tc, merging_keeps_momentum_and_angular_momentum);
    tcase_add_test(tc, a_share_is_one_of_the_momentum);
    tcase_add_loop_test(tc, poses_of_a_zone_are_rigid, 0, 2);
    tcase_add_test(tc, carried_zones_move_with_their_obstacle);
    tcase_add_test(tc, merging_joins_members_and_takes_the_smaller_share);
    tcase_add_test(tc, changes_come_to_an_end);
    return tc;
}
