#!/usr/bin/env bash
# seeds.sh [COUNT]: every scenario holds under the seeds 1..COUNT (200), and not only under its own.
#   RUN   the tool (.build/release/rollcall)
set -euo pipefail
cd "$(dirname "$0")/.."
count=${1:-200}
started=$(date +%s)
"${RUN:-.build/release/rollcall}" run Scenarios --seeds "1..$count" --quiet
echo "seeds: every scenario holds under the seeds 1..$count, in $(($(date +%s) - started)) s"
