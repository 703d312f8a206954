#!/usr/bin/env bash
# The long proofs: every fuzz target under libFuzzer by number of executions, one after the other, and the table of
# what was measured in PROOFS.md. A target that was not run keeps the row that it has.
#   TARGETS="usn pcap"       only these
#   SEEDS                    every scenario under the seeds 1..SEEDS first (10 000), unless TARGETS names targets; 0: not
#   SWARM                    so many seeds of the swarm (100 000), in one process, in shards and killed, unless TARGETS names
#                            targets; 0: not
#   SLURM                    a campaign of so many seeds (20 000) as an array of Slurm with a task killed, unless TARGETS
#                            names targets; skipped without root, slurm-wlm and munge; 0: not
#   STORM                    the connection storm under the seeds 1..STORM (1 000), unless TARGETS names targets; 0: not
#   SESSIONS                 members of a session over links that lose 0 to 60 % under so many seeds each (1 000), unless
#                            TARGETS names targets; 0: not
#   ELECTIONS                who of two peers invites the other one, under so many seeds (10 000), unless TARGETS names
#                            targets; 0: not
#   KILLS                    the device store is killed so many times while it writes (10 000), unless TARGETS names
#                            targets; 0: not
#   COVERAGE=0               not the coverage of the readers, which is otherwise measured, unless TARGETS names targets
#   FUZZING=0                no fuzz target; otherwise a few seconds of each come first, with the canary that has to be found
#   MUTANTS=0                not the small changes to the sources, which are otherwise all run, unless TARGETS names targets
#   READER_RUNS, MACHINE_RUNS executions for each target of a kind (10^7 and 10^6)
set -euo pipefail
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no
reader_runs=${READER_RUNS:-10000000}
machine_runs=${MACHINE_RUNS:-1000000}
keep=${KEEP:-out/prove}
. Tools/fuzz-common.sh
mkdir -p out
failed=0
seeds=${SEEDS:-10000}
if [ -z "${TARGETS:-}" ] && [ "$seeds" -gt 0 ]; then
  env $(cat Tools/build-env) swift build $(cat Tools/release-flags) --product rollcall 2>&1 | tail -1
  Tools/seeds.sh "$seeds" | tee out/seeds.txt || failed=1
  tail -1 out/seeds.txt | python3 Tools/proof-row.py PROOFS.md line "seeds 1..$seeds"
fi
swarm=${SWARM:-100000}
if [ -z "${TARGETS:-}" ] && [ "$swarm" -gt 0 ]; then
  env $(cat Tools/build-env) swift build $(cat Tools/release-flags) --product rollcall 2>&1 | tail -1
  Tools/prove-swarm.sh "$swarm" | tee out/swarm.txt || failed=1
  tail -1 out/swarm.txt | sed 's/^swarm: //' | python3 Tools/proof-row.py PROOFS.md line "swarm, seeds 1..$swarm"
fi
slurm=${SLURM:-20000}
if [ -z "${TARGETS:-}" ] && [ "$slurm" -gt 0 ]; then
  env $(cat Tools/build-env) swift build $(cat Tools/release-flags) --product rollcall 2>&1 | tail -1
  code=0
  Tools/prove-slurm.sh "$slurm" | tee out/slurm.txt || code=$?
  case $code in
    0) tail -1 out/slurm.txt | sed 's/^slurm: //' | python3 Tools/proof-row.py PROOFS.md line "swarm in an array of Slurm, seeds 1..$slurm" ;;
    77) ;; # It has said what is missing.
    *) failed=1 ;;
  esac
fi
storm=${STORM:-1000}
if [ -z "${TARGETS:-}" ] && [ "$storm" -gt 0 ]; then
  env $(cat Tools/build-env) swift build $(cat Tools/release-flags) --product rollcall-fuzz 2>&1 | tail -1
  .build/release/rollcall-fuzz --storm "$storm" | tee out/storm.txt || failed=1
  tail -1 out/storm.txt | python3 Tools/proof-row.py PROOFS.md line "connection storm, seeds 1..$storm"
fi
sessions=${SESSIONS:-1000}
if [ -z "${TARGETS:-}" ] && [ "$sessions" -gt 0 ]; then
  if ROLLCALL_SESSION_SEEDS=$sessions env $(cat Tools/build-env) swift test $(cat Tools/debug-flags) --disable-xctest --enable-swift-testing --filter SessionsTests.DeliveryTests/reliable >out/sessions.txt 2>&1; then
    # Without its lines the test was not run, whatever the run says.
    found=$(grep -aoE 'loss [0-9]+ %: [0-9]+ of [0-9]+ whole' out/sessions.txt | sort -k2n | paste -sd ';' | sed 's/;/; /g') || failed=1
    [ -z "$found" ] || python3 Tools/proof-row.py PROOFS.md line \
      "delivery in sessions, $sessions seeds for each loss" <<<"every message once and in order, or the peer is gone; $found"
  else
    failed=1
    tail -20 out/sessions.txt >&2
  fi
