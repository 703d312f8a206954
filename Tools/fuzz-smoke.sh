#!/usr/bin/env bash
# A short run of libFuzzer for every target; the canary has to be found, and the coverage line has to be there. The seed
# and the number of inputs are fixed, so that the same tree gives the same answer; `make fuzz` looks further. Before
# that, every beginning of every sample of a reader is run.
set -euo pipefail
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no
runs=${RUNS_EACH:-3000}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
. Tools/fuzz-common.sh
build_fuzzers
count=0
while read -r target kind; do
  if [ "$kind" = canary ]; then
    if fuzz "$target" "$out/$target" -seed=1 -max_total_time=60; then
      echo "fuzz-smoke: the canary was not found" >&2
      exit 1
    fi
    grep -aq 'canary was found' "$out/$target/log" || { tail -5 "$out/$target/log" >&2; exit 1; }
    printf '%-17s found, as it should be\n' "$target"
    continue
  fi
  # A machine does in one run what a reader does in a hundred.
  each=$runs
  [ "$kind" = reader ] || each=$((runs / 4))
  if { [ "$kind" = reader ] && ! ROLLCALL_FUZZ_SWEEP=1 fuzz "$target" "$out/$target" -seed=1 -runs=0; } ||
    ! fuzz "$target" "$out/$target" -seed=1 -runs="$each" -max_total_time=60; then
    grep -aE 'Fatal error|ERROR|SUMMARY' "$out/$target/log" | head -5 >&2
    mkdir -p out/finds && cp "$out/$target"/{crash,timeout,oom}-* out/finds/ 2>/dev/null || true
    echo "fuzz-smoke: $target has a finding, see out/finds" >&2
    exit 1
  fi
  count=$((count + 1))
  printf '%-17s %s\n' "$target" "$(grep -aE 'DONE' "$out/$target/log" | tail -1)"
done < <(list_targets)
[ "$count" -gt 0 ] || { echo "fuzz-smoke: no target ran" >&2; exit 1; }
echo "fuzz-smoke: $count targets, nothing found"
