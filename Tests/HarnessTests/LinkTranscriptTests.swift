import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallSimulation
import Testing

/// What one link does to what passes it: to the nanosecond, and to the byte.
@Suite("Links, datagram by datagram")
struct LinkTranscriptTests {
  /// `a` sends the lines to `b`, who only listens; the engine has a segment of its own.
  private func world(
    _ lines: [String], a: String = "", b: String = "", c: String? = nil, v6: Bool = false, more: String = ""
  ) -> String {
    let addresses = v6 ? ["\"fe80::a\"", "\"fe80::b\""] : ["192.168.1.10", "192.168.1.11"]
    let third = c.map { "  c: {kind: reflector, rate: 0/s, address: 192.168.1.12, link: {\($0)}}\n" } ?? ""
    return """
      scenario: Links
      duration: 10s
      network: {segments: {lan: {}, away: {}}}
      engine: {segment: away}
      inhabitants:
        a: {kind: script, address: \(addresses[0]), link: {\(a)}, lines: [\(lines.joined(separator: ", "))]}
        b: {kind: reflector, rate: 0/s, address: \(addresses[1]), link: {\(b)}\(more)}
      """ + "\n" + third
  }

  /// One letter, `count` times; to the group where `to` is `nil`.
  private func line(_ at: String, _ letter: Character, _ count: Int = 1, to: String? = "b") -> String {
    let text = String(repeating: letter, count: count)
    return "{at: \(at), text: \"\(text)\"" + (to.map { ", to: \"\($0)\"}" } ?? "}")
  }

  @Test("each term of a rule does its own harm, in its own direction, to what it is meant for")
  func terms() throws {
    let plain = ["1s b m", "1s c m", "2s b u"]
    let reorder = "latency: 1ms, reorder: 100%, reorder-delay: 5ms..5ms"
    let cases: [(a: String, b: String, heard: [String], counts: String)] = [
      ("", "", plain, "transmitted 2, delivered 3"),
      ("outbound: {latency: 3ms}", "", ["1003ms b m", "1003ms c m", "2003ms b u"], "transmitted 2, delivered 3"),
      ("inbound: {latency: 3ms, loss: 100%}", "outbound: {loss: 100%}", plain, "transmitted 2, delivered 3"),
      ("", "inbound: {latency: 3ms}", ["1s c m", "1003ms b m", "2003ms b u"], "transmitted 2, delivered 3"),
      ("latency: 3ms", "latency: 4ms", ["1003ms c m", "1007ms b m", "2007ms b u"], "transmitted 2, delivered 3"),
      (
        "latency: 3ms, outbound: {latency: 1ms}", "latency: 4ms, inbound: {latency: 2ms}",
        ["1001ms c m", "1003ms b m", "2003ms b u"], "transmitted 2, delivered 3"
      ),
      ("outbound: {loss: 100%}", "", [], "transmitted 2, lost 2"),
      ("", "inbound: {loss: 100%}", ["1s c m"], "transmitted 2, delivered 1, lost 2"),
      ("outbound: {multicast-loss: 100%}", "", ["2s b u"], "transmitted 2, delivered 1, lost 1"),
      ("", "inbound: {multicast-loss: 100%}", ["1s c m", "2s b u"], "transmitted 2, delivered 2, lost 1"),
      ("outbound: {loss: 100%, multicast-loss: 0%}", "", ["1s b m", "1s c m"], "transmitted 2, delivered 2, lost 1"),
      ("", "inbound: {loss: 100%, multicast-loss: 0%}", ["1s b m", "1s c m"], "transmitted 2, delivered 2, lost 1"),
      (
        "outbound: {duplicate: 100%}", "", ["1s b m", "1s c m", "1s b m", "1s c m", "2s b u", "2s b u"],
        "transmitted 2, delivered 6, duplicated 2"
      ),
      (
        "", "inbound: {duplicate: 100%}", ["1s b m", "1s b m", "1s c m", "2s b u", "2s b u"],
        "transmitted 2, delivered 5, duplicated 2"
      ),
      (
        "outbound: {duplicate: 100%}", "inbound: {duplicate: 100%}",
        ["1s b m", "1s b m", "1s c m", "1s b m", "1s b m", "1s c m", "2s b u", "2s b u", "2s b u", "2s b u"],
        "transmitted 2, delivered 10, duplicated 6"
      ),
      ("outbound: {\(reorder)}", "", ["1006ms b m", "1006ms c m", "2006ms b u"], "transmitted 2, delivered 3"),
      ("", "inbound: {\(reorder)}", ["1s c m", "1006ms b m", "2006ms b u"], "transmitted 2, delivered 3"),
      // It is the original that is held back, and not its copy.
      (
        "outbound: {\(reorder), duplicate: 100%}", "",
        ["1001ms b m", "1001ms c m", "1006ms b m", "1006ms c m", "2001ms b u", "2006ms b u"],
        "transmitted 2, delivered 6, duplicated 2"
      ),
      (
        "", "inbound: {\(reorder), duplicate: 100%}",
        ["1s c m", "1001ms b m", "1006ms b m", "2001ms b u", "2006ms b u"], "transmitted 2, delivered 5, duplicated 2"
      ),
    ]
    for one in cases {
      let text = world([line("1s", "m", to: nil), line("2s", "u")], a: one.a, b: one.b, c: "")
      let transcript = try Transcript(text)
      expectEqual(transcript.heard, one.heard, "\(one.a) \(one.b)")
      expectEqual(transcript.counts, one.counts, "\(one.a) \(one.b)")
    }
  }

