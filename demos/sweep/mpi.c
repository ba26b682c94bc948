#include "demos/sweep/mpi.h"

#include <stdlib.h>
#include <string.h>

#ifndef HAVE_MPI

int sweep_mpi_is_launched(void)
{
    return 0;
}

int sweep_mpi_begin(void)
{
    return 0;
}

void sweep_mpi_end(void) {}

int sweep_mpi_coordinate(sweep_coordinator *c, sweep_pool *pool)
{
    return sweep_run_all(c, pool);
}

int sweep_mpi_serve(sweep_pool *pool)
{
    (void)pool;
    return 1;
}

#else

#include <mpi.h>

#include "demos/world/world.h"

/* Messages: a rank says how many more cases it could take (WANT), and sends rows (ROWS: the number
 * of a case, its row as JSON and a zero byte, over and over); rank 0 sends case numbers (CASES),
 * and at the end nothing (QUIT). */
enum { WANT, ROWS, CASES, QUIT };

/* ms between two looks at MPI; of a rank whose workers wait: for cases, or for the end */
enum { NAP = 20, NAP_IDLE = 2 };
#define HOLD .1 /* s of work that a rank holds, so that none waits for rank 0 */
enum { HOLD_MOST = 512 };
enum { TEXT_SIZE = 1 << 18 };

int sweep_mpi_is_launched(void)
{
    return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMI_SIZE");
}

