#!/usr/bin/env bash
# consumers.sh: what a package that uses one product of this one resolves, and nothing else: for each product a package
# of one target, with the traits that the product asks for (docs/packages.md), resolved for real.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/app/Sources/App"
echo 'let app = 1' >"$folder/app/Sources/App/App.swift"
# SwiftPM takes the name of the folder for the name of the package.
ln -s "$root" "$folder/Rollcall"
bad=0

# consumer PRODUCT TRAITS PACKAGE...: TRAITS as they stand behind the dependency's place; empty: nothing is said.
consumer() {
  local product=$1 traits=$2 expected found
  shift 2
  expected=$(printf '%s\n' "$@" | sort)
  rm -f "$folder/app/.build/workspace-state.json" "$folder/app/Package.resolved"
  cat >"$folder/app/Package.swift" <<SWIFT
// swift-tools-version: 6.2
import PackageDescription
let package = Package(
  name: "app", platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(path: "../Rollcall"${traits:+, traits: $traits})],
  targets: [.target(name: "App", dependencies: [.product(name: "$product", package: "Rollcall")])])
SWIFT
  if ! swift package --package-path "$folder/app" resolve >"$folder/log" 2>&1; then
    cat "$folder/log" >&2
    bad=1
    return
  fi
  found=""
  # Without a dependency there is no file.
  if [ -f "$folder/app/Package.resolved" ]; then
    found=$(sed -n 's/^ *"identity" : "\(.*\)",$/\1/p' "$folder/app/Package.resolved" | sort)
  fi
  if [ "$found" != "$expected" ]; then
    echo "consumers: $product with traits ${traits:-as they are by default} resolves: $(echo $found); expected: $(echo $expected)" >&2
    bad=1
  else
    printf '%-30s %-22s %s\n' "$product" "${traits:-(by default)}" "$(echo ${found:-nothing})"
  fi
}

nio=(swift-nio swift-atomics swift-collections swift-system)
consumer RollcallPrimitives '[]'
consumer RollcallWire '[]'
consumer RollcallPrimitives '' yams
consumer RollcallConnect '' yams
consumer RollcallConnectLive '["Live"]' "${nio[@]}"
consumer RollcallConnectStore '["Store"]' grdb.swift
consumer RollcallServedPhones '[.defaults, "Live"]' yams "${nio[@]}"
consumer Rollcall '' yams
consumer RollcallTesting '' yams
consumer RollcallCoreBluetooth '' yams
consumer RollcallMultipeerConnectivity '' yams
consumer RollcallTesting '["Tool"]' yams "${nio[@]}" grdb.swift swift-argument-parser swift-subprocess

# Without the trait the plug-in says in one line what is missing, and builds nothing.
consumer RollcallWire '' yams
if swift package --package-path "$folder/app" rollcall run Scenarios >"$folder/log" 2>&1 ||
  ! grep -q '^error: rollcall is not built in: .* the trait Tool' "$folder/log"; then
  echo "consumers: without the trait Tool the plug-in has to end with one line; it said:" >&2
  cat "$folder/log" >&2
  bad=1
fi
[ "$bad" = 0 ] || { echo "consumers: a package resolves what it does not use, or not what it needs" >&2; exit 1; }
