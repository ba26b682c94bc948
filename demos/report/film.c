/* Films: frames through a pipe to ffmpeg. */
#include "demos/report/film.h"
#include "demos/report/panels.h"
#include "demos/world/progress.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RATE      25  /* frames a second */
#define GIF_WIDTH 480 /* pixels, of all panels */
#define PANEL     540 /* pixels, of one panel of a video */
#define PAUSE     1.  /* s that the last frame stays */

static int ends_with(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n > m && !strcmp(path + n - m, end);
}

static int is_gif(const char *path)
{
    return ends_with(path, ".gif");
}

int film_is_name(const char *path)
{
    return is_gif(path) || ends_with(path, ".mp4");
}

int film_has_encoder(void)
{
    char program[4096];
    for (const char *at = getenv("PATH"); at && *at;) {
        size_t n = strcspn(at, ":");
        snprintf(program, sizeof program, "%.*s/ffmpeg", (int)n, at);
        if (access(program, X_OK) == 0) return 1;
        at += n + (at[n] == ':');
    }
    return 0;
}

/* Few colours and no dithering: flat faces pack well. */
static void run_ffmpeg(const char *path, int input, int width, int height)
{
    char size[32], rate[16];
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(rate, sizeof rate, "%d", RATE);
    dup2(input, STDIN_FILENO);
    close(input);
#define INPUT                                                                                      \
    "ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pixel_format", "bgr0",               \
        "-video_size", size, "-framerate", rate, "-i", "-"
    if (is_gif(path))
        execlp("ffmpeg", INPUT, "-filter_complex",
               "split[a][b];[a]palettegen=max_colors=96[p];"
               "[b][p]paletteuse=dither=none:diff_mode=rectangle",
               path, (char *)NULL);
    else
        execlp("ffmpeg", INPUT, "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "20", "-movflags",
               "+faststart", path, (char *)NULL);
#undef INPUT
    _exit(127);
}

/* The last frame that is not later than t. */
static const trace_frame *frame_at(const lab_trace *trace, double t, long *from)
{
    while (*from + 1 < trace->frames && trace->frame[*from + 1].t <= t + 1e-9) ++*from;
    return &trace->frame[*from];
}

static int put_image(FILE *to, const lab_panels *p)
{
    const unsigned char *data = cairo_image_surface_get_data(p->image);
    int width = cairo_image_surface_get_width(p->image);
    int height = cairo_image_surface_get_height(p->image);
    size_t stride = (size_t)cairo_image_surface_get_stride(p->image);
    for (int y = 0; y < height; y++)
        if (fwrite(data + (size_t)y * stride, 4, (size_t)width, to) != (size_t)width) return 1;
    return 0;
}

static int put_frames(FILE *to, lab_panels *p, lab_trace *const *traces, double speed, int quiet)
{
    double start = traces[0]->frame[0].t, end = start;
    long at[PANELS_MOST] = {0}, count;
    for (int i = 0; i < p->n; i++) end = fmax(end, traces[i]->frame[traces[i]->frames - 1].t);
    count = 1 + (long)ceil((end - start) / speed * RATE - 1e-9);
    lab_progress bar = {.title = "film", .unit = "frames", .total = count, .silent = quiet};
    int bad = 0;
    for (long k = 0; k < count && !bad; k++) {
        const trace_frame *frames[PANELS_MOST];
        for (int i = 0; i < p->n; i++)
            frames[i] = frame_at(traces[i], start + (double)k * speed / RATE, &at[i]);
        lab_panels_draw(p, frames);
        bad = put_image(to, p);
        lab_progress_set(&bar, k + 1);
    }
    for (int k = 0; k < PAUSE * RATE && !bad; k++) bad = put_image(to, p);
    lab_progress_end(&bar);
    return bad;
}

/* Starts ffmpeg; the stream of its input, or null. */
static FILE *start(const char *path, const lab_panels *p, pid_t *child)
{
    int pipes[2];
    if (pipe(pipes) != 0) return NULL;
    fflush(NULL);
    *child = fork();
    if (*child == 0) {
        close(pipes[1]);
        run_ffmpeg(path, pipes[0], cairo_image_surface_get_width(p->image),
                   cairo_image_surface_get_height(p->image));
    }
    close(pipes[0]);
    FILE *to = *child > 0 ? fdopen(pipes[1], "w") : NULL;
    if (!to) close(pipes[1]);
    return to;
}

static int encode(const char *path, lab_panels *p, lab_trace *const *traces, double speed,
                  int quiet)
{
    pid_t child = -1;
    int status = 0;
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    FILE *to = start(path, p, &child);
    int bad = !to || put_frames(to, p, traces, speed, quiet);
    if (to) bad |= fclose(to) != 0;
    if (child > 0) waitpid(child, &status, 0);
    signal(SIGPIPE, before);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        fputs("peg-lab: films need ffmpeg: install it (Debian: apt-get install ffmpeg)\n", stderr);
        return 1;
    }
    if (bad || status != 0) fprintf(stderr, "peg-lab: '%s' could not be written\n", path);
    return bad || status != 0;
}

int film_write(const char *path, lab_trace *const *traces, int n, double speed, int quiet)
{
    lab_panels panels;
    int size = is_gif(path) ? GIF_WIDTH / n : PANEL;
    for (int i = 0; i < n; i++)
        if (trace_measure(traces[i], !quiet)) return 1;
    int bad = lab_panels_open(&panels, traces, n, size);
    if (bad)
        fputs("peg-lab: out of memory\n", stderr);
    else
        bad = encode(path, &panels, traces, speed, quiet);
    lab_panels_free(&panels);
    return bad;
}
