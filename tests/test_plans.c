/* Plans and sweeps: which cases a plan has, that all ways of running it come to the same rows, and
 * that nothing finished is lost. Environment: PEG_LAB, the program; LAB_DATA, tests/data. */
#include <check.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "demos/sweep/coordinator.h"
#include "demos/sweep/journal.h"
#include "demos/sweep/store.h"
#include "tests/runner.h"

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
}

static int run(const char *format, const char *a, const char *b)
{
    char line[2048], command[1024];
    snprintf(command, sizeof command, format, a, b);
    snprintf(line, sizeof line, "'%s' %s >%s/stdout 2>%s/stderr", getenv("PEG_LAB"), command,
             test_folder(), test_folder());
    int status = system(line);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void read_plan(sweep_plan *plan, const char *text)
{
    char why[LAB_TEXT] = "";
    write_text(test_path("plan.json"), text);
    ck_assert_msg(sweep_plan_read(plan, test_path("plan.json"), why) == 0, "%s", why);
}

#define HEAD "{\"format\": \"ode-peg-plan\", \"version\": 1, \"name\": \"test\", \"blocks\": "

START_TEST(multiplies_lists)
{
    sweep_plan plan;
    char key[SWEEP_KEY_SIZE];
    read_plan(&plan, HEAD "[{\"scenes\": [\"pour-boxes\", \"tower-20\"], \"contact\": [\"peg\", "
                          "\"ode\"], \"h\": [0.01, 0.05], \"mu\": 0.5, \"seeds\": {\"from\": 3, "
                          "\"to\": 5}, \"steps\": 7}, {\"scenes\": [\"pour-boxes\"], \"set\": "
                          "{\"bodies\": [1, 2], \"turn\": [0, 37]}, \"#why\": 1}]}");
    ck_assert_int_eq(plan.count, 2 * 2 * 2 * 3 + 4);
    sweep_key(&plan.cases[1], key);
    ck_assert_str_eq(key, "run pour-boxes --contact peg --h 0.01 --steps 7 --mu 0.5 --seed 4");
    sweep_key(&plan.cases[plan.count - 1], key);
    ck_assert_str_eq(key, "run pour-boxes --contact peg --seed 1 --set bodies=2 --set turn=37");
    sweep_plan_free(&plan);
}
END_TEST

/* Whether the last program has told so. */
static int has_told(const char *words)
{
    char told[2048] = "";
    FILE *f = fopen(test_path("stderr"), "r");
    ck_assert(f && fread(told, 1, sizeof told - 1, f) > 0 && fclose(f) == 0);
    return strstr(told, words) != NULL;
}

START_TEST(refuses_bad_plans)
{
    static const char *const plans[][2] = {
        {"", "is empty"},
        {"{}", "no plan"},
        {"{\"format\": \"ode-peg-plan\", \"version\": 2}", "no plan"},
        {HEAD "3}", "blocks"},
        {HEAD "[]}", "no cases"},
        {HEAD "[{\"scenes\": [\"bounce\"]}], \"block\": []}", "no \"block\" in a plan"},
        {HEAD "[{}]}", "scenes"},
        {HEAD "[{\"scenes\": [\"nowhere\"]}]}", "no scene 'nowhere'"},
        {HEAD "[{\"scenes\": [\"bounce\"], \"steps\": 2.5}]}", "\"steps\" must be a whole"},
        {HEAD "[{\"scenes\": [\"bounce\"], \"steps\": 2, \"time\": 1}]}", "both say how long"},
        {HEAD "[{\"scenes\": [\"bounce\"], \"seeds\": [1.5]}]}", "\"seeds\" must be whole"},
        {HEAD "[{\"scenes\": [\"bounce\"], \"limit\": 0.5}]}", "\"limit\" must lie"},
        {HEAD "[{\"scenes\": [\"bounce\"], \"h\": [1e300]}]}", "\"h\" must lie"},
        {HEAD "[{\"scenes\": [\"bounce\"], \"contact\": \"magic\"}]}", "no contact model 'magic'"},
        {HEAD "[{\"scenes\": [\"bounce\"], \"h\": 0}]}", "\"h\""},
        {HEAD "[{\"scenes\": [\"bounce\"], \"mu\": [-1]}]}", "\"mu\""},
        {HEAD "[{\"scenes\": [\"bounce\"], \"mu\": \"much\"}]}", "\"mu\""},
        {HEAD "[{\"scenes\": [\"bounce\"], \"h\": [\"inf\"]}]}", "\"h\""},
        {HEAD "[{\"scenes\": [\"bounce\"], \"seeds\": {\"from\": 2, \"to\": 1}}]}", "range"},
        {HEAD "[{\"scenes\": [\"bounce\"], \"seed\": 1}]}", "no \"seed\""},
        {HEAD "[{\"scenes\": [\"bounce\"], \"seeds\": [1, 1]}]}", "twice"},
        {HEAD "[{\"scenes\": [\"bounce\"], \"set\": 3}]}", "\"set\""},
        {HEAD "[{\"experiments\": [\"nothing\"]}]}", "no experiment 'nothing'"},
        {HEAD "[{\"experiments\": [\"rod\"], \"h\": 1}]}", "no \"h\""},
    };
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        sweep_plan plan;
        char why[LAB_TEXT] = "";
        write_text(test_path("bad.json"), plans[i][0]);
        ck_assert_int_eq(sweep_plan_read(&plan, test_path("bad.json"), why), 1);
        ck_assert_msg(strstr(why, plans[i][1]) != NULL, "'%s' is not in: %s", plans[i][1], why);
    }
    write_text(test_path("bad.json"), HEAD "[{\"scenes\": [\"bounce\", \"nowhere.json\"]}]}");
    ck_assert_int_eq(run("sweep %s --out x", test_path("bad.json"), ""), 2);
    write_text(test_path("bad.json"),
               HEAD "[{\"scenes\": [\"bounce\"], \"set\": {\"nokey\": 1}}]}");
    ck_assert_int_eq(run("sweep %s --out x", test_path("bad.json"), ""), 2);
    ck_assert(has_told("bad.json: scene 'bounce': the scene has no key 'nokey'"));
    write_text(test_path("bad.json"),
               HEAD "[{\"scenes\": [\"bounce\"], \"set\": {\"drop\": [1, -1]}}]}");
    ck_assert_int_eq(run("sweep %s --out x", test_path("bad.json"), ""), 2);
    ck_assert(has_told("--set drop=-1: drop must be a number from 0"));
    ck_assert_int_eq(run("sweep /nowhere.json --out x", "", ""), 2);
    ck_assert_int_eq(run("sweep %s --out /dev/null/x", test_path("plan.json"), ""), 2);
    ck_assert_int_eq(run("sweep %s --out x --part 3/2", test_path("plan.json"), ""), 2);
    ck_assert_int_eq(run("sweep-report /nowhere", "", ""), 2);
}
END_TEST

