/* The contact patch of a pair: rows of the features that face each other along the chosen direction
 * n, each with its own normal, at the poses `now` of the velocities u.
 *
 * Tangent row:  g_k + h G (v - u) >= target. For ODE's update, q + h/2 (0, w) q normalised, the
 * exact angular part is (c + c x s) / (1 + |s|^2) with c = r x n, s = h w / 2.
 *
 * Secant row:  G v + (g_0 - target) / h >= 0 with the midpoint normal f_m = (f_0 + f_k)/2 and point
 * p_m = (p_0 + p_k)/2, G v = f_m . [v_A + w_A x (p_m - x_Am) - v_B - w_B x (p_m - x_Bm)]. For a
 * vertex against a face g_k = g_0 + h G u holds exactly, so that the row is right at u and v = 0
 * satisfies it. Where that identity does not hold by itself (edges, finite rotations) the normal is
 * corrected along the relative velocity V at p_m by rho V / |V|^2, rho = (g_k - g_0)/h - G u. */
#include "peg/island.h"

/* One pair of facing features, seen at q_0 and q_k. */
typedef struct feature_contact {
    peg_row_kind kind;
    int i, j;
    double normal[3];              /* at q_k, into A */
    double mid_normal[3];          /* (n_0 + n_k) / 2 */
    double point_a[3], point_b[3]; /* at q_k */
    double mid_point[3];
    double gap0, gap;
} feature_contact;

/* Gaps below this, in L, are rounding. */
#define NO_CLEARANCE 1e-12

static double row_target(const peg_island *I, const peg_pair *pair, double gap0, double *pushed)
{
    double margin = (peg_is_coarse(I) ? PEG_COARSE_MARGIN : 1) * pair->margin,
           touch = PEG_TOUCH * pair->L;
    *pushed = 0;
    if (pair->surface.soft) { /* overlap is a spring, whose work is no gain */
        *pushed = pair->surface.erp * fmax(0, -gap0);
        return gap0 < 0 ? gap0 + *pushed : 0;
    }
    if (pair->s0 < -touch) {
        double speed = I->settings->recovery_speed > 0 ? I->settings->recovery_speed : pair->L;
        return fmin(margin, gap0 + speed * I->h);
    }
    if (gap0 < -touch) return margin;
    /* between walls without clearance the overlap of rounding is shared, not handed on */
    if (I->clearance) return fabs(gap0) < NO_CLEARANCE * pair->L ? 0.5 * gap0 : fmin(margin, gap0);
    /* flush features may overlap by rounding */
    double gap = fmax(gap0, 0), thin = PEG_THIN * margin;
    if (peg_is_coarse(I)) thin = I->regaining ? PEG_RESERVE * margin : PEG_LAST * pair->margin;
    double target = gap + PEG_PUSH * fmax(0, thin - gap);
    target = fmin(margin, target);
    *pushed = fmax(0, target - gap0);
    return target;
}

static void fold_levers(const peg_island *I, const peg_pair *pair, const peg_lever *la,
                        const peg_lever *lb, peg_row *row)
{
    int ra = I->piece[pair->a].rigid, rb = I->piece[pair->b].rigid;
    double given = peg_fold(I, ra, la, row->Ga) + peg_fold(I, rb, lb, row->Gb);
    row->bias += given;
    row->given = given;
}

/* Largest correction of the midpoint normal; beyond it the difference goes into the bias. */
#define SECANT_TURN 0.3

static void secant_row(const peg_island *I, const peg_pair *pair, const double (*u)[6],
                       const feature_contact *c, double target, peg_row *row)
{
    int ra = I->piece[pair->a].rigid, rb = I->piece[pair->b].rigid;
    double n[3], slack = 0;
    peg_copy3(c->mid_normal, n);
    peg_lever la = peg_secant_lever(I, ra, c->mid_point, n, 1, u[ra]);
    peg_lever lb = peg_secant_lever(I, rb, c->mid_point, n, -1, u[rb]);
    double rho = (c->gap - c->gap0) / I->h - la.Gu - lb.Gu;
    double Va[3], Vb[3], V[3];
    peg_point_velocity(I, ra, u[ra], c->mid_point, Va);
    peg_point_velocity(I, rb, u[rb], c->mid_point, Vb);
    peg_sub(Va, Vb, V);
    double VV = peg_dot(V, V);
    if (VV > 0 && fabs(rho) <= SECANT_TURN * sqrt(VV)) {
        peg_add_scaled(n, rho / VV, V, n);
        la = peg_secant_lever(I, ra, c->mid_point, n, 1, u[ra]);
        lb = peg_secant_lever(I, rb, c->mid_point, n, -1, u[rb]);
    } else {
        slack = rho;
    }
    row->bias = slack + (c->gap0 - target) / I->h;
    fold_levers(I, pair, &la, &lb, row);
}

