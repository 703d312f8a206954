import Testing

/// Runs the tests, all of which are of Swift Testing. Where there is a file of this name, SwiftPM does not look for tests
/// of XCTest in an index of the sources, and the build makes no index.
@main
struct TestMain {
  static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
