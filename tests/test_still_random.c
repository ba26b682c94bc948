/* A crowd at rest that is disturbed by chance, stepped twice from the same state in every step: by
 * a context that may repeat what rests, and by one that must not. Both say the same. */
#include "tests/runner.h"
#include "tests/geometry_cases.h"
#include "peg/step/stage.h"
#include "tests/test_still.h"

#include <stdlib.h>

enum {
    STACKS = 7,
    BODIES = 3 * STACKS + 5,
    PARTS = BODIES + 4,
    ROWS = 3,
    IDS = 4096,
    STEPS = 150,
    GRID = 8
};

static const double G = 9.81, H = .01, GAP = 1e-5;

typedef struct crowd {
    peg_scene s;
    peg_body body[BODIES], again[BODIES];
    peg_part part[PARTS];
    peg_joint_row row[ROWS], row_again[ROWS];
    peg_polytope *shape[PARTS];
    peg_triangle_mesh *mesh[2]; /* ground, cube */
    peg_context *context, *forgetful;
    pegStats stats, stats_again;
    double mu[IDS]; /* by id */
    int refused[2]; /* ids */
    uint64_t last_id;
    int places; /* that nobody has been put at yet */
    double push[BODIES][3];
    int pushed_until[BODIES];
    int step;
    long repeated, solved; /* islands */
    cases_random random;
} crowd;

/* --- the scene --- */

static int may_touch(void *context, const peg_part *a, const peg_part *b)
{
    const crowd *c = context;
    int x = (int)a->id, y = (int)b->id;
    return !(x == c->refused[0] && y == c->refused[1]) &&
           !(y == c->refused[0] && x == c->refused[1]);
}

static void surface(void *context, const peg_part *a, const peg_part *b, peg_surface *out)
{
    const crowd *c = context;
    out->mu = out->mu2 = c->mu[a->id] * c->mu[b->id];
}

static void new_id(crowd *c, peg_part *p)
{
    p->id = ++c->last_id;
    ck_assert_uint_lt(p->id, IDS);
    c->mu[p->id] = cases_below(&c->random, 3) ? .8 : 0;
}

static peg_part *add_part(crowd *c, int body, const peg_polytope *shape,
                          const peg_triangle_mesh *mesh)
{
    peg_part *p = &c->part[c->s.np++];
    *p = (peg_part){.shape = shape, .triangle_mesh = mesh, .body = body};
    for (int k = 0; k < 9; k += 4) p->rotation[k] = 1;
    new_id(c, p);
    return p;
}

static peg_body *add_body(crowd *c, peg_body_kind kind, double x, double y, double z)
{
    peg_body *b = &c->body[c->s.nb++];
    *b = (peg_body){.kind = kind, .x = {x, y, z}, .q = {1}, .max_angular_speed = INFINITY};
    b->mass = cases_uniform(&c->random, .5, 2);
    for (int k = 0; k < 9; k += 4) b->inertia[k] = b->mass / 6;
    return b;
}

/* Boxes, spheres, cylinders of about 1 m, and cubes of triangles. Returns the height. */
static double give_shape(crowd *c, int body)
{
    peg_polytope **shape = &c->shape[c->s.np];
    double height = 1, sides[3];
    int kind = cases_below(&c->random, 8);
    if (kind == 0) {
        ck_assert_int_eq(peg_polytope_sphere(height / 2, shape), PEG_OK);
    } else if (kind == 1) {
        ck_assert_int_eq(peg_polytope_cylinder(.5, height, shape), PEG_OK);
    } else if (kind > 2) {
        for (int k = 0; k < 3; k++) sides[k] = cases_uniform(&c->random, .6, 1.1);
        height = sides[2];
        ck_assert_int_eq(peg_polytope_box(sides, shape), PEG_OK);
    }
    add_part(c, body, *shape, *shape ? NULL : c->mesh[1]);
    return height;
}

