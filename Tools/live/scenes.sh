# The scenes of live-test.sh; its functions are the words.
scenes=(quick finds-minidlna finds-miniupnpd finds-gssdp descriptions both-families complaints serves serves-without-root serves-own-addresses serves-without-loopback three-ways serves-many serves-halls withstands-a-flood bumble-central bumble-peripheral phones-meet peers-meet peer-served avahi-browses finds-avahi)
# What CI has time for: nothing that needs a daemon of the system, which would start when it is installed.
short=(quick avahi-browses finds-avahi complaints descriptions three-ways serves-without-root serves-own-addresses serves-without-loopback examines-gssdp-update examine-complaints bumble-central bumble-peripheral phones-meet peers-meet peer-served)

# A device of the gssdp library comes, is found with its four services, says byebye.
quick() {
  needs_gssdp || return
  pair
  gssdp light device --on eth0=10.77.1.10
  await 3 listens device
  # The library says byebye before its first alive; what follows within a second is not taken for news.
  pause 1.2
  act 6 control "$binary" discover -i eth0 --duration 1500ms --mx 1 --broadcasts 1 --format json --trace "$work/quick.trace"
  check "ends in good order" [ $? -eq 0 ]
  check "its USER-AGENT has the form that UDA asks for" has quick.trace \
    'USER-AGENT: [A-Za-z]*/[0-9.]* UPnP/1\.1 rollcall/[0-9.]*\\r\\n'
  cp "$work/act.out" "$work/quick.out"
  check "the device is found" has quick.out '"event":"found","device":"uuid:00000000-0000-4000-8000-000000007710"'
  check "with its four services" count quick.out '"event":"service"' 4
}

finds-minidlna() {
  needs minidlnad || return
  pair
  minidlna media device 60
  pause 1
  start live control "$binary" discover -i eth0 --duration 9s --mx 1 --broadcasts 2 --format json \
    --trace "$work/live.trace" --pcapng "$work/live.pcapng"
  pause 5
  finish "$media"
  wait "$live"
  check "discover ends with 0" [ $? -eq 0 ]
  local device=uuid:00000000-0000-4000-8000-000000007720
  check "minidlna is found" has live.out "\"event\":\"found\",\"device\":\"$device\",\"location\":\"http://10.77.1.10:8200/rootDesc.xml\""
  check "with six services" count live.out '"event":"service"' 6
  check "and lost by its byebye" has live.out "\"event\":\"lost\",\"device\":\"$device\",\"cause\":\"byebye\""
  check "the trace replays" has live.err 'which replay to the same reports'
  check "the pcapng replays to the same reports" desk live here
  check "the trace has the search" has live.trace 'M-SEARCH'
}

finds-miniupnpd() {
  needs miniupnpd || return
  pair
  miniupnpd router device 60
  await 3 listens device
  start live control "$binary" discover -i eth0 --duration 8s --mx 1 --broadcasts 2 --format json --pcapng "$work/live.pcapng"
  pause 4
  finish "$router"
  wait "$live"
  check "discover ends with 0" [ $? -eq 0 ]
  local device=uuid:00000000-0000-4000-8000-000000007701
  check "miniupnpd is found" has live.out "\"event\":\"found\",\"device\":\"$device\""
  check "its three UUIDs are one device, of which one byebye ends all" count live.out '"event":"lost"' 1
  check "with the services of its embedded devices" grep -q "urn:schemas-upnp-org:service:WANIPConnection:" "$work/live.out"
  check "and lost by its byebye" has live.out "\"event\":\"lost\",\"device\":\"$device\",\"cause\":\"byebye\""
  check "the pcapng replays to the same reports" desk live here
}

# kill -9 says nothing: the lease has to end. gssdp's max-age is set to 4 s here.
finds-gssdp() {
  needs_gssdp || return
  pair
  gssdp light device --on eth0=10.77.1.10 --max-age 4
  await 3 listens device
  pause 1.2
  start live control "$binary" discover -i eth0 --duration 10s --mx 1 --broadcasts 1 --format json \
    --trace "$work/live.trace" --pcapng "$work/live.pcapng"
  pause 3
  check "the device is found" has live.out '"event":"found","device":"uuid:00000000-0000-4000-8000-000000007710"'
  check "with its four services" count live.out '"event":"service"' 4
  finish "$light" KILL
  wait "$live"
  check "discover ends with 0" [ $? -eq 0 ]
  # What the library sets for groups, and what the system sets for the rest.
  check "announcements came with TTL 4" has live.trace '< 10.77.1.10:1900 -> 239.255.255.250:1900 if0 ttl4 NOTIFY'
  check "answers with TTL 64" has live.trace '< 10.77.1.10:[0-9]* -> 10.77.1.20:[0-9]* if0 ttl64 HTTP'
  check "and lost by expiry after kill -9" has live.out '"event":"lost","device":"uuid:00000000-0000-4000-8000-000000007710","cause":"expired"'
  check "once" count live.out '"event":"lost"' 1
  check "the pcapng replays to the same reports" desk live here
}

