#!/usr/bin/env bash
# Tests that a tag can be released, and prints its notes: .ci/release.sh TAG [FOLDER]
set -euo pipefail
cd "${2:-$(dirname "$0")/..}"
tag=$1
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
refuse() {
    printf 'no release: %s\n' "$1" >&2
    exit 1
}
[[ $tag == "v$version" ]] || refuse "the tag is $tag, Cargo.toml has $version"
! grep -q OWNER Cargo.toml || refuse 'Cargo.toml names OWNER in place of the account'
heading=$(grep -m 1 "^## $version\b" CHANGELOG.md) || refuse "CHANGELOG.md has no section $version"
[[ $heading != *'not yet released'* ]] || refuse "CHANGELOG.md calls $version not yet released"
awk -v heading="$heading" '$0 == heading { on = 1; next } /^## / { on = 0 } on' CHANGELOG.md
