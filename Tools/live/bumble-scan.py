"""bumble-scan.py TRANSPORT SECONDS [passive]: a Bluetooth host of somebody else scans, and prints how much it was told."""
import asyncio
import sys

from bumble.device import Device
from bumble.hci import Address
from bumble.transport import open_transport


async def main(transport, seconds, active):
    async with await open_transport(transport) as hci:
        device = Device.with_hci("Host outside", Address("C4:00:00:00:00:02"), hci.source, hci.sink)
        seen = {}

        def advertisement(one):
            address = str(one.address).split("/")[0].lower()
            seen[address] = seen.get(address, 0) + 1

        device.on("advertisement", advertisement)
        await device.power_on()
        await device.start_scanning(active=active, filter_duplicates=False)
        print("scanning", flush=True)
        await asyncio.sleep(seconds)
        await device.stop_scanning()
        for address in sorted(seen):
            print(address, seen[address], flush=True)


asyncio.run(main(sys.argv[1], float(sys.argv[2]), sys.argv[3:] != ["passive"]))
