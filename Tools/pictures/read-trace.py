"""Reads a trace for Perfetto with Perfetto's own definitions, and compares it with the page of the same picture:
read-trace.py TRACE PAGE"""
import json, re, sys

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as perfetto

trace = perfetto.Trace()
trace.ParseFromString(open(sys.argv[1], "rb").read())
page = open(sys.argv[2], encoding="utf8").read()
picture = json.loads(re.search(r'id="picture">(.*?)</script>', page, re.S).group(1))

tracks = {}
events = []
for packet in trace.packet:
    assert packet.trusted_packet_sequence_id == 1
    if packet.HasField("track_descriptor"):
        tracks[packet.track_descriptor.uuid] = packet.track_descriptor
    else:
        events.append((packet.timestamp, packet.track_event))

seconds, fraction = picture["origin"].split(".")
origin = int(seconds) * 10 ** 9 + int(fraction)
kinds, strings = picture["kinds"], picture["strings"]
arrows = [kinds.index(kind) for kind in ("heard", "refused", "aimed")]
time, wanted, flows = origin, [], {}
for place, (since, lane, kind, number, said, cause) in enumerate(picture["marks"]):
    time += since
    fields = picture["said"][said]
    wanted.append((time, picture["lanes"][lane][0], kinds[kind], strings[fields[0]]))
    if kind in arrows and cause >= 0:
        flows[place + 1] = cause
instants = [(at, event) for at, event in events if event.type == perfetto.TrackEvent.TYPE_INSTANT]
found = [(at, tracks[event.track_uuid].name.split(" (")[0], event.categories[0], event.name) for at, event in instants]
assert found == wanted, next((pair for pair in zip(found, wanted) if pair[0] != pair[1]), (len(found), len(wanted)))
begun = {flow: place for place, (_, event) in enumerate(instants) for flow in event.flow_ids}
ended = {flow: place for place, (_, event) in enumerate(instants) for flow in event.terminating_flow_ids}
assert begun == flows and ended == {flow: flow - 1 for flow in flows}, "flows differ"
spans = [(origin + span[0], origin + span[1], picture["states"][span[2]]) for device in picture["devices"] for span in device[2]]
slices = [(at, event) for at, event in events if event.type != perfetto.TrackEvent.TYPE_INSTANT]
pairs = [(begin[0], end[0], begin[1].name) for begin, end in zip(slices[::2], slices[1::2])]
assert pairs == spans, "slices differ"
for _, event in instants:
    assert all(one.name and (one.string_value or one.int_value or one.HasField("string_value")) for one in event.debug_annotations)
parents = [track.name for track in tracks.values() if not track.HasField("parent_uuid")]
assert parents[:1] == ["hosts"] and all(track.parent_uuid in tracks for track in tracks.values() if track.HasField("parent_uuid"))
print("  %s: %d tracks, %d instants, %d flows and %d slices as the page has them"
      % (sys.argv[1].rsplit("/", 1)[-1], len(tracks), len(instants), len(flows), len(spans)))
