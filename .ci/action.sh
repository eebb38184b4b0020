#!/usr/bin/env bash
# The steps of the GitHub Action (action.yml): keys, get, compile, check, verdict. Inputs come in the environment, so that no
# name is ever run. Bash 3.2 of macOS is enough.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=.ci/install.sh
. "$source/.ci/install.sh"
temp=${RUNNER_TEMP:?the folder that GitHub gives a job}
root=$temp/interfere-bin
program=$root/bin/interfere

# Sets an output of the step, of one line or more.
output() {
    local end=end-$RANDOM$RANDOM
    printf '%s<<%s\n%s\n%s\n' "$1" "$end" "$2" "$end" >>"$GITHUB_OUTPUT"
}

# Image of the runner as a word: a binary runs only with a C library as new as the one it was linked with.
image() {
    local name=${ImageOS:-}
    [[ -n $name || ! -f /etc/os-release ]] || name=$(sed -n 's/^\(ID\|VERSION_ID\)=//p' /etc/os-release | tr -d '"\n')
    printf '%s-%s' "${name:-$(uname -s)}" "$(uname -m)"
}

# Names the caches: of the program by image, compiler and sources with the lock file; of the answers by sources and assemblies.
keys() {
    local compiler content
    compiler=$({ rustc -vV 2>/dev/null || true; printf '%s' "${RUSTFLAGS:-}"; } | digest)
    content=$(sources)
    output binary "interfere-$(image)-$compiler-$content"
    content=$content-$(printf '%s' "${INTERFERE_ASSEMBLY:-}" | digest)
    output answers "interfere-answers-$content-"
    output folder "$temp/interfere-answers-$content"
}

# Downloads the binary of the release for these sources, if there is one.
get() {
    local found=false
    if [[ -x $program ]] || TMPDIR=$temp fetch "$root" "${INTERFERE_REPOSITORY:-}"; then
        found=true
    else
        printf 'no release of these sources for this system: a build follows\n'
    fi
    output found "$found"
}

compile() {
    build "$root"
}

# Lists the files for a glob: `*` and `?` stay within a folder, `**/` is any number of folders.
matches() {
    local glob=$1 regex='' fixed=${1%%[*?]*} folder=.
    [[ $fixed != */* ]] || folder=${fixed%/*}
    [[ $fixed != /* || -n $folder ]] || folder=/
    while [[ -n $glob ]]; do
        case $glob in
        '**/'*) regex+='(.*/)?' glob=${glob:3} ;;
        '*'*) regex+='[^/]*' glob=${glob:1} ;;
        '?'*) regex+='[^/]' glob=${glob:1} ;;
        '^'* | \\*) regex+="\\${glob:0:1}" glob=${glob:1} ;;
        [.+'(){}|$[']*) regex+="[${glob:0:1}]" glob=${glob:1} ;;
        *) regex+=${glob:0:1} glob=${glob:1} ;;
        esac
    done
    find "$folder" -name .git -prune -o -type f -print 2>/dev/null | sed 's#^\./##' | LC_ALL=C sort |
        { grep -E -x -e "$regex" || true; }
}

# Lists the assemblies of the input, one a line.
assemblies() {
    local pattern found
    while read -r pattern; do
        [[ -n $pattern ]] || continue
        if [[ $pattern != *[*?]* || -f $pattern ]]; then
            printf '%s\n' "$pattern"
            continue
        fi
        found=$(matches "${pattern#./}")
        if [[ -z $found ]]; then
            printf '::error title=interfere::no file matches %s\n' "$pattern" >&2
            return 2
        fi
        printf '%s\n' "$found"
    done <<<"${INTERFERE_ASSEMBLY:-}" | awk '!seen[$0]++'
}

