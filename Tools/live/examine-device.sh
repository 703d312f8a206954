# Scenes of live-test.sh that examine devices; its functions are the words.
#
# What examine says of each program today is compared with the reviewed table Tests/LiveTests/Suspicions.md.
scenes+=(examines-minidlna examines-miniupnpd examines-gssdp examines-gssdp-update examines-minissdpd
  examines-minissdpd-cache examines-twice examines-twice-late examines-our-own examines-byebye examines-until-stopped examines-elsewhere examine-complaints)

suspicions=$here/../Tests/LiveTests/Suspicions.md

# sent HOST: UDP datagrams that the system there has sent so far.
sent() { ip netns exec "${!1}" awk '/^Udp:/ {sent = $5} END {print sent}' /proc/net/snmp; }
# examined PROGRAM SECONDS OPTION...: to its end; JSON in $work/PROGRAM.out, and the rows of the table hold.
examined() {
  local program=$1 seconds=$2 before after
  shift 2
  before=$(sent control)
  act "$seconds" control "$binary" examine device -i eth0 --format json --pcapng "$work/$program.pcapng" "$@"
  status=$?
  cp "$work/act.out" "$work/$program.out"
  cp "$work/act.err" "$work/$program.err"
  after=$(sent control)
  check "it says before what it sends at most" has "$program.err" 'at most [0-9]* searches'
  check "it sends what it says, $((after - before)) datagrams" has "$program.out" "\"searches\":$((after - before)),"
  check "and no more than it said" [ $((after - before)) -le "$(sed -n 's/.*at most \([0-9]*\) searches.*/\1/p' "$work/$program.err")" ]
  compared "$program" "$program"
}
# verdicts NAME TARGET: the verdict of each probe and clause, without times and counts, in $work/NAME.verdicts.
verdicts() {
  act 120 control "$binary" examine device --target "$2" -i eth0 --format json --patience 1s
  /usr/bin/python3 -B "$here/live/verdicts.py" "$work/act.out" >"$work/$1.verdicts"
}
# The same examinations in a row, in either order, and behind some that were cut off at any time: the same verdicts.
# ROUNDS is how often; 20 of them are run before a release, side by side.
examines-twice() {
  needs minidlnad miniupnpd || return
  pair
  minidlna media device 1800
  miniupnpd router device 1800
  await 3 listens device
  pause 1
  local round=1 rounds=${ROUNDS:-1} media_id=uuid:00000000-0000-4000-8000-000000007720 router_id place
  act 8 control "$binary" discover -i eth0 --duration 4s --mx 1 --search urn:schemas-upnp-org:device:InternetGatewayDevice:1 --format json
  router_id=$(sed -n 's/.*"event":"found","device":"\(uuid:[^"]*\)".*10\.77\.1\.10:5000.*/\1/p' "$work/act.out" | head -1)
  check "there are two devices" [ -n "$router_id" ]
  verdicts media-0 "$media_id"
  verdicts router-0 "$router_id"
  check "both are judged" [ "$(grep -c . "$work/media-0.verdicts")" -ge 30 -a "$(grep -c . "$work/router-0.verdicts")" -ge 30 ]
  for ((round = 1; round <= rounds; round++)); do
    # In the other order, then behind one that ends in the middle: killed, or interrupted.
    verdicts router-1 "$router_id"
    verdicts media-1 "$media_id"
    place=$((RANDOM % 30))
    start cut control "$binary" examine device --target "$router_id" -i eth0 --format json --patience 1s
    pause $place
    finish "$cut" $([ $((round % 2)) = 1 ] && echo KILL || echo INT)
    verdicts media-2 "$media_id"
    start cut control "$binary" examine device --target "$media_id" -i eth0 --format json --patience 1s
    pause $((30 - place))
    finish "$cut" $([ $((round % 2)) = 1 ] && echo INT || echo KILL)
    verdicts router-2 "$router_id"
    local one
    for one in media router; do
      check "round $round: $one, in the other order" cmp -s "$work/$one-0.verdicts" "$work/$one-1.verdicts"
      check "round $round: $one, behind one that was cut off at $place s" cmp -s "$work/$one-0.verdicts" "$work/$one-2.verdicts"
      diff "$work/$one-0.verdicts" "$work/$one-1.verdicts" || diff "$work/$one-0.verdicts" "$work/$one-2.verdicts"
    done
  done
}
# The same of a device that waits as long as MX says, up to half a minute: what it owes to an examination that was killed
# comes while the next one asks. With the same ports each time (LATE='--seed 1') it would be taken for answers to that.
examines-twice-late() {
  needs_gssdp || return
  pair
  route control eth0
  gssdp light device --on eth0=10.77.1.10 --max-age 1800
  await 3 listens device
  # Its announcements are over.
  pause 4
  local name late=${LATE:-} light_id=00000000-0000-4000-8000-000000007710
  late_verdicts() { # NAME
    # shellcheck disable=SC2086
    act 120 control "$binary" examine device --target $light_id -i eth0 --format json --patience 1s $late
    /usr/bin/python3 -B "$here/live/verdicts.py" "$work/act.out" >"$work/$1.verdicts"
  }
  late_verdicts first
  check "it is judged" [ "$(grep -c . "$work/first.verdicts")" -ge 30 ]
  late_verdicts second
  # shellcheck disable=SC2086
  start cut control "$binary" examine device --target $light_id -i eth0 --only mx-huge --trace "$work/cut.trace" $late
  check "a third one asks with a long MX" await 20 has cut.trace 'MX: 30'
  finish "$cut" KILL
  late_verdicts third
  check "behind another one: the same verdicts" cmp -s "$work/first.verdicts" "$work/second.verdicts"
  check "behind one that was killed: the same verdicts" cmp -s "$work/first.verdicts" "$work/third.verdicts"
  for name in second third; do diff "$work/first.verdicts" "$work/$name.verdicts"; done
}

