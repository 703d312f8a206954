"""The verdict of each probe, and of each clause that was judged, of an examination in JSON lines; sorted, without figures.

verdicts.py JSONL
"""

import json
import sys

lines = []
with open(sys.argv[1], encoding="utf-8") as file:
    for line in file:
        entry = json.loads(line)
        if entry["kind"] == "probe":
            lines.append(f"probe {entry['probe']} {entry['verdict']}")
        elif entry["kind"] == "examined":
            lines.append(f"presence {entry['presence']}")
        elif entry["kind"] == "summary":
            for clause, tally in entry["clauses"].items():
                verdict = next((word for word in ("violated", "inconclusive", "held") if tally[word]), None)
                if verdict:
                    lines.append(f"clause {clause} {verdict}")
print("\n".join(sorted(lines)))
