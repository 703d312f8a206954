import RollcallPrimitives
import RollcallWire

extension FuzzTarget {
  static let ssdpLenient = ssdp("ssdp-lenient", .lenient)
  static let ssdpStrict = ssdp("ssdp-strict", .strict)

  /// Whatever comes: the reader, its slow half and the reference say the same; what was accepted lies where it says,
  /// prints, and is read again; strict accepts nothing that lenient refuses. All this also for the beginnings of the
  /// input, as a datagram may be cut anywhere.
  private static func ssdp(_ name: String, _ mode: SSDPMode) -> FuzzTarget {
    FuzzTarget(name: name, dictionary: ssdpWords, seeds: ssdpSeeds) { (bytes: [UInt8]) throws(FuzzFinding) in
      try SSDPProperties.check(bytes, mode)
      if bytes.count > 1 {
        let digest = bytes.withUnsafeBytes { Digest.hash($0) }
        for cut in [bytes.count - 1, bytes.count / 2, Int(digest % UInt64(bytes.count))] {
          try SSDPProperties.check(Array(bytes[..<cut]), mode)
        }
      }
    }
  }

  private static let ssdpWords: [String] =
    SSDPField.allCases.dropFirst().map(\.name) + [
      "NOTIFY * HTTP/1.1\r\n", "M-SEARCH * HTTP/1.1\r\n", "HTTP/1.1 200 OK\r\n", "\r\n", "\r\n\r\n", "\r\n ", "\n",
      "ssdp:alive", "ssdp:byebye", "ssdp:update", "SSDP:ALIVE", "ssdp:all", "\"ssdp:discover\"", "upnp:rootdevice",
      "max-age=", "max-age = ", "MAX-AGE=:", "x-max-age=1, ", "-1", "2147483647", "2147483648",
      "99999999999999999999", "0000", "239.255.255.250:1900", "[FF02::C]:1900", "uuid:", "::", "http://", "é", "\t",
      "NT: a\r\n", "USN: b\r\n", "UPnP/1.1",
    ]

  private static let ssdpSeeds: [[UInt8]] = [
    """
    NOTIFY * HTTP/1.1|HOST: 239.255.255.250:1900|CACHE-CONTROL: max-age=1800|LOCATION: http://10.0.0.1:80/d.xml|\
    NT: upnp:rootdevice|NTS: ssdp:alive|SERVER: Linux/5 UPnP/1.1 A/1|USN: uuid:1::upnp:rootdevice|\
    BOOTID.UPNP.ORG: 41|CONFIGID.UPNP.ORG: 7|SEARCHPORT.UPNP.ORG: 50000||
    """,
    """
    NOTIFY * HTTP/1.1|HOST:239.255.255.250:1900|NT:upnp:rootdevice|NTS:ssdp:update|USN:uuid:1|LOCATION:http://a/|\
    BOOTID.UPNP.ORG:1|CONFIGID.UPNP.ORG:1|NEXTBOOTID.UPNP.ORG:2||
    """,
    "NOTIFY * HTTP/1.1|Host: 239.255.255.250|Nt: a |Nts: SSDP:ByeBye|Usn:\tb||\0",
    "M-SEARCH * HTTP/1.1|HOST: [FF02::C]:1900|MAN: \"ssdp:discover\"|MX: 3|ST: ssdp:all|USER-AGENT: a/1||",
    """
    HTTP/1.1 200 OK|CACHE-CONTROL: no-cache, max-age = "60"|EXT:|DATE: Thu, 01 Jan 1970 00:00:00 GMT|OPT: "a"; ns=01|\
    01-NLS: 1|LOCATION: http://a/|SERVER: a|Server: b| folded|X-User-Agent: é|ST: a|USN: b||
    """,
    "HTTP/1.1 200 OK|no colon|: x|A B : c|d",
  ].map { Array($0.utf8).flatMap { $0 == UInt8(ascii: "|") ? [13, 10] : [$0] } }
}

