/* Views of a scene's end, and of its start in space: outlines in the plane, bodies in space. */
#include <math.h>
#include <stdlib.h>

#include "demos/experiments/experiment.h"
#include "demos/world/planar_world.h"

#define OUTLINE (POLYGON_POINTS + 1)

/* Outlines of all bodies that are there. */
static int view_plane(const lab_world *w, const char *title, const char *path)
{
    plot p = {.title = title, .x_label = "x, m", .y_label = "y, m", .equal = 1};
    double(*at)[2][OUTLINE] = calloc(PLOT_SERIES, sizeof *at);
    if (!at) return 1;
    for (int i = 0; i < w->bodies; i++) {
        const lab_body *b = w->body[i];
        for (int k = 0; b->present && k < b->parts && p.count < PLOT_SERIES; k++) {
            planar_polygon shape;
            int n = lab_planar_polygon(b->part[k].placed, &shape);
            double(*xy)[OUTLINE] = at[p.count];
            for (int c = 0; n > 0 && c <= n; c++)
                for (int d = 0; d < 2; d++) xy[d][c] = shape.point[c % n][d];
            int colour = b->kind == LAB_STATIC ? 0 : 1 + i % 7;
            p.series[p.count++] =
                (plot_series){.x = xy[0], .y = xy[1], .n = n + 1, .colour = colour};
        }
    }
    int bad = plot_write(&p, path);
    free(at);
    return bad;
}

void experiment_view(const lab_scene *scene, const lab_options *options, lab_report *r,
                     const char *file, const char *title)
{
    lab_result result;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", r->dir, file);
    if (lab_run(scene, options, NULL, 0, &result) || !result.w)
        r->bad = 1;
    else if (result.w->is_planar)
        r->bad |= view_plane(result.w, title, path);
    else
        r->bad |= lab_picture(path, &result, 1);
    lab_result_free(&result);
}

void experiment_start_view(const lab_scene *scene, const lab_options *options, lab_report *r,
                           const char *file, const double direction[3])
{
    lab_result result = {0};
    char path[4096], why[LAB_TEXT];
    snprintf(path, sizeof path, "%s/%s", r->dir, file);
    result.w = lab_open(scene, options, why, &result.user);
    if (result.w) lab_camera(result.w, direction);
    r->bad |= !result.w || lab_picture(path, &result, 1);
    lab_result_free(&result);
}
