import RollcallPrimitives
package import RollcallWire

/// NT or ST taken apart, with numbers in place of its bytes.
package struct Target: Hashable, Sendable, BitwiseCopyable {
  /// Equal for equal bytes; −1: none, or too many or too long to keep.
  package var number: Int32 = -1
  package var form = SearchTarget.Form.opaque
  /// Equal for types that differ in their versions alone; −1 for all but types.
  package var stem: Int32 = -1
  package var version: UInt32 = 0

  /// Whether what is offered under `other` is a match for this, which was asked.
  package func isAnswered(by other: Target) -> Bool {
    form == .all || number == other.number && number >= 0
      || stem >= 0 && stem == other.stem && other.version >= version
  }
}

/// Numbers for what announcements name, dense and from 0, so that checks can keep arrays by them. Bounded.
struct NameBook {
  private static let targetBytesMaximum = 512
  private var texts = ByteTable(countMaximum: 50_000)
  private var stems = ByteTable(countMaximum: 50_000)
  private var targets: [Target] = []
  private var adverts = ByteTable(countMaximum: 200_000)
  private var lanes = ByteTable(countMaximum: 100_000)

  init() {}

  mutating func target(_ bytes: UnsafeRawBufferPointer) -> Target {
    guard !bytes.isEmpty, bytes.count <= NameBook.targetBytesMaximum else { return Target() }
    let number = texts.number(of: bytes, hash: Digest.hash(bytes), isSame: Bytes.isSame)
    guard number >= 0 else { return Target() }
    if Int(number) < targets.count { return targets[Int(number)] }
    let parts = SearchTarget.parse(bytes)
    var target = Target(number: number, form: parts.form, version: parts.version)
    if parts.form == .device || parts.form == .service {
      let stem = UnsafeRawBufferPointer(rebasing: bytes[..<parts.type.upperBound])
      target.stem = stems.number(of: stem, hash: Digest.hash(stem), isSame: Bytes.isSame)
    }
    targets.append(target)
    return target
  }

  /// The number of a message: a UUID, what follows it in the USN, and NT or ST (D25).
  ///
  /// - Parameter suffix: what follows `::`; `nil`: nothing does.
  mutating func advert(_ uuid: Int32, _ suffix: UnsafeRawBufferPointer?, _ target: Target) -> Int32 {
    guard target.number >= 0 else { return -1 }
    var named: Int32 = -1
    if let suffix {
      named = self.target(suffix).number
      guard named >= 0 else { return -1 }
    }
    let key = (uuid, named, target.number)
    return withUnsafeBytes(of: key) { adverts.number(of: $0, hash: Digest.hash($0), isSame: Bytes.isSame) }
  }

  mutating func lane(_ uuid: Int32, _ address: IPAddress, _ interface: InterfaceID, host: Int32) -> Int32 {
    let place = UInt64(interface.number) << 8 | UInt64(address.family.rawValue)
    let key = (
      address.high, address.low, place, UInt64(UInt32(bitPattern: uuid)) << 32 | UInt64(UInt32(bitPattern: host))
    )
    return withUnsafeBytes(of: key) { lanes.number(of: $0, hash: Digest.hash($0), isSame: Bytes.isSame) }
  }
}
