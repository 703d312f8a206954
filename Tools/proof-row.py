"""Puts one measured row into the table of fuzz targets in PROOFS.md; the other rows stay as they are.

proof-row.py PROOFS.md TARGET KIND EXECUTIONS EDGES CORPUS FINDS MEMORY SECONDS
proof-row.py PROOFS.md line NAME    the row NAME of the other proofs, its text from standard input
"""
import datetime
import os
import platform
import re
import subprocess
import sys

BEGIN, END = "<!-- fuzz table -->", "<!-- end of fuzz table -->"
HEAD = (
    "| target | kind | executions | coverage (edges) | corpus | finds | peak memory (MB) | seconds | measured |\n"
    "|---|---|---:|---:|---:|---:|---:|---:|---|\n"
)
INTRO = """# Proofs

Long runs by number, as they were measured; `make prove` writes the table. Nothing here is an estimate: a target without
a row, or with fewer executions than it ought to have (10 000 000 for readers, 1 000 000 for machines), is still to be
run.

## Fuzz targets under libFuzzer

*Edges* are what libFuzzer counts as covered in the whole program, *corpus* the inputs that it kept, *finds* crashes,
hangs (60 s) and growth (1 GB) in that run. Inputs have at most 4 096 bytes, those of the scenario target 1 400. What each
target asserts stands in `Sources/FuzzTargets`.

"""


def machine() -> str:
    system = "unknown system"
    if os.path.exists("/etc/os-release"):
        fields = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', open("/etc/os-release").read(), re.M))
        system = f"{fields.get('NAME', '').split()[0]} {fields.get('VERSION_ID', '')}".strip()
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout
    version = re.search(r"Swift version (\S+)", swift)
    return f"{os.cpu_count()} cores {platform.machine()}, {system}, Swift {version.group(1) if version else '?'}"


def put_line(path: str, name: str, result: str) -> None:
    """Writes a row of the table of other proofs, and the table where there is none."""
    begin, end = "<!-- other proofs -->", "<!-- end of other proofs -->"
    text = open(path).read()
    if begin not in text:
        text = text.rstrip() + f"\n\n## Scenarios under many seeds, and mutants\n\n{begin}\n{end}\n"
    before, rest = text.split(begin, 1)
    table, after = rest.split(end, 1)
    rows = {line.split("|")[1].strip(): line for line in table.strip().splitlines()[2:]}
    rows[name] = f"| {name} | {result} | {datetime.date.today().isoformat()}, {machine()} |"
    head = "| proof | result | measured |\n|---|---|---|\n"
    open(path, "w").write(before + begin + "\n" + head + "\n".join(rows[key] for key in sorted(rows)) + "\n" + end + after)


if sys.argv[2] == "line":
    put_line(sys.argv[1], sys.argv[3], " ".join(sys.stdin.read().split()).replace("|", "/"))
    sys.exit(0)
path, target, kind, executions, edges, corpus, finds, memory, seconds = sys.argv[1:]
text = open(path).read() if os.path.exists(path) else ""
if BEGIN not in text:
    text = (text.rstrip() + "\n\n" if text else "") + (INTRO if not text else INTRO.split("\n", 2)[2]) + BEGIN + "\n" + HEAD + END + "\n"
before, rest = text.split(BEGIN, 1)
table, after = rest.split(END, 1)
rows = {line.split("|")[1].strip(): line for line in table.strip().splitlines()[2:]}
day = datetime.date.today().isoformat()
values = [target, kind, f"{int(executions):,}".replace(",", " "), edges, corpus, finds, memory, seconds]
rows[target] = "| " + " | ".join(values + [f"{day}, {machine()}"]) + " |"
order = subprocess.run(
    [os.environ.get("FUZZ_PLAIN", ".build/debug/rollcall-fuzz"), "--list"], capture_output=True, text=True, env={**os.environ, "ROLLCALL_FUZZ": "canary"}
).stdout.split()[::2]
lines = [rows[name] for name in order if name in rows] + [rows[name] for name in sorted(rows) if name not in order]
open(path, "w").write(before + BEGIN + "\n" + HEAD + "\n".join(lines) + "\n" + END + after)
