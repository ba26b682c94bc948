/* The lab: command line, traces and summaries (of the built program), scenes from files, the
 * builder's promises. Environment: PEG_LAB, the program; LAB_DATA, tests/data. */
#include <check.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/runner.h"
#include "demos/lab/lab.h"
#include "demos/report/recorder.h"
#include "demos/oracle/overlap.h"
#include "demos/world/world.h"
#include "peg/base/math.h"

static const char *folder; /* for what the tests write */

static const char *data_path(const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", getenv("LAB_DATA"), name);
    return path;
}

static const char *out_path(const char *name)
{
    static char path[4][128];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    size_t room = 1 << 16, used = 0, n;
    char *text = malloc(room + 1);
    while ((n = fread(text + used, 1, room - used, file)) > 0) {
        used += n;
        if (used == room) text = realloc(text, (room *= 2) + 1);
        ck_assert_ptr_nonnull(text);
    }
    text[used] = 0;
    fclose(file);
    return text;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

/* Runs the program; returns its exit status. What it says goes to files in the folder. */
static int lab(const char *arguments)
{
    char line[2048];
    snprintf(line, sizeof line, "'%s' %s >%s/stdout 2>%s/stderr", getenv("PEG_LAB"), arguments,
             folder, folder);
    int status = system(line);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Exit status 2 and exactly one line, which holds the words. */
static void refused(const char *arguments, const char *words)
{
    int status = lab(arguments);
    char *said = read_text(out_path("stderr"));
    size_t length = strlen(said);
    ck_assert_msg(status == 2, "%s: exit status %d, %s", arguments, status, said);
    ck_assert_msg(length > 0 && strchr(said, '\n') == said + length - 1, "%s: not one line: %s",
                  arguments, said);
    ck_assert_msg(strstr(said, words) != NULL, "%s: '%s' is not in: %s", arguments, words, said);
    free(said);
}

/* ---- command line ---------------------------------------------------------------------------- */

START_TEST(lists_scenes)
{
    ck_assert_int_eq(lab("list"), 0);
    char *said = read_text(out_path("stdout"));
    ck_assert(strncmp(said, "pour-boxes ", 11) == 0);
    ck_assert_ptr_nonnull(strstr(said, "\npour-convex "));
    free(said);
    ck_assert_int_eq(lab("--help"), 0);
}
END_TEST

START_TEST(refuses_bad_usage)
{
    refused("", "no command given");
    refused("fly", "no command 'fly'");
    refused("run", "needs a scene");
    refused("run nowhere", "no scene 'nowhere'");
    refused("run pour-boxes twice", "unexpected argument");
    refused("run pour-boxes --contact magic", "no contact model 'magic'");
    refused("run pour-boxes --contact ''", "no contact model");
    refused("run pour-boxes --contact ode,peg", "compare takes several");
    refused("run pour-boxes --contact ode,ode", "twice");
    refused("experiment one --out x", "experiment list");
    refused("bench", "--out DIR");
    refused("bench pour-boxes --out x", "--scene");
    refused("bench --out x --h .01", "itself");
    refused("bench --out x --scene nowhere", "no such case");
    refused("run pour-boxes --h 0", "--h");
    refused("run pour-boxes --h -1", "--h");
    refused("run pour-boxes --h nan", "--h");
    refused("run pour-boxes --h 1x", "numeric");
    refused("run pour-boxes --time inf", "--time");
    refused("run pour-boxes --steps 0", "--steps");
    refused("run pour-boxes --steps 1.5", "numeric");
    refused("run pour-boxes --seed -1", "--seed");
    refused("run pour-boxes --mu -1", "--mu");
    refused("run pour-boxes --mu much", "numeric");
    refused("run pour-boxes --set directions=5", "directions");
    refused("run bounce --set restitution=2", "restitution");
    refused("run pour-boxes --set bodies", "key=number");
    refused("run pour-boxes --set =3", "key=number");
    refused("run pour-boxes --set bodies=many", "must be a number");
    refused("run pour-boxes --set bodies=2.5", "whole number");
    refused("run pour-boxes --set bodies=0", "whole number");
    refused("run pour-boxes --set colour=3",
            "no key 'colour': it knows scale, turn, directions, primaries, threads, psi-minimum, "
            "sin-theta, tan-phi, edges, stiffness, "
            "gamma, gradient, traps, adjacent, passes, bodies");
    refused("run pour-boxes --set scale=0", "scale");
    refused("run pour-boxes --unknown", "--unknown");
    refused("run pour-boxes --trace /nowhere/at/all --steps 1", "--trace");
    refused("run pour-boxes --summary /nowhere/at/all --steps 1", "--summary");
    refused("compare pour-boxes --contact ode", "--out");
    refused("compare pour-boxes --contact ode --out /dev/null/x", "--out");
    refused("run nowhere.json", "cannot be opened");
    refused("run /", "/: ");
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

static void trace_agrees_with_summary(const char *scene, const char *contact)
{
    char command[512];
    traced_body body[64];
    snprintf(command, sizeof command,
             "run %s --contact %s --time 1.5 --seed 3 --quiet --trace %s --summary %s", scene,
             contact, out_path("trace"), out_path("summary"));
    ck_assert_int_eq(lab(command), 0);
    json_t *summary = json_load_file(out_path("summary"), 0, NULL);
    ck_assert_ptr_nonnull(summary);
    ck_assert_str_eq(json_string_value(json_object_get(summary, "contact")), contact);
    char *text = read_text(out_path("trace")), *line = text;
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
}

START_TEST(traces_and_summaries_agree)
{
    trace_agrees_with_summary("pour-boxes", "peg");
    trace_agrees_with_summary("pour-convex", "ode");
    trace_agrees_with_summary("pour-boxes", "ode-quick");
    trace_agrees_with_summary("pour-convex", "st");
}
END_TEST

/* The coefficient is --mu, else the scene's or the scene file's. */
static void mu_is(const char *arguments, double mu)
{
    char command[1536];
    snprintf(command, sizeof command, "run %s --steps 1 --quiet --summary %s", arguments,
             out_path("summary"));
    ck_assert_int_eq(lab(command), 0);
    json_t *summary = json_load_file(out_path("summary"), 0, NULL);
    ck_assert_double_eq(figure(summary, "mu"), mu);
    json_decref(summary);
}

START_TEST(friction_is_chosen)
{
    mu_is("slide", 0.5);
    mu_is("slide --mu 0", 0);
    mu_is("pour-boxes", 0);
    mu_is("pour-boxes --contact st --mu .25", 0.25);
    char *text = read_text(data_path("drop.json")), arguments[1280];
    char *mu = strstr(text, "\"coefficient_friction\": 0,");
    ck_assert_ptr_nonnull(mu);
    strchr(mu, '0')[0] = '2';
    write_text(out_path("rough.json"), text);
    free(text);
    snprintf(arguments, sizeof arguments, "%s --mesh-dir %s", out_path("rough.json"),
             data_path("meshes"));
    mu_is(arguments, 2);
    snprintf(arguments, sizeof arguments, "%s", data_path("drop.json"));
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
                     contacts[i], k < 2 ? 5 : 6, out_path("trace"));
            ck_assert_int_eq(lab(command), 0);
            text[k] = read_text(out_path("trace"));
        }
        ck_assert_str_eq(text[0], text[1]);
        ck_assert_str_ne(text[0], text[2]);
        for (int k = 0; k < 3; k++) free(text[k]);
    }
}
END_TEST

