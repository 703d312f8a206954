import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDiscovery

/// What a client of attributes asks a server that answers well, and what it tells of the answers (CB-60).
@Suite struct AttributeClientTests {
  private typealias Bench = ClientBench

  private func bytes(_ count: Int, from first: Int = 0) -> [UInt8] {
    (first..<first + count).map { UInt8(truncatingIfNeeded: $0) }
  }

  // MARK: - The beginning

  @Test func `it asks for the MTU, the name, and to be told of other services, and then for nothing`() {
    var bench = Bench()
    expectEqual(bench.begin(), [.sends(.exchangeMTURequest(mtu: 517))])
    expectEqual(bench.hear(.exchangeMTUResponse(mtu: 100)), [.sends(.readByTypeRequest(Bench.all, type: .deviceName))])
    expectEqual(
      bench.hear(.readByTypeResponse([.init(3, Array("Tag\0".utf8))])),
      [
        .name("Tag"), .sends(.findByTypeValueRequest(Bench.all, type: 0x2800, value: [0x01, 0x18])),
      ])
    expectEqual(
      bench.hear(.findByTypeValueResponse([21...24])), [.sends(.readByTypeRequest(21...24, type: .characteristic))])
    expectEqual(
      bench.hear(.readByTypeResponse([.init(22, [0x20, 23, 0, 0x05, 0x2A])])),
      [
        .sends(.findInformationRequest(24...24))
      ])
    expectEqual(
      bench.hear(.findInformationResponse([.init(24, .clientConfiguration)])),
      [
        .sends(.writeRequest(handle: 24, value: [2, 0]))
      ])
    expectEqual(bench.hear(.writeResponse), [])
    expectEqual(bench.client.deadline, .never)
    expectEqual(bench.client.known.serviceChanged, 23)
    expectEqual(bench.client.mtu, 100)
  }

  @Test func `a name that fills an answer is read on, as far as the server tells it`() {
    let name = "Living room thermometer of Ann"
    let (first, rest) = (Array(name.utf8.prefix(19)), Array(name.utf8.dropFirst(19)))
    var bench = Bench()
    _ = bench.begin()
    _ = bench.refuse(.exchangeMTURequest, .requestNotSupported)
    expectEqual(
      bench.hear(.readByTypeResponse([.init(3, first)])), [.sends(.readBlobRequest(handle: 3, offset: 19))])
    let next = Bench.Wanted.sends(.findByTypeValueRequest(Bench.all, type: 0x2800, value: [0x01, 0x18]))
    var short = bench
    expectEqual(bench.hear(.readBlobResponse(value: rest)), [.name(name), next])
    expectEqual(short.refuse(.readBlobRequest, .attributeNotLong), [.name(String(name.prefix(19))), next])
  }

  @Test func `Service Changed and its descriptor are found behind the first page of an answer`() {
    var bench = Bench()
    _ = bench.begin()
    _ = bench.refuse(.exchangeMTURequest, .requestNotSupported)
    _ = bench.refuse(.readByTypeRequest)
    expectEqual(
      bench.hear(.findByTypeValueResponse([1...40])), [.sends(.readByTypeRequest(1...40, type: .characteristic))])
    func declarations(_ handles: [UInt16], _ type: UInt8) -> AttributePDU {
      .readByTypeResponse(handles.map { .init($0, [2, UInt8($0 + 1), 0, type, 0x2B]) })
    }
    expectEqual(
      bench.hear(declarations([2, 4, 6], 0x3A)), [.sends(.readByTypeRequest(7...40, type: .characteristic))])
    expectEqual(bench.hear(declarations([8, 10], 0x3B)), [.sends(.readByTypeRequest(11...40, type: .characteristic))])
    expectEqual(
      bench.hear(.readByTypeResponse([.init(12, [0x20, 13, 0, 0x05, 0x2A])])),
      [
        .sends(.findInformationRequest(14...40))
      ])
    expectEqual(bench.client.known.serviceChanged, 13)
    let others = (14...18).map { AttributePDU.TypedHandle($0, .userDescription) }
    expectEqual(bench.hear(.findInformationResponse(others)), [.sends(.findInformationRequest(19...40))])
    expectEqual(
      bench.hear(.findInformationResponse([.init(19, .clientConfiguration)])),
      [
        .sends(.writeRequest(handle: 19, value: [2, 0]))
      ])
    expectEqual(bench.hear(.writeResponse), [])
    expectEqual(bench.client.deadline, .never)
  }

