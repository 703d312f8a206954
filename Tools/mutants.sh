#!/usr/bin/env bash
# mutants.sh [check|OPTION…]: changes the sources in small ways, all in one build, and sees whether a test notices each.
#   check     the tester's own tests, and a sample with a fixed seed of what tests were seen to notice: they still do
#   OPTION…   of the tester: --room Discovery --file Discovery/SSDP --open --minutes 20 (--help lists them)
# The tables of results are Tools/Mutants/Results; a row that is called equivalent gives its reason there, by hand.
set -euo pipefail
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no $(cat Tools/build-env)
export ROLLCALL_CAPTURES=${ROLLCALL_CAPTURES:-$PWD/../shared/captures}
tool=.build-mutants/tool
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if [ "${1:-}" = check ]; then
  shift
  swift test --disable-xctest --package-path Tools/Mutants --scratch-path "$tool" >"$log" 2>&1 || { tail -40 "$log" >&2; exit 1; }
  grep 'Test run with' "$log"
  exec "$tool/debug/mutants" --check --near --room Discovery --room Simulation --room Trace --sample 60 --seed 1 --minutes 1 "$@"
fi
swift build --product mutants --package-path Tools/Mutants --scratch-path "$tool" >"$log" 2>&1 || { tail -40 "$log" >&2; exit 1; }
exec "$tool/debug/mutants" "$@"
