#ifndef TEST_STEP_H
#define TEST_STEP_H

#include <check.h>

/* test_step_failures.c: errors, the position stage, the standard model. */
void step_failure_cases(Suite *suite);
/* test_round.c: spheres, cylinders, meshes, given contacts. */
TCase *round_case(void);

#endif
