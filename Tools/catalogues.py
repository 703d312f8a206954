#!/usr/bin/env python3
"""catalogues.py: the pages of the documentation that list clauses, quirks and faults, from what rollcall says of them.

catalogues.py ROLLCALL [--check]: writes Sources/Facade/Rollcall.docc/Catalogues, or compares (`make install-check`)."""
import json, os, re, subprocess, sys

FOLDER = "Sources/Facade/Rollcall.docc/Catalogues"
HEAD = ("# %s\n\n%s\n\n@Comment {\n  Made by Tools/catalogues.py: `make catalogues` writes it anew.\n}\n\n## Overview\n\n%s\n")


def ask(program, *words):
    return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout


def rows(program, *words):
    return [json.loads(line) for line in ask(program, "clauses", *words, "--format", "json").splitlines()]


def plain(text):
    """Text as a cell shows it: no sign of it is markup."""
    return re.sub(r"([\\`*_<>|\[\]~])", r"\\\1", text)


def table(heads, lines):
    return "".join("| %s |\n" % " | ".join(cells) for cells in [heads, ["---"] * len(heads)] + lines)


JUDGED = {"checked": "in captures and runs", "implied": "by another clause", "needs-probe": "not yet: it takes a probe",
          "needs-description": "not yet: it takes the description", "untestable": "not: it cannot be seen"}
BINDS = {"device": "a device", "controlPoint": "a control point", "either": "both"}


def judged(row):
    if row.get("examine"):
        return " or ".join("`examine %s`" % one for one in row["examine"])
    return JUDGED[row["status"]]


def level(row):
    binding = row["level"] if row["since"] in ("1.0", "RFC 6762", "RFC 6763") else row["level"] + ", from %s on" % row["since"]
    return binding + (", until %s" % row["until"] if "until" in row else "")


def clauses(list_of_rows):
    """A table for each place of the standard, in the order of the catalogue."""
    places = {}
    for row in list_of_rows:
        places.setdefault(row["place"], []).append(row)
    text = ""
    for place, those in places.items():
        text += "\n## %s\n\n" % (place[0].upper() + place[1:])
        text += table(["clause", "level", "binds", "says", "judged", "remedy"], [
            ["`%s`" % row["id"], level(row), BINDS[row["binds"]], plain(row["gist"]), judged(row), plain(row["remedy"])]
            for row in those])
    return text


def ledger(list_of_rows):
    return "\n" + table(["rule", "says", "state"], [
        ["`%s`" % row["id"], plain(row["gist"]), row["state"]] for row in list_of_rows])


def section(reference, title):
    """The text of a section of the page on the language of scenarios."""
    found = re.search(r"^## %s\n(.*?)(?=^## |\Z)" % re.escape(title), reference, re.S | re.M)
    if not found:
        sys.exit("catalogues: rollcall explain --reference has no section '%s'" % title)
    return "\n## %s\n%s\n" % (title, found[1].rstrip("\n"))


def pages(program):
    """Texts by the names of their files."""
    every = rows(program)
    kinds = {"upnp": [], "mdns": [], "bluetooth": []}
    for row in every:
        kind = "mdns" if "RFC" in row["document"] else "bluetooth" if "Bluetooth" in row["document"] else "upnp"
        kinds[kind].append(row)
    reference = ask(program, "explain", "--reference")
    explained = "`rollcall clauses ID` explains one; `rollcall judge` finds breaches in captures."
    count = "%d clauses. " + explained
    return {
        "Clauses-of-UPnP.md": HEAD % (
            "Clauses of UPnP discovery", "What devices and control points have to do, clause by clause.",
            count % len(kinds["upnp"])) + clauses(kinds["upnp"]),
        "Clauses-of-multicast-DNS.md": HEAD % (
            "Clauses of multicast DNS", "What responders and queriers have to do, clause by clause.",
            count % len(kinds["mdns"])) + clauses(kinds["mdns"]),
        "Clauses-of-Bluetooth.md": HEAD % (
            "Clauses of Bluetooth LE", "What peripherals have to do, and what an application may rely on.",
            count % len(kinds["bluetooth"])) + clauses(kinds["bluetooth"]) + "\n## The ledger\n" +
            ledger(rows(program, "CB", "AD")),
        "Rules-of-nearby-peers.md": HEAD % (
            "Rules of nearby peers", "What an application of MultipeerConnectivity may rely on, and what devices do wrong.",
            "`rollcall clauses MP MX` names the test behind each.") + ledger(rows(program, "MP", "MX")),
        "Quirks-and-faults.md": HEAD % (
            "Quirks and faults", "What real devices do wrong, and what can be planted into the engine.",
            "A quirk is a word of an inhabitant in a scenario; a fault is what `bites` names, so that a scenario is seen to fail.") +
            section(reference, "Quirks of devices") + section(reference, "Quirks of peripherals") +
            section(reference, "Faults of the engine, for `bites`") +
            section(reference, "Faults of nearby peers, for `bites`"),
    }


def main():
    program, check = sys.argv[1], sys.argv[2:] == ["--check"]
    made = pages(program)
    there = set(os.listdir(FOLDER)) if os.path.isdir(FOLDER) else set()
    if check:
        stale = sorted(there ^ set(made))
        for name in sorted(there & set(made)):
            with open(os.path.join(FOLDER, name)) as file:
                if file.read() != made[name]:
                    stale.append(name)
        if stale:
            sys.exit("catalogues: not what rollcall says of itself: %s; make catalogues writes them" % ", ".join(stale))
        return
    os.makedirs(FOLDER, exist_ok=True)
    for name in there - set(made):
        os.remove(os.path.join(FOLDER, name))
    for name, text in made.items():
        with open(os.path.join(FOLDER, name), "w") as file:
            file.write(text)


main()
