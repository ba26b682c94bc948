/* The lab's command line. Exit status: 0 it ran; 1 the simulation failed and says how; 2 bad input
 * or usage, with one line that says what to do. */
#include "demos/bench/solvers.h"
#include "demos/lab/capture.h"
#include "demos/experiments/experiment.h"
#include "demos/bench/bench.h"
#include "demos/lab/lab.h"
#include "demos/lab/options.h"
#include "demos/sweep/sweep.h"
#include "demos/report/film.h"
#include "demos/report/gltf.h"
#include "demos/report/recorder.h"
#include "demos/report/trace_check.h"
#include "demos/bench/launcher_overhead.h"
#include "demos/view/lab_view.h"

#include <math.h>
#include <popt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct command {
    const char *verb, *target;
    const char **targets; /* the first is target */
    int target_count;
    const char *text; /* as it was given */
    int argc;
    const char **argv;
    char *gltf, *video;
    double video_speed;
    char *contact, *trace, *summary, *picture, *mesh_dir, *out, *capture, *capture_rows;
    char *only, *part, *results;
    double h, time, mu, budget, trace_quantum;
    long trace_every;
    int trace_compact;
    long steps;
    int quick, n_max, jobs, fresh, run, version;
    long long seed;
    int quiet, mu_given;
    lab_setting set[LAB_SETS_MAX];
    int sets;
    option_set given;
    lab_contact models[LAB_CONTACT_COUNT];
    int model_count;
} command;

static int usage(const char *format, const char *what)
{
    fputs("peg-lab: ", stderr);
    fprintf(stderr, format, what);
    fputc('\n', stderr);
    return 2;
}

static void note(const char *text)
{
    fprintf(stderr, "peg-lab: %s\n", text);
}

/* ---- options --------------------------------------------------------------------------------- */

static int parse_contacts(command *c)
{
    if (!c->contact) {
        c->model_count = 1; /* models[0] is peg */
        return 0;
    }
    for (char *name = c->contact, *next; name; name = next) {
        next = strchr(name, ',');
        if (next) *next++ = 0;
        int found = -1;
        for (int i = 0; i < LAB_CONTACT_COUNT; i++)
            if (!strcmp(name, lab_contact_name((lab_contact)i))) found = i;
        if (found < 0)
            return usage(
                "--contact: no contact model '%s': choose peg, st, paper, lnc, ap, lp, ratio, "
                "st-published, ode or ode-quick",
                name);
        for (int i = 0; i < c->model_count; i++)
            if ((int)c->models[i] == found) return usage("--contact names '%s' twice", name);
        c->models[c->model_count++] = (lab_contact)found;
    }
    return 0;
}

static int parse_set(command *c, const char *text)
{
    lab_setting *s = &c->set[c->sets];
    const char *equals = strchr(text, '=');
    char *end = NULL;
    size_t length = equals ? (size_t)(equals - text) : 0;
    if (length == 0 || length >= sizeof s->key)
        return usage("--set %s: write it as key=number", text);
    if (c->sets == LAB_SETS_MAX) return usage("too many --set options at '%s'", text);
    memcpy(s->key, text, length);
    s->key[length] = 0;
    for (int i = 0; i < c->sets; i++)
        if (!strcmp(c->set[i].key, s->key)) return usage("--set names '%s' twice", s->key);
    s->value = strtod(equals + 1, &end);
    if (end == equals + 1 || *end || !isfinite(s->value))
        return usage("--set %s: the value must be a number", text);
    c->sets++;
    return 0;
}

