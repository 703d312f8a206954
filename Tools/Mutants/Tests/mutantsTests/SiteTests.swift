import Foundation
import Testing

@testable import mutants

private func sites(_ text: String) -> [Site] {
  let tree = SiteFinder.parse(text)
  let defaults = DefaultFinder()
  defaults.walk(tree)
  let finder = SiteFinder(source: Array(text.utf8), defaulted: defaults.found)
  finder.walk(tree)
  return finder.sites.sorted { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
}

private func labels(_ body: String) -> [String] {
  sites("struct S { func f() -> Int {\n\(body)\n} }").flatMap { site in site.alternatives.map(\.label) }
}

@Suite("What is changed in a source file")
struct SiteTests {
  @Test("a comparison has its bound shifted and its sense turned, and is not negated beside that")
  func comparison() {
    #expect(labels("if a < b { c() }; return 0") == ["a < b -> <=", "a < b -> >", "c() ->", "0 -> 1"])
  }

  @Test("a condition without an operator is negated")
  func condition() { #expect(labels("guard isOpen else { return x }; return y") == ["isOpen -> !(isOpen)"]) }

  @Test("what a call may leave out is left out, and nothing else")
  func arguments() {
    let text = "func g(a: Int, b: Int = 1) {}\nfunc f() { g(a: x, b: y); h() }"
    #expect(
      sites(text).flatMap { $0.alternatives.map(\.label) } == [
        "g(a: x, b: y) ->", "g(b: y) -> without b", "h() ->",
      ])
  }

  @Test("neighbouring cases exchange their bodies, unless a pattern binds or only text differs")
  func arms() {
    #expect(
      labels("switch x { case .a: one()\ncase .b: two()\ncase .c(let y): three(y) }; return z") == [
        "case .a: does two()", "one() ->", "two() ->", "three(y) ->",
      ])
    #expect(labels("switch x { case .a: \"one\"\ncase .b: \"two\" }") == [])
  }

  @Test("a value that is all of a body is not dropped, nor is what an initializer assigns or a guard leaves by")
  func kept() {
    #expect(labels("value()") == [])
    #expect(sites("struct S { init(x: Int) { self.x = x } }").isEmpty)
    #expect(
      sites("func f() { guard let x else { return }; x() }").flatMap { $0.alternatives.map(\.label) } == ["x() ->"])
  }

  @Test("two equal changes of one function are told apart by their order, and lines do not matter")
  func keys() throws {
    let (one, other) = (sites("func f() { a(); a() }"), sites("\n\n// text\nfunc f() {\n  a()\n  a()\n}"))
    #expect(one.map { $0.alternatives.map(\.label) } == other.map { $0.alternatives.map(\.label) })
    #expect(one.map(\.function) == ["f()", "f()"])
  }
}

@Suite("The sources with all mutants in them")
struct RenderingTests {
  /// `first` of two numbers that are added, or the larger one.
  static let text = """
    func f(_ a: Int, _ b: Int) -> Int {
      var sum = 0
      if a < b || a == 7 { sum += a + b } else { sum = max(a, b) }
      sum -= 1
      return sum
    }
    """

  private func compiled() throws -> (program: URL, labels: [String]) {
    let found = sites(Self.text)
    var labels = ["original"]
    for site in found {
      for index in site.alternatives.indices {
        site.alternatives[index].number = labels.count
        labels.append(site.alternatives[index].label)
      }
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("mutants-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let stub = """
      func rollcallMutant(_ number: Int) -> Bool { CommandLine.arguments[1] == "\\(number)" }
      print(f(1, 2), f(2, 2), f(7, 3), f(5, 3))

      """
    let rendering = Renderer(prefix: stub, source: Array(Self.text.utf8), sites: found)
    let source = folder.appendingPathComponent("main.swift")
    try Data(rendering.bytes).write(to: source)
    let program = folder.appendingPathComponent("program")
    let built = try Tool.run(["swiftc", "-Onone", source.path, "-o", program.path], seconds: 120)
    #expect(built.code == 0, "\(built.output)")
    return (program, labels)
  }

  @Test("each number gives the program with that one change, and 0 the original")
  func numbers() throws {
    let (program, labels) = try compiled()
    defer { try? FileManager.default.removeItem(at: program.deletingLastPathComponent()) }
    let said = try labels.indices.map { number in
      let run = try Tool.run([program.path, "\(number)"], seconds: 10)
      return "\(labels[number]): \(run.output.split(separator: "\n").first ?? "")"
    }
    #expect(
      said == [
        "original: 2 1 9 4", "0 -> 1: 3 1 10 4", "a < b -> <=: 2 3 9 4",
        "a < b -> >: 1 1 9 7", "a < b || a == 7 -> &&: 1 1 6 4", "a == 7 -> !=: 2 3 6 7", "7 -> 8: 2 1 6 4",
        "sum += a + b ->: -1 1 -1 4",
        "sum += a + b -> sum -= a + b: -4 1 -11 4", "a + b -> -: -2 1 3 4", "sum = max(a, b) ->: 2 -1 9 -1",
        "max(a, b) -> min(a, b): 2 1 9 2", "sum -= 1 ->: 3 2 10 5", "sum -= 1 -> sum += 1: 4 3 11 6",
        "1 -> 2: 1 0 8 3",
      ])
  }

  @Test("a place of the written file is found again: the innermost site, and the line of the original")
  func places() throws {
    let found = sites("func f() {\n  if a < 5 { b() }\n}")
    for site in found { for index in site.alternatives.indices { site.alternatives[index].number = 9 } }
    let rendering = Renderer(
      prefix: "import X\n", source: Array("func f() {\n  if a < 5 { b() }\n}".utf8), sites: found)
    let lines = String(decoding: rendering.bytes, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    let line = try #require(lines.firstIndex { $0.contains("if ") })
    let call = try #require(lines[line].range(of: "b()"))
    let column = lines[line].utf8.distance(from: lines[line].startIndex, to: call.lowerBound) + 1
    #expect(rendering.site(line: line + 1, column: column)?.alternatives.map(\.label) == ["b() ->"])
    #expect(rendering.originalOffset(line: lines.count, column: 1) == 30)
    #expect(rendering.site(line: 1, column: 1) == nil)
  }
}
