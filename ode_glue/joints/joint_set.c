#include "ode_glue/joints/joint_set.h"

#include <math.h>
#include <string.h>

static int find_or_add(peg_joint_set *set, dJointID joint)
{
    int known = set->id.n, i = peg_map_add(&set->id, joint, NULL);
    if (i < 0) return -1;
    if (set->room < set->id.room) {
        void *kept = peg_realloc(set->kept, (size_t)set->id.room * sizeof *set->kept);
        if (!kept) return -1;
        set->kept = kept;
        memset(set->kept + set->room, 0, (size_t)(set->id.room - set->room) * sizeof *set->kept);
        set->room = set->id.room;
    }
    if (i == known) memset(&set->kept[i], 0, sizeof *set->kept);
    set->kept[i].met = 1;
    return i;
}

peg_joint_reference *peg_joint_set_at(peg_joint_set *set, dJointID joint)
{
    int i = find_or_add(set, joint);
    return i < 0 ? NULL : &set->kept[i].of;
}

void peg_joint_set_free(peg_joint_set *set)
{
    peg_map_free(&set->id);
    peg_free(set->kept);
    *set = (peg_joint_set){0};
}

/* The first of its bodies in the order of the numbers counts a joint. */
static int is_first(const peg_map *number, dJointID joint, int body, int of[2])
{
    dBodyID id[2];
    peg_joint_bodies(joint, id);
    for (int k = 0; k < 2; k++) of[k] = id[k] ? peg_map_find(number, id[k], NULL) : -1;
    return of[0] < 0 || of[1] < 0 || of[0] == of[1] ? 1 : body == (of[0] < of[1] ? of[0] : of[1]);
}

static int is_untold(dJointID joint, const peg_joint_reference *reference)
{
    if (!peg_joint_needs_telling(joint)) return 0;
    if (reference->type == dJointTypePlane2D)
        return !reference->told[0] && !reference->told[1] && !reference->told[2];
    for (int i = 0; i < dJointGetLMotorNumAxes(joint); i++)
        if (!reference->told[i] && dJointGetLMotorParam(joint, i * dParamGroup + dParamFMax) > 0)
            return 1;
    return 0;
}

/* m, m/s: the fourth power, of which solves are made, stays in range. */
static const double LARGEST = 1e60;

static int is_finite(const peg_joint_row *row)
{
    double sum = fabs(row->rhs) + fabs(row->c) + fabs(row->push);
    for (int k = 0; k < 6; k++) sum += fabs(row->Ja[k]) + fabs(row->Jb[k]);
    return sum < LARGEST && !isnan(row->lo) && !isnan(row->hi);
}

int peg_joint_is_finite(dJointID joint, double h)
{
    peg_joint_reference now = {0};
    peg_joint_row row[PEG_JOINT_ROWS];
    if (!peg_joint_is_supported(dJointGetType(joint))) return 1;
    int rows = peg_joint_rows(joint, &now, h, row);
    for (int i = 0; i < rows; i++)
        if (!is_finite(&row[i])) return 0;
    return 1;
}

/* Adds the rows of one joint to the *n that are there. */
static pegStatus add_joint(peg_joint_set *set, dJointID joint, const int of[2], double h,
                           peg_joint_row *row, int *n, peg_joint_notes *notes)
{
    dJointType type = dJointGetType(joint);
    if (type == dJointTypeContact || type == dJointTypeNull) return PEG_OK;
    if (!peg_joint_is_supported(type)) {
        if (!notes->unsupported++) notes->first_unsupported = joint;
        return PEG_OK;
    }
    peg_joint_reference *reference = peg_joint_set_at(set, joint);
    if (!reference) return PEG_ERROR_MEMORY;
    reference->gamma = set->gamma;
    int rows = peg_joint_rows(joint, reference, h, row + *n);
    const double *lambda = set->kept[peg_map_find(&set->id, joint, NULL)].lambda;
    for (int end = *n + rows; *n < end; ++*n) {
        row[*n].lambda = *lambda++;
        row[*n].body_a = of[0];
        row[*n].body_b = row[*n].body_b < 0 ? -1 : of[1];
        if (is_finite(&row[*n])) continue;
        notes->not_finite = joint;
        return PEG_ERROR_NOT_FINITE;
    }
    notes->joints += rows > 0;
    if (reference->inferred && peg_joint_needs_pose(joint) && !notes->inferred++)
        notes->first_inferred = joint;
    if (is_untold(joint, reference) && !notes->untold++) notes->first_untold = joint;
    return PEG_OK;
}

