import RollcallConformance
import RollcallExaminers
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallJudging

/// The first line of a recorded examination, the words of a command, and messages as evidence has them.
@Suite("What an examination was asked for, and what its messages say") struct ExamRecordTests {
  private typealias Failure = ExamRecord.Failure

  private func failure<Record>(_ read: () throws(Failure) -> Record) -> Failure? {
    do {
      _ = try read()
      return nil
    } catch { return error }
  }

  /// A line with one word in place of another, and the column where it stands.
  private func wrong(_ words: [String], _ place: Int, _ word: String) -> (line: String, column: Int) {
    var words = words
    words[place] = word
    let column = words.prefix(place).reduce(1) { $0 + $1.utf8.count + 1 }
    return (words.joined(separator: " "), column)
  }

  @Test("the plan of a device's examination is read as it was written; a wrong word is told with its column")
  func device() throws {
    let plans: [DeviceExamPlan] = [
      DeviceExamPlan(), DeviceExamPlan(probes: [], patience: .zero, family: .v6, seed: Seed(0)),
      DeviceExamPlan(
        target: "a b\\", probes: [.byebye], patience: .nanoseconds(1), byebyeWait: .zero, family: .v6,
        seed: Seed(UInt64.max), agent: "-"),
      DeviceExamPlan(target: "", byebyeWait: .seconds(1), agent: ""),
    ]
    for plan in plans {
      let record = try ExamRecord.device(ExamRecord.line(plan, interface: "eth 0"))
      expectEqual(record.plan, plan)
      expectEqual(record.interface, "eth 0")
      #expect(record.entries.isEmpty)
    }
    let text = "# examine device eth0 ipv4 target - patience 1 byebye -1 seed 1 agent a probes renewal"
    let words: [String] = text.split(separator: " ").map(String.init)
    expectEqual(failure { () throws(Failure) in try ExamRecord.device(text) }, nil)
    let rows: [(place: Int, word: String, expected: String)] = [
      (3, "-", "the name of an interface"), (4, "ipv5", "ipv4 or ipv6"), (5, "x", "the word target"),
      (7, "x", "the word patience"), (8, "01", "a number of nanoseconds"), (9, "x", "the word byebye"),
      (10, "x", "a number of nanoseconds, or -1"), (11, "x", "the word seed"), (12, "-1", "a seed"),
      (13, "x", "the word agent"), (14, "-", "USER-AGENT"), (15, "x", "the word probes"),
      (16, "no-such", "a probe of this version"),
    ]
    for row in rows {
      let (line, column) = wrong(words, row.place, row.word)
      let found = failure { () throws(Failure) in try ExamRecord.device(line) }
      expectEqual(found, Failure(line: 1, column: column, expected: row.expected), "\(line)")
    }
    let short = words.prefix(13).joined(separator: " ")
    let end = failure { () throws(Failure) in try ExamRecord.device(short) }
    expectEqual(end, Failure(line: 1, column: short.utf8.count + 1, expected: "the word agent"))
  }

