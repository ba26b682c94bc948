/* A headless Chromium for tests of pages, by its debugging pipe. */
#ifndef TESTS_BROWSER_H
#define TESTS_BROWSER_H

#include <cairo/cairo.h>
#include <jansson.h>

typedef struct browser browser;

/* Whether there is a Chromium on this machine. */
int browser_exists(void);
browser *browser_open(int width, int height);
void browser_close(browser *b);
/* Loads a file and waits until the expression is true; fails the test after 60 s. */
void browser_load(browser *b, const char *path, const char *until);
/* What a JavaScript expression gives (awaited); to be freed. Fails the test if it throws. */
json_t *browser_value(browser *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
double browser_number(browser *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Waits until the expression is true; fails the test after some seconds. */
void browser_wait(browser *b, const char *expression, double seconds);
/* A click of the mouse at a place of the window. */
void browser_click(browser *b, double x, double y);
/* Pixels of the first element that the selector names; to be destroyed. */
cairo_surface_t *browser_picture(browser *b, const char *selector);
/* Errors and exceptions that the page has reported so far. */
int browser_errors(const browser *b);

#endif
