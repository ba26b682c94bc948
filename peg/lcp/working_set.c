/* Newton's method on the contacts that may act. Of the contacts of a body with a mesh, or of small
 * bodies in large steps, few are loaded: those that the warm start loads, without one those that
 * touch, and those that its velocities would close, are solved for; what that closes of the others
 * joins them. An answer that leaves all others open is one of the whole problem. */
#include "peg/lcp/delassus.h"
#include "peg/lcp/problem.h"

/* Rounds of joining, and share of the rows that may take part: then, or with more, all do. With
 * three quarters world 99 of `fuzz/worlds` fails. */
enum { ROUNDS = 4 };
static const double MOST_ROWS = 0.5;

typedef struct working_set {
    const peg_problem *whole;
    unsigned char *takes; /* of the whole: the row takes part */
    int *at;              /* of the whole: its index in the part */
    peg_lcp_row *row;
    peg_problem part;
    peg_solution solution; /* of the part */
} working_set;

/* The velocities of the impulses. */
static void respond(const peg_problem *problem, peg_solution *solution)
{
    memcpy(solution->v, problem->target, (size_t)problem->nb * sizeof *solution->v);
    for (int i = 0; i < problem->m; i++) {
        const peg_lcp_row *row = &problem->row[i];
        for (int side = 0; side < 2 && solution->lambda[i] != 0; side++) {
            int body = side ? row->body_b : row->body_a;
            if (body < 0) continue;
            peg_add_impulse(&problem->mass[body], side ? row->Jb : row->Ja, solution->lambda[i],
                            solution->v[body]);
        }
    }
}

/* Whether v closes an unloaded row. */
static int is_closed(const peg_problem *problem, const peg_solution *solution, int i, double least)
{
    const peg_lcp_row *row = &problem->row[i];
    double w = row->b;
    for (int k = 0; k < 6; k++) {
        if (row->body_a >= 0) w += row->Ja[k] * solution->v[row->body_a][k];
        if (row->body_b >= 0) w += row->Jb[k] * solution->v[row->body_b][k];
    }
    return !(w >= 0) && !(w * fabs(w) >= -least * least * peg_row_scale(problem, i));
}

static int has_own_limit(const peg_lcp_row *row)
{
    return row->bounded && (row->limit > 0 || !(row->mu > 0));
}

/* Adds the contacts that v closes; returns how many rows then take part. */
static int join(working_set *s, const peg_solution *solution, double least)
{
    const peg_problem *problem = s->whole;
    int m = 0;
    for (int i = 0; i < problem->m; i++) {
        const peg_lcp_row *row = &problem->row[i];
        if (!s->takes[i] && !row->bounded) s->takes[i] = is_closed(problem, solution, i, least);
        if (row->bounded && !has_own_limit(row)) s->takes[i] = s->takes[row->normal];
        m += s->takes[i];
    }
    return m;
}

static void begin(working_set *s, const peg_solution *solution)
{
    int loaded = 0;
    for (int i = 0; i < s->whole->m && !loaded; i++) loaded = solution->lambda[i] != 0;
    for (int i = 0; i < s->whole->m; i++) {
        const peg_lcp_row *row = &s->whole->row[i];
        int own = has_own_limit(row), touches = !row->bounded && row->b <= 0;
        s->takes[i] = own || (loaded ? solution->lambda[i] != 0 : touches);
        if (row->bounded && row->mu > 0 && s->takes[i]) s->takes[row->normal] = 1;
    }
}

/* All rows of a problem. */
static peg_outcome solve_rows(peg_arena *arena, const peg_problem *problem,
                              const peg_solve_options *options, peg_solution *solution)
{
    peg_outcome outcome = peg_solve_delassus(arena, problem, options, solution);
    if (outcome == PEG_SOLVED || outcome == PEG_OUT_OF_MEMORY) return outcome;
    return peg_solve_newton(arena, problem, options, solution);
}

static peg_outcome solve_part(peg_arena *arena, const peg_solve_options *options, working_set *s,
                              peg_solution *solution)
{
    int m = 0;
    for (int i = 0; i < s->whole->m; i++) {
        if (!s->takes[i]) continue;
        s->row[m] = s->whole->row[i];
        if (s->row[m].bounded && s->row[m].mu > 0) s->row[m].normal = s->at[s->row[m].normal];
        s->solution.lambda[m] = solution->lambda[i];
        s->at[i] = m++;
    }
    s->part.m = m;
    s->solution.v = solution->v;
    s->solution.work = solution->work;
    peg_outcome outcome = solve_rows(arena, &s->part, options, &s->solution);
    solution->work = s->solution.work;
    solution->iterations = s->solution.iterations;
    if (!peg_is_answer(outcome)) return outcome;
    for (int i = 0; i < s->whole->m; i++)
        solution->lambda[i] = s->takes[i] ? s->solution.lambda[s->at[i]] : 0;
    return outcome;
}

/* PEG_NOT_CERTIFIED: it is to be solved whole. */
static peg_outcome solve_parts(peg_arena *arena, const peg_problem *problem,
                               const peg_solve_options *options, double least,
                               peg_solution *solution)
{
    working_set s = {.whole = problem, .part = *problem};
    int most = (int)(MOST_ROWS * problem->m);
    s.takes = PEG_NEW(arena, unsigned char, problem->m);
    if (!s.takes) return PEG_OUT_OF_MEMORY;
    respond(problem, solution);
    begin(&s, solution);
    int taken = join(&s, solution, 0);
    if (taken > most) return PEG_NOT_CERTIFIED;
    s.at = PEG_NEW(arena, int, problem->m);
    s.row = PEG_NEW(arena, peg_lcp_row, most);
    s.solution.lambda = PEG_NEW(arena, double, most);
    if (!s.at || !s.row || !s.solution.lambda) return PEG_OUT_OF_MEMORY;
    s.part.row = s.row;
    for (int k = 0; k < ROUNDS && taken <= most; k++) {
        peg_outcome outcome = solve_part(arena, options, &s, solution);
        if (outcome == PEG_INFEASIBLE || outcome == PEG_OUT_OF_MEMORY) return outcome;
        if (!peg_is_answer(outcome)) break;
        int before = taken;
        taken = join(&s, solution, least);
        if (taken == before) return outcome;
    }
    return PEG_NOT_CERTIFIED;
}

peg_outcome peg_solve_working_set(peg_arena *arena, const peg_problem *problem,
                                  const peg_solve_options *options, double least,
                                  peg_solution *solution)
{
    size_t size = (size_t)problem->m * sizeof *solution->lambda;
    peg_arena_mark mark = peg_arena_here(arena);
    double *warm = PEG_NEW(arena, double, problem->m);
    if (!warm) return PEG_OUT_OF_MEMORY;
    memcpy(warm, solution->lambda, size);
    peg_arena_mark behind = peg_arena_here(arena);
    peg_outcome outcome = solve_parts(arena, problem, options, least, solution);
    peg_arena_back(arena, behind);
    if (!peg_is_answer(outcome)) memcpy(solution->lambda, warm, size);
    if (outcome == PEG_NOT_CERTIFIED) outcome = solve_rows(arena, problem, options, solution);
    peg_arena_back(arena, mark);
    return outcome;
}