/* What can be said of a single option. */
static int check_option(command *c, int option, const char *set)
{
    switch (option) {
    case OPT_SET:
        return parse_set(c, set);
    case OPT_H:
        if (!(c->h >= 1e-20 && c->h <= 1e10))
            return usage("--h must be a number of seconds from 1e-20 to 1e10%s", "");
        return 0;
    case OPT_TIME:
        if (!(c->time > 0 && isfinite(c->time)))
            return usage("--time must be a positive number of seconds%s", "");
        return 0;
    case OPT_JOBS:
        return c->jobs > 0 ? 0 : usage("--jobs must be a positive whole number%s", "");
    case OPT_STEPS:
        return c->steps > 0 ? 0 : usage("--steps must be a positive whole number%s", "");
    case OPT_EVERY:
        return c->trace_every > 0 ? 0
                                  : usage("--trace-every must be a positive whole number%s", "");
    case OPT_QUANTUM:
        if (!(c->trace_quantum >= 1e-12 && c->trace_quantum <= 1))
            return usage("--trace-quantum must be a number of metres from 1e-12 to 1%s", "");
        return 0;
    case OPT_SPEED:
        if (!(c->video_speed > 0 && isfinite(c->video_speed)))
            return usage("--video-speed must be a positive number%s", "");
        return 0;
    case OPT_SEED:
        return c->seed >= 0 ? 0 : usage("--seed must be a whole number, 0 or more%s", "");
    case OPT_MU:
        c->mu_given = 1;
        if (!(c->mu >= 0)) return usage("--mu must be 0 or more, or inf%s", "");
        return 0;
    case OPT_N_MAX:
        return c->n_max > 0 ? 0 : usage("--n-max must be a positive whole number%s", "");
    case OPT_BUDGET:
        return c->budget > 0 ? 0 : usage("--budget must be a positive number of seconds%s", "");
    case OPT_RUN:
        return c->run >= 0 ? 0 : usage("--run must be a whole number, 0 or more%s", "");
    default:
        return 0;
    }
}

static int is_path(int option)
{
    return option == OPT_TRACE || option == OPT_SUMMARY || option == OPT_PICTURE ||
           option == OPT_VIDEO || option == OPT_GLTF || option == OPT_MESH_DIR ||
           option == OPT_OUT || option == OPT_CAPTURE || option == OPT_RESULTS;
}

/* An option that came once more; an empty path. */
static int note_option(command *c, int option, const char *text)
{
    if (option != OPT_SET && c->given >> option & 1)
        return usage("--%s is given twice", lab_option_name(option));
    c->given |= 1ull << option;
    if (is_path(option) && text && (!*text || !strncmp(text, "--", 2)))
        return usage("--%s needs a name after it", lab_option_name(option));
    return 0;
}

static int is_scene_command(const char *verb)
{
    return !strcmp(verb, "run") || !strcmp(verb, "compare") || !strcmp(verb, "convert") ||
           !strcmp(verb, "view") || !strcmp(verb, "losses");
}

/* What can be said of all options of the command together. */
static int check_arguments(const command *c)
{
    static const char *const alone[] = {"list", "demo", "bench-solvers"};
    char text[LAB_TEXT];
    int extra = strcmp(c->verb, "report") ? 1 : c->target_count;
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        if (!strcmp(c->verb, alone[i])) extra = 0;
    if (c->target_count > extra) return usage("unexpected argument '%s'", c->targets[extra]);
    if (lab_is_useless_option(c->verb, c->given, text, sizeof text)) return usage("%s", text);
    if (c->video && !film_is_name(c->video))
        return usage("--video '%s': the name must end in .mp4 or .gif", c->video);
    if (c->video && !film_has_encoder())
        return usage("--video needs ffmpeg: install it (Debian: apt-get install ffmpeg)%s", "");
    const char *const path[] = {c->trace, c->summary, c->picture, c->video, c->gltf};
    const char *reads = c->target && !is_scene_command(c->verb) ? c->target : NULL;
    const char *writes = c->out ? c->out : c->summary;
    if (reads && writes && !strcmp(reads, writes))
        return usage("'%s' is read: write to another file", reads);
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < i; k++)
            if (path[i] && path[k] && !strcmp(path[i], path[k]) && strncmp(path[i], "/dev/", 5))
                return usage("two options write to '%s'", path[i]);
    return 0;
}

