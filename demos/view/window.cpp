/* The live window: GLFW, OpenGL 2.1, Dear ImGui. */
#include "demos/view/view.h"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl2.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace
{

const int WIDTH = 1100, HEIGHT = 760;
const double STEP_BUDGET = .03;  /* s of every picture that steps may take */
const int MEASURED_BODIES = 300; /* up to which overlap is measured from the start */
const unsigned RED = 0xee2a22;

struct vec3 {
    double x, y, z;
};

vec3 of(const double a[3])
{
    return {a[0], a[1], a[2]};
}

vec3 operator+(vec3 a, vec3 b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}

vec3 operator*(double s, vec3 a)
{
    return {s * a.x, s * a.y, s * a.z};
}

double dot(vec3 a, vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

vec3 cross(vec3 a, vec3 b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

vec3 unit(vec3 a)
{
    return (1 / std::sqrt(dot(a, a))) * a;
}

/* Looks at a point from a distance; turned about the way up, and tilted. */
struct camera {
    vec3 centre, up, side, away;
    double turn, tilt, distance, size;

    vec3 to_eye() const
    {
        return std::cos(tilt) * (std::cos(turn) * away + std::sin(turn) * side) +
               std::sin(tilt) * up;
    }
    vec3 right() const
    {
        return unit(cross(up, to_eye()));
    }
};

struct window {
    view *v;
    GLFWwindow *glfw;
    camera eye;
    std::vector<std::vector<GLuint>> list; /* display lists of the parts */
    bool playing, points, normals, forces, facets, islands, measure, see_through;
    float speed, arrow;
    double behind; /* s of the scene that the window has not shown yet */
    int picked;
    double mouse[2];
    bool dragged;
};

/* ---- camera ---------------------------------------------------------------------------------- */

void aim(window *w)
{
    view_frame f = view_frame_of(w->v);
    camera *c = &w->eye;
    vec3 low = of(f.low), high = of(f.high), to_eye = of(f.to_eye);
    vec3 extent = high + -1. * low;
    c->centre = .5 * (low + high);
    c->up = of(f.up);
    c->size = std::fmax(std::sqrt(dot(extent, extent)), 1e-9);
    c->distance = 1.5 * c->size;
    double rise = dot(to_eye, c->up);
    vec3 level = to_eye + -rise * c->up;
    if (dot(level, level) < 1e-12) level = cross(c->up, {c->up.y, c->up.z, c->up.x});
    c->away = unit(level);
    c->side = cross(c->up, c->away);
    c->turn = 0;
    c->tilt = std::asin(std::fmax(-1., std::fmin(1., rise)));
}

void set_camera(const window *w, int width, int height)
{
    const camera *c = &w->eye;
    vec3 back = c->to_eye(), right = c->right(), up = cross(back, right);
    vec3 eye = c->centre + c->distance * back;
    double near = .01 * c->distance, far = c->distance + 20 * c->size, half = .4 * near;
    double wide = half * width / (height > 0 ? height : 1);
    const double turn[16] = {right.x, up.x, back.x, 0, right.y, up.y, back.y, 0,
                             right.z, up.z, back.z, 0, 0,       0,    0,      1};
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glFrustum(-wide, wide, -half, half, near, far);
    glMatrixMode(GL_MODELVIEW);
    glLoadMatrixd(turn);
    glTranslated(-eye.x, -eye.y, -eye.z);
}

/* ---- drawing --------------------------------------------------------------------------------- */

void make_lists(window *w)
{
    w->list.resize((size_t)view_bodies(w->v));
    for (int i = 0; i < view_bodies(w->v); i++)
        for (int p = 0; p < view_parts(w->v, i); p++) {
            view_part part = view_part_at(w->v, i, p);
            GLuint list = glGenLists(1);
            glNewList(list, GL_COMPILE);
            glBegin(GL_TRIANGLES);
            for (int k = 0; k < part.corners; k++) {
                glNormal3fv(part.normal[k]);
                glVertex3fv(part.position[k]);
            }
            glEnd();
            glEndList();
            w->list[(size_t)i].push_back(list);
        }
}

void set_colour(unsigned rgb, double alpha)
{
    glColor4d((rgb >> 16 & 255) / 255., (rgb >> 8 & 255) / 255., (rgb & 255) / 255., alpha);
}

/* Red by depth: full at a twentieth of the scene's size. */
unsigned redder(unsigned rgb, double share)
{
    double t = share > 1e-6 ? .3 + .7 * std::sqrt(std::fmin(20 * share, 1.)) : 0;
    unsigned out = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        double a = rgb >> shift & 255, b = RED >> shift & 255;
        out |= (unsigned)(a + t * (b - a)) << shift;
    }
    return out;
}

unsigned colour_of(const window *w, int i, const view_body *b)
{
    static const unsigned hue[6] = {0x7fa7d1, 0x8fc29a, 0xd9c07a, 0xb79fd0, 0x86c5c9, 0xd0a387};
    if (!b->moves) return b->colour;
    unsigned rgb = w->islands ? b->colour : hue[i % 6];
    if (i == w->picked) rgb = 0xffffff;
    return redder(rgb, b->depth / w->eye.size);
}

void draw_body(const window *w, int i, bool transparent)
{
    view_body b = view_body_at(w->v, i);
    if (!b.present) return;
    glPushMatrix();
    glMultMatrixd(b.matrix);
    for (int p = 0; p < view_parts(w->v, i); p++) {
        bool faint = view_part_at(w->v, i, p).hides || (w->see_through && !b.moves);
        if (faint != transparent) continue;
        set_colour(colour_of(w, i, &b), faint ? .15 : 1);
        glCallList(w->list[(size_t)i][(size_t)p]);
    }
    glPopMatrix();
}

void draw_bodies(const window *w)
{
    const float light[4] = {.3f, .5f, 1, 0}, ambient[4] = {.45f, .45f, .45f, 1};
    const float diffuse[4] = {.6f, .6f, .6f, 1};
    glPushMatrix();
    glLoadIdentity();
    glLightfv(GL_LIGHT0, GL_POSITION, light);
    glPopMatrix();
    glLightfv(GL_LIGHT0, GL_DIFFUSE, diffuse);
    glLightModelfv(GL_LIGHT_MODEL_AMBIENT, ambient);
    glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, 1);
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    glEnable(GL_COLOR_MATERIAL);
    glEnable(GL_NORMALIZE);
    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < view_bodies(w->v); i++) draw_body(w, i, false);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDepthMask(GL_FALSE);
    for (int i = 0; i < view_bodies(w->v); i++) draw_body(w, i, true);
    glDepthMask(GL_TRUE);
    glDisable(GL_LIGHTING);
}

