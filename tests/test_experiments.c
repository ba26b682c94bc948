/* The experiments of the papers: their oracles against closed forms and second opinions, planar
 * scenes, and the program: runs, resuming, bad input. Environment: PEG_LAB, the program. */
#include <check.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/runner.h"
#include "demos/scenes/body_sets.h"
#include "demos/lab/lab.h"
#include "demos/oracle/overlap.h"
#include "demos/oracle/planar_area.h"
#include "demos/oracle/planar_path.h"

#define G 9.81

static char folder[64]; /* for what the tests write */
static uint64_t random_state;

static double between(double low, double high)
{
    return low + (high - low) * lab_random_next(&random_state);
}

/* Runs the program; returns its exit status. What it says goes to files in the folder. */
static int lab(const char *format, const char *argument)
{
    char line[2048], arguments[1024];
    snprintf(arguments, sizeof arguments, format, argument);
    snprintf(line, sizeof line, "cd %s && '%s' %s >stdout 2>stderr", folder, getenv("PEG_LAB"),
             arguments);
    int status = system(line);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static char *read_text(const char *name)
{
    static char text[1 << 16];
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    ck_assert_msg(f != NULL, "%s is missing", path);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return text;
}

/* 1: the program ended with status 2 and one line that holds the words. */
static int refused(const char *arguments, const char *words)
{
    int status = lab("%s", arguments);
    char *said = read_text("stderr"), *end = strchr(said, '\n');
    if (status == 2 && end && !end[1] && strstr(said, words)) return 1;
    fprintf(stderr, "%s: exit status %d: %s\n", arguments, status, said);
    return 0;
}

static void make_folder(void)
{
    strcpy(folder, "/tmp/test-experiments-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    random_state = 1;
}

static void remove_folder(void)
{
    char line[128];
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(line), 0);
}

/* ---- exact paths ----------------------------------------------------------------------------- */

static const double fall[2] = {0, -G};

static planar_path path_from(double x, double y, double vx, double vy, double mu, double end)
{
    static planar_chain terrain;
    planar_path path;
    planar_sawtooth(3, &terrain);
    int bad =
        planar_path_solve(&terrain, (double[2]){x, y}, (double[2]){vx, vy}, fall, mu, end, &path);
    ck_assert_int_eq(bad, 0);
    return path;
}

/* The paper's start with friction: flight onto the ramp y = x / 2, slide up, flight. */
START_TEST(path_has_the_closed_form)
{
    for (int rough = 0; rough < 2; rough++) {
        double mu = .5 * rough, root = sqrt(5);
        planar_path path = path_from(0, .75, 6, 1.8, mu, 1.5);
        ck_assert_int_ge(path.phases, 3);
        /* .75 + 1.8 t - g t^2 / 2 = 3 t */
        double hit = (-1.2 + sqrt(1.44 + 1.5 * G)) / G;
        ck_assert_double_eq_tol(hit, .2874, 5e-5);
        ck_assert_double_eq_tol(path.phase[1].start, hit, 1e-12);
        ck_assert_int_eq(path.phase[1].kind, PATH_SLIDE);
        double vy = 1.8 - G * hit, along = (12 + vy) / root, across = (6 - 2 * vy) / root;
        double speed = along - mu * across, brake = G * (1 + 2 * mu) / root;
        ck_assert_double_eq_tol(hypot(path.phase[1].v[0], path.phase[1].v[1]), speed, 1e-12);
        double left = (2 - 6 * hit) * root / 2;
        double leave = hit + (speed - sqrt(speed * speed - 2 * brake * left)) / brake;
        ck_assert_double_eq_tol(path.phase[2].start, leave, 1e-12);
        ck_assert_int_eq(path.phase[2].kind, PATH_FLIGHT);
        ck_assert_double_eq_tol(path.phase[2].x[0], 2, 1e-12);
        ck_assert_double_eq_tol(path.phase[2].x[1], 1, 1e-12);
        double end = sqrt(speed * speed - 2 * brake * left);
        ck_assert_double_eq_tol(path.phase[2].v[0], 2 / root * end, 1e-12);
        ck_assert_double_eq_tol(path.phase[2].v[1], 1 / root * end, 1e-12);
    }
}
END_TEST

/* Slides up, turns round and leaves to the left. On the ramp speed depends on height alone. */
START_TEST(path_turns_round_on_the_ramp)
{
    planar_path path = path_from(0, .75, 2, 1.8, 0, 3);
    double x[2], v[2], hit = path.phase[1].start;
    ck_assert_int_eq(path.phase[1].kind, PATH_SLIDE);
    planar_path_at(&path, hit, x, v);
    double energy = .5 * (v[0] * v[0] + v[1] * v[1]) + G * x[1];
    ck_assert_int_eq(path.phase[2].kind, PATH_FLIGHT);
    planar_path_at(&path, path.phase[2].start, x, v);
    ck_assert_double_eq_tol(x[0], 0, 1e-12);
    ck_assert_double_lt(v[0], 0);
    ck_assert_double_eq_tol(.5 * (v[0] * v[0] + v[1] * v[1]), energy, 1e-12);
}
END_TEST

START_TEST(path_rests_in_corners_and_on_rough_ramps)
{
    /* falls onto the second ramp, slides down into the corner at (2, 0) */
    planar_path path = path_from(2.2, 1, 0, 0, 0, 5);
    double x[2], v[2];
    planar_path_at(&path, 5, x, v);
    ck_assert_double_eq_tol(x[0], 2, 1e-12);
    ck_assert_double_eq_tol(x[1], PLANAR_BASE, 1e-12);
    ck_assert_double_eq(v[0], 0);
    ck_assert_int_eq(path.phase[path.phases - 1].kind, PATH_REST);
    /* mu above the slope: stops on the ramp */
    path = path_from(.5, 1, 1, 0, .8, 5);
    planar_path_at(&path, 5, x, v);
    ck_assert_double_eq_tol(x[1], .5 * x[0], 1e-12);
    ck_assert_double_gt(x[0], .5);
    ck_assert_int_eq(path.phase[path.phases - 1].kind, PATH_REST);
}
END_TEST

/* A second opinion: small steps and a projection, on the first ramp and beyond its end. */
static void march(const double start[4], double mu, double end, double x[2])
{
    double h = 1e-5, v[2] = {start[2], start[3]}, root = sqrt(5);
    const double t[2] = {2 / root, 1 / root}, n[2] = {-1 / root, 2 / root};
    x[0] = start[0], x[1] = start[1];
    for (long k = 0; k < lround(end / h); k++) {
        v[1] -= h * G;
        double gap = n[0] * x[0] + n[1] * x[1], s = t[0] * x[0] + t[1] * x[1];
        double closing = n[0] * v[0] + n[1] * v[1] + gap / h;
        if (s > 0 && s < root && closing < 0) {
            double along = t[0] * v[0] + t[1] * v[1];
            double rub = fmin(fabs(along), -mu * closing);
            along -= copysign(rub, along);
            double across = n[0] * v[0] + n[1] * v[1] - closing;
            for (int i = 0; i < 2; i++) v[i] = along * t[i] + across * n[i];
        }
        for (int i = 0; i < 2; i++) x[i] += h * v[i];
    }
}

START_TEST(path_agrees_with_small_steps)
{
    int slides = 0;
    for (int i = 0; i < 40; i++) {
        double start[4] = {between(0, 1.5), between(1, 1.5), between(-5, 5), between(-5, 5)};
        double mu = i % 2 ? .5 : 0, x[2], y[2], end = .6;
        planar_path path = path_from(start[0], start[1], start[2], start[3], mu, end);
        planar_path_at(&path, end, x, NULL);
        if (x[0] > 2.2) continue; /* the march knows the first tooth alone */
        march(start, mu, end, y);
        slides += path.phases > 1;
        ck_assert_msg(hypot(x[0] - y[0], x[1] - y[1]) < 5e-4, "start %d: (%g, %g) and not (%g, %g)",
                      i, x[0], x[1], y[0], y[1]);
    }
    ck_assert_int_gt(slides, 10);
}
END_TEST

START_TEST(path_never_gains_energy)
{
    planar_chain hills;
    planar_hills(2, &hills);
    for (int i = 0; i < 100; i++) {
        planar_path path;
        double x[2] = {between(-1, 3), between(1.1, 2)}, v[2] = {between(-3, 3), between(-3, 3)};
        const double force[2] = {2.4, -G};
        ck_assert_int_eq(planar_path_solve(&hills, x, v, force, .1 * (i % 3), 3, &path), 0);
        double last = INFINITY;
        for (int p = 0; p < path.phases; p++) {
            const path_phase *f = &path.phase[p];
            double energy = .5 * (f->v[0] * f->v[0] + f->v[1] * f->v[1]) - force[0] * f->x[0] -
                            force[1] * f->x[1];
            ck_assert_double_le(energy, last + 1e-11);
            last = energy;
        }
    }
}
END_TEST

/* ---- overlap in the plane -------------------------------------------------------------------- */

/* A regular polygon, turned. */
static planar_polygon regular(int n, double radius, double x, double y, double turn)
{
    planar_polygon p = {.n = n};
    for (int i = 0; i < n; i++) {
        p.point[i][0] = x + radius * cos(turn + 2 * acos(-1) * i / n);
        p.point[i][1] = y + radius * sin(turn + 2 * acos(-1) * i / n);
    }
    return p;
}

START_TEST(squares_overlap_in_closed_form)
{
    double half = sqrt(.5), quarter = acos(-1) / 4;
    planar_polygon a = regular(4, half, 0, 0, quarter), b = regular(4, half, .75, .5, quarter);
    ck_assert_double_eq_tol(planar_polygon_area(&a), 1, 1e-15);
    ck_assert_double_eq_tol(planar_overlap(&a, &b), .125, 1e-15);
    ck_assert_double_eq_tol(planar_separation(&a, &b), -.25, 1e-15);
    planar_polygon apart = regular(4, half, 1 + 1e-9, 0, quarter);
    ck_assert_double_eq(planar_overlap(&a, &apart), 0);
    ck_assert_double_eq_tol(planar_separation(&a, &apart), 1e-9, 1e-15);
    /* a square upon itself turned by 45 degrees: an octagon */
    planar_polygon turned = regular(4, half, 0, 0, 0);
    ck_assert_double_eq_tol(planar_overlap(&a, &turned), 2 * (sqrt(2) - 1), 1e-15);
    planar_polygon point = {.point = {{.4, 0}}, .n = 1};
    ck_assert_double_eq_tol(planar_separation(&a, &point), -.1, 1e-15);
    ck_assert_double_eq(planar_overlap(&a, &point), 0);
}
END_TEST

static lab_shape *prism(const planar_polygon *p)
{
    double q[2 * POLYGON_POINTS][3];
    for (int i = 0; i < 2 * p->n; i++) {
        q[i][0] = p->point[i / 2][0], q[i][1] = p->point[i / 2][1], q[i][2] = i % 2 - .5;
    }
    return lab_shape_hull((const double(*)[3])q, 2 * p->n);
}

START_TEST(areas_are_volumes_of_prisms)
{
    for (int i = 0; i < 200; i++) {
        planar_polygon a = regular(3 + i % 6, .5, 0, 0, between(0, 7));
        planar_polygon b =
            regular(3 + i % 5, .4, between(-.6, .6), between(-.6, .6), between(0, 7));
        lab_shape *p = prism(&a), *q = prism(&b);
        ck_assert_double_eq_tol(planar_overlap(&a, &b), lab_overlap_volume(p, q), 1e-14);
        lab_shape_free(p);
        lab_shape_free(q);
    }
}
END_TEST

/* ---- planar scenes --------------------------------------------------------------------------- */

static lab_world *open_scene(const char *name, lab_contact contact, double h)
{
    char text[LAB_TEXT];
    int user;
    lab_options options = {.contact = contact, .h = h, .seed = 1};
    lab_world *w = lab_open(lab_scene_find(name), &options, text, &user);
    ck_assert_msg(w != NULL, "%s: %s", name, text);
    return w;
}

/* Semi-implicit flight is off by g h t / 2; nothing else of that order may come in. */
START_TEST(particles_follow_the_exact_path)
{
    static const char *const scenes[] = {"sawtooth", "sawtooth-friction"};
    for (int i = 0; i < 2; i++) {
        double h = 1e-3, exact[2], x[3], q[4], largest = 0;
        planar_path path = path_from(0, .75, i ? 6 : 2, 1.8, .5 * i, 2);
        lab_world *w = open_scene(scenes[i], LAB_PEG, h);
        const lab_body *b = lab_body_find(w, "particle");
        while (lab_steps(w) < lab_steps_planned(w)) {
            ck_assert_int_eq(lab_step(w), 0);
            lab_pose(b, x, q);
            planar_path_at(&path, lab_time(w), exact, NULL);
            largest = fmax(largest, hypot(x[0] - exact[0], x[1] - exact[1]));
            ck_assert_double_eq(x[2], 0);
            ck_assert_double_eq(q[0], 1);
        }
        ck_assert_double_lt(largest, 2 * .5 * G * h * 1.5);
        lab_close(w);
    }
}
END_TEST

START_TEST(polygons_keep_apart_in_their_box)
{
    lab_world *w = open_scene("pour-2d", LAB_PEG, .02);
    while (lab_steps(w) < lab_steps_planned(w)) {
        double volume, depth;
        ck_assert_int_eq(lab_step(w), 0);
        lab_overlap(w, 1, &volume, &depth);
        ck_assert_double_eq(volume, 0);
        ck_assert_double_eq(depth, 0);
    }
    ck_assert_int_eq(lab_escaped(w), 0);
    ck_assert_double_le(lab_world_energy(w).gain_max_relative, 1e-9);
    lab_close(w);
}
END_TEST

START_TEST(planar_scenes_refuse_ode)
{
    ck_assert(refused("run hills --contact ode", "planar"));
    ck_assert(refused("run pour-2d --contact ode-quick", "planar"));
    ck_assert(refused("run pour-2d --set set=30", "set"));
    ck_assert(refused("experiment sawtooth --out x --contact peg,ode", "planar"));
}
END_TEST

START_TEST(traces_hold_prisms_and_particles)
{
    ck_assert_int_eq(lab("run hills --steps 2 --quiet --trace t --summary s%s", ""), 0);
    json_t *header = json_loads(read_text("t"), JSON_DISABLE_EOF_CHECK, NULL);
    const json_t *bodies = json_object_get(header, "bodies");
    size_t n = json_array_size(bodies);
    const json_t *hill = json_array_get(json_object_get(json_array_get(bodies, 0), "parts"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(hill, "type")), "convex");
    ck_assert_uint_eq(json_array_size(json_object_get(hill, "vertices")), 22);
    const json_t *particle =
        json_array_get(json_object_get(json_array_get(bodies, n - 1), "parts"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(particle, "type")), "sphere");
    ck_assert_double_eq(json_number_value(json_object_get(particle, "radius")), 0);
    json_decref(header);
}
END_TEST

START_TEST(recipes_make_the_same_bodies_again)
{
    static body_set a, b;
    static hull_of_set p[HULLS_PER_SET], q[HULLS_PER_SET];
    ck_assert_int_eq(body_set_polygons(0, 7, &a), 0);
    ck_assert_int_eq(body_set_polygons(0, 7, &b), 0);
    ck_assert_int_eq(a.count, 25);
    ck_assert_mem_eq(&a, &b, sizeof a);
    for (int i = 0; i < a.count; i++) {
        double mean[2] = {0, 0};
        for (int k = 0; k < a.body[i].points; k++)
            mean[0] += a.body[i].point[k][0], mean[1] += a.body[i].point[k][1];
        ck_assert_double_eq_tol(hypot(mean[0], mean[1]), 0, 1e-15);
    }
    ck_assert_int_eq(body_set_hulls(0, 7, p), 0);
    ck_assert_int_eq(body_set_hulls(0, 7, q), 0);
    ck_assert_mem_eq(p, q, sizeof p);
    ck_assert_int_eq(body_set_polygons(26, 7, &a), 1);
}
END_TEST

/* ---- experiments ----------------------------------------------------------------------------- */

static const char *const experiments[] = {
    "box-of-polygons", "box-of-polyhedra", "hills",         "sawtooth", "sawtooth-friction",
    "step-size-2d",    "slender-rod",      "gap-functions", "impacts",  "infeasibility"};
enum { EXPERIMENTS = 10 };

START_TEST(experiments_are_listed)
{
    ck_assert_int_eq(lab("experiment list%s", ""), 0);
    const char *said = read_text("stdout");
    for (int i = 0; i < EXPERIMENTS; i++) ck_assert_ptr_nonnull(strstr(said, experiments[i]));
}
END_TEST

START_TEST(experiments_refuse_bad_usage)
{
    ck_assert(refused("experiment", "list"));
    ck_assert(refused("experiment none --out x", "no experiment"));
    ck_assert(refused("experiment hills", "--out"));
    ck_assert(refused("experiment hills --out /dev/null/x", "cannot write"));
    ck_assert(refused("experiment hills --out x --contact wrong", "no contact model"));
    ck_assert(refused("experiment hills --out x --jobs 0", "--jobs"));
    ck_assert(refused("experiment hills --out x --h .1", "chooses"));
}
END_TEST

/* Inode of a run's file: a run that is made again gets a new one. */
static unsigned long identity(const char *name)
{
    struct stat s;
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    ck_assert_msg(stat(path, &s) == 0, "%s is missing", path);
    return (unsigned long)s.st_ino;
}

#define HILL_RUN "x/runs/peg-h0.01-0.csv"

START_TEST(experiments_resume_what_fits)
{
    static const char plain[] = "experiment hills --contact peg --quiet --out x %s";
    ck_assert_int_eq(lab(plain, ""), 0);
    ck_assert_ptr_nonnull(strstr(read_text(HILL_RUN), "# peg-lab experiment hills"));
    ck_assert_ptr_nonnull(strstr(read_text(HILL_RUN), "\nt,x,y,"));
    unsigned long first = identity(HILL_RUN);
    ck_assert_int_eq(lab(plain, ""), 0);
    ck_assert_uint_eq(identity(HILL_RUN), first);
    /* held open, so that a new file cannot get the same number */
    char path[256];
    snprintf(path, sizeof path, "%s/" HILL_RUN, folder);
    FILE *old = fopen(path, "r");
    ck_assert_ptr_nonnull(old);
    ck_assert_int_eq(lab(plain, "--seed 2"), 0);
    ck_assert_uint_ne(identity(HILL_RUN), first);
    ck_assert_ptr_nonnull(strstr(read_text(HILL_RUN), "seed=2"));
    fclose(old);
    old = fopen(path, "r");
    unsigned long second = identity(HILL_RUN);
    ck_assert_int_eq(lab(plain, "--seed 2 --fresh"), 0);
    ck_assert_uint_ne(identity(HILL_RUN), second);
    fclose(old);
}
END_TEST

START_TEST(experiments_stop_and_go_on)
{
    char line[1024];
    snprintf(line, sizeof line,
             "cd %s && { '%s' experiment step-size-2d --quick --contact peg --jobs 1 --out x "
             ">stdout 2>stderr & p=$!; while ! ls x/runs/*.csv >/dev/null 2>&1; do sleep .05; "
             "done; kill -INT $p; wait $p; }",
             folder, getenv("PEG_LAB"));
    int status = system(line);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 1);
    ck_assert_ptr_nonnull(strstr(read_text("stderr"), "stopped"));
    snprintf(line, sizeof line, "ls %s/x/runs/*.part >/dev/null 2>&1", folder);
    ck_assert_int_ne(system(line), 0);
    ck_assert_int_eq(lab("experiment step-size-2d --quick --contact peg --out x%s", ""), 0);
    read_text("x/report.html");
}
END_TEST

