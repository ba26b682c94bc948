"""Every argument with values that ODE aborts for, misreads or cannot compute with: each raises, names the
function, the argument and its value, and leaves the world as it was."""
import gc
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import odepeg

inf, nan = float("inf"), float("nan")
CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]

NUMBERS = [("nan", ValueError), ("inf", ValueError), ("-inf", ValueError), ("10**400", ValueError), ("None", TypeError),
           ("'1'", TypeError), ("1j", TypeError), ("[1, 2]", TypeError)]
VECTORS = [("(0, 0, nan)", ValueError), ("(0, inf, 0)", ValueError), ("(1e60, 0, 0)", ValueError), ("(1, 2)", ValueError),
           ("(1, 2, 3, 4, 5)", ValueError), ("()", ValueError), ("3", TypeError), ("None", TypeError),
           ("'abc'", TypeError), ("('1', '2', '3')", TypeError), ("(1, 2, None)", TypeError), ("{}", TypeError)]
SHAPES = {"add_box": "(1, 1, 1)", "add_sphere": "1", "add_capsule": "1, 1", "add_cylinder": "1, 1",
          "add_convex": "CORNERS", "add_mesh": "CORNERS, FACES"}
JOINTS = {"add_hinge": "{}, {}, (0, 0, 0), (0, 0, 1)", "add_slider": "{}, {}, (0, 0, 1)", "add_ball": "{}, {}, (0, 0, 0)",
          "add_fixed": "{}, {}"}


def bad(call, argument, values, form="world.{}({})"):
    """Cases (expression, exception, function, argument); values replace the @ of the argument's form."""
    for value, raises in values:
        yield form.format(call, argument[1].replace("@", value)), raises, call, argument[0]


