import RollcallExpectations
import Testing

/// The rules, applied to planted offenders, which they must find, and to innocents, which they must leave alone.
@Suite("The rules of the house") struct RuleTests {
  static func file(_ text: String, path: String = "Sources/Wire/Planted.swift") -> SourceFile {
    SourceFile(path: path, text: text)
  }

  @Test(
    "comments and strings are no code, interpolations are",
    arguments: [
      ("a // b\nc", ["a", "c"]), ("a /* b /* c */ d */ e", ["a", "e"]), ("\"b\" c", ["\"\"", "c"]),
      ("\"b \\\" c\" d", ["\"\"", "d"]), ("\"b \\(c(d)) e\" f", ["\"\"", "c", "(", "d", ")", "f"]),
      ("\"\"\"\nb \" c\n\"\"\" d", ["\"\"", "d"]), ("#\"b \" \\(c) \\#(d)\"# e", ["\"\"", "d", "e"]),
      ("\"\" a", ["\"\"", "a"]), ("#if a", ["#", "if", "a"]), ("\"\\\\\" a", ["\"\"", "a"]),
      ("\"// a\" b", ["\"\"", "b"]), ("a/b", ["a", "/", "b"]), ("\"\\(\"x\")\" a", ["\"\"", "\"\"", "a"]),
      ("/* a", []), ("\"a", ["\"\""]), ("a.`b`", ["a", ".", "b"]),
    ])
  func lexing(source: String, words: [String]) {
    expectEqual(SwiftLexer.tokens(of: source).map(\.text), words)
  }

  @Test("a word of SSDP outside its folders is found, in code alone")
  func protocols() {
    let text = "// SSDP\nlet a = \"M-SEARCH, MX, byebye\"\nlet b = usnBytes + addUSN + rootDevice + mx + noMX + c"
    let words = ["addUSN", "mx", "noMX", "rootDevice", "usnBytes"]
    expectEqual(ProtocolRule.words(in: Self.file(text, path: "Sources/Wire/Planted.swift")), words)
    expectEqual(ProtocolRule.words(in: Self.file("lets.use(mxn, causn, mixed)", path: "Sources/Wire/A.swift")), [])
    for path in ["Sources/Wire/SSDP/A.swift", "Sources/Wire/UPnP/A.swift", "Sources/Wire/SSDP/Deep/A.swift"] {
      expectEqual(ProtocolRule.words(in: Self.file(text, path: path)), [])
    }
    // A file of that name is no folder.
    expectEqual(ProtocolRule.words(in: Self.file(text, path: "Sources/Wire/SSDP")), words)
  }

  @Test("folders that lead back to each other are seen, over a third one too; what is private or nested is not")
  func folders() {
    func found(_ files: [(path: String, text: String)]) -> [String] {
      FolderRule.offences(in: files.map { Self.file($0.text, path: "Sources/Room/" + $0.path) }).map(\.what)
    }
    let a = (path: "A/One.swift", text: "package struct One { var b: Two }\nprivate struct Hidden {}")
    let b = (path: "B/Two.swift", text: "package struct Two { var other: Three? }")
    expectEqual(found([a, b]), [])
    expectEqual(
      found([a, b, ("B/Three.swift", "struct Three { let one: One }")]),
      [
        "A uses B, which leads back to it: Two (Sources/Room/A/One.swift)",
        "B uses A, which leads back to it: One (Sources/Room/B/Three.swift)",
      ])
    expectEqual(
      found([a, b, ("C/Three.swift", "enum Three { static let one = One.self }")]),
      [
        "A uses B, which leads back to it: Two (Sources/Room/A/One.swift)",
        "B uses C, which leads back to it: Three (Sources/Room/B/Two.swift)",
        "C uses A, which leads back to it: One (Sources/Room/C/Three.swift)",
      ])
    // Files of the room itself are a folder, too.
    expectEqual(found([a, b, ("Root.swift", "let one: One, two: Two")]), [])
    expectEqual(found([a, b, ("Three.swift", "struct Three { let one: One }")]).count, 3)
    // A type of the same name inside of another one, one that is private, and one that two folders have.
    expectEqual(found([a, b, ("B/Three.swift", "struct Three { enum One {}; let one: One }")]), [])
    expectEqual(found([a, b, ("B/Three.swift", "struct Three { let one: Hidden }")]), [])
    expectEqual(
      found([a, b, ("B/Three.swift", "struct Three { let one: One }"), ("C/One.swift", "struct One {}")]), [])
  }

