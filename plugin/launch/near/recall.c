#include "plugin/launch/near/recall.h"
#include "ode_glue/read/geom.h"
#include "plugin/launch/world/geom_counts.h"

int peg_can_recall(dGeomID geom)
{
    int class = dGeomGetClass(geom);
    return class <= dPlaneClass || class == dConvexClass;
}

typedef struct poses {
    double x[2][3], R[2][9]; /* of both geoms, in the world */
    double at[3], turn[9];   /* of the one in the frame of the other */
} poses;

static void read_poses(const peg_meeting *m, int frame, poses *p)
{
    for (int i = 0; i < 2; i++) peg_geom_pose(m->geom[i], p->x[i], p->R[i]);
    const double *R = p->R[frame], *S = p->R[1 - frame];
    double d[3];
    peg_sub(p->x[1 - frame], p->x[frame], d);
    peg_rotate_back(R, d, p->at);
    for (int k = 0; k < 3; k++) {
        double column[3] = {S[k], S[3 + k], S[6 + k]}, own[3];
        peg_rotate_back(R, column, own);
        for (int i = 0; i < 3; i++) p->turn[3 * i + k] = own[i];
    }
}

/* How far the contacts may be from where they would be found now: they are good to the reach. */
static double drift_of(const peg_finding *f, const poses *now)
{
    double away[3], turned = 0;
    peg_sub(now->at, f->at, away);
    for (int i = 0; i < 9; i++) turned += (now->turn[i] - f->turn[i]) * (now->turn[i] - f->turn[i]);
    return peg_norm(away) + sqrt(.5 * turned) * f->arm; /* two sines of half the angle */
}

static int make_room(dContactGeom **contact, int *room, int n)
{
    if (n <= *room) return 1;
    dContactGeom *grown = peg_realloc(*contact, (size_t)n * sizeof *grown);
    if (!grown) return 0;
    *contact = grown;
    *room = n;
    return 1;
}

void peg_finding_keep(peg_finding *f, const peg_meeting *m, const peg_output *out, int n)
{
    poses now;
    f->known = make_room(&f->contact, &f->room, n);
    if (!f->known) return;
    f->frame = dGeomGetClass(m->geom[1]) == dPlaneClass;
    read_poses(m, f->frame, &now);
    peg_copy3(now.at, f->at);
    memcpy(f->turn, now.turn, sizeof f->turn);
    f->limit = out->flags;
    f->reach = m->reach;
    f->rest = out->rest;
    f->n = n;
    f->arm = 0;
    for (int i = 0; i < n; i++) {
        const dContactGeom *p = peg_contact_at(out->contact, out->skip, i);
        double d[3];
        f->contact[i] = *p;
        peg_sub(p->pos, now.x[f->frame], d);
        peg_rotate_back(now.R[f->frame], d, f->contact[i].pos);
        peg_rotate_back(now.R[f->frame], p->normal, f->contact[i].normal);
        peg_sub(p->pos, now.x[1 - f->frame], d);
        f->arm = fmax(f->arm, peg_norm(d));
    }
}

int peg_finding_recall(const peg_finding *f, const peg_meeting *m, const peg_output *out, int *n)
{
    poses now;
    if (!f->known || f->limit != out->flags) return 0;
    read_poses(m, f->frame, &now);
    double drift = drift_of(f, &now);
    if (f->n ? drift > fmin(f->reach, m->reach) : drift > 0 || m->reach > f->reach) return 0;
    for (int i = 0; i < f->n; i++) {
        dContactGeom *p = peg_contact_at(out->contact, out->skip, i);
        double d[3];
        *p = f->contact[i];
        peg_rotate(now.R[f->frame], f->contact[i].pos, d);
        peg_add_scaled(d, 1, now.x[f->frame], p->pos);
        peg_rotate(now.R[f->frame], f->contact[i].normal, p->normal);
        peg_meeting_expect(m, drift, f->rest, p);
    }
    *n = f->n;
    return 1;
}

/* ---- pairs at rest --------------------------------------------------------------------------- */

static int is_zero(const dReal v[3])
{
    return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

/* 0: the body moves, or will. */
static int read_resting(dGeomID geom, double body[7], int *mode)
{
    dBodyID id = dGeomGetBody(geom);
    if (!id) return 1;
    if (!is_zero(dBodyGetLinearVel(id)) || !is_zero(dBodyGetAngularVel(id)) ||
        !is_zero(dBodyGetForce(id)))
        return 0;
    memcpy(body, dBodyGetPosition(id), 3 * sizeof *body);
    memcpy(body + 3, dBodyGetQuaternion(id), 4 * sizeof *body);
    *mode = dBodyIsEnabled(id) | (dBodyGetGravityMode(id) != 0) << 1;
    return 1;
}

static int read_state(const peg_world_entry *entry, const dGeomID pair[2], int limit,
                      peg_rest_state *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < 2; i++)
        if (!read_resting(pair[i], s->body[i], &s->mode[i])) return 0;
    s->h = entry->h;
    dWorldGetGravity(entry->world, s->gravity);
    s->gravity[3] = 0;
    s->moves = peg_geom_moves();
    s->odes = entry->odes.n;
    s->limit = limit;
    return 1;
}

void peg_finding_keep_answer(peg_finding *f, const peg_world_entry *entry, const dGeomID pair[2],
                             const peg_output *out, int n)
{
    f->rests =
        read_state(entry, pair, out->flags, &f->state) && make_room(&f->answer, &f->answer_room, n);
    if (!f->rests) return;
    for (int i = 0; i < n; i++) f->answer[i] = *peg_contact_at(out->contact, out->skip, i);
    f->answers = n;
}

int peg_finding_answer(const peg_finding *f, const peg_world_entry *entry, const dGeomID pair[2],
                       const peg_output *out, int *n)
{
    peg_rest_state now;
    if (!f->rests || !read_state(entry, pair, out->flags, &now) ||
        memcmp(&now, &f->state, sizeof now) != 0)
        return 0;
    for (int i = 0; i < f->answers; i++) *peg_contact_at(out->contact, out->skip, i) = f->answer[i];
    *n = f->answers;
    return 1;
}
