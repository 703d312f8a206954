/// The kinds of messages that a root device sends.
package enum DeviceMessageKind: Int, Hashable, Sendable, CaseIterable {
  case alive, byebye, update, response
}

/// What a message leaves open until it is sent.
package enum MessageHole: Hashable, Sendable {
  /// The UUID of the device that the message is about, without `uuid:`.
  case uuid
  /// The address of the interface, in brackets for IPv6.
  case host
  case port
  /// The port, or the next one in every other set (D50).
  case alternatePort
  /// HOST of a multicast message.
  case group
  /// The same without its port.
  case groupAddress
  case bootID
  case nextBootID
  /// The BOOTID before the present one.
  case staleBootID
  case configID
  /// The version that a search asked for, or the device's own.
  case version
  /// The two whole lines OPT and 01-NLS on IPv6, nothing on IPv4 (UDA-A-NLS).
  case networkSignature
  case date
  /// ST as it was asked.
  case echo
  /// Bytes that are no UTF-8 (D14).
  case notUTF8

  /// The most bytes that fill it.
  var byteCountMaximum: Int {
    switch self {
    case .uuid: DeviceUUID.textByteCountMaximum
    case .host: 56
    case .port, .alternatePort: 5
    case .group, .groupAddress: 22
    case .bootID, .nextBootID, .staleBootID, .configID, .version: 10
    case .networkSignature: 80
    case .date: 29
    case .echo: RootDevice.echoByteCountMaximum
    case .notUTF8: 5
    }
  }
}

