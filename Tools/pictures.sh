#!/usr/bin/env bash
# Pictures: pages that rollcall writes, opened from the disk in headless Chromium and driven by mouse and keyboard.
#   pictures.sh [-b BINARY] [-o FOLDER]     pages and screenshots go to FOLDER (out/pictures)
# No page may ask anything of a network, log anything, or fail; `make pictures` installs Chromium. Where that cannot be
# had it says so and ends with 77. RECORD=1 takes the screenshot that README and docs/pictures.md show.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C.UTF-8 SWIFT_BACKTRACE=enable=no
binary=.build/debug/rollcall
out=out/pictures
while getopts b:o: letter; do
  case $letter in
  b) binary=$OPTARG ;;
  o) out=$OPTARG ;;
  *) exit 2 ;;
  esac
done
[ -x "$binary" ] || { echo "no rollcall at $binary: build it, or name it with -b" >&2; exit 2; }
browser=$(type -P chromium || type -P chromium-browser || type -P google-chrome) || { echo "skipped: Chromium is not installed"; exit 77; }
python=$(type -P python3) || { echo "skipped: python3 is not installed"; exit 77; }
mkdir -p "$out"
rm -f "$out"/*.html "$out"/*.png "$out"/*.pdf
rm -rf "$out/results"
mkdir "$out/results"

# page NAME CODE COMMAND...: what the command writes to NAME.html, and the exit code that it has to end with; twice, to
# the same bytes.
page() {
  local name=$1 code=$2 round found
  shift 2
  for round in html again; do
    found=0
    "$binary" "$@" --html "$out/$name.$round" >"$out/$name.log" 2>&1 || found=$?
    [ "$found" = "$code" ] || { cat "$out/$name.log" >&2; echo "pictures: $* ended with $found, not $code" >&2; exit 1; }
  done
  cmp "$out/$name.html" "$out/$name.again" || { echo "pictures: $* writes other bytes the second time" >&2; exit 1; }
  rm -f "$out/$name.again" "$out/$name.log"
}
lamp=Scenarios/ssdp/lamp-bridge-loses-one-burst.yaml
page run 0 run $lamp --seed 1
page failed 1 run $lamp --seed 1 --set inhabitants.bridge.max-age=160s
page quick 0 run Scenarios/ssdp/quick-return.yaml --seed 1
page bluetooth 0 run Scenarios/bluetooth/connected-lamp.yaml --seed 1
page large 0 run Scenarios/ssdp/living-room.yaml --seed 1
page replay 0 replay Captures/miniupnpd-upnpc-and-byebye/capture.pcapng --until +30m
page mdns 0 replay Captures/avahi-browses-avahi/capture.pcapng
page judge 1 judge Captures/gssdp-update-bootid/capture.pcapng
"$binary" run $lamp --seed 1 --trace "$out/lamp.trace" >/dev/null
page trace 1 judge "$out/lamp.trace"
page diff 1 diff Captures/gssdp-address-change/capture.pcapng --b-set byebye-source=any-address
page hostile 0 run Tools/pictures/hostile.yaml --seed 1 --no-expectations
# Campaigns: with the second page of each nothing is missing any more. Shards that are merged have the page of the whole.
page campaign 1 campaign run Tools/pictures/plan.yaml -o "$out/results/plan" --quiet
page campaign-swarm 0 campaign swarm --seeds 1..24 -o "$out/results/swarm" --quiet
for index in 1 2; do
  "$binary" campaign swarm --seeds 1..24 -o "$out/results/shard-$index" --shard "$index/2" --quiet >/dev/null
done
page campaign-merged 0 campaign merge "$out/results/shard-2" "$out/results/shard-1" -o "$out/results/merged"
cmp "$out/campaign-swarm.html" "$out/campaign-merged.html"
"$python" -B Tools/pictures/check.py "$browser" "$out"
# The trace for Perfetto, read with Perfetto's own definitions and compared with the page.
if packages=$(Tools/python-packages.sh); then
  "$binary" run $lamp --seed 1 --perfetto "$out/run.perfetto" >/dev/null
  "$binary" diff Captures/gssdp-address-change/capture.pcapng --b-set byebye-source=any-address \
    --perfetto "$out/diff.perfetto" >/dev/null || [ $? = 1 ]
  for name in run diff; do "$packages" -B Tools/pictures/read-trace.py "$out/$name.perfetto" "$out/$name.html"; done
else
  echo "pictures: traces for Perfetto are not read back: no perfetto of PyPI"
fi
if [ "${RECORD:-}" = 1 ]; then cp "$out/run-light.png" docs/pictures.png; fi
