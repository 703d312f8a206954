#!/usr/bin/env bash
# Prints the path of a Python that has the packages of Tools/requirements.txt, in an environment of its own under
# .build/python; says why and ends with 77 where they cannot be had.
set -euo pipefail
cd "$(dirname "$0")/.."
place=.build/python
lacks() { echo "the packages of Tools/requirements.txt cannot be installed: $*" >&2; exit 77; }
if ! cmp -s Tools/requirements.txt "$place/installed"; then
  python=$(type -P python3) || lacks "no python3"
  rm -rf "$place"
  "$python" -m venv "$place" >/dev/null 2>&1 || lacks "python3 has no venv"
  "$place/bin/pip" --quiet --disable-pip-version-check install --timeout 20 -r Tools/requirements.txt >/dev/null 2>&1 ||
    lacks "pip found none"
  cp Tools/requirements.txt "$place/installed"
fi
echo "$PWD/$place/bin/python"
