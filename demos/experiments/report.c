/* Writes HTML by hand: headings, paragraphs, tables, figures with their bytes inside. */
#include "demos/experiments/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "demos/report/output.h"

static const char style[] =
    "body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;margin:1em 0}"
    "td,th{border:1px solid #ccc;padding:.2em .6em;text-align:right}"
    "td:first-child,th:first-child{text-align:left}"
    "th{background:#f2f2f2}img{max-width:100%}figure{margin:1.5em 0}"
    "figcaption{color:#444}.pass{color:#176b2c}.FAIL{color:#b01818;font-weight:bold}";

static void escape(FILE *f, const char *text)
{
    for (; *text; text++) switch (*text) {
        case '<':
            fputs("&lt;", f);
            break;
        case '>':
            fputs("&gt;", f);
            break;
        case '&':
            fputs("&amp;", f);
            break;
        default:
            fputc(*text, f);
        }
}

static void escape_list(FILE *f, const char *format, va_list list)
{
    char text[4096];
    vsnprintf(text, sizeof text, format, list);
    escape(f, text);
}

int report_open(lab_report *r, const char *dir, const char *title)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/report.html", dir);
    *r = (lab_report){.dir = dir, .html = fopen(path, "w"), .summary = json_object()};
    if (!r->html || !r->summary) {
        if (r->html) fclose(r->html);
        json_decref(r->summary);
        return 1;
    }
    json_object_set_new(r->summary, "checks", json_array());
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", r->html);
    escape(r->html, title);
    fprintf(r->html, "</title><style>%s</style></head><body>\n<h1>", style);
    escape(r->html, title);
    fputs("</h1>\n", r->html);
    return 0;
}

int report_close(lab_report *r)
{
    char path[4096];
    fputs("</body></html>\n", r->html);
    r->bad |= ferror(r->html) != 0;
    r->bad |= fclose(r->html) != 0;
    snprintf(path, sizeof path, "%s/summary.json", r->dir);
    r->bad |= lab_json_write(r->summary, path);
    json_decref(r->summary);
    return r->bad;
}

void report_heading(lab_report *r, const char *text)
{
    fputs("<h2>", r->html);
    escape(r->html, text);
    fputs("</h2>\n", r->html);
}

void report_text(lab_report *r, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fputs("<p>", r->html);
    escape_list(r->html, format, list);
    fputs("</p>\n", r->html);
    va_end(list);
}

/* ---- figures --------------------------------------------------------------------------------- */

/* RFC 4648. */
static void base64(FILE *out, FILE *in)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char b[3];
    size_t n;
    while ((n = fread(b, 1, 3, in)) > 0) {
        unsigned long v = (unsigned long)b[0] << 16;
        if (n > 1) v |= (unsigned long)b[1] << 8;
        if (n > 2) v |= b[2];
        for (size_t k = 0; k < 4; k++) fputc(k <= n ? digit[v >> (18 - 6 * k) & 63] : '=', out);
    }
}

void report_figure(lab_report *r, const char *file, const char *paper, const char *ours)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", r->dir, file);
    FILE *png = fopen(path, "rb");
    if (!png) {
        r->bad = 1;
        return;
    }
    fputs("<figure><img alt=\"", r->html);
    escape(r->html, file);
    fputs("\" src=\"data:image/png;base64,", r->html);
    base64(r->html, png);
    fclose(png);
    fputs("\"><figcaption><b>The paper:</b> ", r->html);
    escape(r->html, paper);
    fputs("<br><b>Here:</b> ", r->html);
    escape(r->html, ours);
    fputs("</figcaption></figure>\n", r->html);
}

/* ---- tables and checks ----------------------------------------------------------------------- */

void report_table(lab_report *r, const char *const *heads, int columns)
{
    fputs("<table><tr>", r->html);
    for (int i = 0; i < columns; i++) {
        fputs("<th>", r->html);
        escape(r->html, heads[i]);
    }
    fputs("</tr>\n<tr>", r->html);
}

void report_cell(lab_report *r, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fputs("<td>", r->html);
    escape_list(r->html, format, list);
    va_end(list);
}

void report_verdict(lab_report *r, const char *verdict)
{
    fprintf(r->html, "<td class=\"%s\">%s", verdict, verdict);
}

void report_row_end(lab_report *r)
{
    fputs("</tr>\n<tr>", r->html);
}

void report_table_end(lab_report *r)
{
    fputs("</tr></table>\n", r->html);
}

void report_check(lab_report *r, const char *check, double value, const char *wanted, int pass)
{
    pass = pass && !isnan(value);
    json_array_append_new(json_object_get(r->summary, "checks"),
                          json_pack("{s:s, s:o, s:s, s:b}", "check", check, "value",
                                    lab_number(value), "wanted", wanted, "pass", pass));
}