/* The option that the bad number of an error follows; "" if there is none. */
static const char *option_before(const command *c, int error, const char *value)
{
    int is_number = error == POPT_ERROR_BADNUMBER || error == POPT_ERROR_OVERFLOW;
    for (int i = 2; is_number && i < c->argc; i++)
        if (!strcmp(c->argv[i], value) && !strncmp(c->argv[i - 1], "--", 2)) return c->argv[i - 1];
    return "";
}

static int parse(poptContext context, command *c, char **set)
{
    int option;
    while ((option = poptGetNextOpt(context)) > 0) {
        char *text = poptGetOptArg(context);
        int bad = note_option(c, option, text);
        if (!bad) bad = check_option(c, option, *set);
        free(text);
        free(*set);
        *set = NULL;
        if (bad) return bad;
    }
    if (option < -1) {
        const char *bad = poptBadOption(context, POPT_BADOPTION_NOALIAS);
        const char *before = option_before(c, option, bad);
        fprintf(stderr, "peg-lab: %s%s%s: %s (see peg-lab --help)\n", before, *before ? " " : "",
                bad, poptStrerror(option));
        return 2;
    }
    c->verb = poptGetArg(context);
    c->targets = poptGetArgs(context);
    while (c->targets && c->targets[c->target_count]) c->target_count++;
    if (c->target_count > 0) c->target = c->targets[0];
    if (c->version) return 0;
    if (!c->verb) return usage("no command given (see peg-lab --help)%s", "");
    if (!lab_is_command(c->verb))
        return usage("no command '%s': there are list, run, compare, view, convert, losses, demo, "
                     "report, play, check, experiment, sweep, sweep-report, bench, bench-solvers, "
                     "ode-demos and overhead",
                     c->verb);
    return check_arguments(c) || parse_contacts(c) ? 2 : 0;
}

/* ---- commands -------------------------------------------------------------------------------- */

static int list_scenes(void)
{
    for (int i = 0; i < lab_scene_count(); i++) {
        const lab_scene *s = lab_scene_at(i);
        printf("%-22s %s\n", s->name, s->about);
    }
    return fflush(stdout) ? usage("cannot write to standard output%s", ""), 1 : 0;
}

static lab_options options_of(const command *c)
{
    return (lab_options){.contact = c->models[0],
                         .h = c->h,
                         .time = c->time,
                         .steps = c->steps,
                         .seed = (uint64_t)c->seed,
                         .mu = c->mu,
                         .mu_given = c->mu_given,
                         .set = c->set,
                         .sets = c->sets,
                         .message = c->quiet ? NULL : note};
}

static lab_output output_of(const command *c, const char *dir)
{
    return (lab_output){
        dir, c->text, c->video, c->video_speed > 0 ? c->video_speed : 1, c->trace_every, c->quiet};
}

static int print_summary(const lab_result *r)
{
    lab_table(stdout, r, 1);
    if (r->moving.bodies) lab_print_moving(stdout, r);
    return fflush(stdout) != 0;
}

static int cannot_write(const char *path, const char *option)
{
    fprintf(stderr, "peg-lab: cannot write '%s': choose another file with %s\n", path, option);
    return 2;
}

/* What --trace and its options ask for. */
static int recorder_of(const command *c, lab_recorder *r)
{
    *r = (lab_recorder){.path = c->trace,
                        .compact = c->trace_compact,
                        .quantum = c->trace_quantum,
                        .every = c->trace_every,
                        .keep = c->gltf || c->video};
    if (c->summary && !lab_can_write(c->summary)) return cannot_write(c->summary, "--summary");
    if (c->picture && !lab_can_write(c->picture)) return cannot_write(c->picture, "--picture");
    if (c->video && !lab_can_write(c->video)) return cannot_write(c->video, "--video");
    if (c->gltf && !lab_can_write(c->gltf)) return cannot_write(c->gltf, "--gltf");
    return c->trace && !lab_can_write(c->trace) ? cannot_write(c->trace, "--trace") : 0;
}

