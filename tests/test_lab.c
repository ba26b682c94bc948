/* The lab: command line, traces and summaries of the built program, the bench. */
#include <check.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lab_program.h"
#include "tests/runner.h"
#include "demos/lab/lab.h"
#include "demos/report/recorder.h"
#include "demos/oracle/overlap.h"
#include "demos/world/world.h"
#include "peg/base/math.h"

/* ---- command line ---------------------------------------------------------------------------- */

START_TEST(lists_scenes)
{
    ck_assert_int_eq(lab_run_program("list"), 0);
    char *said = lab_read_text(test_path("stdout"));
    ck_assert(strncmp(said, "pour-boxes ", 11) == 0);
    ck_assert_ptr_nonnull(strstr(said, "\npour-convex "));
    free(said);
    ck_assert_int_eq(lab_run_program("--help"), 0);
}
END_TEST

/* Kind and range of every key are checked; the message names scene, key, value and range. */
static const struct {
    const char *arguments, *words;
} out_of_range[] = {
    {"pour-boxes --set bodies=-3",
     "pour-boxes: --set bodies=-3: bodies must be a whole number from 1 to 2000"},
    {"pour-boxes --set bodies=2.5", "bodies must be a whole number from 1 to 2000"},
    {"pour-boxes --set bodies=1e9", "bodies must be a whole number from 1 to 2000"},
    {"tower-20 --set bodies=1e9", "bodies must be a whole number from 1 to 1000"},
    {"tower-20 --set bodies=0", "bodies must be a whole number from 1 to 1000"},
    {"arch-25 --set bodies=2", "bodies must be a whole number from 3 to 1000"},
    {"tower-20 --set gap=-1", "gap must be a number from 0 to 1000"},
    {"tower-20 --set drop=inf", "must be a number"},
    {"gripper --set object=3", "object must be a whole number from 0 to 2"},
    {"gripper --set mass=0", "mass must be a number from 1e-09 to 1000000000"},
    {"buggy --set flat=.5", "flat must be a whole number from 0 to 1"},
    {"chain-net --set n=1e9", "n must be a whole number from 3 to 40"},
    {"pour-2d --set set=3.5", "set must be a whole number from 0 to 26"},
    {"thin-plate --set speed=1e30", "speed must be a number from -100000 to 100000"},
    {"pour-boxes --set threads=0", "threads must be a whole number from 1 to 64"},
    {"pour-boxes --set passes=2.5", "passes must be a whole number from 1 to 50"},
};

START_TEST(refuses_keys_out_of_range)
{
    char arguments[128];
    snprintf(arguments, sizeof arguments, "run --steps 1 %s", out_of_range[_i].arguments);
    ck_assert(lab_refused(arguments, out_of_range[_i].words));
}
END_TEST

/* An option that the command does not take, that needs another, or that contradicts one. */
static const struct {
    const char *arguments, *words;
} without_effect[] = {
    {"list --h .1", "list takes no --h"},
    {"list pour-boxes", "unexpected argument 'pour-boxes'"},
    {"run pour-boxes --out x", "run takes no --out: it takes --contact"},
    {"compare pour-boxes --contact ode --out x --trace y", "compare takes no --trace"},
    {"demo --contact peg", "demo takes no --contact"},
    {"sweep x --out y --seed 3",
     "sweep takes no --seed: it takes --out, --jobs, --part and --quiet"},
    {"run pour-boxes --steps 1 --trace-every 2", "without --trace, --video or --gltf"},
    {"run pour-boxes --steps 1 --trace-compact", "--trace-compact has no effect without --trace"},
    {"run pour-boxes --steps 1 --capture-rows 1:2", "without --capture"},
    {"run pour-boxes --steps 1 --video-speed 2", "without --video"},
    {"run pour-boxes --steps 1 --time 1", "--time and --steps"},
    {"view pour-boxes --steps 1", "--picture"},
    {"run pour-boxes --steps 1 --steps 2", "--steps is given twice"},
    {"run pour-boxes --steps 1 --mesh-dir /tmp", "'pour-boxes', which is not a file"},
    {"run pour-boxes --trace --quiet", "--trace needs a name"},
    {"run pour-boxes --trace ''", "--trace needs a name"},
    {"run pour-boxes --trace x --summary x", "two options write to 'x'"},
    {"run pour-boxes --video x.avi", ".mp4 or .gif"},
    {"check x --summary x", "'x' is read"},
    {"experiment sawtooth --out x --run -1", "--run"},
    {"experiment sawtooth --out x --quick --run 100000", "--run"},
    {"experiment nothing --out x --run 1", "no experiment 'nothing'"},
    {"bench --out x --n-max 0", "--n-max"},
    {"bench --out x --budget -1", "--budget"},
    {"bench --out x --results /nowhere", "'/nowhere'"},
    {"run pour-boxes.jsonl", ".json, .xml or .urdf"},
    {"losses pour-boxes --set bodies=0", "bodies"},
    {"ode-demos --scene pour-boxes", "pour-boxes"},
};

