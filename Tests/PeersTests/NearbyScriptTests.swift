import RollcallExpectations
import RollcallPrimitives
import RollcallSessions
import RollcallWire
import Testing

@testable import RollcallPeers

@Suite("A nearby peer between its script and its device") struct NearbyScriptTests {
  private let first = NearbyBench.first
  private let second = NearbyBench.second

  @Test("each event of the device is reported once, of its peer, and changes what is known of that one only")
  func events() {
    var bench = NearbyBench { $0.answer = .ignores }
    let own = bench.peer.name
    let stranger = SessionPeerID(high: 1, low: 1)
    func check(_ event: PeerEvent, _ reports: [String]) { expectEqual(bench.tell(event), reports, "\(event)") }
    check(.found(browser: 1, own, nil), [])
    check(.lost(browser: 1, own.id), [])
    check(.found(browser: 1, second, [PeerInfo("room", "12"), PeerInfo("b", "")]), ["second found with room=12 b="])
    check(.found(browser: 1, first, nil), ["first found"])
    check(.found(browser: 1, second, nil), ["second found"])
    expectEqual(bench.peer.found, [first, second])
    check(.lost(browser: 1, stranger), [" lost"])
    check(.invited(advertiser: 1, invitation: 1, from: first, context: [1, 2]), ["first invites with 2 bytes"])
    check(.invited(advertiser: 1, invitation: 2, from: second, context: nil), ["second invites"])
    check(.invitationEnded(advertiser: 1, invitation: 9), [])
    check(.invitationEnded(advertiser: 1, invitation: 2), ["second invites no more"])
    expectEqual(bench.peer.invitations.map { $0.number }, [1])
    for peer in [second, first] {
      check(.session(1, .state(peer.id, .connecting)), ["\(peer.name) connecting"])
      check(.session(1, .state(peer.id, .connected)), ["\(peer.name) connected"])
    }
    check(.session(1, .state(second.id, .notConnected)), ["second not connected"])
    expectEqual(bench.peer.members.map(\.id), [first.id])
    check(.lost(browser: 1, second.id), ["second lost"])
    expectEqual(bench.peer.found, [first])
    check(.lost(browser: 1, first.id), ["first lost"])
    // Nobody says its name any more.
    check(.session(1, .state(first.id, .connecting)), [" connecting"])
    check(.advertisingFailed(1, .unavailable), ["host cannot do: advertise"])
    check(.browsingFailed(1, .unavailable), ["host cannot do: browse"])
    check(.failed(session: 1, .unavailable), ["host cannot do: session"])
    check(.taken(session: 1, 7, byteCount: 3), [])
    expectEqual(bench.planned, [])
  }

