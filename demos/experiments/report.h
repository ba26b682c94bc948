/* The report of an experiment: DIR/report.html, one self-contained page, and DIR/summary.json with
 * its checks and figures for machines. */
#ifndef LAB_REPORT_H
#define LAB_REPORT_H

#include <jansson.h>
#include <stdio.h>

typedef struct lab_report {
    const char *dir;
    FILE *html;
    json_t *summary; /* what the caller adds stays; `checks` is ours */
    int bad;         /* something could not be written */
} lab_report;

/* 0, or 1 if DIR cannot be written to. */
int report_open(lab_report *r, const char *dir, const char *title);
/* Writes summary.json. Returns 1 if anything could not be written. */
int report_close(lab_report *r);

void report_heading(lab_report *r, const char *text);
/* Text is plain: what HTML would misread is escaped. */
void report_text(lab_report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A figure that was written to DIR; the paper's in words, then ours. */
void report_figure(lab_report *r, const char *file, const char *paper, const char *ours);
/* Tables: cells in order, one row after the other. */
void report_table(lab_report *r, const char *const *heads, int columns);
void report_cell(lab_report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void report_verdict(lab_report *r, const char *verdict); /* a cell; pass, FAIL stand out */
void report_row_end(lab_report *r);
void report_table_end(lab_report *r);

/* A claim and whether it held. value NaN: it could not be judged (`wanted` says why not), which is
 * no pass. */
void report_check(lab_report *r, const char *check, double value, const char *wanted, int pass);

#endif
