#include "ode_glue/base/messages.h"
#include "peg/peg.h"

void peg_say(peg_report *report, int cause, pegStatus status, const char *text)
{
    uint64_t bit = UINT64_C(1) << cause;
    if (!report->callback || report->said & bit) return;
    report->said |= bit;
    report->callback(report->data, status, text);
}

pegStatus peg_fail(peg_report *report, pegStatus status)
{
    peg_say(report, PEG_CAUSE_STATUS + (int)status, status, peg_status_message(status));
    return status;
}
