/* peg-lab starts itself for every measurement: with a case as its argument it is a program that
 * uses ODE alone, so the launcher can take it over. CPU time is compared, of runs that take turns,
 * as other programs may use the machine: the medians of both, and of their ratio. */
#include "demos/bench/launcher_overhead.h"
#include "demos/world/progress.h"
#include "demos/world/run.h"
#include "demos/world/world.h"

#include <math.h>
#include <ode/ode.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 11, RUNS_QUICK = 3, PATH_ROOM = 4096 };

/* GROUND: a simple space, of which only pairs with the ground are asked for; SUBS: simple spaces of
 * 10 bodies in a simple one. */
typedef enum space_kind { NONE, SIMPLE, HASH, SAP, QUAD, GROUND, SUBS } space_kind;

typedef struct overhead_case {
    const char *name, *about;
    space_kind space;
    int bodies, joints, fixed; /* joints: between every two bodies; fixed: boxes, and a plane */
    int quick;
    long steps; /* for about .1 s */
} overhead_case;

static const overhead_case cases[] = {
    {"none-1", "one body, no collision", NONE, 1, 0, 0, 0, 400000},
    {"none-2-joint", "two bodies, a joint, no collision", NONE, 2, 1, 0, 1, 100000},
    {"none-100", "100 bodies, no collision", NONE, 100, 0, 0, 0, 8000},
    {"none-100-joints", "100 bodies, 50 joints, no collision", NONE, 100, 1, 0, 1, 2000},
    {"simple-1", "one body, simple space", SIMPLE, 1, 0, 0, 1, 400000},
    {"simple-1-ground", "the same, a plane, a box", SIMPLE, 1, 0, 1, 1, 400000},
    {"simple-2-joint", "two bodies, a joint", SIMPLE, 2, 1, 0, 1, 80000},
    {"simple-10", "10 bodies, a plane, 5 boxes", SIMPLE, 10, 0, 5, 1, 60000},
    {"simple-10-joints", "the same, 5 joints", SIMPLE, 10, 1, 5, 1, 20000},
    {"simple-100", "100 bodies, a plane, 20 boxes", SIMPLE, 100, 0, 20, 0, 4000},
    {"simple-1000", "1000 bodies, a plane, 20 boxes", SIMPLE, 1000, 0, 20, 1, 80},
    {"hash-1-ground", "hash space", HASH, 1, 0, 1, 1, 200000},
    {"hash-10", "", HASH, 10, 0, 5, 1, 40000},
    {"hash-100", "", HASH, 100, 0, 20, 0, 3000},
    {"hash-1000", "", HASH, 1000, 0, 20, 1, 300},
    {"sap-1-ground", "sweep and prune", SAP, 1, 0, 1, 1, 200000},
    {"sap-10", "", SAP, 10, 0, 5, 1, 50000},
    {"sap-10-alone", "no plane, no boxes", SAP, 10, 0, 0, 1, 60000},
    {"sap-100", "", SAP, 100, 0, 20, 0, 5000},
    {"sap-100-alone", "no plane, no boxes", SAP, 100, 0, 0, 0, 6000},
    {"sap-1000-alone", "", SAP, 1000, 0, 0, 1, 500},
    {"sap-1000-joints", "500 joints", SAP, 1000, 1, 0, 1, 200},
    {"quad-1-ground", "quad tree", QUAD, 1, 0, 1, 1, 300000},
    {"quad-10", "", QUAD, 10, 0, 5, 1, 60000},
    {"quad-100", "", QUAD, 100, 0, 20, 0, 5000},
    {"quad-1000", "", QUAD, 1000, 0, 20, 1, 200},
    {"ground-10", "dSpaceCollide2 of a plane and a space", GROUND, 10, 0, 0, 1, 60000},
    {"ground-100", "", GROUND, 100, 0, 0, 1, 6000},
    {"ground-1000", "", GROUND, 1000, 0, 0, 1, 600},
    {"subs-100", "10 spaces in a space", SUBS, 100, 0, 0, 1, 6000},
};
enum { CASES = sizeof cases / sizeof cases[0] };