START_TEST(refuses_options_without_effect)
{
    ck_assert(lab_refused(without_effect[_i].arguments, without_effect[_i].words));
}
END_TEST

/* What is no scene, plan or trace: an empty file, a folder, bytes, text, half of a file. */
START_TEST(refuses_rubbish_files)
{
    static const char *const commands[] = {"run %s.json --steps 1", "run %s.xml --steps 1",
                                           "run %s.urdf --steps 1", "convert %s.json --out x",
                                           "sweep %s.json --out x", "check %s.json",
                                           "play %s.json",          "report %s.json --out x",
                                           "losses %s.json"};
    static const char *const ends[] = {"json", "xml", "urdf"};
    static const struct {
        const char *text, *words; /* text null: a folder */
    } files[] = {{"", "is empty"},
                 {NULL, "is a folder"},
                 {"\x01\xff\xfe\x02\x03", "bad"},
                 {"some words\n", "bad"},
                 {"{\"format\": \"ode", "bad"},
                 {"<mujoco><worldbody>", "bad"},
                 {"{}", "bad"},
                 {"[]\n[]\n", "bad"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        for (int k = 0; k < 3; k++) {
            char name[16];
            snprintf(name, sizeof name, "bad.%s", ends[k]);
            if (files[i].text) {
                rmdir(test_path(name));
                lab_write_text(test_path(name), files[i].text);
            } else {
                ck_assert_int_eq(remove(test_path(name)), 0);
                ck_assert_int_eq(mkdir(test_path(name), 0777), 0);
            }
        }
        for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
            char command[1024];
            snprintf(command, sizeof command, commands[k], test_path("bad"));
            ck_assert(lab_refused(command, files[i].words));
        }
    }
}
END_TEST

/* What a refused run would have overwritten stays. */
START_TEST(refused_runs_keep_files)
{
    char command[1024];
    lab_write_text(test_path("kept.jsonl"), "kept");
    snprintf(command, sizeof command, "run pour-boxes --set bodies=0 --trace %s",
             test_path("kept.jsonl"));
    ck_assert(lab_refused(command, "bodies"));
    char *text = lab_read_text(test_path("kept.jsonl"));
    ck_assert_str_eq(text, "kept");
    free(text);
    snprintf(command, sizeof command, "report /nowhere --out %s", test_path("none.html"));
    ck_assert(lab_refused(command, "/nowhere"));
    ck_assert_int_ne(access(test_path("none.html"), F_OK), 0);
}
END_TEST

