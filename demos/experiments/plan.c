/* The runs of an experiment: models x step sizes x initial conditions. */
#include "demos/experiments/experiment.h"

#include <stdlib.h>

void experiment_add(experiment_study *s, lab_contact contact, double h, int set)
{
    if (s->jobs == s->room) {
        int room = 2 * s->room + 64;
        experiment_job *more = realloc(s->job, (size_t)room * sizeof *more);
        if (!more) {
            s->out_of_memory = 1;
            return;
        }
        s->job = more, s->room = room;
    }
    s->job[s->jobs++] = (experiment_job){contact, h, set};
}

/* The smallest steps first: they take the longest. */
void experiment_plan_all(experiment_study *s, int first_set, int last_set)
{
    s->first_set = first_set, s->last_set = last_set;
    for (int k = 0; k < s->hs; k++)
        for (int set = first_set; set <= last_set; set++)
            for (int m = 0; m < s->models; m++) experiment_add(s, s->model[m], s->h[k], set);
}
