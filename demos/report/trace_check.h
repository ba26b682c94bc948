#ifndef LAB_TRACE_CHECK_H
#define LAB_TRACE_CHECK_H

/* Reads a trace and measures overlap, energy and momentum anew, independently of whatever wrote it:
 * a table on stdout, and a JSON object (summary may be null). Returns an exit status. */
int lab_check(const char *path, const char *summary, int quiet);

#endif