  @Test("damage is one byte, the same for all copies of the sender's and one's own for each receiver")
  func corruption() throws {
    let lines = [line("1s", "a", 6), line("2s", "b", 6, to: nil), "{at: 3s, hex: \"\", to: b}"]
    let own = "inbound: {corrupt: 100%}"
    let cases: [(a: String, b: String, c: String, heard: [String])] = [
      ("outbound: {corrupt: 100%}", "", "", ["1s b aaa/aa", "2s b bbbibb", "2s c bbbibb", "3s b "]),
      (
        "outbound: {corrupt: 100%, duplicate: 100%}", "", "",
        [
          "1s b aaa/aa", "1s b aaa/aa", "2s b bbbibb", "2s c bbbibb", "2s b bbbibb", "2s c bbbibb", "3s b ", "3s b ",
        ]
      ),
      ("", own, own, ["1s b aaaaAa", "2s b \\xe7bbbbb", "2s c bbbbb-", "3s b "]),
      (
        "", "inbound: {corrupt: 100%, duplicate: 100%}", "",
        ["1s b aaaaAa", "1s b aaaaAa", "2s b \\xe7bbbbb", "2s b \\xe7bbbbb", "2s c bbbbbb", "3s b ", "3s b "]
      ),
    ]
    for one in cases {
      let transcript = try Transcript(world(lines, a: one.a, b: one.b, c: one.c))
      expectEqual(transcript.heard, one.heard, "\(one.a) \(one.b)")
    }
  }

  @Test("a slow link sends one after the other, and what does not fit behind what waits is dropped, to the byte")
  func queue() throws {
    // 72 bytes are 100 on the wire: 100 µs at 8 Mbit/s.
    let times = ["1s", "1s", "1s", "1000050us", "1000051us", "1000300us", "2s"]
    let lines = zip(times, "abcdefg").map { line($0, $1, 72) }
    let large = [line("1s", "a", 32_740), line("1s", "b", 32_740), line("1s", "c")]
    let cases: [(lines: [String], a: String, b: String, heard: [String], dropped: Int)] = [
      (
        lines, "outbound: {bandwidth: 8Mbit/s, queue: 250B}", "",
        ["1000100us b a*72", "1000200us b b*72", "1000300us b d*72", "1000400us b f*72", "2000100us b g*72"], 2
      ),
      (
        lines, "outbound: {bandwidth: 8Mbit/s, queue: 249B}", "",
        ["1000100us b a*72", "1000200us b b*72", "1000300us b e*72", "1000400us b f*72", "2000100us b g*72"], 2
      ),
      (
        lines, "outbound: {latency: 1ms}", "inbound: {bandwidth: 8Mbit/s, queue: 250B}",
        ["1001100us b a*72", "1001200us b b*72", "1001300us b d*72", "1001400us b f*72", "2001100us b g*72"], 2
      ),
      // A copy takes no room, and what follows waits for the original alone.
      (
        Array(lines.prefix(2)), "outbound: {bandwidth: 8Mbit/s, latency: 1ms, duplicate: 100%}", "",
        ["1001100us b a*72", "1001100us b a*72", "1001200us b b*72", "1001200us b b*72"], 0
      ),
      // 65 536 bytes wait unless somebody says else: twice 32 768 on the wire, and no more.
      (large, "outbound: {bandwidth: 8Mbit/s, mtu: 65535}", "", ["1032768us b a*32740", "1065536us b b*32740"], 1),
      // Nothing takes no time at all; a fraction of a nanosecond is left out.
      (
        [line("1s", "a"), line("1s", "b")], "outbound: {bandwidth: 1000Gbit/s}", "",
        ["1000000001ns b a", "1000000002ns b b"], 0
      ),
      (
        [line("1s", "a"), line("1s", "b", 2)], "outbound: {bandwidth: 3kbit/s}", "",
        ["1077333333ns b a", "1157333333ns b bb"], 0
      ),
    ]
    for one in cases {
      let transcript = try Transcript(world(one.lines, a: one.a, b: one.b))
      expectEqual(transcript.heard, one.heard, "\(one.a) \(one.b)")
      expectEqual(transcript.result.statistics.queueOverflows, one.dropped, "\(one.a) \(one.b)")
    }
  }