static void is_picture(const char *name)
{
    char *picture = read_text(out_path(name));
    ck_assert(memcmp(picture, "\x89PNG", 4) == 0);
    free(picture);
}

START_TEST(compares)
{
    char command[256];
    snprintf(command, sizeof command,
             "compare pour-boxes --contact ode,peg --out %s/new/folder --steps 30 --quiet", folder);
    ck_assert_int_eq(lab(command), 0);
    json_t *list = json_load_file(out_path("new/folder/summary.json"), 0, NULL);
    ck_assert_uint_eq(json_array_size(list), 2);
    ck_assert_str_eq(json_string_value(json_object_get(json_array_get(list, 1), "contact")), "peg");
    json_decref(list);
    char *table = read_text(out_path("new/folder/table.txt"));
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
             folder);
    ck_assert_int_eq(lab(command), 0);
    json_t *list = json_load_file(out_path("demos/demos.json"), 0, NULL);
    ck_assert_uint_eq(json_array_size(list), 2);
    json_decref(list);
    char *said = read_text(out_path("stdout")), *table = read_text(out_path("demos/table.txt"));
    ck_assert_str_eq(said, table);
    char *progress = read_text(out_path("stderr"));
    ck_assert_ptr_nonnull(strstr(progress, "ode-demos: 1 scenes\n"));
    free(progress);
    ck_assert_ptr_nonnull(strstr(table, "\ndemo-tracks            peg "));
    free(said);
    free(table);
    is_picture("demos/demo-tracks.png");
    snprintf(command, sizeof command, "run demo-cards --time 0.02 --quiet --picture %s/cards.png",
             folder);
    ck_assert_int_eq(lab(command), 0);
    is_picture("cards.png");
    snprintf(command, sizeof command, "ode-demos --scene demo-nil --quiet --out %s/demos", folder);
    refused(command, "demo-nil");
    refused("ode-demos --out /dev/null/x", "--out");
    refused("ode-demos --h 0.1", "step sizes");
    refused("run demo-cards --time 0.02 --quiet --picture /dev/null/x.png", "--picture");
}
END_TEST

