/* A few threads that work through a list of tasks together with the thread that calls. */
#ifndef PEG_THREAD_POOL_H
#define PEG_THREAD_POOL_H

/* Size of the context's array of workers: an upper limit of settings.threads. */
enum { PEG_THREADS_MAX = 64 };

typedef struct peg_pool peg_pool;

/* Does task `index` on thread `worker`, 0 (the calling one) .. threads - 1. */
typedef void peg_task(void *data, int worker, int index);

/* Null without memory. Where the system has no more threads to give, those that it gave do the
 * work. */
peg_pool *peg_pool_create(int threads);
void peg_pool_destroy(peg_pool *pool);
/* Does the tasks 0 .. n - 1, begun in this order, and returns when all are done. */
void peg_pool_run(peg_pool *pool, peg_task *task, void *data, int n);

#endif
