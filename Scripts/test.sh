#!/usr/bin/env bash
# What `make test` runs after setup. The closing lines of the test runner stay in the output.
set -euo pipefail
cd "$(dirname "$0")/.."
log=.build/test-build.log
mkdir -p .build

echo "== build"
# Executables that tests start are built with them; warnings of our own targets are refused.
set +e
swift build --build-tests 2>&1 | tee "$log" | grep -vE '^\[[0-9]+/[0-9]+\]'
status=${PIPESTATUS[0]}
set -e
if [ "$status" != 0 ]; then
    echo "the build failed" >&2
    exit 1
fi
Scripts/check-warnings.sh "$log"

echo "== generated files"
Scripts/generate.sh --check

echo "== format"
swift-format lint -s -p -r Package.swift Sources Tests Examples Stubs

echo "== Apple code, stub-checked"
Scripts/check-apple.sh

echo "== the interpreter's core, for every platform and in both forms"
Scripts/check-core.sh

echo "== tests"
# Swift runs tests on as many threads as there are cores, and a test that waits for a program holds
# one of them. Tests with servers and clients in their own process need those threads to answer in
# time, so they run apart from those that start compilers and tools.
# Tests of one run would otherwise all begin at once, with hundreds of servers, clients and files.
run() { swift test --skip-build --experimental-maximum-parallelization-width 16 "$@"; }
server='^PatchServerTests\.'
networked='^(PatchPlatform|UpdateEngine|PatchSDK|WebViewBundle|TUF)Tests\.(?!ProcessTests)'
# A browser asks a server in the test's own process, and has all threads for itself.
browsers='^PreviewTests\.'
programs='^EndToEndTests\.'
run --filter "$server"
run --filter "$networked"
run --filter "$browsers"
run --filter "$programs"
run --skip "$server" --skip "$networked" --skip "$browsers" --skip "$programs"
