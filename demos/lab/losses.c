/* Steps that lose more energy than the same motion does in shorter ones: what limits of positions
 * cost the velocities beyond what contact demands. */
#include "demos/lab/lab.h"
#include "demos/world/progress.h"
#include "demos/world/run.h"

#include <math.h>
#include <stdio.h>

enum { PARTS = 4, MOST_LOSS = 2 };
/* Of the energy that was put in: differences of positions know no less. */
static const double ROUNDING = 1e-9;
/* By this share losses of a smooth motion miss the factor PARTS of a method of first order. */
static const double SMOOTH = 0.05;

typedef struct losses {
    int quiet;
    long bad, limited_bad, limited; /* steps; with limited bodies */
    long early, rough;          /* bad steps: within twice what quarters lose in two steps; .. */
                                /* .. whose velocities hold only roughly */
    double lost, excess, worst; /* J: of all steps, beyond what is allowed, of one step */
    long worst_at;
} losses;

static void begin(void *data, lab_world *w)
{
    (void)data;
    lab_ask_finer(w, PARTS);
}

/* What a step may lose beside quarters that lose so much: they lose it in flight, too. */
static double allowance(double finer, double flight)
{
    return MOST_LOSS * finer + fmin((PARTS - MOST_LOSS) * finer, flight);
}

static void see_step(void *data, lab_world *w, const lab_measured *m)
{
    losses *l = data;
    lab_energy e = lab_world_energy(w);
    lab_finer f = lab_last_finer(w);
    pegStats last;
    (void)m;
    lab_last(w, &last);
    double lost = -e.step_gain, finer = fmax(0, -f.gain);
    double allowed = allowance(finer, f.flight);
    double excess = lost - allowed;
    l->lost += fmax(0, lost);
    l->limited += last.limited_bodies > 0;
    if (!(excess > ROUNDING * (e.kinetic + e.put_in) + SMOOTH * allowed)) return;
    int is_early = lost <= allowance(fmax(0, -f.gain - f.after), 2 * f.flight);
    l->bad++;
    l->early += is_early;
    l->rough += last.unconverged;
    l->limited_bad += last.limited_bodies > 0;
    l->excess += excess;
    if (excess > l->worst) l->worst = excess, l->worst_at = lab_steps(w);
    if (!l->quiet)
        printf("step %5ld  loses %.4g J, in quarters %.4g J, allowed %.4g J; position stages %ld, "
               "limited bodies %ld%s%s\n",
               lab_steps(w), lost, -f.gain, allowed, last.position_stages, last.limited_bodies,
               last.unconverged ? ", unconverged" : "", is_early ? ", early" : "");
}

static void end(void *data, lab_world *w)
{
    (void)data, (void)w;
}

int lab_losses(const lab_scene *scene, const lab_options *options, int quiet)
{
    losses l = {.quiet = quiet};
    lab_observer observer = {begin, see_step, end, &l};
    lab_result r;
    lab_run(scene, options, &observer, 0, &r);
    if (r.failed) fprintf(stderr, "peg-lab: %s: %s\n", scene->name, r.error);
    int status = r.user ? 2 : r.failed || l.bad > 0;
    if (!r.user)
        printf("%s: %ld steps, %ld lose too much (%ld early, %ld unconverged, %ld of %ld with "
               "limited bodies), %.4g J of %.4g J; "
               "worst "
               "%.4g J (step %ld)\n",
               scene->name, r.steps, l.bad, l.early, l.rough, l.limited_bad, l.limited, l.excess,
               l.lost, l.worst, l.worst_at);
    lab_result_free(&r);
    return status;
}