/* Flat but for some dents. */
static peg_triangle_mesh *new_ground(void)
{
    static double vertex[(GRID + 1) * (GRID + 1)][3];
    static int triangle[2 * GRID * GRID][3];
    int nt = 0;
    for (int i = 0; i <= GRID; i++)
        for (int j = 0; j <= GRID; j++) {
            double *x = vertex[(GRID + 1) * i + j];
            x[0] = 10 * (i - GRID / 2), x[1] = 10 * (j - GRID / 2);
            x[2] = (i + 3 * j) % 5 || i == GRID / 2 || j == GRID / 2 ? 0 : -.5;
        }
    for (int i = 0; i < GRID; i++)
        for (int j = 0; j < GRID; j++) {
            int a = (GRID + 1) * i + j, b = a + GRID + 1;
            memcpy(triangle[nt++], (int[]){a, b, b + 1}, sizeof *triangle);
            memcpy(triangle[nt++], (int[]){a, b + 1, a + 1}, sizeof *triangle);
        }
    peg_triangle_mesh *mesh;
    ck_assert_int_eq(peg_triangle_mesh_create((const double(*)[3])vertex, (GRID + 1) * (GRID + 1),
                                              (const int(*)[3])triangle, nt, 0, &mesh),
                     PEG_OK);
    return mesh;
}

static peg_triangle_mesh *new_cube(void)
{
    static const int side[6][4] = {{0, 1, 5, 4}, {1, 3, 7, 5}, {3, 2, 6, 7},
                                   {2, 0, 4, 6}, {4, 5, 7, 6}, {0, 2, 3, 1}};
    double vertex[8][3];
    int triangle[12][3];
    for (int v = 0; v < 8; v++)
        for (int k = 0; k < 3; k++) vertex[v][k] = (v >> k & 1) - .5;
    for (int i = 0; i < 12; i++) {
        const int *s = side[i / 2];
        memcpy(triangle[i], i % 2 ? (int[]){s[0], s[2], s[3]} : (int[]){s[0], s[1], s[2]},
               sizeof *triangle);
    }
    peg_triangle_mesh *mesh;
    ck_assert_int_eq(peg_triangle_mesh_create((const double(*)[3])vertex, 8,
                                              (const int(*)[3])triangle, 12, 0, &mesh),
                     PEG_OK);
    return mesh;
}

static void add_ground(crowd *c, int mesh)
{
    if (!mesh)
        ck_assert_int_eq(peg_polytope_half_space((double[]){0, 0, 1}, 0, &c->shape[0]), PEG_OK);
    add_part(c, -1, c->shape[0], mesh ? c->mesh[0] : NULL);
    c->mu[1] = 1;
}

/* Stacks on the ground, on two platforms and on two tables. */
static void add_stacks(crowd *c)
{
    for (int i = 0; i < STACKS; i++) {
        double x = 1.6 * (i % 4), y = 1.6 * (i / 4), z = GAP;
        if (i < 4) {
            int table = i < 2;
            if (!table) add_body(c, PEG_KINEMATIC, x, y, .5 + z);
            ck_assert_int_eq(peg_polytope_box((double[]){1.2, 1.2, 1}, &c->shape[c->s.np]), PEG_OK);
            peg_part *p = add_part(c, table ? -1 : c->s.nb - 1, c->shape[c->s.np], NULL);
            if (table) p->offset[0] = x, p->offset[1] = y, p->offset[2] = .5 + z;
            z += 1 + GAP;
        }
        for (int k = cases_below(&c->random, 3); k >= 0; k--) {
            peg_body *b = add_body(c, PEG_DYNAMIC, x, y, 0);
            double height = give_shape(c, c->s.nb - 1);
            b->x[2] = z + height / 2;
            z += height + GAP;
        }
    }
}

static int any_body(crowd *c, peg_body_kind kind)
{
    for (int tries = 0; tries < 50; tries++) {
        int i = cases_below(&c->random, c->s.nb);
        if (c->body[i].kind == kind) return i;
    }
    return 0;
}

static crowd *new_crowd(unsigned seed)
{
    crowd *c = calloc(1, sizeof *c);
    ck_assert_ptr_nonnull(c);
    c->random = (cases_random){seed};
    c->s = (peg_scene){.body = c->body,
                       .part = c->part,
                       .h = H,
                       .joint_row = c->row,
                       .njoint_row = ROWS,
                       .may_touch = may_touch,
                       .surface = surface,
                       .filter_context = c};
    c->mesh[0] = new_ground(), c->mesh[1] = new_cube();
    add_ground(c, seed % 2 != 0);
    add_stacks(c);
    for (int i = 0; i < ROWS; i++) {
        c->row[i] = (peg_joint_row){.body_a = -1, .body_b = -1, .Ja = {1}, .Jb = {-1}, .c = 1e-6};
        c->row[i].body_a = any_body(c, PEG_DYNAMIC);
        c->row[i].rhs = 1, c->row[i].hi = .02, c->row[i].lo = -.02;
    }
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(peg_context_create(NULL, i ? &c->forgetful : &c->context), PEG_OK);
    return c;
}

