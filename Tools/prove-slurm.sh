#!/usr/bin/env bash
# prove-slurm.sh [COUNT]: a campaign over the seeds 1..COUNT (20 000) as an array of 20 tasks on a Slurm of its own, one of
# them killed in the middle: Slurm has it requeued, it goes on, the parts are merged, and the report is that of one
# process, byte for byte. The cluster is one node on the loopback interface, with its own key, ports, state and logs below
# OUT; it takes nothing from a Slurm that is there, and all its processes have ended afterwards. Needs root, slurm-wlm and
# munge; without them it says what is missing and ends with 77.
#   RUN     the tool (.build/release/rollcall)
#   OUT     where all of it is kept (out/slurm)
#   PORT    the first of two ports on 127.0.0.1 (16817)
set -euo pipefail
cd "$(dirname "$0")/.."
count=${1:-20000}
run=$(realpath "${RUN:-.build/release/rollcall}")
port=${PORT:-16817}
tasks=20
lacks() { echo "prove-slurm: skipped: $*"; exit 77; }
[ "$(id -u)" = 0 ] || lacks "the daemons of Slurm have to be started by root"
for program in slurmctld slurmd munged sbatch scontrol; do
  PATH=$PATH:/usr/sbin type -P "$program" >/dev/null || lacks "there is no $program (apt-get install slurm-wlm munge)"
done
export PATH=$PATH:/usr/sbin
mkdir -p "${OUT:-out/slurm}"
out=$(realpath "${OUT:-out/slurm}")
rm -rf "${out:?}"/*
mkdir -p "$out"/{state,spool,log,results}
chmod 755 "$out"
# Not below OUT: the path of a socket has 107 bytes at most, and munged wants folders that only root may write to.
secret=$(mktemp -d /tmp/slurm.XXXXXX)
chmod 711 "$secret"
started=$(date +%s)

# Each daemon stays in front, as a child of this script, so that its number is known.
daemons=()
finish() {
  local pid
  # Tasks end before the daemons that could end them.
  if [ "${#daemons[@]}" -gt 1 ]; then
    scancel --me >/dev/null 2>&1 || true
    for _ in $(seq 100); do
      [ -n "$(squeue --noheader 2>/dev/null)" ] || break
      sleep 0.2
    done
  fi
  for pid in ${daemons[@]+"${daemons[@]}"}; do kill -TERM "$pid" 2>/dev/null || true; done
  for pid in ${daemons[@]+"${daemons[@]}"}; do
    for _ in $(seq 50); do
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.1
    done
    kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  rm -rf "$secret"
}
trap finish EXIT

fail() {
  echo "prove-slurm: $*; see $out/log" >&2
  exit 1
}

# waits SECONDS WHAT COMMAND...
waits() {
  local seconds=$1 what=$2
  shift 2
  for _ in $(seq "$((seconds * 5))"); do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep 0.2
  done
  fail "$what: not within $seconds s"
}

(umask 077 && dd if=/dev/urandom of="$secret/key" bs=128 count=1 status=none)
munged --foreground --key-file="$secret/key" --socket="$secret/socket" --pid-file="$secret/pid" --seed-file="$secret/seed" \
  --log-file="$out/log/munged" >"$out/log/munged.out" 2>&1 &
daemons+=($!)
node=$(hostname -s)
# A requeued task waits until the credential of its first attempt has expired: five seconds and not two minutes.
cat >"$out/slurm.conf" <<CONF
ClusterName=rollcall
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$secret/socket,cred_expire=5
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation=$out/state
SlurmdSpoolDir=$out/spool
SlurmctldPidFile=$out/state/slurmctld.pid
SlurmdPidFile=$out/state/slurmd.pid
SlurmctldLogFile=$out/log/slurmctld
SlurmdLogFile=$out/log/slurmd
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MinJobAge=86400
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc)
PartitionName=all Nodes=$node Default=YES State=UP
CONF
export SLURM_CONF=$out/slurm.conf
waits 10 "munged answers" munge --socket="$secret/socket" --no-input
slurmctld -D -f "$SLURM_CONF" >"$out/log/slurmctld.out" 2>&1 &
daemons+=($!)
waits 20 "slurmctld answers" scontrol ping
slurmd -D -f "$SLURM_CONF" >"$out/log/slurmd.out" 2>&1 &
daemons+=($!)
is_idle() { sinfo --noheader --format=%t | grep -qx idle; }
waits 20 "the node is idle" is_idle

export ROLLCALL=$run SHARDS=$tasks
read -r array merge < <(Examples/machines/slurm/submit.sh "$out/results" swarm --seeds "1..$count")

parts() { find "$out/results" -maxdepth 1 -name 'shard-*.tar' | wc -l; }
has_begun() { [ "$(parts)" -ge 5 ]; }
waits "$((count / 20 + 120))" "five parts are there" has_begun

# How many runs are in the results of a folder.
runs_in() {
  local found
  found=$("$run" campaign report "$1" --format json 2>/dev/null | sed -nE 's/.*"kind":"campaign".*"runs":([0-9]+).*/\1/p') || true
  echo "${found:-0}"
}

