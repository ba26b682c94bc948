/* Factors of the equations of a set of states: see delassus_basis.h. */
#include "peg/lcp/delassus_basis.h"

#include <math.h>
#include <string.h>

int peg_basis_create(peg_arena *arena, peg_delassus *D, const peg_row_state *state, const double *e,
                     peg_basis *basis)
{
    int m = D->m;
    size_t size = (size_t)D->vectors * sizeof(peg_doubles);
    *basis = (peg_basis){.D = D, .state = state, .e = e};
    basis->K = peg_arena_aligned(arena, (size_t)(D->vectors * PEG_DOUBLE_LANES) * size);
    basis->x = peg_arena_aligned(arena, size);
    basis->d = peg_arena_aligned(arena, size);
    basis->now = PEG_NEW(arena, peg_basis_equation, m);
    basis->first = PEG_NEW(arena, peg_basis_equation, m);
    basis->member = PEG_NEW(arena, int, m);
    basis->place = PEG_NEW(arena, int, m);
    basis->slider = PEG_NEW(arena, int, m);
    basis->pivot = PEG_NEW(arena, int, m);
    basis->has_changed = PEG_NEW(arena, unsigned char, m);
    peg_doubles *p = peg_arena_aligned(arena, PEG_BASIS_CHANGES * size);
    if (!basis->K || !basis->x || !basis->d || !basis->now || !basis->first || !basis->member ||
        !basis->place || !basis->slider || !basis->pivot || !basis->has_changed || !p)
        return 0;
    for (int j = 0; j < PEG_BASIS_CHANGES; j++) basis->change[j].p = p + j * D->vectors;
    basis->most_changes = PEG_BASIS_CHANGES;
    return 1;
}

/* --- factors --- */

static peg_basis_equation equation_of(const peg_basis *basis, int i)
{
    const peg_scaled_row *row = &basis->D->row[i];
    peg_row_state state = basis->state[i];
    double mu = row->normal >= 0 ? row->mu : 0;
    return (peg_basis_equation){.is_held = state == PEG_ROW_HELD,
                                .slope = state == PEG_ROW_UP     ? mu
                                         : state == PEG_ROW_DOWN ? -mu
                                                                 : 0};
}

PEG_WIDE static void make_equations(peg_basis *basis)
{
    int m = basis->D->m, held = 0, stride = basis->D->vectors * PEG_DOUBLE_LANES;
    const int *member = basis->member;
    double *K = (double *)basis->K;
    for (int i = 0; i < m; i++) {
        basis->now[i] = basis->first[i] = equation_of(basis, i);
        if (basis->now[i].is_held) basis->place[i] = held, basis->member[held++] = i;
    }
    int blocks = (held + PEG_DOUBLE_LANES - 1) / PEG_DOUBLE_LANES;
    for (int r = 0; r < held; r++) {
        const double *W = (const double *)peg_delassus_row(basis->D, member[r]);
        double *row = K + r * stride;
        for (int c = 0; c < held; c++) row[c] = W[member[c]];
        for (int c = held; c < blocks * PEG_DOUBLE_LANES; c++) row[c] = 0;
        row[r] += PEG_HELD_SHIFT;
    }
    for (int r = held; r < blocks * PEG_DOUBLE_LANES; r++)
        for (int c = 0; c < blocks * PEG_DOUBLE_LANES; c++) K[r * stride + c] = c == r;
    basis->held = held;
    basis->blocks = blocks;
    basis->sliding = 0;
    for (int f = 0; f < m; f++) {
        double slope = basis->now[f].slope;
        if (slope == 0 || !basis->now[basis->D->row[f].normal].is_held) continue;
        const double *W = (const double *)peg_delassus_row(basis->D, f);
        double *column = K + basis->place[basis->D->row[f].normal];
        for (int r = 0; r < held; r++, column += stride) *column += slope * W[member[r]];
        basis->slider[basis->sliding++] = f;
    }
    basis->symmetric = !basis->sliding;
}

