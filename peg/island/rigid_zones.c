/* Union-find of rigid zones, and their motion.
 *
 * A zone of mass m, centre c and inertia J about c moves with V = sum m_i u_i / m and
 * W = J^-1 L, L the angular momentum of u about c. ODE's update turns a body with angular velocity
 * W by the Cayley map R = 1 + (h W^ + h^2/2 W^ W^) / (1 + h^2 W^2 / 4), so that the centre r_i of a
 * member, relative to c, has to move with V + (R r_i - r_i) / h. */
#include "peg/island/rigid_zones.h"

#include "peg/contact/kinematics.h"

/* A share below this becomes 0: ten halvings bound the work of the position stage. With five a mesh
 * that moves by 25 of its triangles in a step stands in the air for 37 steps of world 8186. */
static const double LEAST_SHARE = 1.0 / 1024;
/* 2 + 2 cos of the turn, about 177 degrees, from which on a body cannot follow an obstacle:
 * Cayley's map leads to less than half a turn. */
static const double HALF_TURN = 1e-3;

int peg_zones_create(peg_arena *arena, int n, peg_zones *z)
{
    *z = (peg_zones){n,
                     PEG_NEW(arena, int, n),
                     PEG_NEW(arena, int, n),
                     PEG_NEW(arena, int, n),
                     PEG_NEW(arena, double, n),
                     PEG_NEW(arena, int, n),
                     PEG_NEW(arena, unsigned char, n)};
    if (!z->root || !z->next || !z->members || !z->share || !z->carrier || !z->held) return 0;
    memset(z->held, 0, (size_t)n);
    for (int i = 0; i < n; i++) {
        z->root[i] = z->next[i] = i;
        z->members[i] = 1;
        z->share[i] = 1;
        z->carrier[i] = -1;
    }
    return 1;
}

int peg_zone_of(const peg_zones *z, int body)
{
    while (z->root[body] != body) body = z->root[body];
    return body;
}

int peg_zones_merge(peg_zones *z, int a, int b)
{
    if (z->members[a] < z->members[b]) {
        int swap = a;
        a = b, b = swap;
    }
    int after = z->next[a];
    z->next[a] = z->next[b], z->next[b] = after;
    z->root[b] = a;
    z->members[a] += z->members[b];
    z->share[a] = peg_min(z->share[a], z->share[b]);
    if (z->carrier[a] < 0) z->carrier[a] = z->carrier[b];
    z->held[a] |= z->held[b];
    if (z->held[a]) z->carrier[a] = -1;
    return a;
}

int peg_zone_shorten(peg_zones *z, int root)
{
    if (z->share[root] == 0) return 0;
    z->share[root] = z->share[root] > LEAST_SHARE ? 0.5 * z->share[root] : 0;
    return 1;
}

/* The turn of an obstacle in the step. */
static void turn_of(const peg_rigid *r, double T[9])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) T[3 * i + k] = peg_dot(r->R + 3 * i, r->R0 + 3 * k);
}

int peg_zone_carry(const peg_island *I, peg_zones *z, int root, int obstacle)
{
    const peg_rigid *r = &I->rigid[obstacle];
    double T[9];
    if (z->held[root] || z->carrier[root] >= 0 || !peg_is_moving_obstacle(&r->state)) return 0;
    turn_of(r, T);
    if (!(1 + T[0] + T[4] + T[8] > HALF_TURN)) return 0;
    z->carrier[root] = obstacle;
    z->share[root] = 1;
    return 1;
}

/* Where an obstacle takes a point of space, as a velocity, and the W whose Cayley map is its turn.
 */
static void carried(const peg_island *I, int obstacle, const double point[3], double V[3],
                    double W[3])
{
    const peg_rigid *r = &I->rigid[obstacle];
    double T[9], d[3], turned[3];
    turn_of(r, T);
    peg_sub(point, r->x0, d);
    peg_rotate(T, d, turned);
    double half = 2 / (I->h * (1 + T[0] + T[4] + T[8]));
    W[0] = half * (T[7] - T[5]), W[1] = half * (T[2] - T[6]), W[2] = half * (T[3] - T[1]);
    for (int k = 0; k < 3; k++) V[k] = (r->x[k] + turned[k] - point[k]) / I->h;
}

/* Mass, centre and mean velocity of a zone. */
typedef struct zone_motion {
    double mass, centre[3], V[3], W[3];
} zone_motion;