# One of the processes that Slurm lists as those of a task is the tool; it is killed once it has kept results.
victim() {
  local task pid job folder
  for task in $(squeue --noheader --array --states=RUNNING --jobs="$array" --format=%K); do
    job=$(squeue --noheader --array --jobs="${array}_$task" --format=%A)
    for pid in $(scontrol listpids "$job" 2>/dev/null | awk 'NR > 1 && $1 > 0 { print $1 }'); do
      [ "$(readlink "/proc/$pid/exe" 2>/dev/null)" = "$run" ] || continue
      folder=$(tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null | grep -A1 -x -e -o | tail -1) || continue
      [ "$(runs_in "$folder")" -gt 0 ] || continue
      echo "$task $pid"
      return 0
    done
  done
  return 1
}
task=""
until found=$(victim) && read -r task pid <<<"$found" && kill -KILL "$pid" 2>/dev/null; do
  [ -n "$(squeue --noheader --jobs="$array" 2>/dev/null)" ] || fail "all tasks ended before one was killed"
  sleep 0.1
done
# What the killed one had kept is handed over before the task is requeued; each part has COUNT / 20 runs in the end.
kept=$out/results/shard-$task.tar
waits 20 "task $task hands over what it has" test -f "$kept"
mkdir "$out/killed"
tar -xf "$kept" -C "$out/killed"
before=$(runs_in "$out/killed/results")
[ "$before" -gt 0 ] || fail "the killed task $task had kept no run"

is_over() { [ -z "$(squeue --noheader --jobs="$merge" 2>/dev/null)" ]; }
waits "$((count / 10 + 300))" "the merge ends" is_over
restarted=$(scontrol --oneliner show job "$array" | sed -nE 's/.* ArrayTaskId=([0-9]+) .* Restarts=[1-9].*/\1/p' | paste -sd ' ')
code=$(scontrol show job "$merge" | grep -o 'ExitCode=[0-9]*' | cut -d= -f2)
[ "$restarted" = "$task" ] || fail "task $task was killed; requeued were: ${restarted:-none}"
grep -q "shard $task ended with 137 after 1 attempts" "$out/results/log/shard-$task" || fail "task $task did not say that it was killed"
grep -q "shard $task/$tasks goes on with" "$out/results/log/shard-$task" || fail "task $task began anew"
[ "$code" -le 1 ] || fail "the merge ended with $code"

whole=0
"$run" campaign swarm --seeds "1..$count" -o "$out/whole" --quiet >"$out/whole.txt" || whole=$?
if ! cmp "$out/whole.txt" "$out/results/report.txt" >&2 || [ "$whole" != "$code" ]; then
  fail "one process ended with $whole, the merge with $code; $out/whole.txt and $out/results/report.txt"
fi
result=$(sed -nE 's/^runs +//p' "$out/whole.txt")
digest=$(sed -nE 's/^digest +//p' "$out/whole.txt")
echo "slurm: $result in $tasks tasks of Slurm $(sinfo --version | awk '{ print $NF }'); task $task killed after $before runs and requeued;" \
  "the report has the $(stat -c %s "$out/whole.txt") bytes of one process, digest $digest, in $(($(date +%s) - started)) s"
