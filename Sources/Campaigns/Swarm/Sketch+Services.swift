import RollcallDevices
import RollcallPeers
import RollcallPrimitives
import RollcallScenarios
import RollcallWire

// Hosts with services of multicast DNS, and nearby peers.
extension Sketch {
  /// A record that is not heard again ends after two minutes, and the gaps between questions double: with those of the
  /// time before, so long until the next question was asked and answered.
  private static let servicePatience = 150
  /// A device that looks for others of its type takes the question of another one for its own, and nobody answers
  /// oneself: peers may be found by the question after the next, or the one after that. In seconds of the run.
  private static let peerQuestionsEnd = 520

  mutating func drawServices() {
    var dice = Dice(seed, "services")
    let types = Sketch.serviceTypes.map { $0.dropFirst().prefix { $0 != "." } }.map(String.init)
      .compactMap { try? ServiceType($0, .tcp) }
    for letter in "abc".prefix(dice.number(1...3)) {
      let name = "host-\(letter)"
      let services = (1...dice.number(1...2)).map { number in
        MDNSService(dice.pick(types), "Service \(letter)\(number)", port: UInt16(600 + number))
      }
      var section = MDNSResponderSection(services: services)
      if has(.change) {
        section.changes = [.setTXT(instance: "Service \(letter)1", MDNSService.text("state=changed"))]
      }
      add(
        InhabitantEntry(name, appear: drawAppearance(&dice), host: drawHost(&dice), .mdnsResponder(section)))
      drawActs(of: name, &dice)
      drawMove(of: name, &dice)
      if has(.change), dice.happens(percent: 40) { at(instant(&dice), .act(who: name, .reconfigure)) }
      lanNames.append(name)
      polite.append(name)
    }
    wait(atLeast: Sketch.servicePatience)
  }

  mutating func drawPeers() {
    var dice = Dice(seed, "peers")
    for letter in "abc".prefix(dice.number(2...3)) {
      let name = "peer-\(letter)"
      var plan = NearbyPeerPlan()
      if dice.happens(percent: 50) { plan.invites = .elected }
      if dice.happens(percent: 50) {
        var message = NearbyPeerPlan.Message()
        (message.byteCount, message.times) = (200, dice.number(1...20))
        message.interval = .milliseconds(500)
        plan.messages = [message]
      }
      add(InhabitantEntry(name, appear: drawAppearance(&dice), host: drawHost(&dice), .nearbyPeer(plan)))
      drawActs(of: name, &dice)
      drawMove(of: name, &dice)
      if has(.change), dice.happens(percent: 40) {
        at(instant(&dice), .act(who: name, .peer(.background)))
        at(instant(&dice), .act(who: name, .peer(.foreground)))
      }
      lanNames.append(name)
      polite.append(name)
    }
    wait(atLeast: Sketch.peerQuestionsEnd - heal)
  }
}

extension MDNSService {
  /// The data of a TXT record with one string.
  fileprivate static func text(_ string: String) -> [UInt8] { [UInt8(string.utf8.count)] + Array(string.utf8) }
}
