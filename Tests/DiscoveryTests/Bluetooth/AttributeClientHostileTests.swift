import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDiscovery

/// What a client of attributes makes of servers that answer wrongly, too late or not at all (CB-38).
@Suite struct AttributeClientHostileTests {
  private typealias Bench = ClientBench
  private typealias Entries = [AttributePDU.HandleValue]

  /// Asks, and expects that this answer ends the connection.
  private func expectBad(
    _ bench: Bench, _ request: CentralCommand.Request, _ answer: AttributePDU, _ attribute: GATTAttribute? = nil,
    at location: SourceLocation = #_sourceLocation
  ) {
    var bench = bench
    _ = bench.ask(request)
    expectEqual(
      bench.hear(answer), [.fails(.discover, .badAnswer, attribute), .rejects(at: 4), .ends],
      sourceLocation: location)
    expectEqual(bench.hear(.handleValueNotification(handle: 3, value: [1])), [], sourceLocation: location)
    expectEqual(bench.client.deadline, .never, sourceLocation: location)
  }

  // MARK: - Lists

  @Test func `services have to rise, and their UUIDs have two bytes or sixteen`() {
    let lists: [[AttributePDU.Group]] = [
      [.init(6...9, [0x0F, 0x18]), .init(1...5, [0x0D, 0x18])],
      [.init(1...5, [0x0F, 0x18]), .init(5...9, [0x0D, 0x18])],
      [.init(1...5, [0x0F, 0x18]), .init(1...5, [0x0D, 0x18])],
      [.init(1...0xFFFF, [0x0F, 0x18]), .init(2...3, [0x0D, 0x18])],
      [.init(1...5, [])], [.init(1...5, [1, 2, 3])], [.init(1...5, [1, 2, 3, 4])],
    ]
    for list in lists {
      expectBad(Bench(), .services([]), .readByGroupTypeResponse(list))
      expectBad(Bench(), .discover, .readByGroupTypeResponse(list))
    }
    var bench = Bench()
    _ = bench.ask(.services([]))
    _ = bench.hear(.readByGroupTypeResponse([.init(1...5, [0x0F, 0x18])]))
    expectEqual(
      bench.hear(.readByGroupTypeResponse([.init(5...9, [0x0D, 0x18])])),
      [
        .fails(.discover, .badAnswer), .rejects(at: 4), .ends,
      ])
  }

  @Test func `services that never end are enough at some time`() {
    var bench = Bench()
    _ = bench.ask(.services([]))
    var services: [GATTService] = []
    for handle in 1..<UInt16(AttributeClient.servicesMaximum) {
      services.append(GATTService(Bench.battery, handle...handle))
      expectEqual(
        bench.hear(.readByGroupTypeResponse([.init(handle...handle, [0x0F, 0x18])])),
        [
          .sends(.readByGroupTypeRequest(handle + 1...0xFFFF, type: .primaryService))
        ])
    }
    services.append(GATTService(Bench.battery, 256...256))
    expectEqual(
      bench.hear(.readByGroupTypeResponse([.init(256...256, [0x0F, 0x18]), .init(257...257, [0x0F, 0x18])])),
      [
        .tells(.services(services))
      ])
    // Those that a service includes end there, too, in the middle of an answer.
    var including = Bench()
    _ = including.hear(.exchangeMTURequest(mtu: 517))
    including.client.known.add([GATTService(Bench.battery, 1...0xFFFF)])
    _ = including.ask(.includedServices(service: 1))
    var (told, handle): ([Bench.Wanted], UInt16) = ([], 1)
    for count in [1, 64, 64, 64, 64] as [UInt16] {
      let entries: Entries = (handle..<handle + count).map { .init($0, [30, 0, 35, 0, 0x0D, 0x18]) }
      told = including.hear(.readByTypeResponse(entries))
      handle += count
    }
    let kept = [GATTService](repeating: GATTService(Bench.heart, 30...35), count: 256)
    expectEqual(told, [.tells(.includedServices(service: 1, kept))])
  }

