package import RollcallPrimitives
package import RollcallWire

/// What fills the holes of one message.
package struct MessageFill: Sendable {
  package var uuid: DeviceUUID
  package var uuidStyle: DeviceUUID.Style
  /// The host of LOCATION; the family of the message itself is `isV6`.
  package var host: IPAddress
  var isHostZoned = false
  package var isV6: Bool
  package var port: UInt16
  package var alternatePort: UInt16
  package var bootID: UInt32
  package var nextBootID: UInt32
  package var configID: UInt32
  package var version: UInt32
  /// What the device's clock shows, in seconds since 1970.
  package var clockSeconds: Int64

  package init(
    uuid: DeviceUUID, uuidStyle: DeviceUUID.Style, host: IPAddress, isHostZoned: Bool = false, isV6: Bool, port: UInt16,
    alternatePort: UInt16, bootID: UInt32, nextBootID: UInt32, configID: UInt32, version: UInt32, clockSeconds: Int64
  ) {
    (self.uuid, self.uuidStyle) = (uuid, uuidStyle)
    (self.host, self.isHostZoned, self.isV6) = (host, isHostZoned, isV6)
    (self.port, self.alternatePort) = (port, alternatePort)
    (self.bootID, self.nextBootID, self.configID) = (bootID, nextBootID, configID)
    (self.version, self.clockSeconds) = (version, clockSeconds)
  }

  @inline(__always)
  func fill(_ hole: Int, _ echo: [UInt8], _ writer: inout ByteWriter) {
    switch MessageHole(rawValue: hole) {
    case .uuid: writer.append(uuid, uuidStyle)
    case .host: writer.append(host, isZoned: isHostZoned)
    case .port: writer.append(decimal: Int64(port))
    case .alternatePort: writer.append(decimal: Int64(alternatePort))
    case .group:
      writer.append(isV6 ? "[FF02::C]:1900" as StaticString : "239.255.255.250:1900" as StaticString)
    case .groupAddress: writer.append(isV6 ? "[FF02::C]" as StaticString : "239.255.255.250" as StaticString)
    case .bootID: writer.append(decimal: Int64(bootID))
    case .nextBootID: writer.append(decimal: Int64(nextBootID))
    case .staleBootID: writer.append(decimal: Int64(bootID == 0 ? 1 : bootID &- 1))
    case .configID: writer.append(decimal: Int64(configID))
    case .version: writer.append(decimal: Int64(version))
    case .networkSignature:
      guard isV6 else { return }
      writer.append("OPT: \"http://schemas.upnp.org/upnp/1/0/\"; ns=01\r\n01-NLS: " as StaticString)
      writer.append(decimal: Int64(bootID))
      writer.append("\r\n" as StaticString)
    case .date: writer.append(dateAt: clockSeconds)
    case .echo: writer.append(echo)
    case .notUTF8: writer.append([0x20, 0xE9, 0xFF, 0xC0, 0x80])
    case nil: break
    }
  }
}

/// A compiled message.
struct MessageForm {
  let template: SSDPTemplate
  let byteCountMaximum: Int
  /// The message is cut here (D09).
  let cut: Int?

  init(_ draft: MessageDraft) {
    let pieces = draft.pieces
    var byteCount = 0
    template = SSDPTemplate(
      pieces.map { piece in
        switch piece {
        case .text(let text):
          byteCount += text.utf8.count
          return .text(text)
        case .hole(let hole):
          byteCount += hole.byteCountMaximum
          return .hole(hole.rawValue)
        }
      })
    byteCountMaximum = min(byteCount, SSDPReader.byteCountMaximum)
    cut = draft.byteCountMaximum
  }

  /// - Parameter echo: what stands in the hole of that name.
  func write(to store: PayloadStore, _ fill: MessageFill, echo: [UInt8] = []) -> Payload {
    let whole = template.write(to: store, byteCountMaximum: byteCountMaximum) { fill.fill($0, echo, &$1) }
    guard let cut, cut < Int(whole.count) else { return whole }
    defer { store.release(whole) }
    return store.store(UnsafeRawBufferPointer(rebasing: store.bytes(of: whole)[..<max(0, cut)]))
  }
}

extension ByteWriter {
  mutating func append(_ uuid: DeviceUUID, _ style: DeviceUUID.Style) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: DeviceUUID.textByteCountMaximum) { room in
      guard let base = room.baseAddress else { return }
      append(UnsafeRawBufferPointer(start: base, count: uuid.write(style, to: base)))
    }
  }

  /// The host of a URL: dotted decimal, or IPv6 in brackets (UDA-A-LOC6), with a zone where that is wanted.
  mutating func append(_ host: IPAddress, isZoned: Bool) {
    guard host.family == .v4 else {
      append("[\(host)\(isZoned ? "%25eth0" : "")]")
      return
    }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { room in
      var count = 0
      for part in 0..<4 {
        let value = UInt8(truncatingIfNeeded: host.low &>> UInt64(24 &- 8 &* part))
        if part > 0 {
          room[count] = UInt8(ascii: ".")
          count &+= 1
        }
        if value > 99 {
          room[count] = 48 &+ value / 100
          count &+= 1
        }
        if value > 9 {
          room[count] = 48 &+ value / 10 % 10
          count &+= 1
        }
        room[count] = 48 &+ value % 10
        count &+= 1
      }
      append(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(room)[..<count]))
    }
  }

  /// A date of RFC 1123: `Mon, 01 Jan 2024 00:00:00 GMT`.
  package mutating func append(dateAt clockSeconds: Int64) {
    let seconds = min(max(clockSeconds, 0), 253_402_300_799)
    let (days, time) = seconds.quotientAndRemainder(dividingBy: 86_400)
    // Days since 1 March of year 0, in eras of 400 years, so that the leap day comes last.
    let shifted = days + 719_468
    let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * dayOfYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    // The form first, then what varies into its places, and out in one run: it stands in every answer.
    withUnsafeTemporaryAllocation(byteCount: 29, alignment: 1) { room in
      let form: StaticString = "Thu, 01 Jan 1970 00:00:00 GMT"
      room.copyMemory(from: UnsafeRawBufferPointer(start: form.utf8Start, count: 29))
      func name(_ names: StaticString, _ index: Int64, at place: Int) {
        for letter in 0..<3 { room[place &+ letter] = names.utf8Start[3 &* Int(index) &+ letter] }
      }
      func digits(_ value: Int64, at place: Int) {
        room[place] = UInt8(truncatingIfNeeded: 48 &+ value / 10)
        room[place &+ 1] = UInt8(truncatingIfNeeded: 48 &+ value % 10)
      }
      name("ThuFriSatSunMonTueWed", days % 7, at: 0)
      digits(dayOfYear - (153 * march + 2) / 5 + 1, at: 5)
      name("JanFebMarAprMayJunJulAugSepOctNovDec", month - 1, at: 8)
      digits(year / 100, at: 12)
      digits(year % 100, at: 14)
      digits(time / 3_600, at: 17)
      digits(time / 60 % 60, at: 20)
      digits(time % 60, at: 23)
      append(UnsafeRawBufferPointer(room))
    }
  }
}
