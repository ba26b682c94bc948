/* Threads that run the jobs of a list; the caller is one of them. */
#include "peg/base/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#include "peg/base/arena.h"

/* How often a thread looks for what it waits for before it lets others run: some us. On a machine
 * with other work more of them are lost at each meeting. */
enum { LOOKS = 100 };

typedef struct helper {
    peg_pool *pool;
    pthread_t thread;
    int worker;
} helper;

struct peg_pool {
    pthread_mutex_t lock; /* of round, closing and busy */
    pthread_cond_t begin, end;
    atomic_ulong round; /* lists of tasks handed out so far */
    int closing;
    atomic_int busy; /* helpers that still work on the list */
    peg_task *task;
    void *data;
    int n;
    atomic_int next; /* task that nobody has begun */
    int together;    /* every thread does the task of its own number */
    atomic_int here; /* threads that wait for the others */
    atomic_uint met; /* how often all have met */
    int helpers;
    helper helper[];
};

static void pause_thread(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void work(peg_pool *pool, int worker)
{
    if (pool->together) {
        pool->task(pool->data, worker, worker);
        return;
    }
    for (int i; (i = atomic_fetch_add(&pool->next, 1)) < pool->n;)
        pool->task(pool->data, worker, i);
}

static void *help(void *argument)
{
    const helper *me = argument;
    peg_pool *pool = me->pool;
    unsigned long done = 0;
    for (;;) {
        for (int i = 0; i < LOOKS && atomic_load(&pool->round) == done; i++) pause_thread();
        pthread_mutex_lock(&pool->lock);
        while (pool->round == done && !pool->closing) pthread_cond_wait(&pool->begin, &pool->lock);
        if (pool->closing) break;
        done = pool->round;
        pthread_mutex_unlock(&pool->lock);
        work(pool, me->worker);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0) pthread_cond_signal(&pool->end);
        pthread_mutex_unlock(&pool->lock);
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

static void hand_out(peg_pool *pool, peg_task *task, void *data, int n, int together)
{
    pthread_mutex_lock(&pool->lock);
    pool->task = task;
    pool->data = data;
    pool->n = n;
    pool->together = together;
    atomic_store(&pool->next, 0);
    pool->busy = pool->helpers;
    pool->round++;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    work(pool, 0);
    for (int i = 0; i < LOOKS && atomic_load(&pool->busy) > 0; i++) pause_thread();
    pthread_mutex_lock(&pool->lock);
    while (pool->busy > 0) pthread_cond_wait(&pool->end, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

void peg_pool_run(peg_pool *pool, peg_task *task, void *data, int n)
{
    hand_out(pool, task, data, n, 0);
}

/* --- one loop, one piece of work --- */

typedef struct loop {
    peg_rounds *rounds;
    void *data;
    int n;
} loop;

static void run_lot(void *data, int worker, int index)
{
    const loop *l = data;
    int begin = PEG_LOT * index, end = begin + PEG_LOT < l->n ? begin + PEG_LOT : l->n;
    (void)worker;
    l->rounds(l->data, begin, end);
}

void peg_pool_loop(peg_pool *pool, peg_rounds *rounds, void *data, int n)
{
    loop l = {rounds, data, n};
    int lots = (n + PEG_LOT - 1) / PEG_LOT;
    if (pool && lots > 1)
        peg_pool_run(pool, run_lot, &l, lots);
    else
        for (int k = 0; k < lots; k++) run_lot(&l, 0, k);
}

typedef struct work_of_all {
    peg_share *share;
    void *data;
} work_of_all;

static void run_share(void *data, int worker, int index)
{
    const work_of_all *w = data;
    (void)index;
    w->share(w->data, worker);
}

void peg_pool_together(peg_pool *pool, peg_share *share, void *data)
{
    work_of_all w = {share, data};
    if (pool)
        hand_out(pool, run_share, &w, pool->helpers + 1, 1);
    else
        share(data, 0);
}

void peg_pool_meet(peg_pool *pool)
{
    if (!pool || pool->helpers == 0) return;
    unsigned met = atomic_load(&pool->met);
    if (atomic_fetch_add(&pool->here, 1) == pool->helpers) {
        atomic_store(&pool->here, 0);
        atomic_store(&pool->met, met + 1);
        return;
    }
    for (int i = 0; atomic_load(&pool->met) == met; i++)
        if (i < LOOKS)
            pause_thread();
        else
            sched_yield();
}

int peg_pool_threads(const peg_pool *pool)
{
    return pool ? pool->helpers + 1 : 1;
}