static void tangent_row(const peg_island *I, const peg_pair *pair, const double (*u)[6],
                        const feature_contact *c, double target, peg_row *row)
{
    int ra = I->piece[pair->a].rigid, rb = I->piece[pair->b].rigid;
    peg_lever la = peg_tangent_lever(I, ra, u[ra], c->point_a, c->normal, 1);
    peg_lever lb = peg_tangent_lever(I, rb, u[rb], c->point_b, c->normal, -1);
    row->bias = (c->gap - target) / I->h - la.Gu - lb.Gu;
    fold_levers(I, pair, &la, &lb, row);
}

/* What the surface asks of the normal direction: ODE's cfm, which acts on forces, and a wanted
 * speed of parting while the features touch. */
static void soften(const peg_island *I, const peg_pair *pair, peg_row *row)
{
    if (pair->surface.soft) row->compliance = pair->surface.cfm / I->h;
    double speed = pair->surface.motion[2];
    if (speed == 0 || row->gap0 > 2 * pair->margin) return;
    row->bias -= speed;
    row->given -= speed;
}

/* Vertices of flush faces lie on edges, and on each other: the same point with the same normal,
 * seen as several feature pairs. One row says it all. */
#define SAME_POINT  1e-5  /* L */
#define SAME_NORMAL 1e-10 /* 1 - cosine */
#define SAME_GAP    1e-2  /* share of the gap that the second row may ask for more */

static int is_repeated(const peg_pair *pair, int p, const feature_contact *c,
                       const peg_row_set *out)
{
    for (int i = out->m - 1; i >= 0 && out->row[i].pair == p; i--) {
        const peg_row *row = &out->row[i];
        double apart[3];
        if (row->friction || peg_dot(row->normal, c->normal) < 1 - SAME_NORMAL) continue;
        peg_sub(row->point, c->point_a, apart);
        if (peg_norm(apart) > SAME_POINT * pair->L) continue;
        double less = fmax(SAME_GAP * fmin(row->gap, pair->margin), PEG_ROUNDING * pair->L);
        if (c->gap >= row->gap - less && c->gap0 >= row->gap0 - less) return 1;
    }
    return 0;
}

static void emit(peg_island *I, int p, const double (*u)[6], const feature_contact *c,
                 peg_row_set *out)
{
    const peg_pair *pair = &I->pair[p];
    int separated = pair->s0 >= -PEG_TOUCH * pair->L;
    if (separated && pair->no_traps && c->gap0 < -PEG_BEHIND * pair->L) return;
    if (separated && I->clearance && c->gap0 < -PEG_TOUCH * pair->L) return;
    if (is_repeated(pair, p, c, out)) return;
    peg_row *row = peg_row_set_add(I, out);
    if (!row) return;
    memset(row, 0, sizeof *row);
    row->pair = p;
    row->kind = c->kind, row->i = c->i, row->j = c->j;
    row->gap0 = c->gap0, row->gap = c->gap;
    peg_copy3(c->point_a, row->point);
    peg_copy3(c->normal, row->normal);
    const peg_rigid *body = &I->rigid[I->piece[pair->a].rigid];
    double arm[3];
    peg_sub(c->point_a, body->x, arm);
    peg_rotate_back(body->R, arm, row->local);
    double target = row_target(I, pair, c->gap0, &row->pushed);
    row->target = target;
    row->recovery = separated || pair->surface.soft ? 0 : fmin(0, c->gap0 - target) / I->h;
    if (I->secant)
        secant_row(I, pair, u, c, target, row);
    else
        tangent_row(I, pair, u, c, target, row);
    soften(I, pair, row);
    if (!peg_has_friction(&pair->surface)) return;
    peg_rub rub = {.ra = I->piece[pair->a].rigid, .rb = I->piece[pair->b].rigid};
    peg_copy3(c->normal, rub.normal);
    peg_copy3(c->mid_point, rub.mid_point);
    peg_friction_rows(I, pair, u, &rub, out);
}