/// What holds for every datagram.
enum SSDPProperties {
  static func check(_ bytes: [UInt8], _ mode: SSDPMode) throws(FuzzFinding) {
    let reading = SSDPReader.read(bytes, mode: mode)
    let reference = SSDPReference.read(bytes, mode: mode)
    let found = outcome(reading)
    if found != reference { throw FuzzFinding("reader: \(found), reference: \(reference)") }
    if SSDPReader.fastAgreesWithSlow(bytes, mode: mode) == false { throw FuzzFinding("fast and slow reader disagree") }
    guard let message = reading.message else {
      if mode == .lenient, SSDPReader.read(bytes, mode: .strict).message != nil {
        throw FuzzFinding("strict accepts what lenient refuses")
      }
      return
    }
    if mode == .strict {
      var lenient = SSDPReader.read(bytes, mode: .lenient).message
      // The one thing they may see differently: NTS in another case.
      if message.kind == .notifyOther { lenient?.kind = .notifyOther }
      if lenient != message { throw FuzzFinding("lenient reads another message than strict") }
    }
    try places(bytes, mode)
    try again(message, mode)
  }

  /// The reader's answer in the words of the reference.
  private static func outcome(_ reading: SSDPOwnedReading) -> SSDPReference.Outcome {
    switch reading {
    case .rejected(let rejection): .rejected(rejection.reason, rejection.offset)
    case .message(let message):
      .message(
        SSDPReference(
          kind: message.kind,
          fields: message.fields.map {
            SSDPReference.Field(name: $0.nameBytes, value: $0.valueBytes, number: $0.number)
          },
          maxAgeSeconds: Int64(message.maxAgeSeconds),
          numbers: [
            message.bootID, message.nextBootID, message.configID, Int64(message.searchPort),
            Int64(message.maximumWaitSeconds),
          ],
          byteCount: message.byteCount))
    }
  }

  /// Fields stand one behind the other inside the bytes that were consumed; field rules name places inside them, and
  /// strict rules pass nothing that lenient rules refuse; text is text.
  private static func places(_ bytes: [UInt8], _ mode: SSDPMode) throws(FuzzFinding) {
    let wrong = SSDPReader.withReading(bytes, mode: mode) { reading -> String? in
      guard case .message(let message) = reading else { return "read twice, refused once" }
      let consumed = Int(message.index.pointee.byteCount)
      if consumed > bytes.count { return "consumed more than there is" }
      var position = 15
      for number in 0..<Int(message.index.pointee.fieldCount) {
        let packed = message.index.field(at: number)
        let (name, value) = (SSDPIndex.nameRange(packed), SSDPIndex.valueRange(packed))
        if name.lowerBound < position || name.isEmpty || value.lowerBound <= name.upperBound { return "fields overlap" }
        if !bytes[name.upperBound..<value.lowerBound].contains(58) { return "no colon between name and value" }
        position = value.upperBound
      }
      if position > consumed { return "a field behind the end" }
      for isMulticast in [true, false] {
        let strict = message.check(.strict, isMulticast: isMulticast)
        let lenient = message.check(.lenient, isMulticast: isMulticast)
        if strict == nil, lenient != nil { return "strict field rules pass what lenient ones refuse" }
        for rejection in [strict, lenient] {
          if let rejection, !(0...consumed).contains(rejection.offset) { return "a rejection outside of the message" }
        }
      }
      let headers = SSDPText.headers(message)
      if headers.count > Int(message.index.pointee.fieldCount) { return "more headers than fields" }
      return nil
    }
    if let wrong { throw FuzzFinding(wrong) }
  }

  /// What was read, written down plainly, is read as the same.
  private static func again(_ message: SSDPOwnedMessage, _ mode: SSDPMode) throws(FuzzFinding) {
    var bytes: [UInt8]
    switch message.kind {
    case .search: bytes = Array("M-SEARCH * HTTP/1.1\r\n".utf8)
    case .response: bytes = Array("HTTP/1.1 200 OK\r\n".utf8)
    default: bytes = Array("NOTIFY * HTTP/1.1\r\n".utf8)
    }
    for field in message.fields { bytes += field.nameBytes + [58, 32] + field.valueBytes + [13, 10] }
    bytes += [13, 10]
    if bytes.count > SSDPReader.byteCountMaximum { return }
    var expected = message
    expected.byteCount = bytes.count
    if SSDPReader.read(bytes, mode: mode) != .message(expected) { throw FuzzFinding("printed, it reads differently") }
  }
}

extension FuzzTarget {
  /// Readers of messages, of the names in them, and of memberships in their groups.
  static let messageReaders: [FuzzTarget] = [
    .ssdpLenient, .ssdpStrict, .usn, .searchTarget, .location, .groupMembership,
  ]
  /// The machines that send and hear them.
  static let messageMachines: [FuzzTarget] = [.controlPoint, .rootDevice]

  /// The group that devices announce themselves to.
  static func announcementGroup(isV6: Bool) -> Endpoint { .ssdp(isV6: isV6) }
}