static void free_crowd(crowd *c)
{
    peg_context_destroy(c->context);
    peg_context_destroy(c->forgetful);
    for (int i = 0; i < PARTS; i++) peg_polytope_free(c->shape[i]);
    for (int i = 0; i < 2; i++) peg_triangle_mesh_free(c->mesh[i]);
    free(c);
}

/* --- what happens --- */

/* Where nobody is. */
static void put_away(crowd *c, double *x)
{
    c->places++;
    x[0] = -12 - 3 * (c->places % 5), x[1] = 3 * (c->places / 5 % 7), x[2] = 3 + c->places / 35;
}

static void throw_at_another(crowd *c)
{
    peg_body *b = &c->body[any_body(c, PEG_DYNAMIC)];
    const peg_body *at = &c->body[any_body(c, PEG_DYNAMIC)];
    double way[3], speed = cases_magnitude(&c->random, 0, 1.7);
    peg_sub(at->x, b->x, way);
    if (peg_normalise(way) > 0) peg_add_scaled(b->v, speed, way, b->v);
}

static void push(crowd *c)
{
    int i = any_body(c, PEG_DYNAMIC);
    for (int k = 0; k < 3; k++) c->push[i][k] = cases_uniform(&c->random, -10, 10);
    c->pushed_until[i] = c->step + cases_below(&c->random, 6);
}

static void teleport(crowd *c)
{
    peg_body *b = &c->body[any_body(c, PEG_DYNAMIC)];
    put_away(c, b->x);
    memset(b->v, 0, sizeof b->v);
}

static void replace(crowd *c)
{
    int i = any_body(c, PEG_DYNAMIC);
    put_away(c, c->body[i].x);
    for (int k = 0; k < c->s.np; k++)
        if (c->part[k].body == i) new_id(c, &c->part[k]);
}

static void move_platform(crowd *c)
{
    peg_body *b = &c->body[any_body(c, PEG_KINEMATIC)];
    int moves = peg_norm(b->v) > 0;
    if (b->kind != PEG_KINEMATIC) return;
    memset(b->v, 0, sizeof b->v);
    if (moves) return;
    b->v[cases_below(&c->random, 2)] = cases_uniform(&c->random, -1, 1);
    if (cases_below(&c->random, 3) == 0) b->v[2] = .3;
    if (cases_below(&c->random, 8) == 0) put_away(c, b->x);
}

static void move_table(crowd *c)
{
    for (int i = 1; i < c->s.np; i++)
        if (c->part[i].body < 0 && cases_below(&c->random, 4) == 0) {
            put_away(c, c->part[i].offset);
            return;
        }
}

static void change_kind(crowd *c)
{
    peg_body *b = &c->body[cases_below(&c->random, c->s.nb)];
    b->kind = b->kind == PEG_DYNAMIC ? PEG_KINEMATIC : PEG_DYNAMIC;
    if (b->kind == PEG_KINEMATIC) memset(b->v, 0, sizeof b->v), b->asleep = 0;
}

static void change_row(crowd *c)
{
    peg_joint_row *row = &c->row[cases_below(&c->random, ROWS)];
    switch (cases_below(&c->random, 3)) {
    case 0:
        row->body_a = any_body(c, PEG_DYNAMIC);
        row->body_b = any_body(c, cases_below(&c->random, 2) ? PEG_DYNAMIC : PEG_KINEMATIC);
        if (row->body_a == row->body_b) row->body_b = -1;
        break;
    case 1:
        row->hi = .01 * cases_uniform(&c->random, 0, 5), row->lo = -row->hi;
        break;
    default:
        row->rhs = cases_uniform(&c->random, -1, 1);
    }
}

static void put_to_sleep(crowd *c)
{
    static const double rest[6] = {0};
    for (int k = 0; k < 3; k++) {
        peg_body *b = &c->body[any_body(c, PEG_DYNAMIC)];
        if (!memcmp(b->v, rest, sizeof rest)) b->asleep = !b->asleep;
    }
}

