/* peg-lab view. */
#ifndef LAB_LAB_VIEW_H
#define LAB_LAB_VIEW_H

#include "demos/world/scene.h"

/* Runs the scene in a window, where one can go from one of the models to another (n = 0: peg, ode,
 * ode-quick). With a picture: runs the scene's time, writes the window as PNG and ends. Returns an
 * exit status. */
int view_scene(const lab_scene *scene, const lab_options *options, const lab_contact *models, int n,
               const char *picture);

#endif
