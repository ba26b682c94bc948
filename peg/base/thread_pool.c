/* Threads that run the jobs of a list; the caller is one of them. */
#include "peg/base/thread_pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "peg/base/arena.h"

typedef struct helper {
    peg_pool *pool;
    pthread_t thread;
    int worker;
} helper;

struct peg_pool {
    pthread_mutex_t lock; /* of round, closing and busy */
    pthread_cond_t begin, end;
    unsigned long round; /* lists of tasks handed out so far */
    int closing;
    int busy; /* helpers that still work on the list */
    peg_task *task;
    void *data;
    int n;
    atomic_int next; /* task that nobody has begun */
    int helpers;
    helper helper[];
};

static void work(peg_pool *pool, int worker)
{
    for (int i; (i = atomic_fetch_add(&pool->next, 1)) < pool->n;)
        pool->task(pool->data, worker, i);
}

static void *help(void *argument)
{
    const helper *me = argument;
    peg_pool *pool = me->pool;
    unsigned long done = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->round == done && !pool->closing) pthread_cond_wait(&pool->begin, &pool->lock);
        if (pool->closing) break;
        done = pool->round;
        pthread_mutex_unlock(&pool->lock);
        work(pool, me->worker);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0) pthread_cond_signal(&pool->end);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

peg_pool *peg_pool_create(int threads)
{
    peg_pool *pool = peg_alloc_zero(1, sizeof *pool + (size_t)threads * sizeof *pool->helper);
    if (!pool) return NULL;
    int lock = pthread_mutex_init(&pool->lock, NULL) == 0;
    int begin = pthread_cond_init(&pool->begin, NULL) == 0;
    int end = pthread_cond_init(&pool->end, NULL) == 0;
    if (lock && begin && end) {
        /* signals are for the program's own threads */
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        for (int i = 0; i < threads - 1; i++) {
            helper *h = &pool->helper[i];
            *h = (helper){.pool = pool, .worker = i + 1};
            if (pthread_create(&h->thread, NULL, help, h) != 0) break;
            pool->helpers++;
        }
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return pool;
    }
    if (lock) pthread_mutex_destroy(&pool->lock);
    if (begin) pthread_cond_destroy(&pool->begin);
    if (end) pthread_cond_destroy(&pool->end);
    peg_free(pool);
    return NULL;
}

void peg_pool_destroy(peg_pool *pool)
{
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    pool->closing = 1;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->helpers; i++) pthread_join(pool->helper[i].thread, NULL);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->begin);
    pthread_cond_destroy(&pool->end);
    peg_free(pool);
}

void peg_pool_run(peg_pool *pool, peg_task *task, void *data, int n)
{
    pthread_mutex_lock(&pool->lock);
    pool->task = task;
    pool->data = data;
    pool->n = n;
    atomic_store(&pool->next, 0);
    pool->busy = pool->helpers;
    pool->round++;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    work(pool, 0);
    pthread_mutex_lock(&pool->lock);
    while (pool->busy > 0) pthread_cond_wait(&pool->end, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}