START_TEST(refuses_bad_usage)
{
    ck_assert(lab_refused("", "no command given"));
    ck_assert(lab_refused("fly", "no command 'fly'"));
    ck_assert(lab_refused("run", "needs a scene"));
    ck_assert(lab_refused("run nowhere", "no scene 'nowhere'"));
    ck_assert(lab_refused("run pour-boxes twice", "unexpected argument"));
    ck_assert(lab_refused("run pour-boxes --contact magic", "no contact model 'magic'"));
    ck_assert(lab_refused("run pour-boxes --contact ''", "no contact model"));
    ck_assert(lab_refused("run pour-boxes --contact ode,peg", "compare takes several"));
    ck_assert(lab_refused("run pour-boxes --contact ode,ode", "twice"));
    ck_assert(lab_refused("experiment one --out x", "experiment list"));
    ck_assert(lab_refused("bench", "--out DIR"));
    ck_assert(lab_refused("bench pour-boxes --out x", "--scene"));
    ck_assert(lab_refused("bench --out x --h .01", "itself"));
    ck_assert(lab_refused("bench --out x --scene nowhere", "no such case"));
    ck_assert(lab_refused("run pour-boxes --h 0", "--h"));
    ck_assert(lab_refused("run pour-boxes --h -1", "--h"));
    ck_assert(lab_refused("run pour-boxes --h nan", "--h"));
    ck_assert(lab_refused("run pour-boxes --h 1e300 --steps 1", "--h"));
    ck_assert(lab_refused("run pour-boxes --trace x --trace-quantum 1e-300", "--trace-quantum"));
    ck_assert(lab_refused("run pour-boxes --h 1x", "--h 1x: invalid numeric"));
    ck_assert(lab_refused("run pour-boxes --time inf", "--time"));
    ck_assert(lab_refused("run pour-boxes --steps 0", "--steps"));
    ck_assert(lab_refused("run pour-boxes --steps 1.5", "numeric"));
    ck_assert(lab_refused("run pour-boxes --seed -1", "--seed"));
    ck_assert(lab_refused("run pour-boxes --mu -1", "--mu"));
    ck_assert(lab_refused("run pour-boxes --mu much", "numeric"));
    ck_assert(lab_refused("run pour-boxes --set directions=5", "directions"));
    ck_assert(lab_refused("run bounce --set restitution=2", "restitution"));
    ck_assert(lab_refused("run pour-boxes --set bodies", "key=number"));
    ck_assert(lab_refused("run pour-boxes --set =3", "key=number"));
    ck_assert(lab_refused("run pour-boxes --set bodies=many", "must be a number"));
    ck_assert(lab_refused("run pour-boxes --set bodies=2.5", "whole number"));
    ck_assert(lab_refused("run pour-boxes --set bodies=0", "whole number"));
    ck_assert(lab_refused(
        "run pour-boxes --set colour=3",
        "no key 'colour': it knows scale, turn, directions, primaries, threads, psi-minimum, "
        "sin-theta, tan-phi, edges, fallback, stiffness, "
        "gamma, gradient, traps, adjacent, passes, narrow, rotation, mesh-search, bodies"));
    ck_assert(lab_refused("run pour-boxes --set scale=0", "scale"));
    ck_assert(lab_refused("run pour-boxes --set bodies=3 --set bodies=4", "'bodies' twice"));
    ck_assert(lab_refused("run pour-boxes --unknown", "--unknown"));
    ck_assert(lab_refused("run pour-boxes --trace /nowhere/at/all --steps 1", "--trace"));
    ck_assert(lab_refused("run pour-boxes --summary /nowhere/at/all --steps 1", "--summary"));
    ck_assert(lab_refused("compare pour-boxes --contact ode", "--out"));
    ck_assert(lab_refused("compare pour-boxes --contact ode --out /dev/null/x", "--out"));
    ck_assert(lab_refused("run nowhere.json", "cannot be opened"));
    ck_assert(lab_refused("run /", "/: "));
}
END_TEST

/* ---- traces and summaries -------------------------------------------------------------------- */

/* A number inside nested objects: "energy.initial". */
static double figure(const json_t *json, const char *path)
{
    char key[64];
    while (*path) {
        size_t n = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)n, path);
        json = json_object_get(json, key);
        ck_assert_msg(json != NULL, "no %s", key);
        path += n + (path[n] == '.');
    }
    ck_assert(json_is_number(json));
    return json_number_value(json);
}

typedef struct traced_body {
    int dynamic, parts;
    double mass, inertia[9];
    lab_shape *shape[8], *placed[8];
} traced_body;

static void read_numbers(const json_t *list, double *out, size_t n)
{
    ck_assert_uint_eq(json_array_size(list), n);
    for (size_t i = 0; i < n; i++) out[i] = json_number_value(json_array_get(list, i));
}

/* The faces as the trace has them must be the faces of the hull of its vertices, wound outwards. */
static lab_shape *traced_shape(const json_t *part)
{
    const json_t *vertices = json_object_get(part, "vertices"), *faces;
    double p[200][3];
    size_t n = json_array_size(vertices), i;
    ck_assert_str_eq(json_string_value(json_object_get(part, "type")), "convex");
    ck_assert(n >= 4 && n < 200);
    for (i = 0; i < n; i++) read_numbers(json_array_get(vertices, i), p[i], 3);
    lab_shape *hull = lab_shape_hull((const double(*)[3])p, (int)n);
    ck_assert_ptr_nonnull(hull);
    faces = json_object_get(part, "faces");
    ck_assert_int_eq((int)json_array_size(faces), hull->nf);
    ck_assert_int_eq((int)n, hull->nv);
    double six = 0;
    for (i = 0; i < json_array_size(faces); i++) {
        const json_t *face = json_array_get(faces, i);
        for (size_t c = 1; c + 1 < json_array_size(face); c++) {
            const double *a = p[json_integer_value(json_array_get(face, 0))];
            const double *b = p[json_integer_value(json_array_get(face, c))];
            double cross[3];
            peg_cross(b, p[json_integer_value(json_array_get(face, c + 1))], cross);
            six += peg_dot(a, cross);
        }
    }
    lab_moments m;
    lab_shape_moments(hull, &m);
    ck_assert_double_eq_tol(six / 6, m.volume, 1e-12 * m.volume);
    return hull;
}

