#include "tests/runner.h"

#include <stdio.h>

static void (*at_end)(void);
static char folder[] = "/tmp/ode-peg-test-XXXXXX";
static int has_folder;

void test_at_end(void (*end)(void))
{
    at_end = end;
}

const char *test_folder(void)
{
    if (!has_folder && !mkdtemp(folder)) {
        perror(folder);
        exit(EXIT_FAILURE);
    }
    has_folder = 1;
    return folder;
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

int main(void)
{
    setenv("CK_DEFAULT_TIMEOUT", "60", 0); /* Check's 4 s are few for a busy machine */
    SRunner *runner = srunner_create(test_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    if (at_end) at_end();
    if (has_folder && remove_folder()) failed++;
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
