"""Joins what tcpdump wrote into one pcapng and writes about.yaml beside it, with the facts that the file really holds.

    write-capture.py SCENE-FOLDER OUTPUT-FOLDER NAME=VALUE...

SCENE-FOLDER holds `INTERFACE.pcap` files (nanoseconds), `events` (epoch, tab, text) and `commands` (the same).
Values: title, why, network, software (lines), need (`kind>=N` or `kind=N`, several). Exits 1 where a need is not met.
"""

import hashlib
import ipaddress
import pathlib
import re
import struct
import sys
import time

ETHERNET, LINUX_SLL2 = 1, 276
KINDS = {"ssdp:alive": "notify-alive", "ssdp:byebye": "notify-byebye", "ssdp:update": "notify-update"}


class Message:
    """One SSDP datagram: where and when it was, and its headers with upper-cased names."""

    def __init__(self, frame, at, interface, source, destination, payload):
        self.frame, self.at, self.interface = frame, at, interface
        self.source, self.destination = source, destination
        start, *lines = payload.decode("latin-1").split("\r\n")
        self.headers = {}
        for line in lines:
            name, colon, value = line.partition(":")
            if colon:
                self.headers.setdefault(name.strip().upper(), value.strip())
        if start.startswith("M-SEARCH"):
            self.kind = "search"
        elif start.startswith("HTTP/"):
            self.kind = "response"
        else:
            self.kind = KINDS.get(self.headers.get("NTS"), "unknown")

    @property
    def usn(self):
        return self.headers.get("USN", "")

    @property
    def lease(self):
        digits = re.search(r"max-age\s*=\s*(\d+)", self.headers.get("CACHE-CONTROL", ""), re.I)
        return int(digits.group(1)) if digits else None


def read_pcap(path):
    """The link type and (nanoseconds, length on the wire, octets) of each frame of a little-endian nanosecond pcap."""
    data = path.read_bytes()
    magic, *_, link = struct.unpack_from("<IHHiIII", data)
    if magic != 0xA1B23C4D:
        raise SystemExit(f"{path}: not a little-endian pcap with nanoseconds")
    frames, offset = [], 24
    while offset + 16 <= len(data):
        seconds, nanoseconds, kept, wire = struct.unpack_from("<IIII", data, offset)
        frames.append((seconds * 10**9 + nanoseconds, wire, data[offset + 16 : offset + 16 + kept]))
        offset += 16 + kept
    return link, frames


def block(kind, body):
    return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)


def option(code, value):
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)


def write_pcapng(path, interfaces, frames):
    """No option that tells of the recording machine: each interface has its name and the clock's resolution only."""
    out = bytearray(block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)))
    for name, link in interfaces:
        out += block(1, struct.pack("<HHI", link, 0, 262144) + option(2, name.encode()) + option(9, b"\x09") + bytes(4))
    for at, index, wire, octets in frames:
        head = struct.pack("<IIIII", index, at >> 32, at & 0xFFFFFFFF, len(octets), wire)
        out += block(6, head + octets + bytes(-len(octets) % 4))
    path.write_bytes(out)


def dissect(link, octets):
    """The name of what the frame carries and, for UDP, (source, port, destination, port, payload)."""
    kind, packet = (octets[12:14], octets[14:]) if link == ETHERNET else (octets[0:2], octets[20:])
    if kind == b"\x08\x06":
        return "arp", None
    if kind == b"\x08\x00":
        protocol, head = packet[9], (packet[0] & 15) * 4
        source, destination = packet[12:16], packet[16:20]
    elif kind == b"\x86\xdd":
        protocol, head = packet[6], 40
        source, destination = packet[8:24], packet[24:40]
        if protocol == 0:
            protocol, head = packet[40], 40 + (packet[41] + 1) * 8
    else:
        return "other", None
    if protocol != 17:
        return {1: "icmp", 2: "igmp", 6: "tcp", 58: "icmpv6"}.get(protocol, "other"), None
    from_port, to_port, length = struct.unpack_from(">HHH", packet, head)
    payload = packet[head + 8 : head + length]
    return "udp", (ipaddress.ip_address(source), from_port, ipaddress.ip_address(destination), to_port, payload)


def endpoint(address, port):
    return f"[{address}]:{port}" if address.version == 6 else f"{address}:{port}"


