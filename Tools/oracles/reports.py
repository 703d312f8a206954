"""What other programs read in documents of results: junitparser in JUnit, tap.py in TAP, sarif-kit in SARIF.

Every line of the input is a question: a JSON object with `format` and `text`, a whole document. The answer is a line of
JSON with what the reader made of it, or `refused` and why.
"""

import contextlib
import io
import json
import re
import sys
from urllib.parse import unquote

import junitparser
from sarif_kit.validate import validation_errors
from tap.parser import Parser


def junit(text):
    document = junitparser.JUnitXml.fromstring(text.encode())
    suites = []
    for suite in document:
        # Counts that the file has, against those that are counted anew.
        told = [suite.tests, suite.failures, suite.errors, suite.skipped]
        suite.update_statistics()
        counted = [suite.tests, suite.failures, suite.errors, suite.skipped]
        cases = []
        for case in suite:
            results = [
                [type(one).__name__.lower(), one.message or "", one.type or "", one.text or ""] for one in case.result]
            cases.append({"name": case.name, "classname": case.classname, "results": results})
        suites.append({"name": suite.name, "told": told, "counted": counted, "cases": cases})
    return {"suites": suites}


def unescaped(text):
    """What a backslash stands for in TAP 14, which tap.py does not know."""
    return re.sub(r"\\(.)", r"\1", text)


def tap(text):
    lines = []
    said = io.StringIO()
    # Of a block of YAML that it cannot read tap.py only prints that.
    with contextlib.redirect_stdout(said):
        for line in Parser().parse_text(text):
            entry = {"category": line.category}
            if line.category == "version":
                entry["version"] = line.version
            elif line.category == "plan":
                entry["count"] = line.expected_tests
            elif line.category == "test":
                entry.update(
                    ok=line.ok, number=int(line.number), skip=line.skip, todo=line.todo,
                    reason=unescaped(line.directive.reason) if line.skip or line.todo else None,
                    text=unescaped(line.description), yaml=line.yaml_block)
            lines.append(entry)
    return {"lines": lines, "said": said.getvalue()}


def sarif(text):
    document = json.loads(text)
    problems = validation_errors(document)
    results = []
    if problems:
        return {"problems": problems, "results": results}
    for run in document["runs"]:
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        for one in run["results"]:
            place = one["locations"][0]["physicalLocation"]
            region = place.get("region", {})
            results.append({
                "rule": one["ruleId"], "isIndexed": rules[one["ruleIndex"]] == one["ruleId"], "level": one["level"],
                "file": unquote(place["artifactLocation"]["uri"]), "line": region.get("startLine"),
                "column": region.get("startColumn"), "text": one["message"]["text"],
                "isSuppressed": bool(one.get("suppressions"))})
    return {"problems": problems, "results": results}


readers = {"junit": junit, "tap": tap, "sarif": sarif}
for question in sys.stdin:
    asked = json.loads(question)
    try:
        answer = readers[asked["format"]](asked["text"])
    except Exception as failure:
        answer = {"refused": f"{type(failure).__name__}: {failure}"}
    print(json.dumps(answer))