def cases():
    lengths = NUMBERS + [("0", ValueError), ("-1", ValueError), ("1e-61", ValueError), ("1e61", ValueError)]
    yield from bad("add_box", ("size", "@"), VECTORS + [("(0, 1, 1)", ValueError), ("(1, -1, 1)", ValueError),
                                                        ("(1, 1, 1e-200)", ValueError)])
    yield from bad("add_box", ("size", "@, mass=1"), [("(1, 1, 1e-12)", ValueError)])  # too thin
    yield from bad("add_sphere", ("radius", "@"), lengths)
    yield from bad("add_sphere", ("radius", "@, mass=1"), [("1e-55", ValueError), ("1e55", ValueError)])  # inertia
    yield from bad("add_mesh", ("vertices", "np.array(CORNERS) * 6.3e-26, FACES, density=@"), [("5.2e24", ValueError)])
    yield from bad("add_capsule", ("radius", "@, 1"), lengths)
    yield from bad("add_capsule", ("length", "1, @"), NUMBERS + [("-1", ValueError)])
    yield from bad("add_cylinder", ("radius", "@, 1"), lengths)
    yield from bad("add_cylinder", ("length", "1, @"), lengths)
    yield from bad("add_plane", ("normal", "@, 0"), VECTORS + [("(0, 0, 0)", ValueError)])
    yield from bad("add_plane", ("offset", "(0, 0, 1), @"), NUMBERS)
    yield from bad("add_plane", ("offset", "(0, 0, 1e-50), @"), [("1e30", ValueError)])
    arrays = [("None", TypeError), ("'abc'", TypeError), ("3", TypeError), ("[]", ValueError), ("[[0, 0, 0], [1, 2]]", ValueError),
              ("[[0, 0, 'x']]", TypeError), ("[[0, 0, None]]", TypeError), ("[[0, 0, nan]] * 4", ValueError),
              ("[[0, 0, inf]] * 4", ValueError), ("[[1, 2]]", ValueError), ("[1, 2, 3]", ValueError), ("np.eye(3) * 1j", TypeError)]
    yield from bad("add_convex", ("points", "@"), arrays + [
        ("[[0, 0, 0]] * 5", ValueError), ("[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]", ValueError),
        ("np.random.default_rng(1).normal(size=(201, 3))", ValueError), ("np.array(CORNERS) * 1e-70", ValueError)])
    yield from bad("add_mesh", ("vertices", "@, [[0, 1, 2]]"), arrays + [("np.array(CORNERS) * 1e19", ValueError)])
    yield from bad("add_mesh", ("triangles", "CORNERS, @"), [
        ("None", TypeError), ("[]", ValueError), ("[[0, 1]]", ValueError), ("[0, 1, 2]", ValueError), ("[['0', '1', '2']]", TypeError),
        ("[[0, 1, 4]]", ValueError), ("[[-1, 1, 2]]", ValueError), ("[[0, 1, 2**40]]", ValueError), ("[[0, 1, 1.5]]", ValueError),
        ("[[0, 1, nan]]", ValueError), ("[[0, 1, 1]]", ValueError)])
    for part in ("FACES[:3]", "FACES[1:]", "FACES[3:]", "[f[::-1] for f in FACES]"):  # open, or inside out
        yield f"world.add_mesh(CORNERS, {part}, density=1)", ValueError, "add_mesh", "triangles"
    yield "world.add_mesh(CORNERS, FACES[1:], mass=1)", ValueError, "add_mesh", "triangles"
    yield "world.add_mesh(CORNERS * 2, FACES, mass=1, position=3)", TypeError, "add_mesh", "position"
    for call, shape in SHAPES.items():
        masses = NUMBERS[:4] + NUMBERS[5:] + [("0", ValueError), ("-1", ValueError), ("1e-200", ValueError), ("1e200", ValueError)]
        for name in ("density", "mass"):
            yield from bad(call, (name, f"{shape}, {name}=@"), masses)
        yield f"world.{call}({shape}, mass=1, density=1)", TypeError, call, "not both"
        for name in ("position", "velocity", "angular_velocity"):
            yield from bad(call, (name, f"{shape}, mass=1, {name}=@"), VECTORS)
            yield from bad(call, (name, f"{shape}, {name}=@"), VECTORS)
        for kind in ("", ", mass=1", ", kinematic=True"):
            yield from bad(call, ("orientation", f"{shape}{kind}, orientation=@"), VECTORS + [
                ("(0, 0, 0, 0)", ValueError), ("(1, 0, 0)", ValueError), ("(1, 0, 0, nan)", ValueError),
                ("(1e-200, 0, 0, 0)", ValueError), ("(1e200, 0, 0, 0)", ValueError)])
        yield f"world.{call}({shape}, velocity=(1, 0, 0))", ValueError, call, "velocity"
        yield f"world.{call}({shape}, mass=1, angular_velocity=(0, 0, 1e21))", ValueError, call, "angular_velocity"
        yield f"world.{call}({shape}, colour='red')", TypeError, call, "colour"
    yield "world.add_sphere(1e-25, density=1)", ValueError, "add_sphere", "density"
    for call, form in JOINTS.items():
        for a, raises in (("None", TypeError), ("floor", TypeError), ("3", TypeError), ("other", ValueError)):
            yield f"world.{call}({form.format(a, 'box')})", raises, call, "a"
        for b, raises in (("floor", TypeError), ("0", TypeError), ("world", TypeError), ("other", ValueError), ("box", ValueError)):
            yield f"world.{call}({form.format('box', b)})", raises, call, "b"
    yield from bad("add_hinge", ("anchor", "box, ball, @, (0, 0, 1)"), VECTORS)
    yield from bad("add_ball", ("anchor", "box, None, @"), VECTORS)
    axes = VECTORS + [("(0, 0, 0)", ValueError), ("(0, 0, 1e-200)", ValueError)]
    yield from bad("add_hinge", ("axis", "box, ball, (0, 0, 0), @"), axes)
    yield from bad("add_slider", ("axis", "box, None, @"), axes)
    for joint in ("hinge", "slider"):
        yield from bad("set_motor", ("velocity", "@, 1"), NUMBERS, joint + ".{}({})")
        yield from bad("set_motor", ("force", "1, @"), [case for case in NUMBERS if case[0] != "inf"] + [("-1", ValueError)],
                       joint + ".{}({})")
        ends = [case for case in NUMBERS if "inf" not in case[0]]
        yield from bad("set_stops", ("low", "@, 1"), ends + [("2", ValueError)], joint + ".{}({})")
        yield from bad("set_stops", ("high", "-1, @"), ends, joint + ".{}({})")
    yield "joint.set_motor(1, 1)", TypeError, "set_motor", "ball"
    yield "joint.set_stops(0, 1)", TypeError, "set_stops", "ball"
    for name in ("position", "velocity", "angular_velocity"):
        yield from bad("Body", (name, f"setattr(box, '{name}', @)"), VECTORS, "{1}")
    yield from bad("Body", ("orientation", "setattr(box, 'orientation', @)"), VECTORS + [
        ("(0, 0, 0, 0)", ValueError), ("(1, 0, 0)", ValueError), ("(nan, 0, 0, 0)", ValueError)], "{1}")
    yield "setattr(box, 'angular_velocity', (0, 0, -1e21))", ValueError, "Body", "angular_velocity"
    for call, name in (("add_force", "force"), ("add_torque", "torque")):
        yield from bad(call, (name, "@"), VECTORS, "box.{}({})")
    yield from bad("step", ("h", "@"), NUMBERS + [("0", ValueError), ("-1", ValueError), ("1e11", ValueError)])
    yield from bad("step", ("steps", "0.01, steps=@"), [case for case in NUMBERS if case[0] != "None"] + [
        ("-1", ValueError), ("2.5", ValueError), ("2**70", ValueError)])
    for call, width in (("read_poses", 7), ("read_velocities", 6)):
        yield from bad(call, ("out", "@"), [
            ("3", TypeError), ("[[0]]", TypeError), (f"np.zeros((1, {width}))", ValueError),
            (f"np.zeros((2, {width}), '>f8')", ValueError), (f"np.frombuffer(bytes(16 * {width})).reshape(2, {width})", ValueError)])
    yield from bad("World", ("gravity", "gravity=@"), VECTORS, "odepeg.{}({})")
    surfaces = [case for case in NUMBERS if case[0] not in ("inf", "None")] + [("-1", ValueError)]
    for call in ("World", "Surface", "wrap"):
        form = "odepeg.{}({})"
        yield from bad(call, ("mu", "mu=@"), surfaces + [("None", TypeError)], form)
        yield from bad(call, ("bounce", "bounce=@"), NUMBERS + [("-1", ValueError)], form)
    yield from bad("Surface", ("bounce_velocity", "bounce_velocity=@"), NUMBERS, "odepeg.{}({})")
    yield from bad("Surface", ("mu2", "mu2=@"), surfaces, "odepeg.{}({})")
    yield from bad("Surface", ("soft_cfm", "soft_cfm=@"), surfaces + [("inf", ValueError)], "odepeg.{}({})")
    yield from bad("Surface", ("soft_erp", "soft_erp=@"), surfaces + [("2", ValueError)], "odepeg.{}({})")
    for call, form in (("World", "odepeg.{}({})"), ("wrap", "odepeg.{}(world._handles.space_address, {})")):
        yield from bad(call, ("near", "near=@"), [("3", TypeError), ("'near'", TypeError)], form)
        yield from bad(call, ("settings", "settings=@"), [
            ("3", TypeError), ("{'colour': 1}", TypeError), ("{3: 1}", TypeError), ("{'threads': 2.5}", TypeError),
            ("{'threads': 2**40}", ValueError), ("{'margin': 'x'}", TypeError), ("{'margin': nan}", ValueError)], form)
    yield from bad("World", ("settings['margin']", "settings=@"), [
        ("{'reach': 1, 'margin': 5}", ValueError), ("{'margin': -1, 'threads': 2}", ValueError)], "odepeg.{}({})")
    yield from bad("wrap", ("spaces[0]", "@"), [
        ("3", ValueError), ("0", ValueError), ("-1", ValueError), ("2**70", ValueError), ("8", ValueError), ("id(CORNERS)", ValueError),
        ("True", TypeError), ("3.5", TypeError), ("None", TypeError), ("'space'", TypeError), ("object()", TypeError), ("world", TypeError)],
        "odepeg.{}({})")
    yield "odepeg.wrap()", ValueError, "wrap", "spaces"
    yield from bad("compare", ("contact", "'v-notch', contact=@"), [("'peg'", TypeError), ("[1]", TypeError)], "odepeg.{}({})")
    yield "odepeg.run('v-notch', contact=['peg'])", TypeError, "run", "contact"
    for call in ("compare", "run"):
        yield f"odepeg.{call}(3)", TypeError, call, "scene"
        for name in ("h", "time", "mu", "bodies"):
            yield from bad(call, (name, f"'v-notch', {name}=@"), [("nan", ValueError), ("'1'", TypeError), ("[1, 2]", TypeError)],
                           "odepeg.{}({})")
        yield from bad(call, ("seed", "'v-notch', seed=@"), [("-1", ValueError), ("1.5", ValueError), ("'1'", TypeError)], "odepeg.{}({})")
    yield "odepeg.report()", TypeError, "report", "runs"
    yield "odepeg.report(3)", TypeError, "report", "runs"