/* Every experiment, with one model: runs, page, verdicts, pictures. */
START_TEST(experiments_run)
{
    const char *name = experiments[_i];
    int status = lab("experiment %s --quick --quiet --contact peg --out x", name);
    ck_assert_msg(status == 0, "%s: %s", name, read_text("stderr"));
    const char *page = read_text("x/report.html");
    ck_assert_ptr_nonnull(strstr(page, "<h1>"));
    ck_assert_ptr_nonnull(strstr(page, "quick version"));
    char path[256];
    snprintf(path, sizeof path, "%s/x/summary.json", folder);
    json_t *summary = json_load_file(path, 0, NULL);
    const json_t *checks = json_object_get(summary, "checks");
    ck_assert_uint_gt(json_array_size(checks), 1);
    for (size_t i = 0; i < json_array_size(checks); i++) {
        const json_t *c = json_array_get(checks, i);
        ck_assert(json_is_string(json_object_get(c, "check")));
        ck_assert(json_is_string(json_object_get(c, "wanted")));
        ck_assert(json_is_boolean(json_object_get(c, "pass")));
        /* what needs a model that did not run is no pass */
        if (json_is_null(json_object_get(c, "value")))
            ck_assert(json_is_false(json_object_get(c, "pass")));
    }
    json_decref(summary);
}
END_TEST