/* ---- the builder ----------------------------------------------------------------------------- */

static lab_world *open_scene(const lab_scene *scene, lab_contact contact, const lab_setting *set,
                             int sets, void *data)
{
    lab_options options = {
        .contact = contact, .seed = 1, .steps = 40, .set = set, .sets = sets, .data = data};
    char text[LAB_TEXT];
    int user;
    lab_world *w = lab_open(scene, &options, text, &user);
    ck_assert_msg(w != NULL, "%s", text);
    return w;
}

/* An L of two boxes in one body, a hull whose centre of mass is off, under sideways gravity. */
static void build_shapes(lab_world *w)
{
    static const double ramp[6][3] = {{0, 0, 0}, {2, 0, 0}, {0, 0, 1},
                                      {0, 1, 0}, {2, 1, 0}, {0, 1, 1}};
    double q[4];
    lab_gravity(w, 1, 0, -9);
    lab_axis_angle(1, 1, 0, 40, q);
    lab_body *bent = lab_add(w, "bent", LAB_DYNAMIC, (double[3]){0, 0, 5}, q);
    lab_box(bent, (double[3]){2, 1, 1}, (double[3]){1, .5, .5}, NULL);
    lab_box(bent, (double[3]){1, 1, 1}, (double[3]){.5, .5, 1.5}, NULL);
    lab_velocity(bent, (double[3]){1, 2, 3}, (double[3]){.5, 0, 1});
    lab_body *wedge = lab_add(w, "wedge", LAB_DYNAMIC, (double[3]){0, 5, 5}, NULL);
    lab_hull(wedge, ramp, 6, (double[3]){1, 0, 0}, NULL);
    lab_mass(wedge, 3);
    lab_add_box(w, "block", LAB_KINEMATIC, 1, 1, 1, -5, 0, 0, NULL);
    lab_plane(w, "ground", (double[3]){0, 0, 1}, -8);
}