  @Test func `a descriptor of the characteristic behind Service Changed is not its own`() {
    var bench = Bench()
    _ = bench.begin()
    _ = bench.refuse(.exchangeMTURequest, .requestNotSupported)
    _ = bench.refuse(.readByTypeRequest)
    _ = bench.hear(.findByTypeValueResponse([1...40]))
    _ = bench.hear(.readByTypeResponse([.init(2, [0x20, 3, 0, 0x05, 0x2A])]))
    expectEqual(
      bench.hear(
        .findInformationResponse([
          .init(4, .characteristic), .init(5, BluetoothUUID(short: 0x2B3A)), .init(6, .clientConfiguration),
        ])), [])
    expectEqual(bench.client.deadline, .never)
  }

  @Test func `a service without Service Changed is looked through once, to its end`() {
    var bench = Bench()
    _ = bench.begin()
    _ = bench.refuse(.exchangeMTURequest, .requestNotSupported)
    _ = bench.refuse(.readByTypeRequest)
    _ = bench.hear(.findByTypeValueResponse([1...3]))
    expectEqual(
      bench.hear(.readByTypeResponse([.init(1, [2, 2, 0, 0x3A, 0x2B])])),
      [
        .sends(.readByTypeRequest(2...3, type: .characteristic))
      ])
    expectEqual(bench.refuse(.readByTypeRequest), [])
    expectEqual(bench.client.known.serviceChanged, nil)
    expectEqual(bench.client.deadline, .never)
  }

  @Test func `of a server that has nothing of it nobody is told`() {
    var bench = Bench()
    _ = bench.begin()
    expectEqual(
      bench.refuse(.exchangeMTURequest, .requestNotSupported),
      [
        .sends(.readByTypeRequest(Bench.all, type: .deviceName))
      ])
    expectEqual(
      bench.refuse(.readByTypeRequest),
      [
        .sends(.findByTypeValueRequest(Bench.all, type: 0x2800, value: [0x01, 0x18]))
      ])
    expectEqual(bench.refuse(.findByTypeValueRequest), [])
    expectEqual(bench.client.deadline, .never)
    expectEqual(bench.client.mtu, 23)
  }

  @Test func `the smaller MTU holds, but never less than 23`() {
    for (theirs, agreed) in [(23, 23), (100, 100), (517, 517), (518, 517), (0xFFFF, 517), (22, 23), (0, 23)] {
      var bench = Bench()
      _ = bench.begin()
      _ = bench.hear(.exchangeMTUResponse(mtu: UInt16(theirs)))
      expectEqual(bench.client.mtu, agreed, "\(theirs)")
      var asked = Bench.plain
      expectEqual(asked.hear(.exchangeMTURequest(mtu: UInt16(theirs))), [.sends(.exchangeMTUResponse(mtu: 517))])
      expectEqual(asked.client.mtu, agreed, "\(theirs)")
    }
  }

  // MARK: - Discovery

  @Test func `services come in several answers, until the server has no more or the handles end`() {
    var bench = Bench()
    expectEqual(bench.ask(.services([])), [.sends(.readByGroupTypeRequest(Bench.all, type: .primaryService))])
    expectEqual(
      bench.hear(.readByGroupTypeResponse([.init(1...5, [0x0F, 0x18]), .init(7...9, [0x0D, 0x18])])),
      [
        .sends(.readByGroupTypeRequest(10...0xFFFF, type: .primaryService))
      ])
    expectEqual(
      bench.hear(.readByGroupTypeResponse([.init(10...10, Bench.ownBytes)])),
      [
        .sends(.readByGroupTypeRequest(11...0xFFFF, type: .primaryService))
      ])
    let three = [
      GATTService(Bench.battery, 1...5), GATTService(Bench.heart, 7...9), GATTService(Bench.own, 10...10),
    ]
    var ended = bench
    expectEqual(bench.refuse(.readByGroupTypeRequest), [.tells(.services(three))])
    expectEqual(
      ended.hear(.readByGroupTypeResponse([.init(11...0xFFFF, [0x0F, 0x18])])),
      [
        .tells(.services(three + [GATTService(Bench.battery, 11...0xFFFF)]))
      ])
    expectEqual(bench.client.known.services, three)
  }

  @Test func `of services that were not asked for nothing is known`() {
    var bench = Bench()
    _ = bench.ask(.services([Bench.heart, Bench.own]))
    expectEqual(
      bench.hear(.readByGroupTypeResponse([.init(1...5, [0x0F, 0x18]), .init(6...0xFFFF, [0x0D, 0x18])])),
      [
        .tells(.services([GATTService(Bench.heart, 6...0xFFFF)]))
      ])
    expectEqual(bench.ask(.characteristics(service: 1, [])), [.fails(.discover, .unknownAttribute, .handle(1))])
    expectEqual(bench.ask(.includedServices(service: 7)), [.fails(.discover, .unknownAttribute, .handle(7))])
    expectEqual(bench.ask(.descriptors(characteristic: 6)), [.fails(.discover, .unknownAttribute, .handle(6))])
  }

