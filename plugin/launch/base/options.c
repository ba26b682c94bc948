#include "plugin/launch/base/options.h"
#include "peg/peg.h"

#include <stdlib.h>
#include <string.h>

peg_options peg_launch_options;

int peg_takes_over(void)
{
    return peg_launch_options.contact == PEG_LAUNCH_EXACT;
}

static const struct setting {
    const char *name;
    size_t offset;
    int real;
} settings[] = {
#define NAMED(text, field, is_real)                                                                \
    {                                                                                              \
        text, offsetof(pegSettings, field), is_real                                                \
    }
#define WHOLE(field) NAMED(#field, field, 0)
#define REAL(field)  NAMED(#field, field, 1)
    REAL(margin), REAL(max_depenetration_speed), REAL(reach), WHOLE(friction_directions),
    WHOLE(max_outer_iterations), WHOLE(max_halvings), WHOLE(warm_start), WHOLE(paper_primaries),
    REAL(paper_psi_minimum), REAL(paper_sin_theta), REAL(paper_tan_phi), REAL(paper_edges),
    WHOLE(paper_fallback), REAL(lp_stiffness), REAL(ratio_gamma), REAL(ratio_eps), REAL(ratio_band),
    WHOLE(ratio_traps), WHOLE(ratio_gradient), WHOLE(ratio_adjacent), WHOLE(ratio_passes),
    WHOLE(threads), WHOLE(soft_contacts), WHOLE(narrow_phase), WHOLE(mesh_search),
    REAL(relative_rotation),
    /* former names */
    NAMED("recovery_speed", max_depenetration_speed, 1),
    NAMED("max_outer", max_outer_iterations, 0)};

static const struct setting *setting_of(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (strlen(settings[i].name) == length && !memcmp(settings[i].name, name, length))
            return &settings[i];
    return NULL;
}

void peg_options_default(pegSettings *out)
{
    peg_settings_default(out);
    out->soft_contacts = PEG_SOFT_RIGID;
}

int peg_options_soft(const char *name, pegSettings *out)
{
    static const char *const known[] = {
        [PEG_SOFT_RIGID] = "rigid", [PEG_SOFT_BELOW] = "below", [PEG_SOFT_KEEP] = "keep"};
    for (int i = PEG_SOFT_RIGID; i <= PEG_SOFT_KEEP; i++) {
        if (strcmp(known[i], name)) continue;
        out->soft_contacts = (pegSoftContacts)i;
        return 1;
    }
    return 0;
}

int peg_options_contact(const char *name, peg_options *out)
{
    static const struct {
        const char *name;
        peg_launch_contact contact;
        pegContactModel model;
    } known[] = {{"peg", PEG_LAUNCH_EXACT, PEG_CONTACT_PEG},
                 {"st", PEG_LAUNCH_EXACT, PEG_CONTACT_ST},
                 {"paper", PEG_LAUNCH_EXACT, PEG_CONTACT_PAPER},
                 {"lnc", PEG_LAUNCH_EXACT, PEG_CONTACT_LNC},
                 {"lp", PEG_LAUNCH_EXACT, PEG_CONTACT_LP},
                 {"ratio", PEG_LAUNCH_EXACT, PEG_CONTACT_RATIO},
                 {"ap", PEG_LAUNCH_EXACT, PEG_CONTACT_AP},
                 {"ode", PEG_LAUNCH_ODE, PEG_CONTACT_PEG},
                 {"ode-quick", PEG_LAUNCH_QUICK, PEG_CONTACT_PEG}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].name, name)) continue;
        out->contact = known[i].contact;
        out->name = known[i].name;
        out->settings.contact = known[i].model;
        return 1;
    }
    return 0;
}

int peg_options_settings(const char *text, pegSettings *out, const char **word)
{
    for (*word = text; **word; *word += strspn(*word, " ")) {
        const struct setting *s = setting_of(*word, strcspn(*word, "= "));
        const char *value = *word + strcspn(*word, "= ");
        char *end;
        if (!s || *value != '=') return 0;
        double real = strtod(value + 1, &end);
        if (end == value + 1 || (*end && *end != ' ')) return 0;
        void *field = (char *)out + s->offset;
        if (s->real)
            memcpy(field, &real, sizeof real);
        else if (real >= -1e9 && real <= 1e9 && real == (int)real)
            memcpy(field, &(int){(int)real}, sizeof(int));
        else
            return 0;
        *word = end;
    }
    return 1;
}

void peg_options_read(peg_options *out)
{
    const char *contact = getenv(PEG_RUN_CONTACT), *text = getenv(PEG_RUN_SETTINGS), *word;
    const char *soft = getenv(PEG_RUN_SOFT);
    *out = (peg_options){0};
    peg_options_default(&out->settings);
    if (text) peg_options_settings(text, &out->settings, &word);
    if (!contact || !peg_options_contact(contact, out)) peg_options_contact("peg", out);
    if (soft) peg_options_soft(soft, &out->settings);
    out->stats = getenv(PEG_RUN_STATS) != NULL;
    out->strict = getenv(PEG_RUN_STRICT) != NULL;
    out->trace = getenv(PEG_RUN_TRACE);
    const char *every = getenv(PEG_RUN_EVERY);
    out->trace_every = every ? strtol(every, NULL, 10) : 1;
    if (out->trace_every < 1) out->trace_every = 1;
    out->summary = getenv(PEG_RUN_SUMMARY);
    out->log = getenv(PEG_RUN_LOG);
    out->told = out->stats || out->trace || out->summary;
    out->met = getenv(PEG_RUN_MET);
    out->scene = getenv(PEG_RUN_SCENE) ? getenv(PEG_RUN_SCENE) : "";
}
