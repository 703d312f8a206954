"""Builds every root device that answers, with libupnp's own control point, and subscribes to all of its services.

usage: libupnp-devices.py INTERFACE COUNT

It searches until COUNT devices were heard, five times at most: libupnp counts its time in whole seconds from before the
search, and drops the answers of the last one or two. It fetches and parses the descriptions and those of the services,
subscribes, renews, calls and ends. Each line is a device, a service, or what was wrong with the number that libupnp
gives.
"""
import ctypes
import sys
import time
from urllib.parse import urljoin

upnp = ctypes.CDLL("libupnp.so.13")
ixml = ctypes.CDLL("libixml.so.10")
for name in ("ixmlDocument_getElementsByTagName", "ixmlNodeList_item", "ixmlNode_getFirstChild"):
    getattr(ixml, name).restype = ctypes.c_void_p
ixml.ixmlNode_getNodeValue.restype = ctypes.c_char_p
ixml.ixmlPrintDocument.restype = ctypes.c_char_p
upnp.UpnpDiscovery_get_Location_cstr.restype = ctypes.c_char_p
upnp.UpnpMakeAction.restype = ctypes.c_void_p
upnp.UpnpGetServerIpAddress.restype = ctypes.c_char_p
upnp.UpnpEvent_get_SID_cstr.restype = ctypes.c_char_p

# Of Upnp_EventType.
SEARCH_RESULT, EVENT_RECEIVED = 6, 9
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
locations, events = set(), []


@CALLBACK
def heard(kind, event, _):
    if kind == SEARCH_RESULT:
        locations.add(upnp.UpnpDiscovery_get_Location_cstr(ctypes.c_void_p(event)).decode())
    elif kind == EVENT_RECEIVED:
        events.append(upnp.UpnpEvent_get_SID_cstr(ctypes.c_void_p(event)).decode())
    return 0


def check(what, code):
    if code != 0:
        print(f"wrong {what}: {code}")
    return code == 0


def texts(document, name):
    nodes = ctypes.c_void_p(ixml.ixmlDocument_getElementsByTagName(document, name.encode()))
    for number in range(ixml.ixmlNodeList_length(nodes) if nodes else 0):
        node = ctypes.c_void_p(ixml.ixmlNodeList_item(nodes, ctypes.c_ulong(number)))
        child = ctypes.c_void_p(ixml.ixmlNode_getFirstChild(node))
        yield (ixml.ixmlNode_getNodeValue(child) or b"").decode() if child else ""


def fetch(url):
    document = ctypes.c_void_p()
    return document if check(url, upnp.UpnpDownloadXmlDoc(url.encode(), ctypes.byref(document))) else None


def use(handle, location, kind, description, control, event):
    scpd = fetch(urljoin(location, description))
    if not scpd:
        return
    actions = len(list(texts(scpd, "argumentList")))
    sid, timeout = ctypes.create_string_buffer(44), ctypes.c_int(300)
    url = urljoin(location, event).encode()
    if not check(f"SUBSCRIBE {event}", upnp.UpnpSubscribe(handle, url, ctypes.byref(timeout), sid)):
        return
    end = time.monotonic() + 5
    while sid.value.decode() not in events and time.monotonic() < end:
        time.sleep(0.02)
    if sid.value.decode() not in events:
        print(f"wrong {event}: no first event")
    check(f"renewal of {event}", upnp.UpnpRenewSubscription(handle, ctypes.byref(timeout), sid))
    check(f"UNSUBSCRIBE {event}", upnp.UpnpUnSubscribe(handle, sid))
    action = ctypes.c_void_p(upnp.UpnpMakeAction(b"Nothing", kind.encode(), 0, None))
    answer = ctypes.c_void_p()
    code = upnp.UpnpSendAction(handle, urljoin(location, control).encode(), kind.encode(), None, action, ctypes.byref(answer))
    print(f"  service {kind}: {actions} actions with arguments, {timeout.value} s, Nothing is error {code}")


def main(interface, wanted):
    if not check("UpnpInit2", upnp.UpnpInit2(interface.encode(), ctypes.c_ushort(0))):
        sys.exit(1)
    handle = ctypes.c_int()
    check("UpnpRegisterClient", upnp.UpnpRegisterClient(heard, None, ctypes.byref(handle)))
    for _ in range(5):
        check("UpnpSearchAsync", upnp.UpnpSearchAsync(handle, 5, b"upnp:rootdevice", None))
        end = time.monotonic() + 5.5
        while len(locations) < wanted and time.monotonic() < end:
            time.sleep(0.05)
        if len(locations) >= wanted:
            break
    count = 0
    for location in sorted(locations):
        description = fetch(location)
        if not description:
            continue
        print(f"device {next(texts(description, 'friendlyName'), '')}")
        parts = [texts(description, name) for name in ("serviceType", "SCPDURL", "controlURL", "eventSubURL")]
        for kind, scpd, control, event in zip(*parts):
            use(handle, location, kind, scpd, control, event)
        count += 1
    print(f"{count} devices")
    sys.stdout.flush()
    upnp.UpnpUnRegisterClient(handle)
    upnp.UpnpFinish()


main(sys.argv[1], int(sys.argv[2]))
