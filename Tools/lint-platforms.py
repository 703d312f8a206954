#!/usr/bin/env python3
"""lint-platforms.py: what stands above the platforms of Package.swift in the code that users link.

Nothing here can be compiled for Apple's systems. The interfaces of the standard library that come with the compiler say
since when each declaration is there; a name that is there only since a later system than the manifest's is an offence in
a target that a library product needs. What it does not see: Foundation, whose interface says nothing here, and a member
that has the name of an older one (but for `span` and `mutableSpan`, which arrays have since macOS 26)."""
import glob, json, os, re, subprocess, sys

MODULES = ["Swift", "_Concurrency", "_StringProcessing", "Synchronization", "Observation"]
# Features that are no names, and the modules that are not there at all before.
FEATURES = [
    (re.compile(r"<\s*let\s+\w+\s*:"), "an integer as a generic parameter", (26, 0)),
    (re.compile(r"\[\s*\w+\s+of\s+\w"), "an array in place, `[N of T]`", (26, 0)),
    (re.compile(r"\bisolated\s+deinit\b"), "isolated deinit", (15, 4)),
    (re.compile(r"\bimport\s+Runtime\b"), "the module Runtime", (26, 0)),
    (re.compile(r"\.(mutableSpan|span)\b"), "`span` of an array", (26, 0)),
]
DECLARATION = re.compile(r"\b(struct|class|enum|protocol|actor|func|var|let|typealias|case|macro|extension)\s+([\w.`]+)")


def interface(module):
    info = json.loads(subprocess.run(["swiftc", "-print-target-info"], capture_output=True, check=True).stdout)
    found = glob.glob(os.path.join(
        info["paths"]["runtimeResourcePath"], "*", module + ".swiftmodule", info["target"]["moduleTriple"] + ".swiftinterface"))
    if not found:
        sys.exit(f"lint-platforms: the compiler has no interface of {module} for {info['target']['moduleTriple']}")
    return open(found[0], encoding="utf-8").read()


def declarations(text):
    """Each public declaration: the type that it is in, or "", its name, the macOS that it is there since, and whether it
    belongs to the type and not to its values."""
    scopes, depth, since = [], 0, None
    for line in text.split("\n"):
        mark = re.search(r"@available\(macOS (\d+)(?:\.(\d+))?", line)
        if mark:
            since = max(since or (0, 0), (int(mark[1]), int(mark[2] or 0)))
        code = re.sub(r"@\w+(\([^)]*\))?", "", line)
        found = DECLARATION.search(code)
        change = line.count("{") - line.count("}")
        if found and not code.lstrip().startswith(("//", "#")):
            kind, name = found[1], found[2].strip("`")
            at = max([since or (0, 0)] + [scope[1] for scope in scopes])
            is_shown = "public" in code or kind == "case"
            if kind == "extension":
                name = name.split(".")[-1]
            elif is_shown and all(scope[2] for scope in scopes):
                yield (scopes[-1][3] if scopes else "", name, at, "static" in code)
            if change > 0:
                scopes.append((depth, at, kind in ("struct", "class", "enum", "protocol", "actor", "extension"), name))
            since = None
        elif change > 0:
            scopes.append((depth, (0, 0), False, ""))
        depth += change
        while scopes and depth <= scopes[-1][0]:
            scopes.pop()


def names_above(floor):
    """Names that are there only above the floor, of types and functions and of members of older types: since when, and
    whose, where it is written behind the name of its type."""
    found = [one for module in MODULES for one in declarations(interface(module))]
    first = {}
    for owner, name, since, is_static in found:
        first[name] = min(first.get(name, since), since)
    types = {name: since for owner, name, since, is_static in found if name[:1].isupper()}
    return {
        name: (since, owner if is_static else "") for owner, name, since, is_static in found
        if first[name] > floor and not name.startswith("_") and types.get(owner, (0, 0)) <= floor
    }