START_TEST(computes_mass_properties)
{
    static const lab_scene scene = {"shapes", "", .01, 1, build_shapes, NULL};
    lab_world *w = open_scene(&scene, LAB_ODE, NULL, 0, NULL);
    const lab_body *bent = lab_body_find(w, "bent"), *wedge = lab_body_find(w, "wedge");
    ck_assert_double_eq_tol(bent->mass, 3000, 1e-10);
    ck_assert_double_eq_tol(bent->com[0], 2.5 / 3, 1e-15);
    ck_assert_double_eq_tol(bent->com[2], 2.5 / 3, 1e-15);
    double x[3];
    lab_point(bent, (double[3]){0, 0, 0}, x);
    ck_assert_double_eq_tol(x[0], 0, 1e-14);
    ck_assert_double_eq_tol(x[2], 5, 1e-14);
    /* about the y axis through the centre of mass */
    double own = 2000 * 5 / 12. + 1000 * 2 / 12.;
    double steiner = 2000 * (pow(1 - 2.5 / 3, 2) + pow(.5 - 2.5 / 3, 2)) +
                     1000 * (pow(.5 - 2.5 / 3, 2) + pow(1.5 - 2.5 / 3, 2));
    ck_assert_double_eq_tol(bent->inertia[4], own + steiner, 1e-9);
    ck_assert_double_eq_tol(wedge->mass, 3, 1e-15);
    ck_assert_double_eq_tol(wedge->now.x[0], 1 + 2. / 3, 1e-14);
    ck_assert_double_eq_tol(wedge->now.x[2], 5 + 1. / 3, 1e-14);
    /* m (width^2 / 12 + height^2 / 18) about the long axis of a wedge */
    ck_assert_double_eq_tol(wedge->inertia[0], 3 * (1 / 12. + 1 / 18.), 1e-14);
    lab_close(w);
}
END_TEST

/* Turned and scaled, the motion is the same in the scene's own coordinates. */
START_TEST(turns_and_scales)
{
    static const lab_scene scene = {"shapes", "", .01, 1, build_shapes, NULL};
    static const double scales[] = {1e-3, 1, 100};
    for (int c = 0; c < LAB_CONTACT_COUNT; c++)
        for (int i = 0; i < 3; i++) {
            lab_setting set[2] = {{"scale", scales[i]}, {"turn", 37.5}};
            lab_world *a = open_scene(&scene, (lab_contact)c, NULL, 0, NULL);
            lab_world *b = open_scene(&scene, (lab_contact)c, set, 2, NULL);
            for (int k = 0; k < 40; k++) {
                ck_assert_int_eq(lab_step(a), 0);
                ck_assert_int_eq(lab_step(b), 0);
            }
            for (int k = 0; k < lab_body_count(a); k++) {
                double x[3], y[3], v[3], u[3], q[4], p[4], cosine = 0;
                lab_pose(lab_body_at(a, k), x, q);
                lab_pose(lab_body_at(b, k), y, p);
                lab_motion(lab_body_at(a, k), v, NULL);
                lab_motion(lab_body_at(b, k), u, NULL);
                for (int m = 0; m < 3; m++) {
                    ck_assert_double_eq_tol(x[m], y[m], 1e-11);
                    ck_assert_double_eq_tol(v[m], u[m], 1e-11);
                }
                for (int m = 0; m < 4; m++) cosine += q[m] * p[m];
                if (!lab_body_at(a, k)->is_plane) ck_assert_double_eq_tol(fabs(cosine), 1, 1e-12);
            }
            lab_close(a);
            lab_close(b);
        }
}
END_TEST

/* Three cubes fall on a floor: two of one group pass through each other, the third lands on them.
 * One more falls past the floor, out of the bounds. */
static void build_groups(lab_world *w)
{
    double low[3] = {-5, -5, 0}, high[3] = {5, 5, 9};
    lab_plane(w, "floor", (double[3]){0, 0, 1}, 0);
    lab_group(lab_add_box(w, "cube", LAB_DYNAMIC, 1, 1, 1, 0, 0, .6, NULL), 1);
    lab_group(lab_add_box(w, "cube", LAB_DYNAMIC, 1, 1, 1, .25, 0, 1.3, NULL), 1);
    lab_add_box(w, "cube", LAB_DYNAMIC, 1, 1, 1, 0, .25, 2.5, NULL);
    lab_bounds(w, low, high);
    lab_velocity(lab_add_box(w, "late", LAB_DYNAMIC, 1, 1, 1, 3, 0, .5, NULL),
                 (double[3]){300, 0, 0}, NULL);
    lab_enter(lab_body_find(w, "late"), .105, .5);
    lab_add_box(w, "post", LAB_STATIC, 1, 1, 2, 3, 0, 1, NULL);
}

