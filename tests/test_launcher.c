/* peg-run: programs that know nothing of ode-peg come to rest where they do with the two-line swap.
 * Environment: PEG_RUN, the launcher; PROGRAMS, the folder of tests/programs' executables. */
#include "tests/runner.h"

#include <check.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NUMBERS = 256, TEXT = 16384 };

static const char *folder; /* for what the tests write */

typedef struct outcome {
    int status;
    char out[TEXT], err[TEXT];
    double number[NUMBERS]; /* in out */
    int numbers;
} outcome;

static void read_file(const char *name, char text[TEXT])
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, TEXT - 1, file)] = 0;
    fclose(file);
}

/* Runs a command of the shell, in which $run is peg-run and $p the folder of the programs. */
static outcome *shell(const char *command)
{
    char line[2048];
    outcome *o = calloc(1, sizeof *o);
    ck_assert_ptr_nonnull(o);
    int n = snprintf(line, sizeof line, "run=%s p=%s d=%s; (%s) >%s/out 2>%s/err",
                     getenv("PEG_RUN"), getenv("PROGRAMS"), folder, command, folder, folder);
    ck_assert_int_lt(n, (int)sizeof line);
    int status = system(line);
    ck_assert(WIFEXITED(status));
    o->status = WEXITSTATUS(status);
    read_file("out", o->out);
    read_file("err", o->err);
    char *end;
    for (char *at = o->out; o->numbers < NUMBERS; at = end) {
        double x = strtod(at, &end);
        if (end == at) break;
        o->number[o->numbers++] = x;
    }
    return o;
}

static outcome *shell_with(const char *format, const char *word)
{
    char command[1024];
    const char *at = strstr(format, "%s");
    snprintf(command, sizeof command, "%.*s%s%s", (int)(at - format), format, word, at + 2);
    return shell(command);
}

/* Largest difference between the numbers of two runs; infinite where one failed or their counts
 * differ. Frees both. */
static double difference(outcome *a, outcome *b)
{
    double most = a->status || b->status || a->numbers != b->numbers || !a->numbers ? INFINITY : 0;
    for (int i = 0; i < a->numbers && isfinite(most); i++) {
        double d = fabs(a->number[i] - b->number[i]);
        if (!(d <= most)) most = d;
    }
    if (!isfinite(most)) fprintf(stderr, "%d %d: %s%s", a->status, b->status, a->err, b->err);
    free(a);
    free(b);
    return most;
}

/* The same contacts in the same order: the same bits. */
static const char *const same[] = {
    "o1-o2",          "g1-g2",      "connected",  "ground-only", "sub-spaces",
    "space-argument", "depth-test", "feedback",   "slip",        "attached-to-none",
    "quick-step",     "sap-space",  "hash-space", "threads",     "worlds"};

START_TEST(rests_as_with_the_swap)
{
    const char *style = same[_i];
    outcome *swap = shell_with("$p/styles-swap %s", style);
    ck_assert_double_le(difference(swap, shell_with("$run $p/styles %s", style)), 0);
}
END_TEST

/* Until something is near, steps are stock ODE's, whose joints differ by rounding. */
START_TEST(joints_rest_as_with_the_swap_but_for_rounding)
{
    outcome *swap = shell("$p/styles-swap joints");
    ck_assert_double_le(difference(swap, shell("$run $p/styles joints")), 1e-14);
}
END_TEST

/* With equal settings: where softness is ignored or kept, and where the world's CFM completes it.
 */
static const char *const soft_styles[][2] = {{"soft-rigid", "rigid"},
                                             {"soft-below", "below"},
                                             {"soft-keep", "keep"},
                                             {"soft-world", "keep"}};

START_TEST(soft_ones_rest_as_with_the_swap)
{
    char command[64];
    snprintf(command, sizeof command, "$run --soft %s $p/styles %s", soft_styles[_i][1],
             soft_styles[_i][0]);
    outcome *swap = shell_with("$p/styles-swap %s", soft_styles[_i][0]), *run = shell(command);
    int sinks = strcmp(soft_styles[_i][1], "rigid") != 0;
    ck_assert_msg((swap->number[2] < .5) == sinks, "%.17g", swap->number[2]);
    ck_assert_double_le(difference(swap, run), 0);
}
END_TEST

