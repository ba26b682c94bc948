/* The keys of --set: what a scene asks for, with kind and range, and what the user has set. Every
 * value is checked here. */
#include "demos/world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int asks_for(const lab_world *w, const char *key)
{
    for (int i = 0; i < w->keys; i++)
        if (!strcmp(w->asked[i], key)) return 1;
    return 0;
}

static void ask_for(lab_world *w, const char *key)
{
    if (asks_for(w, key)) return;
    if (w->keys == LAB_KEYS_MAX)
        lab_fail(w, "scene '%s' has more than %d keys", w->scene->name, LAB_KEYS_MAX);
    else
        snprintf(w->asked[w->keys++], sizeof w->asked[0], "%s", key);
}

double lab_key(const lab_world *w, const char *key, double fallback)
{
    double value = fallback;
    for (int i = 0; i < w->options.sets; i++)
        if (!strcmp(w->options.set[i].key, key)) value = w->options.set[i].value;
    return value;
}

/* The value in the range, or the fallback after an error: the build goes on with it. */
static double checked(lab_world *w, const char *key, int whole, double fallback, double low,
                      double high)
{
    int set = 0;
    double value = lab_key(w, key, fallback);
    ask_for(w, key);
    for (int i = 0; i < w->options.sets; i++) set |= !strcmp(w->options.set[i].key, key);
    if (!set || (value >= low && value <= high && (!whole || value == floor(value)))) return value;
    lab_fail(w, "--set %s=%.10g: %s must be a %snumber from %.10g to %.10g", key, value, key,
             whole ? "whole " : "", low, high);
    return fallback;
}

double lab_key_number(lab_world *w, const char *key, double fallback, double low, double high)
{
    return checked(w, key, 0, fallback, low, high);
}

int lab_key_whole(lab_world *w, const char *key, int fallback, int low, int high)
{
    return (int)checked(w, key, 1, fallback, low, high);
}

int lab_key_flag(lab_world *w, const char *key, int fallback)
{
    return lab_key_whole(w, key, fallback, 0, 1);
}

/* Keys of --set that the build never asked for are the user's mistake. */
void lab_check_keys(lab_world *w)
{
    for (int i = 0; i < w->options.sets && !w->failed; i++) {
        char list[LAB_TEXT] = "";
        if (asks_for(w, w->options.set[i].key)) continue;
        for (int k = 0; k < w->keys; k++) {
            size_t used = strlen(list);
            snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", w->asked[k]);
        }
        lab_fail(w, "the scene has no key '%s': it knows %.400s", w->options.set[i].key, list);
    }
}