/* Brings row `at` of K to row c. */
static void exchange(peg_basis *basis, int c, int at)
{
    int n = basis->D->vectors, last = basis->blocks;
    basis->pivot[c] = at;
    for (int j = 0; at != c && j < last; j++) {
        peg_doubles x = basis->K[c * n + j];
        basis->K[c * n + j] = basis->K[at * n + j];
        basis->K[at * n + j] = x;
    }
}

/* The row from c on with the largest number in column c. A symmetric matrix, which is positive,
 * needs no exchange. */
static int find_pivot(const peg_basis *basis, int c)
{
    int stride = basis->D->vectors * PEG_DOUBLE_LANES, at = c;
    const double *K = (const double *)basis->K;
    for (int r = c + 1; r < basis->held && !basis->symmetric; r++)
        if (fabs(K[r * stride + c]) > fabs(K[at * stride + c])) at = r;
    return at;
}

/* Eliminates column k of the vector of columns that begins with column `first`, in that vector
 * only; `at`: the row of its pivot, then that of the next column's. Returns 0 if K is singular. */
PEG_HOT int eliminate_column(peg_basis *basis, int first, int k, int *at)
{
    int n = basis->D->vectors, c = first + k;
    exchange(basis, c, *at);
    peg_doubles *K = basis->K + first / PEG_DOUBLE_LANES;
    peg_doubles head = K[c * n];
    double pivot = head[k], most = -1;
    if (!(fabs(pivot) > 0)) return 0;
    for (int j = 0; j <= k; j++) head[j] = 0;
    int best = c + 1, held = basis->held;
    int seeks = k + 1 < PEG_DOUBLE_LANES && !basis->symmetric;
    peg_doubles *row = K + best * n;
    for (int r = best; r < held; r++, row += n) {
        double f = (*row)[k] / pivot;
        *row -= f * head;
        (*row)[k] = f;
        if (!seeks || !(fabs((*row)[k + 1]) > most)) continue;
        most = fabs((*row)[k + 1]);
        best = r;
    }
    *at = best;
    return 1;
}

/* The columns behind a vector of columns that is eliminated, from its first row on. */
PEG_HOT void eliminate_behind(peg_basis *basis, int first)
{
    int n = basis->D->vectors, at = first / PEG_DOUBLE_LANES;
    int last = basis->blocks;
    const peg_doubles *top = basis->K + first * n;
    const peg_doubles *t0 = top, *t1 = top + n, *t2 = top + 2 * n, *t3 = top + 3 * n;
    for (int r = first + 1; r < basis->held; r++) {
        peg_doubles *row = basis->K + r * n, f = row[at];
        int terms = r - first < PEG_DOUBLE_LANES ? r - first : PEG_DOUBLE_LANES;
        if (terms < PEG_DOUBLE_LANES) {
            for (int k = 0; k < terms; k++)
                for (int j = at + 1; j < last; j++) row[j] -= f[k] * top[k * n + j];
            continue;
        }
        for (long j = at + 1; j < last; j++)
            row[j] = (((row[j] - f[0] * t0[j]) - f[1] * t1[j]) - f[2] * t2[j]) - f[3] * t3[j];
    }
}

/* K = L U in place, L with ones on its diagonal, by vectors of columns. Returns 0 if K is singular.
 */
PEG_WIDE static int factorise(peg_basis *basis)
{
    int end = basis->held;
    for (int c = 0; c < end; c += PEG_DOUBLE_LANES) {
        int at = find_pivot(basis, c);
        if (!eliminate_column(basis, c, 0, &at)) return 0;
        if (c + 1 < end && !eliminate_column(basis, c, 1, &at)) return 0;
        if (c + 2 < end && !eliminate_column(basis, c, 2, &at)) return 0;
        if (c + 3 < end && !eliminate_column(basis, c, 3, &at)) return 0;
        if (c + PEG_DOUBLE_LANES < end) eliminate_behind(basis, c);
    }
    basis->products += (double)end * end * end / 3;
    return 1;
}

