/* The plan of a sweep: which cases there are.
 *
 * {"format": "ode-peg-plan", "version": 1, "name": "smoke",
 *  "blocks": [{"scenes": ["pour-boxes", "fall.json"], "contact": ["peg", "ode"], "h": [0.01, 0.05],
 *              "seeds": [1, 2] | {"from": 1, "to": 10}, "mu": [0, 0.5], "set": {"bodies": [10,
 * 20]}, "steps": 100 | "time": 1, "mesh_dir": "meshes", "limit": 600}]}
 *
 * A block of {"experiments": ["hills", "all"], "quick": true, "seeds": [1]} stands for all runs of
 * experiments of the papers; their files and reports are in DIR/NAME.
 *
 * A block stands for all combinations of its lists. All but "scenes" may be left out: contact peg,
 * the scene's own h, mu, keys and time, seed 1, a limit of 1200 s of wall time for a case. Scenes
 * that end in .json, .xml or .urdf are files; they and "mesh_dir" are named relative to "folder",
 * or to the plan if it has none. Keys that start with # are comments. */
#ifndef LAB_SWEEP_PLAN_H
#define LAB_SWEEP_PLAN_H

#include "demos/world/scene.h"

#define SWEEP_SETS     8
#define SWEEP_VALUES   64
#define SWEEP_KEY_SIZE 512

/* The values of a key in a block. */
typedef struct sweep_set {
    char key[32];
    double value[SWEEP_VALUES];
    int n;
} sweep_set;

/* About 100 bytes: names and keys are the plan's. */
typedef struct sweep_case {
    const char *experiment; /* a run of an experiment of the papers; null: of a scene */
    int run, quick;         /* of the experiment */
    const char *scene;      /* a name, or the path of a file */
    const char *mesh_dir;
    lab_contact contact;
    double h, time, mu; /* 0: the scene's; mu if mu_given */
    int mu_given;
    long steps;
    uint64_t seed;
    const sweep_set *set; /* keys of its block; null: none */
    int sets;
    int combination; /* of their values */
    unsigned limit;  /* s */
} sweep_case;

typedef struct sweep_plan {
    char name[64];
    char *text; /* the file, with its folder */
    char folder[512];
    const char *out; /* folder of the results, for the files of experiments */
    sweep_case *cases;
    int count, room;
    char (*mesh_dir)[512]; /* of the blocks, */
    sweep_set *set;        /* SWEEP_SETS of each */
    char **scene;          /* names */
    int blocks, scenes;
} sweep_plan;

/* Where the case of a key is: by hashes of the keys. */
typedef struct sweep_entry {
    uint64_t hash;
    int index;
} sweep_entry;

/* 0, or 1 with what is wrong, in one line. */
int sweep_plan_read(sweep_plan *plan, const char *path, char text[LAB_TEXT]);
void sweep_plan_free(sweep_plan *plan);

/* The i-th key of a case, with its value. */
lab_setting sweep_case_set(const sweep_case *c, int i);
/* The options of a case; they refer to `set`. */
lab_options sweep_case_options(const sweep_case *c, lab_setting set[SWEEP_SETS]);

/* What a case is known by: the command that repeats it, without the program. */
void sweep_key(const sweep_case *c, char key[SWEEP_KEY_SIZE]);

/* All cases, in the order of their hashes, to be freed; null: out of memory. */
sweep_entry *sweep_plan_index(const sweep_plan *plan);
/* The number of the case with a key, or -1. */
int sweep_plan_find(const sweep_plan *plan, const sweep_entry *index, const char *key);

#endif
