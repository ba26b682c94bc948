#include "tests/two_bodies.h"

#include <check.h>

#include "peg/base/settings.h"
#include "peg/contact/kinematics.h"
#include "peg/contact/patch_polytope.h"
#include "peg/island/outer_loop.h"
#include "tests/geometry_cases.h"

two_bodies T;

static void set_up_body(int i, peg_body_kind kind, const peg_polytope *shape)
{
    peg_rigid *r = &T.rigid[i];
    peg_body *b = &r->state;
    *r = (peg_rigid){.body = i, .size = 2 * shape->radius};
    *b = (peg_body){.kind = kind, .q = {1, 0, 0, 0}, .mass = 1, .max_angular_speed = INFINITY};
    for (int k = 0; k < 9; k += 4) b->inertia[k] = r->inv_inertia[k] = 1;
    T.mass[i].inv_mass = 1;
    memcpy(T.mass[i].inv_inertia, r->inv_inertia, sizeof r->inv_inertia);
    T.part[i] = (peg_part){.shape = shape, .body = i, .id = (unsigned long)i + 1};
    for (int k = 0; k < 9; k += 4) T.part[i].rotation[k] = 1;
    T.piece[i] = (peg_piece){.part = &T.part[i], .rigid = i, .arm = 2 * shape->radius};
    for (int k = 0; k < 3; k++) T.piece[i].extent[k] = T.piece[i].arm;
    T.piece[i].start = cases_view(shape);
    T.piece[i].free_ = cases_view(shape);
    T.piece[i].now = cases_view(shape);
    T.I.scratch.view[i] = cases_view(shape);
}

void two_bodies_begin(peg_body_kind second, const peg_polytope *a, const peg_polytope *b)
{
    memset(&T, 0, sizeof T);
    peg_settings_default(&T.settings);
    set_up_body(0, PEG_DYNAMIC, a);
    set_up_body(1, second, b);
    peg_island *I = &T.I;
    I->most_friction = INFINITY;
    I->h = TWO_BODIES_STEP;
    I->common.iterate = peg_outer_loop;
    I->settings = &T.settings;
    I->stats = &T.stats;
    I->arena = &T.arena;
    I->rigid = T.rigid, I->nr = 2, I->nd = second == PEG_DYNAMIC ? 2 : 1;
    I->piece = T.piece, I->npiece = 2;
    I->pair = &T.pair, I->npair = 1;
    T.pair.surface = &T.surface, T.pair.choice = &T.choice;
    I->mass = T.mass;
    I->dirty = T.dirty;
    I->v = T.v, I->before.v = T.v_last, I->v_motion = T.v_motion;
    I->result.v_end = T.v_end, I->result.v_pose = T.v_pose;
    ck_assert(peg_patch_room(I, 256));
    peg_pair *p = &T.pair;
    p->a = 0, p->b = 1;
    p->L = fmin(a->radius, b->radius);
    p->width = fmin(a->width, b->width);
    p->margin = T.settings.margin * p->L;
    p->reach = 0.05 * p->L;
}

void two_bodies_place(void)
{
    for (int i = 0; i < 2; i++) {
        peg_rigid_prepare(&T.rigid[i], TWO_BODIES_STEP);
        peg_piece_place(&T.piece[i], T.rigid[i].x0, T.rigid[i].R0, &T.piece[i].start);
        peg_piece_place(&T.piece[i], T.rigid[i].x0, T.rigid[i].R0, &T.piece[i].now);
        memcpy(T.rigid[i].x, T.rigid[i].x0, sizeof T.rigid[i].x);
        memcpy(T.rigid[i].R, T.rigid[i].R0, sizeof T.rigid[i].R);
    }
    peg_island_move(&T.I);
    T.pair.s0 = peg_separation(&T.piece[0].start, &T.piece[1].start, INFINITY, NULL, NULL).s;
    T.pair.facet = peg_separation(&T.piece[0].now, &T.piece[1].now, INFINITY, NULL, NULL);
}

void two_bodies_end(void)
{
    for (int i = 0; i < 2; i++) {
        cases_view_free(&T.piece[i].start);
        cases_view_free(&T.piece[i].free_);
        cases_view_free(&T.piece[i].now);
        cases_view_free(&T.I.scratch.view[i]);
    }
    peg_arena_free(&T.arena);
}

peg_polytope *two_bodies_box(double a, double b, double c)
{
    peg_polytope *shape;
    ck_assert_int_eq(peg_polytope_box((double[]){a, b, c}, &shape), PEG_OK);
    return shape;
}

const peg_pair_pose *two_bodies_pose(void)
{
    static peg_pair_pose at;
    at = peg_pair_pose_now(&T.I, &T.pair);
    return &at;
}