  @Test("a file that goes through all cases is found, one with a default or without a case is not")
  func drills() {
    let home = Self.file(
      "enum Kind { case a(Int)\n case b\n indirect case c(in: Int)\n"
        + "var x: Int { switch self { case .a: 1\n case .b, .c: 2 } } }", path: "Sources/Room/Kind.swift")
    expectEqual(DrillRule.cases(of: "Kind", in: home.tokens), ["a", "b", "c"])
    expectEqual(DrillRule.cases(of: "Other", in: home.tokens), [])
    func found(_ text: String) -> Bool {
      let files = [home, Self.file(text, path: "Sources/Other/A.swift")]
      return DrillRule.files(through: ["a", "b", "c"], home: "Sources/Room/", in: files) == ["Sources/Other/A.swift"]
    }
    #expect(found("switch x { case .a: 1\n case .b: 2\n case .c(let d): d }"))
    #expect(found("switch f({ $0 }) { case .a, .b, .c: 2 }"))
    #expect(found("switch x { case .a: switch y { case .e: 1\n default: 2 }\n case .b, .c: 2 }"))
    #expect(!found("switch x { case .a: 1\n case .b, .c: 2\n default: 3 }"))
    #expect(found("switch x { case .a: d[.e, default: 0] += 1\n case .b, .c: 2 }"))
    #expect(!found("switch x { case .a: 1\n case .b: 2 }\nlet z = .c"))
    #expect(!found("let all = [.a, .b, .c]"))
    expectEqual(DrillRule.files(through: ["a", "b", "c"], home: "Sources/Wire/", in: [home]), [home.path])
  }

  @Test("tokens know their lines")
  func lines() {
    let tokens = SwiftLexer.tokens(of: "a\n/* \n */ b\n\"\"\"\n\n\\(c)\n\"\"\" d\n")
    expectEqual(tokens.map(\.line), [1, 3, 4, 6, 7])
  }

  @Test("a manifest's rows are read whatever their layout")
  func rows() {
    let manifest = """
      let yams = Target.Dependency.product(name: "Yams", package: "Yams")
      let rooms: [Room] = [
        Room(storey: 0, name: "A"),
        Room(
          storey: 12, name: "B",
          uses: [
            "A", "C",
          ], guests: [yams, "CPcap"], isTool: true),
      ]
      let other = [Room(storey: 1, name: "D")]
      """
    expectEqual(
      RoomRow.rows(ofManifest: manifest),
      [
        RoomRow(storey: 0, name: "A", uses: [], guests: []),
        RoomRow(storey: 12, name: "B", uses: ["A", "C"], guests: ["Yams", "CPcap"]),
      ])
  }

  @Test("a table of steps that names what is not there is found, by line")
  func tours() {
    let sources: [(path: String, words: Set<String>)] = [
      ("Sources/Wire/SSDP/Reader.swift", ["read", "Reader"]), ("Sources/Wire/SSDP/Reader+Notes.swift", ["note"]),
    ]
    let page = """
      | a | table |
      |---|---|
      | 1 | `Gone.swift` is no matter here |

      | step | where | what |
      |---|---|---|
      | 1 | `Wire/SSDP/Reader.swift` `read(_:)`, `Reader` | `nothing` is looked up in this column |
      | 2 | `Wire/Reader.swift` | |
      | 3 | `Reader.swift` `note` | |
      | 4 | `note`, `Reader.read` | |
      | 5 | `Reader….swift` `note`, `Reader+*.swift` `read` | |
      | 6 | `forgotten` | |
      """
    expectEqual(
      TourRule.offences(in: page, path: "A.md", sources: sources).map(\.description),
      [
        "A.md:8: there is no file Wire/Reader.swift", "A.md:9: note is not in Sources/Wire/SSDP/Reader.swift",
        "A.md:11: read is not in Sources/Wire/SSDP/Reader+Notes.swift", "A.md:12: forgotten is not in the sources",
      ])
  }

