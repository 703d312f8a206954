// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// The systems that a package can be built for, as far as they differ here: Apple's have a CoreBluetooth and a
/// MultipeerConnectivity of their own.
enum System: String {
  case apple, linux
}

// The house. A room uses rooms of lower storeys, never one of its own storey: the stairs go down only.
// This table is the truth; the targets below are made from it, and a wrong arrow ends the manifest.
// The room `Wire` is the folder `Sources/Wire` and the module `RollcallWire`: a name that no user's package has.
// Why each wall stands where it stands: ARCHITECTURE.md.
struct Room {
  var storey: Int
  var name: String
  var uses: [String] = []
  var guests: [Target.Dependency] = []
  var isTool = false
  /// It has Apple's name, since the code of an application says so.
  var isDoor = false
  /// The systems that it is built for; `nil`: all of them.
  var only: System?

  /// The module. Where names are equal whatever the case of letters, `Rollcall` and `rollcall` are one: the program has
  /// its name from its product.
  var module: String {
    if isDoor { return name }
    if isTool { return "rollcall-" + (name == "rollcall" ? "tool" : name) }
    return name == "Facade" ? "Rollcall" : "Rollcall" + name
  }
}

// Two mechanisms, for two kinds of people.
//
// Traits are for packages that depend on this one. What is heavy hangs on one, so a package that does not ask for it
// neither resolves nor builds it: `.package(url: …, traits: [.defaults, "Live"])`. SwiftPM leaves out a dependency of
// which every use is guarded so, and knows nothing finer: a dependency belongs to a trait, not to a product. A package
// that asks for nothing gets `Scenarios`; Tools/consumers.sh holds what each product resolves. Whether a trait is on is
// not known here, so a room whose trait is off is still a target: it does not compile, and nobody who did not name its
// product builds it. In this repository everything is built, with `--enable-all-traits` (Tools/debug-flags).
//
// `ROLLCALL_ONLY` is for work on this package: which of its targets there are. What no product of a library holds
// (benchmarks, the cryptography of sessions) and its dependencies are there by name only, for nobody else.
let traits: Set<Trait> = [
  .default(enabledTraits: ["Scenarios"]),
  .trait(name: "Scenarios", description: "Reads scenarios: Yams."),
  .trait(
    name: "Live", description: "Real sockets, for RollcallConnectLive and RollcallServedPhones: swift-nio."),
  .trait(
    name: "Store", description: "Devices in a file, for RollcallConnectStore, and results of campaigns: GRDB."),
  .trait(name: "Pcap", description: "Filters of captures, and capturing: libpcap."),
  .trait(
    name: "Tool",
    description: "The program rollcall, and the plug-in that runs it: swift-argument-parser, swift-subprocess.",
    enabledTraits: ["Scenarios", "Live", "Store", "Pcap"]),
  .trait(
    name: "PlantedFaults",
    description: "Faults that can be planted into the engine: for this project's own tools and tests."),
]
let scenarios = TargetDependencyCondition.when(traits: ["Scenarios"])
let live = TargetDependencyCondition.when(traits: ["Live"])
let store = TargetDependencyCondition.when(traits: ["Store"])
let tool = TargetDependencyCondition.when(traits: ["Tool"])
let pcap = TargetDependencyCondition.when(traits: ["Pcap"])

let yams = Target.Dependency.product(name: "Yams", package: "Yams", condition: scenarios)
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio", condition: live)
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio", condition: live)
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess", condition: tool)
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system", condition: tool)
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser", condition: tool)
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift", condition: store)
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift", condition: store)
let libpcap = Target.Dependency.target(name: "RollcallPcap", condition: pcap)
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let certificates = Target.Dependency.product(name: "X509", package: "swift-certificates")
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")

