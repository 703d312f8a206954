public import RollcallPrimitives

extension SSDPMessage {
  /// Whether the message has the fields that its kind must have.
  ///
  /// The message must have been read in the same mode. Lenient asks for what a control point or a device cannot do
  /// without; strict asks for what UDA asks of the sender. Offsets: the value that is wrong; for a field that is
  /// missing the end of the message.
  ///
  /// | kind | lenient | strict, besides |
  /// |---|---|---|
  /// | alive | NT, USN | HOST, CACHE-CONTROL, LOCATION, SERVER; from UPnP 1.1 on BOOTID and CONFIGID |
  /// | byebye | NT, USN (D72: nothing else) | HOST |
  /// | update | NT, USN | HOST, LOCATION, BOOTID, CONFIGID, NEXTBOOTID above BOOTID |
  /// | response | ST, USN | CACHE-CONTROL, EXT, LOCATION, SERVER; from UPnP 1.1 on BOOTID |
  /// | search | ST; MAN and MX only if they are there | HOST, MAN; MX 1 ... 5 if multicast |
  /// | other NOTIFY | `badNTS`, or its absence | same |
  ///
  /// MAN is `"ssdp:discover"`, for lenient also without the quotes. MX of a multicast search is a number; that of a
  /// unicast search means nothing (UDA-1.3.2-UC-NOMX). HOST of a multicast message is a group. CACHE-CONTROL has a
  /// max-age. SERVER says which version of UPnP is claimed.
  /// A field that is required must not be empty, EXT aside. A search without MAN or MX is common in the field (D65):
  /// lenient lets it pass, and whether to answer it is a policy of the device. Strict refuses a BOOTID, CONFIGID,
  /// NEXTBOOTID or SEARCHPORT that cannot be read in whatever a device sends. A search has none of them, and what
  /// strays into one is not looked at.
  public func check(_ mode: SSDPMode, isMulticast: Bool = true) -> Rejection? {
    switch kind {
    case .notifyAlive, .notifyByebye, .notifyUpdate:
      if let wrong = missing(.nt, .usn) { return wrong }
      return mode == .strict ? checkNotify() : nil
    case .notifyOther:
      guard let range = range(of: .nts) else { return absent }
      return Rejection(range.isEmpty ? .emptyField : .badNTS, at: range.lowerBound)
    case .response:
      if let wrong = missing(.st, .usn) { return wrong }
      return mode == .strict ? checkResponse() : nil
    case .search:
      if let wrong = missing(.st) { return wrong }
      return mode == .strict ? checkSearch(isMulticast) : checkSearchLeniently(isMulticast)
    }
  }

  private func checkNotify() -> Rejection? {
    if let wrong = badHost(isMulticast: true) ?? badNumber() { return wrong }
    switch kind {
    case .notifyAlive:
      if let wrong = badMaxAge() ?? missing(.location) ?? missing(.server) { return wrong }
      return claimsBootID ? missing(.bootID) ?? missing(.configID) : nil
    case .notifyUpdate:
      if let wrong = missing(.location) ?? missing(.bootID) ?? missing(.configID) ?? missing(.nextBootID) {
        return wrong
      }
      // UDA-1.2.4-UPD-NEXT.
      return index.pointee.nextBootID > index.pointee.bootID ? nil : bad(.badNumber, .nextBootID)
    default: return nil
    }
  }

  private func checkResponse() -> Rejection? {
    if let wrong = badMaxAge() ?? missing(.location) ?? missing(.server) ?? badNumber() { return wrong }
    if !has(.ext) { return absent }
    return claimsBootID ? missing(.bootID) : nil
  }

  private func checkSearch(_ isMulticast: Bool) -> Rejection? {
    if let wrong = badHost(isMulticast: isMulticast) ?? missing(.man) { return wrong }
    if !holds(.man, "\"ssdp:discover\"") { return bad(.badMAN, .man) }
    if !isMulticast { return nil }
    if let wrong = missing(.mx) { return wrong }
    return (1...5).contains(index.pointee.maximumWaitSeconds) ? nil : bad(.badMX, .mx)
  }

