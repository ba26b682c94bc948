/* What the contacts of a step came to, for those who asked. */
#include "ode_glue/write/feedback.h"
#include "ode_glue/pairs/filter.h"

/* Adds the force f at the point to what acts on the body (index in the scene), with the lever that
 * the contact has at the end of the step. */
static void add_force(const peg_scene *scene, int body, const double point[3], const double f[3],
                      dReal *force, dReal *torque)
{
    double centre[3], arm[3], turn[3];
    if (body < 0) return;
    peg_add_scaled(scene->body[body].x, scene->h, scene->body[body].v_pose, centre);
    peg_sub(point, centre, arm);
    peg_cross(arm, f, turn);
    peg_add_scaled(force, 1, f, force);
    peg_add_scaled(torque, 1, turn, torque);
}

static void add_contact(const peg_scene *scene, const peg_contact *c, int reversed,
                        dJointFeedback *out)
{
    double on_a[3], on_b[3];
    for (int k = 0; k < 3; k++) {
        on_a[k] = (c->impulse * c->normal[k] + c->friction[k]) / scene->h;
        on_b[k] = -on_a[k];
    }
    add_force(scene, scene->part[c->part_a].body, c->point, on_a, reversed ? out->f2 : out->f1,
              reversed ? out->t2 : out->t1);
    add_force(scene, scene->part[c->part_b].body, c->point, on_b, reversed ? out->f1 : out->f2,
              reversed ? out->t1 : out->t2);
}

void peg_glue_fill_feedback(const peg_glue *glue)
{
    const peg_contact *contact;
    int n = glue->added.n ? peg_contacts(glue->core, &contact) : 0; /* others have none */
    for (int i = 0; i < n; i++) {
        const peg_part *a = &glue->scene.part[contact[i].part_a];
        const peg_part *b = &glue->scene.part[contact[i].part_b];
        int reversed;
        const peg_pair_entry *how = peg_glue_how(glue, a, b, &reversed);
        if (how && how->feedback) add_contact(&glue->scene, &contact[i], reversed, how->feedback);
    }
}
