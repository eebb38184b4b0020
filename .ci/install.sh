# shellcheck shell=bash
# Functions that get the program: the binary of a release, or a build with locked dependencies. The sourcing script sets
# `source`, the folder of this repository.
: "${source:?the folder of the repository}"

# Hashes stdin to one word.
digest() {
    git hash-object --stdin | cut -c 1-16
}

# Hashes the content of the program, as one word: equal for equal sources on every system.
sources() {
    (cd "$source" && find Cargo.toml Cargo.lock build.rs src docs -type f | LC_ALL=C sort |
        while IFS= read -r file; do cat "$file"; done | digest)
}

# Version of the program in Cargo.toml.
version() {
    sed -n 's/^version = "\(.*\)"$/\1/p' "$source/Cargo.toml" | head -n 1
}

# Target of the release binary for this system; fails for a system without one.
target() {
    case "$(uname -s)/$(uname -m)" in
    Linux/x86_64) echo x86_64-unknown-linux-musl ;;
    Linux/aarch64) echo aarch64-unknown-linux-musl ;;
    Darwin/x86_64) echo x86_64-apple-darwin ;;
    Darwin/arm64) echo aarch64-apple-darwin ;;
    MINGW*/x86_64 | MSYS*/x86_64) echo x86_64-pc-windows-msvc ;;
    MINGW*/aarch64 | MSYS*/aarch64) echo aarch64-pc-windows-msvc ;;
    *) return 1 ;;
    esac
}

# Checks the files in a list of SHA-256 sums.
checksums() {
    if command -v sha256sum >/dev/null; then sha256sum -c "$1"; else shasum -a 256 -c "$1"; fi
}

# Downloads the binary of the release to FOLDER/bin: fetch FOLDER REPOSITORY_URL. Fails without a release of these sources.
fetch() {
    local root=$1 url name folder
    [[ -n $2 ]] || return 1
    name=interfere-$(target) || return 1
    url=$2/releases/download/v$(version)
    folder=$(mktemp -d "${TMPDIR:-/tmp}/interfere-fetch.XXXXXX")
    # Relative names: tar takes the `D:` of a Windows path for a host.
    if (cd "$folder" &&
        curl -fsSL --retry 2 --max-time 300 -o "$name.tar.gz" "$url/$name.tar.gz" &&
        curl -fsSL --retry 2 --max-time 60 -o "$name.tar.gz.sha256" "$url/$name.tar.gz.sha256" &&
        checksums "$name.tar.gz.sha256" && tar -xzf "$name.tar.gz") >&2 &&
        [[ $(cat "$folder/$name/sources") == "$(sources)" ]]; then
        mkdir -p "$root/bin"
        cp "$folder/$name"/interfere* "$root/bin/"
        rm -rf "$folder"
    else
        rm -rf "$folder"
        return 1
    fi
}

# Compiles the program to FOLDER/bin.
build() {
    cargo install --locked --path "$source" --root "$1"
}
