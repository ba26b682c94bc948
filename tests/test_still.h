#ifndef TEST_STILL_H
#define TEST_STILL_H

#include <check.h>

/* test_still_random.c: the same scene with and without repetition. */
TCase *still_random_case(void);
/* test_still_ode.c: through ODE. */
TCase *still_ode_case(void);

#endif
