/// Faults that can be planted into the browser for services; `EngineSwitch` says what each does.
package struct ServiceFaults: OptionSet, Hashable, Sendable {
  package let rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let flushIgnored = ServiceFaults(rawValue: 1)
  package static let goodbyeIgnored = ServiceFaults(rawValue: 2)
  package static let neverExpires = ServiceFaults(rawValue: 4)
  package static let notRefreshed = ServiceFaults(rawValue: 8)
  package static let caseMatters = ServiceFaults(rawValue: 16)
  package static let textIgnored = ServiceFaults(rawValue: 32)
  package static let changesIgnored = ServiceFaults(rawValue: 64)
  package static let interfacesMixed = ServiceFaults(rawValue: 128)
  package static let unansweredIgnored = ServiceFaults(rawValue: 256)
  package static let askedOnce = ServiceFaults(rawValue: 512)
  package static let subtypesIgnored = ServiceFaults(rawValue: 1_024)
  package static let listIgnored = ServiceFaults(rawValue: 2_048)
  package static let foundPerInterface = ServiceFaults(rawValue: 4_096)
  package static let interfaceDownIgnored = ServiceFaults(rawValue: 8_192)
  package static let hintsIgnored = ServiceFaults(rawValue: 16_384)
}