START_TEST(groups_entering_and_bounds)
{
    static const lab_scene scene = {"groups", "", .01, 1, build_groups, NULL};
    for (int c = 0; c < LAB_CONTACT_COUNT; c++) {
        lab_world *w = open_scene(&scene, (lab_contact)c, NULL, 0, NULL);
        const lab_body *late = lab_body_find(w, "late"), *second = lab_body_find(w, "cube-2");
        double x[3], volume, depth;
        for (int i = 0; i < 120; i++) {
            ck_assert_int_eq(lab_body_present(late), i > 11);
            ck_assert_int_eq(lab_step(w), 0);
        }
        ck_assert_int_eq(lab_escaped(w), 1);
        lab_pose(second, x, NULL);
        /* as low as the first, inside of it; ap stops within the reach */
        ck_assert_double_eq_tol(x[2], .5, c == LAB_AP ? 3e-2 : 1e-2);
        lab_pose(lab_body_find(w, "cube-3"), x, NULL);
        ck_assert_double_eq_tol(x[2], 1.5, c == LAB_AP ? 6e-2 : 3e-2);
        lab_overlap(w, 1, &volume, &depth);
        ck_assert_double_le(depth, c == LAB_PEG ? 0 : .03);
        lab_recorder recorder = {.path = out_path("trace")};
        lab_observer observer = lab_recorder_observer(&recorder);
        observer.begin(&recorder, w);
        observer.end(&recorder, w);
        ck_assert_str_eq(lab_error(w), "");
        lab_recorder_free(&recorder);
        char *text = read_text(out_path("trace"));
        ck_assert_ptr_nonnull(strstr(text, "\"connected\":[[1,2]]"));
        free(text);
        lab_close(w);
    }
}
END_TEST

/* Inside of a step the pose moves along ODE's update, as if the step were shorter. */
START_TEST(poses_inside_of_a_step)
{
    static const lab_scene scene = {"shapes", "", .2, 1, build_shapes, NULL};
    lab_world *w = open_scene(&scene, LAB_ODE, NULL, 0, NULL);
    ck_assert_int_eq(lab_step(w), 0);
    const lab_body *b = lab_body_find(w, "bent");
    for (double s = 0; s <= 1; s += .125) {
        double x[3], q[4], dq[4], want[4], length = 0;
        lab_between(b, s, x, q);
        double spin[4] = {0, b->now.omega[0], b->now.omega[1], b->now.omega[2]};
        peg_quat_mul(spin, b->before.q, dq);
        for (int k = 0; k < 4; k++) {
            want[k] = b->before.q[k] + s * .1 * dq[k];
            length += want[k] * want[k];
        }
        for (int k = 0; k < 4; k++) ck_assert_double_eq_tol(q[k], want[k] / sqrt(length), 1e-14);
        for (int k = 0; k < 3; k++)
            ck_assert_double_eq_tol(x[k], b->before.x[k] + s * .2 * b->now.v[k], 1e-14);
    }
    lab_close(w);
}
END_TEST

/* ---- scenes from files ----------------------------------------------------------------------- */

