#!/usr/bin/env bash
# Packs a binary for a release: .ci/package.sh TARGET BINARY FOLDER writes interfere-TARGET.tar.gz and its SHA-256 sum.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=.ci/install.sh
. "$source/.ci/install.sh"
[[ $# -eq 3 ]] || {
    printf 'usage: %s TARGET BINARY FOLDER\n' "$0" >&2
    exit 2
}
name=interfere-$1
binary=$2
mkdir -p "$3/$name/completions"
cd "$3"
cp "$binary" "$source"/{README.md,CHANGELOG.md,LICENSE-MIT,LICENSE-APACHE} "$name/"
# The action takes a release only for the same sources as its own.
sources >"$name/sources"
"$binary" man -o "$name/man"
for shell in bash elvish fish powershell zsh; do
    "$binary" completions "$shell" >"$name/completions/interfere.$shell"
done
tar -czf "$name.tar.gz" "$name"
rm -rf "$name"
if command -v sha256sum >/dev/null; then sha256sum "$name.tar.gz"; else shasum -a 256 "$name.tar.gz"; fi >"$name.tar.gz.sha256"
