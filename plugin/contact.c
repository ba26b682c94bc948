/* Telling of contacts. */
#include "ode_glue/read/feature.h"
#include "ode_glue/read/geom.h"
#include "plugin/world.h"

int pegWorldGetContactCount(pegWorldID peg)
{
    const peg_contact *contact;
    return peg && peg->glue->scene.np ? peg_contacts(peg->glue->core, &contact) : 0;
}

_Static_assert((int)PEG_VERTEX_FACE == PEG_FEATURES_VF && (int)PEG_FACE_VERTEX == PEG_FEATURES_FV &&
                   (int)PEG_EDGE_EDGE == PEG_FEATURES_EE &&
                   (int)PEG_VERTEX_VERTEX == PEG_FEATURES_VV &&
                   (int)PEG_VERTEX_EDGE == PEG_FEATURES_VE &&
                   (int)PEG_EDGE_VERTEX == PEG_FEATURES_EV &&
                   (int)PEG_FEATURES_UNKNOWN == PEG_FEATURES_EXTERNAL,
               "the program's names of features are the core's");

static void name_features(const peg_glue *glue, const peg_contact *contact, pegContact *out)
{
    const peg_part *a = &glue->scene.part[contact->part_a], *b = &glue->scene.part[contact->part_b];
    peg_feature_kind kind = (peg_feature_kind)contact->kind;
    int reversed = kind == PEG_FEATURES_FV; /* i is a vertex of B, j a face of A */
    out->features = (pegFeatures)kind;
    out->feature1 = out->feature2 = -1;
    if (kind == PEG_FEATURES_EXTERNAL) return;
    int i = peg_feature_number(reversed ? b : a, peg_feature_of(kind, 0), contact->i);
    int j = peg_feature_number(reversed ? a : b, peg_feature_of(kind, 1), contact->j);
    out->feature1 = reversed ? j : i;
    out->feature2 = reversed ? i : j;
}

pegStatus pegWorldGetContact(pegWorldID peg, int index, pegContact *out)
{
    const peg_contact *contact;
    if (!peg || !out || index < 0 || index >= pegWorldGetContactCount(peg))
        return PEG_ERROR_ARGUMENT;
    peg_contacts(peg->glue->core, &contact);
    contact += index;
    const peg_part *part = peg->glue->scene.part;
    const peg_shape *a = part[contact->part_a].user, *b = part[contact->part_b].user;
    *out = (pegContact){.g1 = peg_geom_named(a->geom), .g2 = peg_geom_named(b->geom)};
    out->gap = contact->gap;
    peg_copy3(contact->point, out->pos);
    peg_copy3(contact->normal, out->normal); /* from B to A, so into g1's body as ODE has it */
    out->impulse = contact->impulse;
    peg_copy3(contact->friction, out->friction);
    name_features(peg->glue, contact, out);
    return PEG_OK;
}
