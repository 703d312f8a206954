#!/usr/bin/env bash
# What OSS-Fuzz and ClusterFuzzLite call in their image: every fuzz target as a program in $OUT, with its dictionary and
# seeds. One program holds all targets, and finds its own in its name (Sources/fuzz). Compiled nowhere but there; what
# comes after the compiler is run by Tools/machines-check.sh.
set -euo pipefail
: "${OUT:?the folder for what is built}" "${SANITIZER:=address}"
export ROLLCALL_ONLY=fuzz SWIFT_DETERMINISTIC_HASHING=1

# A plain build writes dictionaries and seeds; libFuzzer has a `main` of its own in the other one.
plain=(swift build -c release --enable-all-traits --product rollcall-fuzz --scratch-path .build-plain)
fuzzer=(swift build -c release --enable-all-traits --product rollcall-fuzz --scratch-path .build-fuzz --static-swift-stdlib
  --sanitize fuzzer)
if [ "$SANITIZER" = coverage ]; then
  fuzzer+=(-Xswiftc -profile-generate -Xswiftc -profile-coverage-mapping)
else
  fuzzer+=(--sanitize "$SANITIZER")
fi
"${plain[@]}"
"${fuzzer[@]}"
words=$("${plain[@]}" --show-bin-path)/rollcall-fuzz
program=$("${fuzzer[@]}" --show-bin-path)/rollcall-fuzz

# The image that runs the programs has the C library and little else.
mkdir -p "$OUT/lib"
ldd "$program" | sed -nE 's/.*=> (\/[^ ]*\/(libpcap|libz|libdbus-1|libsystemd|libcap|libgcrypt|libgpg-error|liblzma|libzstd|liblz4)\.so[^ ]*) .*/\1/p' |
  while read -r library; do
    cp -L "$library" "$OUT/lib/"
    patchelf --set-rpath "\$ORIGIN" "$OUT/lib/$(basename "$library")"
  done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$program" "$scratch/program"
patchelf --set-rpath "\$ORIGIN/lib" "$scratch/program"
ROLLCALL_FUZZ=canary "$words" --list >"$scratch/targets"
while read -r target kind; do
  # It is there to be found.
  [ "$kind" != canary ] || continue
  cp "$scratch/program" "$OUT/fuzz-$target"
  ROLLCALL_FUZZ=$target "$words" --dictionary >"$OUT/fuzz-$target.dict"
  seeds=$scratch/$target
  mkdir "$seeds"
  ROLLCALL_FUZZ=$target "$words" --seeds "$seeds"
  [ ! -d "Tests/FuzzTargetsTests/Corpus/$target" ] || cp "Tests/FuzzTargetsTests/Corpus/$target"/* "$seeds/"
  if [ -n "$(ls "$seeds")" ]; then python3 -m zipfile -c "$OUT/fuzz-${target}_seed_corpus.zip" "$seeds"/*; fi
  printf '[libfuzzer]\nmax_len = %s\n' "$([ "$target" = scenario ] && echo 1400 || echo 4096)" >"$OUT/fuzz-$target.options"
done <"$scratch/targets"
