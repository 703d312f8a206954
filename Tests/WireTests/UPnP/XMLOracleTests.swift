import Foundation
import RollcallCaptureSupport
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

/// The descriptions of `ROLLCALL_CAPTURES`, short documents with all that XML has, and thousands that are made of them by
/// small changes, the same in every run: each is given to our reader in strict mode and to another parser. Both accept it
/// and make the same of it, or both refuse it, or it belongs to a class of the table of the test, which says why.
@Suite("The XML reader beside other parsers") struct XMLOracleTests {
  static let short = [
    "<a b='1' c=\"2\"><d/>x<e>y</e> z</a>", "<?xml version='1.0' encoding='utf-8'?>\n<a>\n <b>1</b>\n</a>\n",
    "<a xmlns='urn:u' xmlns:p='urn:v'><p:b p:c='1' d='2'/><b xmlns=''/></a>", "<a>&lt;&amp;&#65;&#x4e2d;é中😀</a>",
    "<a><!-- c --><?p q?>x<![CDATA[<y>&]]>z</a>", "<!-- c --><?p q?><a/><!-- d -->",
    "<a b='&quot;&#9;é\n\t'>x\r\ny\rz</a>",
    "<é.x-1 ü='ß'>]] &gt;</é.x-1>", "<a><b><c><d><e/></d></c></b></a>",
    "<p:a xmlns:p='urn:u'><p:b xml:lang='de'/></p:a>",
  ].map { Array($0.utf8) }

  /// Short documents are changed more often: there is more of XML in a byte of them.
  static func documents(_ count: Int, and classes: [Class]) throws -> [[UInt8]] {
    var real: [[UInt8]] = []
    for file in DescriptionFieldTests.files { real.append(try Array(Data(contentsOf: file))) }
    let seeds = [Array(DescriptionSample.text.utf8)] + short + real
    var (some, all) = (XMLMutations(of: short, seed: Seed(1)), XMLMutations(of: seeds, seed: Seed(2)))
    return seeds + classes.map { Array($0.example.utf8) } + (0..<count).map { $0 % 3 == 0 ? all.next() : some.next() }
  }

  /// What we and another parser do differently. `we`: only we refuse, for that reason. `they`: only they refuse, with
  /// that error.
  struct Class {
    var name: String
    /// A document of the class.
    var example: String
    var why: String
    init(_ name: String, _ example: String, _ why: String) {
      (self.name, self.example, self.why) = (name, example, why)
    }
  }

  /// How many documents of each class there are, and one of each that is in no table.
  struct Account {
    var agreed = 0
    var refusedByBoth = 0
    var classes: [String: Int] = [:]
    var unknown: [String] = []

    mutating func add(_ name: String, _ document: [UInt8], _ table: [Class]) {
      classes[name, default: 0] += 1
      if !table.contains(where: { $0.name == name }), classes[name] == 1 {
        unknown.append("\(name): \(String(decoding: document.prefix(400), as: UTF8.self).debugDescription)")
      }
    }
  }

  // MARK: libxml2

  static let foundationClasses = [
    Class("not given", "<a><?p?></a>", "it ends the process, as it does at bytes that are no UTF-8"),
    Class("shorter than four bytes", "<a", "it is not looked at, and accepted"),
    Class("we doctype", "<!DOCTYPE a><a/>", "no document has a type here"),
    Class("they 97", "<?xml version='1.8'?><a/>", "a warning; version 1.8 is read as 1.0 (section 2.8)"),
    Class("they 99", "<a xmlns='urn:{'/>", "a warning; the namespace is no URI, which a reader need not check"),
    Class("they 100", "<a xmlns='u'/>", "a warning; the namespace is a relative URI, which is deprecated"),
  ]

  @Test("Foundation's parser accepts and refuses what we do, and makes the same of it; else there is a reason")
  func foundation() throws {
    var account = Account()
    for document in try Self.documents(4_000, and: Self.foundationClasses) {
      let ours = XMLTreeText(ours: document)
      guard let text = String(validating: document, as: UTF8.self), !text.contains(/<\?[^<>?\s]*\s*\?>/) else {
        #expect(String(validating: document, as: UTF8.self) != nil || ours.refusal != nil)
        account.add("not given", document, Self.foundationClasses)
        continue
      }
      if document.count < 4 {
        account.add("shorter than four bytes", document, Self.foundationClasses)
        continue
      }
      let theirs = FoundationXMLOracle.tree(document)
      switch (ours.refusal, theirs.refusal) {
      case (nil, nil) where ours == theirs: account.agreed += 1
      case (nil, nil): account.add("tree", document, Self.foundationClasses)
      case (let reason?, nil): account.add("we \(reason)", document, Self.foundationClasses)
      case (nil, let code?): account.add("they \(code)", document, Self.foundationClasses)
      case (.some, .some): account.refusedByBoth += 1
      }
    }
    expectEqual(account.unknown, [])
    expectEqual(account.classes.keys.sorted(), Self.foundationClasses.map(\.name).sorted())
    #expect(account.agreed > 500 && account.refusedByBoth > 500, "\(account.agreed) \(account.refusedByBoth)")
  }

  // MARK: expat

  static let expatClasses = [
    Class("we declaration", "<?xml version='2'?><a/>", "the version is 1. and digits (production 26); it takes any"),
    Class("we doctype", "<!DOCTYPE a><a/>", "no document has a type here"),
    Class("they 4", "<😀/>", "its names are those of the fourth edition, without characters above U+FFFF"),
  ]

  @Test("Python's ElementTree accepts and refuses what we do, and makes the same of it; else there is a reason")
  func elementTree() throws {
    let documents = try Self.documents(2_000, and: Self.expatClasses)
    guard let answers = try ElementTreeOracle.ask(documents, for: "XML beside ElementTree") else { return }
    expectEqual(answers.count, documents.count)
    var account = Account()
    for (document, answer) in zip(documents, answers) {
      let ours = XMLOutline(document)
      let reason = ours.fault.map { String($0.prefix { $0 != " " }) }
      switch (reason, answer) {
      case (nil, .events(ours.events)): account.agreed += 1
      case (nil, .events): account.add("tree", document, Self.expatClasses)
      case (let reason?, .events): account.add("we \(reason)", document, Self.expatClasses)
      case (nil, .refused(let code)): account.add("they \(code)", document, Self.expatClasses)
      case (.some, .refused): account.refusedByBoth += 1
      }
    }
    expectEqual(account.unknown, [])
    expectEqual(account.classes.keys.sorted(), Self.expatClasses.map(\.name).sorted())
    #expect(account.agreed > 250 && account.refusedByBoth > 250, "\(account.agreed) \(account.refusedByBoth)")
  }
}
