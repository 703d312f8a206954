# Scenes with a Bluetooth host of somebody else beside the virtual radio; sourced by live-test.sh.

needs_bumble() {
  python=$("$here/python-packages.sh" 2>"$work/packages.err") && return
  lacks "$(cat "$work/packages.err")"
}
# hci HOST SCENARIO [OPTION...]: serves the radios of a scenario there, and waits until hosts can connect.
hci() {
  local host=$1 scenario=$2
  shift 2
  start served "$host" "$binary" serve-hci "$here/live/$scenario" --listen tcp:127.0.0.1:9000 "$@"
  await 10 has served.out 'hosts connect to tcp:127.0.0.1:9000'
}
# replayed FILE.btsnoop: what a replay of it reports, without times and frames.
replayed() { "$binary" replay "$work/$1" 2>/dev/null | sed -n 's/^ *[0-9.]* *frame [0-9]* *//p'; }

# A host stack that knows nothing of us has the radio of the engine: it finds the lamp, connects, discovers, reads,
# is notified and leaves. What it was told replays.
bumble-central() {
  needs_bumble || return
  net one
  hci one hci-lamp.yaml --duration 20s --btsnoop "$work/central.btsnoop"
  act 20 one "$python" -B "$here/live/bumble-central.py" tcp-client:127.0.0.1:9000 c0:ff:ee:00:00:01
  check "bumble ends in good order" [ $? -eq 0 ]
  cp "$work/act.out" "$work/central.out"
  check "bumble finds the lamp by its name" has central.out '^found c0:ff:ee:00:00:01 Lamp -4'
  check "bumble discovers its services" count central.out '^service ' 4
  check "bumble reads a value" has central.out '^read 2a19 40$'
  check "bumble reads a value that is longer than a packet" has central.out '^read 0000aaab-.* 0001.*2627$'
  check "bumble is notified" has central.out '^notified 2a19 40$'
  check "bumble disconnects" has central.out '^disconnected$'
  await 5 has served.out 'the host of engine is gone'
  local code
  kill -INT "$served"
  code_of served 5
  check "serve-hci is interrupted before its duration is over: exit code 130" [ "$code" = 130 ]
  check "no packet of bumble was refused" hasnt served.out '^refused'
  replayed central.btsnoop >"$work/replayed.out"
  check "the traffic replays: the lamp is found" has replayed.out '^found ble:c0:ff:ee:00:00:01/random name Lamp'
  check "tshark finds nothing malformed in it" sound central.btsnoop
}

# Our engine finds, connects to, discovers, reads and leaves a peripheral that bumble runs.
bumble-peripheral() {
  needs_bumble || return
  net one
  hci one hci-thermometer.yaml --btsnoop "$work/peripheral.btsnoop"
  act 25 one "$python" -B "$here/live/bumble-peripheral.py" tcp-client:127.0.0.1:9000 C4:00:00:00:00:01
  check "bumble ends in good order" [ $? -eq 0 ]
  check "bumble is connected to, and left" has act.out '^disconnected 19$'
  wait "$served"
  check "every expectation holds" [ $? -eq 0 ]
  check "the engine read what bumble has" has served.out 'read of 2A6E: 000102.*2627$'
  check "no packet of bumble was refused" hasnt served.out '^refused'
  check "tshark finds nothing malformed in it" sound peripheral.btsnoop
}

# Two processes, each with an application that is written for CoreBluetooth, meet on the radio of a third one.
phones-meet() {
  local sample=${binary%/*}/rollcall-phone-sample radio=unix:$work/radio
  [ -x "$sample" ] || { lacks "there is no rollcall-phone-sample beside the binary"; return; }
  net one
  start served one "$binary" serve-hci "$here/live/hci-phones.yaml" --listen "$radio" --btsnoop "$work/phones.btsnoop"
  await 10 has served.out 'hosts connect to unix:'
  start peripheral one env ROLLCALL_RADIO="$radio" "$sample" peripheral
  await 10 has peripheral.out '^advertising$'
  act 30 one env ROLLCALL_RADIO="$radio" "$sample" central
  check "the application that is a central ends in good order" [ $? -eq 0 ]
  cp "$work/act.out" "$work/central.out"
  check "it finds the other one by its name" has central.out '^found Sample$'
  check "it connects" has central.out '^connected$'
  check "it discovers" has central.out '^discovered 0000AAAA-.* 0000AAAB-'
  check "it reads a value that takes two questions" has central.out '^value of 200 bytes$'
  check "it writes" has peripheral.out '^written 010203$'
  check "it is notified ten times" has central.out '^notified 00010203040506070809$'
  check "it disconnects" has central.out '^disconnected$'
  wait "$peripheral"
  check "the application that is a peripheral ends in good order" [ $? -eq 0 ]
  check "it heard who subscribed, and that it left" has peripheral.out '^unsubscribed$'
  await 5 has served.out 'the host of second is gone'
  finish "$served" INT
  check "no packet of the phones was refused" hasnt served.out '^refused'
  check "tshark finds nothing malformed in what the first had" sound phones-first.btsnoop
  check "nor in what the second had" sound phones-second.btsnoop
}

# sound FILE: every packet is one to tshark.
sound() {
  type -P tshark >/dev/null || return 0
  [ -z "$(tshark -r "$work/$1" -Y _ws.malformed 2>/dev/null)" ] && [ -n "$(tshark -r "$work/$1" 2>/dev/null | head -n 1)" ]
}