# Descriptions of three servers arrive whole: the bytes that curl gets. One that is not there, and one elsewhere, are told.
descriptions() {
  needs curl && needs_gssdp || return
  local expected=4 servers="gssdp http://10.77.1.10:49200/description.xml" name url sum size six
  pair
  six=$(ip -n "$device" -6 -o address show dev eth0 scope link | sed 's/.*inet6 \([^/]*\).*/\1/')
  mkdir -p "$work/web"
  printf '<?xml version="1.0"?>\n<root xmlns="urn:schemas-upnp-org:device-1-0"/>\n' >"$work/web/description.xml"
  start web device /usr/bin/python3 -m http.server -b :: -d "$work/web" 49200
  needs minidlnad && {
    minidlna media device 60
    expected=$((expected + 1)) servers+=$'\nminidlna http://10.77.1.10:8200/rootDesc.xml'
  }
  needs miniupnpd && {
    miniupnpd router device 60
    expected=$((expected + 1)) servers+=$'\nminiupnpd http://10.77.1.10:5000/rootDesc.xml'
  }
  gssdp light device --on eth0=10.77.1.10
  gssdp lamp device --on "eth0=$six" --uuid 00000000-0000-4000-8000-000000007711
  gssdp missing device --on eth0=10.77.1.10 --uuid 00000000-0000-4000-8000-000000007713 --path nothing.xml
  gssdp elsewhere device --on eth0=10.77.1.10 --uuid 00000000-0000-4000-8000-000000007714 --host 10.99.1.10
  await 3 listens device
  pause 1.2
  act 12 control "$binary" discover -i eth0 --duration 6s --mx 1 --broadcasts 2 --descriptions --format json --trace "$work/live.trace"
  check "discover ends with 0" [ $? -eq 0 ]
  cp "$work/act.out" "$work/live.out"
  cp "$work/act.err" "$work/live.err"
  while read -r name url; do
    ip netns exec "$control" curl -s --max-time 3 -o "$work/body" "$url"
    sum=$(sha256sum <"$work/body") size=$(stat -c %s "$work/body")
    check "$name: $size bytes, those that curl gets" has live.out \
      "\"kind\":\"description\",.*\"location\":\"$url\",.*\"outcome\":\"fetched\",\"status\":200,\"bytes\":$size,\"sha256\":\"${sum%% *}\""
  done <<<"$servers"
  sum=$(sha256sum <"$work/web/description.xml")
  check "over IPv6, from a link-local address" has live.out "\"location\":\"http://\[$six\]:49200/description.xml\",.*\"sha256\":\"${sum%% *}\""
  check "a file that is not there: 404" has live.out '7713",.*"outcome":"failed","status":404,"reason":"status"'
  check "a LOCATION elsewhere is not asked, and told" has live.out '7714","location":null,.*"reason":"noLocation"'
  check "each LOCATION once" count live.out '"kind":"description"' $expected
  check "the trace replays" has live.err 'which replay to the same reports'
}

