import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@Suite("Commands of L2CAP's signalling channel")
struct SignallingCommandTests {
  private func read(_ bytes: [UInt8]) throws(RadioFault) -> SignallingCommand {
    let result = bytes.withUnsafeBytes { bytes -> Result<SignallingCommand, RadioFault> in
      do throws(RadioFault) { return .success(try SignallingCommand(bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  private let request = ParameterRequest(
    shortestUnits: 0x0102, longestUnits: 0x0304, latency: 0x0506, timeoutUnits: 0x0708)

  @Test("each command is read as it was written, and stands as the standard has it")
  func roundTrips() throws {
    expectEqual(
      SignallingCommand.parameterRequest(number: 9, request).bytes,
      [0x12, 9, 8, 0, 0x02, 0x01, 0x04, 0x03, 0x06, 0x05, 0x08, 0x07])
    expectEqual(SignallingCommand.parameterResponse(number: 9, isAccepted: true).bytes, [0x13, 9, 2, 0, 0, 0])
    expectEqual(SignallingCommand.parameterResponse(number: 9, isAccepted: false).bytes, [0x13, 9, 2, 0, 1, 0])
    expectEqual(SignallingCommand.reject(number: 9).bytes, [0x01, 9, 2, 0, 0, 0])
    let all: [SignallingCommand] = [
      .parameterRequest(number: 1, request), .parameterResponse(number: 2, isAccepted: true),
      .parameterResponse(number: 255, isAccepted: false), .reject(number: 7), .other(code: 0x14, number: 3),
    ]
    for command in all { try expectEqual(read(command.bytes), command) }
    expectEqual(all.map(\.isRequest), [true, false, false, false, true])
    // A credit, and two pairs of requests and answers whose codes are the other way round.
    let codes: [UInt8] = [0x15, 0x16, 0x17, 0x18, 0x19, 0x1A]
    expectEqual(codes.filter { SignallingCommand.other(code: $0, number: 1).isRequest }, [0x17, 0x19])
  }

  @Test("a frame that is too short, too long, of a wrong length or without a number is no command")
  func hostile() {
    let good = SignallingCommand.parameterRequest(number: 9, request).bytes
    for count in good.indices {
      #expect(throws: RadioFault(count < 4 ? .tooShort : .cut, at: count)) { try read(Array(good.prefix(count))) }
    }
    #expect(throws: RadioFault(.badLength, at: 2)) { try read(good + [0]) }
    #expect(throws: RadioFault(.badLength, at: 2)) { try read([0x12, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]) }
    #expect(throws: RadioFault(.badLength, at: 2)) { try read([0x12, 1, 7, 0, 0, 0, 0, 0, 0, 0, 0]) }
    #expect(throws: RadioFault(.badLength, at: 2)) { try read([0x13, 1, 1, 0, 0]) }
    #expect(throws: RadioFault(.cut, at: 4)) { try read([0x13, 1, 255, 255]) }
  }

  @Test("times become units, and units times")
  func units() {
    let request = ParameterRequest(milliseconds: 15...495, latency: 4, timeoutMilliseconds: 6_000)
    expectEqual(request, ParameterRequest(shortestUnits: 12, longestUnits: 396, latency: 4, timeoutUnits: 600))
    expectEqual(request.longest, LinkParameters(interval: .milliseconds(495), latency: 4, timeout: .seconds(6)))
  }

  @Test("LL_CONNECTION_UPDATE_IND has a window, the parameters in their units, and the event from which they hold")
  func update() {
    let parameters = LinkParameters(interval: .milliseconds(495), latency: 4, timeout: .seconds(6))
    let bytes = ConnectionUpdate.bytes(parameters, instant: 0x1234)
    expectEqual(bytes, [0, 1, 0, 0, 0x8C, 0x01, 4, 0, 0x58, 0x02, 0x34, 0x12])
    expectEqual(bytes.count, ConnectionUpdate.byteCount)
  }
}
