/* Geometry of peg/: polytopes, separation, sweep. */
#include "test_geometry.h"

#include <stdlib.h>

int main(void)
{
    Suite *suite = suite_create("geometry");
    suite_add_tcase(suite, polytope_tests());
    suite_add_tcase(suite, separation_tests());
    suite_add_tcase(suite, dilated_tests());
    suite_add_tcase(suite, cover_tests());
    suite_add_tcase(suite, sweep_tests());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