static int read_header(const json_t *header, traced_body *body, int room)
{
    const json_t *bodies = json_object_get(header, "bodies");
    int n = (int)json_array_size(bodies);
    ck_assert_str_eq(json_string_value(json_object_get(header, "format")), "ode-peg-trace");
    ck_assert_double_eq(figure(header, "version"), 1);
    ck_assert(json_is_array(json_object_get(header, "connected")));
    ck_assert_int_le(n, room);
    for (int i = 0; i < n; i++) {
        const json_t *json = json_array_get(bodies, (size_t)i);
        const json_t *parts = json_object_get(json, "parts");
        traced_body *b = &body[i];
        *b = (traced_body){.parts = (int)json_array_size(parts), .mass = figure(json, "mass")};
        ck_assert(json_is_string(json_object_get(json, "name")));
        b->dynamic = json_object_get(json, "inertia") != NULL;
        ck_assert(json_is_boolean(json_object_get(json, "static")));
        if (b->dynamic) read_numbers(json_object_get(json, "inertia"), b->inertia, 9);
        for (int p = 0; p < b->parts; p++) {
            b->shape[p] = traced_shape(json_array_get(parts, (size_t)p));
            b->placed[p] = lab_shape_copy(b->shape[p]);
        }
    }
    return n;
}

/* Energy of the bodies at a line of the trace. */
static double line_energy(const json_t *line, const traced_body *body, int n, const double g[3])
{
    double sum = 0, p[7], v[6], R[9], w[3], Iw[3];
    for (int i = 0; i < n; i++) {
        const json_t *pose = json_array_get(json_object_get(line, "pose"), (size_t)i);
        if (!body[i].dynamic || json_is_null(pose)) continue;
        read_numbers(pose, p, 7);
        read_numbers(json_array_get(json_object_get(line, "vel"), (size_t)i), v, 6);
        peg_quat_to_mat(p + 3, R);
        peg_rotate_back(R, v + 3, w);
        peg_rotate(body[i].inertia, w, Iw);
        sum +=
            .5 * body[i].mass * peg_dot(v, v) + .5 * peg_dot(w, Iw) - body[i].mass * peg_dot(g, p);
    }
    return sum;
}

/* Overlap volume and depth at a line of the trace. */
static void line_overlap(const json_t *line, traced_body *body, int n, double *volume,
                         double *depth)
{
    double p[7], R[9];
    int here[64];
    *volume = 0;
    for (int i = 0; i < n; i++) {
        const json_t *pose = json_array_get(json_object_get(line, "pose"), (size_t)i);
        here[i] = !json_is_null(pose);
        if (!here[i]) continue;
        read_numbers(pose, p, 7);
        peg_quat_to_mat(p + 3, R);
        for (int k = 0; k < body[i].parts; k++)
            lab_shape_move(body[i].shape[k], p, R, body[i].placed[k]);
    }
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            for (int k = 0; here[i] && here[j] && k < body[i].parts; k++)
                for (int m = 0; m < body[j].parts; m++) {
                    if (!body[i].dynamic && !body[j].dynamic) continue;
                    *volume += lab_overlap_volume(body[i].placed[k], body[j].placed[m]);
                    *depth = fmax(*depth, -lab_separation(body[i].placed[k], body[j].placed[m], 0));
                }
}

