/* A world by its seed, and what changes while it runs. */
#include "tests/fuzz/world.h"

#include <stdlib.h>

/* Belts that move by up to a twentieth of the size in a step, slip, rolling friction. */
static void move_or_slip(fuzz_world *w, dSurfaceParameters *s)
{
    dice *d = &w->dice;
    if (dice_chance(d, .4)) {
        s->mode |= dContactMotion1 | dContactMotion2;
        s->motion1 = dice_between(d, -.05, .05) * w->size / w->h;
        s->motion2 = dice_chance(d, .5) ? 0 : s->motion1;
        w->driven = 1;
    }
    if (dice_chance(d, .4)) {
        s->mode |= dContactSlip1 | dContactSlip2;
        s->slip1 = dice_scale(d, 1e-4, .1);
        s->slip2 = dice_chance(d, .5) ? s->slip1 : 0;
    }
    if (dice_chance(d, .2)) {
        s->mode |= dContactRolling;
        s->rho = s->rho2 = dice_scale(d, 1e-3, .1) * w->size;
    }
}

static dSurfaceParameters random_surface(fuzz_world *w, int bouncy)
{
    dice *d = &w->dice;
    dSurfaceParameters s = {0};
    double mu[] = {0, .5, .5, dInfinity, dice_between(d, 0, 1.5)};
    s.mode = dContactApprox1;
    s.mu = mu[dice_below(d, 5)];
    if (bouncy && dice_chance(d, .6)) {
        s.mode |= dContactBounce;
        s.bounce = dice_chance(d, .3) ? 1 : dice_unit(d);
        s.bounce_vel = dice_chance(d, .5) ? 0 : dice_unit(d);
    }
    if (w->options.surfaces) move_or_slip(w, &s);
    return s;
}

static void add_pair(void *data, dGeomID a, dGeomID b)
{
    fuzz_world *w = data;
    dBodyID x = dGeomGetBody(a), y = dGeomGetBody(b);
    if (x && y && dAreConnectedExcluding(x, y, dJointTypeContact)) return;
    intptr_t i = (intptr_t)dGeomGetData(a), k = (intptr_t)dGeomGetData(b);
    pegWorldAddPair(w->peg, a, b, &w->surface[(i + k) % w->surfaces]);
}

/* What kind of world. */
static void choose(fuzz_world *w)
{
    static const double steps[] = {.002, .01, .01, .02, .05, .1};
    dice *d = &w->dice;
    w->size = dice_chance(d, .5) ? 1 : dice_scale(d, .01, 100);
    w->h = dice_chance(d, .7) ? steps[dice_below(d, 6)] : dice_scale(d, 1e-3, .1);
    w->spread = w->size * (dice_chance(d, .6) ? dice_scale(d, 1, 2) : dice_scale(d, 2, 6));
    w->speed = dice_chance(d, .2) ? 0 : w->size / w->h * dice_scale(d, 1e-2, 4);
    w->spin = dice_chance(d, .2) ? 0 : dice_scale(d, 1e-3, 1.5) / w->h;
    if (dice_chance(d, .75))
        w->gravity = vec_of(0, 0, -9.81);
    else if (dice_chance(d, .4))
        w->gravity = vec_mul(9.81, dice_direction(d));
    w->joined = dice_chance(d, .25);
    w->driven = dice_chance(d, .2);
    w->edited = dice_chance(d, .2);
    w->overlaps = dice_chance(d, .12);
    w->round = dice_chance(d, .7);
    w->quick = dice_chance(d, .3);
    w->steps = w->options.steps ? w->options.steps : 30 + dice_below(d, 50);
}

pegStatus fuzz_open(fuzz_world *w, const pegSettings *settings)
{
    w->ode = dWorldCreate();
    w->space = dice_chance(&w->dice, .5) ? dHashSpaceCreate(NULL) : dSimpleSpaceCreate(NULL);
    dSpaceSetCleanup(w->space, 0);
    dWorldSetGravity(w->ode, w->gravity.x, w->gravity.y, w->gravity.z);
    pegStatus status = pegWorldCreateStatus(w->ode, settings, &w->peg);
    if (status) return status;
    if (w->surfaces == 1)
        pegWorldSetDefaultSurface(w->peg, &w->surface[0]);
    else
        pegWorldSetNearCallback(w->peg, w, add_pair);
    return pegWorldAddSpace(w->peg, w->space);
}

static void choose_surfaces(fuzz_world *w)
{
    int bouncy = dice_chance(&w->dice, .2);
    w->surfaces = 1 + dice_below(&w->dice, FUZZ_SURFACES);
    for (int i = 0; i < w->surfaces; i++) w->surface[i] = random_surface(w, bouncy);
}

