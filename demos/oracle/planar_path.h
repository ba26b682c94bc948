/* Exact motion of a particle over a piecewise linear terrain, event by event: ballistic, impact,
 * slide, ballistic. The truth of the sawtooth and hills experiments; it shares no code with the
 * contact module.
 *
 * The terrain is a chain of points from left to right whose solid side lies below (to the right of
 * the way along the chain). Between two events the acceleration is constant, so that a phase is a
 * parabola and every event the root of a quadratic:
 *
 *   flight   x'' = f/m.
 *   impact   inelastic: the velocity towards the edge is lost, and with friction the impulse along
 *            it is at most mu times the one across it: v_t' = v_t - sgn(v_t) min(|v_t|, mu |v_n|).
 *   slide    along the unit tangent t of an edge with outward normal n: s'' = t.f/m - sgn(s') mu
 * N/m with N = -n.f >= 0, both constant. On a ramp that rises by the angle theta under gravity g
 * alone, sliding up: s'' = -g (sin theta + mu cos theta), so that s(t) = s_0 + s'_0 t - (g/2) (sin
 * theta + mu cos theta) t^2, until s' = 0 (then it sticks if |t.f| <= mu N, else it turns round) or
 * until the end of the edge. corner   at a convex end the particle flies on; at a concave one it
 * meets the next edge and slides on if its velocity along it points away from the corner, else it
 * rests there unless the force pulls it out. */
#ifndef LAB_PLANAR_PATH_H
#define LAB_PLANAR_PATH_H

#define PATH_POINTS 64
#define PATH_PHASES 256

typedef struct planar_chain {
    double point[PATH_POINTS][2];
    int n;
} planar_chain;

typedef enum path_kind { PATH_FLIGHT, PATH_SLIDE, PATH_REST } path_kind;

/* x(t) = x + v (t - start) + a (t - start)^2 / 2 until the next phase starts. */
typedef struct path_phase {
    path_kind kind;
    int edge; /* slide: from this point of the chain to the next */
    double start, x[2], v[2], a[2];
} path_phase;

typedef struct planar_path {
    path_phase phase[PATH_PHASES];
    int phases;
} planar_path;

/* The bodies of the terrains, from left to right: teeth (0, 0) (2, 1) (2, 0), 2 wide each [F 3.2];
 * semicircles of radius 1 about (0, 0), (2, 0), .. of ten edges each [F 3.1]. */
enum { TOOTH_POINTS = 3, HILL_POINTS = 11 };
void planar_tooth(int i, double out[TOOTH_POINTS][2]);
void planar_hill(int i, double out[HILL_POINTS][2]);

/* Their outlines. Between them lies a base at this height: bodies that met in points, or that stood
 * on a base in line with their undersides, would leave gaps of no width, through which a particle
 * may leave. */
#define PLANAR_BASE 1e-3
void planar_sawtooth(int teeth, planar_chain *out);
void planar_hills(int hills, planar_chain *out);

/* From x, v (outside of the solid) under the acceleration a = f/m, until the time `end`. 0, or 1 if
 * the motion has too many phases. */
int planar_path_solve(const planar_chain *terrain, const double x[2], const double v[2],
                      const double a[2], double mu, double end, planar_path *out);
/* Position (and velocity, may be null) at a time. */
void planar_path_at(const planar_path *path, double t, double x[2], double v[2]);

/* Distance of a point above the terrain to its nearest edge. */
double planar_distance(const planar_chain *terrain, const double x[2]);

#endif
