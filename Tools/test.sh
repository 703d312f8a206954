#!/usr/bin/env bash
# test.sh [OPTION…]: the fast suite, and behind it one line on captures: how many files were checked, how many skipped,
# and how many datagrams were compared with tshark's. Options go to `swift test`.
#
# Skipped is a capture of the folder that nothing was compared with, without a reviewed reason, and a comparison that
# found its files missing. In CI a skipped one fails where the folder is there.
set -euo pipefail
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no ROLLCALL_PLUGIN=off
ROLLCALL_TEST_NOTES=$(mktemp)
export ROLLCALL_TEST_NOTES
found=$(mktemp)
trap 'rm -f "$ROLLCALL_TEST_NOTES" "$found"' EXIT
code=0
# The order of traits is that of a Set, and in another order everything is built anew; tests run with hashes of any order.
env $(cat Tools/build-env) ${SWIFT:-swift} build --build-tests $(cat Tools/debug-flags)
${SWIFT:-swift} test --skip-build $(cat Tools/debug-flags) --disable-xctest --enable-swift-testing "$@" || code=$?

folder=${ROLLCALL_CAPTURES:-$PWD/../shared/captures}
if [ -d "$folder" ]; then
  folder=$(cd "$folder" && pwd)
  for subfolder in ble descriptions formats linktypes malformed mdns ssdp upnp-http; do
    find -H "$folder/$subfolder" -maxdepth 1 -type f ! -name '*.tsv' ! -name '*.json' ! -name '*.md' 2>/dev/null || true
  done | sort >"$found"
fi
checked() { sed -n 's/^checked\t//p' "$ROLLCALL_TEST_NOTES" | sort -u; }
excused() { sed -n 's/^not claimed\t//p' "$ROLLCALL_TEST_NOTES" | sort -u | comm -23 - <(checked); }
files=$(checked | wc -l)
comparisons=$(grep -c '^skipped' "$ROLLCALL_TEST_NOTES" || true)
compared=$(sort -u "$ROLLCALL_TEST_NOTES" | awk -F '\t' '$1 == "datagrams" { files += 1; count += $2 }
  END { printf "%d datagrams of %d files compared with tshark", count, files }')
if [ ! -d "$folder" ]; then
  echo "captures: $files files checked, $comparisons comparisons skipped: ROLLCALL_CAPTURES names no folder; $compared"
elif [[ " $* " == *" --filter"* || " $* " == *" --skip "* || " $* " == *" --skip="* ]]; then
  echo "captures: $files files checked by the tests that were chosen; $compared"
else
  unseen=$({ checked; excused; } | sort | comm -13 - "$found")
  skipped=$((comparisons + $(grep -c . <<<"$unseen" || true)))
  grep '^skipped' "$ROLLCALL_TEST_NOTES" | cut -f 2- >&2 || true
  [ -z "$unseen" ] || sed "s|^$folder/|skipped: nothing was compared with |" <<<"$unseen" >&2
  if [ "$skipped" -gt 0 ] && [ -n "${CI:-}" ]; then code=$((code == 0 ? 1 : code)); fi
  echo "captures: $files files checked, $(excused | wc -l) not claimed, $skipped skipped; $compared"
fi
exit "$code"