/* The steps of a run whose trace and summary were compared. */
static long compared_steps(const char *scene, const char *contact)
{
    char command[512];
    traced_body body[64];
    snprintf(command, sizeof command,
             "run %s --contact %s --time 1.5 --seed 3 --quiet --trace %s --summary %s", scene,
             contact, test_path("trace"), test_path("summary"));
    ck_assert_int_eq(lab_run_program(command), 0);
    json_t *summary = json_load_file(test_path("summary"), 0, NULL);
    ck_assert_ptr_nonnull(summary);
    ck_assert_str_eq(json_string_value(json_object_get(summary, "contact")), contact);
    char *text = lab_read_text(test_path("trace")), *line = text;
    long steps = -2;
    int n = 0, seen = 0;
    double g[3], depth = 0, most = 0, energy = 0, h = figure(summary, "h");
    for (char *end; (end = strchr(line, '\n')); line = end + 1, steps++) {
        *end = 0;
        json_t *json = json_loads(line, 0, NULL);
        ck_assert_ptr_nonnull(json);
        if (steps == -2) {
            n = read_header(json, body, 64);
            read_numbers(json_object_get(json, "gravity"), g, 3);
            ck_assert_double_eq(figure(json, "h"), h);
        } else {
            double volume;
            ck_assert_double_eq(figure(json, "step"), (double)(steps + 1));
            ck_assert_double_eq_tol(figure(json, "t"), (double)(steps + 1) * h, 1e-12);
            ck_assert_int_eq((int)json_array_size(json_object_get(json, "pose")), n);
            ck_assert(json_is_object(json_object_get(json, "stats")));
            line_overlap(json, body, n, &volume, &depth);
            most = fmax(most, volume);
            energy = line_energy(json, body, n, g);
            seen |= json_is_null(json_array_get(json_object_get(json, "pose"), (size_t)n - 1));
        }
        json_decref(json);
    }
    ck_assert_int_eq(seen, 1); /* the last body was still to come at first */
    ck_assert_double_eq(figure(summary, "steps"), (double)steps);
    ck_assert_double_eq_tol(figure(summary, "overlap_volume.max"), most, 1e-12);
    ck_assert_double_eq_tol(figure(summary, "depth_max"), depth, 1e-12);
    ck_assert_double_eq_tol(figure(summary, "energy.final"), energy, 1e-9 * fabs(energy));
    ck_assert_double_eq(figure(summary, "solver.steps"), (double)steps);
    static const char *const there[] = {"bodies",
                                        "seed",
                                        "wall_s",
                                        "overlap_volume.median",
                                        "solver.locks",
                                        "solver.secant",
                                        "solver.switches",
                                        "energy.gain_max_per_step",
                                        "solver.rows.max",
                                        "solver.rows.mean",
                                        "solver.outer.max",
                                        "solver.fallback.clearance",
                                        "phase_ms.solve",
                                        "phase_ms.pairs",
                                        "solver.unconverged",
                                        "solver.fallback.scaled"};
    for (size_t i = 0; i < sizeof there / sizeof there[0]; i++) figure(summary, there[i]);
    for (int i = 0; i < n; i++)
        for (int p = 0; p < body[i].parts; p++) {
            lab_shape_free(body[i].shape[p]);
            lab_shape_free(body[i].placed[p]);
        }
    json_decref(summary);
    free(text);
    return steps;
}

START_TEST(traces_and_summaries_agree)
{
    ck_assert_int_eq(compared_steps("pour-boxes", "peg"), 150);
    ck_assert_int_eq(compared_steps("pour-convex", "ode"), 150);
    ck_assert_int_eq(compared_steps("pour-boxes", "ode-quick"), 150);
    ck_assert_int_eq(compared_steps("pour-convex", "st"), 150);
}
END_TEST

/* A ball that rolls down a heightfield is listed; what rests is not. */
START_TEST(what_moves_is_listed)
{
    char command[256];
    static const char *const scenes[] = {"mesh-roll", "mesh-rest"};
    json_t *summary[2];
    for (int i = 0; i < 2; i++) {
        snprintf(command, sizeof command, "run %s --quiet --summary %s", scenes[i],
                 test_path("summary"));
        ck_assert_int_eq(lab_run_program(command), 0);
        summary[i] = json_load_file(test_path("summary"), 0, NULL);
        ck_assert_double_eq(figure(summary[i], "moving.moving"), i == 0);
    }
    const json_t *ball =
        json_array_get(json_object_get(json_object_get(summary[0], "moving"), "most_kinetic"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(ball, "name")), "ball");
    ck_assert_str_eq(json_string_value(json_object_get(ball, "class")), "sphere");
    ck_assert_str_eq(json_string_value(json_object_get(ball, "on_class")), "heightfield");
    ck_assert_double_gt(figure(ball, "kinetic"), figure(ball, "kinetic_before"));
    ck_assert_double_lt(figure(ball, "energy_change"), 0);
    ck_assert_double_ge(figure(summary[0], "moving.seconds"), 2);
    for (int i = 0; i < 2; i++) json_decref(summary[i]);
    ck_assert_int_eq(lab_run_program("run mesh-roll"), 0);
    char *said = lab_read_text(test_path("stdout"));
    ck_assert_ptr_nonnull(strstr(said, "\nmoving bodies: 1 of 1"));
    ck_assert_ptr_nonnull(strstr(said, "\n  ball (sphere) at ("));
    free(said);
}
END_TEST

