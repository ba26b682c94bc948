/* The options of peg-lab, and which of them each command takes. */
#ifndef LAB_OPTIONS_H
#define LAB_OPTIONS_H

enum {
    OPT_CONTACT = 1,
    OPT_H,
    OPT_TIME,
    OPT_STEPS,
    OPT_SEED,
    OPT_MU,
    OPT_SET,
    OPT_TRACE,
    OPT_COMPACT,
    OPT_QUANTUM,
    OPT_EVERY,
    OPT_SUMMARY,
    OPT_PICTURE,
    OPT_VIDEO,
    OPT_SPEED,
    OPT_GLTF,
    OPT_MESH_DIR,
    OPT_OUT,
    OPT_CAPTURE,
    OPT_ROWS,
    OPT_QUICK,
    OPT_JOBS,
    OPT_PART,
    OPT_RUN,
    OPT_FRESH,
    OPT_SCENE,
    OPT_N_MAX,
    OPT_BUDGET,
    OPT_RESULTS,
    OPT_QUIET,
    OPT_VERSION,
    OPT_COUNT
};

/* Options that are given: bit i is option i. */
typedef unsigned long long option_set;
#define OPTION(o) (1ull << OPT_##o)

const char *lab_option_name(int option);
/* Whether there is such a command. */
int lab_is_command(const char *verb);
/* 0, or 1 with a text that says which option has no effect in the command, with the options that it
 * takes or the option that the given one needs. */
int lab_is_useless_option(const char *verb, option_set given, char *text, unsigned long size);

#endif
