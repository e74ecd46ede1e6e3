#!/usr/bin/env bash
# The whole loop on one machine, with real parts: a server, an app, an update, a broken update, a
# rollback. Ends by itself and leaves nothing running; KEEP=1 leaves it up until Ctrl-C.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
stage=$root/.build/demo
state=$stage/run
app=$stage/Greeter

# MARK: - Looks

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    bold=$'\e[1m' dim=$'\e[2m' green=$'\e[32m' red=$'\e[31m' cyan=$'\e[36m' plain=$'\e[0m'
else
    bold='' dim='' green='' red='' cyan='' plain=''
fi
now() { perl -MTime::HiRes=time -e 'printf "%.3f", time'; }
digest() { if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi; }
started=$(now)
steps=()
step_name='' step_started=0
elapsed() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.1f", b - a }'; }
finish_step() {
    [ -n "$step_name" ] || return 0
    steps+=("$(printf '%6s s  %s' "$(elapsed "$step_started")" "$step_name")")
    step_name=''
}
step() {
    finish_step
    step_name=$1 step_started=$(now)
    printf '\n%s==> %s%s\n' "$bold$cyan" "$1" "$plain"
}
note() { printf '    %s\n' "$*"; }
good() { printf '    %s✓%s %s\n' "$green" "$plain" "$*"; }
fail() {
    printf '\n%sdemo: %s%s\n' "$red" "$1" "$plain" >&2
    for file in "$state/patchd.log" "$state/greeter.log" "$state/command.log"; do
        [ -s "$file" ] && { printf '%s--- %s%s\n' "$dim" "${file#"$root"/}" "$plain" >&2
            tail -n 25 "$file" >&2; }
    done
    exit 1
}

# MARK: - Processes, each ended by its id