/* Bodies whose time had not come when the run ended. */
static void tell_absent(const lab_world *w)
{
    int absent = 0;
    for (int i = 0; i < lab_body_count(w); i++) absent += !lab_body_present(lab_body_at(w, i));
    if (absent)
        fprintf(stderr, "peg-lab: %d of %d bodies had not entered at %g s: give more --time\n",
                absent, lab_body_count(w), lab_time(w));
}

static int write_video(const command *c, lab_trace *const *traces, int n)
{
    return film_write(c->video, traces, n, c->video_speed > 0 ? c->video_speed : 1, c->quiet);
}

static int run(const command *c, const lab_scene *scene, const lab_options *options)
{
    lab_result r;
    lab_recorder recorder;
    if (c->model_count != 1) return usage("run takes one --contact; compare takes several%s", "");
    if (recorder_of(c, &recorder)) return 2;
    lab_observer observer = lab_recorder_observer(&recorder);
    int records = recorder.path || recorder.keep;
    int status = lab_run(scene, options, records ? &observer : NULL, !c->quiet, &r) ? 1 : 0;
    if (r.failed) fprintf(stderr, "peg-lab: %s: %s\n", scene->name, r.error);
    if (r.user) status = 2;
    if (r.w && c->summary) {
        json_t *summary = lab_summary(&r);
        if (lab_json_write(summary, c->summary))
            status = usage("cannot write '%s': choose another file with --summary", c->summary);
        json_decref(summary);
    } else if (r.w && !c->quiet) {
        status |= print_summary(&r);
    }
    if (r.w && c->picture && lab_picture(c->picture, &r, 1))
        status = usage("cannot write '%s': choose another file with --picture", c->picture);
    if (r.w && c->video && write_video(c, &recorder.trace, 1)) status = 1;
    if (r.w && c->gltf && gltf_write(c->gltf, recorder.trace))
        status = cannot_write(c->gltf, "--gltf");
    lab_recorder_free(&recorder);
    if (status == 0 && !c->quiet) tell_absent(r.w);
    lab_result_free(&r);
    return status;
}

/* run, with the problems written to files if they are asked for. */
static int capture(const command *c, const lab_scene *scene, lab_options *options)
{
    lab_capture files;
    if (!c->capture) return run(c, scene, options);
    if (c->models[0] != LAB_PEG) return usage("--capture needs --contact peg%s", "");
    int bad = lab_capture_begin(&files, c->capture, c->capture_rows);
    if (bad == 2) return usage("--capture-rows %s: write it as MIN:MAX", c->capture_rows);
    if (bad) return usage("cannot write to '%s': choose another folder with --capture", c->capture);
    options->capture = &files.hook;
    int status = run(c, scene, options);
    if (files.lost) status = 1, usage("'%s' could not be written in full", c->capture);
    lab_capture_end(&files);
    return status;
}

/* Writes a scene, at the given time, as a scene file. */
static int convert(const command *c, const lab_scene *scene, lab_options *options)
{
    char text[LAB_TEXT];
    int user, status = 0;
    long steps = c->steps;
    if (!c->out) return usage("convert needs a file: --out FILE%s", "");
    options->steps = 0, options->time = 0;
    lab_world *w = lab_open(scene, options, text, &user);
    if (!w) {
        fprintf(stderr, "peg-lab: %s: %s\n", scene->name, text);
        return user ? 2 : 1;
    }
    if (c->time > 0) steps = (long)nearbyint(c->time / lab_step_size(w));
    while (status == 0 && lab_steps(w) < steps) status = lab_step(w);
    if (status)
        usage("%s", lab_error(w));
    else if (lab_file_write(w, c->out, c->quiet ? NULL : note))
        status = usage("cannot write '%s': choose another file with --out", c->out);
    lab_close(w);
    return status;
}

