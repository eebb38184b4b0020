#!/usr/bin/env bash
# The steps of the GitHub Action (action.yml): version, build, check. Inputs come in the environment, so that no name is ever run.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
temp=${RUNNER_TEMP:?the folder that GitHub gives a job}

# What a build depends on, as one word.
version() {
    local key
    key=$(cd "$source" && find Cargo.toml Cargo.lock src -type f -print0 | sort -z | xargs -0 cat | git hash-object --stdin)
    printf 'key=%s\n' "$key" >>"$GITHUB_OUTPUT"
}

build() {
    cargo install --locked --path "$source" --root "$temp/interfere-bin"
}

check() {
    local interfere=${INTERFERE:-$temp/interfere-bin/bin/interfere} code=0 more=() flags=()
    local report=$temp/interfere-report.json
    # Blanks and line ends separate flags.
    read -r -d '' -a more <<<"${INTERFERE_ARGS:-}" || true
    [[ ${INTERFERE_CACHE:-true} == true ]] && flags+=(--cache "$temp/interfere-cache")
    [[ -n ${INTERFERE_SARIF:-} ]] && flags+=(--format "sarif=$INTERFERE_SARIF")
    [[ -n ${INTERFERE_JUNIT:-} ]] && flags+=(--format "junit=$INTERFERE_JUNIT")
    rm -f "$report" "$temp/interfere-annotations" "$temp/interfere-summary.md"
    "$interfere" check "$INTERFERE_ASSEMBLY" --format table --format "github=$temp/interfere-annotations" \
        --format "markdown=$temp/interfere-summary.md" --format "json=$report" \
        ${flags[@]+"${flags[@]}"} ${more[@]+"${more[@]}"} || code=$?
    printf 'exit-code=%s\n' "$code" >>"$GITHUB_OUTPUT"
    if [[ -f $report ]]; then
        printf 'report=%s\n' "$report" >>"$GITHUB_OUTPUT"
        cat "$temp/interfere-annotations"
        cat "$temp/interfere-summary.md" >>"$GITHUB_STEP_SUMMARY"
    else
        printf '::error title=interfere::nothing was decided: the messages are in the log of this step\n'
    fi
    return "$code"
}

case ${1:-} in
version | build | check) "$1" ;;
*)
    printf 'usage: %s version|build|check\n' "$0" >&2
    exit 2
    ;;
esac
