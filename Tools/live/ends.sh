# How the verbs that use the network end, and with what exit code; its functions are the words of live-test.sh.
#
# 2: a record could not be written, or the interface was down or was lost. 130: a signal came before the end. 1: nothing
# was heard, a must was broken, or what was examined went away. The first that holds counts.
scenes+=(ends-alike examines-until-it-goes closed-output)

verbs=(discover serve exam_device exam_point exam_responder)
exams=(exam_device exam_point exam_responder)

# words_of VERB: what is typed for it, into the array `words`.
words_of() {
  case $1 in
  discover*) words=(discover --mx 1) ;;
  serve*) words=(serve "$work/lamp.yaml") ;;
  exam_device) words=(examine device --patience 1s) ;;
  exam_point) words=(examine control-point) ;;
  exam_responder) words=(examine responder --patience 1s) ;;
  esac
  words+=(-i eth0)
}
# run_verb VERB OPTION...: to its end, on the host `control`; its output is in VERB.out and VERB.err.
run_verb() {
  local verb=$1 words
  shift
  words_of "$verb"
  : >"$work/$verb.out"
  : >"$work/$verb.err"
  carry_out "$work/$verb.out" "$work/$verb.err" 60 control "$binary" "${words[@]}" "$@"
}
# start_verb VERB OPTION...: the same in the background; its process id is in the variable VERB.
start_verb() {
  local verb=$1 words
  shift
  words_of "$verb"
  start "$verb" control "$binary" "${words[@]}" "$@"
}
# start_exams: all three examinations, each with somebody to examine; the UUID of the device is in `uuid`.
start_exams() {
  start_verb exam_device --target "$uuid"
  start_verb exam_point --command "$binary discover -i eth0 --format json --mx 1 --broadcasts 1"
  start_verb exam_responder --target 10.77.1.10
}
# code_of VERB SECONDS: its exit code into `code`; where it does not end by then, it is ended, and there is none.
code_of() {
  local pid=${!1}
  if await "$2" gone "$pid"; then
    wait "$pid"
    code=$?
  else
    code=none
    finish "$pid" KILL
  fi
}
gone() { ! kill -0 "$1"; }

# said VERB TEXT: on standard error it says something with this text in it, plans of examinations aside.
said() { grep -v '^examine: \|^  \|^sends at most \|^at the end every bait \|^descriptions are served \|^each run starts ' "$work/$1.err" | grep -q -- "$2"; }
# in_our_words VERB: nothing that it prints has words of the libraries below it, or a number for an interface.
in_our_words() { ! grep -Eq 'errno|IOError|NIO|Error Domain|NSPOSIX|SQLite|interface 0|\bif0\b' "$work/$1.out" "$work/$1.err"; }
# ended WHEN VERB CODE WANTED [TEXT]: it has this exit code, and says why with this text, by default the interface's name.
ended() {
  local title="$1: ${2/exam_/examine }"
  check "$title: exit code $4" [ "$3" = "$4" ]
  [ "$4" = 0 ] || check "$title: it says why" said "$2" "${5-eth0}"
  check "$title: in words of its own" in_our_words "$2"
}

# homes: lamp.yaml with one device, and home.yaml with a device and a responder.
homes() {
  printf '%s\n' 'scenario: A lamp' 'duration: 30m' 'inhabitants: {lamp: {kind: root-device, profile: basic}}' >"$work/lamp.yaml"
  cat >"$work/home.yaml" <<'END'
scenario: A device of UPnP, and a responder of multicast DNS
duration: 30m
inhabitants:
  sensor: {kind: root-device, profile: basic}
  printer:
    kind: mdns-responder
    host-name: office-printer
    services:
      - {type: _ipp._tcp, name: Office printer, port: 631}
END
}
# serve_home: home.yaml on the host `device`; the UUID of its device is in `uuid`.
serve_home() {
  start home device "$binary" serve "$work/home.yaml" -i eth0 --seed 7
  await 10 has home.out 'sensor  uuid'
  uuid=$(sed -n 's/^ *sensor *uuid:\([^ ]*\) .*/\1/p' "$work/home.out")
  await 5 listens device
  pause 2
}

