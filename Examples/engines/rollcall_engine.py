"""The engine protocol of Rollcall (docs/engine-protocol.md) for engines in Python: frames, and the turn.

An engine is any object with methods named after host frames (`interface`, `datagram`, `wake`, `search` ...), each with the
frame as its argument, and `deadline()`; `run(engine)` reads frames, calls the methods and says READY. What the engine has to
say it says with `Host`. Only the standard library is used.
"""

import ipaddress
import os
import struct
import sys
from typing import NamedTuple, Optional

VERSION = 1
LONGEST_FRAME = 1_048_576
LONGEST_TEXT = 4_096

# What LOST and CHANGED say with a number.
BYEBYE, EXPIRED, REBOOTED, INTERFACE_GONE, EVICTED, STOPPED = 1, 2, 3, 4, 5, 6
LOCATION, ADDRESS, BOOT_ID, CONFIG_ID = 1, 2, 3, 4
CANNOT_JOIN, CANNOT_SEND, NO_INTERFACE, INVALID_SEARCH, SEARCH_ID_USED = 1, 2, 3, 4, 5


class ProtocolError(Exception):
    """The host said something that the protocol does not have."""


class Endpoint(NamedTuple):
    address: str
    port: int


class Hello(NamedTuple):
    version: int
    seed: int
    duration: int


class Interface(NamedTuple):
    time: int
    interface: int
    up: bool
    addresses: list  # of (address, prefix in bits)


class Datagram(NamedTuple):
    time: int
    interface: int
    source: Endpoint
    destination: Endpoint
    ttl: int
    data: bytes


class Wake(NamedTuple):
    time: int


class Search(NamedTuple):
    time: int
    search: int
    target: str
    mx: int
    copies: int
    spacing: int
    host: Optional[Endpoint]
    interface: Optional[int]


class StopSearch(NamedTuple):
    time: int
    search: int


class Stop(NamedTuple):
    time: int


class Hold(NamedTuple):
    time: int
    device: str


class Release(NamedTuple):
    time: int
    device: str


class Refused(NamedTuple):
    time: int
    what: int
    interface: int
    address: str
    port: int


class Other(NamedTuple):
    time: int
    text: str


class End(NamedTuple):
    pass


class Fields:
    """Reads the fields of a body, one after the other."""

    def __init__(self, body: bytes):
        self.body, self.place = body, 0

    def take(self, count: int) -> bytes:
        if self.place + count > len(self.body):
            raise ProtocolError(f"a body of {len(self.body)} bytes ends within a field at {self.place}")
        self.place += count
        return self.body[self.place - count : self.place]

    def number(self, form: str) -> int:
        return struct.unpack(">" + form, self.take(struct.calcsize(">" + form)))[0]

    def bool(self) -> bool:
        value = self.number("B")
        if value > 1:
            raise ProtocolError(f"a bool is 0 or 1, not {value}")
        return value == 1

    def bytes(self) -> bytes:
        return self.take(self.number("H"))

    def text(self) -> str:
        return self.bytes().decode("utf-8")

    def address(self) -> str:
        family = self.number("B")
        if family not in (4, 6):
            raise ProtocolError(f"an address is of family 4 or 6, not {family}")
        return str(ipaddress.ip_address(self.take(4 if family == 4 else 16)))

    def endpoint(self) -> Endpoint:
        return Endpoint(self.address(), self.number("H"))

    def perhaps(self, read):
        return read() if self.bool() else None

    def end(self):
        if self.place != len(self.body):
            raise ProtocolError(f"{len(self.body) - self.place} bytes stand behind the last field")


def _time(fields: Fields) -> int:
    return fields.number("q")


READERS = {
    1: lambda f: Hello(f.number("H"), f.number("Q"), f.number("q")),
    2: lambda f: Interface(
        _time(f), f.number("H"), f.bool(), [(f.address(), f.number("B")) for _ in range(f.number("B"))]),
    3: lambda f: Datagram(_time(f), f.number("H"), f.endpoint(), f.endpoint(), f.number("B"), f.bytes()),
    4: lambda f: Wake(_time(f)),
    5: lambda f: Search(
        _time(f), f.number("I"), f.text(), f.number("H"), f.number("H"), f.number("q"), f.perhaps(f.endpoint),
        f.perhaps(lambda: f.number("H"))),
    6: lambda f: StopSearch(_time(f), f.number("I")),
    7: lambda f: Stop(_time(f)),
    8: lambda f: Hold(_time(f), f.text()),
    9: lambda f: Release(_time(f), f.text()),
    10: lambda f: Refused(_time(f), f.number("B"), f.number("H"), f.address(), f.number("H")),
    11: lambda f: Other(_time(f), f.text()),
    15: lambda f: End(),
}


def text(value: str, longest: int = LONGEST_TEXT) -> bytes:
    """A text; what is longer than the host takes is cut between two characters."""
    data = value.encode("utf-8", "replace")[:longest].decode("utf-8", "ignore").encode("utf-8")
    return struct.pack(">H", len(data)) + data


