import RollcallFuzzTargets
import Testing

/// What fuzzing found, each with the input that showed it first.
@Suite("Finds")
struct FindTests {
  private func run(_ name: String, of target: String) throws {
    let bytes = try Corpus.file(name, of: target)
    #expect(!bytes.isEmpty)
    try #require(FuzzTarget.named(target)).run(bytes)
  }

  @Test("a multicast that nobody hears gives its payload back, also when the next one follows at once")
  func unheardMulticast() throws { try run("find-unheard-multicast", of: "network") }

  @Test("a first fragment that comes twice keeps the hop limit and the protocol of the first one, hop-by-hop or not")
  func firstFragmentTwice() throws { try run("find-first-fragment-twice", of: "link-layers") }

  @Test("a route within what was cut up hides the last stop, so the checksum cannot be verified")
  func routeWithinFragments() throws { try run("find-route-within-fragments", of: "link-layers") }

  @Test("a LOCATION in which a byte that is no UTF-8 became another one has another text, too")
  func locationOfOtherBytes() throws { try run("find-location-of-other-bytes", of: "network") }

  @Test("a long write whose parts are given up has failed once, whatever the server says to that")
  func writeGivenUpTwice() throws { try run("find-write-given-up-twice", of: "attribute-client") }

  @Test("a connection whose server never says anything fails, and is not disconnected")
  func serverNeverHeard() throws { try run("find-server-never-heard", of: "attribute-client") }

  @Test("a connection that was given up for its silence says so where everything stops before it has ended")
  func givenUpAndStopped() throws { try run("find-given-up-and-stopped", of: "attribute-client") }
}
