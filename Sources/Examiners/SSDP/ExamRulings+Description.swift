import RollcallConformance
import RollcallPrimitives
import RollcallWire

// The description beside silence: that something in it was not heard, though it was asked for. What messages show is
// left to the judge.
extension ExamRulings {
  /// A set is over so long after its first message.
  private static let setDuration = Interval.seconds(5)
  /// Sets of announcements that have to be heard: one may be lost.
  private static let setsMinimum = 2

  /// Each embedded device of the description has two messages, its uuid and its type. An answer shows one as well as an
  /// announcement does. That there is none takes both: questions for everything, and sets heard to their ends.
  mutating func ruleEmbedded() {
    guard let body = exam.document?.heard.body, let reading = try? DescriptionReader.read(body, mode: .lenient),
      ExamRoll.isSame(uuid(of: reading.document.root), subject.root.uuid)
    else { return }
    let parts = parts(of: reading.document.root).filter { !ExamRoll.isSame(uuid(of: $0), subject.root.uuid) }
    if parts.isEmpty { return }
    let missing = parts.compactMap { whatIsMissing(of: $0) }
    guard let first = missing.first else { return rule(.description, .embeddedTwo, .held) }
    let found = missing.count == 1 ? first : "\(first), and of \(missing.count - 1) other embedded devices"
    func leaveOpen(_ reason: String) { rule(.description, .embeddedTwo, .inconclusive, "\(found); \(reason)") }
    let come = answeredInAll
    let settled = come.filter(\.isSettled)
    let until = exam.judgedUntil ?? exam.ended
    let sets = exam.announcements(.alive).filter {
      $0.target == "upnp:rootdevice" && ExamRoll.isSame($0.uuid, subject.root.uuid)
        && $0.time + ExamRulings.setDuration <= until
    }
    if exam.isMute || come.isEmpty { return leaveOpen("nothing is answered over multicast") }
    if !ReadDescription.isWhole(reading) { return leaveOpen("something in the description cannot be read") }
    guard isWhole(.searchAll), settled.count >= min(asked(.searchAll).count, come.count) else {
      return leaveOpen(whyNot)
    }
    if mayBeLoss(settled.count) { return leaveOpen(lossText(settled.count)) }
    if sets.count < ExamRulings.setsMinimum {
      return leaveOpen("it may be announced: no two sets were heard to their ends")
    }
    rule(
      .description, .embeddedTwo, .violated,
      "two messages of each embedded device that the description has: its uuid, its type",
      found: "\(found) in \(settled.count) answers to ssdp:all and \(sets.count) sets of announcements",
      settled.prefix(2).map(\.ask.record) + sets.prefix(2).map(\.record))
  }

  /// Embedded devices, each before those that are embedded in it.
  private func parts(of device: DescriptionDocument.Device) -> [DescriptionDocument.Device] {
    device.embedded.flatMap { [$0] + parts(of: $0) }
  }

  private func uuid(of device: DescriptionDocument.Device) -> String {
    device.udn.lowercased().hasPrefix("uuid:") ? String(device.udn.dropFirst(5)) : device.udn
  }

  /// Which of its two messages was not heard, for people; `nil`: both were.
  private func whatIsMissing(of part: DescriptionDocument.Device) -> String? {
    let uuid = uuid(of: part)
    let forms = exam.roll.device(uuid)?.adverts.map { ExamTarget($0.target).form } ?? []
    let name = "uuid:\(uuid.prefix(80))"
    switch (forms.contains(.uuid), forms.contains(.device) || forms.contains(.opaque)) {
    case (true, true): return nil
    case (false, false): return "no message of \(name)"
    case (false, true): return "no message with the uuid of \(name)"
    case (true, false): return "no message with the type of \(name)"
    }
  }
}