/* The coefficient is --mu, else the scene's or the scene file's. */
static void mu_is(const char *arguments, double mu)
{
    char command[1536];
    snprintf(command, sizeof command, "run %s --steps 1 --quiet --summary %s", arguments,
             test_path("summary"));
    ck_assert_int_eq(lab_run_program(command), 0);
    json_t *summary = json_load_file(test_path("summary"), 0, NULL);
    ck_assert_double_eq(figure(summary, "mu"), mu);
    json_decref(summary);
}

START_TEST(friction_is_chosen)
{
    mu_is("slide", 0.5);
    mu_is("slide --mu 0", 0);
    mu_is("pour-boxes", 0);
    mu_is("pour-boxes --contact st --mu .25", 0.25);
    char *text = lab_read_text(lab_data_path("drop.json")), arguments[1280];
    char *mu = strstr(text, "\"coefficient_friction\": 0,");
    ck_assert_ptr_nonnull(mu);
    strchr(mu, '0')[0] = '2';
    lab_write_text(test_path("rough.json"), text);
    free(text);
    snprintf(arguments, sizeof arguments, "%s --mesh-dir %s", test_path("rough.json"),
             lab_data_path("meshes"));
    mu_is(arguments, 2);
    snprintf(arguments, sizeof arguments, "%s", lab_data_path("drop.json"));
    mu_is(arguments, 0);
}
END_TEST

START_TEST(same_seed_same_bits)
{
    static const char *const contacts[] = {"peg", "ode-quick"};
    for (int i = 0; i < 2; i++) {
        char command[256], *text[3];
        for (int k = 0; k < 3; k++) {
            snprintf(command, sizeof command,
                     "run pour-convex --contact %s --seed %d --time 1 --quiet --trace %s",
                     contacts[i], k < 2 ? 5 : 6, test_path("trace"));
            ck_assert_int_eq(lab_run_program(command), 0);
            text[k] = lab_read_text(test_path("trace"));
        }
        ck_assert_str_eq(text[0], text[1]);
        ck_assert_str_ne(text[0], text[2]);
        for (int k = 0; k < 3; k++) free(text[k]);
    }
}
END_TEST

static void is_picture(const char *name)
{
    char *picture = lab_read_text(test_path(name));
    ck_assert(memcmp(picture, "\x89PNG", 4) == 0);
    free(picture);
}

START_TEST(compares)
{
    char command[256];
    snprintf(command, sizeof command,
             "compare pour-boxes --contact ode,peg --out %s/new/folder --steps 30 --quiet",
             test_folder());
    ck_assert_int_eq(lab_run_program(command), 0);
    json_t *list = json_load_file(test_path("new/folder/summary.json"), 0, NULL);
    ck_assert_uint_eq(json_array_size(list), 2);
    ck_assert_str_eq(json_string_value(json_object_get(json_array_get(list, 1), "contact")), "peg");
    json_decref(list);
    char *table = lab_read_text(test_path("new/folder/table.txt"));
    ck_assert_ptr_nonnull(strstr(table, "\node "));
    ck_assert_ptr_nonnull(strstr(table, "\npeg "));
    free(table);
    is_picture("new/folder/picture.png");
}
END_TEST

START_TEST(runs_the_demos_of_ode)
{
    char command[256];
    snprintf(command, sizeof command,
             "ode-demos --scene demo-tracks --contact ode-quick,peg --time 0.1 --out %s/demos",
             test_folder());
    ck_assert_int_eq(lab_run_program(command), 0);
    json_t *list = json_load_file(test_path("demos/demos.json"), 0, NULL);
    ck_assert_uint_eq(json_array_size(list), 2);
    json_decref(list);
    char *said = lab_read_text(test_path("stdout")),
         *table = lab_read_text(test_path("demos/table.txt"));
    ck_assert_str_eq(said, table);
    char *progress = lab_read_text(test_path("stderr"));
    ck_assert_ptr_nonnull(strstr(progress, "ode-demos: 1 scenes\n"));
    free(progress);
    ck_assert_ptr_nonnull(strstr(table, "\ndemo-tracks            peg "));
    free(said);
    free(table);
    is_picture("demos/demo-tracks.png");
    snprintf(command, sizeof command, "run demo-cards --time 0.02 --quiet --picture %s/cards.png",
             test_folder());
    ck_assert_int_eq(lab_run_program(command), 0);
    is_picture("cards.png");
    snprintf(command, sizeof command, "ode-demos --scene demo-nil --quiet --out %s/demos",
             test_folder());
    ck_assert(lab_refused(command, "demo-nil"));
    ck_assert(lab_refused("ode-demos --out /dev/null/x", "--out"));
    ck_assert(lab_refused("ode-demos --h 0.1", "step sizes"));
    ck_assert(
        lab_refused("run demo-cards --time 0.02 --quiet --picture /dev/null/x.png", "--picture"));
}
END_TEST

