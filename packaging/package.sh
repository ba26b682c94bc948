#!/usr/bin/env bash
# Builds the Debian packages into OUT, checks them with lintian, installs them into a clean system and
# runs the examples there from installed files alone; builds the Python wheel there: package.sh OUT.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$1"
out=$(realpath "$1")
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" "$root/meson.build")

fail() {
    echo "package: $1" >&2
    exit 1
}

grep -q "^ode-peg ($version-" "$root/packaging/debian/changelog" ||
    fail "packaging/debian/changelog has no entry for version $version"

# ---- build ----
rm -rf "${out:?}"/*
tree=$out/ode-peg-$version
mkdir "$tree"
(cd "$root" && git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$tree")
cp -r "$root/packaging/debian" "$tree/debian"
echo "package: building (log: $out/build.log)"
(cd "$tree" && env -u MAKEFLAGS dpkg-buildpackage -b -us -uc) >"$out/build.log" 2>&1 ||
    { tail -n 30 "$out/build.log" >&2; fail "the build failed"; }
rm -rf "$tree"
ls -l "$out"/*.deb | awk '{ print $5, $9 }'

# ---- lintian ----
# the one tag left out asks for the number of a bug in Debian's tracker
lintian --allow-root --fail-on error,warning --profile debian \
    --suppress-tags initial-upload-closes-no-bugs "$out"/*.changes ||
    fail "lintian finds faults: see above"
echo "package: lintian finds neither errors nor warnings"

# ---- a clean system ----
clean=$out/clean
needed=build-essential,cmake,meson,pkg-config,python3-odepeg,libode-peg-dev,ode-peg-doc,ode-peg-tools
needed+=,python3-cffi,python3-dev,python3-pip,python3-setuptools,python3-wheel # for the wheel
mkdir "$out/repository"
cp "$out"/*.deb "$out/repository"
(cd "$out/repository" && dpkg-scanpackages . >Packages 2>/dev/null)
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | sort -u | grep -v security | head -n 1)
if [[ $(id -u) == 0 ]]; then mode=root; else mode=unshare; fi
echo "package: installing into a clean $release (log: $out/clean.log)"
if mmdebstrap --mode="$mode" --variant=apt --include="$needed" \
    --aptopt='Acquire::Check-Valid-Until "false"' --skip=check/empty \
    "$release" "$clean" "deb $mirror $release main" "deb [trusted=yes] copy:$out/repository ./" \
    >"$out/clean.log" 2>&1; then
    cp "$root/packaging/debian/tests/examples" "$clean/root/examples"
    echo "package: running the examples there"
    # peg-run asks /proc where it lies
    unshare --mount sh -c "mount -t proc proc '$clean/proc' && exec chroot '$clean' sh /root/examples" ||
        fail "an example failed in the clean system"
    echo "package: building the Python wheel there, against the installed library"
    cp -r "$root/packaging/python" "$clean/root/python"
    cp "$root/packaging/python/tests/wheel.sh" "$clean/root/wheel.sh"
    chroot "$clean" sh /root/wheel.sh || fail "the wheel failed in the clean system"
    cp "$clean"/root/python/dist/*.whl "$out"
    chroot "$clean" dpkg -l | awk '/ode-peg|odepeg/ { print $2, $3 }'
else
    tail -n 5 "$out/clean.log" >&2
    fail "mmdebstrap could not make a clean system: see the output above"
fi
rm -rf "$clean" "$out/repository"
echo "package: the packages are in $out"
