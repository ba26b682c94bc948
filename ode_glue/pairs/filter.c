/* Which pairs may touch: those added, those that the program's near callback adds when
 * it is asked, or those that ODE's spaces would report and that no joint connects. */
#include "ode_glue/read/convex.h"
#include "ode_glue/read/geom.h"
#include "ode_glue/pairs/filter.h"

#include <stdint.h>
#include <string.h>

/* rad: phase of a spring in a step, from which on it is not resolved. */
static const double SPRING = 0.5;

static int bits_match(const peg_geom_filter *a, const peg_geom_filter *b)
{
    return (a->category & b->collide) || (b->category & a->collide);
}

static int depth_of(dGeomID geom)
{
    int depth = 0;
    for (dSpaceID s = dGeomGetSpace(geom); s; s = dGeomGetSpace((dGeomID)s)) depth++;
    return depth;
}

/* The geom itself or the space about it that lies `depth` levels below the outermost space. */
static dGeomID at_depth(dGeomID geom, int own_depth, int depth)
{
    for (; own_depth > depth; own_depth--) geom = (dGeomID)dGeomGetSpace(geom);
    return geom;
}

/* Both lie in spaces. ODE descends from the space that holds both, or from the two outermost ones,
 * and compares the bits of what it meets on either side, level by level: a sub-space's bits count
 * like a geom's. */
static int spaces_pass(const peg_shape *sa, const peg_shape *sb)
{
    if (sa->filter.space == sb->filter.space) return bits_match(&sa->filter, &sb->filter);
    dGeomID a = sa->geom, b = sb->geom;
    int da = depth_of(a), db = depth_of(b), deepest = da > db ? da : db, pass = 1;
    for (int d = 1; d <= deepest && pass; d++) {
        dGeomID x = at_depth(a, da, d), y = at_depth(b, db, d);
        peg_geom_filter of_x = peg_geom_filter_of(x), of_y = peg_geom_filter_of(y);
        if (x != y) pass = bits_match(&of_x, &of_y);
    }
    return pass;
}

static int joint_connects(dGeomID a, dGeomID b)
{
    dBodyID x = dGeomGetBody(a), y = dGeomGetBody(b);
    return x && y && dAreConnectedExcluding(x, y, dJointTypeContact);
}

int peg_glue_sweeps(const peg_glue *glue, dGeomID geom)
{
    dSpaceID first = dGeomIsSpace(geom) ? (dSpaceID)geom : dGeomGetSpace(geom);
    for (dSpaceID s = first; s; s = dGeomGetSpace((dGeomID)s))
        for (int i = 0; i < glue->spaces; i++)
            if (glue->space[i] == s) return 1;
    return 0;
}

static void order(dGeomID *a, dGeomID *b)
{
    if ((uintptr_t)*a > (uintptr_t)*b) {
        dGeomID swap = *a;
        *a = *b;
        *b = swap;
    }
}

const peg_pair_entry *peg_glue_how(const peg_glue *glue, const peg_part *a, const peg_part *b,
                                   int *reversed)
{
    dGeomID x = ((const peg_shape *)a->user)->geom, y = ((const peg_shape *)b->user)->geom;
    dGeomID low = x, high = y;
    order(&low, &high);
    int i = peg_map_find(&glue->added, low, high);
    dGeomID first = i >= 0 ? glue->how[i].first : x;
    *reversed = peg_first_geom(first, first == x ? y : x) != x;
    return i >= 0 ? &glue->how[i] : NULL;
}

static int may_touch(peg_glue *glue, const peg_shape *sa, const peg_shape *sb)
{
    dGeomID x = sa->geom, y = sb->geom;
    order(&x, &y);
    if (peg_map_find(&glue->added, x, y) >= 0) return 1;
    if (!sa->swept || !sb->swept || !spaces_pass(sa, sb)) return 0;
    if (!glue->near)
        return !sa->filter.has_joints || !sb->filter.has_joints || !joint_connects(x, y);
    glue->asked[0] = x;
    glue->asked[1] = y;
    glue->accepted = 0;
    glue->near(glue->near_data, sa->geom, sb->geom);
    glue->asked[0] = glue->asked[1] = NULL;
    return glue->accepted;
}

int peg_glue_may_touch(void *context, const peg_part *a, const peg_part *b)
{
    peg_glue *glue = context;
    if (!may_touch(glue, a->user, b->user)) return 0;
    if (a->body >= 0) glue->link[a->body].met = 1;
    if (b->body >= 0) glue->link[b->body].met = 1;
    return 1;
}

/* Of a part that contacts can move, 1 / kg. */
static double inverse_mass(const peg_glue *glue, const peg_part *part)
{
    const peg_body *b = part->body >= 0 ? &glue->scene.body[part->body] : NULL;
    return b && b->kind == PEG_DYNAMIC ? 1 / b->mass : 0;
}

