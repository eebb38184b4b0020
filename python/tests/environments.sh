#!/usr/bin/env bash
# Makes the environments of test_recipes.py: python/tests/environments.sh FOLDER
set -euo pipefail
package=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:?the folder for the environments}
mkdir -p "$folder"
for entry in occt cadquery==2.8.0 build123d==0.13.0; do
    environment=$folder/${entry%%=*}
    python3 -m venv "$environment"
    if [[ $entry == occt ]]; then
        "$environment/bin/pip" install --quiet "$package[occt,test]"
    else
        "$environment/bin/pip" install --quiet "$entry" "$package[test]"
    fi
done
