#ifndef LAB_PAGE_RUN_H
#define LAB_PAGE_RUN_H

#include "demos/report/trace.h"

/* One run of a page's data, as a JSON object; page/src/data.js reads it. Frames are left out so
 * that its arrays take no more than `budget` bytes before they are packed. 0, or 1 without memory.
 */
int page_put_run(FILE *file, const lab_trace *trace, const char *label, size_t budget);

#endif
