/* Lists of triangles that are near, by parts. A list knows where the part was when it was made, by
 * points and faces, and so whether it still serves: nothing has to be told when bodies are moved or
 * scaled. A mesh is known by what it consists of. */
#include "peg/nearby.h"

#include <math.h>
#include <string.h>

/* --- the table --- */

static size_t *slot_of(const peg_nearby_table *table, uint64_t low, uint64_t high)
{
    uint64_t hash = (low ^ (high << 32 | high >> 32)) * 0x9e3779b97f4a7c15u;
    size_t at = (size_t)(hash >> 32) & (table->slots - 1);
    for (; table->slot[at]; at = (at + 1) & (table->slots - 1)) {
        const peg_nearby *list = &table->list[table->slot[at] - 1];
        if (list->low == low && list->high == high) break;
    }
    return &table->slot[at];
}

static int make_room(peg_nearby_table *table)
{
    size_t more = table->capacity ? 2 * table->capacity : 16;
    size_t *slot = peg_realloc(table->slot, 4 * more * sizeof *slot);
    if (!slot) return 0;
    table->slot = slot;
    peg_nearby *list = peg_realloc(table->list, more * sizeof *list);
    table->slots = table->capacity * 4;
    if (!list) return 0;
    memset(list + table->capacity, 0, (more - table->capacity) * sizeof *list);
    table->list = list;
    table->capacity = more;
    table->slots = 4 * more;
    return 1;
}

/* Those in use to the front, the others' arrays behind them. */
static void give_up_unused(peg_nearby_table *table)
{
    size_t n = 0;
    for (size_t i = 0; i < table->lists; i++) {
        if (table->list[i].used + 1 < table->step) continue;
        peg_nearby kept = table->list[i];
        table->list[i] = table->list[n];
        table->list[n++] = kept;
    }
    table->lists = n;
}

static int renew(peg_nearby_table *table)
{
    give_up_unused(table);
    int grown = 4 * table->lists < 3 * table->capacity || make_room(table);
    if (table->slots) memset(table->slot, 0, table->slots * sizeof *table->slot);
    for (size_t i = 0; i < table->lists; i++)
        *slot_of(table, table->list[i].low, table->list[i].high) = i + 1;
    return grown;
}

void peg_nearby_step(peg_nearby_table *table)
{
    table->step++;
}

peg_nearby *peg_nearby_find(peg_nearby_table *table, uint64_t low, uint64_t high)
{
    size_t *slot = table->slots ? slot_of(table, low, high) : NULL;
    if (!slot || !*slot) {
        if (table->lists == table->capacity && !renew(table)) return NULL;
        slot = slot_of(table, low, high);
        peg_nearby *list = &table->list[table->lists++];
        list->low = low, list->high = high;
        list->path = INFINITY;
        *slot = table->lists;
    }
    peg_nearby *list = &table->list[*slot - 1];
    list->used = table->step;
    return list;
}

size_t peg_nearby_bytes(const peg_nearby_table *table)
{
    size_t sum = table->capacity * sizeof *table->list + table->slots * sizeof *table->slot;
    for (size_t i = 0; i < table->capacity; i++)
        sum += table->list[i].numbers * sizeof(double) +
               table->list[i].capacity * sizeof(peg_nearby_item);
    return sum;
}

void peg_nearby_free(peg_nearby_table *table)
{
    for (size_t i = 0; i < table->capacity; i++) {
        peg_free(table->list[i].number);
        peg_free(table->list[i].item);
    }
    peg_free(table->list);
    peg_free(table->slot);
    memset(table, 0, sizeof *table);
}

/* --- a list --- */

static int is_same(const peg_outline *a, const peg_outline *b)
{
    return a->mesh == b->mesh && a->points == b->points && a->planes == b->planes &&
           a->round == b->round && a->rim == b->rim;
}

static double distance(const double *a, const double *b)
{
    double d[3];
    peg_sub(a, b, d);
    return peg_norm(d);
}

/* The arrays of an outline in those of the list. */
static void take(peg_nearby *list, const peg_outline *o)
{
    peg_vec3 *point = (peg_vec3 *)list->number, *normal = point + o->points,
             *centre = normal + o->planes;
    double *offset = (double *)(centre + 1);
    memcpy(point, o->point, (size_t)o->points * sizeof *point);
    for (int f = 0; f < o->planes; f++) {
        peg_copy3(o->normal[f], normal[f]);
        offset[f] = o->offset[f];
    }
    peg_copy3(o->centre, *centre);
    list->outline = *o;
    list->outline.point = (const peg_vec3 *)point;
    list->outline.normal = (const peg_vec3 *)normal;
    list->outline.offset = offset;
    list->outline.centre = *centre;
}

int peg_nearby_follow(peg_nearby *list, const peg_outline *o)
{
    const peg_outline *last = &list->outline;
    double moved = 0, turned = 0;
    if (!isfinite(list->path) || !is_same(last, o)) return 0;
    for (int i = 0; i < o->points; i++)
        moved = peg_max(moved, distance(o->point[i], last->point[i]));
    for (int f = 0; f < o->planes; f++) {
        /* how high the middle lies */
        double now = peg_dot(o->normal[f], last->centre) - o->offset[f];
        double then = peg_dot(last->normal[f], last->centre) - last->offset[f];
        moved = peg_max(moved, fabs(now - then));
        turned = peg_max(turned, distance(o->normal[f], last->normal[f]));
    }
    /* what was within the arm may by now be farther off */
    list->path += moved + turned * peg_max(o->rim, list->arm + list->path);
    take(list, o);
    return 1;
}

int peg_nearby_start(peg_nearby *list, const peg_outline *o, double arm)
{
    size_t needed = 3 * (size_t)o->points + 4 * (size_t)o->planes + 3;
    double *number = peg_grow(list->number, needed, &list->numbers, sizeof *number);
    list->path = INFINITY;
    list->items = 0;
    if (!number) return 0;
    list->number = number;
    list->arm = arm;
    list->path = 0;
    take(list, o);
    return 1;
}

int peg_nearby_add(peg_nearby *list, const peg_nearby_item *item)
{
    peg_nearby_item *grown = peg_grow(list->item, list->items + 1, &list->capacity, sizeof *grown);
    if (!grown) {
        list->path = INFINITY;
        return 0;
    }
    list->item = grown;
    grown[list->items++] = *item;
    return 1;
}