pids=()
cleanup() {
    local status=$?
    trap - EXIT INT TERM
    for pid in "${pids[@]}"; do kill -CONT "$pid" 2>/dev/null || :; kill "$pid" 2>/dev/null || :; done
    for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || :; done
    exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Waits until a line of FILE past line FROM matches PATTERN; prints it.
await() { # FILE FROM PATTERN SECONDS WHAT
    local deadline=$(($(date +%s) + $4)) line
    while :; do
        line=$(tail -n "+$(($2 + 1))" "$1" 2>/dev/null | grep -m1 -E "$3" || :)
        [ -z "$line" ] || { printf '%s\n' "$line"; return 0; }
        [ "$(date +%s)" -lt "$deadline" ] || fail "waited $4 s for $5"
        sleep 0.02
    done
}
lines() { wc -l <"$1" 2>/dev/null || echo 0; }
patchcli() { (cd "$app" && "$bin/patchcli" "$@"); }
quiet() { "$@" >"$state/command.log" 2>&1 </dev/null || fail "'$*' failed"; }

# MARK: - Build

step "Build patchcli and patchd"
mkdir -p "$stage"
build_log=$stage/build.log
for product in patchcli patchd; do
    swift build -c release --product "$product" >"$build_log" 2>&1 </dev/null \
        || { tail -n 40 "$build_log" >&2; fail "swift build --product $product failed"; }
done
bin=$(swift build -c release --show-bin-path)
good "patchcli $(du -h "$bin/patchcli" | cut -f1), patchd $(du -h "$bin/patchd" | cut -f1)"

# Everything below is fresh at every run; only build products are kept between runs.
rm -rf "$state"
mkdir -p "$state" "$app"
export XDG_CONFIG_HOME=$state/config XDG_STATE_HOME=$state/state
export OPENPATCH_PACKAGE=$root

step "Start the server on a free loopback port, with a fresh folder"
"$bin/patchd" --data "$state/server" --host 127.0.0.1 --port 0 >"$state/patchd.log" 2>&1 </dev/null &
server=$!
pids+=("$server")
url=$(await "$state/patchd.log" 0 'listening on http' 20 'the server to listen' \
    | grep -oE 'http://[0-9.]+:[0-9]+')
good "$url"

step "A user's app: copy Examples/Greeter, set it up, build it once"
rm -rf "$app"
mkdir -p "$app"
(cd Examples/Greeter && tar -cf - --exclude=.build .) | tar -xf - -C "$app"
quiet patchcli init --server "$url" --admin-token-file "$state/server/admin-token"
quiet patchcli prepare
note "priceLabel, as it is now routed:"
grep -n 'openpatch:begin' "$app/Sources/Greeter/PriceLabel.swift" \
    | cut -c1-110 | sed "s/^/      $dim/; s/\$/$plain/"
quiet patchcli fingerprint register
quiet swift build -c release --package-path "$app" --scratch-path "$stage/greeter-build"
greeter=$(swift build -c release --package-path "$app" --scratch-path "$stage/greeter-build" \
    --show-bin-path)/Greeter
binary_before=$(digest "$greeter" | cut -c1-16)
good "Greeter built, $(du -h "$greeter" | cut -f1), sha256 $binary_before…"

step "Run it"
log=$state/greeter.log
"$greeter" --plain --poll 0.25 >"$log" 2>&1 </dev/null &
app_pid=$!
pids+=("$app_pid")
await "$log" 0 '^greeting: Hello from version one$' 20 'the bundled greeting' >/dev/null
await "$log" 0 '^big price: \$50000000\.00$' 5 'the native price label' >/dev/null
show() { tail -n "+$(($1 + 1))" "$log" | grep -E '^(release|greeting|price|big price|timing):' \
    | tail -n 5 | sed 's/^/    │ /'; }
show 0

# MARK: - Update

# Edits the guest and the function, as a developer would in an editor.
edit() { # GREETING CURRENCY-FORM
    sed -i.before "s/^private let message = .*/private let message = \"$1\"/" \
        "$app/Guest/greeting.swift"
    sed -i.before "s/return \"[^\"]*\\\\(sign).*/return \"$2\"/" \
        "$app/Sources/Greeter/PriceLabel.swift"
    rm -f "$app/Guest/"*.before "$app/Sources/Greeter/"*.before
}
two='USD \\(sign)\\(amount \/ 100).\\(rest < 10 ? "0" : "")\\(rest)'
release() { # VERSION
    patchcli release --version "$1" >"$state/command.log" 2>&1 </dev/null \
        || fail "patchcli release --version $1 failed"
}

step "Edit the guest and priceLabel, release version 2, watch the running program"
edit 'Hello from version two, shipped without review' "$two"
note "Sources/Greeter/PriceLabel.swift now says:"
grep -n 'return "' "$app/Sources/Greeter/PriceLabel.swift" | sed "s/^/      $dim/; s/\$/$plain/"
mark=$(lines "$log") edited=$(now)
release 2.0.0
sed 's/^/    │ /' "$state/command.log"
await "$log" "$mark" '^greeting: Hello from version two, shipped without review$' 30 \
    'version two in the running program' >/dev/null
await "$log" "$mark" '^big price: USD 50000000\.00$' 5 'the patched price label' >/dev/null
edit_to_running=$(elapsed "$edited")
swap=$(await "$log" "$mark" '^timing:' 5 'the timing of the swap')
note "the program says:"
show "$mark"
good "edit → running in $edit_to_running s; ${swap#timing: }"
module=$(find "$state/server" -name '*.2.0.0.wasm' | head -1)
module_size=$(wc -c <"$module" | tr -d ' ')

step "Corrupt a release on the server; the old one keeps running"
edit 'Hello from a broken version' "$two"
kill -STOP "$app_pid"
mark=$(lines "$log")
touch "$state/before-broken"
release 3.0.0
# All that the release brought: the module, and the deltas that would lead to it as well.
broken=$(find "$state/server" -type f -newer "$state/before-broken" \
    \( -path '*/modules/*' -o -path '*/deltas/*' \))
for kind in modules deltas; do
    grep -q "/$kind/" <<<"$broken" || fail "no $kind of version 3.0.0 in the server's folder"
done
for file in $broken; do
    printf 'broken' | dd of="$file" bs=1 seek=100 conv=notrunc status=none
done
kill -CONT "$app_pid"
await "$log" "$mark" '^problem: ' 20 'the program to refuse the broken module' | cut -c1-150 \
    | sed 's/^/    │ /'
tail -n "+$((mark + 1))" "$log" | grep -q '^greeting: Hello from a broken version' \
    && fail "a broken module was run"
kill -0 "$app_pid" 2>/dev/null || fail "the program ended"
good "refused; version two still runs"

step "Ship a mistake: native code serves the call that traps, and its line is known"
edit 'Hello from version four' "$two"
sed -i.before 's/% 100$/% (amount == 1234 ? 0 : 100)/' "$app/Sources/Greeter/PriceLabel.swift"
rm -f "$app/Sources/Greeter/PriceLabel.swift.before"
line=$(grep -n 'amount == 1234' "$app/Sources/Greeter/PriceLabel.swift" | cut -d: -f1)
mark=$(lines "$log")
release 4.0.0
await "$log" "$mark" ' at byte [0-9]+' 30 'the trap' >/dev/null
await "$log" "$mark" '^price: \$12\.34$' 5 'the price by native code' >/dev/null
tail -n "+$((mark + 1))" "$log" | patchcli symbolicate --release 4.0.0 >"$state/symbolicated.log" \
    || fail "patchcli symbolicate failed"
grep -m1 " at Sources/Greeter/PriceLabel.swift:$line, byte " "$state/symbolicated.log" \
    | sed 's/^ */    │ /' || fail "the trap does not point to PriceLabel.swift:$line"
good "the price still shows: \$12.34, by the native body"

# MARK: - Back

step "Roll back to what the app shipped with"
mark=$(lines "$log") rolled=$(now)
quiet patchcli rollback --embedded
sed 's/^/    │ /' "$state/command.log"
await "$log" "$mark" '^greeting: Hello from version one$' 20 'version one again' >/dev/null
await "$log" "$mark" '^big price: \$50000000\.00$' 5 'the native price label again' >/dev/null
rollback_to_running=$(elapsed "$rolled")
show "$mark"
good "back in $rollback_to_running s"

step "What is live now"
quiet patchcli status
sed 's/^/    │ /' "$state/command.log"
binary_after=$(digest "$greeter" | cut -c1-16)
[ "$binary_before" = "$binary_after" ] || fail "the app's binary changed"
kill -0 "$app_pid" 2>/dev/null || fail "the program is no longer running"
good "the program ran throughout, its binary unchanged: sha256 $binary_after…"

finish_step
printf '\n%sWhat it took%s\n' "$bold" "$plain"
printf '  %s\n' "${steps[@]}"
printf '%s\n' "  ---------" \
    "$(printf '%6s s  in all' "$(elapsed "$started")")" \
    "" \
    "  module on the wire: $module_size bytes; edit → running: $edit_to_running s;" \
    "  rollback → running: $rollback_to_running s"

if [ -n "${KEEP:-}" ]; then
    printf '\n%sLeft up%s (Ctrl-C ends it):\n' "$bold" "$plain"
    note "server   $url"
    note "app      $app"
    note "output   tail -f $log"
    note "commands cd $app && XDG_CONFIG_HOME=$XDG_CONFIG_HOME $bin/patchcli status"
    wait "$app_pid"
fi
