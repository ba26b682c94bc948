#include "demos/sweep/pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "demos/sweep/row.h"
#include "demos/world/world.h"

enum { ROW_SIZE = 1 << 16 }; /* bytes, of a row as text */

/* ---- in the worker --------------------------------------------------------------------------- */

static void keep_running(const sweep_plan *plan, int socket)
{
    for (;;) {
        int status;
        pid_t child = fork();
        if (child < 0) _exit(1);
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            /* runs the cases that come until nobody is there any more */
            int index;
            while (recv(socket, &index, sizeof index, 0) == (ssize_t)sizeof index) {
                const sweep_case *c = &plan->cases[index];
                alarm(c->limit);
                char *row = sweep_run(plan, c);
                alarm(0);
                if (!row || send(socket, row, strlen(row), MSG_NOSIGNAL) < 0) _exit(1);
                free(row);
            }
            _exit(0);
        }
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) _exit(0);
        /* tells why a worker ended; the pool knows what it was running */
        char text[64];
        if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF))
            snprintf(text, sizeof text, "!it took longer than its limit");
        else if (WIFSIGNALED(status))
            snprintf(text, sizeof text, "!ended by signal %d", WTERMSIG(status));
        else
            snprintf(text, sizeof text, "!ended with status %d", WEXITSTATUS(status));
        send(socket, text, strlen(text), MSG_NOSIGNAL);
    }
}

/* ---- in the pool ----------------------------------------------------------------------------- */

static int start_worker(sweep_pool *p)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends)) return 1;
    fflush(NULL);
    pid_t keeper = fork();
    if (keeper < 0) return 1;
    if (keeper == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGINT, SIG_IGN); /* they may be sent to all; the pool decides */
        signal(SIGTERM, SIG_IGN);
        close(ends[0]);
        for (int i = 0; i < p->count; i++) close(p->worker[i].socket);
        keep_running(p->plan, ends[1]);
    }
    close(ends[1]);
    p->worker[p->count++] = (sweep_worker){keeper, ends[0], -1, 0};
    return 0;
}

int sweep_pool_start(sweep_pool *p, const sweep_plan *plan, int count)
{
    *p = (sweep_pool){.plan = plan, .worker = calloc((size_t)count, sizeof *p->worker)};
    int bad = !p->worker;
    for (int i = 0; i < count && !bad; i++) bad = start_worker(p);
    return bad;
}

void sweep_pool_stop(sweep_pool *p)
{
    for (int i = 0; i < p->count; i++) {
        if (p->worker[i].running >= 0) kill(p->worker[i].keeper, SIGKILL);
        close(p->worker[i].socket);
        while (waitpid(p->worker[i].keeper, NULL, 0) < 0 && errno == EINTR) continue;
    }
    free(p->worker);
    *p = (sweep_pool){0};
}

int sweep_pool_idle(const sweep_pool *p)
{
    for (int i = 0; i < p->count; i++)
        if (p->worker[i].running < 0) return i;
    return -1;
}

int sweep_pool_running(const sweep_pool *p)
{
    int n = 0;
    for (int i = 0; i < p->count; i++) n += p->worker[i].running >= 0;
    return n;
}

void sweep_pool_submit(sweep_pool *p, int worker, int index)
{
    p->worker[worker].running = index;
    p->worker[worker].began = lab_now();
    send(p->worker[worker].socket, &index, sizeof index, MSG_NOSIGNAL);
}

/* Takes the message of a worker; null if it is broken. */
static char *take_row(const sweep_pool *p, const sweep_worker *w)
{
    static char text[ROW_SIZE];
    ssize_t n = recv(w->socket, text, sizeof text - 1, 0);
    if (n <= 0 || w->running < 0) return NULL;
    text[n] = 0;
    if (text[0] == '!') return sweep_lost(&p->plan->cases[w->running], text + 1);
    return strdup(text);
}

int sweep_pool_wait(sweep_pool *p, int timeout, void (*done)(void *data, int index, char *row),
                    void *data)
{
    struct pollfd list[1024];
    int n = p->count < 1024 ? p->count : 1024;
    for (int i = 0; i < n; i++) list[i] = (struct pollfd){p->worker[i].socket, POLLIN, 0};
    if (poll(list, (nfds_t)n, timeout) < 0) return errno == EINTR ? 0 : -1;
    for (int i = 0; i < n; i++) {
        if (!list[i].revents) continue;
        char *row = take_row(p, &p->worker[i]);
        if (!row) return -1;
        int index = p->worker[i].running;
        double seconds = lab_now() - p->worker[i].began;
        p->mean = p->mean > 0 ? .9 * p->mean + .1 * seconds : seconds;
        p->worker[i].running = -1;
        done(data, index, row);
    }
    return 0;
}