def build():
    world = odepeg.World(mu=0.5)
    names = {"world": world, "floor": world.add_plane((0, 0, 1), 0), "box": world.add_box((1, 1, 1), density=1000, position=(0, 0, 0.6)),
             "ball": world.add_sphere(0.5, mass=2, position=(3, 0, 0.6), velocity=(0.1, 0, 0))}
    names["joint"] = world.add_ball(names["box"], names["ball"], (1, 0, 1))
    side = odepeg.World()
    names["hinge"] = side.add_hinge(side.add_sphere(1, mass=1), None, (0, 0, 0), (0, 0, 1))
    names["slider"] = side.add_slider(side.bodies[0], None, (0, 0, 1))
    names["other"] = odepeg.World().add_sphere(1, mass=1)
    world._handles.space_address = int(odepeg._ffi.cast("uintptr_t", world._handles.space))
    return names


@pytest.fixture(scope="module", name="names")
def of_all_cases():
    return build()


def held(world):
    """What a call that fails half-way would leave behind."""
    handles = world._handles
    return (odepeg._lib.dSpaceGetNumGeoms(handles.space), len(world._geoms), len(world.bodies), len(handles.meshes),
            len(handles.arrays), world.poses.tobytes(), world.velocities.tobytes(), world.totals["steps"])