static int losses(const command *c, const lab_scene *scene, const lab_options *options)
{
    if (c->model_count != 1 || !lab_contact_is_exact(c->models[0]))
        return usage("losses takes one model of exact contacts: %s", lab_exact_contacts());
    return lab_losses(scene, options, c->quiet);
}

/* Runs, compares or converts the scene that the command names. */
static int with_scene(const command *c)
{
    char text[LAB_TEXT];
    lab_file *file = NULL;
    int compare = !strcmp(c->verb, "compare");
    if (!c->target)
        return usage("%s needs a scene (see peg-lab list) or a file (.json, .xml, .urdf)", c->verb);
    if (compare && !c->out) return usage("compare needs a folder: --out DIR%s", "");
    if (c->mesh_dir && !lab_is_folder(c->mesh_dir))
        return usage("--mesh-dir: there is no folder '%s'", c->mesh_dir);
    if (lab_is_file(c->target)) {
        file = lab_file_read(c->target, c->mesh_dir, c->quiet ? NULL : note, text);
        if (!file) return usage("%s", text);
    } else if (c->mesh_dir) {
        return usage("--mesh-dir has no effect on '%s', which is not a file", c->target);
    }
    const lab_scene *scene = file ? lab_file_scene(file) : lab_scene_find(c->target);
    if (!scene)
        return usage("no scene '%s': peg-lab list shows them, and names of files end in "
                     ".json, .xml or .urdf",
                     c->target);
    lab_options options = options_of(c);
    options.data = file;
    lab_output output = output_of(c, c->out);
    int status =
        compare ? lab_compare(scene, &options, c->models, c->model_count, &output)
        : !strcmp(c->verb, "convert") ? convert(c, scene, &options)
        : !strcmp(c->verb, "losses")  ? losses(c, scene, &options)
        : !strcmp(c->verb, "view")
            ? view_scene(scene, &options, c->models, c->contact ? c->model_count : 0, c->picture)
            : capture(c, scene, &options);
    lab_file_free(file);
    return status;
}

/* Costs of all models that --contact does not leave out. */
static int bench(const command *c)
{
    lab_bench_options options = {.dir = c->out,
                                 .scene = c->only,
                                 .results = c->results,
                                 .quick = c->quick,
                                 .quiet = c->quiet,
                                 .n_max = c->n_max > 0 ? c->n_max
                                          : c->quick   ? 110
                                                       : 10000,
                                 .budget = c->budget > 0 ? c->budget
                                           : c->quick    ? 45
                                                         : 1500,
                                 .mu_given = c->mu_given,
                                 .mu = c->mu,
                                 .seed = (uint64_t)c->seed};
    if (!c->out) return usage("bench needs a folder: --out DIR%s", "");
    if (c->h > 0 || c->time > 0 || c->steps > 0 || c->sets > 0)
        return usage("bench chooses step sizes, times and keys itself%s", "");
    if (c->results && !lab_is_folder(c->results))
        return usage("--results: there is no folder '%s'", c->results);
    if (c->target) return usage("'%s': bench takes its scene by --scene", c->target);
    static const lab_contact usual[] = {LAB_PEG, LAB_ST, LAB_ODE, LAB_ODE_QUICK};
    options.models = c->contact ? c->model_count : (int)(sizeof usual / sizeof usual[0]);
    memcpy(options.model, usual, sizeof usual);
    if (c->contact) memcpy(options.model, c->models, sizeof options.model);
    return lab_bench(&options);
}