fi
elections=${ELECTIONS:-10000}
if [ -z "${TARGETS:-}" ] && [ "$elections" -gt 0 ]; then
  if ROLLCALL_ELECTION_SEEDS=$elections env $(cat Tools/build-env) swift test $(cat Tools/debug-flags) --disable-xctest --enable-swift-testing --filter PeersTests.ElectionTests >out/elections.txt 2>&1; then
    found=$(grep -aoE 'elections: .*' out/elections.txt) || failed=1
    [ -z "$found" ] || python3 Tools/proof-row.py PROOFS.md line "elections between peers, seeds 1..$elections" <<<"${found#elections: }"
  else
    failed=1
    tail -20 out/elections.txt >&2
  fi
fi
kills=${KILLS:-10000}
if [ -z "${TARGETS:-}" ] && [ "$kills" -gt 0 ]; then
  if ROLLCALL_STORE_KILLS=$kills env $(cat Tools/build-env) swift test $(cat Tools/debug-flags) --disable-xctest --enable-swift-testing --filter StoreTests.KillTests/kills >out/kills.txt 2>&1; then
    found=$(grep -aoE 'kills: .*' out/kills.txt) || failed=1
    [ -z "$found" ] || python3 Tools/proof-row.py PROOFS.md line "device store, $kills times kill -9" <<<"${found#kills: }"
  else
    failed=1
    tail -20 out/kills.txt >&2
  fi
fi
if [ -z "${TARGETS:-}" ] && [ "${MUTANTS:-1}" != 0 ]; then
  Tools/mutants.sh | tee out/mutants.txt || failed=1
  { grep ' mutants: ' out/mutants.txt || true; } | while IFS=: read -r room result; do
    python3 Tools/proof-row.py PROOFS.md line "mutants of $room" <<<"$result"
  done
fi
if [ -z "${TARGETS:-}" ] && [ "${COVERAGE:-1}" != 0 ]; then
  Tools/coverage.sh readers | tee out/coverage.txt || failed=1
  found=$(sed -nE 's/^(Wire|Capture) +([0-9.]+ %) of ([0-9]+) lines.*/\1 \2 of \3 lines/p' out/coverage.txt | paste -sd ';' | sed 's/;/; /g')
  [ -z "$found" ] || python3 Tools/proof-row.py PROOFS.md line "coverage of the readers by their own tests" <<<"$found (at least 95 %)"
fi
[ -n "${TARGETS:-}" ] || [ "${FUZZING:-1}" != 0 ] || exit "$failed"
[ -n "${TARGETS:-}" ] || Tools/fuzz-smoke.sh || failed=1
build_fuzzers
mkdir -p "$keep"
listed=$(list_targets)
for target in ${TARGETS:-$(awk '$2 != "canary" { print $1 }' <<<"$listed")}; do
  kind=$(awk -v name="$target" '$1 == name { print $2 }' <<<"$listed")
  case $kind in
    reader) runs=$reader_runs ;;
    machine) runs=$machine_runs ;;
    *) echo "prove: there is no target '$target'" >&2; exit 2 ;;
  esac
  mkdir -p "$keep/$target"
  finds=0
  started=$(date +%s)
  fuzz "$target" "$keep/$target" -runs="$runs" || finds=1
  seconds=$(($(date +%s) - started))
  log=$keep/$target/log
  status=$(grep -aE '^#[0-9]+.*(DONE|REDUCE|NEW|pulse|INITED)' "$log" | tail -1)
  executions=$(sed -nE 's/^stat::number_of_executed_units: *([0-9]+).*/\1/p' "$log" | tail -1)
  [ -n "$executions" ] || executions=$(sed -E 's/^#([0-9]+).*/\1/' <<<"$status")
  edges=$(sed -nE 's/.*cov: ([0-9]+).*/\1/p' <<<"$status")
  corpus=$(sed -nE 's/.*corp: ([0-9]+).*/\1/p' <<<"$status")
  memory=$(sed -nE 's/^stat::peak_rss_mb: *([0-9]+).*/\1/p' "$log" | tail -1)
  [ -n "$memory" ] || memory=$(sed -nE 's/.*rss: ([0-9]+)Mb.*/\1/p' <<<"$status")
  python3 Tools/proof-row.py PROOFS.md "$target" "$kind" "$executions" "$edges" "$corpus" "$finds" "$memory" "$seconds"
  echo "$target: $executions executions, $edges edges, $corpus inputs kept, $finds finds, $memory MB, $seconds s"
  if [ "$finds" -ne 0 ]; then
    failed=1
    grep -aE 'Fatal error|ERROR|SUMMARY' "$log" | head -3 >&2
    ls "$keep/$target"/crash-* "$keep/$target"/timeout-* "$keep/$target"/oom-* 2>/dev/null >&2 || true
  fi
done
exit "$failed"
