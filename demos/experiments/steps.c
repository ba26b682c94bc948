/* A run that is written step by step. */
#include "demos/experiments/experiment.h"
#include "demos/world/world.h"

/* Rows of the step's problem: the papers solve one for all bodies, here every island has its own,
 * once. The other models solve an island several times: of them the largest problem counts. */
static long rows_of(const lab_world *w)
{
    pegStats s;
    lab_contact model = w->options.contact;
    int once = model == LAB_ST || model == LAB_ST_PUBLISHED || model == LAB_PAPER ||
               model == LAB_LNC || model == LAB_AP;
    lab_last(w, &s);
    return once ? s.rows : s.rows_max;
}

long experiment_size(const lab_world *w)
{
    long velocities = 0;
    for (int i = 0; i < w->bodies; i++) {
        const lab_body *b = w->body[i];
        if (b->kind == LAB_DYNAMIC && b->present)
            velocities += b->part[0].is_point ? 2 : w->is_planar ? 3 : 6;
    }
    return velocities + rows_of(w);
}

int experiment_steps(const lab_scene *scene, const lab_options *options, FILE *csv,
                     char why[LAB_TEXT])
{
    int user;
    lab_world *w = lab_open(scene, options, why, &user);
    fputs("t,x,y,z,overlap,depth,size,solve_ms,step_ms,trap,unconverged,pairs,traps,escaped,rows\n",
          csv);
    if (!w) return 1;
    while (w->steps < w->planned && lab_step(w) == 0) {
        double overlap, depth, x[3] = {0, 0, 0};
        pegStats s;
        lab_measure(w, 1, &overlap, &depth, NULL);
        lab_last(w, &s);
        for (int i = 0; i < w->bodies; i++)
            if (w->body[i]->kind == LAB_DYNAMIC && w->body[i]->present)
                lab_pose(w->body[i], x, NULL);
        fprintf(csv, "%.12g,%.12g,%.12g,%.12g,%.6g,%.6g,%ld,%.4g,%.4g,%d,%ld,%ld,%ld,%d,%ld\n",
                lab_time(w), x[0], x[1], x[2], overlap, depth, experiment_size(w),
                1e3 * s.time_solve, 1e3 * w->last_seconds, s.switches + s.traps > 0, s.unconverged,
                s.pairs, s.switches + s.traps, lab_escaped(w), rows_of(w));
    }
    int failed = w->unsolved ? EXPERIMENT_ENDED : w->failed;
    snprintf(why, LAB_TEXT, "%s", w->error);
    lab_close(w);
    return failed;
}