static void disturb(crowd *c)
{
    switch (cases_below(&c->random, 12)) {
    case 0:
        push(c);
        break;
    case 1:
        teleport(c);
        break;
    case 2:
        replace(c);
        break;
    case 3:
        move_platform(c);
        break;
    case 4:
        move_table(c);
        break;
    case 5:
        change_kind(c);
        break;
    case 6:
        change_row(c);
        break;
    case 7:
        put_to_sleep(c);
        break;
    case 8:
        c->mu[1 + cases_below(&c->random, (int)c->last_id)] = .4;
        break;
    case 9:
        for (int k = 0; k < 2; k++)
            c->refused[k] = 2 + cases_below(&c->random, (int)c->last_id - 1);
        break;
    default:
        throw_at_another(c);
    }
}

/* --- a step of both --- */

static void *copy(void *to, size_t *room, const void *from, size_t n, size_t size)
{
    to = peg_grow(to, n, room, size);
    ck_assert(to || n == 0);
    if (n) memcpy(to, from, n * size);
    return to;
}

/* The other one remembers the same pairs, and nothing of the scene. */
static void make_forget(crowd *c)
{
    peg_pair_cache *to = &c->forgetful->cache;
    const peg_pair_cache *from = &c->context->cache;
    to->entry = copy(to->entry, &to->capacity, from->entry, from->count, sizeof *to->entry);
    to->row = copy(to->row, &to->row_capacity, from->row, from->rows, sizeof *to->row);
    to->count = from->count, to->rows = from->rows;
    c->forgetful->resting.valid = 0;
}

static void fall(crowd *c)
{
    for (int i = 0; i < c->s.nb; i++) {
        peg_body *b = &c->body[i];
        memcpy(b->v_free, b->v, sizeof b->v);
        if (b->kind != PEG_DYNAMIC) continue;
        b->v_free[2] -= c->s.h * G;
        if (c->step < c->pushed_until[i]) peg_add_scaled(b->v_free, c->s.h, c->push[i], b->v_free);
    }
}

static void step_both(crowd *c)
{
    peg_scene again = c->s;
    fall(c);
    make_forget(c);
    memcpy(c->again, c->body, sizeof c->again);
    memcpy(c->row_again, c->row, sizeof c->row_again);
    again.body = c->again;
    again.joint_row = c->row_again;
    ck_assert_int_eq(peg_step(c->context, &c->s, &c->stats), PEG_OK);
    ck_assert_int_eq(peg_step(c->forgetful, &again, &c->stats_again), PEG_OK);
    ck_assert_int_eq(c->stats_again.resting_islands, 0);
    c->repeated += c->stats.resting_islands;
    c->solved += c->stats.islands - c->stats.resting_islands;
}

static void advance(crowd *c)
{
    for (int i = 0; i < c->s.nb; i++) {
        peg_body *b = &c->body[i];
        double x[3], q[4];
        peg_body_pose(b, b->kind == PEG_DYNAMIC ? b->v_pose : b->v, c->s.h, x, q);
        peg_copy3(x, b->x);
        memcpy(b->q, q, sizeof q);
        if (b->kind == PEG_DYNAMIC) memcpy(b->v, b->v_end, sizeof b->v);
        if (b->woken) b->asleep = 0;
    }
}

/* --- what both say --- */

/* Impulses of what rests are not made anew. */
static int near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * G * H;
}

/* All velocities to the bit: of those who rest, as their step is the last one over again, and of
 * the others, since they know nothing of these. */
static void compare(const crowd *c)
{
    for (int i = 0; i < c->s.nb; i++)
        ck_assert_msg(!memcmp(&c->body[i], &c->again[i], sizeof c->body[i]), "step %d, body %d",
                      c->step, i);
    for (int i = 0; i < ROWS; i++) ck_assert(near(c->row[i].lambda, c->row_again[i].lambda));
    const peg_contact *a, *b;
    int n = peg_contacts(c->context, &a);
    ck_assert_int_eq(n, peg_contacts(c->forgetful, &b));
    for (int i = 0; i < n; i++) {
        ck_assert(a[i].part_a == b[i].part_a && a[i].part_b == b[i].part_b);
        ck_assert(a[i].kind == b[i].kind && a[i].i == b[i].i && a[i].j == b[i].j);
        ck_assert_double_eq_tol(a[i].gap, b[i].gap, 1e-12);
        ck_assert(near(a[i].impulse, b[i].impulse));
        for (int k = 0; k < 3; k++) {
            ck_assert_double_eq_tol(a[i].point[k], b[i].point[k], 1e-9);
            ck_assert(near(a[i].friction[k], b[i].friction[k]));
        }
    }
}

