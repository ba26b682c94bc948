#!/usr/bin/env bash
# Lets Blender's importer read a glTF file of the lab: import_blender.sh LAB. The bodies, their meshes and
# the keyframes of those that move must arrive. Exit status 77 (skipped) where there is no Blender.
set -euo pipefail
lab=$1
command -v blender >/dev/null || { echo "glTF: skipped, no Blender on this machine (Debian: blender)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$lab" run pour-mixed --time 1 --quiet --gltf "$work/mixed.glb" --trace "$work/mixed.jsonl"
cat >"$work/read.py" <<'PY'
import json
import sys

import bpy
import numpy

numpy.bool = bool  # Debian's Blender asks for an alias that its numpy has no more
folder = sys.argv[-1]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath=folder + "/mixed.glb")
with open(folder + "/mixed.jsonl") as trace:
    head, *frames = map(json.loads, trace)
objects = {o.name: o for o in bpy.data.objects}
missing = [b["name"] for b in head["bodies"] if b["name"] not in objects]
# where Blender has the moving bodies at the end is where the trace has them; its z is up, as the scene's
scene = bpy.context.scene
scene.frame_set(round((len(frames) - 1) * head["h"] * scene.render.fps))
still, worst, moving = [], 0, 0
for body, pose in zip(head["bodies"], frames[-1]["pose"]):
    if body["static"] or not pose or body["name"] in missing:
        continue
    moving += 1
    thing = objects[body["name"]]
    if not thing.animation_data:
        still.append(body["name"])
    at = thing.matrix_world.translation
    worst = max(worst, max(abs(at[k] - pose[k]) for k in range(3)))
print(f"blender: {len(objects)} objects, {moving} bodies that move, missing {missing}, without keyframes {still}, "
      f"farthest {worst:.2g} m")
sys.exit(bool(missing or still or not moving or worst > .02))
PY
blender --background --factory-startup --python-exit-code 1 --python "$work/read.py" -- "$work" >"$work/log" 2>&1 ||
    { tail -n 20 "$work/log"; exit 1; }
grep '^blender:' "$work/log"