# The same end has the same exit code with every verb, and a sentence that names the interface.
ends-alike() {
  pair
  route control eth0
  homes
  local verb code signal uuid
  ends_at_once
  ends_early
  serve_home
  for signal in INT TERM HUP; do ends_by_signal $signal; done
  ends_without_duration
  ends_with_interface
}
# An interface that is down, and then one on which nobody is.
ends_at_once() {
  ip -n "$control" link set eth0 down
  for verb in "${verbs[@]}"; do
    run_verb $verb $(case $verb in discover | serve | exam_point) echo --duration 3s ;; esac)
    ended "down at the start" $verb $? 2
  done
  ip -n "$control" link set eth0 up
  pause 1
  for verb in "${verbs[@]}"; do
    run_verb $verb $(case $verb in discover | serve | exam_point) echo --duration 3s ;; esac)
    ended "nobody there" $verb $? $([ $verb = serve ] && echo 0 || echo 1)
  done
}
# A signal, or the end of the interface, before anybody was heard.
ends_early() {
  local way
  for way in INT down; do
    start_verb discover --duration 6s
    start_verb exam_device
    start_verb exam_point --duration 6s
    start_verb exam_responder
    pause 1.5
    [ $way = INT ] || ip -n "$control" link set eth0 down
    for verb in discover "${exams[@]}"; do
      [ $way = INT ] && kill -INT "${!verb}"
      code_of $verb $([ $verb = discover ] && echo 8 || echo 5)
      if [ $way = INT ]; then
        check "INT, nobody heard: ${verb/exam_/examine }: exit code 130" [ "$code" = 130 ]
      else
        ended "down, nobody heard" $verb "$code" 2
      fi
    done
  done
  ip -n "$control" link set eth0 up
  route control eth0
  pause 1
}
# Who ends an examination knows why; it says that what it prints is not all.
ends_by_signal() { # SIGNAL
  start_verb discover --duration 40s
  start_verb serve --duration 40s
  start_verb discover_pick --pick
  start_exams
  pause 6
  for verb in "${verbs[@]}" discover_pick; do kill "-$1" "${!verb}"; done
  for verb in "${verbs[@]}" discover_pick; do
    code_of $verb 5
    check "$1: ${verb/exam_/examine }: exit code 130" [ "$code" = 130 ]
    check "$1: ${verb/exam_/examine }: in words of its own" in_our_words $verb
  done
  for verb in "${exams[@]}"; do check "$1: ${verb/exam_/examine }: it says that it was stopped" said $verb .; done
}
# A signal is the end of what has no other.
ends_without_duration() {
  start_verb discover_endless
  start_verb serve_endless
  pause 3
  for verb in discover_endless serve_endless; do kill -INT "${!verb}"; done
  for verb in discover_endless serve_endless; do
    code_of $verb 5
    ended "INT" $verb "$code" 0
  done
}
# The interface is lost in the middle: it goes down, it has no address any more, it is taken out.
ends_with_interface() {
  local way
  for way in down address gone; do
    start_verb discover --duration 14s
    start_verb serve --duration 14s
    start_verb discover_endless
    start_verb serve_endless
    start_exams
    pause 6
    case $way in
    down) ip -n "$control" link set eth0 down ;;
    address) ip -n "$control" -4 address flush dev eth0 ;;
    gone) ip -n "$control" link delete eth0 ;;
    esac
    for verb in "${exams[@]}"; do
      code_of $verb 5
      ended "$way in the middle" $verb "$code" 2
    done
    [ $way = address ] && address control eth0 10.77.1.20/24 && route control eth0
    for verb in discover serve; do
      code_of $verb 14
      # What was lost is there again.
      ended "$way in the middle" $verb "$code" $([ $way = address ] && echo 0 || echo 2)
    done
    for verb in discover_endless serve_endless; do
      kill -INT "${!verb}"
      code_of $verb 5
      ended "$way in the middle, then INT" $verb "$code" $([ $way = address ] && echo 0 || echo 2)
    done
    [ $way = down ] && ip -n "$control" link set eth0 up && route control eth0 && pause 1
  done
}

