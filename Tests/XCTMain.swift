import Testing

/// Runs the tests, all of which are of Swift Testing. With a file of this name SwiftPM looks for none in an index of the
/// sources, and the build needs no index: it takes a quarter less.
@main
struct TestMain {
  static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