  @Test func `characteristics stand in their service, one behind the other, and their values behind them`() {
    let level: [UInt8] = [0x19, 0x2A]
    let lists: [Entries] = [
      [.init(21, [2, 22, 0] + level)], [.init(2, [2, 2, 0] + level)], [.init(2, [2, 1, 0] + level)],
      [.init(2, [2, 21, 0] + level)], [.init(2, [2, 3, 0])], [.init(2, [2, 3, 0, 1])], [.init(2, [2, 3])],
      [.init(2, [2, 3, 0, 1, 2, 3])], [.init(2, [2, 3, 0, 1, 2, 3, 4])], [.init(2, [])],
      [.init(4, [2, 5, 0] + level), .init(2, [2, 3, 0] + level)],
      [.init(2, [2, 3, 0] + level), .init(2, [2, 3, 0] + level)],
    ]
    for list in lists {
      expectBad(Bench(knows: []), .characteristics(service: 1, []), .readByTypeResponse(list), .handle(1))
    }
  }

  @Test func `included services have to rise, and have handles and a UUID`() {
    let heart: [UInt8] = [0x0D, 0x18]
    let lists: [Entries] = [
      [.init(21, [30, 0, 35, 0] + heart)], [.init(2, [0, 0, 35, 0] + heart)], [.init(2, [36, 0, 35, 0] + heart)],
      [.init(2, [30, 0, 35])], [.init(2, [30, 0, 35, 0, 1])], [.init(2, [30, 0, 35, 0, 1, 2, 3, 4])],
      [.init(3, [30, 0, 35, 0] + heart), .init(2, [40, 0, 45, 0] + heart)],
      [.init(3, [30, 0, 35, 0] + heart), .init(3, [40, 0, 45, 0] + heart)],
    ]
    for list in lists {
      expectBad(Bench(knows: []), .includedServices(service: 1), .readByTypeResponse(list), .handle(1))
    }
    var bench = Bench(knows: [])
    _ = bench.ask(.includedServices(service: 1))
    _ = bench.hear(.readByTypeResponse([.init(3, [40, 0, 45, 0])]))
    expectEqual(
      bench.hear(.readResponse(value: [1, 2, 3])),
      [
        .fails(.discover, .badAnswer, .handle(1)), .rejects(at: 4), .ends,
      ])
  }

  @Test func `descriptors stand behind their characteristic, one behind the other`() {
    let bench = Bench(knows: [GATTCharacteristic(Bench.level, 3, .read), GATTCharacteristic(Bench.rate, 9, .read)])
    for handles in [[3], [8], [2, 4], [5, 4], [5, 5], [4, 8]] as [[UInt16]] {
      let list = handles.map { AttributePDU.TypedHandle($0, .userDescription) }
      expectBad(bench, .descriptors(characteristic: 3), .findInformationResponse(list), .handle(3))
    }
  }

  // MARK: - Other answers

  @Test func `what answers another request ends the connection, and all that waits has failed`() {
    let answers: [AttributePDU] = [
      .writeResponse, .readBlobResponse(value: [1]), .handleValueConfirmation, .writeCommand(handle: 3, value: []),
      .errorResponse(request: 0x12, handle: 3, error: .invalidHandle),
    ]
    for answer in answers {
      var bench = Bench.plain
      _ = bench.ask(.read(.handle(3)))
      _ = bench.ask(.write(.handle(3), [1], withResponse: true))
      expectEqual(
        bench.hear(answer),
        [
          .rejects(at: 4), .fails(.read, .badAnswer, .handle(3)), .fails(.write, .badAnswer, .handle(3)), .ends,
        ])
      expectEqual(bench.hear(.readResponse(value: [1])), [])
      var idle = Bench.plain
      expectEqual(idle.hear(answer), [.rejects(at: 4), .ends])
    }
  }

