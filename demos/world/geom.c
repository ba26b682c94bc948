/* The ODE geoms of a body's parts. */
#include "demos/oracle/distance.h"
#include "demos/world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "peg/base/math.h"

/* The arrays of a convex geom or a trimesh, about the geom's own origin. A convex geom's polygons
 * begin with their number of corners. */
static int make_arrays(lab_part *p)
{
    lab_shape *s = p->shape;
    int is_mesh = s->kind == LAB_SHAPE_MESH;
    size_t corners = (size_t)s->start[s->nf], faces = (size_t)s->nf;
    p->planes = malloc(faces * 4 * sizeof *p->planes);
    p->points = malloc((size_t)s->nv * 3 * sizeof *p->points);
    p->polygons = malloc((corners + faces) * sizeof *p->polygons);
    if (!p->planes || !p->points || !p->polygons) return 0;
    unsigned *out = p->polygons;
    for (int f = 0; f < s->nf; f++) {
        peg_copy3(s->normal[f], p->planes + 4 * f);
        p->planes[4 * f + 3] = s->offset[f] - peg_dot(s->normal[f], p->x);
        if (!is_mesh) *out++ = (unsigned)(s->start[f + 1] - s->start[f]);
        for (int c = s->start[f]; c < s->start[f + 1]; c++) *out++ = (unsigned)s->index[c];
    }
    for (int i = 0; i < s->nv; i++) {
        double *point = p->points + 3 * i;
        peg_sub(s->vertex[i], p->x, point);
        if (!is_mesh) continue;
        for (int k = 0; k < 3; k++) point[k] = (float)point[k]; /* as ODE will have it */
        peg_add_scaled(point, 1, p->x, s->vertex[i]);
    }
    return 1;
}

static dGeomID make_convex(lab_world *w, lab_part *p, pegStatus *status)
{
    unsigned nf = (unsigned)p->shape->nf, nv = (unsigned)p->shape->nv;
    *status = PEG_ERROR_MEMORY;
    if (!make_arrays(p)) return NULL;
    if (w->peg) return pegCreateConvex(w->space, p->planes, nf, p->points, nv, p->polygons, status);
    return dCreateConvex(w->space, p->planes, nf, p->points, nv, p->polygons);
}

/* With face angles, without which ODE's convex-trimesh collider ends the process. */
static dGeomID make_mesh(lab_world *w, lab_part *p)
{
    if (!make_arrays(p)) return NULL;
    p->mesh = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildDouble(p->mesh, p->points, 3 * sizeof *p->points, p->shape->nv,
                                p->polygons, 3 * p->shape->nf, 3 * sizeof *p->polygons);
    dGeomTriMeshDataPreprocess2(p->mesh,
                                1U << dTRIDATAPREPROCESS_BUILD_CONCAVE_EDGES |
                                    1U << dTRIDATAPREPROCESS_BUILD_FACE_ANGLES,
                                NULL);
    return dCreateTriMesh(w->space, p->mesh, NULL, NULL, NULL);
}

static dGeomID make_field(lab_world *w, lab_part *p, pegStatus *status)
{
    double thickness = fmax(p->sides[0], p->sides[1]); /* below the lowest sample */
    pegHeightfield samples = {.type = PEG_SAMPLES_DOUBLE,
                              .samples = p->height,
                              .width = p->sides[0],
                              .depth = p->sides[1],
                              .width_samples = p->samples[0],
                              .depth_samples = p->samples[1],
                              .scale = 1};
    p->field = dGeomHeightfieldDataCreate();
    dGeomHeightfieldDataBuildDouble(p->field, p->height, 0, p->sides[0], p->sides[1], p->samples[0],
                                    p->samples[1], 1, 0, thickness, 0);
    if (w->peg) {
        *status = pegRegisterHeightfield(p->field, &samples);
        if (*status != PEG_OK) return NULL;
    }
    return dCreateHeightfield(w->space, p->field, 1);
}

