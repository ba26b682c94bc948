/* Defaults and ranges of the settings; the texts of the statuses. */
#include "peg/base/tolerance.h"
#include "peg/base/settings.h"

#include <math.h>

#include "peg/base/thread_pool.h"

int peg_model_knows_joints(const pegSettings *s)
{
    return s->contact != PEG_CONTACT_LP || !(s->lp_stiffness > 0);
}

int peg_model_knows_round(const pegSettings *s)
{
    return s->contact == PEG_CONTACT_PEG || s->contact == PEG_CONTACT_LP;
}

void peg_settings_default(pegSettings *settings)
{
    *settings = (pegSettings){
        .contact = PEG_CONTACT_PEG,
        .solver = PEG_SOLVER_AUTO,
        .margin = 1e-5,
        .max_depenetration_speed = 0,
        .friction_directions = 4,
        .max_outer_iterations = 40,
        .max_halvings = 4,
        .warm_start = 1,
        .reach = 0,
        .paper_primaries = 1,
        .paper_fallback = 1,
        .paper_sin_theta = .1,
        .paper_tan_phi = 1,
        .ratio_gamma = 1,
        .ratio_band = .1,
        .ratio_gradient = 1,
        .ratio_passes = 50,
        .threads = 1,
        .soft_contacts = PEG_SOFT_BELOW,
        .narrow_phase = PEG_NARROW_PHASE_LIBCCD,
        .mesh_search = PEG_MESH_SEARCH_BOUNDS,
        .relative_rotation = PEG_SLOPE_TOLERANCE,
    };
}

static int is_switch(int value)
{
    return value == 0 || value == 1;
}

static int paper_settings(const pegSettings *s)
{
    return s->paper_psi_minimum >= 0 && s->paper_sin_theta >= 0 && s->paper_sin_theta <= 1 &&
           s->paper_tan_phi >= 0 && isfinite(s->paper_tan_phi) && s->paper_edges >= 0 &&
           s->paper_edges <= 1 && is_switch(s->paper_primaries) && is_switch(s->paper_fallback);
}

/* Those of the models lp and ratio. */
static int gap_settings(const pegSettings *s)
{
    int reals = s->lp_stiffness >= 0 && isfinite(s->lp_stiffness) && s->ratio_gamma >= 0 &&
                s->ratio_gamma <= 1 && s->ratio_eps >= 0 && isfinite(s->ratio_eps) &&
                s->ratio_band > 0 && s->ratio_band <= 10;
    return reals && is_switch(s->ratio_traps) && is_switch(s->ratio_gradient) &&
           is_switch(s->ratio_adjacent) && s->ratio_passes >= 1 && s->ratio_passes <= 50;
}

pegStatus peg_settings_check(const pegSettings *s)
{
    int enums = s->contact >= 0 && s->contact < PEG_CONTACT_COUNT && s->solver >= 0 &&
                s->solver < PEG_SOLVER_COUNT && s->soft_contacts >= PEG_SOFT_RIGID &&
                s->soft_contacts <= PEG_SOFT_KEEP && s->narrow_phase >= 0 &&
                s->narrow_phase < PEG_NARROW_PHASE_COUNT && s->mesh_search >= 0 &&
                s->mesh_search < PEG_MESH_SEARCH_COUNT;
    int reals = s->margin > 1e-7 && s->margin < 1e-2 && s->max_depenetration_speed >= 0 &&
                isfinite(s->max_depenetration_speed) && s->reach >= 0 && s->reach <= 10 &&
                s->relative_rotation >= 1e-6 && s->relative_rotation <= .3;
    int cone = s->friction_directions == 0 || s->friction_directions == 4 ||
               s->friction_directions == 8 || s->friction_directions == 16;
    int counts = s->max_outer_iterations >= 5 && s->max_outer_iterations <= 200 &&
                 s->max_halvings >= 0 && s->max_halvings <= 10 && is_switch(s->warm_start) &&
                 s->threads >= 1 && s->threads <= PEG_THREADS_MAX;
    return enums && reals && cone && counts && paper_settings(s) && gap_settings(s)
               ? PEG_OK
               : PEG_ERROR_SETTINGS;
}

