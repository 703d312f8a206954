/// A function from bytes to nothing that must hold for every input, and what a fuzzer needs to find its way in.
package struct FuzzTarget: Sendable {
  /// What a target feeds: it decides how often a proof runs it.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Bytes are read.
    case reader
    /// Bytes choose what happens to a machine.
    case machine
    /// Has to fail.
    case canary
  }

  /// What stands on the command line.
  package var name: String
  package var kind: Kind
  /// Words that the input is made of.
  package var dictionary: [String]
  /// Inputs to begin with.
  package var seeds: [[UInt8]]
  /// Throws what does not hold. It traps for nothing: a trap is a finding too.
  package var run: @Sendable (_ bytes: [UInt8]) throws(FuzzFinding) -> Void

  package init(
    name: String, kind: Kind = .reader, dictionary: [String], seeds: [[UInt8]],
    run: @escaping @Sendable (_ bytes: [UInt8]) throws(FuzzFinding) -> Void
  ) {
    (self.name, self.kind, self.dictionary, self.seeds, self.run) = (name, kind, dictionary, seeds, run)
  }

  /// The dictionary as libFuzzer reads it: one quoted word a line, `\xNN` for bytes that are not plain ASCII.
  package var dictionaryText: String {
    dictionary.map { word in
      let quoted = word.utf8.map { byte in
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): "\\" + String(UnicodeScalar(byte))
        case 0x20...0x7E: String(UnicodeScalar(byte))
        default: "\\x" + String(UInt16(byte) + 256, radix: 16).suffix(2)
        }
      }
      return "\"" + quoted.joined() + "\"\n"
    }.joined()
  }
}

/// Something that should hold for every input and did not hold for one.
package struct FuzzFinding: Error, Hashable, Sendable {
  package var what: String
  package init(_ what: String) { self.what = what }
}

/// Every target, in the order in which they are listed.
package let allTargets: [FuzzTarget] =
  FuzzTarget.messageReaders + documentReaders + FuzzTarget.messageMachines + otherTargets

private let documentReaders: [FuzzTarget] = [
  .linkLayers, .pcap, .pcapng, .scenario, .httpRequest, .httpResponse, .webSocket, .jsonText, .xml, .description,
  .control, .assembly, .trace, .expectedFindings,
]

private let otherTargets: [FuzzTarget] = [
  .network, .streams,
  .dns, .dnsText, .services, .advertisingData, .radioFrames, .attributes, .attributeClient, .attributeServer,
  .manager, .connections, .hciCommands, .sessionFrames, .invitationContext, .nearbyDevice, .engineFrames, .canary,
]

extension FuzzTarget {
  package static func named(_ name: String) -> FuzzTarget? { allTargets.first { $0.name == name } }

  /// Fails on one word, so that a campaign can show that its alarm rings. It belongs to no campaign that should pass.
  package static let canary = FuzzTarget(
    name: "canary", kind: .canary, dictionary: ["CANARY"], seeds: [Array("CANAR".utf8)]
  ) { (bytes: [UInt8]) throws(FuzzFinding) in
    if bytes.starts(with: Array("CANARY".utf8)) { throw FuzzFinding("the canary was found, as it should be") }
  }
}