static pegSettings choose_settings(fuzz_world *w)
{
    dice *d = &w->dice;
    pegSettings settings;
    pegSettingsDefault(&settings);
    if (w->options.threads) settings.threads = w->options.threads;
    if (dice_chance(d, .1)) settings.friction_directions = dice_chance(d, .5) ? 8 : 16;
    if (dice_chance(d, .05)) settings.warm_start = 0;
    return settings;
}

static void add_grounds(fuzz_world *w)
{
    dice *d = &w->dice;
    if (dice_chance(d, w->gravity.z < 0 ? .3 : .8)) return;
    w->fixed = 1;
    if (!w->options.no_meshes && dice_chance(d, .25)) {
        fuzz_add_field(w);
        return;
    }
    int planes = 1 + dice_below(d, 3);
    for (int i = 0; i < planes; i++) {
        vec n = i ? vec_unit(vec_add(vec_of(0, 0, .8), dice_direction(d))) : vec_of(0, 0, 1);
        fuzz_add_plane(w, n, -w->spread);
    }
    if (!dice_chance(d, .4)) return;
    solid *s = fuzz_add_shape(w, w->spread, 0);
    vec at = vec_mul(.6 * w->spread, dice_direction(d));
    if (!s) return;
    dGeomSetPosition(s->geom, at.x, at.y, at.z);
    solid_place(s);
}

fuzz_world *fuzz_empty(uint64_t seed, const fuzz_options *options)
{
    fuzz_world *w = calloc(1, sizeof *w);
    if (!w) abort();
    w->seed = seed;
    w->dice = dice_of(seed);
    for (int i = 0; i < 8; i++) dice_unit(&w->dice);
    if (options) w->options = *options;
    return w;
}

fuzz_world *fuzz_create(uint64_t seed, const fuzz_options *options, pegStatus *status)
{
    fuzz_world *w = fuzz_empty(seed, options);
    choose(w);
    pegSettings settings = choose_settings(w);
    choose_surfaces(w);
    *status = fuzz_open(w, &settings);
    if (*status) {
        fuzz_destroy(w);
        return NULL;
    }
    add_grounds(w);
    fuzz_add_bodies(w);
    if (w->joined) fuzz_add_joints(w);
    return w;
}

void fuzz_destroy(fuzz_world *w)
{
    if (!w) return;
    for (int i = 0; i < w->solids; i++) fuzz_drop_solid(w, i);
    pegWorldDestroy(w->peg);
    dSpaceDestroy(w->space);
    dWorldDestroy(w->ode);
    free(w);
}

/* ---- changes while it runs ---- */

static void resize(fuzz_world *w, solid *s)
{
    if (dGeomGetClass(s->geom) == dSphereClass) {
        s->radius *= dice_between(&w->dice, .5, 1.1);
        s->size = s->radius;
        dGeomSphereSetRadius(s->geom, s->radius);
    } else if (dGeomGetClass(s->geom) == dCapsuleClass) {
        double half = s->local[1].z * dice_between(&w->dice, .5, 1.1);
        s->local[0].z = -half, s->local[1].z = half;
        s->size = s->radius + half;
        dGeomCapsuleSetParams(s->geom, s->radius, 2 * half);
    }
}

static void move(fuzz_world *w, dBodyID body)
{
    vec x = vec_mul(w->spread, dice_direction(&w->dice));
    dBodySetPosition(body, x.x, x.y, x.z);
}

int fuzz_edit(fuzz_world *w)
{
    dice *d = &w->dice;
    if (!w->edited || !dice_chance(d, .15)) return 0;
    int i = w->bodies ? dice_below(d, w->bodies) : 0;
    solid *s = w->solids ? w->solid[dice_below(d, w->solids)] : NULL;
    switch (dice_below(d, 6)) {
    case 0:
        fuzz_add_body(w, 1);
        break;
    case 1:
        if (w->bodies && dice_chance(d, .5)) fuzz_drop_body(w, i);
        break;
    case 2:
        if (w->bodies && w->body[i]) move(w, w->body[i]);
        break;
    case 3:
        if (s) resize(w, s);
        break;
    case 4:
        if (s && s->kind != SOLID_PLANE && dGeomGetBody(s->geom))
            (dGeomIsEnabled(s->geom) ? dGeomDisable : dGeomEnable)(s->geom);
        break;
    default:
        if (w->bodies && fuzz_is_dynamic(w->body[i])) {
            dMass m;
            vec f = dice_direction(d);
            dBodyGetMass(w->body[i], &m);
            f = vec_mul(m.mass * w->size / w->h / w->h * dice_scale(d, 1e-3, 1), f);
            dBodyAddForce(w->body[i], f.x, f.y, f.z);
        }
    }
    return 1;
}
