# Scenes of live-test.sh that examine devices; its functions are the words.
scenes+=(examines-minidlna)

# examine VARIABLE HOST OPTION...: in the background, JSON into $work/VARIABLE.out.
examine() {
  local variable=$1 host=$2
  shift 2
  start "$variable" "$host" "$binary" examine device -i eth0 "$@"
}

examines-minidlna() {
  needs minidlnad || return
  pair
  minidlna media device 60
  await 3 listens device
  pause 1
  act 120 control "$binary" examine device -i eth0 --patience 5s --pcapng "$work/e.pcapng" --trace "$work/e.trace"
  echo "exit $?"; cat "$work/act.err" "$work/act.out"
}