  @Test("what a control point's examination was asked for is read as it was written; a wrong word has its column")
  func controlPoint() throws {
    let plain = ControlPointExamination.Setting(address: IPAddress(10, 0, 0, 1))
    var full = plain
    full.examined = IPAddress(10, 0, 0, 9)
    full.pagePort = 1
    full.offSubnet = Endpoint(IPAddress(10, 1, 0, 1), port: 2)
    full.isOffSubnetWatched = true
    full.hasCommand = true
    full.probes = [.flood, .nameCase]
    (full.runs, full.repeats, full.floodCount) = (3, 0, 7)
    full.duration = .zero
    full.salt = UInt64.max
    let settings: [(setting: ControlPointExamination.Setting, command: [String]?)] = [
      (plain, nil), (full, ["a b", "-l"]),
    ]
    for (setting, command) in settings {
      let record = try ExamRecord.controlPoint(ExamRecord.line(setting, command: command, interface: "eth 0"))
      expectEqual(record.setting, setting)
      expectEqual(record.command, command)
      expectEqual(record.interface, "eth 0")
      #expect(record.entries.isEmpty)
    }
    let line = ExamRecord.line(plain, command: nil, interface: "eth0")
    let start = "# examine control-point eth0 10.0.0.1 examined - pages 50900 unwatched 203.0.113.66:50901 runs 2 "
    let text = start + "repeats 1 flood 200 duration -1 salt 0 command 0 probes"
    expectEqual(String(line.prefix(text.count)), text)
    let words: [String] = (text + " flood").split(separator: " ").map(String.init)
    let rows: [(place: Int, word: String, expected: String)] = [
      (3, "-", "the name of an interface"), (4, "x", "an address"), (5, "x", "the word examined"),
      (6, "x", "an address, or -"), (7, "x", "the word pages"), (8, "65536", "a port"),
      (9, "x", "watched or unwatched"), (10, "x", "an address with a port"), (11, "x", "the word runs"),
      (12, "x", "a number of runs"), (13, "x", "the word repeats"), (14, "x", "a number of repetitions"),
      (15, "x", "the word flood"), (16, "x", "a number of devices"), (17, "x", "the word duration"),
      (18, "x", "a number of nanoseconds, or -1"), (19, "x", "the word salt"), (20, "-1", "a number"),
      (21, "x", "the word command"), (22, "65536", "the number of words of the command"),
      (23, "x", "the word probes"), (24, "no-such", "a probe of this version"),
    ]
    for row in rows {
      let (line, column) = wrong(words, row.place, row.word)
      let found = failure { () throws(Failure) in try ExamRecord.controlPoint(line) }
      expectEqual(found, Failure(line: 1, column: column, expected: row.expected), "\(line)")
    }
    // Empty lines count as lines.
    let gapped = failure { () throws(Failure) in try ExamRecord.controlPoint(line + "\n\nx") }
    expectEqual(gapped, Failure(line: 3, column: 1, expected: "a time in seconds with nine decimals"))
  }

  @Test("the plan of a responder's examination is read as it was written; a wrong word is told with its column")
  func responder() throws {
    let plans: [ResponderExamPlan] = [
      ResponderExamPlan(),
      ResponderExamPlan(
        target: "my printer.local", probes: [.types, .legacy], type: DNSName("_ipp._tcp.local"), patience: .zero,
        family: .v6, seed: Seed(UInt64.max)),
    ]
    for plan in plans {
      let record = try ExamRecord.responder(ExamRecord.line(plan, interface: "eth0"))
      expectEqual(record.plan, plan)
      #expect(record.entries.isEmpty)
    }
    let text = "# examine responder eth0 ipv6 target - type - patience 1 seed 1 probes types"
    let words: [String] = text.split(separator: " ").map(String.init)
    expectEqual(failure { () throws(Failure) in try ExamRecord.responder(text) }, nil)
    let rows: [(place: Int, word: String, expected: String)] = [
      (4, "ipv5", "ipv4 or ipv6"), (5, "x", "the word target"), (7, "x", "the word type"),
      (8, String(repeating: "a", count: 64), "the name of a type, or -"), (9, "x", "the word patience"),
      (10, "1s", "a number of nanoseconds"), (11, "x", "the word seed"), (12, "x", "a seed"),
      (13, "x", "the word probes"), (14, "renewal", "a probe of this version"),
    ]
    for row in rows {
      let (line, column) = wrong(words, row.place, row.word)
      let found = failure { () throws(Failure) in try ExamRecord.responder(line) }
      expectEqual(found, Failure(line: 1, column: column, expected: row.expected), "\(line)")
    }
    // A record of one kind is none of another, and a longer word is not the same kind.
    let others: [String] = ["device", "responders"].map { text.replacing("responder", with: $0) } + ["", "\n"]
    for other in others {
      let found = failure { () throws(Failure) in try ExamRecord.responder(other) }
      expectEqual(found.map { [$0.line, $0.column] }, [1, 1], "\(other)")
    }
  }

