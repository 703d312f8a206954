"""Builds every root device that answers, with async-upnp-client in its strict mode, and uses all of its services.

usage: async-upnp-devices.py ADDRESS [CALL...]

ADDRESS is this host's own. Each line is a device, a service with its actions and what its events began with, or what was
wrong. A CALL such as GetVolume or SetVolume is called where a service has it, with the first allowed values.
"""
import asyncio
import sys

from async_upnp_client.aiohttp import AiohttpNotifyServer, AiohttpRequester
from async_upnp_client.client_factory import UpnpFactory
from async_upnp_client.exceptions import UpnpActionError, UpnpError
from async_upnp_client.search import async_search

INPUTS = {"InstanceID": 0, "Channel": "Master", "DesiredVolume": 30, "newTargetValue": True}


async def search(address):
    places = {}

    async def heard(headers):
        places[headers["usn"]] = headers["location"]

    await async_search(heard, timeout=3, search_target="upnp:rootdevice", source=(address, 0))
    return sorted(set(places.values()))


async def call(service, name):
    action = service.action(name)
    inputs = {argument.name: INPUTS[argument.name] for argument in action.in_arguments()}
    try:
        results = await action.async_call(**inputs)
        print(f"  called {name}: {results}")
    except UpnpActionError as error:
        print(f"  called {name}: error {error.error_code} {error.error_desc}")


async def use(service, events, calls):
    started = asyncio.Event()
    first = {}

    def changed(_, variables):
        first.update({variable.name: variable.upnp_value for variable in variables})
        started.set()

    service.on_event = changed
    sid, _ = await events.async_subscribe(service)
    await asyncio.wait_for(started.wait(), 5)
    sid, timeout = await events.async_resubscribe(sid)
    await events.async_unsubscribe(service)
    evented = sorted(name for name, one in service.state_variables.items() if one.send_events)
    missing = [name for name in evented if name not in first]
    print(f"  service {service.service_type}: {len(service.actions)} actions, {len(first)} first values, {timeout.seconds} s")
    if missing:
        print(f"  missing {missing}")
    for name in calls:
        if name in service.actions:
            await call(service, name)


async def main(address, calls):
    requester = AiohttpRequester(timeout=5)
    server = AiohttpNotifyServer(requester, source=(address, 0))
    await server.async_start_server()
    factory = UpnpFactory(requester, non_strict=False)
    count = 0
    for location in await search(address):
        try:
            device = await factory.async_create_device(location)
            print(f"device {device.name} of {device.device_type}")
            for one in device.all_devices:
                for service in one.services.values():
                    await use(service, server.event_handler, calls)
            count += 1
        except (UpnpError, TimeoutError, asyncio.TimeoutError) as error:
            print(f"wrong {location}: {error!r}")
    await server.async_stop_server()
    print(f"{count} devices")


asyncio.run(main(sys.argv[1], sys.argv[2:]))
