/* What the fragments of the manual may take for granted. */
#include <ode/ode.h>
#include <ode-peg.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern dWorldID world;
extern dSpaceID space;
extern pegWorldID peg;
extern dBodyID body;
extern dGeomID geom, belt, o1, o2;
extern dReal h;
void near_callback(void *data, dGeomID o1, dGeomID o2);
void on_message(void *data, pegStatus status, const char *text);
