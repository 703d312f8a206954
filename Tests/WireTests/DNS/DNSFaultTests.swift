import RollcallExpectations
import RollcallWire
import Testing

/// Each reason at its byte, and beside it the last case that is none.
@Suite struct DNSFaultTests {
  @Test("A message has at most 65 507 bytes")
  func size() throws {
    let most = [UInt8](repeating: 0, count: 65_507)
    expectEqual(try DNSBench.read(most).get().faults, [DNSFault(.trailingBytes, at: 12, expected: 0, found: 65_495)])
    expectEqual(DNSBench.fault(most + [0]), DNSFault(.tooLong, at: 65_507, expected: 65_507, found: 65_508))
    expectEqual(DNSBench.fault([]), DNSFault(.tooShort, at: 0, expected: 12, found: 0))
    expectEqual(DNSBench.fault([UInt8](repeating: 0, count: 12)), nil)
  }

  @Test("A message has at most 2 048 questions and records together")
  func entries() {
    let question: [UInt8] = [0, 0, 1, 0, 1]
    let questions = Array(repeatElement(question, count: 2_048).joined())
    expectEqual(DNSBench.fault(DNSBench.header(questions: 2_048) + questions), nil)
    expectEqual(
      DNSBench.fault(DNSBench.header(questions: 2_049) + questions + question),
      DNSFault(.tooManyEntries, at: 4, expected: 2_048, found: 2_049))
    expectEqual(
      DNSBench.fault(DNSBench.header(questions: 2_048, answers: 1) + questions + [UInt8](repeating: 0, count: 11)),
      DNSFault(.tooManyEntries, at: 6, expected: 2_048, found: 2_049))
  }

  @Test("Counts need 5 bytes for a question and 11 for a record, and each part is refused at its own count")
  func leastBytes() {
    expectEqual(DNSBench.fault(DNSBench.header(questions: 1) + [0, 0, 1, 0, 1]), nil)
    expectEqual(
      DNSBench.fault(DNSBench.header(questions: 1) + [0, 0, 1, 0]),
      DNSFault(.countTooLarge, at: 4, expected: 4, found: 5))
    for place in [6, 8, 10] {
      var bytes = [UInt8](repeating: 0, count: 23)
      bytes[place + 1] = 1
      expectEqual(DNSBench.fault(bytes), nil)
      expectEqual(
        DNSBench.fault(Array(bytes.dropLast())), DNSFault(.countTooLarge, at: place, expected: 10, found: 11))
    }
  }

  @Test("A name that the message cuts is refused where the bytes end")
  func cutNames() {
    let head = DNSBench.header(questions: 1)
    expectEqual(DNSBench.fault(head + [6, 97, 97, 97, 97]), DNSFault(.nameOverrun, at: 17, expected: 6, found: 0))
    expectEqual(DNSBench.fault(head + [5, 97, 97, 97, 97]), DNSFault(.nameOverrun, at: 17, expected: 5, found: 0))
    expectEqual(DNSBench.fault(head + [4, 97, 97, 97, 97]), DNSFault(.nameOverrun, at: 17, expected: 1, found: 0))
    expectEqual(DNSBench.fault(head + [3, 97, 97, 97, 0xC0]), DNSFault(.nameOverrun, at: 17, expected: 1, found: 0))
  }

  @Test("A name that its data cuts leaves its record out")
  func namesInData() throws {
    expectEqual(try DNSBench.leftOut(.ptr, [3, 97]), [DNSFault(.nameOverrun, at: 25, expected: 3, found: 0)])
    expectEqual(try DNSBench.leftOut(.ptr, [1, 97]), [DNSFault(.nameOverrun, at: 25, expected: 1, found: 0)])
    expectEqual(try DNSBench.leftOut(.ptr, [1, 97, 0xC0]), [DNSFault(.nameOverrun, at: 26, expected: 1, found: 0)])
    expectEqual(try DNSBench.leftOut(.ptr, []), [DNSFault(.nameOverrun, at: 23, expected: 1, found: 0)])
    expectEqual(try DNSBench.leftOut(.ptr, [1, 97, 0]), [])
    // A pointer leads out of the data: behind it the message is the bound.
    expectEqual(try DNSBench.leftOut(.ptr, [1, 97, 0xC0, 12]), [])
    expectEqual(try DNSBench.leftOut(.ptr, [0, 0]), [DNSFault(.dataLength, at: 24, expected: 1, found: 2)])
    expectEqual(try DNSBench.leftOut(.cname, [0xC0, 12, 0]), [DNSFault(.dataLength, at: 25, expected: 2, found: 3)])
  }