static dGeomID make_geom(lab_body *b, lab_part *p, pegStatus *status)
{
    const lab_shape *s = p->shape;
    dSpaceID space = b->world->space;
    *status = PEG_OK;
    if (b->is_plane)
        return dCreatePlane(space, s->normal[0][0], s->normal[0][1], s->normal[0][2], s->offset[0]);
    if (p->is_box) return dCreateBox(space, p->sides[0], p->sides[1], p->sides[2]);
    if (p->height) return make_field(b->world, p, status);
    if (s->kind == LAB_SHAPE_MESH) return make_mesh(b->world, p);
    if (s->kind == LAB_SHAPE_CYLINDER) return dCreateCylinder(space, p->sides[0], p->sides[1]);
    if (s->nv == 2) return dCreateCapsule(space, p->sides[0], p->sides[1]);
    if (s->nv == 1) return dCreateSphere(space, p->sides[0]);
    return make_convex(b->world, p, status);
}

/* Of the geom in the body's frame: ODE's heightfields have their heights along y. */
static void geom_turn(const lab_part *p, double q[4])
{
    double up[4];
    lab_axis_angle(1, 0, 0, 90, up);
    if (p->height)
        peg_quat_mul(p->q, up, q);
    else
        memcpy(q, p->q, sizeof p->q);
}

static void put_geom(const lab_body *b, const lab_part *p)
{
    double R[9], x[3], q[4], turn[4];
    geom_turn(p, q);
    peg_quat_to_mat(b->now.q, R);
    peg_rotate(R, p->x, x);
    peg_add_scaled(x, 1, b->now.x, x);
    peg_quat_mul(b->now.q, q, turn);
    dGeomSetPosition(p->geom, x[0], x[1], x[2]);
    dGeomSetQuaternion(p->geom, turn);
}

void lab_put(lab_body *b)
{
    if (!b->present) return;
    if (b->id) {
        dBodySetPosition(b->id, b->now.x[0], b->now.x[1], b->now.x[2]);
        dBodySetQuaternion(b->id, b->now.q);
    }
    for (int i = 0; i < b->parts && !b->id; i++) put_geom(b, &b->part[i]);
    lab_place(b, b->now.x, b->now.q);
}

void lab_make_geom(lab_body *b, lab_part *p)
{
    pegStatus status;
    double q[4];
    p->geom = make_geom(b, p, &status);
    if (!p->geom) {
        lab_fail(b->world, "body '%s': %s", b->name, pegStatusMessage(status));
        return;
    }
    if (p->radius > 0 && b->world->peg) status = pegGeomSetRadius(p->geom, p->radius);
    if (p->radius > 0 && status != PEG_OK)
        lab_fail(b->world, "body '%s': %s", b->name, pegStatusMessage(status));
    dGeomSetData(p->geom, b);
    if (b->is_plane) return;
    if (b->id) {
        geom_turn(p, q);
        int offset = memcmp(p->x, (double[3]){0}, sizeof p->x) || q[0] != 1;
        dGeomSetBody(p->geom, b->id);
        if (!offset) return;
        dGeomSetOffsetPosition(p->geom, p->x[0], p->x[1], p->x[2]);
        dGeomSetOffsetQuaternion(p->geom, q);
    } else {
        put_geom(b, p);
    }
}

void lab_free_part(lab_part *p)
{
    lab_shape_free(p->shape);
    lab_shape_free(p->placed);
    lab_tree_free(p->tree);
    if (p->mesh) dGeomTriMeshDataDestroy(p->mesh);
    if (p->field) {
        pegUnregisterHeightfield(p->field);
        dGeomHeightfieldDataDestroy(p->field);
    }
    free(p->height);
    free(p->planes);
    free(p->points);
    free(p->polygons);
}

static void keep_transform(const lab_part *p)
{
    const dReal *x = dGeomGetPosition(p->geom), *R = dGeomGetRotation(p->geom);
    dMatrix4 last = {R[0], R[4], R[8],  0, R[1], R[5], R[9], 0,
                     R[2], R[6], R[10], 0, x[0], x[1], x[2], 1};
    dGeomTriMeshSetLastTransform(p->geom, last);
}

void lab_keep_transforms(lab_world *w)
{
    for (int i = 0; i < w->bodies; i++)
        for (int k = 0; k < w->body[i]->parts; k++)
            if (w->body[i]->id && w->body[i]->part[k].mesh) keep_transform(&w->body[i]->part[k]);
}
