"""Searches from one plain UDP socket: `DESTINATION ST MX [PAUSE]` for each, all at once where PAUSE is missing.

DESTINATION is `group` or an address; MX is sent as it stands, `-` leaves the header out.
"""

import argparse
import select
import socket
import time

options = argparse.ArgumentParser()
options.add_argument("--from", dest="source", required=True, metavar="ADDRESS")
options.add_argument("--wait", type=float, default=2, help="seconds to listen after the last search")
options.add_argument("--man", default='"ssdp:discover"')
options.add_argument("search", nargs="+", metavar="DESTINATION,ST,MX[,PAUSE]")
arguments = options.parse_args()

GROUP = "239.255.255.250"
link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
link.bind((arguments.source, 0))
link.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(arguments.source))
link.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 2)
link.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)


def listen(seconds):
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if select.select([link], [], [], left)[0]:
            data, sender = link.recvfrom(4096)
            print(sender[0], data.split(b"\r\n")[0].decode("ascii", "replace"))


for search in arguments.search:
    destination, target, mx, *pause = search.split(",")
    host = GROUP if destination == "group" else destination
    lines = ["M-SEARCH * HTTP/1.1", f"HOST: {host}:1900", f"MAN: {arguments.man}", f"ST: {target}"]
    if mx != "-":
        lines.insert(3, f"MX: {mx}")
    link.sendto(("\r\n".join(lines) + "\r\n\r\n").encode("ascii"), (host, 1900))
    if pause:
        listen(float(pause[0]))
listen(arguments.wait)
