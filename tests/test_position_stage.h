#ifndef TEST_POSITION_STAGE_H
#define TEST_POSITION_STAGE_H

#include <check.h>

/* test_rigid_zones.c */
TCase *rigid_zones_case(void);

#endif