void on_point(void *, pegDrawKind, const dReal *at, unsigned)
{
    glPointSize(6);
    glBegin(GL_POINTS);
    set_colour(0x202020, 1);
    glVertex3d(at[0], at[1], at[2]);
    glEnd();
}

void on_segment(void *, pegDrawKind kind, const dReal *from, const dReal *to, unsigned colour)
{
    glLineWidth(kind == PEG_DRAW_NORMAL ? 2 : 3);
    glBegin(GL_LINES);
    set_colour(colour, 1);
    glVertex3d(from[0], from[1], from[2]);
    glVertex3d(to[0], to[1], to[2]);
    glEnd();
}

void on_polygon(void *, pegDrawKind, const dVector3 *corner, int corners, unsigned colour)
{
    for (int pass = 0; pass < 2; pass++) {
        glBegin(pass ? GL_LINE_LOOP : GL_POLYGON);
        set_colour(colour, pass ? 1 : .25);
        for (int i = 0; i < corners; i++) glVertex3d(corner[i][0], corner[i][1], corner[i][2]);
        glEnd();
    }
}

/* Contacts are seen through the bodies. */
void draw_contacts(const window *w)
{
    pegDebugDraw draw = {};
    draw.kinds =
        (w->points ? (unsigned)PEG_DRAW_POINT : 0) | (w->normals ? (unsigned)PEG_DRAW_NORMAL : 0) |
        (w->forces ? (unsigned)PEG_DRAW_FORCE : 0) | (w->facets ? (unsigned)PEG_DRAW_FACET : 0);
    draw.normal_length = .06 * w->eye.size;
    draw.force_scale = w->arrow * w->eye.size;
    draw.point = on_point;
    draw.segment = on_segment;
    draw.polygon = on_polygon;
    glDisable(GL_DEPTH_TEST);
    view_draw(w->v, &draw);
    glDisable(GL_BLEND);
}