  @Test func `the long UUID of an included service is read from the service itself`() {
    var bench = Bench(knows: [])
    expectEqual(bench.ask(.includedServices(service: 1)), [.sends(.readByTypeRequest(1...20, type: .include))])
    expectEqual(
      bench.hear(.readByTypeResponse([.init(2, [30, 0, 35, 0, 0x0D, 0x18])])),
      [
        .sends(.readByTypeRequest(3...20, type: .include))
      ])
    expectEqual(bench.hear(.readByTypeResponse([.init(3, [40, 0, 45, 1])])), [.sends(.readRequest(handle: 40))])
    expectEqual(
      bench.hear(.readResponse(value: Bench.ownBytes)), [.sends(.readByTypeRequest(4...20, type: .include))])
    expectEqual(
      bench.refuse(.readByTypeRequest),
      [
        .tells(
          .includedServices(
            service: 1, [GATTService(Bench.heart, 30...35), GATTService(Bench.own, 40...301)]))
      ])
    _ = bench.ask(.includedServices(service: 1))
    expectEqual(bench.refuse(.readByTypeRequest), [.tells(.includedServices(service: 1, []))])
  }

  @Test func `a characteristic ends before the next one, even one that was not asked for`() {
    var bench = Bench(knows: [])
    expectEqual(
      bench.ask(.characteristics(service: 1, [Bench.level])),
      [
        .sends(.readByTypeRequest(1...20, type: .characteristic))
      ])
    expectEqual(
      bench.hear(
        .readByTypeResponse([.init(2, [0x10, 3, 0, 0x37, 0x2A]), .init(5, [0x02, 6, 0, 0x19, 0x2A])])),
      [
        .sends(.readByTypeRequest(6...20, type: .characteristic))
      ])
    expectEqual(
      bench.hear(.readByTypeResponse([.init(9, [0x02, 10, 0] + Bench.ownBytes)])),
      [
        .sends(.readByTypeRequest(10...20, type: .characteristic))
      ])
    expectEqual(
      bench.refuse(.readByTypeRequest),
      [
        .tells(.characteristics(service: 1, [GATTCharacteristic(Bench.level, 6, .read)]))
      ])
    expectEqual(bench.ask(.descriptors(characteristic: 6)), [.sends(.findInformationRequest(7...8))])
    expectEqual(
      bench.hear(.findInformationResponse([.init(7, .clientConfiguration)])),
      [
        .sends(.findInformationRequest(8...8))
      ])
    expectEqual(
      bench.hear(.findInformationResponse([.init(8, Bench.own)])),
      [
        .tells(
          .descriptors(
            characteristic: 6, [GATTDescriptor(.clientConfiguration, 7), GATTDescriptor(Bench.own, 8)]))
      ])
    // One that has no handle behind it has no descriptors, and nobody is asked.
    var full = Bench(knows: [GATTCharacteristic(Bench.level, 20, .read)])
    expectEqual(full.ask(.descriptors(characteristic: 20)), [.tells(.descriptors(characteristic: 20, []))])
  }

  @Test func `all attributes are discovered service by service, and counted at the end`() {
    var bench = Bench()
    expectEqual(bench.ask(.discover), [.sends(.readByGroupTypeRequest(Bench.all, type: .primaryService))])
    expectEqual(
      bench.hear(.readByGroupTypeResponse([.init(1...5, [0x0F, 0x18]), .init(6...0xFFFF, [0x0D, 0x18])])),
      [
        .tells(.services([GATTService(Bench.battery, 1...5), GATTService(Bench.heart, 6...0xFFFF)])),
        .sends(.readByTypeRequest(1...5, type: .include)),
      ])
    // What a service does not include is no news.
    expectEqual(bench.refuse(.readByTypeRequest), [.sends(.readByTypeRequest(1...5, type: .characteristic))])
    expectEqual(
      bench.hear(.readByTypeResponse([.init(2, [0x12, 3, 0, 0x19, 0x2A])])),
      [
        .sends(.readByTypeRequest(3...5, type: .characteristic))
      ])
    var refused = bench
    expectEqual(
      bench.refuse(.readByTypeRequest),
      [
        .tells(.characteristics(service: 1, [GATTCharacteristic(Bench.level, 3, [.read, .notify])])),
        .sends(.findInformationRequest(4...5)),
      ])
    let descriptors = [GATTDescriptor(.clientConfiguration, 4), GATTDescriptor(.userDescription, 5)]
    expectEqual(
      bench.hear(.findInformationResponse([.init(4, .clientConfiguration), .init(5, .userDescription)])),
      [
        .tells(.descriptors(characteristic: 3, descriptors)),
        .sends(.readByTypeRequest(6...0xFFFF, type: .include)),
      ])
    expectEqual(bench.refuse(.readByTypeRequest), [.sends(.readByTypeRequest(6...0xFFFF, type: .characteristic))])
    expectEqual(
      bench.refuse(.readByTypeRequest),
      [
        .tells(.characteristics(service: 6, [])),
        .tells(.discovered(services: 2, characteristics: 1, descriptors: 2)),
      ])
    // Another error ends all of it, once.
    expectEqual(
      refused.refuse(.readByTypeRequest, .unlikelyError),
      [
        .fails(.discover, .refused, .handle(1), error: 0x0E)
      ])
    expectEqual(refused.client.deadline, .never)
  }