@pytest.mark.parametrize("text, raises, call, argument", [pytest.param(*case, id=case[0]) for case in cases()])
def test_bad_argument(names, text, raises, call, argument):
    before = held(names["world"])
    with pytest.raises(raises) as raised:
        eval(text, {**globals(), **names})  # pylint: disable=eval-used
    assert isinstance(raised.value, odepeg.ArgumentError) == (raises is ValueError)
    message = str(raised.value)
    assert message.startswith(call + ":") and argument in message and len(message) < 600, message
    assert ": give" in message or len(message.split(": ", 2)) == 3 or raises is TypeError, message
    assert held(names["world"]) == before


def test_bad_arguments_change_nothing(names):
    """Neither forces nor joints are left: the world of all cases moves like one that saw none."""
    twin, worlds = build(), []
    for case in (names, twin):
        case["world"].step(0.01, steps=100)
        worlds.append(case["world"])
        assert case["world"].stats["bodies"] == 2
    assert worlds[0].poses.tobytes() == worlds[1].poses.tobytes()
    assert worlds[0].velocities.tobytes() == worlds[1].velocities.tobytes()
    assert names["hinge"].position == 0 and names["slider"].position == 0


def test_what_is_accepted():
    world = odepeg.World(gravity=np.zeros(3), mu=inf, settings={"threads": np.int64(2), "margin": np.float64(1e-4), "warm_start": True})
    world.add_capsule(1, 0, mass=1)
    world.add_mesh(iter(CORNERS), np.array(FACES, float), mass=1, position=(9, 0, 0))
    world.add_convex((p for p in CORNERS), kinematic=True, position=np.array((5, 5, 5)))
    hinge = world.add_hinge(world.bodies[0], world.bodies[1], [0, 0, 0], (0, 0, 1e-30))
    hinge.set_motor(1, inf)
    hinge.set_stops(-inf, inf)
    world.add_sphere(np.float32(0.5), velocity=(0, 0, 0), position=(0, 50, 0))
    world.step(np.float64(0.01), steps=2.0, quick=1)
    world.step(0.01, steps=0)
    world.step(0.01, steps=None)
    assert world.totals["steps"] == 3
    assert odepeg.Surface(mu=inf, mu2=0, bounce=2, soft_erp=1, soft_cfm=0)


