/* What peg-run tells the library in the program, by the environment. */
#ifndef PEG_LAUNCH_OPTIONS_H
#define PEG_LAUNCH_OPTIONS_H

#include "peg/base/types.h"

typedef enum peg_launch_contact {
    PEG_LAUNCH_EXACT, /* settings.contact says how */
    PEG_LAUNCH_ODE,   /* nothing is changed */
    PEG_LAUNCH_QUICK  /* every step is dWorldQuickStep */
} peg_launch_contact;

typedef struct peg_options {
    peg_launch_contact contact;
    const char *name; /* of it, as --contact has it */
    pegSettings settings;
    int stats, strict;
    const char *trace, *summary, *log; /* files, or null */
    long trace_every;                  /* steps between lines of the trace */
    int told;                          /* of stats, trace or summary: each step is */
    const char *scene;                 /* the program's name */
    const char *met;                   /* file that is made when ODE is met, or null */
} peg_options;

/* Names of the variables. */
#define PEG_RUN_CONTACT  "PEG_RUN_CONTACT"
#define PEG_RUN_SETTINGS "PEG_RUN_SETTINGS"
#define PEG_RUN_SOFT     "PEG_RUN_SOFT"
#define PEG_RUN_STATS    "PEG_RUN_STATS"
#define PEG_RUN_STRICT   "PEG_RUN_STRICT"
#define PEG_RUN_TRACE    "PEG_RUN_TRACE"
#define PEG_RUN_EVERY    "PEG_RUN_EVERY"
#define PEG_RUN_SUMMARY  "PEG_RUN_SUMMARY"
#define PEG_RUN_LOG      "PEG_RUN_LOG"
#define PEG_RUN_MET      "PEG_RUN_MET"
#define PEG_RUN_SCENE    "PEG_RUN_SCENE"

/* Those of this process. */
extern peg_options peg_launch_options;

/* pegSettingsDefault, but all contacts are rigid. */
void peg_options_default(pegSettings *out);
/* Reads --soft; 0 if there is no such choice. */
int peg_options_soft(const char *name, pegSettings *out);
/* Reads --contact; 0 if there is no such model. */
int peg_options_contact(const char *name, peg_options *out);
/* Reads settings as "name=value name=value"; on error 0, and `word` is the start of what is wrong.
 * Ranges are not checked. */
int peg_options_settings(const char *text, pegSettings *out, const char **word);
/* The environment; what is not set or not readable keeps its default. */
void peg_options_read(peg_options *out);
/* Whether contacts are exact, or steps only measured. */
int peg_takes_over(void);

#endif
