#!/usr/bin/env bash
# bumble.sh COUNT EVENTS [COUNT EVENTS...]: what an advertising event costs in bumble 0.0.236 with COUNT advertisers, in
# nanoseconds of CPU, one line for each pair. A virtual environment is made in a temporary folder. Exit code 3: PyPI, or
# python3, is not there.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv" >"$work/log" 2>&1 || exit 3
"$work/venv/bin/pip" install --quiet --disable-pip-version-check bumble==0.0.236 >"$work/log" 2>&1 || exit 3
cd "$work"
while [ $# -ge 2 ]; do
  "$work/venv/bin/python" "$OLDPWD/bumble-locallink.py" "$1" "$2" 2>"$work/log" || { tail -2 "$work/log" >&2; exit 1; }
  shift 2
done
