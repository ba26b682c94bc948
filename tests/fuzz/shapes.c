/* Random shapes, each as ODE's geom and as a solid. */
#include "tests/fuzz/world.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS = 12, SHELL_POINTS = 160, SHELL_TRIANGLES = 300 };

static solid *keep(fuzz_world *w, solid *s, dGeomID geom)
{
    s->geom = geom;
    dGeomSetData(geom, (void *)(intptr_t)(w->solids + 1));
    w->solid[w->solids++] = s;
    solid_place(s);
    return s;
}

void fuzz_drop_solid(fuzz_world *w, int i)
{
    if (!w->solid[i]) return;
    dGeomID geom = w->solid[i]->geom;
    dTriMeshDataID mesh = NULL;
    dHeightfieldDataID field = NULL;
    int class = dGeomGetClass(geom);
    if (class == dConvexClass) pegUnregisterConvex(geom);
    if (class == dTriMeshClass) mesh = dGeomTriMeshGetData(geom);
    if (class == dHeightfieldClass) field = dGeomHeightfieldGetHeightfieldData(geom);
    dGeomDestroy(geom);
    if (mesh) dGeomTriMeshDataDestroy(mesh);
    if (field) {
        pegUnregisterHeightfield(field);
        dGeomHeightfieldDataDestroy(field);
    }
    solid_free(w->solid[i]);
    w->solid[i] = NULL;
}

solid *fuzz_add_box(fuzz_world *w, vec sides)
{
    if (w->solids == FUZZ_SOLIDS) return NULL;
    return keep(w, solid_box(sides), dCreateBox(w->space, sides.x, sides.y, sides.z));
}

solid *fuzz_add_plane(fuzz_world *w, vec normal, double level)
{
    if (w->solids == FUZZ_SOLIDS) return NULL;
    return keep(w, solid_plane(), dCreatePlane(w->space, normal.x, normal.y, normal.z, level));
}

/* ---- convex hulls ---- */

typedef struct hull {
    int n, faces;
    vec point[POINTS];
    unsigned polygon[4 * 2 * POINTS];
    dReal plane[4 * 2 * POINTS], corner[3 * POINTS];
} hull;

/* Every triple of points with all others clearly behind it is a face. Whether this is a closed
 * simplicial hull of all points: none is nearly in the plane of a face, none is inside. */
static int find_faces(hull *c, double size)
{
    c->faces = 0;
    for (int i = 0; i < c->n; i++)
        for (int j = i + 1; j < c->n; j++)
            for (int k = i + 1; k < c->n; k++) {
                if (j == k) continue;
                vec m =
                    vec_cross(vec_sub(c->point[j], c->point[i]), vec_sub(c->point[k], c->point[i]));
                if (vec_norm(m) < 1e-4 * size * size) return 0;
                m = vec_unit(m);
                double level = vec_dot(m, c->point[i]);
                int outside = 0;
                for (int l = 0; l < c->n; l++) {
                    double d = vec_dot(m, c->point[l]) - level;
                    if (l != i && l != j && l != k && fabs(d) < 1e-4 * size) return 0;
                    outside |= d > 1e-4 * size;
                }
                if (outside || c->faces == 2 * POINTS) continue;
                unsigned face[4] = {3, (unsigned)i, (unsigned)j, (unsigned)k};
                dReal plane[4] = {m.x, m.y, m.z, level};
                memcpy(c->polygon + 4 * c->faces, face, sizeof face);
                memcpy(c->plane + 4 * c->faces++, plane, sizeof plane);
                if (level <= 1e-3 * size) return 0; /* ODE wants the origin inside */
            }
    return c->faces == 2 * c->n - 4;
}

static solid *add_hull(fuzz_world *w, vec extents)
{
    hull *c = malloc(sizeof *c);
    double size = fmin(extents.x, fmin(extents.y, extents.z));
    solid *s = NULL;
    if (!c) abort();
    for (int attempt = 0; attempt < 200 && !s; attempt++) {
        c->n = 4 + dice_below(&w->dice, attempt < 100 ? 7 : 1);
        vec middle = vec_of(0, 0, 0);
        for (int i = 0; i < c->n; i++) {
            vec p = dice_direction(&w->dice);
            c->point[i] = vec_of(p.x * extents.x, p.y * extents.y, p.z * extents.z);
            middle = vec_add(middle, vec_mul(1. / c->n, c->point[i]));
        }
        for (int i = 0; i < c->n; i++) {
            c->point[i] = vec_sub(c->point[i], middle);
            memcpy(c->corner + 3 * i, (dReal[]){c->point[i].x, c->point[i].y, c->point[i].z},
                   3 * sizeof(dReal));
        }
        if (!find_faces(c, size)) continue;
        dGeomID geom = pegCreateConvex(w->space, c->plane, (unsigned)c->faces, c->corner,
                                       (unsigned)c->n, c->polygon, NULL);
        if (!geom) continue;
        s = keep(w, solid_polyhedron(c->n, c->point, c->faces, c->polygon), geom);
        s->owned[0] = c;
    }
    if (!s) free(c);
    return s;
}

