import RollcallPrimitives
import RollcallWire

@testable import RollcallDevices

/// Answers every command of a host: with the results given, or else with success and the values of a small controller.
/// - Returns: all that the host put out meanwhile.
func answer(_ host: inout HCIHost, _ results: [HCIOpcode: [UInt8]] = [:]) throws -> [HCIHost.Output] {
  let known: [HCIOpcode: [UInt8]] = [
    .readLEBufferSize: [0, 27, 0, 2], .readAcceptListSize: [0, 4], .readAdvertisingSetCount: [0, 2],
    .readAddress: [0, 1, 2, 3, 4, 5, 6],
  ]
  // They have an event of their own at their end.
  let pending: [HCIOpcode] = [.extendedCreateConnection, .disconnect]
  var all: [HCIHost.Output] = []
  while true {
    let output = host.take()
    if output.isEmpty { return all }
    all += output
    for case .packet(let packet) in output where packet[0] == 1 {
      let opcode = HCIOpcode(rawValue: packet.little16(1))
      let result = results[opcode] ?? known[opcode] ?? [0]
      try host.receive(
        pending.contains(opcode)
          ? [4, 0x0F, 4, result[0], 1] + packet[1...2] : HCIEvent.commandComplete(opcode, result))
    }
  }
}

func signals(_ output: [HCIHost.Output]) -> [RadioSignal] {
  output.compactMap { if case .radio(let signal) = $0 { signal } else { nil } }
}
