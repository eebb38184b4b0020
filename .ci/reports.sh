#!/usr/bin/env bash
# Writes the reports of fixtures in every format and geometry: .ci/reports.sh FOLDER BINARY [CASE...]
# Each system must write the same bytes: .ci/same.sh compares two such folders.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1 binary=$2
shift 2
[[ $# -gt 0 ]] || set -- fixtures/cases/*
for case in "$@"; do
    for geometry in exact decomposition hull; do
        out=$folder/$(basename "$case")/$geometry
        mkdir -p "$out"
        code=0
        "$binary" check "$case/assembly.json" --geometry "$geometry" --report-within 1mm --quiet --output "$out/table.txt" \
            --format table --format "json=$out/json" --format "sarif=$out/sarif" --format "junit=$out/junit" \
            --format "github=$out/github" --format "markdown=$out/markdown" --format "csv=$out/csv" || code=$?
        printf '%s\n' "$code" >"$out/exit"
    done
done
