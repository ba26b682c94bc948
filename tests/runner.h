/* A suite is one program: tests/runner.c with the only main, and files that make the suite. */
#ifndef TESTS_RUNNER_H
#define TESTS_RUNNER_H

#include <check.h>
#include <stdlib.h>

/* What a program runs; called once, before anything else. */
Suite *test_suite(void);

/* Lets the program call `end` once, after the last test. */
void test_at_end(void (*end)(void));

/* A folder of the program's own beneath /tmp, removed after the last test. */
const char *test_folder(void);
/* The path of a file in it; valid until the fourth call after this one. */
const char *test_path(const char *name);

/* Marks a case as one that takes long: the fast lane (`./run test --fast`) leaves it out. (By
 * Check's tags: `long`; what carries the tag `unsanitized` is left out by `./run test --sanitize`.)
 */
void test_long(TCase *tc);

#endif