def test_error_is_both():
    with pytest.raises(odepeg.Error) as raised:
        odepeg.World().step(-1)
    assert isinstance(raised.value, ValueError) and raised.value.status > 0


@pytest.mark.parametrize("call", SHAPES)
def test_orientation_of_statics_is_normalised(call):
    """A static box, turned by an orientation of length 2 or 1e-30, stops the same ball in the same place."""
    places = []
    half = np.sqrt(0.5)
    for scale in (1, 2, 1e-30, 1e30):
        world = odepeg.World()
        eval(f"world.{call}({SHAPES[call]}, orientation=scale * np.array((half, half, 0, 0)))",  # pylint: disable=eval-used
             {**globals(), "world": world, "scale": scale, "half": half})
        world.add_sphere(0.2, mass=1, position=(0.1, 0.1, 2))
        world.step(0.01, steps=60)
        places.append(world.poses[0, :3])
    assert np.allclose(places, places[0], atol=1e-9) and places[0][2] > -2


def test_orientation_of_bodies_is_normalised():
    world = odepeg.World(gravity=(0, 0, 0))
    body = world.add_box((1, 2, 3), mass=1, orientation=(3, 0, 0, 4))
    assert np.allclose(body.orientation, (0.6, 0, 0, 0.8), atol=1e-15)
    body.orientation = (0, 1e-40, 0, 0)
    assert np.array_equal(body.orientation, (0, 1, 0, 0))


def test_near_changes_nothing():
    """Whatever near calls is refused while the step runs, and raised by it; afterwards all is as before."""
    calls = [lambda w: w.add_sphere(1, mass=1), lambda w: w.add_plane((0, 0, 1), 0), lambda w: w.add_convex(CORNERS),
             lambda w: w.add_mesh(CORNERS, FACES), lambda w: w.add_fixed(w.bodies[0], None), lambda w: w.step(0.01),
             lambda w: w.reset_totals(), lambda w: w.bodies[0].add_force((1, 0, 0)), lambda w: w.bodies[0].add_torque((1, 0, 0)),
             lambda w: setattr(w.bodies[0], "position", (0, 0, 9)), lambda w: setattr(w.bodies[0], "velocity", (0, 0, 9)),
             lambda w: w.hinge.set_motor(1, 1), lambda w: w.hinge.set_stops(0, 1)]
    for call in calls:
        world = odepeg.World(near=lambda a, b: call(world))  # pylint: disable=cell-var-from-loop
        world.add_plane((0, 0, 1), 0)
        ball = world.add_sphere(0.1, mass=1, position=(0, 0, 0.11))
        world.hinge = world.add_hinge(world.add_sphere(0.1, mass=1, position=(5, 0, 5)), None, (5, 0, 5), (0, 0, 1))
        with pytest.raises(odepeg.Error, match="in a step"):
            world.step(0.01, steps=10)
        assert world.totals["steps"] == 1 and len(world.bodies) == 2 and ball.position[2] < 0.11
        world.add_sphere(0.1, mass=1, position=(9, 0, 5))  # the step has ended