  @Test("a datagram goes in as few fragments as hold it, and each has a header of its own")
  func fragments() throws {
    // A byte takes a microsecond: the payload, 8 of UDP, and 20 or 40 for each fragment.
    let cases: [(mtu: Int, v6: Bool, sizes: [(count: Int, microseconds: Int64)])] = [
      (1_500, false, [(1_472, 1_500), (1_473, 1_521), (2_952, 3_000), (2_953, 3_021)]),
      (1_501, false, [(1_473, 1_501), (1_474, 1_522)]), (75, false, [(47, 75), (48, 96)]),
      (68, false, [(40, 68), (41, 89), (88, 136), (89, 157)]), (1_280, true, [(1_232, 1_280), (1_233, 1_321)]),
      (68, true, [(20, 68), (21, 109), (40, 128), (41, 169)]),
    ]
    for one in cases {
      let slow = "bandwidth: 8Mbit/s, mtu: \(one.mtu)"
      for size in one.sizes {
        let heard = ["\(Interval.seconds(1) + .microseconds(size.microseconds)) b x*\(size.count)"]
        let lines = [line("1s", "x", size.count, to: one.v6 ? "fe80::b" : "b")]
        try expectEqual(Transcript(world(lines, a: "outbound: {\(slow)}", v6: one.v6)).heard, heard)
        try expectEqual(Transcript(world(lines, b: "inbound: {\(slow)}", v6: one.v6)).heard, heard)
      }
    }
  }

  /// Turns bad and good again with each fragment, and loses what comes while it is bad: every second one, from the
  /// first, and every datagram of two fragments.
  private let flips =
    "{gilbert-elliott: {good-to-bad: 100%, bad-to-good: 100%, loss-in-good: 0%, loss-in-bad: 100%}}"

  @Test("a channel with two states moves on with each fragment, of multicast and unicast alike")
  func channel() throws {
    func lines(_ sizes: [Int], to addresses: [String?]) -> [String] {
      sizes.enumerated().map { number, size in
        let letter = Character(Unicode.Scalar(UInt8(97 + number)))
        return line("\(1_001 + number)ms", letter, size, to: addresses[number % addresses.count])
      }
    }
    let four = [1_473, 1_473, 1_474, 1_474, 1, 1, 1]
    let ways: [[String?]] = [["b"], [nil], ["b", nil]]
    for addresses in ways {
      let heard = ["1002ms b b*1473", "1005ms b e", "1007ms b g"]
      let sent = lines(four, to: addresses)
      try expectEqual(Transcript(world(sent, a: "outbound: {loss: \(flips), mtu: 1501}")).heard, heard)
      try expectEqual(Transcript(world(sent, b: "inbound: {loss: \(flips), mtu: 1501}")).heard, heard)
    }
    for address in ["fe80::b", "ff02::c"] {
      let heard = ["1002ms b b*1233", "1005ms b e"]
      let sent = lines([1_233, 1_233, 1_234, 1_234, 1], to: [address])
      try expectEqual(Transcript(world(sent, a: "outbound: {loss: \(flips), mtu: 1281}", v6: true)).heard, heard)
      try expectEqual(Transcript(world(sent, b: "inbound: {loss: \(flips), mtu: 1281}", v6: true)).heard, heard)
    }
    // Multicast with a loss of its own leaves the channel alone.
    let mixed = lines(four, to: ["b", "b", nil])
    try expectEqual(
      Transcript(world(mixed, a: "outbound: {loss: \(flips), multicast-loss: 0%, mtu: 1501}")).heard,
      ["1002ms b b*1473", "1003ms b c*1474", "1005ms b e", "1006ms b f"])
  }

