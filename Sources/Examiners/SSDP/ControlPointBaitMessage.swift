import RollcallPrimitives
import RollcallWire

/// Messages of baits: right ones from the writers of `Wire`, wrong ones by changing their lines.
struct ControlPointBaitMessage {
  /// SERVER of good messages, and of what is served beside them.
  static let server = "Linux/6.1 UPnP/1.1 Lamp/1.0"

  private var lines: [[UInt8]]

  /// What a message says, before anything is made wrong with it.
  struct Words {
    var target: String
    var usn: String
    var location: String
    var server = ControlPointBaitMessage.server
    var maxAgeSeconds: Int64 = 1_800
    var bootID: Int64? = 1
    var configID: Int64? = 1
    var nextBootID: Int64 = 0
  }

  enum Kind { case answer, alive, byebye, update }

  init(_ kind: Kind, _ words: Words, _ store: PayloadStore) {
    let sender = SSDPComposer.Sender(
      location: words.location, server: words.server, maxAgeSeconds: words.maxAgeSeconds, bootID: words.bootID,
      configID: words.configID)
    let payload: Payload
    switch kind {
    case .answer: payload = SSDPComposer.response(target: words.target, usn: words.usn, sender: sender, into: store)
    case .alive: payload = SSDPComposer.alive(target: words.target, usn: words.usn, sender: sender, into: store)
    case .byebye:
      payload = SSDPComposer.byebye(
        target: words.target, usn: words.usn, bootID: words.bootID, configID: words.configID, into: store)
    case .update:
      payload = SSDPComposer.update(
        target: words.target, usn: words.usn, sender: sender, nextBootID: words.nextBootID, into: store)
    }
    let bytes = store.array(of: payload)
    store.release(payload)
    lines = []
    var line: [UInt8] = []
    for byte in bytes where byte != 13 {
      if byte != 10 {
        line.append(byte)
        continue
      }
      lines.append(line)
      line = []
    }
    // The blank line is written again at the end.
    lines.removeLast()
  }

  var bytes: [UInt8] { lines.flatMap { $0 + [13, 10] } + [13, 10] }

  // MARK: What can be made wrong

  mutating func setStart(_ text: String) { lines[0] = Array(text.utf8) }

  private func place(of name: String) -> Int? {
    let wanted = Array((name + ":").utf8)
    return lines.indices.dropFirst().first { lines[$0].starts(with: wanted) }
  }

  mutating func remove(_ name: String) { if let place = place(of: name) { lines.remove(at: place) } }
  mutating func set(_ name: String, _ value: String) { set(name, Array(value.utf8)) }
  mutating func set(_ name: String, _ value: [UInt8]) {
    guard let place = place(of: name) else { return }
    lines[place] = Array((name + ": ").utf8) + value
  }
  /// Puts a line before or after that of a field.
  mutating func insert(_ text: String, before name: String) {
    if let place = place(of: name) { lines.insert(Array(text.utf8), at: place) }
  }
  mutating func insert(_ text: String, after name: String) {
    if let place = place(of: name) { lines.insert(Array(text.utf8), at: place + 1) }
  }
  mutating func insertFirst(_ text: String) { lines.insert(Array(text.utf8), at: 1) }
  mutating func append(_ text: String) { lines.append(Array(text.utf8)) }
  mutating func reverse() { lines = [lines[0]] + lines.dropFirst().reversed() }

  /// `LoCaTiOn: …`
  mutating func mixCase() {
    for line in lines.indices.dropFirst() {
      var isUpper = true
      for place in lines[line].indices {
        let byte = lines[line][place]
        if byte == UInt8(ascii: ":") { break }
        let isLetter = byte | 32 >= 97 && byte | 32 <= 122
        guard isLetter else { continue }
        lines[line][place] = isUpper ? byte & ~32 : byte | 32
        isUpper.toggle()
      }
    }
  }

  /// No blank after the colon in one line, blanks and tabs around the value in the next.
  mutating func blank() {
    for line in lines.indices.dropFirst() {
      guard let colon = lines[line].firstIndex(of: UInt8(ascii: ":")) else { continue }
      var value = Array(lines[line][(colon + 1)...])
      while value.first == 32 { value.removeFirst() }
      lines[line] = Array(lines[line][...colon]) + (line % 2 == 1 ? value : [32, 9, 32] + value + [32, 9])
    }
  }
}

