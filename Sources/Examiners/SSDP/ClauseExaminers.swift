package import RollcallConformance

extension Clause {
  /// What `examine` can be asked to examine for it, `device`, `control-point` or `responder`, with the names of the probes;
  /// a device without any: every answer is held against it, whatever was asked.
  package var examinations: [(examiner: String, probes: [String])] {
    var all: [(examiner: String, probes: [String])] = []
    if DeviceProbe.allClauses.contains(number) { all.append((examiner: "device", probes: probes.map(\.rawValue))) }
    if !controlPointProbes.isEmpty {
      all.append((examiner: "control-point", probes: controlPointProbes.map(\.rawValue)))
    }
    let asked = ResponderProbe.allCases.filter { $0.clauses.contains(number) }
    if !asked.isEmpty { all.append((examiner: "responder", probes: asked.map(\.rawValue))) }
    return all
  }

  package var examiners: [String] { examinations.map(\.examiner) }

  /// Probes of a device that can hold or break it, in the order in which they are asked.
  package var probes: [DeviceProbe] { DeviceProbe.allCases.filter { $0.clauses.contains(number) } }

  /// Probes of a control point that can hold or break it, in the order in which they are put.
  var controlPointProbes: [ControlPointProbe] {
    ControlPointProbe.allCases.filter { $0.facts.clauses.contains(number) }
  }
}