  @Test("messages, streams and files are counted, and reliable messages with a number behind B5 4E come in their order")
  func heard() {
    var bench = NearbyBench()
    _ = bench.tell(.found(browser: 1, first, nil), .session(1, .state(first.id, .connected)))
    let mark: [UInt8] = [0xB5, 0x4E, 0, 0, 0, 0]
    let messages: [(bytes: [UInt8], isReliable: Bool, reports: [String])] = [
      (mark + [0, 0, 0, 0, 1], true, ["first message 1 of 11 bytes, 11 bytes in all"]),
      (
        mark + [0, 0, 0, 2], true,
        ["first message 2 of 10 bytes, 21 bytes in all", "first message 2 where 1 comes next"]
      ),
      // These have no number.
      (mark + [0, 0, 9], true, ["first message 3 of 9 bytes, 30 bytes in all"]),
      ([0xB6, 0x4E, 0, 0, 0, 0, 0, 0, 0, 9], true, ["first message 4 of 10 bytes, 40 bytes in all"]),
      ([0xB5, 0x4F, 0, 0, 0, 0, 0, 0, 0, 9], true, ["first message 5 of 10 bytes, 50 bytes in all"]),
      (mark + [0, 0, 0, 9], false, ["first message 6 of 10 bytes, unreliable, 60 bytes in all"]),
      (mark + [0, 0, 0, 3], true, ["first message 7 of 10 bytes, 70 bytes in all"]),
      (
        mark + [1, 2, 3, 4], true,
        ["first message 8 of 10 bytes, 80 bytes in all", "first message 16909060 where 4 comes next"]
      ),
      (
        [0xB5, 0x4E] + [UInt8](repeating: 0xFF, count: 8), true,
        ["first message 9 of 10 bytes, 90 bytes in all", "first message 2147483647 where 16909061 comes next"]
      ),
    ]
    for one in messages {
      let found = bench.tell(.session(1, .message(first.id, one.bytes, isReliable: one.isReliable)))
      expectEqual(found, one.reports, "\(one.bytes)")
    }
    expectEqual(bench.tell(.session(1, .message(second.id, mark, isReliable: true))), [])

    // Streams and files.
    bench = NearbyBench()
    func check(_ event: PeerEvent, _ reports: [String] = []) { expectEqual(bench.tell(event), reports, "\(event)") }
    func id(_ number: UInt32, isIncoming: Bool) -> SessionChannelID {
      SessionChannelID(peer: first.id, number: number, isIncoming: isIncoming)
    }
    let (stream, file) = (id(4, isIncoming: true), id(5, isIncoming: true))
    check(.found(browser: 1, first, nil), ["first found"])
    check(.session(1, .streamOpened(stream, name: "s")))
    check(.session(1, .resourceStarted(file, name: "f", fileName: "f", byteCount: 9)))
    check(.session(1, .streamBytes(stream, [1, 2, 3])))
    check(.session(1, .resourceBytes(file, [1, 2])))
    for todo in [
      NearbyPeer.Todo.sendFile(first.id, byteCount: 9), .openStream(first.id, byteCount: 20),
      .sendFile(first.id, byteCount: 9),
    ] { expectEqual(bench.carryOut(todo), []) }
    expectEqual(
      bench.channels, ["0 stream 3 4 in", "0 file 2 5 in", "1 file 0 0 out", "2 stream 20 0 out", "3 file 0 0 out"])
    check(.opened(session: 1, 3, id(6, isIncoming: false)))
    check(.session(1, .resourceWanted(id(6, isIncoming: false), bytes: 7)))
    check(.session(1, .resourceWanted(id(9, isIncoming: false), bytes: 7)))
    for number in [0, 9] { check(.notOpened(session: 1, number, .unavailable)) }
    check(.notOpened(session: 1, 2, .unavailable), ["host cannot do: stream"])
    expectEqual(bench.channels, ["0 stream 3 4 in", "0 file 2 5 in", "1 file 0 0 out", "3 file 7 6 out"])
    check(.notOpened(session: 1, 1, .unavailable), ["host cannot do: file"])
    check(
      .session(1, .ended(id(6, isIncoming: false), nil)), ["first file to it ended after 7 bytes: complete"])
    check(.session(1, .ended(stream, .cancelled)), ["first stream from it ended after 3 bytes: cancelled"])
    check(.session(1, .ended(file, .notConnected)), ["first file from it ended after 2 bytes: notConnected"])
    check(.session(1, .ended(file, nil)))
    expectEqual(bench.channels, [])
    let endings = SessionError.allCases.map { PeerReport.Ending($0) }
    expectEqual(endings, [.notConnected, .failed, .failed, .cancelled, .failed, .failed])
  }