  @Test("A question and a record need what stands behind their names")
  func fixedFields() {
    expectEqual(
      DNSBench.fault(DNSBench.header(questions: 1) + [1, 97, 0, 0, 1]),
      DNSFault(.questionOverrun, at: 17, expected: 4, found: 2))
    expectEqual(
      DNSBench.fault(DNSBench.header(questions: 1) + [1, 97, 0, 0, 1, 0]),
      DNSFault(.questionOverrun, at: 18, expected: 4, found: 3))
    expectEqual(DNSBench.fault(DNSBench.header(questions: 1) + [1, 97, 0, 0, 1, 0, 1]), nil)
    let record: [UInt8] = [1, 97, 0, 1, 0, 0, 1, 0, 0, 0, 9, 0]
    expectEqual(
      DNSBench.fault(DNSBench.header(answers: 1) + record),
      DNSFault(.recordOverrun, at: 24, expected: 10, found: 9))
    expectEqual(DNSBench.fault(DNSBench.header(answers: 1) + record + [0]), nil)
  }

  @Test("Data of a fixed size is left out when it is shorter or longer")
  func fixedData() throws {
    for (type, size) in [(DNSType.a, 4), (.aaaa, 16)] {
      let data = [UInt8](repeating: 1, count: size)
      expectEqual(try DNSBench.leftOut(type, data), [])
      expectEqual(
        try DNSBench.leftOut(type, Array(data.dropLast())),
        [DNSFault(.dataLength, at: 23, expected: size, found: size - 1)])
      expectEqual(
        try DNSBench.leftOut(type, data + [1]),
        [DNSFault(.dataLength, at: 23 + size, expected: size, found: size + 1)])
    }
    expectEqual(try DNSBench.leftOut(.srv, [0, 0, 0, 0, 0, 0, 0]), [])
    expectEqual(
      try DNSBench.leftOut(.srv, [0, 0, 0, 0, 0, 0]), [DNSFault(.dataLength, at: 23, expected: 7, found: 6)])
    expectEqual(
      try DNSBench.leftOut(.srv, [0, 0, 0, 0, 0, 0, 0, 9]),
      [DNSFault(.dataLength, at: 30, expected: 7, found: 8)])
  }

  @Test("A string of TXT stays in its data")
  func strings() throws {
    expectEqual(try DNSBench.leftOut(.txt, [1, 97, 1, 98]), [])
    expectEqual(try DNSBench.leftOut(.txt, []), [])
    expectEqual(
      try DNSBench.leftOut(.txt, [1, 97, 2, 98]), [DNSFault(.textOverrun, at: 25, expected: 1, found: 2)])
    expectEqual(try DNSBench.leftOut(.txt, [1]), [DNSFault(.textOverrun, at: 23, expected: 0, found: 1)])
  }

  @Test("Windows of NSEC rise, have 1 to 32 bytes, and stay in the data")
  func windows() throws {
    let full = [UInt8](repeating: 0x80, count: 33)
    expectEqual(try DNSBench.leftOut(.nsec, [0, 0, 1, 0x40, 1, 1, 0x40]), [])
    expectEqual(try DNSBench.leftOut(.nsec, [0]), [])
    expectEqual(
      try DNSBench.leftOut(.nsec, [0, 0, 1, 0x40, 0, 1, 0x40]),
      [DNSFault(.bitmapWindow, at: 27, expected: 1, found: 0)])
    expectEqual(
      try DNSBench.leftOut(.nsec, [0, 255, 1, 0x40, 255, 1, 1]),
      [DNSFault(.bitmapWindow, at: 27, expected: 256, found: 255)])
    expectEqual(try DNSBench.leftOut(.nsec, [0, 0, 32] + full.dropLast()), [])
    expectEqual(
      try DNSBench.leftOut(.nsec, [0, 0, 33] + full), [DNSFault(.bitmapLength, at: 25, expected: 32, found: 33)])
    expectEqual(try DNSBench.leftOut(.nsec, [0, 0, 0]), [DNSFault(.bitmapLength, at: 25, expected: 32, found: 0)])
    expectEqual(try DNSBench.leftOut(.nsec, [0, 0]), [DNSFault(.bitmapOverrun, at: 24, expected: 1, found: 2)])
    expectEqual(
      try DNSBench.leftOut(.nsec, [0, 0, 2, 0x40]), [DNSFault(.bitmapOverrun, at: 24, expected: 3, found: 4)])
  }