/* ---- rows ------------------------------------------------------------------------------------ */

#define CASES 28

static void write_plan_of(int steps)
{
    char text[2048];
    snprintf(text, sizeof text,
             HEAD
             "[{\"scenes\": [\"pour-boxes\"], \"contact\": [\"peg\", \"ode-quick\"], \"h\": "
             "[0.02, 0.05], \"set\": {\"bodies\": 2}, \"seeds\": {\"from\": 1, \"to\": 5}, "
             "\"steps\": %d}, {\"scenes\": [\"%s/drop.json\"], \"contact\": [\"peg\", \"ode\"], "
             "\"h\": [0.01, 0.005], \"mu\": [\"inf\", 0.5], \"steps\": 4, \"mesh_dir\": "
             "\"%s/meshes\"}]}",
             steps, getenv("LAB_DATA"), getenv("LAB_DATA"));
    write_text(test_path("plan.json"), text);
}

static void write_plan(void)
{
    write_plan_of(20);
}

/* All rows of a folder, without what differs from run to run, to be freed. */
static char *rows_of(const char *dir)
{
    static const char *const timed[] = {"seconds", "step_ms", "machine"};
    sweep_plan plan;
    char why[LAB_TEXT];
    json_t *rows[CASES] = {0}, *list = json_array();
    ck_assert_int_eq(sweep_plan_read(&plan, test_path("plan.json"), why), 0);
    ck_assert_int_eq(plan.count, CASES);
    sweep_read_rows(&plan, dir, NULL, rows);
    for (int i = 0; i < CASES; i++) {
        ck_assert_msg(rows[i] != NULL, "case %d of '%s' has no row", i, dir);
        for (size_t k = 0; k < sizeof timed / sizeof *timed; k++)
            json_object_del(rows[i], timed[k]);
        const char *key;
        json_t *value;
        void *next;
        json_object_foreach_safe(rows[i], next, key, value) /* null is as good as missing */
            if (json_is_null(value)) json_object_del(rows[i], key);
        json_array_append_new(list, rows[i]);
    }
    char *text = json_dumps(list, JSON_SORT_KEYS);
    json_decref(list);
    sweep_plan_free(&plan);
    return text;
}

