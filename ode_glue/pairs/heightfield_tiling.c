/* Which cells of the endless heightfields moving bodies could touch in a step. */
#include "ode_glue/read/geom.h"
#include "ode_glue/pairs/heightfield_tiling.h"
#include "ode_glue/pairs/filter.h"

/* A body may be hit by the fastest one, and leave with at most twice its speed. */
static const double SPEED_FACTOR = 2;

static const peg_body *body_of(const peg_glue *glue, const peg_shape *s)
{
    dBodyID id = dGeomGetBody(s->geom);
    return id ? &glue->scene.body[peg_map_find(&glue->body_number, id, NULL)] : NULL;
}

static int is_bounded(const peg_shape *s)
{
    return s->triangle_mesh || (s->shape && !peg_is_half_space(s->shape));
}

/* Radius about the origin of the geom, m. */
static double extent(const peg_shape *s)
{
    if (s->triangle_mesh)
        return peg_norm(s->triangle_mesh->centre) + s->triangle_mesh->radius + s->is.round;
    return peg_norm(s->shape->centre) + s->shape->radius + s->shape->round;
}

/* Largest speed of the body's points up to a distance from a place, m/s. */
static double speed_of(const peg_body *b, const double place[3], double distance)
{
    double arm[3];
    if (!b || b->kind == PEG_STATIC) return 0;
    peg_sub(place, b->x, arm);
    distance += peg_norm(arm);
    double now = peg_norm(b->v) + distance * peg_norm(b->v + 3);
    double then = peg_norm(b->v_free) + distance * peg_norm(b->v_free + 3);
    return b->kind == PEG_DYNAMIC ? fmax(now, then) : now;
}

static double fastest_of(const peg_glue *glue, peg_shape *const *shape, int n)
{
    double fastest = 0, x[3], R[9];
    for (int i = 0; i < n; i++) {
        if (!is_bounded(shape[i])) continue;
        peg_geom_pose(shape[i]->geom, x, R);
        fastest = fmax(fastest, speed_of(body_of(glue, shape[i]), x, extent(shape[i])));
    }
    return fastest;
}

/* What a geom could touch of the field, as it lies at (x, R). */
static pegStatus need(peg_glue *glue, peg_shape *field, const peg_shape *s, double fastest)
{
    double x[3], R[9], y[3], S[9], from[3], at[3], low[2], high[2], radius = extent(s);
    peg_geom_pose(field->geom, x, R);
    peg_geom_pose(s->geom, y, S);
    peg_sub(y, x, from);
    peg_rotate_back(R, from, at);
    double speed = fastest + speed_of(body_of(glue, field), y, radius);
    double reach = radius + field->is.round + SPEED_FACTOR * glue->scene.h * speed;
    for (int k = 0; k < 2; k++) {
        low[k] = at[2 * k] - reach;
        high[k] = at[2 * k] + reach;
    }
    return peg_windows_need(&field->windows, field->endless, low, high);
}

static pegStatus open_field(peg_glue *glue, peg_shape *field, peg_shape *const *shape, int n,
                            double fastest)
{
    const peg_body *own = body_of(glue, field);
    pegStatus status = PEG_OK;
    peg_windows_begin(&field->windows);
    for (int i = 0; i < n && status == PEG_OK; i++) {
        const peg_body *b = body_of(glue, shape[i]);
        int moves = (b && b->kind == PEG_DYNAMIC) || (own && own->kind == PEG_DYNAMIC);
        if (moves && b != own && is_bounded(shape[i]))
            status = need(glue, field, shape[i], fastest);
    }
    if (status == PEG_OK)
        status = peg_windows_end(&field->windows, field->endless, &glue->shapes.last_id);
    field->opaque = status == PEG_ERROR_GEOM_CLASS;
    if (!field->opaque) return status;
    if (field->is.round > 0) {
        glue->report.culprit.geom = field->geom;
        return PEG_ERROR_RADIUS;
    }
    peg_windows_free(&field->windows);
    peg_glue_say_opaque(glue, field);
    return PEG_OK;
}

pegStatus peg_glue_open_windows(peg_glue *glue, peg_shape *const *shape, int n)
{
    double fastest = -1;
    pegStatus status = PEG_OK;
    for (int i = 0; i < n && status == PEG_OK; i++) {
        if (!shape[i]->endless) continue;
        if (fastest < 0) fastest = fastest_of(glue, shape, n);
        status = open_field(glue, shape[i], shape, n, fastest);
    }
    return status;
}
