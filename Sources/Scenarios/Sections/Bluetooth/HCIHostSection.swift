package import RollcallPrimitives

/// `kind: hci-host` — a radio for a program outside, which has it over HCI while the scenario is served.
package struct HCIHostSection: Hashable, Sendable {
  /// Under which the program advertises, for what the scenario says of it; `nil`: static random, made of its name.
  package var address: RadioAddress?

  package init(address: RadioAddress? = nil) { self.address = address }

  func address(named name: String) -> RadioAddress { address ?? PeripheralSection.address(named: name) }

  static let fields: [Field<HCIHostSection>] = [
    .optional(
      "address", \.address, .radioAddress,
      "Under which the program outside advertises, if it does; static random and made of its name by default.")
  ]
}
