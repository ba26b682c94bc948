/* Bodies that joints hold together: their motion without contact, solved before anything is known
 * of contacts, and the rows of joints on their way from the scene to the islands and back. */
#include "peg/step/joint_groups.h"

#include "peg/base/arena.h"
#include "peg/base/settings.h"
#include "peg/contact/kinematics.h"
#include "peg/island/joint_row.h"
#include "peg/island/joints.h"
#include "peg/step/island_graph.h"

#include <float.h>

/* Of a body that no impulse moves the velocity counts. */
static peg_joint_place place_of(const peg_stage *s, const int *rigid_of, int body)
{
    peg_joint_place place = {.index = -1};
    if (body < 0) return place;
    const peg_body *b = &s->scene->body[body];
    if (b->kind == PEG_DYNAMIC) place.index = rigid_of[body];
    if (b->kind == PEG_KINEMATIC) memcpy(place.v, b->v, sizeof place.v);
    return place;
}

static int take_rows(peg_stage *s, peg_island *I, const int *rigid_of, int root)
{
    int n = 0;
    for (int i = s->first_joint[root]; i >= 0; i = s->next_joint[i]) n++;
    if (!peg_joints_allocate(I, n)) return 0;
    for (int i = s->first_joint[root]; i >= 0; i = s->next_joint[i]) {
        const peg_joint_row *row = &s->scene->joint_row[i];
        peg_joint_place place[2] = {place_of(s, rigid_of, row->body_a),
                                    place_of(s, rigid_of, row->body_b)};
        peg_joints_add(I, row, i, s->joint_alone[i], place);
    }
    return 1;
}

int peg_take_joints(peg_stage *s, peg_island *I, const int *rigid_of, int root)
{
    /* the contact potential knows no joints: its free velocities are those that joints leave */
    if (peg_model_knows_joints(&s->context->settings)) return take_rows(s, I, rigid_of, root);
    for (int i = 0; i < I->nd; i++)
        memcpy(I->rigid[i].target, I->rigid[i].state.v_free, sizeof I->rigid[i].target);
    return peg_joints_allocate(I, 0);
}

/* --- without contact ------------------------------------------------------------------------ */

/* As ODE wakes them: whatever a joint connects with an enabled body. */
static int is_awake(const peg_stage *s, int root)
{
    for (int b = s->first_body[root]; b >= 0; b = s->next_body[b])
        if (!s->scene->body[b].asleep) return 1;
    for (int i = s->first_joint[root]; i >= 0; i = s->next_joint[i]) {
        const peg_joint_row *row = &s->scene->joint_row[i];
        const int body[2] = {row->body_a, row->body_b};
        for (int side = 0; side < 2; side++)
            if (body[side] >= 0 && s->scene->body[body[side]].kind == PEG_KINEMATIC) return 1;
    }
    return 0;
}

static int set_rigids(peg_stage *s, peg_island *I, int *rigid_of, int root)
{
    int n = 0;
    for (int b = s->first_body[root]; b >= 0; b = s->next_body[b]) n++;
    I->rigid = PEG_NEW(I->arena, peg_rigid, n);
    I->mass = PEG_NEW(I->arena, peg_mass_block, n);
    if (!I->rigid || !I->mass) return 0;
    for (int b = s->first_body[root]; b >= 0; b = s->next_body[b]) {
        peg_rigid *r = &I->rigid[I->nd];
        memset(r, 0, sizeof *r);
        r->state = s->scene->body[b];
        r->body = b;
        memcpy(r->target, r->state.v_free, sizeof r->target);
        rigid_of[b] = I->nd++;
        peg_rigid_prepare(r, I->h);
    }
    I->nr = I->nd;
    peg_island_set_masses(I);
    peg_island_place_mass(I);
    return 1;
}

/* Whether rows are redundant, as there are more than velocities, and the compliance of one is lost
 * in rounding beside J M^-1 J': ODE's factors have no pivot left for it, its step leads to NaN and
 * aborts. */
