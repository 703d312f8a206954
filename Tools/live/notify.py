"""Announces one service by ssdp:alive, with the LOCATION and max-age that are given, once.

notify.py ADDRESS LOCATION MAX-AGE [UUID]
"""

import socket
import sys

address, location, max_age = sys.argv[1:4]
uuid = sys.argv[4] if len(sys.argv) > 4 else "00000000-0000-4000-8000-000000007720"
lines = [
    "NOTIFY * HTTP/1.1",
    "HOST: 239.255.255.250:1900",
    f"CACHE-CONTROL: max-age={max_age}",
    f"LOCATION: {location}",
    "NT: upnp:rootdevice",
    "NTS: ssdp:alive",
    "SERVER: Linux/6.0 UPnP/1.1 Example/1.0",
    f"USN: uuid:{uuid}::upnp:rootdevice",
    "BOOTID.UPNP.ORG: 1",
    "CONFIGID.UPNP.ORG: 1",
]
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
    link.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
    link.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 2)
    link.bind((address, 0))
    link.sendto("\r\n".join(lines + ["", ""]).encode("ascii"), ("239.255.255.250", 1900))
