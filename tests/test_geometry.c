/* Geometry of peg/: polytopes, separation, sweep. */
#include "tests/runner.h"
#include "tests/test_geometry.h"

#include <stdlib.h>

Suite *test_suite(void)
{
    Suite *suite = suite_create("geometry");
    suite_add_tcase(suite, polytope_tests());
    suite_add_tcase(suite, polytope_memory_tests());
    suite_add_tcase(suite, separation_tests());
    suite_add_tcase(suite, dilated_tests());
    suite_add_tcase(suite, cover_tests());
    suite_add_tcase(suite, minima_tests());
    suite_add_tcase(suite, sweep_tests());
    return suite;
}
