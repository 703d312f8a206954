"""Compares the descriptions of services that two devices have in common.

usage: compare-services.py OURS THEIRS...

Each argument is the URL of a device description. Of a service of theirs, in any version of ours, every action that both
have must have the same arguments, in order, and every variable that both have the same type and the same events. A line
for each service, and one for each difference; actions that we have and they have not are named, since a device may leave
out some.
"""
import sys
import urllib.request
import xml.etree.ElementTree as tree
from urllib.parse import urljoin

DEVICE, SERVICE = "{urn:schemas-upnp-org:device-1-0}", "{urn:schemas-upnp-org:service-1-0}"


def fetch(url):
    with urllib.request.urlopen(url, timeout=5) as page:
        return tree.fromstring(page.read())


def text(element, name):
    return (element.findtext(SERVICE + name) or "").strip()


def services(location):
    found = {}
    for service in fetch(location).iter(DEVICE + "service"):
        kind = service.findtext(DEVICE + "serviceType").strip()
        found[kind] = fetch(urljoin(location, service.findtext(DEVICE + "SCPDURL").strip()))
    return found


def actions(scpd):
    return {
        text(action, "name"): [
            (text(one, "name"), text(one, "direction"), text(one, "relatedStateVariable"))
            for one in action.iter(SERVICE + "argument")
        ]
        for action in scpd.iter(SERVICE + "action")
    }


def variables(scpd):
    return {
        text(one, "name"): (text(one, "dataType"), one.get("sendEvents", "yes"))
        for one in scpd.iter(SERVICE + "stateVariable")
    }


def name(kind):
    return kind.rsplit(":", 1)[0]


def main(ours, theirs):
    own = services(ours)
    for location in theirs:
        for kind, other in sorted(services(location).items()):
            mine = own.get(kind) or next((scpd for one, scpd in own.items() if name(one) == name(kind)), None)
            if mine is None:
                continue
            mine_actions, other_actions = actions(mine), actions(other)
            common = [one for one in mine_actions if one in other_actions]
            alone = [one for one in mine_actions if one not in other_actions]
            print(f"service {kind}: {len(common)} actions compared, {len(alone)} are ours alone: {' '.join(alone)}")
            for one in common:
                if mine_actions[one] != other_actions[one]:
                    print(f"differs {one}: {mine_actions[one]} and {other_actions[one]}")
            mine_variables, other_variables = variables(mine), variables(other)
            for one in mine_variables:
                if one in other_variables and mine_variables[one] != other_variables[one]:
                    print(f"differs {one}: {mine_variables[one]} and {other_variables[one]}")


main(sys.argv[1], sys.argv[2:])
