"""Sockets, clocks and an asyncio loop that live in virtual time, for libraries that know nothing of it.

`Network(host)` stands in for the stack of the machine: `install()` puts its sockets in the place of those of the module
`socket`, and its clock in the place of `time`, `datetime` and random numbers. Call it before the library is imported. Only
UDP is there. Groups that a socket joined are joined on the host; a datagram goes to the sockets that Linux would give it to.
"""

import datetime
import errno
import ipaddress
import os
import random
import socket
import struct
import time

import rollcall_engine as protocol
from rollcall_engine import Datagram, Endpoint, Interface

# What virtual time 0 is for programs that ask for the date: 2024-01-01, midnight, UTC.
BEGINNING = 1_704_067_200
FIRST_FREE_PORT = 49_152
RealSocket = socket.socket


class Network:
    def __init__(self, host: protocol.Host):
        self.host = host
        self.now = 0  # nanoseconds
        self.addresses: dict[int, list[str]] = {}  # of each interface that is up
        self.sockets: list[VirtualSocket] = []
        self.joined: set[tuple[int, Endpoint]] = set()
        self.heard_on: dict[str, int] = {}  # the interface on which an address was heard last
        self._next_port = FIRST_FREE_PORT
        self._next_number = 1_000

    # -- interfaces ------------------------------------------------------------------------------------------------

    def interface_with(self, address: str):
        """The number of the interface with this address, None where there is none."""
        for interface, addresses in self.addresses.items():
            if address in addresses:
                return interface
        return None

    def first_interface(self, family: int):
        for interface in sorted(self.addresses):
            if self.address_of(interface, family):
                return interface
        return None

    def address_of(self, interface: int, family: int):
        """Its first address of this family (4 or 6), for IPv6 a link-local one where it has one."""
        mine = [a for a in self.addresses.get(interface, []) if ipaddress.ip_address(a).version == family]
        return next((a for a in mine if ipaddress.ip_address(a).is_link_local), mine[0] if mine else None)

    def interface(self, frame: Interface):
        if frame.up and frame.addresses:
            self.addresses[frame.interface] = [address for address, _ in frame.addresses]
        else:
            self.addresses.pop(frame.interface, None)
            self.joined = {one for one in self.joined if one[0] != frame.interface}
        # A socket stays in its groups while its interface is down, and is back in them when it is up.
        for one in self.sockets:
            for group in sorted(one.groups):
                self.join(*group)

    def join(self, interface: int, group: Endpoint):
        family = ipaddress.ip_address(group.address).version
        if group.port == 0 or (interface, group) in self.joined or not self.address_of(interface, family):
            return
        self.joined.add((interface, group))
        self.host.join(interface, group)

    def leave(self, interface: int, group: Endpoint):
        if any((interface, group) in one.groups for one in self.sockets) or (interface, group) not in self.joined:
            return
        self.joined.remove((interface, group))
        if interface in self.addresses:
            self.host.leave(interface, group)

    # -- datagrams -------------------------------------------------------------------------------------------------

    def free_port(self) -> int:
        self._next_port += 1
        return self._next_port - 1

    def number(self) -> int:
        self._next_number += 1
        return self._next_number - 1

    def deliver(self, frame: Datagram):
        """Gives the datagram to the sockets that hear it: all that joined the group, or the one that is bound best."""
        to = frame.destination
        self.heard_on[frame.source.address] = frame.interface
        hearing = [one for one in self.sockets if one.hears(frame)]
        if not ipaddress.ip_address(to.address).is_multicast:
            hearing = sorted(hearing, key=lambda one: one.address != one.anywhere)[-1:]
        for one in hearing:
            one.receive(frame)

    # -- standing in for the modules -------------------------------------------------------------------------------

    def install(self, seed: int):
        network = self

        class VirtualDate(datetime.datetime):
            @classmethod
            def now(cls, tz=None):
                date = cls.fromtimestamp(BEGINNING, tz or datetime.timezone.utc)
                date += datetime.timedelta(microseconds=network.now // 1_000)
                return date if tz else date.replace(tzinfo=None)

            @classmethod
            def utcnow(cls):
                return cls.now()

            today = utcnow

        dice = random.Random(seed)
        random.seed(seed)
        os.urandom = random._urandom = dice.randbytes
        datetime.datetime = VirtualDate
        time.time = lambda: BEGINNING + network.now / 1e9
        time.time_ns = lambda: BEGINNING * 1_000_000_000 + network.now
        time.monotonic = time.perf_counter = lambda: network.now / 1e9
        time.monotonic_ns = time.perf_counter_ns = lambda: network.now
        VirtualSocket.network = network
        socket.socket = VirtualSocket


def begin() -> Network:
    """What stands before everything else: HELLO is read, and the network is in the place of the machine's."""
    protocol.fixed_hashes()
    host = protocol.Host()
    hello = host.read()
    if not isinstance(hello, protocol.Hello):
        raise protocol.ProtocolError(f"HELLO comes first, not {hello}")
    network = Network(host)
    network.install(hello.seed)
    return network


class VirtualSocket:
    """What programs use of a UDP socket. It is of one network, and waits in virtual time."""

    network: Network
    # For programs that block: ends the turn, and does what the next frame asks, until a time in nanoseconds.
    wait = None

    def __init__(self, family=socket.AF_INET, type=socket.SOCK_DGRAM, proto=0, fileno=None):
        if family not in (socket.AF_INET, socket.AF_INET6) or type & 15 != socket.SOCK_DGRAM:
            raise OSError(errno.EPROTONOSUPPORT, "only UDP is there")
        self.family, self.type, self.proto = family, socket.SOCK_DGRAM, proto or socket.IPPROTO_UDP
        self.version = 4 if family == socket.AF_INET else 6
        self.anywhere = "0.0.0.0" if self.version == 4 else "::"
        self.address, self.port = self.anywhere, 0
        self.peer: Endpoint | None = None
        self.memberships: set[tuple[int, str]] = set()
        self.groups: set[tuple[int, Endpoint]] = set()
        self.ttl = 1
        self.interface: int | None = None
        self.timeout: float | None = None
        self.queue: list[Datagram] = []
        self.on_datagram = None
        self.number = self.network.number()
        self.network.sockets.append(self)

    # -- options ---------------------------------------------------------------------------------------------------

    def setsockopt(self, level, option, value, length=None):
        known = {
            (socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP): self._join4,
            (socket.IPPROTO_IP, socket.IP_DROP_MEMBERSHIP): self._drop4,
            (socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP): lambda v: self._add(self._index(v[16:20]), v[:16]),
            (socket.IPPROTO_IPV6, socket.IPV6_LEAVE_GROUP): lambda v: self._drop(self._index(v[16:20]), v[:16]),
            (socket.IPPROTO_IP, socket.IP_MULTICAST_IF): self._send_from4,
            (socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF): self._send_from6,
            (socket.IPPROTO_IP, socket.IP_MULTICAST_TTL): self._set_ttl,
            (socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS): self._set_ttl,
        }.get((level, option))
        if known:
            known(value)

    def getsockopt(self, level, option, length=0):
        return 0

    def _set_ttl(self, value):
        self.ttl = value if isinstance(value, int) else value[0]

    def _index(self, value: bytes) -> int:
        """Programs count interfaces from 1 (a scope), the protocol from 0."""
        index = struct.unpack("@I", value)[0]
        return index - 1 if index else self.network.first_interface(6)

    def _interface4(self, packed: bytes):
        address = socket.inet_ntoa(packed)
        found = self.network.first_interface(4) if address == self.anywhere else self.network.interface_with(address)
        if found is None:
            raise OSError(errno.ENODEV, f"no interface has the address {address}")
        return found

    def _join4(self, value):
        self._add(self._interface4(value[4:8]), value[:4])

    def _drop4(self, value):
        self._drop(self._interface4(value[4:8]), value[:4])

    def _send_from4(self, value):
        self.interface = None if value == bytes(4) else self._interface4(value)

    def _send_from6(self, value):
        self.interface = value - 1 if isinstance(value, int) else self._index(value)

    def _add(self, interface, packed):
        self.memberships.add((interface, str(ipaddress.ip_address(packed))))
        self._join_all()

    def _drop(self, interface, packed):
        self.memberships.discard((interface, str(ipaddress.ip_address(packed))))
        self._join_all()

    def _join_all(self):
        """Groups are joined with their port, so once the socket has one that it was given by name."""
        before, self.groups = self.groups, set()
        if self.port and self.port < FIRST_FREE_PORT:
            self.groups = {(interface, Endpoint(group, self.port)) for interface, group in self.memberships}
        for one in sorted(self.groups - before):
            self.network.join(*one)
        for one in sorted(before - self.groups):
            self.network.leave(*one)

    # -- names -----------------------------------------------------------------------------------------------------

    def bind(self, address):
        self.address = str(ipaddress.ip_address(address[0].partition("%")[0])) if address[0] else self.anywhere
        self.port = address[1] or self.network.free_port()
        self._join_all()

    def connect(self, address):
        self.peer = Endpoint(address[0].partition("%")[0], address[1])
        self._bind_somewhere()

    def _bind_somewhere(self):
        if self.port == 0:
            self.port = self.network.free_port()

    def getsockname(self):
        return (self.address, self.port) if self.version == 4 else (self.address, self.port, 0, (self.interface or 0) + 1)

    def getpeername(self):
        if self.peer is None:
            raise OSError(errno.ENOTCONN, "not connected")
        return tuple(self.peer)

    def fileno(self):
        return self.number

    def setblocking(self, flag):
        self.timeout = None if flag else 0.0

    def settimeout(self, seconds):
        self.timeout = seconds

    def gettimeout(self):
        return self.timeout

    def close(self):
        if self in self.network.sockets:
            self.memberships.clear()
            self._join_all()
            self.network.sockets.remove(self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # -- datagrams -------------------------------------------------------------------------------------------------

    def sendto(self, data, *arguments):
        address = arguments[-1]
        to = Endpoint(str(ipaddress.ip_address(address[0].partition("%")[0])), address[1])
        self._bind_somewhere()
        scope = address[3] - 1 if len(address) == 4 and address[3] else None
        interface = self._route(to, scope)
        if interface is None:
            raise OSError(errno.ENETUNREACH, "Network is unreachable")
        many = ipaddress.ip_address(to.address).is_multicast
        self.network.host.send(interface, self.port, to, self.ttl if many else 64, bytes(data))
        return len(data)

    def send(self, data, flags=0):
        return self.sendto(data, self.getpeername())

    def _route(self, to: Endpoint, scope):
        network = self.network
        wanted = scope if scope is not None else self.interface
        if wanted is None and self.address != self.anywhere:
            wanted = network.interface_with(self.address)
        if wanted is not None and network.address_of(wanted, self.version):
            return wanted
        return network.first_interface(self.version) if wanted is None else None

    def hears(self, frame: Datagram) -> bool:
        to = frame.destination
        address = ipaddress.ip_address(to.address)
        if self.port != to.port or address.version != self.version or self.address not in (self.anywhere, to.address):
            return False
        if self.peer is not None and self.peer != frame.source:
            return False
        return not address.is_multicast or any((frame.interface, to) in one.groups for one in self.network.sockets)

    def receive(self, frame: Datagram):
        if self.on_datagram:
            self.on_datagram(frame)
        else:
            self.queue.append(frame)

    def name_of(self, frame: Datagram):
        source = frame.source
        return tuple(source) if self.version == 4 else (source.address, source.port, 0, frame.interface + 1)

    def recvfrom(self, count, flags=0):
        until = None if self.timeout is None else self.network.now + round(self.timeout * 1e9)
        while not self.queue:
            if self.wait is None or self.timeout == 0.0 or (until is not None and self.network.now >= until):
                raise TimeoutError("timed out") if self.timeout else BlockingIOError(errno.EAGAIN, "nothing was heard")
            self.wait(until)
        frame = self.queue.pop(0)
        return frame.data[:count], self.name_of(frame)

    def recv(self, count, flags=0):
        return self.recvfrom(count, flags)[0]
