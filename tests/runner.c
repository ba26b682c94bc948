#include "tests/runner.h"

#include <stdio.h>

static void (*at_end)(void);
static char folder[] = "/tmp/ode-peg-test-XXXXXX";

void test_at_end(void (*end)(void))
{
    at_end = end;
}

const char *test_folder(void)
{
    return folder;
}

const char *test_path(const char *name)
{
    static char path[4][256];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", test_folder(), name);
    return path[turn];
}

static int remove_folder(void)
{
    char command[sizeof folder + 16];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) != 0;
}

void test_long(TCase *tc)
{
    tcase_set_tags(tc, "long");
}

/* Check tells the runner of every assertion that holds, by a system call: in loops of a million
 * that costs more than what is checked. It serves to say where a test crashed. Each test's first
 * ones are told, then every 256th. */
void __real__mark_point(const char *file, int line);
void __wrap__mark_point(const char *file, int line);

void __wrap__mark_point(const char *file, int line)
{
    static unsigned long told;
    if (told++ < 1000 || told % 256 == 0) __real__mark_point(file, line);
}

int main(void)
{
    setenv("CK_DEFAULT_TIMEOUT", "60", 0); /* Check's 4 s are few for a busy machine */
    if (!mkdtemp(folder)) {                /* before the processes of the tests */
        perror(folder);
        return EXIT_FAILURE;
    }
    SRunner *runner = srunner_create(test_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    if (at_end) at_end();
    if (remove_folder()) failed++;
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