START_TEST(reads_a_scene)
{
    char text[LAB_TEXT] = "";
    lab_file *file = lab_file_read(data_path("drop.json"), NULL, NULL, text);
    ck_assert_msg(file != NULL, "%s", text);
    ck_assert_double_eq(lab_file_scene(file)->h, .005);
    ck_assert_double_eq(lab_file_scene(file)->time, .5);
    lab_world *w = open_scene(lab_file_scene(file), LAB_PEG, NULL, 0, file);
    ck_assert_int_eq(lab_body_count(w), 4);
    const lab_body *sheet = lab_body_at(w, 0), *wedge = lab_body_at(w, 1),
                   *brick = lab_body_at(w, 2);
    lab_body *mover = lab_body_at(w, 3);
    ck_assert_int_eq(sheet->kind, LAB_STATIC);
    ck_assert_double_eq_tol(sheet->part[0].high[1], -1, 1e-15); /* the slab lies under the sheet */
    ck_assert_double_eq_tol(sheet->part[0].low[1], -1.8, 1e-14);
    ck_assert_double_eq_tol(wedge->mass, 500 * .5, 1e-10);
    ck_assert_double_eq_tol(wedge->now.omega[1], acos(0), 1e-15);
    /* the corner (2, 0, 0) of the mesh, scaled, turned by Rz Ry Rx, moved: an axis along x feels
     * only Rz Ry */
    double corner[3], cy = cos(40 * acos(-1) / 180), sy = sin(40 * acos(-1) / 180);
    double cz = cos(50 * acos(-1) / 180), sz = sin(50 * acos(-1) / 180);
    lab_point(wedge, (double[3]){1, 0, 0}, corner);
    ck_assert_double_eq_tol(corner[0], .5 + cz * cy, 1e-14);
    ck_assert_double_eq_tol(corner[1], 1 + sz * cy, 1e-14);
    ck_assert_double_eq_tol(corner[2], .25 - sy, 1e-14);
    ck_assert_double_eq_tol(brick->mass, 1000, 1e-9);
    ck_assert_double_eq_tol(brick->now.x[0], -1.5, 1e-14);
    for (int k = 1; k <= 4; k++) {
        ck_assert_int_eq(lab_step(w), 0);
        double angle = fmin(k, 3) * 10 * acos(-1) / 180, tip[3];
        lab_point(mover, (double[3]){2, 0, 0}, tip);
        ck_assert_double_eq_tol(tip[0], 3 + 2 * cos(angle), 1e-12);
        ck_assert_double_eq_tol(tip[1], .01 * fmin(k, 3), 1e-12);
        ck_assert_double_eq_tol(tip[2], -2 * sin(angle), 1e-12);
    }
    /* the force lifts a tenth of 1000 kg's accelerations */
    ck_assert_double_eq_tol(brick->now.v[1], 4 * .005 * (.1 - 9.8), 1e-13);
    lab_close(w);
    lab_file_free(file);
}
END_TEST

/* The L, on its own and with a face cut in another way: 3 m^3, one mesh, moments of two boxes. */
START_TEST(reads_a_solid)
{
    static const char *const body[] = {
        "{\"mesh\": \"notched.obj\"}",
        "{\"vertices\": [[0,0,0],[2,0,0],[2,0,1],[1,0,1],[1,0,2],[0,0,2],[0,1,0],[2,1,0],[2,1,1],"
        "[1,1,1],[1,1,2],[0,1,2]], \"faces\": [[5,4,3,2,1,0],[6,7,8,9,10,11],[1,7,6,0],[2,8,7,1],"
        "[3,9,8,2],[4,10,9,3],[5,11,10,4],[0,6,11,5]]}"}; /* inside out, faces not convex */
    for (int i = 0; i < 2; i++) {
        char text[LAB_TEXT] = "", json[1024], meshes[1024];
        snprintf(json, sizeof json, "{\"rigid_body_problem\": {\"rigid_bodies\": [%s]}}", body[i]);
        write_text(out_path("solid.json"), json);
        snprintf(meshes, sizeof meshes, "%s/meshes", getenv("LAB_DATA"));
        lab_file *file = lab_file_read(out_path("solid.json"), meshes, NULL, text);
        ck_assert_msg(file != NULL, "%s", text);
        lab_world *w = open_scene(lab_file_scene(file), LAB_PEG, NULL, 0, file);
        const lab_body *b = lab_body_at(w, 0);
        ck_assert_int_eq(b->part[0].shape->kind, LAB_SHAPE_MESH);
        ck_assert_double_eq_tol(b->mass, 3000, 1e-9);
        /* a box 2 x 1 x 1 about (1, .5, .5) and a cube about (.5, .5, 1.5) */
        ck_assert_double_eq_tol(b->com[0], 2.5 / 3, 1e-14);
        ck_assert_double_eq_tol(b->com[2], 2.5 / 3, 1e-14);
        double across = 2000 * (5. / 12) + 1000 * (2. / 12) + 2000. / 3 * 1.25;
        ck_assert_double_eq_tol(b->inertia[4], across, 1e-9);
        lab_close(w);
        lab_file_free(file);
    }
}
END_TEST