/* d less the sums of the products of four rows of K with the vectors begin .. end - 1 of x. */
PEG_HOT peg_doubles subtract_products(const peg_doubles *K, int n, const peg_doubles *x, int begin,
                                      int end, peg_doubles d)
{
    peg_doubles s[PEG_DOUBLE_LANES] = {{0}};
    for (long j = begin; j < end; j++) {
        s[0] += K[j] * x[j];
        s[1] += K[n + j] * x[j];
        s[2] += K[2 * n + j] * x[j];
        s[3] += K[3 * n + j] * x[j];
    }
    return d - peg_doubles_sums(s);
}

/* d = K^-1 d, by four rows. */
PEG_WIDE static void solve_factors(const peg_basis *basis)
{
    int held = basis->held, n = basis->D->vectors, blocks = basis->blocks;
    double *d = basis->d;
    peg_doubles *x = (peg_doubles *)d;
    for (int r = 0; r < held; r++) {
        double y = d[basis->pivot[r]];
        d[basis->pivot[r]] = d[r];
        d[r] = y;
    }
    for (int r = held; r < blocks * PEG_DOUBLE_LANES; r++) d[r] = 0;
    for (int b = 0; b < blocks; b++) {
        const peg_doubles *K = basis->K + PEG_DOUBLE_LANES * b * n, *own = K + b;
        peg_doubles y = subtract_products(K, n, x, 0, b, x[b]);
        y[1] -= own[n][0] * y[0];
        y[2] = (y[2] - own[2 * n][0] * y[0]) - own[2 * n][1] * y[1];
        y[3] = ((y[3] - own[3 * n][0] * y[0]) - own[3 * n][1] * y[1]) - own[3 * n][2] * y[2];
        x[b] = y;
    }
    for (int b = blocks - 1; b >= 0; b--) {
        const peg_doubles *K = basis->K + PEG_DOUBLE_LANES * b * n, *own = K + b;
        peg_doubles y = subtract_products(K, n, x, b + 1, blocks, x[b]);
        y[3] /= own[3 * n][3];
        y[2] = (y[2] - own[2 * n][3] * y[3]) / own[2 * n][2];
        y[1] = ((y[1] - own[n][3] * y[3]) - own[n][2] * y[2]) / own[n][1];
        y[0] = (((y[0] - own[0][3] * y[3]) - own[0][2] * y[2]) - own[0][1] * y[1]) / own[0][0];
        x[b] = y;
    }
}

/* --- solutions --- */

/* x of the held rows from their right sides d, and of those that slide with them. */
PEG_HOT void finish_solution(peg_basis *basis, double *x)
{
    solve_factors(basis);
    for (int r = 0; r < basis->held; r++) x[basis->member[r]] = basis->d[r];
    for (int k = 0; k < basis->sliding; k++) {
        int f = basis->slider[k];
        x[f] += basis->first[f].slope * x[basis->D->row[f].normal];
    }
    basis->products += (double)basis->held * basis->held;
}

/* x_i = by, of a row that was not held. */
PEG_HOT void push(peg_basis *basis, int i, double by, double *x)
{
    const double *W = (const double *)peg_delassus_row(basis->D, i);
    x[i] = by;
    for (int r = 0; r < basis->held; r++) basis->d[r] -= by * W[basis->member[r]];
}

/* The solution of the equations that were factorised, for e_i. */
PEG_HOT void solve_unit(peg_basis *basis, int i, double *x)
{
    const peg_delassus *D = basis->D;
    for (int r = 0; r < basis->held; r++) basis->d[r] = 0;
    if (basis->first[i].is_held)
        basis->d[basis->place[i]] = 1;
    else
        push(basis, i, 1, x);
    for (int f = i + 1; !D->row[i].bounded && f < D->m && D->row[f].bounded; f++) {
        double slope = basis->first[f].slope;
        if (basis->first[i].is_held || D->row[f].normal != i || slope == 0) continue;
        push(basis, f, slope, x);
    }
    finish_solution(basis, x);
}

