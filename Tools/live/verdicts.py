"""The verdict of each probe, and of each clause that was judged, of an examination in JSON lines; sorted, without figures.

verdicts.py JSONL
"""

import sys

from examined import Examined

examined = Examined(sys.argv[1])
lines = [f"presence {examined.subject['presence']}"]
lines += [f"probe {name} {verdict}" for name, verdict in examined.probes.items()]
lines += [f"clause {name} {verdict}" for name, verdict in examined.clauses.items() if verdict != "notExercised"]
print("\n".join(sorted(lines)))
