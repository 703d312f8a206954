import Dispatch
import Foundation
import RollcallLive
import RollcallPrimitives
import RollcallReporting

/// Addresses that were put on interfaces, until they are taken away again.
///
/// Each has a lifetime of half a minute, which is renewed as long as the process lives: the system takes away what a process
/// leaves behind that was killed. A process that starts before that takes such an address over, and does not count it
/// among the interface's own.
final class AddedAddresses: @unchecked Sendable {
  private static let lifetimeSeconds = 30
  private static let renewal = Interval.seconds(8)

  /// As they are without what is added.
  let interfaces: [LiveInterface]
  /// Changed before the run begins and after it has ended only.
  private var added: [(text: String, name: String)] = []
  private var nextRenewal = Instant.zero + renewal
  private let queue = DispatchQueue(label: "rollcall.addresses")

  /// - Parameters:
  ///   - interfaces: as the system has them.
  ///   - isWanted: whether addresses are going to be added; then those that a killed process left are taken out.
  init(_ interfaces: [LiveInterface], isWanted: Bool) {
    self.interfaces =
      !isWanted
      ? interfaces
      : interfaces.map { one in
        let left = AddedAddresses.left(on: one.name)
        var interface = one
        interface.addresses.removeAll { left.contains(AddedAddresses.text($0.address)) }
        return interface
      }
  }

  /// Addresses, each with the number of its interface.
  func add(_ wanted: [(address: IPAddress, interface: Int)]) throws {
    for (address, number) in wanted {
      let (text, name) = (AddedAddresses.text(address), interfaces[number].name)
      do { try AddedAddresses.ip(AddedAddresses.words(text, name)) } catch {
        throw Complaint("\(text) cannot be put on \(name): \(error.message)")
      }
      added.append((text, name))
    }
  }

  private static func text(_ address: IPAddress) -> String {
    "\(address)/\(address.family == .v4 ? 32 : address.isLinkLocal ? 64 : 128)"
  }

  /// Puts an address there, or gives one that is there its lifetime anew.
  private static func words(_ text: String, _ name: String) -> [String] {
    ["address", "replace", text, "dev", name, "valid_lft", "\(lifetimeSeconds)", "preferred_lft", "\(lifetimeSeconds)"]
      + (text.contains(":") ? ["nodad"] : [])
  }

  /// Addresses of the form in which they are put there, whose lifetime ends as soon as theirs does.
  private static func left(on name: String) -> Set<String> {
    struct Listed: Decodable {
      struct Address: Decodable {
        enum CodingKeys: String, CodingKey { case local, bits = "prefixlen", seconds = "valid_life_time" }
        var local: String?
        var bits: Int?
        var seconds: UInt32?
      }
      enum CodingKeys: String, CodingKey { case addresses = "addr_info" }
      var addresses: [Address]?
    }
    // A program `ip` that knows no JSON, or none at all: adding says so.
    guard let output = try? ip(["-json", "address", "show", "dev", name]),
      let all = try? JSONDecoder().decode([Listed].self, from: output)
    else { return [] }
    return Set(
      all.flatMap { $0.addresses ?? [] }.compactMap { one in
        guard let local = one.local.flatMap({ IPAddress($0) }), let bits = one.bits,
          let seconds = one.seconds, seconds <= lifetimeSeconds
        else { return nil }
        let text = text(local)
        return text.hasSuffix("/\(bits)") ? text : nil
      })
  }

  /// Renews their lifetimes where it is time to; returns at once.
  func renew(at now: Instant) {
    guard !added.isEmpty, now >= nextRenewal else { return }
    nextRenewal = now + AddedAddresses.renewal
    let lines = added.map { AddedAddresses.words($0.text, $0.name).joined(separator: " ") + "\n" }
    queue.async {
      do throws(Complaint) { try AddedAddresses.ip(["-batch", "-", "-force"], input: lines.joined()) } catch {
        Output.complain("addresses cannot be kept: \(error.message)")
      }
    }
  }

  func remove() {
    queue.sync {}
    for one in added {
      do { try AddedAddresses.ip(["address", "delete", one.text, "dev", one.name]) } catch {
        Output.complain("\(one.text) is still on \(one.name): \(error.message)")
      }
    }
    added = []
  }

  /// Runs the system's `ip`: its output, or a complaint with its words.
  @discardableResult
  private static func ip(_ words: [String], input: String = "") throws(Complaint) -> Data {
    guard let outcome = SystemProgram.run(["ip"] + words, input: input) else {
      throw Complaint("the program ip cannot be started")
    }
    guard outcome.exitCode == 0 else {
      throw Complaint(String(decoding: outcome.output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }
    return Data(outcome.output)
  }
}
