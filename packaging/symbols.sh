#!/bin/sh
# The symbols file of the Debian package: symbols.sh LIBRARY VERSION. With --check FILE instead of the
# version: whether that file lists just what the library exports.
set -eu
exported() {
    nm -D --defined-only "$1" | sed -n 's/^[0-9a-f]* [TDBR] \(peg[A-Z].*\)$/\1/p' | LC_ALL=C sort
}
if [ "$2" = --check ]; then
    exported "$1" >"${TMPDIR:-/tmp}/exported.$$"
    sed -n 's/^ \(peg[^@]*\)@.*/\1/p' "$3" | LC_ALL=C sort | diff - "${TMPDIR:-/tmp}/exported.$$" && status=0 || status=1
    rm -f "${TMPDIR:-/tmp}/exported.$$"
    [ $status = 0 ] || echo "$3 lists (<) other symbols than the library exports (>)"
    exit $status
fi
echo "libode-peg.so.0 libode-peg0 #MINVER#"
echo "* Build-Depends-Package: libode-peg-dev"
exported "$1" | sed "s/.*/ &@Base $2/"