  @Test("Types of NSEC are the bits from the highest of each byte on")
  func types() throws {
    let bytes = DNSBench.answer(.nsec, [0, 0, 4, 0x40, 0, 0, 0x08, 1, 1, 0x81])
    let types = [1, 28, 256, 263].map { DNSType(rawValue: $0) }
    expectEqual(try DNSBench.read(bytes).get().message.answers[0].data, .nsec(next: .root, types: DNSTypeSet(types)))
  }

  @Test("All names together have 65 536 bytes, and 2 are counted for each pointer")
  func nameBudget() {
    let long = [UInt8](repeating: 97, count: 63)
    let name = ([63] + long) + ([63] + long) + ([63] + long) + ([61] + long.prefix(61)) + [0]
    let rest: [UInt8] = [0, 1, 0, 1]
    // 255 + 254 × 257 = 65 533.
    let most = name + rest + repeatElement([0xC0, 12] + rest, count: 254).joined()
    let root = [0] + rest
    expectEqual(DNSBench.fault(DNSBench.header(questions: 258) + most + root + root + root), nil)
    expectEqual(
      DNSBench.fault(DNSBench.header(questions: 259) + most + root + root + root + root),
      DNSFault(.nameBudget, at: 1_810, expected: 65_536, found: 65_537))
    expectEqual(
      DNSBench.fault(DNSBench.header(questions: 256) + most + [0xC0, 12] + rest),
      DNSFault(.nameBudget, at: 1_795, expected: 65_536, found: 65_790))
    // In data it refuses the message, too: what follows would have no budget.
    let answer: [UInt8] = [0, 0, 12, 0, 1, 0, 0, 0, 9, 0, 2, 0xC0, 12]
    expectEqual(
      DNSBench.fault(DNSBench.header(questions: 255, answers: 1) + most + answer),
      DNSFault(.nameBudget, at: 1_806, expected: 65_536, found: 65_791))
  }

  @Test("A name that ends with one that was read before takes the same of the budget, however it is found")
  func sharedEnds() {
    let long = [UInt8](repeating: 97, count: 63)
    let name = ([63] + long) + ([63] + long) + ([63] + long) + [6, 98, 98, 98, 98, 98, 98, 0]
    let rest: [UInt8] = [0, 1, 0, 1]
    // Each is `x`, then a pointer to the name of 200 bytes: 2 + 2 + 200.
    let short = [1, 120, 0xC0, 12] + rest
    let found = DNSFault(.nameBudget, at: 12 + 204 + 320 * 8, expected: 65_536, found: 200 + 321 * 204)
    for count in [320, 321] {
      let bytes = name + rest + repeatElement(short, count: count).joined()
      expectEqual(DNSBench.fault(DNSBench.header(questions: count + 1) + bytes), count == 320 ? nil : found)
    }
    // Through `x` to the name of 200 bytes, two pointers: 204 for it, 2 + 2 + 204 for each other; more names than are
    // remembered.
    let other = [1, 121, 0xC0, 216] + rest
    let last = DNSFault(.nameBudget, at: 12 + 204 + 8 + 313 * 8, expected: 65_536, found: 200 + 204 + 314 * 208)
    for count in [313, 314] {
      let bytes = name + rest + short + repeatElement(other, count: count).joined()
      expectEqual(DNSBench.fault(DNSBench.header(questions: count + 2) + bytes), count == 313 ? nil : last)
    }
  }

  @Test("A name that gets too long by the one that it ends with is refused at the label that is too much")
  func longEnds() {
    let long = [UInt8](repeating: 97, count: 63)
    // 3 × 64 + 1 bytes, which begin at byte 12; with 61 more and their length it is 255.
    let name = ([63] + long) + ([63] + long) + ([63] + long) + [0]
    let rest: [UInt8] = [0, 1, 0, 1]
    for (size, fault) in [
      (61, nil), (62, DNSFault(.nameTooLong, at: 12 + 128, expected: 255, found: 256)),
    ] as [(Int, DNSFault?)] {
      let bytes = name + rest + ([UInt8(size)] + long.prefix(size) + [0xC0, 12]) + rest
      expectEqual(DNSBench.fault(DNSBench.header(questions: 2) + bytes), fault)
    }
  }

  @Test("Every reason has a sentence of its own that names the byte")
  func sentences() {
    let texts = DNSFault.Reason.allCases.map { DNSFault($0, at: 77, expected: 5, found: 6).description }
    expectEqual(Set(texts).count, DNSFault.Reason.allCases.count)
    #expect(texts.allSatisfy { $0.hasPrefix("byte 77: ") })
  }
}