/* Bodies in colours that number them; the one under the pixel, or -1. */
int pick(const window *w, int x, int y, int width, int height)
{
    unsigned char rgb[4] = {0, 0, 0, 0};
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    set_camera(w, width, height);
    glEnable(GL_DEPTH_TEST);
    glDisable(GL_LIGHTING);
    glDisable(GL_BLEND);
    for (int i = 0; i < view_bodies(w->v); i++) {
        view_body b = view_body_at(w->v, i);
        if (!b.present) continue;
        glPushMatrix();
        glMultMatrixd(b.matrix);
        set_colour((unsigned)i + 1, 1);
        for (int p = 0; p < view_parts(w->v, i); p++)
            if (!view_part_at(w->v, i, p).hides) glCallList(w->list[(size_t)i][(size_t)p]);
        glPopMatrix();
    }
    glReadPixels(x, height - 1 - y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, rgb);
    int body = (rgb[0] << 16 | rgb[1] << 8 | rgb[2]) - 1;
    return body < view_bodies(w->v) ? body : -1;
}

/* ---- the panel ------------------------------------------------------------------------------- */

void show_picked(const window *w)
{
    if (w->picked < 0) {
        ImGui::TextDisabled("click on a body");
        return;
    }
    view_body b = view_body_at(w->v, w->picked);
    double force = view_force(w->v, w->picked);
    ImGui::Text("%s%s", b.name, b.asleep ? ", asleep" : "");
    if (!b.moves) return;
    ImGui::Text("mass %.4g kg", b.mass);
    ImGui::Text("speed %.4g m/s, %.4g rad/s", b.speed, b.turning);
    if (b.island >= 0) ImGui::Text("island %d", b.island);
    if (std::isfinite(force)) ImGui::Text("contact forces %.4g N", force);
    if (b.depth > 0) ImGui::Text("depth %.4g mm", 1e3 * b.depth);
}

void show_state(const window *w)
{
    view_state s = view_state_of(w->v);
    ImGui::Text("t = %.3f s, step %ld, h = %g s", s.t, s.steps, s.h);
    ImGui::Text("step %.3g ms", s.ms);
    if (w->measure) {
        ImGui::Text("overlap %.3g %% of a body", s.volume);
        ImGui::Text("deepest %.3g mm", 1e3 * s.depth);
    }
    ImGui::Text("energy %.4g J", s.energy);
    ImGui::Text("contacts %d", s.contacts);
    if (s.islands > 0) ImGui::Text("islands %d, rows %d", s.islands, s.rows);
    if (s.error) ImGui::TextColored(ImVec4(1, .3f, .2f, 1), "%s", s.error);
    if (*view_note(w->v)) ImGui::TextColored(ImVec4(1, .6f, .2f, 1), "%s", view_note(w->v));
}

void step(window *w)
{
    if (view_step(w->v, w->measure)) w->playing = false;
}

void restart(window *w)
{
    view_restart(w->v);
    w->behind = 0;
}

void show_panel(window *w)
{
    ImGui::SetNextWindowPos(ImVec2(8, 8));
    ImGui::SetNextWindowSize(ImVec2(310, 0));
    ImGui::Begin(view_state_of(w->v).scene, nullptr,
                 ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize);
    if (ImGui::Button(w->playing ? "pause" : "play ")) w->playing = !w->playing;
    ImGui::SameLine();
    if (ImGui::Button("step")) w->playing = false, step(w);
    ImGui::SameLine();
    if (ImGui::Button("restart")) restart(w);
    ImGui::SameLine();
    if (ImGui::Button("camera")) aim(w);
    ImGui::SliderFloat("speed", &w->speed, .01f, 4, "%.2f", ImGuiSliderFlags_Logarithmic);
    for (int i = 0; i < view_models(w->v); i++) {
        if (i > 0) ImGui::SameLine();
        if (ImGui::RadioButton(view_model_name(w->v, i), i == view_model(w->v)))
            view_switch(w->v, i);
    }
    ImGui::Separator();
    ImGui::Checkbox("points", &w->points);
    ImGui::SameLine(100);
    ImGui::Checkbox("normals", &w->normals);
    ImGui::SameLine(200);
    ImGui::Checkbox("forces", &w->forces);
    ImGui::Checkbox("facets", &w->facets);
    ImGui::SameLine(100);
    ImGui::Checkbox("islands", &w->islands);
    ImGui::SameLine(200);
    ImGui::Checkbox("overlap", &w->measure);
    ImGui::Checkbox("see through what is fixed", &w->see_through);
    ImGui::SliderFloat("force arrows", &w->arrow, 1e-9f, 10, "%.1e", ImGuiSliderFlags_Logarithmic);
    ImGui::Separator();
    show_state(w);
    ImGui::Separator();
    show_picked(w);
    ImGui::Separator();
    ImGui::TextDisabled("space pause  . step  r restart\nc contacts  i islands  f camera\nq quit  "
                        "1 2 3 contact model\ndrag turn  right drag move  wheel zoom");
    ImGui::End();
}

