#!/usr/bin/env bash
# The foreign engines of Examples/engines against the scenarios of SSDP: what each fails is known
# (Examples/engines/expected-NAME.jsonl), and anything else is red. One whose library is not here is skipped in a sentence.
# RECORD=1 writes the files and the table (docs/engines-table.md) anew; SEEDS=1..3 are the seeds, as for --seeds, and
# SHARD=1/4 asks for a part of the runs, as --shard does.
set -euo pipefail
cd "$(dirname "$0")/.."
run=${RUN:-.build/release/rollcall}
seeds=${SEEDS:-1..3}
shard=${SHARD:-1/1}
if [ -n "${RECORD:-}" ] && [ "$seeds $shard" != "1..3 1/1" ]; then
  echo "engines: RECORD=1 writes what all runs under the seeds 1..3 do: leave SEEDS and SHARD out" >&2
  exit 2
fi
here=Examples/engines
place=.build/engines
mkdir -p "$place"
done=()
skipped=()
failed=()

# NAME COMMAND
engine() {
  local options=(--engine "$2" --seeds "$seeds" --shard "$shard" --format json --output "$place/$1.jsonl")
  # Shares and samples of those are about hundreds of seeds.
  local name
  for name in answers-spread-over-mx renewal-before-half-survives-loss renewals-at-random-before-half dial-search-under-loss small-mtu; do
    options+=(--skip "$name")
  done
  local code=0
  if [ -n "${RECORD:-}" ]; then
    "$run" run Scenarios/ssdp "${options[@]}" --write-expected "$here/expected-$1.jsonl" || code=$?
    # Failures are what is recorded; an engine that broke the protocol is none of them.
    [ "$code" != 1 ] || code=0
  else
    "$run" run Scenarios/ssdp "${options[@]}" --expected "$here/expected-$1.jsonl" || code=$?
  fi
  [ "$code" = 0 ] || failed+=("$1")
  done+=("$1")
  "$run" run Scenarios/ssdp/living-room.yaml --engine "$2" --seed 1 --check-determinism >/dev/null || failed+=("$1, twice")
}

skip() { echo "engines: $1 is skipped: $2"; skipped+=("$1"); }

if ! command -v gcc >/dev/null; then
  skip "gssdp-discover" "there is no C compiler"
  skip "libgssdp" "there is no C compiler"
else
  gcc -O1 -Wall -Wextra -Werror -fPIC -shared -o "$place/libvirtual.so" \
    $here/c/virtual-{time,sockets,datagrams,interfaces}.c $here/c/printed-lines.c $here/c/frames.c -ldl
  preloaded="env LD_PRELOAD=$place/libvirtual.so"
  if command -v gssdp-discover >/dev/null; then
    engine gssdp-discover "$preloaded gssdp-discover --message-type=all --target=upnp:rootdevice"
  else
    skip "gssdp-discover" "it is not installed (Debian: gssdp-tools)"
  fi
  if pkg-config --exists gssdp-1.6 2>/dev/null; then
    # shellcheck disable=SC2046
    gcc -O1 -Wall -Wextra -Werror -o "$place/gssdp-control-point" $here/c/gssdp-control-point.c $(pkg-config --cflags --libs gssdp-1.6)
    engine libgssdp "$preloaded $place/gssdp-control-point"
  else
    skip "libgssdp" "its headers are not installed (Debian: libgssdp-1.6-dev)"
  fi
fi
if python=$(Tools/python-packages.sh 2>"$place/python.txt"); then
  engine async-upnp-client "$python $here/async_upnp_engine.py"
  engine ssdpy "$python $here/ssdpy_engine.py"
else
  skip "async-upnp-client" "$(cat "$place/python.txt")"
  skip "ssdpy" "$(cat "$place/python.txt")"
fi

[ ${#done[@]} -gt 0 ] || { echo "engines: nothing to run"; exit 0; }
Tools/engines-table.py "$place" "${done[@]}" >"$place/table.md" || failed+=("the table")
if [ -n "${RECORD:-}" ]; then
  [ ${#skipped[@]} = 0 ] || { echo "engines: the table needs all engines, and ${skipped[*]} could not be run" >&2; exit 1; }
  cp "$place/table.md" docs/engines-table.md
elif [ ${#skipped[@]} = 0 ] && [ "$seeds $shard" = "1..3 1/1" ] && ! cmp -s "$place/table.md" docs/engines-table.md; then
  diff docs/engines-table.md "$place/table.md" >&2 || true
  failed+=("docs/engines-table.md is another one: RECORD=1 make engines")
fi
[ ${#failed[@]} = 0 ] || { printf 'engines: not as known: %s\n' "${failed[@]}" >&2; exit 1; }
echo "engines: ${done[*]} do what is known of them"
