/// Why a datagram was refused. The raw value is what stands in JSON lines.
public enum RejectionReason: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  // Form: the reader refuses.
  case empty
  case tooShort
  case tooLong
  case startLine
  case lineEnd
  case controlByte
  case notUTF8
  case noColon
  case emptyName
  case nameBytes
  case whitespaceBeforeColon
  case foldedLine
  case tooManyFields
  case duplicateField
  case noBlankLine
  case bytesAfterBlankLine
  // Fields: the message cannot be used.
  case missingField
  case emptyField
  case badNTS
  case badMAN
  case badMX
  case badMaxAge
  case badHost
  case badUSN
  case badTarget
  case badLocation
  case badNumber
  // State: the engine cannot use it now.
  case noOpenSearch
  case searchOver
  case targetNotAsked
  case staleAfterByebye
  case staleBootID
  case foreignByebye
  case foreignUpdate
  case wrongInterface
  case overTotal
  case overSource
  case overDevice
  // Radio: the bytes are no packet of Bluetooth LE.
  case badPacket
}
