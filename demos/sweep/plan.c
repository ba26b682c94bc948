#include "demos/sweep/plan.h"
#include "demos/experiments/experiment.h"
#include "demos/scenes/scene_file.h"
#include "demos/world/files.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CASES_MAX 10000000
#define LIMIT     1200 /* s, of a case */
/* Of the path of a scene: keys of cases have 512 bytes. */
#define NAME_MAX_SIZE 200

typedef struct reader {
    sweep_plan *plan;
    lab_reading in;
} reader;

#define fail(r, ...) lab_file_fail(&(r)->in, __VA_ARGS__)

/* ---- lists ----------------------------------------------------------------------------------- */

/* A number; "inf" only where it has a meaning. */
static double one_number(reader *r, const json_t *value, const char *key)
{
    const char *text = json_string_value(value);
    if (text && !strcmp(text, "inf") && !strcmp(key, "mu")) return INFINITY;
    if (!json_is_number(value)) fail(r, "\"%s\" must hold numbers", key);
    return json_number_value(value);
}

/* Up to `most` numbers: one, a list, or {"from", "to"} of whole numbers; the fallback if there is
 * none. */
static int numbers(reader *r, const json_t *value, const char *key, double *out, int most)
{
    if (json_is_number(value) || json_is_string(value)) {
        out[0] = one_number(r, value, key);
        return 1;
    }
    if (json_is_object(value)) {
        double from = json_number_value(json_object_get(value, "from"));
        double to = json_number_value(json_object_get(value, "to"));
        int n = 0;
        if (!(to >= from && to - from < most)) fail(r, "\"%s\" has no such range", key);
        for (double x = from; x <= to && !r->in.failed; x++) out[n++] = x;
        return n;
    }
    int n = (int)json_array_size(value);
    if (!json_is_array(value) || n < 1 || n > most)
        fail(r, "\"%s\" must be a number, a list or a range of 1 to %d numbers", key, most);
    for (int i = 0; i < n && !r->in.failed; i++)
        out[i] = one_number(r, json_array_get(value, (size_t)i), key);
    return n;
}

enum { LIST_MAX = 100000, SHORT_MAX = SWEEP_VALUES };

/* The lists of a block. */
typedef struct block {
    const json_t *scenes;
    lab_contact contact[LAB_CONTACT_COUNT];
    double h[SHORT_MAX], mu[SHORT_MAX], *seed, time, steps, limit;
    sweep_set *set; /* SWEEP_SETS of the plan's */
    int contacts, hs, mus, seeds, sets;
} block;

static void read_contacts(reader *r, const json_t *value, block *b)
{
    size_t n = json_is_array(value) ? json_array_size(value) : 1;
    b->contacts = 0;
    for (size_t i = 0; i < n && !r->in.failed; i++) {
        const json_t *item = json_is_array(value) ? json_array_get(value, i) : value;
        const char *name = value ? json_string_value(item) : "peg";
        int found = -1;
        for (int k = 0; name && k < LAB_CONTACT_COUNT; k++)
            if (!strcmp(name, lab_contact_name((lab_contact)k))) found = k;
        if (found < 0 || b->contacts == LAB_CONTACT_COUNT)
            fail(r, "no contact model '%.40s'", name ? name : "?");
        else
            b->contact[b->contacts++] = (lab_contact)found;
    }
}

static void read_sets(reader *r, const json_t *value, block *b)
{
    const char *key;
    json_t *list;
    if (value && !json_is_object(value)) fail(r, "\"set\" must be an object of keys");
    json_object_foreach((json_t *)(uintptr_t)value, key, list)
    {
        if (b->sets == SWEEP_SETS || strlen(key) >= sizeof b->set->key) {
            fail(r, "\"set\" has too many or too long keys");
            return;
        }
        snprintf(b->set[b->sets].key, sizeof b->set->key, "%s", key);
        b->set[b->sets].n = numbers(r, list, key, b->set[b->sets].value, SHORT_MAX);
        b->sets++;
    }
}

static double number(reader *r, const json_t *json, const char *key, double fallback)
{
    const json_t *value = json_object_get(json, key);
    if (value && !(json_is_number(value) && json_number_value(value) > 0))
        fail(r, "\"%s\" must be a positive number", key);
    return value ? json_number_value(value) : fallback;
}