static void expect_rows(const char *dir, const char *wanted)
{
    char *rows = rows_of(dir);
    ck_assert_msg(strcmp(rows, wanted) == 0, "other rows in '%s'", dir);
    free(rows);
}

static long size_of(const char *path)
{
    struct stat info;
    return stat(path, &info) ? -1 : (long)info.st_size;
}

static void count_store(void *count, json_t *row)
{
    (void)row;
    ++*(int *)count;
}

/* Friction without limit, the settings of the library, and where it ran. */
static void look_at_store(void *count, json_t *row)
{
    const char *contact = json_string_value(json_object_get(row, "contact"));
    const char *key = json_string_value(json_object_get(row, "case_key"));
    const char *mu = json_string_value(json_object_get(row, "mu"));
    const char *settings = json_string_value(json_object_get(row, "settings"));
    ck_assert_int_eq(strstr(key, "--mu inf") != NULL, mu && !strcmp(mu, "inf"));
    ck_assert_int_eq(!strcmp(contact, "peg"), strstr(settings, "soft_contacts=2") != NULL);
    ck_assert_ptr_nonnull(json_string_value(json_object_get(row, "build")));
    ck_assert_ptr_nonnull(strchr(json_string_value(json_object_get(row, "machine")), ':'));
    ++*(int *)count;
}

START_TEST(comes_to_the_same_rows)
{
    write_plan();
    ck_assert_int_eq(
        run("sweep %s --out %s --jobs 2 --quiet", test_path("plan.json"), test_path("two")), 0);
    char *rows = rows_of(test_path("two"));
    ck_assert_int_eq(
        run("sweep %s --out %s --jobs 1 --quiet", test_path("plan.json"), test_path("one")), 0);
    expect_rows(test_path("one"), rows);
    for (int i = 1; i <= 3; i++) {
        char part[64];
        snprintf(part, sizeof part, "sweep %%s --out %%s --part %d/3 --jobs 1 --quiet", i);
        ck_assert_int_eq(run(part, test_path("plan.json"), test_path("parts")), 0);
    }
    expect_rows(test_path("parts"), rows);
    run("sweep-report %s --quiet", test_path("parts"), "");
    int stored = 0;
    sweep_store_read(test_path("parts"), look_at_store, &stored);
    ck_assert_int_eq(stored, CASES);
    ck_assert_int_gt(size_of(test_path("parts/table.txt")), 500);
    ck_assert_int_gt(size_of(test_path("parts/overlap.png")), 500);
    free(rows);
}
END_TEST

#ifdef HAVE_MPI

