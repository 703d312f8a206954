"""A control point on the gssdp library, for the addresses that gssdp-discover cannot use: it takes IPv4 only."""

import argparse

import gi

gi.require_version("GSSDP", "1.6")
from gi.repository import Gio, GLib, GSSDP  # noqa: E402

options = argparse.ArgumentParser()
options.add_argument("--on", action="append", required=True, metavar="INTERFACE=ADDRESS")
options.add_argument("--target", default="ssdp:all")
options.add_argument("--mx", type=int, default=2)
options.add_argument("--seconds", type=int, default=4)
arguments = options.parse_args()

browsers = []
for place in arguments.on:
    interface, address = place.split("=")
    client = GSSDP.Client.new_full(
        interface, Gio.InetAddress.new_from_string(address), 0, GSSDP.UDAVersion.VERSION_1_1
    )
    browser = GSSDP.ResourceBrowser.new(client, arguments.target)
    browser.set_mx(arguments.mx)
    browser.connect("resource-available", lambda _, usn, locations: print("available", usn, locations))
    browser.connect("resource-unavailable", lambda _, usn: print("unavailable", usn))
    browser.set_active(True)
    browsers.append(browser)

loop = GLib.MainLoop()
GLib.timeout_add_seconds(arguments.seconds, loop.quit)
loop.run()
