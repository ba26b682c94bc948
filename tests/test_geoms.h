#ifndef TEST_GEOMS_H
#define TEST_GEOMS_H

#include <check.h>

TCase *geom_change_tests(void);
TCase *geom_ask_tests(void);

#endif