/* ---- meshes ---- */

typedef struct shell {
    int n, triangles, closed;
    vec point[SHELL_POINTS];
    int triangle[SHELL_TRIANGLES][3];
} shell;

static void add_quad(shell *m, int a, int b, int c, int d)
{
    memcpy(m->triangle[m->triangles++], (int[]){a, b, c}, sizeof m->triangle[0]);
    memcpy(m->triangle[m->triangles++], (int[]){a, c, d}, sizeof m->triangle[0]);
}

static void make_block(shell *m, vec e)
{
    static const int face[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                   {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int i = 0; i < 8; i++)
        m->point[m->n++] = vec_of(i & 1 ? e.x : -e.x, i & 2 ? e.y : -e.y, i & 4 ? e.z : -e.z);
    for (int i = 0; i < 6; i++) add_quad(m, face[i][0], face[i][1], face[i][2], face[i][3]);
}

static void make_octahedron(shell *m, vec e)
{
    for (int i = 0; i < 6; i++) {
        double s = i % 2 ? -1 : 1;
        m->point[m->n++] =
            vec_of(i / 2 == 0 ? s * e.x : 0, i / 2 == 1 ? s * e.y : 0, i / 2 == 2 ? s * e.z : 0);
    }
    for (int i = 0; i < 8; i++) {
        int x = i & 1, y = 2 + (i >> 1 & 1), z = 4 + (i >> 2), odd = (x + y + z) % 2;
        memcpy(m->triangle[m->triangles++], (int[]){x, odd ? z : y, odd ? y : z},
               sizeof m->triangle[0]);
    }
}

static void make_torus(shell *m, dice *d, double size)
{
    int around = 6 + dice_below(d, 4), across = 4 + dice_below(d, 3);
    double thick = size * dice_between(d, .2, .45), turn = 6.283185307179586;
    for (int i = 0; i < around; i++)
        for (int k = 0; k < across; k++) {
            double a = turn * i / around, b = turn * k / across, r = size + thick * cos(b);
            m->point[m->n++] = vec_of(r * cos(a), r * sin(a), thick * sin(b));
        }
    for (int i = 0; i < around; i++)
        for (int k = 0; k < across; k++) {
            int j = (i + 1) % around * across, l = (k + 1) % across;
            add_quad(m, i * across + k, j + k, j + l, i * across + l);
        }
}

/* A bumpy sheet, open at its border. */
static void make_sheet(shell *m, dice *d, vec e)
{
    int cells = 2 + dice_below(d, 8);
    for (int i = 0; i <= cells; i++)
        for (int k = 0; k <= cells; k++)
            m->point[m->n++] = vec_of(e.x * (2. * i / cells - 1), e.y * (2. * k / cells - 1),
                                      e.z * dice_between(d, -.3, .3));
    for (int i = 0; i < cells; i++)
        for (int k = 0; k < cells; k++) {
            int p = i * (cells + 1) + k;
            add_quad(m, p, p + cells + 1, p + cells + 2, p + 1);
        }
}

static solid *add_mesh(fuzz_world *w, vec e, int moves)
{
    shell *m = calloc(1, sizeof *m);
    if (!m) abort();
    m->closed = 1;
    switch (dice_below(&w->dice, moves ? 4 : 3)) {
    case 0:
        make_sheet(m, &w->dice, moves ? e : vec_mul(4, e));
        m->closed = 0;
        break;
    case 1:
        make_torus(m, &w->dice, e.x);
        break;
    case 2:
        make_block(m, e);
        break;
    default:
        make_octahedron(m, e);
    }
    /* ODE keeps single precision, so the solid does, too; and refers to the arrays */
    float *corner = malloc(3 * (size_t)m->n * sizeof *corner);
    dTriIndex *index = malloc(3 * (size_t)m->triangles * sizeof *index);
    if (!corner || !index) abort();
    for (int i = 0; i < m->n; i++) {
        float *c = corner + 3 * i;
        c[0] = (float)m->point[i].x, c[1] = (float)m->point[i].y, c[2] = (float)m->point[i].z;
    }
    /* in a loop of its own: in one, GCC 12 leaves x and y in double precision from -O2 on */
    for (int i = 0; i < m->n; i++) {
        const float *c = corner + 3 * i;
        m->point[i] = vec_of(c[0], c[1], c[2]);
    }
    for (int i = 0; i < 3 * m->triangles; i++) index[i] = (dTriIndex)m->triangle[i / 3][i % 3];
    dTriMeshDataID data = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildSingle(data, corner, 3 * sizeof *corner, m->n, index, 3 * m->triangles,
                                3 * sizeof *index);
    solid *s =
        keep(w, solid_shell(m->n, m->point, m->triangles, (const int(*)[3])m->triangle, m->closed),
             dCreateTriMesh(w->space, data, NULL, NULL, NULL));
    s->owned[0] = corner, s->owned[1] = index;
    free(m);
    return s;
}

solid *fuzz_add_shape(fuzz_world *w, double size, int moves)
{
    dice *d = &w->dice;
    vec e;
    if (w->solids == FUZZ_SOLIDS) return NULL;
    e = dice_sides(d, size);
    if (dice_chance(d, .08)) e.z *= .03;             /* slabs and discs */
    if (dice_chance(d, .08)) e.x *= .05, e.y *= .05; /* needles */
    switch (dice_below(d, w->options.no_meshes ? 8 : 10)) {
    case 0:
        return keep(w, solid_sphere(e.x / 2), dCreateSphere(w->space, e.x / 2));
    case 1:
    case 2:
    case 3:
        return fuzz_add_box(w, e);
    case 4:
        return keep(w, solid_capsule(e.x / 2, e.z), dCreateCapsule(w->space, e.x / 2, e.z));
    case 5:
        return keep(w, solid_cylinder(e.x / 2, e.z), dCreateCylinder(w->space, e.x / 2, e.z));
    case 6:
    case 7:
        return add_hull(w, vec_mul(.6, e));
    default:
        return add_mesh(w, vec_mul(.5, e), moves);
    }
}

/* ---- heightfields ---- */

solid *fuzz_add_field(fuzz_world *w)
{
    enum { MOST = 12 };
    static double sample[MOST * MOST];
    vec point[MOST * MOST];
    int triangle[2 * MOST * MOST][3], n = 4 + dice_below(&w->dice, MOST - 3), count = 0;
    double width = 3 * w->spread;
    if (w->solids == FUZZ_SOLIDS) return NULL;
    for (int i = 0; i < n * n; i++) sample[i] = dice_between(&w->dice, -.5, .5) * w->size;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            point[k * n + i] =
                vec_of(width * (i / (n - 1.) - .5), sample[k * n + i], width * (k / (n - 1.) - .5));
    for (int k = 0; k + 1 < n; k++)
        for (int i = 0; i + 1 < n; i++) { /* ODE's diagonal */
            int p = k * n + i;
            memcpy(triangle[count++], (int[]){p, p + n, p + 1}, sizeof triangle[0]);
            memcpy(triangle[count++], (int[]){p + n + 1, p + 1, p + n}, sizeof triangle[0]);
        }
    dHeightfieldDataID data = dGeomHeightfieldDataCreate();
    dGeomHeightfieldDataBuildDouble(data, sample, 1, width, width, n, n, 1, 0, w->size, 0);
    pegHeightfield field = {.type = PEG_SAMPLES_DOUBLE,
                            .samples = sample,
                            .width = width,
                            .depth = width,
                            .width_samples = n,
                            .depth_samples = n,
                            .scale = 1};
    if (pegRegisterHeightfield(data, &field)) return NULL;
    dGeomID geom = dCreateHeightfield(w->space, data, 1);
    dMatrix3 up; /* its y axis is the world's z axis */
    dRFromAxisAndAngle(up, 1, 0, 0, 1.5707963267948966);
    dGeomSetRotation(geom, up);
    dGeomSetPosition(geom, 0, 0, -w->spread);
    return keep(w, solid_shell(n * n, point, count, (const int(*)[3])triangle, 0), geom);
}
