#!/usr/bin/env bash
# The figures of trust in an optimised build: bytes and CPU of a check among 100 builds with 100
# releases each (Docs/tuf.md). Run it on an idle machine.
set -euo pipefail
cd "$(dirname "$0")/.."
exec swift test -c release -Xswiftc -enable-testing --filter TrustFigureTests
