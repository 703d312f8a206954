"""What Examples/machines hands to other engines, checked without them; called by machines-check.sh.

Scripts are run with a rollcall, a shard.sh, a scontrol and a swift that only note how they were called: every part of a campaign
is run once, and exactly the exit codes that docs/many-machines.md marks have a part run again. Files are held against
the schemas of kubernetes-validate and check-jsonschema, and against the keys that OSS-Fuzz documents. Then each check is
shown a copy with a mistake, and has to refuse it.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile

import kubernetes_validate
import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLACE = "Examples/machines"
PAGE = "docs/many-machines.md"
PARTS = 20
# https://google.github.io/oss-fuzz/getting-started/new-project-guide/, and OSS-Fuzz's own check of project.yaml.
OSS_FUZZ_KEYS = set(
    "architectures auto_ccs base_os_version blackbox builds_per_day coverage_extra_args disabled file_github_issue"
    " fuzzing_engines help_url homepage labels language main_repo primary_contact run_tests sanitizers selective_unpack"
    " vendor_ccs view_restrictions".split())
OSS_FUZZ_VALUES = {
    "architectures": {"x86_64", "i386", "aarch64"},
    "base_os_version": {"legacy", "ubuntu-20-04", "ubuntu-24-04"},
    "fuzzing_engines": {"libfuzzer", "afl", "honggfuzz", "centipede"},
    "language": {"c", "c++", "go", "javascript", "jvm", "python", "ruby", "rust", "swift"},
    # Of those that OSS-Fuzz has, what it documents for Swift.
    "sanitizers": {"address"},
}
OSS_FUZZ_REQUIRED = {"homepage", "language", "main_repo", "primary_contact"}


def load(root, name):
    return yaml.safe_load((root / PLACE / name).read_text())


def codes_of_page(root):
    """Every exit code that the table has, and those among them that ask for another try."""
    rows = re.findall(r"^\| ([0-9, ]+) \|.*\| (yes|no) \|$", (root / PAGE).read_text(), re.M)
    codes = [(int(code), again == "yes") for cell, again in rows for code in cell.split(",")]
    return sorted(code for code, _ in codes), sorted(code for code, again in codes if again)


def run(script, root, environment, stubs):
    """Runs a script of bash where the programs of `stubs` are found first; its exit code."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in stubs.items():
            program = pathlib.Path(folder) / name
            program.write_text("#!/usr/bin/env bash\n" + text + "\n")
            program.chmod(0o755)
        path = f"{folder}:{os.environ['PATH']}"
        words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", *script]
        done = subprocess.run(
            words, cwd=root, env={"PATH": path, "HOME": folder, "MACHINES": folder, **environment},
            capture_output=True, text=True, timeout=60)
        return done.returncode


