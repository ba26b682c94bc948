/* Many islands at once: the same bits for any number of threads, exhausted memory on several of
 * them, and steps that allocate nothing. */
#include "tests/runner.h"
#include "tests/geometry_cases.h"
#include "peg/base/arena.h"
#include "peg/peg.h"
#include "peg/step/resting_islands.h"
#include "peg/step/stage.h"

#include <check.h>
#include <pthread.h>
#include <stdlib.h>

enum { STACKS = 60, HIGHEST = 4, BODIES = STACKS * HIGHEST, STEPS = 40 };

typedef struct crowd {
    peg_scene s;
    peg_body body[BODIES];
    peg_part part[BODIES + 1];
    peg_joint_row joint[STACKS];
    peg_polytope *shape[BODIES + 1];
    pthread_t caller;
    long asked;
    peg_context *context;
    pegStats stats;
} crowd;

static int may_touch(void *context, const peg_part *a, const peg_part *b)
{
    crowd *c = context;
    (void)a, (void)b;
    c->asked += pthread_equal(c->caller, pthread_self()) != 0;
    return 1;
}

static void surface(void *context, const peg_part *a, const peg_part *b, peg_surface *out)
{
    crowd *c = context;
    ck_assert(pthread_equal(c->caller, pthread_self()));
    out->mu = out->mu2 = (a->id + b->id) % 3 ? 0.5 : 0;
}

static peg_part *add_part(crowd *c, int body)
{
    int i = c->s.np++;
    c->part[i] = (peg_part){.shape = c->shape[i], .body = body, .id = (unsigned long)i + 1};
    for (int k = 0; k < 9; k += 4) c->part[i].rotation[k] = 1;
    return &c->part[i];
}

static peg_body *add_box(crowd *c, const double sides[3], const double x[3])
{
    peg_body *b = &c->body[c->s.nb];
    *b = (peg_body){.kind = PEG_DYNAMIC, .q = {1}, .mass = 1, .max_angular_speed = INFINITY};
    for (int k = 0; k < 3; k++) {
        double u = sides[(k + 1) % 3], w = sides[(k + 2) % 3];
        b->inertia[4 * k] = b->mass / 12 * (u * u + w * w);
        b->x[k] = x[k];
    }
    ck_assert_int_eq(peg_polytope_box(sides, &c->shape[c->s.np]), PEG_OK);
    add_part(c, c->s.nb++);
    return b;
}

/* Two bodies that keep their difference in height. */
static void join(crowd *c, int a, int b)
{
    peg_joint_row *row = &c->joint[c->s.njoint_row++];
    *row = (peg_joint_row){.body_a = a, .body_b = b, .lo = -INFINITY, .hi = INFINITY, .c = 1e-8};
    row->Ja[2] = 1, row->Jb[2] = -1;
}

static void use_threads(crowd *c, int threads)
{
    pegSettings settings;
    peg_settings_default(&settings);
    settings.threads = threads;
    peg_context_destroy(c->context);
    ck_assert_int_eq(peg_context_create(&settings, &c->context), PEG_OK);
}

/* Stacks of one to four boxes that fall a little; some topple onto their neighbours. */
static crowd *new_crowd(double slide)
{
    cases_random r = {4711};
    crowd *c = calloc(1, sizeof *c);
    ck_assert_ptr_nonnull(c);
    c->s = (peg_scene){.body = c->body,
                       .part = c->part,
                       .h = 0.01,
                       .joint_row = c->joint,
                       .may_touch = may_touch,
                       .surface = surface,
                       .filter_context = c};
    c->caller = pthread_self();
    ck_assert_int_eq(peg_polytope_half_space((double[]){0, 0, 1}, 0, &c->shape[0]), PEG_OK);
    add_part(c, -1);
    for (int i = 0; i < STACKS; i++) {
        double z = 0.001, x = 1.3 * (i % 8), y = 1.3 * (i / 8);
        for (int k = 0; k <= i * 7 % HIGHEST; k++) {
            double sides[3];
            for (int j = 0; j < 3; j++) sides[j] = cases_uniform(&r, 0.5, 1);
            double at[3] = {x + cases_uniform(&r, -0.05, 0.05), y, z + sides[2] / 2};
            z += sides[2] + 0.001;
            peg_body *b = add_box(c, sides, at);
            if (k == 2) b->v[0] = slide * cases_uniform(&r, -1, 1);
            if (k == 0 && i % 10 == 0) b->asleep = 1;
            if (k == 1 && i % 5 == 0) join(c, c->s.nb - 1, c->s.nb - 2);
        }
    }
    use_threads(c, 1);
    return c;
}

