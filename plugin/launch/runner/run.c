/* peg-run: starts a program with exact contacts in place of ODE's.
 *
 * Exit status: the program's; 128 and more if a signal ended it, as in a shell; 2 if it could not
 * be started or ended well without calling a shared libode, with one line that says why. */
#include "plugin/launch/base/options.h"
#include "plugin/launch/runner/program.h"
#include "plugin/launch/trace/trace.h"
#include "peg/peg.h"

#include <errno.h>
#include <jansson.h>
#include <popt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child;

static int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int fail(const char *format, ...)
{
    va_list list;
    fputs("peg-run: ", stderr);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    return 2;
}

/* ---- options --------------------------------------------------------------------------------- */

typedef struct command {
    char *contact, *settings, *soft, *trace, *summary, *log;
    long trace_every;
    int stats, strict, version;
    char text[1024]; /* the settings, as options.h wants them */
    const char **program;
} command;

/* The settings file as "name=value ..". */
static int read_settings(command *c)
{
    json_error_t error;
    const char *name, *path = c->settings;
    struct stat info;
    if (stat(path, &info) != 0) return fail("--settings: '%s': %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode)) return fail("--settings: '%s' is a folder, not a file", path);
    json_t *value, *file = json_load_file(path, 0, &error);
    if (!json_is_object(file)) {
        int bad = file ? fail("--settings: '%s' holds no JSON object", path)
                       : fail("--settings: '%s', line %d: no JSON object: %s", path, error.line,
                              error.text);
        json_decref(file);
        return bad;
    }
    size_t used = 0;
    int bad = 0;
    json_object_foreach(file, name, value)
    {
        double x = json_is_boolean(value) ? json_is_true(value) : json_number_value(value);
        if (!bad && !json_is_number(value) && !json_is_boolean(value))
            bad = fail("--settings: '%s': '%s' must be a number", path, name);
        if (!bad && used < sizeof c->text)
            used += (size_t)snprintf(c->text + used, sizeof c->text - used, "%s=%.17g ", name, x);
    }
    json_decref(file);
    if (!bad && used >= sizeof c->text) bad = fail("--settings: '%s' is too long", path);
    return bad;
}

/* Says which setting of the file is out of its range. */
static int fail_range(const command *c, pegStatus status)
{
    char list[sizeof c->text], *rest, *word;
    const char *wrong;
    memcpy(list, c->text, sizeof list);
    for (word = strtok_r(list, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        pegSettings settings;
        peg_context *context;
        peg_options_default(&settings);
        peg_options_settings(word, &settings, &wrong);
        if (peg_context_create(&settings, &context) != PEG_OK)
            return fail("--settings: '%s': %s is out of range: ode-peg.h says which it has at "
                        "pegSettings",
                        c->settings, word);
        peg_context_destroy(context);
    }
    return fail("--settings: '%s': %s", c->settings, peg_status_message(status));
}

static int check_settings(const command *c)
{
    peg_options o = {0};
    const char *wrong;
    peg_context *context;
    peg_options_default(&o.settings);
    if (c->contact && !peg_options_contact(c->contact, &o))
        return fail("--contact: no contact model '%s': choose peg, st, paper, lnc, ap, lp, ratio, "
                    "ode or ode-quick",
                    c->contact);
    if (c->contact && o.contact != PEG_LAUNCH_EXACT && (c->settings || c->soft || c->strict))
        return fail("--%s has no effect with --contact %s: it is for exact contacts",
                    c->settings ? "settings"
                    : c->soft   ? "soft"
                                : "strict",
                    c->contact);
    if (!peg_options_settings(c->text, &o.settings, &wrong))
        return fail("--settings: '%s': unknown setting, or not a whole number: %.*s", c->settings,
                    (int)strcspn(wrong, " "), wrong);
    if (c->soft && strstr(c->text, "soft_contacts="))
        return fail("--soft and soft_contacts in '%s' say the same: give one of them", c->settings);
    if (c->soft && !peg_options_soft(c->soft, &o.settings))
        return fail("--soft: no choice '%s': choose rigid, below or keep", c->soft);
    pegStatus status = peg_context_create(&o.settings, &context);
    if (status == PEG_ERROR_MEMORY) return fail("%s", peg_status_message(status));
    if (status != PEG_OK) return fail_range(c, status);
    peg_context_destroy(context);
    return 0;
}

/* ---- starting -------------------------------------------------------------------------------- */

static void set(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

/* A path that holds wherever the program changes its folder to; to be freed. */
static char *absolute(const char *path)
{
    char *folder = path && *path != '/' ? getcwd(NULL, 0) : NULL;
    if (!folder) return path ? strdup(path) : NULL;
    size_t n = strlen(folder) + strlen(path) + 2;
    char *whole = malloc(n);
    if (whole) snprintf(whole, n, "%s/%s", folder, path);
    free(folder);
    return whole;
}

static void set_path(const char *name, const char *path)
{
    char *whole = absolute(path);
    set(name, whole);
    free(whole);
}

static void set_environment(const command *c, const char *preload, const char *met)
{
    const char *others = getenv("LD_PRELOAD");
    char list[8192];
    int more = others && *others;
    snprintf(list, sizeof list, "%s%s%s", preload, more ? ":" : "", more ? others : "");
    set("LD_PRELOAD", list);
    set(PEG_RUN_CONTACT, c->contact);
    set(PEG_RUN_SETTINGS, *c->text ? c->text : NULL);
    set(PEG_RUN_SOFT, c->soft);
    set(PEG_RUN_STATS, c->stats ? "1" : NULL);
    set(PEG_RUN_STRICT, c->strict ? "1" : NULL);
    set(PEG_RUN_MET, met);
    set(PEG_RUN_SCENE,
        strrchr(c->program[0], '/') ? strrchr(c->program[0], '/') + 1 : c->program[0]);
    char every[32];
    snprintf(every, sizeof every, "%ld", c->trace_every);
    set(PEG_RUN_EVERY, every);
    set_path(PEG_RUN_TRACE, c->trace);
    set_path(PEG_RUN_SUMMARY, c->summary);
    set_path(PEG_RUN_LOG, c->log);
}

static void pass_on(int number)
{
    if (child > 0) kill(child, number);
}

/* Runs the program; its status as a shell would give it. */
static int run(const command *c)
{
    int status;
    char *const *arguments;
    memcpy(&arguments, &c->program, sizeof arguments); /* execvp changes none of them */
    child = fork();
    if (child == 0) {
        execvp(c->program[0], arguments);
        fprintf(stderr, "peg-run: cannot start '%s': %s\n", c->program[0], strerror(errno));
        _exit(127);
    }
    if (child < 0) return fail("no new process: %s", strerror(errno));
    signal(SIGINT, SIG_IGN); /* the terminal sends these to the program, too */
    signal(SIGQUIT, SIG_IGN);
    signal(SIGTERM, pass_on);
    signal(SIGHUP, pass_on);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return fail("the program was lost: %s", strerror(errno));
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Whether the files that the program's results go to can be written. */
static int try_files(const command *c)
{
    const struct {
        const char *option, *path;
    } file[] = {{"--trace", c->trace}, {"--summary", c->summary}, {"--log", c->log}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < i; k++)
            if (file[i].path && file[k].path && !strcmp(file[i].path, file[k].path) &&
                strncmp(file[i].path, "/dev/", 5) != 0)
                return fail("%s and %s write to the same file '%s'", file[k].option, file[i].option,
                            file[i].path);
    for (int i = 0; i < 3; i++) {
        if (!file[i].path) continue;
        FILE *f = fopen(file[i].path, i == 2 ? "a" : "w");
        if (!f)
            return fail("%s: '%s' cannot be written: %s", file[i].option, file[i].path,
                        strerror(errno));
        fclose(f);
    }
    if (c->trace) peg_trace_clear(c->trace);
    return 0;
}

static int start(const command *c)
{
    char preload[4096], reason[512], met[] = "/tmp/peg-run-XXXXXX";
    if (!peg_program_preload(preload, sizeof preload))
        return fail("'%s' is missing beside peg-run and in its library folder: install ode-peg",
                    PEG_PROGRAM_PRELOAD);
    if (strpbrk(preload, " :"))
        return fail("'%s' cannot be preloaded: move it to a folder without blanks and colons",
                    preload);
    if (!peg_program_check(c->program[0], reason, sizeof reason)) return fail("%s", reason);
    if (try_files(c)) return 2;
    int file = mkstemp(met);
    if (file < 0) return fail("cannot write to /tmp: %s", strerror(errno));
    close(file);
    set_environment(c, preload, met);
    int status = run(c);
    struct stat info;
    if (stat(met, &info) == 0 && info.st_size == 0) {
        fprintf(stderr,
                "peg-run: '%s' called no function of a shared libode: its contacts were not "
                "replaced\n",
                c->program[0]);
        if (status == 0) status = 2;
    }
    unlink(met);
    if (c->trace && !peg_trace_join(c->trace))
        fprintf(stderr, "peg-run: '%s' could not be written in full\n", c->trace);
    return status;
}

enum { TRACE_EVERY = 6 }; /* an option is known by its place in the table, from 1 on */

/* Reads all options; none may come twice. */
static int parse(poptContext context, const struct poptOption *table, unsigned *given)
{
    int option;
    while ((option = poptGetNextOpt(context)) > 0) {
        if (*given >> option & 1) return fail("--%s is given twice", table[option - 1].longName);
        *given |= 1u << option;
    }
    if (option == -1) return 0;
    const char *bad = poptBadOption(context, POPT_BADOPTION_NOALIAS);
    int is_value = option == POPT_ERROR_BADNUMBER || option == POPT_ERROR_OVERFLOW;
    if (is_value && strchr(bad, '=') == NULL)
        return fail("--trace-every %s: %s (see peg-run --help)", bad, poptStrerror(option));
    return fail("%s: %s (see peg-run --help)", bad, poptStrerror(option));
}

int main(int argc, const char **argv)
{
    command c = {.trace_every = 1};
    const struct poptOption table[] = {
        {"contact", 0, POPT_ARG_STRING, &c.contact, 1,
         "contact model: peg (exact), st, paper, lnc, ap, lp, ratio (the papers' models), ode "
         "(stock) "
         "or ode-quick (stock, dWorldQuickStep for every step) [peg]",
         "MODEL"},
        {"soft", 0, POPT_ARG_STRING, &c.soft, 2,
         "contacts with soft_erp or soft_cfm: rigid, below (compliant where the step resolves the "
         "spring) or keep [rigid]",
         "CHOICE"},
        {"settings", 0, POPT_ARG_STRING, &c.settings, 3,
         "JSON object of pegSettings, such as {\"threads\": 2}", "FILE"},
        {"stats", 0, POPT_ARG_NONE, &c.stats, 4,
         "print a line of statistics every second and at the end to standard error", NULL},
        {"trace", 0, POPT_ARG_STRING, &c.trace, 5, "write all poses as JSON lines", "FILE"},
        {"trace-every", 0, POPT_ARG_LONG, &c.trace_every, TRACE_EVERY,
         "write every N-th step only [1]", "N"},
        {"summary", 0, POPT_ARG_STRING, &c.summary, 7, "write statistics of the run as JSON",
         "FILE"},
        {"log", 0, POPT_ARG_STRING, &c.log, 8, "append messages to a file [standard error]",
         "FILE"},
        {"strict", 0, POPT_ARG_NONE, &c.strict, 9,
         "end the program (status 2) at the first contact that is not exact, and at "
         "the first step that is unconverged or limits bodies",
         NULL},
        {"version", 0, POPT_ARG_NONE, &c.version, 10, "print the version", NULL},
        POPT_AUTOHELP POPT_TABLEEND};
    poptContext context = poptGetContext("peg-run", argc, argv, table, POPT_CONTEXT_POSIXMEHARDER);
    poptSetOtherOptionHelp(context, "[OPTION..] PROGRAM [ARGUMENT..]");
    unsigned given = 0;
    int status = parse(context, table, &given);
    c.program = poptGetArgs(context);
    if (!status && c.version) {
        puts("peg-run " PEG_RUN_VERSION);
        poptFreeContext(context);
        return 0;
    }
    if (!status && !c.program) status = fail("name a program to run (see peg-run --help)");
    if (!status && c.settings) status = read_settings(&c);
    if (!status && c.trace_every < 1)
        status = fail("--trace-every must be a positive whole number");
    if (!status && given >> TRACE_EVERY & 1 && !c.trace)
        status = fail("--trace-every has no effect without --trace");
    if (!status) status = check_settings(&c);
    if (!status) status = start(&c);
    char *owned[] = {c.contact, c.settings, c.soft, c.trace, c.summary, c.log};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) free(owned[i]);
    poptFreeContext(context);
    return status;
}
