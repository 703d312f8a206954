"""Prints the reports of a file of JSON lines without times, frame numbers and order, so that two ways can be compared.

reports.py FILE.jsonl
"""

import json
import sys

lines = []
with open(sys.argv[1], encoding="utf-8") as file:
    for line in file:
        entry = json.loads(line)
        if entry["kind"] != "report":
            continue
        for key in ("time", "frame"):
            entry.pop(key, None)
        if "services" in entry:
            entry["services"].sort()
        lines.append(json.dumps(entry, sort_keys=True))
print("\n".join(sorted(lines)))
