import RollcallDevices
import RollcallPrimitives

extension DeviceDescription {
  /// Gives each term beside its parts a value of its own: UDA 1.1, then 2 to 19 in the order of the keys of YAML.
  mutating func setEachTerm() {
    (uda, server, uuidStyle, maxAgeSeconds) = (.uda11, "S/1", .capitals, 60)
    (initialBootID, configID, port, path) = (2, 3, 4, "/p")
    (securePort, searchPort, notifySourcePort, hopLimit) = (5, 6, 7, 8)
    (timing.repeats, timing.renewalRepeats, timing.byebyeRepeats) = (9, 10, 11)
    timing.startJitter = .milliseconds(12) ... .milliseconds(13)
    timing.setGap = .milliseconds(14) ... .milliseconds(15)
    timing.messageSpacing = .milliseconds(16) ... .milliseconds(17)
    timing.renewalInterval = .seconds(18) ... .seconds(19)
  }
}