  @Test("what a module shows at its top level is counted: declarations, names and modules that it re-exports")
  func facade() {
    let text = """
      @_exported public import struct RollcallPrimitives.Digest
      @_exported public import RollcallWire
      public import RollcallTrace
      public struct A { public var a = 0 }
      public final class B {}
      @inlinable @discardableResult public func c() {}
      public extension A { public struct D {} }
      extension A { public func e() {} }
      package struct F {}
      struct G {}
      """
    let file = SourceFile(path: "Sources/Facade/A.swift", text: text)
    expectEqual(FacadeRule.names(in: [file]), ["* RollcallWire", "A", "B", "Digest", "c"])
  }

  static let rooms = [
    RoomRow(storey: 0, name: "Primitives", uses: [], guests: []),
    RoomRow(storey: 1, name: "Wire", uses: ["Primitives"], guests: []),
    RoomRow(storey: 2, name: "Capture", uses: ["Primitives", "Wire"], guests: ["RollcallPcap"]),
    RoomRow(storey: 4, name: "Scenarios", uses: ["Primitives"], guests: ["Yams"]),
  ]

  @Test(
    "imports beyond the row are found",
    arguments: [
      ("Wire", "import RollcallPrimitives\npublic import RollcallPrimitives", []),
      ("Wire", "import Foundation", ["1: Wire may not import Foundation"]),
      ("Wire", "\n  @preconcurrency package import Dispatch", ["2: Wire may not import Dispatch"]),
      ("Wire", "import struct Foundation.Data", ["1: Wire may not import Foundation"]),
      ("Wire", "import RollcallCapture", ["1: Wire may not import RollcallCapture"]),
      ("Wire", "import Synchronization", ["1: Wire may not import Synchronization"]),
      ("Wire", "import _Builtin_intrinsics.intel.sse2", []),
      ("Wire", "// import Foundation\nlet a = \"import Foundation\"\nf(import: a)\nx.import", []),
      ("Wire", "#if canImport(Glibc)\nimport Glibc\n#endif", ["2: Wire may not import Glibc"]),
      ("Wire", "// outside: reads a file\nimport Glibc", ["2: Wire may not import Glibc"]),
      ("Capture", "import RollcallPcap\nimport RollcallWire", []),
      ("Capture", "import Glibc", ["1: Capture may not import Glibc"]),
      ("Capture", "// outside: opens the file\nimport Glibc", []),
      ("Capture", "// outside:\nimport Glibc", ["2: Capture may not import Glibc"]),
      ("Capture", "// outside: opens the file\nimport Foundation", ["2: Capture may not import Foundation"]),
      ("Scenarios", "import Yams\nimport Foundation", []),
      (
        "Scenarios", "import RollcallWire\nimport GRDB",
        ["1: Scenarios may not import RollcallWire", "2: Scenarios may not import GRDB"]
      ),
      ("Attic", "import RollcallPrimitives", ["1: Attic is no room of the table"]),
    ] as [(String, String, [String])])
  func imports(room: String, source: String, expected: [String]) {
    let found = ImportRule.offences(
      in: [RuleTests.file(source, path: "Sources/\(room)/A.swift")], rooms: RuleTests.rooms)
    expectEqual(found.map { "\($0.line): \($0.what)" }, expected)
  }

  @Test("a third file that reaches outside is one too many")
  func outsideFiles() {
    let files = ["A", "B", "C"].map {
      RuleTests.file("// outside: files\nimport Glibc", path: "Sources/Capture/\($0).swift")
    }
    expectEqual(ImportRule.offences(in: Array(files[..<2]), rooms: RuleTests.rooms), [])
    expectEqual(ImportRule.offences(in: files, rooms: RuleTests.rooms).map(\.path), ["Sources/Capture/C.swift"])
  }