/* Every class of geoms, speed, sleep, joints that the program makes up. Where bodies hold each
 * other in the air they are where ODE's solver brings them, which is good to its constraint force
 * mixing: those of one that touches the ground agree as far as that. */
static const struct {
    const char *name;
    double tolerance;
} shapes[] = {{"classes", 0},   {"mesh", 0},        {"moving-mesh", 0},
              {"transform", 0}, {"fast", 0},        {"sleep", 0},
              {"made-up", 0},   {"heightfield", 0}, {"heightfield-callback", 0},
              {"joints", 1e-8}};

START_TEST(shapes_rest_as_with_the_swap)
{
    const char *scene = shapes[_i].name;
    outcome *swap = shell_with("$p/shapes-swap %s", scene);
    ck_assert_double_le(difference(swap, shell_with("$run $p/shapes %s", scene)),
                        shapes[_i].tolerance);
}
END_TEST

/* What the papers' models do not know keeps its contact joints: nothing falls through the ground.
 */
START_TEST(leaves_other_geoms_to_ode)
{
    outcome *o = shell("$run --contact st $p/shapes classes");
    ck_assert_msg(o->status == 0, "%s", o->err);
    for (int i = 0; i < 4; i++) ck_assert_double_eq_tol(o->number[8 * i + 2], .27, .1);
    free(o);
}
END_TEST

/* Contacts of two bodies that act on one of them stay ODE's: the upper box rests on the lower one
 * as deep in it as with ODE alone. */
START_TEST(leaves_one_sided_contacts_to_ode)
{
    outcome *a = shell("$p/shapes one-sided"), *b = shell("$run $p/shapes one-sided");
    double gap_a = a->number[10] - a->number[2], gap_b = b->number[10] - b->number[2];
    ck_assert_double_eq_tol(gap_a, .4, 1e-3);
    ck_assert_double_eq_tol(gap_b, gap_a, 1e-5);
    ck_assert_double_eq_tol(b->number[2], .2 + 1e-5 * sqrt(2.04), 1e-8);
    free(a);
    free(b);
}
END_TEST

/* The contact of the geom that is no more is left to ODE; the first box lies, the second falls for
 * 3.8 s. */
START_TEST(survives_geoms_that_are_destroyed)
{
    outcome *o = shell("$run $p/shapes destroyed");
    ck_assert_msg(o->status == 0, "%s", o->err);
    ck_assert_double_eq_tol(o->number[2], .3 + 1e-5 * .3 * sqrt(3), 1e-8);
    ck_assert_double_eq_tol(o->number[10], 1 - .5 * 9.81 * 3.8 * 3.8, 1);
    free(o);
}
END_TEST

/* Boxes sink in by the threshold first; then they lie a gap of the margin (1e-5 of their size of
 * .87 m) above each other, or half of that. */
START_TEST(keeps_to_a_threshold_of_the_depth)
{
    outcome *swap = shell("$p/styles-swap threshold");
    ck_assert_double_le(difference(swap, shell("$run $p/styles threshold")), 2e-5);
}
END_TEST

START_TEST(changes_nothing_where_nothing_collides)
{
    outcome *a = shell("$p/styles never-collides"), *b = shell("$run $p/styles never-collides");
    ck_assert_str_eq(a->out, b->out);
    ck_assert_str_eq(b->err, "");
    ck_assert_double_le(difference(a, b), 0);
}
END_TEST

/* The near callback hears of each pair that overlaps or will after the step, whatever changes. */
static const char *const spaces[] = {"simple",     "hash", "sap",  "quad",
                                     "sub-spaces", "two",  "each", "nested"};

START_TEST(tells_of_pairs_in_time)
{
    outcome *o = shell_with("$run $p/pairs %s", spaces[_i]);
    ck_assert_msg(o->status == 0, "%s%s", o->out, o->err);
    free(o);
}
END_TEST

/* What dCollide found is not given again where it does not hold any more. */
START_TEST(sees_changes_between_two_calls)
{
    outcome *o = shell("$run $p/changes");
    ck_assert_msg(o->status == 0, "%s%s", o->out, o->err);
    free(o);
}
END_TEST

