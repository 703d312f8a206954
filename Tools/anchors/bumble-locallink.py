"""Advertising events a CPU second of bumble's LocalLink: COUNT advertisers and one scanner with a whole host.

bumble-locallink.py COUNT EVENTS    prints the nanoseconds of CPU that an event takes

Each advertiser's send function is called in turn, and what waits is done after every eight events; no timer runs.
"""
import asyncio
import sys
import time

from bumble.controller import Controller
from bumble.device import Device
from bumble.hci import Address
from bumble.host import Host
from bumble.link import LocalLink
from bumble.transport.common import AsyncPipeSink

# Flags, a list of one service and a name: 19 bytes, as the peripherals beside it have.
DATA = bytes([2, 1, 6, 3, 3, 0x0F, 0x18, 11, 9]) + b"peripheral"


async def main(count: int, events: int) -> None:
    link = LocalLink()
    controller = Controller("scanner", link=link)
    device = Device(name="scanner", address=Address("F0:F1:F2:F3:F4:F5"), host=Host(controller, AsyncPipeSink(controller)))
    heard = 0

    def on_advertisement(_advertisement) -> None:
        nonlocal heard
        heard += 1

    device.on("advertisement", on_advertisement)
    await device.power_on()
    await device.start_scanning(filter_duplicates=False)
    advertisers = []
    for number in range(count):
        one = Controller(f"advertiser {number}", link=link)
        one._random_address = Address(f"C0:FF:EE:00:{number >> 8:02X}:{number & 255:02X}")
        legacy = one.le_legacy_advertiser
        legacy.own_address_type, legacy.advertising_data, legacy.enabled = Address.RANDOM_DEVICE_ADDRESS, DATA, True
        advertisers.append(legacy)
    began = time.process_time_ns()
    for event in range(events):
        advertisers[event % count].send_advertising_data()
        if event % 8 == 7:
            await asyncio.sleep(0)
    for _ in range(4):
        await asyncio.sleep(0)
    elapsed = time.process_time_ns() - began
    if heard < events:
        sys.exit(f"{heard} advertisements of {events} events")
    print(elapsed // events)


asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
