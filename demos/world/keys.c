/* The keys of --set: what a scene asks for, and what the user has set. */
#include "demos/world/world.h"

#include <stdio.h>
#include <string.h>

double lab_key(lab_world *w, const char *key, double fallback)
{
    int known = 0;
    for (int i = 0; i < w->keys; i++) known |= !strcmp(w->asked[i], key);
    if (!known && w->keys < 32) snprintf(w->asked[w->keys++], sizeof w->asked[0], "%s", key);
    double value = fallback;
    for (int i = 0; i < w->options.sets; i++)
        if (!strcmp(w->options.set[i].key, key)) value = w->options.set[i].value;
    return value;
}

/* Keys of --set that the build never asked for are the user's mistake. */
void lab_check_keys(lab_world *w)
{
    for (int i = 0; i < w->options.sets && !w->failed; i++) {
        int known = 0;
        char list[LAB_TEXT] = "";
        for (int k = 0; k < w->keys; k++) {
            known |= !strcmp(w->asked[k], w->options.set[i].key);
            size_t used = strlen(list);
            snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", w->asked[k]);
        }
        if (!known)
            lab_fail(w, "scene '%s' has no key '%s': it knows %.300s", w->scene->name,
                     w->options.set[i].key, list);
    }
}