let rooms: [Room] = [
  Room(storey: 0, name: "Primitives"),
  Room(storey: 1, name: "Wire", uses: ["Primitives"]),
  Room(storey: 1, name: "Trace", uses: ["Primitives"]),
  Room(storey: 1, name: "Engines", uses: ["Primitives"]),
  Room(storey: 2, name: "Simulation", uses: ["Primitives", "Wire", "Trace"]),
  Room(storey: 2, name: "Capture", uses: ["Primitives", "Wire"], guests: [libpcap, "RollcallZlib"]),
  Room(storey: 2, name: "Conformance", uses: ["Primitives", "Wire", "Trace"]),
  Room(storey: 3, name: "Discovery", uses: ["Primitives", "Wire"]),
  Room(storey: 3, name: "Devices", uses: ["Primitives", "Wire"]),
  Room(storey: 3, name: "Sessions", uses: ["Primitives", "Wire"]),
  Room(
    storey: 4, name: "Live", uses: ["Primitives", "Wire", "Trace", "Engines", "Discovery"],
    guests: [nioCore, nioPosix, subprocess, system]),
  Room(storey: 4, name: "Examiners", uses: ["Primitives", "Wire", "Trace", "Conformance", "Devices"]),
  Room(storey: 4, name: "Peers", uses: ["Primitives", "Wire", "Discovery", "Devices", "Sessions"]),
  Room(storey: 4, name: "Doors"),
  Room(storey: 4, name: "Sealing", uses: ["Sessions"], guests: [crypto, certificates, asn1]),
  Room(storey: 4, name: "Store", uses: ["Primitives"], guests: [grdb, sqlite]),
  Room(storey: 4, name: "CoreBluetoothEmpty", only: .apple),
  Room(storey: 4, name: "MultipeerConnectivityEmpty", only: .apple),
  Room(
    storey: 5, name: "CoreBluetooth", uses: ["Doors"], guests: ["CoreBluetoothHeaders"], isDoor: true, only: .linux),
  Room(
    storey: 5, name: "MultipeerConnectivity", uses: ["Doors"], guests: ["MultipeerConnectivityHeaders"], isDoor: true,
    only: .linux),
  Room(
    storey: 5, name: "Scenarios",
    uses: ["Primitives", "Wire", "Simulation", "Conformance", "Discovery", "Devices", "Sessions", "Peers"],
    guests: [yams]),
  Room(storey: 5, name: "Connect", uses: ["Primitives", "Wire", "Doors"]),
  Room(storey: 6, name: "ConnectLive", uses: ["Primitives", "Discovery", "Live", "Doors", "Connect"]),
  Room(storey: 6, name: "ConnectStore", uses: ["Primitives", "Store", "Connect"]),
  Room(storey: 5, name: "Reporting", uses: ["Primitives", "Wire", "Trace", "Capture", "Discovery"]),
  Room(
    storey: 6, name: "Running",
    uses: [
      "Primitives", "Wire", "Trace", "Engines", "Simulation", "Capture", "Discovery", "Devices", "Conformance",
      "Sessions", "Peers", "Scenarios", "Reporting",
    ]),
  Room(
    storey: 6, name: "Explaining",
    uses: ["Primitives", "Wire", "Trace", "Capture", "Discovery", "Reporting"]),
  Room(
    storey: 7, name: "Replaying",
    uses: [
      "Primitives", "Wire", "Trace", "Capture", "Discovery", "Conformance", "Scenarios", "Reporting", "Running",
      "Explaining",
    ]),
  Room(
    storey: 8, name: "Judging",
    uses: [
      "Primitives", "Wire", "Trace", "Capture", "Conformance", "Examiners", "Reporting", "Running", "Replaying",
    ]),
  Room(
    storey: 8, name: "Reducing",
    uses: [
      "Primitives", "Wire", "Trace", "Simulation", "Capture", "Discovery", "Devices", "Conformance", "Sessions",
      "Scenarios", "Reporting", "Running", "Explaining", "Replaying",
    ]),
  Room(
    storey: 8, name: "Serving",
    uses: [
      "Primitives", "Wire", "Trace", "Simulation", "Capture", "Discovery", "Devices", "Peers", "Scenarios", "Connect",
      "Reporting", "Running", "Replaying",
    ]),
  Room(
    storey: 6, name: "FuzzTargets",
    uses: [
      "Primitives", "Wire", "Trace", "Simulation", "Capture", "Discovery", "Devices", "Conformance", "Sessions",
      "Peers", "Scenarios", "Engines",
    ]),
  Room(
    storey: 8, name: "Phones",
    uses: [
      "Primitives", "Wire", "Trace", "Simulation", "Discovery", "Devices", "Sessions", "Peers", "Scenarios", "Doors",
      "CoreBluetooth", "MultipeerConnectivity", "Connect", "Reporting", "Running",
    ], only: .linux),
  Room(
    storey: 9, name: "Campaigns",
    uses: [
      "Primitives", "Wire", "Trace", "Simulation", "Discovery", "Devices", "Peers", "Scenarios", "Reporting", "Running",
      "Reducing",
    ],
    guests: [grdb]),
  Room(
    storey: 9, name: "Facade",
    uses: [
      "Primitives", "Trace", "Simulation", "Capture", "Discovery", "Conformance", "Scenarios", "Reporting", "Running",
      "Replaying", "Judging",
    ]),
  Room(storey: 10, name: "Testing", uses: ["Facade"]),
  Room(
    storey: 10, name: "Picturing",
    uses: [
      "Primitives", "Trace", "Simulation", "Capture", "Conformance", "Scenarios", "Reporting", "Running", "Replaying",
      "Judging", "Reducing", "Campaigns",
    ]),
  Room(
    storey: 9, name: "ServedPhones",
    uses: [
      "Primitives", "Wire", "Trace", "Live", "Sessions", "Peers", "Doors", "CoreBluetooth", "MultipeerConnectivity",
      "Phones",
    ], only: .linux),
  Room(
    storey: 11, name: "rollcall",
    uses: [
      "Primitives", "Wire", "Trace", "Engines", "Capture", "Discovery", "Devices", "Conformance", "Sessions",
      "Examiners", "Scenarios", "Live", "FuzzTargets", "Reporting", "Running", "Explaining", "Replaying", "Judging",
      "Reducing", "Serving", "Picturing", "Campaigns",
    ],
    guests: [arguments], isTool: true),
  Room(
    storey: 11, name: "phone-sample",
    uses: ["CoreBluetooth", "MultipeerConnectivity", "Connect", "ConnectLive", "ServedPhones"], isTool: true,
    only: .linux),
  Room(storey: 11, name: "store-sample", uses: ["Primitives", "Store"], isTool: true),
  Room(storey: 11, name: "fuzz", uses: ["Primitives", "FuzzTargets"], isTool: true),
  Room(
    storey: 11, name: "bench",
    uses: [
      "Primitives", "Wire", "Trace", "Simulation", "Capture", "Discovery", "Devices", "Conformance", "Sessions",
      "Sealing", "Store", "Scenarios", "Reporting", "Running", "Explaining", "Replaying", "Judging",
    ], guests: [sqlite], isTool: true),
]

