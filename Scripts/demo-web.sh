#!/usr/bin/env bash
# A desktop app that shows a web bundle and follows signed releases: starts patchd, releases a site,
# shows it in WebShell, releases a change while the app runs, then a page that stays blank. Leaves
# pictures of what was to be seen in .build/demo-web. Needs WebKitGTK (make test-webkitgtk).
set -euo pipefail
cd "$(dirname "$0")/.."
export OPENPATCH_WEBKITGTK=1 OPENPATCH_DEV=1 GSK_RENDERER=cairo
scratch=${OPENPATCH_WEBKITGTK_SCRATCH:-.build/webkitgtk}
products=${PRODUCTS:-}
if [ -z "$products" ]; then
    for product in patchcli patchd webshell; do
        swift build --scratch-path "$scratch" --product $product >&2
    done
    products=$PWD/$scratch/debug
fi
out=$PWD/.build/demo-web
rm -rf "$out"
mkdir -p "$out"
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
export XDG_CONFIG_HOME=$work/config OPENPATCH_TOKEN=

"$products/patchd" --data "$work/data" --port 0 >"$work/patchd.log" 2>&1 &
for _ in $(seq 100); do
    address=$(sed -n 's/.*listening on //p' "$work/patchd.log" | head -1)
    [ -n "$address" ] && break
    sleep 0.1
done
cli() { echo "\$ patchcli $*" && "$products/patchcli" "$@"; }
mkdir -p "$work/app/Resources" "$work/app/Sources/Shop"
echo 'print("shop")' >"$work/app/Sources/Shop/main.swift"
cp -r Examples/WebShell/Site "$work/app/site"
cd "$work/app"
cli init --server "$address" --admin-token-file "$work/data/admin-token"

# What the app ships.
mkdir -p "$work/builtin/app" "$work/shots"
"$products/patchcli" web pack site -o "$work/builtin/app/app_1.0.0.wvb" >/dev/null
printf '{"manifestVersion":1,"entries":{"app":{"versions":{"1.0.0":{}},"currentVersion":"1.0.0"}}}' \
    >"$work/builtin/manifest.json"

xvfb-run -a -s "-screen 0 900x600x24" "$products/webshell" \
    --builtin "$work/builtin" --remote "$work/remote" --resources "$work/app/Resources" \
    --state "$work/state" --apply-now --check-every 1 --ready-within 4 --seconds "${SECONDS_SHOWN:-30}" \
    --shot-on-load "$out" >"$work/shell.log" &
shell=$!
sleep 6
sed -i 's/"Bread", "cents": 320/"Sourdough bread", "cents": 350/' site/goods.json
sed -i 's/#14532d/#7c2d12/g' site/style.css
cli release --bundle site --version 1.1.0 --notes "New bread" \
    --bundle-base "$work/builtin/app/app_1.0.0.wvb"
sleep 6
printf '<!doctype html><body><script type="module">window.webkit.messageHandlers.wvbIos.postMessage({name: "updaterConfirm"})</script></body>' \
    >site/index.html
cli release --bundle site --version 1.2.0 --notes "Shows nothing"
wait $shell
cli status
echo
echo "What the app said:"
cat "$work/shell.log"
echo
echo "Pictures: $(ls "$out"/*.png | tr '\n' ' ')"
grep -q '"ready":"1.1.0"' "$work/shell.log"
grep -q '"page_blank"' "$work/shell.log"
