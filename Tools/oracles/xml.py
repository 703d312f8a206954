"""What ElementTree, which is expat below, makes of XML documents.

Every line of the input is a document in hexadecimal digits. The answer is a line of JSON: a list of `+{namespace}name
{namespace}attribute=value`, `'text` and `-{namespace}name` in the order of the document, or the number of expat's error.
"""

import json
import sys
import xml.etree.ElementTree as tree


def walk(element, events):
    attributes = "".join(f" {name}={value}" for name, value in element.attrib.items())
    events.append("+" + element.tag + attributes)
    if element.text:
        events.append("'" + element.text)
    for child in element:
        walk(child, events)
        if child.tail:
            events.append("'" + child.tail)
    events.append("-" + element.tag)


for line in sys.stdin:
    try:
        events = []
        walk(tree.fromstring(bytes.fromhex(line.strip())), events)
        print(json.dumps(events))
    except tree.ParseError as error:
        print(error.code)
    except (LookupError, ValueError):
        print(18)