static void add_push(const crowd *c, int part, double sign, const peg_contact *k, double (*sum)[3])
{
    int body = c->part[part].body;
    if (body < 0) return;
    peg_add_scaled(sum[body], sign * k->impulse, k->normal, sum[body]);
    peg_add_scaled(sum[body], sign, k->friction, sum[body]);
}

static void add_row_push(int body, double lambda, const double *J, double (*sum)[3])
{
    if (body >= 0) peg_add_scaled(sum[body], lambda, J, sum[body]);
}

/* Contacts and joints tell all that was done to the bodies, but for islands that end with limited
 * bodies or return energy; friction acts across the push. */
static void check_balance(const crowd *c)
{
    double sum[BODIES][3] = {{0}};
    const peg_contact *k;
    int n = peg_contacts(c->context, &k);
    if (c->stats.limited_islands || c->stats.energy_returned) return;
    for (int i = 0; i < n; i++) {
        double slope = peg_dot(k[i].friction, k[i].normal);
        /* a sum over the rows of the pair, relative to the impulses of a step */
        ck_assert_double_le(fabs(slope), 1e-12 * (peg_norm(k[i].friction) + G * H));
        add_push(c, k[i].part_a, 1, &k[i], sum);
        add_push(c, k[i].part_b, -1, &k[i], sum);
    }
    for (int i = 0; i < ROWS; i++) {
        add_row_push(c->row[i].body_a, c->row[i].lambda, c->row[i].Ja, sum);
        add_row_push(c->row[i].body_b, c->row[i].lambda, c->row[i].Jb, sum);
    }
    for (int i = 0; i < c->s.nb; i++) {
        const peg_body *b = &c->body[i];
        double unit = b->mass * (peg_norm(b->v) + peg_norm(b->v_pose) + G * H);
        if (b->kind != PEG_DYNAMIC || (b->asleep && !b->woken)) continue;
        /* while overlaps open the impulses are those that moved the poses */
        const double *v = c->stats.recovered ? b->v_pose : b->v_end;
        for (int j = 0; j < 3; j++)
            ck_assert_double_eq_tol(b->mass * (v[j] - b->v_free[j]), sum[i][j], 1e-7 * unit);
    }
}

static void compare_memory(const crowd *c)
{
    const peg_pair_cache *a = &c->context->cache, *b = &c->forgetful->cache;
    ck_assert_uint_eq(a->count, b->count);
    ck_assert_uint_eq(a->rows, b->rows);
    for (size_t i = 0; i < a->count; i++) {
        const peg_cached_pair *x = &a->entry[i], *y = &b->entry[i];
        ck_assert(x->low == y->low && x->high == y->high && x->count == y->count);
        for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(x->n[k], y->n[k], 1e-9);
        for (int k = 0; k < x->count; k++)
            ck_assert(
                near(a->row[x->first + (size_t)k].lambda, b->row[y->first + (size_t)k].lambda));
    }
}

static void compare_stats(const crowd *c)
{
    const pegStats *a = &c->stats, *b = &c->stats_again;
    ck_assert_int_eq(a->bodies, b->bodies);
    ck_assert_int_eq(a->islands, b->islands);
    ck_assert_int_eq(a->pairs, b->pairs);
    ck_assert_int_eq(a->recovered, b->recovered);
    ck_assert_int_eq(a->unconverged, b->unconverged);
    ck_assert_double_eq_tol(a->min_separation, b->min_separation, 1e-12);
    ck_assert_double_eq_tol(a->max_penetration, b->max_penetration, 1e-12);
}

START_TEST(repetition_makes_no_difference)
{
    crowd *c = new_crowd((unsigned)_i);
    for (c->step = 0; c->step < STEPS; c->step++) {
        if (c->step > 15 && cases_below(&c->random, 5) == 0) disturb(c);
        step_both(c);
        compare(c);
        check_balance(c);
        compare_memory(c);
        compare_stats(c);
        advance(c);
    }
    ck_assert_int_gt(c->repeated, STEPS);
    ck_assert_int_gt(c->solved, STEPS / 5);
    free_crowd(c);
}
END_TEST

TCase *still_random_case(void)
{
    TCase *t = tcase_create("random");
    tcase_set_timeout(t, 60);
    test_long(t);
    tcase_add_loop_test(t, repetition_makes_no_difference, 0, 8);
    return t;
}
