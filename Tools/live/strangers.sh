# Programs that nobody here has written: does discover find them, are judge and examine right about them, do they find
# what serve announces? Its functions are the words of live-test.sh; every breach is compared with the reviewed table
# Tests/LiveTests/Strangers.md.
scenes+=(stranger-rygel stranger-gerbera stranger-gmediarender stranger-async-upnp-server stranger-ssdpy-server
  stranger-on-loopback stranger-vlc stranger-nmap stranger-async-upnp-search stranger-async-upnp-listen stranger-ssdpy-discover)

strangers=$here/../Tests/LiveTests/Strangers.md

# reviewed PROGRAM FILE [part]: what is said in $work/FILE agrees with the rows of the table about the program.
reviewed() { agrees "the table of strangers" strangers.py "$strangers" "$1" "$work/$2" ${3:+"$3"}; }

# ---- devices ------------------------------------------------------------------------------------------------------

# met PROGRAM: the device that runs on the host `device` is found, its capture is judged, it is examined.
met() {
  start live control "$binary" discover -i eth0 --duration 6s --mx 2 --format json --pcapng "$work/$1-live.pcapng"
  wait "$live"
  check "discover finds it: exit code 0" [ $? -eq 0 ]
  check "once" [ "$(grep '"event":"found"' "$work/live.out" | grep -o '"device":"[^"]*"' | sort -u | wc -l)" -eq 1 ]
  "$binary" judge "$work/$1-live.pcapng" --format json >"$work/$1-judged.out" 2>/dev/null
  reviewed "$1" "$1-judged.out" part
  act 300 control "$binary" examine device -i eth0 --format json --patience 1s --pcapng "$work/$1.pcapng"
  status=$?
  cp "$work/act.out" "$work/$1.out"
  check "it is there to the end" has "$1.out" '"presence":"present"'
  reviewed "$1" "$1.out"
}

stranger-rygel() {
  needs rygel dbus-daemon || return
  pair
  mkdir -p "$work/rygel/media"
  cat >"$work/rygel/rygel.conf" <<CONF
[general]
interface=eth0
upnp-enabled=true
enable-transcoding=false
[MediaExport]
enabled=true
title=Stranger
uris=$work/rygel/media
[MPRIS]
enabled=false
[External]
enabled=false
CONF
  start bus device dbus-daemon --session --nofork --nopidfile --address="unix:path=$work/bus"
  await 3 test -S "$work/bus"
  start server device env HOME="$work/rygel" XDG_CACHE_HOME="$work/rygel" XDG_CONFIG_HOME="$work/rygel" \
    XDG_DATA_HOME="$work/rygel" DBUS_SESSION_BUS_ADDRESS="unix:path=$work/bus" rygel
  await 10 listens device
  pause 3
  met rygel
  check "no must is broken: exit code 0" [ "$status" -eq 0 ]
  # It is there with both families, and says six byebyes by each.
  start live control "$binary" discover -i eth0 --duration 12s --mx 1 --format json --pcapng "$work/leaves.pcapng"
  pause 5
  finish "$server"
  wait "$live"
  check "it is lost with its byebye, once" count live.out '"event":"lost",.*"cause":"byebye"' 1
  check "and every byebye of both families is its own" hasnt live.out foreignByebye
  "$binary" replay "$work/leaves.pcapng" --as all --format json >"$work/leaves.out" 2>/dev/null
  check "of IPv4" [ "$(grep '"type":"notify-byebye"' "$work/leaves.out" | grep -c '"source":"10.77.1.10')" -ge 6 ]
  check "and of IPv6" [ "$(grep '"type":"notify-byebye"' "$work/leaves.out" | grep -c '"source":"\[fe80')" -ge 6 ]
}

stranger-gerbera() {
  needs gerbera || return
  pair
  mkdir -p "$work/gerbera"
  start server device env HOME="$work/gerbera" gerbera -m "$work/gerbera" -f settings -e eth0 -p 49160
  await 10 listens device
  pause 3
  met gerbera
}

stranger-gmediarender() {
  needs gmediarender || return
  pair
  start renderer device gmediarender --gstout-audiosink=fakesink --gstout-videosink=fakesink -I eth0 -p 49494 \
    --uuid 00000000-0000-4000-8000-000000007799
  await 10 listens device
  pause 2
  met gmediarender
}

stranger-async-upnp-server() {
  from_pypi || return
  pair
  start server device "$pypi/python" -B "$here/live/async-upnp-server.py" 10.77.1.10
  await 10 listens device
  pause 1
  met async-upnp-server
}

# It answers with NOTIFY, and to ssdp:all and its own NT alone.
stranger-ssdpy-server() {
  from_pypi || return
  pair
  start server device "$pypi/ssdpy-server" -a 10.77.1.10 -i eth0 -l http://10.77.1.10:8080/d.xml --max-age 1800 \
    uuid:00000000-0000-4000-8000-000000007766
  await 10 listens device
  pause 1
  met ssdpy-server
  check "the form of a search is no matter to it" has ssdpy-server.out '"probe":"name-case".*"verdict":"held"'
}

# A LOCATION on [::1] that goes over a link, which the system's own sockets would not let in: bytes on the wire.
stranger-on-loopback() {
  needs tshark || return
  pair
  start tap control tshark -q -i eth0 -a duration:5 -w "$work/loopback.pcapng"
  pause 2
  act 5 device /usr/bin/python3 -B "$here/live/loopback-frames.py" eth0
  wait "$tap"
  "$binary" judge "$work/loopback.pcapng" --format json >"$work/judged.out" 2>/dev/null
  check "it is out of reach, though host and sender are equal" \
    has judged.out '"clause":"UDA-1-MH-LOC-REACH".*"verdict":"violated".*http://\[::1\]'
}

# ---- control points -----------------------------------------------------------------------------------------------

# vlc does not run as root.
vlc_command() {
  echo "setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=$work/vlc XDG_RUNTIME_DIR=$work/vlc vlc -I dummy -vv --no-audio --services-discovery upnp"
}
adds_three() { [ "$(cat "$work/player.out" "$work/player.err" | grep -o "Adding server '[^']*'" | sort -u | wc -l)" -ge 3 ]; }
stranger-vlc() {
  needs vlc setpriv || return
  baits
  mkdir -p "$work/vlc"
  chmod 711 "$work"
  chown 65534 "$work/vlc"
  house 60
  # shellcheck disable=SC2046
  start player control $(vlc_command)
  check "it adds all three media servers of the house" await 20 adds_three
  finish "$player"
  finish "$house"
  point vlc 400 "$(vlc_command)"
  reviewed vlc vlc.out
}

# It shows one device of a host.
stranger-nmap() {
  needs nmap || return
  baits
  house 60
  act 60 control nmap -e eth0 --script broadcast-upnp-info
  check "it finds a device of the house" has act.out 'Model Name: Rollcall'
  act 60 control nmap -n -sU -p 1900 --script upnp-info 10.77.1.10
  check "and one when it asks the host alone" has act.out 'Location: http://10.77.1.10:'
  finish "$house"
  point nmap 600 'nmap -e eth0 --script broadcast-upnp-info'
  check "forms that it understands show by its fetch" has nmap.out '"probe":"name-case".*"verdict":"held"'
  reviewed nmap nmap.out
}

stranger-async-upnp-search() {
  from_pypi || return
  baits
  house 60
  act 20 control "$pypi/upnp-client" --timeout 4 search --bind 10.77.1.20
  check "it finds all ten devices of the house" [ "$(grep -o 'http://10.77.1.10:[^"]*' "$work/act.out" | sort -u | wc -l)" -ge 10 ]
  finish "$house"
  point async-upnp-search 400 "$pypi/upnp-client --timeout 4 search --bind 10.77.1.20"
  reviewed async-upnp-search async-upnp-search.out
}

stranger-async-upnp-listen() {
  from_pypi || return
  baits
  point async-upnp-listen 400 "$pypi/upnp-client advertisements --bind 10.77.1.20"
  reviewed async-upnp-listen async-upnp-listen.out
}

stranger-ssdpy-discover() {
  from_pypi || return
  baits
  house 60
  act 20 control "$pypi/ssdpy-discover" -i eth0 -o 4 ssdp:all
  check "it finds all ten devices of the house" [ "$(grep -o 'http://10.77.1.10:[^"'"'"']*' "$work/act.out" | sort -u | wc -l)" -ge 10 ]
  finish "$house"
  point ssdpy-discover 400 "$pypi/ssdpy-discover -i eth0 -o 4 ssdp:all"
  reviewed ssdpy-discover ssdpy-discover.out
}