# compared PROGRAM NAME: what is in $work/NAME.out agrees with the rows of the table about the program.
compared() { agrees "the table of suspicions" suspicions.py "$suspicions" "$1" "$work/$2.out"; }

# described PROGRAM: what is in $work/PROGRAM.out found UUIDs and types in the description, and no breach of that.
described() {
  has "$1.out" '"UDA-1.2.2-USN-UDN":{"held":[1-9][0-9]*,"violated":0,' &&
    has "$1.out" '"UDA-1.2.2-USN-OWNER":{"held":[1-9][0-9]*,"violated":0,'
}

examines-minidlna() {
  needs minidlnad || return
  pair
  minidlna media device 1800
  await 3 listens device
  pause 1
  examined minidlna 120 --patience 1s
  check "no must is broken, a should is: exit code 0" [ "$status" -eq 0 ]
  check "its description is fetched, and says what it announces" described minidlna
  check "the capture of it holds its searches" bash -c "'$binary' replay '$work/minidlna.pcapng' --as here --format json | grep -q '\"search\":[1-9][0-9]'"
}

examines-miniupnpd() {
  needs miniupnpd || return
  pair
  miniupnpd router device 1800
  await 3 listens device
  pause 1
  examined miniupnpd 120 --patience 1s
  check "broken musts: exit code 1" [ "$status" -eq 1 ]
  check "its description is fetched, and says what it announces" described miniupnpd
  check "three UUIDs are one device" has miniupnpd.out '"kind":"examined".*"parts":\["uuid:[^]]*","uuid:[^]]*"\]'
}

examines-gssdp() {
  needs_gssdp || return
  pair
  gssdp light device --on eth0=10.77.1.10 --max-age 1800
  await 3 listens device
  pause 1.5
  examined gssdp 120 --patience 1s
  check "broken musts: exit code 1" [ "$status" -eq 1 ]
}

# The library is told to announce the next BOOTID while it is listened to.
examines-gssdp-update() {
  needs_gssdp || return
  pair
  gssdp light device --on eth0=10.77.1.10 --max-age 1800 --delay 120
  await 3 listens device
  pause 2
  start update control "$binary" examine device -i eth0 --patience 12s --only renewal --format json
  pause 8
  kill -USR1 "$light"
  wait "$update"
  compared gssdp-update update
}