/* --- vertices against faces --- */

/* Where the vertices belong to the upper piece and the faces to the lower one; d points from lower
 * to upper. */
typedef struct facing {
    const peg_piece *upper, *lower;
    peg_row_kind kind;
    double d[3];
} facing;

static facing face_pair(const peg_island *I, const peg_pair *pair, peg_row_kind kind)
{
    facing f = {.kind = kind};
    double sign = kind == PEG_ROW_VF ? 1 : -1;
    f.upper = &I->piece[kind == PEG_ROW_VF ? pair->a : pair->b];
    f.lower = &I->piece[kind == PEG_ROW_VF ? pair->b : pair->a];
    for (int k = 0; k < 3; k++) f.d[k] = sign * pair->facet.n[k];
    return f;
}

/* Distance of w beyond the ends of side f of a polygon. */
static double beyond_ends(const peg_view *view, int f, const double *w, const double *along)
{
    const int *end = view->shape->face_vertex + view->shape->face_start[f];
    double side[3], from[3], to[3];
    peg_sub(view->vertex[end[1]], view->vertex[end[0]], side);
    peg_add_scaled(side, -peg_dot(side, along), along, side);
    peg_normalise(side);
    peg_sub(view->vertex[end[0]], w, from);
    peg_sub(w, view->vertex[end[1]], to);
    return fmax(peg_dot(side, from), peg_dot(side, to));
}

/* Distance of w beyond the edges of face f, seen along `along` (unit): negative inside. */
static double lateral_distance(const peg_view *view, int f, const double *w, const double *along)
{
    const peg_polytope *P = view->shape;
    if (peg_is_half_space(P)) return -INFINITY;
    if (peg_is_flat(P)) return beyond_ends(view, f, w, along);
    double worst = -INFINITY;
    int first = P->face_start[f], last = P->face_start[f + 1];
    for (int t = first; t < last; t++) {
        const double *a = view->vertex[P->face_vertex[t]];
        const double *b = view->vertex[P->face_vertex[t + 1 < last ? t + 1 : first]];
        double e[3], r[3], out[3];
        peg_sub(b, a, e);
        peg_sub(w, a, r);
        peg_cross(e, along, out);
        double l = peg_norm(out);
        double distance = l > 0 ? peg_dot(out, r) / l : 0;
        if (distance > worst) worst = distance;
    }
    return worst;
}

static feature_contact vertex_face(const facing *f, int vertex, int face)
{
    const peg_view *U = &f->upper->now, *U0 = &f->upper->start;
    const peg_view *D = &f->lower->now, *D0 = &f->lower->start;
    const double *w = U->vertex[vertex], *w0 = U0->vertex[vertex];
    double sign = f->kind == PEG_ROW_VF ? 1 : -1;
    feature_contact c = {.kind = f->kind, .i = vertex, .j = face};
    for (int k = 0; k < 3; k++) {
        c.normal[k] = sign * D->normal[face][k];
        c.mid_normal[k] = sign * 0.5 * (D0->normal[face][k] + D->normal[face][k]);
        c.point_a[k] = c.point_b[k] = w[k];
        c.mid_point[k] = 0.5 * (w0[k] + w[k]);
    }
    c.gap = peg_dot(D->normal[face], w) - D->offset[face];
    c.gap0 = peg_dot(D0->normal[face], w0) - D0->offset[face];
    return c;
}

/* Marks the vertices on the side of the upper piece that looks against d. */
static unsigned char *mark_low(peg_island *I, const peg_view *view, const double *d)
{
    const peg_polytope *P = view->shape;
    unsigned char *low = PEG_NEW(I->arena, unsigned char, P->nv);
    if (!low) {
        I->failed = 1;
        return NULL;
    }
    memset(low, peg_is_point(P), (size_t)P->nv);
    for (int f = 0; f < P->nf; f++) {
        if (peg_dot(view->normal[f], d) >= -PEG_TOUCH) continue;
        for (int t = P->face_start[f]; t < P->face_start[f + 1]; t++) low[P->face_vertex[t]] = 1;
    }
    return low;
}

