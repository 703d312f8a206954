import RollcallPrimitives
import RollcallReducing

/// What belongs together on ports that are no datagrams: who advertises, and which streams are one.
struct StationLinks {
  /// The station that advertises from an address.
  var radios: [RadioAddress: Int] = [:]
  /// The packet that was heard last of each station, so that all who hear it have it from one mark.
  var packets: [Int: (key: UInt64, time: Instant, mark: Int)] = [:]
  /// Both ends of each stream, its own first.
  var streams: [StreamPlace: Ends] = [:]
  /// What was written last from one end to the other.
  var written: [Ends: Int] = [:]

  struct StreamPlace: Hashable {
    var station: Int
    var stream: StreamID
  }
  struct Ends: Hashable {
    var own: Endpoint
    var other: Endpoint
  }
}

extension TracePicture {
  // MARK: - What stations are given

  mutating func take(_ signal: SignalValue, _ station: Int, _ time: Instant, _ number: Int) {
    let mark: Int
    switch signal {
    case .host(let host):
      if case .interface(let change) = host { take(change, of: station) }
      mark = note(.host, host.text, station, time, number)
    case .application(let command):
      let text = command.text
      mark = note(
        .asked, text.hasPrefix("command ") ? String(text.dropFirst("command ".count)) : text, station, time, number)
    case .streams(let streams): mark = take(streams, station, time, number)
    case .radio(let radio): mark = take(radio, station, time, number)
    case .store, .process, .other: mark = note(.note, signal.value.text, station, time, number)
    }
    stations[station].cause = mark
  }

  private mutating func take(_ signal: RadioSignal, _ station: Int, _ time: Instant, _ number: Int) -> Int {
    switch signal {
    case .heard(let packet): return hear(packet, station, time, number)
    case .link(_, .frame(let bytes)):
      let key = Flights.key(bytes, kind: 1)
      let origin = flights.hear(key: key, way: key, station: station)
      guard draft.hasRoomForMessages else {
        draft.leaveOutMessage()
        return -1
      }
      return draft.mark(
        .heard, lane: stations[station].lane, at: time, number: number, saying: frame(bytes), cause: origin)
    // What only keeps a connection going is not worth a mark.
    case .link(_, .acknowledged), .link(_, .strength): return stations[station].cause
    case .link: return note(.note, signal.text, station, time, number)
    }
  }

  private mutating func frame(_ bytes: [UInt8]) -> Int {
    draft.say("frame of \(bytes.count) bytes", [Picture.Fact("bytes", PeripheralReport.hex(bytes))])
  }

  private mutating func hear(_ packet: RadioPDU, _ station: Int, _ time: Instant, _ number: Int) -> Int {
    guard draft.hasRoomForMessages else {
      draft.leaveOutMessage()
      return -1
    }
    let shown = DiffDatagram(packet, frame: nil, at: time)
    let words = MarkWords.of(shown, byteCount: packet.bytes.count)
    let saying = draft.say(words.title, words.fields)
    var origin = -1
    if let sender = shown.advertiser.flatMap({ links.radios[$0] }), sender != station {
      let key = Flights.key(packet.bytes, kind: 2)
      if let last = links.packets[sender], last.key == key, time - last.time <= .milliseconds(2) {
        origin = last.mark
      } else {
        origin = draft.mark(.sent, lane: stations[sender].lane, at: time, number: 0, saying: saying)
        links.packets[sender] = (key, time, origin)
      }
    }
    return draft.mark(
      .heard, lane: stations[station].lane, at: time, number: number, saying: saying, cause: origin)
  }

  private mutating func take(_ signal: StreamSignal, _ station: Int, _ time: Instant, _ number: Int) -> Int {
    func place(_ stream: StreamID) -> StationLinks.StreamPlace {
      StationLinks.StreamPlace(station: station, stream: stream)
    }
    switch signal {
    case .opened(let stream, let local):
      if let ends = links.streams[place(stream)] {
        links.streams[place(stream)] = StationLinks.Ends(own: local, other: ends.other)
      }
      return note(.note, signal.text, station, time, number)
    case .accepted(let stream, _, let local, let remote):
      links.streams[place(stream)] = StationLinks.Ends(own: local, other: remote)
      return note(.note, "accepted \(remote)", station, time, number)
    case .bytes(let stream, let bytes):
      guard draft.hasRoomForMessages else {
        draft.leaveOutMessage()
        return -1
      }
      let ends = links.streams[place(stream)]
      let origin = ends.flatMap { links.written[StationLinks.Ends(own: $0.other, other: $0.own)] } ?? -1
      return draft.mark(
        .heard, lane: stations[station].lane, at: time, number: number, saying: written(bytes, ends), cause: origin)
    case .room: return stations[station].cause
    case .ended: return note(.note, signal.text, station, time, number)
    }
  }

  private mutating func written(_ bytes: [UInt8], _ ends: StationLinks.Ends?) -> Int {
    var fields: [Picture.Fact] = []
    if let ends { fields.append(Picture.Fact("stream", "\(ends.own) with \(ends.other)")) }
    fields.append(Picture.Fact("bytes", "\(bytes.count)"))
    return draft.say(PictureText.line(of: bytes), fields)
  }

  // MARK: - What stations want

  mutating func take(_ effect: Effect, _ station: Int, _ time: Instant, _ number: Int) {
    switch effect {
    case .streams(let streams): take(streams, station, time, number)
    case .radio(let radio): take(radio, station, time, number)
    default: if let value = effect.value { note(.note, value.text, station, time, number) }
    }
  }

  private mutating func take(_ effect: RadioEffect, _ station: Int, _ time: Instant, _ number: Int) {
    switch effect {
    case .advertise(_, _, let pdu, _):
      let sender = DiffDatagram(
        RadioPDU(channel: nil, strength: nil, accessAddress: 0, bytes: pdu), frame: nil, at: time
      ).advertiser
      if let sender { links.radios[sender] = station }
      note(.host, "advertises" + (sender.map { " as \($0)" } ?? ""), station, time, number)
    case .resend(let packet):
      if let sender = DiffDatagram(packet, frame: nil, at: time).advertiser { links.radios[sender] = station }
    case .link(_, .send(let bytes)):
      guard draft.hasRoomForMessages else { return draft.leaveOutMessage() }
      let key = Flights.key(bytes, kind: 1)
      let mark = draft.mark(
        .sent, lane: stations[station].lane, at: time, number: number, saying: frame(bytes),
        cause: stations[station].cause)
      flights.send(mark, key: key, way: key, at: time, awaited: [])
    case .link(_, .readStrength): break
    default: note(.host, effect.text, station, time, number)
    }
  }

  private mutating func take(_ effect: StreamEffect, _ station: Int, _ time: Instant, _ number: Int) {
    switch effect {
    case .connect(let stream, let remote, _):
      let place = StationLinks.StreamPlace(station: station, stream: stream)
      links.streams[place] = StationLinks.Ends(own: Endpoint(remote.address, port: 0), other: remote)
      note(.note, "connects to \(remote)", station, time, number)
    case .write(let stream, let bytes):
      guard draft.hasRoomForMessages else { return draft.leaveOutMessage() }
      let ends = links.streams[StationLinks.StreamPlace(station: station, stream: stream)]
      let mark = draft.mark(
        .sent, lane: stations[station].lane, at: time, number: number, saying: written(bytes, ends),
        cause: stations[station].cause)
      if let ends { links.written[ends] = mark }
    case .reset: note(.note, effect.text, station, time, number)
    case .listen, .finish, .pause, .resume: break
    }
  }
}
