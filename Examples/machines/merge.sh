#!/usr/bin/env bash
# merge.sh RESULTS: puts the parts in RESULTS together, prints the report, and keeps it as RESULTS/report.txt, with the
# results and the failures in RESULTS/whole. The exit code is that of `rollcall campaign merge`: 0 all is there and
# nothing failed, 1 a run failed, 5 runs are missing: run the parts once more.
#   ROLLCALL  the tool (rollcall)
set -euo pipefail
results=${1:?the folder that all machines share}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
parts=()
for kept in "$results"/shard-*.tar; do
  [ -f "$kept" ] || { echo "merge: there is no part in $results" >&2; exit 5; }
  part=$scratch/$(basename "$kept" .tar)
  mkdir "$part"
  tar -xf "$kept" -C "$part"
  parts+=("$part/results")
done
code=0
"${ROLLCALL:-rollcall}" campaign merge "${parts[@]}" -o "$scratch/whole" >"$scratch/report.txt" || code=$?
cat "$scratch/report.txt"
if [ -d "$scratch/whole" ]; then
  rm -rf "$results/whole.new"
  cp -r "$scratch/whole" "$results/whole.new"
  rm -rf "$results/whole"
  mv "$results/whole.new" "$results/whole"
  cp "$scratch/report.txt" "$results/report.txt"
fi
exit "$code"
