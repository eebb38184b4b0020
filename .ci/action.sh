#!/usr/bin/env bash
# The steps of the GitHub Action (action.yml): keys, get, compile, imports, check, page, link, verdict. Inputs come in
# the environment, so that no name is ever run. Bash 3.2 of macOS is enough.
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
    content=$(designs | while IFS= read -r file; do printf '%s\n' "$file" && { cat -- "$file" 2>/dev/null || true; }; done | digest)
    output design "interfere-design-$(image)-$(importer)-$content"
    output designs "$temp/interfere-designs-$content"
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

# Prints the CAD files of the input, one a line.
designs() {
    local line
    # `read` drops the blanks around a line.
    while read -r line; do [[ -z $line ]] || printf '%s\n' "$line"; done <<<"${INTERFERE_CAD:-}"
}

# Hashes the sources of the importer, as one word.
importer() {
    (cd "$source" && find python/pyproject.toml python/src -type f ! -name '*.pyc' | LC_ALL=C sort |
        while IFS= read -r file; do cat "$file"; done | digest)
}

# Installs the importer with its pinned kernel, once a job, and prints its path.
install_importer() {
    local home=$temp/interfere-cad python
    python=$(command -v python3 || command -v python) || return 1
    [[ -d $home ]] || "$python" -m venv "$home" >&2 || return 1
    # Windows has another layout.
    local programs=$home/bin
    [[ -d $programs ]] || programs=$home/Scripts
    [[ -x $programs/interfere-cad ]] || "$programs/pip" install --quiet "$source/python[occt]" >&2 || return 1
    printf '%s\n' "$programs/interfere-cad"
}

# Ends the job: without an import there is no verdict.
import_failed() {
    printf '::error title=interfere::%s\n' "$1"
    exit 2
}