/* ---- bench ----------------------------------------------------------------------------------- */

static void check_record(const json_t *r)
{
    static const char *const numbers[] = {"n",    "mu",        "h",         "step_ms",
                                          "rows", "depth_max", "ratio_ode", "ratio_quick"};
    static const char *const phases[] = {"pairs", "rows", "solve", "check", "ode"};
    const char *model = json_string_value(json_object_get(r, "model"));
    for (int i = 0; i < 8; i++) ck_assert(json_is_number(json_object_get(r, numbers[i])));
    for (int i = 0; i < 5; i++)
        ck_assert(json_is_number(json_object_get(json_object_get(r, "phase_ms"), phases[i])));
    ck_assert(json_is_string(json_object_get(r, "scene")));
    ck_assert_double_gt(json_number_value(json_object_get(r, "step_ms")), 0);
    ck_assert_ptr_null(json_object_get(r, "failed"));
    ck_assert_ptr_nonnull(model);
    if (!strcmp(model, "peg"))
        ck_assert_double_eq(json_number_value(json_object_get(r, "depth_max")), 0);
}

/* One small scene with all models; no time is judged, and far more is given than it takes. */
START_TEST(benches)
{
    char command[256];
    size_t i;
    json_t *r;
    snprintf(command, sizeof command,
             "bench --quick --scene pour-boxes --n-max 10 --mu .5 --budget 600 --out %s",
             test_path("bench"));
    ck_assert_int_eq(lab_run_program(command), 0);
    json_t *report = json_load_file(test_path("bench/bench.json"), 0, NULL);
    const json_t *records = json_object_get(report, "records");
    const json_t *accuracy = json_object_get(report, "equal_accuracy");
    /* moving and settled; peg, st and stock ODE with both steppers */
    ck_assert_uint_eq(json_array_size(records), 2 * 4);
    ck_assert_uint_eq(json_array_size(accuracy), 2 * 4);
    json_array_foreach(records, i, r) check_record(r);
    r = json_array_get(accuracy, 0);
    ck_assert(json_is_number(json_object_get(r, "h")));
    ck_assert(json_is_number(json_object_get(r, "second_ms")));
    ck_assert(json_is_number(json_object_get(r, "ratio_ode")));
    ck_assert(json_is_number(json_object_get(r, "ratio_quick")));
    json_decref(report);
    ck_assert_int_eq(access(test_path("bench/table.txt"), R_OK), 0);
    ck_assert_int_eq(access(test_path("bench/cost.png"), R_OK), 0);
    ck_assert_int_eq(access(test_path("bench/bench.csv"), R_OK), 0);
}
END_TEST

/* Points without the steps that were wanted are told from others, and what ends cases is said. */
START_TEST(bench_says_what_time_leaves_out)
{
    char command[256];
    size_t i, left_out;
    json_t *r;
    snprintf(command, sizeof command,
             "bench --quick --scene bridge --contact peg,ode-quick --budget .02 --out %s",
             test_path("bench-short"));
    ck_assert_int_eq(lab_run_program(command), 0);
    json_t *report = json_load_file(test_path("bench-short/bench.json"), 0, NULL);
    json_array_foreach(json_object_get(report, "records"), i, r)
    {
        const json_t *complete = json_object_get(r, "complete");
        ck_assert(json_is_boolean(complete));
        if (json_integer_value(json_object_get(r, "steps")) < 30)
            ck_assert(!json_is_true(complete));
    }
    left_out = json_array_size(json_object_get(report, "skipped"));
    ck_assert_uint_gt(left_out, 0);
    json_array_foreach(json_object_get(report, "skipped"), i, r)
    {
        ck_assert_ptr_null(strstr(json_string_value(r), "signal"));
    }
    json_decref(report);
}
END_TEST

