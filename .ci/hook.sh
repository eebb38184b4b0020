#!/usr/bin/env bash
# The pre-commit hook: .ci/hook.sh ASSEMBLY [FLAGS] runs `interfere check`. The first run downloads the release or builds it with
# locked dependencies.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=.ci/install.sh
. "$source/.ci/install.sh"
root=$source/.built
if [[ ! -x $root/bin/interfere ]]; then
    origin=$(git -C "$source" remote get-url origin 2>/dev/null || true)
    fetch "$root" "${origin%.git}" 2>/dev/null || build "$root"
fi
exec "$root/bin/interfere" check "$@"