/* ---- the program ----------------------------------------------------------------------------- */

typedef struct program {
    dWorldID world;
    dJointGroupID contacts;
} program;

static void near(void *data, dGeomID a, dGeomID b)
{
    const program *p = data;
    if (dGeomIsSpace(a) || dGeomIsSpace(b)) {
        dSpaceCollide2(a, b, data, near);
        return;
    }
    dContact contact[4] = {{.surface = {.mu = 1}}};
    int n = dCollide(a, b, 4, &contact[0].geom, sizeof contact[0]);
    for (int i = 0; i < n; i++) {
        contact[i].surface = contact[0].surface;
        dJointID joint = dJointCreateContact(p->world, p->contacts, &contact[i]);
        dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
    }
}

static dSpaceID make_space(space_kind kind)
{
    const dVector3 middle = {0}, extent = {100, 100, 100};
    dSpaceID hash = kind == HASH ? dHashSpaceCreate(NULL) : NULL;
    if (hash) dHashSpaceSetLevels(hash, -2, 3);
    return kind == NONE || kind == HASH ? hash
           : kind == SAP                ? dSweepAndPruneSpaceCreate(NULL, dSAP_AXES_XYZ)
           : kind == QUAD               ? dQuadTreeSpaceCreate(NULL, middle, extent, 5)
                                        : dSimpleSpaceCreate(NULL);
}

/* Boxes and spheres in a lattice that widens, turning; those with joints go in pairs. */
static void add_bodies(const overhead_case *c, dWorldID world, dSpaceID top)
{
    int side = (int)ceil(cbrt(c->bodies));
    dSpaceID space = top;
    dBodyID last = NULL;
    for (int i = 0; i < c->bodies; i++) {
        int at = c->joints ? i / 2 * 2 : i; /* which body's way it goes */
        double way[3] = {at % side, at / side % side, (double)(at / side / side)};
        dBodyID body = dBodyCreate(world);
        dMass mass;
        if (c->space == SUBS && i % 10 == 0) space = dSimpleSpaceCreate(top);
        dMassSetBox(&mass, 1, .5, .5, .5);
        dBodySetMass(body, &mass);
        for (int k = 0; k < 3; k++) way[k] -= .5 * side;
        dBodySetPosition(body, 2 * way[0] + i - at, 2 * way[1], 2 * way[2]);
        dBodySetLinearVel(body, .01 * way[0], .01 * way[1], .01 * way[2]);
        if (!c->joints) dBodySetAngularVel(body, .1 * (i % 7 - 3), .1 * (i % 5 - 2), .1);
        if (space) {
            dGeomID geom = i % 2 ? dCreateBox(space, .5, .5, .5) : dCreateSphere(space, .25);
            dGeomSetBody(geom, body);
        }
        if (at != i) {
            dJointID joint = dJointCreateBall(world, NULL);
            const dReal *x = dBodyGetPosition(body);
            dJointAttach(joint, last, body);
            dJointSetBallAnchor(joint, x[0] - .5, x[1], x[2]);
        }
        last = body;
    }
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int run_here(const overhead_case *c)
{
    dInitODE2(0);
    program p = {dWorldCreate(), dJointGroupCreate(0)};
    dSpaceID space = make_space(c->space);
    add_bodies(c, p.world, space);
    if (c->fixed) dCreatePlane(space, 0, 0, 1, -1000);
    for (int i = 0; i < c->fixed; i++)
        dGeomSetPosition(dCreateBox(space, 1, 1, 1), 3 * i - 1.5 * c->fixed, 50, -60);
    dGeomID ground = c->space == GROUND ? dCreatePlane(NULL, 0, 0, 1, -1000) : NULL;
    double begun = cpu_seconds();
    for (long i = 0; i < c->steps; i++) {
        if (ground)
            dSpaceCollide2(ground, (dGeomID)space, &p, near);
        else if (space)
            dSpaceCollide(space, &p, near);
        if (c->quick)
            dWorldQuickStep(p.world, .001);
        else
            dWorldStep(p.world, .001);
        dJointGroupEmpty(p.contacts);
    }
    printf("%.9g\n", 1e6 * (cpu_seconds() - begun) / (double)c->steps);
    if (ground) dGeomDestroy(ground);
    if (space) dSpaceDestroy(space);
    dJointGroupDestroy(p.contacts);
    dWorldDestroy(p.world);
    dCloseODE();
    return fflush(stdout) ? 1 : 0;
}

/* ---- the measurement ------------------------------------------------------------------------- */

/* What the child prints: us for a step; not a number if it failed. */
static double measure(char *const command[])
{
    int ends[2], status;
    double us = NAN;
    if (pipe(ends) != 0) return us;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execv(command[0], command);
        _exit(127);
    }
    close(ends[1]);
    FILE *out = fdopen(ends[0], "r");
    if (!out || fscanf(out, "%lf", &us) != 1) us = NAN;
    if (out) fclose(out);
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) us = NAN;
    return us;
}