/* A scene whose only body is given; the rest is in order. */
static void refused_body(const char *body, const char *words)
{
    char text[2048], command[512];
    snprintf(
        text, sizeof text,
        "{\"timestep\": 0.01, \"max_time\": 0.1, \"rigid_body_problem\": {\"gravity\": [0,-9,0],"
        "\"rigid_bodies\": [%s]}}",
        body);
    write_text(out_path("bad.json"), text);
    snprintf(command, sizeof command, "run %s --mesh-dir %s/meshes", out_path("bad.json"),
             getenv("LAB_DATA"));
    refused(command, words);
}

START_TEST(refuses_what_it_cannot_represent)
{
    refused_body("{\"mesh\": \"missing.obj\"}", "--mesh-dir");
    refused_body("{\"mesh\": \"wedge.stl\"}", "--mesh-dir");
    refused_body("{\"mesh\": 3}", "name of a file");
    refused_body("{}", "neither");
    refused_body("3", "must be an object");
    refused_body("{\"mesh\": \"wedge.obj\", \"position\": [0, 0]}", "3D");
    refused_body("{\"mesh\": \"wedge.obj\", \"position\": [0, 0, \"x\"]}", "three numbers");
    refused_body("{\"mesh\": \"wedge.obj\", \"rotation\": 3}", "three numbers");
    refused_body("{\"mesh\": \"wedge.obj\", \"scale\": 0}", "scale");
    refused_body("{\"mesh\": \"wedge.obj\", \"density\": 0}",
                 "a dynamic body needs a positive one");
    refused_body("{\"mesh\": \"wedge.obj\", \"type\": \"soft\"}", "type 'soft' is unknown");
    refused_body("{\"mesh\": \"wedge.obj\", \"is_dof_fixed\": [true]}", "list of six");
    refused_body("{\"mesh\": \"wedge.obj\", \"springs\": [1]}", "springs");
    refused_body("{\"mesh\": \"wedge.obj\", \"enabled\": false}", "no body is enabled");
    refused_body("{\"vertices\": [[0,0],[1,0],[1,1]], \"edges\": [[0,1]]}", "3D");
    refused_body("{\"vertices\": [[0,0,0],[1,0,0],[1,1,0]], \"faces\": 3}", "faces");
    refused_body("{\"vertices\": [[0,0,0],[1,0,0]], \"edges\": [[0,2]]}", "not there");
    refused_body("{\"vertices\": [[0,0,0],[1,0,0]], \"edges\": [[0]]}", "pairs");
    refused_body("{\"vertices\": [[0,0,0],[1,0,0],[1,1,0]], \"faces\": [[0,1,7]]}", "not there");
    refused_body("\x01", "no JSON");
    static const struct {
        const char *text, *words;
    } files[] = {{"", "no JSON"},
                 {"[]", "rigid_body_problem"},
                 {"{}", "rigid_body_problem"},
                 {"{\"rigid_body_problem\": {}}", "rigid_bodies"},
                 {"{\"rigid_body_problem\": {\"springs\": [[0, 1]]}}", "springs"},
                 {"{\"timestep\": -1, \"rigid_body_problem\": {}}", "timestep"}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char command[256];
        write_text(out_path("bad.json"), files[i].text);
        snprintf(command, sizeof command, "run %s", out_path("bad.json"));
        refused(command, files[i].words);
    }
}
END_TEST

