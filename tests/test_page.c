/* The report page in a headless Chromium: what it shows is what was measured, the replay moves, and
 * all parts of the page show the same frame. Environment: PEG_LAB, the program. */
#include <check.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/browser.h"
#include "tests/runner.h"

#define READY "document.body && document.body.dataset.ready"

static int lab(const char *arguments)
{
    char line[2048];
    snprintf(line, sizeof line, "'%s' %s >%s/stdout 2>%s/stderr", getenv("PEG_LAB"), arguments,
             test_folder(), test_folder());
    int status = system(line);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static browser *open_browser(void)
{
    return browser_open(1300, 1000);
}

static void make_page(const char *scene)
{
    char command[512];
    snprintf(command, sizeof command, "compare %s --out %s --quiet", scene, test_folder());
    ck_assert_int_eq(lab(command), 0);
}

/* How many pixels differ by more than what antialiasing may do. */
static int differing(cairo_surface_t *a, cairo_surface_t *b)
{
    int w = cairo_image_surface_get_width(a), h = cairo_image_surface_get_height(a), n = 0;
    ck_assert_int_eq(w, cairo_image_surface_get_width(b));
    ck_assert_int_eq(h, cairo_image_surface_get_height(b));
    for (int y = 0; y < h; y++) {
        const unsigned char *p =
            cairo_image_surface_get_data(a) + (size_t)y * (size_t)cairo_image_surface_get_stride(a);
        const unsigned char *q =
            cairo_image_surface_get_data(b) + (size_t)y * (size_t)cairo_image_surface_get_stride(b);
        for (int x = 0; x < w; x++) {
            int most = 0;
            for (int k = 0; k < 3; k++) most = abs(p[4 * x + k] - q[4 * x + k]) > 40 ? 1 : most;
            n += most;
        }
    }
    return n;
}

/* Pixels of the red that is kept for overlap. */
static int red_pixels(cairo_surface_t *s)
{
    int w = cairo_image_surface_get_width(s), h = cairo_image_surface_get_height(s), n = 0;
    for (int y = 0; y < h; y++) {
        const unsigned char *p =
            cairo_image_surface_get_data(s) + (size_t)y * (size_t)cairo_image_surface_get_stride(s);
        for (int x = 0; x < w; x++)
            n += p[4 * x + 2] > 150 && p[4 * x + 2] > 2 * p[4 * x + 1] &&
                 p[4 * x + 2] > 2 * p[4 * x];
    }
    return n;
}

/* A picture once the page has drawn what was set. */
static cairo_surface_t *picture(browser *b, const char *selector)
{
    browser_wait(b, "!report.dirty", 20);
    return browser_picture(b, selector);
}

static double step_of(browser *b, int view)
{
    return browser_number(b, "+document.getElementById('view-%d').dataset.step", view);
}

static void both_show(browser *b, double step)
{
    ck_assert_double_eq(step_of(b, 0), step);
    ck_assert_double_eq(step_of(b, 1), step);
    ck_assert_double_eq(browser_number(b, "+document.getElementById('scrub').value"), step);
}

START_TEST(replays)
{
    make_page("pour-boxes --contact ode,peg --time 3");
    browser *b = open_browser();
    browser_load(b, test_path("report.html"), READY);
    ck_assert_double_eq(step_of(b, 0), 0);
    cairo_surface_t *first = picture(b, "#view-1 canvas");
    json_decref(browser_value(b, "document.getElementById('play').click()"));
    browser_wait(b, "+document.getElementById('view-1').dataset.step >= 60", 60);
    json_decref(browser_value(b, "document.getElementById('play').click()"));
    double paused = step_of(b, 0);
    ck_assert_double_eq(step_of(b, 1), paused);
    cairo_surface_t *later = picture(b, "#view-1 canvas");
    ck_assert_int_gt(differing(first, later), 200);
    nanosleep(&(struct timespec){0, 400000000}, NULL);
    ck_assert_double_eq(step_of(b, 0), paused);
    cairo_surface_t *still = picture(b, "#view-1 canvas");
    ck_assert_int_eq(differing(later, still), 0);
    ck_assert_int_eq(browser_errors(b), 0);
    cairo_surface_destroy(first);
    cairo_surface_destroy(later);
    cairo_surface_destroy(still);
    browser_close(b);
}
END_TEST

/* A click on a plot, the scrubber and the buttons lead to the same frame and the same pixels. */
START_TEST(scrubber_and_plots_agree)
{
    make_page("pour-boxes --contact ode,peg --time 2");
    browser *b = open_browser();
    browser_load(b, test_path("report.html"), READY);
    json_decref(browser_value(b, "document.querySelector('[data-figure=depth]').scrollIntoView()"));
    double x = browser_number(b, "(() => { const p = report.plots.plots.find(p => p.node.dataset."
                                 "figure === 'depth').plot, r = p.over.getBoundingClientRect(); "
                                 "return r.x + p.valToPos(1.2, 'x'); })()");
    double y = browser_number(b, "(() => { const r = document.querySelector('[data-figure=depth] "
                                 ".u-over').getBoundingClientRect(); return r.y + r.height / 2; "
                                 "})()");
    browser_click(b, x, y);
    double step = step_of(b, 0);
    ck_assert_double_eq_tol(step, 120, 1);
    both_show(b, step);
    cairo_surface_t *clicked[2], *scrubbed[2];
    clicked[0] = picture(b, "#view-0 canvas"), clicked[1] = picture(b, "#view-1 canvas");
    json_decref(browser_value(b, "report.setFrame(7)"));
    both_show(b, 7);
    cairo_surface_t *other = picture(b, "#view-1 canvas");
    json_decref(browser_value(b,
                              "(() => { const s = document.getElementById('scrub'); s.value = %g; "
                              "s.dispatchEvent(new Event('input')); })()",
                              step));
    both_show(b, step);
    scrubbed[0] = picture(b, "#view-0 canvas"), scrubbed[1] = picture(b, "#view-1 canvas");
    for (int i = 0; i < 2; i++) ck_assert_int_eq(differing(clicked[i], scrubbed[i]), 0);
    ck_assert_int_gt(differing(other, scrubbed[1]), 200);
    json_decref(browser_value(b, "document.getElementById('forward').click()"));
    both_show(b, step + 1);
    json_decref(browser_value(b, "document.getElementById('back').click()"));
    both_show(b, step);
    ck_assert_int_eq(browser_errors(b), 0);
    for (int i = 0; i < 2; i++)
        cairo_surface_destroy(clicked[i]), cairo_surface_destroy(scrubbed[i]);
    cairo_surface_destroy(other);
    browser_close(b);
}
END_TEST

/* Turning one view turns the other. */
START_TEST(cameras_are_joined)
{
    make_page("dominoes --contact ode,peg --time .5");
    browser *b = open_browser();
    browser_load(b, test_path("report.html"), READY);
    cairo_surface_t *before = picture(b, "#view-1 canvas");
    json_decref(browser_value(b, "(() => { const v = report.views[0]; v.camera.position.x *= -3; "
                                 "v.controls.update(); })()"));
    ck_assert_double_eq_tol(browser_number(b, "report.views[1].camera.position.distanceTo("
                                              "report.views[0].camera.position)"),
                            0, 1e-9);
    cairo_surface_t *after = picture(b, "#view-1 canvas");
    ck_assert_int_gt(differing(before, after), 200);
    cairo_surface_destroy(before);
    cairo_surface_destroy(after);
    browser_close(b);
}
END_TEST

START_TEST(figures_are_those_of_the_summary)
{
    make_page("pour-convex --contact ode,peg --time 2");
    browser *b = open_browser();
    browser_load(b, test_path("report.html"), READY);
    json_t *summary = json_load_file(test_path("summary.json"), 0, NULL);
    for (int i = 0; i < 2; i++) {
        double depth, overlap, mean;
        ck_assert_int_eq(json_unpack(json_array_get(summary, (size_t)i), "{s:F, s:{s:F}, s:F}",
                                     "depth_max", &depth, "overlap_volume", "max", &overlap,
                                     "mean_volume", &mean),
                         0);
        static const char cell[] =
            "+document.querySelector('td[data-figure=%s][data-run=\"%d\"]').dataset.value";
        char expression[256];
        snprintf(expression, sizeof expression, cell, "depth_max", i);
        ck_assert_double_eq_tol(browser_number(b, "%s", expression), depth, 1e-6 * depth + 1e-300);
        snprintf(expression, sizeof expression, cell, "overlap_max", i);
        ck_assert_double_eq_tol(browser_number(b, "%s", expression), 100 * overlap / mean,
                                1e-6 * 100 * overlap / mean + 1e-300);
        /* and the largest of what is plotted */
        ck_assert_double_eq_tol(
            browser_number(b, "report.runs[%d].series.depth.reduce((a, b) => Math.max(a, b))", i),
            depth, 1e-6 * depth + 1e-300);
        ck_assert(i == 1 ? depth == 0 : depth > .01);
    }
    json_decref(summary);
    browser_close(b);
}
END_TEST

#define CUBE                                                                                       \
    "{\"type\":\"convex\",\"vertices\":[[-0.5,-0.5,-0.5],[0.5,-0.5,-0.5],[-0.5,0.5,-0.5],"         \
    "[0.5,0.5,-0.5],[-0.5,-0.5,0.5],[0.5,-0.5,0.5],[-0.5,0.5,0.5],[0.5,0.5,0.5]],\"faces\":"       \
    "[[4,6,2,0],[1,3,7,5],[1,5,4,0],[2,6,7,3],[2,3,1,0],[4,5,7,6]]}"

/* Two cubes of any program's: the overlap of step 2 is red there and nowhere else. */
START_TEST(shows_a_planted_overlap)
{
    static const double height[5] = {1.5, 1.2, .9, 1.2, 1.4};
    char command[512];
    FILE *file = fopen(test_path("planted.jsonl"), "w");
    fprintf(file, "{\"format\":\"ode-peg-trace\",\"version\":1,\"h\":0.1,\"bodies\":["
                  "{\"name\":\"low\",\"static\":false,\"mass\":1,\"parts\":[" CUBE
                  "]},{\"name\":\"high\",\"static\":false,\"mass\":2,\"parts\":[" CUBE "]}]}\n");
    for (int k = 0; k < 5; k++)
        fprintf(file, "{\"step\":%d,\"pose\":[[0,0,0,1,0,0,0],[0,0,%g,1,0,0,0]]}\n", k, height[k]);
    fclose(file);
    snprintf(command, sizeof command, "report %s --out %s", test_path("planted.jsonl"),
             test_path("planted.html"));
    ck_assert_int_eq(lab(command), 0);
    browser *b = open_browser();
    browser_load(b, test_path("planted.html"), READY);
    for (int k = 0; k < 5; k++) {
        json_decref(browser_value(b, "report.setFrame(%d)", k));
        cairo_surface_t *s = picture(b, "#view-0 canvas");
        int red = red_pixels(s);
        ck_assert_msg(k == 2 ? red > 3000 : red == 0, "step %d: %d red pixels", k, red);
        ck_assert_double_eq(browser_number(b, "+document.getElementById('view-0').dataset.red"),
                            k == 2);
        cairo_surface_destroy(s);
    }
    ck_assert_double_eq_tol(browser_number(b, "report.runs[0].figures.depthMax"), .1, 1e-12);
    json_decref(browser_value(b, "document.getElementById('deepest').click()"));
    ck_assert_double_eq(step_of(b, 0), 2);
    ck_assert_int_eq(browser_errors(b), 0);
    browser_close(b);
}
END_TEST

/* Scenes of other kinds, with every display on. */
static const char *const others[] = {"demo-trimesh --contact ode,peg --time .6",
                                     "ragdoll --contact ode,peg --time .6",
                                     "pour-2d --contact st,peg --time 1"};

START_TEST(shows_other_scenes)
{
    make_page(others[_i]);
    browser *b = open_browser();
    browser_load(b, test_path("report.html"), READY);
    static const char *const toggles[] = {"facets", "transparent"};
    cairo_surface_t *first = picture(b, "#view-1 canvas");
    for (int i = 0; i < 2; i++)
        json_decref(browser_value(b, "document.getElementById('%s').click()", toggles[i]));
    json_decref(browser_value(b, "(() => { const s = document.getElementById('colour'); s.value = "
                                 "'island'; s.dispatchEvent(new Event('change')); "
                                 "report.setFrame(1e9); })()"));
    cairo_surface_t *last = picture(b, "#view-1 canvas");
    ck_assert_int_gt(differing(first, last), 200);
    ck_assert_int_eq(browser_errors(b), 0);
    cairo_surface_destroy(first);
    cairo_surface_destroy(last);
    browser_close(b);
}
END_TEST

/* A page that was not copied in full says so. */
START_TEST(says_that_it_is_not_whole)
{
    make_page("dominoes --contact peg --time .3");
    const char *path = test_path("report.html");
    json_t *page = NULL;
    FILE *file = fopen(path, "r");
    char *text = malloc(4 << 20);
    size_t n = fread(text, 1, 4 << 20, file);
    fclose(file);
    text[n < 4 << 20 ? n : (4 << 20) - 1] = 0;
    char *data = strstr(text, "\"data\":\""), *close = strstr(text, "</script>");
    ck_assert(data && close && data < close);
    memmove(data + 40, close, strlen(close) + 1); /* most of the data is gone */
    file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    free(text);
    browser *b = open_browser();
    browser_load(b, path,
                 "document.getElementById('error') && "
                 "!document.getElementById('error').hidden");
    page = browser_value(b, "document.getElementById('error').textContent");
    ck_assert_ptr_nonnull(strstr(json_string_value(page), "not whole"));
    json_decref(page);
    browser_close(b);
}
END_TEST

/* report refuses what it cannot read, and says which options it needs. */
START_TEST(refuses_bad_traces)
{
    char command[512];
    FILE *file = fopen(test_path("bad.jsonl"), "w");
    fputs("{\"format\":\"ode-peg-trace\",\"version\":1,\"h\":0.1,\"bodies\":[]}\n{\"st", file);
    fclose(file);
    snprintf(command, sizeof command, "report %s --out %s", test_path("bad.jsonl"),
             test_path("bad.html"));
    ck_assert_int_eq(lab(command), 2);
    snprintf(command, sizeof command, "play %s", test_path("bad.jsonl"));
    ck_assert_int_eq(lab(command), 2);
    ck_assert_int_eq(lab("report"), 2);
    snprintf(command, sizeof command, "report %s", test_path("bad.jsonl"));
    ck_assert_int_eq(lab(command), 2);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("page");
    TCase *commands = tcase_create("commands"), *pages = tcase_create("pages");
    suite_add_tcase(suite, commands);
    suite_add_tcase(suite, pages);
    tcase_set_timeout(commands, 60);
    tcase_set_timeout(pages, 240);
    test_long(pages);
    tcase_add_test(commands, refuses_bad_traces);
    if (!browser_exists()) {
        puts("page: skipped, no Chromium on this machine (Debian: chromium-headless-shell)");
        return suite;
    }
    tcase_add_test(pages, replays);
    tcase_add_test(pages, scrubber_and_plots_agree);
    tcase_add_test(pages, cameras_are_joined);
    tcase_add_test(pages, figures_are_those_of_the_summary);
    tcase_add_test(pages, shows_a_planted_overlap);
    tcase_add_loop_test(pages, shows_other_scenes, 0, sizeof others / sizeof *others);
    tcase_add_test(pages, says_that_it_is_not_whole);
    return suite;
}
