/* What can be said of a program before it is started. */
#ifndef PEG_LAUNCH_PROGRAM_H
#define PEG_LAUNCH_PROGRAM_H

#include <stddef.h>

#define PEG_PROGRAM_PRELOAD "libode-peg-preload.so"

/* Path of the library to preload: beside peg-run (in the build folder) or in the library folder
 * of the installation. 0: there is none. */
int peg_program_preload(char *path, size_t size) __attribute__((nonnull));

/* Whether the program (looked up as a shell does) can be started and preloaded; else 0 and a
 * sentence that says why not. */
int peg_program_check(const char *name, char *reason, size_t size);

#endif