def test_other_threads_wait_for_the_step():
    refused, inside, go = [], threading.Event(), threading.Event()

    def near(a, b):
        inside.set()
        go.wait(10)

    world = odepeg.World(near=near)
    world.add_plane((0, 0, 1), 0)
    world.add_sphere(0.1, mass=1, position=(0, 0, 0.11))
    thread = threading.Thread(target=lambda: world.step(0.01))
    thread.start()
    assert inside.wait(10)
    for call in (lambda: world.step(0.01), lambda: world.add_sphere(1)):
        try:
            call()
        except odepeg.Error as error:
            refused.append(str(error))
    go.set()
    thread.join()
    assert len(refused) == 2 and world.totals["steps"] == 1


def test_a_surface_of_near_is_checked():
    world = odepeg.World(near=lambda a, b: odepeg.Surface(mu=-1))
    world.add_plane((0, 0, 1), 0)
    world.add_sphere(0.1, mass=1, position=(0, 0, 0.11))
    with pytest.raises(ValueError, match="Surface: mu is -1"):
        world.step(0.01)


def test_traces(tmp_path):
    with pytest.raises(FileNotFoundError):
        odepeg.read_trace(tmp_path / "none")
    for text in (b"", b"\x1f\x8b broken", b"3\n", b"[]\n", b"{}\n", b"\xff\xfe\n", b'{"format": "ode-peg-trace", "version": 1}\n',
                 b'{"format": "ode-peg-trace", "version": 2, "bodies": []}\n'):
        path = tmp_path / "trace"
        path.write_bytes(text)
        with pytest.raises(ValueError, match="read_trace: path is .*no trace of version 1"):
            odepeg.read_trace(path)


PYODE = """
    import gc, ode, odepeg
    world, space = ode.World(), ode.Space()
    body = ode.Body(world)
    geom = ode.GeomSphere(space, 1)
    geom.setBody(body)
    def expect(raises, words, *arguments, **how):
        try:
            odepeg.wrap(*arguments, **how)
        except raises as error:
            assert words in str(error), error
        else:
            raise AssertionError(arguments)
"""


@pytest.mark.parametrize("text", [
    """
    for wrong in (world, body, geom, ode.GeomPlane(None, (0, 0, 1), 0), ode.Mass()):
        expect(TypeError, "wrap: spaces[0] is", wrong)
    expect(ValueError, "wrap: spaces[0] is", geom._id())
    expect(TypeError, "wrap: spaces[1] is", space, None)
    """,
    """
    for make in (ode.SimpleSpace, ode.HashSpace, ode.SAPSpace, lambda: ode.QuadTreeSpace((0, 0, 0), (1, 1, 1), 3)):
        gone = make()
        address = gone._id()
        expect(ValueError, "no geom", gone)
        del gone
        expect(ValueError, "no space is there", address)
    """,
    """
    # nothing is left of a call that failed: the next one makes the peg world of this world
    try:
        odepeg.wrap(space, settings={"margin": 5})
    except ValueError as error:
        kept = error
    peg = odepeg.wrap(space._id())
    peg.step(0.01)
    expect(odepeg.Error, "has a peg world already", space)
    """,
    """
    # the Peg keeps the world, whatever else goes
    peg = odepeg.wrap(space)
    del world, body, geom, space
    gc.collect()
    peg.step(0.01, steps=5)
    assert len(peg.poses) == 0 and len(peg.contacts()) == 0
    """,
    """
    # contacts of geoms that are gone keep their addresses
    floor = ode.GeomPlane(space, (0, 0, 1), -1.001)
    world.setGravity((0, 0, -9.81))
    peg = odepeg.wrap(space)
    peg.step(0.1)
    assert len(peg.contacts()) == 1
    del floor, geom, body
    gc.collect()
    assert peg.contacts()["body1"][0] == -1
    """,
    """
    nested = ode.HashSpace(space)
    outer = odepeg.wrap(space)
    outer.step(0.01)
    assert len(outer.poses) == 1
    """,
])
def test_pyode(text):
    pytest.importorskip("ode")
    source = textwrap.dedent(PYODE) + textwrap.dedent(text)
    result = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_world_and_its_statics_are_freed():
    for _ in range(3):
        world = odepeg.World()
        with pytest.raises(ValueError):
            world.add_box((1, 1, 1e-12))
        del world
        gc.collect()
