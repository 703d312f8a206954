#!/usr/bin/env bash
# prove-swarm.sh [COUNT]: the swarm under the seeds 1..COUNT (100 000): no run fails, every fact happens in some run, and
# one process, eight shards that are merged, and a process that is killed again and again print the same.
#   RUN     the tool (.build/release/rollcall)
#   KILLS   how often the third one is killed (5)
#   OUT     where results are kept (out/swarm)
set -euo pipefail
cd "$(dirname "$0")/.."
count=${1:-100000}
run=${RUN:-.build/release/rollcall}
kills=${KILLS:-5}
out=${OUT:-out/swarm}
shards=8
started=$(date +%s)
rm -rf "$out"
mkdir -p "$out"

# Runs the swarm into a folder. A run that fails is no reason to stop, what cannot be performed is.
swarm() {
  local folder=$1 code=0
  shift
  "$run" campaign swarm --seeds "1..$count" -o "$out/$folder" --quiet "$@" >"$out/$folder.txt" || code=$?
  if [ "$code" -gt 1 ]; then
    echo "prove-swarm: the swarm in $out/$folder ended with $code" >&2
    exit "$code"
  fi
}

swarm whole

# As many at a time as there are processors, each with one thread.
folders=()
pids=()
for index in $(seq "$shards"); do
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
  swarm "shard-$index" --shard "$index/$shards" --jobs 1 &
  pids+=($!)
  folders+=("$out/shard-$index")
done
for pid in "${pids[@]}"; do wait "$pid"; done
code=0
"$run" campaign merge "${folders[@]}" -o "$out/merged" >"$out/merged.txt" || code=$?
[ "$code" -le 1 ] || { echo "prove-swarm: the merge ended with $code" >&2; exit "$code"; }

# Killed at times that spread over a sixth of what the whole took each, then left alone.
slice=$((($(date +%s) - started) / 12 + 1))
killed=0
for _ in $(seq "$kills"); do
  "$run" campaign swarm --seeds "1..$count" -o "$out/killed" --quiet >"$out/killed.txt" 2>&1 &
  pid=$!
  sleep "$((RANDOM % slice + 1)).$((RANDOM % 10))"
  if kill -9 "$pid" 2>/dev/null; then killed=$((killed + 1)); fi
  wait "$pid" 2>/dev/null || true
done
swarm killed

failed=0
for other in merged killed; do
  if ! cmp -s "$out/whole.txt" "$out/$other.txt"; then
    echo "prove-swarm: $out/whole.txt and $out/$other.txt differ" >&2
    diff "$out/whole.txt" "$out/$other.txt" | head -5 >&2 || true
    failed=1
  fi
done
result=$(sed -nE 's/^runs +//p' "$out/whole.txt")
digest=$(sed -nE 's/^digest +//p' "$out/whole.txt")
[[ $result == *" 0 failed" ]] || failed=1
unseen=$(sed -nE 's/^  ([a-z-]+) +never .*/\1/p' "$out/whole.txt" | paste -sd ' ')
if [ -n "$unseen" ]; then
  echo "prove-swarm: happened in no run: $unseen" >&2
  failed=1
fi
if [ "$failed" -eq 0 ]; then
  echo "swarm: $result; digest $digest in one process, in $shards shards and when killed $killed times; every fact happened," \
    "in $(($(date +%s) - started)) s"
else
  sed -n '/^failures/,$p' "$out/whole.txt" >&2
  echo "swarm: $result; not as it should be, see $out"
fi
exit "$failed"
