/* The report page: one HTML file with replay, plots and table of one or more runs. */
#ifndef LAB_PAGE_H
#define LAB_PAGE_H

#include "demos/report/trace.h"

typedef struct page_info {
    const char *title;
    const char *command;  /* that made the page */
    const char *settings; /* lines of text, may be null */
} page_info;

/* Writes the page of n traces; overlap that was not measured is, with progress on stderr. 0, or 1
 * after one line on stderr. */
int page_write(const char *path, lab_trace *const *traces, int n, const page_info *info, int quiet);

#endif