# Two interfaces, IPv4 and IPv6 at once; a second program on port 1900; an interface that goes down and comes back.
both-families() {
  needs_gssdp || return
  # A host for each: the gssdp library on a host with two interfaces sends its announcements out of either.
  net device second control
  cable device eth0 control eth0
  cable second eth0 control eth1
  address device eth0 10.77.1.10/24
  address control eth0 10.77.1.20/24
  address second eth0 10.77.2.10/24
  address control eth1 10.77.2.20/24
  route device eth0
  route second eth0
  local six
  six=$(ip -n "$device" -6 -o address show dev eth0 scope link | sed 's/.*inet6 \([^/]*\).*/\1/')
  gssdp light device --on eth0=10.77.1.10
  gssdp lamp device --on "eth0=$six" --uuid 00000000-0000-4000-8000-000000007711
  gssdp bulb second --on eth0=10.77.2.10 --uuid 00000000-0000-4000-8000-000000007712
  await 3 listens device
  await 3 listens second
  pause 1.2
  start other control "$binary" discover -i eth1 --duration 11s --mx 1 --broadcasts 1 --format json
  start live control "$binary" discover -i eth0 -i eth1 --duration 11s --mx 1 --broadcasts 2 --format json \
    --trace "$work/live.trace" --pcapng "$work/live.pcapng"
  pause 4
  local id
  for id in 10 11 12; do
    check "device $id is found" has live.out "\"event\":\"found\",\"device\":\"uuid:00000000-0000-4000-8000-0000000077$id\""
  done
  check "device 11 over IPv6" has live.out "\"device\":\"uuid:00000000-0000-4000-8000-000000007711\",\"location\":\"http://\[fe80::"
  check "each with its four services" count live.out '"event":"service"' 12
  ip -n "$control" link set eth0 down
  pause 2
  check "eth0 down: its devices are lost" count live.out '"cause":"interface"' 2
  ip -n "$control" link set eth0 up
  wait "$live"
  check "discover ends with 0" [ $? -eq 0 ]
  wait "$other"
  check "a second discover on the same host, on eth1 alone, finds device 12" has other.out '"event":"found","device":"uuid:00000000-0000-4000-8000-000000007712"'
  check "and no other" count other.out '"event":"found"' 1
  check "with its four services" count other.out '"event":"service"' 4
  check "the pcapng replays to the same reports" desk live here
  check "the trace replays" has live.err 'which replay to the same reports'
}

# What cannot be done is said.
complaints() {
  pair
  act 5 control "$binary" discover -i eth7
  check "an interface that is not there: exit code 2" [ $? -eq 2 ]
  check "with those that are" has act.err 'there is no interface eth7: there are lo (loopback), eth0 (10.77.1.20'
  act 5 control "$binary" discover -i lo
  check "the loopback: exit code 2" [ $? -eq 2 ]
  act 5 control "$binary" discover -i eth0 --duration soon
  check "a duration without a unit: exit code 2" [ $? -eq 2 ]
  act 8 control "$binary" discover -i eth0 --duration 1s --mx 9 --format json
  check "MX 9 is refused at once: exit code 2" [ $? -eq 2 ]
  check "with what it may be" has act.err 'takes a number from 1 to 5'
  ip -n "$control" address flush dev eth0
  ip -n "$control" link set eth0 down
  act 8 control "$binary" discover -i eth0 --duration 1s --format json
  check "an interface that is down: exit code 2" [ $? -eq 2 ]
  check "as failed, in words" has act.out '"event":"failed","cause":"noInterface"'
  start live control "$binary" discover -i eth0 --format json --trace "$work/live.trace"
  pause 1
  kill -INT "$live"
  wait "$live"
  check "Ctrl-C ends in order" has live.out '"kind":"summary"'
  check "with its trace written" [ -s "$work/live.trace" ]
}

# A scenario on a real interface, looked at by strangers.
serves() {
  pair
  route control eth0
  cat >"$work/home.yaml" <<'EOF'
scenario: A renderer, a router and a plug socket
duration: 10m
network:
  link: {latency: 2ms}
inhabitants:
  tv: {kind: root-device, profile: tv, count: 2}
  router: {kind: root-device, profile: router}
  plug: {kind: root-device, profile: smart-plug}
EOF
  start home device "$binary" serve "$work/home.yaml" -i eth0
  check "it says where its devices are" await 3 has home.out 'tv-1  uuid:.*  http://10.77.1.10:7676/tv-1/smp_18_'
  # Of a device that is announced part by part an engine makes one when it has all of it.
  pause 2
  if needs gssdp-discover; then
    act 8 control gssdp-discover -i eth0 -n 4 -t upnp:rootdevice
    check "gssdp-discover finds four root devices" [ "$(grep -c 'USN: .*::upnp:rootdevice' "$work/act.out")" -ge 4 ]
    check "at their LOCATIONs" has act.out 'http://10.77.1.10:57052/rootDesc0.xml'
  fi
  if needs upnpc; then
    act 10 control upnpc -m eth0 -l
    check "upnpc finds the router" has act.out 'desc: http://10.77.1.10:57052/rootDesc0.xml'
    check "and reads its description" has act.out 'IGD\|WANIPConnection\|service/'
    cp "$work/act.out" "$work/upnpc.out"
  fi
  act 8 control "$binary" discover -i eth0 --duration 4s --mx 1 --broadcasts 2 --format json
  cp "$work/act.out" "$work/seen.out"
  check "rollcall discover finds all four" has seen.out '"devices":{"ever":4,"present":4'
  if needs curl; then
    act 5 control curl -s -i http://10.77.1.10:7676/tv-2/smp_18_
    check "a description is served" has act.out '<friendlyName>tv-2</friendlyName>'
    act 5 control curl -s -o "$work/body" -w '%{http_code}' http://10.77.1.10:7676/nothing
    check "404 where nothing is" has act.out 404
    act 5 control curl -s -X POST -o "$work/body" -w '%{http_code}' http://10.77.1.10:7676/tv-2/smp_18_
    check "405 for POST" has act.out 405
  fi
  start live control "$binary" discover -i eth0 --duration 6s --mx 1 --broadcasts 1 --format json --pcapng "$work/live.pcapng"
  pause 3
  kill -INT "$home"
  wait "$home"
  check "serve ends with 0" [ $? -eq 0 ]
  wait "$live"
  check "its devices say byebye" count live.out '"cause":"byebye"' 4
  check "the pcapng replays to the same reports" desk live here
}

