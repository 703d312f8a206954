#!/usr/bin/env bash
# Live: rollcall against real programs, in network namespaces of its own that are joined by veth.
#   live-test.sh [-b BINARY] [SCENE...]     without SCENE: all of them; `short` stands for those that CI has time for, and
#                                           `quick` alone takes a few seconds
#   LIVE_JOBS                               so many scenes at a time: 1, and 5 of the short ones
# With ROLLCALL_INSTALL=1 programs of Debian that the scenes with strangers lack are installed.
# Needs root on Linux; where that is missing, or no scene finds its programs, it says so and ends with 77. Interfaces outside of its namespaces are not
# touched, every child is ended by its process id, and every wait has an end.
set -uo pipefail
export LC_ALL=C SWIFT_BACKTRACE=enable=no
here=$(cd "$(dirname "$0")" && pwd)
tools=$here/captures
binary=$here/../.build/debug/rollcall
while getopts b: letter; do
  case $letter in
  b) binary=$OPTARG ;;
  *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))

skip() { echo "skipped: $*"; exit 77; }
[ "$(uname)" = Linux ] || skip "network namespaces are a matter of Linux"
[ "$(id -u)" = 0 ] || skip "network namespaces need root"
[ -x "$binary" ] || { echo "no rollcall at $binary: build it, or name it with -b" >&2; exit 2; }
for tool in ip ethtool sysctl timeout setpriv; do command -v $tool >/dev/null || skip "$tool is not installed"; done
ip netns add "rc-live-$$-probe" 2>/dev/null || skip "namespaces cannot be made here"
ip netns delete "rc-live-$$-probe"

# ---- what a scene is made of -------------------------------------------------------------------------------------

prefix=rc-live-$$
. "$here/namespaces.sh"

# net HOST...: a namespace for each host; its name is then in the variable HOST.
net() {
  local host
  for host; do
    host "$host"
    ip netns exec "${!host}" sysctl -qw net.ipv6.conf.default.router_solicitations=0 net.ipv6.conf.default.accept_dad=0 \
      net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.default.disable_ipv6="${noipv6:-0}"
  done
}
cable() { veth "$@"; } # HOST IF HOST IF
address() { case $3 in *:*) ip -n "${!1}" address add "$3" dev "$2" nodad ;; *) ip -n "${!1}" address add "$3" dev "$2" ;; esac; }
# A route for groups: other programs want one, rollcall does not.
route() { ip -n "${!1}" route replace 239.0.0.0/8 dev "$2"; }
pair() {
  net device control
  cable device eth0 control eth0
  address device eth0 10.77.1.10/24
  address control eth0 10.77.1.20/24
  route device eth0
}
inside() { local host=$1; shift; exec setpriv --pdeathsig KILL ip netns exec "${!host}" "$@" </dev/null; }
# start VARIABLE HOST COMMAND...: in the background; its process id goes into VARIABLE.
start() {
  local variable=$1
  shift
  : >"$work/$variable.out"
  : >"$work/$variable.err"
  launch "$variable" "$work/$variable.out" "$work/$variable.err" "$@"
}
# act SECONDS HOST COMMAND...: to its end; its output is in $work/act.out and act.err.
act() {
  : >"$work/act.out"
  : >"$work/act.err"
  carry_out "$work/act.out" "$work/act.err" "$@"
}
# await SECONDS COMMAND...: until it succeeds.
await() {
  local turns=$(($1 * 10)) turn
  shift
  for ((turn = 0; turn < turns; turn++)); do
    "$@" >/dev/null 2>&1 && return 0
    sleep 0.1
  done
  return 1
}

# peak PID: the most memory that it took so far, in MiB; a number too large where it is gone.
peak() { awk '/VmHWM/ {found = int($2 / 1024)} END {print found ? found : 999999}' "/proc/$1/status" 2>/dev/null || echo 999999; }
# rests PID: it takes less than a tenth of a processor for a second.
rests() {
  local before after
  before=$(awk '{print $14 + $15}' "/proc/$1/stat") || return 1
  pause 1
  after=$(awk '{print $14 + $15}' "/proc/$1/stat") || return 1
  [ $((after - before)) -lt 10 ]
}
# listens HOST: somebody has UDP port 1900 open there.
listens() { ip netns exec "${!1}" grep -q ':076C ' /proc/net/udp /proc/net/udp6; }