/// Test targets and the rooms they visit. A test may stand on any storey; `ArchitectureTests` reads the sources as text.
let tests: [(name: String, visits: [String])] = [
  ("PrimitivesTests", ["Primitives"]),
  ("WireTests", ["Primitives", "Wire", "CaptureSupport"]),
  ("TraceTests", ["Primitives", "Wire", "Trace"]),
  ("EnginesTests", ["Primitives", "Engines"]),
  ("SimulationTests", ["Primitives", "Wire", "Trace", "Simulation"]),
  ("CaptureTests", ["Primitives", "Wire", "Capture", "CaptureSupport", "RollcallPcap"]),
  ("DiscoveryTests", ["Primitives", "Wire", "Discovery"]),
  ("DevicesTests", ["Primitives", "Wire", "Devices"]),
  ("SessionsTests", ["Primitives", "Wire", "Simulation", "Sessions"]),
  ("PeersTests", ["Primitives", "Wire", "Trace", "Simulation", "Discovery", "Devices", "Sessions", "Peers"]),
  (
    "SealingTests",
    [
      "Primitives", "Wire", "Trace", "Simulation", "Sessions", "Sealing", "Scenarios", "MultipeerConnectivity",
      "Phones",
    ]
  ),
  (
    "ConformanceTests",
    [
      "Primitives", "Wire", "Trace", "Simulation", "Capture", "Discovery", "Devices", "Conformance", "Examiners",
      "Scenarios",
      "Reporting", "Running", "Explaining", "Replaying", "Judging", "Reducing", "Serving",
      "CaptureSupport",
    ]
  ),
  (
    "ScenariosTests",
    ["Primitives", "Wire", "Simulation", "Discovery", "Devices", "Sessions", "Peers", "Scenarios"]
  ),
  (
    "HarnessTests",
    [
      "Primitives", "Wire", "Trace", "Engines", "Simulation", "Capture", "Discovery", "Devices", "Conformance",
      "Examiners", "Sessions",
      "Peers",
      "Scenarios",
      "Reporting", "Running", "Explaining", "Replaying", "Judging", "Reducing", "Serving", "Live",
      "Picturing", "Campaigns",
      "CaptureSupport",
    ]
  ),
  (
    "LiveTests",
    [
      "Primitives", "Wire", "Trace", "Discovery", "Conformance", "Examiners", "Live", "Reporting", "Running",
      "Replaying", "Judging", "Serving",
    ]
  ),
  (
    "FuzzTargetsTests",
    ["Primitives", "Wire", "Trace", "Discovery", "Devices", "Conformance", "Sessions", "FuzzTargets"]
  ),
  // The program that they kill is built with them.
  ("StoreTests", ["Primitives", "Store", "store-sample"]),
  ("CoreBluetoothTests", ["Doors", "CoreBluetooth"]),
  ("MultipeerConnectivityTests", ["Doors", "MultipeerConnectivity"]),
  (
    "PhonesTests",
    [
      "Primitives", "Wire", "Trace", "Simulation", "Capture", "Discovery", "Devices", "Sessions", "Peers", "Scenarios",
      "Doors", "CoreBluetooth", "MultipeerConnectivity", "Connect", "ConnectLive", "ConnectStore", "Reporting",
      "Running", "Live", "Phones", "Serving", "ServedPhones",
    ]
  ),
  ("FacadeTests", ["Primitives", "Facade", "Testing"]),
  ("ArchitectureTests", []),
]

