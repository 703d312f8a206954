# What is written while it goes on: its functions are the words of live-test.sh.
scenes+=(records-survive serve-records-survive examine-records-survive records-full-disk records-full-disk-everywhere
  records-of-a-flood interface-down-and-up serve-down-and-up addresses-go)
short+=(records-survive records-full-disk)

# The frames of a capture, and the seconds since 1970 of its first and last.
frames() { tshark -r "$1" 2>/dev/null | wc -l; }
first-time() { tshark -r "$1" -T fields -e frame.time_epoch 2>/dev/null | head -1 | cut -d. -f1; }
recent() { local seconds; seconds=$(first-time "$1"); [ -n "$seconds" ] && [ "$seconds" -gt $(($(date +%s) - 120)) ] && [ "$seconds" -le "$(date +%s)" ]; }

# A signal ends the process and loses nothing; after SIGKILL everything up to a moment before is there.
records-survive() {
  needs tshark || return
  pair
  local signal
  start house device "$binary" serve "$here/../Scenarios/ssdp/living-room.yaml" -i eth0 --pcapng "$work/house.pcapng" --trace "$work/house.trace"
  await 10 listens device
  for signal in HUP TERM KILL; do
    start live control "$binary" discover -i eth0 --mx 1 --broadcasts 1 --format json --pcapng "$work/$signal.pcapng" --trace "$work/$signal.trace"
    pause 3
    # What is heard last, long before the end.
    ip netns exec "$device" /usr/bin/python3 -B "$here/live/notify.py" 10.77.1.10 http://10.77.1.10:9/last-of-all 60 >/dev/null 2>&1
    pause 1
    finish "$live" $signal
    check "$signal: every line of the capture can be read" [ "$(frames "$work/$signal.pcapng")" -gt 50 ]
    check "$signal: the last datagram is in it" bash -c "tshark -r '$work/$signal.pcapng' -T fields -e http.location 2>/dev/null | grep -q last-of-all"
    check "$signal: its times are those of the clock" recent "$work/$signal.pcapng"
    check "$signal: the trace has it, too" has "$signal.trace" 'last-of-all'
    check "$signal: it replays" bash -c "'$binary' replay '$work/$signal.pcapng' --as here --format json | grep -q '\"event\":\"found\"'"
    [ $signal = KILL ] || check "$signal: the reports are those of the run" desk-of live $signal
  done
  finish "$house" KILL
  check "serve: its capture has announcements and answers" [ "$(frames "$work/house.pcapng")" -gt 200 ]
  check "serve: its times are those of the clock" recent "$work/house.pcapng"
  check "serve: its trace has searches that came" has house.trace '< 10.77.1.20:[0-9]* -> 239.255.255.250:1900 .*M-SEARCH'
}
# desk-of NAME FILE: the reports of a live run against those of its pcapng, frame numbers aside.
desk-of() {
  grep '"kind":"report"' "$work/$1.out" | sed 's/"frame":[0-9a-z]*,//' >"$work/$2.live"
  "$binary" replay "$work/$2.pcapng" --as here --format json 2>/dev/null | grep '"kind":"report"' | sed 's/"frame":[0-9a-z]*,//' >"$work/$2.desk"
  [ -s "$work/$2.live" ] && cmp -s "$work/$2.live" "$work/$2.desk"
}

# whole_capture NAME: tshark reads it to its end, and has nothing to say but that root runs it.
whole_capture() { tshark -r "$work/$1.pcapng" >"$work/$1.read" 2>"$work/$1.unread" && [ -s "$work/$1.read" ] && ! grep -qv 'Running as user' "$work/$1.unread"; }
# whole_trace NAME: every line but the last is an entry, behind the line that says what is examined.
whole_trace() {
  head -n -1 "$work/$1.trace" >"$work/$1.lines"
  [ "$(wc -l <"$work/$1.lines")" -ge 10 ] && ! sed '1{/^# /d}' "$work/$1.lines" | grep -qvE '^[0-9]+\.[0-9]{9} here [<>] .'
}

