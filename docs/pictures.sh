#!/usr/bin/env bash
# Draws the pictures of the example programs and of ./run demo into docs/images. Needs a build in
# build/, chromium, imagemagick and Xvfb: apt-get install chromium imagemagick xvfb. pictures.sh [EXAMPLE..]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build images=$root/docs/images
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

if [[ $# == 0 ]]; then
    "$build/demos/peg-lab" demo --out demo --quiet
    convert demo/picture.png -resize 960x -colors 200 "$images/pour.png"
    xvfb-run -a "$build/demos/peg-lab" view pour-convex --time 4 --set bodies=10 --picture "$images/view.png"
fi
only=" $* "

# A trace shows the geoms of the spaces that the program hands to dSpaceCollide, which a program that
# uses the library has no need of.
cat >picture.h <<'END'
#include <ode/ode.h>
#include <ode-peg.h>
static dSpaceID picture_space;
static void picture_near(void *data, dGeomID a, dGeomID b) { (void)data, (void)a, (void)b; }
static inline pegStatus picture_add(pegWorldID peg, dSpaceID space)
{
    picture_space = space;
    return pegWorldAddSpace(peg, space);
}
static inline pegStatus picture_step(pegWorldID peg, dReal h)
{
    dSpaceCollide(picture_space, 0, &picture_near);
    return pegWorldStep(peg, h);
}
#define pegWorldAddSpace picture_add
#define pegWorldStep     picture_step
END

# draw NAME SHARE-OF-THE-TIME CROP
draw() {
    [[ $only == "  " || $only == *" $1 "* ]] || return 0
    cc -D_POSIX_C_SOURCE=200809L -include picture.h -I"$build/plugin" "$root/demos/examples/$1.c" -o "$1" \
        -L"$build/plugin" -lode-peg -lode -lm -Wl,-rpath,"$build/plugin"
    "$build/plugin/peg-run" --contact ode --trace "$1.jsonl" "./$1" >/dev/null
    "$build/demos/peg-lab" report "$1.jsonl" --out "$1.html" >/dev/null
    cat >>"$1.html" <<END
<script>
setTimeout(() => {
    const s = document.querySelector('input[type=range]');
    s.value = s.max * $2;
    s.dispatchEvent(new Event('input', {bubbles: true}));
}, 1500);
</script>
END
    chromium --headless --no-sandbox --use-gl=swiftshader --enable-unsafe-swiftshader --ignore-gpu-blocklist \
        --hide-scrollbars --virtual-time-budget=8000 --window-size=1200,900 --screenshot="$1.png" \
        "file://$place/$1.html" >/dev/null 2>&1
    convert "$1.png" -crop 1160x600+20+150 +repage -gravity center -crop "$3" +repage -resize 480x -colors 128 \
        "$images/example-$1.png"
    echo "$1"
}

draw hello 1 640x560+0+10
draw surfaces 0.6 900x440+0+0
draw shapes 1 760x600+0+0
draw vehicle 1 420x320+0-80
draw gripper 0.7 480x400+0+0
draw contacts 0.5 640x600+0+0
