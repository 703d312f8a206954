"""A media renderer served by async-upnp-client, until it is ended.

usage: async-upnp-server.py ADDRESS
"""
import asyncio
import logging
import sys
from xml.etree import ElementTree

from async_upnp_client.client import UpnpStateVariable
from async_upnp_client.const import DeviceInfo, ServiceInfo
from async_upnp_client.server import UpnpServer, UpnpServerDevice, UpnpServerService, callable_action, create_state_var

RENDERING = "urn:schemas-upnp-org:service:RenderingControl:1"


class Rendering(UpnpServerService):
    SERVICE_DEFINITION = ServiceInfo(
        service_id="urn:upnp-org:serviceId:RenderingControl",
        service_type=RENDERING,
        control_url="/control",
        event_sub_url="/events",
        scpd_url="/service.xml",
        xml=ElementTree.Element("service"),
    )
    STATE_VARIABLE_DEFINITIONS = {"Volume": create_state_var("ui2"), "A_ARG_TYPE_InstanceID": create_state_var("ui4")}

    @callable_action(
        name="GetVolume", in_args={"InstanceID": "A_ARG_TYPE_InstanceID"}, out_args={"CurrentVolume": "Volume"}
    )
    async def get_volume(self, InstanceID: int) -> dict[str, UpnpStateVariable]:
        return {"CurrentVolume": self.state_variable("Volume")}


class Renderer(UpnpServerDevice):
    DEVICE_DEFINITION = DeviceInfo(
        device_type="urn:schemas-upnp-org:device:MediaRenderer:1",
        friendly_name="Renderer",
        manufacturer="Nobody",
        manufacturer_url=None,
        model_name="1",
        model_url=None,
        udn="uuid:00000000-0000-4000-8000-000000007755",
        upc=None,
        model_description=None,
        model_number="1",
        serial_number="1",
        presentation_url=None,
        url="/device.xml",
        icons=[],
        xml=ElementTree.Element("device"),
    )
    EMBEDDED_DEVICES = []
    SERVICES = [Rendering]


async def main():
    logging.basicConfig(level=logging.WARNING)
    server = UpnpServer(Renderer, source=(sys.argv[1], 0), http_port=49155, boot_id=3, config_id=1)
    await server.async_start()
    print("serving", flush=True)
    await asyncio.sleep(600)


asyncio.run(main())
