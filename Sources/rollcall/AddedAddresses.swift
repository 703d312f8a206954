import Dispatch
import Foundation
import RollcallLive
import RollcallPrimitives
import RollcallReporting

/// Addresses that were put on interfaces, until they are taken away again.
///
/// Each has a lifetime of half a minute, which is renewed as long as the process lives: the system takes away what a process
/// leaves behind that was killed.
final class AddedAddresses: @unchecked Sendable {
  private static let lifetimeSeconds = 30
  private static let renewal = Interval.seconds(8)

  private let interfaces: [LiveInterface]
  /// Changed before the run begins and after it has ended only.
  private var added: [(text: String, name: String)] = []
  private var nextRenewal = Instant.zero + renewal
  private let queue = DispatchQueue(label: "rollcall.addresses")

  init(_ interfaces: [LiveInterface]) { self.interfaces = interfaces }

  /// Addresses, each with the number of its interface.
  func add(_ wanted: [(address: IPAddress, interface: Int)]) throws {
    for (address, number) in wanted {
      let text = "\(address)/\(address.family == .v4 ? 32 : address.isLinkLocal ? 64 : 128)"
      let name = interfaces[number].name
      let words = ["address", "add", text, "dev", name] + AddedAddresses.lifetime
      if let failure = ip(words + (address.family == .v6 ? ["nodad"] : [])) {
        throw Complaint("\(text) cannot be put on \(name): \(failure)")
      }
      added.append((text, name))
    }
  }

  private static var lifetime: [String] {
    ["valid_lft", "\(lifetimeSeconds)", "preferred_lft", "\(lifetimeSeconds)"]
  }

  /// Renews their lifetimes where it is time to; returns at once.
  func renew(at now: Instant) {
    guard !added.isEmpty, now >= nextRenewal else { return }
    nextRenewal = now + AddedAddresses.renewal
    let lines = added.map { one in
      (["address", "change", one.text, "dev", one.name] + AddedAddresses.lifetime).joined(separator: " ") + "\n"
    }
    queue.async {
      if let failure = self.ip(["-batch", "-", "-force"], input: lines.joined()) {
        Output.complain("addresses cannot be kept: \(failure)")
      }
    }
  }

  func remove() {
    queue.sync {}
    for one in added {
      if let failure = ip(["address", "delete", one.text, "dev", one.name]) {
        Output.complain("\(one.text) is still on \(one.name): \(failure)")
      }
    }
    added = []
  }

  /// What went wrong; `nil`: nothing.
  private func ip(_ words: [String], input: String? = nil) -> String? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["ip"] + words
    let (pipe, given) = (Pipe(), Pipe())
    process.standardError = pipe
    process.standardInput = input == nil ? FileHandle.nullDevice : given
    do { try process.run() } catch { return error.localizedDescription }
    if let input {
      try? given.fileHandleForWriting.write(contentsOf: Data(input.utf8))
      try? given.fileHandleForWriting.close()
    }
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationStatus == 0 ? nil : text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
