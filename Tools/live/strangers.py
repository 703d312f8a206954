"""Compares what is said of a program with the reviewed table of strangers.

strangers.py TABLE PROGRAM JSONL [part]

A row of the table: | program | clause | level | verdict | what came |
Each clause that is violated has a row, and each row of the program is violated; `part`: the first alone, for a run that
asks less. A row whose verdict is `false` is a fault of ours.
"""

import sys

from examined import Examined

table, program, lines = sys.argv[1:4]
is_part = sys.argv[4:] == ["part"]
examined = Examined(lines)
violated = {clause for clause, verdict in examined.clauses.items() if verdict == "violated"}
violated |= {probe for probe in examined.unlisted if examined.probes[probe] == "violated"}

rows, differing = set(), 0
if not examined.clauses:
    print(f"{lines}: nothing was judged")
    differing += 1
with open(table, encoding="utf-8") as file:
    for number, line in enumerate(file, 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) != 5 or cells[0].split(" ")[0] != program:
            continue
        clause, verdict = cells[1].strip("`"), cells[3].split(" ")[0].strip("*,:")
        rows.add(clause)
        if verdict not in ("true", "arguable"):
            print(f"{table}:{number}: {clause} is reviewed as {verdict}")
            differing += 1
        if clause not in violated and not is_part:
            print(f"{table}:{number}: {clause} is in the table, and was not found this time")
            differing += 1
for clause in sorted(violated - rows):
    print(f"{program}: {clause} was found, and nobody has reviewed it")
    differing += 1
print(f"{program}: {len(violated)} findings, {len(rows)} in the table, {differing} differ")
sys.exit(1 if differing else 0)
