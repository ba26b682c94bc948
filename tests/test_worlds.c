/* Random worlds (tests/fuzz) of 300 seeds: what is checked in each step is told in fuzz/measure.h.
 */
#include "tests/fuzz/measure.h"
#include "tests/runner.h"

#include <check.h>

enum { SEEDS = 300, FAST = 40 };

static fuzz_report run_with(int seed, fuzz_options options)
{
    fuzz_report r;
    dInitODE2(0);
    fuzz_run((uint64_t)seed, &options, &r);
    dCloseODE();
    return r;
}

static fuzz_report run_world(int seed, int no_meshes)
{
    return run_with(seed, (fuzz_options){.no_meshes = no_meshes});
}

/* What a report tells of the first failure; empty without one. */
static const char *first_failure(const fuzz_report *r)
{
    for (int k = 0; k < FUZZ_FAILURES; k++)
        if (r->failures[k]) return r->first[k];
    return "";
}

START_TEST(world_keeps_what_is_promised)
{
    fuzz_report r = run_world(_i, 0);
    ck_assert_msg(!fuzz_failed(&r), "seed %d: %s", _i, first_failure(&r));
}
END_TEST

/* Worlds beyond those that failed once. 575: jammed bodies with joints got velocities of 1e18 m/s,
 * from rest, and overlapped by rounding of them; 961, 1060: they stood still, as poses lifted them;
 * 437, 632, 905: so did small meshes that spin on meshes, as rows of their triangles were missing;
 * 2848: or were made for the middle of a small triangle and a large one, not for where they touch;
 * 2024: or held a side where it was at the start, which turns; 5201: a mesh toppled into a field,
 * as triangles that it left hid those that came down;
 * 728: a floating island of which some bodies are limited; 5039: no work was left for poses after
 * velocities that were found twice; 8186, 10398: small meshes stood in the air, as motions
 * shortened to a 32nd still met something; 1283, 2309: flush walls of unlike masses froze, as
 * solves ended out of work after answers to 1e-9 that were not taken; 60223: a stack of 18 bodies
 * of unlike masses did, as every step began anew what took the work of several; 60027: gaps that
 * grew added energy; 140415: 36 bodies with joints stood still, as contacts added what joints took
 * up; 1912: exact answers were rejected, as contacts that contradict joints gain by
 * rounding. */
static const int mended[] = {437,  575,  632,  728,  905,  961,   1060,  1283,  1912,  2024,
                             2309, 2848, 5039, 5201, 8186, 10398, 60027, 60223, 140415};
enum { MENDED = sizeof mended / sizeof *mended };

START_TEST(mended_world_keeps_what_is_promised)
{
    fuzz_report r = run_world(mended[_i], 0);
    ck_assert_msg(!fuzz_failed(&r), "seed %d: %s", mended[_i], first_failure(&r));
}
END_TEST

/* Parts of 2 mm that lie 5 mm deep in a mesh: rows about such poses turn them by radians, and steps
 * took up to 213 and 153 iterations, as restorations got on by a sixth of the depth. */
static const int with_small_parts[] = {1661, 1933};
enum { WITH_SMALL_PARTS = sizeof with_small_parts / sizeof *with_small_parts };

START_TEST(small_parts_are_moved_out_of_meshes)
{
    enum { ITERATIONS = 120 };
    fuzz_report r = run_world(with_small_parts[_i], 0);
    ck_assert_msg(!fuzz_failed(&r), "%s", first_failure(&r));
    ck_assert_int_le(r.most_iterations, ITERATIONS);
}
END_TEST

/* With other surfaces. 1182: bodies that friction holds stood still, as poses lifted them by
 * rounding; 1201: a small mesh that turns by 10 rad a step hung beside another; 72118: a body stood
 * still by friction that lags. */
static const int mended_surfaces[] = {1182, 1201, 72118};
enum { MENDED_SURFACES = sizeof mended_surfaces / sizeof *mended_surfaces };

START_TEST(mended_world_with_surfaces_keeps_what_is_promised)
{
    fuzz_report r = run_with(mended_surfaces[_i], (fuzz_options){.surfaces = 1});
    ck_assert_msg(!fuzz_failed(&r), "seed %d: %s", mended_surfaces[_i], first_failure(&r));
}
END_TEST

/* Those without meshes. 198: a stack stood by rough impulses, shortened to nothing, that were
 * never solved exactly; 662: so did a flush wall whose joints bear nothing; 861, 1033: energy that
 * was taken back from bodies of very unlike masses stopped light ones in the air; 41613: 25 bodies
 * of very unlike masses froze, as exact solves ended out of work and PGS was no answer; 1871: a
 * light body beneath heavy ones stood by friction impulses that were not those of its velocity;
 * 112634: 36 bodies with joints stood still, as contacts added what these took up;
 * 82382: a small body that turns by radians in a step stood still, as its answers took turns;
 * 95080: gaps that grew added energy; 1351, 2179: jointed bodies of very unlike masses stood still,
 * as each step began with the diverged impulses of the last one. */
static const int mended_plain[] = {198,  662,   861,   1033,  1351,  1871,
                                   2179, 41613, 82382, 95080, 112634};
