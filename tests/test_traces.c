/* Traces: what is written is read again, in every packing; checks of a trace find what is in it and
 * nothing else; bad traces are refused. Environment: PEG_LAB, the program. */
#include <check.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "demos/lab/lab.h"
#include "demos/report/recorder.h"
#include "demos/report/trace.h"
#include "peg/base/math.h"
#include "tests/runner.h"

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

static long file_size(const char *path)
{
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    return size;
}

static int lab(const char *arguments)
{
    char line[2048];
    snprintf(line, sizeof line, "'%s' %s >%s/stdout 2>%s/stderr", getenv("PEG_LAB"), arguments,
             test_folder(), test_folder());
    int status = system(line);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static lab_trace *read_trace(const char *path)
{
    char text[LAB_TEXT];
    lab_trace *t = trace_read(path, text);
    ck_assert_msg(t != NULL, "%s", text);
    return t;
}

/* ---- writing and reading --------------------------------------------------------------------- */

/* Runs 1.5 s of a pour; returns what was recorded in memory, with the file at path. */
static lab_trace *record_seed(unsigned long seed, lab_contact contact, const char *path,
                              int compact, double quantum, long every)
{
    lab_options options = {.contact = contact, .seed = seed, .time = 1.5};
    lab_recorder r = {
        .path = path, .compact = compact, .quantum = quantum, .every = every, .keep = 1};
    lab_result result;
    lab_observer observer = lab_recorder_observer(&r);
    ck_assert_int_eq(lab_run(lab_scene_find("pour-mixed"), &options, &observer, 0, &result), 0);
    lab_result_free(&result);
    return r.trace;
}

static lab_trace *record(lab_contact contact, const char *path, int compact, double quantum,
                         long every)
{
    return record_seed(3, contact, path, compact, quantum, every);
}

static void same_contact(const trace_contact *a, const trace_contact *b)
{
    ck_assert_int_eq(a->a, b->a);
    ck_assert_int_eq(a->b, b->b);
    ck_assert_int_eq(a->features, b->features);
    ck_assert_int_eq(a->part, b->part);
    ck_assert_int_eq(a->face, b->face);
    for (int k = 0; k < 3; k++) {
        ck_assert_double_eq_tol(a->x[k], b->x[k], 1e-8);
        ck_assert_double_eq_tol(a->normal[k], b->normal[k], 1e-8);
    }
    ck_assert_double_eq_tol(a->impulse, b->impulse, 1e-8 * fabs(a->impulse) + 1e-15);
}

/* Positions to half a quantum; orientations as finely at the ends of the bodies, of .3 m. */
static void same_state(const trace_state *a, const trace_state *b, double quantum, double h)
{
    double turn = 4 * quantum / .3;
    for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(a->pose[k], b->pose[k], .51 * quantum);
    for (int k = 3; k < 7; k++) ck_assert_double_eq_tol(a->pose[k], b->pose[k], turn);
    for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(a->vel[k], b->vel[k], .51 * quantum / h);
    for (int k = 3; k < 6; k++) ck_assert_double_eq_tol(a->vel[k], b->vel[k], turn / h);
}

static void same_trace(const lab_trace *a, const lab_trace *b, double quantum)
{
    ck_assert_int_eq(a->bodies, b->bodies);
    ck_assert_int_eq(a->frames, b->frames);
    ck_assert_str_eq(a->scene, b->scene);
    ck_assert_str_eq(a->contact, b->contact);
    for (int i = 0; i < a->bodies; i++) {
        ck_assert_str_eq(a->body[i].name, b->body[i].name);
        ck_assert_int_eq(a->body[i].kind, b->body[i].kind);
        ck_assert_int_eq(a->body[i].parts, b->body[i].parts);
        ck_assert_mem_eq(a->body[i].inertia, b->body[i].inertia, sizeof a->body[i].inertia);
    }
    for (long k = 0; k < a->frames; k++) {
        const trace_frame *f = &a->frame[k], *g = &b->frame[k];
        ck_assert_int_eq(f->step, g->step);
        ck_assert_double_eq(f->t, g->t);
        ck_assert_int_eq(f->contacts, g->contacts);
        for (int i = 0; i < f->contacts; i++) same_contact(&f->contact[i], &g->contact[i]);
        for (int i = 0; i < a->bodies; i++) {
            ck_assert_int_eq(trace_present(f, i), trace_present(g, i));
            ck_assert_int_eq(f->island[i], g->island[i]);
            ck_assert_int_eq(f->asleep[i], g->asleep[i]);
            if (!trace_present(f, i)) continue;
            if (quantum == 0)
                ck_assert_mem_eq(&f->state[i], &g->state[i], sizeof f->state[i]);
            else
                same_state(&f->state[i], &g->state[i], quantum, a->h);
        }
    }
}

static const struct {
    const char *name;
    lab_contact contact;
    int compact;
    double quantum;
} packings[] = {{"one.jsonl", LAB_PEG, 0, 0},       {"two.jsonl", LAB_PEG, 1, 0},
                {"packed.jsonl.gz", LAB_ODE, 0, 0}, {"packed.jsonl.zst", LAB_PEG, 0, 0},
                {"round.jsonl", LAB_PEG, 0, 1e-6},  {"round.jsonl.zst", LAB_ODE, 0, 1e-6}};

START_TEST(reads_what_was_written)
{
    const char *path = test_path(packings[_i].name);
    double quantum = packings[_i].quantum;
    lab_trace *kept = record(packings[_i].contact, path, packings[_i].compact, quantum, 0);
    lab_trace *read = read_trace(path);
    ck_assert_int_eq(kept->frames, 151);
    same_trace(kept, read, quantum);
    long contacts = 0;
    for (long k = 0; k < kept->frames; k++) contacts += kept->frame[k].contacts;
    ck_assert_int_gt(contacts, 100);
    trace_free(kept);
    trace_free(read);
}
END_TEST

START_TEST(thins_out)
{
    lab_trace *all = record(LAB_PEG, test_path("all.jsonl"), 0, 0, 0);
    lab_trace *few = record(LAB_PEG, test_path("few.jsonl.gz"), 0, 0, 40);
    lab_trace *read = read_trace(test_path("few.jsonl.gz"));
    static const long steps[] = {0, 40, 80, 120, 150};
    same_trace(few, read, 0);
    ck_assert_int_eq(few->frames, 5);
    for (int k = 0; k < 5; k++) {
        const trace_frame *f = &few->frame[k], *g = &all->frame[steps[k]];
        ck_assert_int_eq(f->step, steps[k]);
        ck_assert_mem_eq(f->state, g->state, (size_t)all->bodies * sizeof *f->state);
    }
    trace_free(all);
    trace_free(few);
    trace_free(read);
}
END_TEST

/* A quarter of the size for the same poses, and less when they are rounded. */
START_TEST(compact_is_smaller)
{
    trace_free(record(LAB_PEG, test_path("a.jsonl"), 0, 0, 0));
    trace_free(record(LAB_PEG, test_path("b.jsonl.zst"), 0, 0, 0));
    trace_free(record(LAB_PEG, test_path("c.jsonl.zst"), 0, 1e-6, 0));
    long plain = file_size(test_path("a.jsonl")), packed = file_size(test_path("b.jsonl.zst"));
    ck_assert_int_lt(4 * packed, plain);
    ck_assert_int_lt(file_size(test_path("c.jsonl.zst")), packed);
}
END_TEST

/* ---- what a trace holds ---------------------------------------------------------------------- */

/* Gravity and the contacts' impulses account for every change of momentum, with every model. */
/* Largest change of momentum in a step that the contacts of the trace do not account for. */
static double momentum_residual(const char *scene, const char *contact)
{
    char command[512];
    snprintf(command, sizeof command, "run %s --contact %s --time 1 --quiet --trace %s", scene,
             contact, test_path("m.jsonl.zst"));
    ck_assert_int_eq(lab(command), 0);
    snprintf(command, sizeof command, "check %s --quiet --summary %s", test_path("m.jsonl.zst"),
             test_path("m.json"));
    ck_assert_int_eq(lab(command), 0);
    json_t *json = json_load_file(test_path("m.json"), 0, NULL);
    const json_t *residual = json_object_get(json_object_get(json, "momentum_residual"), "max");
    ck_assert_msg(json_is_number(residual), "%s, %s: no contacts", scene, contact);
    double most = json_number_value(residual);
    json_decref(json);
    return most;
}

START_TEST(contacts_account_for_momentum)
{
    ck_assert_double_le(momentum_residual("pour-mixed", "peg"), 1e-5);
    ck_assert_double_le(momentum_residual("tower-20", "peg"), 1e-5);
    ck_assert_double_le(momentum_residual("pour-boxes", "ode"), 1e-5);
    ck_assert_double_le(momentum_residual("tower-20", "ode"), 1e-5);
    ck_assert_double_le(momentum_residual("pour-2d", "peg"), 1e-5);
}
END_TEST

/* The separating facet faces along the normal and holds the contact, but for the few whose features
 * have parted again at the end of the step in which they met: of 40 pours 1 % of the contacts, of
 * single ones up to 5 %. Facets that turn in the step, by more than 1 degree, leave a contact at
 * their edge by more than that. */
START_TEST(facets_hold_their_contacts)
{
    enum { POURS = 12 };
    long seen = 0, parted = 0;
    for (unsigned long seed = 1; seed <= POURS; seed++) {
        lab_trace *t = record_seed(seed, LAB_PEG, NULL, 0, 0, 0);
        for (long k = 0; k < t->frames; k++)
            for (int i = 0; i < t->frame[k].contacts; i++) {
                const trace_contact *c = &t->frame[k].contact[i];
                if (c->face < 0) continue;
                int owner = c->features == PEG_FACE_VERTEX ? c->a : c->b;
                const lab_shape *s = t->body[owner].part[c->part];
                const double *pose = t->frame[k].state[owner].pose;
                double R[9], n[3], x[3];
                peg_quat_to_mat(pose + 3, R);
                peg_rotate(R, s->normal[c->face], n);
                peg_sub(c->x, pose, x);
                peg_rotate_back(R, x, x);
                double cosine = fabs(peg_dot(n, c->normal));
                ck_assert_double_gt(cosine, 1 - 2e-3);
                if (cosine < 1 - 1.5e-4) continue;
                parted += fabs(peg_dot(s->normal[c->face], x) - s->offset[c->face]) > 5e-3;
                seen++;
            }
        trace_free(t);
    }
    ck_assert_int_gt(seen, 50 * POURS);
    ck_assert_msg(100 * parted <= 2 * seen, "%ld of %ld have parted", parted, seen);
}
END_TEST

#define CUBE                                                                                       \
    "{\"type\":\"convex\",\"vertices\":[[-0.5,-0.5,-0.5],[0.5,-0.5,-0.5],[-0.5,0.5,-0.5],[0.5,0."  \
    "5,-0.5],"                                                                                     \
    "[-0.5,-0.5,0.5],[0.5,-0.5,0.5],[-0.5,0.5,0.5],[0.5,0.5,0.5]],\"faces\":[[4,6,2,0],[1,3,7,5]," \
    "[1,5,4,0],"                                                                                   \
    "[2,6,7,3],[2,3,1,0],[4,5,7,6]]}"
#define HEAD                                                                                       \
    "{\"format\":\"ode-peg-trace\",\"version\":1,\"h\":0.1,\"gravity\":[0,0,-10],"                 \
    "\"connected\":[],\"bodies\":[{\"name\":\"low\",\"static\":true,\"mass\":0,\"parts\":[" CUBE   \
    "]},{\"name\":\"high\",\"static\":false,\"mass\":2,\"inertia\":[1,0,0,0,1,0,0,0,1],"           \
    "\"parts\":[" CUBE "]}]}\n"
#define LOW "[0,0,0,1,0,0,0]"
#define STEP(k, pose, vel)                                                                         \
    "{\"step\":" #k ",\"t\":0." #k ",\"pose\":[" LOW "," pose "],\"vel\":[[0,0,0,0,0,0]," vel      \
    "],\"stats\":{}}\n"

/* Two cubes by hand: overlap, depth and energy are known. */
START_TEST(finds_a_planted_overlap)
{
    char command[256];
    write_text(test_path("planted.jsonl"),
               HEAD STEP(0, "[0,0,1.5,1,0,0,0]", "[0,0,0,0,0,0]")
                   STEP(1, "[0.25,0,0.9,1,0,0,0]", "[0,0,-6,0,0,0]")
                       STEP(2, "[0,0,1.25,1,0,0,0]", "[0,0,3.5,0,0,2]"));
    snprintf(command, sizeof command, "check %s --quiet --summary %s", test_path("planted.jsonl"),
             test_path("planted.json"));
    ck_assert_int_eq(lab(command), 0);
    json_t *json = json_load_file(test_path("planted.json"), 0, NULL);
    double volume, depth, initial, final, gain;
    int volume_step, depth_step;
    ck_assert_int_eq(json_unpack(json, "{s:{s:F,s:i},s:{s:F,s:i},s:{s:F,s:F,s:F}}",
                                 "overlap_volume", "max", &volume, "step", &volume_step, "depth",
                                 "max", &depth, "step", &depth_step, "energy", "initial", &initial,
                                 "final", &final, "gain_max_per_step", &gain),
                     0);
    ck_assert_double_eq_tol(volume, .075, 1e-12);
    ck_assert_double_eq_tol(depth, .1, 1e-12);
    ck_assert_int_eq(volume_step, 1);
    ck_assert_int_eq(depth_step, 1);
    ck_assert_double_eq_tol(initial, 30, 1e-12);
    ck_assert_double_eq_tol(final, .5 * 2 * 3.5 * 3.5 + .5 * 4 + 25, 1e-12);
    ck_assert_double_eq_tol(gain, .5 * 2 * 36 + 18 - 30, 1e-12);
    json_decref(json);
}
END_TEST

/* What check measures of a trace is what the run measured of itself. */
START_TEST(checks_agree_with_summaries)
{
    static const char *const runs[] = {"pour-convex --contact ode --time 2",
                                       "pour-mixed --contact ode --time 2",
                                       "buggy --contact ode --time 2", "pour-2d --contact st"};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        char command[512];
        snprintf(command, sizeof command, "run %s --quiet --trace %s --summary %s", runs[i],
                 test_path("s.jsonl"), test_path("s.json"));
        ck_assert_int_eq(lab(command), 0);
        snprintf(command, sizeof command, "check %s --quiet --summary %s", test_path("s.jsonl"),
                 test_path("c.json"));
        ck_assert_int_eq(lab(command), 0);
        json_t *summary = json_load_file(test_path("s.json"), 0, NULL);
        json_t *checked = json_load_file(test_path("c.json"), 0, NULL);
        double volume, depth, energy, volume2, depth2, energy2;
        ck_assert_int_eq(json_unpack(summary, "{s:{s:F},s:F,s:{s:F}}", "overlap_volume", "max",
                                     &volume, "depth_max", &depth, "energy", "final", &energy),
                         0);
        ck_assert_int_eq(json_unpack(checked, "{s:{s:F},s:{s:F},s:{s:F}}", "overlap_volume", "max",
                                     &volume2, "depth", "max", &depth2, "energy", "final",
                                     &energy2),
                         0);
        ck_assert_msg(fabs(depth - depth2) <= 1e-12, "%s: deepest %.17g and %.17g", runs[i], depth,
                      depth2);
        ck_assert_double_eq_tol(volume, volume2, 1e-12);
        ck_assert_double_eq_tol(energy, energy2, 1e-9 * fabs(energy));
        json_decref(summary);
        json_decref(checked);
    }
}
END_TEST

