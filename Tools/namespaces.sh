# Network namespaces for scenes with real programs; sourced by live-test.sh and record-captures.sh.
#
# Who sources it sets `prefix`, which the names of its namespaces begin with, and has a function `inside HOST COMMAND...`
# that becomes the command in the host's namespace. Every child is ended by its process id, and every wait has an end.

namespaces=() processes=() captures=()

# host HOST: a namespace with its loopback up; its name is then in the variable HOST.
host() {
  printf -v "$1" '%s' "$prefix-$1"
  ip netns add "${!1}" && namespaces+=("${!1}")
  ip -n "${!1}" link set lo up
}
# veth HOST IF HOST IF [OPTION...]: joins two hosts; the options are those of the first end, `--` and those of the second.
veth() {
  # Names of hosts are names of variables, so those here begin with a line.
  local _one=$1 _if=$2 _two=$3 _peer=$4 _options=()
  shift 4
  while [ $# -gt 0 ] && [ "$1" != -- ]; do _options+=("$1"); shift; done
  [ "${1:-}" = -- ] && shift
  ip link add "$_if" netns "${!_one}" "${_options[@]}" type veth peer name "$_peer" netns "${!_two}" "$@" || return
  ip -n "${!_one}" link set "$_if" up
  ip -n "${!_two}" link set "$_peer" up
}

pause() { sleep "$1" & wait $!; }
# launch VARIABLE OUT ERR HOST COMMAND...: in the background; its process id goes into VARIABLE.
launch() {
  local _variable=$1 _out=$2 _err=$3
  shift 3
  inside "$@" >>"$_out" 2>>"$_err" &
  printf -v "$_variable" '%s' $!
  processes+=($!)
}
# carry_out OUT ERR SECONDS HOST COMMAND...: to its end, or for so many seconds; its exit code.
carry_out() {
  local _out=$1 _err=$2 _seconds=$3 _host=$4
  shift 4
  inside "$_host" timeout -k 2 "$_seconds" "$@" >>"$_out" 2>>"$_err" &
  processes+=($!)
  wait $!
}
# finish PID [SIGNAL]: ends one process; five seconds later it is killed.
finish() {
  local pid=$1 turn
  kill -0 "$pid" 2>/dev/null || return 0
  kill "-${2:-TERM}" "$pid" 2>/dev/null
  for turn in {1..50}; do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  kill -KILL "$pid" 2>/dev/null
  wait "$pid" 2>/dev/null
  return 0
}
clear_scene() {
  local item
  for item in "${captures[@]}" "${processes[@]}"; do kill -KILL "$item" 2>/dev/null; done
  wait 2>/dev/null
  for item in "${namespaces[@]}"; do ip netns delete "$item" 2>/dev/null; done
  namespaces=() processes=() captures=()
}

# minidlna_settings FOLDER NAME INTERVAL INTERFACES: writes FOLDER/NAME.conf and what it names.
minidlna_settings() {
  mkdir -p "$1/media" "$1/db-$2"
  cat >"$1/$2.conf" <<END
port=8200
network_interface=$4
media_dir=$1/media
db_dir=$1/db-$2
log_dir=$1/db-$2
friendly_name=Media
inotify=no
notify_interval=$3
minissdpdsocket=$1/none.sock
END
}
# miniupnpd_settings FOLDER NAME INTERVAL: writes FOLDER/NAME.conf for a router whose other side is wan0.
miniupnpd_settings() {
  cat >"$1/$2.conf" <<END
ext_ifname=wan0
listening_ip=eth0
http_port=5000
notify_interval=$3
uuid=00000000-0000-4000-8000-000000007701
friendly_name=Router
system_uptime=no
secure_mode=yes
lease_file=$1/$2.leases
minissdpdsocket=$1/none.sock
END
}

# avahi_settings FOLDER NAME HOSTNAME: writes FOLDER/NAME.conf of avahi-daemon and FOLDER/NAME-bus.conf of its system bus.
avahi_settings() {
  cat >"$1/$2-bus.conf" <<END
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path=$1/$2.bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
END
  printf '[server]\nhost-name=%s\n[publish]\npublish-workstation=no\n' "$3" >"$1/$2.conf"
}