/* So the program can tell: ODE announces nothing. */
START_TEST(ode_tells_of_pairs_late)
{
    outcome *o = shell("$run --contact ode $p/pairs simple");
    ck_assert_int_eq(o->status, 1);
    ck_assert_ptr_nonnull(strstr(o->out, "came too soon"));
    ck_assert_ptr_null(strstr(o->out, "were"));
    free(o);
}
END_TEST

START_TEST(leaves_ode_alone_if_asked_to)
{
    outcome *step = shell("$p/styles o1-o2"), *quick = shell("$p/styles quick-step");
    ck_assert_double_le(difference(step, shell("$run --contact ode $p/styles o1-o2")), 0);
    ck_assert_double_le(difference(quick, shell("$run --contact ode-quick $p/styles o1-o2")), 0);
}
END_TEST

/* 1 m above the plane's surface the box's centre would be .5; the gap is 1e-5 of its size. */
START_TEST(takes_over_what_is_loaded_later)
{
    outcome *o = shell("$run $p/load-later");
    ck_assert_msg(o->status == 0, "%s", o->err);
    ck_assert_double_eq_tol(o->number[0], .5 + 1e-5 * sqrt(.75), 1e-8);
    ck_assert_str_eq(o->err, "");
    free(o);
}
END_TEST

/* A script's shell is no ODE program, what it starts is. */
START_TEST(reaches_through_scripts)
{
    outcome *o = shell("printf '#!/bin/sh\\n%s \"$@\"\\n' $p/load-later >$d/script; "
                       "chmod +x $d/script; $run $d/script");
    ck_assert_msg(o->status == 0, "%s", o->err);
    ck_assert_double_eq_tol(o->number[0], .5 + 1e-5 * sqrt(.75), 1e-8);
    ck_assert_str_eq(o->err, "");
    free(o);
}
END_TEST

START_TEST(says_when_there_is_no_ode)
{
    outcome *o = shell("$run sh -c 'exit 7'");
    ck_assert_int_eq(o->status, 7);
    ck_assert_ptr_nonnull(strstr(o->err, "no function of a shared libode"));
    free(o);
    o = shell("$run true");
    ck_assert_int_eq(o->status, 2);
    free(o);
    o = shell("$run sh -c 'kill -TERM $$'");
    ck_assert_int_eq(o->status, 128 + 15);
    free(o);
}
END_TEST

/* The launcher's dlsym must not be taken for the library that asks for the next one. */
START_TEST(leaves_dlsym_as_it_is)
{
    outcome *o = shell("$run $p/next");
    ck_assert_int_eq(o->status, 2); /* for want of ODE */
    ck_assert_str_eq(o->out, "1\n");
    free(o);
}
END_TEST

