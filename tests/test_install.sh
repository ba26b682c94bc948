#!/bin/sh
# Installs the build into a fresh folder and builds the examples from there alone: with CMake, and
# hello with pkg-config. Arguments: build folder, source folder. Status 77: no CMake, skipped.
set -eu
command -v cmake >/dev/null || exit 77
build=$1 source=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
# the libraries of a sanitized build want the sanitizer's runtime first
flags=${EXAMPLE_CFLAGS-}

DESTDIR=$place meson install -C "$build" --no-rebuild --quiet >"$place/log" 2>&1 || { cat "$place/log"; exit 1; }
config=$(find "$place" -name ode-peg-config.cmake)
pc=$(find "$place" -name ode-peg.pc)
lib=$(dirname "$(dirname "$pc")")
prefix=${pc%/lib*/pkgconfig/ode-peg.pc}
test -n "$config" || { echo "no CMake package was installed"; exit 1; }

cp -r "$source/demos/examples" "$place/examples"
cmake -S "$place/examples" -B "$place/cmake" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_FLAGS="$flags" >"$place/log" 2>&1 || { cat "$place/log"; exit 1; }
cmake --build "$place/cmake" --target hello >"$place/log" 2>&1 || { cat "$place/log"; exit 1; }
"$place/cmake/hello"

export PKG_CONFIG_PATH="$lib/pkgconfig" LD_LIBRARY_PATH="$lib"
# shellcheck disable=SC2046,SC2086
cc $flags "$place/examples/hello.c" -o "$place/hello" \
    $(pkg-config --define-variable=prefix="$prefix" --cflags --libs ode-peg)
"$place/hello" | tail -n 1

# ODE in single precision is refused by the preprocessor
if printf '#define dIDESINGLE\n#include <ode-peg.h>\n' | cc -E -I"$prefix/include" - >"$place/log" 2>&1
then echo "single precision was accepted"; exit 1; fi
grep -q 'double precision' "$place/log"
