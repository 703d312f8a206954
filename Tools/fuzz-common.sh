# What the fuzzing tools share; sourced by them.
fuzz_plain=${FUZZ_PLAIN:-.build/debug/rollcall-fuzz}
fuzz_fuzzer=${FUZZ_FUZZER:-.build-fuzz/release/rollcall-fuzz}

# A plain build, which writes dictionaries and seeds, and one with libFuzzer.
build_fuzzers() {
  # Programs that stand aside, so that a long run and a build do not meet.
  [ -n "${FUZZ_FUZZER:-}" ] && return 0
  env $(cat Tools/build-env) swift build $(cat Tools/debug-flags) --product rollcall-fuzz 2>&1 | tail -1
  ROLLCALL_ONLY=fuzz env $(cat Tools/build-env) swift build --enable-all-traits -c release --product rollcall-fuzz --sanitize fuzzer --scratch-path .build-fuzz 2>&1 |
    grep -v 'Cannot export local symbol' | tail -1
}

# Name and kind of each target.
list_targets() { ROLLCALL_FUZZ=canary "$fuzz_plain" --list; }

# fuzz TARGET FOLDER OPTION...: runs libFuzzer with the target's dictionary, seeds and corpus; its exit code.
fuzz() {
  local target=$1 folder=$2 code=0
  shift 2
  mkdir -p "$folder/corpus" "$folder/seeds"
  ROLLCALL_FUZZ=$target "$fuzz_plain" --dictionary >"$folder/dictionary"
  ROLLCALL_FUZZ=$target "$fuzz_plain" --seeds "$folder/seeds" >/dev/null
  local inputs=("$folder/corpus" "$folder/seeds")
  [ -d "Tests/FuzzTargetsTests/Corpus/$target" ] && inputs+=("Tests/FuzzTargetsTests/Corpus/$target")
  # A scenario is long, and its beginnings are many: the sweep has the seeds, and no input is longer than most files.
  if [ "$target" = scenario ]; then
    set -- -max_len=1400 "$@"
    [ -n "${ROLLCALL_FUZZ_SWEEP:-}" ] || inputs+=(Scenarios/ssdp)
  fi
  # Fixed hashing, so that a fixed seed means a fixed run.
  SWIFT_DETERMINISTIC_HASHING=1 ROLLCALL_FUZZ=$target nice -n 10 "$fuzz_fuzzer" -timeout=60 -rss_limit_mb=1024 -print_final_stats=1 \
    -dict="$folder/dictionary" -artifact_prefix="$folder/" "$@" "${inputs[@]}" >"$folder/log" 2>&1 || code=$?
  # Without instrumentation nothing was proved, whatever the exit code says.
  if ! grep -aq 'INFO: Loaded' "$folder/log"; then
    echo "fuzz: $target ran without coverage" >&2
    tail -5 "$folder/log" >&2
    exit 1
  fi
  return "$code"
}
