import Testing

@testable import mutants

@Suite("Records of tests")
struct TestRecordsTests {
  /// A program with these records: what it lists where it keeps those that a rule names.
  private func records(_ names: [String]) -> TestRecords {
    TestRecords { bit, isSet in
      Set(names.indices.filter { ($0 >> bit & 1 == 1) == isSet }.map { names[$0] })
    }
  }

  @Test("a test is found by the bits of its place, and its suites are kept with it")
  func places() {
    let found = records(["M.f()", "M.A", "M.A/B/g()", "M.A/B", "M.C/h()"])
    #expect(found.places == ["M.f()": 0, "M.A": 1, "M.A/B/g()": 2, "M.A/B": 3, "M.C/h()": 4])
    #expect(found.kept(for: ["M.f()"]) == "0")
    #expect(found.kept(for: ["M.A/B/g()"]) == "1,2,3")
    #expect(found.kept(for: ["M.C/h()", "M.f()"]) == "0,4", "a suite without a record")
    #expect(found.kept(for: ["M.f()", "M.none()"]) == nil)
    #expect(records(["M.f()"]).places == ["M.f()": 0])
  }

  @Test("two tests of one name have no certain place, and all records are kept for them")
  func doubles() {
    let found = records(["M.f()", "M.g()", "M.g()", "M.f()", "M.h()"])
    #expect(found.places == ["M.h()": 4])
    #expect(found.kept(for: ["M.h()"]) == "4")
    #expect(found.kept(for: ["M.h()", "M.g()"]) == nil)
  }

  @Test("names are read from a stream of events: a suite's, and a test's without its place in the sources")
  func events() {
    let events = """
      {"kind":"test","payload":{"id":"M.A","kind":"suite","name":"A"}}
      {"kind":"test","payload":{"id":"M.A\\/f(_:)\\/F.swift:9:4","kind":"function","name":"f(_:)"}}
      {"kind":"event","payload":{"id":"M.B","kind":"suite"}}
      none
      """
    #expect(TestRecords.names(in: events) == ["M.A", "M.A/f(_:)"])
  }
}
