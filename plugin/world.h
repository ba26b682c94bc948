/* What a pegWorldID points to. */
#ifndef PEG_WORLD_H
#define PEG_WORLD_H

#include "ode_glue/pairs/filter.h"
#include "ode_glue/step/step.h"
#include "plugin/ode-peg.h"

struct pegWorld {
    peg_glue *glue;
    pegStats last, total;
    struct peg_events *events;   /* or null: not wanted */
    pegMessageFunction *message; /* or null */
    void *message_data;
    pegMessageHandler *handler; /* or null */
    void *handler_data;
};

#endif