static void check_names(reader *r, const json_t *json, const char *where, const char *const *known,
                        size_t n)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)json, key, value)
    {
        int found = key[0] == '#';
        for (size_t i = 0; i < n; i++) found |= !strcmp(key, known[i]);
        if (!found) fail(r, "there is no \"%.40s\" in a %s", key, where);
    }
}

static void read_block(reader *r, const json_t *json, block *b)
{
    static const char *const known[] = {"scenes", "contact", "h",    "seeds",    "mu",
                                        "set",    "steps",   "time", "mesh_dir", "limit"};
    check_names(r, json, "block", known, sizeof known / sizeof *known);
    b->scenes = json_object_get(json, "scenes");
    if (!json_is_array(b->scenes) || json_array_size(b->scenes) == 0)
        fail(r, "\"scenes\" must be a list of names or files");
    read_contacts(r, json_object_get(json, "contact"), b);
    b->hs = b->mus = b->seeds = 1;
    b->h[0] = 0, b->mu[0] = -1, b->seed[0] = 1;
    const json_t *h = json_object_get(json, "h"), *mu = json_object_get(json, "mu");
    const json_t *seeds = json_object_get(json, "seeds");
    if (h) b->hs = numbers(r, h, "h", b->h, SHORT_MAX);
    if (mu) b->mus = numbers(r, mu, "mu", b->mu, SHORT_MAX);
    if (seeds) b->seeds = numbers(r, seeds, "seeds", b->seed, LIST_MAX);
    for (int i = 0; i < b->hs && h; i++)
        if (!(b->h[i] >= 1e-20 && b->h[i] <= 1e10))
            fail(r, "\"h\" must lie between 1e-20 and 1e10 s");
    for (int i = 0; i < b->mus && mu; i++)
        if (!(b->mu[i] >= 0)) fail(r, "\"mu\" must be 0 or more");
    for (int i = 0; i < b->seeds; i++)
        if (!(b->seed[i] >= 0 && b->seed[i] < 9e15 && b->seed[i] == floor(b->seed[i])))
            fail(r, "\"seeds\" must be whole numbers, 0 or more");
    read_sets(r, json_object_get(json, "set"), b);
    b->steps = number(r, json, "steps", 0);
    b->time = number(r, json, "time", 0);
    b->limit = number(r, json, "limit", LIMIT);
    if (b->steps != floor(b->steps) || b->steps > 1e9)
        fail(r, "\"steps\" must be a whole number of up to 1e9");
    if (b->steps > 0 && b->time > 0)
        fail(r, "\"steps\" and \"time\" both say how long: give one of them");
    if (!(b->limit >= 1 && b->limit <= 1e9)) fail(r, "\"limit\" must lie between 1 and 1e9 s");
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void add_case(reader *r, const sweep_case *c)
{
    sweep_plan *p = r->plan;
    if (p->count == p->room) {
        int room = 2 * p->room + 256;
        sweep_case *more =
            p->count < CASES_MAX ? realloc(p->cases, (size_t)room * sizeof *more) : NULL;
        if (!more) {
            fail(r, "there are too many cases");
            return;
        }
        p->cases = more, p->room = room;
    }
    p->cases[p->count++] = *c;
}

/* All combinations of the keys; the last key varies fastest. */
static void add_sets(reader *r, const block *b, sweep_case *c)
{
    long combinations = 1;
    for (int k = 0; k < b->sets && combinations < CASES_MAX; k++) combinations *= b->set[k].n;
    c->set = b->set;
    c->sets = b->sets;
    for (c->combination = 0; c->combination < combinations && !r->in.failed; c->combination++)
        add_case(r, c);
}

lab_setting sweep_case_set(const sweep_case *c, int i)
{
    lab_setting set;
    long rest = c->combination;
    for (int k = c->sets - 1; k > i; k--) rest /= c->set[k].n;
    memcpy(set.key, c->set[i].key, sizeof set.key);
    set.value = c->set[i].value[rest % c->set[i].n];
    return set;
}

/* The plan's own copy of a scene's name. */
static const char *keep_name(reader *r, const char *folder, const char *name)
{
    sweep_plan *p = r->plan;
    size_t size = strlen(folder) + strlen(name) + 1;
    char **more = realloc(p->scene, ((size_t)p->scenes + 1) * sizeof *more), *copy = malloc(size);
    if (more) p->scene = more;
    if (!more || !copy) {
        fail(r, "out of memory");
        free(copy);
        return NULL;
    }
    if (size > NAME_MAX_SIZE) fail(r, "the name of scene '%.60s' is too long", name);
    snprintf(copy, size, "%s%s", folder, name);
    p->scene[p->scenes++] = copy;
    return copy;
}

static void add_scene(reader *r, const block *b, const char *name)
{
    int is_file = lab_is_file(name);
    const char *folder = is_file && name[0] != '/' ? r->plan->folder : "";
    sweep_case c = {.time = b->time, .steps = (long)b->steps, .limit = (unsigned)b->limit};
    if (!is_file && !lab_scene_find(name)) fail(r, "no scene '%.60s'", name);
    c.scene = keep_name(r, folder, name);
    if (r->plan->mesh_dir[r->in.item][0]) c.mesh_dir = r->plan->mesh_dir[r->in.item];
    for (int m = 0; m < b->contacts; m++)
        for (int k = 0; k < b->hs; k++)
            for (int u = 0; u < b->mus; u++)
                for (int s = 0; s < b->seeds && !r->in.failed; s++) {
                    c.contact = b->contact[m];
                    c.h = b->h[k];
                    c.mu_given = b->mu[u] >= 0;
                    c.mu = c.mu_given ? b->mu[u] : 0;
                    c.seed = (uint64_t)b->seed[s];
                    add_sets(r, b, &c);
                }
}

/* ---- experiments ----------------------------------------------------------------------------- */

static void add_runs(reader *r, const char *name, uint64_t seed, int quick)
{
    experiment_options options = {.quick = quick, .seed = seed, .quiet = 1};
    sweep_case c = {.experiment = name, .quick = quick, .seed = seed, .limit = 2 * LIMIT};
    int runs = lab_experiment_runs(name, &options);
    if (runs < 0) fail(r, "experiment '%s' could not be planned", name);
    c.scene = name;
    for (c.run = 0; c.run < runs && !r->in.failed; c.run++) add_case(r, &c);
}

static void read_experiments(reader *r, const json_t *json, double *seed)
{
    static const char *const known[] = {"experiments", "quick", "seeds"};
    const json_t *list = json_object_get(json, "experiments"), *item;
    const json_t *seeds = json_object_get(json, "seeds");
    int n = 1, quick = json_is_true(json_object_get(json, "quick"));
    size_t k;
    check_names(r, json, "block of experiments", known, sizeof known / sizeof *known);
    if (!json_is_array(list)) fail(r, "\"experiments\" must be a list of names, or of \"all\"");
    seed[0] = 1;
    if (seeds) n = numbers(r, seeds, "seeds", seed, LIST_MAX);
    json_array_foreach(list, k, item)
    {
        const char *name = json_is_string(item) ? json_string_value(item) : "?", *known_name;
        int all = !strcmp(name, "all"), found = 0;
        for (int i = 0; (known_name = lab_experiment_name(i)) && !r->in.failed; i++) {
            if (!all && strcmp(name, known_name) != 0) continue;
            found = 1;
            for (int s = 0; s < n; s++) add_runs(r, known_name, (uint64_t)seed[s], quick);
        }
        if (!found) fail(r, "no experiment '%.40s'", name);
    }
}

static void read_blocks(reader *r, const json_t *list)
{
    static double seeds[LIST_MAX];
    size_t n = json_array_size(list);
    r->plan->blocks = (int)n;
    r->plan->mesh_dir = calloc(n + 1, sizeof *r->plan->mesh_dir);
    r->plan->set = calloc(SWEEP_SETS * n + 1, sizeof *r->plan->set);
    if (!r->plan->mesh_dir || !r->plan->set) fail(r, "out of memory");
    for (int i = 0; i < r->plan->blocks && !r->in.failed; i++) {
        const json_t *json = json_array_get(list, (size_t)i), *scene;
        const char *dir = json_string_value(json_object_get(json, "mesh_dir"));
        block b = {.seed = seeds, .set = &r->plan->set[SWEEP_SETS * i]};
        size_t k;
        r->in.item = i;
        if (dir)
            snprintf(r->plan->mesh_dir[i], sizeof *r->plan->mesh_dir, "%.250s%.250s",
                     dir[0] == '/' ? "" : r->plan->folder, dir);
        if (json_object_get(json, "experiments")) {
            read_experiments(r, json, seeds);
            continue;
        }
        read_block(r, json, &b);
        json_array_foreach(b.scenes, k, scene)
        {
            if (!json_is_string(scene)) fail(r, "\"scenes\" must be a list of names or files");
            if (!r->in.failed) add_scene(r, &b, json_string_value(scene));
        }
    }
    r->in.item = -1;
}

/* FNV-1a, of a key. */
static uint64_t hash_of(const char *key)
{
    uint64_t hash = 14695981039346656037u;
    for (; *key; key++) hash = (hash ^ (unsigned char)*key) * 1099511628211u;
    return hash;
}

static int by_hash(const void *a, const void *b)
{
    uint64_t x = ((const sweep_entry *)a)->hash, y = ((const sweep_entry *)b)->hash;
    return (x > y) - (x < y);
}

sweep_entry *sweep_plan_index(const sweep_plan *p)
{
    sweep_entry *entry = malloc(((size_t)p->count + 1) * sizeof *entry);
    for (int i = 0; i < p->count && entry; i++) {
        char key[SWEEP_KEY_SIZE];
        sweep_key(&p->cases[i], key);
        entry[i] = (sweep_entry){hash_of(key), i};
    }
    if (entry) qsort(entry, (size_t)p->count, sizeof *entry, by_hash);
    return entry;
}

int sweep_plan_find(const sweep_plan *p, const sweep_entry *index, const char *key)
{
    sweep_entry wanted = {hash_of(key), 0};
    const sweep_entry *e = bsearch(&wanted, index, (size_t)p->count, sizeof *e, by_hash);
    while (e && e > index && e[-1].hash == wanted.hash) e--;
    for (; e && e < index + p->count && e->hash == wanted.hash; e++) {
        char own[SWEEP_KEY_SIZE];
        sweep_key(&p->cases[e->index], own);
        if (!strcmp(own, key)) return e->index;
    }
    return -1;
}

/* Two cases with one key would be one result. */
static void refuse_doubles(reader *r)
{
    const sweep_plan *p = r->plan;
    sweep_entry *index = sweep_plan_index(p);
    if (!index) fail(r, "out of memory");
    for (int i = 1; i < p->count && !r->in.failed; i++)
        for (int k = i - 1; k >= 0 && index[k].hash == index[i].hash && !r->in.failed; k--) {
            char key[SWEEP_KEY_SIZE], other[SWEEP_KEY_SIZE];
            sweep_key(&p->cases[index[i].index], key);
            sweep_key(&p->cases[index[k].index], other);
            if (!strcmp(key, other)) fail(r, "the case '%.300s' is there twice", key);
        }
    free(index);
}

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "r");
    size_t room = 1 << 16, used = 0, n;
    char *text = f ? malloc(room + 1) : NULL;
    while (text && (n = fread(text + used, 1, room - used, f)) > 0) {
        used += n;
        if (used < room) continue;
        char *more = realloc(text, (room *= 2) + 1);
        if (!more) free(text);
        text = more;
    }
    if (text) text[used] = 0;
    if (f) fclose(f);
    return text;
}

