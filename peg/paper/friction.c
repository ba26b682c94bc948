/* The polyhedral friction cone [F 5]: directions d_1 .. d_nd in the tangent plane of a contact that
 * span it positively, in pairs of opposite ones; in the plane the two along the line. [F] leaves
 * the first direction open: here it is the one of the sliding that would happen without contact,
 * along which the cone has its full radius. Of the surface only mu counts. */
#include "peg/contact/jacobian.h"
#include "peg/paper/paper.h"

/* Sliding slower than this share of the contact's speed has no direction. */
static const double NO_SLIDING = 1e-6;

/* No slip, as far as a number can say it. */
static const double MOST_FRICTION = 1e3;

int peg_cone_directions(const peg_island *I)
{
    if (I->common.planar) return 2;
    return I->settings->friction_directions ? I->settings->friction_directions : 4;
}

void peg_cone_tangents(const peg_island *I, const peg_row *row, double t[2][3])
{
    double slide[3];
    const double *n = row->normal;
    const peg_pair *pair = &I->pair[row->pair];
    double v[2][3];
    for (int side = 0; side < 2; side++) {
        int rigid = I->piece[side ? pair->b : pair->a].rigid;
        const double *u = rigid < I->nd ? I->rigid[rigid].state.v_free : I->v[rigid];
        peg_point_velocity(&I->rigid[rigid], I->rigid[rigid].x, u, row->point, v[side]);
    }
    peg_sub(v[0], v[1], slide);
    double speed = peg_norm(slide);
    peg_add_scaled(slide, -peg_dot(slide, n), n, t[0]);
    if (!(peg_norm(t[0]) > NO_SLIDING * speed)) peg_plane_space(n, t[0]);
    peg_normalise(t[0]);
    peg_cross(n, t[0], t[1]);
}

void peg_add_cone(peg_constraints *c, int contact)
{
    static const double pi = PEG_PI;
    peg_island *I = c->island;
    int nd = peg_cone_directions(I), first = c->contacts;
    double t[2][3];
    if (!(c->contact[contact].row.mu > 0) || I->failed) return;
    c->contact[contact].row.mu = fmin(c->contact[contact].row.mu, MOST_FRICTION);
    c->contact[contact].cone = first;
    peg_cone_tangents(I, &c->contact[contact].row, t);
    for (int k = 0; k < nd; k++) {
        peg_potential *direction = peg_add_potential(c);
        if (!direction) return;
        *direction = c->contact[contact];
        peg_row *row = &direction->row;
        double angle = 2 * pi * k / nd, x = cos(angle), y = I->common.planar ? 0 : sin(angle);
        for (int i = 0; i < 3; i++) row->normal[i] = x * t[0][i] + y * t[1][i];
        row->friction = 1 + k % (nd / 2);
        row->prescribed = peg_start_jacobian(I, &I->pair[row->pair], row->point, row->point,
                                             row->normal, row->Ga, row->Gb);
        row->bias = row->prescribed;
    }
}