static void vertex_rows(peg_island *I, int p, const double (*u)[6], peg_row_kind kind,
                        peg_row_set *out)
{
    const peg_pair *pair = &I->pair[p];
    facing f = face_pair(I, pair, kind);
    const peg_view *U = &f.upper->now, *D = &f.lower->now;
    if (U->shape->nv == 0) return;
    unsigned char *low = mark_low(I, U, f.d);
    if (!low) return;
    for (int i = 0; i < U->shape->nv; i++) {
        if (!low[i]) continue;
        for (int j = 0; j < D->shape->nf; j++) {
            if (peg_dot(D->normal[j], f.d) < PEG_FACING) continue;
            double gap = peg_dot(D->normal[j], U->vertex[i]) - D->offset[j];
            if (gap > pair->reach || gap < -0.5 * pair->L) continue;
            if (lateral_distance(D, j, U->vertex[i], f.d) > PEG_INSIDE * pair->L) continue;
            feature_contact c = vertex_face(&f, i, j);
            emit(I, p, u, &c, out);
        }
    }
}

/* --- edges against edges --- */

/* Nearest points of the lines at q_k, parameters along the edges, and the same material points at
 * q_0. Returns 0 if the edges are parallel. */
static int edge_edge(const peg_island *I, const peg_pair *pair, int i, int j, feature_contact *c,
                     double *s, double *t)
{
    const peg_piece *A = &I->piece[pair->a], *B = &I->piece[pair->b];
    const int *ea = A->now.shape->edge[i].v, *eb = B->now.shape->edge[j].v;
    const double *a0 = A->now.vertex[ea[0]], *a1 = A->now.vertex[ea[1]];
    const double *b0 = B->now.vertex[eb[0]], *b1 = B->now.vertex[eb[1]];
    double da[3], db[3], x[3], w[3], y[3];
    peg_sub(a1, a0, da);
    peg_sub(b1, b0, db);
    peg_sub(b0, a0, w);
    peg_cross(da, db, x);
    double xx = peg_dot(x, x), lengths = sqrt(peg_dot(da, da) * peg_dot(db, db));
    if (sqrt(xx) < 1e-6 * lengths) return 0;
    peg_cross(w, db, y);
    *s = peg_dot(y, x) / xx;
    peg_cross(w, da, y);
    *t = peg_dot(y, x) / xx;
    double sign = peg_dot(x, pair->facet.n) > 0 ? 1 : -1, l = sqrt(xx);
    const double *c0 = A->start.vertex[ea[0]], *c1 = A->start.vertex[ea[1]];
    const double *d0 = B->start.vertex[eb[0]], *d1 = B->start.vertex[eb[1]];
    double fa[3], fb[3], n0[3], apart[3], apart0[3];
    peg_sub(c1, c0, fa);
    peg_sub(d1, d0, fb);
    peg_cross(fa, fb, n0);
    double l0 = peg_norm(n0);
    *c = (feature_contact){.kind = PEG_ROW_EE, .i = i, .j = j};
    for (int k = 0; k < 3; k++) {
        double qa = c0[k] + *s * fa[k], qb = d0[k] + *t * fb[k];
        c->normal[k] = sign * x[k] / l;
        c->point_a[k] = a0[k] + *s * da[k];
        c->point_b[k] = b0[k] + *t * db[k];
        apart[k] = c->point_a[k] - c->point_b[k];
        apart0[k] = qa - qb;
        n0[k] *= l0 > 0 ? sign / l0 : 0;
        c->mid_point[k] = 0.25 * (qa + qb + c->point_a[k] + c->point_b[k]);
        c->mid_normal[k] = 0.5 * (n0[k] + c->normal[k]);
    }
    c->gap = peg_dot(c->normal, apart);
    c->gap0 = peg_dot(n0, apart0);
    if (l0 < 1e-9 * lengths || peg_dot(n0, c->normal) < 0.5) {
        /* the normal has turned: what it was at the start says nothing of this pair of edges */
        c->gap0 = c->gap;
        peg_copy3(c->normal, c->mid_normal);
    }
    return 1;
}

