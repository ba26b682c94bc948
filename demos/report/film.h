#ifndef LAB_FILM_H
#define LAB_FILM_H

#include "demos/report/trace.h"

/* Writes measured traces side by side as a film, through ffmpeg: .mp4, or .gif (480 pixels wide).
 * speed: simulated seconds in one of the film. 0, or 1 after one line on stderr. */
int film_is_name(const char *path); /* ends in .mp4 or .gif */
int film_has_encoder(void);         /* ffmpeg is in PATH */
int film_write(const char *path, lab_trace *const *traces, int n, double speed, int quiet);

#endif
