/* Mesh files: OBJ here, to the last digit and with loose edges and points, which libraries drop;
 * all other formats by assimp. */
#include "demos/scenes/mesh_private.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifdef HAVE_ASSIMP
#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#endif

#define POLYGON_MAX    256
#define LINE_MAX_CHARS 4096

/* ---- OBJ ------------------------------------------------------------------------------------- */

static int read_vertex(lab_mesh *m, const char *at, char text[LAB_TEXT])
{
    double x[3];
    for (int k = 0; k < 3; k++) {
        char *end;
        x[k] = strtod(at, &end);
        if (end == at) return lab_mesh_error(text, "a 'v' line has fewer than three numbers");
        at = end;
    }
    return lab_mesh_vertex(m, x, text);
}

/* "f 1/2/3 4//5 6": the first of each group; negative ones count from the end. */
static int read_face(lab_mesh *m, const char *at, char text[LAB_TEXT])
{
    long index[POLYGON_MAX];
    int n = 0;
    for (;;) {
        char *end;
        while (isspace((unsigned char)*at)) at++;
        if (!*at || *at == '#') return lab_mesh_polygon(m, index, n, text);
        if (n == POLYGON_MAX) return lab_mesh_error(text, "a face has more than 256 vertices");
        long i = strtol(at, &end, 10);
        if (end == at) return lab_mesh_error(text, "an 'f' line holds something that is no number");
        index[n++] = i < 0 ? m->nv + i : i - 1;
        at = end + strcspn(end, " \t\r\n");
    }
}

/* "l 1 2 3": two edges. */
static int read_line(lab_mesh *m, const char *at, char text[LAB_TEXT])
{
    long last = 0;
    for (int n = 0;; n++) {
        char *end;
        while (isspace((unsigned char)*at)) at++;
        if (!*at || *at == '#')
            return n < 2 ? lab_mesh_error(text, "an 'l' line has one vertex") : 0;
        long i = strtol(at, &end, 10);
        if (end == at) return lab_mesh_error(text, "an 'l' line holds something that is no number");
        i = i < 0 ? m->nv + i : i - 1;
        if (n > 0 && lab_mesh_edge(m, last, i, text)) return 1;
        last = i;
        at = end + strcspn(end, " \t\r\n");
    }
}

static int read_obj(lab_mesh *m, const char *path, char text[LAB_TEXT])
{
    char line[LINE_MAX_CHARS];
    FILE *file = fopen(path, "r");
    if (!file) return lab_mesh_error(text, strerror(errno));
    int bad = 0;
    while (!bad && fgets(line, sizeof line, file)) {
        const char *at = line + strspn(line, " \t");
        int gap = at[0] && isspace((unsigned char)at[1]);
        if (at[0] == 'v' && gap)
            bad = read_vertex(m, at + 1, text);
        else if (at[0] == 'f' && gap)
            bad = read_face(m, at + 1, text);
        else if (at[0] == 'l' && gap)
            bad = read_line(m, at + 1, text);
    }
    if (!bad && ferror(file)) bad = lab_mesh_error(text, "it cannot be read");
    fclose(file);
    return bad;
}

/* ---- all others ------------------------------------------------------------------------------ */

#ifdef HAVE_ASSIMP
static int take_mesh(lab_mesh *m, const struct aiMesh *from, char text[LAB_TEXT])
{
    int bad = 0, first = m->nv;
    for (unsigned i = 0; i < from->mNumVertices && !bad; i++) {
        const struct aiVector3D *v = &from->mVertices[i];
        bad = lab_mesh_vertex(m, (double[3]){v->x, v->y, v->z}, text);
    }
    for (unsigned f = 0; f < from->mNumFaces && !bad; f++) {
        const struct aiFace *face = &from->mFaces[f];
        long corner[POLYGON_MAX];
        if (face->mNumIndices > POLYGON_MAX)
            return lab_mesh_error(text, "a face has more than 256 vertices");
        for (unsigned c = 0; c < face->mNumIndices; c++)
            corner[c] = first + (long)face->mIndices[c];
        if (face->mNumIndices == 2)
            bad = lab_mesh_edge(m, corner[0], corner[1], text);
        else if (face->mNumIndices > 2)
            bad = lab_mesh_polygon(m, corner, (int)face->mNumIndices, text);
    }
    return bad;
}

static int read_other(lab_mesh *m, const char *path, char text[LAB_TEXT])
{
    const struct aiScene *scene = aiImportFile(path, aiProcess_PreTransformVertices);
    if (!scene) {
        snprintf(text, LAB_TEXT, "%.300s", aiGetErrorString());
        return 1;
    }
    int bad = 0;
    for (unsigned i = 0; i < scene->mNumMeshes && !bad; i++)
        bad = take_mesh(m, scene->mMeshes[i], text);
    aiReleaseImport(scene);
    return bad;
}
#else
static int read_other(lab_mesh *m, const char *path, char text[LAB_TEXT])
{
    (void)m, (void)path;
    return lab_mesh_error(text, "this peg-lab was built without assimp and reads .obj files only");
}
#endif

int lab_mesh_read(lab_mesh *m, const char *path, char text[LAB_TEXT])
{
    const char *dot = strrchr(path, '.');
    FILE *file = fopen(path, "r");
    if (!file) return lab_mesh_error(text, strerror(errno));
    fclose(file);
    return dot && strcasecmp(dot, ".obj") == 0 ? read_obj(m, path, text)
                                               : read_other(m, path, text);
}
