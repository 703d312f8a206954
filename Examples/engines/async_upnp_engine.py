"""An engine over async-upnp-client (PyPI), as it is: its listeners and its tracker of devices, in virtual time.

It uses the library as an application does: one `SsdpListener` for each address of the host, all with one `SsdpDeviceTracker`,
and one `SsdpSearchListener` for each search and address. What the tracker knows is what it reports:

    rollcall run Scenarios/ssdp --engine 'python3 Examples/engines/async_upnp_engine.py'
"""

import asyncio
import ipaddress
import re
from datetime import datetime, timedelta, timezone

import rollcall_engine as protocol
from rollcall_engine import Host, Interface, Search, Sighting, Stop, StopSearch
from virtual_network import BEGINNING, Network, begin
from virtual_asyncio import VirtualLoop

ROOT = "upnp:rootdevice"
# After the last copy and MX, answers have this long to travel.
GRACE = 0.1


class Engine:
    def __init__(self, host: Host, network: Network, loop: VirtualLoop):
        self.host, self.network, self.loop = host, network, loop
        self.tracker = SsdpDeviceTracker()
        self.listeners: dict[tuple[int, str], SsdpListener] = {}
        self.searches: dict[int, asyncio.Task] = {}
        self.numbers: set[int] = set()
        self.known: dict[str, Sighting] = {}
        self.ends: dict = {}
        self.purge: asyncio.TimerHandle | None = None
        self.stopped = False
        loop.before_ready = self.report

    def on_frame(self, frame):
        if isinstance(frame, Interface):
            self.loop.create_task(self.interface(frame))
        elif isinstance(frame, Search):
            self.search(frame)
        elif isinstance(frame, StopSearch) and frame.search in self.searches:
            self.searches[frame.search].cancel()
        elif isinstance(frame, Stop):
            self.stop()

    # -- listening -------------------------------------------------------------------------------------------------

    async def interface(self, frame: Interface):
        if self.stopped:
            return
        here = self.network.addresses.get(frame.interface, [])
        for key in [key for key in self.listeners if key[0] == frame.interface and key[1] not in here]:
            await self.listeners.pop(key).async_stop()
        for address in here:
            if (frame.interface, address) in self.listeners or self.is_second(address, frame.interface):
                continue
            listener = SsdpListener(
                callback=self.heard, source=self.source(frame.interface, address), loop=self.loop,
                device_tracker=self.tracker)
            self.listeners[frame.interface, address] = listener
            await listener.async_start()

    def is_second(self, address, interface) -> bool:
        """Of IPv6 the link-local address is enough."""
        return address != self.network.address_of(interface, ipaddress.ip_address(address).version)

    def source(self, interface, address):
        return (address, 0) if "." in address else (address, 0, 0, interface + 1)

    def heard(self, device, kind, source):
        """The tracker says that something is new; what it is, `report` finds out."""

    # -- searching -------------------------------------------------------------------------------------------------

    def search(self, frame: Search):
        if frame.search in self.numbers:
            self.host.failed(protocol.SEARCH_ID_USED, "Give every search a number of its own.", frame.search)
        elif not self.listeners and not self.stopped:
            self.numbers.add(frame.search)
            self.host.failed(protocol.NO_INTERFACE, "There is no network to search on.", frame.search)
        elif not self.stopped:
            self.numbers.add(frame.search)
            self.searches[frame.search] = self.loop.create_task(self.searching(frame))

    async def searching(self, frame: Search):
        seen, stopped = set(), False

        def answered(headers):
            self.tracker.see_search(headers)
            usn, target = headers.get_lower("usn"), headers.get_lower("st") or ""
            if usn and headers.get_lower("_udn") and (usn, target) not in seen:
                seen.add((usn, target))
                self.host.service(
                    frame.search, headers.get_lower("_udn"), usn, target, headers.get_lower("location"))

        asked = []
        try:
            for interface, address in list(self.listeners):
                if frame.interface not in (None, interface):
                    continue
                source = self.source(interface, address)
                target = None
                if frame.host:
                    if ipaddress.ip_address(address).version != ipaddress.ip_address(frame.host.address).version:
                        continue
                    target = (frame.host.address, frame.host.port or 1900) + source[2:]
                listener = SsdpSearchListener(
                    callback=answered, loop=self.loop, source=source, target=target, timeout=frame.mx,
                    search_target=frame.target)
                asked.append(listener)
                await listener.async_start()
            for copy in range(frame.copies):
                await asyncio.sleep(frame.spacing / 1e9 if copy else 0)
                for listener in asked:
                    listener.async_search()
            await asyncio.sleep(frame.mx + GRACE)
        except asyncio.CancelledError:
            stopped = True
        for listener in asked:
            listener.async_stop()
        del self.searches[frame.search]
        self.host.search_ended(frame.search, stopped)

    def stop(self):
        self.stopped = True
        for task in list(self.searches.values()):
            task.cancel()
        for listener in self.listeners.values():
            self.loop.create_task(listener.async_stop())
        self.listeners.clear()
        for device in self.known:
            self.host.lost(device, protocol.STOPPED)
        self.known.clear()

    # -- reporting -------------------------------------------------------------------------------------------------

    def report(self):
        """At the end of a turn: how what the tracker knows differs from what was reported."""
        if self.stopped:
            return
        for udn in [udn for udn in self.known if udn not in self.tracker.devices]:
            self.lose(udn, protocol.EXPIRED if self.ends[udn] <= self.now() else protocol.BYEBYE)
        for udn, device in self.tracker.devices.items():
            if ROOT in device.search_headers or ROOT in device.advertisement_headers:
                self.compare(udn, self.sighting(udn, device))
        # The library forgets old devices when it hears something; an application that wants to know has to ask it.
        # It takes a lease as over when its end is past; it is asked for the moment that follows.
        self.tracker.purge_devices(self.now() + timedelta(microseconds=1))
        for udn in [udn for udn in self.known if udn not in self.tracker.devices]:
            self.lose(udn, protocol.EXPIRED)
        self.ends = {udn: device.valid_to for udn, device in self.tracker.devices.items()}
        self.plan()

    def lose(self, udn: str, cause: int):
        self.host.lost(udn, cause)
        del self.known[udn]

    def compare(self, udn: str, now: Sighting):
        was, shown = self.known.get(udn), now._replace(location=re.sub(r"%[^\]/]*\]", "]", now.location))
        # The library writes the scope of an address into its locations, for those who connect to them.
        if was is None:
            self.host.found(shown)
        else:
            # That a device has another address is nothing that the library looks at.
            for what, name in ((protocol.LOCATION, "location"), (protocol.BOOT_ID, "boot_id"), (protocol.CONFIG_ID, "config_id")):
                if getattr(was, name) != getattr(now, name):
                    self.host.changed(shown, what, getattr(was, name))
        self.known[udn] = now

    def sighting(self, udn: str, device) -> Sighting:
        headers = device.combined_headers(ROOT)
        source = headers.get_lower("_remote_addr")[0].partition("%")[0]
        location, was = headers.get_lower("location"), self.known.get(udn)
        # For the library one location of each family is no change; the first one that was told stays in force.
        if was and was.location in device.locations:
            if ip_version_from_location(location) != ip_version_from_location(was.location):
                location, source = was.location, was.source
        return Sighting(
            udn, location, source, self.network.heard_on[source],
            number(headers.get_lower("bootid.upnp.org")), number(headers.get_lower("configid.upnp.org")))

    def now(self):
        return datetime.fromtimestamp(BEGINNING, timezone.utc).replace(tzinfo=None) + timedelta(
            microseconds=self.network.now // 1_000)

    def plan(self):
        """Wakes when the next lease ends."""
        if self.purge:
            self.purge.cancel()
        end = min((device.valid_to for device in self.tracker.devices.values()), default=None)
        self.purge = end and self.loop.call_at((end - datetime(1970, 1, 1)).total_seconds() - BEGINNING, lambda: None)


def number(value):
    return int(value) if value and re.fullmatch("[0-9]{1,9}|[1-3][0-9]{9}", value) else None


def main():
    global SsdpDeviceTracker, SsdpListener, SsdpSearchListener, ip_version_from_location
    network = begin()
    from async_upnp_client.search import SsdpSearchListener
    from async_upnp_client.ssdp_listener import SsdpDeviceTracker, SsdpListener, ip_version_from_location

    loop = VirtualLoop(network, lambda frame: engine.on_frame(frame))
    asyncio.set_event_loop(loop)
    engine = Engine(network.host, network, loop)
    loop.run_forever()


if __name__ == "__main__":
    main()