static int is_singular(const peg_island *I)
{
    const peg_island_joints *joints = &I->joints;
    peg_problem problem = {.nb = I->nd, .m = joints->n, .mass = I->mass, .row = joints->row};
    if (joints->n <= 6 * I->nd) return 0;
    for (int k = 0; k < joints->n; k++)
        if (joints->row[k].c < joints->n * DBL_EPSILON * peg_row_scale(&problem, k)) return 1;
    return 0;
}

/* Pushes of motors go into the target; the joints' impulses begin with those of the last step. */
static int step_group(peg_stage *s, int root)
{
    peg_arena *arena = &s->context->worker[0].arena;
    int *rigid_of = s->context->worker[0].rigid_of;
    peg_arena_mark mark = peg_arena_here(arena);
    pegStats stats = {0};
    peg_island I = {
        .h = s->scene->h, .settings = &s->context->settings, .arena = arena, .stats = &stats};
    int done = set_rigids(s, &I, rigid_of, root) && take_rows(s, &I, rigid_of, root);
    if (done) {
        int held = is_singular(&I);
        peg_joints_solve_alone(&I);
        for (int i = 0; i < I.nd; i++) {
            int body = I.rigid[i].body;
            memcpy(s->v_no_contact[body], I.rigid[i].state.v_free, sizeof *s->v_no_contact);
            s->result[body].woken = s->woken_by_joint[body] = s->scene->body[body].asleep != 0;
            s->result[body].held = held || I.joints.relaxation > 0;
        }
        peg_give_joints(s, &I);
        for (int k = 0; k < I.joints.n; k++) {
            const peg_joint_source *source = &I.joints.source[k];
            s->joint_alone[source->row] = source->sign * I.joints.alone[k];
        }
        stats.unconverged = stats.joints_failed;
        peg_stats_add(&s->stats, &stats);
    }
    for (int i = 0; i < I.nd; i++) rigid_of[I.rigid[i].body] = -1;
    peg_arena_back(arena, mark);
    return done && !I.failed;
}

int peg_step_joints(peg_stage *s)
{
    int nb = s->scene->nb, n = s->scene->njoint_row;
    s->first_joint = PEG_NEW(&s->context->arena, int, nb);
    s->next_joint = PEG_NEW(&s->context->arena, int, n);
    s->joint_lambda = PEG_NEW(&s->context->arena, double, n);
    s->joint_alone = PEG_NEW(&s->context->arena, double, n);
    if (!s->first_joint || !s->next_joint || !s->joint_lambda || !s->joint_alone) return 0;
    for (int i = 0; i < n; i++) s->joint_lambda[i] = 0, s->joint_alone[i] = NAN;
    if (!peg_link_islands(s)) return 0;
    for (int root = 0; root < nb; root++) {
        if (s->first_joint[root] < 0) continue;
        if (is_awake(s, root)) {
            if (!step_group(s, root)) return 0;
            continue;
        }
        for (int b = s->first_body[root]; b >= 0; b = s->next_body[b])
            memcpy(s->v_no_contact[b], s->scene->body[b].v, sizeof *s->v_no_contact);
    }
    return 1;
}

void peg_give_joints(peg_stage *s, const peg_island *I)
{
    for (int i = 0; i < I->nd; i++) {
        double *v = s->result[I->rigid[i].body].v_joints;
        const double *free_velocity = s->scene->body[I->rigid[i].body].v_free;
        for (int k = 0; k < 6; k++) v[k] = I->rigid[i].target[k] - free_velocity[k];
    }
    for (int k = 0; k < I->joints.n; k++) {
        const peg_lcp_row *row = &I->joints.row[k];
        s->joint_lambda[I->joints.source[k].row] = I->joints.source[k].sign * I->joints.lambda[k];
        const double *J[2] = {row->Ja, row->Jb};
        const int body[2] = {row->body_a, row->body_b};
        for (int side = 0; side < 2; side++) {
            if (body[side] < 0) continue;
            double *v = s->result[I->rigid[body[side]].body].v_joints;
            peg_add_impulse(&I->mass[body[side]], J[side], I->joints.lambda[k], v);
        }
    }
}