class Calls:
    """A file that a stub adds a line to for each call."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name) / "calls"
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def stub(self, code=0):
        return f'echo "${{0##*/}} $*" >>{self.path}; exit {code}'

    def lines(self):
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        self.path.unlink(missing_ok=True)
        return lines


def parts_problem(what, called):
    """`called`: what each part handed to shard.sh."""
    found = sorted((re.findall(r"shard\.sh (\d+)/(\d+) ", line) or [("0", "0")])[0] for line in called)
    wanted = sorted((str(number), str(PARTS)) for number in range(1, PARTS + 1))
    if found != wanted:
        return [f"{what}: the parts {' '.join('/'.join(part) for part in found)} are run, and not 1/{PARTS} to {PARTS}/{PARTS}"]
    return []


def codes_problem(what, tried, wanted):
    return [] if tried == wanted else [f"{what}: another try for the codes {tried}, and {PAGE} has {wanted}"]


# --- Each check gives its problems, one after the other.


def kubernetes(root):
    claim, shards, merge = (load(root, f"kubernetes/{name}.yaml") for name in ["claim", "shards", "merge"])
    for name, document in [("claim", claim), ("shards", shards), ("merge", merge)]:
        try:
            kubernetes_validate.validate(document, "1.37", strict=True)
        except kubernetes_validate.ValidationError as error:
            yield f"kubernetes/{name}.yaml: schema: {error.message}"
            return
    _, again = codes_of_page(root)
    for name, job in [("shards", shards), ("merge", merge)]:
        pod = job["spec"]["template"]["spec"]
        container = pod["containers"][0]
        rules = [rule["onExitCodes"] for rule in job["spec"]["podFailurePolicy"]["rules"] if "onExitCodes" in rule]
        # NotIn: every other code ends it.
        yield from codes_problem(f"kubernetes/{name}.yaml", [rule["values"] for rule in rules if rule["operator"] == "NotIn"], [again])
        if [rule["containerName"] for rule in rules] != [container["name"]]:
            yield f"kubernetes/{name}.yaml: its rule for exit codes is not that of {container['name']}"
        # The API refuses a policy for failures beside another way to restart.
        if pod["restartPolicy"] != "Never":
            yield f"kubernetes/{name}.yaml: restartPolicy has to be Never"
        volumes = {volume["name"]: volume.get("persistentVolumeClaim", {}).get("claimName") for volume in pod["volumes"]}
        mounts = {volumes.get(mount["name"], mount["name"]): mount["mountPath"] for mount in container["volumeMounts"]}
        if mounts.get(claim["metadata"]["name"]) != "/results":
            yield f"kubernetes/{name}.yaml: the claim {claim['metadata']['name']} is not at /results"
    spec = shards["spec"]
    if spec["completionMode"] != "Indexed" or "backoffLimitPerIndex" not in spec:
        yield "kubernetes/shards.yaml: completionMode Indexed and backoffLimitPerIndex go together"
    container = spec["template"]["spec"]["containers"][0]
    environment = {entry["name"]: entry["value"] for entry in container["env"]}
    with Calls() as calls:
        for index in range(spec["completions"]):
            run(container["command"][1:], root, {**environment, "JOB_COMPLETION_INDEX": str(index)}, {"shard.sh": calls.stub()})
        yield from parts_problem("kubernetes/shards.yaml", calls.lines())
    copied = re.search(r"^COPY (.*) \S+$", (root / PLACE / "kubernetes/Containerfile").read_text(), re.M).group(1).split()
    for name in copied:
        if not name.startswith(".build/") and not os.access(root / name, os.X_OK):
            yield f"kubernetes/Containerfile: {name} is no program of the repository"


def slurm(root):
    submit, array = root / PLACE / "slurm/submit.sh", root / PLACE / "slurm/array.sbatch"
    with Calls() as calls, tempfile.TemporaryDirectory() as results:
        run([str(submit), results, "swarm", "--seeds", "1..9"], root, {}, {"sbatch": calls.stub()})
        lines = calls.lines()
    if len(lines) not in (1, 2):
        yield f"slurm/submit.sh: sbatch is called {len(lines)} times"
        return
    tasks = re.search(r"--array=1-(\d+)", lines[0])
    if not tasks:
        yield f"slurm/submit.sh: no array of tasks from 1 on: {lines[0]}"
        return
    count = int(tasks.group(1))
    if len(lines) < 2 or "--dependency=afterany:" not in lines[1]:
        yield "slurm/submit.sh: the merge has to wait for all tasks, however they end (afterany)"
    with Calls() as calls:
        def task(number, code, restarts):
            environment = {
                "SLURM_ARRAY_TASK_ID": str(number), "SLURM_ARRAY_TASK_COUNT": str(count), "SLURM_ARRAY_JOB_ID": "7",
                "SLURM_RESTART_COUNT": str(restarts)}
            stubs = {"shard.sh": calls.stub(code), "scontrol": calls.stub(), "sleep": ":"}
            ended = run([str(array), "/results", "swarm"], root, environment, stubs)
            return ended, calls.lines()

        yield from parts_problem("slurm/array.sbatch", [line for number in range(1, count + 1) for line in task(number, 0, 0)[1]])
        codes, again = codes_of_page(root)
        outcomes = {code: task(3, code, 0) for code in codes}
        requeued = [code for code in codes if "scontrol requeue 7_3" in outcomes[code][1]]
        yield from codes_problem("slurm/array.sbatch", requeued, again)
        if [outcomes[code][0] for code in codes] != codes:
            yield "slurm/array.sbatch: a task does not end with the code of its part"
        if any("scontrol" in line for line in task(3, again[0], 99)[1]):
            yield "slurm/array.sbatch: a task is requeued for ever"


def github(root):
    name = f"{PLACE}/github-actions/campaign.yml"
    schema = subprocess.run(
        [str(pathlib.Path(sys.executable).with_name("check-jsonschema")), "--builtin-schema", "vendor.github-workflows", name],
        cwd=root, capture_output=True, text=True)
    if schema.returncode != 0:
        yield f"github-actions/campaign.yml: schema: {' '.join(schema.stdout.split())[:300]}"
        return
    jobs = load(root, "github-actions/campaign.yml")["jobs"]
    shard = jobs["shard"]
    numbers = shard["strategy"]["matrix"]["shard"]
    step = next(step for step in shard["steps"] if "SHARD" in step.get("env", {}))
    codes, again = codes_of_page(root)
    with Calls() as calls:
        def part(number, code):
            words = {"matrix.shard": str(number), "strategy.job-total": str(len(numbers))}
            text = re.sub(r"\$\{\{ ([a-z.-]+) \}\}", lambda found: words[found.group(1)], step["env"]["SHARD"])
            # The program and the part stand where the workflow has them: in the folder of the job.
            with tempfile.TemporaryDirectory() as folder:
                place = pathlib.Path(folder) / PLACE
                place.mkdir(parents=True)
                (place / "shard.sh").write_text("#!/usr/bin/env bash\n" + calls.stub(code) + "\n")
                (place / "shard.sh").chmod(0o755)
                (pathlib.Path(folder) / "rollcall").touch()
                ended = run(["-c", step["run"]], folder, {"SHARD": text, "SEEDS": "1..9"}, {})
            return ended, calls.lines()

        yield from parts_problem("github-actions/campaign.yml", [line for number in numbers for line in part(number, 0)[1]])
        outcomes = {code: part(3, code) for code in codes}
        yield from codes_problem("github-actions/campaign.yml", [code for code in codes if len(outcomes[code][1]) > 1], again)
        green = [code for code in codes if outcomes[code][0] == 0]
        if green != [0, 1]:
            yield f"github-actions/campaign.yml: parts are green for {green}; 0 and 1 have results, and the merge says which"
    if jobs["merge"]["needs"] != "shard" or "!cancelled()" not in str(jobs["merge"].get("if")):
        yield "github-actions/campaign.yml: the merge has to run behind all parts, however they end"


def oss_fuzz(root):
    for name, required in [("oss-fuzz", OSS_FUZZ_REQUIRED), ("clusterfuzzlite", {"language"})]:
        project = load(root, f"{name}/project.yaml")
        yield from [f"{name}/project.yaml: there is no key {key}" for key in sorted(set(project) - OSS_FUZZ_KEYS)]
        yield from [f"{name}/project.yaml: the key {key} is missing" for key in sorted(required - set(project))]
        for key, values in OSS_FUZZ_VALUES.items():
            given = project.get(key, [])
            for value in given if isinstance(given, list) else [given]:
                if value not in values:
                    yield f"{name}/project.yaml: {key} is {value}, and not one of {', '.join(sorted(values))}"
        text = (root / PLACE / name / "Dockerfile").read_text()
        if not re.search(r"^FROM gcr\.io/oss-fuzz-base/base-builder-swift\b", text, re.M):
            yield f"{name}/Dockerfile: it is not made from the image for Swift"
        script = re.search(r"^RUN cp (\S+) \$SRC/$", text, re.M)
        if not script or not os.access(root / script.group(1), os.X_OK) or not script.group(1).endswith("/build.sh"):
            yield f"{name}/Dockerfile: it puts no build.sh of the repository into $SRC"


# A program that says of itself what rollcall-fuzz says; a target may have no seeds.
FUZZ = """case $1 in
  --list) printf 'dns reader\\ndns-txt reader\\ncanary canary\\n' ;;
  --dictionary) echo '"word"' ;;
  --seeds) [ "$ROLLCALL_FUZZ" = dns-txt ] || echo seed >"$2/seed-0" ;;