extension ControlPointBaitMessage {
  /// Makes a message what the probe wants it to be: an answer where that is the bait's way, and else a NOTIFY.
  ///
  /// - Parameter searched: what was searched for.
  static func bytes(
    of bait: ControlPointBait, _ names: ControlPointBaitNames, searched: String, _ store: PayloadStore
  ) -> [UInt8] {
    let isAnswer = bait.way == .answer
    let probe = bait.role == .probe ? bait.probe : nil
    let target = ControlPointBaitMessage.target(searched)
    var words = Words(
      target: target, usn: "uuid:\(bait.uuid)::\(target)", location: names.location(bait.number, .own))
    switch probe {
    case .higherMinor: words.server = "Linux/6.1 UPnP/1.9 Lamp/1.0"
    case .offSubnet: words.location = names.locationOffSubnet(bait.number)
    case .higherVersion, .higherST:
      let higher = ControlPointBaitMessage.higher(target)
      words.usn = "uuid:\(bait.uuid)::\(higher)"
      if !isAnswer || probe == .higherST { words.target = higher }
    case .valueCase where bait.variant == 0:
      words.target = ControlPointBaitMessage.otherCase(target)
      words.usn = "uuid:\(bait.uuid)::\(words.target)"
    case .wrongST, .valueCase:
      words.target = probe == .wrongST && bait.variant == 1 ? "x" + target : "urn:schemas-upnp-org:device:NobodyAsked:1"
      words.usn = "uuid:\(bait.uuid)::\(words.target)"
    default: break
    }
    let kind: Kind = isAnswer || probe == .unsolicited ? .answer : .alive
    var message = ControlPointBaitMessage(kind, words, store)
    if let probe { message.deform(probe, bait, names, isAnswer: isAnswer) }
    return message.bytes
  }

  /// What an answer says in ST: what was asked, and to a search for everything one of the set.
  static func target(_ searched: String) -> String {
    searched == "ssdp:all" || searched.hasPrefix("uuid:") ? "upnp:rootdevice" : searched
  }

  /// Capitals for small letters, and the other way round.
  static func otherCase(_ text: String) -> String {
    let bytes = text.utf8.map { $0 | 32 >= 97 && $0 | 32 <= 122 ? $0 ^ 32 : $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The next version of a type; anything else stays.
  static func higher(_ target: String) -> String {
    guard let colon = target.lastIndex(of: ":"), let version = Int(digits: target[target.index(after: colon)...]),
      version < .max
    else { return target }
    return target[...colon] + "\(version + 1)"
  }

  private mutating func deform(
    _ probe: ControlPointProbe, _ bait: ControlPointBait, _ names: ControlPointBaitNames, isAnswer: Bool
  ) {
    let target = isAnswer ? "ST" : "NT"
    switch probe {
    case .nameCase: mixCase()
    case .blanks: blank()
    case .fieldOrder: reverse()
    case .unknownFields:
      insertFirst("LAMP.EXAMPLE.COM: on")
      insert("X-Anything: \"a:b\", c;d", before: "USN")
      append("01-NLS: 7")
    case .moreDirectives: set("CACHE-CONTROL", "no-cache=\"Ext\", max-age=1800, must-revalidate")
    case .hostWithoutPort: set("HOST", "239.255.255.250")
    case .eightBit: set("SERVER", Array("Linux/6.1 UPnP/1.1 L".utf8) + [0xE4, 0xFF, 0xC3] + Array("mp/1.0".utf8))
    case .noServer: remove("SERVER")
    case .brokenStart: setStart(isAnswer ? "HTP/1.1200OK" : "NOTIFY*HTTP")
    case .otherStart: setStart(isAnswer ? "HTTP/1.1 404 Not Found" : "notify * HTTP/1.1")
    case .noUSN: remove("USN")
    case .noTarget: remove(target)
    case .noLocation: remove("LOCATION")
    case .noColon: insertFirst("This line is no field")
    case .folded:
      insert(" LOCATION: \(names.location(bait.number, .trap))", after: "SERVER")
      // The folded line stands behind SERVER, LOCATION itself after it, so that a reader for whom the first counts
      // meets the wrong one first.
      move("LOCATION", after: 1)
    case .nul:
      set("SERVER", Array("Linux/6.1 UPnP/1.1 La".utf8) + [0] + Array("mp/1.0".utf8))
      set("LOCATION", Array(names.location(bait.number, .own).utf8) + [0] + Array("/x".utf8))
    case .doubledField: insert("LOCATION: \(names.location(bait.number, .second))", after: "LOCATION")
    case .oversized:
      append("X-LONG.EXAMPLE.COM: " + String(repeating: "rollcall ", count: 60_000 / 9))
    case .manyFields: for number in 0..<1_500 { append("X-\(number).EXAMPLE.COM: \(number)") }
    default: break
    }
  }

  /// Puts a field `count` lines before the end.
  private mutating func move(_ name: String, after count: Int) {
    guard let place = place(of: name) else { return }
    let line = lines.remove(at: place)
    lines.insert(line, at: lines.count - count)
  }
}
