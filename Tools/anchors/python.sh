#!/usr/bin/env bash
# bumble.sh COUNT EVENTS [COUNT EVENTS...]: what an advertising event costs in bumble (Tools/requirements.txt) with COUNT
# advertisers, in nanoseconds of CPU, one line for each pair. Exit code 3: its package cannot be had.
set -euo pipefail
cd "$(dirname "$0")"
python=$(../python-packages.sh) || exit 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
while [ $# -ge 2 ]; do
  (cd "$work" && "$python" -B "$OLDPWD/bumble-locallink.py" "$1" "$2" 2>"$work/log") || { tail -2 "$work/log" >&2; exit 1; }
  shift 2
done
