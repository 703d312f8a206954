#!/usr/bin/env bash
# python.sh SCRIPT WORDS...: runs a script of this folder with the packages of Tools/requirements.txt. Exit code 3: they
# cannot be had.
set -euo pipefail
cd "$(dirname "$0")"
python=$(../python-packages.sh) || exit 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
script=$PWD/$1
shift
(cd "$work" && "$python" -B "$script" "$@" 2>log) || { tail -2 "$work/log" >&2; exit 1; }
