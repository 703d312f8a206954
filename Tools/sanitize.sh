#!/usr/bin/env bash
# sanitize.sh address|thread: the tests of the rooms that touch memory by hand, under a sanitizer.
#
# The manifest is trimmed to them: the rest of the house has no pointers. A green thread run proves little (no room
# below the tool has threads); it holds that nobody adds one.
set -euo pipefail
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no
sanitizer=${1:?address or thread}
rooms=(Primitives Wire Trace Engines Simulation Capture Conformance Discovery Devices Examiners Scenarios)
# One target tests all of these.
rooms+=(Reporting Running Explaining Replaying Judging Reducing Serving Harness)
# The compiler of Swift 6.3.1 crashes on Simulation's EventQueue when it instruments for threads.
[ "$sanitizer" = thread ] && rooms=(Primitives Wire Trace Capture Discovery Devices)
ROLLCALL_ONLY=$(IFS=,; echo "${rooms[*]},${rooms[*]/%/Tests}")
export ROLLCALL_ONLY
log=$(mktemp)
leaks=$(mktemp)
trap 'rm -f "$log" "$leaks"' EXIT
# Foundation's Process, with which some tests call tshark, keeps a weak reference of 32 bytes for good.
echo 'leak:libFoundation.so' >"$leaks"
# What a static holds is held for good; in the payload of an enum its pointer carries tag bits, and is not seen.
echo 'leak:once_slow' >>"$leaks"
export LSAN_OPTIONS=suppressions=$leaks:print_suppressions=0
code=0
swift test --enable-all-traits --disable-xctest --enable-swift-testing --sanitize="$sanitizer" --scratch-path ".build-$sanitizer" 2>&1 |
  grep -vE 'Cannot export local symbol| started\.$' | tee "$log" | grep -E 'Test run with|^✘|ERROR: |WARNING: ThreadSanitizer|SUMMARY|error: ' || code=$?
[ "${PIPESTATUS[0]}" -eq 0 ] || code=1
grep -qE 'Test run with [1-9][0-9]* tests.* passed' "$log" || code=1
if grep -qE '(ERROR|WARNING|SUMMARY): (Address|Leak|Thread)Sanitizer' "$log"; then code=1; fi
[ "$code" -eq 0 ] && echo "sanitize: nothing found by the $sanitizer sanitizer" || { tail -30 "$log"; exit 1; }
