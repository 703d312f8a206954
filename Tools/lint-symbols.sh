#!/usr/bin/env bash
# What the compiler put into the pure rooms: no iteration over hashed collections, no clock, no dice, no task.
# Source text is scanned by ArchitectureTests; this looks at the object files, where no comment and no alias can hide.
set -euo pipefail
cd "$(dirname "$0")/.."
env $(cat Tools/build-env) swift build $(cat Tools/debug-flags) --product rollcall 2>&1 | tail -1
forbidden='Dictionary\.(makeIterator|Iterator|values)|Set<A> : Swift\.(Sequence|Collection)|\bSet\.(makeIterator|first)|(Continuous|Suspending)Clock|\.random\((in:|\))|shuffled\(\)|randomElement\(\)|swift_task_create|Foundation\.Date\.init\(\)'
bad=0
objects=0
for room in Primitives Wire Trace Engines Simulation Capture Conformance Discovery Devices Sessions Peers Examiners; do
  for object in .build/debug/Rollcall"$room".build/*.o; do
    [ -f "$object" ] || { echo "lint: the room $room has no object files" >&2; exit 1; }
    objects=$((objects + 1))
    symbols=$(nm -u "$object" | awk '{print $2}' | swift demangle)
    if grep -E "$forbidden" <<<"$symbols"; then
      echo "  ... in $object" >&2
      bad=1
    fi
  done
done
[ "$bad" = 0 ] || { echo "lint: a pure room holds what it must not" >&2; exit 1; }
echo "lint: $objects object files of the pure rooms hold no clock, dice, task or hashed iteration"
