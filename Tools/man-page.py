#!/usr/bin/env python3
"""man-page.py: the manual page of rollcall, from what `rollcall --experimental-dump-help` says of its commands.

man-page.py ROLLCALL writes it to standard output. `make man` writes docs/rollcall.1; `make install-check` compares."""
import json, re, subprocess, sys


def plain(text):
    """Text as roff shows it: no sign of it is a request or an escape."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def bold(text):
    return "\\fB" + plain(text) + "\\fR"


def italic(text):
    return "\\fI" + plain(text) + "\\fR"


def name(one):
    return "--" + one["name"] if one["kind"] == "long" else "-" + one["name"]


def is_flag(argument):
    return argument["kind"] == "flag"


def head(argument):
    """`--seed seed`, `-q, --quiet`, `paths...`"""
    if argument["kind"] == "positional":
        return italic(argument["valueName"]) + ("..." if argument["isRepeating"] else "")
    names = sorted(argument["names"], key=lambda one: one["kind"] == "long")
    text = ", ".join(bold(name(one)) for one in names)
    return text if is_flag(argument) else text + " " + italic(argument["valueName"])


def usage(command, path):
    words = [bold(path)]
    for argument in shown(command):
        if argument["kind"] == "positional":
            word = head(argument)
            words.append("[" + word + "]" if argument["isOptional"] else word)
    if any(argument["kind"] != "positional" for argument in shown(command)):
        words.insert(1, "[" + italic("options") + "]")
    if subcommands(command):
        words.append(italic("command"))
    return " ".join(words)


def shown(command):
    """Without what every command has."""
    return [one for one in command.get("arguments", []) if one["shouldDisplay"] and one["valueName"] not in ("help", "version")]


def subcommands(command):
    return [one for one in command.get("subcommands", []) if one["shouldDisplay"] and one["commandName"] != "help"]


def explanation(argument):
    text = argument.get("abstract", "")
    default = argument.get("defaultValue")
    values = argument.get("allValues")
    if values and not all(value in text for value in values):
        text += " One of " + ", ".join(values) + "."
    if default and not is_flag(argument) and default != "[]":
        text += f" By default {default}."
    return plain(text.strip() or argument["valueName"])


def discussion(text):
    """Paragraphs; lines that are commands stay lines."""
    lines = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        rows = paragraph.split("\n")
        is_example = all(re.match(r"\s*(rollcall|tcpdump|ROLLCALL_\w+=|make) ?", row) for row in rows)
        lines.append(".PP")
        lines += [".EX", *map(plain, rows), ".EE"] if is_example else [plain(" ".join(row.strip() for row in rows))]
    return lines


def section(command, path):
    lines = [f'.SS "{path.removeprefix("rollcall ")}"', usage(command, path), ".PP", plain(command.get("abstract", ""))]
    for argument in shown(command):
        lines += [".TP", head(argument), explanation(argument)]
    if command.get("discussion"):
        lines += discussion(command["discussion"])
    for one in subcommands(command):
        lines += section(one, path + " " + one["commandName"])
    return lines


def page(root, version):
    about, _, codes = root["discussion"].partition("Exit codes: ")
    lines = [
        '.\\" Written by Tools/man-page.py from the help of the commands: make man.',
        f'.TH ROLLCALL 1 "" "rollcall {version}" "User Commands"',
        ".SH NAME", "rollcall \\- " + plain(root["abstract"].rstrip(".")),
        ".SH SYNOPSIS", usage(root, "rollcall"), ".br", bold("rollcall help") + " [" + italic("command") + "]",
        ".SH DESCRIPTION",
        plain("A network simulator and conformance test harness for device discovery: SSDP and UPnP, multicast DNS, "
              "Bluetooth LE and nearby peers."),
    ]
    if about.strip():
        lines += discussion(about)
    lines.append(".SH COMMANDS")
    for one in subcommands(root):
        lines += section(one, "rollcall " + one["commandName"])
    lines.append(".SH EXIT STATUS")
    for code in re.split(r";\s*", codes.rstrip(". \n")):
        number, _, meaning = code.strip().partition(" ")
        lines += [".TP", bold(number), plain(meaning)]
    lines += [
        ".SH ENVIRONMENT", ".TP", bold("NO_COLOR") + ", " + bold("FORCE_COLOR") + ", " + bold("CLICOLOR_FORCE"),
        "Whether text has colours.", ".TP", bold("COLUMNS"), "How wide text may be.",
        ".SH SEE ALSO", bold("tshark") + "(1), " + bold("tcpdump") + "(8), " + bold("pcap-filter") + "(7)",
    ]
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    def say(*words):
        return subprocess.run([sys.argv[1], *words], capture_output=True, check=True, text=True).stdout
    help = json.loads(say("--experimental-dump-help"))
    sys.stdout.write(page(help["command"], say("--version").strip()))


main()
