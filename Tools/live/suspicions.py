"""Compares what examine says of a program with the reviewed table.

suspicions.py TABLE PROGRAM JSONL

A row of the table: | number | program version | suspicion | source | asked by | shows | verdict | what came |
`asked by` is a probe or a clause; `shows` is what examine says of it. Exit code 1 where one differs.
"""

import json
import sys

table, program, lines = sys.argv[1:4]
probes, clauses, server = {}, {}, None
with open(lines, encoding="utf-8") as file:
    for line in file:
        entry = json.loads(line)
        if entry["kind"] == "probe":
            probes[entry["probe"]] = (entry["verdict"], entry.get("remark", ""))
        elif entry["kind"] == "examined":
            server = entry.get("server")
        elif entry["kind"] == "summary":
            for clause, tally in entry["clauses"].items():
                verdict = next((word for word in ("violated", "inconclusive", "held") if tally[word]), "notExercised")
                clauses[clause] = (verdict, "")

rows = differing = 0
with open(table, encoding="utf-8") as file:
    for number, line in enumerate(file, 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) != 8 or cells[1].split(" ")[0] != program:
            continue
        rows += 1
        asked, shows = cells[4].strip("`"), cells[5]
        found = probes.get(asked) or clauses.get(asked)
        if found is None:
            print(f"{table}:{number}: {cells[0]}: nothing is said of {asked}")
        elif found[0] != shows:
            print(f"{table}:{number}: {cells[0]}: {asked}: the table says {shows}, examine says {found[0]} {found[1]}")
        else:
            continue
        differing += 1
if server:
    print(f"SERVER {server}")
print(f"{program}: {rows} rows of the table, {differing} differ")
sys.exit(1 if differing or not rows else 0)
