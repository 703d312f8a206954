import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDiscovery

/// What a client of attributes writes, what it subscribes to, and what a server sends without being asked (CB-60).
@Suite struct AttributeClientWriteTests {
  private typealias Bench = ClientBench

  private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0) } }

  // MARK: - Writing

  @Test func `a value that fits a PDU is written at once, and a longer one in parts`() {
    var bench = Bench.plain
    let handle = GATTAttribute.handle(3)
    expectEqual(
      bench.ask(.write(handle, bytes(20), withResponse: true)), [.sends(.writeRequest(handle: 3, value: bytes(20)))])
    expectEqual(bench.hear(.writeResponse), [.tells(.written(handle: 3))])
    let long = bytes(21)
    expectEqual(
      bench.ask(.write(handle, long, withResponse: true)),
      [
        .sends(.prepareWriteRequest(handle: 3, offset: 0, value: Array(long[..<18])))
      ])
    expectEqual(
      bench.hear(.prepareWriteResponse(handle: 3, offset: 0, value: Array(long[..<18]))),
      [
        .sends(.prepareWriteRequest(handle: 3, offset: 18, value: Array(long[18...])))
      ])
    expectEqual(
      bench.hear(.prepareWriteResponse(handle: 3, offset: 18, value: Array(long[18...]))),
      [
        .sends(.executeWriteRequest(writes: true))
      ])
    var refused = bench
    expectEqual(bench.hear(.executeWriteResponse), [.tells(.written(handle: 3))])
    expectEqual(
      refused.refuse(.executeWriteRequest, .invalidAttributeValueLength),
      [
        .fails(.write, .refused, handle, error: 0x0D)
      ])
    expectEqual(bench.ask(.write(handle, [], withResponse: true)), [.sends(.writeRequest(handle: 3, value: []))])
  }

  @Test func `a value of 512 bytes can be written, and none that is longer`() {
    var bench = Bench.plain
    expectEqual(
      bench.ask(.write(.handle(3), bytes(513), withResponse: true)), [.fails(.write, .tooLong, .handle(3))])
    expectEqual(
      bench.ask(.write(.handle(3), bytes(512), withResponse: true)),
      [
        .sends(.prepareWriteRequest(handle: 3, offset: 0, value: bytes(18)))
      ])
    expectEqual(bench.ask(.write(.handle(3), bytes(21), withResponse: false)), [.fails(.write, .tooLong, .handle(3))])
  }

  @Test func `parts that come back as others are forgotten, and so are those that the server refuses`() {
    let long = bytes(21)
    let wrong: [AttributePDU] = [
      .prepareWriteResponse(handle: 4, offset: 0, value: Array(long[..<18])),
      .prepareWriteResponse(handle: 3, offset: 1, value: Array(long[..<18])),
      .prepareWriteResponse(handle: 3, offset: 0, value: Array(long[..<17])),
      .prepareWriteResponse(handle: 3, offset: 0, value: [9] + Array(long[1..<18])),
    ]
    for answer in wrong {
      var bench = Bench.plain
      _ = bench.ask(.write(.handle(3), long, withResponse: true))
      expectEqual(
        bench.hear(answer), [.fails(.write, .badAnswer, .handle(3)), .sends(.executeWriteRequest(writes: false))])
      expectEqual(bench.hear(.executeWriteResponse), [])
      expectEqual(bench.ask(.read(.handle(3))), [.sends(.readRequest(handle: 3))])
    }
    var bench = Bench.plain
    _ = bench.ask(.write(.handle(3), long, withResponse: true))
    expectEqual(
      bench.refuse(.prepareWriteRequest, .prepareQueueFull),
      [
        .fails(.write, .refused, .handle(3), error: 9), .sends(.executeWriteRequest(writes: false)),
      ])
    expectEqual(bench.refuse(.executeWriteRequest, .unlikelyError), [])
    expectEqual(bench.client.deadline, .never)
  }

  @Test func `what is written without response waits its turn and is answered by nobody`() {
    var bench = Bench.plain
    _ = bench.ask(.read(.handle(3)))
    expectEqual(bench.ask(.write(.handle(3), bytes(20), withResponse: false)), [])
    expectEqual(
      bench.hear(.readResponse(value: [1])),
      [
        .tells(.value(handle: 3, Bench.level, [1], .read)), .sends(.writeCommand(handle: 3, value: bytes(20))),
      ])
    expectEqual(bench.client.deadline, .never)
  }

  @Test func `what waits fits the ATT_MTU of the time when it is sent, though the server made that smaller`() {
    for (mtu, isWhole) in [(UInt16(63), true), (62, false)] {
      var bench = Bench.plain
      _ = bench.hear(.exchangeMTURequest(mtu: 100))
      _ = bench.ask(.read(.handle(3)))
      expectEqual(bench.ask(.write(.handle(3), bytes(60), withResponse: false)), [])
      expectEqual(bench.ask(.write(.handle(3), bytes(60), withResponse: true)), [])
      _ = bench.hear(.exchangeMTURequest(mtu: mtu))
      let last =
        isWhole
        ? [
          Bench.Wanted.sends(.writeCommand(handle: 3, value: bytes(60))),
          .sends(.writeRequest(handle: 3, value: bytes(60))),
        ]
        : [
          .fails(.write, .tooLong, .handle(3)),
          .sends(.prepareWriteRequest(handle: 3, offset: 0, value: bytes(57))),
        ]
      expectEqual(
        bench.hear(.readResponse(value: [1])), [.tells(.value(handle: 3, Bench.level, [1], .read))] + last, "\(mtu)")
    }
  }

  @Test func `commands leave room for a request and a confirmation, and half of the room calls for more`() {
    var bench = Bench.plain
    bench.acknowledges = false
    let write = CentralCommand.Request.write(.handle(3), [1], withResponse: false)
    for _ in 0..<30 { expectEqual(bench.ask(write), [.sends(.writeCommand(handle: 3, value: [1]))]) }
    expectEqual(bench.ask(write), [.fails(.write, .tooMany, .handle(3))])
    expectEqual(bench.ask(.read(.handle(3))), [.sends(.readRequest(handle: 3))])
    expectEqual(
      bench.hear(.handleValueIndication(handle: 3, value: [2])),
      [
        .tells(.value(handle: 3, Bench.level, [2], .indication)), .sends(.handleValueConfirmation),
      ])
    expectEqual(
      bench.hear(.readResponse(value: [3])), [.tells(.value(handle: 3, Bench.level, [3], .read))])
    // No room at all: a request waits, and nothing overtakes it.
    expectEqual(bench.ask(.read(.handle(3))), [])
    expectEqual(bench.acknowledge(1), [.sends(.readRequest(handle: 3))])
    expectEqual(bench.acknowledge(16), [])
    expectEqual(bench.acknowledge(1), [.tells(.readyToWrite)])
    expectEqual(bench.acknowledge(UInt32.max), [])
    expectEqual(bench.hear(.readResponse(value: [4])), [.tells(.value(handle: 3, Bench.level, [4], .read))])
    // All of it is there again, and no more than that.
    for _ in 0..<30 { expectEqual(bench.ask(write), [.sends(.writeCommand(handle: 3, value: [1]))]) }
    expectEqual(bench.ask(write), [.fails(.write, .tooMany, .handle(3))])
  }

  // MARK: - Subscriptions

  @Test func `notifications are switched by a descriptor that is looked for`() {
    var bench = Bench(knows: [
      GATTCharacteristic(Bench.level, 3, [.notify, .indicate]), GATTCharacteristic(Bench.rate, 8, .indicate),
    ])
    let level = GATTAttribute.characteristic(Bench.level)
    expectEqual(bench.ask(.notify(level, true)), [.sends(.findInformationRequest(4...6))])
    expectEqual(
      bench.hear(.findInformationResponse([.init(4, .userDescription)])), [.sends(.findInformationRequest(5...6))])
    // Where both are offered, notifications.
    expectEqual(
      bench.hear(.findInformationResponse([.init(5, .clientConfiguration)])),
      [
        .sends(.writeRequest(handle: 5, value: [1, 0]))
      ])
    expectEqual(bench.hear(.writeResponse), [.tells(.notifying(handle: 3, true))])
    _ = bench.ask(.notify(level, false))
    expectEqual(
      bench.hear(.findInformationResponse([.init(4, .clientConfiguration)])),
      [
        .sends(.writeRequest(handle: 4, value: [0, 0]))
      ])
    expectEqual(bench.hear(.writeResponse), [.tells(.notifying(handle: 3, false))])
  }

  @Test func `indications are switched on where nothing else is offered, by the descriptor that is known`() {
    var bench = Bench(knows: [GATTCharacteristic(Bench.rate, 8, .indicate)])
    bench.client.known.set([GATTDescriptor(.userDescription, 9), GATTDescriptor(.clientConfiguration, 10)], of: 8)
    expectEqual(bench.ask(.notify(.handle(8), true)), [.sends(.writeRequest(handle: 10, value: [2, 0]))])
    expectEqual(
      bench.refuse(.writeRequest, .insufficientEncryption), [.fails(.notify, .refused, .handle(8), error: 0x0F)])
    // That descriptor is nobody else's business; the other one can be written.
    expectEqual(
      bench.ask(.write(.handle(10), [1, 0], withResponse: true)), [.fails(.write, .notOffered, .handle(10))])
    expectEqual(
      bench.ask(.write(.handle(9), [65], withResponse: true)), [.sends(.writeRequest(handle: 9, value: [65]))])
  }

  @Test func `without that descriptor there are no notifications`() {
    let two = [GATTCharacteristic(Bench.level, 3, .notify), GATTCharacteristic(Bench.rate, 20, .notify)]
    var bench = Bench(knows: two)
    expectEqual(bench.ask(.notify(.handle(20), true)), [.fails(.notify, .notOffered, .handle(20))])
    expectEqual(bench.ask(.notify(.handle(3), true)), [.sends(.findInformationRequest(4...18))])
    expectEqual(bench.refuse(.findInformationRequest), [.fails(.notify, .notOffered, .handle(3))])
    _ = bench.ask(.notify(.handle(3), true))
    expectEqual(
      bench.hear(.findInformationResponse([.init(18, .userDescription)])), [.fails(.notify, .notOffered, .handle(3))])
    _ = bench.ask(.notify(.handle(3), true))
    expectEqual(
      bench.refuse(.findInformationRequest, .unlikelyError), [.fails(.notify, .refused, .handle(3), error: 0x0E)])
  }

  // MARK: - Unasked

  @Test func `values that the server sends are told, whether they are known or not, and indications are confirmed`() {
    var bench = Bench.plain
    expectEqual(
      bench.hear(.handleValueNotification(handle: 3, value: [1])),
      [
        .tells(.value(handle: 3, Bench.level, [1], .notification))
      ])
    expectEqual(
      bench.hear(.multipleHandleValueNotification([.init(3, [1, 2]), .init(90, [])])),
      [
        .tells(.value(handle: 3, Bench.level, [1, 2], .notification)),
        .tells(.value(handle: 90, nil, [], .notification)),
      ])
    expectEqual(
      bench.hear(.handleValueIndication(handle: 90, value: [3])),
      [
        .tells(.value(handle: 90, nil, [3], .indication)), .sends(.handleValueConfirmation),
      ])
    var faulty = Bench(.indicationsNotConfirmed)
    expectEqual(
      faulty.hear(.handleValueIndication(handle: 90, value: [3])),
      [
        .tells(.value(handle: 90, nil, [3], .indication))
      ])
  }

  @Test func `services that changed are forgotten with all that they have`() {
    var bench = Bench.plain
    bench.client.known.serviceChanged = 23
    // No range, or a reversed one, changes nothing.
    for value in [[0, 0, 9, 0], [9, 0, 8, 0]] as [[UInt8]] {
      expectEqual(
        bench.hear(.handleValueIndication(handle: 23, value: value)),
        [
          .rejects(at: 7), .sends(.handleValueConfirmation),
        ])
    }
    expectEqual(
      bench.hear(.handleValueIndication(handle: 23, value: [1, 0, 0])),
      [
        .tells(.value(handle: 23, nil, [1, 0, 0], .indication)), .sends(.handleValueConfirmation),
      ])
    var elsewhere = bench
    expectEqual(
      elsewhere.hear(.handleValueIndication(handle: 23, value: [21, 0, 0xFF, 0xFF])),
      [
        .tells(.servicesChanged(21...0xFFFF)), .sends(.handleValueConfirmation),
      ])
    expectEqual(elsewhere.ask(.read(.handle(3))), [.sends(.readRequest(handle: 3))])
    var behind = bench
    behind.client.known.set([GATTDescriptor(.userDescription, 5)], of: 3)
    _ = behind.hear(.handleValueIndication(handle: 23, value: [5, 0, 6, 0]))
    for handle in [3, 5] as [UInt16] {
      expectEqual(behind.ask(.read(.handle(handle))), [.fails(.read, .unknownAttribute, .handle(handle))])
    }
    expectEqual(
      bench.hear(.handleValueIndication(handle: 23, value: [3, 0, 3, 0])),
      [
        .tells(.servicesChanged(3...3)), .sends(.handleValueConfirmation),
      ])
    expectEqual(bench.ask(.read(.handle(3))), [.fails(.read, .unknownAttribute, .handle(3))])
    expectEqual(bench.ask(.characteristics(service: 1, [])), [.fails(.discover, .unknownAttribute, .handle(1))])
  }
}
