/* The DevTools protocol over a pipe: messages are JSON, each ended by a null byte. */
#include "tests/browser.h"

#include <check.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct browser {
    pid_t process;
    int in, out; /* to the browser, from it */
    char *buffer;
    size_t used, room;
    int id, errors;
    char session[128], folder[64];
};

#define PATIENCE 60 /* s, of one answer */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void nap(void)
{
    nanosleep(&(struct timespec){0, 20000000}, NULL);
}

/* ---- messages -------------------------------------------------------------------------------- */

/* The next message; null after some seconds without one. */
static json_t *receive(browser *b)
{
    for (;;) {
        char *end = memchr(b->buffer, 0, b->used);
        if (end) {
            json_t *json = json_loads(b->buffer, 0, NULL);
            size_t taken = (size_t)(end - b->buffer) + 1;
            memmove(b->buffer, end + 1, b->used -= taken);
            return json;
        }
        if (b->room - b->used < 1 << 16) {
            b->buffer = realloc(b->buffer, b->room *= 2);
            ck_assert_ptr_nonnull(b->buffer);
        }
        struct pollfd wait = {b->out, POLLIN, 0};
        if (poll(&wait, 1, 1000 * PATIENCE) <= 0) return NULL;
        ssize_t n = read(b->out, b->buffer + b->used, b->room - b->used - 1);
        if (n <= 0) return NULL;
        b->used += (size_t)n;
    }
}

static void note_event(browser *b, const json_t *event)
{
    const char *method = json_string_value(json_object_get(event, "method"));
    const json_t *params = json_object_get(event, "params");
    const char *level =
        json_string_value(json_object_get(json_object_get(params, "entry"), "level"));
    const char *type = json_string_value(json_object_get(params, "type"));
    if (!method) return;
    int bad = !strcmp(method, "Runtime.exceptionThrown") ||
              (!strcmp(method, "Log.entryAdded") && level && !strcmp(level, "error")) ||
              (!strcmp(method, "Runtime.consoleAPICalled") && type && !strcmp(type, "error"));
    b->errors += bad;
}

/* The result of a call; params is taken over. */
static json_t *call(browser *b, const char *method, json_t *params)
{
    json_t *message = json_pack("{s:i, s:s, s:o}", "id", ++b->id, "method", method, "params",
                                params ? params : json_object());
    if (*b->session) json_object_set_new(message, "sessionId", json_string(b->session));
    char *text = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    size_t n = strlen(text) + 1;
    for (size_t sent = 0; sent < n;) {
        ssize_t k = write(b->in, text + sent, n - sent);
        ck_assert_msg(k > 0, "the browser has gone");
        sent += (size_t)k;
    }
    free(text);
    for (;;) {
        json_t *answer = receive(b);
        ck_assert_msg(answer != NULL, "no answer of the browser to %s", method);
        if (json_integer_value(json_object_get(answer, "id")) == b->id) {
            json_t *result = json_incref(json_object_get(answer, "result"));
            char *error = json_dumps(json_object_get(answer, "error"), JSON_ENCODE_ANY);
            ck_assert_msg(result != NULL, "%s: %s", method, error);
            free(error);
            json_decref(answer);
            return result;
        }
        note_event(b, answer);
        json_decref(answer);
    }
}

/* ---- the process ----------------------------------------------------------------------------- */

static const char *program(void)
{
    static const char *const names[] = {"/usr/bin/chromium-headless-shell", "/usr/bin/chromium"};
    for (int i = 0; i < 2; i++)
        if (access(names[i], X_OK) == 0) return names[i];
    return NULL;
}

int browser_exists(void)
{
    return program() != NULL;
}

static void start(const char *path, const char *folder, int width, int height, int from, int to)
{
    char size[64], data[128];
    snprintf(size, sizeof size, "--window-size=%d,%d", width, height);
    snprintf(data, sizeof data, "--user-data-dir=%s", folder);
    int silence = open("/dev/null", O_RDWR);
    from = fcntl(from, F_DUPFD, 10), to = fcntl(to, F_DUPFD, 10);
    dup2(silence, 1);
    dup2(silence, 2);
    dup2(from, 3);
    dup2(to, 4);
    unsetenv("LD_PRELOAD");
    execl(path, path, "--headless", "--no-sandbox", "--remote-debugging-pipe",
          "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars",
          "--force-device-scale-factor=1", "--disable-dev-shm-usage", size, data, "about:blank",
          (char *)NULL);
    _exit(127);
}

static void attach(browser *b)
{
    json_t *list = call(b, "Target.getTargets", NULL), *one;
    size_t i;
    char target[128] = "";
    json_array_foreach(json_object_get(list, "targetInfos"), i, one)
    {
        if (!strcmp(json_string_value(json_object_get(one, "type")), "page"))
            snprintf(target, sizeof target, "%s",
                     json_string_value(json_object_get(one, "targetId")));
    }
    json_decref(list);
    json_t *session =
        call(b, "Target.attachToTarget", json_pack("{s:s, s:b}", "targetId", target, "flatten", 1));
    snprintf(b->session, sizeof b->session, "%s",
             json_string_value(json_object_get(session, "sessionId")));
    json_decref(session);
    static const char *const domains[] = {"Page.enable", "Runtime.enable", "Log.enable"};
    for (int k = 0; k < 3; k++) json_decref(call(b, domains[k], NULL));
}

