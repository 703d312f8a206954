import RollcallExpectations
import RollcallPrimitives
import RollcallSessions
import RollcallWire
import Testing

@Suite("Datagrams that were recorded and are sent again, and floods of wrong ones")
struct ReplayTests {
  @Test(
    "a packet that comes again is dropped, at once and after the window has moved far beyond it",
    arguments: [EncryptionPreference.none, .required])
  func packets(preference: EncryptionPreference) throws {
    var pair = SessionPair(preference)
    try pair.connect()
    try pair.send([1], from: 0)
    for number in 0..<40 as Range<UInt8> { try pair.send([number], from: 0, isReliable: false) }
    let recorded = pair.sent.filter { $0.from == 0 && $0.bytes[0] > 3 }.map(\.bytes)
    #expect(recorded.count > 40)
    // The window has moved by less than its size, by as much, and by more.
    for count in [0, 4_000, 200, 4_200] {
      for _ in 0..<count { try pair.send([99], from: 0, isReliable: false) }
      _ = pair.sessions[1].takeEvents()
      for bytes in recorded {
        pair.give(bytes, to: 1)
        expectEqual(pair.sessions[1].takeEvents(), [.rejected(.packetAgain, from: SessionRig.place(0))])
      }
    }
    try pair.send([2], from: 0)
    expectEqual(pair.sessions[1].takeEvents(), [.message(SessionRig.id(0), [2], isReliable: true)])
  }

  @Test("the hello of an earlier connection ends no later one, from wherever it comes again")
  func hello() throws {
    for source in [SessionRig.place(0), SessionRig.place(7)] {
      var pair = SessionPair(.required)
      try pair.connect()
      let hello = try #require(pair.sent.first { $0.bytes[0] == 1 }).bytes
      pair.disconnect(0)
      pair.pass(.seconds(6))
      expectEqual(pair.sessions.map(\.linkCount), [0, 0])
      try pair.connect()
      pair.give(hello, to: 1, from: source)
      pair.pass(.seconds(60))
      expectEqual(pair.sessions.map(\.connectedPeers.count), [1, 1])
      expectEqual(pair.sessions.map(\.linkCount), [1, 1])
      try pair.send([3], from: 0)
      #expect(pair.sessions[1].takeEvents().contains(.message(SessionRig.id(0), [3], isReliable: true)))
    }
  }

  @Test("so many rejections wait for their owner and no more; those beyond are counted, until it has taken them")
  func flood() {
    var pair = SessionPair { $0.rejectionsMaximum = 5 }
    for (count, told, untold) in [(4, 4, 0), (5, 5, 0), (6, 5, 1), (50, 5, 46)] {
      for _ in 0..<count { pair.give([200], to: 1) }
      expectEqual(pair.sessions[1].waitingCount, told)
      expectEqual(pair.sessions[1].untoldRejectionCount, untold)
      expectEqual(pair.sessions[1].takeEvents().rejections.count, told)
    }
    expectEqual(pair.sessions[1].rejectedCount, 65)
    expectEqual(SessionPolicy().rejectionsMaximum, 64)
  }
}
