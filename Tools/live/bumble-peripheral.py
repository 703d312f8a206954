"""bumble-peripheral.py TRANSPORT ADDRESS: a Bluetooth host of somebody else advertises and serves attributes.

Prints a line when a central connects, and one when it leaves; then it ends. The stack is bumble (PyPI).
"""
import asyncio
import sys

from bumble.core import AdvertisingData
from bumble.device import Device
from bumble.gatt import Characteristic, Service
from bumble.hci import Address
from bumble.transport import open_transport


def say(*words):
    print(*words, flush=True)


async def main(transport, address):
    async with await open_transport(transport) as hci:
        device = Device.with_hci("Thermometer", Address(address), hci.source, hci.sink)
        device.add_service(
            Service(
                "180F",
                [
                    Characteristic(
                        "2A19",
                        Characteristic.Properties.READ | Characteristic.Properties.NOTIFY,
                        Characteristic.READABLE,
                        bytes([87]),
                    )
                ],
            )
        )
        device.add_service(
            Service(
                "181A",
                [Characteristic("2A6E", Characteristic.Properties.READ, Characteristic.READABLE, bytes(range(40)))],
            )
        )
        done = asyncio.get_running_loop().create_future()

        def connected(connection):
            say("connected", str(connection.peer_address).split("/")[0].lower())
            connection.on("disconnection", lambda reason: done.done() or done.set_result(reason))

        device.on("connection", connected)
        await device.power_on()
        device.advertising_data = bytes(
            AdvertisingData(
                [
                    (AdvertisingData.FLAGS, bytes([6])),
                    (AdvertisingData.COMPLETE_LOCAL_NAME, b"Thermometer"),
                    (AdvertisingData.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, bytes.fromhex("0f18")),
                ]
            )
        )
        await device.start_advertising()
        say("advertising")
        say("disconnected", await asyncio.wait_for(done, 60))


asyncio.run(main(sys.argv[1], sys.argv[2]))
