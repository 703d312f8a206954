import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallReducing

/// Stand-ins where nearly all of their form are taken, and words that are nobody's.
@Suite("Stand-ins for names")
struct ReplacementTests {
  /// Without those that are words of protocols by themselves, `m` and `v`.
  private static let letters = "abcdefghijklnopqrstuwxyz".map(String.init)

  @Test("all runs of a form become runs of that form, no two one, whatever their order")
  func permutations() {
    let digits = (1...9).map(String.init), two = (10...99).map(String.init)
    for runs in [Array(Self.letters.prefix(6)), Array(Self.letters.dropFirst(6)), digits, two, ["000", "00"]] {
      for order in [runs, runs.reversed()] {
        var replacements = Replacements()
        let found = order.map { replacements.replacement(for: $0) }
        expectEqual(Set(found), Set(runs), "\(runs.prefix(2))")
        // Asked again, each has the one that it had, in the case of the asker.
        expectEqual(order.map { replacements.replacement(for: $0) }, found)
        expectEqual(order.map { replacements.replacement(for: $0.uppercased()) }, found.map { $0.uppercased() })
      }
    }
  }

  @Test("a run that is kept stands for itself and for nothing else, and what is more than its form holds gets another")
  func kept() {
    var replacements = Replacements()
    for letter in ["a", "b", "c", "d", "e"] { replacements.keep(letter) }
    expectEqual(["a", "b", "E"].map { replacements.replacement(for: $0) }, ["a", "b", "E"])
    #expect(!replacements.isReplaced("a") && !replacements.isReplaced("f"))
    // All others of its form are kept, so it stays.
    #expect(replacements.replacement(for: "f") == "f" && !replacements.isReplaced("f"))
    var taken = Replacements()
    for letter in ["a", "b", "c", "d", "e", "f"] { taken.keep(letter) }
    var found: [String] = []
    for salt in 1...3 { found.append(taken.replacement(for: "f", salt: salt)) }
    expectEqual(found, ["x6x", "x7x", "x8x"])
    var numbered = Replacements()
    for run in ["a", "b", "c", "d", "e", "f", "x7x"] { numbered.keep(run) }
    expectEqual(numbered.replacement(for: "f", salt: 1), "x8x")
  }

  @Test("zeros in front stay, a form is kept letter by letter, and case is the asker's")
  func forms() {
    func form(_ text: String) -> String {
      var isLeading = true
      return String(
        text.map { character in
          if character == "0", isLeading { return "0" }
          isLeading = false
          if character.isNumber { return "9" }
          let isHex = "abcdefABCDEF".contains(character)
          return character.isUppercase ? (isHex ? "A" : "Z") : (isHex ? "a" : "z")
        })
    }
    for run in ["00a1f9", "0", "AbZz09", "z", "Z9", "fedcba987654", "ghij", "1a2b", "zZ", "10", "Anna", "fffe"] {
      var replacements = Replacements()
      let other = replacements.replacement(for: run)
      expectEqual(form(other), form(run), "\(run) became \(other)")
      #expect(other != run || run.allSatisfy { $0 == "0" }, "\(run)")
    }
  }

  @Test("a letter that is not ASCII becomes another of as many bytes, the first that is free")
  func scalars() throws {
    var replacements = Replacements()
    func other(_ value: UInt32) throws -> UInt32 {
      let scalar = try #require(Unicode.Scalar(value))
      return replacements.replacement(for: scalar).value
    }
    #expect(try other(0xFC) == 0x100 && other(0x101) == 0x102 && other(0x100) == 0x101 && other(0xFC) == 0x100)
    #expect(try other(0x7FF) == 0x103 && other(0x800) == 0x4E00 && other(0xFFFF) == 0x4E01)
    #expect(try other(0x10000) == 0x20000 && other(0x20001) == 0x20002)
  }

  @Test("words of protocols are nobody's, alone, in camel case and with three digits at most; hexadecimal ones are not")
  func publicWords() {
    for word in ["http", "HTTP", "rootDesc", "deviceName", "eth0", "eth123", "tv", "deviceNameKey", "Device"] {
      #expect(PublicWords.contains(word), "\(word)")
    }
    for word in ["anna", "eth1234", "deviceAnna", "", "12", "ab", "AB", "dead1", "add", "DEVICENAME", "g", "deviceX"] {
      #expect(!PublicWords.contains(word), "\(word)")
    }
  }

  @Test("times are rounded to the nearest of their grain, away from zero in the middle")
  func grains() {
    func rounded(_ grain: TimeGrain, _ values: [Int64]) -> [Int64] {
      values.map { grain.rounded(.nanoseconds($0)).nanoseconds }
    }
    let milli: [Int64] = [0, 499_999, 500_000, 1_499_999, 1_500_000, -499_999, -500_000, -1_499_999, -1_500_000]
    expectEqual(
      rounded(.milliseconds, milli), [0, 0, 1_000_000, 1_000_000, 2_000_000, 0, -1_000_000, -1_000_000, -2_000_000])
    expectEqual(rounded(.microseconds, [499, 500, 1_499, -499, -500]), [0, 1_000, 1_000, 0, -1_000])
    expectEqual(rounded(.nanoseconds, [1, -1, 7]), [1, -1, 7])
  }

  // MARK: Anonymiser

  private func anonymised(_ lines: [String]) -> [String] {
    var anonymiser = Anonymiser()
    return lines.map { String(decoding: anonymiser.payload(Array(($0 + "\r\n").utf8)).dropLast(2), as: UTF8.self) }
  }

  @Test("names that somebody gave stay apart where their form is one, and the same name stays the same")
  func phrases() {
    let found = anonymised(["Anna 1", "Otto 2", "Emma 3", "Anna 1"].map { "CPFN.UPNP.ORG: \($0)" })
    #expect(found[0] == "CPFN.UPNP.ORG: Nnnn 0" && found[3] == found[0])
    expectEqual(Set(found).count, 3)
    for (one, name) in zip(found, ["Anna 1", "Otto 2", "Emma 3", "Anna 1"]) {
      #expect(one.count == "CPFN.UPNP.ORG: ".count + name.count && !one.contains(name))
    }
  }

  @Test("host names stay apart and as long as they were, the short ones as well")
  func hosts() {
    let names = ["a", "b", "nas", "kim", "bedroom", "kitchen", "living-room-television", "c"]
    let found = anonymised(names.map { "LOCATION: http://\($0):80/" })
    expectEqual(Set(found).count, names.count)
    for (one, name) in zip(found, names) {
      #expect(one.count == "LOCATION: http://:80/".count + name.count && !one.contains("//\(name):"), "\(name)")
    }
    #expect(found[4] == "LOCATION: http://host5xx:80/" && found[6].hasPrefix("LOCATION: http://host7xxx"))
  }

  @Test("UUIDs that differ only where a stand-in keeps to the form stay apart")
  func uuids() {
    let texts = (1...40).map { "USN: uuid:\($0 % 10)\($0 / 10)::upnp:rootdevice" }
    let found = anonymised(texts + texts)
    #expect(Set(found).count == 40 && Array(found.prefix(40)) == Array(found.suffix(40)))
    let standard = ["1", "2", "3"].map { "USN: uuid:00000000-0000-\($0)000-8000-000000000000" }
    let kept = anonymised(standard + standard)
    #expect(Set(kept).count == 3 && Array(kept.prefix(3)) == Array(kept.suffix(3)))
    for (one, text) in zip(kept, standard) { expectEqual(one.dropFirst(24).first, text.dropFirst(24).first) }
  }
}