def address(value: str) -> bytes:
    ip = ipaddress.ip_address(value.partition("%")[0])
    return bytes([ip.version]) + ip.packed


def perhaps(value, write) -> bytes:
    return b"\0" if value is None else b"\1" + write(value)


def _u32(value: int) -> bytes:
    return struct.pack(">I", value & 0xFFFFFFFF)


def _u16(value: int) -> bytes:
    return struct.pack(">H", value)


class Host:
    """The host, as the engine sees it: frames are read from it, and what the engine says is written to it.

    Standard output belongs to the frames: whatever else prints there is sent to standard error.
    """

    def __init__(self):
        self._in = os.fdopen(os.dup(0), "rb")
        self._out = os.fdopen(os.dup(1), "wb", buffering=1 << 20)
        os.dup2(2, 1)

    def read(self):
        """The next frame; `End` where the host is gone."""
        head = self._in.read(4)
        if len(head) < 4:
            return End()
        length = struct.unpack(">I", head)[0]
        if not 1 <= length <= LONGEST_FRAME:
            raise ProtocolError(f"a frame of {length} bytes; 1 to {LONGEST_FRAME} are possible")
        data = self._in.read(length)
        if len(data) < length:
            return End()
        reader = READERS.get(data[0])
        if reader is None:
            raise ProtocolError(f"no frame has the type {data[0]}")
        fields = Fields(data[1:])
        frame = reader(fields)
        fields.end()
        if isinstance(frame, Hello) and frame.version != VERSION:
            raise ProtocolError(f"version {frame.version} of the protocol; this engine knows {VERSION}")
        return frame

    def _write(self, kind: int, *parts: bytes):
        body = b"".join(parts)
        self._out.write(struct.pack(">IB", len(body) + 1, kind) + body)

    def send(self, interface: int, source_port: int, destination: Endpoint, ttl: int, data: bytes):
        self._write(129, _u16(interface), _u16(source_port), self._endpoint(destination), bytes([ttl]), _u16(len(data)), data)

    def join(self, interface: int, group: Endpoint):
        self._write(130, _u16(interface), self._endpoint(group))

    def leave(self, interface: int, group: Endpoint):
        self._write(131, _u16(interface), self._endpoint(group))

    def found(self, sighting: "Sighting"):
        self._write(132, sighting.packed())

    def changed(self, sighting: "Sighting", what: int, before):
        packed = {LOCATION: lambda v: perhaps(v, text), ADDRESS: address}.get(what, lambda v: perhaps(v, _u32))(before)
        self._write(133, sighting.packed(), bytes([what]), packed)

    def lost(self, device: str, cause: int):
        self._write(134, text(device), bytes([cause]))

    def service(self, search: int, device: str, usn: str, target: str, location: Optional[str]):
        self._write(135, _u32(search), text(device), text(usn), text(target), perhaps(location, text))

    def search_ended(self, search: int, stopped: bool):
        self._write(136, _u32(search), bytes([stopped]))

    def failed(self, reason: int, explanation: str, search: Optional[int] = None, interface: Optional[int] = None):
        self._write(137, bytes([reason]), perhaps(search, _u32), perhaps(interface, _u16), text(explanation))

    def log(self, line: str):
        self._write(142, text(line))

    def ready(self, deadline: Optional[int]):
        self._write(143, perhaps(deadline, lambda time: struct.pack(">q", time)))
        self._out.flush()

    @staticmethod
    def _endpoint(endpoint: Endpoint) -> bytes:
        return address(endpoint.address) + _u16(endpoint.port)


class Sighting(NamedTuple):
    """A device as the engine sees it."""

    device: str
    location: Optional[str]
    source: str
    interface: int
    boot_id: Optional[int] = None
    config_id: Optional[int] = None

    def packed(self) -> bytes:
        return b"".join([
            text(self.device), perhaps(self.location, text), address(self.source), _u16(self.interface),
            perhaps(self.boot_id, _u32), perhaps(self.config_id, _u32)])


METHODS = {
    Hello: "hello", Interface: "interface", Datagram: "datagram", Wake: "wake", Search: "search",
    StopSearch: "stop_search", Stop: "stop", Hold: "hold", Release: "release", Refused: "refused", Other: "other"}


def run(engine, host: Optional[Host] = None):
    """Reads frames until END, and has `engine` answer each: a method that it lacks is a frame that it does not care about.

    `engine.host` is set first. `engine.deadline()` is a time in nanoseconds, or None.
    """
    engine.host = host = host or Host()
    while not isinstance(frame := host.read(), End):
        handle = getattr(engine, METHODS[type(frame)], None)
        if handle is not None:
            handle(frame)
        host.ready(engine.deadline())


def fixed_hashes():
    """Starts the process anew with hashes of strings that are the same each time, so that sets have one order."""
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, *sys.argv])
