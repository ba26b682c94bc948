#ifndef LAB_GLTF_H
#define LAB_GLTF_H

#include "demos/report/trace.h"

/* Writes a trace as an animated binary glTF 2.0: a node for each body, whose translation and
 * rotation follow the frames. Round parts are tessellated. 0, or 1 if it could not be written. */
int gltf_write(const char *path, const lab_trace *trace);

#endif