/* ---- bad traces ------------------------------------------------------------------------------ */

static const struct {
    const char *text, *says;
} bad[] = {
    {"", "it is empty"},
    {"{}\n", "no trace"},
    {"hello\n", "no JSON"},
    {"{\"format\":\"ode-peg-trace\",\"version\":9}\n", "version 9"},
    {"{\"format\":\"ode-peg-trace\",\"version\":1,\"h\":0.1}\n", "\"bodies\""},
    {"{\"format\":\"ode-peg-trace\",\"version\":1,\"h\":0,\"bodies\":[]}\n", "\"h\""},
    {HEAD, "no steps"},
    {HEAD STEP(0, "[0,0,1,1,0,0,0]", "[0,0,0,0,0,0]") "{\"step\":1,\"t\":0.1,\"po", "cut off"},
    {HEAD STEP(0, "[0,0,NaN,1,0,0,0]", "[0,0,0,0,0,0]"), "line 2: no JSON"},
    {HEAD STEP(0, "[0,0,null,1,0,0,0]", "[0,0,0,0,0,0]"), "'high' is not finite"},
    {HEAD STEP(0, "[0,0,1,1,0,0,0]", "[0,0,null,0,0,0]"), "velocity of body 'high'"},
    {HEAD STEP(0, "[0,0,1,1,0,0]", "[0,0,0,0,0,0]"), "seven numbers"},
    {HEAD STEP(0, "[0,0,1,2,0,0,0]", "[0,0,0,0,0,0]"), "unit length"},
    {HEAD STEP(0, LOW "," LOW, "[0,0,0,0,0,0]"), "3 poses"},
    {HEAD STEP(3, LOW, "[0,0,0,0,0,0]") STEP(2, LOW, "[0,0,0,0,0,0]"), "step 2 comes after step 3"},
};

