#!/usr/bin/env bash
# tests/tools/arm64.sh SOURCE FOLDER SUITE..: builds the library for 64-bit ARM, whose vectors are NEON's, and runs
# suites of the tests under emulation. Debian's packages of that processor are unpacked into FOLDER; nothing is
# installed. Needs a cross compiler (g++-aarch64-linux-gnu) and qemu-user.
set -euo pipefail

source=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
shift 2
root=$folder/root
libraries=$root/usr/lib/aarch64-linux-gnu
packages=(check libc6-dev libccd-dev liblapacke-dev libode-dev libpopt-dev libqhull-dev libsuitesparse-dev)

# A system of packages of its own: lists, cache and an empty state.
mkdir -p "$folder"/apt/{lists,cache/archives}/partial
: >"$folder/apt/status"
cat >"$folder/apt/conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Install-Recommends "false";
APT::Sandbox::User "";
Dir::State::lists "$folder/apt/lists";
Dir::State::status "$folder/apt/status";
Dir::Cache "$folder/apt/cache";
Debug::NoLocking "true";
END
export APT_CONFIG=$folder/apt/conf

if [[ ! -f $root/complete ]]; then
    apt-get -qq update
    apt-get -qq --yes --download-only install "${packages[@]}"
    for package in "$folder"/apt/cache/archives/*.deb; do dpkg-deb --extract "$package" "$root"; done
    for name in blas lapack; do # what update-alternatives links in an installed system
        cp "$libraries/$name/lib$name.so.3" "$libraries"
        ln -sf "lib$name.so.3" "$libraries/lib$name.so"
        ln -sf "$name-netlib.pc" "$libraries/pkgconfig/$name.pc"
    done
    touch "$root/complete"
fi

cat >"$folder/cross.ini" <<END
[binaries]
c = 'aarch64-linux-gnu-gcc'
cpp = 'aarch64-linux-gnu-g++'
ar = 'aarch64-linux-gnu-ar'
strip = 'aarch64-linux-gnu-strip'
pkgconfig = 'pkg-config'
exe_wrapper = ['qemu-aarch64', '-L', '$root']
[built-in options]
c_args = ['--sysroot=$root']
c_link_args = ['--sysroot=$root']
[properties]
sys_root = '$root'
pkg_config_libdir = ['$libraries/pkgconfig', '$root/usr/share/pkgconfig']
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
END
[[ -f $folder/build/build.ninja ]] ||
    meson setup "$folder/build" "$source" --cross-file "$folder/cross.ini" --buildtype=release -Dwerror=true \
        -Ddemos=false -Dexamples=false -Dtools=false -Dpython=disabled -Dpython_interpreter=/usr/bin/python3
ninja -C "$folder/build"
# an emulated processor is some twenty times slower
CK_TIMEOUT_MULTIPLIER=20 meson test -C "$folder/build" --no-rebuild --timeout-multiplier 20 --print-errorlogs "$@"
