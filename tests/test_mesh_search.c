/* Searches in the trees of meshes: the same contacts whatever nodes are held against, brute force
 * included, in scenes of meshes with a radius that fit into each other; and what the bounds save.
 */
#include "tests/runner.h"
#include "demos/world/world.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "peg/base/math.h"

static lab_world *open_with(const char *scene, pegMeshSearch search, double cells)
{
    char text[LAB_TEXT];
    int user;
    lab_setting set[2] = {{"mesh-search", search}, {"cells", cells}};
    lab_options options = {.contact = LAB_PEG, .seed = 1, .set = set, .sets = cells > 0 ? 2 : 1};
    lab_world *w = lab_open(lab_scene_find(scene), &options, text, &user);
    ck_assert_msg(w != NULL, "%s", text);
    return w;
}

static long nodes_of(lab_world *w)
{
    pegStats total;
    lab_totals(w, &total);
    return total.mesh_nodes;
}

/* How far the poses and velocities of two worlds are apart. */
static double difference(const lab_world *v, const lab_world *w)
{
    double most = 0;
    for (int i = 0; i < v->bodies; i++) {
        double s[13], t[13];
        lab_pose(v->body[i], s, s + 3), lab_pose(w->body[i], t, t + 3);
        lab_motion(v->body[i], s + 7, s + 10), lab_motion(w->body[i], t + 7, t + 10);
        for (int k = 0; k < 13; k++) most = fmax(most, fabs(s[k] - t[k]));
    }
    return most;
}

/* Whether each contact of one world that has an impulse is one of the other, m and N s. */
static int has_contacts_of(const lab_world *v, const lab_world *w, double near)
{
    int all = 1;
    for (int i = 0; i < pegWorldGetContactCount(v->peg) && all; i++) {
        pegContact c, d;
        int found = 0;
        ck_assert_int_eq(pegWorldGetContact(v->peg, i, &c), PEG_OK);
        for (int j = 0; j < pegWorldGetContactCount(w->peg) && !found; j++) {
            double apart[3];
            ck_assert_int_eq(pegWorldGetContact(w->peg, j, &d), PEG_OK);
            peg_sub(c.pos, d.pos, apart);
            found = peg_norm(apart) <= near && peg_dot(c.normal, d.normal) > .999;
        }
        all = found;
    }
    return all;
}

static const struct {
    const char *scene;
    int steps;
} scenes[] = {
    {"bolt-nut", 4}, {"ball-bearing", 8}, {"peg-hole", 20}, {"cable-drum", 40}, {"sheet-ball", 40}};

START_TEST(contacts_are_those_of_brute_force)
{
    const char *scene = scenes[_i % 5].scene;
    lab_world *v = open_with(scene, PEG_MESH_SEARCH_BOUNDS, 0);
    lab_world *w = open_with(scene, _i < 5 ? PEG_MESH_SEARCH_BOXES : PEG_MESH_SEARCH_ALL, 0);
    int contacts = 0;
    for (int step = 0; step < scenes[_i % 5].steps; step++) {
        double volume, depth;
        ck_assert(!lab_step(v) && !lab_step(w));
        ck_assert_msg(difference(v, w) <= 1e-9, "step %d: %g", step, difference(v, w));
        ck_assert_int_eq(has_contacts_of(v, w, 1e-7), 1);
        ck_assert_int_eq(has_contacts_of(w, v, 1e-7), 1);
        contacts += pegWorldGetContactCount(v->peg);
        lab_overlap(v, 1, &volume, &depth);
        ck_assert_double_eq(depth, 0);
    }
    ck_assert_int_gt(contacts, 0);
    ck_assert_int_lt(nodes_of(v), nodes_of(w));
    lab_close(v), lab_close(w);
}
END_TEST

/* Half of the nodes of the plain tree, and the same motion, on 100 352 triangles. */
START_TEST(bounds_halve_the_nodes)
{
    lab_world *v = open_with("mesh-100k", PEG_MESH_SEARCH_BOUNDS, 224);
    lab_world *w = open_with("mesh-100k", PEG_MESH_SEARCH_BOXES, 224);
    for (int step = 0; step < 40; step++) {
        ck_assert(!lab_step(v) && !lab_step(w));
        ck_assert_double_le(difference(v, w), 1e-9);
    }
    ck_assert_msg(2 * nodes_of(v) <= nodes_of(w), "%ld and %ld", nodes_of(v), nodes_of(w));
    lab_close(v), lab_close(w);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("mesh-search");
    TCase *tests = tcase_create("mesh-search");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, contacts_are_those_of_brute_force, 0, 10);
    tcase_add_test(tests, bounds_halve_the_nodes);
    suite_add_tcase(suite, tests);
    return suite;
}
