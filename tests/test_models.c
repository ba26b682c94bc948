/* The papers' contact models, and planar scenes. */
#include "test_models.h"

#include <stdlib.h>

int main(void)
{
    Suite *suite = suite_create("models");
    planar_cases(suite);
    paper_cases(suite);
    paper_space_cases(suite);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
