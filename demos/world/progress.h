/* Progress of long work on stderr: a bar with rate and time left on a terminal, a line now and then
 * elsewhere. */
#ifndef LAB_PROGRESS_H
#define LAB_PROGRESS_H

typedef struct lab_progress {
    const char *title, *unit; /* unit: of what is counted, as "runs"; null: "steps" */
    long total;
    int silent;
    /* its own */
    double begun, told;
    long done;
    int shown;
} lab_progress;

/* Says what is to do, and starts the clock; the time left follows once it is known. */
void lab_progress_begin(lab_progress *p);
void lab_progress_set(lab_progress *p, long done);
void lab_progress_end(lab_progress *p);
/* A duration as people say it: "40 s", "3 min", "1 h 20 min". */
const char *lab_duration(double seconds, char text[32]);
/* Says at the start of long work how long it takes at most. */
void lab_progress_announce(const char *what, double seconds);

#endif
