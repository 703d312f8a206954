"""A device on the gssdp library: four messages (root, uuid, device, service) on each address given.

SIGUSR1 announces ssdp:update with the next BOOTID, SIGUSR2 moves to --next, SIGTERM says byebye and ends.
"""

import argparse
import signal

import gi

gi.require_version("GSSDP", "1.6")
from gi.repository import Gio, GLib, GSSDP  # noqa: E402

options = argparse.ArgumentParser()
options.add_argument("--on", action="append", required=True, metavar="INTERFACE=ADDRESS")
options.add_argument("--next", metavar="INTERFACE=ADDRESS")
options.add_argument("--uuid", default="00000000-0000-4000-8000-000000007710")
options.add_argument("--max-age", type=int, default=30)
options.add_argument("--renew", type=int, help="seconds between announcements, where not the library's own choice")
options.add_argument("--delay", type=int, help="milliseconds between two messages of a train")
options.add_argument("--boot", type=int, default=7)
options.add_argument("--config", type=int, default=1)
options.add_argument("--host", help="of LOCATION, where it is not the address that is sent from")
options.add_argument("--path", default="description.xml", help="of LOCATION")
arguments = options.parse_args()

root = "uuid:" + arguments.uuid
targets = [
    "upnp:rootdevice",
    root,
    "urn:schemas-upnp-org:device:BinaryLight:1",
    "urn:schemas-upnp-org:service:SwitchPower:1",
]
boot = arguments.boot
groups = []


def announce(place):
    interface, address = place.split("=")
    client = GSSDP.Client.new_full(
        interface, Gio.InetAddress.new_from_string(address), 0, GSSDP.UDAVersion.VERSION_1_1
    )
    client.set_boot_id(boot)
    client.set_config_id(arguments.config)
    group = GSSDP.ResourceGroup.new(client)
    if arguments.delay is not None:
        group.set_message_delay(arguments.delay)
    host = arguments.host or (f"[{address}]" if ":" in address else address)

    def add_resources():
        for target in targets:
            usn = root if target == root else f"{root}::{target}"
            group.add_resource_simple(target, usn, f"http://{host}:49200/{arguments.path}")

    if arguments.renew:
        # The library renews every max-age / 3 - 1 seconds, counted from the max-age that holds when the group appears.
        # What is added to a group that is there already says byebye and alive at once, each resource by itself.
        group.set_max_age((arguments.renew + 1) * 3)
        group.set_available(True)
        group.set_max_age(arguments.max_age)
        add_resources()
    else:
        # As gupnp does it: all byebyes come before the first alive.
        group.set_max_age(arguments.max_age)
        add_resources()
        group.set_available(True)
    groups.append(group)


def update():
    global boot
    boot += 1
    for group in groups:
        group.update(boot)
    return GLib.SOURCE_CONTINUE


def move():
    global boot
    boot += 1
    for group in groups:
        group.set_available(False)
    groups.clear()
    announce(arguments.next)
    return GLib.SOURCE_CONTINUE


def leave():
    for group in groups:
        group.set_available(False)
    # The byebyes wait in a queue: three trains of four, one message every 120 ms.
    GLib.timeout_add(2200, loop.quit)
    return GLib.SOURCE_REMOVE


loop = GLib.MainLoop()
GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR1, update)
GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR2, move)
GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGTERM, leave)
for place in arguments.on:
    announce(place)
loop.run()
