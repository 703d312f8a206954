public import Primitives

/// One line of a trace as `TraceText` writes it, as far as a judge needs it.
public struct TraceTextLine: Hashable, Sendable {
  public enum Content: Hashable, Sendable {
    case received(RecordedDatagram)
    case sent(RecordedDatagram)
    case interface(InterfaceChange)
    /// The name of what the timeline asked for: `appear`, `crash`, …
    case act(String)
    /// An application asked for a search of this number.
    case search(UInt32)
    /// An application holds a device, or lets go of it.
    case hold(device: String)
    case release(device: String)
    /// found, changed, lost, search-ended and rejected, with what the line tells of them.
    case report(Report)
    /// Anything else: wakes, joins, other commands and reports.
    case other
  }
  public var time: Instant
  public var station: String
  public var content: Content
}

/// Why a line is none of a trace.
public struct TraceTextError: Error, Hashable, Sendable {
  /// Counts from 1.
  public var column: Int
  public var expected: String
}

extension TraceText {
  /// Reads a line that `line(_:stationName:)` wrote; names of stations hold no blanks.
  public static func read(_ line: Substring) throws(TraceTextError) -> TraceTextLine {
    var words = Words(line)
    guard let time = instant(words.next()) else { throw words.error("a time in seconds with nine decimals") }
    let station = String(words.next())
    if station.isEmpty { throw words.error("the name of a station") }
    let arrow = words.next()
    guard arrow == "<" || arrow == ">" else { throw words.error("< or >") }
    let verb = words.next()
    let content: TraceTextLine.Content
    if let source = Endpoint(verb), words.peek == "->" {
      let datagram = try datagram(from: source, &words)
      content = arrow == "<" ? .received(datagram) : .sent(datagram)
    } else if arrow == "<", verb == "interface" {
      content = .interface(try change(&words))
    } else if arrow == "<", verb == "command" {
      content = command(&words)
    } else {
      content = (arrow == ">" ? report(verb, &words).map { .report($0) } : nil) ?? .other
    }
    return TraceTextLine(time: time, station: station, content: content)
  }

  /// Words between blanks, and where the last one began.
  private struct Words {
    let line: Substring
    var rest: Substring
    var last: Substring

    init(_ line: Substring) { (self.line, rest, last) = (line, line, line.prefix(0)) }

    mutating func next() -> Substring {
      last = rest.prefix { $0 != " " }
      rest = rest[last.endIndex...].dropFirst()
      return last
    }
    var peek: Substring { rest.prefix { $0 != " " } }

    func error(_ expected: String) -> TraceTextError {
      TraceTextError(column: line.utf8.distance(from: line.startIndex, to: last.startIndex) + 1, expected: expected)
    }
  }

  private static func datagram(from source: Endpoint, _ words: inout Words) throws(TraceTextError) -> RecordedDatagram {
    _ = words.next()
    guard let destination = Endpoint(words.next()) else { throw words.error("the endpoint that it went to") }
    let interface = words.next()
    guard interface.hasPrefix("if"), let number = UInt16(digits: interface.dropFirst(2)) else {
      throw words.error("an interface such as if0")
    }
    let limit = words.next()
    guard limit.hasPrefix("ttl"), let hopLimit = UInt8(digits: limit.dropFirst(3)) else {
      throw words.error("ttl and a number")
    }
    guard let bytes = unescaped(words.rest) else { throw words.error("a payload in escaped ASCII behind this") }
    return RecordedDatagram(
      source: source, destination: destination, interface: InterfaceID(number), hopLimit: hopLimit, bytes: bytes)
  }

  private static func change(_ words: inout Words) throws(TraceTextError) -> InterfaceChange {
    guard let interface = UInt16(digits: words.next()) else { throw words.error("the number of an interface") }
    let state = words.next()
    guard state == "up" || state == "down" else { throw words.error("up or down") }
    var addresses: [InterfaceAddress] = []
    while !words.rest.isEmpty {
      let parts = words.next().split(separator: "/")
      guard parts.count == 2, let address = IPAddress(parts[0]), let bits = Int(digits: parts[1]) else {
        throw words.error("an address with its prefix, as in 192.168.1.2/24")
      }
      addresses.append(InterfaceAddress(address, prefixBits: bits))
    }
    return InterfaceChange(interface: InterfaceID(interface), isUp: state == "up", addresses: addresses)
  }