START_TEST(peg_passes_its_own_checks)
{
    ck_assert_int_eq(lab("experiment box-of-polygons --quick --contact peg --out x%s", ""), 0);
    const char *said = read_text("stdout");
    ck_assert_ptr_nonnull(strstr(said, "pass  largest overlap of peg"));
    ck_assert_ptr_nonnull(strstr(said, "pass  runs of peg that ended early"));
    ck_assert_int_eq(lab("experiment sawtooth --quick --contact peg,st --out y%s", ""), 0);
    ck_assert_ptr_null(strstr(read_text("stdout"), "FAIL"));
    ck_assert_int_eq(lab("experiment hills --quick --contact peg,st --out z%s", ""), 0);
    ck_assert_ptr_null(strstr(read_text("stdout"), "FAIL"));
    ck_assert_int_eq(lab("experiment infeasibility --quick --contact peg --out u%s", ""), 0);
    ck_assert_ptr_nonnull(
        strstr(read_text("stdout"), "pass  largest infeasibility and depth of peg"));
    ck_assert_int_eq(lab("experiment impacts --quick --out v%s", ""), 0);
    ck_assert_ptr_null(strstr(read_text("stdout"), "FAIL"));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("experiments");
    TCase *oracles = tcase_create("oracles"), *scenes = tcase_create("scenes"),
          *program = tcase_create("program");
    tcase_add_checked_fixture(oracles, make_folder, remove_folder);
    tcase_add_test(oracles, path_has_the_closed_form);
    tcase_add_test(oracles, path_turns_round_on_the_ramp);
    tcase_add_test(oracles, path_rests_in_corners_and_on_rough_ramps);
    tcase_add_test(oracles, path_agrees_with_small_steps);
    tcase_add_test(oracles, path_never_gains_energy);
    tcase_add_test(oracles, squares_overlap_in_closed_form);
    tcase_add_test(oracles, areas_are_volumes_of_prisms);
    tcase_add_test(oracles, recipes_make_the_same_bodies_again);
    tcase_add_checked_fixture(scenes, make_folder, remove_folder);
    tcase_set_timeout(scenes, 60);
    tcase_add_test(scenes, particles_follow_the_exact_path);
    tcase_add_test(scenes, polygons_keep_apart_in_their_box);
    tcase_add_test(scenes, planar_scenes_refuse_ode);
    tcase_add_test(scenes, traces_hold_prisms_and_particles);
    tcase_add_checked_fixture(program, make_folder, remove_folder);
    tcase_set_timeout(program, 240);
    test_long(program);
    tcase_add_test(program, experiments_are_listed);
    tcase_add_test(program, experiments_refuse_bad_usage);
    tcase_add_test(program, experiments_resume_what_fits);
    tcase_add_test(program, experiments_stop_and_go_on);
    tcase_add_loop_test(program, experiments_run, 0, EXPERIMENTS);
    tcase_add_test(program, peg_passes_its_own_checks);
    suite_add_tcase(suite, oracles);
    suite_add_tcase(suite, scenes);
    suite_add_tcase(suite, program);
    return suite;
}