/// Files of test targets that tests read by their path.
let notSwift = [
  "WireTests": ["Golden"], "ConformanceTests": ["mutants.tsv", "MustFindings.md", "Facts.md"],
  "HarnessTests": [
    "Campaigns/curves.txt", "Campaigns/swarm.txt", "Deviations", "Shrinks", "MDNS/services.txt",
    "Pictures/television.json",
  ],
  "LiveTests": ["Strangers.md", "Suspicions.md", "Suspicions-control-points.md"],
  "FuzzTargetsTests": ["Corpus"], "FacadeTests": ["Scenarios"],
]

func refuse(_ message: String) -> Never {
  FileHandle.standardError.write(Data("Package.swift: \(message)\n".utf8))
  exit(1)
}

let storeyOf = Dictionary(uniqueKeysWithValues: rooms.map { ($0.name, $0.storey) })
for room in rooms {
  for used in room.uses {
    guard let below = storeyOf[used] else { refuse("\(room.name) uses \(used), which is no room of the table") }
    if below >= room.storey {
      refuse("\(room.name) (storey \(room.storey)) uses \(used) (storey \(below)): the stairs go down only")
    }
  }
}

// The system that this manifest is read on, or the one that `ROLLCALL_MANIFEST_PLATFORM` names, so that `swift package
// dump-package` shows on any system what the package is on the other.
#if canImport(Darwin)
  let host = System.apple
#else
  let host = System.linux