  @Test("what the script asks for is planned so much later than what it follows, for the peers that it is meant for")
  func planning() {
    var bench = NearbyBench {
      $0.invites = .named(["first"])
      ($0.inviteDelay, $0.inviteAgain, $0.answerDelay) = (.seconds(2), .seconds(3), .seconds(4))
      ($0.fileByteCount, $0.streamByteCount) = (9, 20)
      let table: [(after: Int64?, to: [String])] = [(nil, []), (1, []), (0, ["second"]), (5, ["first"])]
      for one in table {
        var message = NearbyPeerPlan.Message()
        message.after = one.after.map { Interval.seconds($0) }
        message.to = one.to
        message.times = $0.messages.count + 1
        $0.messages.append(message)
      }
    }
    bench.hearNames()
    _ = bench.tell(.found(browser: 1, second, nil), .found(browser: 1, first, nil), at: 10)
    expectEqual(bench.planned, ["12 invite 2"])
    _ = bench.tell(.invited(advertiser: 1, invitation: 5, from: second, context: nil), at: 10)
    expectEqual(bench.planned, ["12 invite 2", "14 answer 5"])
    _ = bench.tell(.session(1, .state(first.id, .connected)), at: 10)
    let all = [
      "10 file of 9 to 2", "10 stream of 20 to 2", "11 say 1 to 2, 2 left", "12 invite 2", "14 answer 5",
      "15 say 3 to 2, 4 left",
    ]
    expectEqual(bench.planned, all)
    _ = bench.tell(.session(1, .state(second.id, .notConnected)), at: 10)
    expectEqual(bench.planned, all)
    _ = bench.tell(.session(1, .state(first.id, .notConnected)), at: 20)
    expectEqual(bench.planned, all + ["23 invite 2"])
    // Who is invited, of oneself, one with a lower ID and one with a higher one.
    let own = bench.peer.name
    let table: [(invites: NearbyPeerPlan.Invites?, expected: [Bool])] = [
      (nil, [true, true, true]), (.everybody, [true, true, true]), (.elected, [false, false, true]),
      (.named(["second"]), [false, false, true]), (.named(["host", "first"]), [true, true, false]),
    ]
    for one in table {
      let peer = NearbyBench { $0.invites = one.invites }.peer
      expectEqual([own, first, second].map { peer.invites($0) }, one.expected, "\(one)")
    }
  }

  @Test("a message goes to those that it is meant for, as often as it says, with a number where that has room")
  func saying() throws {
    var bench = NearbyBench {
      let table: [(byteCount: Int, text: String?, isReliable: Bool, times: Int, to: [String])] = [
        (10, nil, true, 1, []), (9, nil, true, 1, []), (20, "hello, all", true, 1, []), (10, nil, false, 1, []),
        (10, nil, true, 0, []), (10, nil, true, 3, ["second"]),
      ]
      for one in table {
        var message = NearbyPeerPlan.Message()
        (message.after, message.interval) = (nil, .seconds(5))
        (message.byteCount, message.text, message.isReliable) = (one.byteCount, one.text, one.isReliable)
        (message.times, message.to) = (one.times, one.to)
        $0.messages.append(message)
      }
    }
    bench.hearNames()
    let stranger = SessionPeerID(high: 1, low: 1)
    for id in [first.id, second.id, stranger] { _ = bench.tell(.session(1, .state(id, .connected))) }
    expectEqual(NearbyPeerPlan.filler, 0x5A)
    // Reliable messages with a number that went to each member by then.
    var counts: [Int] { bench.peer.members.map(\.sentCount) }
    for (number, expected) in [(0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (6, 1), (-1, 1)] {
      expectEqual(bench.act(.send(script: number)), [])
      expectEqual(counts, [expected, expected, expected], "message \(number)")
      expectEqual(bench.planned, [], "message \(number)")
    }
    _ = bench.act(.send(script: 5))
    expectEqual(counts, [1, 2, 1])
    expectEqual(bench.planned, ["5 say 5 to all, 2 left"])
    _ = bench.wake(at: 5)
    expectEqual(counts, [1, 3, 1])
    expectEqual(bench.planned, ["10 say 5 to all, 1 left"])
    _ = bench.wake(at: 10)
    expectEqual(counts, [1, 4, 1])
    expectEqual(bench.planned, [])
    _ = bench.say(0, to: first.id, left: 2)
    _ = bench.say(0, to: SessionPeerID(high: 2, low: 2), left: 2)
    expectEqual(counts, [2, 4, 1])
    expectEqual(bench.planned, ["5 say 0 to 2, 1 left"])
    // What the device tells meanwhile of something else refuses nothing.
    let type = try #require(PeerRecord.serviceType("nearby"))
    let gone = PeerDevice.Withdrawal(record: PeerRecord(second, nil), type: type, due: .zero)
    bench.peer.device.withdrawals = [gone]
    _ = bench.say(0, to: first.id, left: 1)
    expectEqual(bench.peer.device.events, [.lost(browser: 1, second.id)])
    expectEqual(counts, [3, 4, 1])
  }
}
