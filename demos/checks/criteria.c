/* What the checks of scenes are written with: comparisons, figures, poses since the start. */
#include "demos/checks/checks.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void check_fail(check_run *run, const char *format, ...)
{
    if (run->result->failed++ > 0) return;
    char text[CHECK_TEXT];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    int n = snprintf(run->result->why, CHECK_TEXT, "step %ld: ", run->step);
    snprintf(run->result->why + n, (size_t)(CHECK_TEXT - n), "%.*s", CHECK_TEXT - 32, text);
}

void check_open_stock(check_run *run)
{
    lab_options options = *lab_world_options(run->w);
    char text[LAB_TEXT];
    int user;
    options.contact = LAB_ODE;
    run->other = lab_open(run->scene, &options, text, &user);
    if (!run->other) check_fail(run, "stock ODE: %s", text);
}

void check_near(check_run *run, const char *what, double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        check_fail(run, "%s is %.12g, %.12g expected (off by %.3g, allowed %.3g)", what, value,
                   expected, value - expected, tolerance);
}

void check_between(check_run *run, const char *what, double value, double low, double high)
{
    if (!(value >= low && value <= high))
        check_fail(run, "%s is %.12g, not between %.6g and %.6g", what, value, low, high);
}

static check_value *figure(check_run *run, const char *name)
{
    check_value *f = run->result->figure;
    if (*f->name && strcmp(f->name, name) != 0) f++;
    snprintf(f->name, sizeof f->name, "%s", name);
    return f;
}

void check_figure(check_run *run, const char *name, double value)
{
    figure(run, name)->value = value;
}

void check_largest(check_run *run, const char *name, double value)
{
    check_value *f = figure(run, name);
    f->value = fmax(f->value, value);
}

/* The lab numbers bodies of one name: cube, cube-2, cube-3. */
lab_body *check_body(check_run *run, const char *name, int i)
{
    char numbered[80];
    snprintf(numbered, sizeof numbered, i ? "%s-%d" : "%s", name, i + 1);
    lab_body *body = lab_body_find(run->w, numbered);
    return body ? body : lab_body_at(run->w, 0);
}

void check_position(const lab_body *body, double x[3])
{
    lab_pose(body, x, NULL);
}

double check_angle(const double q0[4], const double q1[4])
{
    double v[3] = {
        q0[0] * q1[1] - q0[1] * q1[0] - q0[2] * q1[3] + q0[3] * q1[2],
        q0[0] * q1[2] + q0[1] * q1[3] - q0[2] * q1[0] - q0[3] * q1[1],
        q0[0] * q1[3] - q0[1] * q1[2] + q0[2] * q1[1] - q0[3] * q1[0],
    };
    double s = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    return 2 * asin(s > 1 ? 1 : s);
}

static int index_of(const check_run *run, const lab_body *body)
{
    for (int k = 0; k < lab_body_count(run->w); k++)
        if (lab_body_at(run->w, k) == body) return k;
    return 0;
}

double check_turned(const check_run *run, const lab_body *body)
{
    double q[4];
    lab_pose(body, NULL, q);
    return check_angle(run->start[index_of(run, body)] + 3, q);
}

double check_margin(double radius)
{
    pegSettings settings;
    pegSettingsDefault(&settings);
    return settings.margin * radius;
}

double check_fallen(const check_run *run)
{
    return run->g * run->h * run->h * (double)run->step * (double)(run->step + 1) / 2;
}

/* Limited islands: above h = .05 the study counts them over all seeds. */
void check_pour(check_run *run)
{
    const pegStats *s = &run->result->total;
    if (lab_mu(run->w) == 0 && run->h < 0.05 && s->limited_islands > 0)
        check_fail(run, "%ld limited islands", s->limited_islands);
    if (s->frozen_islands > 0) check_fail(run, "%ld frozen islands", s->frozen_islands);
}
