"""Compares what examine says of a program with the reviewed table.

suspicions.py TABLE PROGRAM JSONL

A row of the table: | number | program version | suspicion | source | asked by | shows | verdict | what came |
`asked by` is a probe or a clause; `shows` is what examine says of it. Exit code 1 where one differs.
"""

import sys

from examined import Examined

table, program, lines = sys.argv[1:4]
examined = Examined(lines)

rows = differing = 0
with open(table, encoding="utf-8") as file:
    for number, line in enumerate(file, 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) != 8 or cells[1].split(" ")[0] != program:
            continue
        rows += 1
        asked, shows = cells[4].strip("`"), cells[5]
        found = examined.probes.get(asked) or examined.clauses.get(asked)
        if found is None:
            print(f"{table}:{number}: {cells[0]}: nothing is said of {asked}")
        elif found != shows:
            remark = examined.remarks.get(asked, "")
            print(f"{table}:{number}: {cells[0]}: {asked}: the table says {shows}, examine says {found} {remark}")
        else:
            continue
        differing += 1
if examined.subject.get("server"):
    print(f"SERVER {examined.subject['server']}")
print(f"{program}: {rows} rows of the table, {differing} differ")
sys.exit(1 if differing or not rows else 0)
