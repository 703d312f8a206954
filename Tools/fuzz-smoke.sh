#!/usr/bin/env bash
# A few seconds of libFuzzer for every target; the canary has to be found, and the coverage line has to be there.
set -euo pipefail
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no
seconds=${SECONDS_EACH:-4}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
. Tools/fuzz-common.sh
build_fuzzers
count=0
while read -r target kind; do
  if [ "$kind" = canary ]; then
    if fuzz "$target" "$out/$target" -max_total_time=30; then
      echo "fuzz-smoke: the canary was not found" >&2
      exit 1
    fi
    grep -aq 'canary was found' "$out/$target/log" || { tail -5 "$out/$target/log" >&2; exit 1; }
    printf '%-17s found, as it should be\n' "$target"
    continue
  fi
  if ! fuzz "$target" "$out/$target" -max_total_time="$seconds"; then
    grep -aE 'Fatal error|ERROR|SUMMARY' "$out/$target/log" | head -5 >&2
    mkdir -p out/finds && cp "$out/$target"/{crash,timeout,oom}-* out/finds/ 2>/dev/null || true
    echo "fuzz-smoke: $target has a finding, see out/finds" >&2
    exit 1
  fi
  # Every beginning of every sample: readers only, a machine's input is decisions.
  if [ "$kind" = reader ] && ! ROLLCALL_FUZZ_SWEEP=1 fuzz "$target" "$out/$target-sweep" -runs=0 -max_len=65536; then
    grep -aE 'Fatal error|ERROR|SUMMARY' "$out/$target-sweep/log" | head -5 >&2
    echo "fuzz-smoke: $target does not hold for the beginning of a sample" >&2
    exit 1
  fi
  count=$((count + 1))
  printf '%-17s %s\n' "$target" "$(grep -aE 'DONE' "$out/$target/log" | tail -1)"
done < <(list_targets)
[ "$count" -gt 0 ] || { echo "fuzz-smoke: no target ran" >&2; exit 1; }
echo "fuzz-smoke: $count targets, nothing found"
