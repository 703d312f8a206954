"""What an examination says in JSON lines, for the scripts that compare it."""

import json


class Examined:
    """Probes and clauses by name, each with its verdict; who was examined, and what became of it."""

    def __init__(self, path):
        self.probes, self.remarks, self.clauses, self.subject = {}, {}, {}, {}
        # Hardening without a row in the catalogue.
        self.unlisted = []
        with open(path, encoding="utf-8") as file:
            for line in file:
                self.read(json.loads(line))

    def read(self, entry):
        if entry["kind"] == "probe":
            name = entry["probe"]
            self.probes[name], self.remarks[name] = entry["verdict"], entry.get("remark", "")
            if not entry.get("clause") and "clauses" not in entry:
                self.unlisted.append(name)
        elif entry["kind"] == "examined":
            self.subject = entry
        elif entry["kind"] == "summary":
            for clause, tally in entry["clauses"].items():
                verdict = next((word for word in ("violated", "inconclusive", "held") if tally[word]), "notExercised")
                self.clauses[clause] = verdict
