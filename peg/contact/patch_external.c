/* External contacts, found at the start of the step, of parts whose shape the module does not know:
 * unilateral rows [W 10] with the normal as it was then and points that go with their bodies, psi_k
 * = psi_0 + n . (p_Ak - p_Bk), which is all that is known of them. */
#include "peg/contact/patch_external.h"

#include "peg/contact/contact_row.h"
#include "peg/contact/kinematics.h"

/* Of a pair's contact i: -1 if it is given the other way round. */
static double side_of(const peg_island *I, const peg_pair *p, int i)
{
    return p->external[i].part_a == I->piece[p->a].part - I->common.part ? 1 : -1;
}

/* Where a point that was there at the start has come to with its body. */
static void carry(const peg_island *I, const peg_placement *at, const double *point, double out[3])
{
    const peg_rigid *r = &I->rigid[at->rigid];
    double arm[3], local[3];
    peg_sub(point, r->x0, arm);
    peg_rotate_back(r->R0, arm, local);
    peg_rotate(at->R, local, out);
    peg_add_scaled(out, 1, at->x, out);
}

static void contact_of(const peg_island *I, const peg_pair *p, const peg_pair_pose *at, int i,
                       peg_feature_contact *c)
{
    const peg_external *given = &p->external[i];
    double apart[3], sign = side_of(I, p, i);
    *c = (peg_feature_contact){.kind = PEG_FEATURES_EXTERNAL, .i = i, .gap0 = given->gap};
    carry(I, &at->a, given->point, c->point_a);
    carry(I, &at->b, given->point, c->point_b);
    for (int k = 0; k < 3; k++) {
        c->normal[k] = c->mid_normal[k] = sign * given->normal[k];
        c->mid_point[k] = .5 * given->point[k] + .25 * (c->point_a[k] + c->point_b[k]);
    }
    peg_sub(c->point_a, c->point_b, apart);
    c->gap = given->gap + peg_dot(c->normal, apart);
}

double peg_external_gap(const peg_island *I, const peg_pair *p, const peg_pair_pose *at, int i)
{
    peg_feature_contact c;
    contact_of(I, p, at, i, &c);
    return c.gap;
}

double peg_points_gap(const peg_island *I, const peg_pair_pose *at, const peg_row *row)
{
    double from_b[3], a[3], b[3], apart[3];
    peg_add_scaled(row->point, -row->gap0, row->normal, from_b);
    carry(I, &at->a, row->point, a);
    carry(I, &at->b, from_b, b);
    peg_sub(a, b, apart);
    return peg_dot(row->normal, apart);
}

void peg_external_begin(const peg_island *I, peg_pair *p)
{
    double sign = side_of(I, p, 0);
    p->s0 = INFINITY;
    for (int i = 0; i < p->nexternal; i++) p->s0 = peg_min(p->s0, p->external[i].gap);
    p->s = p->s0;
    p->facet = (peg_facet){.kind = PEG_FEATURES_NONE, .s = p->s0};
    for (int k = 0; k < 3; k++) p->facet.n[k] = sign * p->external[0].normal[k];
}

/* Rows are all there is: what they hold is apart. */
double peg_external_shortfall(const peg_island *I, peg_pair *p)
{
    peg_pair_pose at = peg_pair_pose_now(I, p);
    p->s = INFINITY;
    for (int i = 0; i < p->nexternal; i++) p->s = peg_min(p->s, peg_external_gap(I, p, &at, i));
    return -INFINITY;
}

void peg_external_rows(peg_island *I, int p, const peg_pair_pose *at, peg_row_set *out)
{
    for (int i = 0; i < I->pair[p].nexternal; i++) {
        peg_feature_contact c;
        contact_of(I, &I->pair[p], at, i, &c);
        peg_contact_rows(I, p, at, &c, out);
    }
}