  @Test(
    "impure words are found",
    arguments: [
      ("let a = Date()", "Date("), ("let a = Date.now", "Date."), ("let c = ContinuousClock()", "ContinuousClock"),
      ("SuspendingClock.now", "SuspendingClock"), ("DispatchTime.now()", "DispatchTime"), ("Task { }", "Task{"),
      ("Task.detached { }", "Task."), ("func f() async {}", "async"), ("let a = await f()", "await"),
      ("Thread.sleep(1)", "Thread"), ("Int.random(in: 0..<3)", ".random( without using:"),
      ("Int.random(\n  in: f(using: 1)\n)", ".random( without using:"),
      ("SystemRandomNumberGenerator()", "SystemRandomNumberGenerator"), ("a.shuffled()", ".shuffled( without using:"),
      ("a.randomElement()", ".randomElement( without using:"), ("ProcessInfo.processInfo", "ProcessInfo"),
      ("getenv(\"A\")", "getenv"), ("FileManager.default", "FileManager"), ("fopen(a, b)", "fopen"),
      ("print(a)", "print("), ("a.hashValue", ".hashValue"), ("log(2)", "log("), ("let a = exp(x)", "exp("),
      ("sin(1)", "sin("), ("pow(2, 3)", "pow("), ("var h = Hasher()", "Hasher("), ("actor Room {}", "actor"),
      ("\"\\(Date())\"", "Date("), ("time(nil)", "time(nil"),
    ])
  func impure(source: String, expected: String) {
    expectEqual(PurityRule.offences(in: RuleTests.file("\n" + source)).map(\.what), [expected])
    #expect(PurityRule.offences(in: RuleTests.file("\n" + source)).allSatisfy { $0.line >= 2 })
  }

  @Test(
    "innocent words are left alone",
    arguments: [
      "// Date()", "/// print(a) and Task { }", "let a = \"Task { await Date() }\"", "case date", "let updated = x",
      "Int.random(in: 0..<3, using: &stream)", "a.shuffled(using: &g)", "a.randomElement(using: &g)",
      "recorder.log(a)", "func log(_ a: Int)", "let exponent = expand(x)", "struct TaskID {}", "f(task: a)",
      "hash(into: &hasher)", "func hash(into hasher: inout Hasher)", "let catalogue = logarithms[2]",
      "stream.exponential(mean: a)", "case .random: a", "field.date", "Blueprint(a)", "printer.print(a)",
      "let time = now", "let threads = 2", "SSDPField.date.name",
    ])
  func innocent(source: String) {
    expectEqual(PurityRule.offences(in: RuleTests.file(source)), [])
  }

  @Test("only a file of Capture that says so opens files")
  func outsideWords() {
    let source = "// outside: the file itself\nfopen(a, b)\nprint(a)"
    expectEqual(PurityRule.offences(in: RuleTests.file(source)).map(\.what), ["fopen", "print("])
    let capture = RuleTests.file(source, path: "Sources/Capture/A.swift")
    expectEqual(PurityRule.offences(in: capture).map(\.what), ["print("])
  }

  @Test(
    "iteration without order is found",
    arguments: [
      "var t: [Int: String]\nfor a in t { }", "var t: [Int: [String]] = [:]\nfor (a, b) in self.t { }",
      "let t: Set<Int>\nfor a in t where a > 1 { }", "var t = [:]\nt.map { $0 }", "let t = Set(a)\nfor b in t { }",
      "let t = Set<Int>()\nlet b = t.first", "let t: Dictionary<Int, Int>\nt.forEach { f($0) }",
      "func f(_ t: [Int: Int]) { t.keys }", "func f(t: inout Set<Int>) { _ = t.min() }",
      "let t = [\"a\": 1]\nfor a in t.values { }", "let t = [Int: Int]()\nlet a = t.reduce(0) { $0 + $1.value }",
      "var t: Set<Int> = []\nlet a = Array(t)", "var t: Set<Int> = []\nlist.append(contentsOf: t)",
      "var t: [Int: Int]?\nlet a = t?.values", "let t: [Int: Int]\nfor a in t.keys {\n  b.sorted()\n}",
      "let t: [Int: Int]\nlet a = t.map { $0 }\nlet b = c.sorted()", "let t: [Int: Int]\nlet a = t.map { $0.sorted() }",
      "let t: [Int: Int]\nfor a in t {} // ordered:", "let t = Dictionary(grouping: a) { $0 }\nfor b in t {}",
      "let t: [Int: Int]\nfor a in other.t {}", "let t: [Int: Int]\n\"\\(t.keys)\"",
    ])
  func unordered(source: String) {
    expectEqual(OrderRule.offences(in: RuleTests.file(source)).count, 1, "\(source)")
  }

