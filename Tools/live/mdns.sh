# Scenes with multicast DNS and avahi; sourced by live-test.sh.

# avahi VARIABLE HOST: avahi-daemon there, with a system bus of its own. Its files lie in a /run that nobody else sees.
avahi() {
  avahi_settings "$work" "$1" avahi-host
  bus="unix:path=$work/$1.bus"
  start "$1_bus" "$2" dbus-daemon --config-file="$work/$1-bus.conf" --nofork
  await 3 [ -S "$work/$1.bus" ]
  start "$1" "$2" env DBUS_SYSTEM_BUS_ADDRESS="$bus" unshare -m sh -c \
    'mount -t tmpfs tmpfs /run && exec avahi-daemon -f "$0" --no-drop-root --no-chroot --no-rlimits' "$work/$1.conf"
  await 5 has "$1.err" 'startup complete'
}
# browse SECONDS HOST: what avahi-browse resolves there, one line each, without the family.
browse() {
  act "$1" "$2" env DBUS_SYSTEM_BUS_ADDRESS="$bus" avahi-browse -aprt
  cp "$work/act.out" "$work/browse.out"
}

# Two applications that are written for MultipeerConnectivity, in two processes on two hosts, meet and talk.
peers-meet() {
  local sample=${binary%/*}/rollcall-phone-sample
  [ -x "$sample" ] || { lacks "there is no rollcall-phone-sample beside the binary"; return; }
  pair
  start ada device "$sample" nearby eth0 ada
  start ben control "$sample" nearby eth0 ben
  wait "$ada"
  check "the first application ends in good order" [ $? -eq 0 ]
  wait "$ben"
  check "and the second" [ $? -eq 0 ]
  check "the first finds the second, with its information" has ada.out '^found ben of ben$'
  check "and the second the first" has ben.out '^found ada of ada$'
  check "one of them is invited" count2 'invited by' 1
  check "the first hears the second" has ada.out '^heard hello from ben$'
  check "and the second the first" has ben.out '^heard hello from ada$'
}
# count2 WORDS COUNT: so many lines of both begin with these words.
count2() { [ "$(cat "$work/ada.out" "$work/ben.out" | grep -c "^$1")" -eq "$2" ]; }

# An application that is written for MultipeerConnectivity meets a peer of a scenario.
peer-served() {
  local sample=${binary%/*}/rollcall-phone-sample
  [ -x "$sample" ] || { lacks "there is no rollcall-phone-sample beside the binary"; return; }
  pair
  start house device "$binary" serve "$here/live/peer-house.yaml" -i eth0 --add-addresses
  await 5 has house.out '^serving 1 inhabitants'
  start ada control "$sample" nearby eth0 ada
  wait "$ada"
  check "the application ends in good order" [ $? -eq 0 ]
  check "it finds the peer, with its information" has ada.out '^found lamp of lamp$'
  check "it is connected" has ada.out '^connected$'
  check "it hears the peer" has ada.out '^heard hello from lamp$'
  finish "$house" INT
  check "what was served ends in good order" has house.out ' left'
}

# avahi finds and resolves what responders of a scenario offer, and forgets it when they say goodbye.
avahi-browses() {
  needs avahi-daemon avahi-browse dbus-daemon unshare || return
  pair
  avahi daemon control
  start house device "$binary" serve "$here/live/mdns-house.yaml" -i eth0
  await 5 has house.out '^serving'
  pause 4
  browse 10 control
  check "avahi resolves the printer, with its strings" has browse.out \
    '^=;eth0;IPv4;Office\\032printer;.*;local;office-printer.local;10.77.1.10;631;"duplex" "Color=T" "rp=printers/a"$'
  check "avahi resolves the speaker" has browse.out '^=;eth0;IPv4;Kitchen;.*;local;speaker.local;10.77.1.10;5000;$'
  act 5 control env DBUS_SYSTEM_BUS_ADDRESS="$bus" avahi-resolve -n office-printer.local
  check "avahi resolves the name of the host" has act.out '10.77.1.10$'
  finish "$house" INT
  pause 2
  browse 10 control
  check "after their goodbye nothing is left" hasnt browse.out 'eth0;IPv4'
}

# link_local HOST IF: its link-local address.
link_local() { ip -n "${!1}" -6 -o address show dev "$2" scope link | awk '{sub("/.*", "", $4); print $4}'; }

# The engine finds what avahi publishes, over both families, and loses it when avahi takes it back.
finds-avahi() {
  needs avahi-daemon avahi-publish dbus-daemon unshare || return
  pair
  avahi daemon device
  start printer device env DBUS_SYSTEM_BUS_ADDRESS="$bus" \
    avahi-publish -s "Lab printer" _ipp._tcp 631 rp=printers/lab "note=2. floor; left"
  start other device env DBUS_SYSTEM_BUS_ADDRESS="$bus" avahi-publish -s Files _smb._tcp 445
  await 5 has printer.err Established
  await 5 has other.err Established
  # All types from another host, and one type from the host where the daemon has port 5353 already.
  start every control "$binary" discover --mdns -i eth0 --duration 12s --format json --pcapng "$work/every.pcapng"
  start one device "$binary" discover --mdns _ipp._tcp,_http._tcp -i eth0 --duration 12s
  check "the printer is found" await 4 has every.out \
    '"layer":"peers","event":"found","device":"peer:Lab printer._ipp._tcp.local",.*"host":"avahi-host.local","port":631,'
  check "with its strings" has every.out '"txt":"[^"]*note=2. floor\\\\; left'
  check "and the files" await 2 has every.out '"event":"found","device":"peer:Files._smb._tcp.local"'
  check "one type is found alone" await 2 has one.out 'found peer:Lab printer._ipp._tcp.local .* port 631'
  finish "$printer" INT
  check "the printer is lost when it is taken back" await 4 has every.out \
    '"event":"lost","device":"peer:Lab printer._ipp._tcp.local","cause":"byebye"'
  await 14 has every.out '"kind":"summary"'
  check "the summary counts services" has every.out '"services":{"ever":2,"present":1}'
  await 3 has one.out 'services,'
  check "of the type that was asked for there was one" has one.out '^1 services, 0 present'
  check "nothing else is found by the second run" hasnt one.out Files
  check "the capture replays to the same reports" desk every here
  "$binary" replay "$work/every.pcapng" --datagrams --format json >"$work/datagrams.out" 2>/dev/null
  check "avahi spoke over IPv4" has datagrams.out '"source":"10.77.1.10:5353","destination":"224.0.0.251:5353"'
  check "and over IPv6" has datagrams.out "\"source\":\"\\[$(link_local device eth0)\\]:5353\",\"destination\":\"\\[ff02::fb\\]:5353\""
}
