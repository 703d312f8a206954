#!/usr/bin/env bash
# Records the project's own captures from real programs, each scene in network namespaces of its own, all at once.
#   record-captures.sh [-o FOLDER] [SCENE...]     without SCENE: all; FOLDER is Captures by default
# Needs root on Linux. No frame leaves the namespaces, and everything that is started is ended by its process id.
set -uo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
tools=$here/captures
packages=(iproute2 minidlna libgssdp-1.6-0 gir1.2-gssdp-1.6 gupnp-tools python3-gi miniupnpc miniupnpd-nftables minissdpd
  tcpdump nftables ethtool procps hostname avahi-daemon avahi-utils dbus-daemon tshark)

# ---- what a scene is made of -------------------------------------------------------------------------------------

. "$here/namespaces.sh"

# net HOST...: a namespace for each host; its name is then in the variable HOST.
net() {
  local host
  for host; do
    host "$host"
    if [ -z "${ipv6:-}" ]; then
      ip netns exec "${!host}" sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
    else # no router here, so no solicitation of one
      ip netns exec "${!host}" sysctl -qw net.ipv6.conf.default.router_solicitations=0 net.ipv6.conf.all.router_solicitations=0
    fi
  done
}

# cable HOST IF OCTET HOST IF OCTET: a veth pair; OCTET is the last one of the hardware address. Checksums are real ones.
cable() {
  veth "$1" "$2" "$4" "$5" address "02:00:00:77:00:$3" -- address "02:00:00:77:00:$6"
  ip netns exec "${!1}" ethtool -K "$2" tx off >/dev/null
  ip netns exec "${!4}" ethtool -K "$5" tx off >/dev/null
}

# address HOST IF ADDRESS/LENGTH, with a default route so that a group address is reachable.
address() {
  case $3 in
  *:*) ip -n "${!1}" address add "$3" dev "$2" nodad ;;
  *) ip -n "${!1}" address add "$3" dev "$2" && ip -n "${!1}" route replace 239.0.0.0/8 dev "$2" 2>/dev/null ;;
  esac
}

# pair: the usual two hosts, device .10 and control point .20.
pair() {
  net device control
  cable device eth0 0a control eth0 14
  address device eth0 192.168.77.10/24
  address control eth0 192.168.77.20/24
  network="device 192.168.77.10 and control 192.168.77.20, one veth pair, captured at control"
}

# say KIND TEXT: a line for about.yaml, with the time.
say() { printf '%s\t%s\n' "$EPOCHREALTIME" "$2" >>"$folder/$1"; }
event() { say events "$*"; }

