"""Puts an ssdp:alive on a link whose source and LOCATION are [::1], as frames.

usage: loopback-frames.py INTERFACE
"""
import ipaddress
import socket
import struct
import sys

MESSAGE = (
    "NOTIFY * HTTP/1.1\r\nHOST: [FF02::C]:1900\r\nCACHE-CONTROL: max-age=1800\r\nLOCATION: http://[::1]:49152/d.xml\r\n"
    "NT: upnp:rootdevice\r\nNTS: ssdp:alive\r\nSERVER: Linux/6.1 UPnP/1.1 Lamp/1.0\r\n"
    "USN: uuid:00000000-0000-4000-8000-000000007711::upnp:rootdevice\r\nBOOTID.UPNP.ORG: 1\r\nCONFIGID.UPNP.ORG: 1\r\n\r\n"
).encode()


def checksum(data):
    total = sum(struct.unpack(f"!{len(data + b'0' * (len(data) % 2)) // 2}H", data + b"\0" * (len(data) % 2)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


source, group = ipaddress.IPv6Address("::1").packed, ipaddress.IPv6Address("ff02::c").packed
udp = struct.pack("!HHHH", 1900, 1900, 8 + len(MESSAGE), 0) + MESSAGE
pseudo = source + group + struct.pack("!II", len(udp), 17)
udp = udp[:6] + struct.pack("!H", checksum(pseudo + udp)) + udp[8:]
packet = struct.pack("!IHBB", 6 << 28, len(udp), 17, 2) + source + group + udp
with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as link:
    link.bind((sys.argv[1], 0))
    mac = link.getsockname()[4]
    for _ in range(2):
        link.send(bytes.fromhex("33330000000c") + mac + b"\x86\xdd" + packet)
