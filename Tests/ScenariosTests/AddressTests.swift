import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation
import Testing

/// Which addresses hosts get where the document names none: the expected ones follow from the hashes of the names.
@Suite("Addresses of hosts") struct AddressTests {
  /// `name address` of each host, or what is wrong.
  private func addresses(_ subnet: String, _ inhabitants: String, engine: String = "{}") -> [String] {
    let yaml = """
      scenario: a
      network: {segments: {lan: {subnet: \(subnet)}}}
      engine: \(engine)
      inhabitants: {\(inhabitants)}
      """
    do {
      let world = try Scenario(yaml: yaml, file: "x.yaml").resolved()
      return zip(world.hosts, world.plan.hosts).map { host, plan in
        let all = plan.interfaces.flatMap(\.addresses).map { "\($0.address)/\($0.prefixBits)" }
        return "\(host.name) \(all.joined(separator: " "))"
      }
    } catch {
      return [error.description]
    }
  }
  private func reflectors(_ names: String) -> String {
    names.map { "\($0): {kind: reflector}" }.joined(separator: ", ")
  }

  @Test("every address of a subnet but the first two and the last is given, and to one host")
  func full() {
    let four = ["engine 10.0.0.6/29", "a 10.0.0.4/29", "b 10.0.0.5/29", "c 10.0.0.2/29", "d 10.0.0.3/29"]
    expectEqual(addresses("10.0.0.0/29", reflectors("abcd")), four)
    expectEqual(
      addresses("10.0.0.0/29", reflectors("abcde")),
      [
        "x.yaml:4:106: error: no room for 1 successive addresses in 10.0.0.0/29 (at inhabitants.e)"
      ])
    expectEqual(addresses("10.0.0.0/30", ""), ["engine 10.0.0.2/30"])
    expectEqual(
      addresses("10.0.0.0/30", reflectors("a")),
      [
        "x.yaml:4:18: error: no room for 1 successive addresses in 10.0.0.0/30 (at inhabitants.a)"
      ])
    // What the document names may be the router's, or lie elsewhere.
    expectEqual(
      addresses("10.0.0.0/30", "a: {kind: reflector, address: 10.0.0.1}, b: {kind: reflector, address: 10.0.1.1}"),
      [
        "engine 10.0.0.2/30", "a 10.0.0.1/30", "b 10.0.1.1/30",
      ])
  }

  @Test("members of one inhabitant have successive addresses in the first room for all of them, round the subnet")
  func counted() {
    // The engine is at the last address, and every place from which `e` starts reaches that.
    for count in 2...4 {
      expectEqual(
        addresses("10.0.0.0/29", "e: {kind: reflector, count: \(count)}"),
        ["engine 10.0.0.6/29"] + (0..<count).map { "e-\($0 + 1) 10.0.0.\($0 + 2)/29" })
    }
    expectEqual(
      addresses("10.0.0.0/29", "e: {kind: reflector, count: 5}"),
      [
        "x.yaml:4:18: error: no room for 5 successive addresses in 10.0.0.0/29 (at inhabitants.e)"
      ])
    // What the document names is taken before anything is given, wherever it stands.
    expectEqual(
      addresses("10.0.0.0/29", "e: {kind: reflector, count: 2}, f: {kind: reflector, count: 2, address: 10.0.0.2}"),
      [
        "engine 10.0.0.6/29", "e-1 10.0.0.4/29", "e-2 10.0.0.5/29", "f-1 10.0.0.2/29", "f-2 10.0.0.3/29",
      ])
    expectEqual(
      addresses("10.0.0.0/29", "f: {kind: reflector, count: 2}", engine: "{address: 10.0.0.4}"),
      [
        "engine 10.0.0.4/29", "f-1 10.0.0.5/29", "f-2 10.0.0.6/29",
      ])
  }
}