static int run_experiment(const command *c)
{
    experiment_options options = {.dir = c->out,
                                  .quick = c->quick,
                                  .quiet = c->quiet,
                                  .fresh = c->fresh,
                                  .workers = c->jobs,
                                  .seed = (uint64_t)c->seed,
                                  .models = c->contact ? c->model_count : 0};
    if (!c->target)
        return usage("experiment needs a name: peg-lab experiment list shows them%s", "");
    if (!strcmp(c->target, "list")) return lab_experiment_list(stdout);
    if (!c->out) return usage("experiment needs a folder: --out DIR%s", "");
    if (c->h > 0 || c->time > 0 || c->steps > 0 || c->sets > 0 || c->mu_given)
        return usage("an experiment chooses step sizes, times, friction and keys itself%s", "");
    memcpy(options.model, c->models, sizeof options.model);
    if (c->run >= 0) {
        experiment_outcome outcome;
        int runs = lab_experiment_runs(c->target, &options);
        if (runs < 0)
            return usage("no experiment '%s': peg-lab experiment list shows them", c->target);
        if (c->run >= runs)
            return usage("--run is greater than the last run of experiment '%s'", c->target);
        int bad = lab_experiment_run(c->target, &options, c->run, &outcome);
        return bad ? cannot_write(c->out, "--out") : outcome.failed;
    }
    return lab_experiment(c->target, &options);
}

static int sweep(const command *c)
{
    sweep_options options = {
        .plan = c->target, .dir = c->out, .part = c->part, .jobs = c->jobs, .quiet = c->quiet};
    if (!c->target) return usage("sweep needs a plan (demos/plans has some)%s", "");
    if (!c->out) return usage("sweep needs a folder: --out DIR%s", "");
    if (c->h > 0 || c->time > 0 || c->steps > 0 || c->sets > 0 || c->mu_given || c->contact)
        return usage("the plan chooses models, step sizes, times, friction and keys%s", "");
    return lab_sweep(&options);
}

static int sweep_report(const command *c)
{
    if (!c->target) return usage("sweep-report needs the folder of a sweep%s", "");
    return lab_sweep_report(c->target, c->quiet);
}

static int ode_demos(const command *c)
{
    lab_ode_demos_options options = {.dir = c->out ? c->out : "out/ode-demos",
                                     .scene = c->only,
                                     .model = {LAB_ODE, LAB_ODE_QUICK, LAB_PEG},
                                     .models = c->contact ? c->model_count : 3,
                                     .quiet = c->quiet,
                                     .time = c->time,
                                     .seed = (uint64_t)c->seed};
    if (c->target) return usage("'%s': ode-demos takes its scene by --scene", c->target);
    if (c->only && (strncmp(c->only, "demo-", 5) != 0 || !lab_scene_find(c->only)))
        return usage("--scene: no demo scene '%s': peg-lab list shows them", c->only);
    if (c->h > 0 || c->steps > 0 || c->sets > 0 || c->mu_given)
        return usage("ode-demos takes step sizes, friction and keys from the demos%s", "");
    if (c->contact) memcpy(options.model, c->models, sizeof options.model);
    return lab_ode_demos(&options);
}

static int check(const command *c)
{
    if (!c->target) return usage("check needs a trace: peg-lab check FILE%s", "");
    if (c->summary && !lab_can_write(c->summary)) return cannot_write(c->summary, "--summary");
    return lab_check(c->target, c->summary, c->quiet);
}

static int report(const command *c)
{
    if (!c->target)
        return usage("report needs traces: peg-lab report FILE.. --out PAGE.html%s", "");
    if (!c->out) return usage("report needs a file to write: --out PAGE.html%s", "");
    if (!lab_can_write(c->out)) return cannot_write(c->out, "--out");
    return lab_report_traces(c->targets, c->target_count, c->out, c->text, c->quiet);
}

static int play(const command *c)
{
    if (!c->target) return usage("play needs a trace: peg-lab play FILE%s", "");
    if (c->out && !lab_can_write(c->out)) return cannot_write(c->out, "--out");
    return lab_play_trace(c->target, c->out, c->text, c->quiet);
}

