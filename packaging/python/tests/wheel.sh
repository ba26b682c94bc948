#!/bin/sh
# Builds the wheel in /root/python, installs it beside the system's packages and uses it from there.
set -eu
cd /root/python
python3 setup.py --quiet bdist_wheel >/root/wheel.log 2>&1 || { tail -n 20 /root/wheel.log; exit 1; }
pip3 install --quiet --no-deps --no-index --target /root/wheel --root-user-action=ignore dist/*.whl
cd /
PYTHONPATH=/root/wheel python3 -c '
import odepeg
assert odepeg.__file__.startswith("/root/wheel/"), odepeg.__file__
world = odepeg.World(mu=0.5)
world.add_plane((0, 0, 1), 0)
box = world.add_box((1, 1, 1), position=(0, 0, 1), density=1000)
world.step(0.01, steps=100)
assert abs(box.position[2] - 0.5) < 1e-3 and world.totals["max_penetration"] == 0
print("the wheel works:", odepeg.__file__)'