  @Test("the dice of a link are named after host, interface and direction, and are mixed with the luck of a datagram")
  func dice() throws {
    let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN")
    func heard(_ size: Int, a: String, b: String, c: String) throws -> [String: String] {
      let lines = letters.enumerated().map { line("\(1_000 + 10 * $0)ms", $1, size, to: nil) }
      return try Transcript(world(lines, a: a, b: b, c: c)).heard.reduce(into: [:]) { sum, line in
        let words = line.split(separator: " ")
        sum[String(words[1]), default: ""] += words[2].prefix(1)
      }
    }
    let bursts = "loss: {gilbert-elliott: {good-to-bad: 20%, bad-to-good: 40%, loss-in-good: 5%, loss-in-bad: 80%}}"
    let inbound = ["b": "abcdghjklnpqvxyABCDEFGHIJKL", "c": "abchijklmoqrstuwACEGJK"]
    let burstsIn = ["b": "abcdefghijlmopqrsuvwxyAEGKMN", "c": "abcdefhjknopqrstuxyzABCFGHIJKLM"]
    let cases: [(size: Int, a: String, b: String, c: String, heard: [String: String])] = [
      (1, "outbound: {loss: 40%}", "", "", ["b": "abchjkmosxyzEFGHIJLMN", "c": "abchjkmosxyzEFGHIJLMN"]),
      (1, "outbound: {\(bursts)}", "", "", ["b": "abcdefghjknoqtuvABDEFGHIJK", "c": "abcdefghjknoqtuvABDEFGHIJK"]),
      // Whether one event serves both or each has its own.
      (1, "", "inbound: {latency: 1ms, loss: 40%}", "inbound: {latency: 1ms, loss: 40%}", inbound),
      (1, "", "inbound: {latency: 1ms, loss: 40%}", "inbound: {latency: 2ms, loss: 40%}", inbound),
      (1, "", "inbound: {latency: 1ms, \(bursts)}", "inbound: {latency: 1ms, \(bursts)}", burstsIn),
      // Two fragments, two draws.
      (
        100, "", "inbound: {latency: 1ms, mtu: 76, loss: 40%}", "inbound: {latency: 1ms, mtu: 76, loss: 40%}",
        ["b": "bcdgjlvABEFGJK", "c": "abchijkmoqrstuG"]
      ),
    ]
    for one in cases {
      try expectEqual(heard(one.size, a: one.a, b: one.b, c: one.c), one.heard, "\(one.a) \(one.b) \(one.c)")
    }
  }

  @Test("loss, latency, reordering, duplication and damage are drawn in this order, each from its own range")
  func draws() throws {
    let mixed = "latency: 1ms..9ms, loss: 20%, reorder: 30%, reorder-delay: 20ms..30ms, duplicate: 30%, corrupt: 30%"
    let sent = "abcdefghijkl".enumerated().map { line("\(1_000 + 100 * $0)ms", $1, 4) }
    try expectEqual(
      Transcript(world(sent, a: "outbound: {\(mixed)}")).heard,
      [
        "1004349875ns b aaaa", "1103821719ns b bbbb", "1202893964ns b \\xe1ccc", "1226348649ns b \\xe1ccc",
        "1404034326ns b e\\xf6ee", "1505292877ns b f,ff", "1605282668ns b gggg", "1725810815ns b \\xf5hhh",
        "1801291354ns b iiii", "1807995769ns b iiii", "1904583924ns b jjjj", "2006058754ns b kkkk",
      ])
    try expectEqual(
      Transcript(world(sent, b: "inbound: {\(mixed)}")).heard,
      [
        "1003529769ns b aaAa", "1101664932ns b \\xe7bbb", "1106942134ns b \\xe7bbb", "1231890462ns b cccc",
        "1302038652ns b dddd", "1307234990ns b dddd", "1606853142ns b {ggg", "1703736875ns b hhhh",
        "1827626778ns b iiii", "1933893989ns b jjjj", "2001192231ns b kkkk", "2107627755ns b llll",
        "2126668552ns b llll",
      ])
    // Never below zero.
    let normal = "abcdefgh".enumerated().map { line("\(1_000 + 10 * $0)ms", $1) }
    try expectEqual(
      Transcript(world(normal, a: "outbound: {latency: {normal: {mean: 1ms, deviation: 1ms}}}")).heard,
      [
        "1000735747ns b a", "1010508897ns b b", "1020ms b c", "1032217890ns b d", "1041329366ns b e",
        "1050439142ns b f", "1060455589ns b g", "1070324944ns b h",
      ])
    // The third tail would be 21.7 ms long: it is cut at ten times the mean.
    let tails = world(Array(sent.prefix(3)), a: "outbound: {latency: {exponential: {minimum: 1ms, mean: 2ms}}}")
    try expectEqual(
      Transcript(tails, seed: 4_904).heard, ["1002437366ns b aaaa", "1102879894ns b bbbb", "1221ms b cccc"])
  }

