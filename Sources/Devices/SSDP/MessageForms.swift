package import RollcallPrimitives
import RollcallWire

/// What fills the holes of one message.
package struct MessageFill: Sendable {
  package var uuid: DeviceUUID
  package var uuidStyle: DeviceUUID.Style
  /// The host of LOCATION, IPv6 in brackets (UDA-A-LOC6); the family of the message itself is `isV6`.
  package let host: IPAddress
  /// The same as text, where it is an IPv4 address.
  let hostText: DottedDecimal
  let isHostZoned: Bool
  package var isV6: Bool
  package var port: UInt16
  package var alternatePort: UInt16
  package var bootID: UInt32
  package var nextBootID: UInt32
  package var configID: UInt32
  package var version: UInt32
  /// What the device's clock shows, in seconds since 1970.
  package var clockSeconds: Int64

  /// - Parameter hostText: `host` as text, from a sender that has it.
  package init(
    uuid: DeviceUUID, uuidStyle: DeviceUUID.Style, host: IPAddress, hostText: DottedDecimal? = nil,
    isHostZoned: Bool = false, isV6: Bool, port: UInt16, alternatePort: UInt16, bootID: UInt32, nextBootID: UInt32,
    configID: UInt32, version: UInt32, clockSeconds: Int64
  ) {
    (self.uuid, self.uuidStyle) = (uuid, uuidStyle)
    (self.host, self.isHostZoned, self.isV6) = (host, isHostZoned, isV6)
    self.hostText = hostText ?? DottedDecimal(host)
    (self.port, self.alternatePort) = (port, alternatePort)
    (self.bootID, self.nextBootID, self.configID) = (bootID, nextBootID, configID)
    (self.version, self.clockSeconds) = (version, clockSeconds)
  }

  /// Fills a hole that is as long as it happens to be; `MessageForms.write` fills the others.
  @inline(never)
  fileprivate func fill(_ hole: MessageHole, _ echo: [UInt8], _ writer: inout ByteWriter) {
    if hole == .echo { writer.append(echo) } else { writer.append("[\(host)\(isHostZoned ? "%25eth0" : "")]") }
  }
}

/// The messages of a kind of device, compiled: runs of literal bytes, each with the hole behind it.
///
/// Each message stands there for IPv4 and for IPv6, so that what the family decides is literal. All of them stand in
/// the same three arrays of one blueprint, so that no reference is counted to write one.
struct MessageForms: Sendable {
  private struct Step: Sendable {
    /// Literal bytes before the hole.
    var byteCount: UInt32
    /// `nil`: nothing but the literal bytes.
    var hole: MessageHole?
  }

  private struct Form: Sendable {
    /// Where its literal bytes start.
    var literals: Int
    var steps: Range<Int>
    /// The most bytes that it has.
    var byteCountMaximum: Int
    /// The message is cut here (D09).
    var cut: Int
  }

  private enum Part {
    case literal([UInt8])
    case hole(MessageHole)

    static func text(_ text: String) -> Part { .literal(Array(text.utf8)) }

    var byteCountMaximum: Int {
      switch self {
      case .literal(let bytes): bytes.count
      case .hole(let hole): hole.byteCountMaximum
      }
    }
  }

  /// Literal bytes are copied in blocks of so many. What stands behind them is copied with them, and overwritten.
  @inline(__always) private static var blockByteCount: Int { 32 }

  private var literals: [UInt8] = []
  private var steps: [Step] = []
  /// The drafts over IPv4, then over IPv6.
  private var forms: [Form] = []

  init(_ drafts: [MessageDraft]) {
    for isV6 in [false, true] {
      for draft in drafts {
        compile(draft.pieces.flatMap { MessageForms.parts(of: $0, isV6: isV6) }, cut: draft.byteCountMaximum)
      }
    }
    literals += [UInt8](repeating: 0, count: MessageForms.blockByteCount)
  }

  private static func parts(of piece: MessageDraft.Piece, isV6: Bool) -> [Part] {
    switch piece {
    case .text(let text): [.text(text)]
    case .hole(.group): [.text(isV6 ? "[FF02::C]:1900" : "239.255.255.250:1900")]
    case .hole(.groupAddress): [.text(isV6 ? "[FF02::C]" : "239.255.255.250")]
    case .hole(.networkSignature):
      isV6
        ? [
          .text("OPT: \"http://schemas.upnp.org/upnp/1/0/\"; ns=01\r\n01-NLS: "), .hole(.bootID), .text("\r\n"),
        ] : []
    case .hole(.notUTF8): [.literal([0x20, 0xE9, 0xFF, 0xC0, 0x80])]
    case .hole(let hole): [.hole(hole)]
    }
  }

  private mutating func compile(_ parts: [Part], cut: Int?) {
    let (firstLiteral, firstStep) = (literals.count, steps.count)
    let byteCount = parts.reduce(0) { $0 + $1.byteCountMaximum }
    // What may not fit into a datagram is cut between its parts; else neighbouring bytes are one run.
    let mayBeCut = byteCount > SSDPReader.byteCountMaximum
    var start = firstLiteral
    for part in parts {
      var hole: MessageHole?
      switch part {
      case .literal(let bytes):
        literals += bytes
        guard mayBeCut else { continue }
      case .hole(let next): hole = next
      }
      steps.append(Step(byteCount: UInt32(literals.count - start), hole: hole))
      start = literals.count
    }
    if literals.count > start { steps.append(Step(byteCount: UInt32(literals.count - start), hole: nil)) }
    forms.append(
      Form(
        literals: firstLiteral, steps: firstStep..<steps.count,
        byteCountMaximum: min(byteCount, SSDPReader.byteCountMaximum), cut: cut.map { max(0, $0) } ?? .max))
  }

