/* The contact models by name, and the settings of the contact module. */
#include "demos/world/world.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

static const char *const contact_names[LAB_CONTACT_COUNT] = {
    "peg", "st", "paper", "lnc", "ap", "lp", "ratio", "st-published", "ode", "ode-quick"};

/* Of the contact module, in the order of lab_contact. */
static const pegContactModel core_models[] = {PEG_CONTACT_PEG,   PEG_CONTACT_ST, PEG_CONTACT_PAPER,
                                              PEG_CONTACT_LNC,   PEG_CONTACT_AP, PEG_CONTACT_LP,
                                              PEG_CONTACT_RATIO, PEG_CONTACT_ST};

/* "A large value" [F 2.2] of epsilon for st-published, of the size: the shares of steps with a trap
 * that [W]'s data have need .05 to .2. */
static const double LARGE = .2;

const char *lab_contact_name(lab_contact contact)
{
    return contact_names[contact];
}

int lab_contact_is_exact(lab_contact contact)
{
    return contact < LAB_ODE;
}

const char *lab_exact_contacts(void)
{
    return "peg, st, paper, lnc, ap, lp, ratio or st-published";
}

void lab_settings(const lab_world *w, pegSettings *settings)
{
    pegSettingsDefault(settings);
    settings->contact = core_models[w->options.contact];
    settings->friction_directions = w->directions;
    settings->reach = w->options.contact == LAB_ST_PUBLISHED ? fmax(w->reach, LARGE) : w->reach;
    settings->paper_primaries = w->primaries;
    settings->paper_psi_minimum = w->psi_minimum;
    settings->paper_sin_theta = w->sin_theta;
    settings->paper_tan_phi = w->tan_phi;
    settings->paper_edges = w->edges;
    settings->paper_fallback = w->fallback;
    settings->threads = w->threads;
    settings->lp_stiffness = w->stiffness;
    settings->ratio_gamma = w->gamma;
    settings->ratio_gradient = w->gradient;
    settings->ratio_traps = w->traps;
    settings->ratio_adjacent = w->adjacent;
    settings->ratio_passes = w->passes;
    settings->narrow_phase = (pegNarrowPhase)w->narrow;
    settings->mesh_search = (pegMeshSearch)w->mesh_search;
    settings->relative_rotation = w->rotation;
    settings->soft_contacts = PEG_SOFT_KEEP; /* the key `soft` decides */
}

/* Of pegSettings; one that does nothing any more is left out. */
static const struct {
    const char *name;
    size_t at;
    int is_real;
} settings_fields[] = {
#define A_REAL(name)                                                                               \
    {                                                                                              \
#name, offsetof(pegSettings, name), 1                                                      \
    }
#define A_WHOLE(name)                                                                              \
    {                                                                                              \
#name, offsetof(pegSettings, name), 0                                                      \
    }
    A_WHOLE(solver),
    A_REAL(margin),
    A_REAL(max_depenetration_speed),
    A_WHOLE(friction_directions),
    A_WHOLE(max_outer_iterations),
    A_WHOLE(warm_start),
    A_REAL(reach),
    A_WHOLE(paper_primaries),
    A_REAL(paper_psi_minimum),
    A_REAL(paper_sin_theta),
    A_REAL(paper_tan_phi),
    A_REAL(paper_edges),
    A_WHOLE(paper_fallback),
    A_REAL(lp_stiffness),
    A_REAL(ratio_gamma),
    A_REAL(ratio_eps),
    A_REAL(ratio_band),
    A_WHOLE(ratio_traps),
    A_WHOLE(ratio_gradient),
    A_WHOLE(ratio_adjacent),
    A_WHOLE(ratio_passes),
    A_WHOLE(threads),
    A_WHOLE(soft_contacts),
    A_WHOLE(narrow_phase),
    A_WHOLE(mesh_search),
    A_REAL(relative_rotation),
#undef A_REAL
#undef A_WHOLE
};

static double field(const pegSettings *settings, size_t i)
{
    const char *at = (const char *)settings + settings_fields[i].at;
    return settings_fields[i].is_real ? *(const double *)(const void *)at
                                      : *(const int *)(const void *)at;
}

void lab_settings_text(const lab_world *w, char *text, size_t size)
{
    pegSettings settings, usual;
    size_t used = 0;
    text[0] = 0;
    if (!lab_contact_is_exact(w->options.contact)) return;
    lab_settings(w, &settings);
    pegSettingsDefault(&usual);
    for (size_t i = 0; i < sizeof settings_fields / sizeof *settings_fields && used < size; i++)
        if (field(&settings, i) != field(&usual, i))
            used += (size_t)snprintf(text + used, size - used, "%s%s=%.17g", used ? "," : "",
                                     settings_fields[i].name, field(&settings, i));
}
