/* Which kinds of features a pair is of. */
#include "peg/collide/features.h"

peg_feature_type peg_feature_of(peg_feature_kind kind, int side)
{
    static const peg_feature_type of[][2] = {
        [PEG_FEATURES_VF] = {PEG_VERTEX, PEG_FACE}, [PEG_FEATURES_FV] = {PEG_VERTEX, PEG_FACE},
        [PEG_FEATURES_EE] = {PEG_EDGE, PEG_EDGE},   [PEG_FEATURES_VV] = {PEG_VERTEX, PEG_VERTEX},
        [PEG_FEATURES_VE] = {PEG_VERTEX, PEG_EDGE}, [PEG_FEATURES_EV] = {PEG_EDGE, PEG_VERTEX},
    };
    return of[kind][side];
}