/* What is refused, with a word of the reason. */
static const struct refusal {
    const char *command, *word;
} refusals[] = {
    {"$run", "name a program"},
    {"$run --contact soft $p/styles o1-o2", "no contact model"},
    {"$run --soft very $p/styles o1-o2", "no choice 'very'"},
    {"$run --no-such-option $p/styles o1-o2", "unknown option"},
    {"$run $d/no-such-program", "there is no program"},
    {"$run no-such-program-in-the-path", "there is no program"},
    {"echo text >$d/text; chmod -x $d/text; $run $d/text", "no executable file"},
    {"echo text >$d/text; chmod +x $d/text; $run $d/text", "no program that this system runs"},
    {"$run --settings $d/none.json $p/styles o1-o2", "--settings"},
    {"echo '[1]' >$d/s.json; $run --settings $d/s.json $p/styles o1-o2", "no JSON object"},
    {"echo '{\"margni\": 1}' >$d/s.json; $run --settings $d/s.json $p/styles o1-o2", "margni"},
    {"echo '{\"margin\": \"x\"}' >$d/s.json; $run --settings $d/s.json $p/styles o1-o2", "margin"},
    {"echo '{\"threads\": 1.5}' >$d/s.json; $run --settings $d/s.json $p/styles o1-o2", "threads"},
    {"echo '{\"margin\": 1}' >$d/s.json; $run --settings $d/s.json $p/styles o1-o2",
     "s.json': margin=1 is out of range"},
    {"echo '{\"threads\": 2, \"ratio_gamma\": 7}' >$d/s.json; $run --settings $d/s.json $p/styles",
     "s.json': ratio_gamma=7 is out of range"},
    {": >$d/s.json; $run --settings $d/s.json $p/styles o1-o2", "s.json', line"},
    {"mkdir -p $d/folder; $run --settings $d/folder $p/styles o1-o2", "is a folder"},
    {"echo '{\"soft_contacts\": 1}' >$d/s.json; $run --soft keep --settings $d/s.json $p/styles",
     "--soft and soft_contacts"},
    {"$run --contact ode --soft keep $p/styles o1-o2", "--soft has no effect"},
    {"$run --contact ode-quick --strict $p/styles o1-o2", "--strict has no effect"},
    {"$run --trace-every 2 $p/styles o1-o2", "without --trace"},
    {"$run --trace-every 0 --trace $d/t $p/styles o1-o2", "--trace-every must"},
    {"$run --trace-every x $p/styles o1-o2", "--trace-every x: invalid"},
    {"$run --stats --stats $p/styles o1-o2", "--stats is given twice"},
    {"$run --trace $d/x --summary $d/x $p/styles o1-o2", "write to the same file"},
    {"$run --trace /nowhere/x $p/styles o1-o2", "--trace: '/nowhere/x' cannot be written"},
    {"$run $d", "no executable file"},
    {"head -c 3000 $p/styles >$d/cut; chmod +x $d/cut; $run $d/cut", "is cut off"},
    {": >$d/empty; chmod +x $d/empty; $run $d/empty", "is empty"},
};

START_TEST(refuses)
{
    outcome *o = shell(refusals[_i].command);
    ck_assert_int_eq(o->status, 2);
    ck_assert_msg(strstr(o->err, refusals[_i].word) != NULL, "%s", o->err);
    ck_assert_ptr_eq(strchr(o->err, '\n'), o->err + strlen(o->err) - 1);
    free(o);
}
END_TEST

START_TEST(refuses_a_static_ode)
{
    outcome *o = shell("test -x $p/styles-static || exit 77; $run $p/styles-static o1-o2");
    if (o->status != 77) { /* no libode.a to link with */
        ck_assert_int_eq(o->status, 2);
        ck_assert_ptr_nonnull(strstr(o->err, "statically"));
    }
    free(o);
}
END_TEST

START_TEST(settings_are_heard)
{
    outcome *o = shell("echo '{\"margin\": 1e-3}' >$d/s.json; "
                       "$run --settings $d/s.json $p/load-later");
    ck_assert_msg(o->status == 0, "%s", o->err);
    ck_assert_double_eq_tol(o->number[0], .5 + 1e-3 * sqrt(.75), 1e-6);
    free(o);
}
END_TEST

/* ---- what is written ------------------------------------------------------------------------- */

static json_t *read_json(const char *name, size_t line)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    json_t *json = NULL;
    for (size_t i = 0; i <= line; i++) {
        json_decref(json);
        json = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL);
        ck_assert_ptr_nonnull(json);
    }
    fclose(file);
    return json;
}

static double number_in(const json_t *json, const char *key)
{
    const json_t *value = json_object_get(json, key);
    ck_assert_msg(json_is_number(value), "%s", key);
    return json_number_value(value);
}

static json_t *pose_at(const json_t *line, size_t body)
{
    return json_array_get(json_object_get(line, "pose"), body);
}

