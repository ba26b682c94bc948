/* Which runs make up a study or a test: scenes x step sizes x turn x scale x the scenes' own keys;
 * scenes with friction x coefficients x contact models; pours x step sizes x seeds x contact models
 * x coefficients. */
#ifndef LAB_MATRIX_H
#define LAB_MATRIX_H

#include "demos/world/scene.h"

typedef enum matrix_extent {
    MATRIX_GATE, /* what `./run test` can afford: 2 seeds, h .01 and .05, some short runs at .002 */
    MATRIX_QUICK, /* every scene once, one pour of each kind */
    MATRIX_FULL   /* the tables of the study */
} matrix_extent;

enum { MATRIX_SETS = 6 };

typedef struct matrix_job {
    const lab_scene *scene;
    lab_options options; /* set points into this job only through matrix_options */
    lab_setting set[MATRIX_SETS];
    int friction; /* belongs to the table of friction */
} matrix_job;

/* Calls visit for every job; returns their number. visit may be null. */
int matrix_jobs(matrix_extent extent, void (*visit)(void *context, const matrix_job *job),
                void *context);

/* The job's options, referring to the job's own settings. */
lab_options matrix_options(const matrix_job *job);

/* The command that repeats the job, without the program's path. */
void matrix_command(const matrix_job *job, char *text, size_t size);

#endif
