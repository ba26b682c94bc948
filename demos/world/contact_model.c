/* The contact models by name, and the settings of the contact module. */
#include "demos/world/world.h"

static const char *const contact_names[LAB_CONTACT_COUNT] = {
    "peg", "st", "paper", "lnc", "ap", "lp", "ratio", "ode", "ode-quick"};

/* Of the contact module, in the order of lab_contact. */
static const pegContactModel core_models[] = {PEG_CONTACT_PEG,  PEG_CONTACT_ST, PEG_CONTACT_PAPER,
                                              PEG_CONTACT_LNC,  PEG_CONTACT_AP, PEG_CONTACT_LP,
                                              PEG_CONTACT_RATIO};

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
    return "peg, st, paper, lnc, ap, lp or ratio";
}

void lab_settings(const lab_world *w, pegSettings *settings)
{
    pegSettingsDefault(settings);
    settings->contact = core_models[w->options.contact];
    settings->friction_directions = w->directions;
    settings->reach = w->reach;
    settings->paper_primaries = w->primaries;
    settings->paper_psi_minimum = w->psi_minimum;
    settings->paper_sin_theta = w->sin_theta;
    settings->paper_tan_phi = w->tan_phi;
    settings->paper_edges = w->edges;
    settings->threads = w->threads;
    settings->lp_stiffness = w->stiffness;
    settings->ratio_gamma = w->gamma;
    settings->ratio_gradient = w->gradient;
    settings->ratio_traps = w->traps;
    settings->ratio_adjacent = w->adjacent;
    settings->ratio_passes = w->passes;
    settings->soft_contacts = PEG_SOFT_KEEP; /* the key `soft` decides */
}