/* The folder of the scene files, with a slash at its end; the text of the plan is to name it. */
static void set_folder(reader *r, json_t *json)
{
    sweep_plan *p = r->plan;
    const char *given = json_string_value(json_object_get(json, "folder"));
    const char *slash = strrchr(r->in.path, '/');
    char *here = given || r->in.path[0] == '/' ? NULL : getcwd(NULL, 0);
    if (given)
        snprintf(p->folder, sizeof p->folder, "%s", given);
    else
        snprintf(p->folder, sizeof p->folder, "%s%s%.*s", here ? here : "", here ? "/" : "",
                 slash ? (int)(slash - r->in.path + 1) : 0, r->in.path);
    free(here);
    free(p->text);
    json_object_set_new(json, "folder", json_string(p->folder));
    p->text = json_dumps(json, JSON_INDENT(1));
    if (!p->text) fail(r, "out of memory");
}

int sweep_plan_read(sweep_plan *plan, const char *path, char text[LAB_TEXT])
{
    static const char *const known[] = {"format", "version", "name", "folder", "blocks"};
    reader r = {plan, {path, "blocks", -1, 0, text}};
    json_error_t error;
    const char *fault = lab_file_fault(path);
    *plan = (sweep_plan){.text = fault ? NULL : read_text(path)};
    if (!plan->text) fail(&r, "%s", fault ? fault : "the plan cannot be read");
    json_t *json = plan->text ? json_loads(plan->text, 0, &error) : NULL;
    if (plan->text && !json) fail(&r, "line %d is no JSON: %s", error.line, error.text);
    const char *format = json_string_value(json_object_get(json, "format"));
    if (!r.in.failed && (!format || strcmp(format, "ode-peg-plan") != 0 ||
                         json_integer_value(json_object_get(json, "version")) != 1))
        fail(&r, "it is no plan: \"format\" must be \"ode-peg-plan\", \"version\" 1");
    const char *name = json_string_value(json_object_get(json, "name"));
    snprintf(plan->name, sizeof plan->name, "%s", name ? name : "sweep");
    if (!r.in.failed) check_names(&r, json, "plan", known, sizeof known / sizeof *known);
    if (!r.in.failed && !json_is_array(json_object_get(json, "blocks")))
        fail(&r, "it has no \"blocks\"");
    if (!r.in.failed) set_folder(&r, json);
    if (!r.in.failed) read_blocks(&r, json_object_get(json, "blocks"));
    if (!r.in.failed && plan->count == 0) fail(&r, "it has no cases");
    if (!r.in.failed) refuse_doubles(&r);
    json_decref(json);
    if (r.in.failed) sweep_plan_free(plan);
    return r.in.failed;
}