# minissdpd answers for a device that leaves port 1900 to it.
examines-minissdpd() {
  needs minissdpd || return
  pair
  start answers device minissdpd -d -i eth0 -s "$work/minissdpd.sock" -p "$work/minissdpd.pid"
  await 3 listens device
  local root=uuid:00000000-0000-4000-8000-000000007712
  act 3 device /usr/bin/python3 -B "$tools/minissdpd-submit.py" "$work/minissdpd.sock" upnp:rootdevice \
    "$root::upnp:rootdevice" "Debian/12 UPnP/1.1 Example/1.0" http://10.77.1.10:49300/sensor.xml
  examined minissdpd 120 --patience 1s
  check "broken musts: exit code 1" [ "$status" -eq 1 ]
}

# Its cache is no device: nobody on the network can ask for it. It is asked through its own socket.
examines-minissdpd-cache() {
  needs minissdpd || return
  pair
  start cache control minissdpd -d -i eth0 -s "$work/cache.sock" -p "$work/cache.pid"
  await 3 listens control
  pause 0.5
  announced() { act 3 device /usr/bin/python3 -B "$here/live/notify.py" 10.77.1.10 "$@"; }
  cached() { act 3 control /usr/bin/python3 -B "$here/live/minissdpd-list.py" "$work/cache.sock"; }
  verdict() { echo "{\"kind\":\"probe\",\"probe\":\"$1\",\"verdict\":\"$2\",\"remark\":\"$3\"}" >>"$work/cache.jsonl"; }
  local long=http://10.77.1.10:49300/a/rather/long/way/to/description.xml short=http://10.77.1.10:49300/d.xml
  local other=00000000-0000-4000-8000-000000007721
  announced $long 1800
  cached
  check "what is announced is in its cache" has act.out "entry $long upnp:rootdevice"
  announced $short 1800
  cached
  if has act.out "entry $short upnp:rootdevice"; then verdict cache-tail held; else verdict cache-tail violated "$(grep entry "$work/act.out" | cut -d' ' -f2)"; fi
  # 020 is 16 to a reader of octal numbers; 20 is 20 to everybody. The clock of the cache has whole seconds.
  announced $short 020
  announced $short 20 $other
  pause 13
  cached
  check "within max-age both are there" count act.out '^entry' 2
  pause 5
  cached
  check "after 18 s of max-age 20 one is there" has act.out "$other"
  if count act.out '^entry' 2; then verdict cache-octal held; else verdict cache-octal violated "gone after 18 s of max-age=020"; fi
  pause 3.5
  cached
  check "after max-age both are gone" count act.out '^entry' 0
  cp "$work/cache.jsonl" "$work/minissdpd-cache.out"
  compared minissdpd-cache minissdpd-cache
}

# Our own devices on a real interface keep every clause, shoulds too.
examines-our-own() {
  pair
  route control eth0
  cat >"$work/home.yaml" <<'YAML'
scenario: A correct device of UDA 2.0, and one of UDA 1.0
duration: 30m
network:
  link: {latency: 2ms}
inhabitants:
  sensor: {kind: root-device, profile: basic}
  server: {kind: root-device, profile: media-server}
YAML
  start home device "$binary" serve "$work/home.yaml" -i eth0
  await 3 has home.out 'server  uuid'
  local name uuid
  for name in sensor server; do
    uuid=$(grep -o "$name  uuid:[^ ]*" "$work/home.out" | head -1 | sed 's/.*uuid://')
    act 120 control "$binary" examine device -i eth0 --target "$uuid" --strict --patience 1s --format json
    check "the $name passes with every should: exit code 0" [ $? -eq 0 ]
    cp "$work/act.out" "$work/$name.out"
    check "and was examined" has "$name.out" "\"kind\":\"examined\".*\"device\":\"uuid:$uuid\""
    check "no probe of it is broken" hasnt "$name.out" '"kind":"probe".*"verdict":"violated"'
  done
}

examines-byebye() {
  needs_gssdp || return
  pair
  gssdp light device --on eth0=10.77.1.10 --max-age 60
  await 3 listens device
  pause 1.5
  start byebye control "$binary" examine device -i eth0 --patience 1s --only search-uuid --until-byebye 20s --format json
  check "it says when to stop the device" await 30 has byebye.err 'stop the device now'
  finish "$light"
  wait "$byebye"
  check "byebye is held" has byebye.out '"probe":"byebye","verdict":"held"'
  gssdp light device --on eth0=10.77.1.10 --max-age 60
  await 3 listens device
  pause 1.5
  start killed control "$binary" examine device -i eth0 --patience 1s --only search-uuid --until-byebye 3s --format json
  await 30 has killed.err 'stop the device now'
  finish "$light" KILL
  wait "$killed"
  check "a device that is killed breaks it" has killed.out '"clause":"UDA-1.2.3-BB-SEND".*"verdict":"violated"'
}

