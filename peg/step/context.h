/* Memory of a context. */
#ifndef PEG_CONTEXT_H
#define PEG_CONTEXT_H

#include "peg/peg.h"
#include "peg/step/stage.h"

/* Empties the memory of a step. Returns whether what many steps have not needed was given back. */
int peg_context_reset(peg_context *context);
/* Bytes that its arenas and arrays hold. */
size_t peg_context_memory(const peg_context *context);
/* The threads of the settings; null without memory. */
peg_pool *peg_context_pool(peg_context *context);

#endif