  @Test("quotes keep blanks, a backslash keeps the next letter but in single quotes, and what touches is one word")
  func words() throws {
    let rows: [(String, [String])] = [
      ("a\tb\nc", ["a", "b", "c"]), ("''", [""]), ("\"\" a", ["", "a"]), ("a'b'\"c\"d", ["abcd"]),
      (#"'a\b'"#, [#"a\b"#]), (#""a\"b""#, ["a\"b"]), (#"a\\b \'c"#, [#"a\b"#, "'c"]), (#"\ "#, [" "]),
      (#"'"' "'""#, ["\"", "'"]), (#""a\b""#, ["ab"]), ("  a  ", ["a"]),
    ]
    for (text, words) in rows { try expectEqual(CommandWords.split(text), words, "\(text)") }
    for text in ["\"", "'", "a \"b", #"'a\'b'"#, #""a\""#, #"\"#] {
      #expect(throws: CommandWords.Failure.openQuote, "\(text)") { try CommandWords.split(text) }
    }
    for text in ["", " ", "\t\n"] {
      #expect(throws: CommandWords.Failure.empty, "\(text)") { try CommandWords.split(text) }
    }
  }

  private func message(_ bytes: [UInt8]) -> ProbeMessage {
    ProbeMessage(time: .zero, isSent: false, peer: Said.device, port: 50_000, bytes: bytes)
  }

  @Test("of a message the parts are shown that tell it apart, up to a bound of each")
  func evidence() {
    func text(_ lines: [String], _ end: String = "\r\n") -> String {
      message(Array((lines.joined(separator: end) + end + end).utf8)).text
    }
    let usual = "MAN: \"ssdp:discover\""
    let search = ["M-SEARCH * HTTP/1.1", "HOST: a", usual, "mx: 3", "ST:b", "SERVER: c"]
    for end in ["\r\n", "\n", "\r"] { expectEqual(text(search, end), "M-SEARCH * HTTP/1.1  mx: 3  ST:b") }
    expectEqual(text(["HTTP/1.1 200 OK", "Man: ssdp:discover"]), "HTTP/1.1 200 OK  Man: ssdp:discover")
    expectEqual(
      text(["NOTIFY", "NT: a", "NTS: b", "USN: c", "NEXTBOOTID.UPNP.ORG: 1", "BOOTID.UPNP.ORG: 1"]),
      "NOTIFY  NT: a  NTS: b  USN: c  NEXTBOOTID.UPNP.ORG: 1")
    expectEqual(text(["a\u{1F}b\u{20}\u{7F}"]), "a·b ·")
    expectEqual(message([]).text, "(no bytes)")
    expectEqual(message([13, 10]).text, "(no bytes)")
    let long = String(repeating: "x", count: 120)
    expectEqual([text([long]), text([long + "y"])], [long, long])
    // The first line is shown once, whatever it is, and what stands behind 32 lines is not.
    expectEqual(text(["ST: a", "MX: 1"]), "ST: a  MX: 1")
    let others = Array(repeating: "X: 1", count: 30)
    expectEqual(text(["S"] + others + ["ST: a", "X: 1", "ST: b"]), "S  ST: a")
    expectEqual(text(["S"] + others + ["ST: a", "ST: b"]), "S  ST: a")
    answers()
  }

  /// Of a message of multicast DNS four questions, four answers and eight records beside them are shown.
  private func answers() {
    func text(_ message: DNSMessage) -> String { ResponderText.text(of: self.message(message.bytes)) }
    func name(_ number: Int) -> DNSName { DNSName.local.adding("n\(number)")! }
    var flags = DNSFlags.response
    flags.opcode = 1
    flags.responseCode = 3
    flags.isTruncated = true
    expectEqual(text(DNSMessage(flags: flags)), "opcode 1, response code 3, TC")
    let questions: [DNSQuestion] = (0..<5).map { DNSQuestion(name($0), .ptr, wantsUnicast: $0 == 0) }
    expectEqual(
      text(DNSMessage(flags: .query, questions: questions)),
      "PTR n0.local? QU, PTR n1.local?, PTR n2.local?, PTR n3.local?")
    let answers: [DNSRecord] = (0..<5).map { DNSRecord(name($0), .txt([0]), ttlSeconds: UInt32($0)) }
    let others: [DNSRecord] = (0..<9).map { DNSRecord(name($0), .address(IPAddress(10, 0, 0, 1)), ttlSeconds: 1) }
    expectEqual(
      text(DNSMessage(flags: .response, answers: answers, additionals: others)),
      "TXT n0.local 0 s, TXT n1.local 1 s, TXT n2.local 2 s, TXT n3.local 3 s, beside it A A A A A A A A")
    expectEqual(text(DNSMessage(flags: .query)), "nothing")
    expectEqual(ResponderText.text(of: message([1, 2, 3])), "3 bytes that are no DNS message")
  }
}
