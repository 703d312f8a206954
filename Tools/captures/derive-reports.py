"""Derives from a capture what its reports should be, apart from Rollcall, for whoever reviews an expected.jsonl.

    derive-reports.py CAPTURE              prints the report lines
    derive-reports.py --check FOLDER...    compares each FOLDER/expected.jsonl with them; exits 1 where one differs

Rules, with the engine's default policies: a device is a UUID that announces upnp:rootdevice; a UUID that does not
belongs to the root with its LOCATION. A message holds for its max-age on the interface and family that it came by, and
a device is there while one holds. The byebye of any part that was announced on a path ends the device on that path, if
it comes from an address that announced it; for a second nothing but another BOOTID or another address brings the
device back. Another BOOTID is a reboot, NEXTBOOTID of an update is none. A LOCATION that names another host than its
sender cannot be used. A search listens for MX (1 to 120 s) and 0.1 s after its last copy; what was sent from one socket
with one target meanwhile is a copy.

It takes messages for well-formed and is far from a control point, but it is written from the rules alone.
"""

import ipaddress
import json
import pathlib
import re
import struct
import sys

SECOND = 10**9
ALL_PATHS = "all"


def frames(path):
    """(number, nanoseconds, interface, link type, octets) of a little-endian pcapng with nanoseconds."""
    data, links, number, offset = path.read_bytes(), [], 0, 0
    while offset < len(data):
        kind, length = struct.unpack_from("<II", data, offset)
        if kind == 1:
            links.append(struct.unpack_from("<H", data, offset + 8)[0])
        elif kind == 6:
            number += 1
            interface, high, low, kept, _ = struct.unpack_from("<IIIII", data, offset + 8)
            yield number, high << 32 | low, interface, links[interface], data[offset + 28 : offset + 28 + kept]
        offset += length


class Message:
    def __init__(self, number, at, interface, source, destination, payload):
        self.frame, self.at, self.source, self.destination = number, at, source, destination
        self.path = (interface, source[0].version)
        start, *lines = payload.decode("latin-1").split("\r\n")
        fields = {}
        for line in lines:
            name, colon, value = line.partition(":")
            if colon:
                fields.setdefault(name.strip().upper(), value.strip())
        self.kind = start.split(" ")[0] if start.startswith("M-SEARCH") else fields.get("NTS", "response")
        self.target = fields.get("NT") or fields.get("ST")
        self.usn = fields.get("USN", "")
        self.uuid = self.usn[5:].split("::")[0].lower() if self.usn[:5].lower() == "uuid:" else None
        age = re.search(r"max-age\s*=\s*(\d+)", fields.get("CACHE-CONTROL", ""))
        self.lease = (int(age.group(1)) if age else 1800) * SECOND
        self.boot = self.number(fields.get("BOOTID.UPNP.ORG"))
        self.next_boot = self.number(fields.get("NEXTBOOTID.UPNP.ORG"))
        self.wait = min(max(1, self.number(fields.get("MX")) or 1), 120)
        host = re.match(r"http://(?:\[([0-9a-f:]+)\]|([0-9.]+))", fields.get("LOCATION", ""))
        host = ipaddress.ip_address(host.group(1) or host.group(2)) if host else None
        usable = host is not None and (host == source[0] or host.is_link_local and source[0].is_link_local)
        self.location = fields["LOCATION"] if usable else None

    @staticmethod
    def number(text):
        return int(text) if text and text.isdigit() else None

    @property
    def is_root(self):
        return self.target == "upnp:rootdevice"


def messages(path):
    searchers = set()
    for number, at, interface, link, octets in frames(path):
        kind, packet = (octets[12:14], octets[14:]) if link == 1 else (octets[0:2], octets[20:])
        if kind == b"\x08\x00" and packet[9] == 17:
            head, ends = (packet[0] & 15) * 4, (packet[12:16], packet[16:20])
        elif kind == b"\x86\xdd" and packet[6] == 17:
            head, ends = 40, (packet[8:24], packet[24:40])
        else:
            continue
        from_port, to_port, length = struct.unpack_from(">HHH", packet, head)
        source = (ipaddress.ip_address(ends[0]), from_port)
        destination = (ipaddress.ip_address(ends[1]), to_port)
        if 1900 in (from_port, to_port) or destination in searchers:
            message = Message(number, at, interface, source, destination, packet[head + 8 : head + length])
            if message.kind == "M-SEARCH":
                searchers.add(source)
            yield message


class Lease:
    def __init__(self, message):
        self.path, self.uuid, self.until = message.path, message.uuid, message.at + message.lease
        self.location, self.source = message.location, message.source[0]


class Device:
    def __init__(self, message):
        self.name, self.uuid, self.is_root = "uuid:" + message.usn[5:].split("::")[0], message.uuid, message.is_root
        self.boot, self.old_boot, self.boot_changed = None, None, 0
        self.quiet_until, self.quiet_path, self.left = 0, None, set()
        self.forget()

    def forget(self):
        self.present, self.leases, self.former, self.addresses = False, {}, {}, set()
        self.location = self.source = self.path = None


