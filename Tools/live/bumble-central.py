"""bumble-central.py TRANSPORT ADDRESS: a Bluetooth host of somebody else scans, connects, discovers, reads, subscribes.

Prints a line for each step. The stack is bumble (PyPI); it has a controller over HCI and knows nothing of who serves it.
"""
import asyncio
import sys

from bumble.core import AdvertisingData
from bumble.device import Device, Peer
from bumble.hci import Address
from bumble.transport import open_transport


def say(*words):
    print(*words, flush=True)


async def main(transport, address):
    async with await open_transport(transport) as hci:
        device = Device.with_hci("Host outside", Address("C4:00:00:00:00:02"), hci.source, hci.sink)
        found = asyncio.get_running_loop().create_future()

        def advertisement(one):
            if str(one.address).split("/")[0].lower() == address.lower() and not found.done():
                name = one.data.get(AdvertisingData.COMPLETE_LOCAL_NAME)
                found.set_result((one.address, name, one.rssi))

        device.on("advertisement", advertisement)
        await device.power_on()
        say("powered on")
        await device.start_scanning(filter_duplicates=False)
        peer_address, name, rssi = await asyncio.wait_for(found, 10)
        say("found", str(peer_address).split("/")[0].lower(), name, rssi)
        await device.stop_scanning()
        connection = await asyncio.wait_for(device.connect(peer_address), 10)
        say("connected", "handle", connection.handle)
        peer = Peer(connection)
        await peer.request_mtu(185)
        await peer.discover_services()
        for service in peer.services:
            say("service", service.uuid.to_hex_str("-").lower())
            await service.discover_characteristics()
            for one in service.characteristics:
                say("characteristic", one.uuid.to_hex_str("-").lower(), one.handle, f"{int(one.properties):#04x}")
        notified = asyncio.get_running_loop().create_future()
        for service in peer.services:
            for one in service.characteristics:
                if int(one.properties) & 0x02:
                    say("read", one.uuid.to_hex_str("-").lower(), bytes(await peer.read_value(one)).hex())
        for service in peer.services:
            for one in service.characteristics:
                if int(one.properties) & 0x10 and not notified.done():
                    await peer.discover_descriptors(one)

                    def value(data, uuid=one.uuid):
                        if not notified.done():
                            notified.set_result((uuid, bytes(data)))

                    await peer.subscribe(one, value)
                    uuid, data = await asyncio.wait_for(notified, 10)
                    say("notified", uuid.to_hex_str("-").lower(), data.hex())
        await connection.disconnect()
        say("disconnected")


asyncio.run(main(sys.argv[1], sys.argv[2]))
