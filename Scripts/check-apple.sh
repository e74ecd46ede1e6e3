#!/usr/bin/env bash
# Checks on Linux what only Apple's compiler would otherwise tell us:
#  1. our sources call no API newer than the oldest systems that the package supports;
#  2. the Apple-only adapters are type-checked against our own stub modules (Stubs/).
# Nothing is run. Both checks are first shown to be able to fail.
#
#   Scripts/check-apple.sh              both checks
#   Scripts/check-apple.sh --deny-list  the first one only (no compiler needed)
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=${OPENPATCH_APPLE_SCRATCH:-.build/apple}

# --- 1. API that is newer than iOS 15 and macOS 12 -------------------------------------------
# One extended regular expression a line, '#' starts a comment. Linux has no availability, so the
# compiler here accepts all of it.
deny_list() {
    grep -vE '^ *(#|$)' <<'LIST'
# Standard library
import Synchronization
\b(Mutex|Atomic)(<|\()
import Observation
@Observable\b
\b(ContinuousClock|SuspendingClock|InstantProtocol)\b
\bDuration\.|: *Duration\b|-> *Duration\b|<Duration>
Task\.sleep\((for|until):
import RegexBuilder
\bRegex(<|\(|\b *\{)
\.(firstMatch|wholeMatch|prefixMatch|matches|firstRange|ranges)\((of|in):
\.(replacing|trimmingPrefix|trimPrefix)\(
= */[^/* ].*/ *$
\bString\(validating(CString|UTF8As|As)?:[^)]*as:
with(Throwing)?DiscardingTaskGroup
withTaskExecutorPreference|withSerialExecutor
\bisolated deinit\b
\b(U?Int128|InlineArray|StaticBigInt)\b
\b(Mutable|Raw|Output|UTF8)Span\b|\bSpan<
\b(as[?!]?|is) +any [A-Za-z]+<
# Foundation
\.appending\((path|component|components|queryItems):
\.append\((path|component|components|queryItems):
\bURL\(filePath:
\.path\(percentEncoded:
\bURL\.(documents|temporary|caches|applicationSupport|home|currentDirectory)[A-Za-z]*\b
\bOSAllocatedUnfairLock\b
\bLocale\.(Language|Region|Currency)\b
# SwiftUI and Combine come with their floors in the adapters' own #available checks.
LIST
}

# Swift files of the product, without what is compiled for a guest (another platform).
product_sources() {
    find "${1:-Sources}" -name '*.swift' -not -path '*/Guest/*' | sort
}

# Prints offending lines of the files given on standard input. A comment is no code; a line that
# ends in "// newer API: <why it is safe>" is an exception that explains itself.
denied_lines() {
    local files
    mapfile -t files
    [ "${#files[@]}" -gt 0 ] || return 0
    grep -nHE -f <(deny_list) -- "${files[@]}" \
        | grep -vE '^[^:]+:[0-9]+: *//' | grep -vE '// newer API: .' || true
    # String.contains(String) without Foundation is the one of iOS 16. A receiver in the plural is
    # taken for a collection of strings.
    local file
    for file in "${files[@]}"; do
        grep -qE '^ *(@_exported )?import Foundation' "$file" && continue
        grep -nHE '\.contains\("([^"\\]{2,}|\\.[^"]+)"\)' -- "$file" \
            | grep -vE '(s\)?\??|declared|whole)\.contains\(' | grep -vE '^[^:]+:[0-9]+: *//' | grep -vE '// newer API: .' || true
    done
}

self_test_deny_list() {
    local folder bad good count
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' RETURN
    bad=(
        'import Synchronization' 'let lock = Mutex(0)' 'let n = Atomic<Int>(0)'
        '@Observable final class A {}' 'let clock = ContinuousClock()'
        'let d: Duration = .zero' 'func f() -> Duration { .zero }'
        'try await Task.sleep(for: .seconds(1))' 'let r = Regex { "a" }'
        'let m = text.firstMatch(of: pattern)' 'let s = text.replacing("a", with: "b")'
        'let pattern = /ab+c/' 'let s = String(validating: bytes, as: UTF8.self)'
        'await withDiscardingTaskGroup { _ in }' 'let n: UInt128 = 0'
        'func f(_ s: Span<Int>) {}' 'if let p = x as? any Publisher<Int> {}'
        'let u = base.appending(path: "x")' 'let u = URL(filePath: "/x")'
        'let u = URL.temporaryDirectory' 'let has = text.contains("abc")'
    )
    good=(
        '// uses Mutex( and Duration.zero' 'let seconds = DispatchTimeInterval.seconds(1)'
        'let u = base.appendingPathComponent("x")' 'let has = text.contains("a")'
        'let u = FileManager.default.temporaryDirectory' 'let d = duration / 2'
        'let n: Int64 = 128 / 4' 'let durationText = "5 s"'
        'let u = URL(filePath: "/x") // newer API: guarded by #available'
        'let q = a / b / c' 'struct Durations {}' 'let lockMutex = 1'
    )
    for line in "${bad[@]}"; do
        printf '%s\n' "$line" > "$folder/Bad.swift"
        count=$(product_sources "$folder" | denied_lines | wc -l)
        [ "$count" -ge 1 ] || { echo "self-test: not denied: $line" >&2; return 1; }
    done
    rm "$folder/Bad.swift"
    for line in "${good[@]}"; do
        printf '%s\n' "$line" > "$folder/Good.swift"
        count=$(product_sources "$folder" | denied_lines | wc -l)
        [ "$count" -eq 0 ] || { echo "self-test: denied for no reason: $line" >&2; return 1; }
    done
}

check_deny_list() {
    local found
    found=$(product_sources | denied_lines)
    if [ -n "$found" ]; then
        echo "$found" >&2
        echo "check-apple: the lines above use API newer than iOS 15 and macOS 12." >&2
        return 1
    fi
    echo "check-apple: no API newer than the deployment floor"
}

# --- 2. Apple adapters against the stubs -------------------------------------------------------
check_stubs() {
    local target log
    mkdir -p "$scratch"
    log=$scratch/check-apple.log
    : > "$log"
    # The libraries that an app links, and an app; what they stand on comes along.
    for target in PatchSDK WasmKitRuntime WebViewBundle GreetingApp; do
        if ! OPENPATCH_APPLE_STUBS=1 swift build --scratch-path "$scratch" --target "$target" \
            >> "$log" 2>&1; then
            grep -E 'error:' "$log" | sort -u >&2 || tail -n 20 "$log" >&2
            echo "check-apple: the Apple code of $target does not type-check." >&2
            return 1
        fi
    done
    Scripts/check-warnings.sh "$log" > /dev/null
    echo "check-apple: Apple adapters type-check against Stubs/ (stub-checked, not run)"
}

# PatchSwiftUI draws with most of SwiftUI, so its stub is the vocabulary itself: the guest's SwiftUI,
# compiled natively, has the names and signatures of Apple's. Swift 5 mode, as the target has.
check_renderer() {
    local folder modules=$scratch/debug/Modules guest=Sources/PatchCompiler/Guest maps=()
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' RETURN
    OPENPATCH_APPLE_STUBS=1 swift build --scratch-path "$scratch" --target ViewTree \
        > "$folder/log" 2>&1 || { cat "$folder/log" >&2; return 1; }
    local map
    for map in CPatchGate CWasmCore; do
        maps+=(-Xcc "-fmodule-map-file=$scratch/debug/$map.build/module.modulemap")
    done
    for map in CBrotli COpenSSL; do
        maps+=(-Xcc "-fmodule-map-file=Sources/System/$map/module.modulemap")
    done
    swiftc -swift-version 5 -parse-as-library -emit-module -module-name PatchGuest \
        -emit-module-path "$folder/PatchGuest.swiftmodule" "$guest"/PatchGuest/*.swift
    swiftc -swift-version 5 -parse-as-library -emit-module -module-name SwiftUI -I "$folder" \
        -emit-module-path "$folder/SwiftUI.swiftmodule" "$guest"/SwiftUI/*.swift
    cp -r Sources/PatchSwiftUI "$folder/renderer"
    renderer() {
        swiftc -typecheck -warnings-as-errors -swift-version 5 -parse-as-library \
            -module-name PatchSwiftUI -I "$folder" -I "$modules" "${maps[@]}" \
            "$folder"/renderer/*.swift > "$folder/log" 2>&1
    }
    renderer || {
        cat "$folder/log" >&2
        echo "check-apple: PatchSwiftUI does not type-check against the vocabulary." >&2
        return 1
    }
    sed -i.orig 's/VStack(alignment:/VStack(alignmen:/' "$folder/renderer/Vocabulary.generated.swift"
    rm "$folder/renderer/Vocabulary.generated.swift.orig"
    if renderer; then
        echo "self-test: a misspelt argument of VStack passed; the renderer is not looked at" >&2
        return 1
    fi
    echo "check-apple: PatchSwiftUI type-checks against the vocabulary"
}

# The stub build is worth something only if it sees the Apple code: with one member misspelt in an
# adapter it has to fail.
self_test_stubs() {
    local folder modules
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' RETURN
    modules=$scratch/debug/Modules
    cp -r Sources/PatchCrypto "$folder/"
    swiftc -typecheck -swift-version 6 -module-name PatchCrypto -I "$modules" \
        "$folder"/PatchCrypto/*.swift 2> "$folder/log" \
        || { cat "$folder/log" >&2; echo "self-test: unchanged code does not pass" >&2; return 1; }
    sed -i.orig 's/isValidSignature(signature, for: message)/isValidSignatur(signature, for: message)/' \
        "$folder/PatchCrypto/Backend+Apple.swift"
    if swiftc -typecheck -swift-version 6 -module-name PatchCrypto -I "$modules" \
        "$folder"/PatchCrypto/*.swift 2> "$folder/log"; then
        echo "self-test: a misspelt CryptoKit call passed; the Apple code is not looked at" >&2
        return 1
    fi
    grep -q "isValidSignatur'" "$folder/log" \
        || { cat "$folder/log" >&2; echo "self-test: failed for another reason" >&2; return 1; }
}

self_test_deny_list
check_deny_list
[ "${1:-}" = --deny-list ] && exit 0
check_stubs
self_test_stubs
check_renderer
echo "check-apple: passed, and able to fail"
