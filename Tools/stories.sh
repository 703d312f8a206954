#!/usr/bin/env bash
# stories.sh [PAGE…]: the stories of docs/stories, tried as a reader would: each in an empty folder of its own, with the files
# and the commands of the page, the program on the PATH and nothing else; what is printed, and the exit codes, are compared
# with what the page shows. RUN names the program; `make stories` builds it.
set -euo pipefail
cd "$(dirname "$0")/.."
run=$(realpath "${RUN:-.build/release/rollcall}")
[ -x "$run" ] || { echo "no rollcall at $run: build it, or name it with RUN" >&2; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin"
ln -s "$run" "$folder/bin/rollcall"
[ $# -gt 0 ] || set -- docs/stories/*.md
env -i PATH="$folder/bin:/usr/bin:/bin" HOME="$folder" LC_ALL=C.UTF-8 SWIFT_BACKTRACE=enable=no ROLLCALL="$PWD" \
  python3 -B Tools/stories.py "$folder" "$@"
