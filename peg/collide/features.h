/* Pairs of features of two parts, A and B. The values are those of pegFeatures. */
#ifndef PEG_FEATURES_H
#define PEG_FEATURES_H

typedef enum peg_feature_kind {
    PEG_FEATURES_NONE = -1,
    PEG_FEATURES_VF = 0, /* vertex i of A over face j of B */
    PEG_FEATURES_FV = 1, /* vertex i of B under face j of A */
    PEG_FEATURES_EE = 2, /* edge i of A, edge j of B */
    /* of dilated pairs: */
    PEG_FEATURES_VV = 3,       /* vertex i of A, vertex j of B */
    PEG_FEATURES_VE = 4,       /* vertex i of A, edge j of B */
    PEG_FEATURES_EV = 5,       /* edge i of A, vertex j of B */
    PEG_FEATURES_EXTERNAL = 6, /* not known: external contact i of the pair */
    PEG_FEATURES_POINTS = 7    /* not known, and only here: points that go with their bodies */
} peg_feature_kind;

typedef enum peg_feature_type { PEG_VERTEX, PEG_EDGE, PEG_FACE } peg_feature_type;

/* What i (side 0) and j (side 1) number. */
peg_feature_type peg_feature_of(peg_feature_kind kind, int side);

#endif
