"""A small engine for Rollcall, in the standard library alone: it listens to announcements, and forgets a device with its
byebye or when its max-age is over. It speaks the protocol of docs/engine-protocol.md.

    rollcall run Scenarios/ssdp/quick-return.yaml --engine 'python3 Examples/engines/minimal.py'

With --deaf it does not understand byebye: then scenarios have to fail.
"""

import ipaddress
import struct
import sys

HELLO, INTERFACE, DATAGRAM, WAKE, STOP, END = 1, 2, 3, 4, 7, 15
JOIN, FOUND, LOST, LOG, READY = 130, 132, 134, 142, 143
BYEBYE, EXPIRED, STOPPED = 1, 2, 6
GROUPS = {4: ipaddress.ip_address("239.255.255.250"), 6: ipaddress.ip_address("ff02::c")}
ROOT = "::upnp:rootdevice"


def text(value):
    data = value.encode()
    return struct.pack(">H", len(data)) + data


def address(value):
    return bytes([value.version]) + value.packed


def say(kind, body):
    sys.stdout.buffer.write(struct.pack(">IB", 1 + len(body), kind) + body)


class Body:
    """Takes the fields of a frame, one after the other."""

    def __init__(self, data):
        self.data, self.place = data, 0

    def take(self, form):
        (value,) = struct.unpack_from(">" + form, self.data, self.place)
        self.place += struct.calcsize(">" + form)
        return value

    def address(self):
        return ipaddress.ip_address(self.take("4s" if self.take("B") == 4 else "16s"))

    def endpoint(self):
        return self.address(), self.take("H")

    def bytes(self):
        return self.take(f"{self.take('H')}s")


class Engine:
    def __init__(self, is_deaf):
        self.is_deaf = is_deaf
        # The end of the lease of each device, in the order in which they were found.
        self.ends = {}

    def interface(self, body):
        interface, is_up, count = body.take("H"), body.take("B"), body.take("B")
        families = set()
        for _ in range(count):
            families.add(body.address().version)
            body.take("B")
        for family in sorted(families):
            if is_up:
                say(JOIN, struct.pack(">H", interface) + address(GROUPS[family]) + struct.pack(">H", 1900))

    def datagram(self, now, body):
        interface, (source, _), _, _ = body.take("H"), body.endpoint(), body.endpoint(), body.take("B")
        start, *lines = body.bytes().decode("utf-8", "replace").split("\r\n")
        if start != "NOTIFY * HTTP/1.1":
            return
        fields = {}
        for line in lines:
            name, colon, value = line.partition(":")
            if colon:
                fields[name.lower()] = value.strip()
        usn = fields.get("usn", "")
        # Of all the messages of a device, those of its root say that it is there.
        if not usn.endswith(ROOT):
            return
        device = usn[: -len(ROOT)]
        if fields.get("nts") == "ssdp:alive":
            digits = fields.get("cache-control", "").rpartition("=")[2].strip()
            if not device or not digits.isdecimal():
                return
            if device not in self.ends:
                place, boot = fields.get("location"), fields.get("bootid.upnp.org", "")
                say(FOUND, text(device) + (b"\1" + text(place) if place else b"\0")
                    + address(source) + struct.pack(">H", interface)
                    + (struct.pack(">BI", 1, int(boot) & 0xFFFFFFFF) if boot.isdecimal() else b"\0") + b"\0")
            self.ends[device] = now + min(int(digits), 86_400 * 365) * 1_000_000_000
        elif fields.get("nts") == "ssdp:byebye" and device in self.ends and not self.is_deaf:
            self.lose(device, BYEBYE)

    def lose(self, device, cause):
        del self.ends[device]
        say(LOST, text(device) + bytes([cause]))

    def hear(self, kind, body):
        if kind == HELLO:
            version, seed = body.take("H"), body.take("Q")
            say(LOG, text(f"protocol {version}, seed {seed}"))
            return
        now = body.take("q")
        if kind == INTERFACE:
            self.interface(body)
        elif kind == DATAGRAM:
            self.datagram(now, body)
        elif kind == STOP:
            for device in list(self.ends):
                self.lose(device, STOPPED)
        # Whatever it was: time has come to here.
        for device in [one for one, end in self.ends.items() if end <= now]:
            self.lose(device, EXPIRED)

    def ready(self):
        deadline = min(self.ends.values(), default=None)
        say(READY, b"\0" if deadline is None else struct.pack(">Bq", 1, deadline))
        sys.stdout.buffer.flush()


def main():
    engine = Engine("--deaf" in sys.argv[1:])
    while head := sys.stdin.buffer.read(5):
        length, kind = struct.unpack(">IB", head)
        body = Body(sys.stdin.buffer.read(length - 1))
        if kind == END:
            return
        engine.hear(kind, body)
        engine.ready()


main()