# Name of the k-th of n files: k stands before the ending if n > 1.
numbered() {
    local name=${1##*/} stem
    if [[ $3 == 1 ]]; then
        printf '%s' "$1"
    elif [[ $name == ?*.* ]]; then
        stem=${1%.*}
        printf '%s-%s.%s' "$stem" "$2" "${name##*.}"
    else
        printf '%s-%s' "$1" "$2"
    fi
}

# Flags of every assembly, from the inputs.
settings() {
    local words
    [[ -z ${INTERFERE_FAIL_ON:-} ]] || printf '%s\n' --fail-on "$INTERFERE_FAIL_ON"
    [[ ${INTERFERE_STRICT:-false} != true ]] || printf '%s\n' --strict
    case ${INTERFERE_BASELINE:-} in
    '') ;;
    none) printf '%s\n' --no-baseline ;;
    *) printf '%s\n' --baseline "$INTERFERE_BASELINE" ;;
    esac
    [[ ${INTERFERE_CACHE:-true} != true ]] || printf '%s\n' --cache "$INTERFERE_ANSWERS"
    # Splits at blanks and line ends outside quotes, and runs nothing.
    if [[ ${INTERFERE_ARGS:-} == *[![:space:]]* ]]; then
        words=$(printf '%s\n' "$INTERFERE_ARGS" | xargs printf '%s\n') || return 2
        printf '%s\n' "$words"
    fi
}

# Ends the step without a check: the verdict step fails the job.
refuse() {
    printf '::error title=interfere::%s\n' "$1"
    output exit-code 2
    exit 0
}

# Checks one assembly to a folder of its own; passes the exit code on.
check_one() {
    local assembly=$1 folder=$2 k=$3 n=$4 code=0
    shift 4
    mkdir "$folder"
    [[ -z ${INTERFERE_SARIF:-} ]] || set -- "$@" --format "sarif=$(numbered "$INTERFERE_SARIF" "$k" "$n")"
    [[ -z ${INTERFERE_JUNIT:-} ]] || set -- "$@" --format "junit=$(numbered "$INTERFERE_JUNIT" "$k" "$n")"
    "$program" check "$@" --format table --format "github=$folder/annotations" --format "markdown=$folder/summary.md" \
        --format "json=$folder/report.json" -- "$assembly" || code=$?
    if [[ -f $folder/report.json ]]; then
        cat "$folder/annotations"
        cat "$folder/summary.md" >>"$GITHUB_STEP_SUMMARY"
    else
        printf '::error title=interfere::%s: nothing was decided: the messages are in the log of this step\n' "$assembly"
    fi
    return "$code"
}

# Name of the cache with the present answers, if they are others than the restored ones.
changed_answers() {
    local folder=${INTERFERE_ANSWERS:-} key
    [[ ${INTERFERE_CACHE:-true} == true && -d $folder ]] || return 0
    key=$INTERFERE_ANSWERS_KEY$(cd "$folder" && find . -type f | LC_ALL=C sort | digest)
    [[ $key == "${INTERFERE_RESTORED:-}" ]] || output save "$key"
}

# Checks every assembly. The step passes: later steps save the caches, then the verdict step fails.
check() {
    local files=() flags=() folder line list code worst=0 k=0 reports=''
    printf '%s\n' "$root/bin" >>"$GITHUB_PATH"
    list=$(assemblies) || refuse 'an input names no assembly: the log of this step has the message'
    while IFS= read -r line; do [[ -z $line ]] || files+=("$line"); done <<<"$list"
    [[ ${#files[@]} -gt 0 ]] || refuse 'the input assembly is empty'
    list=$(settings) || refuse 'the input args has an open quote'
    while IFS= read -r line; do [[ -z $line ]] || flags+=("$line"); done <<<"$list"
    # A folder for each use: two uses in a job share no report.
    folder=$(mktemp -d "$temp/interfere-reports.XXXXXX")
    for line in "${files[@]}"; do
        k=$((k + 1)) code=0
        [[ ${#files[@]} -eq 1 ]] || printf '\n%s\n' "$line"
        check_one "$line" "$folder/$k" "$k" "${#files[@]}" ${flags[@]+"${flags[@]}"} || code=$?
        [[ $code -le $worst ]] || worst=$code
        [[ ! -f $folder/$k/report.json ]] || reports+=${reports:+$'\n'}$folder/$k/report.json
    done
    output exit-code "$worst"
    output report "$reports"
    changed_answers
}

# Ends with the worst exit code of the check.
verdict() {
    exit "${INTERFERE_EXIT_CODE:-2}"
}

case ${1:-} in
keys | get | compile | check | verdict) "$1" ;;
*)
    printf 'usage: %s keys|get|compile|check|verdict\n' "$0" >&2
    exit 2
    ;;
esac
