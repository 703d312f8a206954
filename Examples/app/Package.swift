// swift-tools-version: 6.2
import PackageDescription

// An application that looks for devices, for things with Bluetooth and for people nearby, and its regression tests: its
// code is that of Apple's systems, and runs on the phones of a virtual house. In a package of yours the dependency has
// a URL.
let package = Package(
  name: "app",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "Rollcall", path: "../..")],
  targets: [
    .target(
      name: "House",
      dependencies: [
        .product(name: "RollcallConnect", package: "Rollcall"),
        .product(name: "RollcallCoreBluetooth", package: "Rollcall"),
        .product(name: "RollcallMultipeerConnectivity", package: "Rollcall"),
      ]),
    // The tests find the scenario in their bundle.
    .testTarget(name: "HouseTests", dependencies: ["House"], resources: [.copy("Scenarios")]),
  ])
