import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

/// What a server asks the application that it serves, and a table that grows and shrinks.
@Suite struct AttributeServerQuestionTests {
  private typealias Question = AttributeServer.Question
  private typealias Part = AttributeServer.Part

  /// A value at 12, its subscription at 13, a descriptor at 14.
  private static func bench(_ access: GATTPlan.Access, value: [UInt8] = []) -> AttributeServerTests.Bench {
    var one = GATTPlan.Characteristic(
      AttributeServerTests.rate, [.read, .write, .writeWithoutResponse, .notify, .indicate], value: value)
    one.access = access
    one.descriptors = [GATTPlan.Descriptor(BluetoothUUID(short: 0x2901), [0x41])]
    return AttributeServerTests.Bench(GATTPlan([GATTPlan.Service(AttributeServerTests.heart, [one])]))
  }

  private static let asked = GATTPlan.Access(read: .asked, write: .asked)

  @Test func `a client that reads waits until the application has answered`() {
    var bench = AttributeServerQuestionTests.bench(AttributeServerQuestionTests.asked)
    expectEqual(bench.hear(.readRequest(handle: 12)), [])
    expectEqual(bench.server.takeQuestions(), [.read(12, offset: 0, isPart: false)])
    expectEqual(bench.server.takeQuestions(), [])
    let long = [UInt8](repeating: 5, count: 40)
    let first = bench.server.answer(.read(12, offset: 0, isPart: false), error: 0, long)
    expectEqual(bench.sent(first), [.readResponse(value: Array(long.prefix(22)))])
    expectEqual(bench.hear(.readBlobRequest(handle: 12, offset: 22)), [])
    let part = Question.read(12, offset: 22, isPart: true)
    expectEqual(bench.server.takeQuestions(), [part])
    expectEqual(bench.sent(bench.server.answer(part, error: 0, [6])), [.readBlobResponse(value: [6])])
    expectEqual(
      bench.sent(bench.server.answer(part, error: 8, [])),
      AttributeServerTests.refusal(.readBlobRequest, 12, .insufficientAuthorization))
    expectEqual(
      bench.hear(.readByTypeRequest(AttributeServerTests.all, type: AttributeServerTests.rate)),
      AttributeServerTests.refusal(.readByTypeRequest, 12, .readNotPermitted))
    expectEqual(bench.hear(.readRequest(handle: 14)), [.readResponse(value: [0x41])])
  }

  @Test func `what is written is given to the application, and a command is not answered`() {
    var bench = AttributeServerQuestionTests.bench(AttributeServerQuestionTests.asked)
    expectEqual(bench.hear(.writeRequest(handle: 12, value: [1])), [])
    expectEqual(bench.hear(.writeCommand(handle: 12, value: [2])), [])
    let questions = bench.server.takeQuestions()
    expectEqual(questions, [.write([Part(12, 0, [1])], .request), .write([Part(12, 0, [2])], .command)])
    expectEqual(bench.sent(bench.server.answer(questions[0], error: 0, [])), [.writeResponse])
    expectEqual(bench.sent(bench.server.answer(questions[1], error: 3, [])), [])
    for offset in [0, 3] as [UInt16] {
      let sent = bench.hear(.prepareWriteRequest(handle: 12, offset: offset, value: [7]))
      expectEqual(sent, [.prepareWriteResponse(handle: 12, offset: offset, value: [7])])
    }
    expectEqual(bench.hear(.executeWriteRequest(writes: true)), [])
    let prepared = Question.write([Part(12, 0, [7]), Part(12, 3, [7])], .prepared)
    expectEqual(bench.server.takeQuestions(), [prepared])
    expectEqual(bench.sent(bench.server.answer(prepared, error: 0, [])), [.executeWriteResponse])
    expectEqual(
      bench.sent(bench.server.answer(prepared, error: 7, [])),
      AttributeServerTests.refusal(.executeWriteRequest, 12, .invalidOffset))
    expectEqual(bench.table.characteristics[3].value, [])
  }

