#!/usr/bin/env bash
# The packages in Examples, each as its user builds it, with its tests; what is attached to a scenario that fails has to
# be there; and what packages that use one product each resolve. All are built in one folder: they depend on the same.
set -euo pipefail
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no
log=$(mktemp)
attached=$(mktemp -d)
trap 'rm -rf "$log" "$attached"' EXIT
for example in own-engine app device-maker; do
  swift test --package-path "Examples/$example" -debug-info-format none --disable-xctest \
    --scratch-path .build-example --attachments-path "$attached" >"$log" 2>&1 || { tail -40 "$log" >&2; exit 1; }
  echo "Examples/$example: $(grep -o 'Test run with [1-9].*' "$log")"
done
for ending in timeline.txt trace pcapng; do
  [ -s "$attached/lamp-leaves-seed-1.$ending" ] || { echo "example: nothing was attached as lamp-leaves-seed-1.$ending" >&2; exit 1; }
done
Tools/consumers.sh
