/* Traces: what happened, step by step, as JSON Lines with 17 significant digits. */
#include "demos/report/output.h"
#include "demos/world/world.h"

#include <math.h>

json_t *lab_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *numbers(const double *a, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++) json_array_append_new(list, lab_number(a[i]));
    return list;
}

/* Spheres, capsules, cylinders. */
static json_t *round_json(const lab_shape *s)
{
    if (s->nv == 1)
        return json_pack("{s:s, s:o, s:o}", "type", "sphere", "radius", lab_number(s->round),
                         "center", numbers(s->vertex[0], 3));
    return json_pack("{s:s, s:o, s:o, s:o}", "type",
                     s->kind == LAB_SHAPE_CYLINDER ? "cylinder" : "capsule", "radius",
                     lab_number(s->round), "a", numbers(s->vertex[0], 3), "b",
                     numbers(s->vertex[1], 3));
}

static json_t *part_json(const lab_part *p)
{
    const lab_shape *s = p->shape;
    int is_mesh = s->kind == LAB_SHAPE_MESH;
    if (s->nv == 0)
        return json_pack("{s:s, s:o, s:o}", "type", "plane", "normal", numbers(s->normal[0], 3),
                         "offset", lab_number(s->offset[0]));
    if (s->nf == 0) return round_json(s);
    json_t *vertices = json_array(), *faces = json_array();
    for (int i = 0; i < s->nv; i++) json_array_append_new(vertices, numbers(s->vertex[i], 3));
    for (int f = 0; f < s->nf; f++) {
        json_t *face = json_array();
        for (int c = s->start[f]; c < s->start[f + 1]; c++)
            json_array_append_new(face, json_integer(s->index[c]));
        json_array_append_new(faces, face);
    }
    return json_pack("{s:s, s:o, s:o}", "type", is_mesh ? "mesh" : "convex", "vertices", vertices,
                     is_mesh ? "triangles" : "faces", faces);
}

static json_t *body_json(const lab_body *b)
{
    json_t *parts = json_array();
    for (int i = 0; i < b->parts; i++) json_array_append_new(parts, part_json(&b->part[i]));
    json_t *json =
        json_pack("{s:s, s:b, s:b, s:o}", "name", b->name, "static", b->kind == LAB_STATIC,
                  "kinematic", b->kind == LAB_KINEMATIC, "mass", lab_number(b->mass));
    if (b->kind == LAB_DYNAMIC) json_object_set_new(json, "inertia", numbers(b->inertia, 9));
    json_object_set_new(json, "parts", parts);
    return json;
}

/* Whom a joint connects, or a group excludes from touching. */
static json_t *connected_json(const lab_world *w)
{
    json_t *list = json_array();
    for (int i = 0; (w->has_groups || w->joints) && i < w->bodies; i++)
        for (int j = i + 1; j < w->bodies; j++)
            if ((w->body[i]->group > 0 && w->body[i]->group == w->body[j]->group) ||
                lab_are_joined(w->body[i], w->body[j]))
                json_array_append_new(list, json_pack("[i, i]", i, j));
    return list;
}

static json_t *header_json(const lab_world *w)
{
    json_t *bodies = json_array();
    for (int i = 0; i < w->bodies; i++) json_array_append_new(bodies, body_json(w->body[i]));
    return json_pack("{s:s, s:i, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "format", "ode-peg-trace",
                     "version", 1, "scene", w->scene->name, "contact",
                     lab_contact_name(w->options.contact), "h", lab_number(w->h), "gravity",
                     numbers(w->gravity, 3), "scale", lab_number(w->scale), "connected",
                     connected_json(w), "bodies", bodies);
}

/* Times are left out: the same run gives the same trace. */
static json_t *stats_json(const lab_world *w)
{
    pegStats s;
    lab_last(w, &s);
    if ((!w->peg && !w->planar) || w->steps == 0) return json_object();
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o}",
                     "pairs", (json_int_t)s.pairs, "islands", (json_int_t)s.islands, "rows",
                     (json_int_t)s.rows, "outer", (json_int_t)s.outer_iterations, "unconverged",
                     (json_int_t)s.unconverged, "switches", (json_int_t)s.switches, "traps",
                     (json_int_t)s.traps, "clearance", (json_int_t)s.fallback_clearance, "elastic",
                     (json_int_t)s.fallback_elastic, "halved", (json_int_t)s.fallback_halved,
                     "plane", (json_int_t)s.fallback_plane, "scaled", (json_int_t)s.fallback_scaled,
                     "residual", lab_number(s.residual_max), "gap_min",
                     lab_number(s.min_separation), "energy_gain", lab_number(s.energy_gain_max));
}

static int write_line(FILE *file, json_t *json)
{
    int bad = !json || json_dumpf(json, file, JSON_COMPACT | JSON_REAL_PRECISION(17)) != 0;
    json_decref(json);
    return fputc('\n', file) == EOF || bad;
}

int lab_trace_step(FILE *file, const lab_world *w)
{
    json_t *pose = json_array(), *vel = json_array();
    for (int i = 0; i < w->bodies; i++) {
        const lab_body *b = w->body[i];
        const lab_state *s = &b->now;
        if (b->present) {
            double p[7] = {s->x[0], s->x[1], s->x[2], s->q[0], s->q[1], s->q[2], s->q[3]};
            double v[6] = {s->v[0], s->v[1], s->v[2], s->omega[0], s->omega[1], s->omega[2]};
            json_array_append_new(pose, numbers(p, 7));
            json_array_append_new(vel, numbers(v, 6));
        } else {
            json_array_append_new(pose, json_null());
            json_array_append_new(vel, json_null());
        }
    }
    return write_line(file, json_pack("{s:I, s:o, s:o, s:o, s:o}", "step", (json_int_t)w->steps,
                                      "t", lab_number(lab_time(w)), "pose", pose, "vel", vel,
                                      "stats", stats_json(w)));
}

int lab_trace_begin(FILE *file, const lab_world *w)
{
    return write_line(file, header_json(w)) || lab_trace_step(file, w);
}
