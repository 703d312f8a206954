# Scenes of live-test.sh that examine control points; its functions are the words.
#
# Rollcall plays the baits on the host `device`, and starts the control point on the host `control`. What examine says
# of each program today is compared with the reviewed table Tests/LiveTests/Suspicions-control-points.md.
scenes+=(examines-gssdp-discover examines-gssdp-discover-typed examines-upnpc examines-discover examines-a-stranger
  examines-on-one-host examines-point-twice examine-point-complaints)

point_suspicions=$here/../Tests/LiveTests/Suspicions-control-points.md
# Off the subnet, on the host of the baits: who fetches from there follows whatever it is told.
readonly off_subnet=198.51.100.7

# point NAME SECONDS COMMAND OPTION...: to its end; JSON in $work/NAME.out.
point() {
  local name=$1 seconds=$2 command=$3
  shift 3
  act "$seconds" device "$binary" examine control-point -i eth0 --address 10.77.1.20 --off-subnet $off_subnet \
    --command "ip netns exec $control $command" --format json --pcapng "$work/$name.pcapng" "$@"
  status=$?
  cp "$work/act.out" "$work/$name.out"
  cp "$work/act.err" "$work/$name.err"
  check "it says before what it sends at most" has "$name.err" 'sends at most [0-9]* packets in at most [0-9]* s'
}
# as_reviewed PROGRAM NAME: what is in $work/NAME.out agrees with the rows of the table about the program.
as_reviewed() { agrees "the table of suspicions" suspicions.py "$point_suspicions" "$1" "$work/$2.out"; }
# baits: two hosts, with a way from the control point to the address off the subnet.
baits() {
  pair
  route control eth0
  ip -n "$device" address add $off_subnet/32 dev lo
  ip -n "$control" route add 198.51.100.0/24 via 10.77.1.10
}
# leaves_nobody HOST NAME: no process of this name runs there any more.
leaves_nobody() {
  local pid
  for pid in $(ip netns pids "${!1}"); do
    if [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$2" ]; then return 1; fi
  done
}

examines-gssdp-discover() {
  needs gssdp-discover || return
  baits
  point gssdp-discover 200 'gssdp-discover -i eth0 -m all'
  check "no broken must: exit code 0" [ "$status" -eq 0 ]
  as_reviewed gssdp-discover gssdp-discover
  check "every start of it was ended" leaves_nobody control gssdp-discover
  check "the capture of it has the baits" bash -c "'$binary' replay --as all --format json '$work/gssdp-discover.pcapng' | grep -q '\"source\":\"10.77.1.20:[0-9]*\",.*\"type\":\"search\"'"
}

# The same asking for one type: what is of a higher version, and what nobody asked for.
examines-gssdp-discover-typed() {
  needs gssdp-discover || return
  baits
  point typed 120 'gssdp-discover -i eth0 -m all -t urn:schemas-upnp-org:device:Basic:1' \
    --only higher-version --only higher-st --only wrong-st --only value-case --only no-target --only unsolicited
  as_reviewed gssdp-discover-typed typed
}

examines-upnpc() {
  needs upnpc || return
  baits
  point upnpc 200 'upnpc -m eth0 -l'
  check "no broken must: exit code 0" [ "$status" -eq 0 ]
  as_reviewed upnpc upnpc
  check "what it hears of nothing is not called a pass" has upnpc.out '"probe":"byebye".*"verdict":"notObservable"'
}

# Our own engine passes, shoulds and hardening too.
examines-discover() {
  baits
  point discover 200 "$binary discover -i eth0 --descriptions --format json --mx 2 --broadcasts 2 --search urn:schemas-upnp-org:device:Basic:1" --strict
  check "it passes with every should: exit code 0" [ "$status" -eq 0 ]
  check "no probe of it is broken" hasnt discover.out '"kind":"probe".*"verdict":"violated"'
  check "and none is inconclusive" hasnt discover.out '"kind":"probe".*"verdict":"inconclusive"'
  check "all 46 are held" bash -c "[ \$(grep -c '\"kind\":\"probe\".*\"verdict\":\"held\"' '$work/discover.out') -eq 46 ]"
  as_reviewed discover discover
}

# Without a command: whoever searches on the interface; what it fetches is all there is to be seen.
examines-a-stranger() {
  needs upnpc || return
  baits
  start stranger control bash -c 'for turn in {1..12}; do timeout 20 upnpc -m eth0 -l; sleep 1; done'
  act 100 device "$binary" examine control-point -i eth0 --duration 60s --off-subnet $off_subnet --format json \
    --only name-case --only no-usn --only off-subnet --only byebye
  cp "$work/act.out" "$work/stranger-seen.out"
  check "it is examined" has stranger-seen.out '"kind":"examined".*"controlPoint":"10.77.1.20"'
  check "a form that it understands shows by its fetch" has stranger-seen.out '"probe":"name-case".*"verdict":"held"'
  check "and one that it ought to drop" has stranger-seen.out '"probe":"no-usn".*"verdict":"violated"'
  check "what it fetches off the subnet is seen" has stranger-seen.out '"probe":"off-subnet".*"verdict":"violated"'
  check "losses are not observable" has stranger-seen.out '"probe":"byebye".*"verdict":"notObservable"'
}

# Baits and control point share one host, one address and port 1900.
examines-on-one-host() {
  needs gssdp-discover || return
  baits
  act 60 device "$binary" examine control-point -i eth0 --command 'gssdp-discover -i eth0 -m all' --format json \
    --only name-case --only byebye
  check "it is examined: exit code 0" [ $? -eq 0 ]
  check "it is this host" has act.out '"controlPoint":"10.77.1.10"'
  check "answers and announcements are taken" has act.out '"probe":"name-case".*"ways":\["answer","announcement"\]'
  check "and byebyes" has act.out '"probe":"byebye".*"verdict":"held"'
}

# A control point that goes on, examined again behind an examination that was killed, so that its baits said no byebye: the same
# verdicts. Each runs in process ids of its own, as in a container, where all have the same one.
examines-point-twice() {
  needs unshare || return
  pair
  route control eth0
  start lasting control "$binary" discover -i eth0 --descriptions --duration 300s
  # Its searches are over then: it hears announcements alone.
  pause 12
  local turn
  for turn in 1 2 3; do
    start baits device unshare --pid --fork --kill-child "$binary" examine control-point -i eth0 --address 10.77.1.20 \
      --duration 60s --only name-case --only broken-start --only no-usn --format json
    # A search is waited for during 20 s; then the baits are announced, and two seconds later they say byebye.
    if [ $turn = 2 ]; then
      await 30 count lasting.out ' found uuid:b4170000' 10
      finish "$baits" KILL
      continue
    fi
    await 90 is_over "$baits"
    sed -n 's/.*"kind":"probe".*"probe":"\([^"]*\)",.*"verdict":"\([^"]*\)".*/\1 \2/p' "$work/baits.out" >"$work/$turn.verdicts"
  done
  check "announcements that it understands are taken" has 1.verdicts 'name-case held'
  check "behind one that was killed the verdicts are the same" cmp -s "$work/1.verdicts" "$work/3.verdicts"
}
# is_over PID
is_over() { ! kill -0 "$1" 2>/dev/null; }

examine-point-complaints() {
  pair
  act 5 device "$binary" examine control-point
  check "without an interface: exit code 2" [ $? -eq 2 ]
  act 5 device "$binary" examine control-point -i eth7
  check "an interface that is not there: exit code 2" [ $? -eq 2 ]
  check "with those that are" has act.err 'there is no interface eth7: there are lo, eth0'
  act 5 device "$binary" examine control-point -i eth0 --only everything
  check "a probe that is none: exit code 2" [ $? -eq 2 ]
  act 5 device "$binary" examine control-point -i eth0 --off-subnet 10.77.1.99
  check "an address off the subnet that is on it: exit code 2" [ $? -eq 2 ]
  act 5 device "$binary" examine control-point -i eth0 --command "upnpc 'x"
  check "a quote that is not closed: exit code 2" [ $? -eq 2 ]
  act 20 device "$binary" examine control-point -i eth0 --command /no/such/program --only name-case
  check "a command that cannot be started: exit code 2" [ $? -eq 2 ]
  check "in words" has act.err '/no/such/program cannot be started'
  act 5 device "$binary" examine control-point -i eth0 --dry-run
  check "a dry run: exit code 0" [ $? -eq 0 ]
  check "with its runs" has act.out '^  run 1  at most [0-9]* packets'
  check "and its probes" has act.out '^  name-case  *UDA-1.1.2-NAMECASE  *field names'
  check "and nothing sent" bash -c "ip netns exec $device cat /proc/net/snmp | awk '/^Udp:/ {sent = \$5} END {exit sent != 0}'"
  act 20 device "$binary" examine control-point -i eth0 --duration 3s --only name-case
  check "nobody there: exit code 1" [ $? -eq 1 ]
  check "in words" has act.err 'no control point was heard on eth0'
  act 30 device "$binary" examine control-point -i eth0 --command 'sleep 60' --only name-case --repeats 0
  check "a command that is no control point: exit code 1" [ $? -eq 1 ]
  check "in words" has act.err 'searched for nothing, fetched nothing, and printed nothing'
  check "and it was ended" leaves_nobody device sleep
  act 30 device "$binary" examine control-point -i eth0 --command "sh -c 'echo one; echo two; sleep 60'" --only name-case --repeats 0
  check "one that prints something else: exit code 1" [ $? -eq 1 ]
  check "in words" has act.err 'fetched nothing, and printed [24] lines, none about a bait'
  start live device "$binary" examine control-point -i eth0 --command 'sleep 60' --only name-case
  pause 1
  kill -INT "$live"
  wait "$live"
  check "Ctrl-C ends it in order, its command too" leaves_nobody device sleep
  if needs gssdp-discover; then
    act 60 device "$binary" examine control-point -i eth0 --command 'gssdp-discover -i eth0' --only other-start --format sarif --repeats 0
    check "as SARIF" has act.out '"ruleId":"UDA-1.1.1-RX-OTHER"'
    act 60 device "$binary" examine control-point -i eth0 --command 'gssdp-discover -i eth0' --only name-case --format junit
    check "and as JUnit" has act.out '<testcase name="UDA-1.1.2-NAMECASE '
  fi
}
