package import RollcallExaminers
import RollcallPrimitives
package import RollcallTrace

/// The trace of an examination with what the examination was asked for, so that it can be repeated from the file alone.
///
/// The first line says what was asked for; every other line is an entry of the trace.
package enum ExamRecord {
  /// Why a file is no record of an examination.
  package struct Failure: Error, Hashable, Sendable {
    /// Both count from 1.
    package var line: Int
    package var column: Int
    package var expected: String

    package init(line: Int, column: Int, expected: String) {
      (self.line, self.column, self.expected) = (line, column, expected)
    }
  }

  /// A device's examination as it was recorded.
  package struct Device {
    package var plan: DeviceExamPlan
    package var interface: String
    package var entries: [TraceEntry]
  }

  /// A control point's examination as it was recorded.
  package struct ControlPoint {
    package var setting: ControlPointExamination.Setting
    package var command: [String]?
    package var interface: String
    package var entries: [TraceEntry]
  }

  private static let (device, controlPoint) = ("# examine device", "# examine control-point")

  // MARK: - Writing

  package static func line(_ plan: DeviceExamPlan, interface: String) -> String {
    var words = WordWriter()
    words.add(device)
    words.name(interface)
    words.add(plan.family == .v4 ? "ipv4" : "ipv6")
    words.add("target")
    words.name(plan.target)
    words.add("patience")
    words.add(plan.patience.nanoseconds)
    words.add("byebye")
    words.add(plan.byebyeWait?.nanoseconds ?? -1)
    words.add("seed")
    words.add(plan.seed.value)
    words.add("agent")
    words.name(plan.agent)
    words.add("probes")
    for probe in plan.probes { words.add(probe.rawValue) }
    return words.text
  }

  package static func line(
    _ setting: ControlPointExamination.Setting, command: [String]?, interface: String
  ) -> String {
    var words = WordWriter()
    words.add(controlPoint)
    words.name(interface)
    words.add(setting.address)
    words.add("examined")
    words.name(setting.examined.map { "\($0)" })
    words.add("pages")
    words.add(setting.pagePort)
    words.add(setting.isOffSubnetWatched ? "watched" : "unwatched")
    words.add(setting.offSubnet)
    words.add("runs")
    words.add(setting.runs)
    words.add("repeats")
    words.add(setting.repeats)
    words.add("flood")
    words.add(setting.floodCount)
    words.add("duration")
    words.add(setting.duration?.nanoseconds ?? -1)
    words.add("salt")
    words.add(setting.salt)
    words.add("command")
    words.add(command?.count ?? 0)
    for word in command ?? [] { words.name(word) }
    words.add("probes")
    for probe in setting.probes { words.add(probe.rawValue) }
    return words.text
  }

  // MARK: - Reading

  /// - Parameter text: the file, with LF or CRLF at the ends of lines.
  package static func device(_ text: String) throws(Failure) -> Device {
    try read(text, device) { words throws(WordError) in
      let interface = try words.name("the name of an interface")
      let family: IPAddress.Family
      switch try words.next("ipv4 or ipv6") {
      case "ipv4": family = .v4
      case "ipv6": family = .v6
      default: throw words.error("ipv4 or ipv6")
      }
      try words.word("target")
      let target = try words.optionalName("a UUID, or -")
      try words.word("patience")
      let patience = Interval.nanoseconds(try words.number("a number of nanoseconds"))
      try words.word("byebye")
      let byebye: Int64 = try words.number("a number of nanoseconds, or -1")
      try words.word("seed")
      let seed = Seed(try words.number("a seed"))
      try words.word("agent")
      let agent = try words.name("USER-AGENT")
      let probes: [DeviceProbe] = try words.probes()
      return { entries in
        Device(
          plan: DeviceExamPlan(
            target: target, probes: probes, patience: patience, byebyeWait: byebye < 0 ? nil : .nanoseconds(byebye),
            family: family, seed: seed, agent: agent), interface: interface, entries: entries)
      }
    }
  }

  /// - Parameter text: the file, with LF or CRLF at the ends of lines.
  package static func controlPoint(_ text: String) throws(Failure) -> ControlPoint {
    try read(text, controlPoint) { words throws(WordError) in
      let interface = try words.name("the name of an interface")
      var setting = ControlPointExamination.Setting(address: try words.address("an address"))
      try words.word("examined")
      if !words.take("-") { setting.examined = try words.address("an address, or -") }
      try words.word("pages")
      setting.pagePort = try words.number("a port")
      switch try words.next("watched or unwatched") {
      case "watched": setting.isOffSubnetWatched = true
      case "unwatched": break
      default: throw words.error("watched or unwatched")
      }
      setting.offSubnet = try words.endpoint()
      try words.word("runs")
      setting.runs = try words.number("a number of runs")
      try words.word("repeats")
      setting.repeats = try words.number("a number of repetitions")
      try words.word("flood")
      setting.floodCount = try words.number("a number of devices")
      try words.word("duration")
      let duration: Int64 = try words.number("a number of nanoseconds, or -1")
      if duration >= 0 { setting.duration = .nanoseconds(duration) }
      try words.word("salt")
      setting.salt = try words.number("a number")
      try words.word("command")
      let count: UInt16 = try words.number("the number of words of the command")
      var command: [String] = []
      for _ in 0..<count { command.append(try words.name("a word of the command")) }
      setting.hasCommand = count > 0
      setting.probes = try words.probes()
      let made = setting
      return { entries in
        ControlPoint(
          setting: made, command: command.isEmpty ? nil : command, interface: interface, entries: entries)
      }
    }
  }

  static func read<Record>(
    _ text: String, _ kind: String, _ head: (inout WordReader) throws(WordError) -> ([TraceEntry]) -> Record
  ) throws(Failure) -> Record {
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    let first = lines.first ?? ""
    guard first == kind || first.hasPrefix(kind + " ") else {
      throw Failure(line: 1, column: 1, expected: "'\(kind)' and what was asked for, as --trace writes it")
    }
    let make: ([TraceEntry]) -> Record
    do {
      var words = WordReader(first)
      for word in kind.split(separator: " ") { try words.word(String(word)) }
      make = try head(&words)
    } catch { throw Failure(line: 1, column: error.column, expected: error.expected) }
    var entries: [TraceEntry] = []
    for (number, line) in lines.enumerated().dropFirst() where !line.isEmpty && !line.hasPrefix("#") {
      do { entries.append(try TraceText.read(line) { _ in 0 }) } catch {
        throw Failure(line: number + 1, column: error.column, expected: error.expected)
      }
      if entries.count > 1, entries[entries.count - 2].time > entries[entries.count - 1].time {
        throw Failure(line: number + 1, column: 1, expected: "a time that is not before that of the line above")
      }
    }
    return make(entries)
  }
}

extension WordReader {
  fileprivate mutating func address(_ expected: String) throws(WordError) -> IPAddress {
    guard let address = IPAddress(try next(expected)) else { throw error(expected) }
    return address
  }

  mutating func optionalName(_ expected: String) throws(WordError) -> String? {
    take("-") ? nil : try name(expected)
  }

  /// The word `probes` and the names behind it, up to the end.
  mutating func probes<Probe: RawRepresentable>() throws(WordError) -> [Probe]
  where Probe.RawValue == String {
    try word("probes")
    var probes: [Probe] = []
    while !rest.isEmpty {
      guard let probe = Probe(rawValue: String(try next("a probe"))) else { throw error("a probe of this version") }
      probes.append(probe)
    }
    return probes
  }
}
