#!/usr/bin/env bash
# Builds the manual: docs/build.sh HEADER OUT [--link-mathjax]. HEADER is the built ode-peg.h. A
# warning of Doxygen's or a link that leads nowhere is an error.
set -euo pipefail
[[ $# -ge 2 ]] || { echo "build.sh: wants HEADER OUT" >&2 && exit 2; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
header=$(realpath --relative-to="$root" "$1")
mkdir -p "$2"
out=$(realpath "$2")
version=$(sed -n 's/^#define PEG_VERSION_STRING "\(.*\)"/\1/p' "$root/plugin/ode-peg.h")
mathjax=/usr/share/javascript/mathjax

rm -rf "${out:?}/html"
mkdir -p "$out/examples"
for file in "$root"/demos/examples/*.c; do cp "$file" "$out/examples/$(basename "$file").txt"; done
python3 "$root/docs/constants.py" "$root" >"$out/constants.md"
sed -e "s|@VERSION|$version|; s|@OUT|$out|g; s|@HEADER|$header|" \
    -e "s|@EXAMPLES|$(echo "$out"/examples/*)|" "$root/docs/Doxyfile" >"$out/Doxyfile"
(cd "$root" && doxygen "$out/Doxyfile")

if [[ ${3-} == --link-mathjax ]]; then
    ln -s "$mathjax" "$out/html/mathjax"
else
    mkdir "$out/html/mathjax"
    cp -r "$mathjax"/{MathJax.js,config,extensions,jax,fonts} "$out/html/mathjax"
    rm -rf "$out"/html/mathjax/jax/output/{SVG,PreviewHTML,PlainSource}
fi
python3 "$root/docs/check_links.py" "$root" "$out/html"
