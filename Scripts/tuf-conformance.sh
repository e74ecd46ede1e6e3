#!/usr/bin/env bash
# Runs the public conformance suite of The Update Framework against `patchcli tuf`.
#   Scripts/tuf-conformance.sh SUITE    SUITE: a checkout of theupdateframework/tuf-conformance
# Not part of `make test`: the suite is not ours and has to be fetched. Installs `faketime`, which it
# moves the clock with, when that is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
suite=${1:-}
if [ ! -f "$suite/tuf_conformance/conftest.py" ]; then
    echo "usage: make tuf-conformance SUITE=<checkout of theupdateframework/tuf-conformance>" >&2
    exit 64
fi
Scripts/setup.sh conformance
suite=$(cd "$suite" && pwd)
tools=$PWD/.build/tuf-conformance
if ! cmp -s "$suite/pyproject.toml" "$tools/pyproject.stamp" 2>/dev/null; then
    rm -rf "$tools"
    python3 -m venv "$tools"
    # What the suite itself asks for, pinned by it.
    python3 - "$suite/pyproject.toml" >"$tools/requirements.txt" <<'PY'
import sys, tomllib
with open(sys.argv[1], "rb") as file:
    print("\n".join(tomllib.load(file)["project"]["dependencies"]))
PY
    "$tools/bin/pip" install --quiet --disable-pip-version-check \
        -r "$tools/requirements.txt" </dev/null
    cp "$suite/pyproject.toml" "$tools/pyproject.stamp"
fi
patchcli=${PATCHCLI:-}
if [ -z "$patchcli" ]; then
    swift build --product patchcli
    patchcli=$(swift build --show-bin-path)/patchcli
fi
# From the suite's own folder, without leaving anything in it.
cd "$suite"
exec env PYTHONDONTWRITEBYTECODE=1 "$tools/bin/python" -m pytest -q -p no:cacheprovider \
    tuf_conformance --entrypoint "$patchcli tuf" "${@:2}"
