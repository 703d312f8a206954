import RollcallWire

/// What the tests of DNS read and put together by hand.
enum DNSBench {
  static func read(_ bytes: [UInt8]) -> Result<DNSReader.Reading, DNSFault> {
    bytes.withUnsafeBytes { raw in
      do throws(DNSFault) { return .success(try DNSReader.read(raw)) } catch { return .failure(error) }
    }
  }

  /// Why the message is refused; `nil`: it is not.
  static func fault(_ bytes: [UInt8]) -> DNSFault? {
    if case .failure(let fault) = read(bytes) { fault } else { nil }
  }

  /// A header with so many questions and answers.
  static func header(questions: Int = 0, answers: Int = 0) -> [UInt8] {
    [0, 0, 0, 0] + big(questions) + big(answers) + [0, 0, 0, 0]
  }

  static func big(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }

  /// A message of one answer of the root: its data begins at byte 23.
  static func answer(_ type: DNSType, _ data: [UInt8]) -> [UInt8] {
    header(answers: 1) + [0] + big(Int(type.rawValue)) + [0, 1, 0, 0, 0, 9] + big(data.count) + data
  }

  /// What was left out of that message.
  static func leftOut(_ type: DNSType, _ data: [UInt8]) throws -> [DNSFault] {
    let reading = try read(answer(type, data)).get()
    return reading.message.answers.isEmpty == reading.faults.isEmpty ? [] : reading.faults
  }
}