#endif
let named = Context.environment["ROLLCALL_MANIFEST_PLATFORM"]
guard let system = named.map({ System(rawValue: $0) }) ?? host else {
  refuse("ROLLCALL_MANIFEST_PLATFORM is neither apple nor linux")
}
/// Rooms of the other systems.
let absent = Set(rooms.filter { $0.only != nil && $0.only != system }.map(\.name))

// `ROLLCALL_ONLY=Capture,CaptureTests` keeps those targets and what they stand on: for sanitizers, fuzzing and quick
// work on one room, each with a --scratch-path of its own.
let wanted: Set<String>? = Context.environment["ROLLCALL_ONLY"].map { only in
  var open = only.split(separator: ",").map(String.init)
  var closed = Set<String>()
  while let name = open.popLast() {
    guard closed.insert(name).inserted else { continue }
    open += rooms.first { $0.name == name }?.uses ?? tests.first { $0.name == name }?.visits ?? []
  }
  return closed
}
/// Only by name, since `make test` needs none: `make sealing`, whose packages take a minute to build, and `make bench`.
let onlyByName: Set<String> = ["Sealing", "SealingTests", "bench"]
func isWanted(_ name: String) -> Bool { wanted.map { $0.contains(name) } ?? !onlyByName.contains(name) }

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let moduleOf = Dictionary(
  uniqueKeysWithValues: rooms.map { ($0.name, $0.module) } + [
    ("CaptureSupport", "RollcallCaptureSupport")
  ])
/// What a row names: a room, or a system library.
func dependency(_ name: String) -> Target.Dependency { .init(stringLiteral: moduleOf[name] ?? name) }

// Tests spend their time in these. Optimized, they take a minute less than their building takes more. This repository's
// debug builds alone ask for it (Tools/build-env): SwiftPM takes no unsafe flag of a dependency.
let isOptimized = Context.environment["ROLLCALL_OPTIMIZED"] != nil
let busyRooms = isOptimized ? ["Primitives", "Wire", "Simulation", "Discovery"] : []
let optimized: [SwiftSetting] = [
  .unsafeFlags(["-O", "-whole-module-optimization", "-num-threads", "2"], .when(configuration: .debug))
]

// Few runs of the program use these rooms, and none spends much time in them. Without optimization they are compiled in a
// fifth of the time: `make tool` takes half a minute less on two cores.
let rareRooms = isOptimized ? ["Examiners", "Picturing", "Reducing", "Serving"] : []
let unoptimized: [SwiftSetting] = [.unsafeFlags(["-Onone"], .when(configuration: .release))]

