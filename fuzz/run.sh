#!/usr/bin/env bash
# fuzz/run.sh [SECONDS_PER_TARGET [TARGET...]]: seeds the corpora, then fuzzes the targets in turn (default 1200 s, all
# targets: four hours).
# Needs cargo-fuzz; runs on a stable toolchain. Crashes are written to fuzz/artifacts and fail the run.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-1200}
targets=("${@:2}")
if [ "${#targets[@]}" = 0 ]; then targets=(stl obj ply off gltf threemf urdf dae mjcf sdf assembly); fi
export RUSTC_BOOTSTRAP=1
for target in "${targets[@]}"; do
  corpus=fuzz/corpus/$target
  mkdir -p "$corpus"
  case $target in
    assembly) seeds=(fixtures/assemblies/*/*.json fixtures/cases/*/*.json fixtures/corpus/assembly/*) ;;
    gltf) seeds=(fixtures/corpus/gltf/* ../shared/inputs/gltf/*/*.gl* ../shared/inputs/gltf/*/*/*.gl*) ;;
    threemf) seeds=(fixtures/corpus/threemf/* ../shared/inputs/3mf/*) ;;
    urdf) seeds=(fixtures/corpus/urdf/* ../shared/inputs/urdf/*/*/*.urdf) ;;
    mjcf | sdf) seeds=(fixtures/corpus/"$target"/* fixtures/imports/"$target"/*."${target/mjcf/xml}") ;;
    *) seeds=(fixtures/corpus/"$target"/* fixtures/meshes/*/*."$target" ../shared/meshes/*."$target" ../shared/inputs/mesh/*."$target") ;;
  esac
  for seed in "${seeds[@]}"; do
    # Long seeds slow every run and add nothing over short ones.
    if [ -f "$seed" ] && [ "$(stat -c %s "$seed")" -le 60000 ]; then cp "$seed" "$corpus/$(printf %s "$seed" | tr / _)"; fi
  done
  echo "fuzzing $target for $seconds s from $(ls "$corpus" | wc -l) seeds"
  cargo fuzz run "$target" -- -max_total_time="$seconds" -timeout=20 -rss_limit_mb=1024 -max_len=65536 -print_final_stats=1
done
