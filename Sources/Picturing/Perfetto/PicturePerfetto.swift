import RollcallPrimitives

/// The diagram of a picture as a trace for Perfetto (https://perfetto.dev): a track for each host and for each device,
/// marks as instants, bars as slices, arrows as flows.
///
/// Numbers of fields are those of `perfetto_trace.proto`: `Trace`, `TracePacket`, `TrackDescriptor`, `TrackEvent`,
/// `DebugAnnotation`.
package enum PicturePerfetto {
  package static func bytes(_ picture: Picture) -> [UInt8] {
    var trace = ProtobufWriter()
    track(Tracks.hosts, "hosts", below: nil, &trace)
    for (place, lane) in picture.lanes.enumerated() {
      let name = lane.detail.isEmpty ? lane.name : "\(lane.name) (\(lane.detail))"
      track(Tracks.lane(place), name, below: (Tracks.hosts, place), &trace)
    }
    if !picture.devices.isEmpty { track(Tracks.devices, "devices", below: nil, &trace) }
    for (place, device) in picture.devices.enumerated() {
      track(Tracks.device(place), device.name, below: (Tracks.devices, place), &trace)
    }
    let arrows = arrows(picture)
    let losses = Dictionary(grouping: picture.losses) { $0.mark }
    for (place, mark) in picture.marks.enumerated() {
      event(mark.time, in: picture, &trace) { event in
        event.number(9, EventType.instant)
        event.number(11, Tracks.lane(mark.lane))
        event.text(22, mark.kind.rawValue)
        event.text(23, picture.strings[picture.sayings[mark.saying].title])
        if mark.number > 0 { annotate(picture.unit.rawValue, mark.number, &event) }
        for field in picture.sayings[mark.saying].fields {
          annotate(picture.strings[field.name], picture.strings[field.value], &event)
        }
        let missed = (losses[place] ?? []).map { picture.lanes[$0.lane].name }
        if !missed.isEmpty { annotate("did not arrive at", missed.joined(separator: ", "), &event) }
        for arrow in arrows[place] { event.fixed(47, UInt64(arrow) + 1) }
        if mark.kind.endsArrow, mark.cause >= 0 { event.fixed(48, UInt64(place) + 1) }
      }
    }
    for (place, device) in picture.devices.enumerated() {
      for span in device.spans {
        event(span.from, in: picture, &trace) { event in
          event.number(9, EventType.begin)
          event.number(11, Tracks.device(place))
          event.text(22, "device")
          event.text(23, span.state.rawValue)
          if !device.detail.isEmpty { annotate("name", device.detail, &event) }
        }
        event(span.to, in: picture, &trace) { event in
          event.number(9, EventType.end)
          event.number(11, Tracks.device(place))
        }
      }
    }
    return trace.bytes
  }

  private enum EventType { static let (begin, end, instant): (UInt64, UInt64, UInt64) = (1, 2, 3) }

  /// Numbers of tracks: any that differ.
  private enum Tracks {
    static let (hosts, devices): (UInt64, UInt64) = (1, 2)
    static func lane(_ place: Int) -> UInt64 { 1_000 + UInt64(place) }
    static func device(_ place: Int) -> UInt64 { 1_000_000 + UInt64(place) }
  }

  /// The marks at which the arrows end that begin at each mark.
  private static func arrows(_ picture: Picture) -> [[Int]] {
    var arrows = [[Int]](repeating: [], count: picture.marks.count)
    for (place, mark) in picture.marks.enumerated() where mark.kind.endsArrow && mark.cause >= 0 {
      arrows[mark.cause].append(place)
    }
    return arrows
  }

  /// - Parameter parent: the track that it stands below, and its place among those there.
  private static func track(
    _ number: UInt64, _ name: String, below parent: (track: UInt64, place: Int)?, _ trace: inout ProtobufWriter
  ) {
    packet(&trace) { packet in
      packet.message(60) { track in
        track.number(1, number)
        track.text(2, name)
        if let parent {
          track.number(5, parent.track)
          track.number(12, UInt64(parent.place))
        } else {
          // Its children stand in the order of their places.
          track.number(11, 3)
        }
      }
    }
  }

  private static func event(
    _ time: Interval, in picture: Picture, _ trace: inout ProtobufWriter, _ write: (inout ProtobufWriter) -> Void
  ) {
    packet(&trace) { packet in
      packet.number(8, UInt64(max(0, (picture.origin + time).nanoseconds)))
      packet.message(11, write)
    }
  }

  private static func packet(_ trace: inout ProtobufWriter, _ write: (inout ProtobufWriter) -> Void) {
    let isFirst = trace.bytes.isEmpty
    trace.message(1) { packet in
      packet.number(10, 1)
      // Nothing of a sequence before counts.
      if isFirst { packet.number(13, 1) }
      write(&packet)
    }
  }

  private static func annotate(_ name: String, _ value: String, _ event: inout ProtobufWriter) {
    event.message(4) { annotation in
      annotation.text(6, value)
      annotation.text(10, name)
    }
  }

  private static func annotate(_ name: String, _ value: Int, _ event: inout ProtobufWriter) {
    event.message(4) { annotation in
      annotation.number(4, UInt64(value))
      annotation.text(10, name)
    }
  }
}
