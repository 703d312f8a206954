#!/usr/bin/env bash
# Equal digests: in two processes, in debug and release, with and without FMA instructions, and as committed in
# Scenarios/digests.txt. The canary has to be caught. Last, since the release build is there: every scenario holds under
# the seeds 1..200.
set -euo pipefail
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no
release=.build/release/rollcall
env $(cat Tools/build-env) swift build $(cat Tools/debug-flags) --product rollcall 2>&1 | tail -1
debug=.build/debug/rollcall
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

"$release" run Scenarios --check-determinism
Tools/digests.sh "$release" >"$out/release" || true
GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2_Usable,-AVX2,-FMA_Usable,-FMA,-AVX512F Tools/digests.sh "$release" >"$out/no-fma" || true
Tools/digests.sh "$debug" >"$out/debug" || true
[ -s "$out/release" ] && [ -s "$out/debug" ] || { echo "determinism: nothing was run" >&2; exit 1; }
compare() { diff "$1" "$2" >"$out/diff" || { echo "determinism: $3 differ:" >&2; cat "$out/diff" >&2; exit 3; }; }
compare "$out/release" "$out/no-fma" "runs with and without FMA instructions"
compare "$out/release" "$out/debug" "release and debug"
if [ "${RECORD:-}" = 1 ]; then
  cp "$out/release" Scenarios/digests.txt
  echo "recorded Scenarios/digests.txt: read the difference before you commit it" >&2
  exit 1
fi
compare Scenarios/digests.txt "$out/release" "Scenarios/digests.txt and this build (RECORD=1 records anew)"
code=0
"$release" run Scenarios/ssdp/search-end-is-exact.yaml --check-determinism --canary >"$out/canary" 2>&1 || code=$?
[ "$code" = 3 ] || { echo "determinism: the canary should have been caught with exit code 3, and gave $code" >&2; cat "$out/canary" >&2; exit 1; }
grep -Eq 'search-end-is-exact\.yaml seed [0-9]+: (entry|the digests)' "$out/canary" || { echo "determinism: the first entry that differs should have been told" >&2; cat "$out/canary" >&2; exit 1; }
echo "determinism: $(wc -l <"$out/release") scenarios have equal digests in two processes, with and without FMA, in debug and in release; the canary was caught"
Tools/seeds.sh 200
