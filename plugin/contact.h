/* What the files on contacts share. */
#ifndef PEG_PLUGIN_CONTACT_H
#define PEG_PLUGIN_CONTACT_H

#include "plugin/world.h"

/* Fills in the features of a contact. */
void peg_name_features(const peg_glue *glue, const peg_contact *contact, pegContact *out);

/* events.c: what began and ended in the step that was just made. Error: MEMORY (events are lost).
 */
pegStatus peg_events_update(struct peg_events *events, peg_glue *glue);
/* As if no step had been made. */
void peg_events_clear(struct peg_events *events);
void peg_events_free(struct peg_events *events);

#endif
