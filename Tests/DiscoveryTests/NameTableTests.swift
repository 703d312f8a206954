import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallDiscovery

/// Names that are kept once and counted, and the index by which they are found.
@Suite("Names by number") struct NameTableTests {
  private func bytes<Answer>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Answer) -> Answer {
    Array(text.utf8).withUnsafeBytes(body)
  }

  /// A name of three bytes for each number below 46 656.
  private func short(_ number: Int) -> String {
    let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
    return String(decoding: [digits[number / 1_296], digits[number / 36 % 36], digits[number % 36]], as: UTF8.self)
  }

  @Test("names of every length outlast thousands that were forgotten around them, byte for byte")
  func outlasts() {
    var table = NameTable(folding: false, seed: 3)
    var kept: [(number: UInt32, text: String)] = []
    var passing: [UInt32] = []
    for count in 1...40 {
      for _ in 0..<150 { passing.append(bytes(short(passing.count)) { table.intern($0) }) }
      let text = String(repeating: "K", count: count - 1) + "L"
      kept.append((bytes(text) { table.intern($0) }, text))
    }
    // Every third is held three times.
    for name in kept where name.text.utf8.count % 3 == 0 {
      table.retain(name.number)
      let again = bytes(name.text) { table.intern($0) }
      expectEqual(again, name.number)
    }
    for number in passing { table.release(number) }

    var holds = [Int](repeating: 0, count: 6_040)
    for (number, text) in kept {
      holds[Int(number)] = text.utf8.count % 3 == 0 ? 3 : 1
      let found = bytes(text) { table.find($0) }
      #expect(table.text(number) == text && found == number)
      let isIt = bytes(text) { table.isEqual(number, $0) && table.isSpelled(number, $0) }
      let isLonger = bytes(text + "L") { table.isEqual(number, $0) || table.isSpelled(number, $0) }
      #expect(isIt && !isLonger, "\(text)")
    }
    #expect(table.holds == holds && table.capacity == 6_040)
    let isForgotten = (0..<6_000).allSatisfy { number in bytes(short(number), { table.find($0) }) == none }
    #expect(isForgotten)
    // Numbers that were let go are used again, and nothing that is held changes by that.
    for number in 7_000..<7_100 {
      let new = bytes(short(number)) { table.intern($0) }
      #expect(new < 6_040 && holds[Int(new)] == 0 && table.text(new) == short(number))
    }
    #expect(kept.allSatisfy { table.text($0.number) == $0.text })
  }

  @Test("a name is spelled as it was first, though another case finds it")
  func spelling() {
    var table = NameTable(folding: true, seed: 3)
    let names = ["Ab", "AbCd-12", "AbCdEfGh", "AbCdEfGh-0123-AbCdEfGh", "x"]
    let numbers = names.map { name in bytes(name) { table.intern($0) } }
    expectEqual(numbers, [0, 1, 2, 3, 4])
    for (number, name) in zip(numbers, names) {
      let other = name.lowercased() == name ? name.uppercased() : name.lowercased()
      let again = bytes(other) { table.intern($0) }
      #expect(again == number && table.text(number) == name)
      let start = String(name.dropLast())
      let spellings = [name, other, start, name + "0", start + "?"].map { text in
        bytes(text) { table.isSpelled(number, $0) }
      }
      expectEqual(spellings, [true, false, false, false, false], "\(name)")
    }
  }

  @Test("whether a name is plain, and the hash of its spelling, are those of its bytes as first interned")
  func facts() {
    var table = NameTable(folding: true, seed: 3)
    let texts = ["", "a", "Ab\u{7F}", "b\"", "uuid:AbCd-0123", "uuid:AbCd-0123\\", "uuid:\u{FC}-0123-4567"]
    let numbers = texts.map { text in bytes(text) { table.intern($0) } }
    expectEqual(numbers.map { table.isPlain($0) }, [true, true, false, false, true, false, false])
    for (number, text) in zip(numbers, texts) {
      let (spelled, small) = (
        bytes(text) { table.spelledHash(of: $0) }, bytes(text.lowercased()) { table.spelledHash(of: $0) }
      )
      expectEqual(table.spelledHash(number), spelled, "\(text)")
      expectEqual(small == spelled, text.lowercased() == text, "\(text)")
    }
  }

  @Test("a text is that of its name, until the name is forgotten and its number is that of another")
  func sharedTexts() {
    var table = NameTable(folding: false, seed: 3)
    let (a, b) = (bytes("a") { table.intern($0) }, bytes("b") { table.intern($0) })
    for _ in 0..<2 {
      expectEqual(table.sharedText(a, prefix: "uuid:"), "uuid:a")
      expectEqual(table.sharedText(b, prefix: "uuid:"), "uuid:b")
    }
    table.release(a)
    let c = bytes("c") { table.intern($0) }
    expectEqual(c, a)
    expectEqual(table.sharedText(c, prefix: "uuid:"), "uuid:c")
    expectEqual(table.sharedText(b, prefix: "uuid:"), "uuid:b")
  }

  @Test("the index counts what it holds, and finds each record under its hash until it is taken out")
  func index() {
    // Three records have one hash, and neighbours have neighbouring hashes: all lie in each other's way.
    func hash(_ record: UInt32) -> UInt32 { record / 3 }
    var table = SlotTable()
    #expect(table.count == 0 && table.find(0, where: { _ in true }) == none)
    for record: UInt32 in 0..<100 { table.insert(hash(record), record) }
    expectEqual(table.count, 100)
    for record: UInt32 in 0..<100 where record % 4 != 1 { table.remove(hash(record), record) }
    expectEqual(table.count, 25)
    for record: UInt32 in 0..<100 {
      let found = table.find(hash(record), where: { $0 == record })
      expectEqual(found, (record % 4 == 1 ? record : none), "\(record)")
    }
    for record: UInt32 in 0..<100 where record % 4 == 1 { table.remove(hash(record), record) }
    expectEqual(table.count, 0)
  }
}