  @Test func `what an application refuses it is not asked for, and a value of its own is served`() {
    var bench = AttributeServerQuestionTests.bench(
      GATTPlan.Access(read: .refused(0x0F), write: .refused(0x0F), subscription: 0x0F))
    for (request, opcode, handle) in [
      (.readRequest(handle: 12), .readRequest, 12), (.writeRequest(handle: 12, value: []), .writeRequest, 12),
      (.writeRequest(handle: 13, value: [1, 0]), .writeRequest, 13),
    ] as [(AttributePDU, AttributePDU.Opcode, UInt16)] {
      expectEqual(bench.hear(request), AttributeServerTests.refusal(opcode, handle, .insufficientEncryption))
    }
    expectEqual(bench.hear(.writeRequest(handle: 13, value: [0, 0])), [.writeResponse])
    expectEqual(bench.server.takeQuestions(), [])
    bench = AttributeServerQuestionTests.bench(GATTPlan.Access(read: .served, write: .asked), value: [4, 2])
    expectEqual(bench.hear(.readRequest(handle: 12)), [.readResponse(value: [4, 2])])
    // It is served whether or not the properties tell of reads.
    var one = GATTPlan.Characteristic(AttributeServerTests.rate, [.notify], value: [4, 3])
    one.access = GATTPlan.Access(read: .served, write: .asked)
    bench = AttributeServerTests.Bench(GATTPlan([GATTPlan.Service(AttributeServerTests.heart, [one])]))
    expectEqual(bench.hear(.readRequest(handle: 12)), [.readResponse(value: [4, 3])])
  }

  @Test func `a service that is taken away leaves its handles empty, and another one stands behind them`() {
    var bench = AttributeServerQuestionTests.bench(AttributeServerQuestionTests.asked)
    expectEqual(
      bench.hear(.findByTypeValueRequest(AttributeServerTests.all, type: 0x2800, value: [0x0D, 0x18])),
      [.findByTypeValueResponse([10...14])])
    let battery = GATTPlan.Service(
      AttributeServerTests.battery, includes: [AttributeServerTests.heart],
      [GATTPlan.Characteristic(AttributeServerTests.level, [.read, .notify], value: [7])])
    let handles = bench.table.append(battery, including: [(AttributeServerTests.heart, 10...14)])
    expectEqual(handles, 15...19)
    expectEqual(bench.table[16]?.content, .constant([10, 0, 14, 0, 0x0D, 0x18]))
    bench.subscribe(1, at: 13)
    bench.subscribe(1, at: 19)
    bench.table.vacate(10...14)
    expectEqual(bench.sent(bench.server.servicesChanged(10...14, bench.table)), [])
    expectEqual(bench.server.subscriptions, [4: 1])
    expectEqual(bench.table.all(in: 8...16).map(\.handle), [8, 9, 15, 16])
    expectEqual(bench.hear(.readRequest(handle: 12)), AttributeServerTests.refusal(.readRequest, 12, .invalidHandle))
    expectEqual(
      bench.hear(.findInformationRequest(10...14)),
      AttributeServerTests.refusal(.findInformationRequest, 10, .attributeNotFound))
    let large = GATTPlan.Service(
      AttributeServerTests.own,
      (0..<33_000).map { _ in GATTPlan.Characteristic(AttributeServerTests.level, [.read]) })
    expectEqual(bench.table.append(large, including: []), nil)
    expectEqual(bench.table.lastHandle, 19)
  }

  @Test func `a value is sent to who subscribed, as long as there is room`() {
    var bench = AttributeServerQuestionTests.bench(AttributeServerQuestionTests.asked)
    #expect(bench.server.send([1], of: 3, bench.table) == [] && bench.server.hasRoom(for: 3, behind: 99))
    bench.subscribe(1, at: 13)
    // A value is cut where the PDU ends.
    let long = (0..<25).map { UInt8($0) }
    expectEqual(
      bench.sent(bench.server.send(long, of: 3, bench.table)),
      [.handleValueNotification(handle: 12, value: Array(long.prefix(20)))])
    bench.acknowledges = false
    var count = 0
    while bench.server.hasRoom(for: 3, behind: 1), count < 99 {
      count += 1
      expectEqual(
        bench.sent(bench.server.send([UInt8(count)], of: 3, bench.table)),
        [.handleValueNotification(handle: 12, value: [UInt8(count)])])
    }
    // Two frames of thirty-two are left for answers, and one was asked for beside each value.
    expectEqual(count, 29)
    bench.server.acknowledged(2)
    #expect(bench.server.hasRoom(for: 3, behind: 2) && !bench.server.hasRoom(for: 3, behind: 3))
  }

