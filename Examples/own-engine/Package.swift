// swift-tools-version: 6.2
import PackageDescription

// An engine of your own, tested against scenarios of Rollcall and of its own. In a package of yours the dependency has
// a URL.
let package = Package(
  name: "own-engine",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "Rollcall", path: "../..")],
  targets: [
    .target(name: "OwnEngine", dependencies: [.product(name: "RollcallPrimitives", package: "Rollcall")]),
    .testTarget(
      name: "OwnEngineTests",
      dependencies: ["OwnEngine", .product(name: "RollcallTesting", package: "Rollcall")],
      resources: [.copy("Scenarios")]),
  ])