static void free_crowd(crowd *c)
{
    peg_context_destroy(c->context);
    for (int i = 0; i < c->s.np; i++) peg_polytope_free(c->shape[i]);
    free(c);
}

static void fall(crowd *c)
{
    for (int i = 0; i < c->s.nb; i++) {
        memcpy(c->body[i].v_free, c->body[i].v, sizeof c->body[i].v);
        if (!c->body[i].asleep) c->body[i].v_free[2] -= c->s.h * 9.81;
    }
}

static void advance(crowd *c)
{
    for (int i = 0; i < c->s.nb; i++) {
        peg_body *b = &c->body[i];
        double x[3], q[4];
        peg_body_pose(b, b->v_pose, c->s.h, x, q);
        peg_copy3(x, b->x);
        memcpy(b->q, q, sizeof q);
        memcpy(b->v, b->v_end, sizeof b->v);
        if (b->woken) b->asleep = 0;
    }
}

static void step(crowd *c)
{
    fall(c);
    ck_assert_int_eq(peg_step(c->context, &c->s, &c->stats), PEG_OK);
    advance(c);
}

/* --- the same bits --- */

static void mix(unsigned long long *hash, const void *data, size_t n)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < n; i++) *hash = (*hash ^ byte[i]) * 1099511628211ull;
}

/* Of everything a step tells but times and bytes. */
static void mix_step(unsigned long long *hash, const crowd *c)
{
    const peg_contact *contact;
    int n = peg_contacts(c->context, &contact);
    for (int i = 0; i < n; i++) {
        const peg_contact *k = &contact[i];
        mix(hash, (int[]){k->part_a, k->part_b, k->kind, k->i, k->j}, 5 * sizeof(int));
        mix(hash, k->point, sizeof k->point);
        mix(hash, k->normal, sizeof k->normal);
        mix(hash, (double[]){k->gap, k->impulse}, 2 * sizeof(double));
        mix(hash, k->friction, sizeof k->friction);
        mix(hash, k->torque, sizeof k->torque);
    }
    mix(hash, c->body, sizeof c->body);
    for (int i = 0; i < c->s.njoint_row; i++)
        mix(hash, &c->joint[i].lambda, sizeof c->joint[i].lambda);
    pegStats s = c->stats;
    s.memory = 0;
    s.shared_meetings = s.shared_visits = s.shared_visits_most = 0;
    s.time_pairs = s.time_rows = s.time_solve = s.time_check = s.time_ode = 0;
    mix(hash, &s, sizeof s);
}

START_TEST(any_number_of_threads_gives_the_same_bits)
{
    static const int threads[] = {1, 2, 3, 8};
    unsigned long long first[STEPS];
    long asked = 0;
    for (int k = 0; k < 4; k++) {
        crowd *c = new_crowd(_i ? 4 : 0);
        use_threads(c, threads[k]);
        for (int i = 0; i < STEPS; i++) {
            unsigned long long hash = 14695981039346656037ull;
            step(c);
            mix_step(&hash, c);
            if (k == 0) first[i] = hash;
            ck_assert_msg(hash == first[i], "step %d with %d threads", i, threads[k]);
            ck_assert_int_gt(c->stats.islands, _i ? 20 : 40);
        }
        if (k == 0) asked = c->asked;
        ck_assert_int_eq(c->asked, asked);
        free_crowd(c);
    }
}
END_TEST

