"""Nanoseconds of CPU that python-zeroconf takes to read one message of multicast DNS with all its records.

zeroconf-read.py compiled|source HEX RECORDS REPEATS

The package comes with the same code twice: compiled to C, which is what an import takes, and its source in Python.
"""
import importlib.machinery
import sys
import time

kind, text, records, repeats = sys.argv[1], bytes.fromhex(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
if kind == "source":

    def only_source(path):
        if "/zeroconf" not in path:
            raise ImportError
        return importlib.machinery.FileFinder(path, (importlib.machinery.SourceFileLoader, [".py"]))

    sys.path_hooks.insert(0, only_source)

from zeroconf import DNSIncoming  # noqa: E402
import zeroconf._protocol.incoming as read  # noqa: E402

if read.__file__.endswith(".py") != (kind == "source"):
    sys.exit(f"{read.__file__} is not the {kind} one")
passes = []
for _ in range(5):
    began = time.process_time_ns()
    for _ in range(repeats):
        found = DNSIncoming(text).answers()
    passes.append((time.process_time_ns() - began) / repeats)
    if len(found) != records:
        sys.exit(f"{len(found)} records of {records}")
# The median, as of the other contenders.
print(round(sorted(passes)[2]))