  @Test func `an answer that cannot be read fails the request at once and ends the connection`() {
    let answers: [(bytes: [UInt8], offset: Int)] = [
      ([0x11, 6, 5, 0, 4, 0, 0x0F, 0x18], 6), ([0x11, 6, 0, 0, 4, 0, 0x0F, 0x18], 6), ([0x11, 6], 6), ([0x11], 5),
      ([0x11] + [UInt8](repeating: 6, count: 23), 27), ([0x01, 0x10, 1, 0], 8), ([0x01, 0x10, 1, 0, 0x0A, 0], 9),
    ]
    for (bytes, offset) in answers {
      var bench = Bench.plain
      _ = bench.ask(.services([]))
      _ = bench.ask(.read(.handle(3)))
      expectEqual(
        bench.hear(pdu: bytes),
        [
          .rejects(at: offset), .fails(.discover, .badAnswer), .fails(.read, .badAnswer, .handle(3)), .ends,
        ], "\(bytes)")
      expectEqual(bench.client.deadline, .never)
      // The connection is over: what comes until its end is no answer, and is asked of nobody.
      expectEqual(bench.hear(pdu: bytes), [.rejects(at: offset)])
      // Without a request it is no answer either.
      var idle = Bench.plain
      expectEqual(idle.hear(pdu: bytes), [.rejects(at: offset)], "\(bytes)")
    }
  }

  @Test func `bytes that are no PDU and no answer are rejected at their place, and the answer is waited for`() {
    var bench = Bench.plain
    _ = bench.ask(.services([]))
    expectEqual(bench.hear(pdu: [0x13, 6]), [.rejects(at: 5)])
    expectEqual(bench.hear(pdu: [0x77]), [.rejects(at: 4)])
    expectEqual(bench.hear(pdu: []), [.rejects(at: 4)])
    expectEqual(bench.hear(frame: [3, 0, 4, 0, 0x11]), [.rejects(at: 5)])
    expectEqual(bench.hear(frame: [3, 0, 4]), [.rejects(at: 3)])
    let value = [UInt8](repeating: 0, count: 21)
    expectEqual(bench.hear(.handleValueNotification(handle: 3, value: value)), [.rejects(at: 27)])
    expectEqual(bench.client.deadline, .zero + .seconds(30))
    expectEqual(bench.refuse(.readByGroupTypeRequest), [.tells(.services([]))])
    // With a larger MTU that notification is one.
    _ = bench.hear(.exchangeMTURequest(mtu: 24))
    expectEqual(
      bench.hear(.handleValueNotification(handle: 3, value: value)),
      [
        .tells(.value(handle: 3, Bench.level, value, .notification))
      ])
  }

  @Test func `what other channels carry is for others`() {
    var bench = Bench.plain
    _ = bench.ask(.read(.handle(3)))
    for channel in [.signalling, .security, ChannelFrame.Channel(rawValue: 0x40)] as [ChannelFrame.Channel] {
      expectEqual(bench.hear(pdu: AttributePDU.readResponse(value: [1]).bytes, on: channel), [])
    }
    expectEqual(bench.hear(.readResponse(value: [1])), [.tells(.value(handle: 3, Bench.level, [1], .read))])
  }

  @Test func `a server that asks is refused, whatever it asks`() {
    var bench = Bench.plain
    _ = bench.ask(.read(.handle(3)))
    let requests: [AttributePDU] = [
      .readRequest(handle: 1), .findInformationRequest(1...2), .writeRequest(handle: 1, value: []),
      .readMultipleVariableRequest(handles: [1, 2]), .executeWriteRequest(writes: true),
    ]
    for request in requests {
      expectEqual(
        bench.hear(request),
        [
          .sends(.errorResponse(request: request.opcode.rawValue, handle: 0, error: .requestNotSupported))
        ])
    }
    expectEqual(bench.hear(.readResponse(value: [1])), [.tells(.value(handle: 3, Bench.level, [1], .read))])
  }

  // MARK: - Waiting

