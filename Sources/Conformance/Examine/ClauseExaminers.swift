extension Clause {
  /// What `examine` can be asked to examine for it: `device`, `control-point`.
  package var examiners: [String] { DeviceProbe.allClauses.contains(number) ? ["device"] : [] }

  /// Probes of a device that can hold or break it, in the order in which they are asked.
  package var probes: [DeviceProbe] { DeviceProbe.allCases.filter { $0.clauses.contains(number) } }
}