  private func checkSearchLeniently(_ isMulticast: Bool) -> Rejection? {
    if has(.man), !holds(.man, "\"ssdp:discover\""), !holds(.man, "ssdp:discover") { return bad(.badMAN, .man) }
    return isMulticast && has(.mx) && index.pointee.maximumWaitSeconds < 0 ? bad(.badMX, .mx) : nil
  }

  private var absent: Rejection { Rejection(.missingField, at: Int(index.pointee.byteCount)) }

  /// The first of two fields that is missing: asked in line, since nearly every message has both.
  @inline(__always)
  private func missing(_ first: SSDPField, _ second: SSDPField) -> Rejection? {
    isFilled(first) && isFilled(second) ? nil : missing(first) ?? missing(second)
  }

  @inline(__always)
  private func isFilled(_ field: SSDPField) -> Bool { range(of: field).map { !$0.isEmpty } ?? false }

  @inline(never)
  private func missing(_ field: SSDPField) -> Rejection? {
    guard let range = range(of: field) else { return absent }
    return range.isEmpty ? Rejection(.emptyField, at: range.lowerBound) : nil
  }

  private func bad(_ reason: RejectionReason, _ field: SSDPField) -> Rejection {
    Rejection(reason, at: range(of: field)?.lowerBound ?? Int(index.pointee.byteCount))
  }

  private func badMaxAge() -> Rejection? {
    missing(.cacheControl) ?? (index.pointee.maxAgeSeconds < 0 ? bad(.badMaxAge, .cacheControl) : nil)
  }

  /// The numbers of UPnP 1.1 where they stand; SEARCHPORT in 49 152 ... 65 535 (UDA-1.2.2-A-SEARCHPORT).
  private func badNumber() -> Rejection? {
    if has(.bootID), index.pointee.bootID < 0 { return bad(.badNumber, .bootID) }
    if has(.configID), index.pointee.configID < 0 { return bad(.badNumber, .configID) }
    if has(.nextBootID), index.pointee.nextBootID < 0 { return bad(.badNumber, .nextBootID) }
    if has(.searchPort), !(49_152...65_535).contains(index.pointee.searchPort) { return bad(.badNumber, .searchPort) }
    return nil
  }

  /// HOST of a multicast message is a group, with port 1900 or none, which means 1900 (UDA-1.2.2-A-HOST-NOPORT).
  private func badHost(isMulticast: Bool) -> Rejection? {
    if let wrong = missing(.host) { return wrong }
    guard isMulticast, let value = value(of: .host) else { return nil }
    for group in SSDPMessage.groups {
      let bytes = UnsafeRawBufferPointer(start: group.utf8Start, count: group.utf8CodeUnitCount)
      guard value.count >= bytes.count, zip(value, bytes).allSatisfy({ SSDPReader.lower($0) == $1 }) else { continue }
      let rest = value[bytes.count...]
      if rest.isEmpty || rest.elementsEqual(":1900".utf8) { return nil }
    }
    return bad(.badHost, .host)
  }

  /// The group of IPv4 and those of IPv6 that UDA names (UDA-A-GROUP6).
  private static let groups: [StaticString] = ["239.255.255.250", "[ff02::c]", "[ff05::c]", "[ff0e::c]"]

  private func holds(_ field: SSDPField, _ text: StaticString) -> Bool {
    guard let value = value(of: field), value.count == text.utf8CodeUnitCount else { return false }
    return USN.isSame(value, UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Whether SERVER claims UPnP 1.1 or later.
  private var claimsBootID: Bool {
    guard let server = value(of: .server), let product = UPnPProduct.first(in: server) else { return false }
    return product.isLaterThan10
  }
}