  /// Writes one message as a payload, held once; what does not fit into a datagram is cut off after the last piece
  /// that fits.
  /// - Parameters:
  ///   - form: the draft's place among those that all of this was made of; `fill` decides for which family.
  ///   - echo: what stands in the hole of that name.
  @inline(__always)
  func write(_ form: Int, to store: PayloadStore, _ fill: MessageFill, echo: [UInt8]) -> Payload {
    let form = forms[fill.isV6 ? forms.count &>> 1 &+ form : form]
    return store.write(byteCountMaximum: form.byteCountMaximum) { memory in
      guard let start = memory.baseAddress else { return 0 }
      return min(write(form, to: start, fill, echo), form.cut)
    }
  }

  /// Writes the message at `start` and returns its length.
  ///
  /// Blocks, and holes with few bytes, are written before it is known whether they fit: the padding that the store has
  /// behind every payload takes what is too much.
  @inline(__always)
  private func write(_ form: Form, to start: UnsafeMutableRawPointer, _ fill: MessageFill, _ echo: [UInt8]) -> Int {
    let end = start + form.byteCountMaximum
    return literals.withUnsafeBytes { literals in
      steps.withUnsafeBufferPointer { steps -> Int in
        guard var source = literals.baseAddress, var step = steps.baseAddress else { return 0 }
        let lastStep = step + form.steps.upperBound
        step += form.steps.lowerBound
        source += form.literals
        // Up to `whole` everything fits.
        var (target, whole) = (start, start)
        while step < lastStep {
          let byteCount = Int(truncatingIfNeeded: step.pointee.byteCount)
          let next = target + byteCount
          guard next <= end else { break }
          var offset = 0
          repeat {
            (target + offset).copyMemory(from: source + offset, byteCount: MessageForms.blockByteCount)
            offset &+= MessageForms.blockByteCount
          } while offset < byteCount
          source += byteCount
          (target, whole) = (next, next)
          let hole = step.pointee.hole
          step += 1
          let number: UInt32
          switch hole {
          // Literal bytes, all of them.
          case nil, .group, .groupAddress, .networkSignature, .notUTF8: continue
          case .uuid:
            target += fill.uuid.write(fill.uuidStyle, to: target)
            continue
          case .date:
            target += target.write(dateAt: fill.clockSeconds)
            continue
          case .host where fill.host.family == .v4:
            target += fill.hostText.write(to: target)
            continue
          case .port: number = UInt32(fill.port)
          case .alternatePort: number = UInt32(fill.alternatePort)
          case .bootID: number = fill.bootID
          case .nextBootID: number = fill.nextBootID
          case .staleBootID: number = fill.bootID == 0 ? 1 : fill.bootID &- 1
          case .configID: number = fill.configID
          case .version: number = fill.version
          case let hole?:
            var writer = ByteWriter(UnsafeMutableRawBufferPointer(start: target, count: end - target))
            fill.fill(hole, echo, &writer)
            target += writer.count
            if writer.overflowed { return target - start }
            continue
          }
          target += target.write(decimal: number)
        }
        return (target <= end ? target : whole) - start
      }
    }
  }
}

extension UnsafeMutableRawPointer {
  /// Writes a number in decimal, without leading zeros, and returns its length: at most ten bytes.
  @inline(__always)
  fileprivate func write(decimal number: UInt32) -> Int {
    if number < 10 {
      storeBytes(of: 48 &+ UInt8(truncatingIfNeeded: number), as: UInt8.self)
      return 1
    }
    if number >= 100_000_000 { return write(longDecimal: number) }
    // Eight digits, the first one lowest: four in each half, then two in each quarter, then one in each byte.
    let thousands = number / 10_000
    let halves = UInt64(thousands) | UInt64(number &- 10_000 &* thousands) &<< 32
    let hundreds = (halves &* 10_486) &>> 20 & 0x0000_007F_0000_007F
    let quarters = hundreds | (halves &- 100 &* hundreds) &<< 16
    let tens = (quarters &* 103) &>> 10 & 0x000F_000F_000F_000F
    let digits = tens | (quarters &- 10 &* tens) &<< 8
    // Those in front that are zero go; what is written behind the last one is overwritten.
    let zeroBits = digits.trailingZeroBitCount & ~7
    let text = (digits | 0x3030_3030_3030_3030) &>> UInt64(truncatingIfNeeded: zeroBits)
    storeBytes(of: text.littleEndian, as: UInt64.self)
    return 8 &- zeroBits &>> 3
  }

  /// Writes a number of nine or ten digits.
  @inline(never)
  private func write(longDecimal number: UInt32) -> Int {
    let count = number < 1_000_000_000 ? 9 : 10
    var rest = number
    for offset in (0..<count).reversed() {
      storeBytes(of: 48 &+ UInt8(truncatingIfNeeded: rest % 10), toByteOffset: offset, as: UInt8.self)
      rest /= 10
    }
    return count
  }
}
