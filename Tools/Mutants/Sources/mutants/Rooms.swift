/// A folder below `Sources` whose files are mutated together; it has a table of its own.
struct Room {
  var name: String
  /// The targets of tests that are written for it; others reach it as well.
  var nearTests: [String]

  /// In the order in which they stand on each other. Not there are the programs for a command line (`rollcall` and the
  /// samples), of which each decision is one of a room below; what only tests and benchmarks are made of; and `Live`, whose
  /// tests wait for a real network.
  static let all = [
    Room(name: "Primitives", nearTests: ["PrimitivesTests", "TraceTests"]),
    Room(name: "Wire", nearTests: ["WireTests"]),
    Room(name: "Trace", nearTests: ["TraceTests"]),
    Room(name: "Engines", nearTests: ["EnginesTests"]),
    Room(name: "Simulation", nearTests: ["SimulationTests"]),
    Room(name: "Capture", nearTests: ["CaptureTests"]),
    Room(name: "Conformance", nearTests: ["ConformanceTests"]),
    Room(name: "Discovery", nearTests: ["DiscoveryTests"]),
    Room(name: "Devices", nearTests: ["DevicesTests"]),
    Room(name: "Sessions", nearTests: ["SessionsTests"]),
    Room(name: "Examiners", nearTests: ["ConformanceTests"]),
    Room(name: "Peers", nearTests: ["PeersTests"]),
    Room(name: "Doors", nearTests: ["CoreBluetoothTests", "MultipeerConnectivityTests"]),
    Room(name: "Store", nearTests: ["StoreTests"]),
    Room(name: "CoreBluetooth", nearTests: ["CoreBluetoothTests"]),
    Room(name: "MultipeerConnectivity", nearTests: ["MultipeerConnectivityTests"]),
    Room(name: "Scenarios", nearTests: ["ScenariosTests"]),
    Room(name: "Connect", nearTests: ["PhonesTests"]),
    Room(name: "ConnectStore", nearTests: ["PhonesTests"]),
    Room(name: "Reporting", nearTests: ["HarnessTests"]),
    Room(name: "Running", nearTests: ["HarnessTests"]),
    Room(name: "Explaining", nearTests: ["HarnessTests"]),
    Room(name: "Replaying", nearTests: ["HarnessTests"]),
    Room(name: "Judging", nearTests: ["HarnessTests", "ConformanceTests"]),
    Room(name: "Reducing", nearTests: ["HarnessTests"]),
    Room(name: "Serving", nearTests: ["HarnessTests", "PhonesTests"]),
    Room(name: "Phones", nearTests: ["PhonesTests"]),
    Room(name: "Campaigns", nearTests: ["HarnessTests"]),
    Room(name: "Facade", nearTests: ["FacadeTests"]),
    Room(name: "Testing", nearTests: ["FacadeTests"]),
    Room(name: "Picturing", nearTests: ["HarnessTests"]),
  ]

  /// Targets of tests that take part: those of live sockets and of the house itself judge no decision of these rooms.
  static let allTests = [
    "PrimitivesTests", "WireTests", "TraceTests", "EnginesTests", "SimulationTests", "CaptureTests", "DiscoveryTests",
    "DevicesTests", "SessionsTests", "PeersTests", "ConformanceTests", "StoreTests", "CoreBluetoothTests",
    "MultipeerConnectivityTests", "ScenariosTests", "HarnessTests", "PhonesTests", "FacadeTests",
  ]

  func owns(_ file: String) -> Bool { file.hasPrefix(name + "/") }
}
