#!/usr/bin/env bash
# Bundles the report page's script: bundle.sh [FOLDER]. With --check: compares what is committed with
# a fresh bundle (exit status 77, which meson takes as skipped, where npm or its registry is missing).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

skip() {
    echo "bundle: skipped, $1"
    exit 77
}

install_in() {
    npm ci --silent --no-audit --no-fund --prefix "$1"
}

if [[ ${1-} == --check ]]; then
    command -v npm >/dev/null && command -v node >/dev/null || skip "npm is not installed"
    fresh=$(mktemp -d)
    trap 'rm -rf "$fresh"' EXIT
    cp -r "$here"/{package.json,package-lock.json,build.mjs,src} "$fresh"
    install_in "$fresh" >/dev/null 2>&1 || skip "the npm registry cannot be reached"
    node "$fresh/build.mjs" "$fresh/vendor"
    diff -r "$here/vendor" "$fresh/vendor" >/dev/null || {
        echo "bundle: demos/report/page/vendor is not what its sources give: ./run bundle"
        exit 1
    }
    exit 0
fi
install_in "$here"
node "$here/build.mjs" "$@"