  private static func command(_ words: inout Words) -> TraceTextLine.Content {
    let verb = words.next()
    if let act = act(verb) { return .act(act) }
    switch verb {
    case "search":
      guard let search = UInt32(digits: words.next()) else { return .other }
      return .search(search)
    case "hold": return .hold(device: String(words.rest))
    case "release": return .release(device: String(words.rest))
    default: return .other
    }
  }

  /// What a line tells of a report; names of devices hold no blanks where more stands behind them.
  private static func report(_ verb: Substring, _ words: inout Words) -> Report? {
    switch verb {
    case "found": return sighting(&words).map { .found($0) }
    case "changed":
      guard let sighting = sighting(&words), let change = change(words.next(), &words) else { return nil }
      return .changed(sighting, change)
    case "lost":
      let device = String(words.next())
      return LossCause(rawValue: String(words.next())).map { .lost(device: device, cause: $0) }
    case "search-ended":
      guard let search = UInt32(digits: words.next()) else { return nil }
      let target = String(words.next())
      _ = (words.next(), words.next())
      return .searchEnded(
        SearchOutcome(search: SearchID(search), target: target, services: [], wasStopped: words.next() == "stopped"))
    case "rejected":
      return RejectionReason(rawValue: String(words.next())).map { .rejected(Rejection($0, at: 0)) }
    default: return nil
    }
  }

  private static func change(_ verb: Substring, _ words: inout Words) -> Change? {
    if verb == "united" { return .united(part: String(words.rest)) }
    _ = words.next()
    let from = words.next()
    switch verb {
    case "location": return .location(from: from == "-" ? nil : String(from))
    case "address": return IPAddress(from).map { .address(from: $0) }
    case "bootID": return .bootID(from: UInt32(digits: from))
    case "configID": return .configID(from: UInt32(digits: from))
    default: return nil
    }
  }

  private static func sighting(_ words: inout Words) -> DeviceSighting? {
    let device = String(words.next())
    let location = String(words.next())
    guard let source = IPAddress(words.next()) else { return nil }
    let interface = words.next()
    guard interface.hasPrefix("if"), let number = UInt16(digits: interface.dropFirst(2)) else { return nil }
    var bootID: UInt32?
    if words.peek == "boot" {
      _ = words.next()
      bootID = UInt32(digits: words.next())
    }
    return DeviceSighting(
      device: device, location: location == "-" ? nil : location, source: source, interface: InterfaceID(number),
      bootID: bootID)
  }

  private static func act(_ word: Substring) -> String? {
    let name = word.prefix { $0 != "(" }
    let acts = ["appear", "leave", "vanish", "crash", "reboot", "move", "relocate", "update", "reconfigure", "send"]
    return acts.contains(String(name)) ? String(name) : nil
  }

  /// What `escaped` wrote, as bytes; `nil` for anything that it does not write.
  public static func unescaped(_ text: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard (32...126).contains(byte) else { return nil }
      if byte != UInt8(ascii: "\\") {
        bytes.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "r"): bytes.append(13)
      case UInt8(ascii: "n"): bytes.append(10)
      case UInt8(ascii: "\\"): bytes.append(92)
      case UInt8(ascii: "x"):
        guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else {
          return nil
        }
        let value = high << 4 | low
        // What is printed plainly, or by a letter, is never written so.
        if (32...126).contains(value) || value == 13 || value == 10 { return nil }
        bytes.append(value)
      default: return nil
      }
    }
    return bytes
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 48...57: byte - 48
    case 97...102: byte - 87
    default: nil
    }
  }

  /// `12.500000000`, as `Instant` prints itself.
  private static func instant(_ text: Substring) -> Instant? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].utf8.count == 9, parts[0] == "0" || parts[0].utf8.first != 48,
      let seconds = Int64(digits: parts[0]), let fraction = Int64(digits: parts[1]), seconds < 9_000_000_000
    else { return nil }
    return Instant(nanoseconds: seconds * 1_000_000_000 + fraction)
  }
}
