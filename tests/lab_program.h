/* The built peg-lab, run by tests, and the files that it reads and writes. Environment: PEG_LAB,
 * the program; LAB_DATA, tests/data. */
#ifndef LAB_PROGRAM_H
#define LAB_PROGRAM_H

#include <check.h>

/* The path of a file of tests/data; valid until the next call. */
const char *lab_data_path(const char *name);
/* The whole file, to be freed. */
char *lab_read_text(const char *path);
void lab_write_text(const char *path, const char *text);
/* Runs the program; returns its exit status. What it says goes to `stdout` and `stderr` in the
 * folder. */
int lab_run_program(const char *arguments);
/* 1: exit status 2 and exactly one line, which holds the words. Otherwise what was said goes to
 * stderr. */
int lab_refused(const char *arguments, const char *words);

/* test_lab_scenes.c */
TCase *lab_scene_tests(void);
TCase *lab_rubbish_tests(void);

#endif
