extension Clause {
  /// What `examine` can be asked to examine for it, `device` or `control-point`, with the names of the probes.
  package var examinations: [(examiner: String, probes: [String])] {
    let all = [
      (examiner: "device", probes: probes.map(\.rawValue)),
      (examiner: "control-point", probes: controlPointProbes.map(\.rawValue)),
    ]
    return all.filter { !$0.probes.isEmpty }
  }

  package var examiners: [String] { examinations.map(\.examiner) }

  /// Probes of a device that can hold or break it, in the order in which they are asked.
  package var probes: [DeviceProbe] { DeviceProbe.allCases.filter { $0.clauses.contains(number) } }

  /// Probes of a control point that can hold or break it, in the order in which they are put.
  package var controlPointProbes: [ControlPointProbe] {
    ControlPointProbe.allCases.filter { $0.facts.clauses.contains(number) }
  }
}