class Search:
    def __init__(self, number, message):
        self.number, self.target, self.socket, self.found, self.until = number, message.target, message.source, [], 0

    def asks(self, target):
        if self.target in ("ssdp:all", target):
            return True
        asked, offered = self.target.rsplit(":", 1), target.rsplit(":", 1)
        versions = asked[-1].isdigit() and offered[-1].isdigit() and self.target.startswith("urn:")
        return versions and asked[0] == offered[0] and int(offered[1]) >= int(asked[1])


class Reports:
    def __init__(self, path):
        self.lines, self.devices, self.searches, self.searched = [], [], [], 0
        self.refused = {}
        at = 0
        for message in messages(path):
            at = message.at
            self.let_time_pass(at)
            self.now = (at, message.frame)
            self.take(message)
        *_, last = frames(path)
        self.let_time_pass(last[1])

    # What is told

    def report(self, event, *fields):
        at, frame = self.now
        line = {"schema": "rollcall/1", "kind": "report", "time": f"{at // SECOND}.{at % SECOND:09}", "frame": frame}
        line.update({"layer": "ssdp", "event": event}, **dict(fields))
        self.lines.append(json.dumps(line, separators=(",", ":")))

    def seen(self, event, device, *fields):
        boot = [] if device.boot is None else [("bootID", device.boot)]
        place = [("device", device.name), ("location", device.location), ("source", str(device.source))]
        self.report(event, *place, *boot, *fields)

    def lost(self, device, cause):
        self.report("lost", ("device", device.name), ("cause", cause))
        device.forget()

    def refuse(self, message, reason):
        self.refused.setdefault(reason, []).append(message.frame)

    # Time

    def let_time_pass(self, now):
        while True:
            ends = [lease.until for d in self.devices for lease in d.leases.values()]
            due = min(ends + [s.until for s in self.searches], default=now + 1)
            if due > now:
                return
            self.now = (due, None)
            for device in list(self.devices):
                before = len(device.leases)
                device.leases = {key: lease for key, lease in device.leases.items() if lease.until > due}
                if len(device.leases) == before:
                    continue
                if device.leases:
                    self.settle(device)
                else:
                    self.lost(device, "expired")
                    self.devices.remove(device)
            for search in [s for s in self.searches if s.until <= due]:
                self.searches.remove(search)
                services = [usn for usn, _ in search.found]
                fields = ("search", search.number), ("target", search.target), ("services", services)
                self.report("searchEnded", *fields)

    # Messages

    def take(self, m):
        for device in [d for d in self.devices if not d.present and d.quiet_until <= m.at]:
            self.devices.remove(device)
        if m.kind == "M-SEARCH":
            search = next((s for s in self.searches if (s.socket, s.target) == (m.source, m.target)), None)
            if search is None:
                self.searched += 1
                search = Search(self.searched, m)
                self.searches.append(search)
            search.until = max(search.until, m.at + m.wait * SECOND + SECOND // 10)
            return
        device = next((d for d in self.devices if m.uuid in self.parts(d)), None)
        if m.kind == "response":
            asking = [s for s in self.searches if s.socket == m.destination and s.asks(m.target)]
            if not asking:
                return self.refuse(m, "noOpenSearch")
            device = self.sight(m, device)
            for search in asking if device else []:
                if (m.usn, m.target) not in search.found:
                    search.found.append((m.usn, m.target))
                    fields = ("device", device.name), ("search", search.number), ("usn", m.usn), ("target", m.target)
                    self.report("service", *fields, ("location", m.location or device.location))
        elif m.kind == "ssdp:alive":
            self.sight(m, device)
        elif device is None or not device.present:
            return
        elif m.boot is not None and m.boot == device.old_boot and m.at < device.boot_changed + SECOND:
            self.refuse(m, "staleBootID")
        elif m.kind == "ssdp:byebye":
            self.byebye(m, device)
        elif m.kind == "ssdp:update" and m.next_boot != device.boot:
            if m.source[0] not in device.addresses:
                return self.refuse(m, "foreignUpdate")
            old, device.old_boot, device.boot_changed = device.boot, device.boot, m.at
            if None not in (old, m.boot) and m.boot != old:
                self.report("lost", ("device", device.name), ("cause", "rebooted"))
                device.boot = m.next_boot
                self.seen("found", device)
            else:
                device.boot = m.next_boot
                self.seen("changed", device, ("what", "bootID"), ("from", old))

    @staticmethod
    def parts(device):
        return {device.uuid} | {lease.uuid for lease in device.leases.values()} | getattr(device, "known", set())

    def sight(self, m, device):
        """An alive or a response: the device that it belongs to, or None if it is refused."""
        if device and m.is_root and m.uuid != device.uuid:
            # A part that announces upnp:rootdevice is a root of its own.
            device.leases = {key: lease for key, lease in device.leases.items() if lease.uuid != m.uuid}
            device.known = getattr(device, "known", set()) - {m.uuid}
            device = None
        if device is None and not m.is_root and m.location:
            device = next((d for d in self.devices if d.is_root and self.announced(d, m.location)), None)
        if device is None:
            device = Device(m)
            self.devices.append(device)
        is_other_boot = m.boot is not None and m.boot != device.boot
        is_quiet = m.at < device.quiet_until and device.quiet_path in (ALL_PATHS, m.path)
        has_moved = device.quiet_path == ALL_PATHS and m.location and m.source[0] not in device.left
        if is_quiet and not is_other_boot and not has_moved:
            return self.refuse(m, "staleAfterByebye")
        if is_other_boot and m.boot == device.old_boot and m.at < device.boot_changed + SECOND:
            return self.refuse(m, "staleBootID")
        if is_other_boot and device.boot is not None:
            device.old_boot, device.boot_changed = device.boot, m.at
            if device.present:
                device.known = self.parts(device)
                self.lost(device, "rebooted")
        if is_other_boot:
            device.boot = m.boot
        is_new = not device.present
        key = (m.path, m.uuid, m.usn, m.target)
        known = device.leases.get(key)
        device.leases[key] = Lease(m)
        device.addresses.add(m.source[0])
        device.is_root |= m.is_root
        if is_new:
            device.present, device.quiet_until = True, 0
            device.location, device.source, device.path = m.location, m.source[0], m.path
            self.seen("found", device)
        elif m.location is None:
            device.leases[key].location = known.location if known else None
        elif device.location is None:
            self.relocate(device, m)
        elif known and m.path == device.path and m.location not in (known.location, device.location):
            if device.former.get(m.location, 0) <= m.at:
                self.relocate(device, m)
        if device.is_root and m.is_root and m.location:
            for other in [d for d in reversed(self.devices) if not d.is_root and d.location == m.location]:
                self.unite(other, device)
        elif not device.is_root and m.location:
            root = next((d for d in self.devices if d.is_root and self.announced(d, m.location)), None)
            if root:
                self.unite(device, root)
                device = root
        return device

    @staticmethod
    def announced(device, location):
        return any(
            lease.location == location and key[3] == "upnp:rootdevice" for key, lease in device.leases.items()
        )

    def relocate(self, device, m):
        old = device.location
        if old:
            device.former[old] = max(lease.until for lease in device.leases.values())
        device.location, device.source, device.path = m.location, m.source[0], m.path
        self.seen("changed", device, ("what", "location"), ("from", old))

    def unite(self, solo, root):
        self.devices.remove(solo)
        root.leases.update(solo.leases)
        root.addresses |= solo.addresses
        self.seen("changed", root, ("what", "united"), ("part", solo.name))

    def byebye(self, m, device):
        if m.source[0] not in device.addresses:
            return self.refuse(m, "foreignByebye")
        if (m.path, m.uuid, m.usn, m.target) not in device.leases:
            return
        device.left = set(device.addresses)
        left = {key: lease for key, lease in device.leases.items() if lease.path != m.path}
        device.leases, device.quiet_until, device.quiet_path = left, m.at + SECOND, m.path
        if left:
            self.settle(device)
        else:
            device.quiet_path = ALL_PATHS
            self.lost(device, "byebye")

    def settle(self, device):
        """Where nothing of the location's own path is left, the oldest message of the others takes over."""
        left = list(device.leases.values())
        if any((lease.path, lease.location) == (device.path, device.location) for lease in left):
            return
        heirs = [lease for lease in left if lease.path == device.path and lease.location]
        heir = (heirs or [lease for lease in left if lease.location] or left)[0]
        old, device.location, device.source, device.path = device.location, heir.location, heir.source, heir.path
        if old != device.location:
            self.seen("changed", device, ("what", "location"), ("from", old))


def check(folder):
    derived = Reports(folder / "capture.pcapng").lines
    text = (folder / "expected.jsonl").read_text()
    reviewed = [line for line in text.splitlines() if line and not line.startswith("#")]
    for number, (one, other) in enumerate(zip(derived + [None] * len(reviewed), reviewed + [None] * len(derived)), 1):
        if one != other:
            print(f"{folder.name}: report {number} differs\n  derived   {one}\n  reviewed  {other}")
            return False
        if one is None:
            break
    print(f"{folder.name}: {len(reviewed)} reports as derived")
    return True


if __name__ == "__main__":
    if sys.argv[1] == "--check":
        sys.exit(0 if all([check(pathlib.Path(folder)) for folder in sys.argv[2:]]) else 1)
    result = Reports(pathlib.Path(sys.argv[1]))
    for line in result.lines:
        print(line)
    for reason, refused in sorted(result.refused.items()):
        print(f"# refused {reason}: {len(refused)}, frames {refused[0]} to {refused[-1]}", file=sys.stderr)
