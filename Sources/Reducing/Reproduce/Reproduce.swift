package import RollcallCapture
import RollcallPrimitives
package import RollcallReplaying
import RollcallRunning
import RollcallScenarios

/// From a capture to a scenario that makes the engine say the same: read, take names out, build, run, compare.
package enum Reproduce {
  package struct Options: Sendable {
    package var perspective: ReplayOptions.Perspective
    package var keepsIdentities: Bool
    package var title: String
    /// What the capture is called in the scenario.
    package var source: String
    /// Whether to look for a planted fault that the scenario catches.
    package var findsBite: Bool

    package init(
      perspective: ReplayOptions.Perspective = .everybody, keepsIdentities: Bool = false, title: String,
      source: String, findsBite: Bool = true
    ) {
      self.perspective = perspective
      self.keepsIdentities = keepsIdentities
      self.title = title
      self.source = source
      self.findsBite = findsBite
    }
  }

  package struct Outcome: Sendable {
    package var reproduction: Reproduction
    package var tape: CaptureTape
    /// The run against the replay of the capture, names taken out of both.
    package var comparison: ReportComparison
    /// The replay of what the run recorded against the run.
    package var fixedPoint: ReportComparison
    /// The capture without names against the capture as it is: how many reports each makes, and whether of the same
    /// events.
    package var isShapeKept: Bool
    package var reports: [TapedReport]
    /// How finely times had to be kept.
    package var grain: TimeGrain
    package var yaml: String
    /// Expectations of what was written that do not hold; there should be none.
    package var broken: [String]
    /// The messages alone against the capture with all that it holds.
    package var isTapeTrue: Bool
    /// Names of which two became one, in words; there should be none.
    package var ambiguities: [String]

    /// Whether the scenario says what the capture says, by every check that there is.
    package var isFaithful: Bool {
      comparison.isEqual && fixedPoint.isEqual && isShapeKept && isTapeTrue && broken.isEmpty && ambiguities.isEmpty
    }
  }

  /// - Parameter open: opens the capture from its start; called more than once.
  package static func reproduce(_ options: Options, _ open: () throws -> CaptureReader) throws -> Outcome {
    let original = try CaptureTape.read(as: options.perspective, open)
    var tape = original
    if !options.keepsIdentities {
      var anonymiser = Anonymiser()
      tape = anonymiser.anonymised(original)
    }
    let expected = tape.reports()
    let plain = original.reports()
    let shape = options.keepsIdentities || isSameShape(plain, expected)
    var best: (Reproduction, ReportComparison, ScenarioReports, TimeGrain)?
    for grain in TimeGrain.allCases {
      let reproduction = Reproducer.reproduce(tape, title: options.title, grain: grain)
      let run = try ScenarioReports.run(reproduction.scenario)
      let comparison = ReportComparison(
        expected: expected, found: run.reports, offset: tape.start - Instant.zero - Reproduction.lead)
      let isBetter = best.map { !$0.1.isEqual } ?? true
      if isBetter { best = (reproduction, comparison, run, grain) }
      if comparison.isEqual { break }
    }
    guard var best else { throw CaptureTape.Problem.noMessages }
    if best.1.isEqual { try useResponders(tape, options.title, expected, &best) }
    var reproduction = best.0
    let (comparison, run, grain) = (best.1, best.2, best.3)
    let again = run.replayed()
    let fixedPoint = ReportComparison(expected: run.reports, found: again, offset: .zero)
    finish(&reproduction, tape, run.reports, options)
    let yaml = text(reproduction, comparison, options)
    // What was written has to be what was run.
    reproduction.scenario = try Scenario(yaml: yaml, file: options.title)
    let written = try reproduction.scenario.resolved()
    let verdicts = Run.perform(written, seed: Seed(reproduction.scenario.seeds.lowerBound)).verdicts
    return Outcome(
      reproduction: reproduction, tape: tape, comparison: comparison, fixedPoint: fixedPoint, isShapeKept: shape,
      reports: expected, grain: grain, yaml: yaml,
      broken: verdicts.filter { $0.outcome == .violated || $0.outcome == .vacuous }.map(\.text),
      isTapeTrue: isSameShape(original.originalReports, plain),
      ambiguities: options.keepsIdentities ? [] : Anonymiser.ambiguities(original, tape))
  }

  /// Puts responders in the place of programs that say what hosts said: all that may be, or else each for which the
  /// reports stay as they are.
  private static func useResponders(
    _ tape: CaptureTape, _ title: String, _ expected: [TapedReport],
    _ best: inout (Reproduction, ReportComparison, ScenarioReports, TimeGrain)
  ) throws {
    let candidates = Reproducer.responders(in: tape)
    var used: [Reproducer.Party: RecordedResponder] = [:]
    func attempt(_ responders: [Reproducer.Party: RecordedResponder]) throws -> Bool {
      let reproduction = Reproducer.reproduce(tape, title: title, grain: best.3, responders: responders)
      let run = try ScenarioReports.run(reproduction.scenario)
      let comparison = ReportComparison(
        expected: expected, found: run.reports, offset: tape.start - Instant.zero - Reproduction.lead)
      guard comparison.isEqual else { return false }
      best = (reproduction, comparison, run, best.3)
      used = responders
      return true
    }
    let all = Dictionary(candidates.map { ($0.party, $0.host) }, uniquingKeysWith: { first, _ in first })
    if all.isEmpty { return }
    let isDone = try attempt(all)
    if isDone || all.count == 1 { return }
    for candidate in candidates {
      var more = used
      more[candidate.party] = candidate.host
      _ = try attempt(more)
    }
  }

  /// Whether both say the same of the same at the same times, whatever it is called: who is the first to be named in the
  /// one has to be the first in the other wherever it comes up, and nobody else.
  package static func isSameShape(_ left: [TapedReport], _ right: [TapedReport]) -> Bool {
    func shape(_ list: [TapedReport]) -> [String] {
      var numbers: [String: Int] = [:]
      func number(_ kind: String, _ name: String?) -> String {
        guard let name else { return "-" }
        let key = kind + name.asciiLowercased
        let known = numbers[key] ?? numbers.count
        numbers[key] = known
        return "\(kind)\(known)"
      }
      func device(_ name: String) -> String { number("device", name) }
      func place(_ url: String?) -> String { number("url", url) }
      func address(_ address: DeviceAddress) -> String { number("address", address.description) }
      func search(_ id: SearchID?) -> String { number("search", id.map { "\($0.number)" }) }
      // 0 is a number that a device may have, and none is none.
      func attribute(_ name: DeviceAttribute.Name, _ value: DeviceAttribute.Value?) -> String {
        switch value {
        case .none: "\(name) -"
        case .text(let text): "\(name) \(number(name == .location ? "url" : "text", text))"
        case .number(let number): "\(name) \(number)"
        }
      }
      func sighting(_ one: DeviceSighting) -> String {
        let attributes = one.attributes.map { attribute($0.name, $0.value) }.joined(separator: " ")
        return "\(device(one.device)) \(address(one.locator.address)) \(attributes)"
      }
      return list.map { entry in
        let what: String
        switch entry.report {
        case .found(let one): what = "found \(sighting(one))"
        case .changed(let one, let change):
          let how =
            switch change {
            case .address(let from): "address \(address(from))"
            case .attribute(let name, let from): "from \(attribute(name, from))"
            case .united(let part): "united \(device(part))"
            }
          what = "changed \(sighting(one)) \(how)"
        case .lost(let name, let cause): what = "lost \(device(name)) \(cause)"
        case .service(let service):
          what =
            "service \(search(service.search)) \(device(service.device)) \(number("usn", service.name)) "
            + "\(number("target", service.target)) \(place(service.location))"
        case .searchEnded(let outcome):
          let services = outcome.services.map { number("usn", $0.name) }.joined(separator: " ")
          let end = outcome.wasStopped ? "stopped" : "ended"
          what = "\(end) \(search(outcome.search)) \(number("target", outcome.target)) \(services)"
        case .failed(let failure): what = "failed \(failure.reason) \(search(failure.search))"
        default: what = entry.report.name
        }
        return "\(entry.time) \(what)"
      }
    }
    return shape(left) == shape(right)
  }
}
