/* Every rule and relaxation of the outer loop (peg/contact/island.h) and a scene that fails without
 * it. A run fails when its check fails, or when an island ended with limited bodies or with the
 * least violation although there was room. Settings are those that users have. Which seed needs a
 * rule may depend on rounding: of several one must. */
#include "tests/runner.h"
#include "demos/checks/checks.h"
#include "demos/world/world.h"
#include "ode_glue/world/glue.h"
#include "peg/step/stage.h"
#include "plugin/world.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct rule_case {
    const char *rule;
    unsigned bit, form; /* of peg_rule or peg_form; neither: PGS */
    const char *scene;
    double h, time;
    double mu;       /* < 0: the scene's */
    int seed, seeds; /* the first one, and how many more */
    lab_setting set; /* key "" : none */
} rule_case;

static const rule_case cases[] = {
    {"free motion", PEG_RULE_FREE_MOTION, 0, "flush-wall", 0.01, 0, -1, 1, 0, {"", 0}},
    {"first contact", PEG_RULE_FIRST_CONTACT, 0, "head-on", 0.01, 0.1, -1, 1, 0, {"speed", 100}},
    {"swing", PEG_RULE_SWING, 0, "blades", 0.01, 0.5, -1, 1, 0, {"", 0}},
    {"cause", PEG_RULE_CAUSE, 0, "head-on", 0.1, 0.3, -1, 1, 30, {"speed", 10}},
    {"facet rows", PEG_RULE_FACET_ROWS, 0, "head-on", 0.05, 0.3, -1, 1, 30, {"speed", 10}},
    {"tilt", PEG_RULE_TILT, 0, "pile-boxes", 0.1, 2, 0, 1, 10, {"", 0}},
    {"switch", PEG_RULE_SWITCH, 0, "seams-tiles", 0.05, 2, 0, 1, 0, {"", 0}},
    {"yield", PEG_RULE_YIELD, 0, "seams-tiles", 0.01, 0, -1, 1, 0, {"", 0}},
    {"lock", PEG_RULE_LOCK, 0, "head-on", 0.05, 0.3, -1, 1, 30, {"speed", 20}},
    {"restoration", PEG_RULE_RESTORE, 0, "head-on", 0.05, 0.3, -1, 1, 30, {"speed", 20}},
    {"clearance", 0, PEG_FORM_CLEARANCE, "peg-in-hole", 0.01, 0, -1, 1, 0, {"clearance", 0}},
    {"elastic", 0, PEG_FORM_ELASTIC, "closing-walls", 0.01, 0, -1, 1, 0, {"", 0}},
    {"slip", 0, PEG_FORM_SLIP, "pour-mixed", 0.05, 5, INFINITY, 1, 4, {"", 0}},
    {"PGS", 0, 0, "pile-boxes", 0.05, 1, -1, 1, 3, {"bodies", 80}},
};

static const rule_case *left_out;

static void leave_out(lab_world *w)
{
    peg_context *core = w->peg->glue->core;
    if (!left_out) return;
    core->disabled_rules = left_out->bit;
    core->disabled_forms = left_out->form;
    if (!left_out->bit && !left_out->form) core->settings.solver = PEG_SOLVER_PROJECTED;
}

/* Whether the run shows what it must, and no body had to be limited. */
static int holds(const rule_case *c, int seed, const rule_case *without, check_result *result)
{
    lab_options options = {.contact = LAB_PEG, .h = c->h, .time = c->time, .opened = leave_out};
    options.seed = (uint64_t)seed;
    options.set = &c->set;
    options.sets = c->set.key[0] != 0;
    options.mu_given = c->mu >= 0;
    options.mu = c->mu;
    left_out = without;
    ck_assert_int_eq(check_scene(lab_scene_find(c->scene), &options, result), 0);
    const pegStats *stats = &result->total;
    long needless =
        stats->infeasible_islands ? 0 : stats->fallback_elastic; /* room was found without it */
    return !result->failed && !stats->limited_islands && !needless;
}

/* Without it something does not hold any more, or only by the position stage. */
START_TEST(rule_is_needed)
{
    const rule_case *c = &cases[_i];
    check_result result;
    int held = 0, needed = 0;
    for (int seed = c->seed; seed <= c->seed + c->seeds && !needed; seed++) {
        if (!holds(c, seed, NULL, &result)) continue;
        held = 1;
        long stages = result.total.position_stages;
        needed = !holds(c, seed, c, &result) || result.total.position_stages > stages;
    }
    ck_assert_msg(held, "%s: %s", c->scene, result.why);
    ck_assert_msg(needed, "%s holds without the rule %s", c->scene, c->rule);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rules");
    TCase *tc = tcase_create("rules");
    tcase_set_timeout(tc, 120);
    test_long(tc);
    tcase_add_loop_test(tc, rule_is_needed, 0, (int)(sizeof cases / sizeof *cases));
    suite_add_tcase(suite, tc);
    return suite;
}
