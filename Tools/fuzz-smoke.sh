#!/usr/bin/env bash
# A few seconds of libFuzzer for every target; the canary has to be found, and the coverage line has to be there.
set -euo pipefail
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no ROLLCALL_ONLY=fuzz
seconds=${SECONDS_EACH:-5}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
swift build --product fuzz --scratch-path .build-fuzz-plain 2>&1 | tail -1
plain=.build-fuzz-plain/debug/fuzz
swift build -c release --product fuzz --sanitize fuzzer --scratch-path .build-fuzz 2>&1 | grep -v 'Cannot export local symbol' | tail -1
fuzzer=.build-fuzz/release/fuzz
targets=$(ROLLCALL_FUZZ=none "$plain" 2>&1 | sed 's/.*one of: //')
run() { # target seconds: the exit code of libFuzzer
  mkdir -p "$out/$1/corpus" "$out/$1/seeds"
  ROLLCALL_FUZZ=$1 "$plain" --dictionary >"$out/$1/dictionary"
  ROLLCALL_FUZZ=$1 "$plain" --seeds "$out/$1/seeds" >/dev/null
  local code=0
  ROLLCALL_FUZZ=$1 "$fuzzer" -max_total_time="$2" -timeout=5 -rss_limit_mb=2048 -dict="$out/$1/dictionary" \
    -artifact_prefix="$out/$1/" "$out/$1/corpus" "$out/$1/seeds" >"$out/$1/log" 2>&1 || code=$?
  grep -q 'INFO: Loaded' "$out/$1/log" || { echo "fuzz-smoke: $1 ran without coverage" >&2; tail -5 "$out/$1/log" >&2; exit 1; }
  return "$code"
}
count=0
for target in $targets; do
  if [ "$target" = canary ]; then
    if run canary 30; then echo "fuzz-smoke: the canary was not found" >&2; exit 1; fi
    grep -q 'canary was found' "$out/canary/log" || { tail -5 "$out/canary/log" >&2; exit 1; }
    echo "canary         found, as it should be"
  else
    run "$target" "$seconds" || { tail -20 "$out/$target/log" >&2; cp "$out/$target"/crash-* . 2>/dev/null || true; exit 1; }
    count=$((count + 1))
    printf '%-14s %s\n' "$target" "$(grep -E 'DONE|stat::' "$out/$target/log" | tail -1)"
  fi
done
[ "$count" -gt 0 ] || { echo "fuzz-smoke: no target ran" >&2; exit 1; }
echo "fuzz-smoke: $count targets, nothing found"
