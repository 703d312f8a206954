#!/usr/bin/env bash
# The package in Examples/own-engine, as its user builds it: a build of its own, and its tests.
set -euo pipefail
cd "$(dirname "$0")/../Examples/own-engine"
export SWIFT_BACKTRACE=enable=no
log=$(mktemp)
trap 'rm -f "$log"' EXIT
swift test -debug-info-format none --disable-xctest --scratch-path ../../.build-example >"$log" 2>&1 || { tail -40 "$log" >&2; exit 1; }
grep 'Test run with [1-9]' "$log"
../../Tools/consumers.sh
