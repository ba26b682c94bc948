"""The package odepeg: worlds, arrays, joints, callbacks, errors."""
import gc

import numpy as np
import pytest

import odepeg


def pile(n=5, **how):
    world = odepeg.World(mu=0.5, **how)
    world.add_plane((0, 0, 2), 0)
    for i in range(n):
        world.add_box((0.4, 0.4, 0.2), position=(0.02 * i, 0, 0.15 + 0.25 * i), density=1000)
    return world


def test_pile_rests_on_its_weight():
    world = pile()
    world.step(0.01, steps=300)
    assert np.allclose(world.poses[:, 2], 0.1 + 0.2 * np.arange(5), atol=1e-4)
    assert np.allclose(world.velocities, 0, atol=1e-9)
    contacts = world.contacts()
    assert contacts.dtype == odepeg.CONTACT
    on_floor = contacts[(contacts["body1"] == -1) | (contacts["body2"] == -1)]
    assert np.isclose(on_floor["impulse"].sum() / 0.01, 5 * 32 * 9.81, rtol=1e-6)
    assert set(contacts["body1"]) | set(contacts["body2"]) == {-1, 0, 1, 2, 3, 4}
    assert world.totals["max_penetration"] == 0 and world.totals["steps"] == 300
    assert world.stats["steps"] == 1
    world.reset_totals()
    assert world.totals["steps"] == 0


def test_steps_in_one_call_are_the_same_bits():
    one, many = pile(), pile()
    for _ in range(50):
        one.step(0.01)
    many.step(0.01, steps=50)
    assert one.poses.tobytes() == many.poses.tobytes()
    threads = pile(settings={"threads": 2})
    threads.step(0.01, steps=50)
    assert threads.poses.tobytes() == one.poses.tobytes()


def test_views_follow_the_body_and_outlive_the_world():
    world = odepeg.World(gravity=(0, 0, 0))
    ball = world.add_sphere(0.1, mass=2, velocity=(1, 2, 3))
    position = ball.position
    world.step(0.5)
    assert np.array_equal(position, (0.5, 1, 1.5)) and np.array_equal(position, ball.position)
    with pytest.raises(ValueError):
        position[0] = 7
    ball.position = (4, 5, 6)
    assert np.array_equal(position, (4, 5, 6))
    del world, ball
    gc.collect()
    assert np.array_equal(position, (4, 5, 6))


def test_reading_into_an_array():
    world = pile(3)
    out = np.zeros((3, 7))
    assert world.read_poses(out) is out and out[2, 2] == 0.65 and np.all(out[:, 3] == 1)
    for wrong in (np.zeros((2, 7)), np.zeros((3, 7), np.float32), np.zeros((3, 14))[:, ::2]):
        with pytest.raises(ValueError, match="out must be"):
            world.read_poses(wrong)


@pytest.mark.parametrize("add, height", [
    (lambda w, **k: w.add_sphere(0.1, **k), 0.1),
    (lambda w, **k: w.add_capsule(0.1, 0.3, **k), None),
    (lambda w, **k: w.add_cylinder(0.1, 0.3, **k), 0.15),
    (lambda w, **k: w.add_convex(np.array(np.meshgrid(*[[-0.1, 0.1]] * 3)).reshape(3, 8).T, **k), 0.1),
    (lambda w, **k: w.add_mesh(*box_mesh(0.2), **k), 0.1),
])
def test_shapes_rest(add, height):
    world = odepeg.World(mu=0.5)
    world.add_plane((0, 0, 1), 0)
    body = add(world, density=500, position=(0, 0, 0.4))
    world.step(0.01, steps=100)
    assert world.totals["max_penetration"] == 0 and world.totals["steps"] == 100
    if height:
        assert abs(body.position[2] - height) < 1e-4


def box_mesh(side):
    v = (np.array(np.meshgrid(*[[0, 1]] * 3, indexing="ij")).reshape(3, 8).T - 0.5) * side
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return v, [t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))]


def test_mass_properties_of_a_hull():
    from odepeg._shapes import hull, mass_of_triangles

    rng = np.random.default_rng(5)
    points, faces, planes = hull(np.vstack([box_mesh(2)[0], rng.uniform(-0.9, 0.9, (20, 3)), [[0, 0, 1]]]))
    assert len(points) == 8 and sorted(map(len, faces)) == [4] * 6
    assert np.all(points @ planes[:, :3].T <= planes[:, 3] + 1e-12)
    volume, centre, inertia = mass_of_triangles(points, [(f[0], f[i], f[i + 1]) for f in faces for i in (1, 2)])
    assert np.isclose(volume, 8) and np.allclose(centre, 0)
    assert np.allclose(inertia, np.eye(3) * 8 * (4 + 4) / 12)
    cloud = rng.normal(size=(60, 3))
    points, faces, planes = hull(cloud)
    assert np.all(cloud @ planes[:, :3].T <= planes[:, 3] + 1e-9)
    assert len(points) - sum(map(len, faces)) // 2 + len(faces) == 2  # Euler
    for wrong in (np.zeros((5, 3)), [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 0, np.nan]] * 4):
        with pytest.raises(ValueError):
            hull(wrong)


