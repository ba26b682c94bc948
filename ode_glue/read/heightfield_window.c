#include "ode_glue/read/heightfield_window.h"
#include "peg/base/arena.h"

#include <limits.h>

/* Cells of the largest window: 1 << 18 take some 200 MB. */
static const double CELLS_MAX = 1 << 18;
/* Cells that a new window has on each side beyond what is needed, so that it lasts for some steps:
 * at least so many, and a share of what is needed. */
static const double SPARE = 8, SPARE_SHARE = 0.25;

static void remove_window(peg_windows *windows, int i)
{
    peg_triangle_mesh_free(windows->of[i].triangle_mesh);
    windows->of[i] = windows->of[--windows->n];
}

void peg_windows_begin(peg_windows *windows)
{
    for (int i = 0; i < windows->n; i++) windows->of[i].used = 0;
}

static int contains(const peg_window *a, const peg_window *b)
{
    return a->from[0] <= b->from[0] && b->to[0] <= a->to[0] && a->from[1] <= b->from[1] &&
           b->to[1] <= a->to[1];
}

static int meet(const peg_window *a, const peg_window *b)
{
    return a->from[0] <= b->to[0] && b->from[0] <= a->to[0] && a->from[1] <= b->to[1] &&
           b->from[1] <= a->to[1];
}

/* The cells that the range touches, one more on each side, and `spare`. */
static int cells_of(const peg_heightfield *field, const double low[2], const double high[2],
                    double spare, peg_window *out)
{
    double cell[2] = {field->width / (field->columns - 1), field->depth / (field->rows - 1)};
    double half[2] = {field->width / 2, field->depth / 2};
    *out = (peg_window){.used = 1};
    for (int k = 0; k < 2; k++) {
        double from = floor((low[k] + half[k]) / cell[k]) - 1;
        double to = ceil((high[k] + half[k]) / cell[k]) + 1;
        double more = spare > 0 ? spare + ceil(SPARE_SHARE * (to - from)) : 0;
        if (!(to - from <= CELLS_MAX && fabs(from) + fabs(to) < INT_MAX / 8)) return 0;
        out->from[k] = (int)(from - more);
        out->to[k] = (int)(to + more);
    }
    return 1;
}

pegStatus peg_windows_need(peg_windows *windows, const peg_heightfield *field, const double low[2],
                           const double high[2])
{
    peg_window needed, all;
    if (!cells_of(field, low, high, 0, &needed) || !cells_of(field, low, high, SPARE, &all))
        return PEG_ERROR_GEOM_CLASS;
    for (int i = 0; i < windows->n; i++)
        if (contains(&windows->of[i], &needed)) {
            windows->of[i].used = 1;
            return PEG_OK;
        }
    /* takes what meets the window into it */
    for (int i = 0; i < windows->n; i++) {
        const peg_window w = windows->of[i];
        if (!meet(&w, &all)) continue;
        for (int k = 0; k < 2 && w.used; k++) {
            if (w.from[k] < all.from[k]) all.from[k] = w.from[k];
            if (w.to[k] > all.to[k]) all.to[k] = w.to[k];
        }
        remove_window(windows, i);
        i = -1; /* it may have grown to meet others */
    }
    peg_window *of = peg_grow(windows->of, (size_t)windows->n + 1, &windows->room, sizeof *of);
    if (!of) return PEG_ERROR_MEMORY;
    windows->of = of;
    of[windows->n++] = all;
    return PEG_OK;
}

pegStatus peg_windows_end(peg_windows *windows, const peg_heightfield *field,
                          unsigned long *last_id)
{
    pegStatus status = PEG_OK;
    for (int i = windows->n - 1; i >= 0; i--)
        if (!windows->of[i].used) remove_window(windows, i);
    for (int i = 0; i < windows->n && status == PEG_OK; i++) {
        peg_window *w = &windows->of[i];
        if (w->triangle_mesh) continue;
        double cells = ((double)w->to[0] - w->from[0]) * ((double)w->to[1] - w->from[1]);
        if (cells > CELLS_MAX) return PEG_ERROR_GEOM_CLASS;
        w->id = ++*last_id;
        status = peg_heightfield_cells(field, w->from, w->to, &w->triangle_mesh);
    }
    return status;
}

void peg_windows_free(peg_windows *windows)
{
    while (windows->n) remove_window(windows, windows->n - 1);
    peg_free(windows->of);
    *windows = (peg_windows){0};
}
