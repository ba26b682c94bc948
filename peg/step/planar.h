/* Planar scenes in the same core: rows are rows.
 *
 * All motion is in the x-y plane: z, w_x and w_y of every body stay exactly 0, because parts are
 * flat polytopes (peg_polygon_create, peg_polytope_point), whose normals and points have z = 0.
 * Without ODE:
 *
 *     peg_polytope *shape;
 *     peg_polygon_create(points, n, &shape);          about the centre of mass
 *     peg_context *context;
 *     peg_context_create(&settings, &context);        null: defaults
 *     peg_body body[..] = {..};                       peg_planar_body
 *     peg_part part[..] = {{.shape = shape, .body = 0, .rotation = {1,0,0, 0,1,0, 0,0,1}, .id =
 * 1}}; peg_scene scene = {.body = body, .nb = .., .part = part, .np = .., .h = h, .planar = 1};
 *     each step, for every dynamic body:  v_free = v + h f / m
 *     peg_step(context, &scene, &stats);
 *     and for every body:  peg_body_pose(&body, body.v_pose, h, x, q);  v = v_end
 *
 * Of a surface mu counts, along the line of contact, and rho2 about z.
 *
 * Static parts have body = -1 and an offset (x, y, 0). The angle of a body is 2 atan2(q[3], q[0]).
 */
#ifndef PEG_PLANAR_H
#define PEG_PLANAR_H

#include "peg/contact/scene.h"

/* A dynamic body at (x, y), turned by the angle (rad), at rest. inertia: about z, kg m^2; > 0 also
 * for a particle, which it does not concern. */
peg_body peg_planar_body(double mass, double inertia, double x, double y, double angle);

/* Whether a scene is what its flag says: poses, velocities and flat shapes in the plane, or no flat
 * shape at all. */
int peg_planar_check(const peg_scene *scene);

#endif
