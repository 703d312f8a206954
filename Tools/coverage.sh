#!/usr/bin/env bash
# coverage.sh [readers]: all tests with coverage, or only those of the readers (Wire and Capture), as `make prove` runs
# them. The line coverage of the readers has to be at least 95 % either way; it does not need the folder of captures.
set -euo pipefail
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no
minimum=${COVERAGE_MINIMUM:-95}
scratch=${COVERAGE_SCRATCH:-.build-cov}
case ${1:-all} in
  all) export ROLLCALL_PLUGIN=off ;;
  readers)
    export ROLLCALL_ONLY=Wire,Capture,WireTests,CaptureTests
    scratch=${COVERAGE_SCRATCH:-.build-cov-readers}
    ;;
  *) echo "cov: coverage.sh [readers]" >&2; exit 2 ;;
esac
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! SWIFT_DETERMINISTIC_HASHING=1 swift test $(cat Tools/debug-flags) --disable-xctest --enable-swift-testing --enable-code-coverage --scratch-path "$scratch" >"$log" 2>&1; then
  grep -E '^✘|error: ' "$log" | head -20 >&2
  echo "cov: tests failed" >&2
  exit 1
fi
grep -E 'Test run with' "$log"
json=$(swift test --enable-all-traits --show-codecov-path --scratch-path "$scratch")
python3 - "$json" "$minimum" <<'PYTHON'
import json, os, sys
report = json.load(open(sys.argv[1]))
minimum = float(sys.argv[2])
rooms, files = {}, {}
for file in report["data"][0]["files"]:
    name = os.path.relpath(file["filename"])
    if not name.startswith("Sources/"):
        continue
    lines = file["summary"]["lines"]
    covered, count = rooms.get(name.split("/")[1], (0, 0))
    rooms[name.split("/")[1]] = (covered + lines["covered"], count + lines["count"])
    files[name] = (lines["covered"], lines["count"])
bad = False
for room in sorted(rooms):
    covered, count = rooms[room]
    share = 100 * covered / max(1, count)
    is_reader = room in ("Wire", "Capture")
    wrong = is_reader and share < minimum
    bad = bad or wrong
    print(f"{room:14} {share:6.2f} % of {count} lines" + (f"  (at least {minimum:g} %)" if is_reader else ""))
    if is_reader:
        for name in sorted(files):
            if name.split("/")[1] == room and files[name][0] * 100 < files[name][1] * minimum:
                print(f"    {100 * files[name][0] / files[name][1]:6.2f} %  {name}")
if "Wire" not in rooms or "Capture" not in rooms:
    sys.exit("cov: the readers were not measured")
sys.exit("cov: the readers are covered too little" if bad else 0)
PYTHON