# What becomes of a device, or of the interface, while it is examined is said, and is no breach of what it could not do then.
# PLACE is when, in seconds: 5 to 32, by default any of these.
examines-until-it-goes() {
  pair
  route control eth0
  homes
  local place=${PLACE:-$((5 + RANDOM % 28))} way code
  begin_exam() {
    start lamp device "$binary" serve "$work/lamp.yaml" -i eth0
    await 10 has lamp.out 'lamp  uuid'
    await 5 listens device
    pause 3
    start exam control "$binary" examine device -i eth0 --patience 1s --format json
  }
  # What is broken, in $work/WAY.broken.
  end_exam() { # WAY
    code_of exam 120
    /usr/bin/python3 -B "$here/live/verdicts.py" "$work/exam.out" >"$work/$1.verdicts"
    sed -n '/ violated$/p' "$work/$1.verdicts" >"$work/$1.broken"
  }
  begin_exam
  end_exam stays
  check "a device that stays: exit code 0" [ "$code" = 0 ]
  check "it is present" has exam.out '"presence":"present"'
  check "and breaks nothing" [ ! -s "$work/stays.broken" ]
  finish "$lamp"
  for way in silent left interfaceLost; do
    begin_exam
    pause $place
    case $way in
    silent) finish "$lamp" KILL ;;
    left) finish "$lamp" TERM ;;
    interfaceLost) ip -n "$control" link set eth0 down ;;
    esac
    end_exam $way
    check "$way after $place s: it is said" has exam.out "\"presence\":\"$way\""
    check "$way after $place s: exit code" [ "$code" = $([ $way = interfaceLost ] && echo 2 || echo 1) ]
    check "$way after $place s: something was judged before" grep -q '^clause .* held$' "$work/$way.verdicts"
    check "$way after $place s: nothing else is broken" cmp -s "$work/stays.broken" "$work/$way.broken"
    finish "$lamp"
  done
}

# Nobody reads what is printed: the verb ends, in order or by SIGPIPE, and a full disk is a sentence.
closed-output() {
  needs_full_device || return
  pair
  route control eth0
  homes
  local uuid verb way code
  serve_home
  for verb in "${verbs[@]}"; do
    for way in closed pipe full; do start_into $way $verb; done
    for way in closed pipe full; do
      code_of into_$way 60
      check "$verb: $way: it ends, and not by a fault: $code" ends_in_order "$code"
      check "$verb: $way: nothing of a fault is said" hasnt into_$way.err 'Fatal error\|Backtrace\|crashed'
    done
    check "$verb: full: exit code 2" [ "$code" = 2 ]
    check "$verb: full: it says why" has into_full.err 'No space left on device'
  done
}
needs_full_device() { [ -c /dev/full ] || lacks "there is no /dev/full"; }
ends_in_order() { [ "$1" != none ] && [ "$1" -ne 4 ] && { [ "$1" -lt 132 ] || [ "$1" -eq 141 ]; }; }
# start_into WAY VERB: a short run of it with this standard output, in the background.
start_into() {
  local words
  words_of "$2"
  case $2 in
  discover | serve) words+=(--duration 4s) ;;
  exam_device) words+=(--target "$uuid" --only search-root) ;;
  exam_point) words+=(--command "$binary discover -i eth0 --format json --mx 1 --broadcasts 1" --only name-case --runs 1 --repeats 0) ;;
  exam_responder) words+=(--target 10.77.1.10 --only types) ;;
  esac
  case $1 in
  closed) start into_closed control bash -c 'exec "$@" >&-' closed "$binary" "${words[@]}" ;;
  pipe) start into_pipe control bash -c '"$@" | true; exit "${PIPESTATUS[0]}"' pipe "$binary" "${words[@]}" ;;
  full) start into_full control bash -c 'exec "$@" >/dev/full' full "$binary" "${words[@]}" ;;
  esac
}