# The same of serve, which is searched meanwhile.
serve-records-survive() {
  needs tshark || return
  pair
  local signal
  for signal in HUP TERM KILL; do
    start house device "$binary" serve "$here/../Scenarios/ssdp/living-room.yaml" -i eth0 --pcapng "$work/$signal.pcapng" --trace "$work/$signal.trace"
    await 10 listens device
    act 8 control "$binary" discover -i eth0 --duration 3s --mx 1 --broadcasts 1
    finish "$house" $signal
    check "$signal: the capture is whole" whole_capture $signal
    check "$signal: its times are those of the clock" recent "$work/$signal.pcapng"
    check "$signal: the search is in it" bash -c "tshark -r '$work/$signal.pcapng' -Y 'ip.src == 10.77.1.20' 2>/dev/null | grep -q M-SEARCH"
    check "$signal: its answers are in it" bash -c "tshark -r '$work/$signal.pcapng' -Y 'ip.dst == 10.77.1.20' 2>/dev/null | grep -q '200 OK'"
    check "$signal: every line of the trace but the last is whole" whole_trace $signal
    check "$signal: the trace has the search, too" has $signal.trace '< 10.77.1.20:[0-9]* -> 239.255.255.250:1900 .*M-SEARCH'
    [ $signal = KILL ] || check "$signal: its byebyes are in both" bash -c "grep -q ssdp:byebye '$work/$signal.trace' && tshark -r '$work/$signal.pcapng' -V 2>/dev/null | grep -q ssdp:byebye"
  done
}

# The same of an examination; its trace is repeated as far as it goes.
examine-records-survive() {
  needs tshark || return
  pair
  start house device "$binary" serve "$here/../Scenarios/ssdp/living-room.yaml" -i eth0
  await 10 listens device
  pause 2
  local signal target
  target=$(sed -n 's/^ *basic *uuid:\([^ ]*\) .*/\1/p' "$work/house.out")
  for signal in HUP TERM KILL; do
    start exam control "$binary" examine device -i eth0 --target "$target" --format json --pcapng "$work/$signal.pcapng" --trace "$work/$signal.trace"
    pause 8
    finish "$exam" $signal
    check "$signal: the capture is whole" whole_capture $signal
    check "$signal: its times are those of the clock" recent "$work/$signal.pcapng"
    check "$signal: what it asked is in it" [ "$(tshark -r "$work/$signal.pcapng" -Y 'ip.src == 10.77.1.20' 2>/dev/null | grep -c M-SEARCH)" -ge 8 ]
    check "$signal: every line of the trace but the last is whole" whole_trace $signal
    act 10 control "$binary" examine device --replay "$work/$signal.lines" --format json
    check "$signal: and repeats" has act.err '^replayed: [0-9]* entries'
    [ $signal = KILL ] && continue
    act 10 control "$binary" examine device --replay "$work/$signal.trace" --format json
    check "$signal: all of it gives the same verdicts again" cmp -s "$work/exam.out" "$work/act.out"
    check "$signal: of which there are some" has exam.out '"verdict":"held"'
  done
}

# A disk that is full costs the capture and nothing else: a sentence at once, the reports to the end, exit code 2.
records-full-disk() {
  needs tshark || return
  pair
  mkdir -p "$work/small"
  mount -t tmpfs -o size=16k tmpfs "$work/small" || { lacks "no small disk can be mounted"; return; }
  start house device "$binary" serve "$here/../Scenarios/ssdp/living-room.yaml" -i eth0 --duration 40s
  await 10 listens device
  start live control "$binary" discover -i eth0 --mx 1 --broadcasts 2 --duration 6s --format json --pcapng "$work/small/live.pcapng"
  check "it is said at once" await 5 has live.err 'everything else goes on'
  wait "$live"
  check "the exit code is 2" [ $? -eq 2 ]
  check "everything was found" [ "$(grep -c '"event":"found"' "$work/live.out")" -ge 10 ]
  check "and the summary stands at the end" has live.out '"kind":"summary"'
  check "what came before is in the capture" [ "$(frames "$work/small/live.pcapng")" -ge 10 ]
  start exam control "$binary" examine device -i eth0 --target "$(sed -n 's/^ *basic *uuid:\([^ ]*\) .*/\1/p' "$work/house.out")" --only search-root --patience 1s --trace "$work/small/exam.trace"
  wait "$exam"
  check "examine: the exit code is 2" [ $? -eq 2 ]
  check "examine: the report is printed" has exam.out 'clauses held'
  umount "$work/small"
}