  @Test func `sixty-four procedures wait behind the one that is asked, and no more`() {
    var bench = Bench.plain
    expectEqual(bench.ask(.read(.handle(3))), [.sends(.readRequest(handle: 3))])
    for _ in 0..<64 { expectEqual(bench.ask(.read(.handle(3))), []) }
    expectEqual(bench.ask(.services([])), [.fails(.discover, .tooMany)])
    expectEqual(
      bench.hear(.readResponse(value: [])),
      [
        .tells(.value(handle: 3, Bench.level, [], .read)), .sends(.readRequest(handle: 3)),
      ])
    expectEqual(bench.ask(.services([])), [])
    // A discovery of many services is one of them.
    var whole = Bench()
    _ = whole.hear(.exchangeMTURequest(mtu: 517))
    _ = whole.ask(.discover)
    let groups: [AttributePDU.Group] = (UInt16(1)...33).map { .init($0...$0, [0x0F, 0x18]) }
    _ = whole.hear(.readByGroupTypeResponse(groups))
    _ = whole.refuse(.readByGroupTypeRequest)
    expectEqual(whole.client.procedures.count > 64, true)
    for _ in 0..<64 { expectEqual(whole.ask(.services([])), []) }
    expectEqual(whole.ask(.services([])), [.fails(.discover, .tooMany)])
  }

  @Test func `thirty seconds after a request its answer is not waited for any more`() {
    func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }
    var bench = Bench.plain
    expectEqual(bench.client.deadline, .never)
    bench.now = at(10)
    _ = bench.ask(.read(.handle(3)))
    bench.now = at(35)
    _ = bench.ask(.write(.handle(3), [1], withResponse: true))
    // What nobody asked for is no answer.
    _ = bench.hear(.handleValueNotification(handle: 3, value: [1]))
    expectEqual(bench.client.deadline, at(40))
    _ = bench.hear(.readResponse(value: [1]))
    expectEqual(bench.client.deadline, at(65))
    expectEqual(bench.advance(to: at(65) - .nanoseconds(1)), [])
    var forgiving = bench
    expectEqual(bench.advance(to: at(65)), [.fails(.write, .timedOut, .handle(3)), .ends])
    expectEqual(bench.client.deadline, .never)
    expectEqual(bench.advance(to: .never), [])
    expectEqual(forgiving.hear(.writeResponse), [.tells(.written(handle: 3))])
    expectEqual(forgiving.advance(to: at(1_000)), [])
    // Nobody asked for what comes first, so nobody is told of it.
    var silent = Bench()
    _ = silent.begin()
    expectEqual(silent.advance(to: at(30)), [.ends])
    var patient = Bench(.waitsForAnswersForEver)
    _ = patient.begin()
    expectEqual(patient.client.deadline, .never)
    expectEqual(patient.advance(to: .never), [])
  }

  @Test func `all that waits fails in the order in which it was asked, and nothing is heard after that`() {
    var bench = Bench(knows: [GATTCharacteristic(Bench.level, 3, [.read, .write, .writeWithoutResponse, .notify])])
    _ = bench.ask(.read(.characteristic(Bench.level)))
    let requests: [CentralCommand.Request] = [
      .write(.handle(3), [1], withResponse: true), .write(.handle(3), [2], withResponse: false),
      .notify(.handle(3), true), .characteristics(service: 1, []), .descriptors(characteristic: 3),
      .includedServices(service: 1), .services([]), .discover,
    ]
    for request in requests { expectEqual(bench.ask(request), []) }
    bench.client.stop(.disconnected)
    expectEqual(
      bench.wanted(),
      [
        .fails(.read, .disconnected, .characteristic(Bench.level)), .fails(.write, .disconnected, .handle(3)),
        .fails(.write, .disconnected, .handle(3)), .fails(.notify, .disconnected, .handle(3)),
        .fails(.discover, .disconnected, .handle(1)), .fails(.discover, .disconnected, .handle(3)),
        .fails(.discover, .disconnected, .handle(1)), .fails(.discover, .disconnected),
        .fails(.discover, .disconnected),
      ])
    expectEqual(bench.hear(.readResponse(value: [1])), [])
    expectEqual(bench.hear(.readRequest(handle: 1)), [])
    expectEqual(bench.hear(.handleValueIndication(handle: 3, value: [1])), [])
    bench.client.stop(.disconnected)
    expectEqual(bench.wanted(), [])
  }
}