/* Runs the plan with ranks; an exit status. */
static int run_ranks(int ranks, const char *dir)
{
    char command[1024];
    snprintf(command, sizeof command,
             /* Open MPI leaks what it loads */
             "ASAN_OPTIONS=detect_leaks=0 "
             "mpirun --allow-run-as-root --oversubscribe -n %d '%s' sweep %s --out %s --quiet "
             ">/dev/null 2>&1",
             ranks, getenv("PEG_LAB"), test_path("plan.json"), dir);
    int status = system(command);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int has_mpirun(void)
{
    return system("command -v mpirun >/dev/null") == 0;
}

START_TEST(ranks_come_to_the_same_rows)
{
    char name[16];
    write_plan();
    ck_assert_int_eq(
        run("sweep %s --out %s --jobs 2 --quiet", test_path("plan.json"), test_path("here")), 0);
    char *rows = rows_of(test_path("here"));
    for (int ranks = 1; ranks <= 4 && has_mpirun(); ranks++) {
        snprintf(name, sizeof name, "ranks-%d", ranks);
        ck_assert_int_eq(run_ranks(ranks, test_path(name)), 0);
        expect_rows(test_path(name), rows);
    }
    free(rows);
}
END_TEST

#endif

/* ---- losses ---------------------------------------------------------------------------------- */

static void damage(const char *path, long size)
{
    ck_assert_int_eq(truncate(path, size), 0);
}

static void add_garbage(const char *path)
{
    FILE *f = fopen(path, "a");
    ck_assert_ptr_nonnull(f);
    fputs("12345678 {\"case_key\": \"forged\"}\n\x01\xff half a li", f);
    ck_assert_int_eq(fclose(f), 0);
}

/* Counts the lines that a sweep adds: the cases that it ran again. */
static long lines_of(const char *path)
{
    FILE *f = fopen(path, "r");
    long n = 0;
    ck_assert_ptr_nonnull(f);
    for (int c; (c = fgetc(f)) != EOF;) n += c == '\n';
    fclose(f);
    return n;
}

START_TEST(survives_damaged_files)
{
    const char *again = "sweep %s --out %s --jobs 2 --quiet";
    write_plan();
    ck_assert_int_eq(run(again, test_path("plan.json"), test_path("d")), 0);
    char *rows = rows_of(test_path("d"));
    ck_assert_int_eq(lines_of(test_path("d/journal.jsonl")), CASES);
    /* a result file of half its length, then none of the journal */
    damage(test_path("d/results.sqlite"), size_of(test_path("d/results.sqlite")) / 2);
    expect_rows(test_path("d"), rows);
    ck_assert_int_eq(run(again, test_path("plan.json"), test_path("d")), 0);
    ck_assert_int_eq(lines_of(test_path("d/journal.jsonl")), CASES);
    damage(test_path("d/journal.jsonl"), 0);
    expect_rows(test_path("d"), rows);
    ck_assert_int_eq(run(again, test_path("plan.json"), test_path("d")), 0);
    ck_assert_int_eq(lines_of(test_path("d/journal.jsonl")), 0); /* the result file has them */
    /* a journal that was cut and written over, without a result file */
    unlink(test_path("d/results.sqlite"));
    ck_assert_int_eq(run(again, test_path("plan.json"), test_path("d")), 0);
    unlink(test_path("d/results.sqlite"));
    damage(test_path("d/journal.jsonl"), size_of(test_path("d/journal.jsonl")) - 20);
    add_garbage(test_path("d/journal.jsonl"));
    long before = lines_of(test_path("d/journal.jsonl"));
    ck_assert_int_eq(run(again, test_path("plan.json"), test_path("d")), 0);
    ck_assert_int_eq(lines_of(test_path("d/journal.jsonl")),
                     before + 2); /* its end, and one case */
    expect_rows(test_path("d"), rows);
    free(rows);
}
END_TEST

START_TEST(survives_a_full_disk)
{
    write_plan();
    ck_assert_int_eq(mkdir(test_path("full"), 0777), 0);
    ck_assert_int_eq(symlink("/dev/full", test_path("full/journal.jsonl")), 0);
    ck_assert_int_eq(
        run("sweep %s --out %s --jobs 1 --quiet", test_path("plan.json"), test_path("full")), 1);
    unlink(test_path("full/journal.jsonl"));
    ck_assert_int_eq(
        run("sweep %s --out %s --jobs 2 --quiet", test_path("plan.json"), test_path("full")), 0);
    free(rows_of(test_path("full")));
}
END_TEST

/* Killed as soon as some cases have finished: these are not run again. */
START_TEST(goes_on_after_a_kill)
{
    write_plan();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        execl(getenv("PEG_LAB"), "peg-lab", "sweep", test_path("plan.json"), "--out",
              test_path("killed"), "--jobs", "1", "--quiet", (char *)NULL);
        _exit(127);
    }
    while (size_of(test_path("killed/journal.jsonl")) <= 0)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    long before = lines_of(test_path("killed/journal.jsonl"));
    ck_assert_int_ge(before, 1);
    ck_assert_int_eq(
        run("sweep %s --out %s --jobs 2 --quiet", test_path("plan.json"), test_path("killed")), 0);
    ck_assert_int_eq(lines_of(test_path("killed/journal.jsonl")), CASES);
    free(rows_of(test_path("killed")));
}
END_TEST

