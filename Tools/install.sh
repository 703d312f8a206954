#!/usr/bin/env bash
# install.sh install FOLDER: the program, its manual page and completions for three shells below FOLDER.
# install.sh uninstall FOLDER: takes them away again.
# install.sh check: both in a folder of its own, whether what was installed works, and whether docs/rollcall.1 is what
# the commands say of themselves (`make man` writes it anew).
set -euo pipefail
cd "$(dirname "$0")/.."
run=${RUN:-.build/release/rollcall}
installed=(
  bin/rollcall share/man/man1/rollcall.1 share/bash-completion/completions/rollcall
  share/zsh/site-functions/_rollcall share/fish/vendor_completions.d/rollcall.fish
)

install_all() {
  local file
  local folder=$1
  for file in "${installed[@]}"; do mkdir -p "$folder/$(dirname "$file")"; done
  install -m 755 "$run" "$folder/bin/rollcall"
  install -m 644 docs/rollcall.1 "$folder/share/man/man1/rollcall.1"
  "$run" --generate-completion-script bash >"$folder/share/bash-completion/completions/rollcall"
  "$run" --generate-completion-script zsh >"$folder/share/zsh/site-functions/_rollcall"
  "$run" --generate-completion-script fish >"$folder/share/fish/vendor_completions.d/rollcall.fish"
}

uninstall_all() {
  local file
  for file in "${installed[@]}"; do rm -f "$1/$file"; done
}

fail() {
  echo "install: $*" >&2
  exit 1
}

check() {
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  Tools/man-page.py "$run" >"$folder/page"
  diff docs/rollcall.1 "$folder/page" >&2 || fail "docs/rollcall.1 is not what the commands say of themselves: make man"
  install_all "$folder/usr"
  diff <(printf '%s\n' "${installed[@]}" | sort) <(cd "$folder/usr" && find . -type f | sed 's|^\./||' | sort) >&2 ||
    fail "other files were installed"
  [ "$("$folder/usr/bin/rollcall" --version)" = "$("$run" --version)" ] || fail "the installed program does not run"
  bash -n "$folder/usr/share/bash-completion/completions/rollcall" || fail "the completion for bash is no script"
  # Asked as bash asks it: what may stand behind `rollcall ru`?
  bash -c 'source "$1"; COMP_WORDS=(rollcall ru); COMP_CWORD=1; COMP_LINE="rollcall ru"; COMP_POINT=11
    "$(complete -p rollcall | sed "s/.* -F \([^ ]*\) .*/\1/")" rollcall ru rollcall
    [ "${COMPREPLY[*]}" = run ]' bash "$folder/usr/share/bash-completion/completions/rollcall" ||
    fail "bash does not complete rollcall ru to rollcall run"
  if command -v groff >/dev/null; then
    groff -man -Tutf8 -K utf8 -ww docs/rollcall.1 2>"$folder/warnings" >/dev/null
    [ ! -s "$folder/warnings" ] || { cat "$folder/warnings" >&2; fail "groff warns of docs/rollcall.1"; }
  fi
  uninstall_all "$folder/usr"
  [ -z "$(find "$folder/usr" -type f)" ] || fail "files remain: $(find "$folder/usr" -type f)"
  echo "install: ${#installed[@]} files were installed, tried and taken away; docs/rollcall.1 is what the commands say of themselves"
}

case ${1:-} in
  install) install_all "${2:?a folder}" ;;
  uninstall) uninstall_all "${2:?a folder}" ;;
  check) check ;;
  *) echo "install: install.sh install FOLDER, uninstall FOLDER or check" >&2; exit 2 ;;
esac