/* Whether the contact's spring, of natural frequency w, is too stiff for the step: w h >= SPRING.
 */
static int is_stiff(const peg_glue *glue, const peg_part *a, const peg_part *b,
                    const peg_surface *s)
{
    double compliance = s->cfm / (inverse_mass(glue, a) + inverse_mass(glue, b)); /* cfm m */
    return s->erp * glue->scene.h >= SPRING * SPRING * compliance;
}

static void decide_softness(peg_glue *glue, const peg_part *a, const peg_part *b, peg_surface *s)
{
    pegSoftContacts wanted = peg_context_settings(glue->core)->soft_contacts;
    const peg_shape *x = a->user, *y = b->user;
    const peg_subject about = {.geom = x->geom, .other = y->geom};
    if (wanted == PEG_SOFT_RIGID || (wanted == PEG_SOFT_BELOW && is_stiff(glue, a, b, s))) {
        s->soft = 0;
        s->erp = s->cfm = 0;
        peg_say(
            &glue->report, PEG_CAUSE_SOFT_RIGID, PEG_SEVERITY_NOTE, PEG_OK, &about,
            "soft_erp and soft_cfm of stiff contacts are ignored: the contacts are rigid, unless "
            "settings.soft_contacts is PEG_SOFT_KEEP");
        return;
    }
    glue->soft++;
    peg_say(
        &glue->report, PEG_CAUSE_SOFT_KEPT, PEG_SEVERITY_WARNING, PEG_OK, &about,
        "soft_erp or soft_cfm makes contacts compliant: bodies overlap as in ODE; they are rigid "
        "if settings.soft_contacts is PEG_SOFT_RIGID");
}

static void say_frictionless(peg_glue *glue, const peg_part *a, const peg_part *b)
{
    const peg_shape *x = a->user, *y = b->user;
    peg_say(&glue->report, PEG_CAUSE_FRICTIONLESS, PEG_SEVERITY_NOTE, PEG_OK,
            &(peg_subject){.geom = x->geom, .other = y->geom},
            "no surface was set for this pair: its contacts are frictionless; call "
            "pegWorldSetDefaultSurface, or pass a surface to pegWorldAddPair");
}

/* The surface of pairs without one of their own, converted once a step. */
static void convert_default(peg_glue *glue, int reversed, peg_surface *out)
{
    static const double none[3] = {0, 0, 0};
    peg_converted *kept = &glue->converted[reversed];
    if (!kept->known) {
        peg_surface_convert(&glue->surface, none, dWorldGetERP(glue->world),
                            dWorldGetCFM(glue->world), reversed, &kept->surface);
        kept->known = 1;
    }
    *out = kept->surface;
}

void peg_glue_surface(void *context, const peg_part *a, const peg_part *b, peg_surface *out)
{
    peg_glue *glue = context;
    int reversed;
    const peg_pair_entry *how = peg_glue_how(glue, a, b, &reversed);
    int own = how && how->has_surface;
    if (!own && !glue->has_surface) say_frictionless(glue, a, b);
    if (own)
        peg_surface_convert(&how->surface, how->fdir1, dWorldGetERP(glue->world),
                            dWorldGetCFM(glue->world), reversed, out);
    else
        convert_default(glue, reversed, out);
    if (out->soft) decide_softness(glue, a, b, out);
}

static pegStatus fail_about(peg_glue *glue, pegStatus status, dGeomID a, dGeomID b)
{
    peg_subject before = glue->report.culprit;
    glue->report.culprit = (peg_subject){.geom = a, .other = b};
    peg_fail(&glue->report, status);
    glue->report.culprit = before;
    return status;
}

pegStatus peg_glue_set_surface(peg_glue *glue, const dSurfaceParameters *surface)
{
    static const double none[3] = {0, 0, 0};
    memset(glue->converted, 0, sizeof glue->converted);
    if (!surface) {
        glue->surface = (dSurfaceParameters){0};
        glue->has_surface = 1; /* frictionless by choice */
        return PEG_OK;
    }
    pegStatus status = peg_surface_check(surface);
    if (status != PEG_OK) return fail_about(glue, status, NULL, NULL);
    peg_surface_warn(&glue->report, surface, none, NULL);
    glue->surface = *surface;
    glue->has_surface = 1;
    return PEG_OK;
}

