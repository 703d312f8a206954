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

# TARGET KIND: prints the target's line, or complains and fails.
smoke() {
  local target=$1 kind=$2
  if [ "$kind" = canary ]; then
    if fuzz "$target" "$out/$target" -seed=1 -max_total_time=60; then
      echo "fuzz-smoke: the canary was not found" >&2
      return 1
    fi
    grep -aq 'canary was found' "$out/$target/log" || { tail -5 "$out/$target/log" >&2; return 1; }
    printf '%-17s found, as it should be\n' "$target"
    return
  fi
  # A machine does in one run what a reader does in a hundred.
  local each=$runs
  [ "$kind" = reader ] || each=$((runs / 4))
  if { [ "$kind" = reader ] && ! ROLLCALL_FUZZ_SWEEP=1 fuzz "$target" "$out/$target" -seed=1 -runs=0; } ||
    ! fuzz "$target" "$out/$target" -seed=1 -runs="$each" -max_total_time=120; then
    grep -aE 'Fatal error|ERROR|SUMMARY' "$out/$target/log" | head -5 >&2
    mkdir -p out/finds && cp "$out/$target"/{crash,timeout,oom}-* out/finds/ 2>/dev/null || true
    echo "fuzz-smoke: $target has a finding, see out/finds" >&2
    return 1
  fi
  printf '%-17s %s\n' "$target" "$(grep -aE 'DONE' "$out/$target/log" | tail -1)"
}

# As many at a time as there are processors; their lines come in the order of the list.
at_a_time=$(nproc)
list_targets >"$out/targets"
while read -r target kind; do
  while [ "$(jobs -rp | wc -l)" -ge "$at_a_time" ]; do wait -n || true; done
  { smoke "$target" "$kind" >"$out/$target.line" && : >"$out/$target.passed"; } &
done <"$out/targets"
wait
count=0
while read -r target kind; do
  [ -e "$out/$target.passed" ] || exit 1
  cat "$out/$target.line"
  [ "$kind" = canary ] || count=$((count + 1))
done <"$out/targets"
[ "$count" -gt 0 ] || { echo "fuzz-smoke: no target ran" >&2; exit 1; }
echo "fuzz-smoke: $count targets, nothing found"
