#!/usr/bin/env python3
"""What foreign engines make of the scenarios, as a table: engines-table.py FOLDER NAME ...

FOLDER/NAME.jsonl is what `rollcall run --engine … --format json` wrote. Reasons come from Examples/engines/reasons.txt; a
failure that has none is told on standard error, and the exit code is 1.
"""

import collections
import fnmatch
import json
import pathlib
import re
import sys

REASONS = pathlib.Path(__file__).parent.parent / "Examples/engines/reasons.txt"


def reasons():
    """Of each engine its reasons in their order, by letter: a text, and what they explain (scenario, expectation)."""
    found, engines, letter = collections.defaultdict(dict), [], ""
    for line in REASONS.read_text().splitlines():
        if line.startswith("["):
            engines = line.strip("[]").split()
        elif line.startswith("  ") and engines:
            scenarios, _, expected = line.strip().partition(" / ")
            for engine in engines:
                found[engine][letter][1].extend((one, expected or ".") for one in scenarios.split())
        elif line and not line.startswith("#"):
            letter, _, text = line.partition(" ")
            for engine in engines:
                # A letter without a text has one from a section before.
                found[engine].setdefault(letter, (text.strip(), []))
    return found


class Engine:
    def __init__(self, folder, name, known):
        self.name, self.known = name, known
        self.runs = collections.defaultdict(list)
        self.skipped = {}
        for text in (folder / f"{name}.jsonl").read_text().splitlines():
            line = json.loads(text)
            if line["kind"] == "run":
                self.runs[scenario(line)].append(line)
            elif line["kind"] == "skipped":
                self.skipped[scenario(line)] = line["reason"]
        self.letters = collections.Counter()
        self.open = []

    def violated(self, name):
        """The expectations that fail in any run: id, and what was expected and found the first time."""
        found = {}
        for run in self.runs[name]:
            for one in run.get("expectations", []):
                if one["outcome"] not in ("held", "waived"):
                    found.setdefault(one["id"], f"{one.get('expected', '')}; found: {one.get('found', '')}")
        return found

    def letters_of(self, name, violated):
        found = []
        for letter, (_, rules) in self.known.items():
            for pattern, expected in rules:
                if fnmatch.fnmatch(name, pattern) and any(re.search(expected, text) for text in violated.values()):
                    found.append(letter)
                    break
        return sorted(found)

    def cell(self, name):
        if name in self.skipped:
            return "–"
        runs = self.runs.get(name, [])
        bad = [run for run in runs if run["outcome"] != "passed"]
        if not runs:
            return "–"
        if not bad:
            return "passes"
        if any(run["outcome"] == "error" for run in bad):
            self.open.append(f"{name}: {bad[0].get('message')}")
            return "**broken**"
        violated = self.violated(name)
        letters = self.letters_of(name, violated)
        self.letters.update(letters)
        if not letters:
            self.open.append(f"{name}: " + " | ".join(f"{key} {text}" for key, text in violated.items()))
        share = "" if len(bad) == len(runs) else f" in {len(bad)} of {len(runs)}"
        return " ".join(["fails", *violated]) + share + (f" ({', '.join(letters)})" if letters else " (?)")


def scenario(line):
    return pathlib.PurePath(line["scenario"]).stem


def main():
    folder, names = pathlib.Path(sys.argv[1]), sys.argv[2:]
    known = reasons()
    engines = [Engine(folder, name, known[name]) for name in names]
    scenarios = sorted(set().union(*(set(one.runs) | set(one.skipped) for one in engines)))
    cells = {name: [one.cell(name) for one in engines] for name in scenarios}
    print("# What foreign engines make of the scenarios\n")
    print("Written by `RECORD=1 make engines`; how the engines are made: [engines.md](engines.md). Each scenario of `Scenarios/ssdp` is")
    print("run with the seeds 1..3, but for five that are about hundreds of seeds. “fails e2” names the expectations of its file that do")
    print("not hold, “–” is a scenario that is not for a foreign engine; the letters stand for reasons, which follow the table.\n")
    print("| scenario | " + " | ".join(names) + " |")
    print("|---|" + "---|" * len(names))
    for name in scenarios:
        print(f"| `{name}` | " + " | ".join(cells[name]) + " |")
    passed = [sum(row[place] == "passes" for row in cells.values()) for place in range(len(names))]
    asked = [sum(row[place] != "–" for row in cells.values()) for place in range(len(names))]
    print("| **passed** | " + " | ".join(f"**{a} of {b}**" for a, b in zip(passed, asked)) + " |")
    for one in engines:
        print(f"\n## {one.name}\n\n| | why | scenarios |\n|---|---|---|")
        for letter, (text, _) in sorted(one.known.items()):
            if one.letters[letter]:
                print(f"| {letter} | {text} | {one.letters[letter]} |")
    for one in engines:
        for text in one.open:
            print(f"{one.name}: no reason is known for {text}", file=sys.stderr)
    sys.exit(any(one.open for one in engines))


if __name__ == "__main__":
    main()