/* Boxes beside and above each other that fly through each other's places: one island. */
static crowd *new_pack(int threads)
{
    enum { SIDE = 6 };
    cases_random r = {4712};
    crowd *c = new_crowd(0);
    c->s.nb = c->s.njoint_row = 0;
    while (c->s.np > 1) peg_polytope_free(c->shape[--c->s.np]);
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
        int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        double sides[3], x[3];
        for (int k = 0; k < 3; k++) sides[k] = cases_uniform(&r, .93, .97);
        for (int k = 0; k < 3; k++) x[k] = .51 + at[k];
        peg_body *b = add_box(c, sides, x);
        for (int k = 0; k < 3; k++) b->v[k] = cases_uniform(&r, -4, 4);
    }
    use_threads(c, threads);
    return c;
}

START_TEST(threads_that_share_an_island_give_the_same_bits)
{
    enum { SHARED_STEPS = 4 };
    unsigned long long first[SHARED_STEPS];
    for (int threads = 1; threads <= 3; threads++) {
        crowd *c = new_pack(threads);
        long meetings = 0;
        for (int i = 0; i < SHARED_STEPS; i++) {
            unsigned long long hash = 14695981039346656037ull;
            step(c);
            mix_step(&hash, c);
            if (threads == 1) first[i] = hash;
            ck_assert_msg(hash == first[i], "step %d with %d threads", i, threads);
            meetings += c->stats.shared_meetings;
            ck_assert_int_le(c->stats.shared_visits_most, c->stats.shared_visits);
            ck_assert_int_ge(threads * c->stats.shared_visits_most, c->stats.shared_visits);
        }
        ck_assert_int_eq(meetings > 0, threads > 1);
        free_crowd(c);
    }
}
END_TEST

/* Others may come and go between steps. */
START_TEST(threads_may_change_between_steps)
{
    crowd *one = new_crowd(4), *many = new_crowd(4);
    for (int i = 0; i < STEPS; i++) {
        pegSettings settings = *peg_context_settings(many->context);
        settings.threads = 1 + i / 2 % 4;
        ck_assert_int_eq(peg_context_set_settings(many->context, &settings), PEG_OK);
        step(one);
        step(many);
        ck_assert(!memcmp(one->body, many->body, sizeof one->body));
    }
    pegSettings bad = *peg_context_settings(one->context);
    for (int k = 0; k < 2; k++) {
        bad.threads = k ? 65 : 0;
        ck_assert_int_eq(peg_context_set_settings(one->context, &bad), PEG_ERROR_SETTINGS);
    }
    free_crowd(one);
    free_crowd(many);
}
END_TEST

/* --- impulses --- */