  @Test func `a command of the signalling channel takes the room of a frame, and is not sent where there is none`() {
    let command = SignallingCommand.reject(number: 7)
    let frame: [UInt8] = [6, 0, 5, 0, 1, 7, 2, 0, 0, 0]
    var server = AttributeServer()
    for _ in 0..<32 { expectEqual(server.signal(command), frame) }
    expectEqual(server.signal(command), nil)
    server.acknowledged(1)
    expectEqual(server.signal(command), frame)
    expectEqual(server.signal(command), nil)
    // Answers are sent where there is no room as well, and take nothing of the room that comes later.
    var bench = AttributeServerQuestionTests.bench(AttributeServerQuestionTests.asked)
    bench.acknowledges = false
    for _ in 0..<33 { expectEqual(bench.hear(.readRequest(handle: 14)), [.readResponse(value: [0x41])]) }
    bench.server.acknowledged(2)
    expectEqual(bench.server.signal(command), frame)
    expectEqual(bench.server.signal(command), frame)
    expectEqual(bench.server.signal(command), nil)
  }

  @Test func `sixteen indications wait, those included that are reserved for others`() {
    var bench = AttributeServerQuestionTests.bench(AttributeServerQuestionTests.asked)
    bench.subscribe(2, at: 13)
    #expect(bench.server.hasRoom(for: 3, behind: 15) && !bench.server.hasRoom(for: 3, behind: 16))
    expectEqual(
      bench.sent(bench.server.send([1], of: 3, bench.table)), [.handleValueIndication(handle: 12, value: [1])])
    // One that is on its way does not wait.
    #expect(bench.server.hasRoom(for: 3, behind: 15))
    for value: UInt8 in 2...17 { expectEqual(bench.sent(bench.server.send([value], of: 3, bench.table)), []) }
    #expect(!bench.server.hasRoom(for: 3, behind: 0))
    expectEqual(bench.hear(.handleValueConfirmation), [.handleValueIndication(handle: 12, value: [2])])
    #expect(bench.server.hasRoom(for: 3, behind: 0) && !bench.server.hasRoom(for: 3, behind: 1))
  }

  @Test func `parts for the application and parts for the server are not written together, and none is kept`() {
    for (first, second) in [(12, 13), (13, 12), (12, 14)] as [(UInt16, UInt16)] {
      var bench = AttributeServerQuestionTests.bench(AttributeServerQuestionTests.asked)
      for handle in [first, second] { _ = bench.hear(.prepareWriteRequest(handle: handle, offset: 0, value: [1])) }
      expectEqual(
        bench.hear(.executeWriteRequest(writes: true)),
        AttributeServerTests.refusal(.executeWriteRequest, second, .invalidHandle))
      expectEqual(bench.server.takeQuestions(), [])
      expectEqual(bench.hear(.executeWriteRequest(writes: true)), [.executeWriteResponse])
      expectEqual(bench.server.subscriptions, [:])
    }
  }

  @Test func `of two services of one UUID the first is included, and handles that there are not are not taken away`() {
    let heart = GATTPlan.Service(AttributeServerTests.heart, [])
    let plan = GATTPlan([
      GATTPlan.Service(AttributeServerTests.battery, includes: [AttributeServerTests.heart], []), heart, heart,
    ])
    var table = AttributeTable(plan, name: nil, appearance: nil)
    expectEqual(table[11]?.content, .constant([12, 0, 12, 0, 0x0D, 0x18]))
    table.vacate(13...20)
    expectEqual(table.all(in: 10...20).map(\.handle), [10, 11, 12])
    expectEqual(table.lastHandle, 13)
    expectEqual(table.append(heart, including: []), 14...14)
    expectEqual(table.all(in: 10...20).map(\.handle), [10, 11, 12, 14])
  }
}
