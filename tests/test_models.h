#ifndef TEST_MODELS_H
#define TEST_MODELS_H

#include <check.h>

/* test_planar.c */
void planar_cases(Suite *suite);
/* test_paper.c */
void paper_cases(Suite *suite);
/* test_paper_space.c */
void paper_space_cases(Suite *suite);

#endif