/* At rest the impulses of the plane, which is the last body, are the weight times h. */
static void contacts_bear_the_weight(const json_t *head, const json_t *line)
{
    const json_t *bodies = json_object_get(head, "bodies"), *one;
    double mass = 0, impulse = 0, gravity = 9.81;
    size_t i, plane = json_array_size(bodies) - 1;
    json_array_foreach(bodies, i, one) if (i < plane) mass += number_in(one, "mass");
    gravity = -json_number_value(json_array_get(json_object_get(head, "gravity"), 2));
    json_array_foreach(json_object_get(line, "contacts"), i, one)
    {
        const json_t *pair = json_object_get(one, "bodies"), *n = json_object_get(one, "normal");
        size_t a = (size_t)json_integer_value(json_array_get(pair, 0));
        size_t b = (size_t)json_integer_value(json_array_get(pair, 1));
        double up = number_in(one, "impulse") * json_number_value(json_array_get(n, 2)) +
                    json_number_value(json_array_get(json_object_get(one, "friction"), 2));
        ck_assert_uint_ne(a, b);
        if (b == plane) impulse += up;
        if (a == plane) impulse -= up;
    }
    ck_assert(json_is_array(json_object_get(line, "asleep")));
    ck_assert_double_eq_tol(impulse, mass * gravity * number_in(head, "h"), .02 * impulse);
}

/* The trace ends where the program says that its bodies lie; exact contacts and stock ones. */
/* Largest depth of the run whose trace and summary were compared. */
static double traced_depth(const char *contact)
{
    char command[256];
    snprintf(command, sizeof command,
             "$run --contact %s --trace $d/t --summary $d/s $p/styles o1-o2", contact);
    outcome *o = shell(command);
    ck_assert_msg(o->status == 0, "%s", o->err);
    json_t *head = read_json("t", 0), *first = read_json("t", 1), *last = read_json("t", 401);
    ck_assert_str_eq(json_string_value(json_object_get(head, "format")), "ode-peg-trace");
    ck_assert_double_eq(number_in(head, "h"), .01);
    ck_assert_uint_eq(json_array_size(json_object_get(head, "bodies")), 7); /* and the plane */
    ck_assert_double_eq(number_in(first, "step"), 0);
    ck_assert_double_eq(json_number_value(json_array_get(pose_at(first, 2), 2)), 2.52);
    ck_assert_double_eq(number_in(last, "step"), 400);
    for (size_t i = 0; i < 6; i++)
        for (size_t k = 0; k < 7; k++) /* printed with 12 digits */
            ck_assert_double_eq_tol(json_number_value(json_array_get(pose_at(last, i), k)),
                                    o->number[7 * i + k], 1e-11);
    contacts_bear_the_weight(head, last);
    json_t *summary = read_json("s", 0);
    ck_assert_str_eq(json_string_value(json_object_get(summary, "contact")), contact);
    ck_assert_double_eq(number_in(summary, "steps"), 400);
    ck_assert_double_eq(number_in(summary, "bodies"), 6);
    double depth = number_in(summary, "depth_max");
    json_t *energy = json_object_get(summary, "energy");
    ck_assert_double_gt(number_in(energy, "initial"), number_in(energy, "final"));
    json_t *all[] = {head, first, last, summary};
    for (int i = 0; i < 4; i++) json_decref(all[i]);
    free(o);
    return depth;
}

START_TEST(traces_and_sums_up)
{
    ck_assert_double_eq(traced_depth("peg"), 0);
    ck_assert_double_le(traced_depth("ode"), .1);
}
END_TEST

/* In these pours ODE's collision misses bodies that overlap, some steps long. */
static const char *const pours[] = {"7", "10", "36", "38", "1 rough", "3 rough"};

START_TEST(misses_nothing)
{
    outcome *o = shell_with("$run --summary $d/p $p/pour %s", pours[_i]);
    ck_assert_int_eq(o->status, 0);
    ck_assert_str_eq(o->err, "");
    json_t *summary = read_json("p", 0);
    ck_assert_double_eq(number_in(summary, "depth_max"), 0);
    json_decref(summary);
    free(o);
}
END_TEST

