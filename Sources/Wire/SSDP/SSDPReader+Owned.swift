public import RollcallPrimitives

/// A message with bytes of its own: for tools and tests, where nobody counts allocations.
public struct SSDPOwnedMessage: Hashable, Sendable {
  /// One field line: bytes as they stood in the datagram, the value trimmed.
  public struct Field: Hashable, Sendable {
    public var nameBytes: [UInt8]
    public var valueBytes: [UInt8]
    public var number: SSDPField

    /// The name as it was sent; bytes that are not UTF-8 as `\xNN`.
    public var name: String { SSDPText.text(nameBytes) }
    /// The value; bytes that are not UTF-8 as `\xNN`.
    public var value: String { SSDPText.text(valueBytes) }
  }

  public var kind: SSDPKind
  /// Every field line in order, repeated ones too.
  public var fields: [Field]
  /// Numbers as in `SSDPIndex`: −1 where there is none that can be read.
  public var maxAgeSeconds: Int32
  public var bootID: Int64
  public var nextBootID: Int64
  public var configID: Int64
  public var searchPort: Int32
  public var maximumWaitSeconds: Int32
  public var byteCount: Int

  /// Copies a message out of its datagram.
  public init(_ message: SSDPMessage) {
    let index = message.index
    kind = index.pointee.kind
    fields = (0..<Int(index.pointee.fieldCount)).map { position in
      let packed = index.field(at: position)
      return Field(
        nameBytes: Array(message.bytes[SSDPIndex.nameRange(packed)]),
        valueBytes: Array(message.bytes[SSDPIndex.valueRange(packed)]), number: SSDPIndex.field(packed))
    }
    maxAgeSeconds = index.pointee.maxAgeSeconds
    bootID = index.pointee.bootID
    nextBootID = index.pointee.nextBootID
    configID = index.pointee.configID
    searchPort = index.pointee.searchPort
    maximumWaitSeconds = index.pointee.maximumWaitSeconds
    byteCount = Int(index.pointee.byteCount)
  }

  /// The value of the first field of this name, as text.
  public func value(of field: SSDPField) -> String? { fields.first { $0.number == field }?.value }
}

/// What a reader made of bytes, with nothing borrowed.
public enum SSDPOwnedReading: Hashable, Sendable {
  case message(SSDPOwnedMessage)
  case rejected(Rejection)

  public var message: SSDPOwnedMessage? {
    if case .message(let message) = self { message } else { nil }
  }
  public var rejection: Rejection? {
    if case .rejected(let rejection) = self { rejection } else { nil }
  }
}

extension SSDPReader {
  /// Reads bytes that have no padding, by way of a copy.
  public static func read(_ bytes: [UInt8], mode: SSDPMode) -> SSDPOwnedReading {
    withReading(bytes, mode: mode) { reading in
      switch reading {
      case .message(let message): .message(SSDPOwnedMessage(message))
      case .rejected(let rejection): .rejected(rejection)
      }
    }
  }

  /// Reads bytes that have no padding and lends the result to `body`.
  public static func withReading<Result>(
    _ bytes: [UInt8], mode: SSDPMode, _ body: (SSDPReading) throws -> Result
  ) rethrows -> Result {
    let padded = bytes + [UInt8](repeating: 0, count: PayloadStore.paddingBytes)
    return try padded.withUnsafeBytes { buffer in
      let datagram = UnsafeRawBufferPointer(rebasing: buffer[..<bytes.count])
      var index = SSDPIndex()
      return try withUnsafeMutablePointer(to: &index) { index in
        if let rejection = read(datagram, mode: mode, into: index) { return try body(.rejected(rejection)) }
        return try body(.message(SSDPMessage(bytes: datagram, index: UnsafePointer(index))))
      }
    }
  }

  /// Whether the fast reader takes these bytes, and whether the slow one then says the same; for tests and fuzzing.
  ///
  /// `nil`: the fast reader has no opinion.
  package static func fastAgreesWithSlow(_ bytes: [UInt8], mode: SSDPMode) -> Bool? {
    if bytes.isEmpty || bytes.count > byteCountMaximum { return nil }
    let padded = bytes + [UInt8](repeating: 0, count: PayloadStore.paddingBytes)
    return padded.withUnsafeBytes { buffer in
      let span = buffer.bytes
      let datagram = UnsafeRawBufferPointer(rebasing: buffer[..<bytes.count])
      var fast = SSDPIndex()
      var slow = SSDPIndex()
      guard readFast(span, count: bytes.count, mode: mode, into: &fast) else { return nil }
      // Again, with the names that were found as guesses.
      guard readFast(span, count: bytes.count, mode: mode, into: &fast) else { return false }
      guard readSlowly(span, count: bytes.count, mode: mode, into: &slow) == nil else { return false }
      return withUnsafePointer(to: &fast) { fast in
        withUnsafePointer(to: &slow) { slow in
          fast.pointee.seen == slow.pointee.seen && fast.pointee.repeated == slow.pointee.repeated
            && SSDPField.allCases.allSatisfy { fast.range(of: $0) == slow.range(of: $0) }
            && SSDPOwnedMessage(SSDPMessage(bytes: datagram, index: fast))
              == SSDPOwnedMessage(SSDPMessage(bytes: datagram, index: slow))
        }
      }
    }
  }
}
