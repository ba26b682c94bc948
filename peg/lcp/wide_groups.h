/* The state of PGS in lanes, shared by its files: groups of eight patches (wide_groups.c), their
 * rows (wide_rows.c), the iterations (wide_pgs.c) and the solution (wide_solution.c). */
#ifndef PEG_WIDE_GROUPS_H
#define PEG_WIDE_GROUPS_H

#include "peg/base/lanes.h"
#include "peg/lcp/wide_acceleration.h"
#include "peg/lcp/wide_joined.h"
#include "peg/lcp/wide_pgs.h"

/* In place of a limit without bound, N s: its sums are finite. */
#define PEG_WIDE_WITHOUT_BOUND 1e30

/* Colours that are kept in a mask; a patch that finds none is visited by itself. Rows of a contact.
 */
enum { PEG_WIDE_COLOURS = 64, PEG_WIDE_ROWS = 3 };

typedef struct peg_wide_row {
    peg_floats d[3], a[3], b[3];          /* direction; how the turning of A and B counts */
    peg_floats beta, gain, scale, lambda; /* gain: 1 / (scale + compliance) */
    peg_floats way; /* the extrapolation of the last iterate; once visited, with its change */
} peg_wide_row;

typedef struct peg_wide_rows {
    peg_wide_row row[PEG_WIDE_ROWS];
    peg_floats mu[2], limit[2];             /* of the friction rows; 0 where it does not act */
    peg_floats one_zero, two_zero, two_one; /* products of two rows */
} peg_wide_rows;

typedef struct peg_wide_further_rows {
    peg_wide_row row;
    peg_floats mu, limit;
} peg_wide_further_rows;

/* The changes of a row's impulse that Anderson mixing keeps. */
typedef struct peg_wide_past {
    peg_floats change[PEG_WIDE_DEPTH];
} peg_wide_past;

typedef struct peg_wide_group {
    int patch[PEG_LANES];                        /* -1: none */
    int a[PEG_LANES], b[PEG_LANES];              /* nb and above: does not move */
    size_t y_of_a[PEG_LANES], y_of_b[PEG_LANES]; /* where their y begins */
    peg_floats inverse_mass[2];                  /* of A and B, 1/kg */
    int contacts, colour;
    peg_wide_rows *rows;            /* contacts */
    peg_wide_further_rows *further; /* contacts times those of each */
    peg_wide_past *past;            /* of the rows of all contacts, then of the further ones */
} peg_wide_group;

/* Groups begin .. that threads visit before they meet: of one colour, or of colours with so few of
 * them that the first thread visits all. */
typedef struct peg_wide_phase {
    int begin;
    int threads; /* that take part: each visits every so many-th */
} peg_wide_phase;

/* The largest change of a thread's rows, in this iteration and in the one before. */
typedef struct peg_wide_change {
    float most[2];
    char apart[56]; /* no cache line is shared with the next thread */
} peg_wide_change;

typedef struct peg_wide_progress {
    int iterations, update; /* update: of limits, after so many iterations */
    double largest, sum;    /* of what the last one changed: of a row, m/s; squares of all, J */
} peg_wide_progress;

typedef struct peg_wide_pgs {
    const peg_wide_problem *problem;
    const peg_vec6 *base; /* nb: what iterates are relative to */
    peg_joined *joined;   /* null: there are no joints */
    peg_joined_change joined_change;
    peg_wide_result *result;
    float
        *y; /* PEG_WIDE_STRIDE (nb + threads); what does not move has the last blocks, by thread */
    float *before; /* as y: after the last iteration, before it is extrapolated */
    peg_wide_history history;
    peg_wide_group *group;
    peg_floats *changed; /* of each group in its last visit: squares of all rows, J */
    int groups;
    int has_friction, has_limits, yields; /* a contact does; yields: its rows have compliance */
    int is_steep;                         /* its coefficient of friction is large */
    int threads, phases;
    peg_wide_phase phase[PEG_WIDE_COLOURS + 3]; /* the last one begins at the end */
    peg_wide_change change[PEG_THREADS_MAX];
    peg_wide_progress progress;
} peg_wide_pgs;

PEG_HOT float peg_wide_limit(double limit)
{
    return (float)peg_min(limit, PEG_WIDE_WITHOUT_BOUND);
}

/* Index of a lane's contact k; -1: it has none. */
PEG_HOT int peg_wide_contact_of(const peg_wide_problem *p, const peg_wide_group *g, int lane, int k)
{
    int patch = g->patch[lane];
    return patch >= 0 && k < p->patch[patch].count ? p->patch[patch].first + k : -1;
}

/* The patches that are not joined, by colour and number of contacts; 0 without memory. */
int peg_wide_make_groups(peg_arena *arena, peg_wide_pgs *s);
/* Room for what Anderson mixing keeps; 0 without memory. */
int peg_wide_make_past(peg_arena *arena, peg_wide_pgs *s);
/* The rows of a thread's share of the groups. */
void peg_wide_load_rows(peg_wide_pgs *s, int worker);
/* The impulses within their bounds, and the velocities that they lead to; what threads visited. */
void peg_wide_take_solution(peg_wide_pgs *s, peg_vec6 *v);

#endif
