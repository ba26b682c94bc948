/* Growing sets of rows. */
#include "peg/contact/row_set.h"

#include "peg/contact/island.h"

int peg_row_set_reserve(peg_island *island, peg_row_set *set, int more)
{
    if (set->m + more <= set->capacity) return 1;
    int capacity = set->capacity ? set->capacity : 64;
    while (capacity < set->m + more) capacity *= 2;
    size_t bytes = (size_t)set->capacity * sizeof *set->row;
    if (peg_arena_extend(island->arena, set->row, bytes, (size_t)capacity * sizeof *set->row)) {
        set->capacity = capacity;
        return 1;
    }
    peg_row *row = PEG_NEW(island->arena, peg_row, capacity);
    if (!row) {
        island->failed = 1;
        return 0;
    }
    if (set->m) memcpy(row, set->row, (size_t)set->m * sizeof *row);
    set->row = row;
    set->capacity = capacity;
    return 1;
}

peg_row *peg_row_set_extend(peg_island *island, peg_row_set *set, int n)
{
    if (!peg_row_set_reserve(island, set, n)) return NULL;
    set->m += n;
    return set->row + set->m - n;
}

peg_row *peg_row_set_add(peg_island *island, peg_row_set *set)
{
    return peg_row_set_extend(island, set, 1);
}

void peg_rows_append(peg_island *island, peg_row_set *to, const peg_row_set *from, int begin,
                     int end)
{
    int n = end - begin;
    if (n == 0 || !peg_row_set_reserve(island, to, n)) return;
    memcpy(to->row + to->m, from->row + begin, (size_t)n * sizeof *to->row);
    to->m += n;
}

int peg_row_same(const peg_row *a, const peg_row *b)
{
    return a->pair == b->pair && a->kind == b->kind && a->i == b->i && a->j == b->j &&
           a->friction == b->friction;
}

int peg_next_normal(const peg_row_set *set, int i)
{
    do i++;
    while (i < set->m && set->row[i].friction);
    return i;
}

void peg_contact_append(peg_island *island, peg_row_set *to, const peg_row_set *from, int i)
{
    peg_rows_append(island, to, from, i, peg_next_normal(from, i));
}

peg_cached_contact peg_contact_to_cache(const peg_row_set *set, int i, int of_motion)
{
    const peg_row *row = &set->row[i];
    peg_cached_contact c = {.kind = (int)row->kind, .i = row->i, .j = row->j};
    c.lambda = of_motion ? row->lambda_motion : row->lambda;
    peg_copy3(row->local, c.local);
    for (int k = i + 1, end = peg_next_normal(set, i); k < end; k++) {
        const peg_row *friction = &set->row[k];
        double *sum = friction->rolls ? c.rolling : c.sliding;
        peg_add_scaled(sum, of_motion ? friction->lambda_motion : friction->lambda,
                       friction->normal, sum);
    }
    return c;
}
