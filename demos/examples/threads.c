/* Many worlds in threads: each thread owns its worlds. ODE asks for dAllocateODEDataForThread in
 * each of them, and for a threading implementation per world: the one that worlds have by default
 * is shared. Worlds of the same seed end in the same bits, with one thread inside or two. */
#include <ode/ode.h>
#include <ode-peg.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { WORLDS = 8, THREADS = 4, BOXES = 12 };

typedef struct job {
    unsigned seed;
    int threads_inside;
    pegStatus status;
    double end[BOXES][3];
} job;

static job jobs[WORLDS];

static double random_(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state / 4294967296.0;
}

static void run_world(job *j)
{
    unsigned state = j->seed;
    dWorldID world = dWorldCreate();
    dThreadingImplementationID threading = dThreadingAllocateSelfThreadedImplementation();
    dWorldSetStepThreadingImplementation(world, dThreadingImplementationGetFunctions(threading),
                                         threading);
    dWorldSetGravity(world, 0, 0, -9.81);
    dSpaceID space = dSimpleSpaceCreate(NULL);
    dCreatePlane(space, 0, 0, 1, 0);
    pegSettings settings;
    pegSettingsDefault(&settings);
    settings.threads = j->threads_inside;
    pegWorldID peg = pegWorldCreate(world, &settings);
    dSurfaceParameters surface = {.mode = dContactApprox1, .mu = 0.5};
    pegWorldSetDefaultSurface(peg, &surface);
    pegWorldAddSpace(peg, space);
    dBodyID box[BOXES];
    for (int i = 0; i < BOXES; i++) {
        dMass mass;
        dMassSetBoxTotal(&mass, 1, 0.2, 0.2, 0.2);
        box[i] = dBodyCreate(world);
        dBodySetMass(box[i], &mass);
        dBodySetPosition(box[i], random_(&state), random_(&state), 0.2 + 0.3 * i);
        dGeomSetBody(dCreateBox(space, 0.2, 0.2, 0.2), box[i]);
    }
    for (int step = 0; step < 200 && j->status == PEG_OK; step++)
        j->status = pegWorldStep(peg, 0.01);
    for (int i = 0; i < BOXES; i++) memcpy(j->end[i], dBodyGetPosition(box[i]), sizeof j->end[i]);
    pegWorldDestroy(peg);
    dSpaceDestroy(space);
    dWorldDestroy(world);
    dThreadingFreeImplementation(threading);
}

static void *work(void *first)
{
    dAllocateODEDataForThread(dAllocateMaskAll);
    for (job *j = first; j < jobs + WORLDS; j += THREADS) run_world(j);
    dCleanupODEAllDataForThread();
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    dInitODE2(0);
    for (int i = 0; i < WORLDS; i++)
        jobs[i] = (job){.seed = 1 + (unsigned)i / 2, .threads_inside = 1 + i % 2};
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, &work, &jobs[i]) != 0) return 1;
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    dCloseODE();
    int failed = 0;
    for (int i = 0; i < WORLDS; i += 2) {
        int same = memcmp(jobs[i].end, jobs[i + 1].end, sizeof jobs[i].end) == 0;
        printf("seed %u: 1 and 2 threads inside end in %s bits (box 0 at %.17g)\n", jobs[i].seed,
               same ? "the same" : "DIFFERENT", jobs[i].end[0][0]);
        failed |= !same || jobs[i].status != PEG_OK || jobs[i + 1].status != PEG_OK;
    }
    return failed;
}
