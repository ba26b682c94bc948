/* The papers' contact models, and planar scenes. */
#include "tests/runner.h"
#include "tests/test_models.h"

#include <stdlib.h>

Suite *test_suite(void)
{
    Suite *suite = suite_create("models");
    planar_cases(suite);
    paper_cases(suite);
    paper_space_cases(suite);
    return suite;
}
