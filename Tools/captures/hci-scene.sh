#!/usr/bin/env bash
# hci-scene.sh BINARY: records Captures/bumble-reads-a-lamp and Captures/bumble-scans-a-room anew, beside our own radio, on
# a Unix socket in a folder of its own. Their about.yaml and expected.jsonl are to be reviewed anew.
set -euo pipefail
cd "$(dirname "$0")/../.."
binary=$(realpath "$1")
python=$(Tools/python-packages.sh)
work=$(mktemp -d)
trap 'kill "$served" 2>/dev/null || true; rm -rf "$work"' EXIT
record() { # NAME SCENARIO SECONDS SCRIPT ARGUMENTS...
  local name=$1 scenario=$2 seconds=$3
  shift 3
  "$binary" serve-hci "Tools/live/$scenario" --listen "unix:$work/$name" --duration "${seconds}s" \
    --btsnoop "$work/capture.btsnoop" >"$work/out" &
  served=$!
  for _ in {1..50}; do [ -S "$work/$name" ] && break; sleep 0.1; done
  "$python" -B "Tools/live/$1" "unix:$work/$name" "${@:2}"
  wait "$served"
  mkdir -p "Captures/$name"
  mv "$work/capture.btsnoop" "Captures/$name/capture.btsnoop"
}
record bumble-reads-a-lamp hci-lamp.yaml 12 bumble-central.py c0:ff:ee:00:00:01
record bumble-scans-a-room hci-room.yaml 45 bumble-scan.py 40