# The same of every verb and both files: its disk has one page left.
records-full-disk-everywhere() {
  pair
  route control eth0
  homes
  local uuid verb file words options code
  mkdir -p "$work/small"
  mount -t tmpfs -o size=16k tmpfs "$work/small" || { lacks "no small disk can be mounted"; return; }
  serve_home
  while read -r verb file options; do
    rm -f "$work"/small/*
    head -c 12k /dev/zero >"$work/small/filler"
    # shellcheck disable=SC2086
    case $verb in
    exam_device) start_verb $verb "--$file" "$work/small/record" --target "$uuid" $options ;;
    exam_point) start_verb $verb "--$file" "$work/small/record" --command "$binary discover -i eth0 --format json --mx 1 --broadcasts 1" $options ;;
    *) start_verb $verb "--$file" "$work/small/record" $options ;;
    esac
    # Somebody searches, for the one that serves.
    [ $verb = serve ] && await 5 has serve.out '^serving' && pause 1 && act 8 device "$binary" discover -i eth0 --duration 3s --mx 1 --broadcasts 1
    code_of $verb 90
    check "$verb --$file: exit code 2" [ "$code" = 2 ]
    check "$verb --$file: it is said" has $verb.err 'No space left on device.*everything else goes on'
    check "$verb --$file: in one sentence" count $verb.err 'No space left on device' 1
    check "$verb --$file: and the rest is there" has $verb.out "$(
      case $verb in
      discover) echo '^[0-9]* devices, [1-9][0-9]* present' ;;
      serve) echo '^[1-9][0-9]* datagrams came from outside, [1-9][0-9]* left' ;;
      exam_point) echo '^[0-9]* probes: .* held' ;;
      *) echo '^[1-9][0-9]* clauses held' ;;
      esac
    )"
  done <<'END'
serve pcapng --duration 8s
discover trace --duration 5s
exam_device pcapng --only search-root
exam_point pcapng --only name-case --only blanks --only field-order --only byebye --runs 1 --repeats 0
exam_responder pcapng --only types --only service --target 10.77.1.10
END
  umount "$work/small"
}

# A capture of a flood costs no memory.
# flooded VARIABLE VERB ADDRESS: eight seconds of a flood from there, while the verb writes its records.
flooded() {
  act 30 device /usr/bin/python3 -B "$here/live/flood.py" "$3" 8 "${RATE:-40000}"
  echo "        $2 takes $(peak "${!1}") MiB at most; $(stat -c %s "$work/$1.pcapng") bytes of capture"
  check "$2 is alive and below 256 MiB" [ "$(peak "${!1}")" -lt 256 ]
}
records-of-a-flood() {
  pair
  start live control "$binary" discover -i eth0 --duration 14s --mx 1 --broadcasts 1 --format json --pcapng "$work/live.pcapng" --trace "$work/live.trace"
  await 3 listens control
  pause 0.5
  flooded live discover 10.77.1.10
  wait "$live"
  check "discover ends with 0" [ $? -eq 0 ]
  rm -f "$work"/live.pcapng "$work"/live.trace
  start house control "$binary" serve "$here/../Scenarios/ssdp/living-room.yaml" -i eth0 --duration 14s --pcapng "$work/house.pcapng" --trace "$work/house.trace"
  await 5 listens control
  pause 0.5
  flooded house serve 10.77.1.10
  wait "$house"
  check "serve ends with 0" [ $? -eq 0 ]
  check "and the flood was heard" bash -c "[ \"\$(sed -n 's/ datagrams came from outside.*//p' '$work/house.out')\" -gt 10000 ]"
  rm -f "$work"/house.pcapng "$work"/house.trace
  # What others say costs an examination nothing either.
  address device eth0 10.77.1.11/24
  minidlna media device 1800
  await 5 listens device
  pause 1
  start exam control "$binary" examine device -i eth0 --target uuid:00000000-0000-4000-8000-000000007720 --patience 1s --format json --pcapng "$work/exam.pcapng" --trace "$work/exam.trace"
  pause 12
  flooded exam examine 10.77.1.11
  finish "$exam" INT
}

