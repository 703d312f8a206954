/// Faults that can be planted into the fetching of descriptions: what the switches of the engine turn on there.
package struct DescriptionFaults: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let statusIgnored = DescriptionFaults(rawValue: 1)
  package static let cutAccepted = DescriptionFaults(rawValue: 2)
  package static let unbounded = DescriptionFaults(rawValue: 4)
  package static let patienceMissing = DescriptionFaults(rawValue: 8)
  package static let notAgain = DescriptionFaults(rawValue: 16)
  package static let allAtOnce = DescriptionFaults(rawValue: 32)
  package static let redirectsIgnored = DescriptionFaults(rawValue: 64)
  package static let redirectsUnchecked = DescriptionFaults(rawValue: 128)
}
