/* The parts of bodies as traces and pages describe them. */
#include "demos/report/json_put.h"
#include "demos/report/trace.h"

static void put_points(FILE *file, const lab_shape *s, int digits)
{
    fputs("\"vertices\":[", file);
    for (int i = 0; i < s->nv; i++) {
        if (i) fputc(',', file);
        json_put_numbers(file, s->vertex[i], 3, digits);
    }
    fprintf(file, "],\"%s\":[", s->kind == LAB_SHAPE_MESH ? "triangles" : "faces");
    for (int f = 0; f < s->nf; f++) {
        fputs(f ? ",[" : "[", file);
        for (int c = s->start[f]; c < s->start[f + 1]; c++)
            fprintf(file, "%s%d", c > s->start[f] ? "," : "", s->index[c]);
        fputc(']', file);
    }
    fputc(']', file);
}

void trace_put_part(FILE *file, const lab_shape *s, int digits)
{
    const char *type = s->nv == 0                      ? "plane"
                       : s->kind == LAB_SHAPE_MESH     ? "mesh"
                       : s->nf > 0                     ? "convex"
                       : s->nv == 1                    ? "sphere"
                       : s->kind == LAB_SHAPE_CYLINDER ? "cylinder"
                                                       : "capsule";
    fprintf(file, "{\"type\":\"%s\",", type);
    if (s->nv == 0) {
        fputs("\"normal\":", file);
        json_put_numbers(file, s->normal[0], 3, digits);
        fputs(",\"offset\":", file);
        json_put_number(file, s->offset[0], digits);
    } else if (s->nf > 0) {
        put_points(file, s, digits);
        if (s->round > 0) fputs(",\"radius\":", file);
        if (s->round > 0) json_put_number(file, s->round, digits);
    } else {
        fputs("\"radius\":", file);
        json_put_number(file, s->round, digits);
        fputs(s->nv == 1 ? ",\"center\":" : ",\"a\":", file);
        json_put_numbers(file, s->vertex[0], 3, digits);
        if (s->nv == 2) fputs(",\"b\":", file);
        if (s->nv == 2) json_put_numbers(file, s->vertex[1], 3, digits);
    }
    fputc('}', file);
}
