import RollcallPrimitives
package import RollcallScenarios

/// Scenarios that are drawn from a seed: who is there, what the network is like, what breaks, and what is done when.
///
/// All of it ends at an instant at which the network heals. From then on nothing happens but what the protocols do by
/// themselves, and once the slowest of them has had its time the engine has to know exactly who is there, until the end.
/// That, and bounds that hold all the while, is what any drawn scenario expects.
package enum Swarm {
  /// The same seed draws the same scenario, on every machine.
  package static func scenario(_ drawn: DrawnSeed) -> Scenario {
    var sketch = Sketch(drawn)
    sketch.drawNetwork()
    sketch.drawEngine()
    if sketch.has(.lanDevices) { sketch.drawLANDevices() }
    if sketch.has(.services) { sketch.drawServices() }
    if sketch.has(.peers) { sketch.drawPeers() }
    if sketch.has(.peripherals) { sketch.drawPeripherals() }
    sketch.drawBystanders()
    sketch.drawSearches()
    sketch.drawFaults()
    sketch.drawEnd()
    return sketch.scenario
  }

  /// The scenario as a file, with a comment that says what was drawn.
  package static func yaml(_ drawn: DrawnSeed) -> String {
    let traits = drawn.traits.list.map(\.name).joined(separator: " ")
    let printer = ScenarioPrinter(header: ["Drawn from the seed \(drawn.value): \(traits)."])
    return printer.text(of: scenario(drawn))
  }
}
