#include "plugin/launch/near/meeting.h"
#include "plugin/launch/near/geom_motion.h"
#include "plugin/launch/world/pair_history.h"

/* Least depth that is reported, relative to the size: the gap that exact contacts keep. Programs
 * skip depths of 0. */
#define LEAST_DEPTH 1e-5

/* Adds the body's way in the coming step, without contact; how far its points in the box may get.
 */
static double add_way(peg_meeting *m, peg_common *common, dBodyID body, double sign,
                      const dReal box[6])
{
    double h = common->h;
    if (!body || !dBodyIsEnabled(body)) return 0;
    int falls = !dBodyIsKinematic(body) && dBodyGetGravityMode(body);
    const dReal *v = dBodyGetLinearVel(body);
    for (int k = 0; k < 3; k++) {
        m->closing[k] += sign * h * v[k];
        if (!falls) continue;
        m->closing[k] += sign * h * h * common->gravity[k];
        m->falling[k] = h * h * common->gravity[k];
    }
    return peg_body_motion(common, body, box);
}

/* Infinite for what is flat: the other one's width counts. */
static double least_width(const dReal box[6])
{
    double width = fmin(box[1] - box[0], fmin(box[3] - box[2], box[5] - box[4]));
    return width > 0 ? width : INFINITY;
}

int peg_meeting_measure(peg_world_entry *entry, dGeomID a, dGeomID b, peg_meeting *m)
{
    dReal box[2][6];
    peg_common common;
    *m = (peg_meeting){{a, b}, .entry = entry};
    if (peg_is_left_to_ode(m->entry, a, b)) return 0;
    dGeomGetAABB(a, box[0]);
    dGeomGetAABB(b, box[1]);
    m->size = fmin(peg_box_size(box[0]), peg_box_size(box[1]));
    m->width = fmin(least_width(box[0]), least_width(box[1]));
    peg_look_up(&common, entry->world);
    double motion = add_way(m, &common, dGeomGetBody(a), 1, box[0]) +
                    add_way(m, &common, dGeomGetBody(b), -1, box[1]);
    m->reach = PEG_NEAR_MARGIN * m->size + motion;
    m->usual = peg_usual_depth(m->entry, a, b);
    m->turning = fmax(0, motion - PEG_NEAR_MOTION * peg_norm(m->closing));
    for (int k = 0; k < 3; k++)
        if (box[0][2 * k] - box[1][2 * k + 1] > m->reach ||
            box[1][2 * k] - box[0][2 * k + 1] > m->reach)
            return 0;
    return isfinite(m->reach);
}

/* m: programs are never told of less. */
static double least_depth(const peg_meeting *m)
{
    return fmax(LEAST_DEPTH * m->size, m->usual);
}

void peg_meeting_expect(const peg_meeting *m, double drift, double rest, dContactGeom *c)
{
    double closing = -peg_dot(c->normal, m->closing);
    double falling = fabs(peg_dot(c->normal, m->falling));
    c->depth = fmax(least_depth(m), rest * fmax(closing, falling) + c->depth + drift);
}

void peg_meeting_deepen(const peg_meeting *m, dContactGeom *c)
{
    c->depth = fmax(c->depth, least_depth(m));
}
