/* Patches get colours, greedily in their order, so that no two of a colour share a moving body;
 * patches of one colour and as many contacts make groups of eight, which several threads share
 * where there are many. */
#include "peg/lcp/wide_groups.h"

#include <stdint.h>

/* Class of a patch: its colour and its number of contacts; -1 of what is joined. */
static int *find_classes(peg_arena *arena, const peg_wide_pgs *s)
{
    const peg_wide_problem *p = s->problem;
    uint64_t *taken = PEG_NEW(arena, uint64_t, p->nb);
    int *class = PEG_NEW(arena, int, p->patches);
    if (!taken || !class) return NULL;
    memset(taken, 0, (size_t)p->nb * sizeof *taken);
    for (int i = 0; i < p->patches; i++) {
        int a = p->patch[i].a, b = p->patch[i].b, colour = 0;
        class[i] = -1;
        if (peg_joined_has(s->joined, &p->patch[i])) continue;
        uint64_t free_ = ~((a >= 0 ? taken[a] : 0) | (b >= 0 ? taken[b] : 0));
        while (colour < PEG_WIDE_COLOURS && !(free_ >> colour & 1)) colour++;
        if (colour < PEG_WIDE_COLOURS && a >= 0) taken[a] |= (uint64_t)1 << colour;
        if (colour < PEG_WIDE_COLOURS && b >= 0) taken[b] |= (uint64_t)1 << colour;
        class[i] = colour * PEG_WIDE_PATCH + p->patch[i].count - 1;
    }
    return class;
}

/* The patches by class, and where each colour begins. */
static int *sort_patches(peg_arena *arena, const peg_wide_pgs *s, int *begin)
{
    enum { CLASSES = (PEG_WIDE_COLOURS + 1) * PEG_WIDE_PATCH };
    const peg_wide_problem *p = s->problem;
    int at[CLASSES + 1] = {0};
    const int *class = find_classes(arena, s);
    int *order = PEG_NEW(arena, int, p->patches);
    if (!class || !order) return NULL;
    for (int i = 0; i < p->patches; i++)
        if (class[i] >= 0) at[class[i] + 1]++;
    for (int c = 0; c < CLASSES; c++) at[c + 1] += at[c];
    for (int c = 0; c < PEG_WIDE_COLOURS + 2; c++) begin[c] = at[c * PEG_WIDE_PATCH];
    for (int i = 0; i < p->patches; i++)
        if (class[i] >= 0) order[at[class[i]]++] = i;
    return order;
}

static int lanes_of(int colour)
{
    return colour < PEG_WIDE_COLOURS ? PEG_LANES : 1;
}

/* n patches in ascending order of their contacts: lanes with fewer have empty rows. */
static void fill_group(const peg_wide_problem *p, const int *order, int n, peg_wide_group *g)
{
    for (int l = 0; l < PEG_LANES; l++) {
        const peg_wide_patch *patch = &p->patch[order[l < n ? l : 0]];
        g->patch[l] = l < n ? order[l] : -1;
        g->a[l] = l < n && patch->a >= 0 ? patch->a : p->nb;
        g->b[l] = l < n && patch->b >= 0 ? patch->b : p->nb;
    }
    g->contacts = p->patch[order[n - 1]].count;
}

/* Groups of a colour below which threads would wait for each other longer than they work. */
enum { FEW = 6 };

static void add_phase(peg_wide_pgs *s, int begin, int groups, int is_ordered)
{
    peg_wide_phase *last = &s->phase[s->phases];
    int threads = is_ordered || groups < FEW ? 1 : s->threads;
    if (groups == 0) return;
    for (int i = begin; i < begin + groups; i++)
        for (int l = 0; l < PEG_LANES; l++) {
            peg_wide_group *g = &s->group[i];
            int of = (i - begin) % threads, nb = s->problem->nb;
            g->a[l] += g->a[l] == nb ? of : 0;
            g->b[l] += g->b[l] == nb ? of : 0;
            g->y_of_a[l] = PEG_WIDE_STRIDE * (size_t)g->a[l];
            g->y_of_b[l] = PEG_WIDE_STRIDE * (size_t)g->b[l];
        }
    if (s->phases == 0 || threads > 1 || last[-1].threads > 1)
        *last = (peg_wide_phase){begin, threads}, s->phases++;
    s->phase[s->phases].begin = begin + groups;
}

static int allocate_groups(peg_arena *arena, peg_wide_pgs *s, const int *begin)
{
    const peg_wide_problem *p = s->problem;
    int groups = 0;
    for (int c = 0; c <= PEG_WIDE_COLOURS; c++)
        groups += (begin[c + 1] - begin[c] + lanes_of(c) - 1) / lanes_of(c);
    s->group = peg_arena_aligned(arena, (size_t)groups * sizeof *s->group);
    s->changed = peg_arena_aligned(arena, (size_t)groups * sizeof *s->changed);
    size_t size = (size_t)PEG_WIDE_STRIDE * (size_t)(p->nb + s->threads) * sizeof *s->y;
    s->y = peg_arena_aligned(arena, size);
    s->before = peg_arena_aligned(arena, size);
    return s->group && s->changed && s->y && s->before;
}

static int allocate_rows(peg_arena *arena, peg_wide_pgs *s)
{
    int contacts = 0;
    for (int i = 0; i < s->groups; i++) contacts += s->group[i].contacts;
    size_t furthers = (size_t)s->problem->furthers;
    peg_wide_rows *rows = peg_arena_aligned(arena, (size_t)contacts * sizeof *rows);
    peg_wide_further_rows *further =
        peg_arena_aligned(arena, (size_t)contacts * furthers * sizeof *further);
    for (int i = 0; i < s->groups && rows && further; i++) {
        peg_wide_group *g = &s->group[i];
        g->rows = rows, g->further = further;
        rows += g->contacts;
        further += (size_t)g->contacts * furthers;
    }
    return rows && further;
}

int peg_wide_make_groups(peg_arena *arena, peg_wide_pgs *s)
{
    int begin[PEG_WIDE_COLOURS + 2];
    const int *order = sort_patches(arena, s, begin);
    if (!order || !allocate_groups(arena, s, begin)) return 0;
    for (int c = 0; c <= PEG_WIDE_COLOURS; c++) {
        int lanes = lanes_of(c), first = s->groups;
        for (int i = begin[c]; i < begin[c + 1]; i += lanes) {
            int left = begin[c + 1] - i;
            peg_wide_group *g = &s->group[s->groups++];
            fill_group(s->problem, order + i, left < lanes ? left : lanes, g);
            g->colour = c;
        }
        add_phase(s, first, s->groups - first, lanes == 1);
    }
    return allocate_rows(arena, s);
}

int peg_wide_make_past(peg_arena *arena, peg_wide_pgs *s)
{
    size_t rows = 0, n = PEG_WIDE_STRIDE * (size_t)s->problem->nb;
    for (int i = 0; i < s->groups; i++)
        rows += (size_t)s->group[i].contacts * (size_t)(PEG_WIDE_ROWS + s->problem->furthers);
    peg_wide_past *past = peg_arena_aligned(arena, rows * sizeof *past);
    for (int i = 0; i < s->groups && past; i++) {
        s->group[i].past = past;
        past += s->group[i].contacts * (PEG_WIDE_ROWS + s->problem->furthers);
    }
    return past && peg_wide_history_create(arena, n, &s->history);
}
