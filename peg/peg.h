/* One step of a scene of rigid bodies with exact contacts: what the glue calls.
 *
 * The scene is handed over anew at every step; what is worth remembering between steps (directions,
 * impulses) is kept in the peg_context under the parts' identities. */
#ifndef PEG_PEG_H
#define PEG_PEG_H

#include "peg/base/buffer.h"
#include "peg/base/settings.h"
#include "peg/base/thread_pool.h"
#include "peg/contact/pose.h"
#include "peg/contact/scene.h"

typedef struct peg_context peg_context;

/* Errors: SETTINGS, MEMORY. */
pegStatus peg_context_create(const pegSettings *settings, peg_context **out);
void peg_context_destroy(peg_context *context);
const pegSettings *peg_context_settings(const peg_context *context);
pegStatus peg_context_set_settings(peg_context *context, const pegSettings *settings);
struct peg_capture;
/* Shows every problem to the capture (peg/lcp/problem.h) before it is solved; null: none. It must
 * live as long as the context. */
void peg_context_set_capture(peg_context *context, const struct peg_capture *capture);

/* The threads of the settings, for loops over so many bodies or pairs; null: one is enough, or more
 * could not be had. */
peg_pool *peg_threads_for(peg_context *context, int rounds);

/* Computes v_pose, v_end, moved_by_contact and woken of every dynamic body; for bodies that touch
 * nothing v_pose = v_end = v_free, with joints what these make of it. Statistics of this step go to
 * *stats (may be null). Errors (the scene's results are then unchanged): STEP_SIZE, NOT_FINITE,
 * MASS, ARGUMENT, MEMORY.
 */
pegStatus peg_step(peg_context *context, peg_scene *scene, pegStats *stats);

/* Contacts with an impulse in the last peg_step. */
int peg_contacts(const peg_context *context, const peg_contact **contacts);

/* Fills shape, triangle_mesh, opaque and user of the part with part->id; 0: there is none. */
typedef int peg_part_finder(void *data, peg_part *part);

/* What is kept between steps, as bytes: directions and impulses of pairs, results of resting
 * islands. Only the build that wrote them can read them. */
void peg_context_save(const peg_context *context, peg_writer *writer);
/* Results of resting islands are left out where a part is missing or settings have changed. Errors,
 * which leave the context as it was: STATE (no such bytes), MEMORY. */
pegStatus peg_context_restore(peg_context *context, peg_reader *reader, peg_part_finder *find,
                              void *data);

#endif