#ifdef HAVE_MPI

/* The n-th process, by its number, that runs this sweep as a rank, or 0. A rank is told by Open
 * MPI's variables; its workers are its children and have them as well, but have larger numbers. */
static pid_t find_rank(int rank, const char *dir)
{
    char command[512], text[32] = "";
    snprintf(command, sizeof command,
             "for p in $(pgrep -f -- '--out %s --quiet' | sort -n); do "
             "tr '\\0' '\\n' <\"/proc/$p/environ\" 2>/dev/null | "
             "grep -qx OMPI_COMM_WORLD_RANK=%d && echo $p && break; done",
             dir, rank);
    FILE *f = popen(command, "r");
    ck_assert_ptr_nonnull(f);
    if (!fgets(text, sizeof text, f)) *text = 0;
    pclose(f);
    return (pid_t)strtol(text, NULL, 10);
}

/* Whichever rank is killed, Open MPI ends the job, and a restart runs only what had not finished.
 */
START_TEST(goes_on_after_the_kill_of_a_rank)
{
    char dir[256], journal[300];
    if (!has_mpirun()) return;
    write_plan_of(5000); /* so that it is not over before the kill */
    snprintf(dir, sizeof dir, "%s", test_path(_i ? "killed-1" : "killed-0"));
    snprintf(journal, sizeof journal, "%s/journal.jsonl", dir);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) _exit(run_ranks(3, dir));
    while (size_of(journal) <= 0) nanosleep(&(struct timespec){0, 1000000}, NULL);
    pid_t rank = find_rank(_i, dir);
    int killed = rank > 0 && kill(rank, SIGKILL) == 0, status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(killed, "the sweep was over before rank %d could be killed", _i);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) != 0);
    long before = lines_of(journal);
    ck_assert_int_ge(before, 1);
    ck_assert_int_lt(before, CASES);
    ck_assert_int_eq(run_ranks(4, dir), 0);
    ck_assert_int_eq(lines_of(journal), CASES);
    free(rows_of(dir));
}
END_TEST

#endif

/* A case that takes too long is a failed row, and the others are run. */
START_TEST(limits_the_time_of_a_case)
{
    int stored = 0;
    write_text(test_path("long.json"),
               HEAD "[{\"scenes\": [\"pour-boxes\"], \"steps\": 100000000, \"limit\": 1}, "
                    "{\"scenes\": [\"pour-boxes\"], \"steps\": 3}]}");
    ck_assert_int_eq(
        run("sweep %s --out %s --jobs 1 --quiet", test_path("long.json"), test_path("long")), 0);
    sweep_store_read(test_path("long"), count_store, &stored);
    ck_assert_int_eq(stored, 2);
    ck_assert_int_eq(run("sweep-report %s --quiet", test_path("long"), ""), 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("plans");
    TCase *tests = tcase_create("plans");
    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, multiplies_lists);
    tcase_add_test(tests, refuses_bad_plans);
    tcase_add_test(tests, comes_to_the_same_rows);
#ifdef HAVE_MPI
    tcase_add_test(tests, ranks_come_to_the_same_rows);
    tcase_add_loop_test(tests, goes_on_after_the_kill_of_a_rank, 0, 2);
#endif
    tcase_add_test(tests, survives_damaged_files);
    tcase_add_test(tests, survives_a_full_disk);
    tcase_add_test(tests, goes_on_after_a_kill);
    tcase_add_test(tests, limits_the_time_of_a_case);
    return suite;
}