def code_of(text):
    """The text without comments and without what stands in string literals; lines stay lines."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])
    return re.sub(r'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*[\s\S]*?\*/', blank, text)


def offences(text, names):
    pattern = re.compile(r"(?<![\w])(" + "|".join(map(re.escape, sorted(names))) + r")(?![\w])")
    # What is for Linux alone is not compiled elsewhere.
    conditions = []
    for number, line in enumerate(code_of(text).split("\n"), 1):
        word = line.strip()
        if word.startswith("#if"):
            conditions.append(word == "#if os(Linux)")
        elif word.startswith(("#else", "#elseif")) and conditions:
            conditions[-1] = False
        elif word.startswith("#endif") and conditions:
            conditions.pop()
        if any(conditions):
            continue
        for match in pattern.finditer(line):
            name = match[1]
            (since, owner), before = names[name], line[: match.start()]
            # A member is written behind a full stop, one of a type behind its name; all else has a name of its own.
            if name[0].islower() and not (before.endswith(owner + ".") if owner else before.endswith(".")):
                continue
            yield number, f"`{name}` is there since macOS {since[0]}.{since[1]}"
        for feature, what, since in FEATURES:
            if feature.search(line):
                yield number, f"{what} is there since macOS {since[0]}.{since[1]}"


def check_itself(names, floor):
    for name in ["InlineArray", "UTF8Span", "utf8Span", "immediate"]:
        if name not in names:
            sys.exit(f"lint-platforms: {name} is not among what is above the floor: the interfaces are not understood")
    for name in ["Span", "RawSpan", "Mutex", "Atomic", "Duration", "Task", "withLock", "count"]:
        if name in names:
            sys.exit(f"lint-platforms: {name} is among what is above the floor: the interfaces are not understood")
    sample = [
        "// InlineArray", 'let a = "InlineArray"', "var b: InlineArray<3, Int>", "Task.immediate {}", "f(.immediate)",
        "let c = array.span", "#if os(Linux)", "import Runtime", "#else", "import Runtime", "#endif",
    ]
    found = [line for line, what in offences("\n".join(sample), names)]
    if found != [3, 4, 6, 10]:
        sys.exit(f"lint-platforms: offences of the sample are in lines {found}, and not in 3, 4, 6 and 10")


def linked_targets(package):
    """The sources of every target that a library product needs."""
    targets = {target["name"]: target for target in package["targets"]}
    open_names = [name for product in package["products"] if "library" in product["type"] for name in product["targets"]]
    closed = []
    while open_names:
        name = open_names.pop()
        if name in closed or name not in targets or targets[name]["type"] != "regular":
            continue
        closed.append(name)
        for dependency in targets[name]["dependencies"]:
            open_names += [value[0] for key, value in dependency.items() if key in ("byName", "target")]
    return sorted(targets[name]["path"] for name in closed)


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    dumped = subprocess.run(["swift", "package", "dump-package"], capture_output=True, text=True)
    if dumped.returncode != 0:
        sys.exit("lint-platforms: " + dumped.stderr)
    package = json.loads(dumped.stdout[dumped.stdout.index("{\n"):])
    platforms = {one["platformName"]: one["version"] for one in package["platforms"]}
    floor = tuple(int(part) for part in (platforms["macos"] + ".0").split(".")[:2])
    names = names_above(floor)
    check_itself(names, floor)
    paths = linked_targets(package)
    files, bad = 0, 0
    for path in paths:
        for file in sorted(glob.glob(path + "/**/*.swift", recursive=True)):
            files += 1
            for line, what in offences(open(file, encoding="utf-8").read(), names):
                bad += 1
                print(f"{file}:{line}: {what}, and the package is for macOS {platforms['macos']}", file=sys.stderr)
    if bad or files < 300:
        sys.exit(f"lint-platforms: {bad} offences in {files} files")
    print(f"lint: {files} files of {len(paths)} targets that users link need no more than macOS {platforms['macos']}"
          f" and iOS {platforms['ios']}, by {len(names)} names of the standard library")


main()