browser *browser_open(int width, int height)
{
    int to[2], from[2];
    const char *path = program();
    ck_assert_msg(path != NULL, "no Chromium");
    browser *b = calloc(1, sizeof *b);
    ck_assert_ptr_nonnull(b);
    b->buffer = malloc(b->room = 1 << 20);
    strcpy(b->folder, "/tmp/peg-browser-XXXXXX");
    ck_assert(b->buffer && mkdtemp(b->folder) && pipe(to) == 0 && pipe(from) == 0);
    signal(SIGPIPE, SIG_IGN);
    b->process = fork();
    ck_assert_int_ge(b->process, 0);
    if (b->process == 0) start(path, b->folder, width, height, to[0], from[1]);
    close(to[0]);
    close(from[1]);
    b->in = to[1], b->out = from[0];
    attach(b);
    return b;
}

void browser_close(browser *b)
{
    char command[128];
    kill(b->process, SIGKILL);
    waitpid(b->process, NULL, 0);
    close(b->in);
    close(b->out);
    snprintf(command, sizeof command, "rm -rf %s", b->folder);
    if (system(command) != 0) fputs("browser: its folder is left over\n", stderr);
    free(b->buffer);
    free(b);
}

/* ---- pages ----------------------------------------------------------------------------------- */

static json_t *evaluate(browser *b, const char *expression)
{
    json_t *result = call(b, "Runtime.evaluate",
                          json_pack("{s:s, s:b, s:b}", "expression", expression, "awaitPromise", 1,
                                    "returnByValue", 1));
    char *thrown = json_dumps(json_object_get(result, "exceptionDetails"), JSON_ENCODE_ANY);
    ck_assert_msg(!json_object_get(result, "exceptionDetails"), "%s throws %s", expression, thrown);
    free(thrown);
    json_t *value = json_incref(json_object_get(json_object_get(result, "result"), "value"));
    json_decref(result);
    return value ? value : json_null();
}

json_t *browser_value(browser *b, const char *format, ...)
{
    char expression[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(expression, sizeof expression, format, list);
    va_end(list);
    return evaluate(b, expression);
}

double browser_number(browser *b, const char *format, ...)
{
    char expression[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(expression, sizeof expression, format, list);
    va_end(list);
    json_t *value = evaluate(b, expression);
    ck_assert_msg(json_is_number(value), "%s is no number", expression);
    double x = json_number_value(value);
    json_decref(value);
    return x;
}

void browser_wait(browser *b, const char *expression, double seconds)
{
    double end = now() + seconds;
    for (;;) {
        json_t *value = browser_value(b, "Boolean(%s)", expression);
        int done = json_is_true(value);
        json_decref(value);
        if (done) return;
        ck_assert_msg(now() < end, "waited in vain until %s", expression);
        nap();
    }
}

void browser_load(browser *b, const char *path, const char *until)
{
    char url[512];
    snprintf(url, sizeof url, "file://%s", path);
    json_decref(call(b, "Page.navigate", json_pack("{s:s}", "url", url)));
    browser_wait(b, until, PATIENCE);
}

void browser_click(browser *b, double x, double y)
{
    static const char *const types[] = {"mouseMoved", "mousePressed", "mouseReleased"};
    for (int i = 0; i < 3; i++)
        json_decref(call(b, "Input.dispatchMouseEvent",
                         json_pack("{s:s, s:f, s:f, s:s, s:i}", "type", types[i], "x", x, "y", y,
                                   "button", i ? "left" : "none", "clickCount", i ? 1 : 0)));
}

int browser_errors(const browser *b)
{
    return b->errors;
}

/* ---- pictures -------------------------------------------------------------------------------- */

typedef struct base64 {
    const char *text;
    unsigned char bytes[3];
    int left;
} base64;

static int digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(digits, c);
    return at && c ? (int)(at - digits) : -1;
}

static cairo_status_t read_bytes(void *closure, unsigned char *out, unsigned n)
{
    base64 *s = closure;
    for (unsigned i = 0; i < n; i++) {
        if (s->left == 0) {
            unsigned word = 0;
            int count = 0;
            for (; count < 4 && digit(s->text[count]) >= 0; count++)
                word |= (unsigned)digit(s->text[count]) << (18 - 6 * count);
            if (count < 2) return CAIRO_STATUS_READ_ERROR;
            for (int k = 0; k < 3; k++) s->bytes[k] = (unsigned char)(word >> (16 - 8 * k));
            s->text += count;
            s->left = count - 1;
        }
        out[i] = s->bytes[0];
        s->bytes[0] = s->bytes[1], s->bytes[1] = s->bytes[2];
        s->left--;
    }
    return CAIRO_STATUS_SUCCESS;
}

cairo_surface_t *browser_picture(browser *b, const char *selector)
{
    double box[4];
    static const char *const of[] = {"x + scrollX", "y + scrollY", "width", "height"};
    for (int i = 0; i < 4; i++)
        box[i] = browser_number(b, "document.querySelector('%s').getBoundingClientRect().%s",
                                selector, of[i]);
    json_t *clip = json_pack("{s:f, s:f, s:f, s:f, s:i}", "x", box[0], "y", box[1], "width", box[2],
                             "height", box[3], "scale", 1);
    json_t *result = call(
        b, "Page.captureScreenshot",
        json_pack("{s:s, s:o, s:b}", "format", "png", "clip", clip, "captureBeyondViewport", 1));
    base64 stream = {.text = json_string_value(json_object_get(result, "data"))};
    cairo_surface_t *picture = cairo_image_surface_create_from_png_stream(read_bytes, &stream);
    ck_assert_int_eq(cairo_surface_status(picture), CAIRO_STATUS_SUCCESS);
    json_decref(result);
    return picture;
}