passed=0 failed=0 skipped=0
ok() { passed=$((passed + 1)); echo "  ok    $*"; }
bad() { failed=$((failed + 1)); echo "  FAIL  $*"; tail -n 40 "$work"/*.out "$work"/*.err 2>/dev/null | cut -c1-300 | sed 's/^/        /' | head -200; }
check() { local what=$1; shift; if "$@" >/dev/null 2>&1; then ok "$what"; else bad "$what"; fi; }
has() { grep -q -- "$2" "$work/$1"; }
hasnt() { ! grep -q -- "$2" "$work/$1"; }
count() { [ "$(grep -c -- "$2" "$work/$1")" -eq "$3" ]; }
# agrees WHAT SCRIPT ARGUMENT...: a script of the folder live compares, and says in its last line what it compared.
agrees() {
  local what=$1 script=$2
  shift 2
  if /usr/bin/python3 -B "$here/live/$script" "$@" >"$work/agrees.out" 2>&1; then ok "$(tail -n 1 "$work/agrees.out")"; else bad "$what"; fi
}
lacks() { skipped=$((skipped + 1)); echo "  skip  $*"; return 1; }
needs() { local tool; for tool; do type -P "$tool" >/dev/null || installs "$tool" || { lacks "$tool is not installed"; return 1; }; done; }
# installs TOOL: with ROLLCALL_INSTALL=1 a program of the scenes with strangers comes from Debian, and no other.
installs() {
  local packages
  case ${ROLLCALL_INSTALL:-}$1 in
  1rygel | 1gerbera | 1nmap | 1dbus-daemon) packages=("$1") ;;
  1gmediarender) packages=(gmediarender gstreamer1.0-plugins-base) ;;
  1vlc) packages=(vlc-bin vlc-plugin-base) ;;
  *) return 1 ;;
  esac
  "$here/install-dependencies.sh" "${packages[@]}" >"$work/install.out" 2>"$work/install.err" && type -P "$1" >/dev/null
}
needs_gssdp() {
  /usr/bin/python3 -c 'import gi; gi.require_version("GSSDP", "1.6")' 2>/dev/null && return
  lacks "python3-gi or gir1.2-gssdp-1.6 is not installed"
}

# house SECONDS: the ten devices of living-room on the host `device`, so long.
house() {
  start house device "$binary" serve "$here/../Scenarios/ssdp/living-room.yaml" -i eth0 --duration "$1s"
  await 10 listens device
  pause 1
}
# from_pypi: the folder of programs from PyPI goes into the variable pypi.
from_pypi() {
  pypi=$("$here/python-packages.sh" 2>/dev/null) || { lacks "the packages of PyPI cannot be had"; return 1; }
  pypi=${pypi%/*}
}

minidlna() { # VARIABLE HOST INTERVAL [INTERFACES]
  minidlna_settings "$work" "$1" "$3" "${4:-eth0}"
  echo uuid=00000000-0000-4000-8000-000000007720 >>"$work/$1.conf"
  start "$1" "$2" minidlnad -S -f "$work/$1.conf" -P "$work/$1.pid"
}
miniupnpd() { # VARIABLE HOST INTERVAL
  veth "$2" wan0 "$2" wan1
  ip -n "${!2}" address add 10.78.0.2/24 dev wan0
  miniupnpd_settings "$work" "$1" "$3"
  start "$1" "$2" miniupnpd -d -f "$work/$1.conf" -P "$work/$1.pid"
}
gssdp() { local variable=$1 host=$2; shift 2; start "$variable" "$host" /usr/bin/python3 -B "$tools/gssdp-device.py" "$@"; }
# desk NAME HOST: the reports of a live run against those of its pcapng, frame numbers aside.
desk() {
  grep '"kind":"report"' "$work/$1.out" | sed 's/"frame":[0-9a-z]*,//' >"$work/$1.live"
  "$binary" replay "$work/$1.pcapng" --as "$2" --format json 2>/dev/null | grep '"kind":"report"' |
    sed 's/"frame":[0-9a-z]*,//' >"$work/$1.desk"
  [ -s "$work/$1.live" ] && cmp -s "$work/$1.live" "$work/$1.desk"
}

. "$here/live/scenes.sh"
. "$here/live/devices.sh"
. "$here/live/clients.sh"
. "$here/live/strangers.sh"
. "$here/live/records.sh"
. "$here/live/examine-device.sh"
. "$here/live/examine-point.sh"
. "$here/live/hci.sh"
. "$here/live/mdns.sh"
. "$here/live/mdns-examine.sh"
. "$here/live/ends.sh"

# ---- run ---------------------------------------------------------------------------------------------------------

jobs=${LIVE_JOBS:-1}
if [ "$*" = short ]; then
  # They wait more than they work.
  scenes=("${short[@]}") jobs=${LIVE_JOBS:-5}
elif [ $# -gt 0 ]; then
  scenes=("$@")
fi
for scene in "${scenes[@]}"; do declare -F "$scene" >/dev/null || { echo "no such scene: $scene" >&2; exit 2; }; done
all=$(mktemp -d)
children=()
trap 'kill "${children[@]}" 2>/dev/null; clear_scene; [ -n "${ROLLCALL_KEEP:-}" ] && echo "kept: $all" || rm -rf "$all"' EXIT
trap 'exit 143' TERM INT

# Several scenes at a time (LIVE_JOBS), each in a run of its own; what they say stands in their order.
apart() {
  LIVE_JOBS=1 "$here/live-test.sh" -b "$binary" "$1" >"$all/$1.log" 2>&1 &
  trap "kill $! 2>/dev/null" TERM
  wait $!
  echo $? >"$all/$1.code"
}
if [ "$jobs" -gt 1 ] && [ ${#scenes[@]} -gt 1 ]; then
  for scene in "${scenes[@]}"; do
    [ "$(jobs -rp | wc -l)" -lt "$jobs" ] || wait -n
    apart "$scene" &
    children+=($!)
  done
  wait
  children=()
  for scene in "${scenes[@]}"; do
    grep -v -e '^live: ' -e '^skipped: no scene' "$all/$scene.log"
    read -r good wrong left < <(
      sed -n 's/^live: \([0-9]*\) passed, \([0-9]*\) failed\(, \([0-9]*\) skipped\)\{0,1\}$/\1 \2 \4/p' "$all/$scene.log")
    code=$(cat "$all/$scene.code")
    if [ "$code" = 77 ]; then left=1; elif [ -z "${good:-}" ]; then bad "$scene ended with $code"; fi
    passed=$((passed + ${good:-0})) failed=$((failed + ${wrong:-0})) skipped=$((skipped + ${left:-0}))
  done
  scenes=()
fi
for scene in "${scenes[@]}"; do
  echo "$scene"
  work=$all/$scene
  mkdir -p "$work"
  "$scene"
  clear_scene
done
[ $((passed + failed)) -gt 0 ] || skip "no scene found the programs that it needs"
echo "live: $passed passed, $failed failed$([ $skipped -eq 0 ] || echo ", $skipped skipped")"
[ "$failed" -eq 0 ]
