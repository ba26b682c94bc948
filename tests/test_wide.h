/* The parts of the suite on the step in lanes. */
#ifndef TESTS_TEST_WIDE_H
#define TESTS_TEST_WIDE_H

#include <check.h>

void wide_step_cases(Suite *suite);

#endif