/* a' x of a row */
PEG_HOT double left_side(const peg_basis *basis, int i, peg_basis_equation is, const double *x)
{
    if (is.is_held)
        return peg_doubles_dot(peg_delassus_row(basis->D, i), (const peg_doubles *)x, 0,
                               basis->D->vectors) +
               PEG_HELD_SHIFT * x[i];
    return is.slope != 0 ? x[i] - is.slope * x[basis->D->row[i].normal] : x[i];
}

/* x as the changed row asks for it, whose right side is b. */
PEG_HOT void correct(const peg_basis *basis, const peg_basis_change *change, double b,
                     peg_doubles *x)
{
    double left = left_side(basis, change->row, change->is, (const double *)x);
    double by = (b - left) / change->pivot;
    for (int j = 0; by != 0 && j < basis->D->vectors; j++) x[j] += by * change->p[j];
}

PEG_WIDE static void solve(peg_basis *basis, const double *b, peg_doubles *x)
{
    for (int j = 0; j < basis->D->vectors; j++) x[j] = peg_doubles_of(0);
    for (int r = 0; r < basis->held; r++) basis->d[r] = b[basis->member[r]];
    finish_solution(basis, (double *)x);
    for (int j = 0; j < basis->changes; j++) {
        const peg_basis_change *change = &basis->change[j];
        correct(basis, change, change->is.is_held ? b[change->row] : 0, x);
    }
}

void peg_basis_solve(peg_basis *basis, const double *b, peg_doubles *x)
{
    solve(basis, b, x);
}

int peg_basis_factorise(peg_basis *basis)
{
    make_equations(basis);
    basis->changes = 0;
    memset(basis->has_changed, 0, (size_t)basis->D->m);
    return factorise(basis);
}

int peg_basis_begin(peg_basis *basis)
{
    if (!peg_basis_factorise(basis)) return 0;
    solve(basis, basis->e, basis->x);
    return 1;
}

/* --- changes --- */

/* Puts another equation in place of that of row i. Returns 0 if they are singular, or too many have
 * changed. */
PEG_WIDE static int change_equation(peg_basis *basis, int i, peg_basis_equation is)
{
    if (basis->changes >= basis->most_changes) return 0;
    peg_basis_change *change = &basis->change[basis->changes];
    peg_doubles *p = change->p;
    for (int j = 0; j < basis->D->vectors; j++) p[j] = peg_doubles_of(0);
    solve_unit(basis, i, (double *)p);
    for (int j = 0; j < basis->changes; j++)
        correct(basis, &basis->change[j], basis->change[j].row == i, p);
    change->row = i;
    change->is = is;
    change->pivot = left_side(basis, i, is, (const double *)p);
    if (!(fabs(change->pivot) > 0)) return 0;
    basis->changes++;
    basis->now[i] = is;
    basis->has_changed[i] = 1;
    correct(basis, change, is.is_held ? basis->e[i] : 0, basis->x);
    return 1;
}

/* Friction that slides at an open contact has no impulse, whatever its slope is. Where the contact
 * was open in all equations so far, that may be another one in all of them. */
static int follow_row(peg_basis *basis, int i)
{
    peg_basis_equation is = equation_of(basis, i);
    int normal = basis->D->row[i].normal;
    if (is.is_held != basis->now[i].is_held) return change_equation(basis, i, is);
    if (is.is_held || is.slope == basis->now[i].slope || basis->state[normal] != PEG_ROW_HELD)
        return 1;
    if (basis->first[normal].is_held || basis->has_changed[normal] || basis->has_changed[i])
        return change_equation(basis, i, is);
    basis->first[i] = basis->now[i] = is;
    return 1;
}

int peg_basis_follow(peg_basis *basis, int i)
{
    int last = i;
    while (!basis->D->row[i].bounded && last + 1 < basis->D->m && basis->D->row[last + 1].bounded)
        last++;
    for (; last >= i; last--)
        if (!follow_row(basis, last)) return peg_basis_begin(basis);
    return 1;
}
