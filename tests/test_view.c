/* The live window on a virtual screen: it shows the scene, plays, stops, steps, turns, goes from
 * one contact model to another. Keys and the mouse by xdotool, pixels from the screen's memory
 * (Xvfb -fbdir, a file of X's window dumps). Environment: PEG_LAB, the program; HAS_VIEW: it was
 * built with the window. */
#include "tests/runner.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 1100, HEIGHT = 760, PANEL = 330 };
static const double PATIENCE = 30; /* s */

static pid_t screen_server, window;

static void rest(double seconds)
{
    nanosleep(&(struct timespec){(time_t)seconds, (long)(1e9 * (seconds - (time_t)seconds))}, NULL);
}

/* ---- the screen ------------------------------------------------------------------------------ */

static void open_screen(void)
{
    char number[16] = ":";
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    screen_server = fork();
    if (screen_server == 0) {
        char fd[16], size[32];
        snprintf(fd, sizeof fd, "%d", ends[1]);
        snprintf(size, sizeof size, "%dx%dx24", WIDTH, HEIGHT);
        freopen("/dev/null", "w", stderr);
        execlp("Xvfb", "Xvfb", "-displayfd", fd, "-screen", "0", size, "-fbdir", test_folder(),
               "-nocursor", "-noreset", "-nolisten", "tcp", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    ssize_t n = read(ends[0], number + 1, sizeof number - 2);
    close(ends[0]);
    ck_assert_int_gt(n, 0);
    number[strcspn(number, "\n")] = 0;
    setenv("DISPLAY", number, 1);
}

static void close_screen(void)
{
    kill(screen_server, SIGTERM);
    waitpid(screen_server, NULL, 0);
}

static uint32_t number_at(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* What the screen shows. */
static void shoot(uint32_t pixel[HEIGHT][WIDTH])
{
    char path[256];
    unsigned char head[100];
    snprintf(path, sizeof path, "%s/Xvfb_screen0", test_folder());
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fread(head, sizeof head, 1, file), 1);
    ck_assert_uint_eq(number_at(head + 16), WIDTH);
    ck_assert_uint_eq(number_at(head + 20), HEIGHT);
    ck_assert_uint_eq(number_at(head + 48), 4 * WIDTH); /* bytes of a line */
    long start = (long)number_at(head) + 12 * (long)number_at(head + 76);
    ck_assert_int_eq(fseek(file, start, SEEK_SET), 0);
    ck_assert_uint_eq(fread(pixel, 4 * WIDTH, HEIGHT, file), HEIGHT);
    fclose(file);
}

/* Pixels that differ right of the panel, or in all. */
static int differing(uint32_t a[HEIGHT][WIDTH], uint32_t b[HEIGHT][WIDTH], int from)
{
    int n = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = from; x < WIDTH; x++) n += (a[y][x] & 0xffffff) != (b[y][x] & 0xffffff);
    return n;
}

/* Shoots until nothing changes any more: of a window that is paused. */
static void shoot_still(uint32_t pixel[HEIGHT][WIDTH])
{
    static uint32_t again[HEIGHT][WIDTH];
    int same = 0;
    shoot(pixel);
    for (int i = 0; i < 100 && same < 3; i++) {
        rest(.1);
        shoot(again);
        same = differing(pixel, again, 0) == 0 ? same + 1 : 0;
        memcpy(pixel, again, sizeof again);
    }
    ck_assert_int_eq(same, 3);
}

/* ---- the window ------------------------------------------------------------------------------ */

static void open_window(const char *scene)
{
    window = fork();
    if (window == 0) {
        execl(getenv("PEG_LAB"), "peg-lab", "view", scene, "--quiet", (char *)NULL);
        _exit(127);
    }
}

static void act(const char *what)
{
    char line[256];
    snprintf(line, sizeof line, "xdotool %s", what);
    ck_assert_int_eq(system(line), 0);
}

static const char *title(void)
{
    static char text[256];
    FILE *out = popen("xdotool search --name '^peg-lab' getwindowname 2>/dev/null", "r");
    *text = 0;
    if (!fgets(text, sizeof text, out)) *text = 0;
    pclose(out);
    return text;
}

/* Time that the window shows, s; -1: none yet. */
static double shown_time(void)
{
    const char *text = title(), *last = strrchr(text, ',');
    if (last && strstr(last, "paused"))
        while (last > text && *--last != ',') continue;
    return last ? atof(last + 1) : -1;
}

static void wait_for_time(double t)
{
    for (double waited = 0; shown_time() < t; waited += .05) {
        ck_assert_msg(waited < PATIENCE, "the window does not play: '%s'", title());
        rest(.05);
    }
}

static void wait_for_title(const char *part)
{
    for (double waited = 0; !strstr(title(), part); waited += .05) {
        ck_assert_msg(waited < PATIENCE, "no '%s' in '%s'", part, title());
        rest(.05);
    }
}

static void open_paused(const char *scene, double t)
{
    open_screen();
    open_window(scene);
    act("mousemove 700 400");
    wait_for_time(t);
    act("key space");
    wait_for_title("paused");
}

static void close_window(void)
{
    int status;
    act("key q");
    ck_assert_int_eq(waitpid(window, &status, 0), window);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close_screen();
}

static uint32_t first[HEIGHT][WIDTH], later[HEIGHT][WIDTH], last[HEIGHT][WIDTH];

/* ---- tests ----------------------------------------------------------------------------------- */

START_TEST(plays_and_pauses)
{
    open_screen();
    open_window("pour-convex");
    act("mousemove 700 400");
    wait_for_time(.5);
    shoot(first);
    wait_for_time(1.2);
    shoot(later);
    ck_assert_int_gt(differing(first, later, PANEL), 500);
    int colours = 0; /* not blank: neighbours that differ */
    for (int y = 0; y < HEIGHT; y++)
        for (int x = PANEL; x + 1 < WIDTH; x++) colours += later[y][x] != later[y][x + 1];
    ck_assert_int_gt(colours, 2000);
    act("key space");
    wait_for_title("paused");
    shoot_still(first);
    rest(.5);
    shoot(later);
    ck_assert_int_eq(differing(first, later, 0), 0);
    double t = shown_time();
    act("key period");
    for (int i = 0; i < 200 && shown_time() == t; i++) rest(.05);
    ck_assert_double_eq_tol(shown_time(), t + .01, 1e-9);
    act("key space");
    wait_for_time(t + .3);
    act("key space r");
    wait_for_title(" 0.000 s");
    close_window();
}
END_TEST

START_TEST(shows_contacts_and_turns)
{
    open_paused("dominoes", .3);
    shoot_still(first);
    act("key c");
    shoot_still(later);
    ck_assert_int_gt(differing(first, later, PANEL), 50);
    act("key c");
    shoot_still(last);
    ck_assert_int_eq(differing(first, last, PANEL), 0);
    act("mousemove 700 400 mousedown 1 mousemove 760 430 mousemove 800 440 mouseup 1");
    shoot_still(later);
    ck_assert_int_gt(differing(first, later, PANEL), 5000);
    act("mousemove 700 400 key f");
    shoot_still(last);
    ck_assert_int_eq(differing(first, last, PANEL), 0);
    act("key i"); /* islands by colour */
    shoot_still(last);
    ck_assert_int_gt(differing(first, last, PANEL), 500);
    close_window();
}
END_TEST

/* The body at which one clicks is lit, and the panel names it. */
START_TEST(picks_a_body)
{
    open_paused("tower-20", .1);
    shoot_still(first);
    act("mousemove 550 400 click 1 mousemove 1000 700");
    shoot_still(later);
    ck_assert_int_gt(differing(first, later, 0) - differing(first, later, PANEL), 20);
    ck_assert_int_gt(differing(first, later, PANEL), 100);
    close_window();
}
END_TEST

START_TEST(goes_from_model_to_model)
{
    open_paused("pour-convex", 1);
    double t = shown_time();
    act("key 2");
    wait_for_title(", ode,");
    ck_assert_double_eq(shown_time(), t);
    shoot_still(first);
    act("key period key period");
    for (int i = 0; i < 200 && shown_time() < t + .015; i++) rest(.05);
    ck_assert_double_eq_tol(shown_time(), t + .02, 1e-9);
    shoot_still(later);
    ck_assert_int_gt(differing(first, later, PANEL), 50);
    act("key 1");
    wait_for_title(", peg,");
    act("key space");
    wait_for_time(t + .3);
    close_window();
}
END_TEST

static int lab(const char *arguments, char said[512])
{
    char line[1024];
    snprintf(line, sizeof line, "'%s' %s 2>&1", getenv("PEG_LAB"), arguments);
    FILE *out = popen(line, "r");
    size_t n = fread(said, 1, 511, out);
    said[n] = 0;
    int status = pclose(out);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

START_TEST(says_what_is_missing)
{
    char said[512];
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    ck_assert_int_eq(lab("view dominoes", said), 1);
    ck_assert_ptr_nonnull(strstr(said, getenv("HAS_VIEW") ? "no window: " : "libglfw3-dev"));
    ck_assert_ptr_nonnull(strstr(said, "compare"));
    ck_assert_int_eq(lab("view no-such-scene", said), 2);
    ck_assert_ptr_nonnull(strstr(said, "no scene"));
}
END_TEST

START_TEST(writes_a_picture)
{
    char said[512], line[512];
    open_screen();
    snprintf(line, sizeof line, "view v-notch --time .2 --picture %s/view.png", test_folder());
    ck_assert_int_eq(lab(line, said), 0);
    snprintf(line, sizeof line, "%s/view.png", test_folder());
    FILE *file = fopen(line, "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fread(said, 1, 4, file), 4);
    ck_assert_int_eq(memcmp(said, "\x89PNG", 4), 0);
    fseek(file, 0, SEEK_END);
    ck_assert_int_gt(ftell(file), 10000); /* an even picture has 3000 */
    fclose(file);
    snprintf(line, sizeof line, "view v-notch --time .2 --picture %s/none/view.png", test_folder());
    ck_assert_int_eq(lab(line, said), 2);
    ck_assert_ptr_nonnull(strstr(said, "--picture"));
    close_screen();
}
END_TEST

static int has_screen(void)
{
    return getenv("HAS_VIEW") && system("command -v Xvfb xdotool >/dev/null") == 0;
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("view");
    test_folder(); /* the same for all that is started */
    TCase *errors = tcase_create("errors"), *live = tcase_create("live");
    tcase_add_test(errors, says_what_is_missing);
    suite_add_tcase(suite, errors);
    if (!has_screen()) {
        puts(
            "view: the window is skipped: built without it, or no Xvfb or xdotool on this machine");
        return suite;
    }
    tcase_set_tags(live, "long unsanitized"); /* OpenGL's software renderer leaks */
    tcase_add_test(live, plays_and_pauses);
    tcase_add_test(live, shows_contacts_and_turns);
    tcase_add_test(live, picks_a_body);
    tcase_add_test(live, goes_from_model_to_model);
    tcase_add_test(live, writes_a_picture);
    suite_add_tcase(suite, live);
    return suite;
}