def seconds(value):
    return f"{value:.3f}"


def span(messages):
    first, last = messages[0], messages[-1]
    frames = f"frame {first.frame}" if first is last else f"frames {first.frame} to {last.frame}"
    times = f"at {seconds(first.at)}" if first is last else f"{seconds(first.at)} to {seconds(last.at)}"
    return f"{times} s, {frames}"


def trains(messages):
    """Runs of one kind between the same two ends, with at most a second between neighbours."""
    open_runs, closed = {}, []
    for message in messages:
        key = (
            message.kind,
            message.interface,
            message.source,
            message.destination,
            message.headers.get("BOOTID.UPNP.ORG"),
            message.headers.get("LOCATION"),
            message.lease,
        )
        if message.kind == "search":
            key += (message.headers.get("ST"), message.headers.get("MX"))
        run = open_runs.get(key)
        if run and message.at - run[-1].at <= 1:
            run.append(message)
        else:
            open_runs[key] = run = [message]
            closed.append(run)
    return closed


def describe(run, several):
    first = run[0]
    h = first.headers
    text = f"{span(run)}: {len(run)} {first.kind} from {first.source} to {first.destination}"
    if several:
        text += f" on {first.interface}"
    if first.kind == "search":
        return text + f", ST {h.get('ST', 'missing')}, MX {h.get('MX', 'missing')}"
    text += f", {len({m.usn for m in run})} USN"
    if first.lease is not None:
        text += f", max-age {first.lease}"
    for name, short in (("BOOTID.UPNP.ORG", "BOOTID"), ("NEXTBOOTID.UPNP.ORG", "NEXTBOOTID")):
        if name in h:
            text += f", {short} {h[name]}"
    return text


