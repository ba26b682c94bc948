/* The state of a world as a buffer: a head that says whose it is, then what ode_glue writes. */
#include "plugin/contact.h"
#include "ode_glue/step/state.h"

#include <string.h>

typedef struct head {
    char magic[8], version[16];
    uint32_t layout, incomplete;
    uint64_t size, sum; /* of what follows: bytes; checksum, of `incomplete` as well */
} head;

/* Another layout of what is kept: raised with every change. */
enum { LAYOUT = 3 };
static const char MAGIC[8] = "pegState";

/* FNV-1a by words of 8 bytes. */
static uint64_t sum_of(const head *h, const unsigned char *data)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325) + h->incomplete;
    size_t n = h->size;
    for (size_t i = 0; i < n; i += 8) {
        uint64_t word = 0;
        memcpy(&word, data + i, n - i < 8 ? n - i : 8);
        sum = (sum ^ word) * UINT64_C(0x100000001b3);
        sum ^= sum >> 29;
    }
    return sum;
}

static void warn_incomplete(peg_glue *glue)
{
    const peg_subject *culprit = &glue->report.culprit;
    const char *what = culprit->body ? "ODE does not tell its counters of auto-disabling: a body "
                                       "with joints may fall asleep at another step"
                       : culprit->joint
                           ? "ODE does not tell the state of a transmission: it starts anew"
                           : "contacts of endless heightfields and of geoms without a body "
                             "outside the added spaces start anew";
    peg_subject about = *culprit;
    if (about.body) about.joint = NULL, about.geom = NULL;
    if (about.joint) about.geom = NULL;
    peg_say(&glue->report, PEG_CAUSE_STATE, PEG_SEVERITY_WARNING, PEG_STATE_INCOMPLETE, &about,
            what);
}

pegStatus pegWorldSaveState(pegWorldID peg, void *buffer, size_t *size)
{
    if (!peg || !size || peg->glue->stepping) return PEG_ERROR_ARGUMENT;
    unsigned char *to = buffer;
    int fits = to && *size >= sizeof(head);
    peg_writer w = {.to = fits ? to + sizeof(head) : NULL, .room = fits ? *size - sizeof(head) : 0};
    pegStatus status = peg_glue_save(peg->glue, &w);
    if (status != PEG_OK && status != PEG_STATE_INCOMPLETE)
        return peg_fail(&peg->glue->report, status);
    *size = w.used + sizeof(head);
    if (!to) return PEG_OK;
    if (!fits || w.used > w.room) return PEG_ERROR_ARGUMENT;
    head h = {.layout = LAYOUT, .incomplete = status != PEG_OK, .size = w.used};
    memcpy(h.magic, MAGIC, sizeof h.magic);
    strncpy(h.version, PEG_VERSION_STRING, sizeof h.version - 1);
    h.sum = sum_of(&h, w.to);
    memcpy(to, &h, sizeof h);
    if (status != PEG_OK) warn_incomplete(peg->glue);
    return status;
}

static int is_state(const head *h, const unsigned char *data, size_t size)
{
    char version[sizeof h->version] = PEG_VERSION_STRING;
    return !memcmp(h->magic, MAGIC, sizeof h->magic) && h->layout == LAYOUT &&
           !memcmp(h->version, version, sizeof version) && h->size == size - sizeof *h &&
           h->sum == sum_of(h, data);
}

pegStatus pegWorldRestoreState(pegWorldID peg, const void *buffer, size_t size)
{
    head h;
    if (!peg || !buffer || peg->glue->stepping) return PEG_ERROR_ARGUMENT;
    const unsigned char *data = (const unsigned char *)buffer + sizeof h;
    peg->glue->report.culprit = (peg_subject){0};
    if (size < sizeof h) return peg_fail(&peg->glue->report, PEG_ERROR_STATE);
    memcpy(&h, buffer, sizeof h);
    if (!is_state(&h, data, size)) return peg_fail(&peg->glue->report, PEG_ERROR_STATE);
    peg_reader r = {.from = data, .left = h.size};
    pegStatus status = peg_glue_restore(peg->glue, &r);
    if (status != PEG_OK) return peg_fail(&peg->glue->report, status);
    peg_stats_clear(&peg->last);
    if (peg->events) peg_events_clear(peg->events);
    return h.incomplete ? PEG_STATE_INCOMPLETE : PEG_OK;
}
