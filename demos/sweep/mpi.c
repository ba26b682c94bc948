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

#include "demos/sweep/row.h"

/* Messages: a rank says how many cases it could queue (WANT), or sends a row (ROW: the case's
 * number, then the text); rank 0 sends case numbers (CASES), and at the end nothing (QUIT). */
enum { WANT, ROW, CASES, QUIT };

enum { NAP = 2 };        /* ms between two looks at MPI */
enum { QUEUE_MOST = 8 }; /* cases per worker that a rank holds, so that none waits for rank 0 */
enum { QUEUE_SIZE = 1024, TEXT_SIZE = 1 << 16 };

int sweep_mpi_is_launched(void)
{
    return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMI_SIZE");
}

int sweep_mpi_begin(void)
{
    int rank;
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

/* ---- rank 0 ---------------------------------------------------------------------------------- */

typedef struct remote {
    int wants; /* cases it asked for and did not get */
} remote;

/* Hands a rank what it wants; fewer at a time as the end comes near, so that all end together. */
static void feed(sweep_coordinator *c, remote *r, int rank, int ranks)
{
    int list[QUEUE_SIZE], n = 0, fair = c->left / (4 * ranks) + 1;
    while (n < QUEUE_SIZE && r->wants > 0 && n < fair) {
        int index = sweep_next(c);
        if (index < 0) break;
        list[n++] = index;
        r->wants--;
    }
    if (n) MPI_Send(list, n * (int)sizeof *list, MPI_BYTE, rank, CASES, MPI_COMM_WORLD);
}

static void take_message(sweep_coordinator *c, remote *remotes, int source, int tag, int bytes)
{
    static char text[TEXT_SIZE];
    int n = bytes < TEXT_SIZE - 1 ? bytes : TEXT_SIZE - 1;
    MPI_Recv(text, TEXT_SIZE - 1, MPI_BYTE, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    text[n] = 0;
    if (tag == WANT) {
        int more;
        memcpy(&more, text, sizeof more);
        remotes[source].wants += more;
    } else if (tag == ROW) {
        int index;
        memcpy(&index, text, sizeof index);
        json_t *row = json_loads(text + sizeof index, 0, NULL);
        if (row) sweep_finish(c, index, row);
    }
}

int sweep_mpi_coordinate(sweep_coordinator *c, sweep_pool *pool)
{
    int ranks, source, tag, bytes, index = 0, broken = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    remote *remotes = calloc((size_t)ranks, sizeof *remotes);
    while (remotes && !broken && c->left > 0 && !c->failed && !sweep_is_stopped()) {
        int worker;
        while (index >= 0 && (worker = sweep_pool_idle(pool)) >= 0)
            if ((index = sweep_next(c)) >= 0) sweep_pool_submit(pool, worker, index);
        while (message(&source, &tag, &bytes)) take_message(c, remotes, source, tag, bytes);
        for (int r = 1; r < ranks; r++)
            if (remotes[r].wants > 0) feed(c, &remotes[r], r, ranks);
        broken = sweep_pool_wait(pool, NAP, sweep_finish, c) < 0;
    }
    int unfinished = !remotes || broken || c->failed || c->left > 0;
    if (unfinished && ranks > 1) { /* the others run what nobody needs any more */
        sweep_end(c);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int r = 1; r < ranks; r++) MPI_Send(NULL, 0, MPI_BYTE, r, QUIT, MPI_COMM_WORLD);
    free(remotes);
    return unfinished;
}

/* ---- the others ------------------------------------------------------------------------------ */

static void send_row(void *data, int index, json_t *row)
{
    static char text[TEXT_SIZE];
    (void)data;
    size_t n = json_dumpb(row, text + sizeof index, sizeof text - sizeof index,
                          JSON_COMPACT | JSON_REAL_PRECISION(17));
    memcpy(text, &index, sizeof index);
    if (n <= sizeof text - sizeof index)
        MPI_Send(text, (int)(n + sizeof index), MPI_BYTE, 0, ROW, MPI_COMM_WORLD);
    json_decref(row);
}

typedef struct queue {
    int index[QUEUE_SIZE], first, count;
} queue;

/* 1: it is over. */
static int take_cases(queue *q)
{
    int source, tag, bytes;
    while (message(&source, &tag, &bytes)) {
        int list[QUEUE_SIZE];
        MPI_Recv(list, (int)sizeof list, MPI_BYTE, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (tag == QUIT) return 1;
        for (int i = 0; i < bytes / (int)sizeof *list; i++)
            q->index[(q->first + q->count++) % QUEUE_SIZE] = list[i];
    }
    return 0;
}

int sweep_mpi_serve(sweep_pool *pool)
{
    queue q = {.count = 0};
    int most = QUEUE_MOST * pool->count < QUEUE_SIZE ? QUEUE_MOST * pool->count : QUEUE_SIZE;
    for (int owed = 0;;) { /* asked for and not there yet */
        int worker, before = q.count;
        if (take_cases(&q)) return 0;
        owed -= q.count - before;
        while (q.count > 0 && (worker = sweep_pool_idle(pool)) >= 0) {
            sweep_pool_submit(pool, worker, q.index[q.first]);
            q.first = (q.first + 1) % QUEUE_SIZE, q.count--;
        }
        int want = most - q.count - owed;
        if (2 * want >= most) {
            MPI_Send(&want, sizeof want, MPI_BYTE, 0, WANT, MPI_COMM_WORLD);
            owed += want;
        }
        if (sweep_pool_wait(pool, NAP, send_row, NULL) < 0) return 1;
    }
}

#endif