def leases(messages, end):
    """Walks the leases of the file, one for each USN: (facts with their times, counts)."""
    ends, newest, boots, facts, counts = {}, {}, {}, [], {"expired": 0, "returned": 0, "rebooted": 0}
    expired, gone, margins = [], set(), {}

    def expire(until):
        for usn in [u for u, e in ends.items() if e < until]:
            expired.append((ends.pop(usn), usn, newest[usn]))
            gone.add(usn)

    for message in messages:
        expire(message.at)
        usn, device = message.usn, message.usn.split("::")[0]
        if message.kind == "notify-byebye":
            ends.pop(usn, None)
            gone.discard(usn)
        elif message.kind in ("notify-alive", "response") and usn and message.lease is not None:
            if usn in ends:
                left = ends[usn] - message.at
                if device not in margins or left < margins[device][0]:
                    margins[device] = (left, message, newest[usn])
            if usn in gone:
                gone.discard(usn)
                counts["returned"] += 1
                place = f"at {seconds(message.at)} s, frame {message.frame}"
                facts.append((message.at, f"back after its lease had ended: {usn} {place}"))
            boot = message.headers.get("BOOTID.UPNP.ORG")
            if boot and usn in ends and usn in boots and int(boot) > int(boots[usn]):
                counts["rebooted"] += 1
            boots[usn] = boot
            ends[usn], newest[usn] = message.at + message.lease, message
    expire(end)
    counts["expired"] = len(expired)
    for device in sorted({usn.split("::")[0] for _, usn, _ in expired}):
        rows = sorted((e, u, m) for e, u, m in expired if u.split("::")[0] == device)
        groups = [[rows[0]]]
        for row in rows[1:]:
            groups[-1].append(row) if row[0] - groups[-1][-1][0] < 3 else groups.append([row])
        for group in groups:
            last = max((m for _, _, m in group), key=lambda m: m.at)
            facts.append(
                (
                    group[-1][0],
                    f"leases of {len(group)} USN of {device} end unrenewed, the first at {seconds(group[0][0])} s, "
                    f"the last at {seconds(group[-1][0])} s: newest {last.kind} at {seconds(last.at)} s, "
                    f"frame {last.frame}, max-age {last.lease}",
                )
            )
    notes = [
        f"closest renewal of {device}: {seconds(left)} s before the lease's end, {message.kind} at "
        f"{seconds(message.at)} s, frame {message.frame}, after frame {before.frame}"
        for device, (left, message, before) in sorted(margins.items())
    ]
    for device in sorted({u.split("::")[0] for u in ends}):
        left = [e for u, e in ends.items() if u.split("::")[0] == device]
        last = seconds(max(left))
        notes.append(f"leases of {len(left)} USN of {device} are open at the end; the last would end at {last} s")
    return facts, notes, counts


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def main():
    scene, output = map(pathlib.Path, sys.argv[1:3])
    values = dict(argument.split("=", 1) for argument in sys.argv[3:])
    interfaces, frames = [], []
    for index, path in enumerate(sorted(scene.glob("*.pcap"))):
        link, found = read_pcap(path)
        interfaces.append((path.stem, link))
        frames += [(at, index, wire, octets) for at, wire, octets in found]
    frames.sort(key=lambda frame: (frame[0], frame[1]))
    if not frames:
        raise SystemExit("no frame was captured")
    began = frames[0][0]
    output.mkdir(parents=True, exist_ok=True)
    capture = output / "capture.pcapng"
    write_pcapng(capture, interfaces, frames)

    kinds, messages = {}, []
    for number, (at, index, _, octets) in enumerate(frames, 1):
        kind, datagram = dissect(interfaces[index][1], octets)
        if datagram and 1900 in (datagram[1], datagram[3]) and datagram[4]:
            source, destination = endpoint(*datagram[0:2]), endpoint(*datagram[2:4])
            message = Message(number, (at - began) / 1e9, interfaces[index][0], source, destination, datagram[4])
            messages.append(message)
            kind = message.kind
        elif datagram and datagram[3] == 5353 and len(datagram[4]) >= 12:
            kind = "mdns-response" if datagram[4][2] & 0x80 else "mdns-query"
        kinds[kind] = kinds.get(kind, 0) + 1

    duration = (frames[-1][0] - began) / 1e9
    facts, notes, counts = leases(messages, duration)
    facts += [(run[0].at, describe(run, len(interfaces) > 1)) for run in trains(messages)]
    for line in (scene / "events").read_text().splitlines():
        at, text = line.split("\t", 1)
        moment = float(at) - began / 1e9
        facts.append((moment, f"at {seconds(moment)} s: {text}"))
    commands = []
    for line in (scene / "commands").read_text().splitlines():
        at, text = line.split("\t", 1)
        commands.append(f"{float(at) - began / 1e9:+.1f} s {text}")

    links = {ETHERNET: "Ethernet", LINUX_SLL2: "Linux cooked v2"}
    lines = [f"title: {quoted(values['title'])}", f"why: {quoted(values['why'])}", "software:"]
    lines += [f"  {line}" for line in values["software"].splitlines() if line]
    lines += ["network:"] + [f"  - {quoted(line)}" for line in values["network"].splitlines() if line]
    lines += ["commands:"] + [f"  - {quoted(line)}" for line in commands]
    lines += [f"recorded: {time.strftime('%Y-%m-%d', time.gmtime(began // 10**9))}"]
    lines += ["interfaces:"] + [f"  - {{ name: {name}, link: {links.get(link, link)} }}" for name, link in interfaces]
    lines += [f"frames: {len(frames)}", f"octets: {capture.stat().st_size}", f"duration: {duration:.9f}", "kinds:"]
    lines += [f"  {kind}: {kinds[kind]}" for kind in sorted(kinds)]
    lines += ["licence: Apache-2.0 (recorded by the project)"]
    lines += [f"sha256: {hashlib.sha256(capture.read_bytes()).hexdigest()}"]
    lines += ["expect: # seconds since the first frame"]
    lines += [f"  - {quoted(text)}" for _, text in sorted(facts, key=lambda fact: fact[0])]
    lines += [f"  - {quoted(note)}" for note in notes]
    (output / "about.yaml").write_text("\n".join(lines) + "\n")

    unmet = []
    for need in values.get("need", "").split():
        kind, sign, number = re.fullmatch(r"([\w-]+)(>=|=)(\d+)", need).groups()
        found = {**kinds, **counts}.get(kind, 0)
        if found < int(number) if sign == ">=" else found != int(number):
            unmet.append(f"{need}, found {found}")
    if unmet:
        raise SystemExit("not what the scene is for: " + "; ".join(unmet))
    print(f"{output.name}: {len(frames)} frames, {capture.stat().st_size} octets, {duration:.1f} s")


main()
