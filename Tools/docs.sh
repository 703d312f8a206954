#!/usr/bin/env bash
# docs.sh [-b BUILD] [-o FOLDER]: the site of the modules that packages use, in FOLDER (out/docs), from the modules that are
# built in BUILD (.build/debug) and the catalogues Sources/*/*.docc. It needs nothing but the toolchain, and fails where DocC
# finds fault with a page or a comment: a link that leads nowhere, a table that is none.
set -euo pipefail
cd "$(dirname "$0")/.."
build=.build/debug
out=out/docs
while getopts b:o: letter; do
  case $letter in
  b) build=$OPTARG ;;
  o) out=$OPTARG ;;
  *) exit 2 ;;
  esac
done
[ -d "$build/Modules" ] || { echo "docs: no modules in $build: build them, or name a folder with -b" >&2; exit 2; }
docc=$(type -P docc) || docc=$(dirname "$(realpath "$(type -P swift)")")/docc
# A module, and the folder of the room that may have a catalogue.
modules=(
  Rollcall:Facade RollcallTesting:Testing RollcallConnect:Connect RollcallConnectLive:ConnectLive
  RollcallConnectStore:ConnectStore RollcallPhones:Phones RollcallServedPhones:ServedPhones
  CoreBluetooth:CoreBluetooth MultipeerConnectivity:MultipeerConnectivity RollcallPrimitives:Primitives RollcallWire:Wire
)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Modules in C have maps, which the compiler has to be told of: those of this repository, of packages, and what SwiftPM wrote
# for packages without one.
declare -A known=()
maps=()
while read -r map; do
  name=$(sed -n 's/^ *module \([A-Za-z0-9_]*\).*/\1/p' "$map" | head -1)
  [ -z "${known[$name]:-}" ] || continue
  known[$name]=$map
  maps+=(-Xcc "-fmodule-map-file=$map")
done < <(
  find "$PWD/Sources" "$(dirname "$build")/checkouts" -path '*/Sources/*' -name module.modulemap
  find "$build/" -maxdepth 2 -path '*.build/module.modulemap' -not -path '*-tool.build/*'
)
target=$(swift -print-target-info | sed -n 's/^ *"unversionedTriple": "\(.*\)",*$/\1/p' | head -1)
archives=()
for row in "${modules[@]}"; do
  module=${row%%:*}
  catalogue=Sources/${row##*:}/$module.docc
  mkdir "$folder/$module"
  swift symbolgraph-extract -module-name "$module" -I "$build/Modules" "${maps[@]}" -target "$target" \
    -minimum-access-level public -skip-synthesized-members -output-dir "$folder/$module"
  [ -d "$catalogue" ] || catalogue=()
  "$docc" convert "${catalogue[@]}" --additional-symbol-graph-dir "$folder/$module" \
    --fallback-display-name "$module" --fallback-bundle-identifier "$module" \
    --output-path "$folder/$module.doccarchive" >"$folder/said" 2>&1 || { cat "$folder/said" >&2; exit 1; }
  # A comment says of a parameter what its name does not, so DocC misses the others.
  if grep -A2 '^\(warning\|error\)' "$folder/said" | grep -v "^warning: Parameter '.*' is missing documentation" |
    grep -A2 '^\(warning\|error\)' >&2; then
    echo "docs: DocC finds fault with $module" >&2
    exit 1
  fi
  archives+=("$folder/$module.doccarchive")
done
mkdir -p "$(dirname "$out")"
rm -rf "$out"
"$docc" merge "${archives[@]}" --synthesized-landing-page-name Rollcall --synthesized-landing-page-kind Package --output-path "$out"
# Its pages ask for it.
echo '{}' >"$out/theme-settings.json"
echo "docs: ${#modules[@]} modules in $out; python3 -m http.server -d $out, then /documentation"