static int dispatch(const command *c)
{
    if (!strcmp(c->verb, "list")) return list_scenes();
    if (is_scene_command(c->verb)) return with_scene(c);
    if (!strcmp(c->verb, "demo")) {
        lab_options options = options_of(c);
        lab_output output = output_of(c, c->out ? c->out : "out/demo");
        return lab_demo(&options, &output);
    }
    if (!strcmp(c->verb, "bench-solvers"))
        return lab_bench_solvers(c->out ? c->out : "out/bench", c->quiet);
    if (!strcmp(c->verb, "bench")) return bench(c);
    if (!strcmp(c->verb, "overhead")) return lab_overhead(c->target, c->quick);
    if (!strcmp(c->verb, "ode-demos")) return ode_demos(c);
    if (!strcmp(c->verb, "check")) return check(c);
    if (!strcmp(c->verb, "report")) return report(c);
    if (!strcmp(c->verb, "play")) return play(c);
    if (!strcmp(c->verb, "experiment")) return run_experiment(c);
    if (!strcmp(c->verb, "sweep")) return sweep(c);
    return sweep_report(c);
}

/* ODE ends the process on fatal errors: the simulation failed. */
static void exit_on_ode_error(int number, const char *format, va_list list)
{
    fprintf(stderr, "peg-lab: fatal error %d in ODE: ", number);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    exit(1);
}

/* The command line as the user gave it; null without memory. */
static char *command_text(int argc, const char **argv)
{
    size_t size = 16;
    for (int i = 1; i < argc; i++) size += strlen(argv[i]) + 1;
    char *text = malloc(size), *at = text;
    if (!text) return NULL;
    at = stpcpy(at, "peg-lab");
    for (int i = 1; i < argc; i++) at = stpcpy(stpcpy(at, " "), argv[i]);
    return text;
}

static int print_version(void)
{
    printf("peg-lab %s\n", pegVersion());
    return fflush(stdout) ? 1 : 0;
}

/* Obeys the command line, and frees what its options hold. */
static int obey(poptContext context, command *c, char **set, char *text)
{
    c->text = text;
    int status = parse(context, c, set);
    if (status == 0) status = c->version ? print_version() : dispatch(c);
    char *owned[] = {c->contact, c->trace,   c->summary,      c->picture, c->mesh_dir,
                     c->out,     c->capture, c->capture_rows, c->only,    c->part,
                     *set,       text,       c->gltf,         c->video,   c->results};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) free(owned[i]);
    return status;
}

static const char COMMANDS[] =
    "list | run SCENE|FILE | compare SCENE|FILE | view SCENE|FILE | convert SCENE|FILE | losses "
    "SCENE|FILE | demo | "
    "report TRACE.. | play TRACE | check TRACE | sweep PLAN | sweep-report DIR | "
    "experiment NAME|list | bench | ode-demos | overhead";

/* What the options of the table are read into. */
static command line = {.seed = 1, .run = -1};
static char *line_set;

