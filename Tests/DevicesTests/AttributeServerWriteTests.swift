import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

/// What the server of a peripheral lets a client write, and what it sends to who subscribed.
@Suite struct AttributeServerWriteTests {
  private typealias Bench = AttributeServerTests.Bench

  private func refusal(
    _ request: AttributePDU.Opcode, _ handle: UInt16, _ error: AttributeError
  ) -> [AttributePDU] { AttributeServerTests.refusal(request, handle, error) }

  /// One characteristic: its value stands at 12, the descriptor that switches it at 13.
  private func one(
    _ properties: GATTCharacteristic.Properties, value: [UInt8] = [], every: Interval? = nil
  ) -> Bench {
    let characteristic = GATTPlan.Characteristic(
      AttributeServerTests.level, properties, value: value, sendsEvery: every)
    return Bench(GATTPlan([GATTPlan.Service(AttributeServerTests.battery, [characteristic])]))
  }

  // MARK: - Values

  @Test func `what is written is read, and the same characteristic is told to who subscribed`() {
    var bench = Bench()
    expectEqual(bench.hear(.writeRequest(handle: 13, value: [1, 2])), [.writeResponse])
    expectEqual(bench.hear(.readRequest(handle: 13)), [.readResponse(value: [1, 2])])
    expectEqual(bench.hear(.writeCommand(handle: 13, value: [3])), [])
    bench.subscribe(1, at: 14)
    expectEqual(
      bench.hear(.writeRequest(handle: 13, value: [4])),
      [
        .writeResponse, .handleValueNotification(handle: 13, value: [4]),
      ])
    let long = [UInt8](repeating: 5, count: 20)
    expectEqual(
      bench.hear(.writeCommand(handle: 13, value: long)), [.handleValueNotification(handle: 13, value: long)])
    // What another client finds: the values, and no subscription.
    var other = bench
    other.server = AttributeServer()
    expectEqual(other.hear(.readRequest(handle: 13)), [.readResponse(value: long)])
    expectEqual(other.hear(.readRequest(handle: 14)), [.readResponse(value: [0, 0])])
    expectEqual(bench.hear(.readRequest(handle: 14)), [.readResponse(value: [1, 0])])
    bench.subscribe(0, at: 14)
    expectEqual(bench.hear(.writeRequest(handle: 13, value: [6])), [.writeResponse])
  }

  @Test func `what cannot be read or written is refused, and a command is refused without a word`() {
    var bench = Bench(mtu: 517)
    let writes: [(UInt16, AttributeError)] = [
      (10, .writeNotPermitted), (16, .writeNotPermitted), (20, AttributeError(rawValue: 0x80)), (24, .invalidHandle),
    ]
    for (handle, error) in writes {
      expectEqual(bench.hear(.writeRequest(handle: handle, value: [1])), refusal(.writeRequest, handle, error))
      expectEqual(bench.hear(.writeCommand(handle: handle, value: [1])), [])
    }
    let long = [UInt8](repeating: 1, count: 513)
    expectEqual(
      bench.hear(.writeRequest(handle: 13, value: long)), refusal(.writeRequest, 13, .invalidAttributeValueLength))
    expectEqual(bench.hear(.writeRequest(handle: 13, value: Array(long.dropLast()))), [.writeResponse])
    // It takes requests, but no commands.
    _ = bench.hear(.writeRequest(handle: 22, value: [1]))
    _ = bench.hear(.writeCommand(handle: 22, value: [2]))
    expectEqual(bench.table.characteristics[6].value, [1])
    let reads: [(UInt16, AttributeError)] = [
      (20, AttributeError(rawValue: 0x80)), (22, .readNotPermitted), (24, .invalidHandle),
    ]
    for (handle, error) in reads {
      expectEqual(bench.hear(.readRequest(handle: handle)), refusal(.readRequest, handle, error))
      expectEqual(bench.hear(.readBlobRequest(handle: handle, offset: 0)), refusal(.readBlobRequest, handle, error))
    }
  }

