"""A host that plays a small script to an engine, for work on an engine without Rollcall.

    python3 fake_host.py [--twice] COMMAND ...

One device says that it is there at 1 s, is searched for at 5 s, and answers; a second one comes at 10 s, a third at 12 s. The
first says goodbye at 20 s, the second falls silent and its lease of 30 s ends, the third has another description at 30 s. The
application stops at 55 s. Each frame of the engine is a line; `--twice` compares two runs byte by byte. The real host judges far more (docs/engine-protocol.md): this one only keeps the order of frames.
"""

import heapq
import struct
import subprocess
import sys

from rollcall_engine import Endpoint, Fields, address, perhaps, text

SECOND = 1_000_000_000
GROUP = Endpoint("239.255.255.250", 1900)
KINDS = {
    129: "SEND", 130: "JOIN", 131: "LEAVE", 132: "FOUND", 133: "CHANGED", 134: "LOST", 135: "SERVICE", 136: "SEARCH_ENDED",
    137: "FAILED", 142: "LOG", 143: "READY"}


def endpoint(one):
    return address(one.address) + struct.pack(">H", one.port)


class Device:
    def __init__(self, number, lease):
        self.name, self.lease = f"uuid:00000000-0000-4000-8000-00000000000{number}", lease
        self.at, self.page = Endpoint(f"192.168.1.{20 + number}", 1900), "d.xml"

    def fields(self, target):
        usn = self.name if target == self.name else f"{self.name}::{target}"
        return (
            f"CACHE-CONTROL: max-age={self.lease}\r\nLOCATION: http://{self.at.address}:8080/{self.page}\r\n"
            f"SERVER: a/1 UPnP/1.1 b/1\r\nUSN: {usn}\r\nBOOTID.UPNP.ORG: 7\r\nCONFIGID.UPNP.ORG: 1\r\n")

    def messages(self, kind):
        for target in ("upnp:rootdevice", self.name, "urn:schemas-upnp-org:device:Basic:1"):
            if kind == "answer":
                yield f"HTTP/1.1 200 OK\r\nST: {target}\r\nEXT:\r\n{self.fields(target)}\r\n".encode()
            else:
                yield (
                    f"NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nNT: {target}\r\nNTS: ssdp:{kind}\r\n"
                    f"{self.fields(target)}\r\n").encode()


class FakeHost:
    def __init__(self, command, shown):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.shown, self.heard, self.events, self.count, self.deadline, self.now = shown, b"", [], 0, None, 0
        self.here = []

    def at(self, time, kind, *body):
        self.count += 1
        heapq.heappush(self.events, (time, self.count, kind, b"".join(body)))

    def datagram(self, time, source, to, data):
        self.at(time, 3, struct.pack(">H", 0), endpoint(source), endpoint(to), b"\x02", struct.pack(">H", len(data)), data)

    def say(self, time, device, kind, to=GROUP):
        for place, data in enumerate(device.messages(kind)):
            self.datagram(time + place * 1_000_000, device.at, to, data)

    def turn(self, kind, body):
        self.process.stdin.write(struct.pack(">IB", len(body) + 1, kind) + body)
        self.process.stdin.flush()
        while True:
            head = self.process.stdout.read(4)
            if len(head) < 4:
                sys.exit(f"the engine ended at {self.now / SECOND} s, with exit code {self.process.wait()}")
            data = self.process.stdout.read(struct.unpack(">I", head)[0])
            self.heard += head + data
            fields = Fields(data[1:])
            if data[0] == 143:
                self.deadline = fields.perhaps(lambda: fields.number("q"))
                fields.end()
                if self.deadline is not None and self.deadline <= self.now:
                    sys.exit(f"a deadline at {self.deadline} ns is not later than now, {self.now} ns")
                return
            self.frame(data[0], fields, data)

    def frame(self, kind, fields, data):
        if self.shown:
            print(f"{self.now / SECOND:12.6f}  {KINDS[kind]:12}", data[1:120])
        if kind == 129:
            interface, port, to = fields.number("H"), fields.number("H"), fields.endpoint()
            fields.number("B")
            if b"M-SEARCH" in fields.bytes():
                for place, device in enumerate(self.here):
                    self.say(self.now + (10 + place) * 1_000_000, device, "answer", Endpoint("192.168.1.2", port))

    def run(self, duration=60 * SECOND):
        one, two = Device(1, 1800), Device(2, 30)
        three = Device(3, 1800)
        self.turn(1, struct.pack(">HQq", 1, 1, duration))
        self.at(0, 2, struct.pack(">HBB", 0, 1, 1), address("192.168.1.2"), b"\x18")
        self.say(SECOND, one, "alive")
        self.say(10 * SECOND, two, "alive")
        search = struct.pack(">I", 1) + text("ssdp:all") + struct.pack(">HHq", 2, 2, SECOND)
        self.at(5 * SECOND, 5, search, perhaps(None, None), perhaps(None, None))
        self.say(12 * SECOND, three, "alive")
        self.say(20 * SECOND, one, "byebye")
        three.page = "e.xml"
        self.say(30 * SECOND, three, "alive")
        self.at(55 * SECOND, 7)
        while True:
            at = self.events[0][0] if self.events else duration + 1
            if self.deadline is not None and self.deadline < at and self.deadline <= duration:
                self.now = self.deadline
                self.turn(4, struct.pack(">q", self.now))
            elif at <= duration:
                self.now, _, kind, body = heapq.heappop(self.events)
                self.here = [d for d in (one, two) if (SECOND if d is one else 10 * SECOND) <= self.now < 20 * SECOND]
                self.turn(kind, struct.pack(">q", self.now) + body)
            else:
                break
        self.process.stdin.write(struct.pack(">IB", 1, 15))
        self.process.stdin.close()
        return self.process.wait(5), self.heard


def main():
    arguments = sys.argv[1:]
    twice = arguments[:1] == ["--twice"]
    code, first = FakeHost(arguments[twice:], True).run()
    print(f"{len(first)} bytes, exit code {code}")
    if twice and FakeHost(arguments[twice:], False).run() != (code, first):
        sys.exit("the second run wrote other bytes")


if __name__ == "__main__":
    main()