/* A world that takes over another one's state goes on as that one does. */
START_TEST(takes_over_a_state)
{
    char text[LAB_TEXT];
    int user;
    lab_options options = {.contact = LAB_ODE, .seed = 3};
    lab_world *a = lab_open(lab_scene_find("pour-boxes"), &options, text, &user);
    lab_world *b = lab_open(lab_scene_find("pour-boxes"), &options, text, &user);
    for (int i = 0; i < 80; i++) ck_assert_int_eq(lab_step(a), 0);
    ck_assert_int_eq(lab_match(b, a), 0);
    ck_assert_int_eq(lab_steps(b), 80);
    for (int i = 0; i < 5; i++) ck_assert(!lab_step(a) && !lab_step(b));
    for (int i = 0; i < lab_body_count(a); i++) {
        double x[3], y[3];
        ck_assert_int_eq(lab_body_present(lab_body_at(a, i)), lab_body_present(lab_body_at(b, i)));
        lab_pose(lab_body_at(a, i), x, NULL);
        lab_pose(lab_body_at(b, i), y, NULL);
        for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(x[k], y[k], 1e-12);
    }
    lab_close(a);
    lab_close(b);
}
END_TEST

/* --- losses --- */

/* One ball falls; the other rolls, which loses nothing. The losses of flight are those of ODE's
 * integrator: m g^2 h^2 / 2 in a step, a quarter of it in four of a quarter, a body's weight in
 * flight. Shorter steps leave no trace. */
START_TEST(shorter_steps_are_made_besides)
{
    char text[LAB_TEXT];
    int user;
    lab_options options = {.contact = LAB_PEG, .seed = 3};
    lab_world *a = lab_open(lab_scene_find("bounce"), &options, text, &user);
    lab_world *b = lab_open(lab_scene_find("bounce"), &options, text, &user);
    double h = lab_step_size(a), flight = 0;
    lab_ask_finer(b, 4);
    for (int i = 0; i < lab_body_count(a); i++)
        flight += .5 * lab_body_at(a, i)->mass * pow(9.81 * h, 2);
    for (int step = 0; step < 200; step++) {
        ck_assert(!lab_step(a) && !lab_step(b));
        if (step) continue;
        lab_finer f = lab_last_finer(b);
        double lost = -lab_world_energy(b).step_gain;
        ck_assert_double_eq_tol(lost, flight, 1e-9 * flight);
        ck_assert_double_eq_tol(f.flight, flight, 1e-9 * flight);
        ck_assert_double_eq_tol(-f.gain, flight / 4, 1e-9 * flight);
        ck_assert_double_eq_tol(-f.after, flight / 4, 1e-9 * flight);
    }
    for (int i = 0; i < lab_body_count(a); i++) {
        lab_body *p = lab_body_at(a, i), *q = lab_body_at(b, i);
        ck_assert(!memcmp(p->now.x, q->now.x, sizeof p->now.x));
        ck_assert(!memcmp(p->now.v, q->now.v, sizeof p->now.v));
    }
    lab_close(a);
    lab_close(b);
}
END_TEST

START_TEST(losses_are_told)
{
    ck_assert_int_eq(lab_run_program("losses bounce --time 1"), 0);
    char *said = lab_read_text(test_path("stdout"));
    ck_assert_ptr_nonnull(strstr(said, ": 100 steps, 0 lose too much"));
    free(said);
    ck_assert(lab_refused("losses bounce --contact ode", "exact contacts"));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("lab");
    TCase *tests = tcase_create("lab");
    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, lists_scenes);
    tcase_add_loop_test(tests, refuses_options_without_effect, 0,
                        sizeof without_effect / sizeof *without_effect);
    tcase_add_test(tests, refuses_rubbish_files);
    tcase_add_test(tests, refused_runs_keep_files);
    tcase_add_loop_test(tests, refuses_keys_out_of_range, 0,
                        sizeof out_of_range / sizeof *out_of_range);
    tcase_add_test(tests, refuses_bad_usage);
    tcase_add_test(tests, traces_and_summaries_agree);
    tcase_add_test(tests, what_moves_is_listed);
    tcase_add_test(tests, friction_is_chosen);
    tcase_add_test(tests, same_seed_same_bits);
    tcase_add_test(tests, compares);
    tcase_add_test(tests, runs_the_demos_of_ode);
    tcase_add_test(tests, shorter_steps_are_made_besides);
    tcase_add_test(tests, losses_are_told);
    TCase *bench = tcase_create("bench");
    suite_add_tcase(suite, lab_scene_tests());
    suite_add_tcase(suite, lab_rubbish_tests());
    suite_add_tcase(suite, bench);
    tcase_set_timeout(bench, 120);
    test_long(bench);
    tcase_add_test(bench, benches);
    tcase_add_test(bench, bench_says_what_time_leaves_out);
    tcase_add_test(bench, takes_over_a_state);
    return suite;
}
