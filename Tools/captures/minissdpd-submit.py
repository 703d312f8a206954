"""Gives minissdpd a service to answer for, as a device does that leaves port 1900 to it.

minissdpd-submit.py SOCKET ST USN SERVER LOCATION
"""

import socket
import sys


def length(count):
    """Seven bits an octet, the most significant first; the eighth bit says that more follow."""
    octets = [count & 0x7F]
    while count := count >> 7:
        octets.insert(0, count & 0x7F | 0x80)
    return bytes(octets)


SUBMIT = 4
message = bytes([SUBMIT])
for text in sys.argv[2:6]:
    message += length(len(text)) + text.encode("ascii")
with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
    link.connect(sys.argv[1])
    link.sendall(message)
    link.settimeout(1)
    try:
        link.recv(1)
    except TimeoutError:
        pass
