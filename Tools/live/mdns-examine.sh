# Scenes of live-test.sh that examine responders of multicast DNS; its functions, and those of mdns.sh, are the words.
scenes+=(examines-avahi examines-our-responder)

# verdict PROBE VERDICT: what came of a probe.
verdict() { grep -q "\"kind\":\"probe\",.*\"probe\":\"$1\",\"verdict\":\"$2\"" "$work/act.out"; }

# What avahi 0.8 does and does not do, probe by probe; a trace of it gives the same verdicts again.
examines-avahi() {
  needs avahi-daemon avahi-publish dbus-daemon unshare || return
  pair
  avahi daemon device
  start service device env DBUS_SYSTEM_BUS_ADDRESS="$bus" \
    avahi-publish -s 'Office printer' _ipp._tcp 631 rp=printers/a
  await 5 has service.err 'Established'
  pause 3
  act 240 control "$binary" examine responder -i eth0 --format json --trace "$work/avahi.trace"
  cp "$work/act.err" "$work/examine.err"
  cp "$work/act.out" "$work/first.out"
  check "it says before what it sends at most" has examine.err 'at most [0-9]* messages'
  check "it finds the host and its service" has act.out '"kind":"examined".*"device":"avahi-host.local".*Office printer'
  local probe
  for probe in types browse service any-type questions legacy known letter-case rate opcode learnt; do
    check "avahi: $probe holds" verdict "$probe" held
  done
  # It has no NSEC, compresses SRV for everybody, takes a known answer whatever its TTL, and waits for no further ones.
  for probe in absence legacy-service known-old truncated; do check "avahi: $probe is broken" verdict "$probe" violated; done
  act 20 control "$binary" examine responder --replay "$work/avahi.trace" --format json
  check "its record gives the same verdicts" bash -c \
    "cmp -s <(sed 's/\"input\":\"[^\"]*\",//' '$work/first.out') <(sed 's/\"input\":\"[^\"]*\",//' '$work/act.out')"
}

# What serve answers holds for every probe.
examines-our-responder() {
  pair
  start house device "$binary" serve "$here/live/mdns-house.yaml" -i eth0
  await 5 has house.out '^serving'
  pause 4
  act 240 control "$binary" examine responder -i eth0 --target office-printer.local --format json
  check "nothing is broken" hasnt act.out '"verdict":"violated"'
  check "no probe is left open" hasnt act.out '"kind":"probe".*"verdict":"inconclusive"'
  check "all is held" count act.out '"kind":"probe".*"verdict":"held"' 23
}