  @Test("a socket buffer holds so many bytes until they are read, one datagram after the other")
  func receiveBuffer() throws {
    let more = ", receive-buffer: {bytes: 3B, per-datagram: 1ms}"
    let sent: [(at: String, letters: [Character], count: Int, to: String?)] = [
      ("1s", ["a", "b", "c", "d"], 1, "b"), ("1001ms", ["e", "f"], 1, "b"), ("1010ms", ["g"], 2, "b"),
      ("1010ms", ["h", "i"], 1, "b"), ("1011ms", ["j"], 2, "b"), ("1011ms", ["k"], 1, "b"),
      ("1011ms", ["l"], 1, nil), ("1020ms", ["m"], 3, "b"), ("1020ms", ["n"], 1, "b"), ("1030ms", ["o"], 4, "b"),
    ]
    let lines = sent.flatMap { one in one.letters.map { line(one.at, $0, one.count, to: one.to) } }
    let transcript = try Transcript(world(lines, more: more))
    expectEqual(
      transcript.heard,
      [
        "1001ms b a", "1002ms b b", "1003ms b c", "1004ms b e", "1011ms b gg", "1012ms b h", "1013ms b jj",
        "1021ms b mmm",
      ])
    expectEqual(transcript.counts, "transmitted 15, delivered 8, buffer 7")
    // What waits when the interface goes down is not read any more.
    let down = "\nfaults: [{at: 1001500us, until: 2s, interface-down: {who: b}}]\n"
    let cut = try Transcript(world(Array(lines.prefix(3)), more: more) + down)
    expectEqual(cut.heard, ["1001ms b a", "1001500us b interface 0 down", "2s b interface 0 up 192.168.1.11/24"])
    expectEqual(cut.counts, "transmitted 3, delivered 1, down 2")
  }

  @Test("a socket buffer that overflows for long goes on taking what there is room for")
  func longOverflow() throws {
    let letters = Array("abcdefghij")
    var lines: [String] = []
    var heard: [String] = []
    // When each datagram will have been read, in microseconds.
    var read: [Int] = []
    for number in 0..<200 {
      let now = 1_000_000 + 400 * number
      lines.append(line("\(now)us", letters[number % 10]))
      guard read.count(where: { $0 > now }) < 5 else { continue }
      let done = max(read.last ?? 0, now) + 1_000
      read.append(done)
      heard.append("\(Interval.microseconds(Int64(done))) b \(letters[number % 10])")
    }
    expectEqual(heard.count, 84)
    let text = world(lines, more: ", receive-buffer: {bytes: 5B, per-datagram: 1ms}")
    try expectEqual(Transcript(text).heard, heard)
  }

  @Test("a copy that comes at the first instant of a run comes")
  func copyAtZero() throws {
    for (a, b) in [("outbound: {duplicate: 100%}", ""), ("", "inbound: {duplicate: 100%}")] {
      let transcript = try Transcript(world([line("0s", "u")], a: a, b: b))
      expectEqual(transcript.counts, "transmitted 1, delivered 2, duplicated 1", "\(a)\(b)")
    }
  }
}
