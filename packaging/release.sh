#!/usr/bin/env bash
# Makes the tag of a release, with its section of the changelog as message: release.sh VERSION. The version
# must be the same wherever it stands, the section dated, the work tree clean. Pushes nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=$1

fail() {
    echo "release: $1" >&2
    exit 1
}

[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "'$version' is no version: write MAJOR.MINOR.PATCH"
grep -q "^  version: '$version'," meson.build || fail "meson.build has another version"
grep -q "^#define PEG_VERSION_STRING \"$version\"" plugin/ode-peg.h || fail "plugin/ode-peg.h has another version"
head -n 1 packaging/debian/changelog | grep -q "^ode-peg ($version-" || fail "packaging/debian/changelog has another version"
grep -qE "^## $version \([0-9]{4}-[0-9]{2}-[0-9]{2}\)$" CHANGELOG.md ||
    fail "CHANGELOG.md has no line '## $version (YYYY-MM-DD)'"
[[ -z $(git status --porcelain) ]] || fail "there are changes that are not committed"
git rev-parse -q --verify "refs/tags/v$version" >/dev/null && fail "the tag v$version is there already"

notes=$(mktemp)
trap 'rm -f "$notes"' EXIT
{ echo "ode-peg $version"; awk -v head="## $version " 'index($0, head) == 1 { on = 1; next } /^## / { on = 0 } on' CHANGELOG.md; } >"$notes"
git tag --annotate "v$version" --cleanup=verbatim --file "$notes"
echo "release: made the tag v$version; its notes: git show --no-patch v$version; to publish: git push origin v$version"