enum { MENDED_PLAIN = sizeof mended_plain / sizeof *mended_plain };

START_TEST(mended_plain_world_keeps_what_is_promised)
{
    fuzz_report r = run_world(mended_plain[_i], 1);
    ck_assert_msg(!fuzz_failed(&r), "seed %d: %s", mended_plain[_i], first_failure(&r));
}
END_TEST

/* What corrects the joints of bodies at rest counted as a gain of contact: all of them were limited
 * in 34 of 35 steps. Exact answers that gained 9e-7 J by rounding limited them in three; one is
 * left, where restorations end 5e-12 m short. */
START_TEST(corrections_of_joints_are_no_gain)
{
    fuzz_report r = run_world(174, 0);
    ck_assert_msg(!fuzz_failed(&r), "%s", first_failure(&r));
    ck_assert_int_le(r.limited, 1);
}
END_TEST

/* The most in one of some steps of a world: of rows, of all problems and of one, of checks of
 * pairs, and of memory. */
typedef struct extremes {
    long rows, rows_max, checks;
    size_t memory;
} extremes;

static extremes most_of(int seed, int from, int steps)
{
    extremes most = {0};
    pegStats stats;
    pegStatus status;
    dInitODE2(0);
    fuzz_world *w = fuzz_create((uint64_t)seed, NULL, &status);
    ck_assert_ptr_nonnull(w);
    for (int k = 0; k < from + steps; k++) {
        fuzz_edit(w);
        ck_assert_int_eq((w->quick ? pegWorldQuickStep : pegWorldStep)(w->peg, w->h), PEG_OK);
        pegWorldGetStats(w->peg, &stats);
        if (k < from) continue;
        long checks = (long)stats.outer_iterations * (long)stats.pairs;
        if (stats.rows > most.rows) most.rows = stats.rows;
        if (stats.rows_max > most.rows_max) most.rows_max = stats.rows_max;
        if (checks > most.checks) most.checks = checks;
        if (stats.memory > most.memory) most.memory = stats.memory;
    }
    fuzz_destroy(w);
    dCloseODE();
    return most;
}

/* Where poses lift bodies the position stage looks for shorter motions, whose impacts each follow
 * those of the solve, not of the motions before: 34 505 rows when they did. */
START_TEST(impacts_of_shortened_motions_do_not_add_up)
{
    ck_assert_int_lt(most_of(21, 0, 60).rows_max, 20000);
}
END_TEST

/* Attempts, stages and rounds that each had work of their own solved 45 758 rows. */
START_TEST(step_has_one_budget)
{
    ck_assert_int_lt(most_of(298, 0, 1).rows, 25000);
}
END_TEST

/* Pairs of a mesh are missed in some rounds: the last one solves 23 133 rows if each finds the
 * velocities anew, and 3392 as it is, 6166 in a build with sanitizers. */
START_TEST(later_rounds_go_on_from_the_velocities_found)
{
    ck_assert_int_lt(most_of(221, 1, 1).rows, 12000);
}
END_TEST

/* Of 5700 pairs, most of them triangles of meshes, which take longer than the solves: these have
 * 78 677 rows in a step if they alone count as work, and 48 630 as it is. */
START_TEST(checks_of_pairs_count_as_work)
{
    ck_assert_int_lt(most_of(5071, 0, 8).rows, 64000);
}
END_TEST

/* With no work left for Lemke's method its matrix of 1600 rows was made all the same: 0.15 s, and
 * 188 MB. */
START_TEST(matrices_of_lemke_count_as_work)
{
    ck_assert_uint_lt(most_of(5046, 0, 4).memory, 60u << 20);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("worlds");
    TCase *few = tcase_create("few"), *many = tcase_create("many");
    tcase_set_timeout(few, 60);
    tcase_set_timeout(many, 60);
    tcase_set_tags(many, "long unsanitized"); /* under sanitizers the few do */
    tcase_add_loop_test(few, world_keeps_what_is_promised, 1, 1 + FAST);
    tcase_add_loop_test(few, mended_world_keeps_what_is_promised, 0, MENDED);
    tcase_add_loop_test(few, mended_world_with_surfaces_keeps_what_is_promised, 0, MENDED_SURFACES);
    tcase_add_loop_test(few, small_parts_are_moved_out_of_meshes, 0, WITH_SMALL_PARTS);
    tcase_add_loop_test(few, mended_plain_world_keeps_what_is_promised, 0, MENDED_PLAIN);
    tcase_add_test(few, corrections_of_joints_are_no_gain);
    tcase_add_loop_test(many, world_keeps_what_is_promised, 1 + FAST, 1 + SEEDS);
    tcase_add_test(few, step_has_one_budget);
    tcase_add_test(few, later_rounds_go_on_from_the_velocities_found);
    tcase_add_test(few, matrices_of_lemke_count_as_work);
    tcase_add_test(many, checks_of_pairs_count_as_work);
    tcase_add_test(many, impacts_of_shortened_motions_do_not_add_up);
    suite_add_tcase(suite, few);
    suite_add_tcase(suite, many);
    return suite;
}