START_TEST(refuses_bad_traces)
{
    char text[LAB_TEXT], command[256], said[1024] = "";
    write_text(test_path("bad.jsonl"), bad[_i].text);
    ck_assert_ptr_null(trace_read(test_path("bad.jsonl"), text));
    ck_assert_msg(strstr(text, bad[_i].says) != NULL, "'%s' is not in: %s", bad[_i].says, text);
    snprintf(command, sizeof command, "check %s", test_path("bad.jsonl"));
    ck_assert_int_eq(lab(command), 2);
    FILE *file = fopen(test_path("stderr"), "r");
    size_t n = fread(said, 1, sizeof said - 1, file);
    fclose(file);
    ck_assert_uint_gt(n, 0);
    ck_assert_ptr_eq(strchr(said, '\n'), said + n - 1);
}
END_TEST

/* A packed file that ends early is an error, not a shorter trace. */
START_TEST(refuses_packed_traces_cut_off)
{
    static const char *const names[] = {"cut.jsonl.gz", "cut.jsonl.zst"};
    for (int i = 0; i < 2; i++) {
        char text[LAB_TEXT];
        const char *path = test_path(names[i]);
        trace_free(record(LAB_PEG, path, 0, 0, 0));
        ck_assert_int_eq(truncate(path, 2 * file_size(path) / 3), 0);
        ck_assert_ptr_null(trace_read(path, text));
        ck_assert_msg(strstr(text, "cut off") != NULL, "%s", text);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("traces");
    TCase *tests = tcase_create("traces");
    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, reads_what_was_written, 0, sizeof packings / sizeof *packings);
    tcase_add_test(tests, thins_out);
    tcase_add_test(tests, compact_is_smaller);
    tcase_add_test(tests, contacts_account_for_momentum);
    tcase_add_test(tests, facets_hold_their_contacts);
    tcase_add_test(tests, finds_a_planted_overlap);
    tcase_add_test(tests, checks_agree_with_summaries);
    tcase_add_loop_test(tests, refuses_bad_traces, 0, sizeof bad / sizeof *bad);
    tcase_add_test(tests, refuses_packed_traces_cut_off);
    return suite;
}