def test_joints():
    world = odepeg.World(gravity=(0, 0, 0))
    a = world.add_box((1, 0.2, 0.2), density=1000)
    b = world.add_box((1, 0.2, 0.2), density=1000, position=(3, 0, 0))
    hinge, slider = world.add_hinge(a, None, (0, 0, 0), (0, 0, 1)), world.add_slider(b, None, (0, 1, 0))
    hinge.set_motor(2, 1e4)
    slider.set_motor(-1, 1e5)
    slider.set_stops(-0.5, 0.25)
    world.step(0.01, steps=100)
    assert abs(hinge.rate - 2) < 1e-6 and abs(abs(hinge.position) - 2) < 0.05
    assert abs(abs(b.position[1]) - 0.5) < 0.3 and abs(slider.position) < 0.51
    ball = world.add_ball(a, b, (1, 0, 0))
    for call in (lambda: ball.position, lambda: ball.rate, lambda: ball.set_motor(1, 1), lambda: ball.set_stops(0, 1)):
        with pytest.raises(TypeError, match="ball"):
            call()
    fixed = odepeg.World()
    body = fixed.add_sphere(0.1, density=1000, position=(0, 0, 1))
    fixed.add_fixed(body, None)
    fixed.step(0.01, steps=20)
    assert np.allclose(body.position, (0, 0, 1), atol=1e-12)


def test_near_and_its_exceptions():
    def near(a, b):
        if "bad" in (a.name, b.name):
            raise KeyError("bad pair")
        return None if "ghost" in (a.name, b.name) else odepeg.Surface(mu=0.2, bounce=0.5, bounce_velocity=0.01)

    world = odepeg.World(near=near)
    world.add_plane((0, 0, 1), 0, name="floor")
    ball = world.add_sphere(0.1, density=1000, position=(0, 0, 0.2))
    ghost = world.add_sphere(0.1, density=1000, position=(5, 0, 0.2), name="ghost")
    world.step(0.01, steps=100)
    assert ghost.position[2] < -1 and ball.position[2] > 0.0999
    world.add_sphere(0.1, density=1000, position=(9, 0, 0.101), name="bad")
    with pytest.raises(KeyError, match="bad pair"):
        world.step(0.01, steps=100)
    steps = world.totals["steps"]
    assert steps <= 101
    wrong = odepeg.World(near=lambda a, b: 3)
    wrong.add_plane((0, 0, 1), 0)
    wrong.add_sphere(0.1, density=1000, position=(0, 0, 0.101))
    with pytest.raises(TypeError, match="Surface"):
        wrong.step(0.01, steps=5)


def test_errors():
    with pytest.raises(odepeg.Error, match="range"):
        odepeg.World(settings={"margin": 5})
    with pytest.raises(TypeError, match="no setting 'colour'"):
        odepeg.World(settings={"colour": 1})
    world = pile(1)
    with pytest.raises(odepeg.Error, match="step size") as raised:
        world.step(-1)
    assert raised.value.status > 0
    before = world.poses
    for _ in range(2):
        world.bodies[0].add_force((9e59, 0, 0))  # each may be applied, the sum is out of range
    with pytest.raises(odepeg.Error, match="NaN"):
        with pytest.warns(RuntimeWarning):
            world.step(0.01)
    assert np.array_equal(world.poses, before)
    with pytest.raises(TypeError, match="not both"):
        world.add_sphere(1, density=1, mass=1)
    with pytest.raises(ValueError, match="closed"):
        world.add_mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], density=1)
    with pytest.raises(ValueError, match="vertex"):
        world.add_mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 3]])


def test_messages_become_warnings():
    world = odepeg.World()
    world.add_sphere(1, density=1)
    world.add_sphere(1, density=1, position=(0.5, 0, 0))
    with pytest.warns(RuntimeWarning, match="apart|penetrat|overlap"):
        world.step(0.01)
    assert world.totals["recovered"] == 1


def test_kinematic_bodies_and_forces():
    world = odepeg.World(gravity=(0, 0, 0))
    pusher = world.add_box((1, 1, 1), kinematic=True, velocity=(1, 0, 0))
    pushed = world.add_box((1, 1, 1), mass=5, position=(1.2, 0, 0))
    free = world.add_sphere(1, mass=2, position=(0, 5, 0))
    free.add_force((4, 0, 0))
    free.add_torque((0, 0, 1.6))
    world.step(0.01)
    assert np.allclose(free.velocity, (0.02, 0, 0)) and np.allclose(free.angular_velocity, (0, 0, 0.02))
    world.step(0.01, steps=50)
    assert pushed.position[0] > pusher.position[0] + 1 and np.allclose(pushed.velocity, (1, 0, 0), atol=1e-3)
    free.orientation = (0, 1, 0, 0)
    assert np.array_equal(world.poses[free.index, 3:], (0, 1, 0, 0))


def test_quick_and_version():
    world = pile(2)
    world.step(0.01, steps=10, quick=True)
    assert world.totals["steps"] == 10
    assert odepeg.version().count(".") == 2