# Imports each CAD file into the folder with its name, or takes the stored folder of an earlier run.
imports() {
    local file folder stored number=0 program_of_cad=''
    while IFS= read -r file; do
        folder=${file%.*}
        stored=$INTERFERE_DESIGNS/$((number += 1))
        [[ -f $file && $folder != "$file" && ${folder##*/} != '' ]] ||
            import_failed "the input cad names $file; name a file such as design.step"
        if [[ -d $folder && ! -f $folder/import.json && -n $(ls -A "$folder") ]]; then
            import_failed "the folder $folder for the import of $file holds other files"
        fi
        if [[ ! -f $stored/import.json ]]; then
            [[ -n $program_of_cad ]] || program_of_cad=$(install_importer) ||
                import_failed 'interfere-cad could not be installed: the messages are in the log of this step'
            "$program_of_cad" "$file" "$stored" || import_failed "no import of $file: the messages are in the log of this step"
        fi
        rm -rf "$folder/parts" "$folder/assembly.json" "$folder/import.json"
        mkdir -p "$folder"
        cp -R "$stored/." "$folder/"
        printf 'imported %s into %s\n' "$file" "$folder"
    done < <(designs)
}

compile() {
    build "$root"
}

# Flags from the inputs, one a line.
settings() {
    local words
    [[ -z ${INTERFERE_FAIL_ON:-} ]] || printf '%s\n' --fail-on "$INTERFERE_FAIL_ON"
    [[ ${INTERFERE_STRICT:-false} != true ]] || printf '%s\n' --strict
    case ${INTERFERE_BASELINE:-} in
    '') ;;
    none) printf '%s\n' --no-baseline ;;
    *) printf '%s\n' --baseline "$INTERFERE_BASELINE" ;;
    esac
    [[ ${INTERFERE_KEEP_ANSWERS:-true} != true ]] || printf '%s\n' --cache "$INTERFERE_ANSWERS"
    [[ -z ${INTERFERE_PICTURES:-} ]] || printf '%s\n' --pictures "$INTERFERE_PICTURES"
    [[ -z ${INTERFERE_SARIF:-} ]] || printf '%s\n' --format "sarif=$INTERFERE_SARIF"
    [[ -z ${INTERFERE_JUNIT:-} ]] || printf '%s\n' --format "junit=$INTERFERE_JUNIT"
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

# Name of the cache with the present answers, if they are others than the restored ones.
changed_answers() {
    local folder=${INTERFERE_ANSWERS:-} key
    [[ ${INTERFERE_KEEP_ANSWERS:-true} == true && -d $folder ]] || return 0
    key=$INTERFERE_ANSWERS_KEY$(cd "$folder" && find . -type f | LC_ALL=C sort | digest)
    [[ $key == "${INTERFERE_RESTORED:-}" ]] || output save "$key"
}

# Checks the assemblies. The step passes: later steps save the caches, then the verdict step fails.
check() {
    local files=() flags=() folder line list code=0
    printf '%s\n' "$root/bin" >>"$GITHUB_PATH"
    # `read` drops the blanks around a line.
    while read -r line; do [[ -z $line ]] || files+=("$line"); done <<<"${INTERFERE_ASSEMBLY:-}"
    [[ ${#files[@]} -gt 0 ]] || refuse 'the input assembly is empty'
    list=$(settings) || refuse 'the input args has an open quote'
    while IFS= read -r line; do [[ -z $line ]] || flags+=("$line"); done <<<"$list"
    # A folder for each use: two uses in a job share no report.
    folder=$(mktemp -d "$temp/interfere-reports.XXXXXX")
    # Markdown goes to stdout: a summary has no files for relative links to pictures.
    "$program" check ${flags[@]+"${flags[@]}"} --format "table=$folder/table" --format "github=$folder/annotations" \
        --format markdown --format "json=$folder/report.json" -- "${files[@]}" >"$folder/summary.md" || code=$?
    output exit-code "$code"
    if [[ -f $folder/report.json ]]; then
        cat "$folder/table" "$folder/annotations"
        cat "$folder/summary.md" >>"$GITHUB_STEP_SUMMARY"
        output report "$folder/report.json"
    else
        printf '::error title=interfere::nothing was decided: the messages are in the log of this step\n'
    fi
    changed_answers
}

# Writes the page of one assembly. The verdict stands without it: a failure is a warning.
page() {
    local files=() outside=() line name file
    [[ ${INTERFERE_PAGE:-true} == true ]] || return 0
    while read -r line; do [[ -z $line ]] || files+=("$line"); done <<<"${INTERFERE_ASSEMBLY:-}"
    if [[ ${#files[@]} -ne 1 ]] || head -n 5 "$INTERFERE_REPORT" | grep -q '"assemblies"'; then
        printf 'the page shows one assembly: none is made for several\n'
        return 0
    fi
    case " ${INTERFERE_ARGS:-} " in *[[:space:]]--allow-outside[[:space:]]*) outside=(--allow-outside) ;; esac
    # Name of the artifact: that of the assembly file, or of its folder for `assembly.json`.
    name=$(basename "${files[0]}" .json)
    if [[ $name == assembly ]]; then name=$(basename "$(cd "$(dirname "${files[0]}")" && pwd)"); fi
    file=$(mktemp -d "$temp/interfere-page.XXXXXX")/interfere-$(printf '%s' "$name" | tr -c 'A-Za-z0-9._-' '-').html
    if "$program" render ${outside[@]+"${outside[@]}"} --report "$INTERFERE_REPORT" -o "$file" -- "${files[0]}"; then
        output file "$file"
    else
        printf '::warning title=interfere::the page with the findings was not made: the reason is in the log of this step\n'
    fi
}

# Links the page in the summary.
link() {
    printf '\n[All findings in 3D](%s)\n' "$INTERFERE_URL" >>"$GITHUB_STEP_SUMMARY"
}

# Ends with the worst exit code of the check.
verdict() {
    exit "${INTERFERE_EXIT_CODE:-2}"
}

case ${1:-} in
keys | get | compile | imports | check | page | link | verdict) "$1" ;;
*)
    printf 'usage: %s keys|get|compile|imports|check|page|link|verdict\n' "$0" >&2
    exit 2
    ;;
esac