/* What still moves is listed as the last step left it, also if the program destroys it then. */
START_TEST(lists_what_moves)
{
    static const char *const ends[] = {"", " tidy"};
    json_t *list[2];
    for (int i = 0; i < 2; i++) {
        outcome *o = shell_with("$run --stats --summary $d/m $p/pour 1%s", ends[i]);
        ck_assert_int_eq(o->status, 0);
        ck_assert_ptr_nonnull(strstr(o->err, "peg-run: world 1: moving bodies: 20 of 20"));
        ck_assert_ptr_nonnull(strstr(o->err, " J), on "));
        ck_assert_ptr_nonnull(strstr(o->err, "peg-run: world 1:   and 12 more\n"));
        json_t *summary = read_json("m", 0);
        list[i] = json_incref(json_object_get(summary, "moving"));
        json_decref(summary);
        free(o);
    }
    ck_assert(json_equal(list[0], list[1]));
    ck_assert_double_eq(number_in(list[0], "moving"), 20);
    const json_t *first = json_array_get(json_object_get(list[0], "most_kinetic"), 0);
    ck_assert_double_gt(number_in(first, "kinetic"), number_in(first, "kinetic_before"));
    ck_assert_double_lt(number_in(first, "energy_change"), 0);
    ck_assert(json_is_string(json_object_get(first, "class")));
    for (int i = 0; i < 2; i++) json_decref(list[i]);
    outcome *o = shell("$run --contact ode --stats --summary $d/m $p/pour 1 tidy");
    ck_assert_ptr_nonnull(strstr(o->err, "moving bodies: 20 of 20"));
    free(o);
}
END_TEST

/* A trace is made, too, of a program that is killed, and names bodies that came later. */
START_TEST(traces_what_is_killed)
{
    outcome *o = shell("$run --trace $d/k $p/killed");
    ck_assert_int_eq(o->status, 128 + 9);
    json_t *head = read_json("k", 0), *first = read_json("k", 1), *last = read_json("k", 11);
    ck_assert_uint_eq(json_array_size(json_object_get(head, "bodies")), 2);
    ck_assert_uint_eq(json_array_size(json_object_get(head, "connected")), 1);
    ck_assert_uint_eq(json_array_size(json_object_get(first, "pose")), 2);
    ck_assert(json_is_null(pose_at(first, 1)));
    ck_assert(json_is_array(pose_at(last, 1)));
    json_decref(head);
    json_decref(first);
    json_decref(last);
    free(o);
}
END_TEST

START_TEST(says_what_strict_stops)
{
    outcome *o = shell("$run --strict $p/killed unseen");
    ck_assert_int_eq(o->status, 2);
    ck_assert_ptr_nonnull(strstr(o->err, "--strict"));
    free(o);
    o = shell("$run --strict $p/shapes made-up");
    ck_assert_int_eq(o->status, 2);
    ck_assert_ptr_nonnull(strstr(o->err, "keeps ODE's joint"));
    free(o);
    o = shell("$run --strict $p/shapes classes");
    ck_assert_int_eq(o->status, 0);
    free(o);
}
END_TEST

/* 125 cubes with mu 200 in steps of 0.05 s: solves end by their budget, which is counted, and told
 * of once, with the bodies. */
START_TEST(tells_of_rough_steps)
{
    outcome *o = shell("$run --summary $d/heap $p/heap");
    ck_assert_msg(o->status == 0, "%s", o->err);
    const char *told = strstr(o->err, "body 0x");
    ck_assert_ptr_nonnull(told);
    ck_assert_ptr_nonnull(strstr(told, "holds only roughly"));
    ck_assert_ptr_nonnull(strstr(told, "in this step also body 0x"));
    ck_assert_ptr_null(strstr(strstr(told, "\n"), "holds only roughly"));
    free(o);
    o = shell("$run --strict $p/heap");
    ck_assert_int_eq(o->status, 2);
    ck_assert_ptr_nonnull(strstr(o->err, "pegStats.unconverged"));
    free(o);
}
END_TEST

/* ---- programs as well-known hosts are -------------------------------------------------------- */

/* A stack of cubes that touch: no overlap, whatever the program's contacts are like. */
static const char *const hosts[] = {"soft",   "spring",   "deepest", "step-first",
                                    "clones", "distance", "crooked"};

START_TEST(hosts_have_no_overlap)
{
    outcome *o = shell_with("$run --strict $p/hosts %s", hosts[_i]);
    ck_assert_msg(o->status == 0, "%s", o->err);
    ck_assert_int_eq(o->numbers, strcmp(hosts[_i], "clones") ? 3 : 12);
    for (int i = 0; i < o->numbers; i++) {
        double over = o->number[i] - (i % 3 + .5);
        ck_assert_msg(over >= 0 && over <= 1e-4, "cube %d is %g m above the one below", i, over);
    }
    free(o);
}
END_TEST

