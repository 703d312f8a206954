import Foundation
import Rollcall
import Testing

/// Captures of two versions of a device: those that are in Rollcall's repository stand for yours.
@Suite("The device in the laboratory") struct AcceptanceTests {
  private static func capture(_ name: String) throws -> Capture {
    let rollcall = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    return try Capture(contentsOf: rollcall.appendingPathComponent("Captures/\(name)/capture.pcapng").path)
  }

  @Test("it breaks no must; its leases are too short, which is known")
  func keepsEveryMust() throws {
    let judged = try AcceptanceTests.capture("gssdp-renewal-lost").judge()
    #expect(judged.passes(), "\(judged)")
    let clauses = Set(judged.findings.filter(\.isBreach).map(\.clause))
    #expect(clauses.contains("UDA-1.2.2-A-CC-1800"))
    #expect(!judged.passes(isStrict: true))
  }

  @Test("the version before it announced its next BOOTID wrongly, and says in which frame")
  func oldVersion() throws {
    let judged = try AcceptanceTests.capture("gssdp-update-bootid").judge(clauses: ["UDA-1.2.4"])
    let breach = try #require(judged.findings.first { $0.isBreach && $0.level == "must" })
    #expect(breach.clause == "UDA-1.2.4-UPD-NEXT" && breach.frame == 53 && breach.count == 11)
    #expect(!breach.remedy.isEmpty)
  }

  @Test("a control point that loses one renewal loses the device, and finds it again with the next one")
  func lostRenewal() throws {
    let replayed = try AcceptanceTests.capture("gssdp-renewal-lost").replay()
    let words = replayed.reports.map { "\($0)".split(separator: " ").dropFirst().joined(separator: " ") }
    #expect(words.contains { $0.hasPrefix("lost uuid:") && $0.hasSuffix("expired") }, "\(replayed)")
  }
}
