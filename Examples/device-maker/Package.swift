// swift-tools-version: 6.2
import PackageDescription

// The acceptance tests of a maker of devices: captures of a device in the laboratory, judged clause by clause. In a
// package of yours the dependency has a URL.
let package = Package(
  name: "device-maker",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "Rollcall", path: "../..")],
  targets: [
    .testTarget(name: "AcceptanceTests", dependencies: [.product(name: "Rollcall", package: "Rollcall")])
  ])
