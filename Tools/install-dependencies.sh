#!/usr/bin/env bash
# Installs the system packages that the build needs, when they are missing. Further packages as arguments.
set -euo pipefail
want=(libpcap-dev zlib1g-dev libsqlite3-dev pkg-config "$@")
command -v swift >/dev/null || { echo "Swift 6.2 or later is needed: https://www.swift.org/install" >&2; exit 1; }
if [ "$(uname)" = Darwin ]; then exit 0; fi # libpcap, zlib and SQLite come with macOS
if ! command -v dpkg-query >/dev/null; then
  if ! pkg-config --exists libpcap zlib sqlite3 2>/dev/null; then
    echo "libpcap, zlib and SQLite with their headers are needed; install them with your system's package manager (Fedora: dnf install libpcap-devel zlib-devel sqlite-devel)" >&2
    exit 1
  fi
  exit 0
fi
missing=()
for package in "${want[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0
sudo=""
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "please install as root: apt-get install ${missing[*]}" >&2; exit 1; }
  sudo=sudo
fi
echo "Installing ${missing[*]} ..."
log=$(mktemp)
install() { $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}" >"$log" 2>&1; }
if ! install; then
  $sudo apt-get update >>"$log" 2>&1 || true
  install || { cat "$log" >&2; echo "could not install ${missing[*]}: see above" >&2; exit 1; }
fi
rm -f "$log"