# Ctrl-C loses nothing that was asked to its end.
examines-until-stopped() {
  needs_gssdp || return
  pair
  gssdp light device --on eth0=10.77.1.10
  await 3 listens device
  pause 1.5
  start stopped control "$binary" examine device -i eth0 --patience 10m --format json
  pause 18
  kill -INT "$stopped"
  wait "$stopped"
  check "what was asked is judged: exit code 130" [ $? -eq 130 ]
  check "it says that it was stopped" has stopped.err 'stopped: what had been asked'
  check "with what it had found" has stopped.out '"probe":"unicast","verdict":"violated"'
  check "and what it had not asked" has stopped.out '"probe":"mx-huge","verdict":"notAsked"'
}

# Over IPv6, and on the loopback.
examines-elsewhere() {
  needs_gssdp || return
  pair
  local six
  six=$(ip -n "$device" -6 -o address show dev eth0 scope link | sed 's/.*inet6 \([^/]*\).*/\1/')
  gssdp bulb device --on "eth0=$six" --uuid 00000000-0000-4000-8000-000000007711
  ip -n "$control" route add 239.0.0.0/8 dev lo
  gssdp lamp control --on lo=127.0.0.1 --uuid 00000000-0000-4000-8000-000000007712
  await 3 listens device
  await 3 listens control
  pause 1.5
  act 40 control "$binary" examine device -i eth0 --ipv6 --patience 1s --only search-service --only unicast-mx --format json
  check "over IPv6 a device is examined" has act.out '"kind":"examined".*"device":"uuid:00000000-0000-4000-8000-000000007711".*"source":"fe80::'
  check "which answers its service type" has act.out '"probe":"search-service","verdict":"held"'
  check "and unicast with MX" has act.out '"probe":"unicast-mx","verdict":"held"'
  act 40 control "$binary" examine device -i lo --patience 1s --only search-service --format json
  check "on the loopback, too" has act.out '"kind":"examined".*"device":"uuid:00000000-0000-4000-8000-000000007712".*"source":"127.0.0.1"'
  check "with its service type" has act.out '"probe":"search-service","verdict":"held"'
}

examine-complaints() {
  pair
  act 5 control "$binary" examine device
  check "without an interface: exit code 2" [ $? -eq 2 ]
  act 5 control "$binary" examine device -i eth7
  check "an interface that is not there: exit code 2" [ $? -eq 2 ]
  act 5 control "$binary" examine device -i eth0 --only everything
  check "a probe that is none: exit code 2" [ $? -eq 2 ]
  local before
  before=$(sent control)
  act 5 control "$binary" examine device -i eth0 --dry-run
  check "a dry run: exit code 0" [ $? -eq 0 ]
  check "with its probes" has act.out '^mx-missing  *2 searches at most'
  check "and nothing sent" [ "$(sent control)" -eq "$before" ]
  act 20 control "$binary" examine device -i eth0 --patience 1s
  check "nobody there: exit code 1" [ $? -eq 1 ]
  check "in words" has act.err 'no device was heard on eth0'
  if needs_gssdp; then
    gssdp light device --on eth0=10.77.1.10
    gssdp lamp device --on eth0=10.77.1.10 --uuid 00000000-0000-4000-8000-000000007711
    await 3 listens device
    pause 1.5
    act 20 control "$binary" examine device -i eth0
    check "two devices and no target: exit code 2" [ $? -eq 2 ]
    check "with both of them" [ "$(grep -c '^  uuid:' "$work/act.err")" -eq 2 ]
    act 30 control "$binary" examine device -i eth0 --target 00000000-0000-4000-8000-000000007711 --patience 1s --only search-uuid --format sarif
    check "with a target one is examined, here as SARIF" has act.out '"ruleId":"UDA-1.2.2-A-CC-1800"'
    act 30 control "$binary" examine device -i eth0 --target 00000000-0000-4000-8000-000000007711 --patience 1s --only search-uuid --format junit
    check "and as JUnit" has act.out '<testcase name="UDA-1.3.3-ST-UUID '
  fi
}