void sweep_plan_free(sweep_plan *plan)
{
    free(plan->text);
    free(plan->cases);
    free(plan->mesh_dir);
    free(plan->set);
    for (int i = 0; i < plan->scenes; i++) free(plan->scene[i]);
    free(plan->scene);
    *plan = (sweep_plan){0};
}

lab_options sweep_case_options(const sweep_case *c, lab_setting set[SWEEP_SETS])
{
    for (int i = 0; i < c->sets; i++) set[i] = sweep_case_set(c, i);
    return (lab_options){.contact = c->contact,
                         .h = c->h,
                         .time = c->time,
                         .steps = c->steps,
                         .seed = c->seed,
                         .mu_given = c->mu_given,
                         .mu = c->mu,
                         .set = set,
                         .sets = c->sets};
}

/* " name number", with as many digits as give it back. */
static int put_number(char *key, int used, const char *name, double value)
{
    char digits[32];
    for (int n = 6; n <= 17; n++) {
        snprintf(digits, sizeof digits, "%.*g", n, value);
        if (strtod(digits, NULL) == value) break;
    }
    if (used >= SWEEP_KEY_SIZE - 1) return used;
    return used + snprintf(key + used, SWEEP_KEY_SIZE - (size_t)used, " %s%s", name, digits);
}

void sweep_key(const sweep_case *c, char key[SWEEP_KEY_SIZE])
{
    if (c->experiment) {
        snprintf(key, SWEEP_KEY_SIZE, "experiment %s --seed %llu%s --run %d", c->experiment,
                 (unsigned long long)c->seed, c->quick ? " --quick" : "", c->run);
        return;
    }
    int n = snprintf(key, SWEEP_KEY_SIZE, "run %s --contact %s", c->scene,
                     lab_contact_name(c->contact));
    if (c->h > 0) n = put_number(key, n, "--h ", c->h);
    if (c->time > 0) n = put_number(key, n, "--time ", c->time);
    if (c->steps > 0) n = put_number(key, n, "--steps ", (double)c->steps);
    if (c->mu_given) n = put_number(key, n, "--mu ", c->mu);
    n = put_number(key, n, "--seed ", (double)c->seed);
    for (int i = 0; i < c->sets; i++) {
        lab_setting set = sweep_case_set(c, i);
        char name[64];
        snprintf(name, sizeof name, "--set %s=", set.key);
        n = put_number(key, n, name, set.value);
    }
}
