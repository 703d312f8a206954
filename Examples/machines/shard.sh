#!/usr/bin/env bash
# shard.sh I/K RESULTS VERB ...: part I of K of a campaign, as in
#
#   shard.sh 3/20 /shared/nightly swarm --seeds 1..100000
#
# What the part came to is put into RESULTS as one file, shard-I.tar, also where the tool was killed or interrupted; the
# same command goes on from there. The tool itself writes to the disk of this machine alone: its database wants a file
# system that is not shared. The exit code is that of the tool, or 75 where results could not be put into RESULTS;
# which codes ask for another try: docs/many-machines.md.
#   ROLLCALL  the tool (rollcall)
#   JOBS      runs at a time (1: a scheduler counts processors by the task)
set -euo pipefail
shard=${1:?I/K, as in 3/20}
results=${2:?the folder that all machines share}
shift 2
kept=$results/shard-${shard%/*}.tar
temporary=75
scratch=$(mktemp -d) || exit "$temporary"
trap 'rm -rf "$scratch"' EXIT

mkdir -p "$results" || exit "$temporary"
if [ -f "$kept" ]; then
  tar -xf "$kept" -C "$scratch" || exit "$temporary"
  echo "shard $shard goes on with what $kept has" >&2
fi

# The tool is told of a signal and finishes the runs under way; bash alone would not hand it on.
told=0
tool=""
trap 'told=1; [ -z "$tool" ] || kill -TERM "$tool" 2>/dev/null || true' TERM INT HUP
"${ROLLCALL:-rollcall}" campaign "$@" --shard "$shard" --jobs "${JOBS:-1}" -o "$scratch/results" --quiet &
tool=$!
[ "$told" = 0 ] || kill -TERM "$tool" 2>/dev/null || true
while :; do
  code=0
  wait "$tool" || code=$?
  # A signal ends the waiting, not the tool.
  [ "$told" = 1 ] || break
  told=0
done

if [ -d "$scratch/results" ]; then
  # Whole or not at all, whatever happens meanwhile; without the failures, which the merge works out from the results.
  { tar -cf "$kept.new" --exclude=results/failures -C "$scratch" results && mv -f "$kept.new" "$kept"; } || exit "$temporary"
fi
exit "$code"
