import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallConformance

/// What judges count and compare with: numbers for names, bytes, samples, parties.
@Suite("Books of a judge") struct BookTests {
  private func bytes<Value>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
    Array(text.utf8).withUnsafeBytes(body)
  }

  @Test("bytes get numbers from 0 in the order in which they come, also where all have one hash, up to a full table")
  func numbers() {
    let hashes: [(Int) -> UInt64] = [{ _ in UInt64.max }, { UInt64($0) &* 63 }]
    for hash in hashes {
      var table = ByteTable(countMaximum: 200)
      func number(_ place: Int) -> Int32 {
        bytes("name\(place)") { table.number(of: $0, hash: hash(place), isSame: Bytes.isSame) }
      }
      func known(_ place: Int) -> Int32 {
        bytes("name\(place)") { table.known($0, hash: hash(place), isSame: Bytes.isSame) }
      }
      expectEqual(known(0), -1)
      let first: [Int32] = (0..<200).map(number)
      expectEqual(first, (0..<200).map { Int32($0) })
      expectEqual(table.count, 200)
      expectEqual((0..<200).map(number), first)
      expectEqual((0..<200).map(known), first)
      expectEqual([number(200), number(201), known(200)], [-1, -1, -1])
      expectEqual(number(0), 0)
      expectEqual(table.count, 200)
      for place in [0, 1, 9, 10, 199] { expectEqual(Array(table.key(Int32(place))), Array("name\(place)".utf8)) }
    }
    // No bytes are bytes as well.
    var table = ByteTable(countMaximum: 3)
    let texts: [String] = ["a", "", "b", "", "a", "c"]
    let found: [Int32] = texts.map { text in
      bytes(text) { table.number(of: $0, hash: 1, isSame: Bytes.isSame) }
    }
    expectEqual(found, [0, 1, 2, 1, 0, -1])
    expectEqual(table.key(1).count, 0)
    expectEqual(Array(table.key(2)), [98])
    forms()
  }

  /// The form of a value of up to 512 bytes is looked at once, of 4096 values; that of others each time.
  private func forms() {
    var memo = FormMemo()
    var looks = 0
    func look(_ text: String, _ verdict: Bool) -> Bool {
      bytes(text) { value in
        memo.isWellFormed(value) { _ in
          looks += 1
          return verdict
        }
      }
    }
    func again(_ text: String) -> Int {
      looks = 0
      for verdict in [true, false, false] { _ = look(text, verdict) }
      return looks
    }
    expectEqual(again(String(repeating: "a", count: 512)), 1)
    expectEqual(again(String(repeating: "a", count: 513)), 3)
    let verdicts: [Bool] = [look("good", true), look("bad", false), look("good", false), look("bad", true)]
    expectEqual(verdicts, [true, false, true, false])
    for number in 3..<4_096 { _ = look("\(number)", number % 2 == 0) }
    expectEqual(again("one more"), 3)
    expectEqual([look("good", false), look("4094", false), look("4095", true)], [true, true, false])
  }

  @Test("bytes are compared, searched and read as numbers to the last of them")
  func same() {
    for count in [0, 1, 7, 8, 9, 15, 16, 17] {
      let text = [UInt8](repeating: 97, count: count)
      func isSame(_ other: [UInt8]) -> Bool {
        text.withUnsafeBytes { left in other.withUnsafeBytes { Bytes.isSame(left, $0) } }
      }
      #expect(isSame(text), "\(count)")
      #expect(!isSame(text + [97]) && (count == 0 || !isSame(Array(text.dropLast()))), "\(count)")
      for place in 0..<count {
        var other = text
        other[place] = 98
        #expect(!isSame(other), "\(count) \(place)")
      }
    }
    func begins(_ text: String, _ start: StaticString) -> Bool {
      bytes(text) { Bytes.hasPrefix($0, ignoringCase: start) }
    }
    func isEqual(_ text: String, _ other: StaticString) -> Bool {
      bytes(text) { Bytes.isEqual($0, ignoringCase: other) }
    }
    func isExactly(_ text: String, _ other: StaticString) -> Bool { bytes(text) { Bytes.isExactly($0, other) } }
    expectEqual([begins("SSDP:x", "ssdp:"), begins("a", "a"), begins("", "")], [true, true, true])
    expectEqual([begins("ssdp", "ssdp:"), begins("sSdq:", "ssdp:")], [false, false])
    expectEqual([isEqual("AbC", "abc"), isEqual("abcd", "abc"), isEqual("ab", "abc")], [true, false, false])
    expectEqual([isExactly("abc", "abc"), isExactly("abC", "abc")], [true, false])
    expectEqual([isExactly("ab", "abc"), isExactly("abcd", "abc")], [false, false])
    let letters: [UInt8] = [64, 65, 90, 91, 96, 97, 122, 0xC1]
    expectEqual(letters.map { Bytes.lower($0) }, [64, 97, 122, 91, 96, 97, 122, 0xC1])
    let digits: [UInt8] = [47, 48, 57, 58]
    expectEqual(digits.map { Bytes.isDigit($0) }, [false, true, true, false])
    find()
    plainNumbers()
  }

  /// A text is found at its first place, at both ends and behind a beginning that fits.
  private func find() {
    func place(_ text: StaticString, _ whole: String, from start: Int = 0) -> Int? {
      bytes(whole) { Bytes.find(text, in: $0, from: start) }
    }
    expectEqual([place("ab", "ab"), place("ab", "xab"), place("ab", "abab"), place("ab", "aab")], [0, 1, 0, 1])
    expectEqual([place("ab", "abab", from: 1), place("ab", "abab", from: 3), place("ab", "", from: 0)], [2, nil, nil])
    let nowhere: [Int?] = [place("ab", "a"), place("ab", "AB"), place("ab", "xa"), place("a", "a", from: 1)]
    expectEqual(nowhere, [nil, nil, nil, nil])
  }

  /// A plain number has no sign, no zeros before it, at most 19 digits, and is no greater than the greatest.
  private func plainNumbers() {
    func isPlain(_ text: String, _ maximum: UInt64 = 100) -> Bool {
      bytes(text) { Bytes.isPlainNumber($0, maximum: maximum) }
    }
    for text in ["0", "1", "99", "100"] { #expect(isPlain(text), "\(text)") }
    for text in ["", "101", "00", "01", "-1", "+1", " 1", "1 ", "1.0", "a", "/", ":"] {
      #expect(!isPlain(text), "\(text)")
    }
    let nines = String(repeating: "9", count: 19)
    let greatest: UInt64 = 9_999_999_999_999_999_999
    expectEqual([isPlain(nines, .max), isPlain("1" + nines, .max)], [true, false])
    expectEqual([isPlain(nines, greatest), isPlain(nines, greatest - 1)], [true, false])
  }

  @Test("a sample is uneven from a distance of 1.9495 / √n on, to either side, wherever its range begins")
  func uneven() {
    let high: Int64 = 1_000_000
    /// A hundred values that lie so far below, or above, an even spread.
    func sample(below distance: Int64) -> [Int64] { (1...100).map { max(0, Int64($0) * 10_000 - distance) } }
    func sample(above distance: Int64) -> [Int64] { (0..<100).map { min(high, Int64($0) * 10_000 + distance) } }
    for (distance, expected) in [(194_949, false), (194_950, true)] as [(Int64, Bool)] {
      let samples: [[Int64]] = [sample(below: distance), sample(above: distance), sample(below: distance).reversed()]
      for values in samples {
        expectEqual(Distribution.isUneven(values, from: 0, to: high), expected, "\(distance)")
        let moved: [Int64] = values.map { $0 * 1_000 - 7 }
        expectEqual(Distribution.isUneven(moved, from: -7, to: high * 1_000 - 7), expected, "\(distance)")
      }
    }
    for value in [-2 * high, -5, 0, high, 2 * high] as [Int64] {
      let few = [Int64](repeating: value, count: 3)
      #expect(!Distribution.isUneven(few, from: 0, to: high) && Distribution.isUneven(few + [value], from: 0, to: high))
    }
    #expect(!Distribution.isUneven([], from: 0, to: high) && !Distribution.isUneven([], from: 0, to: 0))
    #expect(Distribution.isUneven([0], from: 0, to: 0) && Distribution.isUneven([0], from: 1, to: 0))
    #expect(!Distribution.isUneven([0], from: 0, to: 1))
    // Of twelve values the sixth alone is as far from its place, which is no whole number of millionths.
    for (sixth, expected) in [(979_438, false), (979_439, true)] as [(Int64, Bool)] {
      let twelve: [Int64] = [0, 83_333, 166_666, 250_000, 333_333] + [Int64](repeating: sixth, count: 7)
      expectEqual(Distribution.isUneven(twelve, from: 0, to: high), expected, "\(sixth)")
      let finer: [Int64] = twelve.map { $0 * 1_000 + 999 }
      expectEqual(Distribution.isUneven(finer, from: 0, to: high * 1_000), expected, "\(sixth)")
    }
    tooOften()
  }

  /// So many successes are too many where chance has as many once in a thousand times at the most.
  private func tooOften() {
    let least: [(tries: Int, successes: Int)] = [(10, 10), (11, 11), (20, 18), (59, 42), (60, 43)]
    for (tries, successes) in least {
      #expect(Distribution.isTooOften(successes, of: tries), "\(successes) of \(tries)")
      #expect(!Distribution.isTooOften(successes - 1, of: tries), "\(successes - 1) of \(tries)")
      #expect(Distribution.isTooOften(tries, of: tries) && !Distribution.isTooOften(0, of: tries), "\(tries)")
    }
    for tries in [-1, 0, 1, 9, 61] { #expect(!Distribution.isTooOften(tries, of: tries), "\(tries)") }
    // More successes than tries never come by chance, however few the tries are.
    #expect(Distribution.isTooOften(2, of: 1) && !Distribution.isTooOften(-1, of: 1))
  }

  @Test("pauses beyond a fifth of max-age end a burst, those beyond a tenth a repetition, or fifteen and three seconds")
  func pauses() {
    let leases: [Int32] = [-1, 0, 1, 2, 29, 30, 31, 74, 75, 76]
    let bursts: [Int64] = leases.map { SetLane.burstGap($0).nanoseconds / 1_000_000 }
    expectEqual(bursts, [15_000, 15_000, 200, 400, 5_800, 6_000, 6_200, 14_800, 15_000, 15_000])
    let repetitions: [Int64] = leases.map { SetLane.repeatGap($0).nanoseconds / 1_000_000 }
    expectEqual(repetitions, [3_000, 3_000, 100, 200, 2_900, 3_000, 3_000, 3_000, 3_000, 3_000])
  }

  @Test("names are as far apart as bytes have to be put in, taken out or exchanged, and the nearest come in order")
  func distances() {
    func distance(_ left: String, _ right: String) -> Int {
      EditDistance.between(Array(left.utf8), Array(right.utf8))
    }
    let rows: [(String, String, Int)] = [
      ("", "", 0), ("abc", "", 3), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "ac", 1), ("abc", "xabc", 1),
      ("ab", "ba", 2), ("kitten", "sitting", 3), ("abc", "xyz", 3), ("saturday", "sunday", 3),
    ]
    for (left, right, count) in rows {
      expectEqual([distance(left, right), distance(right, left)], [count, count], "\(left) \(right)")
    }
    // Of ids as near the first of the catalogue comes first, and one that has the text in it before all others.
    expectEqual(Clause.nearest(to: ""), ["MD-01", "MD-02", "MD-03"])
    expectEqual(Clause.nearest(to: "MD-0", count: 2), ["MD-01", "MD-02"])
    expectEqual(Clause.nearest(to: "md-64", count: 1), ["MD-64"])
    expectEqual(Clause.nearest(to: "ONE-DGRAM", count: 1), ["UDA-1.2.2-ONE-DGRAM"])
    expectEqual(Clause.nearest(to: String(repeating: "x", count: 10_000)).count, 3)
    let clause = ClauseID.aliveHost.clause
    #expect(clause.begins(withOneOf: []) && clause.begins(withOneOf: ["uda-1.2.2-a"]))
    #expect(clause.begins(withOneOf: ["H-", "UDA-"]) && !clause.begins(withOneOf: ["H-", "1.2.2"]))
  }

  @Test("a party is an address or a host, a role and a protocol; beyond 4096 all others are one")
  func parties() {
    var table = PartyTable(hosts: ["tv", "phone"])
    let (first, second) = (IPAddress(10, 0, 0, 1), IPAddress(10, 0, 0, 2))
    let wide = IPAddress(v6High: 0, low: 0x0A00_0001)
    let radio = RadioAddress(bits: 1, isRandom: false)
    var found: [Int32] = []
    for _ in 0..<2 {
      found = [
        table.number(of: first, host: -1, role: .device), table.number(of: first, host: -1, role: .controlPoint),
        table.number(of: first, host: -1, role: .device, standard: .multicastDNS),
        table.number(of: second, host: -1, role: .device), table.number(of: wide, host: -1, role: .device),
        table.number(of: first, host: 0, role: .device), table.number(of: second, host: 1, role: .device),
        table.number(of: second, host: 2, role: .device), table.number(of: radio, host: -1),
        table.number(of: RadioAddress(bits: 1, isRandom: true), host: 1),
      ].map(\.number)
      expectEqual(found, Array(0..<10))
    }
    // A host of a run is one wherever it speaks from.
    for address in [wide, second] { expectEqual(table.number(of: address, host: 0, role: .device).number, 5) }
    expectEqual(
      table.parties.map(\.name),
      [
        "10.0.0.1", "10.0.0.1", "10.0.0.1", "10.0.0.2", wide.description, "tv", "phone", "10.0.0.2", radio.description,
        "phone \(RadioAddress(bits: 1, isRandom: true))",
      ])
    // A number that no host has is no name.
    let odd = RadioAddress(bits: 2, isRandom: false)
    expectEqual(table.number(of: odd, host: 2).number, 10)
    expectEqual(table.parties.last?.name, odd.description)
    expectEqual(table.number(of: RadioAddress(bits: 3, isRandom: false), host: 0).number, 11)
    expectEqual(table.parties.last?.name, "tv \(RadioAddress(bits: 3, isRandom: false))")
    for number in 12..<4_096 {
      expectEqual(table.number(of: IPAddress(v4: UInt32(number)), host: -1, role: .device).number, Int32(number))
    }
    let others = [
      table.number(of: IPAddress(v4: 5_000), host: -1, role: .controlPoint),
      table.number(of: IPAddress(v4: 5_001), host: -1, role: .device),
      table.number(of: RadioAddress(bits: 9, isRandom: true), host: -1),
    ]
    expectEqual(others.map(\.number), [4_096, 4_096, 4_096])
    expectEqual(table.parties.count, 4_097)
    expectEqual(table.parties.last?.name, "all others")
    expectEqual(table.parties.last?.address, .ip(IPAddress(v4: 0)))
    expectEqual(table.number(of: IPAddress(v4: 4_095), host: -1, role: .device).number, 4_095)
    // The highest edition that is claimed stays.
    for claim in [Edition.uda10, .uda20, .uda11] { table.hear(PartyID(0), claim: claim, product: nil) }
    expectEqual(table.parties[0].claim, .uda20)
    expectEqual([table.parties[0].messageCount, table.parties[1].messageCount], [3, 0])
  }

  @Test("a clause binds from its first edition to its last, and what is held often counts up to a million")
  func collector() {
    var collector = FindingCollector { $0.number != .aliveHost }
    expectEqual([Edition.uda10, .uda11, .uda20].map { collector.binds(.aliveBootID, $0) }, [false, true, true])
    expectEqual([Edition.uda10, .uda11, .uda20].map { collector.binds(.networkSignature, $0) }, [false, true, false])
    expectEqual([Edition.uda10, .uda11, .uda20].map { collector.binds(.aliveHost, $0) }, [false, false, false])
    let scene = FindingCollector.Scene(party: PartyID(40), claim: .uda20, time: .zero, position: 7, device: 3)
    for times in [-1, 0, 1, 2] { collector.held(.aliveBootID, at: scene, times: times) }
    expectEqual(collector.tally(.aliveBootID, PartyID(40)), Tally(held: 3))
    expectEqual(collector.tally(.aliveBootID, PartyID(39)), Tally())
    expectEqual(collector.tally(.aliveBootID, PartyID(100_000)), Tally())
    collector.held(.aliveMaxAge, at: scene, times: 1_000_001)
    expectEqual(collector.tally(.aliveMaxAge, PartyID(40)).held, 1_000_000)
    // One finding is one of all that is expected and found, a doubt one of its reason; both know where they were last.
    for (place, number) in [1, 1, 2].enumerated() {
      var later = scene
      later.position = 10 + place
      collector.violated(.aliveMaxAge, at: later, expected: "a", found: .number(Int64(number)))
      collector.inconclusive(.aliveMaxAge, at: later, why: "reason \(number)")
    }
    collector.violated(.aliveMaxAge, at: scene, expected: "b", found: .number(1))
    collector.violated(.aliveHost, at: scene, expected: "a", found: .absent)
    let lines: [String] = collector.findings.map { finding in
      let places = "\(finding.position) \(finding.lastPosition)"
      return "\(finding.ruling) \(places) \(finding.count) \(finding.expected) \(finding.found)"
    }
    expectEqual(
      lines,
      [
        "violated 10 11 2 a 1", "inconclusive 10 11 2 reason 1 ", "violated 12 12 1 a 2",
        "inconclusive 12 12 1 reason 2 ", "violated 7 7 1 b 1",
      ])
    expectEqual(collector.tally(.aliveMaxAge, PartyID(40)), Tally(held: 1_000_000, violated: 4, inconclusive: 3))
    expectEqual(collector.tally(.aliveHost, PartyID(40)).isEmpty, true)
    cells()
  }

  /// Breaches and doubts of one wording are findings of their own for each clause, and for each party.
  private func cells() {
    var collector = FindingCollector { _ in true }
    func scene(_ party: Int32) -> FindingCollector.Scene {
      FindingCollector.Scene(party: PartyID(party), claim: .uda20, time: .zero, position: 1)
    }
    let clauses: [ClauseID] = ClauseID.allCases.filter { collector.binds($0, .uda20) }
    var expected: [String] = []
    for clause in clauses {
      collector.violated(clause, at: scene(0), expected: "a", found: .absent)
      collector.inconclusive(clause, at: scene(0), why: "a")
      expected += ["\(clause) 0 violated 1", "\(clause) 0 inconclusive 1"]
    }
    // The clause with the lowest number, of one party after the other.
    for party in 1..<40 as Range<Int32> {
      collector.violated(.group4, at: scene(party), expected: "a", found: .absent)
      expected.append("group4 \(party) violated 1")
    }
    expectEqual(collector.findings.map { "\($0.clause) \($0.party.number) \($0.ruling) \($0.count)" }, expected)
  }
}