# inside HOST COMMAND...: becomes the command there, under the host's name in a UTS namespace, with the neutral uname.
# For a subshell only, whose process id is then the command's.
inside() {
  local host=$1
  shift
  exec setpriv --pdeathsig KILL ip netns exec "${!host}" unshare --uts sh -c 'hostname "$1"; shift; exec "$@"' sh "$host" \
    env -i PATH="$PATH" HOME="$folder" LC_ALL=C TZ=UTC LD_PRELOAD="$work/neutral-uname.so" PYTHONDONTWRITEBYTECODE=1 "$@" </dev/null
}
short() { local text=$*; text=${text//$folder\//}; text=${text//$tools/Tools\/captures}; echo "${text//\/usr\/bin\/python3/python3}"; }

# start VARIABLE HOST COMMAND...: in the background; its process id goes into VARIABLE.
start() {
  local variable=$1 host=$2
  shift 2
  say commands "$host: $(short "$*")"
  case $1 in
  */python3) program[$variable]=${2##*/} ;;
  *) program[$variable]=$1 ;;
  esac
  launch "$variable" "$folder/$variable.log" "$folder/$variable.log" "$host" "$@"
}
# act HOST COMMAND...: to its end, 20 seconds at most.
act() {
  local host=$1
  shift
  say commands "$host: $(short "$*")"
  carry_out "$folder/act.log" "$folder/act.log" 20 "$host" "$@"
  return 0
}
byebye() { event "${program[$1]} is told to end (SIGTERM)"; finish "${!1}"; }
murder() { event "kill -9 of ${program[$1]}"; kill -KILL "${!1}"; wait "${!1}" 2>/dev/null; }

# capture HOST IF NAME FILTER: from now on; NAME is the interface's name in the file.
capture() {
  local turn
  inside "$1" tcpdump -i "$2" -w "$folder/$3.pcap" -n -p -U -B 8192 -Z root --time-stamp-precision=nano "$4" 2>"$folder/$3.tcpdump" &
  captures+=($!)
  for turn in {1..100}; do
    grep -q 'listening on' "$folder/$3.tcpdump" 2>/dev/null && return 0
    sleep 0.1
  done
  echo "$name: no capture on $2" >&2
  exit 1
}
ipv4='arp or igmp or icmp or udp port 1900 or udp port 9 or tcp'

# poke HOST ADDRESS: one datagram to a closed port: a frame that has nothing to do with discovery.
poke() { event "$1 sends an unrelated datagram to $2"; (inside "$1" bash -c "echo >/dev/udp/$2/9") 2>/dev/null; }
search() { local host=$1; shift; act "$host" /usr/bin/python3 "$tools/raw-search.py" "$@"; }
gssdp() { local variable=$1 host=$2; shift 2; start "$variable" "$host" /usr/bin/python3 "$tools/gssdp-device.py" "$@"; }
discover() { act control timeout "$(($1 + 3))" gssdp-discover -i "${2:-eth0}" -n "$1"; }

# drop HOST RULE: on the way out of the host's eth0, before the frame could be captured anywhere. At this hook the loss is
# silent; a drop in a chain of the output hook would tell the sending program (EPERM).
drop() {
  event "nftables on $1's way out: $2"
  ip netns exec "${!1}" nft -f - <<<"table netdev loss { chain out { type filter hook egress device eth0 priority 0; $2; }; }"
}
dropped() {
  local count
  count=$(ip netns exec "${!1}" nft list table netdev loss | sed -n 's/.*counter packets \([0-9]*\).*/\1/p' | tr '\n' ' ')
  event "nftables on $1 has dropped ${count% } datagrams; the rule is taken away"
  ip netns exec "${!1}" nft delete table netdev loss
}
# The fifth line begins at octet 47 of the payload: N of NTS in gssdp's byebye, C of Cache-Control in its alive.
only_byebye='udp dport 1900 @th,440,8 0x4e counter drop'

# minidlna VARIABLE HOST INTERVAL [INTERFACES]
minidlna() {
  minidlna_settings "$folder" "$1" "$3" "${4:-eth0}"
  say commands "$2: $1.conf: network_interface=${4:-eth0} notify_interval=$3 friendly_name=Media"
  start "$1" "$2" minidlnad -S -f "$folder/$1.conf" -P "$folder/$1.pid"
}
# miniupnpd VARIABLE HOST INTERVAL [OPTION...]
miniupnpd() {
  local variable=$1 host=$2 interval=$3
  shift 3
  veth "$host" wan0 "$host" wan1 address 02:00:00:77:01:01 2>/dev/null &&
    ip -n "${!host}" address add 10.77.0.2/24 dev wan0
  miniupnpd_settings "$folder" "$variable" "$interval"
  say commands "$host: $variable.conf: ext_ifname=wan0 (10.77.0.2) listening_ip=eth0 notify_interval=$interval"
  start "$variable" "$host" miniupnpd -d -f "$folder/$variable.conf" -P "$folder/$variable.pid" "$@"
}

# avahi VARIABLE HOST NAME: avahi-daemon there with this host name, on a system bus of its own; `bus` is its address.
avahi() {
  avahi_settings "$folder" "$1" "$3"
  bus="unix:path=$folder/$1.bus"
  launch "$1_bus" "$folder/$1_bus.log" "$folder/$1_bus.log" "$2" dbus-daemon --config-file="$folder/$1-bus.conf" --nofork
  pause 0.5
  say commands "$2: $1.conf: host-name=$3 publish-workstation=no"
  start "$1" "$2" env DBUS_SYSTEM_BUS_ADDRESS="$bus" unshare -m sh -c \
    'mount -t tmpfs tmpfs /run && exec avahi-daemon -f "$0" --no-drop-root --no-chroot --no-rlimits' "$folder/$1.conf"
  program[$1]=avahi-daemon
}
# publish VARIABLE HOST ARGUMENT...: avahi-publish there, on the bus of the daemon started last.
publish() { local variable=$1 host=$2; shift 2; start "$variable" "$host" env DBUS_SYSTEM_BUS_ADDRESS="$bus" avahi-publish "$@"; program[$variable]=avahi-publish; }
browse() { act "$1" env DBUS_SYSTEM_BUS_ADDRESS="$bus" avahi-browse -aprt; }
ipv4_mdns='udp port 5353'

. "$tools/scenes.sh"

# ---- one scene, in a process of its own --------------------------------------------------------------------------

versions() {
  local package
  echo "kernel: Linux $(uname -r | cut -d. -f1,2)"
  for package in $software tcpdump; do
    echo "$package: $(dpkg-query -W -f '${Version}' "$package") (Debian $(cut -d. -f1 /etc/debian_version))"
  done
}

play() {
  name=$1 work=$2 output=$3 tag=$4 folder=$2/$1
  prefix=rcap-$tag
  declare -gA program=()
  mkdir -p "$folder"
  : >"$folder/events"
  : >"$folder/commands"
  trap clear_scene EXIT
  trap 'exit 143' TERM INT
  "$name"
  pause 1
  local item
  for item in "${captures[@]}"; do finish "$item" INT; done
  if grep -L '^0 packets dropped by kernel' "$folder"/*.tcpdump | grep -q .; then
    echo "$name: tcpdump has lost frames" >&2
    exit 1
  fi
  /usr/bin/python3 -B "$tools/write-capture.py" "$folder" "$folder/out" title="$title" why="$why" network="$network" \
    software="$(versions)" need="$need" >"$folder/written" 2>&1 || { sed "s/^/$name: /" "$folder/written" >&2; exit 1; }
  sed "s/^out: /$name: /" "$folder/written"
  mkdir -p "$output/$name"
  mv "$folder/out/capture.pcapng" "$folder/out/about.yaml" "$output/$name/"
  case $need in
  *mdns*) /usr/bin/python3 -B "$tools/dns-truth.py" "$output/$name/capture.pcapng" >"$output/$name/tshark.json" || exit 1 ;;
  esac
}

if [ "${1:-}" = --play ]; then
  play "$2" "$3" "$4" "$5"
  exit
fi

# ---- all scenes --------------------------------------------------------------------------------------------------

output=$here/../Captures
while getopts o: letter; do
  case $letter in
  o) output=$OPTARG ;;
  *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] && scenes=("$@")
[ "$(uname)" = Linux ] || { echo "captures are recorded in Linux network namespaces" >&2; exit 1; }
[ "$(id -u)" = 0 ] || { echo "captures are recorded in network namespaces: please run as root" >&2; exit 1; }

# Their services must not start outside of the namespaces, so for the installation nothing may start at all.
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "Installing ${missing[*]} ..."
  policy=/usr/sbin/policy-rc.d
  if [ ! -e $policy ]; then
    printf '#!/bin/sh\nexit 101\n' >$policy && chmod 755 $policy
    trap 'rm -f $policy' EXIT
  fi
  apt() { DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}" >/dev/null 2>&1; }
  apt || { apt-get update >/dev/null 2>&1; apt; } || { echo "could not install ${missing[*]}" >&2; exit 1; }
  [ "$(trap -p EXIT)" ] && { rm -f $policy; trap - EXIT; }
fi
compiler=$(command -v "${CC:-cc}" || command -v clang) || { echo "a C compiler is needed" >&2; exit 1; }

mkdir -p "$output"
output=$(cd "$output" && pwd)
work=$(mktemp -d)
players=()
clear_all() {
  local player
  for player in "${players[@]}"; do kill -TERM "$player" 2>/dev/null; done
  wait 2>/dev/null
  [ -n "${ROLLCALL_KEEP:-}" ] && echo "kept: $work" || rm -rf "$work"
}
trap clear_all EXIT
trap 'exit 143' TERM INT
"$compiler" -shared -fPIC -O1 -o "$work/neutral-uname.so" "$tools/neutral-uname.c" || exit 1

echo "Recording ${#scenes[@]} scenes, about a minute ..."
number=0
for scene in "${scenes[@]}"; do
  declare -F "$scene" >/dev/null || { echo "no such scene: $scene" >&2; exit 2; }
  number=$((number + 1))
  timeout --kill-after=10 180 "$here/record-captures.sh" --play "$scene" "$work" "$output" "$$-$number" &
  players+=($!)
  sleep 0.3
done
failed=0
for player in "${players[@]}"; do wait "$player" || failed=$((failed + 1)); done
players=()
if [ "$failed" -gt 0 ]; then
  echo "$failed scenes failed; their captures were left as they were" >&2
  exit 1
fi
echo "Recorded: ${#scenes[@]}. An expected.jsonl beside one belongs to its former recording: review it anew."
