"""What minissdpd has in its cache, a line each: LOCATION, NT, USN; bytes that are not printable as \\xNN.

minissdpd-list.py SOCKET
"""

import socket
import sys

LIST_ALL = 3


def read_length(data, place):
    count = 0
    while True:
        octet = data[place]
        place += 1
        count = count << 7 | octet & 0x7F
        if not octet & 0x80:
            return count, place


def shown(text):
    return "".join(chr(octet) if 32 <= octet < 127 else f"\\x{octet:02x}" for octet in text)


with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
    link.connect(sys.argv[1])
    link.sendall(bytes([LIST_ALL, 1]) + b"*")
    link.settimeout(1)
    data = b""
    try:
        while chunk := link.recv(65_536):
            data += chunk
    except TimeoutError:
        pass
print("bytes", data.hex())
place = 1
for _ in range(data[0] if data else 0):
    words = []
    for _ in range(3):
        count, place = read_length(data, place)
        words.append(shown(data[place : place + count]))
        place += count
    print("entry", *words)