# Neither side has any right of root.
serves-without-root() {
  pair
  route control eth0
  homes
  # Where everybody may enter.
  chmod 711 "$all" "$work"
  mkdir -p "$work/open"
  cp "$binary" "$work/open/rollcall" && cp "$work/lamp.yaml" "$work/open" && chmod -R a+rX "$work/open"
  local nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups "$work/open/rollcall")
  start lamp device "${nobody[@]}" serve "$work/open/lamp.yaml" -i eth0
  check "serve comes up" await 10 has lamp.out 'lamp  uuid'
  check "it has no right of root" grep -q '^CapEff:[[:space:]]*0*$' "/proc/$lamp/status"
  check "it is nobody" [ "$(awk '/^Uid:/ {print $2, $3, $4}' "/proc/$lamp/status")" = "65534 65534 65534" ]
  pause 3
  act 8 control "${nobody[@]}" discover -i eth0 --duration 4s --mx 1 --broadcasts 2 --descriptions --format json
  check "discover ends with 0" [ $? -eq 0 ]
  check "the device is found" has act.out "\"event\":\"found\",\"device\":\"$(grep -o 'uuid:[^ ]*' "$work/lamp.out" | head -1)\""
  check "by the answer to a search" has act.out '"event":"searchEnded".*uuid:'
  check "with its description" has act.out '"kind":"description",.*"outcome":"fetched","status":200'
  finish "$lamp" TERM
  check "serve ends in good order" has lamp.out '^[1-9][0-9]* datagrams came from outside, [1-9]'
}

# The scenario's own addresses, put on the interface and taken away again; half of everything is lost.
serves-own-addresses() {
  pair
  ip -n "$control" route add 192.168.1.0/24 dev eth0
  cat >"$work/home.yaml" <<'EOF'
scenario: A renderer and a plug socket with addresses of their own
duration: 10m
network:
  link: {latency: 2ms..20ms, duplicate: 20%}
inhabitants:
  tv: {kind: root-device, profile: tv, address: 192.168.1.51}
  plug: {kind: root-device, profile: smart-plug, address: 192.168.1.52}
EOF
  start home device "$binary" serve "$work/home.yaml" -i eth0 --add-addresses --seed 7
  await 3 has home.out 'plug  uuid'
  check "the addresses are on the interface" bash -c "ip -n $device -4 address show dev eth0 | grep -q 192.168.1.52"
  act 8 control "$binary" discover -i eth0 --duration 4s --mx 1 --broadcasts 2 --format json
  check "both devices are found" has act.out '"devices":{"ever":2,"present":2'
  check "at their own addresses" has act.out '"location":"http://192.168.1.51:7676/smp_18_","source":"192.168.1.51"'
  finish "$home" INT
  check "the addresses are gone again" bash -c "! ip -n $device -4 address show dev eth0 | grep -q 192.168.1"
}