/* Whether the projections of the two edges along n cross within the edges. */
static int edges_cross(const double *a0, const double *a1, const double *b0, const double *b1,
                       const double *n)
{
    double da[3], db[3], w[3], x[3], y[3];
    peg_sub(a1, a0, da);
    peg_sub(b1, b0, db);
    peg_sub(b0, a0, w);
    peg_cross(da, db, x);
    double den = peg_dot(x, n);
    if (fabs(den) < 1e-6 * sqrt(peg_dot(da, da) * peg_dot(db, db))) return 0;
    peg_cross(w, db, y);
    double s = peg_dot(y, n) / den;
    peg_cross(w, da, y);
    double t = peg_dot(y, n) / den;
    return s >= -PEG_TOUCH && s <= 1 + PEG_TOUCH && t >= -PEG_TOUCH && t <= 1 + PEG_TOUCH;
}

/* An edge of B that looks along n, seen from there: its top and its extent across n. */
typedef struct seen_edge {
    int index;
    double high, least[2], most[2];
} seen_edge;

/* Two directions across the unit vector n. */
static void across(const double *n, double t[2][3])
{
    int k = fabs(n[0]) < 0.6 ? 0 : 1;
    double axis[3] = {k == 0, k == 1, 0};
    peg_cross(n, axis, t[0]);
    peg_normalise(t[0]);
    peg_cross(n, t[0], t[1]);
}

static void extent(const double *a, const double *b, double t[2][3], double *least, double *most)
{
    for (int k = 0; k < 2; k++) {
        double x = peg_dot(t[k], a), y = peg_dot(t[k], b);
        least[k] = peg_min(x, y);
        most[k] = peg_max(x, y);
    }
}

/* Whether the edge of a view looks against (sign -1) or along n. */
static int looks(const peg_view *view, const peg_edge *e, const double *n, double sign)
{
    return sign * peg_dot(view->normal[e->f[0]], n) >= PEG_TOUCH ||
           sign * peg_dot(view->normal[e->f[1]], n) >= PEG_TOUCH;
}

/* Edges wholly above (A) or below (B) what can make a row are out: n . n_row >= PEG_FACING, so that
 * a gap within reach is at most `far` along n. */
static seen_edge *see_edges(peg_island *I, const peg_pair *pair, double t[2][3], int *count)
{
    const peg_view *A = &I->piece[pair->a].now, *B = &I->piece[pair->b].now;
    const double *n = pair->facet.n;
    double bottom = INFINITY, far = pair->reach / PEG_FACING;
    seen_edge *seen = PEG_NEW(I->arena, seen_edge, B->shape->ne);
    if (!seen) {
        I->failed = 1;
        return NULL;
    }
    for (int v = 0; v < A->shape->nv; v++) bottom = peg_min(bottom, peg_dot(n, A->vertex[v]));
    *count = 0;
    for (int j = 0; j < B->shape->ne; j++) {
        const peg_edge *e = &B->shape->edge[j];
        if (!looks(B, e, n, 1)) continue;
        const double *b0 = B->vertex[e->v[0]], *b1 = B->vertex[e->v[1]];
        seen_edge *s = &seen[*count];
        s->index = j;
        s->high = peg_max(peg_dot(n, b0), peg_dot(n, b1));
        if (bottom > s->high + far) continue;
        extent(b0, b1, t, s->least, s->most);
        ++*count;
    }
    return seen;
}