/* ---- input ----------------------------------------------------------------------------------- */

window *window_of(GLFWwindow *glfw)
{
    return (window *)glfwGetWindowUserPointer(glfw);
}

void toggle_contacts(window *w)
{
    bool on = !(w->points || w->normals || w->forces);
    w->points = w->normals = w->forces = on;
}

void on_key(GLFWwindow *glfw, int key, int, int action, int)
{
    window *w = window_of(glfw);
    if (action == GLFW_RELEASE || ImGui::GetIO().WantTextInput) return;
    switch (key) {
    case GLFW_KEY_SPACE:
        w->playing = !w->playing;
        break;
    case GLFW_KEY_PERIOD:
        w->playing = false;
        step(w);
        break;
    case GLFW_KEY_R:
        restart(w);
        break;
    case GLFW_KEY_C:
        toggle_contacts(w);
        break;
    case GLFW_KEY_I:
        w->islands = !w->islands;
        break;
    case GLFW_KEY_F:
        aim(w);
        break;
    case GLFW_KEY_Q:
    case GLFW_KEY_ESCAPE:
        glfwSetWindowShouldClose(glfw, 1);
        break;
    default:
        if (key >= GLFW_KEY_1 && key < GLFW_KEY_1 + view_models(w->v))
            view_switch(w->v, key - GLFW_KEY_1);
    }
}

void on_move(GLFWwindow *glfw, double x, double y)
{
    window *w = window_of(glfw);
    double dx = x - w->mouse[0], dy = y - w->mouse[1];
    camera *c = &w->eye;
    w->mouse[0] = x, w->mouse[1] = y;
    if (ImGui::GetIO().WantCaptureMouse) return;
    if (glfwGetMouseButton(glfw, GLFW_MOUSE_BUTTON_LEFT) == GLFW_PRESS) {
        c->turn -= .008 * dx;
        c->tilt = std::fmax(-1.5, std::fmin(1.5, c->tilt + .008 * dy));
        w->dragged = w->dragged || std::fabs(dx) + std::fabs(dy) > 0;
    } else if (glfwGetMouseButton(glfw, GLFW_MOUSE_BUTTON_RIGHT) == GLFW_PRESS) {
        vec3 right = c->right(), up = cross(c->to_eye(), right);
        double scale = .8 * c->distance / HEIGHT;
        c->centre = c->centre + (-scale * dx) * right + (scale * dy) * up;
    }
}

void on_button(GLFWwindow *glfw, int button, int action, int)
{
    window *w = window_of(glfw);
    if (button != GLFW_MOUSE_BUTTON_LEFT || ImGui::GetIO().WantCaptureMouse) return;
    if (action == GLFW_PRESS) {
        w->dragged = false;
    } else if (!w->dragged) {
        int width, height, all[2];
        glfwGetFramebufferSize(glfw, &width, &height);
        glfwGetWindowSize(glfw, &all[0], &all[1]);
        w->picked = pick(w, (int)(w->mouse[0] * width / all[0]),
                         (int)(w->mouse[1] * height / all[1]), width, height);
    }
}

void on_scroll(GLFWwindow *glfw, double, double by)
{
    window *w = window_of(glfw);
    if (!ImGui::GetIO().WantCaptureMouse) w->eye.distance *= std::pow(.9, by);
}

/* ---- running --------------------------------------------------------------------------------- */

/* Steps what has passed, as far as the time for a picture goes. */
void play(window *w, double passed)
{
    double begun = glfwGetTime(), h = view_state_of(w->v).h;
    w->behind += w->speed * std::fmin(passed, .1);
    while (w->playing && w->behind >= h) {
        step(w);
        w->behind -= h;
        if (glfwGetTime() - begun > STEP_BUDGET) w->behind = 0;
    }
}

