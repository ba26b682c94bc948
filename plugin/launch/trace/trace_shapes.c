/* Bodies and geoms as a trace shows them: shapes in the frame of the body. */
#include "ode_glue/read/geom.h"
#include "ode_glue/read/heightfield.h"
#include "plugin/launch/base/json_write.h"
#include "plugin/launch/trace/trace_body.h"
#include "plugin/launch/world/geom_registry.h"

#include <math.h>

/* ---- parts of a body ------------------------------------------------------------------------- */

/* Where a leaf lies in the frame of its body, or of the geom that stands for one. */
typedef struct frame {
    double x[3], R[9];
} frame;

static void put_point(FILE *file, const frame *f, const double p[3])
{
    double q[3];
    peg_rotate(f->R, p, q);
    peg_add_scaled(q, 1, f->x, q);
    peg_json_put_numbers(file, q, 3);
}

static void put_points(FILE *file, const frame *f, const double *p, int n, int stride)
{
    for (int i = 0; i < n; i++) {
        fputc(i ? ',' : '[', file);
        put_point(file, f, p + i * stride);
    }
    fputc(']', file);
}

static void put_box(FILE *file, const frame *f, dGeomID leaf)
{
    static const int face[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                   {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    dVector3 side;
    double corner[8][3];
    dGeomBoxGetLengths(leaf, side);
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++) corner[i][k] = (i >> k & 1 ? .5 : -.5) * side[k];
    fputs("{\"type\":\"convex\",\"vertices\":", file);
    put_points(file, f, corner[0], 8, 3);
    fputs(",\"faces\":[", file);
    for (int i = 0; i < 6; i++)
        fprintf(file, "%s[%d,%d,%d,%d]", i ? "," : "", face[i][0], face[i][1], face[i][2],
                face[i][3]);
    fputs("]}", file);
}

static void put_convex(FILE *file, const frame *f, dGeomID leaf)
{
    peg_arrays a = {0};
    peg_geom_arrays(leaf, &a);
    fputs("{\"type\":\"convex\",\"vertices\":", file);
    if (a.pointcount == 0) fputc('[', file);
    put_points(file, f, a.points, (int)a.pointcount, 3);
    fputs(",\"faces\":[", file);
    const unsigned *p = a.polygons;
    for (unsigned i = 0; i < a.planecount; i++, p += 1 + *p) {
        fputs(i ? ",[" : "[", file);
        for (unsigned k = 0; k < *p; k++) fprintf(file, "%s%u", k ? "," : "", p[k + 1]);
        fputc(']', file);
    }
    fputs("]}", file);
}

static void put_round(FILE *file, const frame *f, const char *type, double radius, double length)
{
    const double end[2][3] = {{0, 0, -.5 * length}, {0, 0, .5 * length}};
    fprintf(file, "{\"type\":\"%s\",\"radius\":%.17g,\"a\":", type, radius);
    put_point(file, f, end[0]);
    fputs(",\"b\":", file);
    put_point(file, f, end[1]);
    fputc('}', file);
}

static void put_sphere(FILE *file, const frame *f, dGeomID leaf)
{
    fprintf(file, "{\"type\":\"sphere\",\"radius\":%.17g,\"center\":", dGeomSphereGetRadius(leaf));
    peg_json_put_numbers(file, f->x, 3);
    fputc('}', file);
}

static void put_plane(FILE *file, dGeomID leaf)
{
    dVector4 p;
    dGeomPlaneGetParams(leaf, p);
    fputs("{\"type\":\"plane\",\"normal\":", file);
    peg_json_put_numbers(file, p, 3);
    fprintf(file, ",\"offset\":%.17g}", p[3]);
}

static void put_field(FILE *file, const frame *f, const peg_triangle_mesh *mesh)
{
    fputs("{\"type\":\"mesh\",\"vertices\":", file);
    put_points(file, f, mesh->vertex[0], mesh->nv, 3);
    fputs(",\"triangles\":[", file);
    for (int i = 0; i < mesh->nt; i++)
        fprintf(file, "%s[%d,%d,%d]", i ? "," : "", mesh->triangle[i][0], mesh->triangle[i][1],
                mesh->triangle[i][2]);
    fputs("]}", file);
}

/* ODE returns triangles in the world. */
static void put_mesh(FILE *file, const frame *f, dGeomID leaf)
{
    int n = dGeomTriMeshGetTriangleCount(leaf);
    const dReal *x = dGeomGetPosition(leaf), *R = dGeomGetRotation(leaf);
    fputs("{\"type\":\"mesh\",\"vertices\":[", file);
    for (int i = 0; i < n; i++) {
        dVector3 corner[3];
        dGeomTriMeshGetTriangle(leaf, i, &corner[0], &corner[1], &corner[2]);
        for (int c = 0; c < 3; c++) {
            double d[3], own[3];
            peg_sub(corner[c], x, d);
            for (int k = 0; k < 3; k++) own[k] = R[k] * d[0] + R[4 + k] * d[1] + R[8 + k] * d[2];
            if (i || c) fputc(',', file);
            put_point(file, f, own);
        }
    }
    fputs("],\"triangles\":[", file);
    for (int i = 0; i < n; i++)
        fprintf(file, "%s[%d,%d,%d]", i ? "," : "", 3 * i, 3 * i + 1, 3 * i + 2);
    fputs("]}", file);
}

static void put_heightfield(FILE *file, const frame *f, dGeomID leaf)
{
    unsigned long version;
    const peg_heightfield *field =
        peg_heightfield_find(dGeomHeightfieldGetHeightfieldData(leaf), &version);
    if (field && field->triangle_mesh)
        put_field(file, f, field->triangle_mesh);
    else
        fputs("{\"type\":\"other\"}", file);
}

static void put_leaf(FILE *file, const frame *f, dGeomID leaf)
{
    dReal radius, length;
    switch (dGeomGetClass(leaf)) {
    case dBoxClass:
        put_box(file, f, leaf);
        break;
    case dConvexClass:
        put_convex(file, f, leaf);
        break;
    case dSphereClass:
        put_sphere(file, f, leaf);
        break;
    case dCapsuleClass:
        dGeomCapsuleGetParams(leaf, &radius, &length);
        put_round(file, f, "capsule", radius, length);
        break;
    case dCylinderClass:
        dGeomCylinderGetParams(leaf, &radius, &length);
        put_round(file, f, "cylinder", radius, length);
        break;
    case dPlaneClass:
        put_plane(file, leaf);
        break;
    case dTriMeshClass:
        put_mesh(file, f, leaf);
        break;
    case dHeightfieldClass:
        put_heightfield(file, f, leaf);
        break;
    default:
        fputs("{\"type\":\"other\"}", file);
    }
}

/* A geom in the frame of its body; without one: in its own, or its leaf's. */
static void put_geom(FILE *file, dGeomID geom)
{
    frame f = {{0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    dGeomID leaf = peg_geom_leaf(geom);
    if (dGeomGetBody(geom)) peg_geom_offset(geom, f.x, f.R);
    if (leaf)
        put_leaf(file, &f, leaf);
    else
        fputs("{\"type\":\"other\"}", file);
}

void peg_trace_put_body(FILE *file, const peg_trace_body *t, size_t number)
{
    dMass mass = {0};
    int kinematic = t->body && dBodyIsKinematic(t->body), parts = 0;
    if (t->body && !kinematic) dBodyGetMass(t->body, &mass);
    fprintf(file, "{\"name\":\"%s %zu\",\"static\":%s,\"kinematic\":%s,\"mass\":",
            t->body ? "body" : "geom", number, t->body ? "false" : "true",
            kinematic ? "true" : "false");
    peg_json_put_number(file, mass.mass);
    if (t->body && !kinematic) {
        double I[9];
        for (int i = 0; i < 9; i++) I[i] = mass.I[4 * (i / 3) + i % 3];
        fputs(",\"inertia\":", file);
        peg_json_put_numbers(file, I, 9);
    }
    fputs(",\"parts\":[", file);
    dGeomID geom = t->body ? dBodyGetFirstGeom(t->body) : t->geom;
    for (; geom; geom = t->body ? dBodyGetNextGeom(geom) : NULL) {
        if (dGeomIsSpace(geom) || dGeomGetClass(geom) == dRayClass) continue;
        if (parts++) fputc(',', file);
        put_geom(file, geom);
    }
    fputs("]}\n", file);
}