START_TEST(soft_contacts_are_kept_on_demand)
{
    static const char *const kept[] = {"--soft keep $p/hosts soft", "--soft keep $p/hosts spring",
                                       "--soft below $p/hosts spring"};
    char strict[128];
    outcome *stock = shell_with("$p/hosts %s", _i ? "spring" : "soft");
    outcome *o = shell_with("$run %s", kept[_i]);
    for (int i = 0; i < 3; i++) { /* as deep as stock ODE has them, within a fifth */
        double depth = stock->number[i] - (i + .5);
        ck_assert_double_lt(depth, -1e-4);
        ck_assert_double_eq_tol(o->number[i] - (i + .5), depth, .2 * fabs(depth));
    }
    ck_assert_ptr_nonnull(strstr(o->err, "compliant"));
    free(o);
    snprintf(strict, sizeof strict, "$run --strict %s", kept[_i]);
    o = shell(strict);
    ck_assert_int_eq(o->status, 2);
    ck_assert_ptr_nonnull(strstr(o->err, "--soft"));
    free(o);
    free(stock);
}
END_TEST

/* Springs and hidden jitter in one world: the lowest cube sinks into the ground as with ODE, by
 * m g / (4 k) with k = erp / (cfm h), and the others lie on it. They are set off by 10 mm each, so
 * that the stack tilts on its springs by 1.5e-3, and a cube that lies flush is 15 um lower. */
START_TEST(springs_are_told_from_softness)
{
    outcome *o = shell("$run --soft below $p/hosts both");
    double sunk = 3 * 9.81 / (4 * .2 / (.1 * .01));
    ck_assert_int_eq(o->numbers, 3);
    ck_assert_double_eq_tol(o->number[0], .5 - sunk, .1 * sunk);
    for (int i = 1; i < 3; i++) {
        double gap = o->number[i] - o->number[i - 1] - 1;
        ck_assert_msg(gap > -2e-5 && gap < 1e-4, "cube %d is %g m above the one below", i, gap);
    }
    free(o);
}
END_TEST

/* A libode of the host's own, linked or loaded when the program runs. */
START_TEST(libode_may_have_another_name)
{
    outcome *o = shell("$run --strict $p/renamed soft");
    ck_assert_msg(o->status == 0, "%s", o->err);
    for (int i = 0; i < 3; i++) ck_assert(o->number[i] >= i + .5 && o->number[i] <= i + .5 + 1e-4);
    free(o);
    o = shell("$run --strict $p/load-later $p/libxde.so.8");
    ck_assert_msg(o->status == 0, "%s", o->err);
    ck_assert_double_eq_tol(o->number[0], .5 + 1e-5 * sqrt(.75), 1e-8);
    free(o);
    o = shell("readelf -d $p/../../plugin/libode-peg-launch.so | grep -c 'NEEDED.*libode[.]so'");
    ck_assert_str_eq(o->out, "0\n");
    free(o);
}
END_TEST

START_TEST(own_contacts_stay)
{
    outcome *o = shell("$run $p/hosts own");
    ck_assert_double_eq_tol(o->number[2], 5, 1e-3); /* held in the air by the program's joint */
    ck_assert(o->number[0] >= .5 && o->number[1] >= 1.5 && o->number[1] < 1.5001);
    ck_assert_ptr_nonnull(strstr(o->err, "keeps ODE's joint"));
    free(o);
}
END_TEST

START_TEST(geoms_without_bodies_are_left_alone)
{
    outcome *o = shell("$run $p/hosts bodiless");
    ck_assert_str_eq(o->out, "0\n0\n");
    free(o);
}
END_TEST

START_TEST(joints_are_exact_before_anything_touches)
{
    static const char *const bridge[] = {"bridge", "long-bridge"};
    outcome *o = shell_with("$run --stats $p/hosts %s", bridge[_i]);
    outcome *stock = shell_with("$p/hosts %s", bridge[_i]);
    ck_assert_double_gt(stock->number[0], .02);
    ck_assert_double_lt(o->number[0], .5 * stock->number[0]);
    /* many bodies in one group: by our own solver, and not by dWorldStep */
    ck_assert_ptr_nonnull(strstr(o->err, _i ? "100 exact, 0 stock" : "0 exact, 100 stock"));
    free(o);
    free(stock);
}
END_TEST

