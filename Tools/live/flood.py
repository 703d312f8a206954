"""Floods the SSDP group from one address: junk and announcements of invented devices in turn.

flood.py ADDRESS SECONDS DATAGRAMS-A-SECOND

Sends exactly SECONDS times DATAGRAMS-A-SECOND of them, evenly, 64 with each call of sendmmsg(2), and prints how many were
sent in how many seconds.
"""

import ctypes
import os
import socket
import sys
import time

address, seconds, rate = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
BATCH = 64
form = (
    "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nCACHE-CONTROL: max-age=1800\r\n"
    "LOCATION: http://%s:80/d.xml\r\nNT: upnp:rootdevice\r\nNTS: ssdp:alive\r\nSERVER: x\r\n"
    "USN: uuid:%08d-0000-4000-8000-000000000000::upnp:rootdevice\r\n\r\n"
)
junk = b"junk \x00\xff" * 20


class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("count", ctypes.c_size_t)]


class Head(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_void_p),
        ("name_count", ctypes.c_uint32),
        ("parts", ctypes.POINTER(Part)),
        ("part_count", ctypes.c_size_t),
        ("control", ctypes.c_void_p),
        ("control_count", ctypes.c_size_t),
        ("flags", ctypes.c_int),
    ]


class Message(ctypes.Structure):
    _fields_ = [("head", Head), ("sent_count", ctypes.c_uint)]


system = ctypes.CDLL(None, use_errno=True)
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)
sender.bind((address, 0))
sender.connect(("239.255.255.250", 1900))

buffers, messages, parts = [], (Message * BATCH)(), (Part * BATCH)()
for place in range(BATCH):
    text = (form % (address, 0)).encode() if place % 2 else junk
    buffers.append(ctypes.create_string_buffer(text, len(text)))
    parts[place] = Part(ctypes.addressof(buffers[place]), len(text))
    messages[place].head.parts = ctypes.pointer(parts[place])
    messages[place].head.part_count = 1
views = [memoryview(buffer).cast("B") for buffer in buffers]
number = bytes(views[1]).index(b"uuid:") + len("uuid:")

total = round(seconds * rate)
start = time.monotonic()
sent = place = 0
while sent < total:
    due = min(total, int((time.monotonic() - start) * rate))
    if due < min(sent + BATCH, total):
        time.sleep(0.0002)
        continue
    for device in range(1, BATCH, 2):
        views[device][number : number + 8] = b"%08d" % (sent + device)
    count = min(BATCH, total - sent)
    place = 0
    while place < count:
        done = system.sendmmsg(sender.fileno(), ctypes.byref(messages, place * ctypes.sizeof(Message)), count - place, 0)
        if done > 0:
            place += done
        elif ctypes.get_errno() not in (105, 11, 4):  # ENOBUFS, EAGAIN, EINTR: the same again
            sys.exit("flood: " + os.strerror(ctypes.get_errno()))
    sent += count
print(f"{sent} datagrams sent in {time.monotonic() - start:.2f} s")
