#!/usr/bin/env bash
# Instructions by callgrind: a figure without noise. A message read, a multicast delivery, a datagram of a search; and
# how often a delivery counts references or allocates. What N passes cost more than 2 N is theirs alone.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v valgrind >/dev/null || { echo "instructions: left out, valgrind is not there"; exit 0; }
ROLLCALL_ONLY=bench env $(cat Tools/build-env) ${SWIFT:-swift} build $(cat Tools/release-flags) --product rollcall-bench 2>&1 | tail -1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# valgrind 3.19 stumbles over the debug information.
strip --strip-debug -o "$work/bench" "${BENCH:-.build/release/rollcall-bench}"

# kind passes: leaves KIND.PASSES (the profile) and KIND.PASSES.out (operations)
profile() {
  valgrind --tool=callgrind --callgrind-out-file="$work/$1.$2" "$work/bench" --passes "$1" "$2" \
    >"$work/$1.$2.out" 2>"$work/$1.$2.log" || { tail -3 "$work/$1.$2.log" >&2; exit 1; }
}
instructions() { awk '/^summary:|^totals:/ { n = $2 } END { print n }' "$work/$1.$2"; }
operations() { awk '{ print $2 }' "$work/$1.$2.out"; }
# kind passes function: calls of a function
calls() {
  awk -v wanted="$3" '
    /^c?fn=/ {
      split($0, part, "=")
      id = part[2]; sub(/ .*/, "", id)
      name = part[2]
      if (name ~ / /) { sub(/^[^ ]* /, "", name); names[id] = name }
      if ($0 ~ /^cfn=/) callee = names[id]
    }
    /^calls=/ { split($1, part, "="); if (callee == wanted) sum += part[2] }
    END { print sum + 0 }' "$work/$1.$2"
}
ratio() { awk -v a="$1" -v b="$2" -v format="$3" 'BEGIN { printf format, a / b }'; }
verdict() { awk -v a="$1" -v b="$2" 'BEGIN { print (a <= b) ? "met" : "missed" }'; }

for kind in parse fanout; do profile $kind 10; profile $kind 20; done
per=$(ratio $(($(instructions parse 20) - $(instructions parse 10))) \
  $(($(operations parse 20) - $(operations parse 10))) "%.0f")
echo "SSDP message with its fields        $per instructions (target <= 2500: $(verdict "$per" 2500))"
count=$(($(operations fanout 20) - $(operations fanout 10)))
per=$(ratio $(($(instructions fanout 20) - $(instructions fanout 10))) $count "%.1f")
echo "multicast delivery, a receiver      $per instructions"
for function in swift_retain swift_release swift_allocObject malloc; do
  per=$(ratio $(($(calls fanout 20 $function) - $(calls fanout 10 $function))) $count "%.4f")
  # What is left belongs to a datagram and its thousand receivers together.
  echo "  calls of $function: $per a receiver (target 0, a datagram's own aside: $(verdict "$per" 0.05))"
done
for kind in search start; do profile $kind 2; profile $kind 4; done
more=$(($(instructions search 4) - $(instructions search 2) - $(instructions start 4) + $(instructions start 2)))
echo "search with 200 devices, a datagram $(ratio $more $(($(operations search 4) - $(operations search 2))) "%.0f") instructions"