static int by_first(const void *left, const void *right)
{
    const peg_cached_pair *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

/* Every impulse is remembered of one pair, also where a body is thrown out of reach of what it was
 * thought to meet, so that new pairs come in behind those that were solved. */
START_TEST(impulses_stay_with_their_pairs)
{
    crowd *c = new_crowd(4);
    for (int i = 0; i < c->s.nb; i++) {
        peg_body *b = &c->body[i];
        b->q[0] = cos(.15), b->q[3] = sin(.15);
        if (i % 3) continue;
        b->v[0] = 20 * cos(i), b->v[1] = 20 * sin(i), b->mass *= 50;
        for (int k = 0; k < 9; k++) b->inertia[k] *= 50;
    }
    for (int i = 0; i < STEPS; i++) {
        step(c);
        peg_pair_cache *m = &c->context->cache;
        size_t next = 0;
        peg_cached_pair *entry = malloc((m->count + 1) * sizeof *entry);
        ck_assert_ptr_nonnull(entry);
        size_t n = 0;
        for (size_t k = 0; k < m->count; k++)
            if (m->entry[k].count) entry[n++] = m->entry[k];
        qsort(entry, n, sizeof *entry, by_first);
        for (size_t k = 0; k < n; k++) {
            ck_assert_uint_eq(entry[k].first, next);
            next += (size_t)entry[k].count;
        }
        ck_assert_uint_eq(next, m->rows);
        free(entry);
    }
    free_crowd(c);
}
END_TEST

/* --- memory --- */

/* One allocation fails, or all from there on, on whatever thread. Steps can do without what they
 * keep of islands at rest. */
START_TEST(exhausted_memory_on_threads_changes_nothing)
{
    crowd *c = new_crowd(4);
    static peg_body before[BODIES], after[BODIES];
    fall(c);
    memcpy(before, c->body, sizeof before);
    ck_assert_int_eq(peg_step(c->context, &c->s, NULL), PEG_OK);
    memcpy(after, c->body, sizeof after);
    long n = 1, failures = 0;
    for (int enough = 0; !enough; n++) {
        use_threads(c, 2);
        memcpy(c->body, before, sizeof before);
        peg_memory_fail_at(n, _i);
        pegStatus status = peg_step(c->context, &c->s, NULL);
        long made = peg_memory_fail_at(0, 0);
        enough = made < n;
        if (enough || status == PEG_OK) {
            ck_assert_int_eq(status, PEG_OK);
        } else {
            failures++;
            ck_assert_int_eq(status, PEG_ERROR_MEMORY);
            ck_assert(!memcmp(before, c->body, sizeof before));
            ck_assert_int_eq(peg_contacts(c->context, &(const peg_contact *){0}), 0);
            ck_assert_int_eq(peg_step(c->context, &c->s, NULL), PEG_OK);
        }
        ck_assert(!memcmp(after, c->body, sizeof after));
        for (int i = 0; i < c->s.njoint_row; i++) c->joint[i].lambda = 0;
    }
    ck_assert_int_gt(n, 10);
    ck_assert_int_gt(2 * failures, n);
    free_crowd(c);
}
END_TEST

/* The same motion again, up to rounding, then rest. What the first steps took is given back, and
 * blocks are merged, until the fourth round. */
START_TEST(warmed_steps_allocate_nothing)
{
    crowd *c = new_crowd(4);
    static peg_body start[BODIES];
    memcpy(start, c->body, sizeof start);
    for (int round = 0; round < 5; round++) {
        memcpy(c->body, start, sizeof start);
        for (int i = 0; i < c->s.njoint_row; i++) c->joint[i].lambda = 0;
        for (int i = 0; i < STEPS; i++) {
            peg_memory_fail_at(0, 0);
            size_t held = c->stats.memory;
            step(c);
            long made = peg_memory_fail_at(0, 0);
            if (round < 4) continue;
            ck_assert_msg(made == 0, "step %d: %ld", i, made);
            ck_assert_uint_eq(c->stats.memory, held);
        }
    }
    for (int i = 0; i < 400; i++) step(c); /* some of it slides without friction for ever */
    memcpy(start, c->body, sizeof start);
    long made = 0;
    for (int round = 0; round < 12; round++) {
        memcpy(c->body, start, sizeof start);
        peg_memory_fail_at(0, 0);
        for (int i = 0; i < 50; i++) step(c);
        made += peg_memory_fail_at(0, 0);
    }
    /* what 64 uses of an arena do not need is given back, and needed again now and then */
    ck_assert_int_le(made, 12);
    free_crowd(c);
}
END_TEST

/* Rows of an island grow where they are, so that little memory is touched: the last allocation does
 * while its block has room, others do not. */
START_TEST(last_allocation_grows_in_place)
{
    peg_arena arena = {0};
    double *rows = PEG_NEW(&arena, double, 64);
    ck_assert(peg_arena_extend(&arena, rows, 64 * sizeof *rows, 128 * sizeof *rows));
    double *next = PEG_NEW(&arena, double, 8);
    ck_assert(next >= rows + 128);
    ck_assert(!peg_arena_extend(&arena, rows, 128 * sizeof *rows, 256 * sizeof *rows));
    ck_assert(!peg_arena_extend(&arena, next, 8 * sizeof *next, peg_arena_bytes(&arena)));
    ck_assert(!peg_arena_extend(&arena, NULL, 0, 64));
    peg_arena_free(&arena);
}
END_TEST

/* A block in which next to nothing was in use, though it came before others, is given back. */
START_TEST(large_blocks_are_given_back)
{
    enum { SMALL = 1 << 12, MEDIUM = 1 << 15, LARGE = 1 << 24 };
    peg_arena arena = {0};
    PEG_NEW(&arena, char, SMALL);
    PEG_NEW(&arena, char, LARGE);
    for (int use = 0; use < 3 * PEG_MEMORY_USES; use++) {
        peg_arena_reset(&arena);
        PEG_NEW(&arena, char, SMALL);
        ck_assert_ptr_nonnull(PEG_NEW(&arena, char, MEDIUM));
    }
    ck_assert_uint_lt(peg_arena_bytes(&arena), 8 * MEDIUM);
    peg_arena_free(&arena);
}
END_TEST

/* Three bodies that stand, each on the ground in an island of its own: one is borne, of another the
 * contact gives nine tenths of its weight, the third has no weight and no impulse. */
START_TEST(bodies_without_support_do_not_rest)
{
    enum { N = 3 };
    const double push = 0.0981, share[N] = {1, 0.9, 0};
    peg_body body[N];
    peg_part part[N + 1];
    peg_contact contact[N];
    peg_island_result island[N], *solved[N];
    peg_body_result result[N];
    peg_context *context;
    int root[N];
    ck_assert_int_eq(peg_context_create(NULL, &context), PEG_OK);
    memset(result, 0, sizeof result);
    for (int i = 0; i < N; i++) {
        body[i] = (peg_body){.kind = PEG_DYNAMIC, .mass = 2, .q = {1}};
        body[i].v_free[2] = share[i] > 0 ? -push : 0;
        part[i] = (peg_part){.body = i, .id = (uint64_t)i + 1};
        contact[i] = (peg_contact){
            .part_a = i, .part_b = N, .normal = {0, 0, 1}, .impulse = share[i] * 2 * push};
        island[i] = (peg_island_result){.contact = &contact[i], .contacts = 1};
        solved[i] = &island[i];
        root[i] = i;
    }
    part[N] = (peg_part){.body = -1, .id = N + 1};
    peg_scene scene = {.h = 0.01, .nb = N, .body = body, .np = N + 1, .part = part};
    peg_stage stage = {
        .context = context, .scene = &scene, .root = root, .solved = solved, .result = result};
    peg_resting_keep(&stage);
    ck_assert(context->resting.valid);
    ck_assert_int_eq(context->resting.rest[0], PEG_RESTING);
    ck_assert_int_eq(context->resting.rest[1], PEG_ACTIVE);
    ck_assert_int_eq(context->resting.rest[2], PEG_RESTING);
    peg_context_destroy(context);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("islands");
    TCase *threads = tcase_create("threads"), *memory = tcase_create("memory"),
          *warm = tcase_create("warmed steps"), *rest = tcase_create("rest");
    tcase_set_timeout(threads, 120);
    tcase_set_timeout(memory, 120);
    tcase_set_timeout(warm, 120);
    test_long(warm);
    tcase_add_loop_test(threads, any_number_of_threads_gives_the_same_bits, 0, 2);
    tcase_add_test(threads, threads_that_share_an_island_give_the_same_bits);
    tcase_add_test(threads, threads_may_change_between_steps);
    tcase_add_test(threads, impulses_stay_with_their_pairs);
    tcase_add_loop_test(memory, exhausted_memory_on_threads_changes_nothing, 0, 2);
    tcase_add_test(memory, last_allocation_grows_in_place);
    tcase_add_test(memory, large_blocks_are_given_back);
    tcase_add_test(rest, bodies_without_support_do_not_rest);
    tcase_add_test(warm, warmed_steps_allocate_nothing);
    suite_add_tcase(suite, threads);
    suite_add_tcase(suite, memory);
    suite_add_tcase(suite, warm);
    suite_add_tcase(suite, rest);
    return suite;
}