  @Test(
    "iteration in an order, and lookup, are left alone",
    arguments: [
      "var t: [Int: String]\nfor a in t.keys.sorted() { }", "var t: [Int: String]\nfor a in t.sorted(by: f) { }",
      "var t: [Int: String]\nlet a = t.map { $0 }\n  .sorted()", "var t: Set<Int>\nlet a = Array(t).sorted()",
      "var t: Set<Int>\nlet a = (t.filter { $0 > 1 }).sorted()",
      "var t: [Int: Int]\nt[1] = 2\nt.removeValue(forKey: 1)",
      "var t: [Int: Int]\nif t.keys.contains(1), t.values.count > 2, t.isEmpty, t.count == 1 {}",
      "var t: [Int: [Int]]\nfor a in t[1] ?? [] {}", "var t: [Int]\nfor a in t {}", "var t = [1, 2]\nt.map { $0 }",
      "var t: [Int: Int]\nfor a in t { } // ordered: sums only",
      "var t: Set<Int>\n// ordered: sums only\nfor a in t { }",
      "let t = [a ? b : c]\nfor d in t {}", "let t: [(a: Int, b: Int)]\nfor d in t {}",
      "let t: [[Int: Int]]\nfor d in t {}",
      "// var t: Set<Int>\nfor a in t {}", "if t == [:] {}\nfor a in t {}", "let a = b ? t : [c: d]\nfor e in t {}",
      "var t: Set<Int>\nfor a in list where t.contains(a) {}", "var t: Set<Int>\nt.insert(1)\nt.formUnion(u)",
    ])
  func ordered(source: String) {
    expectEqual(OrderRule.offences(in: RuleTests.file(source)), [], "\(source)")
  }

  @Test("a link to no file or heading is found; code, other places of the web and what is there are left alone")
  func links() {
    func found(_ page: String) -> [String] {
      let pages = ["docs/b.md": "# It's *here*, 2nd", "C.md": ""]
      return LinkRule.offences(path: "docs/a.md", page: page) { pages[$0] }.map(\.what)
    }
    let good = "# Top\n[b](b.md) [c](../C.md), [h](b.md#its-here-2nd) [t](#top) `[n](n.md)`\n[w](https://a.org/#x)\n"
    expectEqual(found(good + "```\n[n](n.md)\n```\n    [n](n.md)"), [])
    expectEqual(
      found("[n](n.md)\n[h](b.md#there) [d](../../C.md) [u](#up)"),
      [
        "n.md: there is no docs/n.md", "b.md#there: no such heading", "../../C.md: there is no ../C.md",
        "#up: no such heading",
      ])
  }

  @Test("the 501st line is one too many")
  func length() {
    let lines = String(repeating: "a\n", count: 500)
    expectEqual(RepositoryRules.lengthOffence(path: "A.swift", text: lines), nil)
    expectEqual(RepositoryRules.lengthOffence(path: "A.swift", text: lines + "a")?.line, 501)
    expectEqual(RepositoryRules.lengthOffence(path: "A.swift", text: ""), nil)
    expectEqual(RepositoryRules.longFiles, [])
  }

  @Test("foreign words are found in any case")
  func words() {
    for word in RepositoryRules.foreignWords {
      let found = RepositoryRules.wordOffences(path: "A.md", text: "fine\nsee \(word.uppercased())\n")
      expectEqual(found.map(\.line), [2])
    }
    expectEqual(RepositoryRules.wordOffences(path: "A.md", text: "works, framework/x, /tmp/base, a clause"), [])
  }
}