int sweep_mpi_begin(void)
{
    int rank;
    /* messages are few and short: other transports take longer to begin than they save */
    setenv("OMPI_MCA_pml", "ob1", 0);
    setenv("OMPI_MCA_btl", "self,vader,tcp", 0);
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

void sweep_mpi_end(void)
{
    MPI_Finalize();
}

static int message(int *source, int *tag, int *bytes)
{
    MPI_Status status;
    int there = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
    if (!there) return 0;
    *source = status.MPI_SOURCE, *tag = status.MPI_TAG;
    MPI_Get_count(&status, MPI_BYTE, bytes);
    return 1;
}

static int nap(const sweep_pool *pool)
{
    return sweep_pool_running(pool) ? NAP : NAP_IDLE;
}

/* 0: it is time to look; else after so many ms. */
static int nap_left(double looked, const sweep_pool *pool)
{
    double left = looked + 1e-3 * nap(pool) - lab_now();
    return left > 0 ? 1 + (int)(1e3 * left) : 0;
}

/* ---- rank 0 ---------------------------------------------------------------------------------- */

/* Hands a rank what it wants; fewer at a time as the end comes near, so that all end together. */
static void feed(sweep_coordinator *c, int *wants, int rank, int ranks)
{
    int list[HOLD_MOST], n = 0, fair = c->left / (4 * ranks) + 1;
    while (n<HOLD_MOST && * wants> 0 && n < fair) {
        int index = sweep_next(c);
        if (index < 0) break;
        list[n++] = index;
        --*wants;
    }
    if (n) MPI_Send(list, n * (int)sizeof *list, MPI_BYTE, rank, CASES, MPI_COMM_WORLD);
}

static void take_rows(sweep_coordinator *c, const char *text, int bytes)
{
    for (int at = 0; at + (int)sizeof(int) < bytes;) {
        int index;
        memcpy(&index, text + at, sizeof index);
        at += (int)sizeof index;
        char *row = strdup(text + at);
        at += (int)strlen(text + at) + 1;
        if (row) sweep_finish(c, index, row);
    }
}

int sweep_mpi_coordinate(sweep_coordinator *c, sweep_pool *pool)
{
    int ranks, index = 0, broken = 0;
    double looked = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int *wants = calloc((size_t)ranks, sizeof *wants);
    while (wants && !broken && c->left > 0 && !c->failed && !sweep_is_stopped()) {
        int worker, left = nap_left(looked, pool);
        while (index >= 0 && (worker = sweep_pool_idle(pool)) >= 0)
            if ((index = sweep_next(c)) >= 0) sweep_pool_submit(pool, worker, index);
        if (left == 0) {
            looked = lab_now();
            static char text[TEXT_SIZE];
            int source, tag, bytes, more;
            while (message(&source, &tag, &bytes)) {
                MPI_Recv(text, TEXT_SIZE, MPI_BYTE, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                if (tag == ROWS) take_rows(c, text, bytes);
                if (tag != WANT) continue;
                memcpy(&more, text, sizeof more);
                wants[source] += more;
            }
            for (int r = 1; r < ranks; r++) feed(c, &wants[r], r, ranks);
            left = nap(pool);
        }
        broken = sweep_pool_wait(pool, left, sweep_finish, c) < 0;
    }
    int unfinished = !wants || broken || c->failed || c->left > 0;
    /* first, as ranks look for the end every NAP, but every 0.1 ms once they are in MPI_Finalize */
    int bad = sweep_end(c) || unfinished;
    if (unfinished && ranks > 1) MPI_Abort(MPI_COMM_WORLD, 1); /* they run what nobody needs */
    for (int r = 1; r < ranks; r++) MPI_Send(NULL, 0, MPI_BYTE, r, QUIT, MPI_COMM_WORLD);
    free(wants);
    return bad;
}

/* ---- the others ------------------------------------------------------------------------------ */

typedef struct server {
    int index[HOLD_MOST], first, count; /* cases that wait for a worker */
    int owed;                           /* asked for and not there yet */
    char rows[2][TEXT_SIZE];            /* being filled; being sent */
    int filling;
    size_t used;
    MPI_Request sending;
} server;

/* Sends what there is, once the last message has gone; must: waits for it. A plain MPI_Send would
 * spin until rank 0 takes a message that is longer than a few kB. */
static void send_rows(server *s, int must)
{
    int gone = 1;
    if (must)
        MPI_Wait(&s->sending, MPI_STATUS_IGNORE);
    else
        MPI_Test(&s->sending, &gone, MPI_STATUS_IGNORE);
    if (!gone || !s->used) return;
    MPI_Isend(s->rows[s->filling], (int)s->used, MPI_BYTE, 0, ROWS, MPI_COMM_WORLD, &s->sending);
    s->filling = !s->filling;
    s->used = 0;
}

static void keep_row(void *data, int index, char *row)
{
    server *s = data;
    size_t n = strlen(row) + 1;
    if (s->used + sizeof index + n > TEXT_SIZE) send_rows(s, 1);
    memcpy(s->rows[s->filling] + s->used, &index, sizeof index);
    memcpy(s->rows[s->filling] + s->used + sizeof index, row, n);
    s->used += sizeof index + n;
    free(row);
}

/* 1: it is over. */
static int take_cases(server *s)
{
    int source, tag, bytes;
    while (message(&source, &tag, &bytes)) {
        int list[HOLD_MOST], n = bytes / (int)sizeof *list;
        MPI_Recv(list, (int)sizeof list, MPI_BYTE, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (tag == QUIT) return 1;
        for (int i = 0; i < n; i++) s->index[(s->first + s->count++) % HOLD_MOST] = list[i];
        s->owed -= n;
    }
    return 0;
}

/* One case for each idle worker, and what is done in HOLD. */
static void ask(server *s, const sweep_pool *pool)
{
    int idle = pool->count - sweep_pool_running(pool);
    double ahead = pool->mean > 0 ? HOLD / pool->mean * pool->count : 0;
    int most = idle + (int)(ahead < HOLD_MOST / 2 ? ahead : HOLD_MOST / 2);
    int want = (most < HOLD_MOST ? most : HOLD_MOST) - s->count - s->owed;
    if (want < 1 || (2 * want < most && s->count > 0)) return;
    MPI_Send(&want, sizeof want, MPI_BYTE, 0, WANT, MPI_COMM_WORLD);
    s->owed += want;
}

int sweep_mpi_serve(sweep_pool *pool)
{
    static server s = {.sending = MPI_REQUEST_NULL};
    double looked = 0;
    for (;;) {
        int left = nap_left(looked, pool);
        if (left == 0) {
            looked = lab_now();
            send_rows(&s, 0);
            if (take_cases(&s)) break;
            ask(&s, pool);
            left = nap(pool);
        }
        int worker;
        while (s.count > 0 && (worker = sweep_pool_idle(pool)) >= 0) {
            sweep_pool_submit(pool, worker, s.index[s.first]);
            s.first = (s.first + 1) % HOLD_MOST, s.count--;
        }
        if (sweep_pool_wait(pool, left, keep_row, &s) < 0) return 1;
    }
    MPI_Wait(&s.sending, MPI_STATUS_IGNORE);
    return 0;
}

#endif