const char *peg_status_message(pegStatus status)
{
    static const char *const text[PEG_STATUS_COUNT] = {
        [PEG_OK] = "ok",
        [PEG_ERROR_ARGUMENT] = "an argument is null or not one of the values the call takes",
        [PEG_ERROR_SETTINGS] = "a setting is outside its range: start from pegSettingsDefault",
        [PEG_ERROR_STEP_SIZE] = "the step size must lie in 1e-20 to 1e10 s",
        [PEG_ERROR_NOT_FINITE] =
            "a pose, velocity, force or shape holds NaN or infinity: set it to finite numbers",
        [PEG_ERROR_SHAPE_EMPTY] =
            "the shape has no volume: a side or radius is 0, or all points lie in one plane",
        [PEG_ERROR_SHAPE_OPEN] =
            "the polygons do not close around a volume: every edge needs two polygons, both "
            "counter-clockwise seen from outside",
        [PEG_ERROR_SHAPE_CONCAVE] =
            "the shape is not convex: split it, or give the hull of its points",
        [PEG_ERROR_CONVEX_NOT_REGISTERED] =
            "the arrays of a convex geom are unknown: make it with pegCreateConvex or call "
            "pegRegisterConvex",
        [PEG_ERROR_GEOM_CLASS] =
            "geoms of this class have ODE's own contacts, which let bodies overlap",
        [PEG_ERROR_MASS] = "mass and inertia of a body must be positive: call dBodySetMass",
        [PEG_ERROR_MEMORY] = "out of memory: nothing was changed",
        [PEG_ERROR_SOLVER] = "no solver certified an answer",
        [PEG_ERROR_FILE] = "a file could not be read or written",
        [PEG_ERROR_SHAPE_SIZE] =
            "the shape is too small or too large to compute with: choose another unit of length",
        [PEG_ERROR_SHAPE_FACES] = "a convex shape needs at least four points and four polygons",
        [PEG_ERROR_SHAPE_INDEX] =
            "a polygon names a point that does not exist, or has fewer than three or more corners "
            "than there are points: polygons are runs of a count and that many indices from 0 on",
        [PEG_ERROR_SHAPE_REVERSED] =
            "the polygons are clockwise seen from outside: reverse the order of their corners",
        [PEG_ERROR_SHAPE_PLANE] =
            "a plane (a, b, c, d) contains no polygon or points inwards, or a polygon has no "
            "plane: "
            "points on it satisfy a x + b y + c z = d, with (a, b, c) outwards",
        [PEG_ERROR_SURFACE] = "a surface has a negative mu, mu2, rho, slip, bounce or soft_cfm, or "
                              "a soft_erp outside "
                              "of 0 to 1: 0 means none, mu = dInfinity no sliding",
        [PEG_ERROR_WORLD] =
            "the ODE world has a peg world already: destroy that one first, also if its ODE world "
            "was destroyed",
        [PEG_ERROR_STATE] =
            "the buffer holds no state of this world: it is damaged, of another version of the "
            "library, or the world has other bodies, joints or geoms than when it was saved",
        [PEG_STATE_INCOMPLETE] =
            "the state is saved but for what ODE does not tell: a run that goes on from it may "
            "differ",
        [PEG_ERROR_RADIUS] =
            "a heightfield has ODE's own contacts, which know no radius: register it with "
            "pegRegisterHeightfield as it is built, or take its radius back",
        [PEG_ERROR_CALLBACK] =
            "the near callback changed it during the step: callbacks may add pairs; apply forces, "
            "and set poses and velocities, before the step",
    };
    return status >= 0 && status < PEG_STATUS_COUNT ? text[status] : "unknown status";
}