esac"""


def fuzz_build(root):
    """Runs build.sh with a compiler that only says where the program is."""
    with tempfile.TemporaryDirectory() as folder:
        built, out = pathlib.Path(folder) / "built", pathlib.Path(folder) / "out"
        built.mkdir()
        (built / "rollcall-fuzz").write_text("#!/usr/bin/env bash\n" + FUZZ + "\n")
        (built / "rollcall-fuzz").chmod(0o755)
        (built / "libpcap.so.0.8").touch()
        stubs = {
            "swift": f'for word; do [ "$word" != --show-bin-path ] || echo {built}; done', "patchelf": ":",
            "ldd": f"echo 'libpcap.so.0.8 => {built}/libpcap.so.0.8 (0x1)'; echo 'libc.so.6 => /lib/libc.so.6 (0x2)'"}
        code = run([f"{PLACE}/oss-fuzz/build.sh"], root, {"OUT": str(out)}, stubs)
        if code != 0:
            yield f"oss-fuzz/build.sh: it ends with {code}"
            return
        # OSS-Fuzz knows by these names what they are.
        wanted = ["fuzz-dns_seed_corpus.zip", "lib/libpcap.so.0.8"]
        wanted += [f"fuzz-{target}{end}" for target in ["dns", "dns-txt"] for end in ["", ".dict", ".options"]]
        found = [str(file.relative_to(out)) for file in out.rglob("*") if file.is_file()]
        if sorted(found) != sorted(wanted):
            yield f"oss-fuzz/build.sh: it makes {' '.join(sorted(found))}, and not {' '.join(sorted(wanted))}"


# A tool that keeps one line for each call in its folder, and prints how many there are.
TOOL = """while [ "$1" != -o ]; do shift; done
mkdir -p "$2"
echo call >>"$2/results"
wc -l <"$2/results" >>CALLS
"""


def shell(root):
    """shard.sh and merge.sh with a tool that is killed, told to end, and left alone."""
    shard, merge = str(root / PLACE / "shard.sh"), str(root / PLACE / "merge.sh")
    with Calls() as calls, tempfile.TemporaryDirectory() as results:
        def part(end, number=1, place=results):
            tool = TOOL.replace("CALLS", str(calls.path)) + end
            code = run([shard, f"{number}/2", place, "swarm"], root, {}, {"rollcall": tool})
            return code, calls.lines()

        # The second attempt finds what the first one kept, the third what the second kept.
        attempts = [part("kill -KILL $$"), part("exit 130"), part("exit 1")]
        if attempts != [(137, ["1"]), (130, ["2"]), (1, ["3"])]:
            yield f"shard.sh: attempts that are killed, interrupted and left alone come to {attempts}"
        # $PPID is shard.sh itself; what it is told has to reach the tool.
        told = part("trap 'exit 130' TERM; kill -TERM $PPID; for _ in $(seq 50); do sleep 0.1; done; exit 0")
        if told != (130, ["4"]):
            yield f"shard.sh: the tool does not hear of a signal: {told}"
        refused = part("exit 0", place=shard)
        if refused[0] != 75:
            yield f"shard.sh: results that cannot be put anywhere are {refused[0]}, and not 75"
        part("exit 0", number=2)
        count = 'for word; do [ ! -f "$word/results" ] || echo "$word"; done | wc -l; mkdir -p "${!#}"; exit 1'
        code = run([merge, results], root, {}, {"rollcall": count})
        report = pathlib.Path(results) / "report.txt"
        if code != 1 or not report.exists() or report.read_text().split() != ["2"]:
            yield f"merge.sh: it ends with {code}, and has not merged two parts"
        with tempfile.TemporaryDirectory() as empty:
            if run([merge, empty], root, {}, {"rollcall": "exit 0"}) != 5:
                yield "merge.sh: where there is no part, runs are missing"


CHECKS = {
    "shell": shell, "kubernetes": kubernetes, "slurm": slurm, "github": github, "oss-fuzz": oss_fuzz, "build": fuzz_build}
# Check, file, what stands there, what stands there in the copy, what has to be said of it.
MISTAKES = [
    ("kubernetes", "kubernetes/shards.yaml", "backoffLimitPerIndex: 4", "backoffLimitPerIndexes: 4", "schema"),
    ("kubernetes", "kubernetes/claim.yaml", "kind: PersistentVolumeClaim", "kind: PersistentVolume", "schema"),
    ("kubernetes", "kubernetes/shards.yaml", "completions: 20", "completions: 19", "not 1/20 to 20/20"),
    ("kubernetes", "kubernetes/shards.yaml", 'value: "20"', 'value: "21"', "not 1/20 to 20/20"),
    ("kubernetes", "kubernetes/shards.yaml", "JOB_COMPLETION_INDEX + 1", "JOB_COMPLETION_INDEX", "not 1/20 to 20/20"),
    ("kubernetes", "kubernetes/shards.yaml", "[75, 129,", "[1, 75, 129,", "another try"),
    ("kubernetes", "kubernetes/merge.yaml", "operator: NotIn", "operator: In", "another try"),
    ("kubernetes", "kubernetes/merge.yaml", "claimName: rollcall-results", "claimName: results", "not at /results"),
    ("kubernetes", "kubernetes/merge.yaml", "restartPolicy: Never", "restartPolicy: OnFailure", "has to be Never"),
    ("kubernetes", "kubernetes/Containerfile", "machines/merge.sh", "machines/merged.sh", "no program"),
    ("slurm", "slurm/array.sbatch", "75 | 129", "5 | 75 | 129", "another try"),
    ("slurm", "slurm/array.sbatch", "$SLURM_ARRAY_TASK_COUNT", "19", "not 1/20 to 20/20"),
    ("slurm", "slurm/array.sbatch", "-lt $((attempts - 1))", "-ge 0", "for ever"),
    ("slurm", "slurm/array.sbatch", 'exit "$code"', "exit 0", "code of its part"),
    ("slurm", "slurm/submit.sh", "SHARDS:-20", "SHARDS:-10", "not 1/20 to 20/20"),
    ("slurm", "slurm/submit.sh", "afterany:", "afterok:", "afterany"),
    ("github", "github-actions/campaign.yml", "runs-on: ubuntu-24.04", "runs_on: ubuntu-24.04", "schema"),
    ("github", "github-actions/campaign.yml", "19, 20]", "20]", "not 1/20 to 20/20"),
    ("github", "github-actions/campaign.yml", "129 | 130", "130", "another try"),
    ("github", "github-actions/campaign.yml", "1) exit 0", "1 | 2) exit 0", "green for"),
    ("github", "github-actions/campaign.yml", "    if: ${{ !cancelled() }}\n    runs-on", "    runs-on", "however they end"),
    ("oss-fuzz", "oss-fuzz/project.yaml", "main_repo", "main_repository", "there is no key main_repository"),
    ("oss-fuzz", "oss-fuzz/project.yaml", "- address", "- adress", "sanitizers is adress"),
    ("oss-fuzz", "oss-fuzz/project.yaml", "primary_contact", "auto_ccs", "primary_contact is missing"),
    ("oss-fuzz", "clusterfuzzlite/project.yaml", "language: swift", "language: Swift", "language is Swift"),
    ("oss-fuzz", "clusterfuzzlite/Dockerfile", "oss-fuzz/build.sh", "build.sh", "no build.sh of the repository"),
    ("oss-fuzz", "oss-fuzz/Dockerfile", "base-builder-swift", "base-builder", "image for Swift"),
    ("build", "oss-fuzz/build.sh", '[ "$kind" != canary ] || continue', "", "and not"),
    ("build", "oss-fuzz/build.sh", '.dict"', '.dictionary"', "and not"),
    ("build", "oss-fuzz/build.sh", "_seed_corpus.zip", "_corpus.zip", "and not"),
    ("build", "oss-fuzz/build.sh", "(libpcap|", "(", "and not"),
    ("shell", "shard.sh", 'tar -xf "$kept"', ': "$kept"', "attempts that"),
    ("shell", "shard.sh", 'exit "$code"', "exit 0", "attempts that"),
    ("shell", "shard.sh", 'kill -TERM "$tool"', ":", "hear of a signal"),
    ("shell", "shard.sh", "temporary=75", "temporary=2", "and not 75"),
    ("shell", "merge.sh", "parts+=", "parts=", "two parts"),
    ("shell", "merge.sh", "exit 5", "exit 0", "no part"),
]


def copy_of(folder):
    root = pathlib.Path(folder)
    shutil.copytree(ROOT / PLACE, root / PLACE)
    (root / "docs").mkdir()
    shutil.copy(ROOT / PAGE, root / PAGE)
    os.symlink(ROOT / "Tests", root / "Tests")
    return root


def as_it_is(check):
    return list(CHECKS[check](ROOT))


def with_mistake(mistake):
    """What a check says of a copy with one mistake, where it does not say what it has to."""
    check, name, before, after, said = mistake
    with tempfile.TemporaryDirectory() as folder:
        root = copy_of(folder)
        file = root / PLACE / name
        text = file.read_text()
        if before not in text:
            return [f"{name} has no '{before}' to be made a mistake of"]
        file.write_text(text.replace(before, after))
        file.chmod(stat.S_IMODE((ROOT / PLACE / name).stat().st_mode))
        found = []
        for problem in CHECKS[check](root):
            found.append(problem)
            if said in problem:
                return []
        return [f"{name} with '{after}' is not refused: {found}"]


def main():
    codes, again = codes_of_page(ROOT)
    if not again or not set(again) < set(codes):
        sys.exit(f"machines-check: {PAGE} has no table of exit codes")
    # Processes, no threads: a program that another thread has just written is refused while its file is open somewhere.
    with concurrent.futures.ProcessPoolExecutor() as pool:
        found = [*pool.map(as_it_is, CHECKS), *pool.map(with_mistake, MISTAKES)]
    problems = [problem for some in found for problem in some]
    for problem in problems:
        print(f"machines-check: {problem}", file=sys.stderr)
    if problems:
        sys.exit(1)
    print("machines: Slurm, Kubernetes, GitHub Actions, OSS-Fuzz and ClusterFuzzLite are handed what docs/many-machines.md"
          f" says; {len(MISTAKES)} mistakes refused")


if __name__ == "__main__":
    main()