/// A message as a list of lines, before it is compiled: what message quirks edit.
package struct MessageDraft: Hashable, Sendable {
  package enum Piece: Hashable, Sendable {
    case text(String)
    case hole(MessageHole)
  }

  package struct Field: Hashable, Sendable {
    package var name: String
    package var value: [Piece]
    /// Lines that are printed as they are, name and value without a colon between, their line end included.
    var isRaw = false

    init(_ name: String, _ value: [Piece]) { (self.name, self.value) = (name, value) }
    init(_ name: String, _ value: String) { (self.name, self.value) = (name, [.text(value)]) }
  }

  package let kind: DeviceMessageKind
  package let advert: Advert
  package var startLine: String
  package var fields: [Field]
  var usesTitleCase: Bool
  package var separator: String
  /// Between the value and the end of its line.
  package var trailing = ""
  package var lineEnd = "\r\n"
  package var blankLine = "\r\n"
  /// Behind the blank line.
  package var rest = ""
  /// The message is cut here.
  package var byteCountMaximum: Int?

  /// The correct message (UDA-1.2.2 alive, UDA-1.2.3 byebye, UDA-1.2.4 update, UDA-1.3.3 response).
  package init(_ kind: DeviceMessageKind, _ advert: Advert, of description: DeviceDescription) {
    self.kind = kind
    self.advert = advert
    usesTitleCase = description.style.usesTitleCase
    separator = description.style.separator
    startLine = kind == .response ? "HTTP/1.1 200 OK" : "NOTIFY * HTTP/1.1"
    fields = []

    let target = MessageDraft.target(of: advert, isEchoed: kind == .response)
    let announces = kind == .alive || kind == .response
    if kind != .response { fields.append(Field("HOST", [.hole(.group)])) }
    if announces { fields.append(Field("CACHE-CONTROL", "max-age=\(description.maxAgeSeconds)")) }
    if kind == .response {
      if description.style.sendsDate { fields.append(Field("DATE", [.hole(.date)])) }
      fields.append(Field("EXT", ""))
    }
    if kind != .byebye {
      fields.append(Field("LOCATION", MessageDraft.location(of: description, path: advert.path)))
    }
    if announces, description.uda == .uda20, let port = description.securePort {
      fields.append(
        Field("SECURELOCATION.UPNP.ORG", [.text("https://"), .hole(.host), .text(":\(port)\(description.path)")]))
    }
    if kind != .response {
      fields.append(Field("NT", target))
      fields.append(Field("NTS", kind == .alive ? "ssdp:alive" : kind == .byebye ? "ssdp:byebye" : "ssdp:update"))
    }
    if announces { fields.append(Field("SERVER", description.serverText)) }
    if kind == .response { fields.append(Field("ST", target)) }
    fields.append(Field("USN", MessageDraft.usn(of: advert, target: target)))
    if description.uda.hasBootID {
      fields.append(Field("BOOTID.UPNP.ORG", [.hole(.bootID)]))
      fields.append(Field("CONFIGID.UPNP.ORG", [.hole(.configID)]))
      if kind == .update { fields.append(Field("NEXTBOOTID.UPNP.ORG", [.hole(.nextBootID)])) }
      if kind != .byebye, let port = description.searchPort {
        fields.append(Field("SEARCHPORT.UPNP.ORG", "\(port)"))
      }
      if announces {
        var lines = Field("", [.hole(.networkSignature)])
        lines.isRaw = true
        fields.append(lines)
      }
    }
    if announces {
      fields += description.style.extraFields.map { Field($0.name, $0.value) }
    }
    sort(by: description.style.order)
  }

  /// NT or ST; the version of an answer is the one that was asked for (UDA-1.3.3-ST-LOWER).
  static func target(of advert: Advert, isEchoed: Bool) -> [Piece] {
    if advert.kind == .uuid { return [.text("uuid:"), .hole(.uuid)] }
    guard let version = advert.version else { return [.text(advert.stem)] }
    if isEchoed, advert.versionNumber > 0 { return [.text(advert.stem + ":"), .hole(.version)] }
    return [.text("\(advert.stem):\(version)")]
  }

  /// UDA-1.2.2-USN-T1; in an answer the part behind `::` is ST, as it is NT in an announcement.
  static func usn(of advert: Advert, target: [Piece]) -> [Piece] {
    if let other = advert.usnTarget { return [.text("uuid:"), .hole(.uuid), .text("::" + other)] }
    return advert.kind == .uuid ? target : [.text("uuid:"), .hole(.uuid), .text("::")] + target
  }

  static func location(of description: DeviceDescription, path: String? = nil) -> [Piece] {
    [
      .text(description.scheme + "://"), .hole(.host), .text(":"), .hole(.port), .text(path ?? description.path),
    ]
  }

  /// Puts the named fields first, in this order.
  mutating func sort(by names: [String]) {
    guard !names.isEmpty else { return }
    func rank(_ field: Field) -> Int { names.firstIndex(of: field.name) ?? names.count }
    fields = fields.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }
      .map(\.element)
  }

  // What quirks do to a draft.

  func has(_ name: String) -> Bool { fields.contains { $0.name == name } }

  mutating func remove(_ name: String) { fields.removeAll { $0.name == name } }

  /// Gives the field another value, if the message has it.
  mutating func set(_ name: String, _ value: [Piece]) {
    for index in fields.indices where fields[index].name == name { fields[index].value = value }
  }
  mutating func set(_ name: String, _ value: String) { set(name, [.text(value)]) }

  mutating func append(_ name: String, _ value: String) { fields.append(Field(name, value)) }

  mutating func insert(_ field: Field, before name: String) {
    fields.insert(field, at: fields.firstIndex { $0.name == name } ?? fields.count)
  }
}

extension MessageDraft {
  /// The message as texts and holes, neighbouring texts joined.
  var pieces: [Piece] {
    var joined: [Piece] = []
    var text = ""
    func flush() {
      if !text.isEmpty { joined.append(.text(text)) }
      text = ""
    }
    func put(_ pieces: [Piece]) {
      for piece in pieces {
        switch piece {
        case .text(let more): text += more
        case .hole:
          flush()
          joined.append(piece)
        }
      }
    }
    text += startLine + lineEnd
    for field in fields {
      if field.isRaw {
        text += field.name
        put(field.value)
        continue
      }
      text += usesTitleCase ? MessageDraft.titleCase(field.name) : field.name
      let isEmpty = field.value == [.text("")]
      text += isEmpty && separator == ": " ? ":" : separator
      put(field.value)
      text += trailing + lineEnd
    }
    text += blankLine
    text += rest
    flush()
    return joined
  }

  /// `Cache-Control`, `Location`; names of two and three letters stay as they are, as Windows and JetHead have it.
  static func titleCase(_ name: String) -> String {
    if ["NT", "ST", "NTS", "USN", "OPT", "01-NLS"].contains(name) { return name }
    var isStart = true
    return String(
      name.map { letter in
        defer { isStart = !letter.isLetter }
        return isStart ? letter : Character(letter.lowercased())
      })
  }
}