  @Test func `under another plan a value comes as that plan says, and not at all where it says nothing`() {
    func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }
    func told(_ value: UInt8) -> [AttributePDU] { [.handleValueNotification(handle: 12, value: [value])] }
    var bench = one([.read, .notify], value: [1], every: .seconds(2))
    bench.subscribe(1, at: 13)
    expectEqual(bench.wake(at: at(1)), [])
    expectEqual(bench.wake(at: at(2)), told(1))
    bench.table = one([.read, .notify], value: [1], every: .seconds(3)).table
    expectEqual(bench.wake(at: at(4)), told(2))
    expectEqual(bench.server.deadline, at(7))
    bench.table = one([.read, .notify], value: [1]).table
    expectEqual(bench.wake(at: at(7)), [])
    expectEqual(bench.server.deadline, .never)
  }

  @Test func `a descriptor takes two bytes with what the characteristic offers, and not both`() {
    for (properties, allowed) in [
      (.notify, [0, 1]), (.indicate, [0, 2]), ([.notify, .indicate], [0, 1, 2]),
    ] as [(GATTCharacteristic.Properties, Set<UInt8>)] {
      for bits: UInt8 in 0...4 {
        var bench = one(properties)
        let answer = bench.hear(.writeRequest(handle: 13, value: [bits, 0]))
        let isAllowed = allowed.contains(bits)
        expectEqual(answer, (isAllowed ? [.writeResponse] : refusal(.writeRequest, 13, .improperlyConfigured)))
        expectEqual(bench.hear(.readRequest(handle: 13)), [.readResponse(value: [isAllowed ? bits : 0, 0])])
      }
    }
    var bench = one(.notify)
    expectEqual(
      bench.hear(.writeRequest(handle: 13, value: [1, 1])), refusal(.writeRequest, 13, .improperlyConfigured))
    for value in [[], [1], [1, 0, 0]] as [[UInt8]] {
      expectEqual(
        bench.hear(.writeRequest(handle: 13, value: value)), refusal(.writeRequest, 13, .invalidAttributeValueLength))
    }
  }

  // MARK: - Notifications and indications

  @Test func `values are sent at their times, with their number added to the first four bytes`() {
    func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }
    var bench = one(.notify, value: [0xFF, 0xFF, 0, 0, 5], every: .seconds(2))
    expectEqual(bench.server.deadline, .never)
    bench.now = at(10)
    bench.subscribe(1, at: 13)
    expectEqual(bench.server.deadline, at(12))
    expectEqual(bench.wake(at: at(12) - .nanoseconds(1)), [])
    func value(_ bytes: [UInt8]) -> [AttributePDU] { [.handleValueNotification(handle: 12, value: bytes)] }
    expectEqual(bench.wake(at: at(12)), value([0xFF, 0xFF, 0, 0, 5]))
    expectEqual(bench.server.deadline, at(14))
    expectEqual(bench.wake(at: at(14)), value([0, 0, 1, 0, 5]))
    expectEqual(bench.wake(at: at(16)), value([1, 0, 1, 0, 5]))
    // Who subscribes again is counted for again.
    bench.now = at(17)
    bench.subscribe(1, at: 13)
    expectEqual(bench.server.timers.count, 1)
    expectEqual(bench.wake(at: at(19)), value([0xFF, 0xFF, 0, 0, 5]))
    bench.subscribe(0, at: 13)
    expectEqual(bench.server.deadline, .never)
    expectEqual(bench.wake(at: at(100)), [])
    for (first, second) in [([], []), ([0xFF], [0]), ([0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0])] as [([UInt8], [UInt8])] {
      var bench = one(.notify, value: first, every: .seconds(1))
      bench.subscribe(1, at: 13)
      expectEqual(bench.wake(at: at(1)), value(first))
      expectEqual(bench.wake(at: at(2)), value(second))
    }
  }

  @Test func `the number of a notification counts on beyond one byte, and ends with the fourth`() {
    var bench = one(.notify, value: [0, 9], every: .seconds(1))
    bench.subscribe(1, at: 13)
    var last: [AttributePDU] = []
    for second: Int64 in 1...258 {
      last += bench.wake(at: .zero + .seconds(second))
      last = Array(last.suffix(3))
    }
    let values: [[UInt8]] = [[255, 9], [0, 10], [1, 10]]
    expectEqual(last, values.map { AttributePDU.handleValueNotification(handle: 12, value: $0) })
    var full = one(.notify, value: [255, 255, 255, 255, 5], every: .seconds(1))
    full.subscribe(1, at: 13)
    _ = full.wake(at: .zero + .seconds(1))
    expectEqual(
      full.wake(at: .zero + .seconds(2)), [.handleValueNotification(handle: 12, value: [0, 0, 0, 0, 5])])
  }

  @Test func `notifications leave room for two frames, and those that have none are not sent`() {
    var bench = one([.notify, .writeWithoutResponse])
    bench.acknowledges = false
    bench.subscribe(1, at: 13)
    let write = AttributePDU.writeCommand(handle: 12, value: [1])
    let told: [AttributePDU] = [.handleValueNotification(handle: 12, value: [1])]
    for _ in 0..<29 { expectEqual(bench.hear(write), told) }
    expectEqual(bench.hear(write), [])
    bench.server.acknowledged(1)
    expectEqual(bench.hear(write), told)
    expectEqual(bench.hear(write), [])
  }

  @Test func `an indication waits for the confirmation of the one before it, and sixteen wait at most`() {
    var bench = one([.indicate, .write])
    bench.subscribe(2, at: 13)
    func indication(_ value: UInt8) -> AttributePDU { .handleValueIndication(handle: 12, value: [value]) }
    func write(_ value: UInt8) -> [AttributePDU] { bench.hear(.writeRequest(handle: 12, value: [value])) }
    expectEqual(write(0), [.writeResponse, indication(0)])
    for value: UInt8 in 1...17 { expectEqual(write(value), [.writeResponse]) }
    for value: UInt8 in 1...16 { expectEqual(bench.hear(.handleValueConfirmation), [indication(value)]) }
    expectEqual(bench.hear(.handleValueConfirmation), [])
    expectEqual(bench.hear(.handleValueConfirmation), [])
    expectEqual(write(18), [.writeResponse, indication(18)])
  }

  @Test func `changed services are told to who asked for that, and end all other subscriptions`() {
    var bench = Bench()
    bench.subscribe(1, at: 14)
    var silent = bench
    expectEqual(silent.sent(silent.server.servicesChanged(10...0x0117, silent.table)), [])
    bench.subscribe(2, at: 9)
    expectEqual(
      bench.sent(bench.server.servicesChanged(10...0x0117, bench.table)),
      [
        .handleValueIndication(handle: 8, value: [10, 0, 0x17, 1])
      ])
    for (handle, bits) in [(14, 0), (9, 2)] as [(UInt16, UInt8)] {
      expectEqual(bench.hear(.readRequest(handle: handle)), [.readResponse(value: [bits, 0])])
    }
    var timed = one(.notify, every: .seconds(1))
    timed.subscribe(1, at: 13)
    expectEqual(timed.sent(timed.server.servicesChanged(10...13, timed.table)), [])
    expectEqual(timed.server.deadline, .never)
  }

  // MARK: - Prepared writes

  @Test func `parts that follow each other are written when they are executed, and told then`() {
    var bench = Bench()
    bench.subscribe(1, at: 14)
    for (offset, value) in [(0, [1, 2]), (2, []), (2, [3])] as [(UInt16, [UInt8])] {
      expectEqual(
        bench.hear(.prepareWriteRequest(handle: 13, offset: offset, value: value)),
        [
          .prepareWriteResponse(handle: 13, offset: offset, value: value)
        ])
    }
    expectEqual(bench.hear(.readRequest(handle: 13)), [.readResponse(value: [7])])
    expectEqual(
      bench.hear(.executeWriteRequest(writes: true)),
      [
        .executeWriteResponse, .handleValueNotification(handle: 13, value: [1, 2, 3]),
      ])
    expectEqual(bench.hear(.readRequest(handle: 13)), [.readResponse(value: [1, 2, 3])])
    // Nothing is prepared any more.
    expectEqual(bench.hear(.executeWriteRequest(writes: true)), [.executeWriteResponse])
    _ = bench.hear(.prepareWriteRequest(handle: 13, offset: 0, value: [9]))
    expectEqual(bench.hear(.executeWriteRequest(writes: false)), [.executeWriteResponse])
    expectEqual(bench.hear(.executeWriteRequest(writes: true)), [.executeWriteResponse])
    expectEqual(bench.hear(.readRequest(handle: 13)), [.readResponse(value: [1, 2, 3])])
  }

  @Test func `gaps, other handles and what cannot be written are refused, and nothing of it is kept`() {
    typealias Part = (handle: UInt16, offset: UInt16)
    let cases: [([Part], UInt16, AttributeError)] = [
      ([(13, 1)], 13, .invalidOffset), ([(13, 0), (13, 2)], 13, .invalidOffset),
      ([(13, 0), (13, 0)], 13, .invalidOffset), ([(13, 0), (20, 1)], 20, .invalidHandle),
      ([(16, 0)], 16, .writeNotPermitted), ([(20, 0)], 20, AttributeError(rawValue: 0x80)),
      ([(10, 0)], 10, .writeNotPermitted),
    ]
    for (parts, handle, error) in cases {
      var bench = Bench()
      for part in parts { _ = bench.hear(.prepareWriteRequest(handle: part.handle, offset: part.offset, value: [1])) }
      expectEqual(
        bench.hear(.executeWriteRequest(writes: true)), refusal(.executeWriteRequest, handle, error))
      expectEqual(bench.hear(.executeWriteRequest(writes: true)), [.executeWriteResponse])
      expectEqual(bench.table.characteristics[3].value, [7])
    }
  }

  @Test func `thirty-two parts can be prepared, of attributes that there are`() {
    var bench = Bench()
    expectEqual(
      bench.hear(.prepareWriteRequest(handle: 24, offset: 0, value: [1])),
      refusal(.prepareWriteRequest, 24, .invalidHandle))
    for offset: UInt16 in 0..<32 {
      expectEqual(
        bench.hear(.prepareWriteRequest(handle: 13, offset: offset, value: [1])),
        [
          .prepareWriteResponse(handle: 13, offset: offset, value: [1])
        ])
    }
    expectEqual(
      bench.hear(.prepareWriteRequest(handle: 13, offset: 32, value: [1])),
      refusal(.prepareWriteRequest, 13, .prepareQueueFull))
    expectEqual(bench.hear(.executeWriteRequest(writes: true)), [.executeWriteResponse])
    expectEqual(bench.table.characteristics[3].value, [UInt8](repeating: 1, count: 32))
  }

  // MARK: - What is no request

  @Test func `requests that it cannot read or does not know are refused, and nothing else is answered`() {
    var bench = Bench()
    let answered: [([UInt8], AttributeError)] = [
      ([0x0A, 3], .invalidPDU), ([0x0A, 0, 0], .invalidHandle), ([0x04, 5, 0, 4, 0], .invalidHandle),
      ([0x24], .requestNotSupported), ([0x12, 13, 0] + [UInt8](repeating: 0, count: 21), .invalidPDU),
      ([0x0E, 3, 0, 5, 0], .requestNotSupported), ([0x20, 3, 0, 5, 0], .requestNotSupported),
    ]
    for (bytes, error) in answered {
      expectEqual(bench.hear(bytes: bytes), [.errorResponse(request: bytes[0], handle: 0, error: error)])
    }
    let ignored: [[UInt8]] = [
      [], [0x25], [0x52], [0x52, 0, 0, 1], [0x13], [0x0B, 1], [0x1B, 3, 0, 1], [0x1D, 3, 0, 1],
      [0xD2, 13, 0] + [UInt8](repeating: 0, count: 12),
    ]
    for bytes in ignored { expectEqual(bench.hear(bytes: bytes), [], "\(bytes)") }
    let read = AttributePDU.readRequest(handle: 13).bytes
    expectEqual(bench.hear(bytes: read, on: .signalling), [])
    expectEqual(bench.hear(frame: [3, 0, 4, 0, 0x0A, 13]), [])
    expectEqual(bench.hear(frame: [3, 0, 4]), [])
  }

  @Test func `a server with a quirk says nothing, or something else`() {
    var bench = Bench()
    bench.quirks = [.answersNothing]
    expectEqual(bench.hear(.readRequest(handle: 13)), [])
    expectEqual(bench.hear(.exchangeMTURequest(mtu: 100)), [])
    expectEqual(bench.hear(bytes: [0x0A, 3]), [])
    bench.quirks = [.answersWrongly]
    expectEqual(bench.hear(.readRequest(handle: 13)), [.writeResponse])
    expectEqual(bench.hear(.readBlobRequest(handle: 13, offset: 0)), [.readBlobResponse(value: [7])])
  }
}
