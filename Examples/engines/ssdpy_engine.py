"""An engine over ssdpy (PyPI), as it is: a search that blocks until nothing more is heard, and no more.

While `SSDPClient.m_search` waits in its socket, the turns of the engine pass below it. What it returns is what is found; it does
not listen to announcements, so nothing is ever lost.

    rollcall run Scenarios/ssdp --engine 'python3 Examples/engines/ssdpy_engine.py'
"""

import re
import sys

import rollcall_engine as protocol
from rollcall_engine import Datagram, End, Host, Interface, Search, Sighting, Stop
from virtual_network import Network, VirtualSocket, begin


class Engine:
    def __init__(self, host: Host, network: Network):
        self.host, self.network = host, network
        self.waiting: list[Search] = []
        self.numbers: set[int] = set()
        self.known: dict[str, Sighting] = {}
        self.stopped = False

    def turn(self, until=None):
        """Ends the turn, and does what the next frame asks; `VirtualSocket` calls it while a search blocks."""
        self.host.ready(until)
        frame = self.host.read()
        self.network.now = max(self.network.now, getattr(frame, "time", 0))
        if isinstance(frame, End):
            sys.exit(0)
        elif isinstance(frame, Interface):
            self.network.interface(frame)
        elif isinstance(frame, Datagram):
            self.network.deliver(frame)
        elif isinstance(frame, Search) and not self.stopped:
            if frame.search in self.numbers:
                self.host.failed(protocol.SEARCH_ID_USED, "Give every search a number of its own.", frame.search)
            else:
                self.numbers.add(frame.search)
                self.waiting.append(frame)
        elif isinstance(frame, Stop):
            self.stop()

    def stop(self):
        self.stopped = True
        for device in self.known:
            self.host.lost(device, protocol.STOPPED)
        self.known.clear()
        for search in self.waiting:
            self.host.search_ended(search.search, True)
        self.waiting.clear()

    def run(self):
        while True:
            while self.waiting:
                self.search(self.waiting.pop(0))
            self.turn()

    def search(self, frame: Search):
        """One client after the other for each address of IPv4; the library sends its question once."""
        if frame.host:
            self.host.failed(protocol.INVALID_SEARCH, "The library asks nobody but the group.", frame.search)
            return
        if not self.network.addresses:
            self.host.failed(protocol.NO_INTERFACE, "There is no network to search on.", frame.search)
            return
        heard = set()
        for interface, addresses in sorted(self.network.addresses.items()):
            address = self.network.address_of(interface, 4)
            if address is None or self.stopped or frame.interface not in (None, interface):
                continue
            client = SSDPClient(timeout=frame.mx + 0.1, address=address)
            # Without `iface`, which needs the name of a real interface, the library leaves the way out to the system.
            for answer in client.m_search(frame.target, frame.mx):
                self.answered(frame, interface, answer, heard)
            client.sock.close()
        self.host.search_ended(frame.search, self.stopped)

    def answered(self, frame: Search, interface: int, answer: dict, heard: set):
        usn = answer.get("usn") or ""
        device = usn.partition("::")[0]
        target = answer.get("st") or ""
        if self.stopped or not usn.startswith("uuid:") or (usn, target) in heard:
            return
        heard.add((usn, target))
        self.host.service(frame.search, device, usn, target, answer.get("location"))
        # The list says who answered, and not from where: the address is that of its description.
        host = re.match(r"https?://([0-9.]+)[:/]", answer.get("location") or "")
        if usn.endswith("::upnp:rootdevice") and device not in self.known:
            source = host[1] if host else "0.0.0.0"
            self.known[device] = Sighting(device, answer.get("location"), source, interface)
            self.host.found(self.known[device])


def main():
    global SSDPClient
    network = begin()
    from ssdpy import SSDPClient

    engine = Engine(network.host, network)
    VirtualSocket.wait = staticmethod(engine.turn)
    engine.run()


if __name__ == "__main__":
    main()
