#!/usr/bin/env bash
# The files in Examples/machines: scripts are read by bash, and by shellcheck where it is installed; machines-check.py does
# the rest with packages from PyPI, and says that it is skipped where they cannot be had.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts=()
while IFS= read -r file; do scripts+=("$file"); done < <(grep -lE '^#!/usr/bin/env bash' -r Examples/machines | sort)
scripts+=(Tools/machines-check.sh Tools/prove-slurm.sh)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# reads PROGRAM...: every script passes, and one that is cut in two does not.
reads() {
  "$@" "${scripts[@]}" || { echo "machines-check: $* finds mistakes" >&2; exit 1; }
  printf '#!/usr/bin/env bash\nif true; then\n' >"$scratch/cut.sh"
  if "$@" "$scratch/cut.sh" >/dev/null 2>&1; then
    echo "machines-check: $* finds no mistake in half a script" >&2
    exit 1
  fi
}
each() { for file; do bash -n "$file" || return 1; done; }
reads each
if command -v shellcheck >/dev/null; then reads shellcheck; else echo "machines: skipped: shellcheck is not installed"; fi

code=0
python=$(Tools/python-packages.sh 2>"$scratch/why") || code=$?
if [ "$code" = 77 ]; then
  echo "machines: skipped: schemas and what scripts hand over: $(cat "$scratch/why")"
  exit 0
fi
[ "$code" = 0 ] || { cat "$scratch/why" >&2; exit "$code"; }
"$python" Tools/machines-check.py
