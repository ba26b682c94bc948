/* A few threads that work through a list of tasks together with the thread that calls. */
#ifndef PEG_THREAD_POOL_H
#define PEG_THREAD_POOL_H

/* Size of the context's array of workers: an upper limit of settings.threads. */
enum { PEG_THREADS_MAX = 64 };

/* Pairs of one island, rounds of a loop and contacts of a restoration from which on threads share
 * it. */
enum { PEG_SHARED_FROM = 1000 };

/* Rounds of a loop that are handed out at once, at most. */
enum { PEG_LOT = 64 };

typedef struct peg_pool peg_pool;

/* Does task `index` on thread `worker`, 0 (the calling one) .. threads - 1. */
typedef void peg_task(void *data, int worker, int index);

/* Null without memory. Where the system has no more threads to give, those that it gave do the
 * work. */
peg_pool *peg_pool_create(int threads);
void peg_pool_destroy(peg_pool *pool);
/* Does the tasks 0 .. n - 1, begun in this order, and returns when all are done. */
void peg_pool_run(peg_pool *pool, peg_task *task, void *data, int n);

/* Of a loop: the rounds begin .. end - 1, PEG_LOT at most, which have nothing to do with the
 * others.
 */
typedef void peg_rounds(void *data, int begin, int end);
/* Does the rounds 0 .. n - 1. pool: null: by the thread that calls. */
void peg_pool_loop(peg_pool *pool, peg_rounds *rounds, void *data, int n);

/* A thread's share of work that all threads do at the same time. */
typedef void peg_share(void *data, int worker);
void peg_pool_together(peg_pool *pool, peg_share *share, void *data);
/* Within it: waits for the other threads to come as far. */
void peg_pool_meet(peg_pool *pool);
/* How many they are; 1 of null. */
int peg_pool_threads(const peg_pool *pool);

#endif