/* Paths of peg-lab and peg-run: beside it, or where the build folder has it. */
static int find_programs(char lab[PATH_ROOM], char run[PATH_ROOM + 32])
{
    static const char *const place[] = {"peg-run", "../plugin/peg-run"};
    ssize_t n = readlink("/proc/self/exe", lab, PATH_ROOM - 1);
    if (n <= 0) return 0;
    lab[n] = 0;
    for (int i = 0; i < 2; i++) {
        snprintf(run, PATH_ROOM + 32, "%.*s%s", (int)(strrchr(lab, '/') - lab) + 1, lab, place[i]);
        if (access(run, X_OK) == 0) return 1;
    }
    return 0;
}

static int compare(const overhead_case *c, char *lab, char *run, int runs)
{
    char name[32];
    double plain[RUNS], taken[RUNS], ratio[RUNS];
    snprintf(name, sizeof name, "%s", c->name);
    char *alone[] = {lab, "overhead", name, NULL};
    char *under[] = {run, lab, "overhead", name, NULL};
    for (int i = 0; i < runs; i++) {
        plain[i] = measure(alone);
        taken[i] = measure(under);
        ratio[i] = taken[i] / plain[i];
        if (isfinite(ratio[i])) continue;
        fprintf(stderr, "peg-lab: '%s' could not be run\n", isfinite(plain[i]) ? run : lab);
        return 1;
    }
    double a = lab_quantile(plain, runs, .5), b = lab_quantile(taken, runs, .5);
    double more = lab_quantile(ratio, runs, .5) - 1;
    printf("%-16s %11.3f %11.3f %+9.1f %+12.0f  %s\n", c->name, a, b, 100 * more, 1000 * a * more,
           c->about);
    return fflush(stdout) ? 1 : 0;
}

int lab_overhead(const char *name, int quick)
{
    char lab[PATH_ROOM], run[PATH_ROOM + 32];
    for (int i = 0; name && i < CASES; i++)
        if (!strcmp(cases[i].name, name)) return run_here(&cases[i]);
    if (name || !find_programs(lab, run)) {
        fprintf(stderr, "peg-lab: there is no %s\n",
                name ? "such case: peg-lab overhead shows them" : "peg-run beside peg-lab");
        return 2;
    }
    printf("%-16s %11s %11s %9s %12s  %s\n", "case", "stock us", "peg-run us", "more %", "more ns",
           "a step of");
    int status = 0;
    lab_progress bar = {.title = "overhead", .unit = "cases", .total = CASES};
    lab_progress_begin(&bar);
    for (int i = 0; i < CASES && status == 0; i++) {
        status = compare(&cases[i], lab, run, quick ? RUNS_QUICK : RUNS);
        lab_progress_set(&bar, i + 1);
    }
    lab_progress_end(&bar);
    return status;
}