# The same where the loopback interface is down, as in every new namespace: no two sockets of one host can be connected there.
serves-without-loopback() {
  pair
  ip -n "$device" link set lo down
  ip -n "$control" route add 192.168.1.0/24 dev eth0
  printf '%s\n' 'scenario: A plug socket with an address of its own' 'duration: 10m' \
    'inhabitants: {plug: {kind: root-device, profile: smart-plug, address: 192.168.1.52}}' >"$work/home.yaml"
  start home device "$binary" serve "$work/home.yaml" -i eth0 --add-addresses --seed 7
  check "it serves" await 5 has home.out 'plug  uuid'
  check "the address is on the interface" bash -c "ip -n $device -4 address show dev eth0 | grep -q 192.168.1.52"
  act 8 control "$binary" discover -i eth0 --duration 3s --mx 1 --broadcasts 2 --format json
  check "the device is found there" has act.out '"source":"192.168.1.52"'
  finish "$home" INT
  check "the address is gone again" bash -c "! ip -n $device -4 address show dev eth0 | grep -q 192.168.1"
  act 20 device "$binary" run "$work/home.yaml" --check-determinism
  check "a run is repeated there in processes of its own" [ $? -eq 0 ]
}

# One scenario simulated, replayed from its capture, and served live and discovered live: the same reports but for times.
three-ways() {
  pair
  ip -n "$control" route add 192.168.1.0/24 dev eth0
  cat >"$work/evening.yaml" <<'EOF'
scenario: A television is switched off while a plug socket stays
duration: 9s
network:
  link: {latency: 2ms}
inhabitants:
  tv: {kind: root-device, profile: tv, address: 192.168.1.51}
  plug: {kind: root-device, profile: smart-plug, address: 192.168.1.52}
timeline:
  - {at: 1s, search: {id: 1, mx: 1s, broadcasts: 2}}
  - {at: 6s, leave: tv}
EOF
  start evening device "$binary" serve "$work/evening.yaml" -i eth0 --add-addresses --seed 3
  await 3 has evening.out 'plug  uuid'
  act 12 control "$binary" discover -i eth0 --duration 8s --mx 1 --broadcasts 2 --format json --pcapng "$work/live.pcapng"
  cp "$work/act.out" "$work/served.jsonl"
  finish "$evening" INT
  "$binary" run "$work/evening.yaml" --seed 3 --pcapng "$work/simulated.pcapng" >"$work/run.out" 2>"$work/run.err"
  "$binary" replay "$work/simulated.pcapng" --as engine --format json >"$work/simulated.jsonl" 2>>"$work/run.err"
  "$binary" replay "$work/live.pcapng" --as here --format json >"$work/replayed.jsonl" 2>>"$work/run.err"
  local way
  for way in simulated served replayed; do
    /usr/bin/python3 -B "$here/live/reports.py" "$work/$way.jsonl" >"$work/$way.out"
  done
  check "there are reports to compare" [ "$(wc -l <"$work/simulated.out")" -ge 10 ]
  check "served and discovered live: the reports of the simulation" cmp -s "$work/simulated.out" "$work/served.out"
  check "and replayed from the capture of that" cmp -s "$work/simulated.out" "$work/replayed.out"
}

# Ten thousand devices behind one address answer one search; then everybody says byebye.
serves-many() {
  pair
  route control eth0
  local many=${MANY:-10000}
  cat >"$work/many.yaml" <<EOF
scenario: A hall full of sensors
duration: 10m
network:
  segments:
    hall: {subnet: 10.0.0.0/16}
inhabitants:
  sensor: {kind: root-device, profile: basic, count: $many, appear: 0s..5s}
EOF
  start hall device "$binary" serve "$work/many.yaml" -i eth0
  check "it comes up" await 60 has hall.out '^serving'
  # Eighty thousand announcements have to be out, else they are counted for answers.
  check "it comes to rest" await 90 rests "$hall"
  start live control "$binary" discover -i eth0 --duration 9s --mx 5 --broadcasts 1 --search upnp:rootdevice --format json
  wait "$live"
  check "discover ends with 0" [ $? -eq 0 ]
  # One address is allowed 4096 leases (H-CP-CACHE). The answers behind them are refused, and that is said with their number.
  local answers found over
  read -r answers found over < <(
    tail -n 1 "$work/live.out" | sed 's/.*"heard":\([0-9]*\).*"overSource":\([0-9]*\).*"ever":\([0-9]*\).*/\1 \3 \2/')
  echo "        $answers datagrams heard, $found devices found, $over answers refused as overSource"
  check "at least 95 of 100 answers arrive" [ "$answers" -ge $((many * 95 / 100)) ]
  check "4096 of them are devices" [ "$found" -eq 4096 ]
  check "and every other one is counted as overSource" [ $((answers - found - over)) -le 8 -a "$over" -ge $((answers - found - 8)) ]
  echo "        serve takes $(peak "$hall") MiB at most"
  check "serve is alive and below 1 GiB" [ "$(peak "$hall")" -lt 1024 ]
}

