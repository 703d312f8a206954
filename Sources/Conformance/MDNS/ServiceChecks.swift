import RollcallPrimitives
import RollcallWire

/// What the records of a response show of RFC 6763.
enum ServiceChecks {
  static let textBytesMaximum = 1_300

  static func judge(_ heard: HeardMessage, _ collector: inout FindingCollector) {
    let scene = heard.scene
    for record in heard.message.answers + heard.message.additionals {
      if case .ptr(let target) = record.data { judge(record.name, target, scene, &collector) }
      if case .txt(let bytes) = record.data { judge(text: bytes, record.name, scene, &collector) }
    }
  }

  /// Whether many hosts may answer for this name: a service type, a subtype, or the list of types.
  static func isShared(_ name: DNSName) -> Bool {
    name == ServiceType.enumerationName || serviceLabel(of: name) != nil
  }

  /// The label before the transport, `_x` of `_x._tcp.local`, and whether a subtype stands before it; `nil`: it is no
  /// name of a service type or of a subtype.
  private static func serviceLabel(of name: DNSName) -> (name: [UInt8], isSubtype: Bool)? {
    let labels = name.labels
    guard
      let place = labels.firstIndex(where: { label in
        ServiceType.Transport.allCases.contains { $0.rawValue.utf8.elementsEqual(label.map(Bytes.lower)) }
      }), place >= 1
    else { return nil }
    let own = labels[place - 1]
    guard own.first == UInt8(ascii: "_") else { return nil }
    if place == 1 { return (own, false) }
    return place == 3 && labels[1].map(Bytes.lower) == Array("_sub".utf8) ? (own, true) : nil
  }

  private static func judge(
    _ owner: DNSName, _ target: DNSName, _ scene: FindingCollector.Scene, _ collector: inout FindingCollector
  ) {
    guard let type = serviceLabel(of: owner) else { return }
    let fault = ServiceType.fault(inName: type.name.dropFirst())
    collector.rule(
      .typeNames, fault == nil, at: scene, expected: "1 to 15 letters, digits and single hyphens, one a letter",
      found: "\(owner)")
    // The instance is one of this type.
    let base = type.isSubtype ? owner.parent?.parent : owner
    guard let base else { return }
    if type.isSubtype {
      collector.rule(
        .subtypes, target.parent == base, at: scene, expected: "an instance of \(base), by its plain name",
        found: "\(target)")
    }
    guard target.parent == base else { return }
    let label = ServiceInstanceName.fault(inInstance: target.firstLabel)
    collector.rule(
      .instanceNames, label == nil, at: scene, expected: "an instance of UTF-8 without control characters",
      found: "\(target)")
  }

  private static func judge(
    text bytes: [UInt8], _ owner: DNSName, _ scene: FindingCollector.Scene, _ collector: inout FindingCollector
  ) {
    collector.rule(
      .emptyText, !bytes.isEmpty, at: scene, expected: "at least one byte in TXT", found: "none in TXT of \(owner)")
    collector.rule(
      .textSize, bytes.count <= textBytesMaximum, at: scene, expected: "at most \(textBytesMaximum) bytes in TXT",
      found: "\(bytes.count)")
    // TXT records of other names hold what they like.
    guard (try? ServiceInstanceName(owner)) != nil, bytes.count > 1 else { return }
    var (place, wrong) = (0, [UInt8]?.none)
    while place < bytes.count {
      let string = bytes[place + 1..<min(bytes.count, place + 1 + Int(bytes[place]))]
      place += 1 + Int(bytes[place])
      let key = string.prefix { $0 != UInt8(ascii: "=") }
      let isKey = !key.isEmpty && key.allSatisfy { (0x20...0x7E).contains($0) }
      if !string.isEmpty, !isKey, wrong == nil { wrong = Array(string) }
    }
    collector.rule(
      .textKeys, wrong == nil, at: scene, expected: "keys of printable ASCII", found: DNSName.text(of: wrong ?? []))
  }
}
