#include "ode_glue/write/contacts.h"
#include "ode_glue/write/least_norm.h"

int peg_glue_contacts(peg_glue *glue, const peg_contact **contact)
{
    int n = glue->scene.np ? peg_contacts(glue->core, contact) : 0;
    if (n == 0) return 0;
    if (!glue->told_now) {
        peg_contact *told = peg_grow(glue->told, (size_t)n, &glue->told_room, sizeof *told);
        if (!told) return n;
        glue->told = told;
        memcpy(told, *contact, (size_t)n * sizeof *told);
        peg_least_norm(&glue->scene, told, n, &glue->arena);
        glue->told_now = 1;
    }
    *contact = glue->told;
    return n;
}

void peg_glue_part_at_end(const peg_scene *scene, int i, double x[3], double R[9])
{
    static const double rest[6] = {0};
    const peg_part *part = &scene->part[i];
    const peg_body *body = part->body < 0 ? NULL : &scene->body[part->body];
    double at[3] = {0}, q[4] = {1}, turn[9];
    if (body)
        peg_body_pose(body,
                      body->kind == PEG_DYNAMIC  ? body->v_pose
                      : body->kind == PEG_STATIC ? rest
                                                 : body->v,
                      scene->h, at, q);
    peg_quat_to_mat(q, turn);
    peg_rotate(turn, part->offset, x);
    peg_add_scaled(x, 1, at, x);
    peg_mat_mul(turn, part->rotation, R);
}