START_TEST(tells_its_version_and_figures)
{
    outcome *o = shell("$run --version");
    ck_assert_int_eq(o->status, 0);
    ck_assert_ptr_eq(strstr(o->out, "peg-run 0."), o->out);
    free(o);
    o = shell("$run --stats --soft keep --summary $d/s.json $p/hosts soft");
    ck_assert_ptr_nonnull(strstr(o->err, "400 steps (400 exact"));
    ck_assert_ptr_nonnull(strstr(o->err, "soft contacts 1200"));
    free(o);
    json_t *json = read_json("s.json", 0), *own = json_object_get(json, "launcher");
    ck_assert_int_eq((int)json_number_value(json_object_get(own, "soft_contacts")), 1200);
    json_decref(json);
}
END_TEST

Suite *test_suite(void)
{
    folder = test_folder();
    Suite *suite = suite_create("launcher");
    TCase *tests = tcase_create("launcher");
    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 60);
    TCase *pairs = tcase_create("pairs in time");
    suite_add_tcase(suite, pairs);
    tcase_set_timeout(pairs, 60);
    test_long(pairs);
    tcase_add_loop_test(pairs, rests_as_with_the_swap, 0, (int)(sizeof same / sizeof *same));
    tcase_add_test(pairs, joints_rest_as_with_the_swap_but_for_rounding);
    tcase_add_loop_test(pairs, soft_ones_rest_as_with_the_swap, 0,
                        (int)(sizeof soft_styles / sizeof *soft_styles));
    tcase_add_loop_test(tests, shapes_rest_as_with_the_swap, 0,
                        (int)(sizeof shapes / sizeof *shapes));
    tcase_add_test(tests, leaves_one_sided_contacts_to_ode);
    tcase_add_test(tests, leaves_other_geoms_to_ode);
    tcase_add_test(tests, survives_geoms_that_are_destroyed);
    tcase_add_test(tests, keeps_to_a_threshold_of_the_depth);
    tcase_add_test(tests, changes_nothing_where_nothing_collides);
    tcase_add_loop_test(pairs, tells_of_pairs_in_time, 0, (int)(sizeof spaces / sizeof *spaces));
    tcase_add_test(tests, ode_tells_of_pairs_late);
    tcase_add_test(tests, sees_changes_between_two_calls);
    tcase_add_test(tests, leaves_ode_alone_if_asked_to);
    tcase_add_test(tests, takes_over_what_is_loaded_later);
    tcase_add_test(tests, reaches_through_scripts);
    tcase_add_test(tests, says_when_there_is_no_ode);
    tcase_add_test(tests, leaves_dlsym_as_it_is);
    tcase_add_loop_test(tests, refuses, 0, (int)(sizeof refusals / sizeof *refusals));
    tcase_add_test(tests, refuses_a_static_ode);
    tcase_add_test(tests, settings_are_heard);
    tcase_add_loop_test(tests, misses_nothing, 0, (int)(sizeof pours / sizeof *pours));
    tcase_add_test(tests, traces_and_sums_up);
    tcase_add_test(tests, lists_what_moves);
    tcase_add_test(tests, traces_what_is_killed);
    tcase_add_test(tests, says_what_strict_stops);
    tcase_add_test(tests, tells_of_rough_steps);
    tcase_add_loop_test(tests, hosts_have_no_overlap, 0, (int)(sizeof hosts / sizeof *hosts));
    tcase_add_loop_test(tests, soft_contacts_are_kept_on_demand, 0, 3);
    tcase_add_test(tests, springs_are_told_from_softness);
    tcase_add_test(tests, libode_may_have_another_name);
    tcase_add_test(tests, own_contacts_stay);
    tcase_add_test(tests, geoms_without_bodies_are_left_alone);
    tcase_add_loop_test(tests, joints_are_exact_before_anything_touches, 0, 2);
    tcase_add_test(tests, tells_its_version_and_figures);
    return suite;
}
