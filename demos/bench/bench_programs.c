/* bench-programs: the linear programs of the signed separation by our simplex method and by GLPK.
 * A program of its own, since GLPK is GPL and peg-lab is not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demos/bench/glpk_separation.h"
#include "demos/report/output.h"
#include "demos/world/files.h"
#include "demos/world/world.h"
#include "peg/paper/signed_separation.h"

enum { SIZES = 7, SMALLEST = 8, EACH = 5, ROUNDS = 9, RANDOM = 2000 };

enum { COLD, WARM, GLPK, GLPK_SIMPLEX, METHODS };
static const char *const names[METHODS] = {
    "ours", "ours, warm basis", "GLPK, with its program made", "GLPK, simplex method alone"};

/* Times, us, and the largest difference of the two answers, relative to 1 + |g| and, of g itself,
 * to the size over the distance of the centres. */
typedef struct figures {
    double us[METHODS], difference;
    int pivots, programs, unsolved;
} figures;

static void direction_of(const gap_pair *pair, double d[3])
{
    peg_sub(pair->view[0].centre, pair->view[1].centre, d);
}

static void compare(peg_arena *arena, const gap_pair *pair, figures *f)
{
    double d[3], time[METHODS][ROUNDS], g = NAN, simplex = 0;
    peg_ssh ssh, warm;
    direction_of(pair, d);
    for (int round = 0; round < ROUNDS; round++) {
        double then = lab_now();
        ssh = (peg_ssh){.basis = {-1}};
        f->unsolved +=
            peg_ssh_solve(arena, &pair->view[0], &pair->view[1], d, &ssh) != PEG_LP_SOLVED;
        time[COLD][round] = lab_now() - then;
        warm = ssh;
        then = lab_now();
        peg_ssh_solve(arena, &pair->view[0], &pair->view[1], d, &warm);
        time[WARM][round] = lab_now() - then;
        then = lab_now();
        if (lab_has_glpk()) g = lab_glpk_separation(pair, d, &simplex);
        time[GLPK][round] = lab_now() - then;
        time[GLPK_SIMPLEX][round] = simplex;
    }
    for (int m = 0; m < METHODS; m++) f->us[m] += 1e6 * lab_quantile(time[m], ROUNDS, .5);
    f->pivots += ssh.pivots;
    f->programs++;
    double unit = 1 + fabs(ssh.g) + pair->largest / peg_norm(d);
    if (lab_has_glpk()) f->difference = fmax(f->difference, fabs(g - ssh.g) / unit);
}

/* Hulls of n points each that overlap by 2 %. */
static int measure_size(peg_arena *arena, int n, figures *f)
{
    for (uint64_t seed = 1; seed <= EACH; seed++) {
        gap_pair pair;
        if (!gap_pair_balls(seed, n, &pair)) return 0;
        compare(arena, &pair, f);
        gap_pair_free(&pair);
    }
    return 1;
}

static int measure_random(peg_arena *arena, figures *f)
{
    for (long i = 0; i < RANDOM; i++) {
        gap_pair pair;
        double d[3];
        if (!gap_pair_make(1, i, &pair)) return 0;
        direction_of(&pair, d);
        if (peg_norm(d) > 1e-5 * pair.size) compare(arena, &pair, f);
        gap_pair_free(&pair);
    }
    return 1;
}

static void write_row(FILE *file, const char *what, const figures *f)
{
    fprintf(file, "%-20s %8d %8.1f", what, f->programs, (double)f->pivots / f->programs);
    for (int m = 0; m < METHODS; m++)
        if (m < GLPK || lab_has_glpk())
            fprintf(file, " %10.1f", f->us[m] / f->programs);
        else
            fprintf(file, " %10s", "-");
    if (lab_has_glpk())
        fprintf(file, " %11.1e\n", f->difference);
    else
        fprintf(file, " %11s\n", "-");
}

static void write_table(FILE *file, const figures *f)
{
    char what[32];
    fprintf(file, "%-20s %8s %8s %10s %10s %10s %10s %11s\n", "vertices", "programs", "pivots",
            "us", "warm", "GLPK", "simplex", "difference");
    for (int i = 0; i <= SIZES; i++) {
        snprintf(what, sizeof what, i < SIZES ? "%d + %d" : "random pairs", SMALLEST << i,
                 SMALLEST << i);
        write_row(file, what, &f[i]);
    }
    fputs("warm: from the answer's basis; simplex: without the making of GLPK's program; "
          "difference: relative\n",
          file);
    if (!lab_has_glpk()) fputs("GLPK: skipped, the build has not found it (libglpk-dev)\n", file);
}

static json_t *table_json(const figures *f)
{
    json_t *rows = json_array();
    for (int i = 0; i <= SIZES; i++) {
        json_t *us = json_object();
        for (int m = 0; m < METHODS; m++)
            json_object_set_new(us, names[m],
                                m < GLPK || lab_has_glpk() ? json_real(f[i].us[m] / f[i].programs)
                                                           : json_null());
        json_array_append_new(
            rows, json_pack("{s:o, s:i, s:f, s:o, s:o}", "vertices",
                            i < SIZES ? json_integer(SMALLEST << i) : json_null(), "programs",
                            f[i].programs, "pivots", (double)f[i].pivots / f[i].programs, "us", us,
                            "difference_max",
                            lab_has_glpk() ? lab_number(f[i].difference) : json_null()));
    }
    return json_pack("{s:b, s:o}", "glpk", lab_has_glpk(), "rows", rows);
}

static int write_files(const char *dir, const figures *f)
{
    char *path = lab_path(dir, "programs.txt");
    FILE *file = path ? fopen(path, "w") : NULL;
    free(path);
    if (!file) return 1;
    write_table(file, f);
    int bad = fclose(file) != 0;
    json_t *json = table_json(f);
    path = lab_path(dir, "programs.json");
    bad |= !path || lab_json_write(json, path);
    json_decref(json);
    free(path);
    return bad;
}

static int complain(const char *what, int status)
{
    fprintf(stderr, "bench-programs: %s\n", what);
    return status;
}

/* Relative difference up to which both agree. */
static const double AGREES = 1e-9;

int main(int count, char **argument)
{
    peg_arena arena = {0};
    figures f[SIZES + 1] = {0};
    int unsolved = 0, made = 1;
    double difference = 0;
    if (count != 2) return complain("usage: bench-programs DIR", 2);
    if (lab_make_folder(argument[1])) {
        fprintf(stderr, "bench-programs: cannot make the folder '%s'\n", argument[1]);
        return 2;
    }
    for (int i = 0; i < SIZES && made; i++) made = measure_size(&arena, SMALLEST << i, &f[i]);
    if (!made || !measure_random(&arena, &f[SIZES])) return complain("out of memory", 1);
    peg_arena_free(&arena);
    for (int i = 0; i <= SIZES; i++) {
        unsolved += f[i].unsolved;
        if (!(f[i].difference <= difference)) difference = f[i].difference;
    }
    write_table(stdout, f);
    if (write_files(argument[1], f)) return complain("cannot write to that folder", 2);
    if (unsolved) return complain("a program has no certified answer", 1);
    if (!(difference <= AGREES)) return complain("GLPK has other answers", 1);
    return 0;
}
