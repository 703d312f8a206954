# Scenes with multicast DNS and avahi; sourced by live-test.sh.

# avahi VARIABLE HOST: avahi-daemon there, with a system bus of its own. Its files lie in a /run that nobody else sees.
avahi() {
  cat >"$work/bus.conf" <<EOF
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path=$work/bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
EOF
  printf '[server]\nhost-name=avahi-host\n[publish]\npublish-workstation=no\n' >"$work/avahi.conf"
  start "$1_bus" "$2" dbus-daemon --config-file="$work/bus.conf" --nofork
  await 3 [ -S "$work/bus" ]
  start "$1" "$2" env DBUS_SYSTEM_BUS_ADDRESS="unix:path=$work/bus" unshare -m sh -c \
    'mount -t tmpfs tmpfs /run && exec avahi-daemon -f "$0" --no-drop-root --no-chroot --no-rlimits' "$work/avahi.conf"
  await 5 has "$1.err" 'startup complete'
}
# browse SECONDS HOST: what avahi-browse resolves there, one line each, without the family.
browse() {
  act "$1" "$2" env DBUS_SYSTEM_BUS_ADDRESS="unix:path=$work/bus" avahi-browse -aprt
  cp "$work/act.out" "$work/browse.out"
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
  act 5 control env DBUS_SYSTEM_BUS_ADDRESS="unix:path=$work/bus" avahi-resolve -n office-printer.local
  check "avahi resolves the name of the host" has act.out '10.77.1.10$'
  finish "$house" INT
  pause 2
  browse 10 control
  check "after their goodbye nothing is left" hasnt browse.out 'eth0;IPv4'
}