void draw(window *w)
{
    int width, height;
    vec3 back = w->eye.to_eye();
    const double to_eye[3] = {back.x, back.y, back.z};
    ImGui_ImplOpenGL2_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
    show_panel(w);
    ImGui::Render();
    glfwGetFramebufferSize(w->glfw, &width, &height);
    glViewport(0, 0, width, height);
    glClearColor(.96f, .97f, .98f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    set_camera(w, width, height);
    view_look(w->v, to_eye);
    draw_bodies(w);
    draw_contacts(w);
    ImGui_ImplOpenGL2_RenderDrawData(ImGui::GetDrawData());
}

void set_title(const window *w)
{
    view_state s = view_state_of(w->v);
    char title[200];
    std::snprintf(title, sizeof title, "peg-lab: %s, %s, %.3f s%s", s.scene, s.contact, s.t,
                  w->playing ? "" : ", paused");
    glfwSetWindowTitle(w->glfw, title);
}

int write_picture(const window *w, const char *path)
{
    int width, height;
    glfwGetFramebufferSize(w->glfw, &width, &height);
    std::vector<unsigned char> rgba(4 * (size_t)width * (size_t)height);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, rgba.data());
    if (!view_write_picture(path, rgba.data(), width, height)) return 0;
    std::fprintf(stderr, "peg-lab: cannot write '%s': choose another file with --picture\n", path);
    return 2;
}

void run(window *w)
{
    double before = glfwGetTime();
    while (!glfwWindowShouldClose(w->glfw)) {
        double now = glfwGetTime();
        glfwPollEvents();
        if (w->playing) play(w, now - before);
        before = now;
        draw(w);
        set_title(w);
        glfwSwapBuffers(w->glfw);
        double rest = 1 / 60. - (glfwGetTime() - now);
        if (rest > 0) glfwWaitEventsTimeout(rest);
    }
}

int run_for_picture(window *w, const char *picture, long steps)
{
    w->playing = false;
    for (long i = 0; i < steps && !view_state_of(w->v).error; i++) step(w);
    for (int i = 0; i < 2; i++) draw(w); /* ImGui lays a window out in its first picture */
    return write_picture(w, picture);
}

/* The weight of the heaviest body gets an arrow of .25 of the scene's size. */
float usual_arrow(const view *v)
{
    double largest = 0;
    for (int i = 0; i < view_bodies(v); i++) {
        view_body b = view_body_at(v, i);
        if (b.moves) largest = std::fmax(largest, b.mass);
    }
    return (float)(largest > 0 ? .25 / (9.81 * largest) : 1e-3);
}

GLFWwindow *open_glfw(window *w)
{
    glfwWindowHint(GLFW_SAMPLES, 4);
    GLFWwindow *glfw = glfwCreateWindow(WIDTH, HEIGHT, "peg-lab", nullptr, nullptr);
    if (!glfw) return nullptr;
    glfwMakeContextCurrent(glfw);
    glfwSwapInterval(0);
    glfwSetWindowUserPointer(glfw, w);
    glfwSetKeyCallback(glfw, on_key);
    glfwSetCursorPosCallback(glfw, on_move);
    glfwSetMouseButtonCallback(glfw, on_button);
    glfwSetScrollCallback(glfw, on_scroll);
    return glfw;
}

} // namespace

int view_window(view *v, const char *picture, long steps)
{
    window w = {};
    const char *why = nullptr;
    w.v = v;
    w.playing = w.points = w.normals = w.forces = true;
    w.measure = view_bodies(v) <= MEASURED_BODIES;
    w.speed = 1;
    w.arrow = usual_arrow(v);
    w.picked = -1;
    aim(&w);
    w.glfw = glfwInit() ? open_glfw(&w) : nullptr;
    if (!w.glfw) {
        glfwGetError(&why);
        std::fprintf(stderr,
                     "peg-lab: no window: %s. It needs a screen (DISPLAY) with OpenGL; "
                     "compare writes a page that replays the run\n",
                     why ? why : "unknown error");
        glfwTerminate();
        return 1;
    }
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::StyleColorsDark();
    ImGui_ImplGlfw_InitForOpenGL(w.glfw, true);
    ImGui_ImplOpenGL2_Init();
    make_lists(&w);
    int status = 0;
    if (picture)
        status = run_for_picture(&w, picture, steps);
    else
        run(&w);
    ImGui_ImplOpenGL2_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
    glfwDestroyWindow(w.glfw);
    glfwTerminate();
    return status;
}