pegStatus peg_joint_set_rows(peg_joint_set *set, peg_arena *arena, const peg_map *number, double h,
                             peg_joint_row **row, dJointID **joint, int *n, peg_joint_notes *notes)
{
    /* an upper bound of their rows */
    size_t most = 0;
    for (int i = 0; i < number->n; i++)
        most += (size_t)dBodyGetNumJoints(number->key[i][0]) * PEG_JOINT_ROWS;
    *n = 0;
    *notes = (peg_joint_notes){0};
    *row = PEG_NEW(arena, peg_joint_row, most);
    *joint = PEG_NEW(arena, dJointID, most);
    if (!*row || !*joint) return PEG_ERROR_MEMORY;
    for (int b = 0; b < number->n; b++) {
        dBodyID id = number->key[b][0];
        for (int i = 0; i < dBodyGetNumJoints(id); i++) {
            dJointID j = dBodyGetJoint(id, i);
            int of[2], first = *n;
            if (!dJointIsEnabled(j) || !is_first(number, j, b, of)) continue;
            pegStatus status = add_joint(set, j, of, h, *row, n, notes);
            if (status != PEG_OK) return status;
            for (int k = first; k < *n; k++) (*joint)[k] = j;
        }
    }
    /* what was met is kept for the next step, the keys moved to the front in place */
    int known = set->id.n < set->room ? set->id.n : set->room, kept = 0;
    void *(*key)[2] = set->id.key;
    peg_map_clear(&set->id);
    for (int i = 0; i < known; i++) {
        if (!set->kept[i].met) continue;
        set->kept[kept] = set->kept[i];
        set->kept[kept++].met = 0;
        peg_map_add(&set->id, key[i][0], NULL); /* needs no memory: there were more */
    }
    return PEG_OK;
}

void peg_joint_set_keep(peg_joint_set *set, const peg_joint_row *row, const dJointID *joint, int n)
{
    for (int i = 0, k; i < n; i += k) {
        double *lambda = set->kept[peg_map_find(&set->id, joint[i], NULL)].lambda;
        for (k = 0; i + k < n && joint[i + k] == joint[i]; k++) lambda[k] = row[i + k].lambda;
        for (int end = k; end < PEG_JOINT_ROWS; end++) lambda[end] = 0;
    }
}

void peg_joint_set_save(const peg_joint_set *set, dJointID joint, const peg_map *number,
                        peg_writer *w)
{
    int i = peg_map_find(&set->id, joint, NULL), body[2];
    int known = i >= 0 && i < set->room; /* else there was no memory for it */
    peg_write(w, &known, sizeof known);
    if (!known) return;
    struct peg_kept_reference kept = set->kept[i];
    for (int k = 0; k < 2; k++) {
        body[k] = kept.of.body[k] ? peg_map_find(number, kept.of.body[k], NULL) : -1;
        kept.of.body[k] = NULL;
    }
    peg_write(w, &kept, sizeof kept);
    peg_write(w, body, sizeof body);
}

int peg_joint_set_restore(peg_joint_set *set, dJointID joint, const peg_map *number, peg_reader *r)
{
    struct peg_kept_reference kept;
    int known, body[2];
    peg_read(r, &known, sizeof known);
    if (!known) return !r->failed;
    peg_read(r, &kept, sizeof kept);
    peg_read(r, body, sizeof body);
    if (r->failed) return 0;
    for (int k = 0; k < 2; k++)
        if (body[k] >= 0 && body[k] < number->n) kept.of.body[k] = number->key[body[k]][0];
    int i = find_or_add(set, joint);
    if (i < 0) return 0;
    set->kept[i] = kept;
    return 1;
}
