/* Names of the features that touch. */
#ifndef PEG_FEATURE_H
#define PEG_FEATURE_H

#include "ode_glue/read/shape.h"
#include "peg/collide/features.h"
#include "peg/contact/scene.h"

/* The number under which the program knows a feature of a part, out of the core's: see pegContact.
 */
int peg_feature_number(const peg_part *part, peg_feature_type feature, int number);

#endif
