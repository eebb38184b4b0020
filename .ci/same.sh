#!/usr/bin/env bash
# Compares folders of reports byte by byte: .ci/same.sh FOLDER FOLDER...
set -euo pipefail
[[ $# -gt 1 ]] || {
    printf '%s folders: a comparison needs two\n' $# >&2
    exit 2
}
files=$(find "$1" -type f | wc -l)
[[ $files -gt 0 ]] || {
    printf '%s holds no report\n' "$1" >&2
    exit 2
}
first=$1 differ=0
shift
for folder in "$@"; do
    diff -r -q "$first" "$folder" || differ=$((differ + 1))
done
printf '%s files, %s folders, %s differ from %s\n' $((files)) $(($# + 1)) "$differ" "$first"
[[ $differ -eq 0 ]]
