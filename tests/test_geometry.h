#ifndef TEST_GEOMETRY_H
#define TEST_GEOMETRY_H

#include <check.h>

TCase *separation_tests(void);
TCase *dilated_tests(void);
TCase *cover_tests(void);
TCase *minima_tests(void);
TCase *polytope_tests(void);
TCase *polytope_memory_tests(void);
TCase *sweep_tests(void);

#endif
