"""PyODE scripts in the style of its tutorials run exactly with two lines changed."""
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("ode")

CHANGES = {
    "dt = 0.01\n": "dt = 0.01; import odepeg; peg = odepeg.wrap(space, mu=0.5)\n",
    "    world.step(dt)\n": "    peg.step(dt)\n",
}

CHECKS = """
import numpy as np
totals, contacts, poses = peg.totals, peg.contacts(), peg.poses
assert totals["steps"] >= 300 and totals["frozen_islands"] == 0, totals
assert totals["max_penetration"] == 0 and totals["recovered"] == 0, totals
assert len(contacts) >= len(bodies) / 2 and np.all(contacts["gap"] > -1e-12)
assert poses.shape == (len(bodies), 7)
assert np.array_equal(poses[:, :3], [body.getPosition() for body in bodies])
for joint in globals().get("joints", []):
    assert np.linalg.norm(np.subtract(joint.getAnchor(), joint.getAnchor2())) < 1e-3
print("whole")
"""


@pytest.mark.parametrize("name", ["rain", "chain", "shapes"])
def test_tutorial(name):
    text = Path(__file__).with_name(f"tutorial_{name}.py").read_text()
    for old, new in CHANGES.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    # a process of its own: PyODE's objects do not survive being freed in any order
    result = subprocess.run([sys.executable, "-c", text + CHECKS], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0 and result.stdout == "whole\n", result.stdout + result.stderr


def test_wrap_with_near():
    import ode
    import odepeg

    world, space = ode.World(), ode.Space()
    with pytest.raises(ValueError, match="no geom"):
        odepeg.wrap(space)
    world.setGravity((0, 0, -9.81))
    floor = ode.GeomPlane(space, (0, 0, 1), 0)
    body, mass = ode.Body(world), ode.Mass()
    mass.setSphere(1000, 0.1)
    body.setMass(mass)
    body.setPosition((0, 0, 0.15))
    geom = ode.GeomSphere(space, 0.1)
    geom.setBody(body)
    seen = set()

    def near(a, b):
        seen.update((a, b))
        return odepeg.Surface(mu=0.3)

    peg = odepeg.wrap(space, near=near)
    peg.step(0.01, steps=50)
    assert seen == {floor._id(), geom._id()}
    assert abs(body.getPosition()[2] - 0.1) < 1e-4
    contact = peg.contacts()
    assert {contact["geom1"][0], contact["geom2"][0]} == seen and contact["body1"][0] == -1
