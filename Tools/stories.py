"""stories.py FOLDER PAGE…: runs the commands of Markdown pages and compares; Tools/stories.sh prepares where.

Of a page it takes, in order:
  a fenced block with a language and a name (```yaml lamp.yaml): a file, written;
  a line indented by four blanks: a command for bash, which ends with 0, or with N where `# exit code N` stands behind it;
  a fenced block without a language behind a command: what the command prints.

A shown line that is `…`, blanks aside, stands for any number of lines, and `…` within a line for any characters; how
long something took is not compared. A story shows something red, and what it shows last is green."""
import os, re, subprocess, sys

PATIENCE = 120


def parts(page):
    """("file", line, name, lines), ("command", line, text, code) and ("shown", line, None, lines) in the order of the page;
    ("open", line, None, None) for a block without an end, in which all that follows would be lost."""
    found, block = [], None
    for number, line in enumerate(page.split("\n"), 1):
        if line.startswith("```"):
            if block is None:
                block = (number, line[3:].split(), [])
            else:
                start, words, lines = block
                if len(words) == 2:
                    found.append(("file", start, words[1], lines))
                elif not words:
                    found.append(("shown", start, None, lines))
                block = None
        elif block is not None:
            block[2].append(line)
        elif line.startswith("    "):
            code = re.search(r"\s+# exit code (\d+)$", line)
            text = line[4:code.start()] if code else line[4:]
            found.append(("command", number, text, int(code[1]) if code else 0))
    if block is not None:
        found.append(("open", block[0], None, None))
    return found


def matches(shown, line):
    def plain(text):
        return re.sub(r"in [0-9]+\.[0-9] s$", "in a while", text)
    pattern = ".*".join(re.escape(part) for part in plain(shown).split("…"))
    return re.fullmatch(pattern, plain(line)) is not None


def difference(shown, output):
    """What differs, as a sentence; None: nothing. The same rule as ShownCommands.difference of the tests."""
    place, loose = 0, False
    for line in shown:
        if line.strip() == "…":
            loose = True
            continue
        while loose and place < len(output) and not matches(line, output[place]):
            place += 1
        if place == len(output) or not matches(line, output[place]):
            found = "no such line behind it" if loose else output[place] if place < len(output) else "the end"
            return "line %d of the output\n  shown  %s\n  found  %s" % (place + 1, line, found)
        place, loose = place + 1, False
    if not loose and place < len(output):
        return "the output goes on where the page ends: " + output[place]
    return None


def problems(page, folder):
    """What a reader would stumble over, each with its line."""
    os.makedirs(folder)
    found, codes, output = [], [], None
    for kind, number, text, more in parts(page):
        if kind == "file":
            with open(os.path.join(folder, text), "x") as file:
                file.write("\n".join(more) + "\n")
        elif kind == "open":
            found.append("line %d: the block has no end" % number)
        elif kind == "shown":
            if output is None:
                found.append("line %d: output is shown, and no command stands before it" % number)
            elif unlike := difference(more, output):
                found.append("line %d: %s" % (number, unlike))
            output = None
        else:
            # One stream for both, as on a terminal.
            run = subprocess.run(["bash", "-c", text], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 stdin=subprocess.DEVNULL, text=True, timeout=PATIENCE)
            output = run.stdout.rstrip("\n").split("\n")
            if text.startswith("rollcall "):
                codes.append(run.returncode)
            if run.returncode != more:
                found.append("line %d: %s ends with %d, not %d\n%s"
                             % (number, text, run.returncode, more, run.stdout))
    if 1 not in codes or codes[-1] != 0:
        found.append("a story shows something red and ends with something green; its codes are %s" % codes)
    return found


# Pages that have to be refused, each with a word of the reason: a check that accepts them would accept everything.
RED = "    rollcall run none.yaml --only 'x' 2>/dev/null || false    # exit code 1\n\n"
GREEN = "    rollcall --version\n"
WRONG = [
    (RED + GREEN + "\n```\nanother version\n```\n", "shown  another version"),
    (RED + "    rollcall --version    # exit code 3\n", "ends with 0, not 3"),
    (RED + GREEN + "\n```\nrollcall\n\n" + GREEN, "the block has no end"),
    (GREEN, "shows something red"), (RED, "ends with something green"), ("```\nshown\n```\n" + RED + GREEN, "no command"),
]


def main():
    folder, pages = sys.argv[1], sys.argv[2:]
    for number, (page, reason) in enumerate(WRONG):
        found = problems(page, os.path.join(folder, "wrong-%d" % number))
        if len(found) != 1 or reason not in found[0]:
            sys.exit("stories: a wrong page was not refused with '%s' alone: %s" % (reason, found))
    bad = 0
    for path in pages:
        with open(path) as file:
            page = file.read()
        found = problems(page, os.path.join(folder, os.path.basename(path)))
        for problem in found:
            print("%s, %s" % (path, problem), file=sys.stderr)
        bad += bool(found)
        commands = sum(kind == "command" for kind, *_ in parts(page))
        print("%s  %s, %d commands" % ("differs    " if found else "as it shows", path, commands))
    if not pages or bad:
        sys.exit("stories: %d of %d pages differ from what happens" % (bad, len(pages)))


main()