static const struct poptOption table[] = {
    {"contact", 0, POPT_ARG_STRING, &line.contact, OPT_CONTACT,
     "peg, st, paper, lnc, ap, lp, ratio, st-published, ode, ode-quick [peg]", "MODEL,.."},
    {"h", 0, POPT_ARG_DOUBLE, &line.h, OPT_H, "step size, s", "S"},
    {"time", 0, POPT_ARG_DOUBLE, &line.time, OPT_TIME, "time to simulate, s", "S"},
    {"steps", 0, POPT_ARG_LONG, &line.steps, OPT_STEPS, "number of steps, instead of --time", "N"},
    {"seed", 0, POPT_ARG_LONGLONG, &line.seed, OPT_SEED, "seed of the scene's random numbers [1]",
     "N"},
    {"mu", 0, POPT_ARG_DOUBLE, &line.mu, OPT_MU, "coefficient of friction [the scene's]", "X"},
    {"set", 0, POPT_ARG_STRING, &line_set, OPT_SET,
     "a key of the scene, or scale, turn, directions, primaries, threads", "KEY=X"},
    {"trace", 0, POPT_ARG_STRING, &line.trace, OPT_TRACE,
     "write the poses of every step as JSON Lines; compressed if FILE ends in .gz or .zst", "FILE"},
    {"trace-compact", 0, POPT_ARG_NONE, &line.trace_compact, OPT_COMPACT,
     "write trace version 2: only poses that changed", NULL},
    {"trace-quantum", 0, POPT_ARG_DOUBLE, &line.trace_quantum, OPT_QUANTUM,
     "write trace version 2, positions rounded to multiples of M metres", "M"},
    {"trace-every", 0, POPT_ARG_LONG, &line.trace_every, OPT_EVERY, "write every N-th step [1]",
     "N"},
    {"summary", 0, POPT_ARG_STRING, &line.summary, OPT_SUMMARY, "write the measurements as JSON",
     "FILE"},
    {"picture", 0, POPT_ARG_STRING, &line.picture, OPT_PICTURE,
     "draw the last state as PNG (run, view)", "FILE"},
    {"video", 0, POPT_ARG_STRING, &line.video, OPT_VIDEO,
     "write a film (run, compare; .gif: 480 pixels wide)", "FILE.mp4|.gif"},
    {"video-speed", 0, POPT_ARG_DOUBLE, &line.video_speed, OPT_SPEED,
     "simulated seconds in one second of the film [1]", "X"},
    {"gltf", 0, POPT_ARG_STRING, &line.gltf, OPT_GLTF,
     "write the run as animated binary glTF (run)", "FILE.glb"},
    {"mesh-dir", 0, POPT_ARG_STRING, &line.mesh_dir, OPT_MESH_DIR,
     "folder of a scene file's meshes", "DIR"},
    {"out", 0, POPT_ARG_STRING, &line.out, OPT_OUT, "output folder, or the file of convert", "DIR"},
    {"capture", 0, POPT_ARG_STRING, &line.capture, OPT_CAPTURE,
     "write the contact problems of a run", "DIR"},
    {"capture-rows", 0, POPT_ARG_STRING, &line.capture_rows, OPT_ROWS,
     "capture only problems of so many rows", "MIN:MAX"},
    {"quick", 0, POPT_ARG_NONE, &line.quick, OPT_QUICK,
     "smaller version of bench, experiment, overhead", NULL},
    {"jobs", 0, POPT_ARG_INT, &line.jobs, OPT_JOBS, "parallel processes [number of cores]", "N"},
    {"part", 0, POPT_ARG_STRING, &line.part, OPT_PART,
     "sweep: only every n-th case, from the i-th on", "I/N"},
    {"run", 0, POPT_ARG_INT, &line.run, OPT_RUN, "experiment: only its run N, from 0 on", "N"},
    {"fresh", 0, POPT_ARG_NONE, &line.fresh, OPT_FRESH, "experiment: discard earlier results",
     NULL},
    {"scene", 0, POPT_ARG_STRING, &line.only, OPT_SCENE, "bench, ode-demos: only this scene",
     "NAME"},
    {"n-max", 0, POPT_ARG_INT, &line.n_max, OPT_N_MAX, "bench: largest number of bodies [10000]",
     "N"},
    {"budget", 0, POPT_ARG_DOUBLE, &line.budget, OPT_BUDGET, "bench: processor time, s [1500]",
     "S"},
    {"results", 0, POPT_ARG_STRING, &line.results, OPT_RESULTS,
     "bench: folder of earlier runs by machine, to compare with", "DIR"},
    {"quiet", 0, POPT_ARG_NONE, &line.quiet, OPT_QUIET, "print errors only", NULL},
    {"version", 0, POPT_ARG_NONE, &line.version, OPT_VERSION, "print the version", NULL},
    POPT_AUTOHELP POPT_TABLEEND};

int main(int argc, const char **argv)
{
    dSetErrorHandler(exit_on_ode_error);
    dSetDebugHandler(exit_on_ode_error);
    poptContext context = poptGetContext("peg-lab", argc, argv, table, 0);
    poptSetOtherOptionHelp(context, COMMANDS);
    line.argc = argc, line.argv = argv;
    int status = obey(context, &line, &line_set, command_text(argc, argv));
    poptFreeContext(context);
    return status;
}