let keptRooms = rooms.filter { isWanted($0.name) && !absent.contains($0.name) }
var targets: [Target] = keptRooms.map { room in
  let (dependencies, path) = (room.uses.map(dependency) + room.guests, "Sources/\(room.name)")
  return room.isTool
    ? .executableTarget(name: room.module, dependencies: dependencies, path: path, swiftSettings: strict)
    : .target(
      name: room.module, dependencies: dependencies, path: path,
      swiftSettings: strict + (busyRooms.contains(room.name) ? optimized : [])
        + (rareRooms.contains(room.name) ? unoptimized : []))
}
targets += tests.filter { isWanted($0.name) && absent.isDisjoint(with: $0.visits) }.map { test in
  .testTarget(
    name: test.name, dependencies: test.visits.map(dependency) + ["RollcallExpectations"],
    exclude: notSwift[test.name] ?? [], swiftSettings: strict)
}
// No rooms: what test targets share.
targets.append(.target(name: "RollcallExpectations", path: "Tests/Expectations", swiftSettings: strict))
if isWanted("CaptureSupport") {
  targets.append(
    .target(
      name: "RollcallCaptureSupport", dependencies: ["Primitives", "Wire"].map(dependency),
      path: "Tests/CaptureSupport",
      swiftSettings: strict))
}
if isWanted("Capture") {
  targets.append(
    .systemLibrary(
      name: "RollcallPcap", path: "Sources/CPcap", pkgConfig: "libpcap", providers: [.apt(["libpcap-dev"])]))
  targets.append(
    .systemLibrary(name: "RollcallZlib", path: "Sources/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]))
}
for door in keptRooms where door.isDoor {
  targets.append(.systemLibrary(name: door.name + "Headers", path: "Sources/\(door.name)Headers"))
}

// It runs the program in the place of a package that depends on this one, where that asks for the trait. What a plug-in
// uses is built once more for it, so the tests of this repository, which need none, leave it out.
let hasPlugin = isWanted("rollcall") && Context.environment["ROLLCALL_PLUGIN"] != "off"
if hasPlugin {
  targets.append(
    .plugin(
      name: "RollcallCommand",
      capability: .command(
        intent: .custom(verb: "rollcall", description: "Runs rollcall: scenarios, captures and their verdicts.")),
      dependencies: [.target(name: "rollcall-tool", condition: tool)]))
}

var dependencies: [Package.Dependency] = []
if isWanted("Scenarios") { dependencies.append(.package(url: "https://github.com/jpsim/Yams", from: "6.2.2")) }
if isWanted("Store") || isWanted("Campaigns") {
  dependencies.append(.package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"))
}
if isWanted("Sealing") {
  dependencies += [
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
  ]
}
if isWanted("Live") {
  dependencies += [
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
  ]
}
if isWanted("rollcall") {
  dependencies.append(.package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"))
}

// On every system, so that the manifest of an application is the same on all of them. Where the modules `CoreBluetooth`
// and `MultipeerConnectivity` are Apple's own, each product holds a module without a declaration, whose name hides
// nothing.
let doorTargets: [String: [String]] =
  system == .apple
  ? [
    "RollcallCoreBluetooth": ["CoreBluetoothEmpty"],
    "RollcallMultipeerConnectivity": ["MultipeerConnectivityEmpty"],
    "RollcallConnect": ["Connect"],
  ]
  : [
    "RollcallCoreBluetooth": ["CoreBluetooth", "Phones"],
    "RollcallMultipeerConnectivity": ["MultipeerConnectivity", "Phones"],
    "RollcallConnect": ["Connect", "Phones"],
  ]
/// Whether a product is what it is because of the program `rollcall`.
func isProgram(_ room: Room, _ product: String) -> Bool {
  room.name == "rollcall" && (product == "rollcall" || hasPlugin && product == "RollcallCommand")
}
func door(_ product: String) -> Product {
  .library(name: product, targets: doorTargets[product, default: []].map { moduleOf[$0]! })
}

let package = Package(
  name: "Rollcall",
  // What the code that users link needs, by Tools/lint-platforms.py: nothing here can be compiled for Apple's systems.
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "Rollcall", targets: ["Rollcall"]),
    .library(name: "RollcallPrimitives", targets: ["RollcallPrimitives"]),
    .library(name: "RollcallWire", targets: ["RollcallWire"]),
    .library(name: "RollcallTesting", targets: ["RollcallTesting"]),
    door("RollcallCoreBluetooth"),
    door("RollcallMultipeerConnectivity"),
    door("RollcallConnect"),
    .library(name: "RollcallConnectLive", targets: ["RollcallConnect", "RollcallConnectLive"]),
    .library(name: "RollcallConnectStore", targets: ["RollcallConnect", "RollcallConnectStore"]),
    .library(
      name: "RollcallServedPhones", targets: ["CoreBluetooth", "MultipeerConnectivity", "RollcallServedPhones"]),
    .executable(name: "rollcall", targets: ["rollcall-tool"]),
    .plugin(name: "RollcallCommand", targets: ["RollcallCommand"]),
  ].filter { product in
    doorTargets[product.name]?.allSatisfy(isWanted)
      ?? keptRooms.contains { $0.module == product.name || isProgram($0, product.name) }
  },
  traits: traits,
  dependencies: dependencies,
  targets: targets)
