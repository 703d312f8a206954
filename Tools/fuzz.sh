#!/usr/bin/env bash
# fuzz.sh TARGET SECONDS: libFuzzer on one target; what it finds and keeps stays in out/fuzz/TARGET.
set -euo pipefail
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no
. Tools/fuzz-common.sh
build_fuzzers
target=${1:-}
if [ -z "$target" ] || ! list_targets | grep -q "^$target "; then
  echo "fuzz: make fuzz TARGET=name SECONDS=60, with one of:" >&2
  list_targets | awk '{ print "  " $1 }' >&2
  exit 2
fi
folder=out/fuzz/$target
code=0
fuzz "$target" "$folder" -max_total_time="${2:-60}" || code=$?
grep -aE 'Fatal error|ERROR|DONE|stat::' "$folder/log" || true
if [ "$code" -ne 0 ]; then
  ls "$folder"/crash-* "$folder"/timeout-* "$folder"/oom-* 2>/dev/null || true
  echo "fuzz: a finding; keep the file under Tests/FuzzTargetsTests/Corpus/$target with a named test" >&2
fi
exit "$code"
