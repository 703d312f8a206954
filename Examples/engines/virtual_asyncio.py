"""An asyncio loop in virtual time: where a loop would wait for its sockets, it ends the turn of the engine.

A library that is written for asyncio runs in it as it is: timers are deadlines of READY, datagrams are frames of the host, and
coroutines run while virtual time stands still.
"""

import asyncio
import socket

from rollcall_engine import Datagram, End, Endpoint, Interface
from virtual_network import Network, VirtualSocket


class VirtualLoop(asyncio.BaseEventLoop):
    """`on_frame(frame)` is called with each frame of the host that is not for the network."""

    def __init__(self, network: Network, on_frame):
        super().__init__()
        self.network, self.on_frame = network, on_frame
        self._clock_resolution = 1e-9
        self._selector = self
        self.before_ready = lambda: None

    def time(self):
        return self.network.now / 1e9

    def select(self, timeout):
        """What `BaseEventLoop` asks of its selector: here the host is asked."""
        if timeout is not None and timeout <= 0:
            return []
        # What was heard has been told to the library, and its tasks have done all that they can do now.
        self.before_ready()
        if self._ready:
            return []
        first = min((timer.when() for timer in self._scheduled if not timer.cancelled()), default=None)
        self.network.host.ready(None if first is None else max(round(first * 1e9), self.network.now + 1))
        frame = self.network.host.read()
        self.network.now = max(self.network.now, getattr(frame, "time", 0))
        return [frame]

    def _process_events(self, frames):
        for frame in frames:
            if isinstance(frame, End):
                self.stop()
            elif isinstance(frame, Datagram):
                self.network.deliver(frame)
            else:
                if isinstance(frame, Interface):
                    self.network.interface(frame)
                self.call_soon(self.on_frame, frame)

    def _write_to_self(self):
        pass

    async def getaddrinfo(self, host, port, *, family=0, type=0, proto=0, flags=0):
        return socket.getaddrinfo(host, port, family, type, proto, flags | socket.AI_NUMERICHOST)

    async def create_datagram_endpoint(
        self, protocol_factory, local_addr=None, remote_addr=None, *, family=0, sock=None, **options
    ):
        if sock is None:
            name = local_addr or remote_addr
            family = family or (socket.AF_INET6 if name and ":" in name[0] else socket.AF_INET)
            sock = VirtualSocket(family)
            if local_addr:
                sock.bind(local_addr)
            if remote_addr:
                sock.connect(remote_addr)
        protocol = protocol_factory()
        transport = VirtualTransport(self, sock, protocol)
        return transport, protocol


class VirtualTransport(asyncio.DatagramTransport):
    def __init__(self, loop: VirtualLoop, sock: VirtualSocket, protocol):
        super().__init__({"socket": sock, "sockname": sock.getsockname()})
        self._loop, self._socket, self._protocol, self._closing = loop, sock, protocol, False
        sock.on_datagram = self._receive
        protocol.connection_made(self)

    def _receive(self, frame: Datagram):
        if not self._closing:
            self._loop.call_soon(self._protocol.datagram_received, frame.data, self._socket.name_of(frame))

    def sendto(self, data, addr=None):
        try:
            self._socket.sendto(data, addr or self._socket.getpeername())
        except OSError as error:
            self._protocol.error_received(error)

    def get_protocol(self):
        return self._protocol

    def set_protocol(self, protocol):
        self._protocol = protocol

    def is_closing(self):
        return self._closing

    def close(self):
        if not self._closing:
            self._closing = True
            self._socket.close()
            self._loop.call_soon(self._protocol.connection_lost, None)

    abort = close
