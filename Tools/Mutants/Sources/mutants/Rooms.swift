/// The parts of the sources that are mutated together and have a table of their own.
struct Room {
  var name: String
  /// Files and folders below `Sources`.
  var paths: [String]
  /// The targets of tests that are written for it; others reach it as well.
  var nearTests: [String]

  static let all = [
    Room(name: "Discovery", paths: ["Discovery"], nearTests: ["DiscoveryTests"]),
    Room(name: "Simulation", paths: ["Simulation"], nearTests: ["SimulationTests"]),
    // What passes the gate, and the values that it folds and a trace writes.
    Room(name: "Trace", paths: ["Trace", "Primitives/Ports"], nearTests: ["TraceTests", "PrimitivesTests"]),
    Room(name: "Wire", paths: ["Wire"], nearTests: ["WireTests"]),
    Room(name: "Capture", paths: ["Capture"], nearTests: ["CaptureTests"]),
    // What certifies: the verdicts of scenarios, and the tools that compare, reduce and explain.
    Room(
      name: "Verdicts",
      paths: ["Reducing/Reproduce", "Reducing/Shrink", "Reducing/Diff", "Explaining", "Running/Judge"],
      nearTests: ["HarnessTests"]),
  ]

  /// Targets of tests that take part: those of live sockets and of the house itself judge no decision of these rooms.
  static let allTests = [
    "PrimitivesTests", "WireTests", "TraceTests", "SimulationTests", "CaptureTests", "DiscoveryTests", "DevicesTests",
    "ConformanceTests", "ScenariosTests", "HarnessTests",
  ]

  func owns(_ file: String) -> Bool { paths.contains { file == $0 || file.hasPrefix($0 + "/") } }
}
