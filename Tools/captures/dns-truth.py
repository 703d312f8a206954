#!/usr/bin/env python3
"""What tshark reads in the multicast DNS of a capture, as JSON: dns-truth.py CAPTURE"""
import json
import subprocess
import sys

FIELDS = (
    "frame.number dns.flags.response dns.id dns.count.queries dns.count.answers dns.count.auth_rr dns.count.add_rr "
    "dns.qry.name dns.qry.type dns.qry.qu dns.resp.name dns.resp.type dns.resp.ttl"
).split()

command = ["tshark", "-r", sys.argv[1], "-Y", "mdns", "-T", "fields", "-E", "separator=/t", "-E", "occurrence=a"]
command += ["-E", "aggregator=|"] + [part for field in FIELDS for part in ("-e", field)]
messages = []
for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
    values = (line.split("\t") + [""] * len(FIELDS))[: len(FIELDS)]
    lists = [value.split("|") if value else [] for value in values]
    message = {"frame": int(values[0]), "response": values[1] in ("1", "True"), "id": values[2]}
    message["counts"] = [int(value) for value in values[3:7]]
    if lists[7]:
        message["questions"] = [list(one) for one in zip(*lists[7:10])]
    if lists[10]:
        message["records"] = [list(one) for one in zip(*lists[10:13])]
    messages.append(message)
print('{"mdns": [\n' + ",\n".join(json.dumps(message) for message in messages) + "\n]}")
