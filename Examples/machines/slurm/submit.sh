#!/usr/bin/env bash
# submit.sh RESULTS VERB ...: a campaign as an array of Slurm, and the merge behind it, as in
#
#   submit.sh /shared/nightly swarm --seeds 1..100000
#
# Prints the numbers of the two jobs. RESULTS is a folder that all nodes share; RESULTS/report.txt is the report. Where the
# merge ends with 5, the same command once more performs what is missing.
#   SHARDS    how many parts (20)
#   ROLLCALL  the tool (rollcall), the same on all nodes
set -euo pipefail
results=$(realpath -m "${1:?the folder that all nodes share}")
shift
MACHINES=$(realpath "$(dirname "$0")/..")
export MACHINES
mkdir -p "$results/log"
array=$(sbatch --parsable --export=ALL --array="1-${SHARDS:-20}" --output="$results/log/shard-%a" \
  "$MACHINES/slurm/array.sbatch" "$results" "$@")
# With `afterok` the merge would never begin where a run fails.
merge=$(sbatch --parsable --export=ALL --dependency="afterany:$array" --output="$results/log/merge" \
  "$MACHINES/slurm/merge.sbatch" "$results")
echo "$array $merge"