/* I x of a body, world frame. */
static void turn_by_inertia(const peg_rigid *r, const double x[3], double out[3])
{
    double local[3], turned[3];
    peg_rotate_back(r->R0, x, local);
    peg_rotate(r->state.inertia, local, turned);
    peg_rotate(r->R0, turned, out);
}

/* Solves A x = b; A symmetric positive definite, 3x3. */
static void solve3(const double A[9], const double b[3], double x[3])
{
    double c0[3], c1[3], c2[3];
    peg_cross(A + 3, A + 6, c0);
    peg_cross(A + 6, A, c1);
    peg_cross(A, A + 3, c2);
    double det = peg_dot(A, c0);
    for (int k = 0; k < 3; k++) x[k] = (c0[k] * b[0] + c1[k] * b[1] + c2[k] * b[2]) / det;
}

/* Adds a body's angular momentum about the centre to L and its inertia to J. */
static void add_member(const peg_rigid *r, const double u[6], const zone_motion *m, double L[3],
                       double J[9])
{
    double d[3], dv[3], l[3], w[3];
    peg_sub(r->x0, m->centre, d);
    peg_sub(u, m->V, dv);
    peg_cross(d, dv, l);
    peg_add_scaled(L, r->state.mass, l, L);
    turn_by_inertia(r, u + 3, w);
    peg_add_scaled(L, 1, w, L);
    for (int a = 0; a < 3; a++) {
        double axis[3] = {a == 0, a == 1, a == 2}, column[3];
        turn_by_inertia(r, axis, column);
        for (int k = 0; k < 3; k++)
            J[3 * a + k] += column[k] + r->state.mass * ((a == k) * peg_dot(d, d) - d[a] * d[k]);
    }
}

static zone_motion motion_of(const peg_island *I, const peg_zones *z, int root, const peg_vec6 *u)
{
    zone_motion m = {0};
    double L[3] = {0}, J[9] = {0};
    int i = root;
    do {
        const peg_rigid *r = &I->rigid[i];
        m.mass += r->state.mass;
        peg_add_scaled(m.centre, r->state.mass, r->x0, m.centre);
        peg_add_scaled(m.V, r->state.mass, u[i], m.V);
        i = z->next[i];
    } while (i != root);
    for (int k = 0; k < 3; k++) m.centre[k] /= m.mass, m.V[k] /= m.mass;
    do {
        add_member(&I->rigid[i], u[i], &m, L, J);
        i = z->next[i];
    } while (i != root);
    solve3(J, L, m.W);
    return m;
}

static void held_velocities(const peg_zones *z, int root, const peg_vec6 *u, const double common[3],
                            double share, peg_vec6 *out)
{
    int i = root;
    do {
        for (int k = 0; k < 3; k++) {
            out[i][k] = common[k] + share * (u[i][k] - common[k]);
            out[i][3 + k] = share * u[i][3 + k];
        }
        i = z->next[i];
    } while (i != root);
}

void peg_zone_velocities(const peg_island *I, const peg_zones *z, int root, const peg_vec6 *u,
                         const double common[3], double share, int poses, peg_vec6 *out)
{
    if (z->held[root]) {
        held_velocities(z, root, u, common, share, out);
        return;
    }
    zone_motion m = motion_of(I, z, root, u);
    double V[3], W[3], V0[3] = {common[0], common[1], common[2]}, W0[3] = {0}, h = I->h;
    if (poses && z->carrier[root] >= 0) carried(I, z->carrier[root], m.centre, V0, W0);
    for (int k = 0; k < 3; k++) {
        V[k] = V0[k] + share * (m.V[k] - V0[k]);
        W[k] = W0[k] + share * (m.W[k] - W0[k]);
    }
    double cayley = poses ? 1 / (1 + 0.25 * h * h * peg_dot(W, W)) : 1, bend = poses ? 0.5 * h : 0;
    int i = root;
    do {
        double d[3], Wd[3], WWd[3];
        peg_sub(I->rigid[i].x0, m.centre, d);
        peg_cross(W, d, Wd);
        peg_cross(W, Wd, WWd);
        for (int k = 0; k < 3; k++) {
            out[i][k] = V[k] + cayley * (Wd[k] + bend * WWd[k]);
            out[i][3 + k] = W[k];
        }
        i = z->next[i];
    } while (i != root);
}