void peg_glue_say_opaque(peg_glue *glue, const peg_shape *s)
{
    const peg_subject about = {.geom = s->geom};
    if (s->endless)
        peg_say_class(&glue->report, s->is.class, PEG_ERROR_GEOM_CLASS, &about,
                      "the bodies are near more cells of this wrapping heightfield than can be "
                      "kept: it has ODE's contacts, and bodies may overlap with it");
    else if (s->is.class == dHeightfieldClass)
        peg_say_class(&glue->report, s->is.class, PEG_ERROR_CONVEX_NOT_REGISTERED, &about,
                      "the samples of this heightfield were not registered, or differ from those "
                      "registered: it has ODE's contacts, and bodies may overlap with it; call "
                      "pegRegisterHeightfield");
    else
        peg_say_class(&glue->report, s->is.class, PEG_ERROR_GEOM_CLASS, &about,
                      "a user-defined geom class has ODE's contacts, and bodies may overlap with "
                      "such geoms");
}

static int is_asked(const peg_glue *glue, dGeomID a, dGeomID b)
{
    order(&a, &b);
    return glue->stepping && a == glue->asked[0] && b == glue->asked[1];
}

/* Keeps the pair; 0 when memory is exhausted. */
static int keep_pair(peg_glue *glue, dGeomID a, dGeomID b, const peg_pair_entry *how)
{
    dGeomID x = a, y = b;
    order(&x, &y);
    if (glue->added.n == glue->how_room) {
        int room = glue->how_room ? 2 * glue->how_room : 64;
        peg_pair_entry *of = peg_realloc(glue->how, (size_t)room * sizeof *of);
        if (!of) return 0;
        glue->how = of;
        glue->how_room = room;
    }
    int known = glue->added.n, i = peg_map_add(&glue->added, x, y);
    if (i < 0) return 0;
    if (how)
        glue->how[i] = *how;
    else if (i == known)
        glue->how[i] = (peg_pair_entry){.first = a};
    return 1;
}

/* ODE's contacts may have named a geom that a transform holds: the pair is the transform's. */
pegStatus peg_glue_name_transforms(peg_glue *glue)
{
    const struct peg_generation *now = &glue->shapes.coming;
    for (int i = 0; i < glue->added.n && now->transforms; i++) {
        dGeomID a = glue->added.key[i][0], b = glue->added.key[i][1];
        dGeomID x = peg_shapes_outer(now, a), y = peg_shapes_outer(now, b);
        if (x == a && y == b) continue;
        peg_pair_entry how = glue->how[i];
        how.first = how.first == a ? x : y;
        if (!keep_pair(glue, x, y, &how)) return PEG_ERROR_MEMORY;
    }
    return PEG_OK;
}

/* Most pairs have the surface of the pair before, which was looked at. */
static pegStatus look_at_surface(peg_glue *glue, dGeomID a, dGeomID b, const peg_pair_entry *how)
{
    peg_pair_entry *seen = &glue->seen;
    if (seen->has_surface && peg_surface_equal(&how->surface, &seen->surface) &&
        memcmp(how->fdir1, seen->fdir1, sizeof seen->fdir1) == 0)
        return PEG_OK;
    pegStatus status = peg_surface_check(&how->surface);
    if (status != PEG_OK) return fail_about(glue, status, a, b);
    peg_surface_warn(&glue->report, &how->surface, how->fdir1,
                     &(peg_subject){.geom = a, .other = b});
    *seen = *how;
    return PEG_OK;
}

pegStatus peg_glue_add_pair(peg_glue *glue, dGeomID a, dGeomID b, const peg_pair_entry *how)
{
    if (how && how->has_surface) {
        pegStatus status = look_at_surface(glue, a, b, how);
        if (status != PEG_OK) return status;
    }
    a = peg_shapes_outer(&glue->shapes.kept, a);
    b = peg_shapes_outer(&glue->shapes.kept, b);
    dGeomID leaf[2] = {peg_geom_leaf(a), peg_geom_leaf(b)};
    for (int i = 0; i < 2; i++)
        if (!leaf[i] || !peg_class_has_contacts(dGeomGetClass(leaf[i]))) return PEG_OK;
    if (!keep_pair(glue, a, b, how)) {
        glue->pair_lost = 1;
        return fail_about(glue, PEG_ERROR_MEMORY, NULL, NULL);
    }
    if (is_asked(glue, a, b)) glue->accepted = 1;
    unsigned long version;
    for (int i = 0; i < 2; i++)
        if (dGeomGetClass(leaf[i]) == dConvexClass && !peg_convex_find(leaf[i], &version))
            return fail_about(glue, PEG_ERROR_CONVEX_NOT_REGISTERED, leaf[i], NULL);
    return PEG_OK;
}

void peg_glue_near(peg_glue *glue, dGeomID a, dGeomID b)
{
    int found_by_sweep = peg_glue_sweeps(glue, a) && peg_glue_sweeps(glue, b);
    if (found_by_sweep && !is_asked(glue, a, b)) return;
    if (!joint_connects(a, b)) peg_glue_add_pair(glue, a, b, NULL);
}
