/* What ODE keeps to itself (arrays of convex geoms, samples of heightfields), seen when it is set.
 *
 * A geom belongs to no peg world when it is made (it may not even have a body yet), so this
 * registry is one for the process, behind a lock. It also knows which worlds have a peg world. */
#ifndef PEG_REGISTRY_H
#define PEG_REGISTRY_H

#include "peg/base/types.h"

/* How a thing is freed; also tells what kind of thing it is. */
typedef void peg_release(void *thing);

/* Takes the thing of ODE's object over, in place of the one it had. Error: MEMORY (nothing taken).
 */
pegStatus peg_registry_set(const void *object, void *thing, peg_release *release);
/* Null if unknown, or if what lay at the object's address was of another kind. *version: unique for
 * every peg_registry_set of the process, > 0; 0 if null. The thing lives until the object is set
 * anew or forgotten. */
void *peg_registry_find(const void *object, peg_release *release, unsigned long *version);
void peg_registry_forget(const void *object);

#endif
