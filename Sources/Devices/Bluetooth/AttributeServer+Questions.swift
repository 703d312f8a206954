import RollcallWire

// What a server leaves to the application that it serves.
extension AttributeServer {
  /// Bytes that a client writes to a characteristic.
  package struct Part: Hashable, Sendable {
    package var handle: UInt16
    package var offset: Int
    package var bytes: [UInt8]

    init(_ handle: UInt16, _ offset: Int, _ bytes: [UInt8]) {
      (self.handle, self.offset, self.bytes) = (handle, offset, bytes)
    }
  }

  /// What a client asks of an application.
  package enum Question: Hashable, Sendable {
    /// `isPart`: of a long value.
    case read(UInt16, offset: Int, isPart: Bool)
    case write([Part], Way)

    package enum Way: Hashable, Sendable {
      case request
      /// Nobody waits for an answer.
      case command
      /// All parts that were prepared.
      case prepared
    }
  }

  enum Deed { case read, write }

  func asks(_ deed: Deed, _ handle: UInt16, _ table: AttributeTable) -> Bool {
    guard case .value(let place) = table[handle]?.content, let access = table.characteristics[place].plan.access else {
      return false
    }
    return (deed == .read ? access.read : access.write) == .asked
  }

  /// The client hears nothing until the application has answered.
  mutating func question(_ question: Question) -> [AttributePDU] {
    questions.append(question)
    return []
  }

  /// What was asked since the last call.
  package mutating func takeQuestions() -> [Question] {
    defer { questions = [] }
    return questions
  }

  /// The answer of the application: an error, 0 for none, and what was read from the offset on.
  package mutating func answer(_ question: Question, error: UInt8, _ value: [UInt8]) -> [[UInt8]] {
    let (opcode, handle): (AttributePDU.Opcode, UInt16)
    let success: AttributePDU
    switch question {
    case .read(let of, _, let isPart):
      let part = Array(value.prefix(mtu - 1))
      success = isPart ? .readBlobResponse(value: part) : .readResponse(value: part)
      (opcode, handle) = (isPart ? .readBlobRequest : .readRequest, of)
    case .write(_, .command): return []
    case .write(let parts, let way):
      success = way == .prepared ? .executeWriteResponse : .writeResponse
      (opcode, handle) = (way == .prepared ? .executeWriteRequest : .writeRequest, parts.first?.handle ?? 0)
    }
    let refusal = AttributePDU.errorResponse(
      request: opcode.rawValue, handle: handle, error: AttributeError(rawValue: error))
    return [frame(of: error == 0 ? success : refusal)]
  }
}
