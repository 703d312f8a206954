#!/usr/bin/env bash
# docs-check.sh [FOLDER]: the site that Tools/docs.sh built (out/docs), served on loopback and looked at in headless Chromium:
# every page of the catalogues Sources/*/*.docc shows its title and its tables. Screenshots go to out/docs-pictures. Where there
# is no Chromium it says so and ends with 77.
set -euo pipefail
cd "$(dirname "$0")/.."
site=${1:-out/docs}
[ -d "$site/documentation" ] || { echo "no site in $site: make docs" >&2; exit 2; }
browser=$(type -P chromium || type -P chromium-browser || type -P google-chrome) || { echo "skipped: Chromium is not installed"; exit 77; }
python=$(type -P python3) || { echo "skipped: python3 is not installed"; exit 77; }
mkdir -p out/docs-pictures
rm -f out/docs-pictures/*.png
"$python" -B Tools/docs-check.py "$browser" "$site" out/docs-pictures
