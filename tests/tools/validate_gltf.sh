#!/usr/bin/env bash
# Validates glTF files of the lab with the Khronos validator: validate_gltf.sh LAB. Exit status 77
# (skipped) where npm or its registry is missing.
set -euo pipefail
lab=$1
command -v npm >/dev/null && command -v node >/dev/null || { echo "glTF: skipped, no npm"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --silent --no-audit --no-fund --prefix "$work" gltf-validator@2.0.0-dev.3.10 \
    >/dev/null 2>&1 || { echo "glTF: skipped, the npm registry cannot be reached"; exit 77; }
"$lab" run pour-mixed --time 1.5 --quiet --gltf "$work/mixed.glb"
"$lab" run ragdoll --time .3 --quiet --gltf "$work/ragdoll.glb"
"$lab" run hills --time .3 --quiet --gltf "$work/hills.glb"
"$lab" run demo-heightfield --time .3 --quiet --gltf "$work/field.glb"
cat >"$work/validate.js" <<'JS'
const { validateBytes } = require('gltf-validator');
const { readFileSync } = require('fs');
(async () => {
    for (const path of process.argv.slice(2)) {
        const { issues } = await validateBytes(new Uint8Array(readFileSync(path)));
        console.log(`${path}: ${issues.numErrors} errors, ${issues.numWarnings} warnings`);
        if (issues.numErrors + issues.numWarnings === 0) continue;
        console.log(JSON.stringify(issues.messages.slice(0, 5)));
        process.exitCode = 1;
    }
})();
JS
NODE_PATH=$work/node_modules node "$work/validate.js" "$work"/*.glb