# While its interface is away, discover waits; when it is back it searches again.
interface-down-and-up() {
  pair
  local up
  start house device "$binary" serve "$here/../Scenarios/ssdp/living-room.yaml" -i eth0 --duration 60s
  await 10 listens device
  start live control "$binary" discover -i eth0 --mx 2 --broadcasts 3 --duration 14s --format json --pcapng "$work/live.pcapng" --trace "$work/live.trace"
  pause 1
  ip -n "$control" link set eth0 down
  pause 4
  up=$(date +%s.%N)
  ip -n "$control" link set eth0 up
  pause 6
  wait "$live"
  check "discover ends with 0" [ $? -eq 0 ]
  check "devices are lost with the interface" has live.out '"event":"lost".*"cause":"interface'
  check "and found again behind that" found-again live.out
  if needs tshark; then check "it searches again" searched-since live.pcapng 10.77.1.20 "$up"; fi
  check "the reports are those of the capture" desk-of live live
}
# found-again FILE: each device that was lost is found in a later line.
found-again() {
  awk 'match($0, /"device":"[^"]*"/) { device = substr($0, RSTART, RLENGTH) }
    /"event":"lost"/ { lost[device] = 1; some = 1 }
    /"event":"found"/ { delete lost[device] }
    END { for (one in lost) exit 1; exit !some }' "$work/$1"
}
# searched-since FILE ADDRESS TIME: a search was sent from there after this time.
searched-since() { [ -n "$(tshark -r "$work/$1" -Y "ip.src == $2 && http.request.method == \"M-SEARCH\" && frame.time_epoch > $3" 2>/dev/null)" ]; }

# While its interface is away, serve waits; when it is back it is there for everybody again, as when another has its name.
serve-down-and-up() {
  pair
  route control eth0
  start house device "$binary" serve "$here/../Scenarios/ssdp/living-room.yaml" -i eth0 --duration 60s --pcapng "$work/house.pcapng"
  await 10 listens device
  pause 2
  check "at first a search is answered" answered first
  ip -n "$device" link set eth0 down
  pause 3
  ip -n "$device" link set eth0 up
  pause 3
  check "after it was down, a search is answered" answered again
  ip -n "$device" link delete eth0
  pause 3
  cable device eth0 control eth0
  address device eth0 10.77.1.10/24
  address control eth0 10.77.1.20/24
  route control eth0
  pause 3
  check "after it was taken out and put in, too" answered new
  finish "$house" TERM
  check "serve goes on to its end" has house.out ' datagrams came from outside, [1-9]'
}
# answered NAME: answers come to a search from the other side; announcements do not count.
answered() {
  act 8 control "$binary" discover -i eth0 --duration 3s --mx 1 --broadcasts 1 --trace "$work/$1.trace"
  grep -q '< 10\.77\.1\.10:[0-9]* -> 10\.77\.1\.20:[0-9]* .*HTTP/1\.1 200 OK' "$work/$1.trace"
}

# Addresses that serve put on an interface stay as long as it lives, and go with it, however it ends.
addresses-go() {
  pair
  printf '%s\n' 'scenario: Two lamps' 'duration: 10m' 'inhabitants: {lamp: {kind: root-device, count: 2}}' >"$work/lamps.yaml"
  local signal
  are() { [ "$(ip -n "$device" -4 -o address show dev eth0 | grep -c '192\.168\.1\.')" -eq "$1" ]; }
  for signal in HUP TERM KILL; do
    start lamps device "$binary" serve "$work/lamps.yaml" -i eth0 --add-addresses
    check "$signal: they are there" await 5 are 2
    [ $signal = KILL ] && { pause 34; check "after half a minute they still are" are 2; }
    finish "$lamps" $signal
    [ $signal = KILL ] || check "$signal: and gone with it" await 2 are 0
  done
  # What the killed one left is taken over by the next, and goes with that.
  start lamps device "$binary" serve "$work/lamps.yaml" -i eth0 --add-addresses
  check "the next one takes them over" await 5 has lamps.out 'http://192\.168\.1\.'
  pause 34
  check "and keeps them" are 2
  finish "$lamps" TERM
  check "and takes them with it" await 2 are 0
  start lamps device "$binary" serve "$work/lamps.yaml" -i eth0 --add-addresses
  check "and the one behind it adds them" await 5 are 2
  finish "$lamps" KILL
  check "KILL: and gone within half a minute" await 32 are 0
}
