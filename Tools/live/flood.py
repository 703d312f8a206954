"""Floods the SSDP group from one address: junk and announcements of invented devices in turn.

flood.py ADDRESS SECONDS DATAGRAMS-A-SECOND
"""

import socket
import sys
import time

address, seconds, rate = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
sender.bind((address, 0))
group = ("239.255.255.250", 1900)
form = (
    "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nCACHE-CONTROL: max-age=1800\r\n"
    "LOCATION: http://%s:80/d.xml\r\nNT: upnp:rootdevice\r\nNTS: ssdp:alive\r\nSERVER: x\r\n"
    "USN: uuid:%08d-0000-4000-8000-000000000000::upnp:rootdevice\r\n\r\n"
)
start = time.monotonic()
sent = 0
while (now := time.monotonic() - start) < seconds:
    while sent < now * rate:
        payload = (form % (address, sent)).encode() if sent % 2 else b"junk \x00\xff" * 20
        try:
            sender.sendto(payload, group)
        except OSError:
            pass
        sent += 1
        if sent % 256 == 0 and time.monotonic() - start >= seconds:
            break
print(f"{sent} datagrams sent in {time.monotonic() - start:.1f} s")