# As many behind four addresses, each on a cable of its own: all of them are found.
serves-halls() {
  net device control
  local many=${MANY:-10000} number interfaces=()
  for number in 0 1 2 3; do
    cable device "eth$number" control "eth$number"
    address device "eth$number" "10.77.$number.10/24"
    address control "eth$number" "10.77.$number.20/24"
    interfaces+=(-i "eth$number")
  done
  {
    echo "scenario: Four halls full of sensors"
    echo "duration: 10m"
    echo "network: {segments: {a: {subnet: 10.0.0.0/16}, b: {subnet: 10.1.0.0/16}, c: {subnet: 10.2.0.0/16}, d: {subnet: 10.3.0.0/16}}}"
    echo "engine: {interfaces: [{segment: a}, {segment: b}, {segment: c}, {segment: d}]}"
    echo "inhabitants:"
    for number in a b c d; do
      echo "  $number: {kind: root-device, profile: basic, count: $((many / 4)), segment: $number, appear: 0s..5s}"
    done
  } >"$work/halls.yaml"
  start halls device "$binary" serve "$work/halls.yaml" "${interfaces[@]}"
  check "it comes up" await 60 has halls.out '^serving'
  check "it comes to rest" await 90 rests "$halls"
  act 30 control "$binary" discover "${interfaces[@]}" --duration 9s --mx 4 --broadcasts 2 --search upnp:rootdevice --format json
  check "discover ends with 0" [ $? -eq 0 ]
  echo "        $(tail -n 1 "$work/act.out" | sed 's/.*"datagrams"/"datagrams"/')"
  check "all $many are found" grep -q "\"devices\":{\"ever\":$many,\"present\":$many," "$work/act.out"
  check "each in the search" [ "$(tail -n 2 "$work/act.out" | grep '"event":"searchEnded"' | grep -o 'uuid:[^"]*' | wc -l)" -eq "$many" ]
  echo "        serve takes $(peak "$halls") MiB at most"
  check "serve is alive and below 1 GiB" [ "$(peak "$halls")" -lt 1024 ]
}

# A hundred thousand datagrams a second for ten seconds, junk and invented devices in turn: nothing grows without end, and
# what was sent is what was heard and what was dropped, to the datagram.
withstands-a-flood() {
  pair
  local rate=${RATE:-100000} before sent seconds heard own dropped lost
  start live control "$binary" discover -i eth0 --duration 16s --mx 1 --broadcasts 1 --format json
  await 3 listens control
  pause 0.5
  before=$(lost-below control eth0)
  act 30 device /usr/bin/python3 -B "$here/live/flood.py" 10.77.1.10 10 "$rate"
  read -r sent seconds < <(sed -n 's/ datagrams sent in \([0-9.]*\) s/ \1/p' "$work/act.out")
  echo "        $sent datagrams sent in $seconds s; discover takes $(peak "$live") MiB at most"
  check "$((rate * 10)) datagrams were sent" [ "$sent" = $((rate * 10)) ]
  check "in ten seconds" awk "BEGIN { exit !($seconds < 10.2) }"
  check "discover is alive and below 512 MiB" [ "$(peak "$live")" -lt 512 ]
  wait "$live"
  check "discover ends with 0" [ $? -eq 0 ]
  lost=$(($(lost-below control eth0) - before))
  read -r heard own dropped < <(
    sed -n 's/.*"datagrams":{"heard":\([0-9]*\),"sent":\([0-9]*\),"dropped":\([0-9]*\)}.*/\1 \2 \3/p' "$work/live.out")
  echo "        $heard heard (the search itself $own times), $dropped dropped at sockets, $lost below them"
  echo "        $(tail -n 1 "$work/live.out" | sed 's/.*"rejected"/"rejected"/')"
  check "sent and own = heard and dropped" [ $((sent + own)) -eq $((heard + dropped + lost)) ]
  check "some were refused for their form, some since one address is allowed 4096 devices" \
    grep -q '"rejected":{"startLine":[0-9]*,"overSource":[0-9]*},"devices":{"ever":4096,"present":4096' "$work/live.out"
}
# lost-below HOST IF: datagrams that were lost between the cable and the sockets since the host is up.
lost-below() {
  ip netns exec "${!1}" awk '
    FILENAME ~ /rx_/ { sum += $1 }
    /^Ip: [0-9]/ { sum += $9 }
    END { print sum }' "/sys/class/net/$2/statistics/rx_dropped" "/sys/class/net/$2/statistics/rx_missed_errors" /proc/net/snmp
}