static void edge_rows(peg_island *I, int p, const double (*u)[6], peg_row_set *out)
{
    const peg_pair *pair = &I->pair[p];
    const peg_view *A = &I->piece[pair->a].now, *B = &I->piece[pair->b].now;
    const double *n = pair->facet.n;
    double far = pair->reach / PEG_FACING, room = PEG_INSIDE * pair->L, t[2][3];
    int count;
    if (A->shape->ne == 0 || B->shape->ne == 0) return;
    across(n, t);
    seen_edge *seen = see_edges(I, pair, t, &count);
    for (int i = 0; i < A->shape->ne && seen && count; i++) {
        const peg_edge *ea = &A->shape->edge[i];
        if (!looks(A, ea, n, -1)) continue;
        const double *a0 = A->vertex[ea->v[0]], *a1 = A->vertex[ea->v[1]];
        double low = peg_min(peg_dot(n, a0), peg_dot(n, a1)), least[2], most[2];
        extent(a0, a1, t, least, most);
        for (int k = 0; k < count; k++) {
            const seen_edge *s = &seen[k];
            if (low > s->high + far) continue;
            if (least[0] > s->most[0] + room || most[0] < s->least[0] - room ||
                least[1] > s->most[1] + room || most[1] < s->least[1] - room)
                continue;
            const peg_edge *eb = &B->shape->edge[s->index];
            if (!edges_cross(a0, a1, B->vertex[eb->v[0]], B->vertex[eb->v[1]], n)) continue;
            feature_contact c;
            double on_a, on_b;
            if (!edge_edge(I, pair, i, s->index, &c, &on_a, &on_b)) continue;
            if (c.gap > pair->reach || c.gap < -0.5 * pair->L) continue;
            if (peg_dot(c.normal, n) < PEG_FACING) continue;
            emit(I, p, u, &c, out);
        }
    }
}

int peg_patch_rows(peg_island *I, int p, const double (*u)[6], peg_row_set *out)
{
    int before = out->m;
    vertex_rows(I, p, u, PEG_ROW_VF, out);
    vertex_rows(I, p, u, PEG_ROW_FV, out);
    edge_rows(I, p, u, out);
    return out->m - before;
}

double peg_row_gap(const peg_island *I, const peg_row *row)
{
    const peg_pair *pair = &I->pair[row->pair];
    feature_contact c;
    double s, t;
    if (row->kind == PEG_ROW_EE)
        return edge_edge(I, pair, row->i, row->j, &c, &s, &t) ? c.gap : row->gap;
    facing f = face_pair(I, pair, row->kind);
    return vertex_face(&f, row->i, row->j).gap;
}

/* --- rows of the chosen facet --- */

static int present(const peg_row_set *set, int from, int pair, peg_row_kind kind, int i, int j)
{
    peg_row probe = {.pair = pair, .kind = kind, .i = i, .j = j};
    for (int r = from; r < set->m; r++)
        if (peg_row_same(&set->row[r], &probe)) return 1;
    return 0;
}

/* Vertices this close to the chosen face (in L) make its rows. */
#define FACET_NEAR 1e-3

int peg_facet_rows(peg_island *I, int p, const double (*u)[6], double lateral, peg_row_set *out)
{
    const peg_pair *pair = &I->pair[p];
    const peg_facet *facet = &pair->facet;
    int before = out->m, from = before;
    while (from > 0 && out->row[from - 1].pair == p) from--;
    if (facet->kind == PEG_FACET_EDGES) {
        feature_contact c;
        double s, t;
        if (present(out, from, p, PEG_ROW_EE, facet->i, facet->j)) return 0;
        if (!edge_edge(I, pair, facet->i, facet->j, &c, &s, &t)) return 0;
        if (s >= -lateral && s <= 1 + lateral && t >= -lateral && t <= 1 + lateral)
            emit(I, p, u, &c, out);
    } else if (facet->kind != PEG_FACET_NONE) {
        facing f = face_pair(I, pair, facet->kind == PEG_FACET_FACE_B ? PEG_ROW_VF : PEG_ROW_FV);
        const peg_view *U = &f.upper->now, *D = &f.lower->now;
        const double *n = D->normal[facet->i];
        for (int v = 0; v < U->shape->nv; v++) {
            if (peg_dot(n, U->vertex[v]) - D->offset[facet->i] > FACET_NEAR * pair->L) continue;
            if (present(out, from, p, f.kind, v, facet->i)) continue;
            if (lateral_distance(D, facet->i, U->vertex[v], n) > lateral * pair->L) continue;
            feature_contact c = vertex_face(&f, v, facet->i);
            emit(I, p, u, &c, out);
        }
    }
    return out->m - before;
}