  @Test func `a server without services has been discovered`() {
    var bench = Bench()
    _ = bench.ask(.discover)
    expectEqual(
      bench.refuse(.readByGroupTypeRequest),
      [
        .tells(.services([])), .tells(.discovered(services: 0, characteristics: 0, descriptors: 0)),
      ])
  }

  // MARK: - Values

  @Test func `a value that fills an answer is asked for on and on, and one that ends there is whole`() {
    var bench = Bench.plain
    expectEqual(bench.ask(.read(.characteristic(Bench.level))), [.sends(.readRequest(handle: 3))])
    expectEqual(bench.hear(.readResponse(value: bytes(22))), [.sends(.readBlobRequest(handle: 3, offset: 22))])
    expectEqual(
      bench.hear(.readBlobResponse(value: bytes(22, from: 22))), [.sends(.readBlobRequest(handle: 3, offset: 44))])
    let whole: [Bench.Wanted] = [.tells(.value(handle: 3, Bench.level, bytes(44), .read))]
    var copy = bench
    expectEqual(copy.hear(.readBlobResponse(value: [])), whole)
    for error in [AttributeError.invalidOffset, .attributeNotLong] {
      copy = bench
      expectEqual(copy.refuse(.readBlobRequest, error), whole)
    }
    copy = bench
    expectEqual(
      copy.refuse(.readBlobRequest, .unlikelyError),
      [
        .fails(.read, .refused, .characteristic(Bench.level), error: 0x0E)
      ])
    expectEqual(
      bench.hear(.readBlobResponse(value: [7])), [.tells(.value(handle: 3, Bench.level, bytes(44) + [7], .read))])
  }

  @Test func `a value has 512 bytes at most, and one byte less than an answer holds is all there is`() {
    var bench = Bench.plain
    _ = bench.hear(.exchangeMTURequest(mtu: 517))
    _ = bench.ask(.read(.handle(3)))
    expectEqual(
      bench.hear(.readResponse(value: bytes(516))), [.tells(.value(handle: 3, Bench.level, bytes(512), .read))])
    var short = Bench.plain
    _ = short.ask(.read(.handle(3)))
    expectEqual(short.hear(.readResponse(value: bytes(21))), [.tells(.value(handle: 3, Bench.level, bytes(21), .read))])
  }

  @Test func `a descriptor is read by its handle, and has no name`() {
    var bench = Bench.plain
    expectEqual(bench.ask(.read(.handle(4))), [.fails(.read, .unknownAttribute, .handle(4))])
    bench.client.known.set([GATTDescriptor(.userDescription, 4)], of: 3)
    expectEqual(bench.ask(.read(.handle(4))), [.sends(.readRequest(handle: 4))])
    expectEqual(bench.hear(.readResponse(value: [65])), [.tells(.value(handle: 4, nil, [65], .read))])
  }

  @Test func `what a characteristic does not offer is not asked`() {
    let rate = GATTAttribute.characteristic(Bench.rate)
    var bench = Bench(knows: [GATTCharacteristic(Bench.rate, 3, [])])
    expectEqual(bench.ask(.read(rate)), [.fails(.read, .notOffered, rate)])
    expectEqual(bench.ask(.write(rate, [1], withResponse: true)), [.fails(.write, .notOffered, rate)])
    expectEqual(bench.ask(.write(rate, [1], withResponse: false)), [.fails(.write, .notOffered, rate)])
    expectEqual(bench.ask(.notify(rate, true)), [.fails(.notify, .notOffered, rate)])
    let level = GATTAttribute.characteristic(Bench.level)
    expectEqual(bench.ask(.write(level, [1], withResponse: true)), [.fails(.write, .unknownAttribute, level)])
    expectEqual(bench.ask(.notify(level, false)), [.fails(.notify, .unknownAttribute, level)])
  }
}
