#include "demos/experiments/infeasibility.h"
void infeasibility_report(experiment_study *s, lab_report *r)
{
    (void)s, (void)r;
}

const experiment experiments_anitescu_hart[] = {
    {"infeasibility",
     "Violation of the ratio metric over the step size, with stabilised time stepping.", "balance2",
     0, infeasibility_plan, infeasibility_run, infeasibility_report},
    {0},
};