static void swallow(const char *text)
{
    ck_assert_ptr_nonnull(text);
}

/* Damages the scene file at random places: it is read or refused with a message, and what was read
 * runs or is refused. */
START_TEST(survives_rubbish)
{
    char *good = read_text(data_path("drop.json")), meshes[1024];
    size_t length = strlen(good);
    uint64_t state = 1;
    int read = 0;
    snprintf(meshes, sizeof meshes, "%s/meshes", getenv("LAB_DATA"));
    for (int i = 0; i < 1500; i++) {
        static const char rubbish[] = "0123456789-.e[]{},:\"tfn x\\";
        char *bad = strdup(good), text[LAB_TEXT] = "";
        for (int k = 0; k < 1 + i % 3; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            bad[(state >> 33) % length] = rubbish[(state >> 20) % (sizeof rubbish - 1)];
        }
        if (i % 10 == 9) bad[(state >> 33) % length] = 0;
        write_text(out_path("rubbish.json"), bad);
        lab_file *file = lab_file_read(out_path("rubbish.json"), meshes, swallow, text);
        ck_assert(file || (strlen(text) > 0 && !strchr(text, '\n')));
        if (file && read++ < 200) {
            lab_options options = {.contact = LAB_ODE, .steps = 2, .data = file};
            int user;
            lab_world *w = lab_open(lab_file_scene(file), &options, text, &user);
            for (int k = 0; w && k < 2; k++) lab_step(w);
            ck_assert(w || strlen(text) > 0);
            lab_close(w);
        }
        lab_file_free(file);
        free(bad);
    }
    ck_assert_int_gt(read, 20);
    free(good);
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
             out_path("bench"));
    ck_assert_int_eq(lab(command), 0);
    json_t *report = json_load_file(out_path("bench/bench.json"), 0, NULL);
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
    ck_assert_int_eq(access(out_path("bench/table.txt"), R_OK), 0);
    ck_assert_int_eq(access(out_path("bench/cost.png"), R_OK), 0);
    ck_assert_int_eq(access(out_path("bench/bench.csv"), R_OK), 0);
}
END_TEST

/* Points without the steps that were wanted are told from others, and what ends cases is said. */
START_TEST(bench_says_what_time_leaves_out)
{
    char command[256];
    size_t i, left_out;
    json_t *r;
    snprintf(command, sizeof command,
             "bench --quick --scene bridge --contact peg,ode-quick --budget .2 --out %s",
             out_path("bench-short"));
    ck_assert_int_eq(lab(command), 0);
    json_t *report = json_load_file(out_path("bench-short/bench.json"), 0, NULL);
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

Suite *test_suite(void)
{
    folder = test_folder();
    Suite *suite = suite_create("lab");
    TCase *tests = tcase_create("lab");
    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, lists_scenes);
    tcase_add_test(tests, refuses_bad_usage);
    tcase_add_test(tests, traces_and_summaries_agree);
    tcase_add_test(tests, friction_is_chosen);
    tcase_add_test(tests, same_seed_same_bits);
    tcase_add_test(tests, compares);
    tcase_add_test(tests, runs_the_demos_of_ode);
    tcase_add_test(tests, computes_mass_properties);
    tcase_add_test(tests, turns_and_scales);
    tcase_add_test(tests, groups_entering_and_bounds);
    tcase_add_test(tests, poses_inside_of_a_step);
    tcase_add_test(tests, reads_a_scene);
    tcase_add_test(tests, reads_a_solid);
    tcase_add_test(tests, refuses_what_it_cannot_represent);
    TCase *bench = tcase_create("bench and rubbish");
    suite_add_tcase(suite, bench);
    tcase_set_timeout(bench, 120);
    test_long(bench);
    tcase_add_test(bench, survives_rubbish);
    tcase_add_test(bench, benches);
    tcase_add_test(bench, bench_says_what_time_leaves_out);
    tcase_add_test(bench, takes_over_a_state);
    return suite;
}
